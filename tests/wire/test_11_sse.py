"""Event streams over HTTP, clients that leave, calls that last."""

import socket
import struct
import time

import wire

APP = """
local mcp = require "mcp"

mcp.server { name = "sse", version = "1.0.0" }



mcp.tool("count", function(n, pause, ctx)
  io.stderr:write("it begins\\n")
  for i = 1, n do
    ctx.progress(i, n, "step " .. i)
    ctx.sleep(pause)
  end
  return "counted"
end)

mcp.tool("quiet", function(seconds, ctx)
  io.stderr:write("it begins\\n")
  ctx.sleep(seconds)
  return "rested"
end)

-- keeps its worker, which ctx.sleep does not
mcp.tool("block", function(n, ctx)
  for i = 1, n do
    ctx.progress(i, n)
    os.execute("exec sleep 0.2")
  end
  mcp.shared("seen"):set("blocked", true)
  return "blocked"
end)

mcp.tool("has_blocked", function()
  return tostring(mcp.shared("seen"):get("blocked"))
end)

mcp.tool("spin", function(seconds)
  io.stderr:write("it begins\\n")
  local stop = os.time() + seconds
  while os.time() < stop do end
  return "spun"
end)
"""


def count(n, pause, **how):
    return wire.modern("tools/call", {
        "name": "count", "arguments": {"n": n, "pause": pause}},
        progressToken="t1", **how)


def raw_request(request, accept="application/json, text/event-stream"):
    body = wire.encode(request.body)
    lines = "".join("%s: %s\r\n" % item for item in request.headers.items())
    return wire.encode(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n%s"
        "Content-Type: application/json\r\nAccept: %s\r\n"
        "Content-Length: %d\r\n\r\n" % (lines, accept, len(body))) + body


class Streams(wire.TestCase):
    APP = APP

    def test_progress_makes_a_stream(self):
        with self.server.stream(*count(3, 0)) as stream:
            self.assertEqual(stream.status, 200)
            self.assertEqual(stream.headers["Content-Type"],
                             "text/event-stream")
            self.assertEqual(stream.headers["X-Accel-Buffering"], "no")
            self.assertEqual(stream.headers["Cache-Control"], "no-store")
            messages = stream.messages()
        self.assertEqual([m.get("method") for m in messages],
                         ["notifications/progress"] * 3 + [None])
        self.assertEqual([m["params"]["progress"] for m in messages[:3]],
                         [1, 2, 3])
        self.assertEqual(messages[-1]["id"], 1)

    def test_each_message_is_one_data_line(self):
        answer = self.server.post(*count(2, 0))
        blocks = answer.text.split("\n\n")
        self.assertEqual(blocks.pop(), "")
        self.assertEqual(len(blocks), 3)
        for block in blocks:
            self.assertTrue(block.startswith("data: {"), block)
            self.assertNotIn("\n", block)

    def test_messages_arrive_while_the_call_runs(self):
        begun = time.monotonic()
        with self.server.stream(*count(3, 1)) as stream:
            self.assertIn("method", stream.message())
            self.assertLess(time.monotonic() - begun, 2.5)
            stream.messages()
        self.assertGreater(time.monotonic() - begun, 2.9)

    def test_json_only_is_served_without_messages(self):
        request = count(2, 0)
        answer = self.server.post(request.body, {
            **request.headers, "Accept": "application/json"})
        self.assertEqual(answer.type, "application/json")
        self.assertEqual(len(answer.messages), 1)
        self.assertEqual(answer.result["content"][0]["text"], "counted")

    def test_the_connection_goes_on(self):
        connection = self.server.connection()
        self.addCleanup(connection.close)
        for _ in range(5):
            answer = self.server.post(*count(2, 0), connection=connection)
            self.assertEqual(answer.type, "text/event-stream")
            answer = self.server.post(*wire.modern("tools/list"),
                                      connection=connection)
            self.assertEqual(answer.type, "application/json")

    def test_many_streams_at_once(self):
        streams = [self.server.stream(*count(2, 0.2, id=n))
                   for n in range(40)]
        for number, stream in enumerate(streams):
            with stream:
                messages = stream.messages()
            self.assertEqual(messages[-1]["id"], number)
            self.assertEqual(len(messages), 3)


class LongCalls(wire.TestCase):
    APP = APP
    OPTIONS = ["--sse-after", "0.3", "--keepalive", "1"]

    def test_a_silent_call_becomes_a_stream(self):  # B58, B74, B76
        begun = time.monotonic()
        request = wire.modern("tools/call", {
            "name": "quiet", "arguments": {"seconds": 4}})
        with self.server.stream(*request) as stream:
            self.assertLess(time.monotonic() - begun, 3)  # the head
            self.assertEqual(stream.headers["Content-Type"],
                             "text/event-stream")
            messages = stream.messages()
            self.assertGreaterEqual(stream.comments, 2)
        self.assertEqual(len(messages), 1)
        self.assertEqual(messages[0]["result"]["content"][0]["text"],
                         "rested")

    def test_not_for_a_client_that_takes_json_only(self):
        request = wire.modern("tools/call", {
            "name": "quiet", "arguments": {"seconds": 1}})
        answer = self.server.post(request.body, {
            **request.headers, "Accept": "application/json"})
        self.assertEqual(answer.type, "application/json")
        self.assertEqual(answer.result["content"][0]["text"], "rested")

    def test_nor_for_a_quick_call(self):
        request = wire.modern("tools/call", {
            "name": "quiet", "arguments": {"seconds": 0.05}})
        self.assertEqual(self.server.post(*request).type, "application/json")


class Leaving(wire.TestCase):
    """One worker: only a cancelled call lets the next one run in time."""

    APP = APP
    OPTIONS = ["--max-workers", "1", "--call-timeout", "30"]

    def leave(self, request, how, wait=True):
        begun = self.server.stderr.count("it begins")
        sock = self.server.socket()
        sock.sendall(raw_request(request))
        if wait:
            self.server.wait_said("it begins", begun + 1)
            time.sleep(0.1)  # and is under way
        if how == "reset":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                            struct.pack("ii", 1, 0))
        if how == "half":
            sock.shutdown(socket.SHUT_WR)
            self.addCleanup(sock.close)
        else:
            sock.close()

    def assertFree(self):
        begun = time.monotonic()
        answer = self.server.call("quiet", {"seconds": 0})
        self.assertEqual(answer.result["content"][0]["text"], "rested")
        self.assertLess(time.monotonic() - begun, 5)

    def test_waiting_calls_are_cancelled(self):  # B81, B88
        for how in ("close", "reset", "half"):
            self.leave(wire.modern("tools/call", {
                "name": "quiet", "arguments": {"seconds": 20}}), how)
            self.assertFree()

    def test_running_calls_are_cancelled(self):  # B81
        for how in ("close", "reset"):
            self.leave(wire.modern("tools/call", {
                "name": "spin", "arguments": {"seconds": 20}}), how)
            self.assertFree()

    def test_streaming_calls_are_cancelled(self):  # B81
        for how in ("close", "reset"):
            self.leave(count(200, 0.1), how)
            self.assertFree()

    def test_leaving_at_once(self):
        for _ in range(5):
            self.leave(wire.modern("tools/call", {
                "name": "quiet", "arguments": {"seconds": 20}}), "close",
                False)
        self.assertFree()


class LegacyLeaving(wire.TestCase):
    APP = APP
    OPTIONS = ["--max-workers", "1"]

    def test_a_legacy_call_goes_on(self):
        session = self.server.session()
        stream = session.stream("tools/call", {
            "name": "block", "arguments": {"n": 6},
            "_meta": {"progressToken": 1}})
        self.assertIn("method", stream.message())
        stream.close()
        answer = self.server.call("has_blocked")  # waits for its worker
        self.assertEqual(answer.result["content"][0]["text"], "true")


class SlowReader(wire.TestCase):
    # ASan keeps 256 MB of freed memory unless it is told not to
    ENV = {"ASAN_OPTIONS": "detect_stack_use_after_return=0:"
                           "quarantine_size_mb=4"}
    APP = APP + """
mcp.tool("flood", function(n, ctx)
  local text = ("x"):rep(50000)
  for i = 1, n do ctx.progress(i, n, text) end
  return "flooded"
end)
"""

    def test_memory_is_bounded_and_the_answer_arrives(self):
        request = wire.modern("tools/call", {
            "name": "flood", "arguments": {"n": 4000}}, progressToken=7)
        with self.server.socket() as sock:
            before = self.server.rss_kib()
            sock.sendall(raw_request(request))
            self.server.wait_stderr("too slowly", 20)
            time.sleep(0.5)
            self.assertLess(self.server.rss_kib() - before, 120000)
            self.assertEqual(self.server.rpc("tools/list").status, 200)
            data = b""
            while not data.endswith(b"0\r\n\r\n"):
                piece = sock.recv(1 << 20)
                self.assertTrue(piece)
                data += piece
        self.assertIn(b'"flooded"', data[-4000:])
