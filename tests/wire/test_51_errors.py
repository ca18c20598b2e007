"""How a tool may fail: raised, returned, asked for as a protocol error."""

import unittest

import wire

# Lua body -> the text that the caller reads.
TEXTS = {
    'error("boom")': "boom",
    'error("boom", 0)': "boom",
    'error("a.lua:12: x", 0)': "x",
    'error("")': "",
    "local x = nil return x.field":
        "attempt to index local 'x' (a nil value)",
    "return nil, 'sold out'": "sold out",
    "return nil, 'app.lua:1: kept'": "app.lua:1: kept",
    "return nil, 42": "42",
    "error(42)": "42",
    "error('bytes \\255', 0)": "bytes \ufffd",
    "error { message = 'm' }": "m",
    "error { message = 'm', structured = print, meta = 5 }": "m",
    "local ok, e = pcall(error, 'inner') error(e)": "inner",
    "coroutine.wrap(function() error('from within', 0) end)()": "from within",
}

# Lua body -> part of the text.
PARTS = {
    "error(nil)": "raised nil",
    "error()": "raised nil",
    "error(false)": "raised a boolean",
    "error(print)": "raised a function",
    "error({})": "raised a table",
    "error(setmetatable({}, { __tostring = function() while true do end end,"
    " __index = function() while true do end end }))": "raised a table",
    "mcp.protocol_error('x')": "a table { code, message, data } is needed",
    "mcp.protocol_error { code = 1.5, message = 'x' }":
        "code must be an integer",
    "mcp.protocol_error { code = 1 }": "message must be a string",
    "mcp.text({})": "mcp.text",
    "mcp.image('x')": "mime_type",
    "mcp.tool('late', function() end)": "mcp.tool",
}

CARRIES = ("error { message = 'sold out', structured = { left = 0 },"
           " meta = { ['x.org/k'] = 'v' } }")

FAULT = ("mcp.protocol_error { code = -32050, message = 'no \"way\"',"
         " data = { why = { 1 } } }")
# The same end of the call, from wherever it is asked for.
PROTOCOL = [
    FAULT,
    "pcall(function() %s end) return 'swallowed'" % FAULT,
    "while true do pcall(function() %s end) end" % FAULT,
    "pcall(pcall, function() %s end) return 'swallowed'" % FAULT,
    "xpcall(function() %s end, function() end) return 'swallowed'" % FAULT,
    "coroutine.wrap(function() %s end)() return 'swallowed'" % FAULT,
    "pcall(coroutine.wrap(function() pcall(function() %s end) end))"
    " return 'swallowed'" % FAULT,
    "table.sort({ 3, 2, 1 }, function() %s end) return 'swallowed'" % FAULT,
    "pcall(string.gsub, 'a', 'a', function() %s end) return 'swallowed'"
    % FAULT,
    "pcall(table.sort, { 3, 2, 1 }, function() pcall(function() %s end) end)"
    " while true do end" % FAULT,
    "local t = setmetatable({}, { __index = function() %s end })"
    " local _ = t.x return 'swallowed'" % FAULT,
    "for _ in (function() %s end) do end return 'swallowed'" % FAULT,
]

BODIES = [*TEXTS, *PARTS, CARRIES, *PROTOCOL]

HIDDEN = {
    "error('password is 1234')": "Internal error in tool %s",
    "local x = nil return x.field": "Internal error in tool %s",
    "error(nil)": "Internal error in tool %s",
    "return { x = 0/0 }": "Internal error in tool %s",
    "return nil, 'told'": "told",
    "error { message = 'told too' }": "told too",
}


def lua_app(bodies, fields=""):
    lines = ['local mcp = require "mcp"',
             'mcp.server { name = "errors", version = "1.0.0"%s }' % fields]
    for i, body in enumerate(bodies):
        lines.append('mcp.tool("e%d", function() %s end)' % (i, body))
    return "\n".join(lines) + "\n"


class Errors(wire.TestCase):
    APP = lua_app(BODIES) + """
mcp.tool("checked", { output_schema = { type = "object",
  properties = { n = { type = "number" } }, required = { "n" } } },
  function(kind)
    if kind == "good" then return { n = 1 } end
    if kind == "bad" then return { n = "one" } end
    if kind == "none" then return {} end
    error { message = "failed", structured = { free = "form" } }
  end)
"""
    OPTIONS = ["--call-timeout", "20"]

    def calls(self):
        yield wire.MODERN, self.server.call
        for version in wire.LEGACY:
            yield version, self.server.session(version).call

    def each(self, bodies, check):
        for version, call in self.calls():
            for body in bodies:
                with self.subTest(version=version, body=body):
                    answer = call("e%d" % BODIES.index(body))
                    self.assertEqual(answer.status, 200, answer)
                    check(version, body, answer)

    def text(self, answer):
        result = answer.result
        self.assertIs(result["isError"], True)
        self.assertEqual(len(result["content"]), 1)
        self.assertEqual(result["content"][0]["type"], "text")
        return result["content"][0]["text"]

    def test_failures_are_results_with_their_text(self):
        def check(_, body, answer):
            self.assertEqual(self.text(answer), TEXTS[body])
            self.assertNotIn("structuredContent", answer.result)
        self.each(TEXTS, check)

    def test_other_values_and_wrong_calls_are_told(self):
        self.each(PARTS, lambda _, body, answer: self.assertIn(
            PARTS[body], self.text(answer)))

    def test_an_error_table_carries_structured_and_meta(self):
        def check(version, _, answer):
            self.assertEqual(self.text(answer), "sold out")
            self.assertEqual(answer.result["_meta"]["x.org/k"], "v")
            if version > "2025-03-26":
                self.assertEqual(answer.result["structuredContent"],
                                 {"left": 0})
        self.each([CARRIES], check)

    def test_a_protocol_error_cannot_be_swallowed(self):
        def check(_, _body, answer):
            self.assertEqual(answer.error, {
                "code": -32050, "message": 'no "way"',
                "data": {"why": [1]}})
        self.each(PROTOCOL, check)

    def test_output_is_checked_unless_it_is_a_failure(self):
        for version, call in self.calls():
            with self.subTest(version=version):
                self.assertNotIn("isError",
                                 call("checked", {"kind": "good"}).result)
                self.assertIn("/n", self.text(call("checked",
                                                   {"kind": "bad"})))
                self.assertIn("n", self.text(call("checked",
                                                  {"kind": "none"})))
                answer = call("checked", {"kind": "raise"})
                self.assertEqual(self.text(answer), "failed")
                if version > "2025-03-26":
                    self.assertEqual(answer.result["structuredContent"],
                                     {"free": "form"})

    def test_the_traceback_is_in_the_log(self):
        with wire.Server("""
            local mcp = require "mcp"
            local function deep() error("found at the bottom") end
            mcp.tool("fail", function() deep() end)
        """, options=["--log-level", "debug"]) as server:
            self.assertEqual(self.text(server.call("fail")),
                             "found at the bottom")
            server.wait_stderr(r"found at the bottom(.|\n)*traceback", 5)
            server.wait_stderr(r"app\.lua:3", 5)

    def test_its_author_is_told_the_traceback(self):
        with wire.Server("""
            local mcp = require "mcp"
            local function deep() error("found at the bottom") end
            mcp.tool("fail", function() deep() end)
            mcp.tool("say", function() return nil, "only this" end)
            mcp.tool("carry", function() error { message = "this too" } end)
        """, options=["--dev"]) as server:
            text = self.text(server.call("fail"))
            self.assertRegex(text, r"\Afound at the bottom\n"
                                   r"stack traceback:\n(.|\n)*app\.lua:3")
            self.assertEqual(self.text(server.call("say")), "only this")
            self.assertEqual(self.text(server.call("carry")), "this too")


class HiddenErrors(wire.TestCase):
    APP = lua_app(HIDDEN, ", expose_errors = false")

    def test_only_what_was_meant_for_the_caller_is_told(self):
        for i, (body, text) in enumerate(HIDDEN.items()):
            with self.subTest(body=body):
                name = "e%d" % i
                result = self.server.call(name).result
                self.assertIs(result["isError"], True)
                self.assertEqual(result["content"][0]["text"],
                                 text % name if "%" in text else text)
        self.server.wait_stderr("password is 1234")
        self.server.wait_stderr("/x is NaN")


if __name__ == "__main__":
    unittest.main()
