"""The harness against the real binary: both wires, both eras, start and stop."""

import signal
import unittest

import schemas
import wire

APP = """
local mcp = require "mcp"

mcp.server { name = "harness", version = "1.2.3" }

--- Greets someone.
mcp.tool("greet", function(name)
  return "Hello, " .. (name or "you") .. "!"
end)
"""


class Http(wire.TestCase):
    APP = APP

    def test_modern_list_and_call(self):
        tools = self.server.rpc("tools/list").result["tools"]
        self.assertEqual([t["name"] for t in tools], ["greet"])
        answer = self.server.call("greet", {"name": "Ada"}, id="a")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json["id"], "a")
        self.assertEqual(answer.result["resultType"], "complete")
        self.assertEqual(answer.result["content"],
                         [{"type": "text", "text": "Hello, Ada!"}])

    def test_legacy_session(self):
        session = self.server.session()
        self.assertIsNotNone(session.id)
        result = session.initialized.result
        self.assertEqual(result["protocolVersion"], "2025-11-25")
        self.assertEqual(result["serverInfo"]["name"], "harness")
        answer = session.call("greet", {"name": "Bo"})
        self.assertEqual(answer.result["content"][0]["text"], "Hello, Bo!")
        self.assertEqual(session.delete().status, 204)

    def test_raw_bytes(self):
        answer = self.server.raw("GET /healthz HTTP/1.1\r\nHost: x\r\n"
                                 "Connection: close\r\n\r\n")
        self.assertEqual(answer.status, 200)


class Stdio(wire.TestCase):
    def test_both_eras_on_one_pipe(self):
        process = self.start_stdio(APP)
        answer = process.request(wire.modern("tools/call", {
            "name": "greet", "arguments": {"name": "Cy"}}, id=7))
        self.assertEqual(answer["result"]["content"][0]["text"], "Hello, Cy!")
        self.assertEqual(process.initialize()["result"]["protocolVersion"],
                         "2025-11-25")
        self.assertEqual(process.request(
            {"jsonrpc": "2.0", "id": 8, "method": "ping"})["result"], {})


class Lifetime(wire.TestCase):
    def test_sigint_ends_it_as_sigterm_does(self):
        server = wire.Server(APP)
        server.signal(signal.SIGINT)
        server.wait_end()

    def test_version(self):
        done = wire.run("--version")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\bmcpluad \d+\.\d+\.\d+")


class Helpers(unittest.TestCase):
    """What the other tests lean on, judged without a server."""

    def test_header_value(self):
        self.assertEqual(wire.header_value("plain"), "plain")
        self.assertEqual(wire.header_value("é"), "=?base64?w6k=?=")
        self.assertEqual(wire.header_value(" x"), "=?base64?IHg=?=")

    def test_modern_headers(self):
        request = wire.modern("resources/read", {"uri": "test://a"}, id=3)
        self.assertEqual(request.headers, {
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "resources/read", "Mcp-Name": "test://a"})
        self.assertEqual(request.body["params"]["_meta"][
            "io.modelcontextprotocol/protocolVersion"], "2026-07-28")

    def test_events(self):
        lines = "id: 1\nretry: 5\ndata:\n\n: note\ndata: {}\n\n".split("\n")
        self.assertEqual(list(wire.parse_events(lines)), [
            wire.Event("1", None, "", "5"),
            wire.Event(None, None, "{}", None)])

    def test_a_report_is_recognised(self):
        for text in ("==1==ERROR: AddressSanitizer: heap-use",
                     "x.c:3:5: runtime error: signed integer overflow",
                     "WARNING: ThreadSanitizer: data race"):
            self.assertRegex(text, wire.REPORT)
        self.assertNotRegex("tool greet: error: no such file", wire.REPORT)


@wire.needs_shared("spec")
class Judging(unittest.TestCase):
    """The judge refuses what breaks a schema; wire.JUDGE asks it for all that
    the tests receive."""

    def setUp(self):
        if not isinstance(wire.JUDGE, schemas.Judge):
            self.skipTest("needs schema_check beside the binary")

    def judge(self, method, version, message):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
        wire.JUDGE.take(schemas.Sent(wire.encode(body), version),
                        wire.encode({"jsonrpc": "2.0", **message}))
        wire.JUDGE.judge()

    def test_what_is_right(self):
        for version in (wire.MODERN, *wire.LEGACY):
            self.judge("tools/call", version, {
                "id": 1, "error": {"code": -32603, "message": "m"}})
        for version in wire.LEGACY:
            self.judge("tools/list", version, {"id": 1, "result": {
                "tools": []}})
        self.judge("x", "2025-06-18", {"error": {"code": 1, "message": "m"}})

    def test_what_is_wrong(self):
        for version in (wire.MODERN, *wire.LEGACY):
            for method, message in (
                    ("tools/list", {"id": 1, "result": {"tools": {}}}),
                    ("prompts/get", {"id": 1, "result": {}}),
                    ("tools/call", {"id": None, "result": {"content": []}}),
                    ("x", {"id": None, "error": {"code": 1, "message": "m"}}),
                    ("x", {"id": 1, "error": {"code": "1", "message": "m"}}),
                    ("x", {"method": "notifications/progress", "params": {}}),
                    ("x", {"method": "notifications/unheard_of"})):
                with self.assertRaises(AssertionError):
                    self.judge(method, version, message)
        for version, message in (
                ("2025-03-26", {"id": 2, "method": "elicitation/create"}),
                (wire.MODERN, {"id": 1, "result": {"content": []}}),
                (wire.MODERN, {"id": 1, "error": {
                    "code": -32022, "message": "m"}}),
                ("2025-11-25", {"error": {"code": 1}})):
            with self.assertRaises(AssertionError):
                self.judge("tools/call", version, message)

    def test_each_message_reaches_it(self):
        received = []
        take, wire.JUDGE.take = wire.JUDGE.take, \
            lambda sent, text: received.append((sent, text))
        try:
            with wire.Server(APP) as server:
                server.call("greet")
                server.session("2025-06-18").call("greet")
                with server.stream(*wire.modern("subscriptions/listen", {
                        "notifications": {"toolsListChanged": True}})) as s:
                    s.message()
            with wire.Stdio(APP) as process:
                process.initialize("2025-03-26")
                process.request(wire.modern("tools/list", id=7))
        finally:
            wire.JUDGE.take = take
        versions = [sent.of(wire.json.loads(text)) for sent, text in received]
        self.assertEqual(versions, [
            (wire.MODERN, "tools/call"), ("2025-06-18", "initialize"),
            ("2025-06-18", "tools/call"), (wire.MODERN, None),
            ("2025-03-26", "initialize"), (wire.MODERN, "tools/list")])


if __name__ == "__main__":
    unittest.main()
