"""mcpluad list and mcpluad call: an app without a server."""

import json
import subprocess
import unittest

import wire
from test_40_command import Folder

APP = """
local mcp = require "mcp"
mcp.server { name = "bar", version = "1.2.3", call_timeout = 2 }
print("loading")
mcp.every(0.001, function() print("a beat") end)

--- Add two numbers.
---
--- And more words.
---@param a number First addend
---@param b? number Second addend
---@return { sum: number }
mcp.tool("add", function(a, b, ctx)
  print("printed")
  ctx.progress(1, 4) ctx.progress(2, 4, "half")
  ctx.debug("too much") ctx.info("adding") ctx.log("warning", { a = a }, "sum")
  return { sum = a + (b or 0) }
end)

---@param text string
---@param flag? boolean
---@param list? string[]
---@param map? { x: integer }
---@param size? "s"|"1"
---@param free? any
mcp.tool("echo", function(args)
  return args
end)

mcp.tool("fail", function() return nil, "no luck" end)
mcp.tool("protocol", function()
  mcp.protocol_error { code = -32000, message = "broken", data = { 1 } }
end)
mcp.tool("slow", function() while true do end end)
mcp.tool("nothing", function() end)
mcp.tool("blocks", function()
  return { mcp.text("a\\nb\\n"), mcp.image("12345", "image/png"),
           mcp.resource_link { uri = "x://y", name = "y" },
           mcp.embedded { uri = "x://t", text = "inside" },
           mcp.embedded { uri = "x://b", blob = "123456", mime_type = "a/b" } }
end)
mcp.resource { uri = "app://config", description = "Settings", text = "x" }
mcp.resource { uri_template = "notes://{id}", description = "One note",
               mime_type = "text/markdown", handler = function(id) return id end }
mcp.prompt { name = "greet", description = "Greets.",
             arguments = { { name = "who", required = true }, { name = "how" } },
             handler = function(who) return who end }
"""


class Command(Folder):
    def run_verb(self, verb, *arguments, code=0, app=APP):
        self.write("app.lua", app)
        done = self.run_it(verb, *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("a beat", done.stderr)
        self.assertNotRegex(done.stderr, wire.REPORT)
        return done

    def call(self, *arguments, code=0):
        return self.run_verb("call", "app.lua", *arguments, code=code)

    def result(self, *arguments, code=0):
        """The result with --format json; it is one line."""
        done = self.call(*arguments, "--format", "json", code=code)
        self.assertRegex(done.stdout, r"\A[^\n]+\n\Z")
        return json.loads(done.stdout)

    def echo(self, *arguments):
        """What the tool echo got."""
        return json.loads(self.call("echo", *arguments).stdout)


class List(Command):
    def test_says_what_clients_see(self):
        done = self.run_verb("list", "app.lua")
        for part in (
                "tools\n  add(a: number, b?: number) -> { sum: number }\n"
                "    Add two numbers.\n  echo(text: string, ",
                '  nothing()\n',
                "\n\nresources\n  app://config (text/plain)\n    Settings\n",
                "\n\nresource templates\n  notes://{id} (text/markdown)\n"
                "    One note\n",
                "\n\nprompts\n  greet(who, how?)\n    Greets.\n"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("more words", done.stdout)
        self.assertEqual(done.stderr, "loading\n")

    def test_json_has_the_lists_as_clients_get_them(self):
        done = self.run_verb("list", "--format=json", "app.lua")
        lists = json.loads(done.stdout)
        self.assertEqual(sorted(lists), ["prompts", "resourceTemplates",
                                         "resources", "routes", "skills",
                                         "tools"])
        self.assertEqual([t["name"] for t in lists["tools"]], [
            "add", "echo", "fail", "protocol", "slow", "nothing", "blocks"])
        self.assertEqual(lists["tools"][0]["inputSchema"]["required"], ["a"])
        self.assertEqual(lists["resources"][0]["uri"], "app://config")
        self.assertEqual(lists["resourceTemplates"][0]["uriTemplate"],
                         "notes://{id}")
        self.assertEqual(lists["prompts"][0]["name"], "greet")

    def test_every_page_is_there(self):
        app = 'local mcp = require "mcp"\nmcp.server { list_page_size = 2 }\n' \
            'for i = 1, 5 do mcp.tool("t" .. i, function() end) end'
        done = self.run_verb("list", "--format=json", "app.lua", app=app)
        self.assertEqual([t["name"] for t in json.loads(done.stdout)["tools"]],
                         ["t1", "t2", "t3", "t4", "t5"])
        text = self.run_verb("list", "app.lua", app=app).stdout
        self.assertEqual(text, "tools\n  t1()\n  t2()\n  t3()\n  t4()\n"
                               "  t5()\n")

    def test_an_empty_app(self):
        app = 'require "mcp"'
        self.assertEqual(self.run_verb("list", "app.lua", app=app).stdout,
                         "nothing is declared\n")
        self.assertEqual(
            json.loads(self.run_verb("list", "app.lua", "--format", "json",
                                     app=app).stdout),
            {"tools": [], "resources": [], "resourceTemplates": [],
             "prompts": [], "skills": [], "routes": []})

    def test_skills(self):
        app = """local mcp = require "mcp"
mcp.skill { name = "one", description = "The first\\nof two", files = { a = "" } }
mcp.skills { expose_as_resources = false, sources = { { list = function()
  return { { uri = "skill://two/SKILL.md", resources = "dynamic",
    frontmatter = { name = "two", description = "The second" } } } end } } }
"""
        self.assertEqual(
            self.run_verb("list", "app.lua", app=app).stdout,
            "skills\n  skill://one/SKILL.md (2 files)\n    The first\n"
            "  skill://two/SKILL.md (dynamic)\n    The second\n")
        done = self.run_verb("list", "app.lua", "--format", "json", app=app)
        self.assertEqual([s["frontmatter"]["name"]
                          for s in json.loads(done.stdout)["skills"]],
                         ["one", "two"])

    def test_a_wrong_app_is_2(self):
        done = self.run_verb("list", "app.lua", code=2,
                             app='require "mcp".tol()')
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Amcpluad: app\.lua:1: .*\n\Z")
        self.assertRefused(self.run_it("list"), 2,
                           r"which app\? usage: mcpluad list .*")
        self.assertRefused(self.run_it("list", "--json", "{}", "app.lua"), 2,
                           r"unknown option --json.*")

    def test_output_that_cannot_be_written_is_1(self):
        self.write("app.lua", APP)
        for arguments in (["list", "app.lua"], ["call", "app.lua", "blocks"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [wire.BIN, *arguments], stdout=full, check=False,
                    stderr=subprocess.PIPE, cwd=self.folder.name,
                    env=wire.sanitizer_env())
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"No space left", done.stderr)


class Call(Command):
    def test_prints_the_text_and_nothing_else(self):
        done = self.call("add", "a=2", "b=-0.5")
        self.assertEqual(done.stdout, '{"sum":1.5}\n')
        self.assertEqual(
            sorted(done.stderr.split("\n")),
            sorted(["loading", "printed", "progress: 1/4",
                    "progress: 2/4 half", "info: adding",
                    'warning (sum): {"a":2}', ""]))

    def test_the_log_level_rules_what_is_heard(self):
        self.assertIn("debug: too much",
                      self.call("add", "a=1", "--log-level=debug").stderr)
        quiet = self.call("add", "a=1", "--log-level", "error").stderr
        self.assertNotIn("info:", quiet)
        self.assertNotIn("warning", quiet)

    def test_json_is_the_whole_result(self):
        result = self.result("add", "a=2")
        self.assertEqual(result["resultType"], "complete")
        self.assertEqual(result["structuredContent"], {"sum": 2})
        self.assertEqual(result["content"],
                         [{"type": "text", "text": '{"sum":2}'}])

    def test_values_are_read_by_the_type_of_the_schema(self):
        self.assertEqual(self.echo("text=7"), {"text": "7"})
        self.assertEqual(self.echo("text=null"), {"text": "null"})
        self.assertEqual(self.echo("text="), {"text": ""})
        self.assertEqual(self.echo("text=a=b"), {"text": "a=b"})
        self.assertEqual(
            self.echo("text=x", "flag=true", 'list=["a","b"]', 'map={"x":1}'),
            {"text": "x", "flag": True, "list": ["a", "b"], "map": {"x": 1}})
        self.assertEqual(self.echo("text=x", "size=1"),
                         {"text": "x", "size": "1"})
        self.assertEqual(self.echo("text=x", "free=1.5"),
                         {"text": "x", "free": 1.5})
        self.assertEqual(self.echo("text=x", "free=so so"),
                         {"text": "x", "free": "so so"})
        self.assertEqual(self.echo("text=--flag", "--", "free=-1"),
                         {"text": "--flag", "free": -1})

    def test_json_arguments_and_pairs_that_win(self):
        self.assertEqual(self.echo("--json", '{"text": "a", "flag": false}'),
                         {"text": "a", "flag": False})
        self.assertEqual(
            self.echo('--json={"text": "a", "free": [1]}', "text=b"),
            {"text": "b", "free": [1]})

    def test_blocks(self):
        self.assertEqual(
            self.call("blocks").stdout,
            "a\nb\n[image image/png, 5 bytes]\n[link x://y]\ninside\n"
            "[resource a/b, 6 bytes]\n")
        self.assertEqual(self.call("nothing").stdout, "")

    def test_a_resource_is_read_by_its_uri(self):
        self.assertEqual(self.call("app://config").stdout, "x\n")
        self.assertEqual(self.call("notes://7").stdout, "7\n")
        self.assertEqual(self.result("notes://7")["contents"], [
            {"uri": "notes://7", "mimeType": "text/markdown", "text": "7"}])
        done = self.call("app://none", code=1)
        self.assertEqual(done.stdout, "")
        self.assertIn("mcpluad: resource app://none failed: Resource not found",
                      done.stderr)
        done = self.call("app://config", "a=1", code=2)
        self.assertIn("a resource takes no arguments", done.stderr)

    def test_a_prompt_is_got_by_its_name_and_takes_strings(self):
        self.assertEqual(self.call("greet", "who=12").stdout, "user: 12\n")
        self.assertEqual(self.call("greet", "--json", '{"who": "Bo"}').stdout,
                         "user: Bo\n")
        done = self.call("greet", code=1)
        self.assertIn('mcpluad: prompt greet failed: Invalid arguments for '
                      'prompt "greet": missing "who"', done.stderr)
        done = self.call("gret", code=2)
        self.assertIn('did you mean "greet"?', done.stderr)

    def test_a_failed_tool_is_1(self):
        done = self.call("fail", code=1)
        self.assertEqual(done.stdout, "")
        self.assertIn("mcpluad: tool fail failed: no luck\n", done.stderr)
        result = self.result("fail", code=1)
        self.assertTrue(result["isError"])
        done = self.call("slow", "--call-timeout=0.2", code=1)
        self.assertIn("took longer than 0.2 s", done.stderr)

    def test_wrong_arguments_are_1_and_say_what_would_be_right(self):
        done = self.call("add", "a=x", "c=1", code=1)
        self.assertEqual(done.stdout, "")
        self.assertIn('/a: must be a number, got string "x"', done.stderr)
        self.assertIn("/c: unknown property", done.stderr)
        self.assertTrue(self.result("add", code=1)["isError"])

    def test_a_protocol_error_is_1(self):
        done = self.call("protocol", code=1)
        self.assertIn("mcpluad: tool protocol failed: broken\n", done.stderr)
        self.assertEqual(self.result("protocol", code=1), {
            "error": {"code": -32000, "message": "broken", "data": [1]}})

    def test_nobody_is_there_to_be_asked(self):
        app = ('local mcp = require "mcp"\n'
               'mcp.tool("ask", function(ctx)\n'
               '  ctx.elicit { message = "?", schema = {} }\nend)\n')
        done = self.run_verb("call", "app.lua", "ask", code=1, app=app)
        self.assertEqual(done.stdout, "")
        self.assertIn('this call needs: {"elicitation":{"form":{}}}; '
                      'mcpluad call has no client to ask\n', done.stderr)

    def test_usage_is_2(self):
        for arguments, text in (
                (["ad"], 'there is no tool "ad"; did you mean "add"?'),
                (["qqqqqqq"], 'there is no tool "qqqqqqq"; mcpluad list '
                              'app.lua tells which there are'),
                ([], "which tool? mcpluad list app.lua tells which"),
                (["add", "7"], 'an argument of the tool is key=value, not '
                               '"7"'),
                (["add", "=7"], "an argument of the tool is key=value"),
                (["add", "a=1", "a=2"], 'the argument "a" is given twice'),
                (["add", "--json", "[]"], "--json must be an object"),
                (["add", "--json", '{"a":1'], "--json: "),
                (["add", "--json"], "--json needs a value: OBJECT"),
                (["add", "--jsn={}"], "did you mean --json?"),
                (["add", "--format=xml"], "--format must be text or json")):
            done = self.call(*arguments, code=2)
            self.assertEqual(done.stdout, "", arguments)
            self.assertIn(text, done.stderr)
        self.assertRefused(
            self.run_it("call"), 2,
            r"which app\? usage: mcpluad call \[options\] app\.lua TOOL .*")

    def test_a_script_of_that_name_is_served_by_its_path(self):
        self.write("x/list", "error('that is it')")
        done = self.run_it("./x/list")
        self.assertEqual(done.returncode, 2)
        self.assertIn("that is it", done.stderr)


if __name__ == "__main__":
    unittest.main()
