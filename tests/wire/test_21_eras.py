"""The choice of era and revision, and the order of the modern checks.

bugs.md B.3: B48 B49 B51 B52 B54 B55 B56 B59.
"""

import unittest

import wire

APP = """
local mcp = require "mcp"
mcp.server { name = "eras", version = "2.0", title = "Eras",
             instructions = "Say hello." }
mcp.tool { name = "region", input_schema = { type = "object", properties = {
    region = { type = "string", ["x-mcp-header"] = "Region" },
    level = { type = "integer", ["x-mcp-header"] = "Level" } } },
  handler = function(args) return args.region or "none" end }
mcp.tool("hello", function() return "hello" end)
"""
VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]
KEY = "io.modelcontextprotocol/"


def body(method, meta, **params):
    if meta is not None:
        params["_meta"] = meta
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def without(key):
    meta = wire.meta()
    del meta[KEY + key]
    return meta


class Modern(wire.TestCase):
    APP = APP

    def test_discover(self):
        answer = self.server.rpc("server/discover")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.result, {
            "resultType": "complete", "supportedVersions": VERSIONS,
            "capabilities": {"logging": {}, "tools": {"listChanged": True}},
            "instructions": "Say hello.", "ttlMs": 0, "cacheScope": "private",
            "_meta": {KEY + "serverInfo": {
                "name": "eras", "version": "2.0", "title": "Eras"}}})

    def test_each_check_comes_before_the_next(self):
        wrong = wire.meta("v999.0.0")
        rows = [  # headers, body, status, code
            ({}, "{", 400, -32700),
            ({}, '{"jsonrpc":"2.0","id":1}', 400, -32600),
            ({}, body("no/such", {}), 400, -32602),
            ({}, body("no/such", without("protocolVersion")), 400, -32602),
            ({}, body("no/such", without("clientCapabilities")), 400, -32602),
            ({}, body("no/such", wrong), 400, -32020),
            ({"MCP-Protocol-Version": "v999.0.0"}, body("no/such", wrong), 400,
             -32022),
            ({}, body("no/such", wire.meta()), 400, -32020),
            ({"Mcp-Method": "NO/SUCH"}, body("no/such", wire.meta()), 400,
             -32020),
            ({"Mcp-Method": "no/such"}, body("no/such", wire.meta()), 404,
             -32601),
            ({"Mcp-Method": "tools/call"}, body("tools/call", wire.meta(),
                                                name="nobody"), 400, -32020),
            ({"Mcp-Method": "tools/call", "Mcp-Name": "hello"},
             body("tools/call", wire.meta(), name="nobody"), 400, -32020),
            ({"Mcp-Method": "tools/call", "Mcp-Name": "nobody"},
             body("tools/call", wire.meta(), name="nobody"), 200, -32602),
        ]
        for headers, message, status, code in rows:
            with self.subTest(headers=headers, message=message):
                answer = self.server.post(message, {
                    "MCP-Protocol-Version": wire.MODERN, **headers})
                self.assertRejected(answer, status, code)
                if code != -32700:
                    self.assertEqual(answer.json["id"], 1)

    def test_unsupported_version_tells_ours(self):
        for version in ("2026-12-01", "v999.0.0", "2025-11-25", ""):
            answer = self.server.post(
                body("tools/list", wire.meta(version)),
                {"MCP-Protocol-Version": version, "Mcp-Method": "tools/list"})
            if version == "":
                self.assertEqual(answer.status, 400)
                continue
            self.assertRejected(answer, 400, -32022)
            self.assertEqual(answer.error["data"],
                             {"supported": VERSIONS, "requested": version})

    def test_a_header_of_an_older_revision_is_told_ours(self):
        answer = self.server.post(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
            {"MCP-Protocol-Version": "2024-11-05"})
        self.assertRejected(answer, 400, -32602)
        self.assertEqual(answer.error["message"],
                         "MCP-Protocol-Version is none of " + ", ".join(VERSIONS))
        self.assertEqual(answer.error["data"],
                         {"supported": VERSIONS, "requested": "2024-11-05"})

    def test_client_info_is_optional(self):
        answer = self.server.post(
            body("tools/list", wire.meta(info=None)),
            {"MCP-Protocol-Version": wire.MODERN, "Mcp-Method": "tools/list"})
        self.assertIn("tools", answer.result)

    def test_removed_methods(self):
        for method in ("initialize", "ping", "logging/setLevel",
                       "resources/subscribe", "resources/unsubscribe",
                       "tasks/list", "unknown/method"):
            with self.subTest(method=method):
                self.assertRejected(self.server.rpc(method), 404, -32601)

    def test_a_session_header_changes_nothing(self):
        answer = self.server.rpc("tools/list",
                                 headers={"Mcp-Session-Id": "deadbeef"})
        self.assertIn("tools", answer.result)

    def test_header_names_ignore_case_and_values_lose_their_margin(self):
        message = wire.modern("tools/call", {"name": "hello"})
        answer = self.server.post(message.body, {
            "mcp-protocol-version": wire.MODERN, "MCP-METHOD": "tools/call",
            "mcp-name": "  hello  "})
        self.assertIn("content", answer.result)

    def test_a_header_that_comes_twice_is_refused(self):
        message = wire.encode(wire.modern("tools/call",
                                          {"name": "hello"}).body)
        for twice in (b"Mcp-Name: hello\r\nMcp-Name: region\r\n",
                      b"Mcp-Name: region\r\nMcp-Name: hello\r\n",
                      b"Mcp-Name: hello\r\nMcp-Method: tools/list\r\n",
                      b"Mcp-Name: hello\r\nMCP-Protocol-Version: 2025-11-25"
                      b"\r\n"):
            answer = self.server.raw(
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\n"
                b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call"
                b"\r\n%sContent-Length: %d\r\n\r\n%s"
                % (twice, len(message), message))
            self.assertRejected(answer, 400, -32020)

    def test_encoded_names(self):
        for value, good in (("=?base64?aGVsbG8=?=", True),
                            ("=?base64?aGVsbG8?=", False),
                            ("=?base64?aGVs!!!bG8=?=", False),
                            ("=?base64?aGVsbG9=?=", False),
                            ("=?base64?aGVsbG8=", False),
                            ("aGVsbG8=", False), ("Hello", False)):
            with self.subTest(value=value):
                answer = self.server.call("hello", headers={"Mcp-Name": value})
                if good:
                    self.assertIn("content", answer.result)
                else:
                    self.assertRejected(answer, 400, -32020)

    def test_mirrored_arguments(self):
        rows = [  # arguments, headers, good
            ({"region": "Hello"}, {"Mcp-Param-Region": "Hello"}, True),
            ({"region": "Hello"},
             {"mcp-param-region": "=?base64?SGVsbG8=?="}, True),
            ({"region": "Hello"},
             {"Mcp-Param-Region": "=?base64?SGVsbG8?="}, False),
            ({"region": "Hello"},
             {"Mcp-Param-Region": "=?base64?SGVs!!!bG8=?="}, False),
            ({"region": "SGVsbG8="}, {"Mcp-Param-Region": "SGVsbG8="}, True),
            ({"region": "=?base64?SGVsbG8="},
             {"Mcp-Param-Region": "=?base64?SGVsbG8="}, True),
            ({"region": "test-value"}, {}, False),
            ({}, {"Mcp-Param-Region": "x"}, False),
            ({}, {}, True),
            ({"level": 42}, {"Mcp-Param-Level": "42.0"}, True),
            ({"level": 42}, {"Mcp-Param-Level": "43"}, False),
        ]
        for arguments, headers, good in rows:
            with self.subTest(arguments=arguments, headers=headers):
                answer = self.server.call("region", arguments, headers=headers)
                if good:
                    self.assertNotIn("isError", answer.result)
                else:
                    self.assertRejected(answer, 400, -32020)

    def test_stdio_needs_no_headers(self):
        process = self.start_stdio(APP)
        answer = process.request(wire.modern("tools/call", {
            "name": "region", "arguments": {"region": "x"}}))
        self.assertEqual(answer["result"]["content"][0]["text"], "x")
        answer = process.request(body("tools/list", wire.meta("2026-12-01")))
        self.assertEqual(answer["error"]["code"], -32022)
        answer = process.request(body("server/discover", wire.meta()))
        self.assertEqual(answer["result"]["supportedVersions"], VERSIONS)


class Legacy(wire.TestCase):
    APP = APP

    def initialize(self, version, headers=None):
        return self.server.post(body("initialize", None,
                                     protocolVersion=version, capabilities={},
                                     clientInfo=wire.CLIENT_INFO), headers)

    def test_negotiation(self):
        for asked, answered in [(v, v) for v in VERSIONS[1:]] + [
                ("2026-07-28", "2025-11-25"), ("2024-11-05", "2025-11-25"),
                ("totally-unsupported", "2025-11-25"), ("", "2025-11-25")]:
            answer = self.initialize(asked)
            self.assertEqual(answer.result["protocolVersion"], answered)
            self.assertEqual(answer.headers["MCP-Protocol-Version"], answered)
            self.assertEqual(answer.result["capabilities"],
                             {"logging": {}, "tools": {"listChanged": True}})
            self.assertEqual(answer.result["instructions"], "Say hello.")
            info = {"name": "eras", "version": "2.0"}
            if answered > "2025-03-26":
                info["title"] = "Eras"
            self.assertEqual(answer.result["serverInfo"], info)

    def test_the_body_of_initialize_decides(self):
        for header in ("2025-03-26", "2025-11-25"):
            answer = self.initialize("2025-06-18",
                                     {"MCP-Protocol-Version": header})
            self.assertEqual(answer.result["protocolVersion"], "2025-06-18")

    def test_a_bad_initialize(self):
        for params in ({}, {"protocolVersion": 1},
                       {"protocolVersion": "2025-11-25", "clientInfo": []},
                       {"protocolVersion": "2025-11-25", "capabilities": 1}):
            answer = self.server.post({"jsonrpc": "2.0", "id": 1,
                                       "method": "initialize",
                                       "params": params})
            self.assertEqual(answer.error["code"], -32602)
            self.assertIsNone(answer.headers.get("Mcp-Session-Id"))

    def test_ping_and_level(self):
        for headers in ({}, self.server.session().headers()):
            for method, params in (("ping", {}), ("logging/setLevel",
                                                  {"level": "info"})):
                answer = self.server.post(body(method, None, **params),
                                          headers)
                self.assertEqual(answer.result, {})
            answer = self.server.post(body("logging/setLevel", None,
                                           level="loud"), headers)
            self.assertEqual(answer.error["code"], -32602)

    def test_a_version_that_is_not_ours_is_400(self):
        session = self.server.session()
        for version in ("1999-01-01", "2026-07-28", "x"):
            answer = self.server.post(body("ping", None), {
                **session.headers(), "MCP-Protocol-Version": version})
            self.assertEqual(answer.status, 400, version)

    def test_stdio_wants_initialize_first(self):
        process = self.start_stdio(APP)
        for method in ("tools/list", "tools/call", "no/such"):
            answer = process.request(body(method, None))
            self.assertEqual(answer["error"]["code"], -32600)
        self.assertEqual(process.request(body("ping", None))["result"], {})
        self.assertEqual(process.initialize("2025-06-18")["result"]
                         ["protocolVersion"], "2025-06-18")
        self.assertIn("result", process.request(body("tools/list", None)))
        answer = process.request(body("no/such", None))
        self.assertEqual(answer["error"]["code"], -32601)


if __name__ == "__main__":
    unittest.main()
