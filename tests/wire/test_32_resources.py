"""resources/list, resources/templates/list, resources/read at each revision."""

import unittest

import wire

APP = r"""
local mcp = require "mcp"
mcp.server { name = "things", version = "1.0" }
mcp.resource { uri = "t://text", name = "text", title = "Text", description = "A text",
  mime_type = "text/plain", annotations = { audience = { "user" }, priority = 0.5 },
  icons = { { src = "https://example.com/i.png" } }, meta = { ["a/b"] = 1 },
  cache = { ttl_ms = 60000, scope = "public" }, text = "h\195\169llo\n" }
mcp.resource { uri = "t://bytes", mime_type = "image/png", blob = "\137PNG\0\255" }
mcp.resource { uri = "t://data", json = { 1, 2 } }
mcp.resource { uri = "t://now", handler = function() return { theme = "dark" } end }
mcp.resource { uri = "t://several", handler = function()
  return { mcp.embedded { uri = "t://a", text = "a", mime_type = "text/plain" },
           mcp.embedded { uri = "t://b", blob = "\255", mime_type = "image/png" } } end }
mcp.resource { uri = "t://fails", handler = function() error("it broke") end }
mcp.resource { uri = "t://refused", handler = function() mcp.http_error(503, "later", { wait = 5 }) end }
mcp.resource { uri = "t://own", handler = function()
  mcp.protocol_error { code = -32050, message = "own", data = { 1 } } end }
mcp.resource { uri = "t://hangs", handler = function(ctx) ctx.sleep(30) return "" end }
mcp.resource { uri = "t://notes/first", text = "exact" }
mcp.resource { uri_template = "t://notes/{id}", description = "One note", mime_type = "text/plain",
  handler = function(id)
    if id == "none" then return nil end
    if id == "gone" then mcp.not_found("gone") end
    return "note " .. id end }
mcp.resource { uri_template = "t://notes/{other}", name = "shadowed", handler = function() return "never" end }
mcp.resource { uri_template = "t://files/{+path}", handler = function(path) return path end }
mcp.resource { uri_template = "t://find/{kind}{?q,lang}",
  handler = function(args) return args end }
mcp.tool("runs", function() return 1 end)
"""
URIS = ["t://text", "t://bytes", "t://data", "t://now", "t://several",
        "t://fails", "t://refused", "t://own", "t://hangs", "t://notes/first"]
TEMPLATES = ["t://notes/{id}", "t://notes/{other}", "t://files/{+path}",
             "t://find/{kind}{?q,lang}"]
SERVER = {"io.modelcontextprotocol/serverInfo": {
    "name": "things", "version": "1.0"}}


class Case(wire.TestCase):
    APP = APP
    OPTIONS = ["--call-timeout", "1"]

    def everywhere(self, method, params=None):
        """(version, answer) of the same request at each revision."""
        yield wire.MODERN, self.server.rpc(method, params)
        for version in wire.LEGACY:
            yield version, self.server.session(version).request(method, params)

    def read(self, uri, **how):
        return self.server.rpc("resources/read", {"uri": uri}, **how)

    def text(self, uri):
        """The text of the only content."""
        [content] = self.read(uri).result["contents"]
        self.assertEqual(content["uri"], uri)
        return content["text"]


class Lists(Case):
    def test_fields_of_each_revision(self):
        full = {"uri": "t://text", "name": "text", "description": "A text",
                "mimeType": "text/plain", "size": 7,
                "annotations": {"audience": ["user"], "priority": 0.5}}
        listed = {version: answer.result["resources"]
                  for version, answer in self.everywhere("resources/list")}
        self.assertEqual(listed["2025-03-26"][0], full)
        full.update(title="Text", _meta={"a/b": 1})
        self.assertEqual(listed["2025-06-18"][0], full)
        full.update(icons=[{"src": "https://example.com/i.png"}])
        self.assertEqual(listed["2025-11-25"][0], full)
        self.assertEqual(listed[wire.MODERN][0], full)
        for resources in listed.values():
            self.assertEqual([r["uri"] for r in resources], URIS)
            self.assertTrue(all(r["name"] for r in resources))

    def test_templates(self):
        for _, answer in self.everywhere("resources/templates/list"):
            templates = answer.result["resourceTemplates"]
            self.assertEqual([t["uriTemplate"] for t in templates], TEMPLATES)
            self.assertEqual(templates[0]["description"], "One note")
            self.assertEqual(templates[1]["name"], "shadowed")
            self.assertFalse(any("size" in t or "uri" in t for t in templates))

    def test_the_envelope_of_each_era(self):
        for method in ("resources/list", "resources/templates/list"):
            for version, answer in self.everywhere(method):
                members = dict(answer.result)
                members.pop("resources", members.pop("resourceTemplates", 0))
                self.assertEqual(members, {} if version != wire.MODERN else {
                    "resultType": "complete", "ttlMs": 0,
                    "cacheScope": "private", "_meta": SERVER})

    def test_the_capability(self):
        for version in wire.LEGACY:
            hello = self.server.session(version).initialized.result
            self.assertIn("resources", hello["capabilities"])
            self.assertNotIn("prompts", hello["capabilities"])
            self.assertNotIn("completions", hello["capabilities"])
        self.assertIn("resources", self.server.rpc(
            "server/discover").result["capabilities"])

    def test_a_cursor_of_another_list(self):
        server = self.start(APP, options=["--list-page-size", "3"])
        first = server.rpc("resources/list").result["nextCursor"]
        self.assertEqual(len(server.rpc(
            "resources/list", {"cursor": first}).result["resources"]), 3)
        answer = server.rpc("resources/templates/list", {"cursor": first})
        self.assertEqual(answer.error["code"], -32602)
        seen, params = [], {}
        while params is not None:
            result = server.rpc("resources/list", params).result
            seen += [r["uri"] for r in result["resources"]]
            cursor = result.get("nextCursor")
            params = None if cursor is None else {"cursor": cursor}
        self.assertEqual(seen, URIS)


class Reads(Case):
    def test_static_content_of_each_revision(self):
        for version, answer in self.everywhere("resources/read",
                                               {"uri": "t://text"}):
            self.assertEqual(answer.result["contents"], [
                {"uri": "t://text", "mimeType": "text/plain",
                 "text": "h\u00e9llo\n"}])
            if version == wire.MODERN:
                self.assertEqual(answer.result["ttlMs"], 60000)
                self.assertEqual(answer.result["cacheScope"], "public")
                self.assertEqual(answer.result["resultType"], "complete")
                self.assertEqual(answer.result["_meta"], SERVER)
            else:
                self.assertEqual(list(answer.result), ["contents"])
        self.assertEqual(self.read("t://bytes").result["contents"], [
            {"uri": "t://bytes", "mimeType": "image/png", "blob": "iVBORwD/"}])
        self.assertEqual(self.text("t://data"), "[1,2]")

    def test_what_depends_on_the_caller_is_private(self):
        server = self.start("""
local mcp = require "mcp"
mcp.server { name = "cache", cache_scope = "public" }
local function handler() return "x" end
local function may() end
local cache = { scope = "public" }
mcp.resource { uri = "t://plain", handler = handler }
mcp.resource { uri = "t://said", handler = handler, cache = cache }
mcp.resource { uri = "t://static", text = "x" }
mcp.resource { uri_template = "t://of/{id}", name = "of",
               handler = function(id) return id end }
mcp.resource { uri = "t://ctx", cache = cache,
               handler = function(ctx) return ctx and "x" end }
mcp.resource { uri = "t://guarded", text = "x", cache = cache,
               guards = { may } }
mcp.resource { uri = "t://wired", cache = cache,
               dependencies = { db = function() return "db" end },
               handler = function(db) return db end }
mcp.resource { uri = "t://secret", text = "x",
               cache = { scope = "private" } }
mcp.group({ guards = { may } }, function()
  mcp.resource { uri = "t://grouped", text = "x", cache = cache }
end)
""")
        scopes = {
            uri: server.rpc("resources/read", {"uri": "t://" + uri}).result[
                "cacheScope"]
            for uri in ("plain", "said", "static", "of/1", "ctx", "guarded",
                        "wired", "secret", "grouped")}
        self.assertEqual(scopes, {
            "plain": "public", "said": "public", "static": "public",
            "of/1": "public", "ctx": "private", "guarded": "private",
            "wired": "private", "secret": "private", "grouped": "private"})

    def test_hints_are_absent_where_nothing_may_be_kept(self):
        result = self.server.rpc("resources/read", {
            "uri": "t://text", "requestState": "x"}).result
        self.assertEqual((result["ttlMs"], result["cacheScope"]),
                         (0, "private"))
        result = self.read("t://now").result
        self.assertEqual((result["ttlMs"], result["cacheScope"]),
                         (0, "private"))

    def test_handlers(self):
        self.assertEqual(self.text("t://now"), '{"theme":"dark"}')
        self.assertEqual(self.text("t://notes/7"), "note 7")
        self.assertEqual(self.read("t://several").result["contents"], [
            {"uri": "t://a", "mimeType": "text/plain", "text": "a"},
            {"uri": "t://b", "mimeType": "image/png", "blob": "/w=="}])

    def test_exact_before_templates_in_their_order(self):
        self.assertEqual(self.text("t://notes/first"), "exact")
        self.assertEqual(self.text("t://notes/second"), "note second")

    def test_variables_are_decoded(self):
        self.assertEqual(self.text("t://notes/a%20b%2Fc"), "note a b/c")
        self.assertEqual(self.text("t://files/a/b%C3%A9"), "a/b\u00e9")
        self.assertEqual(self.text("t://find/x"), '{"kind":"x"}')
        for uri in ("t://find/x?q=1&lang=a+b", "t://find/x?lang=a%20b&q=1"):
            self.assertIn('"q":"1"', self.text(uri))
            self.assertIn('"lang":"a b"', self.text(uri))

    def test_values_that_would_leave_their_folder(self):
        for uri in ("t://notes/..%2F..%2Fetc%2Fpasswd", "t://notes/%2e%2e",
                    "t://files/../app.lua", "t://files/a/%2E%2E/b",
                    "t://notes/..%5Cx", "t://notes/a%00b", "t://notes/%FF"):
            for _, answer in self.everywhere("resources/read", {"uri": uri}):
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.error["code"], -32602, uri)
                self.assertEqual(answer.error["data"], {"uri": uri})
        self.assertEqual(self.text("t://notes/..a"), "note ..a")

    def test_not_found(self):
        for uri in ("t://nowhere", "t://notes/none", "t://notes/gone",
                    "nonsense", "", "t://notes/a/b", "t://" + "x" * 8300):
            for version, answer in self.everywhere("resources/read",
                                                   {"uri": uri}):
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.error["code"], -32602 if
                                 version == wire.MODERN else -32002, uri)
                self.assertEqual(answer.error["data"], {"uri": uri[:8192]})
        self.assertIn('"t://text"', self.read("t://txt").error["message"])

    def test_bad_parameters(self):
        for params in ({}, {"uri": None}, {"uri": 5}, {"uri": ["t://text"]}):
            answer = self.server.session().request("resources/read", params)
            self.assertEqual(answer.error["code"], -32602)

    def test_failures(self):
        for uri, data in (("t://fails", {"statusCode": 500,
                                         "content": "it broke"}),
                          ("t://refused", {"statusCode": 503,
                                           "content": {"wait": 5}})):
            for _, answer in self.everywhere("resources/read", {"uri": uri}):
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.error, {
                    "code": -32603, "message": "Resource read failed",
                    "data": data})
        self.assertEqual(self.read("t://own").error, {
            "code": -32050, "message": "own", "data": [1]})
        self.assertEqual(self.read("t://hangs").error["code"], -32603)

    def test_mcp_name_is_the_uri(self):
        body, headers = wire.modern("resources/read", {"uri": "t://text"})
        for name in (None, "t://bytes", "T://text"):
            self.assertRejected(self.server.post(
                body, {**headers, "Mcp-Name": name}), 400, -32020)
        answer = self.server.rpc("resources/read", {"uri": "t://notes/\u00e9"})
        self.assertEqual(answer.result["contents"][0]["text"], "note \u00e9")


class Nothing(wire.TestCase):
    APP = 'require("mcp").tool("t", function() end)'

    def test_the_methods_are_unknown(self):
        for method, params in (("resources/list", {}),
                               ("resources/templates/list", {}),
                               ("resources/read", {"uri": "t://x"}),
                               ("prompts/list", {}),
                               ("prompts/get", {"name": "x"}),
                               ("completion/complete", {})):
            self.assertRejected(self.server.rpc(method, params), 404, -32601)
            self.assertEqual(self.server.session().request(
                method, params).error["code"], -32601)
        capabilities = self.server.rpc("server/discover").result["capabilities"]
        for name in ("resources", "prompts", "completions"):
            self.assertNotIn(name, capabilities)


class Stdio(wire.TestCase):
    def test_both_eras_on_one_pipe(self):
        pipe = self.start_stdio(APP)
        answer = pipe.request(wire.modern("resources/read",
                                          {"uri": "t://notes/1"}))
        self.assertEqual(answer["result"]["contents"][0]["text"], "note 1")
        pipe.initialize("2025-06-18")
        answer = pipe.request({"jsonrpc": "2.0", "id": 9,
                               "method": "resources/read",
                               "params": {"uri": "t://none"}})
        self.assertEqual(answer["error"]["code"], -32002)


if __name__ == "__main__":
    unittest.main()
