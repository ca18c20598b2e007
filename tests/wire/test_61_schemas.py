"""Known bugs of other servers about names, schemas and arguments: bugs.md B.8,
each by its number. What the load refuses, what is listed, what calls answer."""

import json
import unittest

import wire
from test_40_command import Folder

HEAD = """
local mcp = require "mcp"
local t = mcp.types
mcp.server { name = "schemas", version = "1.0.0" }
"""

APP = HEAD + """
mcp.tool("now", function(args) return args end)
mcp.tool("nothing", function() return "nothing" end)
mcp.tool("any", { extra_arguments = "allow" }, function(args) return args end)
mcp.tool("empty_object", { input = { { "a", t.object {} } } },
  function(args) return args end)
mcp.tool("raw", { input_schema = {
  type = "object", required = mcp.array {},
  properties = {
    { "list", { type = "array", default = mcp.array {},
                items = { type = "string", enum = { "a" } } } },
    { "object", { type = "object", default = mcp.object {} } },
    { "map", { type = "object", properties = mcp.object {} } },
  } } }, function(args) return args end)
mcp.tool("built", { input = {
  { "list", t.array { t.string(), default = mcp.array {} } },
  { "object", t.map { t.number(), default = mcp.object {} } },
  { "plain", t.map { t.number(), default = {} } },
} }, function(args) return args end)
mcp.tool("optional", { input = {
  { "rows", t.optional(t.array { t.object { a = t.optional(t.string()) } }) },
  { "any", t.optional(t.any()) },
} }, function(args) return args end)

---@class Row
---@field a? string
---@field b boolean|nil

---@param rows? Row[]
---@param m? table<string, any>
---@param x any
---@param flag? true|false
mcp.tool("comments", function(rows, m, x, flag) return tostring(flag) end)

mcp.tool("flag", { input = { { "on", t.enum { true, false } } } },
  function(on) return tostring(on) end)
mcp.tool("defs", { input_schema = {
  type = "object", ["$defs"] = { n = { type = "integer" } },
  properties = { a = { ["$ref"] = "#/$defs/n" } } } },
  function(args) return args end)
mcp.tool("add", { input = { { "a", t.number() }, { "b", t.number() } } },
  function(a, b) return a + b end)
mcp.tool("echo", { input = { { "id", t.integer() } } },
  function(id) return { id = id } end)
mcp.tool("text_id", { input = { { "id", t.string() } } },
  function(id) return id end)
mcp.tool("exact", { input = { { "id", t.int64() } } },
  function(id) return { id = id } end)
mcp.tool("defaults", { input = {
  { "style", t.string { default = "summary" } },
  { "how", t.object { { "deep", t.integer { default = 7 } } } },
} }, function(style, how) return style .. how.deep end)
"""


class Load(Folder):
    def refused(self, app, pattern):
        self.write("app.lua", app)
        self.assertRefused(self.run_it("--stdio", "app.lua"), 2, pattern)

    def test_b111_names(self):
        for name in ("New Tool", "a,b", "a/b", "", "n" * 129, "\\u00e9", "a\\n"):
            with self.subTest(name=name):
                self.refused(HEAD + 'mcp.tool("%s", function() end)' % name,
                             r"app\.lua:5: .*")
        self.write("app.lua", HEAD +
                   'mcp.tool(("n"):rep(128), function() end)'
                   'mcp.tool("A-z_0.9", function() end)')
        self.assertEqual(self.run_it("--stdio", "app.lua").returncode, 0)

    def test_b112_a_name_twice(self):
        self.refused(HEAD + 'mcp.tool("a", function() end)\n\n'
                     'mcp.tool("a", function() end)',
                     r"app\.lua:7: .*app\.lua:5.*")

    def test_a_reload_is_no_second_declaration(self):
        with wire.Server(HEAD + 'mcp.tool("a", function() return 1 end)',
                         options=["--dev"]) as server:
            server.write("app.lua",
                         HEAD + 'mcp.tool("a", function() return 2 end)')
            server.wait_stderr("reloaded as generation 2")
            for _ in range(50):
                text = server.call("a").result["content"][0]["text"]
                if text == "2":
                    break
            self.assertEqual(text, "2")


class Schemas(wire.TestCase):
    APP = APP

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        body = cls.server.rpc("tools/list").body.decode()
        cls.tools = {tool["name"]: tool
                     for tool in json.loads(body)["result"]["tools"]}
        cls.body = body

    def walk(self, schema, path=""):
        """Every subschema with its path."""
        yield path, schema
        if not isinstance(schema, dict):
            return
        for key in ("properties", "$defs"):
            for name, inner in schema.get(key, {}).items():
                yield from self.walk(inner, "%s/%s/%s" % (path, key, name))
        for key in ("items", "additionalProperties"):
            if key in schema and not (key == "additionalProperties" and
                                      isinstance(schema[key], bool)):
                yield from self.walk(schema[key], path + "/" + key)

    def schema(self, name):
        return self.tools[name]["inputSchema"]

    def test_b114_properties_are_always_there(self):
        """What we build; a schema that its author wrote out is the lint's."""
        for name in ("now", "nothing", "any", "empty_object"):
            with self.subTest(name=name):
                self.assertEqual(self.schema(name)["type"], "object")
                self.assertIsInstance(self.schema(name)["properties"], dict)
        self.assertEqual(
            self.schema("empty_object")["properties"]["a"]["properties"], {})

    def test_b115_empty_arrays_stay_arrays(self):
        raw = self.schema("raw")
        self.assertEqual(raw["required"], [])
        self.assertEqual(raw["properties"]["list"]["default"], [])
        self.assertEqual(
            self.schema("built")["properties"]["list"]["default"], [])
        self.assertNotIn("required", self.schema("built"))

    def test_b116_empty_objects_stay_objects(self):
        raw, built = self.schema("raw"), self.schema("built")
        self.assertEqual(raw["properties"]["object"]["default"], {})
        self.assertEqual(raw["properties"]["map"]["properties"], {})
        self.assertEqual(built["properties"]["object"]["default"], {})
        self.assertEqual(built["properties"]["plain"]["default"], {})
        for name in ("raw", "built"):
            sent = json.loads(self.text(name, {}))
            self.assertEqual((sent["list"], sent["object"]), ([], {}))

    def test_b118_no_unions_and_no_boolean_schemas(self):
        for name in ("optional", "comments", "built", "any", "now"):
            for path, schema in self.walk(self.schema(name)):
                with self.subTest(name=name, path=path):
                    self.assertIsInstance(schema, dict)
                    self.assertNotIsInstance(schema.get("type"), list)
                    for key in ("anyOf", "oneOf", "allOf"):
                        self.assertNotIn(key, schema)

    def test_b119_an_enum_of_booleans_is_a_boolean(self):
        self.assertEqual(self.schema("flag")["properties"]["on"],
                         {"type": "boolean"})
        self.assertEqual(self.schema("comments")["properties"]["flag"],
                         {"type": "boolean"})

    def test_b121_definitions_pass_through(self):
        self.assertEqual(self.schema("defs")["$defs"],
                         {"n": {"type": "integer"}})
        self.assertEqual(self.schema("defs")["properties"]["a"],
                         {"$ref": "#/$defs/n"})
        self.assertIs(self.call("defs", {"a": "x"})["isError"], True)

    def test_b122_no_dialect_and_closed(self):
        self.assertNotIn("$schema", self.body)
        for name in ("nothing", "built", "optional", "comments", "add"):
            self.assertIs(self.schema(name)["additionalProperties"], False)
        self.assertNotIn("additionalProperties", self.schema("any"))
        self.assertNotIn("additionalProperties", self.schema("raw"))

    # ---- arguments ----

    def call(self, name, arguments=None):
        return self.server.call(name, arguments).result

    def text(self, name, arguments=None):
        result = self.call(name, arguments)
        self.assertNotIn("isError", result, result)
        return result["content"][0]["text"]

    def post(self, name, arguments):
        """A call whose arguments are this very JSON text."""
        body, headers = wire.modern("tools/call", {
            "name": name, "arguments": "@"})
        text = wire.encode(body).decode().replace('"@"', arguments)
        return self.server.post(text, headers)

    def test_b124_no_arguments(self):
        self.assertEqual(self.text("now"), "{}")
        session = self.server.session()
        answer = session.request("tools/call", {"name": "now"})
        self.assertEqual(answer.result["content"][0]["text"], "{}")

    def test_b125_arguments_that_are_no_object(self):
        self.assertEqual(
            self.post("now", "null").result["content"][0]["text"], "{}")
        for arguments in ("5", "[]", "[1]", '"x"', "true"):
            with self.subTest(arguments=arguments):
                self.assertRejected(self.post("now", arguments), 200, -32602)
        session = self.server.session()
        for arguments in (5, [], [1], "x", True):
            error = session.request("tools/call", {
                "name": "now", "arguments": arguments}).error
            self.assertEqual(error["code"], -32602)

    def test_b128_defaults_are_applied(self):
        self.assertEqual(self.text("defaults", {"how": {}}), "summary7")
        self.assertEqual(
            self.text("defaults", {"how": {"deep": 1}, "style": "s"}), "s1")

    def test_b129_wrong_arguments_are_a_result_in_every_revision(self):
        for send in (self.server.call,
                     *(self.server.session(v).call for v in wire.LEGACY)):
            result = send("add", {"a": "x"}).result
            self.assertIs(result["isError"], True)
            text = result["content"][0]["text"]
            self.assertRegex(text, r"/a\b")
            self.assertRegex(text, r"\bb\b")

    def test_b131_integers_are_exact_or_refused(self):
        for digits in ("9007199254740993", "-9007199254740993",
                       "1917043659912705296"):
            answer = self.post("echo", '{"id":%s}' % digits)
            text = answer.result["content"][0]["text"]
            if answer.result.get("isError"):
                self.assertIn("/id", text)
                self.assertIn("string", text)
            else:
                self.assertEqual(text, '{"id":%s}' % digits)
            self.assertEqual(
                self.post("exact", '{"id":%s}' % digits)
                .result["content"][0]["text"], '{"id":%s}' % digits)
        self.assertEqual(
            self.post("echo", '{"id":9007199254740992}')
            .result["content"][0]["text"], '{"id":9007199254740992}')

    def test_b132_a_number_where_a_string_is_wanted(self):
        for digits in ("1917043659912705296", "1917043659912705297", "1"):
            result = self.post("text_id", '{"id":%s}' % digits).result
            self.assertIs(result["isError"], True)
            self.assertRegex(result["content"][0]["text"], r"/id: .*string")


if __name__ == "__main__":
    unittest.main()
