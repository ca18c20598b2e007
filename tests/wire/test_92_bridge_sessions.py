"""mcpluad bridge and the 2025 revisions: sessions, their streams, renewing and
resuming, which the client never notices."""

import threading
import time
import unittest

import bridge as harness
import wire
from test_90_bridge import ERROR, call, echo, request


class Sessions:
    """A remote with sessions s1, s2, ...; `known` are those alive."""

    def __init__(self, stream=None, other=echo):
        self.stream, self.other = stream, other
        self.known, self.count = set(), 0
        self.opens = True
        self.delay = 0

    def __call__(self, incoming):
        id = incoming.headers.get("mcp-session-id")
        if incoming.rpc == "initialize":
            time.sleep(self.delay)
            if not self.opens:
                incoming.empty(500)
                return
            self.count += 1
            self.known.add("s%d" % self.count)
            incoming.result({"protocolVersion": "2025-11-25"},
                            {"Mcp-Session-Id": "s%d" % self.count})
        elif id not in self.known:
            incoming.empty(404)
        elif incoming.method == "GET":
            if self.stream is None:
                incoming.empty(405)
            else:
                self.stream(incoming)
        elif incoming.method == "DELETE":
            self.known.discard(id)
            incoming.empty(204)
        else:
            self.other(incoming)


def note(name):
    return {"jsonrpc": "2.0", "method": name}


class Renewing(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.sessions = Sessions()
        self.far_remote = self.remote(self.sessions)
        self.far = self.bridge(self.far_remote.url)

    def ids(self, rpc):
        return [r.headers.get("mcp-session-id") for r in
                self.far_remote.of(rpc)]

    def test_once_for_all_that_wait(self):
        self.far.initialize(id="i")
        self.far.request(call("x", id=1))
        self.sessions.known.clear()
        for i in range(30):
            self.far.send(call("x", id=i))
        answers = self.far.answers(30)
        self.assertTrue(all("result" in a for a in answers.values()))
        self.assertTrue(self.far.silent(0.2))
        self.assertEqual(self.ids("initialize"), [None, None])
        self.assertEqual(self.ids("notifications/initialized"), ["s1", "s2"])
        first, second = self.far_remote.of("initialize")
        self.assertEqual(first.body, second.body)
        self.assertNotIn("mcp-protocol-version", second.headers)
        self.far.stop()
        self.assertEqual(self.ids("DELETE"), ["s2"])
        self.assertEqual(self.sessions.known, set())

    def test_the_new_session_knows_what_the_old_one_knew(self):
        self.far.initialize()
        for i, (method, params) in enumerate((
                ("resources/subscribe", {"uri": "a:1"}),
                ("resources/subscribe", {"uri": "a:2"}),
                ("logging/setLevel", {"level": "debug"}),
                ("resources/unsubscribe", {"uri": "a:1"}),
                ("logging/setLevel", {"level": "error"}))):
            self.far.request(request(method, params, i))
        self.sessions.known.clear()
        self.far.request(request("ping", id=9))
        end = time.monotonic() + 5
        while time.monotonic() < end:
            again = [r.message for r in self.far_remote.requests
                     if r.headers.get("mcp-session-id") == "s2" and
                     r.rpc not in ("", "ping", "notifications/initialized")]
            if len(again) == 2:
                break
        self.assertEqual(
            sorted((m["method"], m["params"]) for m in again), [
                ("logging/setLevel", {"level": "error"}),
                ("resources/subscribe", {"uri": "a:2"})])
        self.assertTrue(self.far.silent())  # no answers to those
        self.far.stop()

    def test_a_remote_that_opens_no_other(self):
        self.far.initialize()
        self.far.request(call("x", id=1))
        self.sessions.known.clear()
        self.sessions.opens = False
        for i in range(5):
            self.far.send(call("x", id=i))
        for answer in self.far.answers(5).values():
            self.assertEqual(answer["error"]["code"], ERROR)
            self.assertIn("session", answer["error"]["message"])
        self.sessions.opens = True
        self.assertIn("result", self.far.request(call("x", id=9)))
        self.far.stop()

    def test_a_remote_that_forgets_at_once(self):
        self.far.initialize()
        self.far.request(call("x", id=1))
        self.sessions.known = type("Nothing", (set,), {
            "add": lambda self, value: None})()
        answer = self.far.request(call("x", id=2), 20)
        self.assertEqual(answer["error"]["code"], ERROR)
        self.far.kill()

    def test_404_without_a_session_is_told(self):
        far = self.bridge(self.remote(lambda r: r.empty(404)).url)
        answer = far.request(request("x"))
        self.assertEqual(answer["error"]["data"], {"status": 404})
        far.stop()


class Opening(harness.TestCase):
    def test_what_is_behind_initialize_waits(self):
        sessions = Sessions()
        sessions.delay = 0.5
        remote = self.remote(sessions)
        far = self.bridge(remote.url)
        far.send(b"\n".join(map(wire.encode, (
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}}},
            note("notifications/initialized"), call("x", id=1)))))
        far.answers(2)
        self.assertEqual([r.rpc for r in remote.requests if r.rpc], [
            "initialize", "notifications/initialized", "tools/call"])
        self.assertEqual(remote.of("tools/call")[0].headers["mcp-session-id"],
                         "s1")
        far.stop()

    def test_an_initialize_that_fails_holds_up_nothing(self):
        sessions = Sessions()
        sessions.opens = False
        far = self.bridge(self.remote(sessions).url)
        answer = far.initialize()
        self.assertEqual(answer["error"]["data"], {"status": 500})
        self.assertEqual(far.request(request("ping"))["error"]["data"],
                         {"status": 404})
        sessions.opens = True
        self.assertIn("result", far.initialize(id=7))
        self.assertIn("result", far.request(request("ping")))
        far.stop()

    def test_a_remote_without_sessions(self):
        remote = self.remote(lambda r: r.empty(405) if r.method == "GET" else
                             r.result({"protocolVersion": "2025-03-26"})
                             if r.rpc == "initialize" else echo(r))
        far = self.bridge(remote.url)
        far.initialize("2025-03-26")
        far.request(request("ping"))
        self.assertNotIn("mcp-session-id", remote.of("ping")[0].headers)
        far.stop()
        self.assertEqual(remote.of("DELETE"), [])

    def test_ping_before_initialize_is_legacy(self):
        remote = self.remote(echo)
        far = self.bridge(remote.url)
        far.request(request("ping"))
        self.assertNotIn("mcp-method", remote.requests[0].headers)
        self.assertEqual(remote.requests[0].message, request("ping"))
        far.stop()

    def test_batches(self):
        def other(incoming):
            incoming.raw([{"jsonrpc": "2.0", "id": m["id"], "result": {}}
                          for m in incoming.message if "id" in m])
        sessions = Sessions(other=lambda r: other(r) if isinstance(
            r.message, list) else echo(r))
        far = self.bridge(self.remote(sessions).url)
        far.initialize("2025-03-26")
        far.send([request("a", id=1), note("n"), request("b", id="2")])
        self.assertEqual([m["id"] for m in far.receive()], [1, "2"])
        sessions.other = lambda r: r.empty(500)
        far.send([request("a", id=3), note("n"), request("b", id=4)])
        answers = far.answers(2)
        self.assertEqual({answers[i]["error"]["code"] for i in (3, 4)},
                         {ERROR})
        far.stop()


class Streams(harness.TestCase):
    def opened(self, stream=None, other=echo, *options):
        self.sessions = Sessions(stream, other)
        self.far_remote = self.remote(self.sessions)
        far = self.bridge(self.far_remote.url, *options)
        far.initialize()
        return far

    def test_the_stream_comes_back_behind_its_last_event(self):
        def stream(incoming):
            last = incoming.headers.get("last-event-id")
            incoming.sse()
            incoming.event(note("after %s" % last), id="e%s" % last,
                           retry=50)
            if last is not None:
                incoming.gone()
        far = self.opened(stream)
        self.assertEqual(far.receive()["method"], "after None")
        self.assertEqual(far.receive()["method"], "after eNone")
        far.stop()

    def test_a_remote_that_has_no_stream_is_not_asked_again(self):
        far = self.opened()
        time.sleep(2)
        self.assertEqual(len(self.far_remote.of("GET")), 1)
        far.stop()

    def test_a_lost_session_is_noticed_by_the_stream(self):
        gate = threading.Event()

        def stream(incoming):
            incoming.sse()
            incoming.event(note("in " + incoming.headers["mcp-session-id"]),
                           retry=10)
            if incoming.headers["mcp-session-id"] == "s1":
                gate.wait(10)
            else:
                incoming.gone()
        far = self.opened(stream)
        self.assertEqual(far.receive()["method"], "in s1")
        self.sessions.known.clear()
        gate.set()
        self.assertEqual(far.receive()["method"], "in s2")
        far.stop()

    def test_a_silent_stream_is_opened_again(self):
        def stream(incoming):
            incoming.sse()
            incoming.event(note("hello"), retry=10)
            incoming.gone()
        far = self.opened(stream, echo, "--sse-read-timeout", "0.5")
        for _ in range(3):
            self.assertEqual(far.receive()["method"], "hello")
        far.stop()

    def test_requests_of_the_remote(self):
        answered = threading.Event()

        def other(incoming):
            if incoming.rpc == "tools/call":
                incoming.sse()
                incoming.event({"jsonrpc": "2.0", "id": "q", "method": "ask"})
                answered.wait(10)
                incoming.event_result({})
            else:
                if incoming.message and "result" in incoming.message:
                    answered.set()
                incoming.empty(202)
        far = self.opened(None, other)
        far.send(call("x", id="q"))  # the same id, on the other side
        self.assertEqual(far.receive(), {
            "jsonrpc": "2.0", "id": "q", "method": "ask"})
        far.send({"jsonrpc": "2.0", "id": "q", "result": {"a": 1}})
        self.assertEqual(far.receive()["result"], {})
        far.stop()

    def polled(self, again, *options, retry=20):
        """A call whose connection is closed behind event 7; `again` answers
        the GET."""
        def other(incoming):
            if incoming.rpc != "tools/call":
                echo(incoming)
                return
            incoming.sse()
            incoming.event("", id="7", retry=retry)
        return self.opened(
            lambda r: again(r) if "last-event-id" in r.headers
            else r.empty(405), other, *options)

    def resumed(self):
        return [r for r in self.far_remote.of("GET")
                if r.headers.get("last-event-id") == "7"]

    def test_a_call_is_resumed(self):
        def again(incoming):
            incoming.sse()
            incoming.event(note("more"), id="8")
            incoming.event({"jsonrpc": "2.0", "id": "c", "result": {"b": 2}})
        far = self.polled(again)
        answer = far.request(call("x", id="c"))
        self.assertEqual(answer["result"], {"b": 2})
        self.assertEqual([n["method"] for n in far.notifications], ["more"])
        self.assertEqual(self.resumed()[0].headers["mcp-session-id"], "s1")
        self.assertEqual(len(self.far_remote.of("tools/call")), 1)
        far.stop()

    def test_retry_is_respected(self):
        def again(incoming):
            incoming.sse()
            incoming.event({"jsonrpc": "2.0", "id": "c", "result": {}})
        far = self.polled(again, retry=1500)
        begin = time.monotonic()
        far.request(call("x", id="c"))
        self.assertGreater(time.monotonic() - begin, 1.5)
        far.stop()

    def test_a_call_that_cannot_be_resumed(self):
        for again, why in ((lambda r: r.empty(405), "HTTP 405"),
                           (lambda r: r.raw("x", 200, "text/plain"),
                            "content type"),
                           (lambda r: r.sse(), "ended the stream")):
            far = self.polled(again)
            answer = far.request(call("x", id="c"))
            self.assertEqual(answer["error"]["code"], ERROR)
            self.assertIn(why, answer["error"]["message"])
            self.assertLessEqual(len(self.resumed()), 5)
            far.stop()

    def test_what_may_have_been_done_is_not_done_twice(self):
        def again(incoming):
            self.sessions.known.clear()
            incoming.empty(404)
        far = self.polled(again)
        answer = far.request(call("x", id="c"))
        self.assertEqual(answer["error"]["data"], {"status": 404})
        self.assertEqual(len(self.far_remote.of("tools/call")), 1)
        far.stop()

    def test_a_cancelled_call_is_posted_and_ends_without_an_answer(self):
        posted = threading.Event()

        def other(incoming):
            if incoming.rpc == "tools/call":
                posted.wait(10)
                incoming.sse()
            else:
                if incoming.rpc == "notifications/cancelled":
                    posted.set()
                incoming.empty(202)
        far = self.opened(None, other)
        far.send(call("x", id=5))
        while not self.far_remote.of("tools/call"):
            time.sleep(0.01)
        far.send({**note("notifications/cancelled"),
                  "params": {"requestId": 5}})
        self.assertTrue(posted.wait(10))
        self.assertTrue(far.silent(0.5))
        far.stop()


if __name__ == "__main__":
    unittest.main()
