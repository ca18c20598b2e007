"""Numbers on their way to Lua and back: exact, or refused with their path."""

import unittest

import wire

APP = """
local mcp = require "mcp"
local t = mcp.types
mcp.server { name = "numbers", version = "1.0.0" }
mcp.tool("any", { input_schema = { type = "object", properties = { x = {} } } },
  function(args) return { x = args.x } end)
mcp.tool("whole", { input = { { "x", t.integer() } } },
  function(x) return { x = x } end)
mcp.tool("boxed", { input = { { "x", t.int64() } } },
  function(x) return { x = x, kind = tostring(x) } end)
mcp.tool("text", { input = { { "x", t.string() } } },
  function(x) return { x = x } end)
mcp.tool("raw", { input_schema = { type = "object" } },
  function(args) return args end)
"""

# What comes back for what was sent, digit for digit.
KEPT = {
    "0": "0", "-0": "0", "1": "1", "-1": "-1", "1.0": "1", "1e2": "100",
    "1E+2": "100", "12.50": "12.5", "0.1": "0.1", "-0.001": "-0.001",
    "1e-7": "1e-07", "5e-324": "5e-324", "1e22": "1e+22", "123456789012345": "123456789012345",
    "9007199254740991": "9007199254740991",
    "-9007199254740991": "-9007199254740991",
    "9007199254740992": "9007199254740992",
    "9007199254740994": "9007199254740994",
    "100000000000000000000": "100000000000000000000",
    "0.30000000000000004": "0.30000000000000004",
}
LOST = ["9007199254740993", "-9007199254740993", "1917043659912705297",
        "9007199254740993.0", "9007199254740993e0", "1e400", "-1e400",
        "1e23", "1.7976931348623157e308", "100000000000000000001"]
NO_JSON = ["NaN", "Infinity", "-Infinity", "0x10", "01", "-01", "+1", ".5",
           "1.", "1e", "1e+", "--1", "1_000", "1L"]


class Numbers(wire.TestCase):
    APP = APP

    def post(self, name, arguments):
        """A call whose arguments are this very JSON text."""
        body, headers = wire.modern("tools/call", {
            "name": name, "arguments": "@"})
        text = wire.encode(body).decode().replace('"@"', arguments)
        return self.server.post(text, headers)

    def text_of(self, answer):
        return answer.result["content"][0]["text"]

    def test_what_a_double_holds_comes_back(self):
        for sent, back in KEPT.items():
            with self.subTest(sent=sent):
                answer = self.post("any", '{"x":%s}' % sent)
                self.assertNotIn("isError", answer.result)
                got = self.text_of(answer)
                if "e" in back or len(back) > 16:
                    self.assertEqual(float(got[5:-1]), float(back))
                else:
                    self.assertEqual(got, '{"x":%s}' % back)

    def test_what_it_does_not_hold_is_refused_with_its_path(self):
        for sent in LOST:
            for name, arguments, path in [
                    ("any", '{"x":%s}', "/x"), ("whole", '{"x":%s}', "/x"),
                    ("raw", '{"deep":[{"y":%s}]}', "/deep/0/y")]:
                with self.subTest(sent=sent, tool=name):
                    answer = self.post(name, arguments % sent)
                    self.assertEqual(answer.status, 200)
                    self.assertIs(answer.result["isError"], True)
                    self.assertIn(path, self.text_of(answer))
                    self.assertIn("string", self.text_of(answer))

    def test_no_json_number_is_a_parse_error(self):
        for sent in NO_JSON:
            with self.subTest(sent=sent):
                self.assertRejected(self.post("any", '{"x":%s}' % sent),
                                    400, -32700)

    def test_a_number_is_no_string(self):
        answer = self.post("text", '{"x":1917043659912705296}')
        self.assertIs(answer.result["isError"], True)
        self.assertIn("/x", self.text_of(answer))
        self.assertEqual(
            self.text_of(self.post("text", '{"x":"1917043659912705297"}')),
            '{"x":"1917043659912705297"}')

    def test_int64_arrives_boxed(self):
        for sent in ["0", "-1", "9007199254740993", "9223372036854775807",
                     "-9223372036854775808"]:
            with self.subTest(sent=sent):
                text = self.text_of(self.post("boxed", '{"x":%s}' % sent))
                self.assertIn('"x":%s' % sent, text)
                self.assertIn('"kind":"%sLL"' % sent, text)
        for sent in ["9223372036854775808", "-9223372036854775809", "1.5"]:
            with self.subTest(sent=sent):
                self.assertIs(
                    self.post("boxed", '{"x":%s}' % sent).result["isError"],
                    True)


if __name__ == "__main__":
    unittest.main()
