"""The tools of seeds 002 and 000, in Lua: what is listed, what calls answer.

Expected entries are the texts' own, plus "additionalProperties": false, which
is this server's decision (docs/schemas.md)."""

import json
import os
import unittest

import wire

STRINGS = {"type": "array", "items": {"type": "string"}}


def closed(properties, *required):
    out = {"type": "object", "properties": properties,
           "additionalProperties": False}
    if required:
        out["required"] = list(required)
    return out


class Seeds(wire.TestCase):
    APP_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "apps", "seeds.lua")

    def entry(self, name, version=None):
        send = self.server.session(version).request if version \
            else self.server.rpc
        found = [tool for tool in send("tools/list").result["tools"]
                 if tool["name"] == name]
        self.assertEqual(len(found), 1, name)
        return found[0]

    def input(self, name):
        return self.entry(name)["inputSchema"]

    def assertInput(self, name, expected):
        """Equal, and the properties in that order."""
        schema = self.input(name)
        self.assertEqual(schema, expected)
        self.assertEqual(list(schema["properties"]),
                         list(expected["properties"]))

    def text(self, name, arguments=None):
        result = self.server.call(name, arguments).result
        self.assertNotIn("isError", result)
        self.assertEqual(len(result["content"]), 1)
        self.assertEqual(result["content"][0]["type"], "text")
        return result["content"][0]["text"]

    def refusal(self, name, arguments):
        result = self.server.call(name, arguments).result
        self.assertIs(result["isError"], True)
        return result["content"][0]["text"]


class Listed(Seeds):
    def test_get_weather(self):
        weather = {
            "name": "get_weather",
            "title": "Weather Information Provider",
            "description": "Get current weather information for a location",
            "annotations": {"readOnlyHint": True, "openWorldHint": True},
            "inputSchema": {
                "type": "object",
                "properties": {
                    "location": {"type": "string",
                                 "description": "City name or zip code"},
                    "units": {"type": "string",
                              "description": "Temperature units",
                              "default": "celsius"}},
                "required": ["location"],
                "additionalProperties": False}}
        self.assertEqual(self.entry("get_weather"), weather)
        for version in ("2025-11-25", "2025-06-18"):
            self.assertEqual(self.entry("get_weather", version), weather)
        weather.pop("title")  # not known to 2025-03-26
        old = self.entry("get_weather", "2025-03-26")
        old.pop("title", None)
        self.assertEqual(old, weather)

    def test_greet(self):
        self.assertEqual(self.entry("greet"), {
            "name": "greet", "description": "Greet someone by name.",
            "inputSchema": closed({"name": {"type": "string"}}, "name"),
            "outputSchema": {"type": "string"}})

    def test_options(self):
        entry = self.entry("custom_name")
        self.assertEqual(
            [entry[k] for k in ("title", "description", "annotations")],
            ["Custom Title", "Custom desc",
             {"destructiveHint": True, "readOnlyHint": False}])

    def test_required_optional_nullable(self):
        self.assertInput("example", closed({
            "name": {"type": "string", "description": "User name"},
            "limit": {"type": "integer", "description": "Max results",
                      "default": 10},
            "company": {"type": "string", "description": "Company filter",
                        "default": None}}, "name"))
        self.assertInput("example_by_comments", closed({
            "name": {"type": "string", "description": "User name"},
            "limit": {"type": "integer", "description": "Max results"},
            "company": {"type": "string", "description": "Company filter"}},
            "name"))

    def test_create_event(self):
        properties = {
            "title": {"type": "string", "description": "Event title"},
            "visibility": {"type": "string",
                           "enum": ["public", "private", "team"],
                           "description": "Who can see this event"},
            "recurrence": {"type": "string",
                           "enum": ["none", "daily", "weekly", "monthly"],
                           "default": "none",
                           "description": "Recurrence pattern"}}
        self.assertInput("create_event",
                         closed(properties, "title", "visibility"))
        del properties["recurrence"]["default"]
        self.assertInput("create_event_by_comments",
                         closed(properties, "title", "visibility"))

    def test_search_query(self):
        query = closed({
            "query": {"type": "string",
                      "description": "The search query string"},
            "max_results": {
                "type": "integer", "default": 10,
                "description": "Maximum number of results to return"},
            "include_metadata": {
                "type": "boolean", "default": False,
                "description": "Whether to include metadata"}}, "query")
        self.assertInput("search", closed({"params": query}, "params"))
        del query["properties"]["max_results"]["default"]
        del query["properties"]["include_metadata"]["default"]
        self.assertInput("search_by_comments",
                         closed({"params": query}, "params"))
        for name in ("search", "search_by_comments"):
            entry = self.entry(name)
            self.assertEqual(entry["description"],
                             "Search with complex parameters.")
            self.assertEqual(entry["outputSchema"], STRINGS)

    def test_types(self):
        names = ["str", "int", "float", "bool", "list", "dict", "literal"]
        plain = {"str": {"type": "string"}, "int": {"type": "integer"},
                 "float": {"type": "number"}, "bool": {"type": "boolean"},
                 "list": STRINGS, "dict": {"type": "object"},
                 "literal": {"type": "string", "enum": ["a", "b"]}}
        for name in ("types", "types_by_comments"):
            schema = self.input(name)
            self.assertEqual(list(schema["properties"]), names)
            self.assertEqual(schema["required"], names)
            self.assertEqual(schema, closed(plain, *names))

    def test_constraints(self):
        self.assertInput("constraints", closed({
            "name": {"type": "string", "title": "Name",
                     "description": "A name", "minLength": 2, "maxLength": 5,
                     "pattern": "^[a-z]+$", "examples": ["ann", "bob"],
                     "x-mcp-header": "Name"},
            "open": {"type": "number", "exclusiveMinimum": 0,
                     "exclusiveMaximum": 1},
            "closed": {"type": "integer", "minimum": 1, "maximum": 10,
                       "multipleOf": 3, "default": 3}}, "name", "open"))

    def test_an_explicit_schema_is_listed_as_it_is(self):
        self.assertEqual(self.input("search_regions"), {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"region": {"type": "string"}},
            "required": ["region"],
            "additionalProperties": False})

    def test_the_context_is_no_argument(self):
        self.assertNotIn("ctx", self.input("get_weather")["properties"])

    def test_the_lint_finds_no_error(self):
        done = wire.run("check", self.APP_FILE)
        self.assertEqual(done.returncode, 0, done.stdout)


class Called(Seeds):
    def test_get_weather(self):
        self.assertEqual(self.text("get_weather", {"location": "Oslo"}),
                         "Weather in Oslo: 22 celsius")
        self.assertEqual(
            self.text("get_weather", {"location": "Oslo", "units": "kelvin"}),
            "Weather in Oslo: 22 kelvin")

    def test_get_weather_logs(self):
        answer = self.server.call("get_weather", {"location": "Oslo"},
                                  logLevel="info")
        log = answer.messages[0]
        self.assertEqual(log["method"], "notifications/message")
        self.assertEqual(log["params"]["level"], "info")
        self.assertEqual(log["params"]["data"], "Fetching weather for Oslo")

    def test_greet(self):
        result = self.server.call("greet", {"name": "Ann"}).result
        self.assertEqual(result["content"],
                         [{"type": "text", "text": "Hello, Ann!"}])
        self.assertEqual(result["structuredContent"], "Hello, Ann!")

    def test_optional_and_nullable(self):
        for name in ("example", "example_by_comments"):
            for arguments in ({"name": "a"},
                              {"name": "a", "company": None},
                              {"name": "a", "limit": None}):
                with self.subTest(name=name, arguments=arguments):
                    self.assertEqual(self.text(name, arguments), "a 10 nil")
            self.assertEqual(
                self.text(name, {"name": "a", "limit": 3, "company": "c"}),
                "a 3 c")
            self.assertIn("name", self.refusal(name, {}))
            self.assertIn("name", self.refusal(name, {"name": None}))

    def test_enums(self):
        for name in ("create_event", "create_event_by_comments"):
            self.assertIn('"none"', self.text(
                name, {"title": "t", "visibility": "team"}))
            self.assertIn("/visibility", self.refusal(
                name, {"title": "t", "visibility": "nobody"}))

    def test_defaults_are_filled_in_at_depth(self):
        for name in ("search", "search_by_comments"):
            self.assertEqual(
                self.text(name, {"params": {"query": "q"}}),
                '["q","10","false"]')
            self.assertEqual(
                self.text(name, {"params": {"query": "q", "max_results": 2,
                                            "include_metadata": True}}),
                '["q","2","true"]')
            self.assertIn("/params", self.refusal(name, {"params": {}}))

    def test_a_list_in_structured_form_by_revision(self):
        arguments = {"params": {"query": "q"}}
        self.assertEqual(
            self.server.call("search", arguments).result["structuredContent"],
            ["q", "10", "false"])
        for version in ("2025-11-25", "2025-06-18"):
            session = self.server.session(version)
            self.assertEqual(
                session.call("search", arguments).result["structuredContent"],
                {"result": ["q", "10", "false"]})
            self.assertEqual(
                self.entry("search", version)["outputSchema"],
                {"type": "object", "properties": {"result": STRINGS},
                 "required": ["result"]})

    def test_every_type_arrives(self):
        arguments = {"str": "s", "int": 1, "float": 1.5, "bool": True,
                     "list": ["a"], "dict": {"k": [1]}, "literal": "b"}
        for name in ("types", "types_by_comments"):
            result = self.server.call(name, arguments).result
            self.assertNotIn("isError", result)
            self.assertEqual(json.loads(result["content"][0]["text"]),
                             arguments)

    def test_return_types(self):
        self.assertEqual(self.text("text_tool"), "Hello")
        self.assertIn(self.text("json_tool"),
                      ('{"key":"value","count":42}',
                       '{"count":42,"key":"value"}'))
        self.assertEqual(self.text("list_tool"), '["a","b","c"]')

    def test_divide(self):
        self.assertEqual(self.text("divide", {"a": 1, "b": 4}), "0.25")
        result = self.server.call("divide", {"a": 1, "b": 0}).result
        self.assertEqual(
            (result["isError"], result["content"]),
            (True, [{"type": "text", "text": "Cannot divide by zero"}]))

    def test_constraints_hold(self):
        good = {"name": "ann", "open": 0.5}
        header = {"headers": {"Mcp-Param-Name": "ann"}}
        answer = self.server.call("constraints", good, **header)
        self.assertIn('"closed":3', answer.result["content"][0]["text"])
        for change, path in (
                ({"open": 0}, "/open"), ({"open": 1}, "/open"),
                ({"closed": 0}, "/closed"), ({"closed": 12}, "/closed"),
                ({"closed": 4}, "/closed")):
            result = self.server.call("constraints", {**good, **change},
                                      **header).result
            self.assertIs(result["isError"], True)
            self.assertIn(path, result["content"][0]["text"])
        for name in ("a", "anneee", "Ann"):
            result = self.server.call(
                "constraints", {**good, "name": name},
                headers={"Mcp-Param-Name": name}).result
            self.assertIn("/name", result["content"][0]["text"])
        self.assertRejected(self.server.call(
            "constraints", good, headers={"Mcp-Param-Name": "bob"}),
            400, -32020)

    def test_search_regions(self):
        self.assertEqual(self.text("search_regions", {"region": "eu"}),
                         '["eu"]')
        self.assertIn("other", self.refusal(
            "search_regions", {"region": "eu", "other": 1}))


if __name__ == "__main__":
    unittest.main()
