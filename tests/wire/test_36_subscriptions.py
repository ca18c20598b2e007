"""Streams that tell of changes: subscriptions/listen, the GET of a legacy
session, the pipe; what a reload and the app itself make of them.

bugs.md B.5: B76 B89. conformance.md: server-stateless 7 to 9, traps 13, 14.
"""

import contextlib
import json
import os
import signal
import socket
import time
import unittest

import wire

HEAD = """
local mcp = require "mcp"
mcp.server { name = "changing", version = "1.0.0" }
mcp.tool("tell", function(what)
  mcp.notify_list_changed(what)
  return "told"
end)
mcp.tool("touch", function(uri)
  mcp.notify_resource_updated(uri)
  return "touched"
end)
mcp.tool("flood", function()
  local uri = "test://" .. ("x"):rep(8000)
  for _ = 1, 2000 do mcp.notify_resource_updated(uri) end
  return "flooded"
end)
mcp.tool("try", function(name, value)
  return select(2, pcall(mcp["notify_" .. name], value))
end)
"""
RESOURCE = """
mcp.resource { uri = "test://a", name = "a", text = "A" }
"""
PROMPT = """
mcp.prompt("greet", { description = "Greets" }, function() return "hello" end)
"""
APP = HEAD + RESOURCE + PROMPT
ID = wire.META + "subscriptionId"
FLOOD_URI = "test://" + "x" * 8000
LISTS = {"toolsListChanged": True, "promptsListChanged": True,
         "resourcesListChanged": True}
NAMES = ("tools", "prompts", "resources")


def listen(notifications, id=1, **how):
    return wire.modern("subscriptions/listen",
                       {"notifications": notifications}, id=id, **how)


def changed(name, id):
    return {"jsonrpc": "2.0", "method": "notifications/%s/list_changed" % name,
            "params": {"_meta": {ID: id}}}


def updated(uri, id):
    return {"jsonrpc": "2.0", "method": "notifications/resources/updated",
            "params": {"_meta": {ID: id}, "uri": uri}}


def legacy_changed(name):
    return {"jsonrpc": "2.0", "method": "notifications/%s/list_changed" % name}


def legacy_updated(uri):
    return {"jsonrpc": "2.0", "method": "notifications/resources/updated",
            "params": {"uri": uri}}


class Streams(wire.TestCase):
    APP = APP

    def open(self, notifications, id=1, server=None, **how):
        """An acknowledged stream; its acknowledgement in `ack`."""
        stream = (server or self.server).stream(
            *listen(notifications, id, **how))
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        self.assertEqual(stream.headers["Content-Type"], "text/event-stream")
        self.assertEqual(stream.headers["X-Accel-Buffering"], "no")
        stream.ack = stream.message()
        self.assertEqual(stream.ack["method"],
                         "notifications/subscriptions/acknowledged")
        self.assertEqual(stream.ack["params"]["_meta"], {ID: id})
        self.assertIs(type(stream.ack["params"]["_meta"][ID]), type(id))
        return stream

    def tell(self, what, server=None):
        answer = (server or self.server).call("tell", {"what": what})
        self.assertEqual(answer.result["content"][0]["text"], "told")

    def touch(self, uri, server=None):
        answer = (server or self.server).call("touch", {"uri": uri})
        self.assertEqual(answer.result["content"][0]["text"], "touched")


class Listen(Streams):
    def test_the_acknowledgement_comes_first_and_at_once(self):
        stream = self.open(LISTS)
        self.assertEqual(stream.ack["params"]["notifications"], LISTS)

    def test_ids_keep_their_type(self):
        for id in (7, "7", 1790000000123, -1, "é\"\\"):
            stream = self.open({"toolsListChanged": True}, id)
            self.tell("tools")
            self.assertEqual(stream.message(), changed("tools", id))

    def test_a_large_id_keeps_its_digits(self):
        body, headers = listen({"toolsListChanged": True}, 0)
        text = json.dumps(body).replace('"id": 0',
                                        '"id": 12345678901234567890123')
        with self.server.stream(text, headers) as stream:
            line = stream.response.readline()
            self.assertIn(b'"%s":12345678901234567890123}' % ID.encode(), line)

    def test_only_what_was_asked_for_is_sent(self):
        tools = self.open({"toolsListChanged": True}, 1)
        prompts = self.open({"promptsListChanged": True,
                             "toolsListChanged": False}, 2)
        uris = self.open({"resourceSubscriptions": ["test://a", "test://b"]},
                         3)
        nothing = self.open({}, 4)
        self.assertEqual(prompts.ack["params"]["notifications"],
                         {"promptsListChanged": True})
        self.assertEqual(uris.ack["params"]["notifications"],
                         {"resourceSubscriptions": ["test://a", "test://b"]})
        self.assertEqual(nothing.ack["params"]["notifications"], {})
        for name in NAMES:
            self.tell(name)
        for uri in ("test://c", "test://aa", "test://", "test://b"):
            self.touch(uri)
        self.assertEqual(tools.message(), changed("tools", 1))
        self.assertEqual(prompts.message(), changed("prompts", 2))
        self.assertEqual(uris.message(), updated("test://b", 3))
        # what follows next proves that nothing else came between
        for name in NAMES:
            self.tell(name)
        self.touch("test://a")
        self.assertEqual(tools.message(), changed("tools", 1))
        self.assertEqual(prompts.message(), changed("prompts", 2))
        self.assertEqual(uris.message(), updated("test://a", 3))

    def test_every_list_and_any_text_in_a_uri(self):
        uri = 'test://ü/"q"?a=b&c=d'
        stream = self.open({**LISTS, "resourceSubscriptions": [uri]}, "s")
        for name in NAMES:
            self.tell(name)
            self.assertEqual(stream.message(), changed(name, "s"))
        self.touch(uri)
        self.assertEqual(stream.message(), updated(uri, "s"))

    def test_what_the_app_has_not_got_is_not_honoured(self):
        server = self.start(HEAD)
        stream = self.open({**LISTS, "resourceSubscriptions": ["test://a"]},
                           server=server)
        self.assertEqual(stream.ack["params"]["notifications"],
                         {"toolsListChanged": True})
        for name in ("resources", "prompts"):
            self.tell(name, server)
        self.touch("test://a", server)
        self.tell("tools", server)
        self.assertEqual(stream.message(), changed("tools", 1))

    def test_a_wrong_filter_is_refused(self):
        for filter in (None, [], "x", {"toolsListChanged": 1},
                       {"promptsListChanged": "yes"},
                       {"resourcesListChanged": None},
                       {"resourceSubscriptions": "test://a"},
                       {"resourceSubscriptions": [1]}, {"taskIds": [1]}):
            answer = self.server.post(*listen(filter))
            self.assertEqual(answer.status, 200, filter)
            self.assertEqual(answer.error["code"], -32602, filter)
        answer = self.server.rpc("subscriptions/listen")
        self.assertEqual(answer.error["code"], -32602)

    def test_the_size_of_a_request_is_bounded(self):
        def of(size):
            body, headers = listen({"resourceSubscriptions": [""]})
            spare = size - len(wire.encode(body))
            body["params"]["notifications"]["resourceSubscriptions"] = [
                "x" * spare]
            self.assertEqual(len(wire.encode(body)), size)
            return body, headers
        with self.server.stream(*of(64 * 1024)) as stream:
            self.assertIn("acknowledged", stream.message()["method"])
        self.assertEqual(self.server.post(*of(64 * 1024 + 1)).error["code"],
                         -32602)

    def test_tasks_need_their_extension(self):
        answer = self.server.post(*listen({"taskIds": ["t"]}))
        self.assertEqual(answer.status, 400)
        self.assertEqual(answer.error["code"], -32021)
        self.assertEqual(answer.error["data"], {"requiredCapabilities": {
            "extensions": {"io.modelcontextprotocol/tasks": {}}}})
        stream = self.open({"taskIds": ["t"], "toolsListChanged": True},
                           capabilities={"extensions": {
                               "io.modelcontextprotocol/tasks": {}}})
        self.assertEqual(stream.ack["params"]["notifications"],
                         {"toolsListChanged": True})

    def test_a_client_without_event_streams_is_refused(self):
        body, headers = listen(LISTS)
        answer = self.server.post(body, {**headers,
                                         "Accept": "application/json"})
        self.assertRejected(answer, 406, -32600)
        self.assertEqual(answer.json["id"], 1)

    def test_comments_keep_it_open(self):
        server = self.start(APP, options=["--keepalive", "0.1"])
        stream = self.open(LISTS, server=server)
        time.sleep(1.5)
        self.tell("tools", server)
        self.assertEqual(stream.message(), changed("tools", 1))
        self.assertGreaterEqual(stream.comments, 2)

    def test_listening_is_declared(self):
        capabilities = self.server.rpc("server/discover").result[
            "capabilities"]
        self.assertEqual(capabilities["tools"], {"listChanged": True})
        self.assertEqual(capabilities["prompts"], {"listChanged": True})
        self.assertEqual(capabilities["resources"],
                         {"listChanged": True, "subscribe": True})
        session = self.server.session()
        self.assertEqual(session.initialized.result["capabilities"],
                         capabilities)

    def test_the_functions_refuse_nonsense(self):
        for name, value, message in (
                ("list_changed", "tool", 'must be "tools", "prompts" or '),
                ("list_changed", "resource", 'must be "tools", "prompts" or '),
                ("resource_updated", "", "must be a URI")):
            answer = self.server.call("try", {"name": name, "value": value})
            self.assertIn(message, answer.result["content"][0]["text"])

    def test_not_while_the_app_loads(self):
        with self.assertRaisesRegex(AssertionError, "app.lua:.*while the app"):
            wire.Server(HEAD + 'mcp.notify_list_changed("tools")\n')


class Many(Streams):
    COUNT = 200

    @staticmethod
    def streams(server):
        """Open descriptors: each stream has one."""
        return len(os.listdir("/proc/%d/fd" % server.pid))

    def test_all_hear_it_and_closing_frees_all(self):
        server = self.start(APP, env={"ASAN_OPTIONS":
                                      "quarantine_size_mb=1"})
        idle = self.streams(server)
        sizes = []
        for _ in range(4):
            with contextlib.ExitStack() as stack:
                streams = []
                for id in range(self.COUNT):
                    streams.append(stack.enter_context(server.stream(
                        *listen({"resourceSubscriptions": ["test://a"]}, id))))
                for stream in streams:
                    self.assertIn("acknowledged", stream.message()["method"])
                self.touch("test://a", server)
                for id, stream in enumerate(streams):
                    self.assertEqual(stream.message(), updated("test://a", id))
            end = time.monotonic() + 10
            while self.streams(server) > idle + 5:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            sizes.append(server.rss_kib())
        self.assertLess(sizes[-1] - sizes[0], sizes[0] / 5 + 4096, sizes)

    def test_no_more_than_max_streams(self):
        server = self.start(APP, options=["--max-streams", "2"])
        first = self.open(LISTS, 1, server)
        self.open(LISTS, 2, server)
        answer = server.post(*listen(LISTS, 3))
        self.assertRejected(answer, 503, -32603)
        self.assertEqual(answer.headers["Retry-After"], "1")
        first.close()
        end = time.monotonic() + 10
        while True:
            with server.stream(*listen(LISTS, 4)) as stream:
                if stream.status == 200:
                    break
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)


class Slow(Streams):
    def test_who_does_not_read_is_dropped_with_a_reason(self):
        server = self.start(APP)
        body, headers = listen({"resourceSubscriptions": [FLOOD_URI]}, "lazy")
        body = wire.encode(body)
        lazy = socket.socket()
        self.addCleanup(lazy.close)
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.connect((server.host, server.port))
        lazy.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Type: application/json\r\n"
                     b"Accept: text/event-stream\r\n"
                     + "".join("%s: %s\r\n" % h for h in headers.items()
                               ).encode()
                     + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.assertIn(b"200", lazy.recv(15))
        eager = self.open({"toolsListChanged": True}, 2, server)
        server.call("flood")
        server.wait_stderr(r'subscription "lazy" is closed: '
                           r'the client reads too slowly')
        self.tell("tools", server)
        self.assertEqual(eager.message(), changed("tools", 2))


class Reload(Streams):
    def save(self, server, text):
        number = server.stderr.count("reloaded as generation")
        path = server.write("app.lua.new", text)
        os.replace(path, server.app_file)
        server.signal(signal.SIGHUP)
        server.wait_stderr(r"(?s)(reloaded as generation.*){%d}" % (number + 1))

    def test_only_changed_lists_are_told(self):
        server = self.start(APP)
        stream = self.open(LISTS, server=server)
        self.save(server, APP + "-- a comment\n")
        self.save(server, APP.replace('return "told"', 'return "told" .. ""'))
        self.save(server, APP + 'mcp.tool("new", function() end)\n')
        self.assertEqual(stream.message(), changed("tools", 1))
        now = APP.replace('"Greets"', '"Greets all"')
        self.save(server, now)  # and without "new"
        self.assertEqual(sorted(stream.message()["method"] for _ in "ab"),
                         ["notifications/prompts/list_changed",
                          "notifications/tools/list_changed"])
        self.save(server, now + 'mcp.resource { uri_template = "test://{id}", '
                  'name = "t", handler = function(id) return id end }\n')
        self.assertEqual(stream.message(), changed("resources", 1))
        self.tell("prompts", server)
        self.assertEqual(stream.message(), changed("prompts", 1))

    def test_fixed_content_that_is_another_one_is_told(self):
        def fixed(uri, text):
            return 'mcp.resource { uri = "%s", text = "%s" }\n' % (uri, text)
        kept = fixed("test://kept", "k")
        server = self.start(
            APP + kept + fixed("test://other", "1") + fixed("test://gone", "g"))
        stream = self.open({"resourceSubscriptions": [
            "test://kept", "test://other", "test://gone"]}, server=server)
        self.save(server, APP + kept + fixed("test://other", "2"))
        self.assertEqual(
            sorted(stream.message()["params"]["uri"] for _ in "ab"),
            ["test://gone", "test://other"])
        server.call("touch", {"uri": "test://kept"})
        self.assertEqual(stream.message()["params"]["uri"], "test://kept")

    def test_a_broken_script_tells_nothing(self):
        server = self.start(APP)
        stream = self.open(LISTS, server=server)
        path = server.write("app.lua.new", "no Lua")
        os.replace(path, server.app_file)
        server.signal(signal.SIGHUP)
        server.wait_stderr("reload failed")
        self.tell("prompts", server)
        self.assertEqual(stream.message(), changed("prompts", 1))

    def test_old_generations_are_not_held_by_streams(self):
        server = self.start(APP)
        self.open(LISTS, server=server)
        sizes = []
        for i in range(12):
            self.save(server, APP + "-- %d\n" % i)
            sizes.append(server.rss_kib())
        self.assertLess(sizes[-1] - sizes[3], sizes[3] / 5 + 4096, sizes)


class End(Streams):
    def test_the_server_says_goodbye(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = wire.Server(APP)
            try:
                stream = self.open(LISTS, "bye", server)
                session = server.session()
                get = server.stream(None, session.headers(), "GET")
                self.addCleanup(get.close)
                begin = time.monotonic()
                server.signal(number)
                (last,) = stream.messages()
                self.assertEqual(last["id"], "bye")
                result = last["result"]
                self.assertEqual(result["resultType"], "complete")
                self.assertEqual(result["_meta"][ID], "bye")
                self.assertEqual(result["_meta"][wire.META + "serverInfo"],
                                 {"name": "changing", "version": "1.0.0"})
                self.assertEqual(get.messages(), [])
            finally:
                server.wait_end()
            self.assertLess(time.monotonic() - begin, 3)

    def test_many_are_ended_in_time(self):
        server = wire.Server(APP)
        streams = [self.open(LISTS, id, server) for id in range(50)]
        server.stop(5)
        for id, stream in enumerate(streams):
            self.assertEqual([m["id"] for m in stream.messages()], [id])


class Legacy(Streams):
    def get(self, session, server=None, **headers):
        stream = (server or self.server).stream(
            None, {**session.headers(), **headers}, "GET")
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        self.assertEqual(stream.headers["Content-Type"], "text/event-stream")
        return stream

    def test_get_opens_the_stream_of_the_session(self):
        for version in wire.LEGACY:
            session = self.server.session(version)
            stream = self.get(session)
            for name in NAMES:
                self.tell(name)
                self.assertEqual(stream.message(), legacy_changed(name))

    def test_subscribe_and_unsubscribe(self):
        session, other = self.server.session(), self.server.session()
        stream, others = self.get(session), self.get(other)
        for _ in "ab":
            answer = session.request("resources/subscribe",
                                     {"uri": "test://a"})
            self.assertEqual(answer.result, {})
        self.touch("test://b")
        self.touch("test://a")
        self.assertEqual(stream.message(), legacy_updated("test://a"))
        answer = session.request("resources/unsubscribe", {"uri": "test://a"})
        self.assertEqual(answer.result, {})
        answer = session.request("resources/unsubscribe", {"uri": "test://z"})
        self.assertEqual(answer.result, {})
        self.touch("test://a")
        self.tell("tools")
        self.assertEqual(stream.message(), legacy_changed("tools"))
        self.assertEqual(others.message(), legacy_changed("tools"))

    def test_a_subscription_outlives_its_stream(self):
        session = self.server.session()
        session.request("resources/subscribe", {"uri": "test://a"})
        self.get(session).close()
        stream = self.get(session)
        self.touch("test://a")
        self.assertEqual(stream.message(), legacy_updated("test://a"))

    def test_wrong_subscriptions(self):
        session = self.server.session()
        for method in ("resources/subscribe", "resources/unsubscribe"):
            for params in (None, {}, {"uri": 1}, {"uri": ""}):
                answer = session.request(method, params)
                self.assertEqual(answer.error["code"], -32602, params)
            answer = self.server.post(
                {"jsonrpc": "2.0", "id": 1, "method": method,
                 "params": {"uri": "test://a"}})
            self.assertEqual(answer.error["code"], -32602)
            answer = self.server.rpc(method, {"uri": "test://a"})
            self.assertRejected(answer, 404, -32601)
        session.request("resources/subscribe", {"uri": "test://a"})

    def test_subscriptions_are_bounded(self):
        session = self.server.session()
        for i in range(1000):
            answer = session.request("resources/subscribe",
                                     {"uri": "test://%d" % i})
            self.assertEqual(answer.result, {})
        for uri, refused in (("test://1000", True), ("test://7", False)):
            answer = session.request("resources/subscribe", {"uri": uri})
            self.assertEqual("error" in answer.json, refused, uri)

    def test_the_newest_stream_counts(self):
        session = self.server.session()
        old, new = self.get(session), self.get(session)
        self.assertIsNone(old.message())
        self.tell("tools")
        self.assertEqual(new.message(), legacy_changed("tools"))

    def test_delete_ends_it(self):
        session = self.server.session()
        stream = self.get(session)
        self.assertEqual(session.delete().status, 204)
        self.assertIsNone(stream.message())
        answer = self.server.request("GET", None, None, {
            **session.headers(), "Accept": "text/event-stream"})
        self.assertRejected(answer, 404, -32600)

    def test_get_without_what_it_needs(self):
        session = self.server.session()
        answer = self.server.request("GET", None, None,
                                     {"Accept": "text/event-stream"})
        self.assertRejected(answer, 405, -32600)
        answer = self.server.request("GET", None, None, {
            **session.headers(), "Accept": "application/json"})
        self.assertRejected(answer, 406, -32600)


class Stdio(Streams):
    APP = None

    def test_modern(self):
        process = self.start_stdio(APP)
        for id in (1, "two"):
            process.send(listen({"toolsListChanged": True,
                                 "resourceSubscriptions": ["test://a"]},
                                id).body)
            ack = process.receive()
            self.assertEqual(ack["params"]["_meta"], {ID: id})
        call = wire.modern("tools/call", {"name": "touch", "arguments": {
            "uri": "test://a"}}, id=3)
        process.request(call)
        self.assertEqual(process.notifications, [updated("test://a", 1),
                                                 updated("test://a", "two")])
        process.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                      "params": {"requestId": 1}})
        process.request(call)
        self.assertEqual(process.notifications, [updated("test://a", "two")])
        process.process.stdin.close()
        self.assertEqual(process.receive(), {
            "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": "two"}})
        last = process.receive()
        self.assertEqual((last["id"], last["result"]["_meta"][ID]),
                         ("two", "two"))
        self.assertEqual(last["result"]["resultType"], "complete")
        self.assertIsNone(process.line())

    def test_a_signal_ends_it_too(self):
        process = self.start_stdio(APP)
        process.send(listen({"toolsListChanged": True}, 9).body)
        process.receive()
        begin = time.monotonic()
        process.signal(signal.SIGTERM)
        self.assertEqual(process.receive()["params"], {"requestId": 9})
        self.assertEqual(process.receive()["id"], 9)
        self.assertIsNone(process.line())
        self.assertLess(time.monotonic() - begin, 3)

    def test_legacy(self):
        process = self.start_stdio(APP)
        process.initialize()
        answer = process.request({
            "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe",
            "params": {"uri": "test://a"}})
        self.assertEqual(answer["result"], {})
        for arguments, name, told in (
                ({"uri": "test://a"}, "touch", [legacy_updated("test://a")]),
                ({"uri": "test://b"}, "touch", []),
                ({"what": "prompts"}, "tell", [legacy_changed("prompts")])):
            process.request({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                             "params": {"name": name,
                                        "arguments": arguments}})
            self.assertEqual(process.notifications, told)
        begin = time.monotonic()
        process.stop()  # the open pipe keeps nobody waiting
        self.assertLess(time.monotonic() - begin, 3)

    def test_before_initialized_nothing_is_told(self):
        process = self.start_stdio(APP)
        process.request({
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": wire.LEGACY[0], "capabilities": {},
                "clientInfo": wire.CLIENT_INFO}})
        process.request({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                         "params": {"name": "tell",
                                    "arguments": {"what": "tools"}}})
        self.assertEqual(process.notifications, [])

    def test_both_eras_on_one_pipe_and_a_second_initialize(self):
        process = self.start_stdio(APP)
        process.initialize()
        process.initialize()
        process.send(listen({"toolsListChanged": True}, 5).body)
        process.receive()
        process.request(wire.modern("tools/call", {
            "name": "tell", "arguments": {"what": "tools"}}, id=6))
        self.assertEqual(process.notifications,
                         [legacy_changed("tools"), changed("tools", 5)])


if __name__ == "__main__":
    unittest.main()
