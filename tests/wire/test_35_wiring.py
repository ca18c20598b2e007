"""What surrounds a handler, over the wire: guards, dependencies, hooks, groups
and filters."""

import unittest

import wire

APP = r"""
local mcp = require "mcp"
local function say(...) io.stderr:write("said: ", table.concat({ ... }, " "), "\n") end

mcp.server { guards = function(ctx)
  if ctx.request.headers["x-banned"] then mcp.unauthorized("banned") end end,
  exclude_tags = "beta", exclude_operations = { "hidden", "admin/hidden" } }
mcp.hooks {
  after_tool_call = function(name, args, ctx, outcome)
    say("after", name, tostring(outcome.error)) end,
  on_startup = function() say("startup") end,
  on_shutdown = function() say("shutdown") end }
mcp.provide("db", function(ctx, dsn)
  return { find = function(what) return what .. "@" .. dsn end }, function() say("close") end end)
mcp.provide("dsn", function() return "main" end)

mcp.tool("find", function(what, db) return db.find(what) end)
mcp.tool("promise", { output = { n = mcp.types.number() } }, function() return { n = "1" } end)
mcp.tool("ask", function(db, ctx)
  return ctx.elicit { message = "Sure?", schema = { sure = mcp.types.boolean() } }.action end)
mcp.tool("hidden", function() end)
mcp.tool("new", { tags = "beta" }, function() end)
mcp.group({ prefix = "admin", dependencies = { dsn = function() return "admin" end },
    guards = function(ctx) if ctx.client.info.name ~= "root" then return false, "root only" end end },
  function()
    mcp.tool("find", function(what, db) return db.find(what) end)
    mcp.prompt("hidden", function() return "" end)
    mcp.prompt("ask", function(what, db) return db.find(what) end)
    mcp.resource { uri = "app://fixed", text = "fixed" }
    mcp.resource { uri = "app://bytes", blob = "\1\2" }
    mcp.resource { uri_template = "app://find/{what}", handler = function(what, db)
      return db.find(what) end }
  end)
"""
ROOT = {"name": "root", "version": "1"}


class Wiring(wire.TestCase):
    APP = APP

    def rpc(self, method, params, **members):
        return self.server.rpc(method, params, **members)

    def text(self, name, arguments=None, **how):
        result = self.server.call(name, arguments, **how).result
        return result.get("isError", False), result["content"][0]["text"]

    def test_a_dependency_is_the_nearest(self):
        self.assertEqual(self.text("find", {"what": "a"}), (False, "a@main"))
        self.assertEqual(
            self.text("admin_find", {"what": "a"}, info=ROOT),
            (False, "a@admin"))

    def test_no_dependency_is_listed_or_taken(self):
        tools = self.rpc("tools/list", {}).result["tools"]
        self.assertEqual([t["name"] for t in tools],
                         ["find", "promise", "ask", "admin_find"])
        self.assertEqual(list(tools[0]["inputSchema"]["properties"]), ["what"])
        failed, text = self.text("find", {"what": "a", "db": "b"})
        self.assertTrue(failed)
        self.assertIn("db", text)

    def test_guards_refuse_calls_gets_and_reads(self):
        self.assertEqual(self.text("admin_find", {"what": "a"}),
                         (True, "root only"))
        for method, params in (
                ("prompts/get", {"name": "admin/ask",
                                 "arguments": {"what": "a"}}),
                ("resources/read", {"uri": "app://fixed"}),
                ("resources/read", {"uri": "app://bytes"}),
                ("resources/read", {"uri": "app://find/a"})):
            error = self.rpc(method, params).error
            self.assertEqual(error["code"], -32603, params)
            self.assertEqual(error["data"]["statusCode"], 403)
            self.assertEqual(error["data"]["content"], "root only")

    def test_guards_let_through(self):
        prompt = self.rpc("prompts/get", {
            "name": "admin/ask", "arguments": {"what": "a"}},
            info=ROOT).result
        self.assertEqual(prompt["messages"][0]["content"]["text"], "a@admin")
        for uri, member, content in (("app://fixed", "text", "fixed"),
                                     ("app://bytes", "blob", "AQI="),
                                     ("app://find/a", "text", "a@admin")):
            result = self.rpc("resources/read", {"uri": uri},
                              info=ROOT).result
            self.assertEqual(result["contents"][0][member], content)

    def test_guards_of_the_app_see_the_request(self):
        self.assertEqual(
            self.text("find", {"what": "a"}, headers={"X-Banned": "1"}),
            (True, "banned"))

    def test_lists_are_not_guarded(self):
        prompts = self.rpc("prompts/list", {}).result["prompts"]
        self.assertEqual([p["name"] for p in prompts], ["admin/ask"])
        resources = self.rpc("resources/list", {}).result["resources"]
        self.assertEqual(len(resources), 2)

    def test_what_filters_drop_is_unknown(self):
        for name in ("hidden", "new"):
            self.assertEqual(self.server.call(name).error["code"], -32602)
        self.assertEqual(
            self.rpc("prompts/get", {"name": "admin/hidden"}).error["code"],
            -32602)

    def test_hooks_hear_of_a_broken_output(self):
        failed, text = self.text("promise")
        self.assertTrue(failed)
        self.assertIn("breaks its schema", text)
        self.server.wait_stderr(
            r"said: after promise The output of tool \"promise\" breaks")

    def test_hooks_hear_of_a_refusal(self):
        self.text("admin_find", {"what": "a"})
        self.server.wait_stderr("said: after admin_find root only")

    def test_a_question_ends_a_call(self):
        before = self.server.stderr.count("said: close")
        result = self.server.call(
            "ask", capabilities={"elicitation": {"form": {}}}).result
        self.assertEqual(result["resultType"], "input_required")
        self.server.wait_stderr("said: after ask nil")
        self.server.wait_said("said: close", before + 1)

    def test_wrong_arguments_reach_no_hook(self):
        self.assertTrue(self.text("find", {"wat": "a"})[0])
        self.text("find", {"what": "b"})
        self.server.wait_stderr("said: after find nil")
        self.assertNotRegex(self.server.stderr, "said: after find [^nb]")


class Asking(wire.TestCase):
    """Hooks and cleanups watch: a question there is refused and logged, a guard
    and a dependency may ask."""

    APP = """
local mcp = require "mcp"
local function question(key)
  return { key = key, message = "m", schema = { a = mcp.types.string() } }
end
local function asks(where, args, ctx)
  if args.where ~= where then return end
  if args.how == "pcall" then
    io.stderr:write("said: ", tostring(select(2, pcall(ctx.elicit, question()))), "\\n")
  elseif args.how == "all" then
    ctx.ask { a = mcp.elicit(question()) }
  elseif args.how == "sample" then
    ctx.sample { prompt = "p" }
  elseif args.how == "roots" then
    ctx.roots()
  else
    ctx.elicit(question())
  end
end
mcp.hooks {
  before_tool_call = function(name, args, ctx) asks("before", args, ctx) end,
  after_tool_call = function(name, args, ctx) asks("after", args, ctx) end,
}
mcp.provide("db", function(ctx)
  return "db", function() ctx.elicit(question()) end
end)
mcp.tool("t", function(where, how) return "ran" end)
mcp.tool("cleans", function(db) return "ran" end)
mcp.tool("guarded", { guards = function(ctx) ctx.elicit(question "g") end },
  function() return "ran" end)
"""
    ABLE = {"elicitation": {}, "sampling": {}, "roots": {}}

    def test_a_hook_must_not(self):
        session = self.server.session(capabilities=self.ABLE)
        for where in ("before", "after"):
            for how in ("pcall", "all", "sample", "roots", "elicit"):
                before = self.server.stderr.count("cannot ask the client")
                arguments = {"where": where, "how": how}
                for answer in (self.server.call("t", arguments,
                                                capabilities=self.ABLE),
                               session.call("t", arguments)):
                    self.assertEqual(answer.result["content"][0]["text"],
                                     "ran", (arguments, answer))
                    self.assertEqual(len(answer.messages), 1)
                self.server.wait_said("cannot ask the client", before + 2)
                self.assertEqual(self.server.stderr.count(
                    "cannot ask the client"), before + 2, arguments)
        for line in ("before", "after"):
            self.assertIn("%s_tool_call of tool t failed: a hook or a cleanup "
                          "cannot ask the client" % line, self.server.stderr)

    def test_a_cleanup_must_not(self):
        answer = self.server.call("cleans", capabilities=self.ABLE)
        self.assertEqual(answer.result["content"][0]["text"], "ran")
        self.server.wait_stderr("cannot ask the client")

    def test_a_guard_may(self):
        answer = self.server.call("guarded", capabilities=self.ABLE)
        self.assertEqual(answer.result["resultType"], "input_required")


class Life(wire.TestCase):
    APP = APP

    def test_startup_and_shutdown(self):
        server = self.start(APP)
        server.wait_stderr("said: startup")
        server.stop()
        self.assertEqual(server.stderr.count("said: startup"), 1)
        self.assertEqual(server.stderr.count("said: shutdown"), 1)

    def test_what_only_looks_has_none_and_a_call_has_it(self):
        server = self.start(APP)
        for command in "check", "list":
            done = wire.run(command, server.app_file)
            self.assertNotIn("said:", done.stderr + done.stdout)
        done = wire.run("call", server.app_file, "find", "what=a")
        self.assertIn("a@main", done.stdout)
        self.assertRegex(done.stderr, "(?s)startup.*after find.*shutdown")

    def test_the_same_on_stdio(self):
        client = self.start_stdio(APP)
        client.initialize()
        answer = client.request({"jsonrpc": "2.0", "id": 5, "method":
                                 "tools/call", "params": {
                                     "name": "admin_find",
                                     "arguments": {"what": "a"}}})
        self.assertEqual(answer["result"]["content"][0]["text"], "root only")
        client.stop()
        self.assertIn("said: shutdown", client.stderr)


if __name__ == "__main__":
    unittest.main()
