"""mcpluad test: the specs of an app, with mcp.test."""

import os
import subprocess
import tempfile
import textwrap
import unittest

import wire

APP = """
local mcp = require "mcp"
local t = mcp.types
local counts = mcp.shared("counts")

mcp.server { name = "spec", version = "1" }

--- Add.
---@param a number
---@param b number
---@return { sum: number }
mcp.tool("add", function(a, b) return { sum = a + b } end)

mcp.tool("name", function(ctx)
  local answer = ctx.elicit {
    message = "Your name?",
    schema = { type = "object", properties = { name = { type = "string" } }, required = { "name" } },
  }
  if answer.action ~= "accept" then return nil, "nobody" end
  local said = ctx.sample { prompt = "Greet " .. answer.content.name, max_tokens = 10 }
  return said.content.text .. " " .. #ctx.roots()
end)

mcp.tool("count", function() return counts:incr("calls") end)
mcp.tool("remember", function(value) counts:set("kept", value, 60) end)
mcp.tool("kept", function() return counts:get("kept") or "gone" end)
mcp.tool("nap", function(seconds, ctx) ctx.sleep(seconds) return "rested" end)
mcp.tool("touch", function() mcp.notify_resource_updated("spec://x") end)
mcp.tool("fail", function() error("on purpose") end)
mcp.tool("spin", { timeout = 0.2 }, function() while true do end end)
mcp.tool("nothing", function(a) return mcp.is_null(a) end)
mcp.resource { uri = "spec://x", text = "x" }
mcp.every(3600, function() counts:incr("hours") end)
"""


def run(spec, *arguments, app=APP, env=None, timeout=60):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "spec"))
        with open(os.path.join(folder, "app.lua"), "w") as f:
            f.write(app)
        with open(os.path.join(folder, "spec", "app_spec.lua"), "w") as f:
            f.write('local mcp_test = require "mcp.test"\n' + textwrap.dedent(spec))
        return subprocess.run(
            [wire.BIN, "test", *arguments], cwd=folder, text=True,
            env={**os.environ, **(env or {})}, timeout=timeout,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class Specs(unittest.TestCase):
    def passes(self, body, **more):
        body = textwrap.indent(textwrap.dedent(body), "  ")
        done = run(f'it("works", function()\n{body}\nend)\n', **more)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 success / 0 failures / 0 errors", done.stdout)
        return done.stdout

    def test_a_tool_is_called_and_checked(self):
        self.passes("""
            local client = mcp_test.client("app.lua")
            local result = assert(client:call_tool("add", { a = 1, b = 2 }))
            assert.same({ sum = 3 }, result.structuredContent)
            local wrong = assert(client:call_tool("add", { a = "x" }))
            assert.is_true(wrong.isError)
            local failed = assert(client:call_tool("fail"))
            assert.equal("on purpose", mcp_test.text(failed))
            local none, fault = client:call_tool("ad")
            assert.is_nil(none)
            assert.equal(-32602, fault.code)
            assert.is_truthy(tostring(fault):find("ad", 1, true))
            local names = {}
            for i, tool in ipairs(client:list_tools()) do names[i] = tool.name end
            assert.equal("add", names[1])
            assert.equal("true", mcp_test.text(client:call_tool("nothing", { a = mcp_test.null })))
        """)

    def test_questions_are_answered_in_every_revision(self):
        self.passes("""
            for _, revision in ipairs { "2026-07-28", "2025-11-25", "2025-06-18" } do
              local asked = {}
              local client = mcp_test.client("app.lua", {
                revision = revision,
                answer = function(q)
                  asked[#asked + 1] = q.kind
                  if q.kind == "elicit" then
                    assert.equal("Your name?", q.message)
                    return { name = "Ada" }
                  elseif q.kind == "sample" then
                    return "Hello Ada"
                  end
                  return { "file:///a", "file:///b" }
                end,
              })
              local result = assert(client:call_tool("name"))
              assert.equal("Hello Ada 2", mcp_test.text(result))
              assert.same({ "elicit", "sample", "roots" }, asked)
              client:close()
            end
            local client = mcp_test.client("app.lua", { answer = function() end })
            assert.equal("nobody", mcp_test.text(client:call_tool("name")))
        """)

    def test_a_question_without_an_answer_says_what_to_do(self):
        done = run("""
            it("asks", function()
              local can = { elicitation = { form = mcp_test.object {} } }
              mcp_test.client("app.lua", { capabilities = can }):call_tool("name")
            end)
        """)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('asks "Your name?"; give the client answer', done.stdout)

    def test_shared_dictionaries_are_seen_and_set(self):
        self.passes("""
            local client = mcp_test.client("app.lua")
            local counts = client:shared("counts")
            counts:set("calls", 41)
            assert.equal("42", mcp_test.text(client:call_tool("count")))
            assert.equal(42, counts:get("calls"))
            counts:set("t", { a = { 1, 2 } })
            assert.same({ a = { 1, 2 } }, counts:get("t"))
            assert.same({ "calls", "t" }, counts:keys())
            assert.is_true(counts:delete("t"))
            assert.is_nil(counts:get("t"))
        """)

    def test_time_passes_when_the_spec_says_so(self):
        self.passes("""
            local client = mcp_test.client("app.lua", { options = { call_timeout = 80000 } })
            assert(client:call_tool("remember", { value = "x" }))
            local nap = client:start_tool("nap", { seconds = 5000 })
            client:advance(59)
            assert.equal("x", mcp_test.text(client:call_tool("kept")))
            assert.is_nil(client:shared("counts"):get("hours"))
            client:advance(1)
            assert.equal("gone", mcp_test.text(client:call_tool("kept")))
            client:advance(5000)
            assert.equal("rested", mcp_test.text(assert(nap:result())))
            assert.is_truthy(mcp_test.eventually(function()
              return client:shared("counts"):get("hours") == 1
            end))
            local late = client:start_tool("nap", { seconds = 90000 })
            client:advance(80001)
            assert.is_true(assert(late:result()).isError)
        """)

    def test_changes_are_heard(self):
        self.passes("""
            local client = mcp_test.client("app.lua")
            local stream = client:listen { resourceSubscriptions = { "spec://x" } }
            assert.is_nil(stream:next(0.05))
            client:call_tool("touch")
            local message = assert(stream:next())
            assert.equal("notifications/resources/updated", message.method)
            assert.equal("spec://x", message.params.uri)
        """)

    def test_routes(self):
        self.passes("""
            local client = mcp_test.client("app.lua")
            local got = client:http("GET", "/items/7?deep=true")
            assert.same({ 200, { id = 7, deep = true } }, { got.status, got.json })
            assert.equal("application/json", got.headers["Content-Type"])
            local made = client:http("POST", "/items", { body = { name = "x" } })
            assert.same({ 201, "made x" }, { made.status, made.body })
            assert.equal(422, client:http("GET", "/items/x").status)
            assert.equal(415, client:http("POST", "/items",
              { body = "x", headers = { ["Content-Type"] = "text/plain" } }).status)
            assert.equal(404, client:http("GET", "/nowhere").status)
            local wrong = client:http("DELETE", "/items/7")
            assert.same({ 405, "GET" }, { wrong.status, wrong.headers.Allow:match("GET") })
            local own = client:http("GET", "/own", { headers = { ["X-Name"] = "Ada" } })
            assert.same({ 418, "Ada" }, { own.status, own.headers["X-Echo"] })
        """, app=APP + """
            mcp.get("/items/{id:int}", { input = { { "deep", t.boolean { default = false } } } },
              function(id, deep) return { id = id, deep = deep } end)
            mcp.post("/items", { status = 201, input = { { "name", t.string() } } },
              function(name) return "made " .. name end)
            mcp.get("/own", function(ctx)
              return mcp.http { status = 418, headers = { ["X-Echo"] = ctx.request.headers["x-name"] },
                                body = "teapot" }
            end)
        """)

    def test_runaways_and_clients_that_leave(self):
        self.passes("""
            local client = mcp_test.client("app.lua")
            assert.is_true(assert(client:call_tool("spin")).isError)
            local nap = client:start_tool("nap", { seconds = 20 })
            nap:cancel()
            assert.equal("3", (mcp_test.text(client:call_tool("add", { a = 1, b = 2 })):match("%d")))
            client:start_tool("nap", { seconds = 20 })
            client:close()
            assert.has_error(function() client:call_tool("add") end, "the client has been closed")
        """)

    def test_the_files_are_loaded_again(self):
        self.passes("""
            local client = mcp_test.client("app.lua")
            local f = assert(io.open("app.lua", "a"))
            f:write('\\nmcp.tool("late", function() return "here" end)\\n')
            f:close()
            assert.is_true(client:reload())
            assert.equal("here", mcp_test.text(client:call_tool("late")))
        """)

    def test_what_is_wrong_is_told(self):
        self.passes("""
            local function message(...)
              local ok, err = pcall(mcp_test.client, ...)
              assert.is_false(ok)
              return err
            end
            assert.is_truthy(message("no.lua"):find("no.lua", 1, true))
            assert.is_truthy(message("app.lua", { revison = "x" }):find("no option \\"revison\\"", 1, true))
            assert.is_truthy(message("app.lua", { revision = "2020" }):find("2020", 1, true))
            assert.is_truthy(message("app.lua", { options = { qeue = 1 } }):find("queue", 1, true))
            assert.is_truthy(message(7):find("a file name", 1, true))
        """)

    def test_the_exit_status_is_that_of_the_specs(self):
        failing = run('it("fails", function() assert.equal(1, 2) end)')
        self.assertEqual(failing.returncode, 1, failing.stdout)
        left_open = run("""
            it("leaves all open", function()
              mcp_test.client("app.lua"):start_tool("nap", { seconds = 20 })
              os.exit(3)
            end)
        """)
        self.assertEqual(left_open.returncode, 3, left_open.stdout)

    def test_without_busted_it_says_how_to_get_it(self):
        done = run("", env={"LUA_PATH": "./?.lua"})
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("apt install lua-busted", done.stdout)

    def test_arguments_are_those_of_busted(self):
        done = run('it("one", function() end)\nit("two", function() end)',
                   "--filter", "two", "-o", "TAP")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1..1", done.stdout)

    def test_an_app_cannot_require_it(self):
        done = run('it("x", function() mcp_test.client("app.lua") end)',
                   app='require "mcp.test"')
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("run by: mcpluad test", done.stdout)

    def test_many_apps_in_one_run(self):
        self.passes("""
            for i = 1, 30 do
              local client = mcp_test.client("app.lua")
              assert(client:call_tool("count"))
              if i % 2 == 0 then client:close() end
            end
        """)


class Example(unittest.TestCase):
    def test_the_specs_of_the_example_pass(self):
        top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        done = subprocess.run(
            [wire.BIN, "test"], cwd=os.path.join(top, "app-example"), text=True,
            timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("0 failures / 0 errors", done.stdout)


if __name__ == "__main__":
    unittest.main()
