"""Hostile inputs over routes and quick handlers: every request has an answer."""

import json
import re
import threading
import unittest

import wire

APP = """
local mcp = require "mcp"
mcp.server { name = "attack", version = "1.0.0" }
mcp.tool("echo", function(s) return s end)
mcp.tool("block", function(s) os.execute("sleep 0.2") return s end)
mcp.get("/one/{n:int}", function(n)
  return mcp.http { headers = { ["X-A"] = ("x"):rep(n) }, body = "b" }
end)
mcp.get("/many/{n:int}", function(n)
  local headers = {}
  for i = 1, n do headers["X-" .. i] = "v" end
  return mcp.http { headers = headers, body = "b" }
end)
mcp.get("/type/{n:int}", function(n) return mcp.blob("b", "a/" .. ("x"):rep(n)) end)
mcp.get("/empty", function() return "b" end)
mcp.get("/text/{s:path}", function(s) return s end)
"""

APP_HEAD = 6 * 1024
TEXT = len("text/plain; charset=utf-8")


def everything(server, data):
    """All bytes that come back until the server closes."""
    with server.socket() as sock:
        sock.sendall(data)
        got = b""
        while True:
            piece = sock.recv(65536)
            if not piece:
                return got
            got += piece


class Heads(wire.TestCase):
    APP = APP

    def status(self, target, headers=b"", method=b"GET", body=b""):
        got = everything(
            self.server, method + b" " + target + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Connection: close\r\n" + headers + b"\r\n" + body)
        found = re.match(rb"HTTP/1\.1 (\d{3}) ", got)
        self.assertTrue(found, "no answer to %r..." % target[:40])
        return int(found.group(1))

    def test_headers_of_an_answer_have_a_limit(self):
        most = APP_HEAD - TEXT - len("X-A: \r\n")
        self.assertEqual(self.status(b"/one/%d" % most), 200)
        answer = self.server.get("/one/%d" % (most + 1))
        self.assertEqual(answer.status, 500)
        self.assertIn("larger than 6144 bytes", json.loads(answer.body)["message"])
        self.assertEqual(self.status(b"/one/1000000"), 500)
        self.assertEqual(self.status(b"/many/300"), 200)
        self.assertEqual(self.status(b"/many/5000"), 500)
        self.assertEqual(self.status(b"/type/40"), 200)
        self.assertIn(self.status(b"/type/7000"), (200, 500))
        self.server.wait_stderr("/one/1000000: The headers of the answer")

    def test_large_heads_on_both_sides(self):
        most = APP_HEAD - TEXT - len("X-A: \r\n")
        for size in (1000, 8000, 9000, 10000, 12000, 14000):
            self.assertIn(
                self.status(b"/one/%d" % most, b"X-Q: " + b"q" * size + b"\r\n"),
                (200, 500))

    def test_less_memory_has_less_room(self):
        server = self.start(APP, options=("--connection-memory", "8 KiB"))
        most = 3 * 1024 - TEXT - len("X-A: \r\n")
        host = b" HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        behind = (b"GET /empty" + host + b"\r\n") * 300
        for size, status in (most, b"200"), (most + 1, b"500"):
            got = everything(server, b"GET /one/%d" % size + host + b"\r\n"
                             + behind + b"GET /empty" + host
                             + b"Connection: close\r\n\r\n")
            self.assertEqual(re.findall(rb"HTTP/1\.1 (\d+)", got),
                             [status] + [b"200"] * 301)

    def test_a_query_of_ampersands(self):
        self.assertEqual(self.status(b"/empty?" + b"&" * 4000), 200)
        query = b"&".join(b"a=%d" % i for i in range(1000))
        self.assertEqual(self.status(b"/empty?" + query), 400)

    def test_a_head_of_any_size_is_answered(self):
        call = json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {"name": "echo", "arguments": {"s": "x"}}}).encode()
        post = (b"Content-Type: application/json\r\nContent-Length: %d\r\n"
                % len(call))
        for size in (*range(13000, 17000, 97), 40000):
            name = b"x" * size
            self.assertIn(self.status(b"/text/" + name), (200, 431, 414))
            self.assertIn(self.status(b"/empty", b"X-A: " + name + b"\r\n"),
                          (200, 431))
            self.assertIn(
                self.status(b"/mcp", post + b"X-A: " + name + b"\r\n", b"POST",
                            call), (200, 431))
        self.assertEqual(self.status(b"/text/" + b"x" * 13000), 200)
        for count in range(150, 300, 7):
            self.assertIn(self.status(b"/empty", b"X: y\r\n" * count), (200, 431))


class Pipelined(wire.TestCase):
    APP = APP
    OPTIONS = ("--max-workers", "4")

    def one(self, name, s):
        body = json.dumps({"jsonrpc": "2.0", "id": s, "method": "tools/call",
                           "params": {"name": name, "arguments": {"s": s}}})
        return ("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
                "application/json\r\nContent-Length: %d\r\n\r\n%s"
                % (len(body), body)).encode()

    def test_answers_come_in_order_behind_a_slow_one(self):
        wrong = []

        def connection(k):
            names = ["block" if i % 7 == 0 else "echo" for i in range(20)]
            sent = ["%d-%d" % (k, i) for i in range(20)]
            data = b"".join(self.one(n, s) for n, s in zip(names, sent))
            data += b"GET /text/%d-end HTTP/1.1\r\nHost: 127.0.0.1\r\n" % k
            data += b"Connection: close\r\n\r\n"
            got = everything(self.server, data).decode()
            ids = re.findall(r'"id":"([^"]+)"', got)
            texts = re.findall(r'"text":"([^"]+)"', got)
            if ids != sent or texts != sent or not got.endswith("%d-end" % k):
                wrong.append((k, ids, texts, got[-80:]))

        threads = [threading.Thread(target=connection, args=(k,))
                   for k in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


SKILLS = """
local mcp = require "mcp"
mcp.server { name = "skills", version = "1.0.0" }
mcp.skill { name = "fine", description = "d", files = { ["a/b.md"] = "B" } }
local function fails(uri) error("asked for " .. tostring(uri)) end
mcp.skills { sources = {
  { prefix = "shop/eu", get = fails, list = fails },
  { prefix = "finery", get = fails },
  { prefix = "team", list = function()
    return { { name = "one", description = "d", body = "b" } }
  end },
} }
"""


class Sources(wire.TestCase):
    APP = SKILLS

    def folder(self, uri):
        return self.server.rpc("resources/directory/read", {"uri": uri})

    def test_a_folder_is_of_those_whose_prefix_it_is(self):
        for uri, first in (("skill://fine", "skill://fine/SKILL.md"),
                           ("skill://fine/a", "skill://fine/a/b.md"),
                           ("skill://team", "skill://team/one"),
                           ("skill://team/one", "skill://team/one/SKILL.md")):
            uris = [r["uri"] for r in self.folder(uri).result["resources"]]
            self.assertIn(first, uris)
        for uri in "skill://shop", "skill://shop/eu", "skill://shop/eu/a":
            self.assertEqual(self.folder(uri).error["code"], -32603, uri)
        for uri in "skill://sho", "skill://shop/e", "skill://shop/eus":
            self.assertEqual(self.folder(uri).error["code"], -32602, uri)


if __name__ == "__main__":
    unittest.main()
