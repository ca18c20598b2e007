"""What somebody meets who writes a first app tonight: the texts of mistakes say
what, where, and what would be right."""

import os
import tempfile
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


class Texts(wire.TestCase):
    """What stops a start, and what a command line is told."""

    def refused(self, arguments, text, app=NO_ROUTES, mode=0o644):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "app.lua")
            with open(path, "w", encoding="utf-8") as f:
                f.write(app)
            os.chmod(path, mode)
            done = wire.run(*arguments, cwd=folder)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("mcpluad: " + text, done.stderr)

    def test_declarations(self):
        for line, text in (
                ('mcp.tool("x", { desc = "a" }, function() end)',
                 'mcp.tool: unknown field "desc"; did you mean '
                 '"description"?'),
                ('mcp.hooks { before_call = function() end }',
                 'mcp.hooks: unknown field "before_call"; there is '
                 'after_tool_call, before_tool_call, on_reload, on_shutdown, '
                 'on_startup'),
                ('mcp.tool { name = "x", function() end }',
                 'mcp.tool: every field needs a name, but there is one at '
                 '[1]; write handler = function'),
                ('mcp.get("/items/:id", function(id) end)',
                 'mcp.get: ":id" is no argument; write "{id}"')):
            self.refused(["list", "app.lua"], "app.lua:3: " + text,
                         app=HEAD + line + "\n")

    def test_commands_of_other_programs(self):
        for word, text in (("serve", "mcpluad app.lua serves it"),
                           ("run", "mcpluad app.lua runs it"),
                           ("dev", "mcpluad --dev app.lua reloads")):
            self.refused([word, "app.lua"],
                         "there is no command %s: %s" % (word, text))
        for word in ("help", "version"):
            self.refused([word], "there is no command %s: mcpluad --%s"
                         % (word, word))

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_a_script_without_permission(self):
        self.refused(["list", "app.lua"],
                     "app.lua: permission to read it is missing", mode=0)

    def test_a_folder_without_the_script(self):
        self.refused(["list", "ap.lua"], "ap.lua: no such file")

    def test_a_tail_call_names_no_line(self):
        server = self.start(HEAD + 'mcp.tool("x", function() return '
                            'mcp.not_found() end)\n')
        self.assertEqual(
            texts(server.call("x")),
            ["mcp.not_found: the message must be a string, got nil"])
        server.wait_stderr(r": mcp\.not_found: the message")
        self.assertNotIn("?:0", server.stderr)


if __name__ == "__main__":
    unittest.main()
