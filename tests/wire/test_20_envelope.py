"""JSON-RPC envelopes on both wires: what is refused, how, with which id.

bugs.md B.2: B19 B21 B22 B24 B25 B26 B28 B29 B31 B32 B34 B35 B36 B39 B41 B42
B44 B45 B46.
"""

import json
import unittest

import wire

APP = """
local mcp = require "mcp"
mcp.tool("echo", function(args) return args end)
"""


def text(id, method="tools/list", rest=""):
    """A request whose id is this JSON text."""
    return '{"jsonrpc":"2.0","id":%s,"method":"%s"%s}' % (id, method, rest)


MODERN_HEADERS = {"MCP-Protocol-Version": wire.MODERN,
                  "Mcp-Method": "tools/list"}
META = ',"params":{"_meta":%s}' % json.dumps(wire.meta())

BAD_JSON = ['{"jsonrpc":', "{", "", " ", "nul", '{"jsonrpc":"2.0","id":1,',
            text(1) + " x", text(1, rest=",")]
BAD_NUMBERS = ["NaN", "0x10", "01", "Infinity", "-Infinity", "+1", ".5", "1."]
BAD_IDS = ["null", "true", "{}", "[]", "1.5", "1.0", "1e2"]
GOOD_IDS = ["0", "-1", "1", '"1"', '""', "9007199254740993", "123456789012345",
            "1753900000000", '"\\u0000"', "123456789012345678901234567890"]
BAD_ENVELOPES = [  # body, the id that must come back as JSON text
    ('{"hello":"world"}', None),
    ("{}", None),
    ("7", None),
    ('"ping"', None),
    ('{"jsonrpc":"1.0","id":1,"method":"ping"}', "1"),
    ('{"id":"x","method":"ping"}', '"x"'),
    ('{"jsonrpc":"2.0","id":2}', "2"),
    ('{"jsonrpc":"2.0","id":3,"method":12345}', "3"),
    ('{"jsonrpc":"2.0","id":4,"method":"ping","result":{}}', "4"),
]
DUPLICATES = [
    ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"safe",'
     '"name":"danger"}}', "1"),
    ('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', None),
    ('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo",'
     '"arguments":{"a":{"b":1,"\\u0062":2}}}}', "5"),
]


def id_text(body):
    """The id of a response as it is spelled, or None."""
    parsed = json.loads(body, parse_int=lambda digits: "int:" + digits)
    if "id" not in parsed:
        return None
    value = parsed["id"]
    if isinstance(value, str) and value.startswith("int:"):
        return value[4:]
    return json.dumps(value)


class Http(wire.TestCase):
    APP = APP

    def refused(self, body, code, id=None, headers=None):
        answer = self.server.post(body, headers)
        with self.subTest(body=body[:80], headers=headers):
            self.assertRejected(answer, 400, code)
            self.assertEqual(id_text(answer.body), id)
        return answer

    def test_no_json(self):
        for body in BAD_JSON:
            self.refused(body, -32700)
            self.refused(body, -32700, headers=MODERN_HEADERS)

    def test_numbers_that_json_has_not(self):
        for number in BAD_NUMBERS:
            self.refused(text(1, "tools/call", ',"params":{"name":"echo",'
                              '"arguments":{"x":%s}}' % number), -32700)

    def test_bytes_that_are_no_utf8(self):
        answer = self.server.post(b'{"jsonrpc":"2.0","id":1,"method":"\xff"}')
        self.assertRejected(answer, 400, -32700)

    def test_ids(self):
        for id in BAD_IDS:
            self.refused(text(id), -32600)
            self.refused(text(id, rest=META), -32600, headers=MODERN_HEADERS)
        for id in GOOD_IDS:
            for rest, headers in (("", {}), (META, MODERN_HEADERS)):
                with self.subTest(id=id, headers=headers):
                    answer = self.server.post(text(id, rest=rest), headers)
                    self.assertEqual(answer.status, 200)
                    self.assertIn("result", answer.json)
                    self.assertEqual(
                        id_text(answer.body), id_text('{"id":%s}' % id))

    def test_envelopes(self):
        for body, id in BAD_ENVELOPES:
            self.refused(body, -32600, id)
            self.refused(body, -32600, id, MODERN_HEADERS)

    def test_duplicate_keys(self):
        for body, id in DUPLICATES:
            self.refused(body, -32600, id)

    def test_batches(self):
        for body in ("[]", "[" + text(1) + "," + text(2) + "]"):
            self.refused(body, -32600)
            self.refused(body, -32600, headers=MODERN_HEADERS)
            session = self.server.session("2025-06-18")
            self.refused(body, -32600, headers=session.headers())

    def test_depth(self):
        self.refused(text(1, rest=',"params":{"a":' + "[" * 100000), -32700)
        deep = ',"params":{"a":%s%s}'
        self.refused(text(1, rest=deep % ("[" * 63, "]" * 63)), -32700)
        answer = self.server.post(text(1, rest=deep % ("[" * 62, "]" * 62)))
        self.assertIn("result", answer.json)

    def test_unknown_methods(self):
        answer = self.server.post(text(1, "no/such"))
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.error["code"], -32601)
        self.assertRejected(self.server.rpc("no/such"), 404, -32601)
        answer = self.server.rpc("tool/list")
        self.assertIn('"tools/list"', answer.error["message"])
        for method in ("resources/list", "resources/templates/list",
                       "resources/read", "prompts/list",
                       "completion/complete"):
            params = {"uri": "x"} if method == "resources/read" else None
            self.assertRejected(self.server.rpc(method, params, id="m"), 404,
                                -32601)
            answer = self.server.post(text('"l"', method))
            self.assertEqual(answer.error["code"], -32601)
            self.assertEqual(answer.json["id"], "l")

    def test_responses_of_a_client(self):
        body = '{"jsonrpc":"2.0","id":1,"result":{}}'
        self.refused(body, -32600, "1", {"MCP-Protocol-Version": wire.MODERN})
        for headers in ({}, self.server.session().headers()):
            answer = self.server.post(body, headers)
            self.assertEqual((answer.status, answer.body), (202, b""))

    def test_notifications(self):
        bodies = ['{"jsonrpc":"2.0","method":"notifications/initialized"}',
                  '{"jsonrpc":"2.0","method":"notifications/nonsense"}',
                  '{"jsonrpc":"2.0","method":"tools/call","params":{"name":'
                  '"echo"}}']
        for body in bodies:
            for headers in ({}, {"MCP-Protocol-Version": wire.MODERN},
                            self.server.session().headers()):
                answer = self.server.post(body, headers)
                self.assertEqual((answer.status, answer.body), (202, b""))
                self.assertIsNone(answer.headers.get("Content-Type"))

    def test_params_that_are_no_object(self):
        for params in ("[]", "5", '"x"', "true"):
            rest = ',"params":' + params
            answer = self.server.post(text(1, rest=rest))
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.error["code"], -32602)
            self.refused(text(1, rest=rest), -32602, "1", MODERN_HEADERS)
        self.assertIn("result",
                      self.server.post(text(1, rest=',"params":null')).json)

    def test_requests_before_initialized(self):
        answer = self.server.post({
            "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": wire.CLIENT_INFO}})
        session = {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"]}
        self.assertIn("result", self.server.post(text(2), session).json)


class Stdio(wire.TestCase):
    def test_malformed_lines(self):
        process = self.start_stdio(APP)
        for body, code, id in (
                [(b, -32700, None) for b in BAD_JSON if b.strip()]
                + [(b, -32600, i) for b, i in BAD_ENVELOPES + DUPLICATES]
                + [(text(i), -32600, None) for i in BAD_IDS]
                + [("[]", -32600, None), ("[" + text(1) + "]", -32600, None)]):
            with self.subTest(body=body):
                process.send(body)
                line = process.line()
                self.assertEqual(json.loads(line)["error"]["code"], code)
                self.assertEqual(id_text(line), id)
        self.assertTrue(process.silent())

    def test_no_answer_where_none_is_due(self):
        process = self.start_stdio(APP)
        for body in ('{"jsonrpc":"2.0","method":"notifications/nonsense"}',
                     '{"jsonrpc":"2.0","method":"tools/list"}',
                     '{"jsonrpc":"2.0","id":1,"result":{}}',
                     '{"jsonrpc":"2.0","id":null,"error":{"code":1,'
                     '"message":"x"}}'):
            process.send(body)
        self.assertTrue(process.silent())
        self.assertIn("result", process.request(wire.modern("tools/list")))

    def test_ids_come_back_digit_for_digit(self):
        process = self.start_stdio(APP)
        for id in GOOD_IDS:
            process.send(text(id, rest=META))
            self.assertEqual(id_text(process.line()),
                             id_text('{"id":%s}' % id))


if __name__ == "__main__":
    unittest.main()
