"""Legacy sessions: ids, ends, limits; batches of 2025-03-26.

bugs.md B.4: B61 B62 B65 B66 B68 B69 B71 B72; B38 of B.2.
"""

import threading
import time
import unittest

import wire

APP = """
local mcp = require "mcp"
mcp.tool("nap", function(seconds, ctx) ctx.sleep(seconds) return "up" end)
mcp.tool("talk", function(ctx) ctx.info("i") ctx.error("e") return "done" end)
"""
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def levels(answer):
    return [m["params"]["level"] for m in answer.messages if "params" in m]


class Sessions(wire.TestCase):
    APP = APP

    def status(self, session_id, method="POST", body=PING):
        body = body if method == "POST" else None
        headers = {"Mcp-Session-Id": session_id}
        if method == "POST":
            return self.server.post(body, headers).status
        return self.server.request(method, None, body, headers).status

    def test_ids(self):
        ids = [self.server.session().id for _ in range(20)]
        self.assertEqual(len(set(ids)), 20)
        for id in ids:
            self.assertRegex(id, r"\A[0-9a-f]{32,}\Z")

    def test_the_header_comes_once(self):
        answer = self.server.post({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                       "clientInfo": wire.CLIENT_INFO}})
        self.assertEqual(len(answer.headers.get_all("Mcp-Session-Id")), 1)
        again = self.server.post(PING, {
            "Mcp-Session-Id": answer.headers["Mcp-Session-Id"]})
        self.assertIsNone(again.headers.get("Mcp-Session-Id"))

    def test_unknown_is_404(self):  # also one of before a restart: B64
        for id in ("deadbeef", "0" * 32, "x" * 500):
            for method in ("POST", "GET", "DELETE"):
                self.assertEqual(self.status(id, method), 404)
            self.assertEqual(self.status(
                id, body={"jsonrpc": "2.0", "method": "notifications/x"}), 404)
        answer = self.server.post(PING, {"Mcp-Session-Id": "deadbeef"})
        self.assertEqual(answer.type, "application/json")
        self.assertEqual(answer.json["id"], 1)

    def test_delete(self):
        one, other = self.server.session(), self.server.session()
        answer = one.delete()
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.assertEqual(one.delete().status, 404)
        self.assertEqual(one.request("tools/list").status, 404)
        self.assertIn("tools", other.request("tools/list").result)

    def test_get_and_delete_without_one(self):
        for method in ("GET", "DELETE"):
            answer = self.server.request(method)
            self.assertEqual(answer.status, 405)
            self.assertIn("POST", answer.headers["Allow"])
        answer = self.server.get(self.server.path, {"Accept": "text/html"})
        self.assertEqual(answer.status, 405)

    def test_without_one_it_is_served(self):
        answer = self.server.post({"jsonrpc": "2.0", "id": 1,
                                   "method": "tools/list"})
        self.assertIn("tools", answer.result)

    def test_levels_do_not_mix(self):
        quiet, loud = self.server.session(), self.server.session()
        quiet.request("logging/setLevel", {"level": "error"})
        self.assertEqual(levels(quiet.call("talk")), ["error"])
        self.assertEqual(levels(loud.call("talk")), ["info", "error"])
        self.assertEqual(levels(self.server.call("talk")), [])
        self.assertEqual(levels(self.server.call("talk", logLevel="debug")),
                         ["info", "error"])
        answer = self.server.post({"jsonrpc": "2.0", "id": 1,
                                   "method": "tools/call",
                                   "params": {"name": "talk"}})
        self.assertEqual(levels(answer), [])


class Limits(wire.TestCase):
    APP = APP
    OPTIONS = ["--max-sessions", "50"]

    def test_growth_is_bounded(self):
        first = self.server.session()
        middle = [self.server.session() for _ in range(49)]  # N
        self.assertIn("tools", first.request("tools/list").result)
        self.server.session()  # N + 1: the least recently used one goes
        self.assertEqual(middle[0].request("ping").status, 404)
        self.assertEqual(middle[1].request("ping").status, 200)
        self.assertEqual(first.request("ping").status, 200)

    def test_many_handshakes_take_no_more_memory(self):
        def handshakes(count):
            connection = self.server.connection()
            message = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                       "params": {"protocolVersion": "2025-11-25",
                                  "capabilities": {},
                                  "clientInfo": wire.CLIENT_INFO}}
            for _ in range(count):
                self.server.post(message, connection=connection)
            connection.close()
        handshakes(500)
        before = self.server.rss_kib()
        handshakes(3000)
        # ASan keeps freed memory for a while: its quarantine is not growth.
        self.assertLess(self.server.rss_kib() - before, 60000)

    def test_idle_ones_end_and_a_running_call_keeps_its_own(self):
        server = self.start(APP, options=["--session-idle", "1"])
        idle, busy = server.session(), server.session()
        answers = []
        thread = threading.Thread(
            target=lambda: answers.append(busy.call("nap", {"seconds": 3.5})))
        thread.start()
        time.sleep(3)
        self.assertEqual(idle.request("ping").status, 404)
        thread.join()
        self.assertEqual(answers[0].result["content"][0]["text"], "up")
        self.assertEqual(busy.request("ping").status, 200)


class Required(wire.TestCase):
    APP = APP
    OPTIONS = ["--sessions", "required"]

    def test_without_one_it_is_400(self):
        answer = self.server.post(PING)
        self.assertRejected(answer, 400, -32600)
        self.assertEqual(answer.json["id"], 1)
        session = self.server.session()
        self.assertEqual(session.request("ping").result, {})
        self.assertIn("tools", self.server.rpc("tools/list").result)


class Batches(wire.TestCase):
    APP = APP

    @staticmethod
    def nap(id, seconds):
        return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params":
                {"name": "nap", "arguments": {"seconds": seconds}}}

    def test_a_session_of_2025_03_26(self):
        session = self.server.session("2025-03-26")
        note = {"jsonrpc": "2.0", "method": "notifications/x"}
        answer = self.server.post(
            [self.nap("slow", 0.2), note, PING, self.nap(3, 0), 7],
            session.headers())
        self.assertEqual(answer.status, 200)
        responses = answer.messages[-1]
        self.assertEqual([r.get("id") for r in responses],
                         ["slow", 1, 3, None])
        self.assertEqual(responses[1]["result"], {})
        self.assertEqual(responses[3]["error"]["code"], -32600)
        answer = self.server.post([note, note], session.headers())
        self.assertEqual((answer.status, answer.body), (202, b""))
        answer = self.server.post([], session.headers())
        self.assertRejected(answer, 400, -32600)
        answer = self.server.post([{
            "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-03-26"}}], session.headers())
        self.assertEqual(answer.json[0]["error"]["code"], -32600)

    def test_the_parts_run_side_by_side(self):
        session = self.server.session("2025-03-26")
        began = time.monotonic()
        answer = self.server.post([self.nap(i, 1) for i in range(12)],
                                  session.headers())
        self.assertEqual([r["id"] for r in answer.messages[-1]],
                         list(range(12)))
        self.assertLess(time.monotonic() - began, 11)

    def test_stdio(self):
        process = self.start_stdio(APP)
        process.initialize("2025-03-26")
        process.send([PING, self.nap(2, 0)])
        self.assertEqual([r["id"] for r in process.receive()], [1, 2])


if __name__ == "__main__":
    unittest.main()
