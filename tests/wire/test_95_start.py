"""What a start leaves for later, and that it is there when it is needed."""

import concurrent.futures
import unittest

import wire

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


if __name__ == "__main__":
    unittest.main()
