"""Calls see nothing of one another, whatever they leave behind."""

import concurrent.futures
import json
import os
import unittest

import wire

CALLS = int(os.environ.get("MCPLUAD_TEST_CALLS", "2400"))

COUNTER = """
local hidden = 0
local M = { public = 0, list = {} }
function M.up()
  hidden = hidden + 1
  M.public = M.public + 1
  M.list[#M.list + 1] = hidden
  return hidden, M.public, #M.list
end
return M
"""

# `traces` is what an earlier call left: each entry tells where.
APP = """
local mcp = require "mcp"
local counter = require "counter"
%s
mcp.server { name = "isolation", version = "1.0.0" }

local up = 0
local cache = setmetatable({}, { __mode = "k" })
local parked = coroutine.create(function()
  local turn = 0
  while true do coroutine.yield(turn) turn = turn + 1 end
end)
coroutine.resume(parked)
local raw_format, raw_type, raw_next = string.format, type, next

local function traces(args)
  local found = {}
  local function expect(name, value, clean)
    if value ~= clean then found[#found + 1] = name .. "=" .. tostring(value) end
  end
  expect("global", rawget(_G, "leaked"), nil)
  expect("_G metatable", rawget(_G, "__mark"), nil)
  expect("_G's metatable's mark",
    (debug.getmetatable(_G) or {}).leaked, nil)
  expect("upvalue", up, 0)
  expect("weak table", raw_next(cache), nil)
  expect("string method", rawget(string, "leaked"), nil)
  expect("string metatable", getmetatable("").leaked, nil)
  expect("string.format", string.format, raw_format)
  expect("type", type, raw_type)
  expect("package.loaded", package.loaded.leaked, nil)
  expect("package.preload", package.preload.leaked, nil)
  expect("package.path", package.path:find("leaked", 1, true), nil)
  expect("module", counter.public, 0)
  expect("number metatable", debug.getmetatable(0), nil)
  expect("nil metatable", debug.getmetatable(nil), nil)
  expect("function metatable", debug.getmetatable(print), nil)
  expect("registry", debug.getregistry().leaked, nil)
  expect("coroutine", coroutine.status(parked), "suspended")
  expect("coroutine's turn", select(2, coroutine.resume(parked)), 1)
  expect("array mark", (getmetatable(args.list) or {}).leaked, nil)
  expect("block mark", (getmetatable(mcp.text("")) or {}).leaked, nil)
  expect("ctx", rawget(debug.getregistry(), "ctx_leaked"), nil)
  expect("environment", getfenv(0).leaked_fenv, nil)
  local a, b, c = counter.up()
  expect("module's upvalue", a + b + c, 3)
  return found
end

local function soil(args, ctx)
  up = up + 1
  leaked = "global"
  leaked_fenv = true
  _G.__mark = true
  debug.setmetatable(_G, { leaked = true })
  cache[args] = true
  string.leaked = true
  getmetatable("").leaked = true
  string.format = function() return "hijacked" end
  type = function() return "hijacked" end
  package.loaded.leaked = true
  package.loaded.counter = { up = function() return 9, 9, 9 end }
  package.preload.leaked = function() end
  package.path = package.path .. ";leaked/?.lua"
  debug.setmetatable(0, { leaked = true })
  debug.setmetatable(nil, { __index = function() return "soiled" end })
  debug.setmetatable(print, { leaked = true })
  debug.getregistry().leaked = true
  debug.getregistry().ctx_leaked = true
  coroutine.resume(parked, "x")
  pcall(function() getmetatable(args.list).leaked = true end)
  pcall(function() getmetatable(mcp.text("")).leaked = true end)
  pcall(rawset, ctx, "leaked", true)
  local junk = {}
  for i = 1, args.junk do junk[i] = { tostring(i) } end
  leaked_junk = junk
  collectgarbage("setpause", 1000)
  math.randomseed(1)
  pcall(io.output, io.stderr)
end

mcp.tool("soil", { input_schema = { type = "object", properties = {
    junk = { type = "integer" }, how = { type = "string" },
    list = { type = "array" }, id = {} } } },
  function(args, ctx)
    local found = traces(args)
    soil(args, ctx)
    debug.setmetatable(nil, nil)
    debug.setmetatable(0, nil)
    if #found > 0 then return "soiled: " .. table.concat(found, ", ") end
    if args.how == "raise" then error("clean", 0) end
    if args.how == "sleep" then ctx.sleep(0.002) end
    if args.how == "yield" then coroutine.yield() end
    if args.how == "end" then
      type, string.format = raw_type, raw_format -- mcp's own modules use them
      mcp.protocol_error { code = -32099, message = "clean" }
    end
    if args.how == "recurse" then
      local function f() return 1 + f() end
      return f()
    end
    if args.how == "hoard" then
      local t = {}
      while true do t[#t + 1] = ("x"):rep(1e5) .. #t end
    end
    return "clean " .. tostring(args.id)
  end)

-- What traces() finds when the same call looks twice.
mcp.tool("twice", function()
  local args = { list = mcp.array {}, junk = 1 }
  soil(args, {})
  debug.setmetatable(nil, nil)
  debug.setmetatable(0, nil)
  type, string.format = raw_type, raw_format
  return traces(args)
end)

mcp.tool("random", function()
  return { math.random(1e9), math.random(1e9) }
end)

mcp.tool("isolated", function(args, ctx) ctx.sleep(0.05)
  leaked = (leaked or 0) + 1
  return leaked
end)
"""

HOWS = ["return", "raise", "sleep", "yield", "end", "recurse", "hoard"]
WEIGHTS = [8, 4, 2, 2, 2, 1, 1]     # of 20 calls
PLAN = [how for how, n in zip(HOWS, WEIGHTS) for _ in range(n)]


class Isolation(wire.TestCase):
    APP = APP % ""
    FILES = {"counter.lua": COUNTER}
    OPTIONS = ["--memory-limit", "8MiB", "--max-workers", "4"]
    # freed memory that ASan keeps would look like a leak
    ENV = {"ASAN_OPTIONS":
           "quarantine_size_mb=1:detect_stack_use_after_return=0"}

    def soil(self, connection, i):
        """One call; raises unless it found everything clean."""
        how = PLAN[i * 7 % len(PLAN)]
        request = wire.modern("tools/call", {
            "name": "soil", "arguments": {
                "id": i, "how": how, "list": [1],
                "junk": i * 37 % 5000}}, id=i)
        answer = self.server.post(*request, connection=connection)
        message = answer.json
        self.assertEqual(message["id"], i)
        if how == "end":
            self.assertEqual(message["error"]["message"], "clean")
            return
        text = message["result"]["content"][0]["text"]
        if how in ("return", "sleep"):
            self.assertEqual(text, "clean %d" % i)
            return
        self.assertIs(message["result"]["isError"], True)
        self.assertIn({"raise": "clean", "yield": "yielded",
                       "recurse": "stack overflow",
                       "hoard": "out of memory"}[how], text)

    def soil_range(self, numbers):
        connection = self.server.connection()
        try:
            for i in numbers:
                self.soil(connection, i)
        finally:
            connection.close()

    def test_what_is_left_behind_would_be_seen(self):
        found = json.loads(
            self.server.call("twice").result["content"][0]["text"])
        self.assertEqual({f.split("=")[0] for f in found}, {
            "global", "_G metatable", "_G's metatable's mark", "upvalue",
            "weak table", "string method", "string metatable",
            "package.loaded", "package.preload", "package.path",
            "function metatable", "array mark", "block mark",
            "environment", "coroutine's turn"})  # the registry is a copy

    def test_many_calls_at_once_are_all_clean(self):
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for done in [pool.submit(self.soil_range, range(k, CALLS, 6))
                         for k in range(6)]:
                done.result()

    def test_memory_does_not_grow(self):
        kib = []
        for quarter in range(4):
            self.soil_range(range(quarter * 250, quarter * 250 + 250))
            kib.append(self.server.rss_kib())
        self.assertLess(kib[3], kib[1] * 1.1 + 2048, kib)

    def test_sleeping_calls_share_nothing(self):
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            answers = pool.map(lambda _: self.server.call("isolated"),
                               range(48))
            self.assertEqual({a.result["content"][0]["text"] for a in answers},
                             {"1"})

    def test_random_numbers_differ_from_call_to_call(self):
        seen = {self.server.call("random").result["content"][0]["text"]
                for _ in range(20)}
        self.assertEqual(len(seen), 20)


class FreshStates(Isolation):
    """The same when no image can be taken."""
    APP = APP % 'local ffi = require "ffi"'

    def test_the_banner_says_why(self):
        self.server.wait_stderr("fresh states.*ffi")


class OneWorker(Isolation):
    """The same when every call uses the same state."""
    OPTIONS = ["--memory-limit", "8MiB", "--max-workers", "1"]


if __name__ == "__main__":
    unittest.main()
