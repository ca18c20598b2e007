"""Questions to the client: by replay in 2026-07-28, by requests on the call's
own stream in the 2025 revisions; over HTTP and stdio."""

import time
import unittest

import wire

APP = r"""
local mcp = require "mcp"
local t = mcp.types
mcp.server { name = "questions", version = "1", call_timeout = 2 }

mcp.tool("greet", { input = { { "greeting", t.optional(t.string()) } } },
  function(greeting, ctx)
  local n = ctx.memo("n", function() return math.random(1e9) end)
  local ok, a = pcall(ctx.elicit, {
    key = "user_name", message = "Your name?", schema = { name = t.string() } })
  if not ok then return "raised: " .. tostring(a) end
  if a.action ~= "accept" then return "no: " .. a.action end
  local s = ctx.sample { prompt = "Capital?", max_tokens = 100 }
  return ("%s, %s! %s %d"):format(
    greeting or "Hello", a.content.name, s.content.text, #ctx.roots())
end)

mcp.tool("sorts", function(ctx)
  table.sort({ 2, 1 }, function() ctx.roots() end)
end)

mcp.tool("again", function(ctx)
  local r = ctx.input_responses
  if r and r.who then
    return ("%s %s"):format(r.who.content.name, ctx.request_state)
  end
  return mcp.input_required { state = "mine", requests = {
    who = mcp.elicit { message = "Who?", schema = { name = t.string() } } } }
end)

mcp.tool("quick", function() return "quick" end)

mcp.tool("sampler", { required_client_capabilities = { sampling = {} } },
  function() return "ran" end)

mcp.prompt("asks", { description = "Asks" }, function(ctx)
  return "Context: " .. ctx.elicit { key = "context", message = "Which?",
    schema = { text = t.string() } }.content.text
end)

mcp.resource { uri = "app://asks", description = "Asks", handler = function(ctx)
  return ctx.roots { key = "roots" }[1].uri
end }
"""

ALL = {"elicitation": {}, "sampling": {}, "roots": {}}
NAME = {"action": "accept", "content": {"name": "Bo"}}
PARIS = {"role": "assistant", "model": "m",
         "content": {"type": "text", "text": "Paris"}}
ROOTS = {"roots": [{"uri": "file:///a"}]}
ANSWERS = {"elicitation/create": NAME, "sampling/createMessage": PARIS,
           "roots/list": ROOTS}


def text(result):
    return result["content"][0]["text"]


class Modern(wire.TestCase):
    APP = APP

    def ask(self, name, arguments=None, capabilities=ALL, **params):
        return self.server.rpc(
            "tools/call", {"name": name, "arguments": arguments or {},
                           **params}, capabilities=capabilities)

    def test_rounds(self):
        result = self.ask("greet").result
        self.assertEqual(result["resultType"], "input_required")
        self.assertEqual(set(result), {"resultType", "inputRequests",
                                       "requestState", "_meta"})
        self.assertEqual(result["inputRequests"], {"user_name": {
            "method": "elicitation/create",
            "params": {"message": "Your name?", "requestedSchema": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"]}}}})
        result = self.ask("greet", inputResponses={"user_name": NAME},
                          requestState=result["requestState"]).result
        self.assertEqual(list(result["inputRequests"]), ["sample-1"])
        result = self.ask("greet", inputResponses={"sample-1": PARIS},
                          requestState=result["requestState"]).result
        self.assertEqual(result["inputRequests"],
                         {"roots-1": {"method": "roots/list"}})
        result = self.ask("greet", inputResponses={"roots-1": ROOTS},
                          requestState=result["requestState"]).result
        self.assertEqual(result["resultType"], "complete")
        self.assertEqual(text(result), "Hello, Bo! Paris 1")

    def test_answers_may_come_at_once(self):
        result = self.ask("greet", inputResponses={
            "user_name": NAME, "sample-1": PARIS, "roots-1": ROOTS,
            "extra": {"a": 1}}).result
        self.assertEqual(text(result), "Hello, Bo! Paris 1")

    def test_state_is_for_one_request(self):
        state = self.ask("greet").result["requestState"]
        flipped = state[:-1] + ("A" if state[-1] != "A" else "Q")
        for how in ({"requestState": state + "-TAMPERED"},
                    {"requestState": flipped},
                    {"requestState": state[:-4]},
                    {"requestState": ""}, {"requestState": 1},
                    {"requestState": None},
                    {"requestState": state, "arguments": {"greeting": "x"}}):
            answer = self.ask("greet", **how)
            self.assertEqual(answer.error["code"], -32602, how)
            self.assertEqual(answer.status, 200)
        answer = self.ask("again", requestState=state)
        self.assertEqual(answer.error["code"], -32602)

    def test_malformed_responses(self):
        for responses in (None, [], "x", 1, {"user_name": 12345}):
            answer = self.ask("greet", inputResponses=responses)
            self.assertEqual(answer.error["code"], -32602, responses)
        result = self.ask("greet", inputResponses={
            "user_name": {"action": "accept", "content": {"name": 1}}}).result
        self.assertTrue(result["isError"])
        self.assertIn('"user_name"', text(result))
        self.assertIn("/name", text(result))

    def test_decline_and_cancel(self):
        for action in ("decline", "cancel"):
            result = self.ask("greet", inputResponses={
                "user_name": {"action": action}}).result
            self.assertEqual(text(result), "no: " + action)

    def test_missing_capability(self):
        answer = self.ask("greet", capabilities={"sampling": {}})
        self.assertRejected(answer, 400, -32021)
        self.assertEqual(answer.error["data"], {
            "requiredCapabilities": {"elicitation": {"form": {}}}})
        answer = self.ask("sampler", capabilities={})
        self.assertRejected(answer, 400, -32021)
        self.assertEqual(answer.error["data"],
                         {"requiredCapabilities": {"sampling": {}}})
        self.assertEqual(text(self.ask("sampler").result), "ran")

    def test_from_a_callback(self):
        result = self.ask("sorts").result
        self.assertTrue(result["isError"])
        self.assertIn("call it from the handler itself", text(result))

    def test_returned_questions(self):
        result = self.ask("again").result
        self.assertEqual(list(result["inputRequests"]), ["who"])
        result = self.ask("again", inputResponses={"who": NAME},
                          requestState=result["requestState"]).result
        self.assertEqual(text(result), "Bo mine")

    def test_prompt(self):
        params = {"name": "asks"}
        result = self.server.rpc("prompts/get", params,
                                 capabilities=ALL).result
        self.assertEqual(result["resultType"], "input_required")
        params.update(requestState=result["requestState"], inputResponses={
            "context": {"action": "accept", "content": {"text": "T"}}})
        result = self.server.rpc("prompts/get", params,
                                 capabilities=ALL).result
        self.assertEqual(result["messages"][0]["content"]["text"],
                         "Context: T")

    def test_resource(self):
        params = {"uri": "app://asks"}
        result = self.server.rpc("resources/read", params,
                                 capabilities=ALL).result
        self.assertEqual(result["resultType"], "input_required")
        self.assertNotIn("ttlMs", result)
        params.update(requestState=result["requestState"],
                      inputResponses={"roots": ROOTS})
        result = self.server.rpc("resources/read", params,
                                 capabilities=ALL).result
        self.assertEqual(result["contents"][0]["text"], "file:///a")
        self.assertEqual((result["ttlMs"], result["cacheScope"]),
                         (0, "private"))

    def test_keys_on_two_servers(self):
        old, new = "the old secret of this test", "the new secret of this one"
        first = self.start(APP, options=["--request-state-keys", old])
        second = self.start(
            APP, options=["--request-state-keys", new + "," + old])
        third = self.start(APP)

        def call(server, **params):
            return server.rpc("tools/call", {"name": "greet", **params},
                              capabilities=ALL)
        state = call(first).result["requestState"]
        answer = call(second, requestState=state,
                      inputResponses={"user_name": NAME})
        self.assertEqual(list(answer.result["inputRequests"]),
                         ["sample-1"])
        newer = answer.result["requestState"]
        self.assertEqual(call(first, requestState=newer).error["code"],
                         -32602)
        self.assertEqual(call(third, requestState=state).error["code"],
                         -32602)


class Legacy(wire.TestCase):
    APP = APP

    def session(self, version="2025-11-25", capabilities=ALL):
        return self.server.session(version, capabilities=capabilities)

    def answer(self, session, question, result=None, **members):
        if not members:
            members = {"result": result}
        answer = self.server.post(
            {"jsonrpc": "2.0", "id": question["id"], **members},
            session.headers())
        self.assertEqual((answer.status, answer.body), (202, b""))

    def begin(self, session, name="greet"):
        stream = session.stream("tools/call", {"name": name, "arguments": {}})
        self.addCleanup(stream.close)
        self.assertEqual(stream.headers["Content-Type"].split(";")[0],
                         "text/event-stream")
        return stream, stream.message()

    def test_each_revision(self):
        for version in wire.LEGACY[:2]:
            session = self.session(version)
            stream, question = self.begin(session)
            ids, methods = set(), []
            while "method" in question:
                ids.add(question["id"])
                methods.append(question["method"])
                self.answer(session, question, ANSWERS[question["method"]])
                question = stream.message()
            self.assertEqual(methods, list(ANSWERS))
            self.assertEqual(len(ids), 3)
            self.assertEqual(text(question["result"]), "Hello, Bo! Paris 1")
            self.assertIsNone(stream.message())

    def test_the_first_revision_has_no_elicitation(self):
        answer = self.session("2025-03-26").call("greet")
        self.assertEqual(len(answer.messages), 1)
        self.assertTrue(answer.result["isError"])
        self.assertIn("elicitation", text(answer.result))

    def test_returned_questions(self):
        session = self.session()
        stream, question = self.begin(session, "again")
        self.answer(session, question, NAME)
        self.assertEqual(text(stream.message()["result"]), "Bo mine")

    def test_waiting_is_not_counted(self):
        session = self.session()
        stream, question = self.begin(session)
        time.sleep(2.3)  # call_timeout is 2
        self.answer(session, question, {"action": "cancel"})
        self.assertEqual(text(stream.message()["result"]), "no: cancel")

    def test_others_cannot_answer(self):
        session, other = self.session(), self.session()
        stream, question = self.begin(session)
        self.answer(other, question, NAME)
        self.answer(session, {"id": 12345}, NAME)
        self.answer(session, {"id": question["id"] + "0"}, NAME)
        self.answer(session, question, {"action": "decline"})
        self.assertEqual(text(stream.message()["result"]), "no: decline")

    def test_an_error_is_raised(self):
        session = self.session()
        stream, question = self.begin(session)
        self.answer(session, question,
                    error={"code": -1, "message": "nobody here"})
        self.assertEqual(
            text(stream.message()["result"]), "raised: the client answered "
            '"user_name" with an error: nobody here (-1)')

    def test_a_wrong_answer_is_told(self):
        session = self.session()
        stream, question = self.begin(session)
        self.answer(session, question,
                    {"action": "accept", "content": {"name": 7}})
        result = stream.message()["result"]
        self.assertTrue(result["isError"])
        self.assertIn("/name", text(result))

    def test_delete_wakes_it(self):
        session = self.session()
        stream, _ = self.begin(session)
        self.assertEqual(session.delete().status, 204)
        self.assertIn("the session ended", text(stream.message()["result"]))

    def test_cancel_wakes_it(self):
        session = self.session()
        for name in ("greet", "again"):
            stream, _ = self.begin(session, name)
            session.notify("notifications/cancelled",
                           {"requestId": session.next_id - 1})
            self.assertIsNone(stream.message())

    def test_without_capability(self):
        session = self.session(capabilities={"sampling": {}})
        result = session.call("greet").result
        self.assertTrue(result["isError"])
        self.assertIn('{"elicitation":{"form":{}}}', text(result))

    def test_without_session(self):
        answer = self.server.post(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {"name": "greet"}},
            {"MCP-Protocol-Version": "2025-11-25"})
        self.assertTrue(answer.result["isError"])
        self.assertIn("needs a session", text(answer.result))

    def test_only_json_accepted(self):
        session = self.session()
        answer = session.request("tools/call", {"name": "greet"},
                                 {"Accept": "application/json"})
        self.assertIn("must accept text/event-stream", text(answer.result))

    def test_waiting_calls_block_nobody(self):
        """More wait than there are Lua states for calls that run."""
        session = self.session()
        waiting = [self.begin(session) for _ in range(100)]
        self.assertEqual(text(session.call("quick").result), "quick")
        for stream, question in waiting:
            self.answer(session, question, {"action": "cancel"})
        for stream, _ in waiting:
            self.assertEqual(text(stream.message()["result"]), "no: cancel")

    def test_leaving_wakes_it(self):
        session = self.session()
        for _ in range(3):
            stream, _ = self.begin(session)
            stream.close()
        self.assertEqual(text(session.call("quick").result), "quick")
        # the server stops in time though nobody has answered (tearDown)


class Stdio(wire.TestCase):
    def test_legacy(self):
        server = self.start_stdio(APP)
        server.initialize(capabilities=ALL)
        server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                     "params": {"name": "greet"}})
        methods = []
        while "method" in (message := server.receive()):
            methods.append(message["method"])
            server.send({"jsonrpc": "2.0", "id": message["id"],
                         "result": ANSWERS[message["method"]]})
        self.assertEqual(methods, list(ANSWERS))
        self.assertEqual(message["id"], 1)
        self.assertEqual(text(message["result"]), "Hello, Bo! Paris 1")

    def test_others_are_served_meanwhile(self):
        server = self.start_stdio(APP)
        server.initialize(capabilities=ALL)
        server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                     "params": {"name": "greet"}})
        question = server.receive()
        server.send({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                     "params": {"name": "quick"}})
        self.assertEqual(server.receive()["id"], 2)
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                     "params": {"requestId": 1}})
        server.send({"jsonrpc": "2.0", "id": question["id"], "result": NAME})
        server.send({"jsonrpc": "2.0", "id": 3, "method": "ping"})
        self.assertEqual(server.receive()["id"], 3)

    def test_modern(self):
        server = self.start_stdio(APP)

        def ask(**params):
            body, _ = wire.modern("tools/call", {"name": "greet", **params},
                                  capabilities=ALL)
            server.send(body)
            return server.receive()
        result, answers = ask()["result"], {
            "user_name": NAME, "sample-1": PARIS, "roots-1": ROOTS}
        for key, answer in answers.items():
            self.assertEqual(list(result["inputRequests"]), [key])
            result = ask(inputResponses={key: answer},
                         requestState=result["requestState"])["result"]
        self.assertEqual(text(result), "Hello, Bo! Paris 1")
        self.assertEqual(ask(requestState="x")["error"]["code"], -32602)
        body, _ = wire.modern("tools/call", {"name": "greet"}, capabilities={})
        server.send(body)
        self.assertEqual(server.receive()["error"]["code"], -32021)

    def test_waiting_calls_do_not_fill_the_pipe(self):
        """With a queue of 1 the pipe has 66 calls; 34 of them may wait."""
        server = self.start_stdio(APP, options=["--queue", "1"])
        server.initialize(capabilities=ALL)
        questions = []
        for id in range(1, 36):
            server.send({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                         "params": {"name": "greet"}})
            questions.append(server.receive())
        self.assertNotIn("method", last := questions.pop())
        self.assertIn("too many calls wait", text(last["result"]))
        self.assertTrue(all("method" in q for q in questions))
        server.send({"jsonrpc": "2.0", "id": 99, "method": "tools/call",
                     "params": {"name": "quick"}})
        self.assertEqual(server.receive()["id"], 99)
        for question in questions:
            server.send({"jsonrpc": "2.0", "id": question["id"],
                         "result": {"action": "cancel"}})
            self.assertEqual(text(server.receive()["result"]), "no: cancel")

    def test_end_of_input_ends_a_waiting_call(self):
        server = self.start_stdio(APP)
        server.initialize(capabilities=ALL)
        server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                     "params": {"name": "greet"}})
        server.receive()
        server.process.stdin.close()
        server.process.wait(wire.STOP_SECONDS)


if __name__ == "__main__":
    unittest.main()
