"""What somebody meets who writes a first app tonight: the texts of mistakes say
what, where, and what would be right."""

import json
import os
import unittest

import wire

HEAD = 'local mcp = require "mcp"\nlocal t = mcp.types\n'

SHOP = HEAD + r"""
local function needs_key(ctx)
  if ctx.request.headers["x-key"] ~= "sesame" then
    return false, "send X-Key"
  end
end

mcp.tool("taken", function() mcp.http_error(409, "out of stock", { left = 0 }) end)
mcp.tool("taken_text", function() mcp.http_error(409, "out of stock", "come back") end)
mcp.tool("taken_bare", function() mcp.http_error(409, "out of stock") end)
mcp.tool("taken_wrong", function() mcp.http_error(409, "out of stock", { f = print }) end)
mcp.tool("circle", function()
  local order = { items = { { name = "tea" } } }
  order.items[1].order = order
  return order
end)
mcp.resource { uri = "shop://menu", file = "menu.json", guards = needs_key }
mcp.resource { uri = "shop://logo", file = "logo.png", guards = needs_key }
mcp.resource { uri = "shop://open", file = "menu.json" }
"""
LOGO = b"\x89PNG\r\n\x1a\n\0\xff"
NO_ROUTES = HEAD + 'mcp.tool("hi", function() return "hi" end)\n'


def texts(answer):
    return [block["text"] for block in answer.result["content"]]


class Shop(wire.TestCase):
    APP = SHOP
    FILES = {"menu.json": '{"tea":1}', "logo.png": LOGO}

    def test_the_body_of_http_error_is_a_text_of_its_own(self):
        for tool, wanted in (("taken", ["out of stock", '{"left":0}']),
                             ("taken_text", ["out of stock", "come back"]),
                             ("taken_bare", ["out of stock"]),
                             ("taken_wrong", ["out of stock"])):
            answer = self.server.call(tool)
            self.assertTrue(answer.result["isError"])
            self.assertEqual(texts(answer), wanted, tool)

    def test_a_circle_is_told_once(self):
        self.assertEqual(
            texts(self.server.call("circle")),
            ['The result of tool "circle" cannot be sent: /items/0/order is '
             'one of the tables that it is in; a table must not contain '
             'itself'])

    def read(self, uri, key=None):
        return self.server.rpc("resources/read", {"uri": uri},
                               headers={"X-Key": key} if key else None)

    def test_a_file_behind_a_guard(self):
        refused = self.read("shop://menu")
        self.assertEqual(refused.error["data"],
                         {"statusCode": 403, "content": "send X-Key"})
        menu = self.read("shop://menu", "sesame").result["contents"][0]
        self.assertEqual(menu, dict(
            self.read("shop://open").result["contents"][0],
            uri="shop://menu"))
        self.assertEqual(menu["mimeType"], "application/json")
        logo = self.read("shop://logo", "sesame").result["contents"][0]
        self.assertEqual((logo["mimeType"], logo["blob"]),
                         ("image/png", "iVBORw0KGgoA/w=="))


class Nowhere(wire.TestCase):
    APP = NO_ROUTES
    OPTIONS = ["--base-path", "/api/mcp"]

    def test_a_404_names_the_endpoint(self):
        answer = self.server.get("/mcp")
        self.assertEqual((answer.status, answer.text),
                         (404, "not found: the MCP endpoint is /api/mcp\n"))


if __name__ == "__main__":
    unittest.main()
