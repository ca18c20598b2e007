"""Seed 000 in Lua: five routes with their exact annotations, with and without
inference by the verb, an explicit schema, and the report tools."""

import base64
import os
import unittest

import wire

PDF = b"%PDF-1.7\xff\x00 pdf bytes"


class Case(wire.TestCase):
    APP_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "apps", "seeds_routes.lua")

    def tools(self):
        listed = self.server.rpc("tools/list").result["tools"]
        return {tool["name"]: tool for tool in listed}

    def ask(self, method, path, body=None):
        headers = {} if body is None else {"Content-Type": "application/json"}
        return self.server.request(method, path, body, headers)

    def text(self, name, arguments=None):
        [block] = self.server.call(name, arguments).result["content"]
        return block["text"]


class Inferred(Case):
    def test_annotations(self):
        tools = self.tools()
        self.assertEqual(
            {name: tools[name].get("annotations") for name in tools},
            {"list_items": {"readOnlyHint": True, "destructiveHint": False,
                            "idempotentHint": True},
             "search_items": {"readOnlyHint": True, "destructiveHint": False,
                              "idempotentHint": False},
             "replace_item": {"readOnlyHint": False, "destructiveHint": False,
                              "idempotentHint": True},
             "inspect_item": {"title": "Inspect Catalog Item",
                              "readOnlyHint": True, "destructiveHint": False,
                              "idempotentHint": True, "openWorldHint": False},
             "delete_item": {"title": "Delete Catalog Item",
                             "readOnlyHint": False, "destructiveHint": True,
                             "idempotentHint": True, "openWorldHint": False},
             "search_regions": {"readOnlyHint": True, "destructiveHint": False,
                                "idempotentHint": True},
             "generate_report": {"readOnlyHint": True,
                                 "destructiveHint": False,
                                 "idempotentHint": True},
             "download_report": {"readOnlyHint": True,
                                 "destructiveHint": False,
                                 "idempotentHint": True}})

    def test_what_the_tools_take(self):
        tools = self.tools()
        self.assertEqual(tools["list_items"]["inputSchema"],
                         {"type": "object", "properties": {},
                          "additionalProperties": False})
        self.assertEqual(tools["replace_item"]["inputSchema"],
                         {"type": "object",
                          "properties": {"item_id": {"type": "string"}},
                          "required": ["item_id"],
                          "additionalProperties": False})
        self.assertEqual(
            tools["search_regions"]["inputSchema"],
            {"$schema": "https://json-schema.org/draft/2020-12/schema",
             "type": "object", "properties": {"region": {"type": "string"}},
             "required": ["region"], "additionalProperties": False})
        self.assertTrue(tools["delete_item"]["description"].startswith(
            "Delete an item with inferred destructiveHint=True"))

    def test_over_http(self):
        for method, path, body, expected in (
                ("GET", "/items", None, ["espresso", "flat_white"]),
                ("POST", "/items/search", b'{"query":"mocha"}', ["mocha"]),
                ("PUT", "/items/7", None, {"id": "7", "status": "replaced"}),
                ("GET", "/items/7/inspect", None, {"id": "7"}),
                ("DELETE", "/items/7", None, {"deleted": "7"}),
                ("GET", "/regions?region=north", None, ["north"])):
            answer = self.ask(method, path, body)
            self.assertEqual((answer.status, answer.type),
                             (200, "application/json"), path)
            self.assertEqual(answer.json, expected)

    def test_by_tools_call(self):
        self.assertEqual(self.text("list_items"), '["espresso","flat_white"]')
        self.assertEqual(self.text("search_items", {"query": "mocha"}),
                         '["mocha"]')
        self.assertEqual(self.text("inspect_item", {"item_id": "7"}),
                         '{"id":"7"}')
        self.assertEqual(self.text("delete_item", {"item_id": "7"}),
                         '{"deleted":"7"}')

    def test_a_report_with_a_link_and_structured_content(self):
        result = self.server.call("generate_report").result
        self.assertEqual(result["content"], [
            {"type": "text", "text": "Report generated."},
            {"type": "resource_link", "name": "report.pdf",
             "uri": "mcpluad://latest_report",
             "mimeType": "application/pdf"}])
        self.assertEqual(result["structuredContent"], {"reportId": "latest"})
        answer = self.ask("GET", "/reports/latest")
        self.assertEqual(answer.json["content"], result["content"])
        self.assertEqual(answer.json["structuredContent"],
                         {"reportId": "latest"})

    def test_an_inline_report(self):
        [block] = self.server.call("download_report").result["content"]
        self.assertEqual(block["resource"], {
            "uri": "memory://reports/latest.pdf",
            "mimeType": "application/pdf",
            "blob": base64.b64encode(b"...pdf bytes...").decode()})

    def test_a_binary_resource(self):
        [content] = self.server.rpc(
            "resources/read",
            {"uri": "mcpluad://latest_report"}).result["contents"]
        self.assertEqual(content, {
            "uri": "mcpluad://latest_report", "mimeType": "application/pdf",
            "blob": base64.b64encode(PDF).decode()})
        answer = self.ask("GET", "/reports/resource")
        self.assertEqual((answer.status, answer.type, answer.body),
                         (200, "application/pdf", PDF))


class NotInferred(Case):
    ENV = {"SEED_INFER": "no"}

    def test_only_what_is_declared(self):
        self.assertEqual(
            {name: tool.get("annotations")
             for name, tool in self.tools().items()},
            {"list_items": None, "search_items": {"readOnlyHint": True},
             "replace_item": None,
             "inspect_item": {"title": "Inspect Catalog Item",
                              "readOnlyHint": True, "destructiveHint": False,
                              "idempotentHint": True, "openWorldHint": False},
             "delete_item": {"title": "Delete Catalog Item",
                             "readOnlyHint": False, "destructiveHint": True,
                             "idempotentHint": True, "openWorldHint": False},
             "search_regions": None, "generate_report": None,
             "download_report": None})

    def test_by_the_command_line_too(self):
        server = self.start(app_file=self.APP_FILE, options=(
            "--infer-http-method-annotations=false",))
        self.assertIsNone(server.rpc("tools/list").result["tools"][0]
                          .get("annotations"))


if __name__ == "__main__":
    unittest.main()
