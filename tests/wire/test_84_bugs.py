"""Handed bug reports that no other file names, each by its number. Those of
the wire (B1 to B15, B18 and so on) stand in test_10 to test_22."""

import os
import signal
import threading
import time
import unittest

import wire

APP = """
local mcp = require "mcp"
local part = require "part"
mcp.server { name = "bugs", version = "1.0.0" }

mcp.tool("add", { input_schema = { type = "object", properties = {
    a = { type = "number" }, b = { type = "number" } },
    required = { "a", "b" } } }, function(a, b) return a + b end)
mcp.tool("part", function() return part end)
mcp.tool("nap", function(seconds, ctx)
  io.stderr:write("it begins\\n")
  ctx.sleep(seconds)
  return part
end)
mcp.tool("hold", function(seconds)
  io.stderr:write("it begins\\n")
  os.execute("exec sleep " .. seconds)
  return "held"
end)
mcp.tool("count", function() count = (count or 0) + 1 return count end)
mcp.prompt("all_optional", { arguments = { { name = "kind" } } },
  function(kind) return "kind " .. tostring(kind) end)
"""


class Bugs(wire.TestCase):
    APP = APP
    FILES = {"part.lua": 'return "one"'}

    @staticmethod
    def text(answer):
        return answer.result["content"][0]["text"]

    def test_b75_a_stream_has_no_time_limit_of_its_own(self):
        server = self.start(APP, files=self.FILES,
                            options=("--sse-after", "0.2", "--keepalive", "1"))
        answer = server.call("nap", {"seconds": 4})
        self.assertEqual(answer.type, "text/event-stream")
        self.assertEqual(answer.result["content"][0]["text"], "one")

    def test_b86_wake_and_leave_at_once(self):
        """Calls end in the moment their clients go."""
        def leave(delay):
            with self.server.socket() as sock:
                request = wire.modern("tools/call", {
                    "name": "nap", "arguments": {"seconds": 0.02}})
                body = wire.encode(request.body)
                sock.sendall(("POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                              "Content-Type: application/json\r\n"
                              "Content-Length: %d\r\n%s\r\n" % (
                                  len(body), "".join(
                                      "%s: %s\r\n" % h for h in
                                      request.headers.items()))
                              ).encode() + body)
                time.sleep(delay)

        threads = [threading.Thread(target=leave, args=(0.0187 + i * 1e-5,))
                   for i in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.text(self.server.call("part")), "one")

    def test_b126_a_prompt_needs_no_arguments(self):
        for params in ({"name": "all_optional"},
                       {"name": "all_optional", "arguments": {}}):
            message = self.server.rpc("prompts/get", params).result[
                "messages"][0]
            self.assertEqual(message["content"]["text"], "kind nil")

    def test_b129_what_is_wrong_is_a_result_that_names_it(self):
        for version in wire.LEGACY:
            result = self.server.session(version).call(
                "add", {"a": "x", "b": 1}).result
            self.assertIs(result["isError"], True, version)
            self.assertIn("/a", result["content"][0]["text"], version)

    def test_b172_one_call_blocks_no_other(self):
        server = self.start(APP, files=self.FILES,
                            options=("--max-workers", "2"))
        thread = threading.Thread(
            target=server.call, args=("hold", {"seconds": 3}))
        thread.start()
        server.wait_said("it begins")
        self.assertEqual(server.rpc("tools/list").status, 200)
        self.assertEqual(self.text(server.call("part")), "one")
        self.assertTrue(thread.is_alive())  # it still holds its worker
        thread.join()

    def test_b179_a_global_does_not_outlive_its_call(self):
        self.assertEqual([self.text(self.server.call("count"))
                          for _ in range(20)], ["1"] * 20)


class Saves(wire.TestCase):
    """B174 to B176 and B178: what editors do to files while calls run."""

    def setUp(self):
        super().setUp()
        self.server = self.start(APP, options=("--dev",),
                                 files={"part.lua": 'return "one"'})

    def part(self):
        return self.server.call("part").result["content"][0]["text"]

    def becomes(self, text):
        wire.wait_until(lambda: self.part() == text,
                        lambda: self.server.stderr)

    def generations(self):
        return self.server.stderr.count("as generation")

    def test_b174_a_call_in_flight_ends_on_what_it_began_with(self):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(
            self.server.call("nap", {"seconds": 1.5})))
        thread.start()
        self.server.wait_said("it begins")
        self.server.write("part.lua", 'return "two"')
        self.becomes("two")
        thread.join()
        self.assertEqual(answers[0].result["content"][0]["text"], "one")

    def test_b175_a_slip_keeps_the_old_app_and_names_the_line(self):
        self.server.write("app.lua", APP + "\nfuncton x() end\n")
        self.server.wait_stderr(r"app\.lua:\d+:")
        self.assertEqual(self.part(), "one")

    def test_b176_a_module_alone(self):
        self.server.write("part.lua", 'return "three"')
        self.becomes("three")

    def test_b178_a_touch_reloads_nothing(self):
        for name in ("app.lua", "part.lua"):
            os.utime(os.path.join(self.server.folder, name))
        time.sleep(0.5)
        self.server.write("part.lua", 'return "four"')
        self.becomes("four")
        self.server.wait_said("as generation")
        self.assertEqual(self.generations(), 1)

    def test_b178_half_a_file(self):
        """Cut off, then written in pieces: nobody ever sees less than all."""
        text = 'return "%s"\n' % ("x" * 3000)
        seen, stop = set(), threading.Event()

        def look():
            while not stop.is_set():
                seen.add(self.part())

        thread = threading.Thread(target=look)
        thread.start()
        try:
            with open(os.path.join(self.server.folder, "part.lua"), "w") as f:
                for at in range(0, len(text), 300):
                    f.write(text[at:at + 300])
                    f.flush()
                    time.sleep(0.03)
            self.becomes("x" * 3000)
        finally:
            stop.set()
            thread.join()
        self.assertLessEqual(seen, {"one", "x" * 3000})

    def test_b178_a_new_file_over_the_old_one(self):
        for turn in range(5):
            new = self.server.write("part.lua~", 'return "v%d"' % turn)
            os.replace(new, os.path.join(self.server.folder, "part.lua"))
            self.becomes("v%d" % turn)

    def test_sighup_with_nothing_changed_is_harmless(self):
        for _ in range(5):
            self.server.signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertEqual(self.part(), "one")


if __name__ == "__main__":
    unittest.main()
