"""B179: with --dev an accidental global is told with its place; else it is just gone."""

import unittest

import wire

APP = """
local mcp = require "mcp"
mcp.server { name = "globals", version = "1.0.0" }
declared = 0
mcp.tool("count", function()
  declared = declared + 1
  count = (count or 0) + 1
  return count .. " " .. declared
end)
"""


class Globals(wire.TestCase):
    def count(self, server):
        return server.call("count").result["content"][0]["text"]

    def test_with_dev_a_new_global_is_told_with_its_line(self):
        server = self.start(APP, options=("--dev",))
        self.assertEqual(self.count(server), "1 1")
        server.wait_stderr(r"app\.lua:7: a call makes the global \"count\"")
        self.assertNotIn('"declared"', server.stderr)
        self.assertEqual(self.count(server), "1 1")

    def test_without_dev_nothing_is_said(self):
        server = self.start(APP)
        self.assertEqual(self.count(server), "1 1")
        self.assertEqual(self.count(server), "1 1")
        self.assertNotIn("makes the global", server.stderr)


if __name__ == "__main__":
    unittest.main()
