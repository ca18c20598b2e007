"""Isolation, limits and files for apps of three sizes, by each way in which a
state is renewed; sockets of LuaSocket; a file that is read first of all."""

import concurrent.futures
import os
import shutil
import socket
import subprocess
import threading
import time
import unittest

import wire

KIB = 1024
SIZES = (100 * KIB, 600 * KIB, 8 * KIB * KIB)

APP = """
%s
local mcp = require "mcp"
local cached = require "cached"
mcp.server { name = "sizes", version = "1.0.0" }

local ballast = {}
while collectgarbage("count") * 1024 < %d do
  ballast[#ballast + 1] = { #ballast }
end
local parked = {}
for i = 1, 3 do
  parked[i] = coroutine.wrap(function()
    local turn = 0
    while true do turn = turn + 1 coroutine.yield(turn) end
  end)
end

mcp.tool("soil", function(path, at)
  local bytes = assert(io.open(path, "rb")):read(2^20)
  assert(#bytes == 2^20 and bytes:find("^x*$"), "not the file")
  local seen = (leaked or 0) + cached("k") + parked[1]() + parked[2]()
  leaked = 1
  string.upper = nil
  parked[3] = coroutine.wrap(function() coroutine.yield(bytes) end)
  parked[3]()
  for i = 1, #ballast do
    if ballast[i][1] ~= i - 1 then return "ballast " .. i end
  end
  for i = at, #ballast, 17 do ballast[i] = { -1, {} } end
  return tostring(seen)
end)
mcp.tool("spin", function() while true do end end)
mcp.tool("grow", function()
  local t = {}
  while true do t[#t + 1] = ("x"):rep(1e5) .. #t end
end)
mcp.tool("ok", function() return "fine" end)
"""

CACHED = """
local kept = {}
return function(key)
  kept[key] = (kept[key] or 0) + 1
  return kept[key]
end
"""


def text(answer):
    return answer.result["content"][0]["text"]


class Sizes(wire.TestCase):
    OPTIONS = ("--call-timeout", "3", "--memory-limit", "64MiB",
               "--max-workers", "2")
    CALLS = 24

    def serve(self, size, first="", options=()):
        return self.start(APP % (first, size),
                          files={"cached.lua": CACHED, "big": b"x" * (1 << 20)},
                          options=(*self.OPTIONS, *options))

    def clean(self, server):
        """Many calls at once, each of which finds everything new."""
        path = os.path.join(server.folder, "big")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = pool.map(lambda i: server.call("soil", {
                "path": path, "at": i % 17 + 1}), range(self.CALLS))
            self.assertEqual({text(a) for a in answers}, {"3"})

    def limits(self, server):
        self.assertIn("longer than", text(server.call("spin")))
        self.assertIn("out of memory", text(server.call("grow")))
        self.assertEqual(text(server.call("ok")), "fine")

    def test_in_images(self):
        for size in SIZES:
            with self.subTest(size=size):
                server = self.serve(size)
                self.assertNotIn("fresh states", server.stderr)
                self.clean(server)
                self.limits(server)
                self.clean(server)

    def test_in_fresh_states(self):
        for size in SIZES:
            with self.subTest(size=size):
                server = self.serve(size, 'local ffi = require "ffi"')
                server.wait_stderr("fresh states.*ffi")
                self.clean(server)
                self.limits(server)

    def test_kept_states_have_the_limits(self):
        for size in SIZES:
            with self.subTest(size=size):
                server = self.serve(size, options=("--isolation", "worker"))
                for _ in range(3):
                    self.limits(server)


SOCKETS = """
local socket = require "socket"
local mcp = require "mcp"
mcp.server { name = "sockets", version = "1.0.0" }
local seen = 0

mcp.tool("talk", function(port, word)
  seen = seen + 1
  local s = assert(socket.connect("127.0.0.1", port))
  assert(s:send(word .. "\\n"))
  kept = s                                    -- never closed
  return seen .. " " .. assert(s:receive("*l"))
end)
mcp.tool("hang", { timeout = 0.3 }, function(port)
  local s = assert(socket.connect("127.0.0.1", port))
  while true do s:settimeout(0.05) s:receive("*l") end
end)
"""


def has_luasocket():
    luajit = shutil.which("luajit")
    return luajit and subprocess.run(
        [luajit, "-e", 'require "socket"'], capture_output=True,
        check=False).returncode == 0


@unittest.skipUnless(has_luasocket(), "no LuaSocket")
class LuaSocket(wire.TestCase):
    APP = SOCKETS
    OPTIONS = ("--max-workers", "4")

    def setUp(self):
        super().setUp()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.ended = []
        threading.Thread(target=self.accept, daemon=True).start()
        self.addCleanup(self.listener.close)

    def accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.echo, args=(peer,),
                             daemon=True).start()

    def echo(self, peer):
        with peer, peer.makefile("rwb") as lines:
            for line in lines:
                lines.write(line)
                lines.flush()
        self.ended.append(True)

    def sockets(self):
        folder = "/proc/%d/fd" % self.server.pid
        found = 0
        for fd in os.listdir(folder):
            try:
                found += os.readlink(folder + "/" + fd).startswith("socket:")
            except FileNotFoundError:
                pass
        return found

    def settled(self, at_most):
        end = time.monotonic() + 10
        while self.sockets() > at_most:
            self.assertLess(time.monotonic(), end, self.sockets())
            time.sleep(0.05)

    def test_each_call_has_its_own_and_none_stays_open(self):
        before = self.sockets()
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda i: self.server.call("talk", {
                "port": self.port, "word": "w%d" % i}), range(60)))
        self.assertEqual([text(a) for a in answers],
                         ["1 w%d" % i for i in range(60)])
        self.settled(before)

    def test_the_deadline_holds_and_closes_it(self):
        before = self.sockets()
        for _ in range(4):
            self.assertIn("longer than", text(
                self.server.call("hang", {"port": self.port})))
        self.settled(before)
        self.assertEqual(text(self.server.call("talk", {
            "port": self.port, "word": "on"})), "1 on")


if __name__ == "__main__":
    unittest.main()
