"""From a save to the first answer of the new app: figures on stdout, and a
bound that only says that it lives. The issue asks for 200 ms on an idle
machine: what that is on a busy one, nobody knows."""

import os
import statistics
import time
import unittest

import wire

APP = """
local mcp = require "mcp"
local part = require "part"
mcp.server { name = "save", version = "1.0.0" }
mcp.tool("version", function() return part end)
%s
"""
MANY = "".join('mcp.tool("t%d", { description = "A tool" },'
               ' function(text) return text end)\n' % i for i in range(100))
TURNS = 12
LIVE_SECONDS = 2.0


class Save(wire.TestCase):
    def measure(self, more):
        server = self.start(APP % more, options=("--dev",),
                            files={"part.lua": 'return "0"'})
        took = []
        for turn in range(1, TURNS + 1):
            new = server.write("part.lua.new", 'return "%d"' % turn)
            begun = time.monotonic()
            os.replace(new, os.path.join(server.folder, "part.lua"))
            connection = server.connection()
            while server.post(*wire.modern("tools/call", {"name": "version"}),
                              connection=connection).result["content"][0][
                                  "text"] != str(turn):
                self.assertLess(time.monotonic() - begun, 10, server.stderr)
                time.sleep(0.002)
            connection.close()
            took.append((time.monotonic() - begun) * 1000)
        print("save to answer: median %.0f ms, worst %.0f ms of %d" % (
            statistics.median(took), max(took), TURNS))
        self.assertLess(statistics.median(took), LIVE_SECONDS * 1000)

    def test_a_small_app(self):
        self.measure("")

    def test_an_app_of_a_hundred_tools(self):
        self.measure(MANY)

    def test_the_diff_is_one_line(self):
        server = self.start(APP % 'mcp.tool("old", function() end)',
                            options=("--dev",),
                            files={"part.lua": "return 1"})
        new = server.write("app.lua.new", APP % (
            'mcp.tool("new", function() end)'
            'mcp.tool("newer", function() end)'))
        os.replace(new, server.app_file)
        line = server.wait_stderr(r".*generation 2 .*|.*added.*").group(0)
        self.assertRegex(line, r"new")
        self.assertRegex(line, r"newer")
        self.assertRegex(line, r"removed.*old")


if __name__ == "__main__":
    unittest.main()
