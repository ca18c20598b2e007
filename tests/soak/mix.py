"""mix.py - everything at once, for as long as you like

Calls, tasks, reloads (good and broken ones), deadlines, memory limits, clients that
leave, calls that are cancelled, and clients that are killed, all against one
server under --dev. Every answer says which version of the app made it: no call
may be lost, none may see two versions, and no client may see time run
backwards. Prints a line every ten seconds and a verdict at the end.

./dev soak mix [--seconds N]
Exit 1 when a call failed that should not, when versions mixed, or when
memory, descriptors or threads grew; memory is judged in plain builds only.
"""

import argparse
import http.client
import os
import random
import socket
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "wire"))
import wire  # noqa: E402 (needs the path)
from tasks import FINAL, Tasks, accept  # noqa: E402

APP = """
local mcp = require "mcp"
local part = require "part"
local version = %d
local seen = 0

mcp.server { name = "mix", version = "%d", call_timeout = 20, memory_limit = "16 MiB" }

mcp.tool("version", function(n)
  seen = seen + 1
  return ("%%d %%d %%d %%d"):format(version, part, seen, n)
end)
mcp.tool("nap", function(seconds, ctx)
  ctx.sleep(seconds)
  return version .. " " .. part
end)
mcp.tool("steps", function(args, ctx)
  for i = 1, 20 do ctx.progress(i, 20) end
  return version .. " " .. part
end)
mcp.tasks { store = "memory:", ttl_ms = 20000 } -- twenty times what a poll may take
mcp.tool("job", { task = "required" }, function(n, ctx)
  for i = 1, 5 do ctx.progress(i, 5) ctx.sleep(0.01) end
  local answer = ctx.elicit { message = "?", schema = { x = mcp.types.number() } }
  return ("%%d %%d %%d %%d"):format(version, part, n, answer.content.x)
end)
mcp.tool("spin", { timeout = 0.2 }, function() while true do end end)
mcp.tool("pattern", { timeout = 0.2 }, function()
  return (("a"):rep(40):find(("a*"):rep(40) .. "b"))
end)
mcp.tool("grow", { timeout = 60 }, function()
  local t = {}
  while true do t[#t + 1] = ("x"):rep(1000) .. #t end
end)
mcp.tool("deep", function()
  local function f(s) return (s:gsub(".", f)) end
  return f("a")
end)
"""

ENDINGS = {"spin": "longer than", "pattern": "longer than",
           "grow": "out of memory", "deep": "C stack"}
QUIET = ("version", "nap", "steps", "grow")  # what ThreadSanitizer can bear


class Mix:
    def __init__(self, server, seconds, names):
        self.server, self.names = server, names
        self.end = time.monotonic() + seconds
        self.counts, self.bad = {}, []
        self.lock = threading.Lock()

    def going(self):
        return time.monotonic() < self.end and len(self.bad) < 20

    def note(self, what, wrong=None):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1
            if wrong:
                self.bad.append("%s: %s" % (what, wrong))

    def save(self, version):
        """Both files, by renaming over; the app goes last."""
        for name, text in (("part.lua", "return %d" % version),
                           ("app.lua", APP % (version, version))):
            path = self.server.write(name + ".new", text)
            os.rename(path, os.path.join(self.server.folder, name))

    def reloader(self):
        version = 1
        while self.going():
            time.sleep(random.uniform(0.2, 1.0))
            if random.random() < 0.2:
                self.server.write("app.lua", "functon(")
                time.sleep(0.1)
                self.note("broken save")
            version += 1
            self.save(version)
            self.note("save")

    def judge(self, name, arguments, answer, last):
        """None, or what is wrong with it; `last` is the last version seen."""
        result = answer.result
        text = result["content"][0]["text"]
        if name in ENDINGS:
            right = result.get("isError") and ENDINGS[name] in text
            return None if right else text
        words = text.split()
        if words[0] != words[1] and abs(int(words[0]) - int(words[1])) > 1:
            return "two versions: " + text
        if name == "version" and words[2:] != ["1", str(arguments["n"])]:
            return "not its own state: " + text
        if name == "version":
            if int(words[0]) < last[0]:
                return "backwards from %d: %s" % (last[0], text)
            last[0] = int(words[0])
        return None

    def caller(self):
        connection, last, n = self.server.connection(30), [0], 0
        while self.going():
            n += 1
            name = random.choice(self.names) if random.random() < 0.3 else "version"
            arguments = {"version": {"n": n}, "nap": {"seconds": 0.05}}.get(name, {})
            try:
                answer = self.server.post(*wire.modern("tools/call", {
                    "name": name, "arguments": arguments}, id=n),
                    connection=connection)
                wrong = self.judge(name, arguments, answer, last)
            except (OSError, http.client.HTTPException, AssertionError,
                    KeyError, ValueError, IndexError) as error:
                wrong = repr(error)
                connection.close()
            self.note(name, wrong)
        connection.close()

    def tasker(self):
        """Tasks that are answered or taken back, and listened to or not."""
        tasks, n = Tasks(self.server), 0
        while self.going():
            n += 1
            try:
                self.note("job", self.one_task(tasks, n))
            except (OSError, http.client.HTTPException, AssertionError,
                    KeyError, ValueError, IndexError) as error:
                self.note("job", repr(error))

    def one_task(self, tasks, n):
        id = tasks.create("job", {"n": n})
        stream = None
        if random.random() < 0.3:
            stream = self.server.stream(*wire.modern(
                "subscriptions/listen", {"notifications": {"taskIds": [id]}},
                capabilities=tasks.capabilities))
        cancel = random.random() < 0.3
        while True:
            task = tasks.get(id)
            if task["status"] in FINAL:
                break
            if cancel and random.random() < 0.2:
                tasks.cancel(id)
            elif task["status"] == "input_required":
                tasks.update(id, {"elicit-1": accept(x=n)})
            time.sleep(0.005)
        if stream is not None:
            seen = "working"
            while seen not in FINAL:
                seen = stream.message()["params"].get("status", "acknowledged")
            stream.close()
            if seen != task["status"]:
                return "told %s, is %r" % (seen, task)
        if task["status"] == "cancelled":
            return None if cancel else repr(task)
        words = task["result"]["content"][0]["text"].split()
        if words[2:] != [str(n)] * 2 or abs(int(words[0]) - int(words[1])) > 1:
            return repr(task)
        return None

    def leaver(self):
        """Sends a call and is gone, politely or not, early or late."""
        body, headers = wire.modern("tools/call", {
            "name": "nap", "arguments": {"seconds": 0.3}}, id=1)
        data = wire.encode(body)
        head = "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n" % (
            self.server.path, len(data))
        head += "".join("%s: %s\r\n" % h for h in headers.items()) + "\r\n"
        while self.going():
            s = socket.create_connection((self.server.host, self.server.port), 10)
            whole = head.encode() + data
            s.sendall(whole[:random.choice((len(whole), len(whole) // 2, 40))])
            time.sleep(random.uniform(0, 0.1))
            if random.random() < 0.5:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                             b"\x01\0\0\0\0\0\0\0")
            s.close()
            self.note("left")

    def canceller(self):
        n = 0
        session = self.server.session()
        while self.going():
            n += 1
            thread = threading.Thread(target=self.cancel_one, args=(session, n))
            thread.start()
            time.sleep(random.uniform(0.01, 0.1))
            try:
                session.notify("notifications/cancelled", {"requestId": n + 1000})
                self.note("cancel")
            except (OSError, AssertionError) as error:
                self.note("cancel", repr(error))
            thread.join(30)

    def cancel_one(self, session, n):
        body = {"jsonrpc": "2.0", "id": n + 1000, "method": "tools/call",
                "params": {"name": "nap", "arguments": {"seconds": 0.2}}}
        try:
            answer = self.server.post(body, session.headers())
            if b"{" in answer.body and b'"result"' not in answer.body:
                self.note("cancelled", repr(answer.body))
            else:
                self.note("cancelled")
        except (OSError, http.client.HTTPException) as error:
            self.note("cancelled", repr(error))

    def killer(self):
        """Clients that are killed in the middle of a call."""
        while self.going():
            client = subprocess.Popen(
                ["curl", "-s", "-o", "/dev/null", "-H",
                 "Content-Type: application/json", "-d",
                 '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
                 '{"name":"nap","arguments":{"seconds":0.5}}}',
                 self.server.url])
            time.sleep(random.uniform(0.02, 0.3))
            client.kill()
            client.wait()
            self.note("killed client")

    def run(self, sample):
        work = [self.caller, self.caller, self.caller, self.reloader,
                self.tasker, self.tasker, self.leaver, self.canceller, self.killer]
        threads = [threading.Thread(target=f, daemon=True) for f in work]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            sample()
            time.sleep(1)


def usage(server):
    """Resident KiB, open descriptors, threads."""
    task = "/proc/%d/" % server.pid
    return (server.rss_kib(), len(os.listdir(task + "fd")),
            len(os.listdir(task + "task")))


def growth(samples, which):
    """The median of the last quarter over that of the second, in per cent."""
    quarter = max(1, len(samples) // 4)
    second = statistics.median(s[which] for s in samples[quarter:2 * quarter + 1])
    last = statistics.median(s[which] for s in samples[-quarter:])
    return second, last, (last - second) / second * 100


def main():
    parser = argparse.ArgumentParser(description="mixed soak test of mcpluad")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--quiet", action="store_true",
                        help="no runaways: for ThreadSanitizer builds")
    options = parser.parse_args()
    names = QUIET if options.quiet else ("version", "nap", "steps", *ENDINGS)
    plain = b"__asan_init" not in open(wire.BIN, "rb").read() and \
        b"__tsan_init" not in open(wire.BIN, "rb").read()
    samples, begin, told = [], time.monotonic(), [0.0]
    with wire.Server(APP % (1, 1), files={"part.lua": "return 1"},
                     options=("--dev", "--log-level", "error")) as server:
        mix = Mix(server, options.seconds, names)

        def sample():
            samples.append(usage(server))
            now = time.monotonic() - begin
            if now - told[0] >= 10:
                told[0] = now
                print("%5.0f s  rss %d KiB  fds %d  threads %d  %s" % (
                    now, *samples[-1], mix.counts), flush=True)
        mix.run(sample)
    failed = bool(mix.bad) or mix.counts.get("version", 0) == 0
    # `room` is what clients and workers come and go by: a leak in thousands
    # of calls is more.
    for which, what, most, room in ((0, "memory KiB", 10, 0),
                                    (1, "descriptors", 20, 16),
                                    (2, "threads", 20, 4)):
        second, last, grown = growth(samples, which)
        judged = which > 0 or (plain and options.seconds >= 60)
        print("%s: second quarter %d, last %d (%+.2f %%)%s" % (
            what, second, last, grown, "" if judged else ", not judged"))
        failed = failed or (judged and grown > most and last - second > room)
    for line in mix.bad:
        print(line)
    print("soak mix: " + ("FAILED" if failed else "ok"), mix.counts)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
