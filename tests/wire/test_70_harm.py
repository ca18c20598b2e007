"""Handlers that reach for what outlives their call: files, locks, the locale,
the registry, the profiler."""

import os
import time
import unittest

import wire

TIME_IN_DEPTH = """
local function sorted(n, f)
  if n == 0 then return f() end
  local done
  table.sort({ 1, 2 }, function()
    if not done then done = true sorted(n - 1, f) end
    return false
  end)
end
sorted(args.depth, function()
  local function f(s) os.time{ year = 2020, month = 1, day = 1 } return (s:gsub('.', f)) end
  return f('a')
end)
"""

TOOLS = {
    "open_loop": "kept = io.open('/dev/null') while true do end",
    "open_pattern": "kept = io.open('/dev/null')"
                    " return (('a'):rep(40):find(('a*'):rep(40) .. 'b'))",
    "open_sleep": "kept = io.open('/dev/null') ctx.sleep(60)",
    "open_deep": "kept = io.open('/dev/null') local function f(s)"
                 " return (s:gsub('.', f)) end return f('a')",
    "open_grow": "kept = io.open('/dev/null') local t = {}"
                 " while true do t[#t + 1] = ('x'):rep(1000) .. #t end",
    "open_lines": "for line in io.lines('/proc/self/maps') do return 'x' end",
    "popen_loop": "kept = io.popen('true') while true do end",
    "close": "local f = io.open('/dev/null') f:close() io.output('/dev/null')"
             " io.close() return io.type(f)",
    "collect": "for i = 1, 500 do io.open('/dev/null') end"
               " collectgarbage() collectgarbage() return 'x'",
    "slow_pipe": "kept = io.popen('sleep 3') return 'answered'",
    "locale": "return tostring(os.setlocale('C.UTF-8')) .. os.setlocale()",
    "registry": "local r = debug.getregistry() for k in pairs(r) do"
                " r[k] = nil end collectgarbage() return 'x'",
    "profile": "local p = require 'jit.profile' p.start('i1', print)",
}

APP = """
local mcp = require "mcp"
mcp.server { name = "harm", version = "1.0.0" }
mcp.tool("ok", function(text) return "fine " .. text end)
mcp.tool("now", function() return os.time() end)
mcp.tool("deep", function(depth, args) %s end)
""" % TIME_IN_DEPTH + "".join(
    'mcp.tool("%s", function(args, ctx) %s end)\n' % item
    for item in TOOLS.items())


class Harm(wire.TestCase):
    OPTIONS = ["--call-timeout", "0.1", "--memory-limit", "8MiB",
               "--max-workers", "2"]

    def open_files(self):
        """How often the server has /dev/null or a pipe open beyond 0 to 2."""
        folder = "/proc/%d/fd" % self.server.pid
        found = 0
        for fd in os.listdir(folder):
            try:
                at = os.readlink(os.path.join(folder, fd))
            except FileNotFoundError:
                continue
            found += int(fd) > 2 and (at == "/dev/null"
                                      or at.startswith("pipe:"))
        return found

    def assertOpen(self, number):
        """What a call has left is closed soon behind its answer."""
        wire.wait_until(lambda: self.open_files() <= number,
                        lambda: "%d files open, not %d" % (
                            self.open_files(), number))

    def fine(self):
        self.assertEqual(self.server.call("ok", {"text": "a"}).result[
            "content"], [{"type": "text", "text": "fine a"}])


class InRequests(Harm):
    APP = APP

    def test_no_file_stays_open_however_the_call_ends(self):
        before = self.open_files()
        for name in TOOLS:
            if name.startswith(("open_", "popen_")):
                with self.subTest(tool=name):
                    for _ in range(3):
                        self.server.call(name)
                    self.assertOpen(before)
        self.fine()

    def test_files_closed_by_the_call_are_not_closed_again(self):
        before = self.open_files()
        for _ in range(5):
            self.assertEqual(self.server.call("close").result["content"][0][
                "text"], "closed file")
            self.server.call("collect")
        self.assertOpen(before)
        self.fine()

    def test_the_caller_does_not_wait_for_a_pipe(self):
        begun = time.monotonic()
        answer = self.server.call("slow_pipe")
        self.assertLess(time.monotonic() - begun, 2.5)
        self.assertEqual(answer.result["content"][0]["text"], "answered")
        self.fine()

    def test_the_c_stack_ends_while_a_lock_is_held(self):
        # Which depth hits the lock of the time zone depends on the build.
        for depth in range(0, 32):
            answer = self.server.call("deep", {"depth": depth})
            self.assertIs(answer.result.get("isError"), True)
        self.assertFalse(self.server.call("now").result.get("isError"))

    def test_the_locale_can_be_asked_for_only(self):
        self.assertEqual(self.server.call("locale").result["content"][0][
            "text"], "nilC")

    def test_the_profiler_is_not_there(self):
        self.assertIn("jit.profile is not available", self.server.call(
            "profile").result["content"][0]["text"])

    def test_the_registry_is_out_of_reach(self):
        for _ in range(4):
            self.assertFalse(self.server.call("registry").result.get(
                "isError"))
            self.fine()


class InKeptStates(InRequests):
    OPTIONS = Harm.OPTIONS + ["--isolation", "worker"]

    # What a call leaves open belongs to its state, until it is collected.
    test_no_file_stays_open_however_the_call_ends = None
    test_files_closed_by_the_call_are_not_closed_again = None


class InFreshStates(InRequests):
    APP = 'local ffi = require "ffi"\n' + APP


if __name__ == "__main__":
    unittest.main()
