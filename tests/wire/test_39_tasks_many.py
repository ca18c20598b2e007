"""Many tasks at once: queued, parked; memory, threads, every one answered.

TASKS_MANY (default 0.1) scales the numbers of the issue: 1 is 10 000 queued
and 1 000 parked.
"""

import os
import threading
import time
import unittest

import wire
from tasks import TestCase, Tasks, accept

SCALE = float(os.environ.get("TASKS_MANY") or "0.1")
QUEUED = int(10000 * SCALE)
PARKED = int(1000 * SCALE)
CLIENTS = 8
SECONDS = 60 + 600 * SCALE

APP = """
local mcp = require "mcp"
local t = mcp.types
mcp.tasks { store = "%s", max_stored = 20000, ttl_ms = 3600000 }
mcp.tool { name = "ask", task = true, input = { { "n", t.number() } }, handler = function(n, ctx)
  return n .. ctx.elicit { message = "?", schema = { x = t.string() } }.content.x
end }
mcp.tool { name = "sleep", task = true, handler = function(ctx) ctx.sleep(3600) end }
mcp.tool { name = "hold", task = true, handler = function(ctx)
  while not mcp.shared("gate"):get("open") do ctx.memo("x", function() return 1 end) end
end }
mcp.tool { name = "quick", task = true, input = { { "n", t.number() } },
  handler = function(n) return "quick " .. n end }
mcp.tool("open", function() mcp.shared("gate"):set("open", true) return "open" end)
"""


def threads(server):
    with open("/proc/%d/status" % server.process.pid) as f:
        for line in f:
            if line.startswith("Threads:"):
                return int(line.split()[1])


def spread(count, work):
    """work(i) for all i by a few threads; the results in order."""
    results, lock, next_ = [None] * count, threading.Lock(), [0]
    errors = []

    def run():
        while not errors:
            with lock:
                i = next_[0]
                next_[0] += 1
            if i >= count:
                return
            try:
                results[i] = work(i)
            except Exception as e:  # told by the caller
                errors.append(e)
    all_ = [threading.Thread(target=run) for _ in range(CLIENTS)]
    for t in all_:
        t.start()
    for t in all_:
        t.join()
    if errors:
        raise errors[0]
    return results


class Many(TestCase):
    def run_with(self, store):
        tasks = self.begin(APP % store, options=["--max-workers", "8"])
        server = tasks.server
        local = threading.local()

        def mine():
            if not hasattr(local, "tasks"):
                local.tasks = Tasks(server)
            return local.tasks
        tell = lambda what: print("  %s: %s, %d KiB, %d threads" % (
            store.split(":")[0], what, server.rss_kib(), threads(server)))
        tell("empty")
        idle_threads = threads(server)
        parked = spread(PARKED // 2, lambda i: mine().create("ask", {"n": i}))
        asleep = spread(PARKED - len(parked), lambda i: mine().create("sleep"))
        for id in parked:
            tasks.wait(id, ("input_required",), SECONDS)
        tell("%d parked" % PARKED)
        self.assertLessEqual(threads(server), idle_threads + 10)
        holds = [tasks.create("hold") for _ in range(4)]
        time.sleep(0.5)
        queued = spread(QUEUED, lambda i: mine().create("quick", {"n": i}))
        tell("and %d queued" % QUEUED)
        self.assertLessEqual(threads(server), idle_threads + 10)
        begin = time.monotonic()
        self.assertEqual(tasks.call("open").result["content"][0]["text"], "open")
        self.assertLess(time.monotonic() - begin, 10, "calls wait for tasks")
        for id in holds:
            tasks.wait(id, seconds=SECONDS)
        for i, id in enumerate(queued):
            self.assertEqual(tasks.wait(id, seconds=SECONDS)["result"]["content"]
                             [0]["text"], "quick %d" % i)
        tell("%d answered" % QUEUED)
        spread(len(parked), lambda i: mine().update(
            parked[i], {"elicit-1": accept(x="!")}))
        for i, id in enumerate(parked):
            self.assertEqual(tasks.wait(id, seconds=SECONDS)["result"]["content"]
                             [0]["text"], "%d!" % i)
        spread(len(asleep), lambda i: mine().cancel(asleep[i]))
        for id in asleep:
            self.assertEqual(tasks.wait(id, seconds=SECONDS)["status"], "cancelled")
        tell("all ended")

    def test_in_memory(self):
        self.run_with("memory:")

    def test_in_sqlite(self):
        folder = wire.tempfile.mkdtemp(prefix="mcpluad-many-")
        self.addCleanup(wire.shutil.rmtree, folder)
        self.run_with("sqlite:%s/tasks.db" % folder)


if __name__ == "__main__":
    unittest.main()
