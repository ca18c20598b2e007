"""mcpluad bridge: what goes to the remote, and what comes back."""

import json
import os
import ssl
import stat
import time

import bridge as harness
import wire

META = wire.META
ERROR = -32001

APP = """
local mcp = require "mcp"
local t = mcp.types

mcp.server { name = "far", version = "1.0" }

mcp.tool("greet", function(name) return "Hello, " .. name .. "!" end)

mcp.tool("region", {
  input = { region = t.string { header = "Region" }, n = t.optional(t.integer { header = "N" }) },
}, function(args) return args.region end)

mcp.tool("steps", function(n, ctx)
  for i = 1, n do
    ctx.progress(i, n, "step " .. i)
    ctx.sleep(0.02)
  end
  return "done"
end)

mcp.tool("sleep", function(s, ctx)
  ctx.sleep(s)
  return "slept"
end)

mcp.tool("big", function(n) return ("x"):rep(n) end)

mcp.tool("ask", function(ctx)
  local answer = ctx.elicit { message = "Who?", schema = { type = "object", properties = { who = { type = "string" } } } }
  return "it is " .. answer.content.who
end)

mcp.tool("change", function() mcp.notify_list_changed("tools") return "changed" end)
"""


def request(method, params=None, id=1):
    body = {"jsonrpc": "2.0", "id": id, "method": method}
    if params is not None:
        body["params"] = params
    return body


def call(name, arguments=None, id=1):
    return request("tools/call", {"name": name, "arguments": arguments or {}},
                   id)


def text(answer):
    return answer["result"]["content"][0]["text"]


def echo(incoming):
    """Answers requests with what came, notifications with 202."""
    if incoming.message is None or "id" not in incoming.message:
        incoming.empty(202)
    else:
        incoming.result({"method": incoming.rpc})


class Ours(harness.TestCase):
    """Against our own server, both eras."""

    APP = APP

    def test_modern(self):
        far = self.bridge(self.server.url)
        answer = far.request(wire.modern("tools/call", {
            "name": "greet", "arguments": {"name": "Ada"}}, id="a"))
        self.assertEqual(text(answer), "Hello, Ada!")
        far.stop()

    def test_what_lacks_meta_is_completed(self):
        far = self.bridge(self.server.url)
        answer = far.request(call("greet", {"name": "Bo"}, 7))
        self.assertEqual(text(answer), "Hello, Bo!")
        self.assertEqual(answer["result"]["resultType"], "complete")
        self.assertIn("tools", far.request(request(
            "server/discover", id=8))["result"]["capabilities"])
        far.stop()

    def test_arguments_that_are_headers(self):
        far = self.bridge(self.server.url)
        for region in ("eu", " é", "=?base64?x?="):
            answer = far.request(call("region", {"region": region, "n": 3}))
            self.assertEqual(text(answer), region)
        far.stop()

    def test_progress_comes_before_the_answer(self):
        far = self.bridge(self.server.url)
        answer = far.request(wire.modern("tools/call", {
            "name": "steps", "arguments": {"n": 3}}, progressToken="p"))
        self.assertEqual(text(answer), "done")
        self.assertEqual([n["params"]["message"] for n in far.notifications],
                         ["step 1", "step 2", "step 3"])
        far.stop()

    def test_legacy(self):
        far = self.bridge(self.server.url)
        self.assertEqual(far.initialize()["result"]["protocolVersion"],
                         "2025-11-25")
        answer = far.request(call("greet", {"name": "Cy"}))
        self.assertEqual(text(answer), "Hello, Cy!")
        self.assertNotIn("resultType", answer["result"])
        far.stop()

    def test_a_legacy_client_is_asked(self):
        far = self.bridge(self.server.url)
        far.initialize(capabilities={"elicitation": {}})
        far.send(call("ask", {}, 5))
        asked = far.receive()
        self.assertEqual(asked["method"], "elicitation/create")
        far.send({"jsonrpc": "2.0", "id": asked["id"], "result": {
            "action": "accept", "content": {"who": "Di"}}})
        self.assertEqual(text(far.receive()), "it is Di")
        far.stop()

    def test_a_legacy_client_hears_of_changes(self):
        far = self.bridge(self.server.url)
        far.initialize()
        # its GET stream opens behind notifications/initialized
        for i in range(50):
            far.request(call("change", {}, i))
            if any(n["method"] == "notifications/tools/list_changed"
                   for n in far.notifications):
                break
            if not far.silent(0.1):
                self.assertEqual(far.receive()["method"],
                                 "notifications/tools/list_changed")
                break
        else:
            self.fail("never told")
        far.stop()

    def test_both_eras_on_one_pipe(self):
        far = self.bridge(self.server.url)
        far.initialize()
        answer = far.request(wire.modern("tools/call", {
            "name": "greet", "arguments": {"name": "Ed"}}, id=9))
        self.assertEqual(answer["result"]["resultType"], "complete")
        self.assertNotIn("resultType", far.request(call(
            "greet", {"name": "Ed"}, 10))["result"])
        far.stop()

    def test_200_calls_at_once(self):
        far = self.bridge(self.server.url)
        for i in range(200):
            far.send(call("greet", {"name": str(i)}, i))
        answers = far.answers(200)
        for i in range(200):
            self.assertEqual(text(answers[i]), "Hello, %d!" % i)
        far.stop()

    def test_50_subscriptions_and_200_calls(self):
        far = self.bridge(self.server.url)
        for i in range(50):
            far.send(request("subscriptions/listen", {
                "notifications": {"toolsListChanged": True}}, "s%d" % i))
        acknowledged = set()
        while len(acknowledged) < 50:
            message = far.receive()
            self.assertEqual(message["method"],
                             "notifications/subscriptions/acknowledged")
            acknowledged.add(
                message["params"]["_meta"][META + "subscriptionId"])
        for i in range(200):
            far.send(call("greet", {"name": str(i)}, i))
        self.assertEqual(len(far.answers(200)), 200)
        self.server.call("change")
        told = set()
        while len(told) < 50:
            message = far.receive()
            if message.get("method") == "notifications/tools/list_changed":
                told.add(message["params"]["_meta"][META + "subscriptionId"])
        self.assertEqual(told, acknowledged)
        far.stop()

    def test_a_cancelled_subscription_says_nothing_more(self):
        far = self.bridge(self.server.url)
        for id in ("one", "two"):
            far.send(request("subscriptions/listen", {
                "notifications": {"toolsListChanged": True}}, id))
            far.receive()
        far.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                  "params": {"requestId": "one"}})
        far.request(call("greet", {"name": "x"}))
        self.server.call("change")
        message = far.receive()
        self.assertEqual(
            message["params"]["_meta"][META + "subscriptionId"], "two")
        self.assertTrue(far.silent())
        far.stop()

    def test_cancelled_calls_are_silent(self):
        for legacy in (False, True):
            with self.subTest(legacy=legacy):
                far = self.bridge(self.server.url)
                if legacy:
                    far.initialize()
                far.send(call("sleep", {"s": 20}, 99))
                far.request(call("greet", {"name": "x"}, 98))
                far.send({"jsonrpc": "2.0", "params": {"requestId": 99},
                          "method": "notifications/cancelled"})
                far.request(call("greet", {"name": "x"}, 97))
                self.assertTrue(far.silent())
                far.stop()  # in time: nothing is waited for

    def test_errors_of_the_server_come_as_they_are(self):
        far = self.bridge(self.server.url)
        answer = far.request(call("greeet"))
        self.assertEqual(answer["error"]["code"], -32602)
        self.assertIn("greet", json.dumps(answer["error"]))
        self.assertEqual(far.request(request("no/such", id=2))["error"]["code"],
                         -32601)
        answer = far.request(request("tools/list", {
            "_meta": {META + "protocolVersion": "2030-01-01"}}, 3))
        self.assertEqual(answer["error"]["code"], -32022)
        self.assertIn("2026-07-28", answer["error"]["data"]["supported"])
        far.stop()

    def test_end_of_input_waits_for_answers(self):
        done = wire.run("bridge", self.server.url, input=wire.encode(
            call("sleep", {"s": 0.5})) + b"\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(text(json.loads(done.stdout)), "slept")

    def test_the_last_line_may_lack_its_end(self):
        done = wire.run("bridge", self.server.url,
                        input=b"\n \r\n" + wire.encode(call("big", {"n": 3})))
        self.assertEqual(text(json.loads(done.stdout)), "xxx")

    def test_a_slow_reader_gets_it_all(self):
        far = self.bridge(self.server.url)
        n = 300_000
        for i in range(40):
            far.send(call("big", {"n": n}, i))
        answers = far.answers(40)
        self.assertTrue(all(len(text(a)) == n for a in answers.values()))
        far.stop()

    def test_app(self):
        folder = self.folder()
        path = os.path.join(folder, "app.lua")
        with open(path, "w", encoding="utf-8") as file:
            file.write("require('mcp').server { port = %d, host = '0.0.0.0' }"
                       "\nprint('not for the client')" % self.server.port)
        done = wire.run("bridge", "--app", path, input=wire.encode(
            call("greet", {"name": "app"})))
        self.assertEqual(text(json.loads(done.stdout)), "Hello, app!")


class Restart(harness.TestCase):
    """The remote goes away and comes back."""

    def setUp(self):
        super().setUp()
        self.far = None
        self.first = wire.Server(APP)
        self.addCleanup(self.first.kill)
        self.far = self.bridge(self.first.url)

    def again(self):
        server = wire.Server(APP, options=["--port", str(self.first.port)])
        self.addCleanup(server.kill)
        return server

    def test_modern(self):
        far = self.far
        self.assertEqual(text(far.request(call("greet", {"name": "x"}))),
                         "Hello, x!")
        far.send(request("subscriptions/listen", {
            "notifications": {"toolsListChanged": True}}, "s"))
        far.receive()
        far.send(call("sleep", {"s": 30}, 2))
        time.sleep(0.3)
        self.first.kill()
        lost = far.answers(2)
        for id in ("s", 2):
            self.assertEqual(lost[id]["error"]["code"], ERROR, lost[id])
        refused = far.request(call("greet", {"name": "x"}, 3))
        self.assertEqual(refused["error"]["code"], ERROR)
        self.assertRegex(refused["error"]["message"],
                         "Could not connect to the MCP endpoint at http://")
        self.again()
        self.assertEqual(text(far.request(call("greet", {"name": "y"}, 4))),
                         "Hello, y!")
        far.stop()

    def test_50_subscriptions_and_200_calls_under_way(self):
        far = self.far
        listeners = ["s%d" % i for i in range(50)]

        def listen():
            for id in listeners:
                far.send(request("subscriptions/listen", {
                    "notifications": {"toolsListChanged": True}}, id))
            for _ in listeners:
                self.assertEqual(far.receive()["method"],
                                 "notifications/subscriptions/acknowledged")
        listen()
        for i in range(200):
            far.send(call("sleep", {"s": 20}, i))
        far.send(request("server/discover", id="last"))
        while far.receive().get("id") != "last":
            pass  # calls that the queue of the server has no room for
        self.first.kill()
        lost = set()
        while not lost.issuperset(listeners):
            message = far.receive()
            if "method" not in message:
                self.assertEqual(message["error"]["code"], ERROR, message)
                lost.add(message["id"])
        while not far.silent(1):
            lost.add(far.receive().get("id"))
        self.assertGreater(len(lost), 51)
        second = self.again()
        listen()
        for i in range(200):
            far.send(call("greet", {"name": str(i)}, i))
        self.assertEqual(len(far.answers(200)), 200)
        second.call("change")
        told = set()
        while len(told) < 50:
            told.add(far.receive()["params"]["_meta"][META + "subscriptionId"])
        self.assertEqual(told, set(listeners))
        far.stop()

    def test_a_stopped_server_ends_subscriptions(self):
        far = self.far
        far.send(request("subscriptions/listen", {
            "notifications": {"toolsListChanged": True}}, "s"))
        far.receive()
        self.first.stop()
        self.assertEqual(far.receive()["method"], "notifications/cancelled")
        ended = far.receive()
        self.assertEqual(ended["id"], "s")
        self.assertEqual(ended["result"]["resultType"], "complete")
        far.stop()

    def test_a_session_is_renewed(self):
        far = self.far
        far.initialize(id="first")
        far.request(call("greet", {"name": "x"}))
        self.first.kill()
        refused = far.request(call("greet", {"name": "x"}, 2))
        self.assertEqual(refused["error"]["code"], ERROR)
        second = self.again()
        for i in range(3, 23):
            far.send(call("greet", {"name": str(i)}, i))
        answers = far.answers(20)
        for i in range(3, 23):
            self.assertEqual(text(answers[i]), "Hello, %d!" % i)
        self.assertTrue(far.silent(0.1))  # no second answer to initialize
        far.wait_stderr("the session was renewed")
        far.stop()
        second.stop()


class Sent(harness.TestCase):
    """What the remote gets to see."""

    def one(self, line, *options, **how):
        remote = self.remote(echo)
        far = self.bridge(remote.url, *options, **how)
        far.request(line)
        far.stop()
        return remote.requests[0]

    def test_headers_and_meta(self):
        got = self.one(request("resources/read", {"uri": "x://é"}, "id"))
        self.assertEqual(got.method, "POST")
        self.assertEqual(got.path, "/mcp")
        self.assertEqual(got.headers["content-type"], "application/json")
        self.assertEqual(got.headers["accept"],
                         "application/json, text/event-stream")
        self.assertEqual(got.headers["mcp-protocol-version"], "2026-07-28")
        self.assertEqual(got.headers["mcp-method"], "resources/read")
        self.assertEqual(got.headers["mcp-name"], wire.header_value("x://é"))
        self.assertNotIn("expect", got.headers)
        meta = got.message["params"]["_meta"]
        self.assertEqual(meta[META + "protocolVersion"], "2026-07-28")
        self.assertEqual(meta[META + "clientCapabilities"], {})
        self.assertEqual(meta[META + "clientInfo"]["name"], "mcpluad-bridge")
        self.assertEqual(got.message["id"], "id")

    def test_a_complete_message_goes_as_it_came(self):
        line = (b'{"jsonrpc":"2.0", "id":12345678901234567890, "method":"x/y",'
                b'"params":{"_meta":{"io.modelcontextprotocol/protocolVersion"'
                b':"2026-07-28","io.modelcontextprotocol/clientCapabilities":'
                b'{}},"n":1.50}}')
        remote = self.remote(echo)
        far = self.bridge(remote.url)
        far.send(line)
        self.assertIn(b'"id": 12345678901234567890', far.line().replace(
            b'"id":', b'"id": '))
        far.stop()
        self.assertEqual(remote.requests[0].body, line)

    def test_legacy_has_no_modern_headers(self):
        remote = self.remote(lambda r: r.empty(405) if r.method == "GET" else
                             r.result({"protocolVersion": "2025-06-18"}, {
                                 "Mcp-Session-Id": "abc"})
                             if r.rpc == "initialize" else echo(r))
        far = self.bridge(remote.url)
        far.initialize("2025-06-18")
        far.request(call("x"))
        far.stop()
        first, second, third = (
            remote.of(m)[0] for m in ("initialize", "notifications/initialized",
                                      "tools/call"))
        self.assertNotIn("mcp-session-id", first.headers)
        self.assertNotIn("mcp-protocol-version", first.headers)
        self.assertNotIn("_meta", first.message["params"])
        for got in (second, third, remote.of("GET")[0], remote.of("DELETE")[0]):
            self.assertEqual(got.headers["mcp-session-id"], "abc")
            self.assertEqual(got.headers["mcp-protocol-version"], "2025-06-18")
            self.assertNotIn("mcp-method", got.headers)
        self.assertNotIn("_meta", third.message["params"])
        self.assertEqual(remote.of("GET")[0].headers["accept"],
                         "text/event-stream")

    def test_headers_of_the_user(self):
        got = self.one(call("x"), "--header", "X-One: 1", "--header",
                       "X-Two:two", "--header=X-None:")
        self.assertEqual(got.headers["x-one"], "1")
        self.assertEqual(got.headers["x-two"], "two")
        self.assertEqual(got.headers["x-none"], "")

    def test_token_of_a_variable(self):
        got = self.one(call("x"), "--bearer-env", "TOKEN",
                       env={"TOKEN": " s3cret\n"})
        self.assertEqual(got.headers["authorization"], "Bearer s3cret")

    def test_token_with_its_own_header(self):
        got = self.one(call("x"), "--bearer-env", "TOKEN", "--header-name",
                       "X-Key", "--token-prefix", "", env={"TOKEN": "k"})
        self.assertEqual(got.headers["x-key"], "k")
        self.assertNotIn("authorization", got.headers)

    def test_a_variable_that_is_not_set(self):
        far = self.bridge("http://127.0.0.1:9/mcp", "--bearer-env", "NOT_SET")
        answer = far.request(call("x"))
        self.assertEqual(answer["error"], {
            "code": ERROR,
            "message": "Environment variable 'NOT_SET' is not set."})
        far.stop()

    def test_proxies_are_for_other_machines(self):
        dead = {"http_proxy": "http://127.0.0.1:9"}
        remote = self.remote(echo)
        for url in (remote.url, remote.url.replace("//", "//me:secret@")):
            far = self.bridge(url, env=dead)
            self.assertIn("result", far.request(request("x/y")))
            far.stop()
        far = self.bridge("http://far.example/mcp?key=1", env={
            "http_proxy": "http://127.0.0.1:%d" % remote.port})
        self.assertIn("result", far.request(request("x/y")))
        self.assertEqual(remote.requests[-1].path,
                         "http://far.example/mcp?key=1")
        far.stop()

    def test_secrets_of_the_url_are_not_shown(self):
        far = self.bridge("http://me:secret@127.0.0.1:9/mcp?key=hidden")
        answer = far.request(request("x/y"))
        self.assertIn("at http://127.0.0.1:9/mcp: ",
                      answer["error"]["message"])
        far.stop()
        self.assertNotRegex(far.stderr + json.dumps(answer), "secret|hidden")

    def command(self, script):
        path = os.path.join(self.folder(), "token")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_token_of_a_command(self):
        got = self.one(call("x"), "--bearer-cmd",
                       self.command('echo "$1-$2"') + " 'a b' c\\ d")
        self.assertEqual(got.headers["authorization"], "Bearer a b-c d")

    def test_a_fresh_token_after_401(self):
        folder = self.folder()
        script = self.command('echo x >>"%s/n"; wc -l <"%s/n"'
                              % (folder, folder))

        def answer(incoming):
            if incoming.headers["authorization"] == "Bearer 1":
                incoming.empty(401)
            else:
                echo(incoming)
        remote = self.remote(answer)
        far = self.bridge(remote.url, "--bearer-cmd", script)
        self.assertIn("result", far.request(request("x/y")))
        self.assertEqual([r.headers["authorization"] for r in remote.requests],
                         ["Bearer 1", "Bearer 2"])
        far.stop()

    def test_one_retry_after_401(self):
        remote = self.remote(lambda r: r.empty(401, {
            "WWW-Authenticate": 'Bearer error="invalid_token"'}))
        far = self.bridge(remote.url, "--bearer-env", "T", env={"T": "t"})
        answer = far.request(request("x/y"))
        self.assertEqual(answer["error"]["data"], {"status": 401})
        self.assertIn("invalid_token", answer["error"]["message"])
        self.assertEqual(len(remote.requests), 2)
        far.stop()

    def test_commands_that_fail(self):
        for script, why in (("exit 3", "ended with 3"),
                            ("true", "gave no token"),
                            ("kill -9 $$", "signal 9"),
                            ("sleep 60", "took too long"),
                            ("printf 'a\\001b'", "no header may have"),
                            ("head -c 9000 /dev/zero | tr '\\0' x",
                             "too long a token")):
            with self.subTest(script=script):
                far = self.bridge("http://127.0.0.1:9/mcp", "--bearer-cmd",
                                  self.command(script), "--timeout", "1")
                answer = far.request(call("x"))
                self.assertIn(why, answer["error"]["message"])
                far.stop()

    def test_tls_with_a_certificate_of_our_own(self):
        folder, cert, key = harness.certificate()
        self.addCleanup(harness.shutil.rmtree, folder)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(cert, key)
        remote = self.remote(echo, tls=tls)
        far = self.bridge(remote.url, "--ca-file", cert)
        self.assertEqual(far.request(request("x/y"))["result"],
                         {"method": "x/y"})
        far.stop()
        far = self.bridge(remote.url)
        answer = far.request(request("x/y"))
        self.assertIn("--ca-file", answer["error"]["message"])
        far.stop()


class Tools(harness.TestCase):
    """Headers of arguments, from tools/list."""

    @staticmethod
    def tool(name, header):
        return {"name": name, "inputSchema": {
            "type": "object", "properties": {
                "a": {"type": "string", "x-mcp-header": header},
                "deep": {"type": "object", "properties": {
                    "b": {"type": "boolean", "x-mcp-header": "Deep"}}}}}}

    def answer(self, incoming):
        if incoming.rpc == "tools/list":
            cursor = incoming.message["params"].get("cursor")
            if cursor is None:
                incoming.result({"tools": [self.tool("one", self.header)],
                                 "nextCursor": "2"})
            else:
                incoming.result({"tools": [self.tool("two", "Two")]})
        elif ("mcp-param-" + self.header.lower() not in incoming.headers
              and incoming.message["params"]["name"] == "one"):
            incoming.error(-32020, "Header mismatch")
        else:
            incoming.result({})

    def setUp(self):
        super().setUp()
        self.header = "First"
        self.far_remote = self.remote(self.answer)
        self.far = self.bridge(self.far_remote.url)

    def calls(self):
        return self.far_remote.of("tools/call")

    def test_the_list_is_fetched_once_with_all_pages(self):
        self.far.request(call("one", {"a": "x", "deep": {"b": True}}))
        self.far.request(call("two", {"a": "é"}))
        self.assertEqual(len(self.far_remote.of("tools/list")), 2)
        first, second = self.calls()
        self.assertEqual(first.headers["mcp-param-first"], "x")
        self.assertEqual(first.headers["mcp-param-deep"], "true")
        self.assertEqual(second.headers["mcp-param-two"],
                         wire.header_value("é"))
        self.assertNotIn("mcp-param-deep", second.headers)
        self.far.stop()

    def test_the_list_of_the_client_will_do(self):
        for cursor in (None, "2"):
            self.far.request(request(
                "tools/list", {"cursor": cursor} if cursor else {}))
        self.far.request(call("one", {"a": "x"}))
        self.assertEqual(len(self.far_remote.of("tools/list")), 2)
        self.assertEqual(self.calls()[0].headers["mcp-param-first"], "x")
        self.far.stop()

    def test_a_mismatch_fetches_it_again(self):
        self.far.request(call("one", {"a": "x"}))
        self.header = "Second"
        answer = self.far.request(call("one", {"a": "y"}, 2))
        self.assertEqual(answer["result"], {})
        self.assertEqual(self.calls()[-1].headers["mcp-param-second"], "y")
        self.assertEqual(len(self.far_remote.of("tools/list")), 4)
        self.far.stop()

    def test_a_mismatch_that_stays_is_told(self):
        answer = self.far.request(call("one", {}))
        self.assertEqual(answer["error"]["code"], -32020)
        self.assertEqual(len(self.calls()), 2)
        self.far.stop()

    def test_the_wrong_kind_of_tool_is_left_out(self):
        self.header = "not a token"
        answer = self.far.request(request("tools/list"))
        self.assertEqual(answer["result"], {"tools": [], "nextCursor": "2"})
        self.far.wait_stderr('left out of tools/list: tool "one"')
        self.far.stop()


if __name__ == "__main__":
    import unittest
    unittest.main()
