"""What a tool may return: every form of the API, on every revision."""

import base64
import json
import unittest

import wire

PNG = b"\x89PNG\r\n\x1a\n\x00\xff"
LONG = "x" * 70000

# Forms that need no output schema: Lua body -> content.
PLAIN = {
    'return "hi"': "hi",
    'return ""': "",
    'return "a/b \\0 \\"q\\" \\n"': 'a/b \0 "q" \n',
    'return "h\u00e9 \U0001f600"': "h\u00e9 \U0001f600",
    "return ('x'):rep(70000)": LONG,
    "return 42": "42",
    "return -0.5": "-0.5",
    "return 2^53 - 1": "9007199254740991",
    "return 9007199254740993LL": "9007199254740993",
    "return 18446744073709551615ULL": "18446744073709551615",
    "return true": "true",
    "return false": "false",
    "return false, 'why'": "false",
    "return mcp.null": "null",
    "return {}": "{}",
    "return mcp.array{}": "[]",
    "return mcp.object{}": "{}",
    "return { 1, 'two', false, mcp.null }": '[1,"two",false,null]',
    "return { a = { b = {} } }": '{"a":{"b":{}}}',
    "return 'first', 'second'": "first",
}

# Lua body -> whole content list as revision 2026-07-28 has it.
BLOCKS = {
    "return": [],
    "return nil": [],
    "return nil, nil": [],
    "return mcp.text('t')": [{"type": "text", "text": "t"}],
    "return { mcp.text('a'), mcp.text('b') }": [
        {"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
    "return { type = 'text', text = 'raw' }": [{"type": "text", "text": "raw"}],
    "return { { type = 'text', text = 'raw' } }": [
        {"type": "text", "text": "raw"}],
    "return { content = { { type = 'text', text = 'raw' } } }": [
        {"type": "text", "text": "raw"}],
    "return { content = {} }": [],
    "return { 'plain', mcp.text('t') }": [
        {"type": "text", "text": "plain"}, {"type": "text", "text": "t"}],
    "return mcp.result { content = 'r' }": [{"type": "text", "text": "r"}],
    "return mcp.result { content = { 'a', mcp.text('b') } }": [
        {"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
    "return mcp.image(PNG, 'image/png')": [
        {"type": "image", "mimeType": "image/png",
         "data": base64.b64encode(PNG).decode()}],
    "return mcp.audio('ab', 'audio/wav')": [
        {"type": "audio", "mimeType": "audio/wav", "data": "YWI="}],
    "return { type = 'image', data = 'YWI=', mimeType = 'image/png' }": [
        {"type": "image", "mimeType": "image/png", "data": "YWI="}],
    "return mcp.embedded { uri = 'app://x', text = 't',"
    " mime_type = 'text/plain' }": [
        {"type": "resource", "resource": {
            "uri": "app://x", "text": "t", "mimeType": "text/plain"}}],
    "return mcp.embedded { uri = 'app://x', blob = '\\255' }": [
        {"type": "resource", "resource": {"uri": "app://x", "blob": "/w=="}}],
    "return mcp.embedded { uri = 'app://x', text = 't',"
    " annotations = { audience = { 'user' } } }": [
        {"type": "resource", "annotations": {"audience": ["user"]},
         "resource": {"uri": "app://x", "text": "t"}}],
}

LINK = ("return mcp.resource_link { uri = 'app://x', name = 'n', title = 'T',"
        " description = 'D', mime_type = 'a/b', size = 5,"
        " meta = { k = 'v' }, icons = { { src = 'https://h/i.png' } } }")
LINK_BLOCK = {
    "type": "resource_link", "uri": "app://x", "name": "n", "title": "T",
    "description": "D", "mimeType": "a/b", "size": 5, "_meta": {"k": "v"},
    "icons": [{"src": "https://h/i.png"}]}

# (output schema, Lua body, structured content)
STRUCTURED = [
    ("{ type = 'object' }", "return { a = 1 }", {"a": 1}),
    ("{ type = 'object' }", "return {}", {}),
    ("{ type = 'object', properties = { l = { type = 'array' } } }",
     "return { l = {} }", {"l": []}),
    ("{ type = 'object' }", "return { type = 'text', text = 'data' }",
     {"type": "text", "text": "data"}),
    ("{ type = 'object' }",
     "return mcp.result { content = 'c', structured = { a = 2 } }", {"a": 2}),
    ("{ type = 'object' }",
     "return { content = {}, structuredContent = { a = 3 } }", {"a": 3}),
    ("{ type = 'array' }", "return {}", []),
    ("{ type = 'array' }", "return { 1, 2 }", [1, 2]),
    ("{ type = 'string' }", "return 's'", "s"),
    ("{ type = 'number' }", "return 1.5", 1.5),
    ("{ type = 'boolean' }", "return false", False),
    ("{ type = 'null' }", "return mcp.null", None),
]

# Lua body -> text of the failure, without an output schema.
CANNOT = {
    "return { x = 0/0 }": "/x is NaN, which JSON cannot carry",
    "return { a = { math.huge } }":
        "/a/0 is infinite, which JSON cannot carry",
    "return { f = print }": "/f is a function, which JSON cannot carry",
    "return { u = io.stdout }": "/u is a userdata, which JSON cannot carry",
    "return { c = coroutine.create(print) }":
        "/c is a thread, which JSON cannot carry",
    "return print": "it is a function, which JSON cannot carry",
    "return { [1] = 'a', [4000] = 'b' }":
        "it is a list with holes: item 2 is missing",
    "return { t = { 1, k = 2 } }": "/t mixes list items and named fields",
    "return '\\255\\254'": "it is not valid UTF-8 (byte 1)",
    "return { s = 'ok\\255' }": "/s is not valid UTF-8 (byte 3)",
    "return mcp.text('\\255')": "/text is not valid UTF-8 (byte 1)",
    "return { type = 'image', data = '!', mimeType = 'i/p' }":
        "/data is not base64; mcp.image, mcp.audio and mcp.embedded take the"
        " bytes themselves",
    "return mcp.image(('x'):rep(1001), 'i/p')":
        "/data has 1001 bytes, more than max_blob_bytes (1000)",
    "return mcp.result { content = { mcp.embedded { uri = 'u:x',"
    " blob = ('x'):rep(1001) } } }":
        "/content/0/resource/blob has 1001 bytes, more than max_blob_bytes"
        " (1000)",
}

AT_LIMIT = "return mcp.image(('x'):rep(1000), 'i/p')"
CIRCLE = "local t = {} t.t = t return t"
EXACT = [
    "return mcp.result { content = 'no', is_error = true,"
    " structured = { why = 1 }, meta = { ['x.org/k'] = 'v' } }",
    "return { content = { { type = 'text', text = 'no' } },"
    " isError = true, _meta = { ['x.org/k'] = 'v' } }",
]
BODIES = [*PLAIN, *BLOCKS, LINK, *CANNOT, AT_LIMIT, CIRCLE, *EXACT]

# Under an output schema: Lua body, part of the failure.
FAULTS = [
    ("return", "returned nothing"),
    ("return mcp.text('t')", "returned content blocks"),
    ("return mcp.result { content = 'c' }",
     "returned a result without `structured`"),
    ("return 's'", "returned a string"),
]


def lua_app():
    lines = ['local mcp = require "mcp"',
             'mcp.server { name = "results", version = "1.0.0" }',
             'local PNG = "%s"' % "".join("\\%03d" % b for b in PNG)]
    for i, body in enumerate(BODIES):
        lines.append('mcp.tool("p%d", function() %s end)' % (i, body))
    for i, (schema, body, _) in enumerate(STRUCTURED):
        lines.append('mcp.tool("s%d", { output_schema = %s }, function() %s end)'
                     % (i, schema, body))
    for i, (body, _) in enumerate(FAULTS):
        lines.append('mcp.tool("f%d", { output_schema = { type = "object" } },'
                     ' function() %s end)' % (i, body))
    lines.append('mcp.tool("back", { input_schema = { type = "object" } },'
                 ' function(args) return args end)')
    return "\n".join(lines) + "\n"


class Results(wire.TestCase):
    APP = lua_app()
    OPTIONS = ["--max-blob-bytes", "1000"]

    def everywhere(self):
        """(revision, function that calls a tool) of each era."""
        yield wire.MODERN, self.server.call
        for version in wire.LEGACY:
            yield version, self.server.session(version).call

    def each(self, bodies, check):
        """check(revision, body, result) for each body, on each revision."""
        for version, call in self.everywhere():
            for body in bodies:
                with self.subTest(version=version, body=body):
                    answer = call("p%d" % BODIES.index(body))
                    self.assertEqual(answer.status, 200, answer)
                    check(version, body, answer.result)

    def fails_with(self, result, text):
        self.assertIs(result["isError"], True)
        self.assertEqual(len(result["content"]), 1)
        self.assertIn(text, result["content"][0]["text"])
        self.assertNotIn("structuredContent", result)

    def test_plain_values_are_one_text_block(self):
        def check(_, body, result):
            self.assertEqual(result["content"],
                             [{"type": "text", "text": PLAIN[body]}])
            self.assertNotIn("structuredContent", result)
            self.assertNotIn("isError", result)
        self.each(PLAIN, check)

    def test_blocks_are_sent_as_they_are(self):
        def check(_, body, result):
            self.assertEqual(result["content"], BLOCKS[body])
            self.assertNotIn("isError", result)
        self.each(BLOCKS, check)

    def test_a_link_fits_the_revision(self):
        def check(version, _, result):
            expected = dict(LINK_BLOCK)
            if version < "2025-11-25":
                del expected["icons"]
            if version < "2025-06-18":
                expected = {"type": "text", "text": "app://x"}
            self.assertEqual(result["content"], [expected])
        self.each([LINK], check)

    def test_an_output_schema_adds_structured_content(self):
        for version, call in self.everywhere():
            for i, (schema, body, value) in enumerate(STRUCTURED):
                with self.subTest(version=version, schema=schema, body=body):
                    result = call("s%d" % i).result
                    self.assertNotIn("isError", result)
                    expected = value
                    if version != wire.MODERN and "object" not in schema:
                        expected = {"result": value}
                    if version == "2025-03-26":
                        self.assertNotIn("structuredContent", result)
                    else:
                        self.assertEqual(result["structuredContent"], expected)
                    self.assertIs(type(result["content"]), list)

    def test_success_without_structured_content_is_a_failure(self):
        for version, call in self.everywhere():
            for i, (body, text) in enumerate(FAULTS):
                with self.subTest(version=version, body=body):
                    self.fails_with(call("f%d" % i).result, text)

    def test_what_json_cannot_carry_names_its_path(self):
        def check(_, body, result):
            self.fails_with(result, "cannot be sent: " + CANNOT[body])
        self.each(CANNOT, check)

    def test_a_circle_is_refused(self):
        self.each([CIRCLE], lambda _version, _body, result:
                  self.fails_with(result, "contain itself"))

    def test_a_blob_of_the_limit_is_sent(self):
        def check(_version, _body, result):
            data = result["content"][0]["data"]
            self.assertEqual(base64.b64decode(data), b"x" * 1000)
        self.each([AT_LIMIT], check)

    def test_a_result_is_sent_exactly(self):
        def check(version, body, result):
            self.assertIs(result["isError"], True)
            self.assertEqual(result["content"], [{"type": "text", "text": "no"}])
            self.assertEqual(result["_meta"]["x.org/k"], "v")
            if "structured" in body and version > "2025-03-26":
                self.assertEqual(result["structuredContent"], {"why": 1})
            else:
                self.assertNotIn("structuredContent", result)
        self.each(EXACT, check)

    def test_what_came_as_json_goes_back_as_the_same_json(self):
        given = {"e": [], "o": {}, "n": None, "l": [[], [{}], [None, 1]],
                 "s": "\0\u00e9\U0001f600\"\\/", "f": 0.1, "i": 9007199254740991,
                 "neg": -3, "t": True, "deep": {"a": {"b": {"c": []}}}}
        for version, call in self.everywhere():
            with self.subTest(version=version):
                result = call("back", given).result
                self.assertEqual(
                    json.loads(result["content"][0]["text"]),
                    given)
                self.assertNotIn("structuredContent", result)

    def test_results_are_complete_only_in_the_modern_era(self):
        self.each(["return 42"], lambda version, _, result: self.assertEqual(
            "resultType" in result, version == wire.MODERN))


class TooLarge(wire.TestCase):
    """A result beyond 16 MiB and three times max_blob_bytes."""

    APP = """
local mcp = require "mcp"
mcp.tool("large", function(mib) return ("x"):rep(mib * 1024 * 1024) end)
"""
    OPTIONS = ["--max-blob-bytes", "4096", "--memory-limit", "256 MiB"]
    ERROR = {"code": -32603, "message": "The result is too large"}

    def test_over_http(self):
        self.assertEqual(self.server.call("large", {"mib": 15}).status, 200)
        answer = self.server.call("large", {"mib": 17})
        self.assertEqual((answer.status, answer.json["error"]),
                         (200, self.ERROR))
        self.assertEqual(self.server.call("large", {"mib": 15}).status, 200)

    def test_over_stdio(self):
        process = self.start_stdio(self.APP, options=self.OPTIONS)
        answer = process.request(wire.modern("tools/call", {
            "name": "large", "arguments": {"mib": 17}}))
        self.assertEqual(answer["error"], self.ERROR)


if __name__ == "__main__":
    unittest.main()
