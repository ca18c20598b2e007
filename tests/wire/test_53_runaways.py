"""Handlers that do not end by themselves: each harms its own caller only."""

import concurrent.futures
import time
import unittest

import wire

# Lua body -> part of what the caller is told.
RUNAWAYS = {
    # loops
    "while true do end": "longer than",
    "repeat until false": "longer than",
    "for i = 1, math.huge do end": "longer than",
    "local function f() return f() end return f()": "longer than",
    "while true do pcall(function() while true do end end) end": "longer than",
    "while true do pcall(error) end": "longer than",
    "while true do xpcall(function() while true do end end,"
    " function() while true do end end) end": "longer than",
    "coroutine.wrap(function() while true do end end)()": "longer than",
    "while true do coroutine.resume(coroutine.create(function()"
    " while true do end end)) end": "longer than",
    "local co = coroutine.create(function() while true do pcall(function()"
    " while true do end end) end end) while true do coroutine.resume(co) end":
        "longer than",
    "jit.on() local n = 0 while true do n = n + 1 end": "longer than",
    "jit.opt.start('hotloop=2') jit.on(true, true)"
    " for i = 1, math.huge do end": "longer than",
    "debug.sethook(function() end, '', 1) while true do end": "longer than",
    "debug.sethook() while true do pcall(debug.sethook) end": "longer than",
    "setmetatable(_G, { __index = function() while true do end end })"
    " return nothing": "longer than",
    "table.sort({ 1, 2, 3 }, function() while true do end end)": "longer than",
    "('a'):gsub('a', function() while true do end end)": "longer than",
    "for _ in function() return 1 end do end": "longer than",
    "load(function() return ' ' end)": "longer than",
    # in a finalizer
    "getmetatable(io.stdout).__gc = function() while true do end end"
    " io.tmpfile() collectgarbage() collectgarbage()": "longer than",
    # inside one C call
    "return (('a'):rep(40):find(('a*'):rep(40) .. 'b'))": "longer than",
    "return ('x'):rep(1e6):find(('.-'):rep(60) .. 'y')": "longer than",
    # sleepers
    "ctx.sleep(60) return 'slept'": "longer than",
    "while true do ctx.sleep(0.01) end": "longer than",
    "pcall(ctx.sleep, 60) while true do pcall(ctx.sleep, 60) end":
        "longer than",
    # memory
    "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end":
        "out of memory",
    "local t = {} while true do t[#t + 1] = {} end": "out of memory",
    "local s = 'x' while true do s = s .. s end": "out of memory",
    "return ('x'):rep(1e9)": "out of memory",
    "local t = {} while true do t = { t } end": "out of memory",
    "local t = {} for i = 1, 1e9 do t[i] = i end": "out of memory",
    "local t = {} for i = 1, 1e9 do t[i] = coroutine.create(print) end":
        "out of memory",
    "return table.concat({ ('x'):rep(1e6) }, '', 1, 1):rep(100)":
        "out of memory",
    "local keep = {} while true do pcall(function() while true do"
    " keep[#keep + 1] = ('x'):rep(1e4) .. #keep end end) end": None,
    # depth
    "local function f(n) return 1 + f(n + 1) end return f(1)":
        "stack overflow",
    "local function f() pcall(f) error('x') end f()": None,
    "local function f(s) return (s:gsub('.', f)) end return f('a')":
        "C stack",
    "local function f() return coroutine.wrap(f)() end return f()": None,
    "local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k)"
    " return t[k .. 'x'] end return t.x": None,
    "local function f() table.sort({ 1, 2 }, f) end f()": None,
    "return string.rep('(', 300):find(string.rep('(', 300))": None,
    "return loadstring(('('):rep(1e5))": None,
    "return require('table.new')": None,
    # odd ends
    "error(nil)": "raised nil",
    "error()": "raised nil",
    "coroutine.yield()": "yielded",
    "coroutine.yield('a', 'b')": "yielded",
    "pcall(coroutine.yield) return 'back'": "yielded",
    "coroutine.wrap(function() coroutine.yield() end)() coroutine.yield()":
        "yielded",
    "os.exit()": "os.exit",
    "os.exit(0)": "os.exit",
    "os.exit(true, true)": "os.exit",
    "newproxy(true)": "newproxy",
    "debug.debug()": None,
    "io.stdin:read('*a')": None,
    "collectgarbage('stop') local t = {} while true do t = { t } end":
        "out of memory",
}

# These may also succeed: what they must not do is harm.
HARMLESS = {body for body, text in RUNAWAYS.items() if text is None}

APP = """
local mcp = require "mcp"
mcp.server { name = "runaways", version = "1.0.0" }
mcp.tool("ok", function(text) return "fine " .. text end)
"""
for i, (body, text) in enumerate(RUNAWAYS.items()):
    # Those that meet another limit than time have time enough to meet it.
    APP += 'mcp.tool("r%d", {%s}, function(args, ctx) %s end)\n' % (
        i, "" if text in (None, "longer than") else " timeout = 20 ", body)

OPTIONS = ["--call-timeout", "0.25", "--memory-limit", "16MiB"]


class Each(wire.TestCase):
    """Every STEP-th runaway, and after each a call that works."""

    OPTIONS = OPTIONS
    STEP = 1

    def run_away(self, i, body, call):
        answer = call("r%d" % i)
        self.assertEqual(answer.status, 200, answer)
        result = answer.result
        if body in HARMLESS and not result.get("isError"):
            return
        self.assertIs(result.get("isError"), True, answer)
        text = result["content"][0]["text"]
        self.assertTrue(text)
        if RUNAWAYS[body] is not None:
            self.assertIn(RUNAWAYS[body], text)

    def fine(self, call, text):
        self.assertEqual(call("ok", {"text": text}).result["content"],
                         [{"type": "text", "text": "fine " + text}])

    def test_each_ends_and_the_next_call_works(self):
        for i, body in list(enumerate(RUNAWAYS))[::self.STEP]:
            with self.subTest(body=body):
                self.run_away(i, body, self.server.call)
                self.fine(self.server.call, "a%d" % i)


class InImages(Each):
    APP = APP

    def test_the_same_in_a_legacy_session(self):
        session = self.server.session("2025-06-18")
        for i, body in list(enumerate(RUNAWAYS))[::5]:
            with self.subTest(body=body):
                self.run_away(i, body, session.call)
                self.fine(session.call, "b%d" % i)

    def test_all_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            runs = [pool.submit(self.run_away, i, body, self.server.call)
                    for i, body in enumerate(RUNAWAYS)]
            good = [pool.submit(self.fine, self.server.call, "c%d" % i)
                    for i in range(40)]
            for run in runs + good:
                run.result()
        self.fine(self.server.call, "after all")

    def test_lists_answer_while_all_workers_spin(self):
        server = self.start(APP, options=["--call-timeout", "5",
                                          "--max-workers", "2"])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            spins = [pool.submit(server.call, "r0") for _ in range(4)]
            time.sleep(0.5)
            tools = server.rpc("tools/list").result["tools"]
            self.assertEqual(server.get("/healthz").status, 200)
            self.assertFalse(any(spin.done() for spin in spins))
            self.assertTrue(tools)
            for spin in spins:
                self.assertIs(spin.result().result["isError"], True)


class InFreshStates(Each):
    APP = 'local ffi = require "ffi"\n' + APP
    STEP = 2


class OnOneWorker(Each):
    APP = APP
    OPTIONS = OPTIONS + ["--max-workers", "1"]
    STEP = 3


del Each  # has no app of its own


class OverStdio(wire.TestCase):
    def test_each_ends_and_the_next_call_works(self):
        process = self.start_stdio(APP, options=OPTIONS)
        for i, body in list(enumerate(RUNAWAYS))[1::3]:
            with self.subTest(body=body):
                answer = process.request(wire.modern(
                    "tools/call", {"name": "r%d" % i}, id="r%d" % i))
                if body not in HARMLESS:
                    self.assertIs(answer["result"]["isError"], True)
                answer = process.request(wire.modern(
                    "tools/call", {"name": "ok",
                                   "arguments": {"text": str(i)}}, id=i))
                self.assertEqual(answer["result"]["content"][0]["text"],
                                 "fine %d" % i)


class WorkerStack(wire.TestCase):
    APP = """
local mcp = require "mcp"
mcp.tool("deep", function(n)
  local function f(left)
    if left == 0 then return "x" end
    return (("a"):gsub("a", function() return f(left - 1) end))
  end
  return f(n)
end)
"""

    def test_it_decides_how_deep_c_functions_nest(self):
        for size, right in (("1MiB", False), ("16MiB", True)):
            with self.subTest(size=size):
                server = self.start(self.APP,
                                    options=("--worker-stack", size))
                for _ in range(3):
                    result = server.call("deep", {"n": 1000}).result
                    self.assertEqual("isError" not in result, right, result)


if __name__ == "__main__":
    unittest.main()
