"""bugs.md B.9, each case by its number: as the result of a tool and, where it
is the same handler, as the answer of a route."""

import json
import unittest

import wire

APP = r"""
local mcp = require "mcp"
local t = mcp.types

mcp.server { name = "results", version = "1.0.0" }

local function both(name, f)
  mcp.get("/" .. name, { tool = true }, f)
end

both("b134", function() return { content = { "a", "b" } } end)
both("b134_marked", function() return mcp.result { content = { "a", "b" } } end)
both("b135", function() return nil end)
both("b136_table", function() return {} end)
both("b136_array", function() return mcp.array {} end)
both("b136_text", function() return "" end)
mcp.get("/b138", { tool = true, output = { n = t.integer() } }, function(how)
  if how == "right" then
    return { n = 1 }
  elseif how == "wrong" then
    return { n = "one" }
  elseif how == "blocks" then
    return mcp.text "one"
  end
end)
mcp.get("/b139", { tool = true, output = { name = t.string(), desc = t.optional(t.string()) } },
  function() return { name = "a", desc = mcp.null } end)
both("b141", function()
  return { content = { { type = "image", data = "aGk=", mimeType = "image/png" } } }
end)
mcp.get("/b142", { tool = true, output = t.array { t.integer() } }, function() return { 1, 2 } end)
both("b144_nan", function() return { x = 0 / 0 } end)
both("b144_inf", function() return math.huge end)
both("b145_print", function() return { f = print } end)
both("b145_file", function() return { f = io.stdout } end)
both("b145_thread", function() return { f = coroutine.create(print) } end)
both("b146", function() return { [1] = "a", [4000] = "b" } end)
both("b148", function() local x = {} x.self = x return x end)
both("b149", function() return "\255\254" end)
both("b149_deep", function() return { a = { "\255" } } end)
both("b151", function() return ("x"):rep(20 * 1024 * 1024) end)
mcp.post("/b152", { tool = true }, function(s) return { s = s, n = #s } end)
both("b154", function() return "a/b" end)
"""

PATHS = {
    "b144_nan": "/x is NaN", "b144_inf": "it is", "b145_print": "/f is a",
    "b145_file": "/f is a", "b145_thread": "/f is a", "b146": "", "b148": "",
}


class Results(wire.TestCase):
    APP = APP

    def result(self, name, arguments=None):
        return self.server.call(name, arguments).result

    def text(self, name, arguments=None):
        result = self.result(name, arguments)
        self.assertNotIn("isError", result)
        [block] = result["content"]
        return block["text"]

    def get(self, path):
        return self.server.get("/" + path)

    def refusal(self, name):
        """What the tool says, and that the route says the same with 500."""
        result = self.result(name)
        self.assertIs(result["isError"], True, name)
        answer = self.get(name)
        self.assertEqual(answer.status, 500, name)
        said = result["content"][0]["text"]
        self.assertEqual(
            answer.json["message"].replace('route "GET /' + name, "X"),
            said.replace('tool "' + name, "X"))
        return said

    def test_b134_bare_strings_in_content(self):
        self.assertEqual(self.text("b134"), '{"content":["a","b"]}')
        self.assertEqual(self.result("b134_marked")["content"], [
            {"type": "text", "text": "a"}, {"type": "text", "text": "b"}])
        self.assertEqual(self.get("b134").json, {"content": ["a", "b"]})

    def test_b135_nil(self):
        self.assertEqual(self.result("b135")["content"], [])
        self.assertEqual(self.get("b135").status, 204)

    def test_b136_empty_values_differ(self):
        for name, text in (("b136_table", "{}"), ("b136_array", "[]"),
                           ("b136_text", "")):
            self.assertEqual(self.text(name), text)
            self.assertEqual(self.get(name).text, text)

    def test_b138_structured_content_is_there_and_right(self):
        result = self.result("b138", {"how": "right"})
        self.assertEqual(result["structuredContent"], {"n": 1})
        for how in ("wrong", "blocks", "nil"):
            result = self.result("b138", {"how": how})
            self.assertIs(result["isError"], True, how)
            self.assertNotIn("structuredContent", result)
        self.assertEqual(self.get("b138?how=right").json, {"n": 1})
        for how in ("wrong", "nil"):
            self.assertEqual(self.get("b138?how=" + how).status, 500, how)

    def test_b139_null_in_an_optional_string(self):
        result = self.result("b139")
        if result.get("isError"):
            self.assertIn("/desc", result["content"][0]["text"])
            self.assertIn("/desc", self.get("b139").json["message"])
        else:
            self.assertEqual(result["structuredContent"], {"name": "a"})
            self.assertEqual(self.get("b139").json, {"name": "a"})

    def test_b141_ready_made_blocks(self):
        self.assertEqual(self.result("b141")["content"], [
            {"type": "image", "data": "aGk=", "mimeType": "image/png"}])

    def test_b142_an_array_is_not_boxed_in_the_modern_era(self):
        self.assertEqual(self.result("b142")["structuredContent"], [1, 2])
        old = self.server.session().call("b142").result
        self.assertEqual(old["structuredContent"], {"result": [1, 2]})
        self.assertEqual(self.get("b142").json, [1, 2])

    def test_b144_to_b148_what_json_cannot_carry(self):
        for name, path in PATHS.items():
            self.assertIn(path, self.refusal(name), name)

    def test_b149_bytes_that_are_no_utf8(self):
        result = self.result("b149")
        self.assertIs(result["isError"], True)
        self.assertIn("UTF-8", result["content"][0]["text"])
        answer = self.get("b149")  # HTTP can carry bytes
        self.assertEqual((answer.type, answer.body),
                         ("application/octet-stream", b"\xff\xfe"))
        self.assertIn("/a/0", self.refusal("b149_deep"))

    def test_b151_huge_results(self):
        self.assertEqual(len(self.text("b151")), 20 * 1024 * 1024)
        server = self.start(APP, options=("--memory-limit", "16MiB"))
        self.assertIs(server.call("b151").result["isError"], True)
        self.assertEqual(server.get("/b151").status, 500)
        self.assertEqual(server.get("/b154").text, "a/b")

    def test_b151_huge_arguments(self):
        answer = self.server.request(
            "POST", "/b152", b'{"s":"%s"}' % (b"x" * (5 << 20)),
            {"Content-Type": "application/json"})
        self.assertEqual(answer.status, 413)

    def test_b152_nul_bytes(self):
        expected = {"s": "a\0b", "n": 3}
        self.assertEqual(json.loads(self.text("b152", {"s": "a\0b"})),
                         expected)
        answer = self.server.request("POST", "/b152", b'{"s":"a\\u0000b"}',
                                     {"Content-Type": "application/json"})
        self.assertEqual(answer.json, expected)

    def test_b154_slashes_are_not_escaped(self):
        self.assertIn(b'"text":"a/b"', self.server.call("b154").body)
        self.assertEqual(self.get("b154").body, b"a/b")

    def test_b155_the_order_of_lists(self):
        names = [tool["name"] for tool in
                 self.server.rpc("tools/list").result["tools"]]
        self.assertEqual(names[:3], ["b134", "b134_marked", "b135"])
        for _ in range(2):
            server = self.start(APP)
            self.assertEqual(server.rpc("tools/list").body,
                             self.server.rpc("tools/list").body)

    def test_b155_after_a_reload(self):
        server = self.start(APP, options=("--dev",))
        before = server.rpc("tools/list").body
        server.write("app.lua", APP + "\n-- more\n")
        server.wait_stderr("reload", 20)
        self.assertEqual(server.rpc("tools/list").body, before)


if __name__ == "__main__":
    unittest.main()
