"""Workers that are lost inside C: how many are replaced, who is told, and how
a real fault ends the process."""

import signal
import threading
import time
import unittest

import wire

REPLACED = 16      # STUCK_MAX in app/pool.c
WORKERS = 8

APP = """
local mcp = require "mcp"
mcp.server { name = "supervision", version = "1.0.0" }
mcp.tool("block", { timeout = 0.2 }, function()
  return io.popen("exec sleep 8"):read("*a")
end)
mcp.tool("ok", { timeout = 20 }, function() return "fine" end)
"""


class Stuck(wire.TestCase):
    APP = APP
    OPTIONS = ("--max-workers", str(WORKERS))

    def ready(self, status, seconds):
        end = time.monotonic() + seconds
        while self.server.get("/readyz").status != status:
            self.assertLess(time.monotonic(), end, self.server.stderr)
            time.sleep(0.05)

    def block(self, number):
        threads = [threading.Thread(target=self.server.call, args=("block",))
                   for _ in range(number)]
        for thread in threads:
            thread.start()
        return threads

    def test_so_many_are_replaced_and_one_more_is_told(self):
        threads = self.block(REPLACED)
        self.server.wait_stderr(
            r"error +app: %d workers are blocked inside a C library" % REPLACED)
        self.assertEqual(self.server.get("/readyz").status, 200)
        self.assertEqual(
            self.server.call("ok").result["content"][0]["text"], "fine")
        threads += self.block(WORKERS)
        self.ready(503, 8)
        self.assertEqual(self.server.get("/healthz").status, 200)
        self.assertEqual(
            len(self.server.rpc("tools/list").result["tools"]), 2)
        for thread in threads:    # each was answered when its time was over
            thread.join(10)
            self.assertFalse(thread.is_alive())
        self.ready(200, 20)       # the programs have ended
        self.assertEqual(
            self.server.call("ok").result["content"][0]["text"], "fine")


class Fault(wire.TestCase):
    def test_a_real_fault_is_loud(self):
        server = wire.Server("""
local ffi = require "ffi"
local mcp = require "mcp"
mcp.server { name = "fault", version = "1.0.0" }
ffi.cdef "size_t strlen(const char *s);"
mcp.tool("fault", function()
  return tostring(ffi.C.strlen(ffi.cast("const char *", 16)))
end)
""")
        try:
            server.call("fault")
        except OSError:
            pass
        try:
            code = server.process.wait(20)
            self.assertNotEqual(code, 0)
            if "AddressSanitizer" in server.stderr:
                self.skipTest("ASan has handlers of its own")
            server.wait_stderr(r"a memory fault; the stack:\n(.*\n)*.*lib")
            self.assertEqual(code, -signal.SIGSEGV)
        finally:
            server._stopped = True
            for pipe in (server.process.stdout, server.process.stderr):
                pipe.close()


if __name__ == "__main__":
    unittest.main()
