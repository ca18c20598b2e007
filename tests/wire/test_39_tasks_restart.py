"""Tasks that outlive the process: SQLite, kill -9, restart = "retry"."""

import json
import os
import shutil
import tempfile
import time
import unittest

import wire
from tasks import FINAL, Tasks, TestCase, accept

APP = """
local mcp = require "mcp"
local t = mcp.types
mcp.tasks { store = "sqlite:%s/tasks.db" }

local function count(ctx, what)  -- how often a line of a handler has run
  local f = assert(io.open("%s/" .. what, "a"))
  f:write(ctx.task.id, "\\n")
  f:close()
end

local function form() return { x = t.string() } end

mcp.tool { name = "quick", task = true, handler = function(ctx) return ctx.task.id end }
mcp.tool { name = "slow", task = true, handler = function(ctx) ctx.sleep(60) end }
mcp.tool { name = "ask", task = true, handler = function(ctx)
  return ctx.elicit { message = "?", schema = form() }.content.x
end }
mcp.tool { name = "again", task = true, restart = "retry", input = { { "n", t.number() } },
  handler = function(n, ctx)
    count(ctx, "runs")
    local made = ctx.memo("made", function() count(ctx, "made") return { n = n } end)
    local a = ctx.elicit { key = "first", message = "1?", schema = form() }.content.x
    count(ctx, "after")
    local b = ctx.elicit { key = "second", message = "2?", schema = form() }.content.x
    return { made = made.n, a = a, b = b, id = ctx.task.id, client = ctx.client.info.name }
  end }
mcp.tool { name = "rounds", task = true, restart = "retry", handler = function(ctx)
  local state = ctx.request_state or "0"
  if state == "2" then
    return state .. ctx.input_responses.k.content.x
  end
  return mcp.input_required {
    requests = { k = mcp.elicit { message = state, schema = form() } },
    state = tostring(tonumber(state) + 1) }
end }
mcp.tool { name = "again_slow", task = true, restart = "retry", handler = function(ctx)
  count(ctx, "slow_runs")
  ctx.sleep(60)
end }
mcp.tool { name = "later_gone", task = true, restart = "retry", handler = function(ctx) ctx.sleep(60) end }
mcp.tool { name = "later_other", task = true, restart = "retry", input = { { "a", t.string() } },
  handler = function(a, ctx) ctx.sleep(60) end }
"""


class Restart(TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mcpluad-tasks-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.app = APP % (self.folder, self.folder)
        self.tasks = self.begin(self.app)

    def restart(self, how="kill", app=None):
        if how == "kill":
            self.tasks.server.kill()
        else:
            self.tasks.server.stop()
        self.tasks = self.begin(app or self.app)

    def lines(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return []
        with open(path) as f:
            return f.read().split()

    def asked(self, id, key):
        deadline = time.monotonic() + 10
        while True:
            task = self.tasks.wait(id, ("input_required",) + FINAL)
            self.assertEqual(task["status"], "input_required", task)
            if list(task["inputRequests"]) == [key]:
                return task
            self.assertLess(time.monotonic(), deadline, task)

    def test_what_has_ended_stays(self):
        ids = [self.tasks.create("quick") for _ in range(5)]
        before = [self.tasks.wait(id) for id in ids]
        sleeper = self.tasks.create("slow")
        self.tasks.cancel(sleeper)
        cancelled = self.tasks.wait(sleeper)
        for how in ("kill", "stop"):
            with self.subTest(how=how):
                self.restart(how)
                self.assertEqual([self.tasks.get(id) for id in ids], before)
                self.assertEqual(self.tasks.get(sleeper), cancelled)

    def test_what_ran_has_failed(self):
        for how in ("kill", "stop"):
            with self.subTest(how=how):
                slow = self.tasks.create("slow")
                ask = self.tasks.create("ask")
                self.asked(ask, "elicit-1")
                self.restart(how)
                for id, text in ((slow, "was restarted while the task was under way"),
                                 (ask, "waiting handler is not kept")):
                    task = self.tasks.wait(id)
                    self.assertEqual(task["status"], "failed")
                    self.assertEqual(task["error"]["code"], -32603)
                    self.assertIn(text, task["error"]["message"])
                    self.assertIn(text, task["statusMessage"])
                    self.assertNotIn("inputRequests", task)

    def test_retry_goes_on_from_answers_and_memo(self):
        id = self.tasks.create("again", {"n": 7})
        self.asked(id, "first")
        self.restart()
        self.assertEqual(self.asked(id, "first")["taskId"], id)
        self.tasks.update(id, {"first": accept(x="A")})
        self.asked(id, "second")
        self.restart("stop")
        self.asked(id, "second")
        self.restart()
        self.asked(id, "second")
        self.tasks.update(id, {"second": accept(x="B")})
        self.assertEqual(json.loads(self.tasks.text(id)), {
            "made": 7, "a": "A", "b": "B", "id": id, "client": "wire-test"})
        self.assertEqual(self.lines("made"), [id])
        self.assertEqual(self.lines("runs"), [id] * 4)
        self.restart()
        self.assertEqual(self.tasks.get(id)["status"], "completed")
        self.assertEqual(self.lines("runs"), [id] * 4)

    def test_an_acknowledged_answer_is_never_lost(self):
        id = self.tasks.create("again", {"n": 1})
        self.asked(id, "first")
        self.tasks.update(id, {"first": accept(x="A")})
        self.tasks.server.kill()
        self.tasks = self.begin(self.app)
        self.asked(id, "second")

    def test_retry_of_input_required(self):
        id = self.tasks.create("rounds")
        self.asked(id, "k")
        self.tasks.update(id, {"k": accept(x="A")})
        self.asked(id, "k-2")
        self.restart()
        self.asked(id, "k-2")
        self.tasks.update(id, {"k-2": accept(x="B")})
        self.assertEqual(self.tasks.text(id), "2B")

    def test_a_cancelled_task_does_not_run_again(self):
        id = self.tasks.create("again_slow")
        deadline = time.monotonic() + 10
        while not self.lines("slow_runs"):
            self.assertLess(time.monotonic(), deadline)
        self.tasks.cancel(id)
        self.tasks.server.kill()
        self.tasks = self.begin(self.app)
        self.assertEqual(self.tasks.wait(id)["status"], "cancelled")
        self.assertEqual(self.lines("slow_runs"), [id])

    def test_a_tool_that_has_changed(self):
        gone = self.tasks.create("later_gone")
        other = self.tasks.create("later_other", {"a": "x"})
        self.restart(app=self.app.replace('"later_gone"', '"elsewhere"').replace(
            '{ { "a", t.string() } }', '{ { "a", t.number() } }'))
        task = self.tasks.wait(gone)
        self.assertEqual(task["status"], "failed")
        self.assertIn("tool is not there any more", task["error"]["message"])
        task = self.tasks.wait(other)
        self.assertEqual(task["status"], "completed")
        self.assertTrue(task["result"]["isError"])

    def test_tasks_that_wait_for_their_turn(self):
        tasks = self.begin(self.app.replace("tasks.db", "other.db"),
                           options=["--task-max-running", "1"])
        busy = self.app.replace("tasks.db", "other.db")
        ids = [tasks.create("slow") for _ in range(3)]
        again = [tasks.create("rounds") for _ in range(3)]
        tasks.server.kill()
        self.tasks = self.begin(busy)
        for id in ids:
            self.assertEqual(self.tasks.wait(id)["status"], "failed")
        for id in again:
            self.asked(id, "k")

    def test_a_second_process_is_refused(self):
        done = wire.run("--port", "0", self.tasks.server.app_file)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^mcpluad: \S*/tasks\.db is in use by "
                         r"process %d; .* --task-store sqlite:PATH\n$"
                         % self.tasks.server.process.pid)

    def test_ids_of_another_store_are_unknown(self):
        id = self.tasks.create("quick")
        self.tasks.wait(id)
        other = self.begin(self.app.replace("tasks.db", "third.db"))
        self.assertEqual(other.rpc("tasks/get", {"taskId": id}).error["code"],
                         -32602)


class DefaultStore(TestCase):
    APP_TEXT = """
local mcp = require "mcp"
mcp.tool { name = "quick", task = true, handler = function() return "quick" end }
"""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mcpluad-state-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.app_file = os.path.join(self.folder, "app.lua")
        with open(self.app_file, "w") as f:
            f.write(self.APP_TEXT)

    def serve(self, **env):
        return Tasks(self.start(app_file=self.app_file, env=env))

    def test_it_is_in_the_state_folder(self):
        tasks = self.serve(STATE_DIRECTORY=self.folder)
        id = tasks.create("quick")
        tasks.wait(id)
        tasks.server.kill()
        self.assertTrue([n for n in os.listdir(self.folder) if n != "app.lua"])
        tasks = self.serve(STATE_DIRECTORY=self.folder)
        self.assertEqual(tasks.get(id)["status"], "completed")

    def test_a_second_process_keeps_its_tasks_in_memory(self):
        first = self.serve(STATE_DIRECTORY=self.folder)
        second = self.serve(STATE_DIRECTORY=self.folder)
        self.warned(second.server, first.server.process.pid)
        self.assertEqual(second.text(second.create("quick")), "quick")
        self.assertEqual(first.text(first.create("quick")), "quick")

    def warned(self, process, owner):
        """Once: whose the file is, and what to do about it."""
        process.wait_stderr("ready in")
        lines = [line for line in process.stderr.splitlines()
                 if "tasks" in line and "warning" in line]
        self.assertEqual(len(lines), 1, process.stderr)
        self.assertRegex(lines[0], "kept in memory.* in use by process %d; .*"
                         "--task-store sqlite:PATH$" % owner)

    def test_each_client_starts_a_process_of_its_own(self):
        env = {"STATE_DIRECTORY": self.folder}
        first = self.start_stdio(app_file=self.app_file, env=env)
        first.wait_stderr("ready in")
        self.assertNotIn("warning", first.stderr)
        second = self.start_stdio(app_file=self.app_file, env=env)
        self.warned(second, first.process.pid)
        own = self.start_stdio(app_file=self.app_file, env=env, options=(
            "--task-store", "sqlite:%s/own.sqlite" % self.folder))
        own.wait_stderr("ready in")
        self.assertNotIn("warning", own.stderr)
        for process in (first, second, own):
            process.initialize()
            answer = process.request({
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "quick"}})
            self.assertEqual(answer["result"]["content"][0]["text"], "quick")
        first.stop()
        after = self.start_stdio(app_file=self.app_file, env=env)
        after.wait_stderr("ready in")
        self.assertNotIn("warning", after.stderr)

    def test_without_a_state_folder(self):
        tasks = self.serve(HOME="", XDG_STATE_HOME="", STATE_DIRECTORY="")
        self.assertIn("no state folder", tasks.server.stderr)
        self.assertEqual(tasks.text(tasks.create("quick")), "quick")

    def test_an_app_without_tasks_has_no_store(self):
        self.start('require "mcp".tool("x", function() end)',
                   env={"STATE_DIRECTORY": self.folder})
        self.assertEqual(os.listdir(self.folder), ["app.lua"])


if __name__ == "__main__":
    unittest.main()
