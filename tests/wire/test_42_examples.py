"""app-example and the conformance fixtures: what they answer, byte by byte
where it matters (schemas, pictures, sounds). The official client and suite
drive them too (tests/e2e); this needs no npm."""

import base64
import io
import json
import os
import struct
import unittest
import wave
import zlib

import wire

EXAMPLE = os.path.join(wire.SOURCE_DIR, "app-example", "app.lua")
FIXTURES = os.path.join(wire.SOURCE_DIR, "tests", "conformance", "app.lua")


def png_rows(data):
    """Checks a PNG whole and returns (width, height, bytes of the rows)."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise AssertionError("no PNG signature")
    at, chunks = 8, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        crc, = struct.unpack(">I", data[at + 8 + size:at + 12 + size])
        if crc != zlib.crc32(kind + body):
            raise AssertionError("wrong CRC of %r" % kind)
        chunks.append((kind, body))
        at += 12 + size
    if [kind for kind, _ in chunks] != [b"IHDR", b"IDAT", b"IEND"]:
        raise AssertionError("chunks %r" % chunks)
    width, height = struct.unpack(">II", chunks[0][1][:8])
    return width, height, zlib.decompress(chunks[1][1])


class Example(wire.TestCase):
    APP_FILE = EXAMPLE

    def test_the_route_is_a_tool(self):
        answer = self.server.get(path="/hours/sunday")
        self.assertEqual((answer.status, answer.body), (200, b"9 to 16"))
        answer = self.server.call("opening_hours", {"day": "weekday"})
        self.assertEqual(self.texts(answer), ["7 to 19"])
        self.assertEqual(self.server.get(path="/hours/never").status, 422)

    def texts(self, answer):
        return [block.get("text") for block in answer.result["content"]]

    def test_the_list_has_the_order_of_the_file_and_says_what_it_says(self):
        tools = self.server.rpc("tools/list").result["tools"]
        self.assertEqual([tool["name"] for tool in tools],
                         ["menu", "price", "order", "brew", "roast", "recipe",
                          "who_am_i", "opening_hours"])
        by_name = {tool["name"]: tool for tool in tools}
        self.assertEqual(by_name["menu"]["description"],
                         "The drinks of the day, with their prices in cents.")
        self.assertEqual(list(by_name["price"]["inputSchema"]["properties"]),
                         ["drink", "size"])
        self.assertIn("## When to use", by_name["order"]["description"])
        with open(os.path.join(os.path.dirname(EXAMPLE), "order.schema.json"),
                  encoding="utf-8") as file:
            self.assertEqual(json.dumps(by_name["order"]["inputSchema"]),
                             json.dumps(json.load(file)))

    def test_the_first_tool_needs_no_arguments(self):
        menu = json.loads(self.texts(self.server.call("menu"))[0])
        self.assertEqual([drink["name"] for drink in menu],
                         ["espresso", "cappuccino", "filter", "mocha"])

    def test_a_default_is_filled_in(self):
        result = self.server.call("price", {"drink": "espresso"}).result
        self.assertEqual(result["structuredContent"],
                         {"cents": 220, "text": "2.20 EUR"})

    def test_defaults_deep_inside_an_order_and_a_receipt(self):
        result = self.server.call("order", {"items": [
            {"drink": "espresso"},
            {"drink": "filter", "size": "large", "count": 2}]}).result
        text, image = result["content"]
        self.assertEqual(text["text"], "9.00 EUR for you")
        self.assertEqual(image["mimeType"], "image/png")
        width, height, rows = png_rows(base64.b64decode(image["data"]))
        self.assertEqual(len(rows), height * (1 + width))
        self.assertIn(0, rows[1:1 + width] + rows[20 * width:])
        self.assertEqual(set(rows), {0, 255})

    def test_a_refusal_keeps_its_structured_part(self):
        result = self.server.call("order", {
            "items": [{"drink": "mocha"}]}).result
        self.assertTrue(result["isError"])
        self.assertEqual(result["structuredContent"], {"ordered": False})

    def test_brewing_tells_its_steps(self):
        answer = self.server.post(*wire.modern(
            "tools/call", {"name": "brew", "arguments": {
                "drink": "filter", "seconds": 0.05}}, progressToken="p",
            logLevel="debug"))
        progress = [m["params"] for m in answer.messages
                    if m.get("method") == "notifications/progress"]
        self.assertEqual([p["progress"] for p in progress], [1, 2, 3])
        self.assertEqual([p["message"] for p in progress],
                         ["grind", "heat", "pour"])
        logs = [m["params"]["data"] for m in answer.messages
                if m.get("method") == "notifications/message"]
        self.assertEqual(logs, ["step grind", "step heat", "step pour"])
        self.assertEqual(answer.messages[-1]["result"]["content"][0]["text"],
                         "Your filter is ready.")

    def test_a_recipe_is_a_resource_and_a_link(self):
        blocks = self.server.call("recipe", {"drink": "filter"}).result[
            "content"]
        self.assertEqual([b["type"] for b in blocks],
                         ["resource", "resource_link"])
        self.assertEqual(blocks[0]["resource"]["uri"],
                         "coffee://recipes/filter")

    def test_the_handler_knows_who_asks(self):
        data = json.loads(self.texts(self.server.call("who_am_i"))[0])
        self.assertEqual(data["client"], wire.CLIENT_INFO["name"])
        self.assertEqual(data["transport"], "http")
        self.assertIn(data["seconds_left"], range(20, 31))


class ManyLoads(wire.TestCase):
    """Lua tables have no order of their own, and it differs from process to
    process; what clients see must not."""

    LOADS = 100

    def lists(self, app):
        """The bytes that one fresh process answers."""
        lines = b"".join(wire.encode(message) + b"\n" for message in (
            wire.modern("tools/list", id=1).body,
            wire.modern("server/discover", id=2).body,
            {"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {
                "protocolVersion": wire.LEGACY[0], "capabilities": {},
                "clientInfo": wire.CLIENT_INFO}},
            {"jsonrpc": "2.0", "id": 4, "method": "tools/list"}))
        done = wire.run("--stdio", app, input=lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = done.stdout.splitlines()
        self.assertEqual(len(answers), 4, done.stdout)
        return sorted(answers)

    def test_every_process_lists_the_same_bytes(self):
        for app in (EXAMPLE, FIXTURES):
            first = self.lists(app)
            for _ in range(self.LOADS - 1):
                self.assertEqual(self.lists(app), first)


class Fixtures(wire.TestCase):
    APP_FILE = FIXTURES

    def blocks(self, name):
        return self.server.call(name).result["content"]

    def test_the_schema_of_2020_12_arrives_as_it_was_written(self):
        tools = self.server.rpc("tools/list").result["tools"]
        schema = next(tool["inputSchema"] for tool in tools
                      if tool["name"] == "json_schema_2020_12_tool")
        self.assertEqual(schema, {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {"address": {
                "$anchor": "addressDef", "type": "object", "properties": {
                    "street": {"type": "string"},
                    "city": {"type": "string"}}}},
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string",
                                  "enum": ["phone", "email"]},
                "phone": {"type": "string"}, "email": {"type": "string"}},
            "allOf": [{"anyOf": [{"required": ["phone"]},
                                 {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}},
                   "required": ["contactMethod"]},
            "then": {"required": ["phone"]}, "else": {"required": ["email"]},
            "additionalProperties": False})

    def test_that_schema_is_also_obeyed(self):
        def failed(**arguments):
            return self.server.call("json_schema_2020_12_tool",
                                    arguments).result.get("isError", False)
        self.assertFalse(failed(name="Ada", email="a@b"))
        self.assertTrue(failed(name="Ada"))
        self.assertTrue(failed(contactMethod="phone", email="a@b"))
        self.assertFalse(failed(contactMethod="phone", email="a", phone="1"))
        self.assertTrue(failed(phone="1", email="a", other=1))
        self.assertTrue(failed(phone="1", email="a", address={"city": 1}))

    def test_pictures_and_sounds_are_what_they_say(self):
        image, = self.blocks("test_image_content")
        self.assertEqual((image["type"], image["mimeType"]),
                         ("image", "image/png"))
        width, height, rows = png_rows(base64.b64decode(image["data"]))
        self.assertEqual((width, height, rows), (1, 1, b"\0\xff\0\0"))
        sound, = self.blocks("test_audio_content")
        self.assertEqual((sound["type"], sound["mimeType"]),
                         ("audio", "audio/wav"))
        with wave.open(io.BytesIO(base64.b64decode(sound["data"]))) as file:
            self.assertEqual(file.readframes(10), b"\x80\x80")

    def test_every_text_is_the_suites(self):
        self.assertEqual(
            self.blocks("test_simple_text"),
            [{"type": "text",
              "text": "This is a simple text response for testing."}])
        self.assertEqual(
            [block["type"] for block in
             self.blocks("test_multiple_content_types")],
            ["text", "image", "resource"])
        result = self.server.call("test_error_handling").result
        self.assertIs(result["isError"], True)
        self.assertEqual(
            result["content"][0]["text"],
            "This tool intentionally returns an error for testing")

    def test_logs_arrive_in_a_session_and_not_unasked(self):
        session = self.server.session()
        with session.stream("tools/call", {
                "name": "test_tool_with_logging"}) as stream:
            texts = [m["params"]["data"] for m in stream.messages()
                     if m.get("method") == "notifications/message"]
        self.assertEqual(texts, ["Tool execution started",
                                 "Tool processing data",
                                 "Tool execution completed"])
        answer = self.server.call("test_logging_tool")
        self.assertEqual(len(answer.messages), 1)


if __name__ == "__main__":
    unittest.main()
