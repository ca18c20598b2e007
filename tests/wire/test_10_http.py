"""HTTP as clients really send it: heads, bodies, hosts, origins.

The names in comments (B1, B91, ...) are those of the collected bug reports.
"""

import json
import os
import socket
import time

import wire

APP = """
local mcp = require "mcp"

mcp.server { name = "http", version = "1.0.0" }

mcp.tool("hello", function() return "hello" end)

mcp.tool("length", function(text) return tostring(#text) end)

mcp.tool("sleep", function(seconds, ctx)
  ctx.sleep(seconds)
  return "slept"
end)

-- keeps its worker, which ctx.sleep does not, until there is a file
mcp.tool("block", function(file)
  io.stderr:write("it blocks\\n")
  os.execute("until test -e '" .. file .. "'; do sleep 0.1; done")
  return "blocked"
end)
"""

INITIALIZE = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": wire.LEGACY[0], "capabilities": {},
               "clientInfo": wire.CLIENT_INFO}}


def head(lines, body, method="POST /mcp"):
    """A raw request: these header lines, a Host, the body's length."""
    body = wire.encode(body)
    return wire.encode("%s HTTP/1.1\r\nHost: localhost\r\n%s"
                       "Content-Length: %d\r\n\r\n" % (
                           method, "".join(l + "\r\n" for l in lines),
                           len(body))) + body


class Accept(wire.TestCase):
    APP = APP

    def test_what_can_be_produced_is_not_refused(self):  # B1, B2
        for accept in ("application/json", "*/*", None, "application/*;q=0.8",
                       "application/json, text/event-stream",
                       "text/event-stream, application/json",
                       "text/html, */*;q=0.1"):
            answer = self.server.post(INITIALIZE, {"Accept": accept})
            self.assertEqual(answer.status, 200, accept)
            self.assertEqual(answer.type, "application/json", accept)
            self.assertIn("protocolVersion", answer.result)

    def test_streams_only(self):
        answer = self.server.post(INITIALIZE, {"Accept": "text/event-stream"})
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.type, "text/event-stream")
        self.assertEqual(len(answer.events), 1)
        self.assertIn("protocolVersion", answer.result)

    def test_neither_form(self):
        for accept in ("text/html", "application/json;q=0",
                       "application/xml, image/*"):
            self.assertRejected(
                self.server.post(INITIALIZE, {"Accept": accept}), 406, -32600)

    def test_json_unless_something_is_streamed(self):  # B4
        answer = self.server.call("hello")
        self.assertEqual(answer.type, "application/json")
        self.assertNotIn(b"\n", answer.body)


class ContentType(wire.TestCase):
    APP = APP

    def test_parameters_and_case_do_not_matter(self):  # B5, B6
        for kind in ("application/json; charset=utf-8", "Application/JSON",
                     "application/json;charset=UTF-8"):
            answer = self.server.post(INITIALIZE, {"Content-Type": kind})
            self.assertEqual(answer.status, 200, kind)

    def test_others_are_refused(self):
        for kind in (None, "text/plain", "application/json-rpc",
                     "application/x-www-form-urlencoded"):
            self.assertRejected(
                self.server.post(INITIALIZE, {"Content-Type": kind}),
                415, -32600)

    def test_header_names_have_no_case(self):  # B96
        session = self.server.session()
        for name in ("mcp-session-id", "MCP-SESSION-ID"):
            answer = self.server.raw(head(
                ["content-TYPE: application/json", "aCCept: application/json",
                 "%s: %s" % (name, session.id),
                 "mcp-protocol-version: " + session.version],
                {"jsonrpc": "2.0", "id": 5, "method": "ping"}))
            self.assertEqual((answer.status, answer.result), (200, {}), name)


class Methods(wire.TestCase):
    APP = APP

    def test_notifications_have_no_body(self):  # B8, B9, B11
        for method in ("notifications/initialized", "notifications/nonsense"):
            answer = self.server.post({"jsonrpc": "2.0", "method": method})
            self.assertEqual(answer.status, 202)
            self.assertEqual(answer.body, b"")
            self.assertNotIn("Content-Type", answer.headers)

    def test_no_session_no_stream_and_nothing_to_delete(self):  # B14
        for method in ("GET", "DELETE"):
            answer = self.server.request(
                method, None, None, {"Accept": "text/event-stream"})
            self.assertEqual(answer.status, 405)
            self.assertIn("POST", answer.headers["Allow"])

    def test_other_methods(self):
        for method in ("PUT", "PATCH", "PROPFIND"):
            answer = self.server.request(method, None, "{}", {})
            self.assertRejected(answer, 405, -32600)
            self.assertIn("POST", answer.headers["Allow"])
        self.assertEqual(self.server.request("HEAD").status, 405)

    def test_a_browser_reads_a_sentence(self):  # B18
        answer = self.server.get("/mcp", {
            "Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
        self.assertEqual(answer.status, 405)
        self.assertEqual(answer.type, "text/plain")
        self.assertIn("MCP", answer.text)
        self.assertLess(len(answer.text), 300)

    def test_both_paths_and_no_redirect(self):  # B15
        for path in ("/mcp", "/mcp/"):
            self.assertEqual(
                self.server.post(INITIALIZE, path=path).status, 200)
        for path in ("/", "/mcp//", "/mcpx", "/.well-known/anything"):
            self.assertEqual(
                self.server.post(INITIALIZE, path=path).status, 404)

    def test_health(self):
        for path in ("/healthz", "/readyz"):
            answer = self.server.get(path, {"Host": "10.1.2.3:80"})
            self.assertEqual(answer.status, 200)


class Bodies(wire.TestCase):
    APP = APP
    OPTIONS = ["--max-body", "200000"]
    ENV = {"ASAN_OPTIONS": "detect_stack_use_after_return=0:"
                           "quarantine_size_mb=4"}  # for rss_kib()

    def setUp(self):
        body, headers = wire.modern("tools/call", {
            "name": "length", "arguments": {"text": "x" * 100000}})
        self.body = wire.encode(body)
        self.lines = ["%s: %s" % item for item in headers.items()] + [
            "Content-Type: application/json"]

    def assertLength(self, answer, length=100000):
        self.assertEqual(answer.result["content"][0]["text"], str(length))

    def chunked(self):
        return wire.encode("POST /mcp HTTP/1.1\r\nHost: localhost\r\n%s"
                           "Transfer-Encoding: chunked\r\n\r\n" % "".join(
                               l + "\r\n" for l in self.lines))

    def test_single_bytes(self):  # B92
        data = head(self.lines, self.body)
        with self.server.socket() as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for at in range(3000):
                sock.send(data[at:at + 1])
            sock.sendall(data[3000:])
            self.assertIn(b'"100000"', self.read_answer(sock))

    @staticmethod
    def read_answer(sock):
        data = b""
        while b"\r\n\r\n" not in data or not data.endswith(b"}"):
            piece = sock.recv(65536)
            if not piece:
                break
            data += piece
        return data

    def test_chunks(self):  # B92
        data = self.chunked()
        for at in range(0, len(self.body), 999):
            piece = self.body[at:at + 999]
            data += b"%x\r\n%s\r\n" % (len(piece), piece)
        self.assertLength(self.server.raw(data + b"0\r\n\r\n"))

    def test_the_limit_and_one_byte_more(self):
        filler = 200000 - len(self.body)
        padded = self.body[:-1] + b" " * filler + b"}"
        self.assertEqual(len(padded), 200000)
        self.assertLength(self.server.raw(head(self.lines, padded)))
        padded = self.body[:-1] + b" " * (filler + 1) + b"}"
        self.assertRejected(self.server.raw(head(self.lines, padded)),
                            413, -32600)

    def test_a_body_without_end(self):  # B91
        piece = b"186a0\r\n" + b"x" * 100000 + b"\r\n"
        before = self.server.rss_kib()
        with self.server.socket(5) as sock:
            sock.sendall(self.chunked())
            sent = 0
            try:
                while sent < 50:
                    sock.sendall(piece)
                    sent += 1
            except OSError:
                pass
            try:
                answer = sock.recv(65536)
            except ConnectionResetError:
                answer = b"HTTP/1.1 413"
            self.assertTrue(answer.startswith(b"HTTP/1.1 413"), answer[:50])
        self.assertLess(self.server.rss_kib() - before, 30000)
        self.assertEqual(self.server.call("hello").status, 200)

    def test_an_empty_body(self):  # B95
        begun = time.monotonic()
        self.assertRejected(self.server.post(b""), 400, -32700)
        self.assertLess(time.monotonic() - begun, 2)

    def test_100_continue_comes_at_once(self):  # B94
        body, headers = wire.modern("tools/call", {
            "name": "length", "arguments": {"text": "x" * 2000}})
        body = wire.encode(body)
        lines = "".join("%s: %s\r\n" % item for item in headers.items())
        with self.server.socket() as sock:
            sock.sendall(wire.encode(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\n%s"
                "Content-Type: application/json\r\nExpect: 100-continue\r\n"
                "Content-Length: %d\r\n\r\n" % (lines, len(body))))
            self.assertEqual(sock.recv(1000),
                             b"HTTP/1.1 100 Continue\r\n\r\n")
            sock.sendall(body)
            self.assertIn(b'"2000"', self.read_answer(sock))

    def test_refusals_come_before_100(self):  # B94
        for line, status in (("Content-Length: 200001", b"413"),
                             ("Content-Length: 9\r\nOrigin: null", b"403"),
                             ("Content-Length: 9\r\nAccept: a/b", b"406")):
            with self.server.socket() as sock:
                sock.sendall(wire.encode(
                    "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                    "Content-Type: application/json\r\n"
                    "Expect: 100-continue\r\n%s\r\n\r\n" % line))
                self.assertEqual(sock.recv(12), b"HTTP/1.1 " + status)

    def test_pipelined_requests(self):  # B96
        slow = wire.modern("tools/call", {
            "name": "sleep", "arguments": {"seconds": 0.3}}, id=1)
        quick = wire.modern("tools/list", id=2)
        data = b"".join(
            head(["%s: %s" % item for item in r.headers.items()]
                 + ["Content-Type: application/json"], r.body)
            for r in (slow, quick))
        with self.server.socket() as sock:
            sock.sendall(data)
            text = b""
            while text.count(b'"jsonrpc"') < 2:
                piece = sock.recv(65536)
                self.assertTrue(piece, text)
                text += piece
        self.assertLess(text.index(b'"id":1'), text.index(b'"id":2'))

    def test_keep_alive_after_answers_and_refusals(self):
        connection = self.server.connection()
        self.addCleanup(connection.close)
        for _ in range(20):
            self.assertEqual(self.server.post(
                INITIALIZE, connection=connection).status, 200)
            self.assertEqual(self.server.post(
                INITIALIZE, {"Accept": "a/b"},
                connection=connection).status, 406)
            self.assertEqual(self.server.post(
                b"{", connection=connection).status, 400)


class Hosts(wire.TestCase):
    APP = APP
    OPTIONS = ["--allowed-hosts", "mcp.example.com,api.example.com:8443",
               "--allowed-origins", "https://app.example.com"]

    def test_hosts(self):
        for host, status in (
                ("localhost", 200), ("localhost:9999", 200),
                ("127.0.0.1:1", 200), ("[::1]:80", 200),
                ("mcp.example.com", 200), ("mcp.example.com:443", 200),
                ("api.example.com:8443", 200), ("api.example.com:80", 403),
                ("evil.example", 403), ("localhost.evil.example", 403),
                ("127.0.0.1.evil.example", 403), ("localhost:x", 403)):
            answer = self.server.post(INITIALIZE, {"Host": host})
            self.assertEqual(answer.status, status, host)
            if status == 403:
                self.assertRejected(answer, 403, -32600)

    def test_a_host_must_be_there_once(self):
        body = wire.encode(INITIALIZE)
        for hosts in ("", "Host: localhost\r\nHost: localhost\r\n"):
            answer = self.server.raw(wire.encode(
                "POST /mcp HTTP/1.1\r\n%sContent-Type: application/json\r\n"
                "Content-Length: %d\r\n\r\n" % (hosts, len(body))) + body)
            self.assertIn(answer.status, (400, 403))

    def test_origins(self):  # B98, B99
        for origin, status in (
                (None, 200), ("http://localhost:3000", 200),
                ("http://127.0.0.1", 200), ("http://[::1]:5173", 200),
                ("https://app.example.com", 200),
                ("https://mcp.example.com", 200), ("null", 403),
                ("http://evil.example", 403), ("http://app.example.com", 403),
                ("http://localhost.evil.example", 403),
                ("http://localhost:3000.evil.example", 403),
                ("https://app.example.com.evil.example", 403)):
            answer = self.server.post(INITIALIZE, {"Origin": origin})
            self.assertEqual(answer.status, status, origin)
            allowed = answer.headers.get("Access-Control-Allow-Origin")
            self.assertEqual(allowed, origin if status == 200 else None)

    def test_both_are_checked(self):
        for headers in ({"Host": "evil.example"},
                        {"Origin": "http://evil.example"},
                        {"Host": "evil.example",
                         "Origin": "http://evil.example"}):
            self.assertRejected(self.server.post(INITIALIZE, headers),
                                403, -32600)

    def preflight(self, headers):
        return self.server.request("OPTIONS", None, None, {
            "Origin": "http://localhost:3000",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": headers})

    def test_preflight(self):  # B101
        for asked in ("mcp-protocol-version", "content-type,mcp-session-id",
                      "mcp-method, mcp-name, mcp-param-city, authorization"):
            answer = self.preflight(asked)
            self.assertEqual(answer.status, 204)
            self.assertEqual(answer.body, b"")
            allowed = {name.strip() for name in answer.headers[
                "Access-Control-Allow-Headers"].split(",")}
            self.assertEqual(
                allowed, {name.strip() for name in asked.split(",")})
            self.assertIn("POST",
                          answer.headers["Access-Control-Allow-Methods"])
            self.assertEqual(answer.headers["Access-Control-Allow-Origin"],
                             "http://localhost:3000")
        self.assertNotIn("evil", self.preflight("x-evil, accept").headers[
            "Access-Control-Allow-Headers"])

    def test_preflight_of_a_stranger(self):
        answer = self.server.request("OPTIONS", None, None, {
            "Origin": "http://evil.example",
            "Access-Control-Request-Method": "POST"})
        self.assertEqual(answer.status, 403)
        self.assertNotIn("Access-Control-Allow-Origin", answer.headers)

    def test_real_answers_expose_headers(self):  # B102
        answer = self.server.post(INITIALIZE,
                                  {"Origin": "http://localhost:3000"})
        exposed = answer.headers["Access-Control-Expose-Headers"]
        for name in ("Mcp-Session-Id", "WWW-Authenticate",
                     "MCP-Protocol-Version"):
            self.assertIn(name, exposed)
        self.assertIn("Origin", answer.headers["Vary"])
        self.assertEqual(len(answer.headers.get_all("Mcp-Session-Id")), 1)


class Order(wire.TestCase):
    """The first failing check of the specification's order decides."""

    APP = APP

    def test_order(self):
        cases = [
            ({"Host": "evil", "Content-Type": "a/b"}, "PUT", 403),
            ({"Content-Type": "a/b", "Accept": "a/b"}, "PUT", 405),
            ({"Content-Type": "a/b", "Accept": "a/b"}, "POST", 415),
            ({"Accept": "a/b"}, "POST", 406),
            ({}, "POST", 400),
        ]
        for headers, method, status in cases:
            answer = self.server.request(method, None, b"{", {
                "Content-Type": "application/json", **headers})
            self.assertEqual(answer.status, status, headers)
            self.assertNotIn("id", json.loads(answer.body))


class Busy(wire.TestCase):
    APP = APP
    OPTIONS = ["--max-workers", "1", "--queue", "1"]

    def test_lists_and_health_while_every_worker_is_busy(self):
        go = os.path.join(self.server.folder, "go")
        self.addCleanup(self.server.write, "go", "")
        socks = []
        for number in range(2):
            sock = self.server.socket()
            self.addCleanup(sock.close)
            socks.append(sock)
            request = wire.modern("tools/call", {
                "name": "block", "arguments": {"file": go}}, id=number)
            sock.sendall(head(
                ["%s: %s" % item for item in request.headers.items()]
                + ["Content-Type: application/json"], request.body))
            self.server.wait_said("it blocks")
        time.sleep(0.5)  # the second one waits for the worker
        answer = self.server.call("hello")
        self.assertRejected(answer, 503, -32603)
        self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
        self.assertEqual(len(self.server.rpc("tools/list").result["tools"]), 4)
        self.assertEqual(self.server.get("/healthz").status, 200)
        self.server.write("go", "")
        for sock in socks:
            self.assertIn(b"blocked", Bodies.read_answer(sock))


class Connections(wire.TestCase):
    APP = APP
    OPTIONS = ["--max-connections", "20"]

    def test_idle_ones_make_room(self):
        idle = [self.server.socket() for _ in range(20)]
        self.assertEqual(self.server.call("hello").status, 200)
        for sock in idle:
            sock.close()
        self.assertEqual(self.server.call("hello").status, 200)


class Heads(wire.TestCase):
    """connection_memory bounds the head of a request."""

    APP = "local mcp = require 'mcp'\n"

    def statuses(self, sizes, *options):
        server = self.start(self.APP, options=options)
        out = []
        for size in sizes:
            sock = server.socket()
            sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
                         b"X-Long: " + b"x" * size + b"\r\n\r\n")
            out.append(int(sock.recv(1024).split()[1]))
            sock.close()
        return out

    def test_the_default_and_more(self):
        self.assertEqual(self.statuses((13000, 17000)), [200, 431])
        self.assertEqual(
            self.statuses((50000, 67000), "--connection-memory=64KiB"),
            [200, 431])


class AbsoluteForm(wire.TestCase):
    """RFC 9112, section 3.2.2: a target may be a whole URL, and its host goes
    before that of the header."""

    APP = 'require("mcp").tool("t", function() return "x" end)'

    def ask(self, target, host="Host: localhost\r\n"):
        request = wire.modern("tools/list")
        body = wire.encode(request.body)
        headers = {**request.headers, "Content-Length": str(len(body)),
                   "Content-Type": "application/json"}
        return self.server.raw(wire.encode(
            "POST %s HTTP/1.1\r\n%s%s\r\n" % (target, host, "".join(
                "%s: %s\r\n" % item for item in headers.items()))) + body)

    def test_it_is_served(self):
        for target in ("http://localhost/mcp", "http://localhost:1/mcp/",
                       "HTTP://127.0.0.1/mcp", "http://[::1]:80/mcp?x=/y"):
            answer = self.ask(target)
            self.assertEqual(answer.status, 200, (target, answer))
            self.assertEqual(len(answer.result["tools"]), 1)
        answer = self.server.raw("GET http://localhost/healthz HTTP/1.1\r\n"
                                 "Host: localhost\r\n\r\n")
        self.assertEqual((answer.status, answer.text), (200, "ok\n"))

    def test_other_paths_are_not_found(self):
        for target in ("http://localhost", "http://localhost/",
                       "http://localhost/x/mcp", "http:/mcp",
                       "https://localhost/mcp", "//localhost/mcp", "mcp"):
            answer = self.ask(target)
            self.assertIn(answer.status, (400, 404), (target, answer))

    def test_its_host_counts(self):
        for target in ("http://evil.example/mcp", "http:///mcp",
                       "http://user@localhost/mcp",
                       "http://localhost.evil.example/mcp"):
            self.assertRejected(self.ask(target), 403, -32600)
        answer = self.ask("http://localhost/mcp", "Host: evil.example\r\n")
        self.assertEqual(answer.status, 200)

    def test_the_header_must_be_there_once(self):
        for host in ("", "Host: localhost\r\nHost: localhost\r\n"):
            self.assertIn(self.ask("http://localhost/mcp", host).status,
                          (400, 403))
