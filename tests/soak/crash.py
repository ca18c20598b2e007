"""crash.py - kills the server under load, again and again; are tasks true?

Clients make tasks of every kind, answer their questions, cancel some, and note
all that they were told. The server is killed (SIGKILL) at a random moment and
started again on the same store. After each start and at the end:

* no task whose id was handed out is unknown,
* what was seen as final is still the same, byte for byte,
* a cancel that was acknowledged ends as cancelled, an answer that was
  acknowledged is not asked for again, a value of ctx.memo that was seen stays,
* a task with restart = "retry" ends as if nothing had happened; any other runs
  once at most, and has its own result or failed.

./dev soak crash [--kills N] [--clients N] [--seed N]
Exit 1 when something is not true.
"""

import argparse
import http.client
import json
import os
import random
import re
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "wire"))
import wire  # noqa: E402 (needs the path)
from tasks import FINAL, Tasks, accept  # noqa: E402

APP = """
local mcp = require "mcp"
local t = mcp.types
mcp.tasks { store = "sqlite:FOLDER/tasks.db", max_stored = 1000000, ttl_ms = 86400000 }

local function note(file, ctx)
  local f = assert(io.open("FOLDER/" .. file, "a"))
  f:write(ctx.task.id .. "\\n")
  f:close()
end

local number = { { "n", t.number() } }
local function form() return { x = t.string() } end

mcp.tool { name = "quick", task = true, input = number, handler = function(n, ctx)
  note("runs", ctx)
  return "quick " .. n
end }
mcp.tool { name = "slow", task = true, input = number, handler = function(n, ctx)
  note("runs", ctx)
  ctx.sleep(0.3)
  return "slow " .. n
end }
mcp.tool { name = "ask", task = true, restart = "retry", input = number, handler = function(n, ctx)
  local made = ctx.memo("made", function() return ("%d-%d"):format(n, math.random(1, 1e9)) end)
  local a = ctx.elicit { key = "a", message = "made " .. made, schema = form() }
  ctx.sleep(0.05)
  local b = ctx.elicit { key = "b", message = "made " .. made, schema = form() }
  return ("ask %d %s %s %s"):format(n, made, a.content.x, b.content.x)
end }
mcp.tool { name = "again", task = true, restart = "retry", input = number, handler = function(n, ctx)
  ctx.progress(1)
  ctx.sleep(0.2)
  return "again " .. n
end }
"""
LEFT = (OSError, http.client.HTTPException, ValueError)


class Wrong(Exception):
    pass


class Note:
    """What a client knows of one task."""

    def __init__(self, kind, n):
        self.kind, self.n = kind, n
        self.final = self.made = None
        self.answered, self.cancelled = {}, False
        self.sent_cancel = False
        self.story = []

    def tell(self, what):
        """Remembers the last things that happened, for the verdict."""
        self.story = self.story[-9:] + ["%.3f %s" % (time.time() % 1000, what)]

    def check(self, task):
        """Does the task agree with what was seen before?"""
        self.tell("%s %s" % (task["status"], ",".join(task.get("inputRequests", ()))))
        if self.final is not None:
            if task != self.final:
                raise Wrong("was %r, is %r" % (self.final, task))
            return
        for key, request in task.get("inputRequests", {}).items():
            if key in self.answered:
                raise Wrong("asks for %s again: %r" % (key, task))
            made = request["params"]["message"]
            if self.made not in (None, made):
                raise Wrong("memo was %s, is %s" % (self.made, made))
            self.made = made
        if task["status"] in FINAL:
            self.check_end(task)
            self.final = task

    def check_end(self, task):
        status = task["status"]
        if status == "cancelled":
            if not self.sent_cancel:
                raise Wrong("cancelled by nobody: %r" % task)
        elif self.cancelled:
            raise Wrong("was cancelled: %r" % task)
        elif status == "completed":
            text = task["result"]["content"][0]["text"]
            if not re.match(self.expected() + "$", text):
                raise Wrong("%r is not %r" % (text, self.expected()))
        elif self.kind in ("ask", "again") or "restarted" not in str(task["error"]):
            raise Wrong("failed: %r" % task)

    def expected(self):
        text = "%s %d" % (self.kind, self.n)
        if self.kind == "ask":
            made = self.made[len("made "):] if self.made else r"\S+"
            text += " %s %s %s" % (made, self.answered.get("a", r"\S+"),
                                   self.answered.get("b", r"\S+"))
        return text


class Crash:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.folder = tempfile.mkdtemp(prefix="mcpluad-crash-")
        self.app = APP.replace("FOLDER", self.folder)
        self.lock = threading.Lock()
        self.notes = {}  # by id
        self.wrong = []
        self.count = 0

    # ---- one client ----

    def make(self, tasks, rng):
        kind = rng.choice(("quick", "quick", "slow", "ask", "ask", "again"))
        with self.lock:
            self.count += 1
            n = self.count
        id = tasks.create(kind, {"n": n})
        with self.lock:
            self.notes[id] = Note(kind, n)
        return id

    def step(self, tasks, rng, id):
        """One look at a task, and one thing done to it. True: it has ended."""
        note = self.notes[id]
        task = tasks.get(id)
        del task["_meta"]
        note.check(task)
        if note.final is not None:
            return True
        keys = list(task.get("inputRequests", ()))
        if keys and rng.random() < 0.8:
            answers = {key: "%s%d" % (key, note.n) for key in keys}
            answer = tasks.update(id, {k: accept(x=v) for k, v in answers.items()})
            if answer.json.get("result", {}).get("resultType") != "complete":
                raise Wrong("update: %r" % answer.json)
            note.answered.update(answers)
            note.tell("answered " + ",".join(keys))
        elif rng.random() < 0.03 and not note.sent_cancel:
            note.sent_cancel = True
            answer = tasks.cancel(id)
            if answer.json.get("result", {}).get("resultType") != "complete":
                raise Wrong("cancel: %r" % answer.json)
            task = tasks.get(id)
            note.cancelled = task["status"] not in ("completed", "failed")
        return False

    def client(self, server, stop, seed):
        rng, tasks, mine = random.Random(seed), Tasks(server), []
        id = None
        try:
            while not stop.is_set():
                if len(mine) < 10:
                    mine.append(self.make(tasks, rng))
                id = rng.choice(mine)
                if self.step(tasks, rng, id):
                    mine.remove(id)
        except LEFT:
            pass  # the server is gone
        except (Wrong, AssertionError) as e:
            if not stop.is_set() or isinstance(e, Wrong):
                self.found(id, e)

    def found(self, id, what):
        story = self.notes[id].story if id in self.notes else ()
        self.wrong.append("%s: %s\n    %s" % (id, what, "\n    ".join(story)))

    # ---- rounds ----

    def look_at_all(self, server):
        """Every task that was ever told of, against what is known of it."""
        tasks = Tasks(server)
        for id, note in list(self.notes.items()):
            try:
                task = tasks.get(id)
                del task["_meta"]
                note.check(task)
            except (Wrong, AssertionError) as e:
                self.found(id, e)

    def round(self):
        with wire.Server(self.app) as server:
            self.look_at_all(server)
            stop = threading.Event()
            clients = [threading.Thread(target=self.client, args=(
                server, stop, self.random.random()))
                for _ in range(self.options.clients)]
            for c in clients:
                c.start()
            time.sleep(self.random.uniform(0.05, 1.2))
            for note in list(self.notes.values()):
                note.tell("killed")
            server.kill()
            stop.set()
            for c in clients:
                c.join()

    def finish(self):
        """All that is left comes to its end."""
        with wire.Server(self.app) as server:
            self.look_at_all(server)
            tasks, rng = Tasks(server), random.Random(1)
            end = time.monotonic() + 120
            left = [id for id, note in self.notes.items() if note.final is None]
            while left and not self.wrong:
                if time.monotonic() > end:
                    self.wrong.append("%d tasks never end" % len(left))
                    break
                left = [id for id in left if not self.last_step(tasks, rng, id)]
        self.check_runs()

    def last_step(self, tasks, rng, id):
        try:
            return self.step(tasks, rng, id)
        except (Wrong, AssertionError) as e:
            self.found(id, e)
            return True

    def check_runs(self):
        runs = {}
        with open(os.path.join(self.folder, "runs")) as f:
            for line in f:
                runs[line.strip()] = runs.get(line.strip(), 0) + 1
        for id, count in runs.items():
            if count > 1:
                self.wrong.append("%s ran %d times" % (id, count))

    def run(self):
        try:
            for i in range(self.options.kills):
                self.round()
                if self.wrong:
                    break
            if not self.wrong:
                self.finish()
        finally:
            shutil.rmtree(self.folder)
        ends = {}
        for note in self.notes.values():
            status = note.final["status"] if note.final else "open"
            ends[status] = ends.get(status, 0) + 1
        print("crash: %d kills, %d tasks: %s (seed %d)" % (
            self.options.kills, len(self.notes), json.dumps(ends),
            self.options.seed))
        for text in self.wrong[:20]:
            print("crash: WRONG " + text)
        return 1 if self.wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    return Crash(parser.parse_args()).run()


if __name__ == "__main__":
    sys.exit(main())
