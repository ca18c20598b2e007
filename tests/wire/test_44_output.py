"""What an app prints: once while it loads, whole while calls run, never to a client."""

import unittest

import wire

APP = """
print("loading")
io.write("here\\n")
local kept = print
local mcp = require "mcp"
mcp.tool("say", function() kept("said") io.write("written\\n") return "x" end)
"""


def call(number):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": "say", "arguments": {}}}


class OutputTest(wire.TestCase):
    def test_an_app_is_heard_once_while_it_loads_and_whenever_it_runs(self):
        process = wire.Stdio(APP)
        process.initialize()
        for number in range(1, 4):
            process.request(call(number))
        process.stop()
        lines = process.stderr.splitlines()
        self.assertEqual(lines.count("loading"), 1)
        self.assertEqual(lines.count("here"), 1)
        self.assertEqual(lines.count("said"), 3)
        self.assertEqual(lines.count("written"), 3)


if __name__ == "__main__":
    unittest.main()
