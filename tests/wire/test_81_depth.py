"""Recursion through C, in every way that Lua has: each ends its own call
within its deadline, and nothing else."""

import time
import unittest

import wire

GSUB = "local function f(s) return (s:gsub('.', f)) end "
DEEP = {
    "gsub": GSUB + "return f('a')",
    "gsub_pcall": GSUB + "return tostring(pcall(f, 'a'))",
    "gsub_in_coroutine": GSUB + "return coroutine.wrap(f)('a')",
    "gsub_in_many_coroutines":
        "local function f(s) return (s:gsub('.', coroutine.wrap(f))) end"
        " local function g(s) return (s:gsub('.', function(c)"
        " return coroutine.wrap(g or f)(c) end)) end return g('a')",
    "wrap": "local function f() return coroutine.wrap(f)() end return f()",
    "wrap_pcall": "local function f() return coroutine.wrap(function()"
                  " return pcall(f) end)() end return tostring(f())",
    "resume": "local function f() return coroutine.resume("
              "coroutine.create(f)) end return tostring(f())",
    "sort": "local function f() table.sort({ 1, 2, 3 }, f) end f()",
    "sort_pcall": "local function f() pcall(table.sort, { 1, 2, 3 }, f) end"
                  " f()",
    "load": "local function f() return load(function() f() end) end f()",
    "load_text": "local s = ('return {'):rep(5000) return tostring(load(s))",
    "loadstring": "f = function() return loadstring('return f()')() + 1 end"
                  " return f()",
    "tostring": "local t = setmetatable({}, {}) getmetatable(t).__tostring ="
                " function(x) return tostring(x) .. 'a' end"
                " return tostring(t)",
    "tostring_print": "local t = setmetatable({}, {})"
                      " getmetatable(t).__tostring = function(x)"
                      " return ('%s'):format(tostring(x)) end"
                      " return tostring(t)",
    "tostring_grow": "local m = {} m.__tostring = function()"
                     " return tostring(setmetatable({}, m)) end"
                     " return tostring(setmetatable({}, m))",
    "foreach": "local function f() table.foreach({ 1 }, f) end f()",
    "xpcall": "local function f() xpcall(error, f) end f()",
    "require": "package.preload.x = function() package.loaded.x = nil"
               " return require 'x' end require 'x'",
    "concat": "local m = {} m.__concat = function(a, b) return a .. b end"
              " return setmetatable({}, m) .. 'x'",
    "gc": "local function f() newproxy = nil local p = io.tmpfile()"
          " return f() end return f()",
    "pattern": "return tostring(('a'):rep(40):find(('a*'):rep(40) .. 'b'))",
    "lines": "local function f() for l in io.lines('/proc/self/stat') do f()"
             " end end f()",
}
# They may also end by themselves, by an error that the script has caught.
MAY_SUCCEED = {"gsub_pcall", "wrap_pcall", "resume", "sort_pcall", "xpcall",
               "load_text", "load"}

APP = """
local mcp = require "mcp"
mcp.server { name = "depth", version = "1.0.0" }
mcp.tool("ok", function() return "fine" end)
""" + "".join('mcp.tool("%s", function() %s end)\n' % item
              for item in DEEP.items())


class Depth(wire.TestCase):
    OPTIONS = ("--call-timeout", "1", "--memory-limit", "16MiB",
               "--max-workers", "2")

    def test_each_ends_its_own_call(self):
        for name in DEEP:
            with self.subTest(tool=name):
                begun = time.monotonic()
                result = self.server.call(name).result
                self.assertLess(time.monotonic() - begun, 10)
                if name not in MAY_SUCCEED:
                    self.assertIs(result.get("isError"), True, result)
                self.assertEqual(
                    self.server.call("ok").result["content"][0]["text"],
                    "fine")


class InImages(Depth):
    APP = APP


class InFreshStates(Depth):
    APP = 'local ffi = require "ffi"\n' + APP


class InKeptStates(Depth):
    APP = APP
    OPTIONS = (*Depth.OPTIONS, "--isolation", "worker")


del Depth  # has no app of its own

if __name__ == "__main__":
    unittest.main()
