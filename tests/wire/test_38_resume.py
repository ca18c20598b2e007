"""Streams of legacy sessions that break off and are resumed (B.3, B.4)."""

import json
import random
import re
import threading
import time

import wire

APP = """
local mcp = require "mcp"

mcp.server { name = "resume", version = "1.0.0" }

mcp.tool("steps", function(n, pause, ctx)
  for i = 1, n do
    ctx.log("info", "step " .. i)
    ctx.sleep(pause)
  end
  return "done"
end)

mcp.tool("quiet", function(seconds, ctx)
  ctx.sleep(seconds)
  return "rested"
end)

mcp.tool("large", function(bytes, ctx)
  ctx.log("info", "soon")
  ctx.sleep(0.5)
  io.stderr:write("it ends\\n")
  return ("x"):rep(bytes)
end)

mcp.tool("ask", function(ctx)
  local answer = ctx.elicit { message = "Name?",
                              schema = { { "name", mcp.types.string() } } }
  return "hello " .. answer.content.name
end)

mcp.resource { uri = "t://note", name = "note", text = "n" }

mcp.tool("touch", function(ctx)
  mcp.notify_resource_updated("t://note")
  return "touched"
end)
"""


def texts(messages):
    """The steps that were logged, and the text of the answer."""
    return [m["params"]["data"] if "method" in m else
            m["result"]["content"][0]["text"] for m in messages]


class Case(wire.TestCase):
    APP = APP

    def closed(self, stream):
        self.addCleanup(stream.close)
        return stream

    def get(self, session, event_id):
        return self.closed(self.server.stream(None, {
            **session.headers(), "Last-Event-ID": event_id}, "GET"))

    def call(self, session, name, arguments=None):
        return self.closed(session.stream("tools/call", {
            "name": name, "arguments": arguments or {}}))

    def refused(self, session, event_id):
        return self.server.request("GET", None, None, {
            **session.headers(), "Accept": "text/event-stream",
            "Last-Event-ID": event_id})

    def steps(self, session, n, pause):
        return self.call(session, "steps", {"n": n, "pause": pause})


class Resuming(Case):
    OPTIONS = ["--sse-after", "0.2"]

    def test_every_event_has_an_id_of_its_own(self):
        seen = set()
        for version in wire.LEGACY:
            session = self.server.session(version)
            for _ in range(2):
                with self.steps(session, 3, 0) as stream:
                    events = list(stream)
                primed = version == "2025-11-25"
                self.assertEqual([e.data != "" for e in events],
                                 [False] * primed + [True] * 4)
                for event in events:
                    self.assertRegex(event.id, r"\A[!-~]+\Z")
                    self.assertIsNone(event.retry)
                ids = {e.id for e in events}
                self.assertEqual(len(ids), len(events))
                self.assertFalse(ids & seen)
                seen |= ids

    def test_no_ids_without_a_session(self):
        request = wire.modern("tools/call", {
            "name": "steps", "arguments": {"n": 2, "pause": 0}},
            logLevel="info")
        with self.server.stream(*request) as stream:
            self.assertEqual([e.id for e in stream], [None] * 3)

    def test_the_result_of_a_call_that_went_on(self):
        for version in wire.LEGACY:
            session = self.server.session(version)
            stream = self.steps(session, 4, 0.15)
            first = next(e for e in stream if e.data)
            stream.close()
            time.sleep(0.25)  # two more meanwhile
            with self.get(session, first.id) as rest:
                self.assertEqual(rest.status, 200)
                self.assertEqual(texts(rest.messages()),
                                 ["step 2", "step 3", "step 4", "done"])
            # once more, now that it is over
            with self.get(session, first.id) as rest:
                self.assertEqual(texts(rest.messages()),
                                 ["step 2", "step 3", "step 4", "done"])

    def test_a_silent_call_is_primed(self):
        session = self.server.session()
        stream = self.call(session, "quiet", {"seconds": 0.6})
        first = next(iter(stream))
        self.assertEqual(first.data, "")
        stream.close()
        with self.get(session, first.id) as rest:
            self.assertEqual(texts(rest.messages()), ["rested"])

    def test_from_the_middle_and_from_the_end(self):
        session = self.server.session()
        with self.steps(session, 3, 0) as stream:
            events = list(stream)
        for i, event in enumerate(events[:-1]):
            with self.get(session, event.id) as rest:
                self.assertEqual([e for e in rest if e.data], [
                    e for e in events[i + 1:] if e.data])
        self.assertEqual(self.refused(session, events[-1].id).status, 204)

    def test_only_that_stream(self):
        session = self.server.session()
        first = self.steps(session, 3, 0.2)
        second = self.steps(session, 5, 0.1)
        event = next(e for e in first if e.data)
        first.close()
        with self.get(session, event.id) as rest:
            self.assertEqual(texts(rest.messages()),
                             ["step 2", "step 3", "done"])
        self.assertEqual(texts(second.messages()),
                         ["step %d" % i for i in range(1, 6)] + ["done"])

    def test_a_second_reader_takes_over(self):
        session = self.server.session()
        stream = self.steps(session, 4, 0.3)
        event = next(e for e in stream if e.data)
        one = self.get(session, event.id)
        self.assertEqual(stream.messages(), [])  # its connection ends
        self.assertEqual(texts([one.message()]), ["step 2"])
        with self.get(session, event.id) as two:
            self.assertEqual(one.messages(), [])
            self.assertEqual(texts(two.messages()),
                             ["step 2", "step 3", "step 4", "done"])

    def test_ids_that_name_nothing(self):
        session, other = self.server.session(), self.server.session()
        with self.steps(session, 1, 0) as stream:
            event = next(iter(stream))
        with self.steps(other, 1, 0) as stream:
            foreign = next(iter(stream))
        key, number = event.id.split("-", 1)
        for bad in (foreign.id, "x", "0", "0" * 16 + "-" + number,
                    key + "-99-1", key + "-" + number.replace("-", "--"),
                    key + "-0" + number, key, "9" * 300):
            self.assertRejected(self.refused(session, bad), 400, -32600)
        twice = self.server.raw(
            "GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: %s\r\n"
            "Accept: text/event-stream\r\nLast-Event-ID: %s\r\n"
            "Last-Event-ID: %s\r\n\r\n" % (session.id, event.id, event.id))
        self.assertRejected(twice, 400, -32600)

    def test_the_session_decides(self):
        session = self.server.session()
        with self.steps(session, 1, 0) as stream:
            event = next(iter(stream))
        answer = self.server.request("GET", None, None, {
            "Accept": "text/event-stream", "Last-Event-ID": event.id})
        self.assertRejected(answer, 405, -32600)
        session.delete()
        self.assertRejected(self.refused(session, event.id), 404, -32600)

    def test_accept(self):
        session = self.server.session()
        with self.steps(session, 1, 0) as stream:
            event = next(iter(stream))
        answer = self.server.request("GET", None, None, {
            **session.headers(), "Accept": "application/json",
            "Last-Event-ID": event.id})
        self.assertRejected(answer, 406, -32600)

    def test_a_cancelled_call_has_no_result(self):
        session = self.server.session()
        stream = self.steps(session, 50, 0.1)
        event = next(e for e in stream if e.data)
        stream.close()
        rest = self.get(session, event.id)
        self.assertEqual(rest.status, 200)
        session.notify("notifications/cancelled",
                       {"requestId": session.next_id - 1})
        self.assertNotIn("done", texts(rest.messages()))

    def test_a_question_is_answered_after_a_break(self):
        session = self.server.session(capabilities={"elicitation": {}})
        stream = self.call(session, "ask")
        primed = next(iter(stream))
        stream.close()
        with self.get(session, primed.id) as rest:
            question = rest.message()
            self.assertEqual(question["method"], "elicitation/create")
            self.server.post({"jsonrpc": "2.0", "id": question["id"],
                              "result": {"action": "accept",
                                         "content": {"name": "Ada"}}},
                             session.headers())
            self.assertEqual(texts(rest.messages()), ["hello Ada"])

    def test_large_results(self):
        session = self.server.session()
        for size, kept in ((3 << 20, True), (5 << 20, False)):
            ended = self.server.stderr.count("it ends")
            stream = self.call(session, "large", {"bytes": size})
            event = next(e for e in stream if e.data)
            stream.close()
            self.server.wait_said("it ends", ended + 1)
            time.sleep(1.5)  # for megabytes to be written as JSON
            with self.get(session, event.id) as rest:
                message = rest.messages()[-1]
            self.assertEqual(message["id"], session.next_id - 1)
            if kept:
                self.assertEqual(len(texts([message])[0]), size)
            else:
                self.assertIn("too large to be kept",
                              message["error"]["message"])

    def test_a_large_result_to_a_waiting_reader(self):
        session = self.server.session()
        stream = self.call(session, "large", {"bytes": 5 << 20})
        event = next(e for e in stream if e.data)
        with self.get(session, event.id) as rest:
            self.assertEqual(len(texts(rest.messages())[-1]), 5 << 20)
        stream.close()


class Listening(Case):
    def listen(self, session, **headers):
        return self.closed(self.server.stream(
            None, {**session.headers(), **headers}, "GET"))

    def test_a_lost_message_is_sent_again(self):
        for version in wire.LEGACY:
            session = self.server.session(version)
            session.request("resources/subscribe", {"uri": "t://note"})
            stream = self.listen(session)
            for _ in range(3):
                session.call("touch")
            events = []
            while len([e for e in events if e.data]) < 3:
                events.append(next(iter(stream)))
            told = [e for e in events if e.data]
            stream.close()
            with self.get(session, told[0].id) as again:
                self.assertEqual(next(iter(again)), told[1])
                self.assertEqual(next(iter(again)), told[2])
                session.call("touch")
                self.assertEqual(again.message()["method"],
                                 "notifications/resources/updated")

    def test_a_new_stream_begins_anew(self):
        session = self.server.session()
        session.request("resources/subscribe", {"uri": "t://note"})
        with self.listen(session) as stream:
            session.call("touch")
            self.assertIsNotNone(stream.message())
        with self.listen(session) as stream:
            event = next(iter(stream))
            self.assertEqual(event.data, "")


class Polling(Case):
    OPTIONS = ["--sse-after", "0.1", "--sse-poll-after", "0.5"]

    def test_the_server_ends_the_stream_and_the_client_comes_back(self):
        session = self.server.session()
        stream = self.call(session, "quiet", {"seconds": 4})
        events = list(stream)
        self.assertEqual([(e.data, e.retry) for e in events], [("", "1000")])
        polls = 0
        while True:
            with self.get(session, events[-1].id) as rest:
                self.assertEqual(rest.status, 200)
                events = list(rest)
            polls += 1
            if events[-1].data:
                break
            self.assertEqual([e.data for e in events], [""])
        self.assertEqual(events[-1].id.count("-"), 2)
        self.assertIn("rested", events[-1].data)
        self.assertGreaterEqual(polls, 2)

    def test_older_clients_are_not_sent_away(self):
        for version in wire.LEGACY[1:]:
            session = self.server.session(version)
            with self.steps(session, 3, 0.4) as stream:
                self.assertEqual(texts(stream.messages())[-1], "done")

    def test_modern_calls_and_listeners_stay(self):
        session = self.server.session()
        listening = self.server.stream(None, session.headers(), "GET")
        request = wire.modern("tools/call", {
            "name": "steps", "arguments": {"n": 3, "pause": 0.4}},
            logLevel="info")
        with self.server.stream(*request) as stream:
            self.assertEqual(texts(stream.messages())[-1], "done")
        session.request("resources/subscribe", {"uri": "t://note"})
        session.call("touch")
        self.assertIsNotNone(listening.message())
        listening.close()

    def test_a_question_waits_for_the_client_to_come_back(self):
        session = self.server.session(capabilities={"elicitation": {}})
        stream = self.call(session, "ask")
        events = list(stream)  # up to the end of the connection
        self.assertIn("elicitation/create", events[-1].data)
        question = re.search(r'"id":"([^"]+)"', events[-1].data).group(1)
        self.server.post({"jsonrpc": "2.0", "id": question,
                          "result": {"action": "accept",
                                     "content": {"name": "Ada"}}},
                         session.headers())
        with self.get(session, events[-1].id) as rest:
            self.assertEqual(texts(rest.messages()), ["hello Ada"])


class ManyBreaks(Case):
    """Calls whose clients leave and come back at any moment: each message comes
    once and in order, however often the connection broke."""

    OPTIONS = ["--sse-after", "0.05", "--sse-poll-after", "0.2"]
    CLIENTS, STEPS = 24, 12

    def follow(self, seed):
        """One client: what it got in the end."""
        choice = random.Random(seed)
        session = self.server.session(
            wire.LEGACY[0] if seed % 3 else "2025-06-18")
        stream = session.stream("tools/call", {
            "name": "steps", "arguments": {"n": self.STEPS, "pause": 0.03}})
        last, got = None, []
        while True:
            left = choice.randint(1, 4)  # events until it leaves
            for event in stream:
                last = event.id
                if event.data:
                    got.append(json.loads(event.data))
                left -= 1
                if left == 0:
                    break
            stream.close()
            if got and "method" not in got[-1]:
                return texts(got)
            if choice.random() < 0.3:
                time.sleep(choice.random() * 0.2)
            stream = self.server.stream(None, {
                **session.headers(), "Last-Event-ID": last}, "GET")
            self.assertEqual(stream.status, 200)

    def test_every_message_comes_once(self):
        results = {}

        def run(seed):
            try:
                results[seed] = self.follow(seed)
            except Exception as error:  # told by the main thread
                results[seed] = error

        threads = [threading.Thread(target=run, args=(seed,))
                   for seed in range(self.CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        expected = ["step %d" % i for i in range(1, self.STEPS + 1)] + ["done"]
        self.assertEqual(results, {seed: expected
                                   for seed in range(self.CLIENTS)})
