"""Start to end: signals, drains, closed and full descriptors."""

import os
import signal
import subprocess
import threading
import time
import unittest

import wire

APP = """
local mcp = require "mcp"

mcp.server { name = "lifetime", version = "1.0.0" }

mcp.tool("hello", function() return "hello" end)

mcp.tool("sleep", function(seconds, ctx)
  io.stderr:write("it begins\\n")
  ctx.sleep(seconds)
  return "slept"
end)

mcp.tool("tell", function(seconds, ctx)
  ctx.progress(1, 2)
  ctx.sleep(seconds)
end)

mcp.tool("spin", function()
  io.stderr:write("it begins\\n")
  while true do end
end)

mcp.tool("block", function(seconds)
  io.stderr:write("it begins\\n")
  os.execute("exec sleep " .. seconds)
  return "blocked"
end)
"""


SHUTTING_DOWN = {"code": -32603, "message": "The server is shutting down"}


def in_background(function):
    """Runs it in a thread; the thread's `answer` is what it returned."""
    def body():
        try:
            thread.answer = function()
        except OSError as error:
            thread.answer = error
    thread = threading.Thread(target=body, daemon=True)
    thread.answer = None
    thread.start()
    return thread


def called(server, name, arguments):
    """A call that has begun."""
    thread = in_background(lambda: server.call(name, arguments))
    server.wait_said("it begins")
    return thread


class Signals(wire.TestCase):
    def test_an_idle_server_ends_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = wire.Server(APP)
            begun = time.monotonic()
            server.signal(number)
            server.wait_end(5, 0)
            self.assertLess(time.monotonic() - begun, 3)

    def test_a_running_call_is_answered_first(self):
        server = wire.Server(APP)
        thread = called(server, "sleep", {"seconds": 1})
        server.signal(signal.SIGTERM)
        server.wait_end(5, 0)
        thread.join(5)
        self.assertEqual(thread.answer.result["content"][0]["text"], "slept")

    def test_calls_that_last_are_cut_in_time(self):
        for name, arguments in (("sleep", {"seconds": 25}), ("spin", {})):
            server = wire.Server(APP)
            thread = called(server, name, arguments)
            begun = time.monotonic()
            server.signal(signal.SIGTERM)
            server.wait_stderr("draining: 1 call in flight")
            server.wait_end(12, 0)
            self.assertGreater(time.monotonic() - begun, 2)
            thread.join(5)
            self.assertEqual(thread.answer.status, 503)
            self.assertEqual(thread.answer.json["error"], SHUTTING_DOWN)
            self.assertEqual(thread.answer.json["id"], 1)
            self.assertIn("1 call was stopped", server.stderr)

    def test_sessions_and_streams_are_told_too(self):
        server = wire.Server(APP)
        session = server.session("2025-06-18")
        thread = in_background(lambda: session.call("sleep", {"seconds": 25}))
        stream = server.stream(*wire.modern("tools/call", {
            "name": "tell", "arguments": {"seconds": 25}}, id="s",
            progressToken=1))
        self.assertEqual(stream.message()["method"], "notifications/progress")
        server.wait_said("it begins")
        server.signal(signal.SIGTERM)
        self.assertEqual(stream.messages(), [{
            "jsonrpc": "2.0", "id": "s", "error": SHUTTING_DOWN}])
        stream.close()
        server.wait_end(12, 0)
        thread.join(5)
        self.assertEqual(thread.answer.status, 503)
        self.assertEqual(thread.answer.json["error"], SHUTTING_DOWN)
        self.assertIn("draining: 2 calls in flight", server.stderr)
        self.assertIn("2 calls were stopped", server.stderr)

    def test_a_handler_stuck_in_c_is_left_behind(self):
        server = wire.Server(APP)
        thread = called(server, "block", {"seconds": 25})
        server.signal(signal.SIGTERM)
        server.wait_end(12, 1)
        thread.join(5)
        self.assertEqual(thread.answer.status, 503)
        self.assertEqual(thread.answer.json["error"], SHUTTING_DOWN)
        self.assertIn("a handler did not end in time", server.stderr)

    def test_the_second_signal_ends_at_once(self):
        server = wire.Server(APP)
        called(server, "sleep", {"seconds": 25})
        server.signal(signal.SIGTERM)
        server.wait_stderr("draining: 1 call in flight")
        server.signal(signal.SIGINT)
        server.wait_end(5, 128 + signal.SIGINT)

    def test_while_the_app_loads_the_first_signal_ends(self):
        process = wire.Process("io.stderr:write('loading\\n')\n"
                               "while true do end\n")
        process.wait_stderr("loading")
        process.signal(signal.SIGTERM)
        process.wait_end(3, 128 + signal.SIGTERM)

    def test_new_connections_are_refused_while_it_drains(self):
        server = wire.Server(APP)
        thread = called(server, "sleep", {"seconds": 1.5})
        server.signal(signal.SIGTERM)
        server.wait_stderr("draining: 1 call in flight")
        with self.assertRaises(OSError):
            server.socket(1).close()
        server.wait_end(5, 0)
        thread.join(5)


class Stdio(wire.TestCase):
    def test_the_end_of_input_is_the_end(self):
        process = wire.Stdio(APP)
        process.wait_stderr("stdio")
        process.stop(5, 0)

    def test_signals_end_it(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = wire.Stdio(APP)
            process.wait_stderr("stdio")
            process.signal(number)
            process.wait_end(5, 0)

    def test_a_running_call_is_answered_before_a_signal_ends_it(self):
        process = wire.Stdio(APP)
        process.send(wire.modern("tools/call", {
            "name": "sleep", "arguments": {"seconds": 1}}, id=5).body)
        process.wait_said("it begins")
        process.signal(signal.SIGTERM)
        answer = process.receive()
        self.assertEqual(answer["id"], 5)
        self.assertEqual(answer["result"]["content"][0]["text"], "slept")
        process.wait_end(5, 0)

    def test_a_call_that_lasts_is_cut_in_time(self):
        process = wire.Stdio(APP)
        process.send(wire.modern("tools/call", {"name": "spin"}, id=5).body)
        process.wait_said("it begins")
        process.signal(signal.SIGTERM)
        self.assertEqual(process.receive(), {
            "jsonrpc": "2.0", "id": 5, "error": SHUTTING_DOWN})
        process.wait_end(12, 0)
        self.assertIn("draining: 1 call in flight", process.stderr)
        self.assertIn("1 call was stopped", process.stderr)

    def test_a_full_disk_is_a_failure(self):
        folder = wire.tempfile.mkdtemp(prefix="mcpluad-wire-")
        self.addCleanup(wire.shutil.rmtree, folder)
        path = os.path.join(folder, "app.lua")
        with open(path, "w", encoding="utf-8") as file:
            file.write(APP)
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [wire.BIN, "--stdio", path], stdout=full,
                stderr=subprocess.PIPE, timeout=20, env=wire.sanitizer_env(),
                input=wire.encode(wire.modern("tools/list").body) + b"\n",
                check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"mcpluad: cannot write to stdout: No space left",
                      done.stderr)

    def test_the_second_signal_ends_at_once(self):
        process = wire.Stdio(APP)
        process.send(wire.modern("tools/call", {"name": "spin"}, id=5).body)
        process.wait_said("it begins")
        process.signal(signal.SIGINT)
        process.wait_stderr("draining: 1 call in flight")
        process.signal(signal.SIGTERM)
        process.wait_end(5, 128 + signal.SIGTERM)

    def test_closed_descriptors(self):
        for redirections in ("<&-", "<&- >&-", "<&- >&- 2>&-"):
            folder = wire.tempfile.mkdtemp(prefix="mcpluad-wire-")
            self.addCleanup(wire.shutil.rmtree, folder)
            path = os.path.join(folder, "app.lua")
            with open(path, "w", encoding="utf-8") as file:
                file.write(APP)
            done = subprocess.run(
                ["sh", "-c", 'exec "$0" --stdio "$1" ' + redirections,
                 wire.BIN, path], timeout=20, env=wire.sanitizer_env(),
                stderr=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, 0, redirections)

    def test_what_the_app_prints_is_not_for_the_client(self):
        process = self.start_stdio(
            'print("one")\nio.write("two\\n")\nio.stdout:write("three\\n")\n'
            'os.execute("echo four")\n' + APP + """
mcp.tool("loud", function()
  print("five")
  io.write("six\\n")
  io.stdout:flush()
  os.execute("echo seven")
  return "quiet"
end)
""")
        answer = process.request(wire.modern("tools/call", {"name": "loud"}))
        self.assertEqual(answer["result"]["content"][0]["text"], "quiet")
        self.assertEqual(process.notifications, [])
        for word in ("one", "two", "three", "four", "five", "six", "seven"):
            process.wait_stderr("(?m)^%s$" % word)


class Descriptors(wire.TestCase):
    """Standard descriptors that are closed or full."""

    def start_by_shell(self, redirections, *options, stderr=None, before=""):
        folder = wire.tempfile.mkdtemp(prefix="mcpluad-wire-")
        self.addCleanup(wire.shutil.rmtree, folder)
        path = os.path.join(folder, "app.lua")
        with open(path, "w", encoding="utf-8") as file:
            file.write(APP)
        with wire.socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        process = subprocess.Popen(
            ["sh", "-c", before + 'exec "$0" "$@" ' + redirections, wire.BIN,
             "--port", str(self.port), *options, path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=stderr or subprocess.DEVNULL, env=wire.sanitizer_env())
        self.addCleanup(process.wait, 10)
        self.addCleanup(process.terminate)
        return process

    def wait_until_ready(self):
        end = time.monotonic() + 20
        while True:
            try:
                if self.exchange("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                pass
            self.assertLess(time.monotonic(), end, "never ready")
            time.sleep(0.05)

    def exchange(self, *request):
        connection = wire.http.client.HTTPConnection("127.0.0.1", self.port,
                                                     timeout=20)
        try:
            connection.request(*request)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def call(self, name, arguments):
        body, headers = wire.modern("tools/call", {
            "name": name, "arguments": arguments})
        status, text = self.exchange("POST", "/mcp", wire.encode(body), {
            "Content-Type": "application/json", **headers})
        self.assertEqual(status, 200, text)
        return text

    def serves(self, process):
        self.wait_until_ready()
        for _ in range(3):
            self.assertIn(b"hello", self.call("hello", {}))
        # A fault of the script is logged, with a traceback.
        self.assertIn(b'isError":true', self.call("sleep", {"seconds": "x"}))
        process.terminate()
        self.assertEqual(process.wait(10), 0)

    def test_everything_closed(self):
        self.serves(self.start_by_shell("<&- >&- 2>&-"))

    def test_only_stderr_closed(self):
        self.serves(self.start_by_shell("2>&-"))

    def test_no_descriptor_left(self):
        process = self.start_by_shell("", before="ulimit -n 200; ")
        self.wait_until_ready()
        sockets = []
        try:
            for _ in range(400):
                sock = wire.socket.socket()
                sockets.append(sock)
                sock.settimeout(0.05)
                try:
                    sock.connect(("127.0.0.1", self.port))
                except OSError:
                    break
            self.assertGreater(len(sockets), 150)
            self.assertIsNone(process.poll())
        finally:
            for sock in sockets:
                sock.close()
        self.serves(process)

    def test_a_full_disk_under_the_log(self):
        self.serves(self.start_by_shell(">/dev/full 2>/dev/full",
                                        "--log-level", "debug"))

    def test_a_closed_pipe_under_the_log(self):
        read, write = os.pipe()
        process = self.start_by_shell("", "--log-level", "debug", stderr=write)
        os.close(write)
        os.close(read)
        self.serves(process)


if __name__ == "__main__":
    unittest.main()
