"""Tasks: io.modelcontextprotocol/tasks over HTTP and stdio, all their life.

bugs.md B59, B188. conformance.md "N (extension) tasks-*"; the wire tests of
notifications stand for the suite's tasks-status-notifications, which it skips.
"""

import json
import re
import threading
import time
import unittest

import wire
from tasks import (CAPABILITIES, EXTENSION, FINAL, Tasks, TestCase, accept)

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
NO_CAPABILITY = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}

APP = """
local mcp = require "mcp"
local t = mcp.types
mcp.server { name = "tasks", version = "1.0.0" }
mcp.tasks { store = "memory:", ttl_ms = 60000, max_ttl_ms = 3600000, poll_interval_ms = 250 }

local function form() return { x = t.string() } end

mcp.tool("plain", function() return "plain" end)
mcp.tool { name = "slow", task = true, input = { { "seconds", t.number() } },
  handler = function(seconds, ctx)
    ctx.progress(1, 4, "a quarter")
    ctx.sleep(seconds)
    return { id = ctx.task and ctx.task.id, again = ctx.task and ctx.task.id }
  end }
mcp.tool { name = "required", task = "required", handler = function(ctx)
  return ctx.task.id
end }
mcp.tool { name = "never", task = false, handler = function(ctx) return tostring(ctx.task) end }
mcp.tool { name = "fails", task = true, handler = function() error("it broke", 0) end }
mcp.tool { name = "says_no", task = true, handler = function() return nil, "no" end }
mcp.tool { name = "protocol_error", task = true, handler = function()
  mcp.protocol_error { code = -32050, message = "boom", data = { x = 1 } }
end }
mcp.tool { name = "wrong_output", task = true, output = { n = t.number() },
  handler = function() return { n = "one" } end }
mcp.tool { name = "guarded", task = true, guards = { function() return false, "not you" end },
  handler = function() return "never" end }
mcp.tool { name = "ask", task = "required", handler = function(ctx)
  local a = ctx.elicit { message = "x?", schema = form() }
  local b = ctx.elicit { message = "y?", schema = form() }
  return (a.content and a.content.x or a.action) .. (b.content and b.content.x or b.action)
end }
mcp.tool { name = "ask_two", task = "required", handler = function(ctx)
  local a = ctx.ask { one = mcp.elicit { message = "1?", schema = form() },
                      two = mcp.elicit { message = "2?", schema = form() } }
  return a.one.content.x .. a.two.content.x
end }
mcp.tool { name = "ask_all", task = "required", handler = function(ctx)
  local a = ctx.ask { s = mcp.sample { prompt = "hi" }, r = mcp.roots() }
  return a.s.content.text .. #a.r
end }
mcp.tool { name = "ask_again", task = "required", handler = function(ctx)
  local state = ctx.request_state
  if state == nil then
    return mcp.input_required { requests = { k = mcp.elicit { message = "a", schema = form() } }, state = "1" }
  elseif state == "1" then
    return mcp.input_required { requests = { k = mcp.elicit { message = "b", schema = form() } }, state = "2" }
  end
  return state .. ctx.input_responses.k.content.x
end }
mcp.tool { name = "no_requests", task = "required", handler = function()
  return mcp.input_required { state = "1" }
end }
mcp.tool { name = "publish_report", task = "required", task_input_before_start = true,
  handler = function(ctx)
    if not ctx.input_responses then
      return mcp.input_required {
        requests = { approval = mcp.elicit { message = "Publish this report?",
                                             schema = { ok = t.optional(t.boolean()) } } },
        state = "integrity-protected-state" }
    end
    return { status = "published", state = ctx.request_state, task = ctx.task ~= nil }
  end }
mcp.tool { name = "name_first", task = true, task_input_before_start = true, handler = function(ctx)
  local runs = ctx.memo("first", function() return ctx.task and "task" or "call" end)
  local who = ctx.elicit { key = "who", message = "Who?", schema = form() }
  local sure = ctx.elicit { key = "sure", message = "Sure?", schema = form() }
  return ("%s %s %s"):format(runs, who.content.x, sure.content.x)
end }
mcp.tool { name = "maybe_first", task = true, task_input_before_start = true,
  handler = function() return "nothing to ask" end }
mcp.tool { name = "loop", task = true, handler = function() while true do end end }
mcp.tool { name = "seen", task = true, input = { { "n", t.int64() } }, handler = function(n, ctx)
  return { n = n, id = ctx.request.id, method = ctx.request.method,
           transport = ctx.request.transport, headers = next(ctx.request.headers) == nil,
           client = ctx.client.info.name, tag = ctx.request.meta["example/tag"] }
end }
mcp.tool { name = "limited", task = true, timeout = 0.2, handler = function(ctx) ctx.sleep(30) end }
"""


class Creation(TestCase):
    APP = APP

    def test_the_shape_of_what_is_created(self):
        answer = self.tasks.call("slow", {"seconds": 0.2})
        self.assertEqual(answer.status, 200)
        result = dict(answer.result)
        self.assertIn("serverInfo", str(result.pop("_meta")))
        self.assertRegex(result["taskId"], "^[0-9a-f]{32}$")
        self.assertRegex(result["createdAt"], TIME)
        self.assertRegex(result["lastUpdatedAt"], TIME)
        self.assertEqual(
            {k: v for k, v in result.items()
             if k not in ("taskId", "createdAt", "lastUpdatedAt")},
            {"resultType": "task", "status": "working", "ttlMs": 60000,
             "pollIntervalMs": 250})

    def test_its_life_until_it_is_completed(self):
        id = self.tasks.create("slow", {"seconds": 0.3})
        first = self.tasks.get(id)
        self.assertEqual((first["resultType"], first["status"], first["taskId"]),
                         ("complete", "working", id))
        self.assertNotIn("result", first)
        deadline = time.monotonic() + 5
        while "statusMessage" not in first and time.monotonic() < deadline:
            first = self.tasks.get(id)
        self.assertEqual(first["statusMessage"], "a quarter")
        last = self.tasks.wait(id)
        self.assertEqual((last["resultType"], last["status"]),
                         ("complete", "completed"))
        self.assertEqual(last["result"]["resultType"], "complete")
        self.assertNotIn("related-task", json.dumps(last))
        self.assertEqual(json.loads(last["result"]["content"][0]["text"]),
                         {"id": id, "again": id})
        self.assertGreaterEqual(last["lastUpdatedAt"], last["createdAt"])
        self.assertGreaterEqual(last["ttlMs"], 60000)
        self.assertEqual(self.tasks.get(id), last)

    def test_a_client_that_declares_nothing_gets_an_ordinary_answer(self):
        answer = self.tasks.call("slow", {"seconds": 0}, )
        self.assertEqual(answer.result["resultType"], "task")
        for capabilities in ({}, {"extensions": {}}, {"tasks": {}}):
            with self.subTest(capabilities=capabilities):
                answer = self.tasks.rpc(
                    "tools/call", {"name": "slow", "arguments": {"seconds": 0}},
                    capabilities=capabilities)
                self.assertEqual(answer.result["resultType"], "complete")
                self.assertEqual(answer.result["content"][0]["text"], "{}")

    def test_required_refuses_it_instead(self):
        answer = self.tasks.rpc("tools/call", {"name": "required"},
                                capabilities={"elicitation": {}})
        self.assertRejected(answer, 400, -32021)
        self.assertEqual(answer.error["data"], NO_CAPABILITY)

    def test_tools_without_tasks_are_called_as_ever(self):
        for name, text in (("plain", "plain"), ("never", "nil")):
            answer = self.tasks.call(name)
            self.assertEqual(answer.result["resultType"], "complete")
            self.assertEqual(answer.result["content"][0]["text"], text)

    def test_wrong_arguments_are_told_at_once(self):
        for arguments in ({}, {"seconds": "x"}, {"seconds": 1, "more": 1}):
            with self.subTest(arguments=arguments):
                answer = self.tasks.call("slow", arguments)
                self.assertEqual(answer.result["resultType"], "complete")
                self.assertTrue(answer.result["isError"])
        answer = self.tasks.rpc("tools/call", {"name": "slo"})
        self.assertEqual(answer.error["code"], -32602)

    def test_legacy_hints_are_ignored(self):
        answer = self.tasks.call("plain", task={"ttl": 1})
        self.assertEqual(answer.result["content"][0]["text"], "plain")
        id = self.tasks.create("slow", {"seconds": 0}, task={"ttl": 1, "pollInterval": 1})
        self.assertEqual(self.tasks.get(id)["pollIntervalMs"], 250)

    def test_ids_are_random(self):
        ids = {self.tasks.create("required") for _ in range(50)}
        self.assertEqual(len(ids), 50)
        for place in range(32):
            self.assertGreater(len({id[place] for id in ids}), 4)

    def test_what_the_handler_sees_of_its_request(self):
        id = self.tasks.create("seen", {"n": 9007199254740993},
                               _meta={"example/tag": "t"})
        self.assertEqual(json.loads(self.tasks.text(id)), {
            "n": 9007199254740993, "id": 1, "method": "tools/call",
            "transport": "http", "headers": True, "client": "wire-test",
            "tag": "t"})

    def test_it_is_told_by_discover_and_not_by_initialize(self):
        answer = self.server.rpc("server/discover")
        self.assertEqual(answer.result["capabilities"]["extensions"],
                         {EXTENSION: {}})
        self.assertNotIn("tasks", answer.result["capabilities"])
        session = wire.Session(self.server)
        self.assertNotIn("extensions", str(session.initialized.result)
                         if hasattr(session, "initialized") else "")

    def test_without_tools_of_tasks_there_are_no_methods(self):
        server = self.start('require "mcp".tool("plain", function() return "x" end)')
        answer = server.rpc("server/discover")
        self.assertNotIn("extensions", answer.result["capabilities"])
        answer = server.rpc("tasks/get", {"taskId": "0" * 32},
                            capabilities=CAPABILITIES)
        self.assertRejected(answer, 404, -32601)

    def test_the_list_says_nothing_of_them(self):
        for tool in self.server.rpc("tools/list").result["tools"]:
            self.assertNotIn("execution", tool)


class Legacy(TestCase):
    APP = APP

    def test_optional_tools_run_as_calls(self):
        for version in wire.LEGACY:
            session = self.server.session(version)
            answer = session.call("slow", {"seconds": 0})
            self.assertNotIn("taskId", answer.result)
            self.assertEqual(answer.result["content"][0]["text"], "{}")

    def test_required_tools_say_what_they_need(self):
        session = self.server.session()
        answer = session.call("required")
        self.assertTrue(answer.result["isError"])
        self.assertIn("runs as a task only", answer.result["content"][0]["text"])

    def test_the_methods_do_not_exist(self):
        session = self.server.session()
        answer = session.request("tasks/get", {"taskId": "0" * 32})
        self.assertEqual(answer.error["code"], -32601)


class Ends(TestCase):
    APP = APP

    def test_a_tool_that_fails_has_completed(self):
        for name, text in (("fails", "it broke"), ("says_no", "no"),
                           ("guarded", "not you")):
            with self.subTest(name=name):
                task = self.tasks.wait(self.tasks.create(name))
                self.assertEqual(task["status"], "completed")
                self.assertTrue(task["result"]["isError"])
                self.assertIn(text, task["result"]["content"][0]["text"])
                self.assertNotIn("error", task)

    def test_a_protocol_error_has_failed(self):
        task = self.tasks.wait(self.tasks.create("protocol_error"))
        self.assertEqual(task["status"], "failed")
        self.assertEqual(task["error"],
                         {"code": -32050, "message": "boom", "data": {"x": 1}})
        self.assertEqual(task["statusMessage"], "boom")
        self.assertNotIn("result", task)

    def test_output_that_breaks_its_schema_is_an_error_of_the_tool(self):
        task = self.tasks.wait(self.tasks.create("wrong_output"))
        self.assertTrue(task["result"]["isError"])
        self.assertIn("breaks its schema", task["result"]["content"][0]["text"])

    def test_its_own_time_limit(self):
        task = self.tasks.wait(self.tasks.create("limited"))
        self.assertEqual(task["status"], "completed")
        self.assertIn("took longer than 0.2 s and was stopped (timeout)",
                      task["result"]["content"][0]["text"])

    def test_the_time_limit_of_all_tasks(self):
        tasks = self.begin(APP, options=["--task-timeout", "0.3",
                                         "--call-timeout", "0.1"])
        task = tasks.wait(tasks.create("slow", {"seconds": 0.2}))
        self.assertNotIn("isError", task["result"])
        task = tasks.wait(tasks.create("slow", {"seconds": 30}))
        self.assertIn("took longer than 0.3 s and was stopped (task_timeout)",
                      task["result"]["content"][0]["text"])


class Refusals(TestCase):
    APP = APP

    def test_unknown_ids(self):
        for id in ("", "x", "0" * 32, "0" * 31, "z" * 32, "é" * 16, "a\0b"):
            for method, more in (("tasks/get", {}), ("tasks/cancel", {}),
                                 ("tasks/update", {"inputResponses": {}})):
                with self.subTest(id=id, method=method):
                    answer = self.tasks.rpc(method, {"taskId": id, **more})
                    self.assertEqual(answer.status, 200)
                    self.assertEqual(answer.error["code"], -32602)
                    self.assertEqual(answer.error["message"],
                                     "Failed to retrieve task: Task not found")
                    self.assertEqual(answer.error["data"], {"taskId": id})

    def test_an_id_that_is_no_string(self):
        for id in (None, 1, {}, []):
            answer = self.tasks.rpc("tasks/get", {"taskId": id},
                                    headers={"Mcp-Name": "1"})
            self.assertRejected(answer, 400, -32020)
        with self.subTest("on stdio, where there is no header"):
            pipe = self.start_stdio(APP)
            answer = pipe.request(wire.modern(
                "tasks/get", {"taskId": 1}, capabilities=CAPABILITIES).body)
            self.assertEqual(answer["error"]["code"], -32602)

    def test_the_capability_comes_before_the_look_up(self):
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            answer = self.tasks.rpc(method, {"taskId": "unknown"},
                                    capabilities={})
            self.assertRejected(answer, 400, -32021)
            self.assertEqual(answer.error["data"], NO_CAPABILITY)

    def test_the_header_names_the_task(self):
        id = self.tasks.create("required")
        for name in ("x", None):
            answer = self.tasks.rpc("tasks/get", {"taskId": id},
                                    headers={"Mcp-Name": name})
            self.assertRejected(answer, 400, -32020)
        answer = self.tasks.rpc("tasks/get", {"taskId": id},
                                headers={"Mcp-Method": "tasks/cancel"})
        self.assertRejected(answer, 400, -32020)

    def test_methods_of_older_drafts(self):  # B59, B188
        id = self.tasks.create("required")
        for method in ("tasks/list", "tasks/result", "tasks/delete"):
            answer = self.tasks.rpc(method, {"taskId": id})
            self.assertRejected(answer, 404, -32601)

    def test_answers_of_the_wrong_kind(self):
        id = self.tasks.create("ask")
        for responses in (None, [], "x", 1):
            answer = self.tasks.update(id, responses)
            self.assertEqual(answer.error["code"], -32602)
            self.assertIn("inputResponses", answer.error["message"])
        self.tasks.wait(id, ("input_required",))
        answer = self.tasks.update(id, {"elicit-1": "yes"})
        self.assertEqual(answer.error["code"], -32602)
        self.assertEqual(self.tasks.get(id)["status"], "input_required")
        self.tasks.cancel(id)

    def test_durable_before_its_id_is_told(self):  # B188
        for _ in range(20):
            id = self.tasks.create("slow", {"seconds": 0})
            self.assertEqual(self.tasks.get(id)["taskId"], id)


class Questions(TestCase):
    APP = APP

    def asked(self, id):
        task = self.tasks.wait(id, ("input_required",) + FINAL)
        self.assertEqual(task["status"], "input_required", task)
        return task["inputRequests"]

    def acknowledged(self, answer):
        self.assertEqual(answer.status, 200)
        result = dict(answer.result)
        result.pop("_meta")
        self.assertEqual(result, {"resultType": "complete"})

    def test_one_after_the_other(self):
        id = self.tasks.create("ask")
        requests = self.asked(id)
        self.assertEqual(list(requests), ["elicit-1"])
        self.assertEqual(requests["elicit-1"]["method"], "elicitation/create")
        self.assertEqual(requests["elicit-1"]["params"]["message"], "x?")
        self.assertEqual(self.asked(id), requests)
        self.acknowledged(self.tasks.update(id, {"elicit-1": accept(x="A")}))
        deadline = time.monotonic() + 5
        while list(requests) == ["elicit-1"] and time.monotonic() < deadline:
            requests = self.asked(id)
        self.assertEqual(list(requests), ["elicit-2"])
        self.acknowledged(self.tasks.update(id, {"elicit-2": {"action": "decline"}}))
        self.assertEqual(self.tasks.text(id), "Adecline")

    def test_several_at_once_with_partial_answers(self):
        id = self.tasks.create("ask_two")
        self.assertEqual(sorted(self.asked(id)), ["one", "two"])
        self.acknowledged(self.tasks.update(id, {"two": accept(x="2")}))
        task = self.tasks.get(id)  # at once
        self.assertEqual((task["status"], list(task["inputRequests"])),
                         ("input_required", ["one"]))
        self.acknowledged(self.tasks.update(id, {"two": accept(x="3")}))
        self.acknowledged(self.tasks.update(id, {"one": accept(x="1")}))
        self.assertNotIn("inputRequests", self.tasks.get(id))
        self.assertEqual(self.tasks.text(id), "12")

    def test_keys_that_nobody_asked_for_are_ignored(self):
        id = self.tasks.create("ask_two")
        self.asked(id)
        for odd in (3, None, [1], "x", {"action": "maybe"}):
            self.acknowledged(self.tasks.update(id, {"unknown": odd}))
        self.assertEqual(sorted(self.asked(id)), ["one", "two"])
        self.acknowledged(self.tasks.update(id, {
            "one": accept(x="a"), "unknown": 1, "two": accept(x="b")}))
        self.assertEqual(self.tasks.text(id), "ab")
        self.acknowledged(self.tasks.update(id, {"one": accept(x="z")}))
        self.assertEqual(self.tasks.text(id), "ab")

    def test_sampling_and_roots(self):
        self.tasks.capabilities = {**CAPABILITIES, "sampling": {}, "roots": {}}
        id = self.tasks.create("ask_all")
        self.assertEqual(
            {k: v["method"] for k, v in self.asked(id).items()},
            {"s": "sampling/createMessage", "r": "roots/list"})
        self.tasks.update(id, {
            "s": {"role": "assistant", "model": "m",
                  "content": {"type": "text", "text": "yes"}},
            "r": {"roots": [{"uri": "file:///a"}]}})
        self.assertEqual(self.tasks.text(id), "yes1")

    def test_an_answer_that_breaks_its_schema(self):
        id = self.tasks.create("ask")
        self.asked(id)
        self.tasks.update(id, {"elicit-1": accept(x=1)})
        task = self.tasks.wait(id)
        self.assertEqual(task["status"], "completed")
        self.assertTrue(task["result"]["isError"])

    def test_a_client_that_cannot_answer(self):
        self.tasks.capabilities = {"extensions": {EXTENSION: {}}}
        task = self.tasks.wait(self.tasks.create("ask"))
        self.assertEqual(task["status"], "failed")
        self.assertEqual(task["error"]["code"], -32021)
        self.assertEqual(list(task["error"]["data"]["requiredCapabilities"]),
                         ["elicitation"])

    def test_a_key_is_never_used_twice(self):
        id = self.tasks.create("ask_again")
        self.assertEqual(list(self.asked(id)), ["k"])
        self.tasks.update(id, {"k": accept(x="A")})
        deadline = time.monotonic() + 5
        keys = ["k"]
        while keys == ["k"] and time.monotonic() < deadline:
            task = self.tasks.get(id)
            keys = list(task.get("inputRequests", {"k": 1}))
        self.assertEqual(keys, ["k-2"])
        self.tasks.update(id, {"k": accept(x="B")})
        self.assertEqual(list(self.asked(id)), ["k-2"])
        self.tasks.update(id, {"k-2": accept(x="C")})
        self.assertEqual(self.tasks.text(id), "2C")

    def test_input_required_without_requests(self):
        task = self.tasks.wait(self.tasks.create("no_requests"))
        self.assertTrue(task["result"]["isError"])
        self.assertIn("without requests", task["result"]["content"][0]["text"])


class InputBeforeStart(TestCase):
    APP = APP

    def test_publish_report(self):  # seed 000
        first = self.tasks.call("publish_report").result
        self.assertEqual(first["resultType"], "input_required")
        self.assertNotIn("taskId", first)
        self.assertEqual(list(first["inputRequests"]), ["approval"])
        answer = self.tasks.call(
            "publish_report", requestState=first["requestState"],
            inputResponses={"approval": {"action": "accept", "content": {}}})
        self.assertEqual(answer.result["resultType"], "task")
        self.assertNotIn("requestState", answer.result)
        self.assertNotIn("inputRequests", answer.result)
        self.assertEqual(json.loads(self.tasks.text(answer.result["taskId"])), {
            "status": "published", "state": "integrity-protected-state",
            "task": True})

    def test_without_answers_it_is_asked_again(self):
        first = self.tasks.call("publish_report").result
        for responses in (None, {}):
            more = {} if responses is None else {"inputResponses": responses}
            again = self.tasks.call("publish_report", **more).result
            self.assertEqual(again["resultType"], "input_required")
        again = self.tasks.call("publish_report",
                                requestState=first["requestState"]).result
        self.assertEqual(again["resultType"], "input_required")

    def test_an_altered_state_makes_no_task(self):
        first = self.tasks.call("publish_report").result
        answer = self.tasks.call(
            "publish_report", requestState=first["requestState"] + "A",
            inputResponses={"approval": accept()})
        self.assertEqual(answer.error["code"], -32602)
        self.assertIn("requestState", answer.error["message"])
        answer = self.tasks.call("publish_report",
                                 inputResponses={"approval": 1})
        self.assertEqual(answer.error["code"], -32602)

    def test_memo_and_answers_of_the_rounds_come_along(self):
        first = self.tasks.call("name_first").result
        self.assertEqual(list(first["inputRequests"]), ["who"])
        answer = self.tasks.call("name_first",
                                 requestState=first["requestState"],
                                 inputResponses={"who": accept(x="Ada")})
        id = answer.result["taskId"]
        task = self.tasks.wait(id, ("input_required",) + FINAL)
        self.assertEqual(list(task["inputRequests"]), ["sure"])
        self.tasks.update(id, {"sure": accept(x="yes")})
        self.assertEqual(self.tasks.text(id), "call Ada yes")

    def test_a_tool_that_asks_nothing_answers(self):
        answer = self.tasks.call("maybe_first").result
        self.assertEqual(answer["resultType"], "complete")
        self.assertEqual(answer["content"][0]["text"], "nothing to ask")


class Cancel(TestCase):
    APP = APP

    def ended_after_cancel(self, id):
        begin = time.monotonic()
        answer = self.tasks.cancel(id)
        self.assertEqual(answer.result["resultType"], "complete")
        self.assertNotIn("taskId", answer.result)
        task = self.tasks.wait(id)
        self.assertEqual(task["status"], "cancelled")
        self.assertNotIn("result", task)
        self.assertNotIn("error", task)
        return time.monotonic() - begin

    def test_a_sleeping_task_at_once(self):
        id = self.tasks.create("slow", {"seconds": 600})
        self.tasks.wait(id, ("working",))
        time.sleep(0.2)
        self.assertLess(self.ended_after_cancel(id), 5)

    def test_a_loop_as_well(self):
        id = self.tasks.create("loop")
        time.sleep(0.2)
        self.assertLess(self.ended_after_cancel(id), 5)

    def test_one_that_waits_for_input(self):
        id = self.tasks.create("ask_two")
        self.tasks.wait(id, ("input_required",))
        self.tasks.update(id, {"one": accept(x="1")})
        self.tasks.cancel(id)
        self.assertNotIn("inputRequests", self.tasks.get(id))
        self.assertLess(self.ended_after_cancel(id), 5)
        answer = self.tasks.update(id, {"two": accept(x="2")})
        self.assertEqual(answer.result["resultType"], "complete")
        self.assertEqual(self.tasks.get(id)["status"], "cancelled")

    def test_one_that_has_ended_stays_as_it_is(self):
        id = self.tasks.create("required")
        before = self.tasks.wait(id)
        for _ in range(2):
            answer = self.tasks.cancel(id)
            self.assertEqual(answer.result["resultType"], "complete")
        self.assertEqual(self.tasks.get(id), before)

    def test_one_that_waits_for_its_turn(self):
        tasks = self.begin(APP, options=["--task-max-running", "1"])
        first = tasks.create("loop")
        time.sleep(0.2)
        second = tasks.create("required")
        tasks.cancel(second)
        self.assertEqual(tasks.get(second)["status"], "cancelled")
        self.assertEqual(tasks.get(first)["status"], "working")
        tasks.cancel(first)
        self.assertEqual(tasks.wait(first)["status"], "cancelled")
        self.assertEqual(tasks.wait(tasks.create("required"))["status"],
                         "completed")

    def test_many_at_once(self):
        ids = [self.tasks.create("slow", {"seconds": 600}) for _ in range(30)]
        for id in ids:
            self.tasks.cancel(id)
        for id in ids:
            self.assertEqual(self.tasks.wait(id)["status"], "cancelled")

    GRACE = """
local mcp = require "mcp"
mcp.tasks { store = "memory:", cancel_grace = 4 }
mcp.tool { name = "polite", task = true, handler = function(ctx)
  while not ctx.cancelled() do ctx.sleep(0.02) end
  mcp.shared("end"):set("how", "politely")
  return "put away"
end }
mcp.tool { name = "deaf", task = true, handler = function(ctx) ctx.sleep(60) end }
mcp.tool("how", function() return mcp.shared("end"):get("how") end)
"""

    def test_cancel_grace(self):
        tasks = self.begin(self.GRACE)
        id = tasks.create("polite")
        deaf = tasks.create("deaf")
        time.sleep(0.2)
        tasks.cancel(id)
        self.assertEqual(tasks.wait(id)["status"], "cancelled")
        self.assertEqual(tasks.call("how").result["content"][0]["text"], "politely")
        begin = time.monotonic()
        tasks.cancel(deaf)
        time.sleep(1)
        self.assertEqual(tasks.get(deaf)["status"], "working")
        self.assertEqual(tasks.wait(deaf)["status"], "cancelled")
        self.assertGreater(time.monotonic() - begin, 3.9)


class Listen(TestCase):
    APP = APP
    ID = wire.META + "subscriptionId"

    def open(self, ids, server=None, **more):
        server = server or self.server
        stream = server.stream(*wire.modern(
            "subscriptions/listen", {"notifications": {"taskIds": ids, **more}},
            id="l", capabilities=CAPABILITIES))
        self.addCleanup(stream.close)
        first = stream.message()
        self.assertEqual(first["method"],
                         "notifications/subscriptions/acknowledged")
        stream.accepted = first["params"]["notifications"]
        return stream

    def told(self, stream):
        message = stream.message()
        self.assertEqual(message["method"], "notifications/tasks")
        params = message["params"]
        self.assertEqual(params.pop("_meta"), {self.ID: "l"})
        return params

    def test_every_change_with_the_whole_task(self):
        id = self.tasks.create("ask")
        self.tasks.wait(id, ("input_required",))
        stream = self.open([id])
        self.assertEqual(stream.accepted, {"taskIds": [id]})
        told = self.told(stream)
        self.assertEqual(told["status"], "input_required")
        self.tasks.update(id, {"elicit-1": accept(x="A")})
        seen = [told]
        while not seen[-1].get("inputRequests", {}).get("elicit-2"):
            seen.append(self.told(stream))
        self.assertIn("working", [task["status"] for task in seen])
        self.tasks.update(id, {"elicit-2": accept(x="B")})
        while seen[-1]["status"] not in FINAL:
            seen.append(self.told(stream))
        last = self.tasks.get(id)
        del last["_meta"], last["resultType"]
        self.assertEqual(seen[-1], last)
        self.assertEqual(last["result"]["content"][0]["text"], "AB")

    def test_progress_is_told_as_a_state_and_nothing_else(self):
        id = self.tasks.create("slow", {"seconds": 1})
        stream = self.open([id])
        seen = []
        while not seen or seen[-1]["status"] not in FINAL:
            seen.append(self.told(stream))
        self.assertEqual(seen[-1]["statusMessage"], "a quarter")

    def test_one_that_has_ended_is_told_once_more(self):
        id = self.tasks.create("required")
        self.tasks.wait(id)
        stream = self.open([id])
        self.assertEqual(self.told(stream)["status"], "completed")

    def test_only_tasks_that_there_are(self):
        id = self.tasks.create("slow", {"seconds": 60})
        stream = self.open(["0" * 32, id, "x", "", id])
        self.assertEqual(stream.accepted, {"taskIds": [id]})
        self.assertEqual(self.open(["0" * 32, "x"]).accepted, {})
        self.assertEqual(self.open([], toolsListChanged=True).accepted,
                         {"toolsListChanged": True})
        self.tasks.cancel(id)
        told = self.told(stream)
        if told["status"] == "working":    # as the stream found it
            told = self.told(stream)
        self.assertEqual(told["status"], "cancelled")

    def test_without_the_capability(self):
        answer = self.server.rpc("subscriptions/listen",
                                 {"notifications": {"taskIds": ["0" * 32]}})
        self.assertRejected(answer, 400, -32021)
        self.assertEqual(answer.error["data"], NO_CAPABILITY)

    def test_taskids_of_the_wrong_kind(self):
        for ids in ("x", [1], {}, [None]):
            answer = self.tasks.rpc("subscriptions/listen",
                                    {"notifications": {"taskIds": ids}})
            self.assertEqual(answer.error["code"], -32602)

    def test_on_a_pipe(self):
        pipe = self.start_stdio(APP)

        def request(method, params, id):
            pipe.send(wire.modern(method, params, id=id,
                                  capabilities=CAPABILITIES).body)
            return pipe.receive()
        id = request("tools/call", {"name": "ask_two"}, 1)["result"]["taskId"]
        first = request("subscriptions/listen",
                        {"notifications": {"taskIds": [id]}}, "l")
        self.assertEqual(first["params"]["notifications"], {"taskIds": [id]})
        told = None
        while told != "input_required":
            told = pipe.receive()["params"]["status"]
        pipe.send(wire.modern(
            "tasks/update", {"taskId": id, "inputResponses": {
                "one": accept(x="1"), "two": accept(x="2")}},
            id=2, capabilities=CAPABILITIES).body)
        answer = last = None
        while answer is None or last is None:
            message = pipe.receive()
            if message.get("id") == 2:
                answer = message
            elif message["params"]["status"] == "completed":
                last = message
        self.assertIn("12", json.dumps(last["params"]["result"]))


class Limits(TestCase):
    COUNTER = """
local mcp = require "mcp"
local t = mcp.types
mcp.tasks { store = "memory:" %s }
local seen = mcp.shared "seen"
local function busy(ctx)
  local now = seen:incr("now")
  if now > (seen:get("most") or 0) then seen:set("most", now) end
  local stop = os.clock() + 0.05
  while os.clock() < stop do end
  seen:incr("now", -1)
  return "ended"
end
mcp.tool { name = "busy", task = true, handler = busy }
mcp.tool { name = "busy_too", task = true, handler = busy }
mcp.tool { name = "sleepy", task = true, handler = function(ctx) ctx.sleep(0.5) return "slept" end }
mcp.tool("most", function() return seen:get("most") end)
"""

    def most(self, options, names=("busy",), count=8):
        tasks = self.begin(self.COUNTER % options)
        ids = [tasks.create(names[i % len(names)]) for i in range(count)]
        for id in ids:
            self.assertEqual(tasks.text(id), "ended")
        return int(tasks.call("most").result["content"][0]["text"])

    def test_max_running(self):
        self.assertEqual(self.most(", max_running = 1"), 1)
        self.assertEqual(self.most(", max_running = 2", count=12), 2)

    def test_max_running_per_tool(self):
        self.assertEqual(self.most(", max_running_per_tool = 1"), 1)
        self.assertEqual(self.most(", max_running_per_tool = 1",
                                   ("busy", "busy_too"), 12), 2)

    def test_max_running_per_principal(self):
        self.assertEqual(self.most(", max_running_per_principal = 1",
                                   ("busy", "busy_too")), 1)

    def test_sleepers_are_not_counted(self):
        tasks = self.begin(self.COUNTER % ", max_running = 1")
        begin = time.monotonic()
        ids = [tasks.create("sleepy") for _ in range(20)]
        for id in ids:
            tasks.wait(id)
        self.assertLess(time.monotonic() - begin, 9)  # not 20 times 0.5

    def test_max_stored(self):
        tasks = self.begin(self.COUNTER % ", max_stored = 3, ttl_ms = 2000")
        ids = [tasks.create("busy") for _ in range(3)]
        answer = tasks.call("busy")
        self.assertEqual(answer.status, 503)
        self.assertEqual(answer.error["code"], -32603)
        self.assertIn("at most 3 (task_max_stored)", answer.error["message"])
        for id in ids:
            tasks.wait(id)
        deadline = time.monotonic() + 20
        while tasks.call("busy").status == 503:
            self.assertLess(time.monotonic(), deadline, "no room any more")
            time.sleep(0.2)

    def test_max_stored_holds_when_many_come_at_once(self):
        tasks = self.begin(self.COUNTER % ", max_stored = 5")
        made, refused = [], []

        def run():
            for _ in range(3):
                answer = Tasks(tasks.server).call("busy")
                (refused if answer.status == 503 else made).append(answer)
        threads = [threading.Thread(target=run) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(made), len(refused)), (5, 19))

    def test_a_finished_task_is_forgotten_in_time(self):
        tasks = self.begin(self.COUNTER % ", ttl_ms = 700")
        id = tasks.create("busy")
        task = tasks.wait(id)
        self.assertLess(task["ttlMs"], 700 + 20000)
        wire.wait_until(lambda: tasks.rpc("tasks/get", {"taskId": id})
                        .json.get("error", {}).get("code") == -32602,
                        "it is kept", task["ttlMs"] / 1000 + 10)

    def test_a_task_that_runs_is_not_forgotten(self):
        tasks = self.begin(self.COUNTER.replace("0.5)", "6)") % ", ttl_ms = 300")
        id = tasks.create("sleepy")
        time.sleep(2)
        task = tasks.get(id)
        self.assertEqual(task["status"], "working")
        self.assertGreater(task["ttlMs"], 1950)
        self.assertEqual(tasks.text(id), "slept")

    def test_but_not_kept_for_ever(self):
        tasks = self.begin(self.COUNTER.replace("0.5)", "60)") %
                           ", ttl_ms = 1000, max_ttl_ms = 1500")
        id = tasks.create("sleepy")
        task = tasks.wait(id)
        self.assertEqual(task["status"], "failed")
        self.assertEqual(task["error"]["code"], -32603)
        self.assertIn("not over in its time", task["error"]["message"])

    def test_the_command_line_knows_of_them(self):
        folder = wire.tempfile.mkdtemp()
        self.addCleanup(wire.shutil.rmtree, folder)
        path = wire.os.path.join(folder, "app.lua")
        with open(path, "w") as f:
            f.write(APP)
        lines = wire.run("list", path).stdout.splitlines()
        for line in ("  plain()", "  slow(seconds: number) (task)",
                     "  required() (task only)", "  never()"):
            self.assertIn(line, lines)
        self.assertEqual(wire.run("check", path).returncode, 0)
        done = wire.run("call", path, "required")
        self.assertEqual(done.returncode, 1, done)  # there is no task: no id
        done = wire.run("call", path, "slow", "seconds=0")
        self.assertEqual(done.returncode, 0, done)

    def test_a_wrong_declaration(self):
        for app, text in (
                ('mcp.tasks { store = "redis://x" }', "store must be memory: or sqlite:PATH"),
                ('mcp.tasks { ttl = 1 }', 'unknown field "ttl"'),
                ('mcp.tasks { ttl_ms = "1" }', "ttl_ms must be a number"),
                ('mcp.tasks { ttl_ms = 0 }', "ttl_ms"),
                ('mcp.tasks { }\nmcp.tasks { }', "called a second time"),
                ('mcp.tool { name = "x", task = "sometimes", handler = function() end }',
                 'task must be true, false, "optional" or "required"'),
                ('mcp.tool { name = "x", restart = "retry", handler = function() end }',
                 "restart is for tools with task = true"),
                ('mcp.tool { name = "x", task_input_before_start = true, handler = function() end }',
                 "task_input_before_start is for tools with task = true"),
                ('mcp.tool { name = "x", task = true, restart = "always", handler = function() end }',
                 'restart must be "fail" or "retry"')):
            with self.subTest(app=app):
                folder = wire.tempfile.mkdtemp()
                path = wire.os.path.join(folder, "app.lua")
                with open(path, "w") as f:
                    f.write('local mcp = require "mcp"\n' + app)
                done = wire.run("check", path)
                wire.shutil.rmtree(folder)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(text, done.stdout + done.stderr)
                self.assertIn("app.lua:", done.stdout + done.stderr)


class Ending(TestCase):
    """A server with tasks in every state ends as promised."""

    def fill(self, create):
        for name, arguments in (("loop", {}), ("slow", {"seconds": 600}),
                                ("ask", {}), ("ask_again", {})):
            create(name, arguments)
        for _ in range(20):
            create("loop", {})

    def test_by_a_signal(self):
        tasks = self.begin(APP, options=["--task-max-running", "2"])
        self.fill(tasks.create)
        time.sleep(0.3)
        tasks.server.stop()  # in time, with 0

    def test_by_the_end_of_the_pipe(self):
        pipe = self.start_stdio(APP)
        self.fill(lambda name, arguments: pipe.request(wire.modern(
            "tools/call", {"name": name, "arguments": arguments},
            capabilities=CAPABILITIES).body))
        time.sleep(0.3)
        pipe.stop()


class Reload(TestCase):
    HEAD = 'local mcp = require "mcp"\nmcp.tasks { store = "memory:" }\n'
    TOOL = """mcp.tool { name = "version", task = true, handler = function(ctx)
  ctx.sleep(1) return "%s" end }
"""

    def test_tasks_end_on_their_generation(self):
        tasks = self.begin(self.HEAD + self.TOOL % "old")
        id = tasks.create("version")
        time.sleep(0.2)
        tasks.server.write("app.lua", self.HEAD + self.TOOL % "new")
        tasks.server.signal(wire.signal.SIGHUP)
        deadline = time.monotonic() + 10
        while True:
            other = tasks.create("version")
            if tasks.text(other) == "new":
                break
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(tasks.text(id), "old")

    def test_tools_become_tasks_by_a_reload(self):
        tasks = self.begin(self.HEAD + self.TOOL.replace("task = true, ", "") % "old")
        self.assertEqual(tasks.call("version").result["resultType"], "complete")
        tasks.server.write("app.lua", self.HEAD + self.TOOL % "new")
        tasks.server.signal(wire.signal.SIGHUP)
        deadline = time.monotonic() + 10
        while tasks.call("version").result["resultType"] != "task":
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(tasks.text(tasks.create("version")), "new")


if __name__ == "__main__":
    unittest.main()
