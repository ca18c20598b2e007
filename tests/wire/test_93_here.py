"""Quick handlers run on the thread that received their call; one that turns out
to be slow holds up nobody."""

import http.client
import json
import threading
import time
import unittest

import wire

APP = """
local mcp = require "mcp"
local loads = mcp.shared("loads")
mcp.server { name = "here", version = "1.0.0" }
mcp.tool("add", function(a, b) return { sum = a + b } end)
mcp.tool("block", function(seconds) os.execute("sleep " .. seconds) return "slept" end)
mcp.tool("spin", { timeout = 1 }, function() while true do end end)
mcp.tool("think", function(ms)
  local sum = 0
  for i = 1, ms * 20000 do sum = sum + i % 7 end
  return sum
end)
mcp.tool("nap", function(seconds, ctx) ctx.sleep(seconds) return "rested" end)
mcp.tool("steps", function(ctx)
  for i = 1, 5 do ctx.progress(i, 5) end
  return "done"
end)
mcp.tool("fail", function() error("on purpose") end)
seen = 0
mcp.tool("once", function() seen = seen + 1 return seen end)
"""

CROWD = 400     # a loop takes 256 at a time
LIMIT = 2.0     # seconds; expected: a few milliseconds


class Here(wire.TestCase):
    APP = APP
    OPTIONS = ("--max-workers", "8")

    def adds(self, connections=24):
        """Calls on many connections, so that every io thread gets some: the
        longest of them."""
        worst, wrong = [0.0], []

        def one(i):
            began = time.monotonic()
            answer = self.server.call("add", {"a": i, "b": 1})
            worst[0] = max(worst[0], time.monotonic() - began)
            if answer.result["content"][0]["text"] != '{"sum":%d}' % (i + 1):
                wrong.append(answer.json)

        threads = [threading.Thread(target=one, args=(i,))
                   for i in range(connections)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])
        return worst[0]

    def in_background(self, name, arguments, number):
        answers = []

        def one():
            answers.append(self.server.call(name, arguments))

        threads = [threading.Thread(target=one) for _ in range(number)]
        for t in threads:
            t.start()
        return threads, answers

    def test_a_handler_that_blocks_in_c_holds_up_nobody(self):
        for number in (1, 2, 5):
            threads, answers = self.in_background("block", {"seconds": 3}, number)
            time.sleep(0.1)
            self.assertLess(self.adds(), LIMIT)
            self.assertEqual(answers, [])     # they do block
            for t in threads:
                t.join()
            for a in answers:
                self.assertEqual(a.result["content"][0]["text"], "slept")

    def test_a_crowd_at_once_is_served_turn_by_turn(self):
        """More at once than one turn of a loop runs, the slow among them."""
        sockets = []
        try:
            for i in range(CROWD):
                sockets.append(self.server.socket())
            for turn in range(3):
                names = [("block", {"seconds": 1}) if i == CROWD // 2 else
                         ("think", {"ms": 2}) if i % 50 == turn else
                         ("add", {"a": i, "b": turn}) for i in range(CROWD)]
                for sock, (name, arguments) in zip(sockets, names):
                    sock.sendall(self.bytes_of(name, arguments))
                began, slowest = time.monotonic(), 0.0
                for i, (sock, (name, _)) in enumerate(zip(sockets, names)):
                    if name == "block":
                        continue
                    text = self.text_from(sock)
                    slowest = max(slowest, time.monotonic() - began)
                    if name == "add":
                        self.assertEqual(text, '{"sum":%d}' % (i + turn))
                self.assertEqual(self.text_from(sockets[CROWD // 2]), "slept")
                self.assertLess(slowest, 10.0)
        finally:
            for sock in sockets:
                sock.close()

    def bytes_of(self, name, arguments):
        body, headers = wire.modern(
            "tools/call", {"name": name, "arguments": arguments})
        body = json.dumps(body).encode() if isinstance(body, dict) else \
            body if isinstance(body, bytes) else body.encode()
        headers = {"Content-Type": "application/json", "Host": "127.0.0.1",
                   "Accept": "application/json, text/event-stream",
                   "Content-Length": str(len(body)), **headers}
        head = "".join("%s: %s\r\n" % item for item in headers.items())
        return ("POST /mcp HTTP/1.1\r\n%s\r\n" % head).encode() + body

    @staticmethod
    def text_from(sock):
        response = http.client.HTTPResponse(sock)
        response.begin()
        message = json.loads(response.read())
        return message["result"]["content"][0]["text"]

    def test_a_loop_holds_up_nobody_and_ends(self):
        threads, answers = self.in_background("spin", {}, 2)
        self.assertLess(self.adds(), LIMIT)
        for t in threads:
            t.join()
        for a in answers:
            self.assertTrue(a.result["isError"])
        self.assertLess(self.adds(), LIMIT)

    def test_quick_and_slow_runs_of_one_handler(self):
        for i in range(30):
            ms = 20 if i % 5 == 0 else 0
            self.assertIn("content", self.server.call("think", {"ms": ms}).result)
        self.assertLess(self.adds(), LIMIT)

    def test_what_parks_goes_on(self):
        threads, answers = self.in_background("nap", {"seconds": 0.3}, 10)
        self.assertLess(self.adds(), LIMIT)
        for t in threads:
            t.join()
        self.assertEqual({a.result["content"][0]["text"] for a in answers},
                         {"rested"})

    def test_errors_are_answers_and_the_next_call_works(self):
        for i in range(20):
            self.assertTrue(self.server.call("fail").result["isError"])
            self.assertEqual(
                self.server.call("steps").result["content"][0]["text"], "done")

    def test_a_call_leaves_nothing_behind(self):
        for _ in range(50):
            self.assertEqual(
                self.server.call("once").result["content"][0]["text"], "1")

    def test_reloads_and_stops_meanwhile(self):
        with wire.Server(APP, options=("--max-workers", "8")) as server:
            stop = threading.Event()
            wrong = []

            def load():
                while not stop.is_set():
                    a = server.call("add", {"a": 1, "b": 1})
                    if a.status != 200:
                        wrong.append(a)

            threads = [threading.Thread(target=load) for _ in range(6)]
            for t in threads:
                t.start()
            for _ in range(5):
                server.signal(1)
                time.sleep(0.1)
            threading.Thread(target=server.call, args=("block", {"seconds": 1})).start()
            time.sleep(0.1)
            stop.set()
            for t in threads:
                t.join()
            self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
