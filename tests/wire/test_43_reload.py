"""A running server takes a changed app: by --dev on every save, by SIGHUP
always. A broken script changes nothing."""

import os
import signal
import threading
import time
import unittest

import wire

APP = """
local mcp = require "mcp"
local words = require "words"

mcp.server { name = "reload", version = "1.0.0" }

mcp.tool("word", function() return words.word end)

-- until there is a file
mcp.tool("slow", function(file, ctx)
  io.stderr:write("it begins\\n")
  while true do
    local found = io.open(file)
    if found then found:close() return words.word end
    ctx.sleep(0.05)
  end
end)
"""


class Reload(wire.TestCase):
    def begin(self, *options):
        server = self.start(APP, options=options,
                            files={"words.lua": self.module("one")})
        self.assertEqual(self.word(server), "one")
        return server

    @staticmethod
    def module(word):
        return 'return { word = "%s" }\n' % word

    @staticmethod
    def word(server):
        return server.call("word").result["content"][0]["text"]

    def save(self, server, name, text):
        """As editors do: a new file, then renamed over the old one."""
        path = server.write(name + ".new", text)
        os.replace(path, os.path.join(server.folder, name))

    def assertBecomes(self, server, word, seconds=10):
        end = time.monotonic() + seconds
        while self.word(server) != word:
            self.assertLess(time.monotonic(), end, server.stderr)
            time.sleep(0.02)


class Dev(Reload):
    def test_a_saved_module_is_reloaded(self):
        server = self.begin("--dev")
        self.save(server, "words.lua", self.module("two"))
        self.assertBecomes(server, "two")

    def test_a_new_tool_is_listed(self):
        server = self.begin("--dev")
        self.save(server, "app.lua",
                  APP + 'mcp.tool("new", function() return "new" end)\n')
        end = time.monotonic() + 10
        names = []
        while "new" not in names:
            self.assertLess(time.monotonic(), end, server.stderr)
            names = [t["name"] for t in
                     server.rpc("tools/list").result["tools"]]
        self.assertEqual(names, ["word", "slow", "new"])

    def test_a_broken_script_changes_nothing_and_is_told(self):
        server = self.begin("--dev")
        self.save(server, "app.lua", APP + "functon\n")
        last = APP.count("\n") + 1
        server.wait_stderr(r"error +app: .*app\.lua:(%d|%d): " % (
            last, last + 1))
        self.assertEqual(self.word(server), "one")
        self.save(server, "words.lua", self.module("three"))
        self.save(server, "app.lua", APP)
        self.assertBecomes(server, "three")

    def test_a_running_call_ends_on_what_it_began_with(self):
        server = self.begin("--dev")
        answers = []
        go = os.path.join(server.folder, "go")
        thread = threading.Thread(target=lambda: answers.append(
            server.call("slow", {"file": go})))
        thread.start()
        server.wait_said("it begins")
        self.save(server, "words.lua", self.module("two"))
        self.assertBecomes(server, "two")
        self.assertEqual(answers, [])
        server.write("go", "")
        thread.join()
        self.assertEqual(answers[0].result["content"][0]["text"], "one")


class Hangup(Reload):
    def test_sighup_reloads_and_a_save_alone_does_not(self):
        server = self.begin()
        self.save(server, "words.lua", self.module("two"))
        time.sleep(0.5)
        self.assertEqual(self.word(server), "one")
        server.signal(signal.SIGHUP)
        self.assertBecomes(server, "two")

    def test_where_it_listens_needs_a_restart_and_the_log_says_so(self):
        server = self.begin()
        self.save(server, "app.lua", APP.replace(
            'version = "1.0.0"', 'version = "1.0.0", base_path = "/new"'))
        server.signal(signal.SIGHUP)
        server.wait_stderr(r"warning app: .*base_path.*restart")
        self.assertEqual(self.word(server), "one")

    def test_going_back_to_what_runs_needs_no_restart(self):
        server = self.begin()
        other = APP.replace('version = "1.0.0"',
                            'version = "1.0.0", base_path = "/new"')
        for text, generation in ((other, 2), (other + "--", 3), (APP, 4)):
            self.save(server, "app.lua", text)
            server.signal(signal.SIGHUP)
            server.wait_stderr(r"as generation %d in .*" % generation)
        time.sleep(0.2)
        self.assertEqual(server.stderr.count("base_path"), 2)


if __name__ == "__main__":
    unittest.main()
