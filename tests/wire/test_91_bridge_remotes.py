"""mcpluad bridge against remotes that misbehave: an error for the request that
it struck, never a hang, never more memory than promised."""

import json
import os
import random
import signal
import subprocess
import threading
import time
import unittest

import bridge as harness
import wire
from test_90_bridge import ERROR, call, echo, request

LIMIT = 4096


def padded(size, id=1):
    """A response of exactly `size` bytes."""
    frame = json.dumps({"jsonrpc": "2.0", "id": id, "result": {"x": ""}})
    return frame.replace('""', '"%s"' % ("a" * (size - len(frame))))


class Answers(harness.TestCase):
    def fails(self, answer, why, *options, line=None, status=None):
        """The request ends with an error that says `why`, and the next one is
        served."""
        first = []

        def once(incoming):
            if not first:
                first.append(incoming)
                answer(incoming)
            else:
                echo(incoming)
        far = self.bridge(self.remote(once).url, *options)
        got = far.request(line or request("x/y"))
        self.assertEqual(got["error"]["code"], ERROR, got)
        self.assertRegex(got["error"]["message"], why)
        self.assertEqual(got["error"].get("data"),
                         {"status": status} if status else None)
        self.assertEqual(far.request(request("x/z", id=2))["result"],
                         {"method": "x/z"})
        far.wait_stderr("x/y: ")
        far.stop()

    def test_garbage(self):
        self.fails(lambda r: r.raw("{garbage"), "is no JSON")

    def test_json_that_is_no_message(self):
        self.fails(lambda r: r.raw("[1, 2, {}]"), "no answer to this request")
        self.fails(lambda r: r.raw("12"), "no answer to this request")

    def test_deep_json(self):
        self.fails(lambda r: r.raw("[" * 100_000), "is no JSON")

    def test_an_answer_to_somebody_else(self):
        self.fails(lambda r: r.raw({"jsonrpc": "2.0", "id": "1", "result": 1}),
                   "no answer to this request")

    def test_the_wrong_type(self):
        self.fails(lambda r: r.raw("<html>", type="text/html"),
                   "Unexpected Streamable HTTP content type: text/html")
        self.fails(lambda r: r.head(200) or r.send("hm"),
                   r"Unexpected Streamable HTTP content type: \(none\)")

    def test_no_body(self):
        self.fails(lambda r: r.empty(200), "HTTP 200 without a body")
        self.fails(lambda r: r.empty(202), "HTTP 202 without a body")

    def test_statuses(self):
        self.fails(lambda r: r.raw("no\nway \x01", 500, "text/plain"),
                   "HTTP 500: no way$", status=500)
        self.fails(lambda r: r.empty(503), "HTTP 503$", status=503)
        self.fails(lambda r: r.raw({"error": "no"}, 400),
                   'HTTP 400: {"error":"no"}', status=400)
        self.fails(lambda r: r.raw(b"\xff\xfe", 404, "text/plain"),
                   "HTTP 404$", status=404)

    def test_redirects_are_not_followed(self):
        other = self.remote(echo)
        self.fails(lambda r: r.empty(307, {"Location": other.url}),
                   "redirects to " + other.url, status=307)
        self.assertEqual(other.requests, [])

    def test_an_error_without_an_id_gets_the_one_that_waits(self):
        for extra in ({}, {"id": None}):
            for status in (200, 400):
                remote = self.remote(lambda r, s=status, e=extra: r.raw({
                    "jsonrpc": "2.0", **e, "error": {
                        "code": -32700, "message": "m", "data": [1]}}, s))
                far = self.bridge(remote.url)
                self.assertEqual(far.request(request("x", id="é")), {
                    "jsonrpc": "2.0", "id": "é", "error": {
                        "code": -32700, "message": "m", "data": [1]}})
                far.stop()

    def test_nothing_at_all(self):
        self.fails(lambda r: r.sock.shutdown(harness.socket.SHUT_RDWR),
                   "The connection to .* failed")

    def test_no_http(self):
        def answer(incoming):
            incoming.closed = True
            incoming.send("220 mail.example ESMTP\r\n")
        self.fails(answer, "The connection to .* failed")

    def test_half_a_body(self):
        def answer(incoming):
            incoming.head(200, {"Content-Type": "application/json"}, 100)
            incoming.closed = True
            incoming.send('{"jsonrpc"')
        self.fails(answer, "The connection to .* failed")

    def test_endless_headers(self):
        def answer(incoming):
            incoming.closed = True
            incoming.send("HTTP/1.1 200 OK\r\n")
            try:
                for _ in range(1000):
                    incoming.send("X: " + "a" * 10_000 + "\r\n")
            except OSError:
                pass
        self.fails(answer, "The connection to .* failed")

    def test_half_a_stream(self):
        def answer(incoming):
            incoming.sse()
            incoming.send('data: {"jsonrpc":"2.0","id":1,"result":{}}\n')
        self.fails(answer, "ended the stream before its answer")

    def test_garbage_in_a_stream(self):
        def answer(incoming):
            incoming.sse()
            incoming.send(": hello\nevent: ping\ndata: {}\n\n")
            incoming.event("{garbage")
            incoming.event("17")
            incoming.event({"jsonrpc": "2.0", "id": 1, "method": "ask"})
            incoming.send(b"data: \xff\xfe\n\n\xff\x00:\n\n")
            incoming.event({"jsonrpc": "2.0", "id": 99, "result": {}})
            incoming.event_result({"at": "last"})
        far = self.bridge(self.remote(answer).url)
        self.assertEqual(far.request(request("x/y"))["result"],
                         {"at": "last"})
        self.assertEqual(far.notifications, [])
        far.stop()

    def test_line_ends_of_streams(self):
        def answer(incoming):
            incoming.sse()
            incoming.send(b'\xef\xbb\xbfdata:{"jsonrpc":"2.0",\r\n'
                          b'data: "method":"a"}\r\n\r\n'
                          b'event: message\rdata: {"jsonrpc":"2.0",'
                          b'"method":"b"}\r\r')
            incoming.event_result({})
        far = self.bridge(self.remote(answer).url)
        far.request(request("x/y"))
        self.assertEqual([n["method"] for n in far.notifications], ["a", "b"])
        far.stop()

    def test_a_body_on_many_lines_is_one(self):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"t": "a\nb"}},
                          indent=2).replace("\n", "\r\n")
        far = self.bridge(self.remote(lambda r: r.raw(body)).url)
        self.assertEqual(far.request(request("x"))["result"], {"t": "a\nb"})
        far.stop()

    def test_silence(self):
        self.fails(lambda r: r.gone(), r"Nothing came from .* for 0.5 s "
                   r"\(--sse-read-timeout\)", "--sse-read-timeout", "0.5")

    def test_silence_in_a_stream(self):
        self.fails(lambda r: r.sse() or r.event({
            "jsonrpc": "2.0", "method": "n"}) or r.gone(),
                   "Nothing came from", "--sse-read-timeout", "0.5")

    def test_comments_are_no_silence(self):
        def answer(incoming):
            incoming.sse()
            for _ in range(14):
                incoming.send(":\n\n")
                time.sleep(0.25)
            incoming.event_result({})
        far = self.bridge(self.remote(answer).url, "--sse-read-timeout", "3")
        self.assertIn("result", far.request(request("x/y")))
        far.stop()

    def test_a_remote_that_does_not_read(self):
        listener = harness.socket.create_server(("127.0.0.1", 0))
        listener.setsockopt(harness.socket.SOL_SOCKET,
                            harness.socket.SO_RCVBUF, 4096)
        self.addCleanup(listener.close)
        far = self.bridge("http://127.0.0.1:%d/" % listener.getsockname()[1],
                          "--timeout", "1")
        answer = far.request(request("x", {"big": "a" * 12_000_000}))
        self.assertRegex(answer["error"]["message"],
                         r"Nothing came .*\(--timeout\)")
        far.stop()

    def test_a_stream_that_goes_on_behind_its_answer(self):
        closed = threading.Event()

        def answer(incoming):
            incoming.sse()
            incoming.event_result({})
            if incoming.gone(5):
                closed.set()
        far = self.bridge(self.remote(answer).url)
        far.request(request("x/y"))
        self.assertTrue(closed.wait(5))
        far.stop()


class Sizes(harness.TestCase):
    """Each limit at N and N + 1."""

    def judge(self, answer, fits):
        far = self.bridge(self.remote(answer).url, "--max-message-size",
                          str(LIMIT))
        got = far.request(request("x/y"))
        if fits:
            self.assertIn("result", got)
        else:
            self.assertRegex(got["error"]["message"],
                             "exceeded the bridge limit of 4096 bytes")
        far.stop()

    def test_a_body(self):
        self.judge(lambda r: r.raw(padded(LIMIT)), True)
        self.judge(lambda r: r.raw(padded(LIMIT + 1)), False)

    def test_an_event(self):
        for size in (LIMIT, LIMIT + 1):
            self.judge(lambda r, n=size: r.sse() or r.event(padded(n)),
                       size == LIMIT)

    def test_an_event_of_many_lines(self):
        def answer(incoming, size):
            incoming.sse()
            text = padded(size - 20)
            incoming.send("data:\n" * 20 + "data: " + text + "\n\n")
        for size in (LIMIT, LIMIT + 1):
            self.judge(lambda r, n=size: answer(r, n), size == LIMIT)

    def test_a_line_of_the_client(self):
        remote = self.remote(echo)
        far = self.bridge(remote.url, "--max-message-size", str(LIMIT))
        for size in (LIMIT, LIMIT + 1):
            line = json.dumps(request("x", {"_meta": wire.meta(), "a": ""}))
            line = line[:-3] + "a" * (size - len(line)) + '"}}'
            self.assertEqual(len(line), size)
            far.send(line + "\r")
            got = far.receive()
            if size == LIMIT:
                self.assertEqual(got["id"], 1)
            else:
                self.assertEqual(got["id"], 1)
                self.assertEqual(got["error"], {
                    "code": ERROR, "message": "Stdio JSON-RPC message exceeded"
                    " the bridge limit of 4096 bytes."})
        far.send("a" * 1_000_000)
        got = far.receive()
        self.assertEqual(got["error"]["code"], ERROR)
        self.assertNotIn("id", got)
        far.send({"method": "x", "params": ["a" * 1_000_000], "id": "last"})
        self.assertEqual(far.receive()["id"], "last")
        self.assertIn("result", far.request(request("x", id=3)))
        self.assertEqual(len(remote.requests), 2)
        far.stop()

    def test_an_endless_body(self):
        def answer(incoming):
            incoming.head(200, {"Content-Type": "application/json"})
            try:
                while True:
                    incoming.send("[" * 65536)
            except OSError:
                pass
        self.judge(answer, False)

    def test_an_endless_line_of_a_stream(self):
        def answer(incoming):
            incoming.sse()
            try:
                while True:
                    incoming.send("a" * 65536)
            except OSError:
                pass
        self.judge(answer, False)

    def test_no_limit(self):
        size = 20_000_000
        far = self.bridge(self.remote(lambda r: r.raw(padded(size))).url,
                          "--max-message-size", "-1")
        far.send(request("x"))
        self.assertEqual(len(far.line()), size + 1)
        far.stop()

    def test_a_client_that_does_not_read(self):
        sent = [0]

        def answer(incoming):
            incoming.sse()
            note = json.dumps({"jsonrpc": "2.0", "method": "n",
                               "params": {"x": "a" * 100_000}})
            try:
                for _ in range(1000):
                    incoming.event(note)
                    sent[0] += len(note)
            except OSError:
                return
            incoming.event_result({})
        slow = subprocess.Popen(
            [wire.BIN, "bridge", self.remote(answer).url],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=wire.sanitizer_env())
        self.addCleanup(slow.kill)
        slow.stdin.write(wire.encode(request("x")) + b"\n")
        slow.stdin.flush()
        before = -1
        while sent[0] == 0 or sent[0] != before:
            before = sent[0]
            time.sleep(0.7)
        self.assertLess(before, 30_000_000)
        slow.stdin.close()
        count = sum(1 for _ in slow.stdout)
        self.assertEqual(count, 1001)
        self.assertEqual(slow.wait(10), 0)
        slow.stdout.close()

    def test_half_answers_share_64_mib(self):
        size, count = 8_000_000, 30
        gate = threading.Event()

        def answer(incoming):
            body = padded(size, incoming.message["id"])
            incoming.head(200, {"Content-Type": "application/json"}, size)
            incoming.send(body[:-1])
            gate.wait(60)
            incoming.send(body[-1:])
        far = self.bridge(self.remote(answer).url, env={
            "ASAN_OPTIONS": "detect_stack_use_after_return=0:"
                            "quarantine_size_mb=1"})
        for i in range(10, 10 + count):
            far.send(request("x", id=i))
        before = -1
        while far.rss_kib() != before:
            before = far.rss_kib()
            time.sleep(1)
        # a buffer may be twice as large as what is in it, no more
        self.assertLess(before, 200_000)
        gate.set()
        self.assertEqual(len(far.answers(count, 120)), count)
        far.stop()

    def test_many_large_answers_at_once(self):
        size, count = 4_000_000, 40
        remote = self.remote(lambda r: r.raw(padded(size, r.message["id"])))
        far = self.bridge(remote.url)
        for i in range(10, 10 + count):
            far.send(request("x", id=i))
        answers = far.answers(count, 120)
        self.assertEqual(sorted(answers), list(range(10, 10 + count)))
        self.assertTrue(all("result" in a for a in answers.values()))
        far.stop()


class Lines(harness.TestCase):
    """What the client should not have sent."""

    def refused(self, line, code, id=None, why=""):
        far = self.bridge("http://127.0.0.1:9/mcp")
        far.send(line)
        answer = far.receive()
        self.assertEqual(answer["error"]["code"], code, answer)
        self.assertEqual(answer.get("id"), id)
        self.assertIn(why, answer["error"]["message"])
        far.stop()

    def test_no_json(self):
        self.refused('{"jsonrpc":', -32700, why="at byte")
        self.refused(b'"\xff"', -32700)

    def test_no_message(self):
        self.refused("17", -32600)
        self.refused("{}", -32600)
        self.refused('{"id":5,"method":7}', -32600, 5)
        self.refused('{"id":null,"method":"x"}', -32600, why="id must be")
        self.refused('{"id":1.5,"method":"x"}', -32600)

    def test_a_key_that_comes_twice(self):
        self.refused('{"id":1,"method":"a","method":"b"}', -32600,
                     why="duplicate")

    def test_params_of_the_wrong_type_are_for_the_remote(self):
        remote = self.remote(echo)
        far = self.bridge(remote.url)
        for params in ([1], 5, {"_meta": 3}):
            far.request(request("x", params))
        self.assertEqual([r.message["params"] for r in remote.requests],
                         [[1], 5, {"_meta": 3}])
        far.stop()


class Cancelling(harness.TestCase):
    def test_a_modern_call_ends_with_its_connection(self):
        closed = threading.Event()

        def answer(incoming):
            if incoming.rpc != "slow":
                echo(incoming)
                return
            incoming.sse()
            incoming.event({"jsonrpc": "2.0", "method": "begun"})
            if incoming.gone():
                closed.set()
        remote = self.remote(answer)
        far = self.bridge(remote.url)
        far.send(request("slow", id="s"))
        self.assertEqual(far.receive()["method"], "begun")
        far.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                  "params": {"requestId": "other"}})
        far.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                  "params": {"requestId": "s"}})
        self.assertTrue(closed.wait(5))
        self.assertTrue(far.silent())
        self.assertEqual(len(remote.requests), 1)
        far.stop()

    def test_what_was_not_sent_yet_never_is(self):
        begun = threading.Event()

        def answer(incoming):
            if incoming.rpc == "tools/list":
                begun.set()
                time.sleep(1)
                incoming.result({"tools": []})
            else:
                echo(incoming)
        remote = self.remote(answer)
        far = self.bridge(remote.url)
        far.send(call("a", id=1))
        far.send(call("b", id=2))
        begun.wait(5)
        far.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                  "params": {"requestId": 1}})
        self.assertEqual(far.receive()["id"], 2)
        self.assertEqual(len(remote.of("tools/call")), 1)
        far.stop()


class Ending(harness.TestCase):
    def hanging(self):
        def answer(incoming):
            if incoming.rpc == "subscriptions/listen":
                incoming.sse()
                incoming.event({"jsonrpc": "2.0", "method": "begun"})
            incoming.gone()
        return self.remote(answer)

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            far = self.bridge(self.hanging().url)
            far.send(request("subscriptions/listen"))
            far.send(request("x", id=2))
            self.assertEqual(far.receive()["method"], "begun")
            far.signal(number)
            far.wait_end()

    def test_the_end_of_input_waits_for_timeout(self):
        begin = time.monotonic()
        done = wire.run("bridge", "--timeout", "1", self.hanging().url,
                        input=wire.encode(request("x")) + b"\n")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertGreater(time.monotonic() - begin, 1)
        self.assertIn("1 message stays without an answer", done.stderr)

    def test_the_end_of_input_closes_subscriptions(self):
        far = self.bridge(self.hanging().url)
        far.send(request("subscriptions/listen"))
        far.receive()
        far.stop()

    def test_a_client_that_is_gone(self):
        remote = self.remote(lambda r: time.sleep(0.5) or echo(r))
        for line in (b"", wire.encode(request("x")) + b"\n"):
            process = subprocess.Popen(
                [wire.BIN, "bridge", remote.url], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=wire.sanitizer_env())
            process.stdout.close()
            process.stdin.write(line)
            process.stdin.flush()
            self.assertEqual(process.wait(10), 0)
            process.stdin.close()

    def test_a_full_disk(self):
        remote = self.remote(echo)
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [wire.BIN, "bridge", remote.url], stdout=full,
                input=wire.encode(request("x")) + b"\n", timeout=20,
                stderr=subprocess.PIPE, env=wire.sanitizer_env(), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write to stdout: No space left", done.stderr)

    def test_a_file_as_input_and_output(self):
        remote = self.remote(echo)
        folder = self.folder()
        paths = [os.path.join(folder, n) for n in ("in", "out")]
        with open(paths[0], "wb") as file:
            for i in range(20):
                file.write(wire.encode(request("x", id=i)) + b"\n")
        with open(paths[0], "rb") as source, open(paths[1], "wb") as to:
            self.assertEqual(subprocess.run(
                [wire.BIN, "bridge", remote.url], stdin=source, stdout=to,
                stderr=subprocess.DEVNULL, timeout=20,
                env=wire.sanitizer_env(), check=False).returncode, 0)
        with open(paths[1], "rb") as file:
            self.assertEqual(len(file.readlines()), 20)


class Counts(harness.TestCase):
    """How many at once, at N and N + 1."""

    def test_subscriptions(self):
        def answer(incoming):
            incoming.sse()
            incoming.event({"jsonrpc": "2.0", "method": "begun"})
            incoming.gone()
        far = self.bridge(self.remote(answer).url)
        for i in range(512):
            far.send(request("subscriptions/listen", id=i))
        for _ in range(512):
            self.assertEqual(far.receive()["method"], "begun")
        refused = far.request(request("subscriptions/listen", id=512))
        self.assertEqual(refused["error"]["code"], ERROR)
        self.assertIn("512 subscriptions", refused["error"]["message"])
        far.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                  "params": {"requestId": 7}})
        far.send(request("subscriptions/listen", id=513))
        self.assertEqual(far.receive()["method"], "begun")
        far.stop()

    def test_calls(self):
        gate = threading.Event()
        remote = self.remote(lambda r: gate.wait(60) and echo(r))
        far = self.bridge(remote.url)
        for i in range(513):
            far.send(request("x", id=i))
        while len(remote.requests) < 512:
            time.sleep(0.01)
        time.sleep(0.5)
        self.assertEqual(len(remote.requests), 512)
        gate.set()
        self.assertEqual(len(far.answers(513)), 513)
        far.stop()

    def test_bytes_that_wait(self):
        gate = threading.Event()
        remote = self.remote(lambda r: gate.wait(60) and echo(r))
        far = self.bridge(remote.url)
        sent = [0]

        def send():  # 8 MiB each: the ninth is not read
            for i in range(12):
                far.send(request("x", {"a": "a" * (8 << 20)}, i))
                sent[0] += 1
        writer = threading.Thread(target=send, daemon=True)
        writer.start()
        before = -1
        while sent[0] < 8 or sent[0] != before:
            before = sent[0]
            time.sleep(0.7)
        self.assertEqual(before, 8)
        gate.set()
        self.assertEqual(len(far.answers(12, 60)), 12)
        far.stop()

    def test_what_waits(self):
        gate = threading.Event()
        remote = self.remote(lambda r: gate.wait(60) and echo(r))
        far = self.bridge(remote.url)
        sent = [0]

        def send():
            while sent[0] < 6000:
                far.send(request("x", {"a": "a" * 500}, sent[0]))
                sent[0] += 1
        writer = threading.Thread(target=send, daemon=True)
        writer.start()
        before = -1
        while sent[0] < 4096 or sent[0] != before:
            before = sent[0]
            time.sleep(0.7)
        # 4096, and what fits into a pipe and one read
        self.assertLess(before, 4096 + 2 * 65536 // 500 + 2)
        gate.set()
        self.assertEqual(len(far.answers(6000, 60)), 6000)
        far.stop()


class Cycles(harness.TestCase):
    """The remote dies and comes back, again and again."""

    def test_nothing_is_left_behind(self):
        def answer(incoming):
            if incoming.rpc == "subscriptions/listen":
                incoming.sse()
                incoming.event({"jsonrpc": "2.0", "method": "begun"})
                incoming.gone()
            elif incoming.rpc == "slow":
                incoming.gone()
            else:
                echo(incoming)
        remote = self.remote(answer)
        far = self.bridge(remote.url)
        counts = []
        for cycle in range(12):
            for i in range(10):
                far.send(request("subscriptions/listen", id="s%d" % i))
                far.send(request("slow", id="c%d" % i))
                far.send(request("x", id=i))
            far.answers(10)
            while len(remote.of("slow")) < 10:
                time.sleep(0.01)
            remote.close()
            lost = far.answers(20)
            self.assertEqual({a["error"]["code"] for a in lost.values()},
                             {ERROR})
            refused = far.request(request("x", id="r"))
            self.assertIn("Could not connect", refused["error"]["message"])
            counts.append(len(os.listdir("/proc/%d/fd" % far.pid)))
            remote = self.remote(answer, port=remote.port)
        self.assertEqual(counts[2:], counts[2:3] * 10)
        far.stop()


class Chaos(harness.TestCase):
    """Whatever the remote does: one answer for each request."""

    SEED = int(os.environ.get("BRIDGE_SEED", "90"))

    @staticmethod
    def pieces(incoming, data, chance):
        """Sends `data` in pieces, perhaps not all of it."""
        while data:
            n = chance.randint(1, 40)
            incoming.send(data[:n])
            data = data[n:]
            if chance.random() < 0.03:
                incoming.closed = True
                incoming.sock.shutdown(harness.socket.SHUT_RDWR)
                return

    def misbehave(self, incoming, chance):
        id = incoming.message.get("id")
        good = json.dumps({"jsonrpc": "2.0", "id": id, "result": {}})
        texts = (good, good, good[:-3], "", "null", "[]", "{}", '"x"',
                 json.dumps({"jsonrpc": "2.0", "method": "n"}),
                 json.dumps({"jsonrpc": "2.0", "id": id, "error": {}}),
                 json.dumps({"error": {"code": 1, "message": "m"}}),
                 json.dumps({"jsonrpc": "2.0", "id": "z", "result": 1}),
                 "[%s,%s]" % (good, good), "\x00\xff", "a" * 5000)
        status = chance.choice((200, 200, 200, 202, 204, 301, 400, 401, 404,
                                405, 429, 500, 503))
        if chance.random() < 0.5:
            incoming.sse()
            for _ in range(chance.randint(0, 4)):
                self.pieces(incoming, "".join((
                    chance.choice(("", ": c\n", "id: 5\n", "retry: 1\n")),
                    chance.choice(("data: ", "data:", "data:\ndata: ", "")),
                    chance.choice(texts),
                    chance.choice(("\n\n", "\r\n\r\n", "\r\r", "\n"))
                )).encode("latin-1"), chance)
        elif chance.random() < 0.1:
            incoming.closed = True
            self.pieces(incoming, bytes(chance.randrange(256) for _ in
                                        range(chance.randint(0, 300))), chance)
        else:
            body = chance.choice(texts).encode("latin-1")
            incoming.head(status, {
                "Content-Type": chance.choice((
                    "application/json", "application/json; charset=utf-8",
                    "text/plain", "text/event-stream", "")),
                "Location": "/x"},
                None if chance.random() < 0.3 else
                max(0, len(body) + chance.choice((0, 0, 0, -1, 1))))
            incoming.closed |= chance.random() < 0.3
            self.pieces(incoming, body, chance)

    def judge(self, legacy):
        count = 300
        lock, order = threading.Lock(), [0]

        def answer(incoming):
            if incoming.rpc == "initialize":
                incoming.result({"protocolVersion": "2025-11-25"}, {
                    "Mcp-Session-Id": "s"})
                return
            with lock:
                order[0] += 1
                chance = random.Random(self.SEED * 1000 + order[0])
            if incoming.method != "POST":
                incoming.empty(405)
            elif "id" not in incoming.message:
                incoming.empty(202)
            else:
                self.misbehave(incoming, chance)
        far = self.bridge(self.remote(answer).url, "--sse-read-timeout", "2",
                          "--max-message-size", str(LIMIT))
        if legacy:
            far.initialize(id="init")
        for i in range(count):
            far.send(request("tools/list" if i % 3 else "x/y", {}, i))
        seen = []
        while len(set(seen)) < count:
            message = far.receive(60)
            if isinstance(message, list):  # a batch comes as the remote made it
                seen.append(message[0]["id"])
            elif "method" not in message:
                seen.append(message.get("id"))
        self.assertEqual(sorted(seen), list(range(count)))
        self.assertTrue(far.silent())
        far.stop()

    def test_modern(self):
        self.judge(False)

    def test_legacy(self):
        self.judge(True)


class Usage(unittest.TestCase):
    def refused(self, why, *arguments, code=2, **how):
        done = wire.run("bridge", *arguments, **how)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, why)

    def test_where(self):
        self.refused("which server")
        self.refused("exclude each other", "http://x/", "--app", "x.lua")
        for url in ("x", "ftp://x/", "http://", "http:///x", "http://a b/"):
            self.refused("URL", url)
        self.refused("one server at a time", "http://a/", "http://b/")

    def test_headers(self):
        url = "http://127.0.0.1:9/"
        self.refused("Headers must use 'Name: value' format.", url,
                     "--header", "x")
        self.refused("Header name cannot be empty.", url, "--header", ": x")
        self.refused("no header name", url, "--header", "a b: x")
        self.refused("control characters", url, "--header", "a: x\ny: z")
        for name in ("Content-Type", "mcp-session-id", "Mcp-Param-X"):
            self.refused("the bridge itself sets", url, "--header",
                         name + ": x")
        self.refused("no header name", url, "--header-name", "a:b")
        self.refused("control characters", url, "--token-prefix", "a\n")

    def test_tokens(self):
        url = "http://127.0.0.1:9/"
        self.refused("exclude each other", url, "--bearer-env", "A",
                     "--bearer-cmd", "b")
        for command in (" ", "'a", '"a', "a\\"):
            self.refused("is no command", url, "--bearer-cmd", command)

    def test_numbers(self):
        url = "http://127.0.0.1:9/"
        for option, wrong in (("--timeout", "0"), ("--timeout", "x"),
                              ("--sse-read-timeout", "-1"),
                              ("--max-message-size", "1023"),
                              ("--max-message-size", "2 GiB")):
            self.refused(option + " must be", url, option, wrong)

    def test_files(self):
        self.refused("--ca-file: /no/such cannot be read", "http://x/",
                     "--ca-file", "/no/such")
        self.refused("no.lua", "--app", "/no/such/no.lua")

    def test_an_app_without_a_port(self):
        self.refused("port 0", "--app", os.path.join(
            wire.SOURCE_DIR, "app-example", "app.lua"), "--port", "0")

    def test_no_libcurl(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            for name in ("libcurl.so.4", "libcurl-gnutls.so.4"):
                open(os.path.join(folder, name), "wb").close()
            self.refused("the bridge needs libcurl", "http://x/", code=1,
                         env={"LD_LIBRARY_PATH": folder})


if __name__ == "__main__":
    unittest.main()
