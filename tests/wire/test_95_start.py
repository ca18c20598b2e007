"""What a start leaves for later, and that it is there when it is needed."""

import concurrent.futures
import http.client
import os
import socket
import subprocess
import tempfile
import time
import unittest

import wire

STARTS = 25

APP = """
local mcp = require "mcp"
mcp.server { name = "start", version = "1.0.0" }
local kept = {}
for i = 1, 2000 do kept[i] = "a text of the app " .. i end

mcp.tool("mark", function(args, ctx)
  local before = rawget(_G, "mark") or 0
  mark, kept[1] = before + 1, "changed"
  ctx.sleep(0.2)
  return ("%d %d"):format(before, #kept)
end)

mcp.tool("ask", function(ctx)
  return ctx.elicit { message = "Sure?",
    schema = { sure = mcp.types.boolean() } }.action
end)
"""


def images(server):
    """How many states have an image: each is mapped once for all to read."""
    with open("/proc/%d/maps" % server.process.pid) as maps:
        return sum("mcpluad-image" in line and line.split()[1] == "r--s"
                   for line in maps)


def maps_libcrypto(server):
    with open("/proc/%d/maps" % server.process.pid) as maps:
        return "libcrypto" in maps.read()


class Start(unittest.TestCase):
    def both(self, server):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = pool.map(lambda _: server.call("mark"), range(2))
            return [a.result["content"][0]["text"] for a in answers]

    def test_the_second_state_gets_its_image_when_it_is_lent(self):
        with wire.Server(APP) as server:
            self.assertEqual(images(server), 1)
            server.call("mark")
            self.assertEqual(images(server), 1)
            for _ in range(3):
                self.assertEqual(self.both(server), ["0 2000"] * 2)
            self.assertEqual(images(server), 2)

    def test_openssl_is_loaded_when_something_is_sealed(self):
        with wire.Server(APP) as server:
            server.call("mark")
            self.assertFalse(maps_libcrypto(server))
            asked = server.rpc("tools/call", {"name": "ask", "arguments": {}},
                               capabilities={"elicitation": {}}).result
            self.assertEqual(asked["resultType"], "input_required")
            self.assertTrue(maps_libcrypto(server))
            key = next(iter(asked["inputRequests"]))
            again = server.rpc("tools/call", {
                "name": "ask", "arguments": {},
                "requestState": asked["requestState"],
                "inputResponses": {key: {"action": "decline"}}},
                capabilities={"elicitation": {}}).result
            self.assertEqual(again["content"][0]["text"], "decline")

    def test_the_first_connection_is_answered(self):
        """Also that of who has been knocking since before the start."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "app.lua")
            with open(path, "w") as file:
                file.write(APP)
            for _ in range(STARTS):
                self.start_and_ask(path)

    def start_and_ask(self, path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = subprocess.Popen(
            [wire.BIN, "--port", str(port), path], env=wire.sanitizer_env(None),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with self.knock(port) as sock:
                body, headers = wire.modern("tools/list")
                connection = http.client.HTTPConnection("127.0.0.1", port)
                connection.sock = sock
                connection.request("POST", "/mcp", wire.encode(body), {
                    "Content-Type": "application/json",
                    "Accept": "application/json, text/event-stream", **headers})
                self.assertEqual(connection.getresponse().status, 200)
        finally:
            process.terminate()
            process.wait(wire.STOP_SECONDS)

    def knock(self, port):
        end = time.monotonic() + wire.START_SECONDS
        while True:
            sock = socket.socket()
            sock.bind(("127.0.0.2", 0))     # never the port that it calls
            sock.settimeout(wire.ANSWER_SECONDS)
            try:
                sock.connect(("127.0.0.1", port))
                return sock
            except ConnectionRefusedError:
                sock.close()
                self.assertLess(time.monotonic(), end)


if __name__ == "__main__":
    unittest.main()
