"""The stdio pipe: lines in, lines out, and nothing else on stdout."""

import json
import os
import subprocess
import time

import wire

APP = """
local mcp = require "mcp"

print("a banner of the app")
io.write("no line end")
io.stdout:write("to stdout by its handle\\n")
os.execute("echo from a shell")

mcp.server { name = "stdio", version = "1.0.0" }

mcp.tool("hello", function() return "hello" end)

mcp.tool("noisy", function()
  print("noise")
  io.write("more noise\\n")
  io.stdout:write("and more\\n")
  os.execute("echo shell noise")
  return "quiet"
end)

mcp.tool("big", function(n) return ("x"):rep(n) end)

mcp.tool("sleep", function(seconds, ctx)
  ctx.sleep(seconds)
  return "slept"
end)

-- keeps its worker, which ctx.sleep does not
mcp.tool("block", function(seconds)
  os.execute("exec sleep " .. seconds)
  return "blocked"
end)

mcp.tool("spin", function() while true do end end)

mcp.tool("count", function(n, ctx)
  for i = 1, n do ctx.progress(i, n) end
  return "counted"
end)
"""


def call(name, arguments=None, id=1, **how):
    return wire.modern("tools/call", {
        "name": name, "arguments": arguments or {}}, id=id, **how).body


class Lines(wire.TestCase):
    def setUp(self):
        self.pipe = self.start_stdio(APP)

    def text(self, message):
        return message["result"]["content"][0]["text"]

    def test_nothing_but_messages_on_stdout(self):  # B165
        answer = self.pipe.request(call("noisy"))
        self.assertEqual(self.text(answer), "quiet")
        self.assertEqual(self.pipe.notifications, [])
        for noise in ("a banner of the app", "no line end",
                      "to stdout by its handle", "from a shell", "noise",
                      "more noise", "and more", "shell noise"):
            self.pipe.wait_stderr(noise)

    def test_lines_end_in_lf_alone(self):  # B166
        self.pipe.send(call("hello"))
        line = self.pipe.line()
        self.assertTrue(line.endswith(b"}\n"), line)
        self.assertNotIn(b"\r", line)
        self.assertEqual(line.count(b"\n"), 1)

    def test_cr_before_lf_and_blank_lines(self):
        self.pipe.process.stdin.write(
            b"\r\n\n" + wire.encode(call("hello", id="a")) + b"\r\n\n")
        self.pipe.process.stdin.flush()
        self.assertEqual(self.pipe.receive()["id"], "a")
        self.assertTrue(self.pipe.silent())

    def test_bytes_that_are_no_text(self):  # B168
        self.pipe.send(b"\xff\xfe")
        answer = self.pipe.receive()
        self.assertEqual(answer["error"]["code"], -32700)
        self.assertNotIn("id", answer)
        self.assertEqual(self.text(self.pipe.request(call("hello"))), "hello")

    def test_half_a_message(self):  # B21, B22
        for line in (b'{"jsonrpc":"2.0","id":1,', b"{"):
            self.pipe.send(line)
            answer = self.pipe.receive()
            self.assertEqual(answer["error"]["code"], -32700)
            self.assertNotIn("id", answer)

    def test_header_framing_is_garbage(self):  # B171
        body = wire.encode(call("hello", id=7))
        self.pipe.process.stdin.write(
            b"Content-Length: %d\r\n\r\n%s\n" % (len(body), body))
        self.pipe.process.stdin.flush()
        self.assertEqual(self.pipe.receive()["error"]["code"], -32700)
        self.assertEqual(self.pipe.receive()["id"], 7)
        self.assertTrue(self.pipe.silent())

    def test_notifications_are_not_answered(self):  # B12
        for method in ("notifications/initialized", "notifications/nonsense"):
            self.pipe.send({"jsonrpc": "2.0", "method": method})
        self.assertTrue(self.pipe.silent())

    def test_calls_run_beside_one_another(self):
        self.pipe.send(call("sleep", {"seconds": 2}, id="slow"))
        self.assertEqual(self.pipe.request(call("hello", id="quick"))["id"],
                         "quick")
        self.assertEqual(self.pipe.notifications, [])  # "slow" is not first
        self.assertEqual(self.pipe.receive()["id"], "slow")

    def test_a_cancelled_call_is_not_answered(self):  # B78, B82
        for name, arguments in (("sleep", {"seconds": 20}), ("spin", {})):
            self.pipe.send(call(name, arguments, id=99))
            time.sleep(0.3)
            self.pipe.send({"jsonrpc": "2.0",
                            "method": "notifications/cancelled",
                            "params": {"requestId": 99}})
            self.assertTrue(self.pipe.silent(0.7), name)
            self.assertEqual(self.pipe.request(call("hello", id=5))["id"], 5)

    def test_progress_comes_before_the_answer(self):
        self.pipe.request(call("count", {"n": 50}, progressToken="t"))
        self.assertEqual(
            [m["params"]["progress"] for m in self.pipe.notifications],
            list(range(1, 51)))

    def test_a_big_answer_and_a_slow_reader(self):  # B156
        pipe = subprocess.Popen(
            self.pipe.arguments, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd=self.pipe.folder, env=wire.sanitizer_env())
        self.addCleanup(pipe.stdout.close)
        self.addCleanup(pipe.kill)
        for request in (call("big", {"n": 10000000}, id=1),
                        call("count", {"n": 100}, id=2, progressToken=2),
                        call("hello", id=3)):
            pipe.stdin.write(wire.encode(request) + b"\n")
        pipe.stdin.flush()
        time.sleep(1.5)  # nobody reads
        ids, seen = [], b""
        while len(ids) < 3:
            piece = os.read(pipe.stdout.fileno(), 65536)
            self.assertTrue(piece)
            seen += piece
            *lines, seen = seen.split(b"\n") if b"\n" in piece else [seen]
            for line in lines:
                message = json.loads(line)
                if "id" in message:
                    ids.append(message["id"])
                if message.get("id") == 1:
                    self.assertEqual(len(self.text(message)), 10000000)
        self.assertEqual(sorted(ids), [1, 2, 3])
        pipe.stdin.close()
        self.assertEqual(pipe.wait(10), 0)


class Limits(wire.TestCase):
    def test_a_line_of_max_body_and_one_byte_more(self):
        pipe = self.start_stdio(APP, options=["--max-body", "5000"])
        body = wire.encode(call("hello", id=1))
        fits = body[:-1] + b" " * (5000 - len(body)) + b"}"
        pipe.send(fits)
        self.assertIn("result", pipe.receive())
        pipe.send(fits[:-1] + b" }")
        answer = pipe.receive()
        self.assertEqual(answer["error"]["code"], -32600)
        self.assertNotIn("id", answer)
        pipe.send(b"x" * 300000)
        self.assertEqual(pipe.receive()["error"]["code"], -32600)
        self.assertIn("result", pipe.request(call("hello", id=2)))
        self.assertTrue(pipe.silent())

    def test_a_full_queue_is_told(self):
        pipe = self.start_stdio(
            APP, options=["--max-workers", "1", "--queue", "1"])
        for number in range(5):
            pipe.send(call("block", {"seconds": 1}, id=number))
        answers = [pipe.receive() for _ in range(5)]
        refused = [a for a in answers if "error" in a]
        self.assertGreaterEqual(len(refused), 2)
        for answer in refused:
            self.assertEqual(answer["error"]["code"], -32603)


class End(wire.TestCase):
    def run_with(self, data, seconds=10):
        folder = self.start_stdio(APP)  # only for its folder and arguments
        begun = time.monotonic()
        done = wire.run(*folder.arguments[1:], input=data, seconds=seconds)
        return done, time.monotonic() - begun

    def test_the_last_line_needs_no_line_end(self):  # B169
        done, took = self.run_with(
            wire.encode(call("hello", id=1)) + b"\n"
            + wire.encode(call("sleep", {"seconds": 0.1}, id=2)))
        self.assertEqual(done.returncode, 0, done.stderr)
        ids = sorted(json.loads(line)["id"]
                     for line in done.stdout.splitlines())
        self.assertEqual(ids, [1, 2])
        self.assertLess(took, 5)

    def test_the_end_comes_within_a_second(self):  # B169
        for request in (None, call("sleep", {"seconds": 20}), call("spin")):
            pipe = wire.Stdio(APP)
            pipe.request(call("hello", id=0))
            if request is not None:
                pipe.send(request)
                time.sleep(0.3)
            begun = time.monotonic()
            pipe.stop(5, 0)
            self.assertLess(time.monotonic() - begun, 2.5)

    def test_no_spin_while_nothing_happens(self):  # B169
        pipe = self.start_stdio(APP)
        pipe.request(call("hello"))

        def cpu():
            with open("/proc/%d/stat" % pipe.pid) as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12])

        before = cpu()
        time.sleep(1)
        self.assertLess(cpu() - before, 20)

    def test_a_client_that_is_gone(self):
        folder = self.start_stdio(APP)
        pipe = subprocess.Popen(
            folder.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, cwd=folder.folder,
            env=wire.sanitizer_env())
        self.addCleanup(pipe.kill)
        self.addCleanup(pipe.stdin.close)
        pipe.stdin.write(wire.encode(call("hello")) + b"\n")
        pipe.stdin.write(wire.encode(call("spin")) + b"\n")
        pipe.stdin.flush()
        self.assertIn(b'"hello"', os.read(pipe.stdout.fileno(), 65536))
        time.sleep(0.3)
        pipe.stdout.close()
        self.assertEqual(pipe.wait(5), 0)
