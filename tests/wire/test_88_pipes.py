"""A call that waits for a program holds up nobody else's files."""

import threading
import time
import unittest

import wire

APP = """
local mcp = require "mcp"
mcp.server { name = "pipes", version = "1.0.0" }
mcp.tool("wait", function() return io.popen("sleep 6; echo woke"):read("*l") end)
mcp.tool("open", function()
  local file = assert(io.open("/dev/null"))
  file:close()
  return "opened"
end)
mcp.tool("pipe", function() return io.popen("echo piped"):read("*l") end)
"""


class Pipes(wire.TestCase):
    APP = APP

    def test_files_open_while_another_call_reads_a_pipe(self):
        woke = []
        waiter = threading.Thread(target=lambda: woke.append(
            self.server.call("wait").result["content"][0]["text"]))
        waiter.start()
        time.sleep(0.3)
        for _ in range(3):
            for tool, text in (("pipe", "piped"), ("open", "opened")):
                answer = self.server.call(tool)
                self.assertEqual(answer.result["content"][0]["text"], text)
        self.assertEqual(woke, [])  # it waits on
        waiter.join()
        self.assertEqual(woke, ["woke"])


if __name__ == "__main__":
    unittest.main()
