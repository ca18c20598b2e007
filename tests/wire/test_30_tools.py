"""tools/list and tools/call at each revision: fields, pages, error rows."""

import unittest

import wire

APP = """
local mcp = require "mcp"
mcp.server { name = "tools", version = "1.0", title = "Tools" }
mcp.tool { name = "full", title = "Full", description = "Everything.",
  annotations = { openWorldHint = true }, read_only = true,
  icons = { { src = "https://example.com/i.png" } }, meta = { ["a/b"] = 1 },
  input_schema = { type = "object", properties = {
      n = { type = "integer", minimum = 1, default = 3 },
      s = { type = "string", enum = { "a", "b" } } },
    required = { "s" }, additionalProperties = false },
  output_schema = { type = "object", properties = { n = { type = "integer" } },
    required = { "n" } },
  handler = function(args) return { n = args.n } end }
mcp.tool { name = "count", output_schema = { type = "array",
    items = { ["$ref"] = "#/$defs/n" }, ["$defs"] = { n = { type = "integer" } } },
  handler = function() return { 1, 2 } end }
mcp.tool { name = "lies", output_schema = { type = "object", properties = {
    n = { type = "integer" } }, required = { "n" } },
  handler = function() return { n = "x" } end }
mcp.tool("any", function(args) return args end)
mcp.tool("fails", function() return nil, "it broke" end)
mcp.tool("refuses", function()
  mcp.protocol_error { code = -32050, message = "own", data = { 1 } } end)
"""
NAMES = ["full", "count", "lies", "any", "fails", "refuses"]
INPUT = {"type": "object", "properties": {
    "n": {"type": "integer", "minimum": 1, "default": 3},
    "s": {"type": "string", "enum": ["a", "b"]}},
    "required": ["s"], "additionalProperties": False}
OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}},
          "required": ["n"]}


class Lists(wire.TestCase):
    APP = APP

    def tools(self, version):
        if version == wire.MODERN:
            result = self.server.rpc("tools/list").result
        else:
            result = self.server.session(version).request("tools/list").result
        return result, {t["name"]: t for t in result["tools"]}

    def test_fields_of_each_revision(self):
        full = {"name": "full", "description": "Everything.",
                "inputSchema": INPUT,
                "annotations": {"openWorldHint": True, "readOnlyHint": True}}
        self.assertEqual(self.tools("2025-03-26")[1]["full"], full)
        full.update(title="Full", outputSchema=OUTPUT, _meta={"a/b": 1})
        self.assertEqual(self.tools("2025-06-18")[1]["full"], full)
        full.update(icons=[{"src": "https://example.com/i.png"}])
        self.assertEqual(self.tools("2025-11-25")[1]["full"], full)
        self.assertEqual(self.tools(wire.MODERN)[1]["full"], full)

    def test_output_schemas_that_are_no_object(self):
        bare = {"type": "array", "items": {"$ref": "#/$defs/n"},
                "$defs": {"n": {"type": "integer"}}}
        self.assertNotIn("outputSchema", self.tools("2025-03-26")[1]["count"])
        for version in ("2025-06-18", "2025-11-25"):
            self.assertEqual(self.tools(version)[1]["count"]["outputSchema"], {
                "type": "object", "properties": {"result": {
                    "type": "array", "items": {"$ref": "#/$defs/n"}}},
                "required": ["result"], "$defs": {"n": {"type": "integer"}}})
        self.assertEqual(self.tools(wire.MODERN)[1]["count"]["outputSchema"],
                         bare)

    def test_the_envelope_of_each_era(self):
        result, _ = self.tools(wire.MODERN)
        self.assertEqual([t["name"] for t in result.pop("tools")], NAMES)
        self.assertEqual(result, {
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {
                "name": "tools", "version": "1.0", "title": "Tools"}}})
        for version in wire.LEGACY:
            result, _ = self.tools(version)
            self.assertEqual(list(result), ["tools"])
            self.assertEqual([t["name"] for t in result["tools"]], NAMES)

    def test_cursors(self):
        for cursor in ("bogus", "0", "1", 1, {}, True):  # B162
            answer = self.server.rpc("tools/list", {"cursor": cursor})
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.error["code"], -32602, cursor)
            self.assertEqual(answer.error["data"], {
                "cursor": cursor if isinstance(cursor, str) else None})
        for cursor in ("", None):  # B164
            answer = self.server.rpc("tools/list", {"cursor": cursor})
            self.assertEqual(len(answer.result["tools"]), len(NAMES))


class Pages(wire.TestCase):
    APP = APP
    OPTIONS = ["--list-page-size", "4", "--cache-ttl-ms", "60000",
               "--cache-scope", "public"]

    def test_a_walk(self):
        for send in (self.server.rpc, self.server.session().request):
            names, params = [], {}
            for _ in range(2):
                result = send("tools/list", params).result
                names += [t["name"] for t in result["tools"]]
                if send == self.server.rpc:
                    self.assertEqual(result["ttlMs"], 60000)
                    self.assertEqual(result["cacheScope"], "public")
                params = {"cursor": result.get("nextCursor")}
            self.assertNotIn("nextCursor", result)
            self.assertEqual(names, NAMES)

    def test_retries_are_not_cacheable(self):
        for params in ({"requestState": "x"}, {"inputResponses": {}}):
            result = self.server.rpc("tools/list", params).result
            self.assertEqual((result["ttlMs"], result["cacheScope"]),
                             (0, "private"))


class NoTools(wire.TestCase):
    APP = 'require "mcp"'

    def test_the_methods_are_unknown(self):
        capabilities = self.server.rpc("server/discover").result["capabilities"]
        self.assertEqual(capabilities, {"logging": {}})
        self.assertRejected(self.server.rpc("tools/list"), 404, -32601)
        self.assertRejected(self.server.call("any"), 404, -32601)
        session = self.server.session()
        self.assertEqual(session.initialized.result["capabilities"],
                         {"logging": {}})
        self.assertEqual(session.request("tools/list").error["code"], -32601)


class Calls(wire.TestCase):
    APP = APP

    def everywhere(self, name, arguments=None):
        """(version, answer) of the same call at each revision."""
        yield wire.MODERN, self.server.call(name, arguments)
        for version in wire.LEGACY:
            yield version, self.server.session(version).request(
                "tools/call", {"name": name, "arguments": arguments})

    def test_structured_results(self):
        for version, answer in self.everywhere("full", {"s": "a"}):
            with self.subTest(version=version):
                self.assertEqual(answer.result["content"],
                                 [{"type": "text", "text": '{"n":3}'}])
                self.assertEqual(answer.result.get("structuredContent"),
                                 None if version == "2025-03-26" else {"n": 3})
                self.assertEqual("resultType" in answer.result,
                                 version == wire.MODERN)
                self.assertEqual("_meta" in answer.result,
                                 version == wire.MODERN)

    def test_boxed_results(self):
        expected = {wire.MODERN: [1, 2], "2025-03-26": None}
        for version, answer in self.everywhere("count"):
            self.assertEqual(answer.result.get("structuredContent"),
                             expected.get(version, {"result": [1, 2]}))

    def test_arguments_that_are_absent_or_null(self):
        for version, answer in self.everywhere("any"):
            self.assertEqual(answer.result["content"][0]["text"], "{}")
        answer = self.server.rpc("tools/call", {"name": "any",
                                                "arguments": None})
        self.assertEqual(answer.result["content"][0]["text"], "{}")

    def test_unknown_tools_and_bad_arguments_are_errors(self):
        for arguments in ([], "x", 5, True):
            for version, answer in self.everywhere("any", arguments):
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.error["code"], -32602)
                self.assertEqual(answer.error["data"], {"name": "any"})
        for version, answer in self.everywhere("fulll", {}):
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.error["code"], -32602)
            self.assertEqual(answer.error["data"], {"name": "fulll"})
            self.assertIn('"full"', answer.error["message"])

    def test_broken_arguments_are_a_result(self):
        for version, answer in self.everywhere("full", {
                "n": 0, "s": "c", "x": 1}):
            result = answer.result
            self.assertEqual(answer.status, 200)
            self.assertIs(result["isError"], True)
            self.assertNotIn("structuredContent", result)
            for part in ("/n", "/s", "x"):
                self.assertIn(part, result["content"][0]["text"])
        answer = self.server.call("full", {})
        self.assertIn("s", answer.result["content"][0]["text"])

    def test_integers_that_a_double_cannot_hold(self):
        for number in ("9007199254740993", "-9007199254740993", "1e999",
                       "123456789012345678901234567890"):
            message = wire.modern("tools/call", {
                "name": "any", "arguments": {"deep": [{"n": "HERE"}]}})
            body = wire.encode(message.body).replace(
                b'"HERE"', number.encode())
            result = self.server.post(body, message.headers).result
            self.assertIs(result["isError"], True)
            self.assertIn("/deep/0/n", result["content"][0]["text"])
            self.assertIn("string", result["content"][0]["text"])

    def test_failures_and_own_errors(self):
        for version, answer in self.everywhere("fails"):
            self.assertIs(answer.result["isError"], True)
            self.assertEqual(answer.result["content"][0]["text"], "it broke")
        for version, answer in self.everywhere("refuses"):
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.error, {"code": -32050, "message": "own",
                                            "data": [1]})

    def test_a_broken_promise_is_the_fault_of_the_app(self):
        answer = self.server.call("lies", id="req-77")
        self.assertIs(answer.result["isError"], True)
        self.assertNotIn("structuredContent", answer.result)
        self.assertIn("/n", answer.result["content"][0]["text"])
        self.server.wait_stderr(r"lies.*req-77")


class Busy(wire.TestCase):
    APP = """
    local mcp = require "mcp"
    mcp.tool("nap", function(ctx) ctx.sleep(3) return "up" end)
    mcp.tool("spin", function()
      local until_s = os.clock() + 20
      while os.clock() < until_s do end
    end)
    """

    def test_a_full_queue_refuses_and_lists_go_on(self):
        server = self.start(self.APP, options=[
            "--max-workers", "1", "--queue", "1", "--call-timeout", "2"])
        message = wire.modern("tools/call", {"name": "spin"})
        streams = []
        refused = None
        for _ in range(10):
            connection = server.connection()
            server._send(connection, "POST", None, message.body,
                         server._post_headers(message.headers))
            streams.append(connection)
        for connection in streams:
            connection.sock.settimeout(0.5)
            try:
                response = connection.getresponse()
            except TimeoutError:
                continue
            if response.status == 503:
                refused = wire.Answer(503, response.headers, response.read())
        self.assertIsNotNone(refused)
        self.assertRejected(refused, 503, -32603)
        self.assertTrue(refused.headers["Retry-After"])
        self.assertIn("tools", server.rpc("tools/list").result)
        self.assertEqual(server.get("/healthz").status, 200)
        for connection in streams:
            connection.close()


if __name__ == "__main__":
    unittest.main()
