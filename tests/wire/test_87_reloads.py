"""Five hundred reloads while clients call: no call is lost, none sees two
versions, and memory and descriptors stay."""

import os
import signal
import threading
import time
import unittest

import wire

RELOADS = int(os.environ.get("MCPLUAD_TEST_RELOADS", "500"))
WARM = RELOADS // 5

APP = """
local mcp = require "mcp"
local part = require "part"
mcp.server { name = "reloads", version = "1.0.0" }
local own = require("part")
mcp.tool("version", function(ctx)
  local first = part
  ctx.sleep(0.001)
  return first .. " " .. own .. " " .. require "part"
end)
"""


class Reloads(wire.TestCase):
    # freed memory that ASan keeps would look like a leak
    ENV = {"ASAN_OPTIONS":
           "quarantine_size_mb=1:detect_stack_use_after_return=0"}

    def call(self, server, connection):
        answer = server.post(*wire.modern("tools/call", {"name": "version"}),
                             connection=connection)
        words = answer.result["content"][0]["text"].split()
        self.assertEqual(len(set(words)), 1, words)
        return int(words[0])

    def caller(self, server, stop, wrong):
        connection, last = server.connection(), 0
        try:
            while not stop.is_set():
                now = self.call(server, connection)
                self.assertGreaterEqual(now, last)
                last = now
        except Exception as error:  # noqa: BLE001 (all of them are told)
            wrong.append(repr(error))
        finally:
            connection.close()

    def reload(self, server, connection, turn):
        new = server.write("part.lua.new", "return %d" % turn)
        os.replace(new, os.path.join(server.folder, "part.lua"))
        server.signal(signal.SIGHUP)
        end = time.monotonic() + 10
        while self.call(server, connection) != turn:
            self.assertLess(time.monotonic(), end, server.stderr[-2000:])

    @staticmethod
    def usage(server):
        return server.rss_kib(), len(os.listdir("/proc/%d/fd" % server.pid))

    def test_no_call_is_lost(self):
        server = self.start(APP, files={"part.lua": "return 0"}, env=self.ENV)
        stop, wrong = threading.Event(), []
        threads = [threading.Thread(target=self.caller,
                                    args=(server, stop, wrong))
                   for _ in range(3)]
        connection = server.connection()
        for thread in threads:
            thread.start()
        try:
            for turn in range(1, RELOADS + 1):
                self.reload(server, connection, turn)
                if turn == WARM:
                    before = self.usage(server)
                self.assertEqual(wrong, [])
        finally:
            stop.set()
            for thread in threads:
                thread.join()
            connection.close()
        after = self.usage(server)
        self.assertEqual(wrong, [])
        self.assertLess(after[0], before[0] * 1.15 + 4096, (before, after))
        self.assertLessEqual(after[1], before[1] + 12, (before, after))


if __name__ == "__main__":
    unittest.main()
