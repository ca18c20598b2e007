"""soak.py - many calls that do harm to their state; do they see each other?

Serves an app whose tool sets a global, a module's upvalue, the string
metatable, package.loaded and a table of the app, and reports what of that it
found already there. Afterwards: no call may have found anything, and resident
memory of the last quarter may exceed the second quarter's by 2 % at most.

./dev soak [--calls N] [--connections N] [--seconds N] [--json FILE]
Ends after N calls (100 000) or N seconds (600), whichever is first. Exit 1
when a call failed, saw another, or memory grew.
"""

import argparse
import http.client
import json
import os
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "wire"))
import wire  # noqa: E402 (needs the path)

MODULE = """
local hidden = 0
return { bump = function() hidden = hidden + 1; return hidden end }
"""

APP = """
local mcp = require "mcp"
local counter = require "counter"
local kept = {}

mcp.server { name = "soak", version = "1.0.0" }

mcp.tool("harm", {
  description = "Does harm to its own state, says what it found of others' harm",
}, function(n)
  local found = {}
  if rawget(_G, "leak") then found[#found + 1] = "global" end
  if counter.bump() ~= 1 then found[#found + 1] = "upvalue" end
  if getmetatable("").__index ~= string then found[#found + 1] = "string metatable" end
  if package.loaded.planted then found[#found + 1] = "package.loaded" end
  if #kept > 0 then found[#found + 1] = "table" end
  rawset(_G, "leak", n)
  getmetatable("").__index = setmetatable({}, { __index = string })
  package.loaded.planted = { n }
  for i = 1, 100 do kept[i] = ("x"):rep(100) .. i end
  return table.concat(found, ",") .. ":" .. n
end)
"""


class Load:
    """`connections` threads that call until `calls` are done or time is up."""

    def __init__(self, server, calls, connections, seconds):
        self.server, self.left = server, calls
        self.end = time.monotonic() + seconds
        self.done, self.bad = 0, []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._work, daemon=True)
                        for _ in range(connections)]

    def _take(self):
        with self.lock:
            if self.left == 0 or time.monotonic() > self.end or len(self.bad) > 20:
                return None
            self.left -= 1
            return self.left

    def _work(self):
        connection = self.server.connection()
        while (number := self._take()) is not None:
            try:
                answer = self.server.post(*wire.modern("tools/call", {
                    "name": "harm", "arguments": {"n": number}}, id=number),
                    connection=connection)
                text = answer.result["content"][0]["text"]
                wrong = None if text == ":%d" % number else text
            except (OSError, http.client.HTTPException, AssertionError) as error:
                wrong = repr(error)
                connection.close()
            with self.lock:
                self.done += 1
                if wrong:
                    self.bad.append("call %d: %s" % (number, wrong))
        connection.close()

    def run(self, sample):
        """Runs to the end; `sample` is called twice a second."""
        for thread in self.threads:
            thread.start()
        while any(thread.is_alive() for thread in self.threads):
            sample()
            time.sleep(0.5)


def main():
    parser = argparse.ArgumentParser(description="soak test of mcpluad")
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--json", help="write the memory samples there")
    options = parser.parse_args()
    samples = []
    with wire.Server(APP, files={"counter.lua": MODULE}) as server:
        load = Load(server, options.calls, options.connections, options.seconds)
        begin = time.monotonic()
        load.run(lambda: samples.append((load.done, server.rss_kib())))
        took = time.monotonic() - begin
    if options.json:
        with open(options.json, "w") as file:
            json.dump(samples, file)
    quarter = max(1, len(samples) // 4)
    second = statistics.median(s[1] for s in samples[quarter:2 * quarter + 1])
    last = statistics.median(s[1] for s in samples[-quarter:])
    growth = (last - second) / second * 100
    print("%d calls in %.1f s (%.0f/s); memory: second quarter %d KiB, last "
          "%d KiB (%+.2f %%)" % (load.done, took, load.done / took, second,
                                 last, growth))
    for line in load.bad:
        print(line)
    failed = bool(load.bad) or growth > 2 or load.done == 0
    print("soak: " + ("FAILED" if failed else "ok"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
