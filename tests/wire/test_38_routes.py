"""Plain HTTP: routes, what reaches their handlers, what they answer, and what
they are besides (tools, resources, prompts)."""

import json
import os
import tempfile
import threading
import time
import unittest

import wire

NOWHERE = "Nothing is at this path; the MCP endpoint is /mcp"

APP = r"""
local mcp = require "mcp"
local t = mcp.types
local log = os.getenv "ROUTE_LOG"

local function note(text)
  local f = io.open(log, "a")
  f:write(text, "\n")
  f:close()
end

mcp.server { name = "routes", version = "3.0.0", title = "Routes", instructions = "Be kind." }

mcp.hooks {
  before_tool_call = function(name) note("before " .. name) end,
  after_tool_call = function(name, _, _, outcome) note("after " .. name .. " "
    .. tostring(outcome.error)) end,
}

mcp.provide("db", function(ctx)
  note "open"
  return { name = "db" }, function() note "close" end
end)

-- paths
mcp.get("/s/{v:str}", {}, function(v) return "str:" .. v end)
mcp.get("/i/{v:int}", {}, function(v) return { v = v, type = type(v) } end)
mcp.get("/n/{v:number}", {}, function(v) return { v = v } end)
mcp.get("/u/{v:uuid}", {}, function(v) return v end)
mcp.get("/p/{v:path}", {}, function(v) return "path:" .. v end)
mcp.get("/m/{a}/x", {}, function(a) return "1:" .. a end)
mcp.get("/m/y/{b}", {}, function(b) return "2:" .. b end)
mcp.get("/m/{c}/{d}", {}, function(c, d) return "3:" .. c .. ":" .. d end)
mcp.get("/k/{n:int}", {}, function(n) return "int:" .. n end)
mcp.get("/k/{s:str}", {}, function(s) return "str:" .. s end)
mcp.get("/", {}, function() return "root" end)
mcp.get("/m\195\188sli/{v}", {}, function(v) return v end)

-- arguments
mcp.get("/q", { input = {
  { "i", t.optional(t.integer { min = 1, max = 5 }) },
  { "b", t.optional(t.boolean()) },
  { "s", t.optional(t.string { max_length = 4 }) },
  { "l", t.optional(t.array { t.integer() }) },
  { "o", t.optional(t.object { a = t.integer() }) },
  { "big", t.optional(t.int64()) },
  { "raw", t.optional(t.bytes()) },
  { "d", t.integer { default = 7 } },
} }, function(args)
  args.big = args.big and tostring(args.big)
  return args
end)
mcp.get("/open", { extra_arguments = "allow", input = { a = t.optional(t.string()) } },
  function(args) return args end)
mcp.post("/b/{id:int}", { input = {
  { "name", t.string { min_length = 2 } }, { "n", t.integer { default = 1 } } } },
  function(args) return args end)
mcp.post("/d/{id:int}", { tool = "make", status = 201, input = {
  { "data", t.object { { "name", t.string() }, { "n", t.integer { default = 1 } },
                       { "at", t.optional(t.object { x = t.integer() }) } } },
  { "dry", t.boolean { default = false } } } },
  function(id, data, dry) return { id = id, data = data, dry = dry } end)
mcp.patch("/d/{id:int}", { input = { data = t.object { a = t.optional(t.string()) } } },
  function(args) return args end)

-- answers
mcp.get("/a/nil", {}, function() end)
mcp.get("/a/empty", {}, function() return "" end)
mcp.get("/a/number", {}, function() return 5 end)
mcp.get("/a/array", {}, function() return mcp.array {} end)
mcp.get("/a/csv", { mime_type = "text/csv; charset=utf-8" }, function() return "a,b" end)
mcp.get("/a/blob", {}, function(size) return mcp.blob(("x"):rep(tonumber(size)), "image/png") end)
mcp.get("/a/bytes", {}, function() return "\255\254" end)
mcp.get("/a/http", { tool = "http" }, function(status)
  return mcp.http { status = tonumber(status), body = { why = "so" },
    headers = { ["X-One"] = "1", ["Set-Cookie"] = { "a=1", "b=2" } } }
end)
mcp.get("/a/type", {}, function()
  return mcp.http { body = "<b>", headers = { ["content-type"] = "text/html" } }
end)
mcp.get("/a/gone", {}, function() return mcp.http { status = 204 } end)
mcp.get("/a/split", {}, function()
  return mcp.http { headers = { ["X-Bad"] = "a\r\nX-Evil: 1" } }
end)
mcp.get("/a/changed", {}, function(status)
  local answer = mcp.http { body = "x" }
  answer.status = tonumber(status)
  return answer
end)
mcp.get("/a/late", {}, function(ctx) ctx.sleep(0.6) return "late" end)
mcp.get("/a/ours", {}, function() return mcp.http { headers = { ["Content-Length"] = "9" } } end)
mcp.get("/a/checked", { output = { n = t.integer() } }, function(n)
  return { n = n == "1" and 1 or n }
end)

-- failures
mcp.get("/e/error", { tool = "fail" }, function() error "bang" end)
mcp.get("/e/nil", {}, function() return nil, "no luck" end)
mcp.get("/e/table", {}, function() error { message = "told", structured = { code = 7 } } end)
mcp.get("/e/not_found", { tool = "lost", resource = "lost", prompt = "lost" },
  function() mcp.not_found "not here" end)
mcp.get("/e/http", { tool = "teapot", resource = "teapot", prompt = "teapot" },
  function() mcp.http_error(418, "short and stout", { spout = true }) end)
mcp.get("/e/answer", { resource = "answer", prompt = "answer" },
  function() return mcp.http { status = 409, body = { why = "taken" } } end)
mcp.get("/e/unauthorized", {}, function() mcp.unauthorized "log in" end)
mcp.get("/e/protocol", {}, function()
  mcp.protocol_error { code = -32001, message = "odd", data = { a = 1 } }
end)
mcp.get("/e/function", {}, function() return { f = print } end)
mcp.get("/e/ask", {}, function(ctx) return ctx.elicit { message = "?", schema = {} } end)
mcp.get("/e/required", {}, function()
  return mcp.input_required { requests = { a = mcp.elicit { message = "?", schema = {} } } }
end)
mcp.get("/e/loop", { timeout = 0.3 }, function() while true do end end)

-- around it
mcp.get("/w/db", { tool = "with_db" }, function(db) return db.name end)
mcp.get("/w/db_error", {}, function(db) error "after open" end)
mcp.get("/w/db_slow", { timeout = 0.3 }, function(db, ctx) ctx.sleep(30) end)
mcp.get("/w/db_left", {}, function(db, ctx) note "waiting" ctx.sleep(30) end)
mcp.get("/w/ctx", {}, function(ctx)
  return { kind = ctx.item.kind, name = ctx.item.name, method = ctx.request.method,
           path = ctx.request.path, query = ctx.request.query,
           header = ctx.request.headers["x-me"], transport = ctx.request.transport,
           client = mcp.object(ctx.client) }
end)
mcp.group({ prefix = "g", guards = function(ctx)
  note "group guard"
  return ctx.request.headers["x-key"] == "1", "no key"
end }, function()
  mcp.get("/w/guarded", { tool = "guarded", guards = function() note "own guard" end },
    function() note "handler" return "in" end)
end)

-- several at once
mcp.get("/r/{lang:str}", { title = "Review", tool = "review", prompt = "review",
  resource = { uri_template = "review://{lang}/{depth}" },
  input = { { "lang", t.enum { "lua", "c" } }, { "depth", t.integer { default = 1, max = 3 } } } },
  function(lang, depth) return ("%s %d %s"):format(lang, depth, type(depth)) end)
mcp.head("/h", {}, function() return mcp.http { headers = { ["X-Head"] = "own" } } end)
mcp.options("/o", {}, function() return "own options" end)
mcp.get("/o", {}, function() return "o" end)
"""


class Case(wire.TestCase):
    @classmethod
    def setUpClass(cls):
        handle, cls.log = tempfile.mkstemp()
        os.close(handle)
        cls.ENV = {"ROUTE_LOG": cls.log}
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        os.unlink(cls.log)

    def setUp(self):
        open(self.log, "w", encoding="utf-8").close()

    def notes(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read().split("\n")[:-1]

    def wait_notes(self, *expected, seconds=10):
        end = time.monotonic() + seconds
        while self.notes() != list(expected) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.notes(), list(expected))

    def ask(self, method, path, body=None, headers=None):
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        head = {} if body is None else {"Content-Type": "application/json"}
        return self.server.request(method, path, body,
                                   {**head, **(headers or {})})

    def get(self, path, **headers):
        return self.ask("GET", path, None, headers)

    def assertText(self, path, text):
        answer = self.get(path)
        self.assertEqual((answer.status, answer.text), (200, text), path)

    def assertFails(self, answer, status, message):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.type, "application/json")
        self.assertEqual(answer.json["statusCode"], status)
        self.assertEqual(answer.json.get("message"), message)

    def assertBroken(self, answer, *errors):
        """422, and exactly these (in, path, rule)."""
        self.assertEqual(answer.status, 422, answer)
        self.assertEqual([(e["in"], e["path"], e.get("rule"))
                          for e in answer.json["errors"]], list(errors))


class Paths(Case):
    APP = APP

    def test_types(self):
        self.assertText("/s/abc", "str:abc")
        self.assertEqual(self.get("/i/-12").json, {"v": -12, "type": "number"})
        self.assertEqual(self.get("/n/1.5e2").json, {"v": 150})
        uuid = "123e4567-e89b-12d3-a456-426614174000"
        self.assertText("/u/" + uuid, uuid)
        self.assertText("/p/a/b%20c/d", "path:a/b c/d")
        self.assertText("/", "root")

    def test_values_that_do_not_fit(self):
        for path, message in (
                ("/i/x", "must be a whole number"),
                ("/i/1.0", "must be a whole number"),
                ("/i/07", "must be a whole number"),
                ("/i/+7", "must be a whole number"),
                ("/i/-", "must be a whole number"),
                ("/n/0x10", "must be a number"),
                ("/n/1.", "must be a number"),
                ("/n/1e", "must be a number"),
                ("/u/123e4567e89b12d3a456426614174000", "must be a UUID"),
                ("/u/g23e4567-e89b-12d3-a456-426614174000", "must be a UUID")):
            answer = self.get(path)
            self.assertEqual(answer.status, 422, path)
            [error] = answer.json["errors"]
            self.assertEqual(error, {"in": "path", "path": "/v",
                                     "rule": "type", "message": message})

    def test_an_integer_that_a_double_cannot_hold(self):
        self.assertEqual(self.get("/i/9007199254740992").status, 200)
        answer = self.get("/i/9007199254740993")
        self.assertBroken(answer, ("path", "/v", None))

    def test_a_literal_is_stronger_then_the_first_declared(self):
        self.assertText("/m/a/x", "1:a")
        self.assertText("/m/y/x", "2:x")
        self.assertText("/m/a/b", "3:a:b")
        self.assertText("/k/5", "int:5")
        self.assertText("/k/five", "str:five")

    def test_percent_sequences_are_decoded_after_the_split(self):
        self.assertText("/s/a%2Fb", "str:a/b")
        self.assertText("/s/a+b%25", "str:a+b%")
        self.assertText("/s/%C3%A9", "str:\u00e9")
        self.assertText("/%73/a", "str:a")
        self.assertText("/m%C3%BCsli/x", "x")
        self.assertText("/p/a%2Fb/c", "path:a/b/c")

    def test_a_slash_at_the_end_means_nothing(self):
        self.assertText("/s/abc/", "str:abc")
        self.assertText("/p/a/b/", "path:a/b")

    def test_empty_segments_are_nowhere(self):
        for path in ("/s//", "/s//a", "//s/a", "/p/a//b", "/s", "/p/", "/i/"):
            self.assertFails(self.get(path), 404, NOWHERE)

    def test_what_must_not_be_used(self):
        for path, why in (
                ("/s/a%00b", "has a NUL"),
                ("/s/%", "has a % without two hexadecimal digits"),
                ("/s/%4", "has a % without two hexadecimal digits"),
                ("/s/%zz", "has a % without two hexadecimal digits"),
                ("/s/%ff", "is not UTF-8"),
                ("/s/%c0%af", "is not UTF-8"),
                ("/s/..", 'has a segment "." or ".."'),
                ("/s/.", 'has a segment "." or ".."'),
                ("/p/a/../b", 'has a segment "." or ".."'),
                ("/p/a/%2e%2e/b", 'has a segment "." or ".."'),
                ("/p/a%2f..%2fb", 'has a segment "." or ".."'),
                ("/s/..%2Fapp.lua", 'has a segment "." or ".."'),
                ("/nowhere/%00", "has a NUL")):
            self.assertFails(self.get(path), 400, "The path " + why)
        self.assertText("/s/...", "str:...")
        self.assertText("/s/..a", "str:..a")

    def test_the_number_of_segments_is_bounded(self):
        self.assertText("/p/" + "/".join("a" * 127),
                        "path:" + "/".join("a" * 127))
        self.assertEqual(self.get("/p/" + "/".join("a" * 128)).status, 404)

    def test_404_and_405(self):
        self.assertFails(self.get("/none"), 404, NOWHERE)
        answer = self.ask("DELETE", "/d/1")
        self.assertFails(answer, 405,
                         "This path is answered by POST, PATCH, OPTIONS")
        self.assertEqual(answer.headers["Allow"], "POST, PATCH, OPTIONS")
        self.assertEqual(self.ask("BREW", "/q").status, 405)
        self.assertEqual(self.ask("GET", "/d/1").status, 405)

    def test_the_endpoint_and_the_checks_are_still_there(self):
        self.assertEqual(self.get("/healthz").text, "ok\n")
        self.assertEqual(self.server.rpc("ping").status, 404)
        self.assertIn("supportedVersions",
                      self.server.rpc("server/discover").result)


class Queries(Case):
    APP = APP

    def q(self, query):
        return self.get("/q?" + query)

    def test_text_becomes_the_declared_type(self):
        self.assertEqual(
            self.q("i=3&b=true&s=a%26b&l=1&l=2&o=%7B%22a%22%3A1%7D").json,
            {"i": 3, "b": True, "s": "a&b", "l": [1, 2], "o": {"a": 1},
             "d": 7})
        self.assertEqual(self.q("b=0").json, {"b": False, "d": 7})
        self.assertEqual(self.q("s=1+1").json, {"s": "1 1", "d": 7})
        self.assertEqual(self.q("s=").json, {"s": "", "d": 7})
        self.assertEqual(self.q("&&s=a&").json, {"s": "a", "d": 7})
        self.assertEqual(self.q("l=5").json, {"l": [5], "d": 7})
        self.assertEqual(self.q("big=9223372036854775807").json,
                         {"big": "9223372036854775807LL", "d": 7})
        self.assertEqual(self.q("raw=aGk%3D").json, {"raw": "hi", "d": 7})

    def test_what_breaks_the_schema(self):
        self.assertBroken(self.q("i=0"), ("query", "/i", "minimum"))
        self.assertBroken(self.q("i=6"), ("query", "/i", "maximum"))
        self.assertBroken(self.q("i=x"), ("query", "/i", "type"))
        self.assertBroken(self.q("i="), ("query", "/i", "type"))
        self.assertBroken(self.q("b=yes"), ("query", "/b", "type"))
        self.assertBroken(self.q("l=1&l=x"), ("query", "/l/1", "type"))
        self.assertBroken(self.q("o=%7B"), ("query", "/o", "type"))
        self.assertBroken(self.q("s=abcde"), ("query", "/s", "maxLength"))
        self.assertBroken(self.q("zz=1"),
                          ("query", "/zz", "additionalProperties"))
        self.assertBroken(self.q("i=0&b=2"), ("query", "/i", "minimum"),
                          ("query", "/b", "type"))
        self.assertBroken(self.q("raw=%21"), ("query", "/raw", None))
        answer = self.get("/i/5?i=1")
        self.assertBroken(answer, ("query", "/i", "additionalProperties"))

    def test_unknown_names_where_they_are_allowed(self):
        self.assertEqual(self.get("/open?a=1&x=2").json, {"a": "1", "x": "2"})

    def test_one_name_twice(self):
        self.assertFails(self.q("i=1&i=2"), 400,
                         'The parameter "i" of the query is given twice')
        self.assertFails(self.q("zz=1&zz=2"), 400,
                         'The parameter "zz" of the query is given twice')
        self.assertFails(self.get("/i/5?v=6"), 400,
                         '"v" is in the path and in the query')

    def test_the_number_of_parameters_is_bounded(self):
        many = "&".join("l=%d" % n for n in range(200))
        self.assertEqual(len(self.q(many).json["l"]), 200)
        self.assertFails(self.q(many + "&l=1"), 400,
                         "The query has more than 200 parameters")

    def test_wrong_bytes(self):
        self.assertFails(self.q("s=%ff"), 400,
                         "A parameter of the query is not UTF-8")
        self.assertFails(self.q("s=%00"), 400,
                         "A parameter of the query has a NUL")
        self.assertFails(self.q("%zz=1"), 400, "A parameter of the query has "
                         "a % without two hexadecimal digits")

    def test_a_huge_query(self):
        self.assertBroken(self.q("s=" + "a" * 8000),
                          ("query", "/s", "maxLength"))
        answer = self.server.raw("GET /q?s=%s HTTP/1.1\r\nHost: localhost\r\n"
                                 "\r\n" % ("a" * 200000))
        if answer is not None:
            self.assertIn(answer.status, (400, 413, 414, 431))
        self.assertEqual(self.q("i=1").status, 200)


class Bodies(Case):
    APP = APP

    def test_arguments_of_all_three_places(self):
        answer = self.ask("POST", "/b/4?n=2", {"name": "ab"})
        self.assertEqual(answer.json, {"id": 4, "n": 2, "name": "ab"})
        answer = self.ask("POST", "/b/4?name=ab")
        self.assertEqual(answer.json, {"id": 4, "n": 1, "name": "ab"})

    def test_one_name_in_two_places(self):
        self.assertFails(self.ask("POST", "/b/4?name=ab", {"name": "ab"}), 400,
                         '"name" is in the query and in the body')
        self.assertFails(self.ask("POST", "/b/4", {"name": "ab", "id": 4}),
                         400, '"id" is in the path and in the body')

    def test_what_breaks_the_schema(self):
        self.assertBroken(self.ask("POST", "/b/4", {"name": "a"}),
                          ("body", "/name", "minLength"))
        self.assertBroken(self.ask("POST", "/b/4", {}),
                          ("body", "/name", "required"))
        self.assertBroken(self.ask("POST", "/b/4"),
                          ("body", "/name", "required"))
        self.assertBroken(self.ask("POST", "/b/4", {"name": "ab", "x": 1}),
                          ("body", "/x", "additionalProperties"))
        for body in ([], "a", 1, None, True):
            self.assertBroken(
                self.ask("POST", "/b/4", json.dumps(body).encode()),
                ("body", "", "type"))

    def test_what_is_no_json(self):
        for body in (b"{", b"{'a':1}", b'{"a":NaN}', b"\xff", b'{"a":1}x',
                     b'{"name":"ab","name":"cd"}', b"[" * 100 + b"]" * 100):
            answer = self.ask("POST", "/b/4", body)
            self.assertEqual(answer.status, 400, body)
            self.assertTrue(answer.json["message"].startswith(
                "The body is not JSON: "), answer.json)

    def test_other_types(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", None,
                     "application/jsonx", "text/json"):
            answer = self.server.request(
                "POST", "/b/4", b'{"name":"ab"}', {"Content-Type": kind})
            self.assertFails(answer, 415,
                             "Content-Type must be application/json")
        answer = self.ask("POST", "/b/4", {"name": "ab"}, {
            "Content-Type": "Application/JSON ; charset=utf-8"})
        self.assertEqual(answer.status, 200)

    def test_a_body_where_none_belongs(self):
        self.assertFails(self.ask("GET", "/q", {"i": 1}), 400,
                         "A GET request has no body here")

    def test_data_is_one_table(self):
        made = {"id": 4, "dry": False, "data": {"name": "ab", "n": 1}}
        for body in ({"name": "ab"}, {"data": {"name": "ab"}}):
            answer = self.ask("POST", "/d/4", body)
            self.assertEqual((answer.status, answer.json), (201, made))
        answer = self.ask("POST", "/d/4?dry=true",
                          {"name": "ab", "at": {"x": 1}})
        self.assertEqual(answer.json["data"],
                         {"name": "ab", "n": 1, "at": {"x": 1}})
        self.assertIs(answer.json["dry"], True)
        answer = self.ask("POST", "/d/4", {"data": {"name": "ab"},
                                           "dry": True})
        self.assertIs(answer.json["dry"], True)
        self.assertEqual(self.ask("PATCH", "/d/4").json,
                         {"id": 4, "data": {}})

    def test_data_that_is_wrong(self):
        self.assertBroken(self.ask("POST", "/d/4", {"name": 1}),
                          ("body", "/name", "type"))
        self.assertBroken(self.ask("POST", "/d/4", {"data": {"name": 1}}),
                          ("body", "/data/name", "type"))
        self.assertBroken(self.ask("POST", "/d/4", {"data": {}}),
                          ("body", "/data/name", "required"))
        self.assertBroken(self.ask("POST", "/d/4", {"data": 5}),
                          ("body", "/data", "type"))
        self.assertBroken(self.ask("POST", "/d/4", {"data": {"name": "a",
                                                             "x": 1}}),
                          ("body", "/data/x", "additionalProperties"))
        for body in ({"data": {"name": "a"}, "name": "a"},
                     {"data": {"name": "a"}, "n": 1},
                     {"data": {"name": "a", "dry": True}},
                     {"data": {"name": "a", "id": 5}}):
            self.assertBroken(self.ask("POST", "/d/4", body),
                              ("body", "/data", None))

    def test_data_of_the_tool(self):
        def text(**arguments):
            result = self.server.call("make", arguments).result
            return result["content"][0]["text"], result.get("isError", False)

        made = '{"data":{"name":"ab","n":1},"id":4,"dry":false}'
        for arguments in ({"name": "ab"}, {"data": {"name": "ab"}}):
            found, failed = text(id=4, **arguments)
            self.assertEqual((json.loads(found), failed),
                             (json.loads(made), False))
        self.assertEqual(
            text(id=4, name="a", data={"name": "ab"}),
            ('Invalid arguments for tool "make":\n- /data: is given beside '
             "arguments that belong into it; send all of them inside data, "
             "or none", True))
        self.assertEqual(
            text(id=4, data={"name": 1}),
            ('Invalid arguments for tool "make":\n- /data/name: must be a '
             "string, got number 1; put it in quotes", True))
        [tool] = [tool for tool in
                  self.server.rpc("tools/list").result["tools"]
                  if tool["name"] == "make"]
        self.assertEqual(list(tool["inputSchema"]["properties"]),
                         ["id", "name", "n", "at", "dry"])
        self.assertEqual(tool["inputSchema"]["required"], ["id", "name"])

    def test_max_body(self):
        server = self.start(APP, options=("--max-body", "1KiB"), env=self.ENV)
        for size, status in ((1024, 200), (1025, 413)):
            body = json.dumps({"name": "ab", "n": 1}).encode()
            body += b" " * (size - len(body))
            answer = server.request("POST", "/b/4", body,
                                    {"Content-Type": "application/json"})
            self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.json["statusCode"], 413)


class Answers(Case):
    APP = APP

    def test_values(self):
        for path, status, kind, body in (
                ("nil", 204, "", b""),
                ("empty", 200, "", b""),
                ("number", 200, "application/json", b"5"),
                ("array", 200, "application/json", b"[]"),
                ("csv", 200, "text/csv", b"a,b"),
                ("blob?size=3", 200, "image/png", b"xxx"),
                ("bytes", 200, "application/octet-stream", b"\xff\xfe"),
                ("type", 200, "text/html", b"<b>"),
                ("gone", 204, "", b"")):
            answer = self.get("/a/" + path)
            self.assertEqual((answer.status, answer.type, answer.body),
                             (status, kind, body), path)
        self.assertEqual(self.get("/a/csv").headers["Content-Type"],
                         "text/csv; charset=utf-8")
        self.assertEqual(self.get("/s/a").headers["Content-Type"],
                         "text/plain; charset=utf-8")

    def test_status_and_headers(self):
        answer = self.get("/a/http?status=202")
        self.assertEqual((answer.status, answer.json), (202, {"why": "so"}))
        self.assertEqual(answer.headers["X-One"], "1")
        self.assertEqual(answer.headers.get_all("Set-Cookie"),
                         ["a=1", "b=2"])
        for status in (300, 404, 599):
            self.assertEqual(self.get("/a/http?status=%d" % status).status,
                             status)
        for status in (199, 600):
            self.assertFails(
                self.get("/a/http?status=%d" % status), 500,
                "mcp.http: `status` must be a whole number from 200 to 599")

    def test_a_status_that_was_changed(self):
        for status in (199, 600):
            answer = self.get("/a/changed?status=%d" % status)
            self.assertEqual(answer.status, 500)
            self.assertIn("/status must be from 200 to 599",
                          answer.json["message"])
        for status in (204, 205, 304):
            answer = self.get("/a/changed?status=%d" % status)
            self.assertEqual((answer.status, answer.body), (status, b""))

    def test_a_slow_answer_is_no_stream(self):
        server = self.start(APP, options=("--sse-after", "0.1"), env=self.ENV)
        answer = server.get("/a/late", {"Accept": "text/event-stream"})
        self.assertEqual((answer.type, answer.text), ("text/plain", "late"))

    def test_headers_that_would_be_two(self):
        answer = self.get("/a/split")
        self.assertFails(answer, 500, "mcp.http: the header X-Bad has a line "
                                      "end or a NUL inside")
        self.assertIsNone(answer.headers.get("X-Evil"))
        self.assertFails(self.get("/a/ours"), 500, "mcp.http: the header "
                         "Content-Length is the server's to write")

    def test_an_output_schema(self):
        self.assertEqual(self.get("/a/checked?n=1").json, {"n": 1})
        answer = self.get("/a/checked?n=x")
        self.assertEqual(answer.status, 500)
        self.assertIn("/n: must be an integer", answer.json["message"])

    def test_max_blob_bytes(self):
        server = self.start(APP, options=("--max-blob-bytes", "1000"),
                            env=self.ENV)
        self.assertEqual(len(server.get("/a/blob?size=1000").body), 1000)
        self.assertEqual(server.get("/a/blob?size=1001").status, 500)

    def test_failures(self):
        self.assertFails(self.get("/e/error"), 500, "bang")
        self.assertFails(self.get("/e/nil"), 500, "no luck")
        self.assertFails(self.get("/e/not_found"), 404, "not here")
        self.assertFails(self.get("/e/unauthorized"), 401, "log in")
        answer = self.get("/e/table")
        self.assertEqual((answer.status, answer.json), (500, {"code": 7}))
        answer = self.get("/e/http")
        self.assertEqual((answer.status, answer.json), (418, {"spout": True}))
        answer = self.get("/e/answer")
        self.assertEqual((answer.status, answer.json), (409, {"why": "taken"}))
        answer = self.get("/e/protocol")
        self.assertEqual((answer.status, answer.json), (500, {
            "statusCode": 500, "error": "Internal Server Error",
            "message": "odd", "code": -32001, "data": {"a": 1}}))
        answer = self.get("/e/function")
        self.assertEqual(answer.status, 500)
        self.assertIn("/f is a function", answer.json["message"])
        self.assertFails(self.get("/e/ask"), 500, "only tools, prompts and "
                         "resources can ask the client")
        self.assertFails(self.get("/e/required"), 500, "mcp.input_required: a "
                         "request of plain HTTP has no client that could be "
                         "asked")

    def test_errors_that_are_not_exposed(self):
        server = self.start(APP, options=("--expose-errors=false",),
                            env=self.ENV)
        self.assertEqual(server.get("/e/error").json, {
            "statusCode": 500, "error": "Internal Server Error"})
        self.assertEqual(server.get("/e/nil").json["message"], "no luck")
        self.assertEqual(server.get("/e/not_found").json["message"],
                         "not here")
        self.assertNotIn("message", server.get("/a/checked?n=x").json)

    def test_an_endless_loop(self):
        self.assertFails(self.get("/e/loop"), 504, "The route took longer "
                         "than 0.3 s and was stopped (timeout)")

    def test_head(self):
        for path in ("/s/abc", "/a/csv"):
            got, head = self.get(path), self.ask("HEAD", path)
            self.assertEqual((head.status, head.body), (200, b""))
            self.assertEqual(head.headers["Content-Type"],
                             got.headers["Content-Type"])
            self.assertEqual(head.headers["Content-Length"],
                             str(len(got.body)))
        self.assertEqual(self.ask("HEAD", "/h").headers["X-Head"], "own")
        self.assertEqual(self.ask("HEAD", "/d/1").status, 405)
        self.assertEqual(self.ask("HEAD", "/none").status, 404)

    def test_options(self):
        answer = self.ask("OPTIONS", "/d/5")
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.assertEqual(answer.headers["Allow"], "POST, PATCH, OPTIONS")
        self.assertEqual(self.ask("OPTIONS", "/q").headers["Allow"],
                         "GET, HEAD, OPTIONS")
        self.assertEqual(self.ask("OPTIONS", "/o").text, "own options")
        self.assertEqual(self.ask("OPTIONS", "/none").status, 404)

    def test_pages_of_other_origins(self):
        mine = {"Origin": "http://localhost:3000"}
        answer = self.ask("GET", "/q", None, mine)
        self.assertEqual(answer.headers["Access-Control-Allow-Origin"],
                         mine["Origin"])
        answer = self.ask("OPTIONS", "/d/5", None, {
            **mine, "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type"})
        self.assertEqual(answer.status, 204)
        self.assertEqual(answer.headers["Access-Control-Allow-Methods"],
                         "POST, PATCH, OPTIONS")
        self.assertEqual(answer.headers["Access-Control-Allow-Headers"],
                         "content-type")
        for header in ({"Origin": "https://evil.example"},
                       {"Host": "evil.example"}):
            answer = self.ask("GET", "/q", None, header)
            self.assertEqual(answer.status, 403)
            self.assertEqual(answer.json["statusCode"], 403)
            self.assertNotIn("Access-Control-Allow-Origin", answer.headers)

    def test_accept_does_not_matter(self):
        for accept in ("text/html", "text/event-stream", "image/png"):
            answer = self.ask("GET", "/a/number", None, {"Accept": accept})
            self.assertEqual((answer.status, answer.type, answer.body),
                             (200, "application/json", b"5"))


class Around(Case):
    APP = APP

    def test_what_ctx_knows(self):
        answer = self.ask("GET", "/w/ctx?", None, {"X-Me": "you"})
        self.assertEqual(answer.json, {
            "kind": "route", "name": "GET /w/ctx", "method": "GET",
            "path": "/w/ctx", "header": "you", "transport": "http",
            "client": {}})

    def test_guards_of_the_group_then_its_own(self):
        self.assertFails(self.get("/g/w/guarded"), 403, "no key")
        self.assertEqual(self.notes(), ["group guard"])
        answer = self.ask("GET", "/g/w/guarded", None, {"X-Key": "1"})
        self.assertEqual(answer.text, "in")
        self.assertEqual(self.notes()[1:],
                         ["group guard", "own guard", "handler"])

    def test_hooks_hear_of_tools_only(self):
        self.assertText("/w/db", "db")
        self.wait_notes("open", "close")
        self.server.call("with_db")
        self.wait_notes("open", "close", "before with_db", "open",
                        "after with_db nil", "close")

    def test_a_hook_hears_of_the_error_of_the_tool(self):
        self.server.call("fail")
        self.wait_notes("before fail", "after fail bang")

    def test_cleanup_after_an_error(self):
        self.assertFails(self.get("/w/db_error"), 500, "after open")
        self.wait_notes("open", "close")

    def test_cleanup_after_the_deadline(self):
        self.assertEqual(self.get("/w/db_slow").status, 504)
        self.wait_notes("open", "close")

    def test_cleanup_when_the_client_leaves(self):
        sock = self.server.socket()
        sock.sendall(b"GET /w/db_left HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.wait_notes("open", "waiting")
        sock.close()
        self.wait_notes("open", "waiting", "close")

    def test_the_queue(self):
        server = self.start(r"""
            local mcp = require "mcp"
            mcp.server { max_workers = 1, queue = 1 }
            mcp.get("/hold", {}, function() os.execute "sleep 1.5" return "held" end)
        """)
        answers = []

        def hold():
            answers.append(server.get("/hold"))

        threads = [threading.Thread(target=hold) for _ in range(4)]
        for thread in threads:
            thread.start()
            time.sleep(0.15)
        for thread in threads:
            thread.join()
        busy = [a for a in answers if a.status == 503]
        self.assertTrue(busy)
        self.assertTrue([a for a in answers if a.status == 200])
        self.assertEqual(busy[0].headers["Retry-After"], "1")
        self.assertEqual(busy[0].json, {
            "statusCode": 503, "error": "Service Unavailable",
            "message": "The server is busy"})

    def test_many_at_once(self):
        bad = []

        def work(n):
            connection = self.server.connection()
            for i in range(40):
                value = "%d-%d" % (n, i)
                answer = self.server.request(
                    "GET", "/s/" + value, connection=connection)
                if answer.text != "str:" + value:
                    bad.append(answer)
            connection.close()

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(bad, [])


class AsItems(Case):
    APP = APP

    def error(self, method, **params):
        return self.server.rpc(method, params).error

    def test_a_tool_fails_by_is_error(self):
        for name, arguments, text in (
                ("lost", {}, "not here"), ("teapot", {}, "short and stout"),
                ("fail", {}, "bang"), ("http", {"status": "404"},
                                       '{"why":"so"}')):
            result = self.server.call(name, arguments).result
            self.assertIs(result["isError"], True, name)
            self.assertEqual(result["content"][0]["text"], text)
        result = self.server.call("http", {"status": "202"}).result
        self.assertNotIn("isError", result)
        self.assertEqual(result["content"][0]["text"], '{"why":"so"}')

    def test_a_guard_refuses_the_tool_too(self):
        result = self.server.call("g_guarded").result
        self.assertEqual((result["isError"], result["content"][0]["text"]),
                         (True, "no key"))

    def test_a_prompt_fails_by_an_error(self):
        error = self.error("prompts/get", name="teapot")
        self.assertEqual((error["code"], error["data"]), (-32603, {
            "statusCode": 418, "content": {"spout": True}}))
        error = self.error("prompts/get", name="answer")
        self.assertEqual((error["code"], error["data"]), (-32603, {
            "statusCode": 409, "content": {"why": "taken"}}))

    def test_a_resource_fails_by_an_error(self):
        error = self.error("resources/read", uri="mcpluad://teapot")
        self.assertEqual((error["code"], error["data"]), (-32603, {
            "statusCode": 418, "content": {"spout": True}}))
        error = self.error("resources/read", uri="mcpluad://lost")
        self.assertEqual((error["code"], error["data"]),
                         (-32602, {"uri": "mcpluad://lost"}))

    def test_one_route_is_all_three(self):
        self.assertText("/r/lua?depth=2", "lua 2 number")
        result = self.server.call("review", {"lang": "lua", "depth": 2}).result
        self.assertEqual(result["content"][0]["text"], "lua 2 number")
        result = self.server.rpc("resources/read",
                                 {"uri": "review://lua/2"}).result
        self.assertEqual(result["contents"], [{
            "uri": "review://lua/2", "mimeType": "text/plain",
            "text": "lua 2 number"}])
        result = self.server.rpc("prompts/get", {
            "name": "review",
            "arguments": {"lang": "lua", "depth": "2"}}).result
        self.assertEqual(result["messages"][0]["content"]["text"],
                         "lua 2 number")

    def test_strings_that_do_not_fit_the_route(self):
        error = self.error("resources/read", uri="review://lua/x")
        self.assertEqual(error["code"], -32602)
        self.assertIn("/depth: must be an integer", error["message"])
        error = self.error("prompts/get", name="review",
                           arguments={"lang": "java", "depth": "9"})
        self.assertEqual(error["code"], -32602)
        self.assertIn("/lang", error["message"])
        self.assertIn("/depth: must be at most 3", error["message"])

    def test_the_prompt_is_listed_with_the_arguments(self):
        [prompt] = [p for p in self.server.rpc("prompts/list").result[
            "prompts"] if p["name"] == "review"]
        self.assertEqual(prompt["title"], "Review")
        self.assertEqual(prompt["arguments"], [
            {"name": "lang", "required": True},
            {"name": "depth", "required": False}])
        result = self.server.rpc("completion/complete", {
            "ref": {"type": "ref/prompt", "name": "review"},
            "argument": {"name": "lang", "value": "l"}}).result
        self.assertEqual(result["completion"]["values"], ["lua"])

    def test_over_stdio(self):
        process = self.start_stdio(APP, env=self.ENV)
        process.initialize()
        answer = process.request({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "review", "arguments": {"lang": "c"}}})
        self.assertEqual(answer["result"]["content"][0]["text"], "c 1 number")


class Builtins(Case):
    APP = APP

    def document(self, name, server=None):
        uri = "mcpluad://" + name
        [content] = (server or self.server).rpc(
            "resources/read", {"uri": uri}).result["contents"]
        self.assertEqual((content["uri"], content["mimeType"]),
                         (uri, "application/json"))
        return json.loads(content["text"])

    def test_they_are_listed_first(self):
        listed = self.server.rpc("resources/list").result["resources"]
        self.assertEqual([r["uri"] for r in listed[:3]], [
            "mcpluad://openapi", "mcpluad://app", "mcpluad://lost"])

    def test_openapi(self):
        doc = self.document("openapi")
        self.assertEqual(doc["openapi"], "3.1.0")
        self.assertEqual(doc["info"], {"title": "Routes", "version": "3.0.0",
                                       "description": "Be kind."})
        self.assertEqual(list(doc["paths"])[:3],
                         ["/s/{v}", "/i/{v}", "/n/{v}"])
        self.assertEqual(list(doc["paths"]["/d/{id}"]), ["post", "patch"])
        made = doc["paths"]["/d/{id}"]["post"]
        self.assertEqual(
            [(p["name"], p["in"], p.get("required", False))
             for p in made["parameters"]],
            [("id", "path", True), ("dry", "query", False)])
        body = made["requestBody"]
        self.assertIs(body["required"], True)
        schema = body["content"]["application/json"]["schema"]
        self.assertEqual(list(schema["properties"]), ["name", "n", "at"])
        self.assertEqual(schema["required"], ["name"])
        self.assertEqual(list(made["responses"]), ["201", "default"])
        asked = {p["name"]: p for p in doc["paths"]["/q"]["get"]["parameters"]}
        self.assertEqual(asked["i"]["schema"], {"type": "integer",
                                                "minimum": 1, "maximum": 5})
        csv = doc["paths"]["/a/csv"]["get"]["responses"]["200"]
        self.assertEqual(list(csv["content"]), ["text/csv; charset=utf-8"])
        checked = doc["paths"]["/a/checked"]["get"]["responses"]["200"]
        self.assertEqual(checked["content"]["application/json"]["schema"][
            "properties"], {"n": {"type": "integer"}})
        ids = [op["operationId"] for path in doc["paths"].values()
               for op in path.values()]
        self.assertEqual(len(ids), len(set(ids)))

    def test_references_lead_somewhere(self):
        server = self.start("""local mcp = require "mcp"
---@class Node
---@field name string
---@field kids? Node[]

---@param data Node
---@return Node
mcp.post("/nodes", {}, function(data) return data end)
---@param root Node
mcp.get("/root", {}, function(root) return root end)
mcp.get("/raw", { input_schema = { type = "object", properties = {
    a = { ["$ref"] = "#/$defs/x y/properties/z" },
    b = { enum = { { ["$ref"] = "#/$defs/x y" } } } },
  ["$defs"] = { ["x y"] = { properties = { z = { type = "integer" } } } } } },
  function(a) return a end)
mcp.get("/raw/{i:int}", {}, function(i) return i end)
mcp.get("/raw/{i:str}", {}, function(i) return i end)""")
        doc = self.document("openapi", server)
        found = []

        def walk(value):
            if isinstance(value, list):
                for item in value:
                    walk(item)
            elif isinstance(value, dict):
                for key, item in value.items():
                    if key == "$ref":
                        found.append(item)
                    elif key != "enum":
                        walk(item)

        walk(doc)
        self.assertIn("#/components/schemas/in0.Node", found)
        self.assertIn("#/components/schemas/out0.Node", found)
        self.assertIn("#/components/schemas/in2.x_y/properties/z", found)
        for ref in found:
            at = doc
            for step in ref[2:].split("/"):
                at = at[step]
        raw = {p["name"]: p["schema"] for p in
               doc["paths"]["/raw"]["get"]["parameters"]}
        self.assertEqual(raw["b"]["enum"], [{"$ref": "#/$defs/x y"}])
        self.assertEqual(
            doc["paths"]["/raw/{i}"]["get"]["operationId"],
            "GET /raw/{i:int}")

    def test_app(self):
        doc = self.document("app")
        self.assertEqual((doc["name"], doc["version"], doc["title"]),
                         ("routes", "3.0.0", "Routes"))
        self.assertIn("make", doc["tools"])
        self.assertIn("mcpluad://lost", doc["resources"])
        self.assertEqual(doc["resourceTemplates"],
                         ["review://{lang}/{depth}"])
        self.assertEqual(doc["prompts"],
                         ["lost", "teapot", "answer", "review"])
        self.assertEqual(doc["routes"][0], "GET /s/{v:str}")

    def test_without_routes(self):
        server = self.start("""local mcp = require "mcp"
            mcp.resource { uri = "a:b", text = "x" }""")
        listed = server.rpc("resources/list").result["resources"]
        self.assertEqual([r["uri"] for r in listed], ["a:b"])
        self.assertEqual(self.document("app", server)["resources"], ["a:b"])
        self.assertEqual(server.rpc("resources/read", {
            "uri": "mcpluad://openapi"}).error["code"], -32602)
        answer = server.get("/none")
        self.assertEqual((answer.status, answer.type), (404, "text/plain"))

    def test_the_public_url_is_the_server(self):
        server = self.start(APP, env=self.ENV, options=(
            "--public-url", "https://x.example/a/mcp"))
        self.assertEqual(self.document("openapi", server)["servers"],
                         [{"url": "https://x.example/a"}])


class Loading(wire.TestCase):
    def refused(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "app.lua")
            with open(path, "w", encoding="utf-8") as file:
                file.write('local mcp = require "mcp"\n' + text)
            done = wire.run("list", *options, path, cwd=folder)
        self.assertEqual(done.returncode, 2, done)
        return done.stderr

    def test_two_routes_at_one_place(self):
        said = self.refused("""mcp.get("/a/{x:int}", {}, function(x) end)
mcp.get("/a/{y:int}", {}, function(y) end)""")
        self.assertRegex(said, r'route "GET /a/{x:int}" is declared twice: '
                               r"\S*app.lua:2 and \S*app.lua:3")

    def test_in_the_way_of_the_server(self):
        for path, what in (("/mcp", "the MCP endpoint"),
                           ("/healthz", "the check of health"),
                           ("/readyz", "the check of readiness")):
            said = self.refused('mcp.get("%s", {}, function() end)' % path)
            self.assertRegex(said, r'app.lua:2: route "GET %s": %s' % (path,
                                                                     what))
        said = self.refused('mcp.get("/a/b", {}, function() end)',
                            "--base-path", "/a/b")
        self.assertIn("the MCP endpoint", said)

    def test_a_resource_of_the_servers_own(self):
        said = self.refused('mcp.resource { uri = "mcpluad://app", text = "" }')
        self.assertRegex(said, r'app.lua:2: resource "mcpluad://app": the '
                               "server itself has one")

    def test_names_that_do_not_fit(self):
        for text, message in (
                ('mcp.get("/a/{x}", {}, function(y) end)',
                 'the handler\'s parameter "y" is no argument of the route'),
                ('mcp.get("/a/{x}", { resource = true }, function(x) end)',
                 'the route needs the argument "x", so its resource needs a '
                 "uri_template with that variable"),
                ('mcp.get("/a", { resource = { uri_template = "a:{z}" } }, '
                 "function() end)",
                 'the variable "z" of the uri_template is no argument of the '
                 "route"),
                ('mcp.get("/a/{x}", { input_schema = { type = "object", '
                 "properties = { y = {} } } }, function(y) end)",
                 'the path has the argument "x", but the input schema has no '
                 "such property"),
                ('mcp.get("/a/{p:path}/b", {}, function(p) end)',
                 'the argument "p" of type path takes all segments'),
                ('mcp.get("/{a}/{a}", {}, function(a) end)',
                 'the path has two arguments "a"'),
                ('mcp.get("/{a}/{a}", { input_schema = { type = "object" } }, '
                 "function() end)", 'the path has two arguments "a"'),
                ('mcp.get("/a", { mime_type = "x" }, function() end)', "x")):
            said = self.refused(text)
            self.assertIn("app.lua:2: mcp.get: ", said)
            self.assertIn(message, said)

    def test_a_handler_cannot_declare(self):
        server = self.start("""local mcp = require "mcp"
            mcp.get("/a", {}, function() mcp.get("/b", {}, function() end) end)
        """)
        self.assertIn("a handler cannot declare anything",
                      server.get("/a").json["message"])

    def test_a_reload_changes_routes(self):
        server = self.start('local mcp = require "mcp"\n'
                            'mcp.get("/a", {}, function() return "1" end)',
                            options=("--dev",))
        self.assertEqual(server.get("/a").text, "1")
        server.write("app.lua", 'local mcp = require "mcp"\n'
                     'mcp.get("/b", {}, function() return "2" end)')
        end = time.monotonic() + 10
        while server.get("/b").status != 200 and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(server.get("/b").text, "2")
        self.assertEqual(server.get("/a").status, 404)

    def test_list_shows_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "app.lua")
            with open(path, "w", encoding="utf-8") as file:
                file.write("""local mcp = require "mcp"
--- Says hello.
mcp.get("/hello/{name}", {}, function(name) return name end)""")
            plain = wire.run("list", path)
            raw = wire.run("list", "--format", "json", path)
        self.assertIn("routes\n  GET /hello/{name}\n    Says hello.\n",
                      plain.stdout)
        [route] = json.loads(raw.stdout)["routes"]
        self.assertEqual((route["method"], route["path"],
                          route["description"]),
                         ("GET", "/hello/{name}", "Says hello."))


if __name__ == "__main__":
    unittest.main()
