"""mcpluad check: the report, its two forms, and the verdict."""

import json
import os
import re
import subprocess
import unittest

import wire
from test_40_command import Folder

GOOD = """
local mcp = require "mcp"
mcp.server { name = "bar", version = "1.2.3", title = "The bar",
             extra_arguments = "allow" }

--- The price of one drink.
---@param drink string A name from the menu
---@param size? "small"|"large" How much of it
---@return { cents: integer }
mcp.tool("price", function(drink, size) return { cents = 1 } end)
"""

WARNS = GOOD + """
mcp.tool("bare", function(x) end)
"""

FAILS = GOOD + """
mcp.tool("raw", { description = "Raw", input_schema = { properties = {
  a = { type = { "string", "null" }, description = "A" },
  b = { type = "string", default = 1, description = "B" } } } },
  function(args) end)
"""


class Check(Folder):
    def check(self, app, *options, code=0):
        self.write("app.lua", app)
        done = self.run_it("check", *options, "app.lua")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def report(self, app, *options, code=0):
        """The JSON report; it is one line."""
        done = self.check(app, "--format", "json", *options, code=code)
        self.assertRegex(done.stdout, r"\A[^\n]+\n\Z")
        return json.loads(done.stdout)

    def rules(self, app, *options, code=0):
        return [f["rule"] for f in
                self.report(app, *options, code=code)["findings"]]


class Report(Check):
    def test_says_what_the_app_declares(self):
        report = self.report(GOOD)
        self.assertEqual(report["app"], "app.lua")
        self.assertEqual(report["server"], {
            "name": "bar", "version": "1.2.3", "title": "The bar"})
        self.assertEqual(report["tools"], [{
            "name": "price", "title": None,
            "description": "The price of one drink.",
            "file": "app.lua", "line": 10,
            "parameters": [
                {"name": "drink", "type": "string", "required": True,
                 "default": None, "description": "A name from the menu"},
                {"name": "size", "type": '"small" | "large"',
                 "required": False, "default": None,
                 "description": "How much of it"}],
            "returns": "{ cents: integer }"}])
        self.assertEqual(report["findings"], [])
        self.assertEqual([report[n] for n in ("errors", "warnings", "notes")],
                         [0, 0, 0])

    def test_text_says_the_same(self):
        text = self.check(GOOD).stdout
        for line in (r"bar 1\.2\.3 \(The bar\), app\.lua",
                     r"1 tool", r"  price +The price of one drink\.",
                     r"    drink +string, required: A name from the menu",
                     r'    size +"small" \| "large": How much of it',
                     r"    returns +\{ cents: integer \}",
                     r"isolation: request \(.*\)",
                     r"0 errors, 0 warnings, 0 notes"):
            self.assertRegex(text, r"(?m)^%s$" % line)
        self.assertNotIn("fix:", text)
        self.assertNotRegex(self.check(WARNS).stdout, r"(?m) $")

    def test_text_has_each_rule_once_with_its_places(self):
        text = self.check(WARNS + 'mcp.tool("bald", function(x) end)').stdout
        self.assertEqual(text.count("warning: description-missing\n"), 1)
        for name, line in (("bare", 12), ("bald", 13)):
            self.assertIn("  - app.lua:%d: %s: the tool has no description\n"
                          % (line, name), text)
            self.assertIn("  - app.lua:%d: %s /inputSchema/properties/x: "
                          % (line, name), text)

    def test_findings_have_everything(self):
        report = self.report(FAILS, code=1)
        self.assertEqual([(f["severity"], f["rule"], f["tool"], f["pointer"])
                          for f in report["findings"]], [
            ("error", "type-array", "raw", "/inputSchema/properties/a/type"),
            ("error", "default-invalid", "raw",
             "/inputSchema/properties/b/default")])
        for finding in report["findings"]:
            self.assertEqual((finding["file"], finding["line"]),
                             ("app.lua", 12))
            for member in ("message", "fix", "for"):
                self.assertTrue(finding[member])
        self.assertIn("string", report["findings"][1]["message"])

    def test_what_the_app_prints_is_no_part_of_the_report(self):
        done = self.check("print 'noise' io.write('more\\n')" + GOOD,
                          "--format=json")
        json.loads(done.stdout)
        self.assertIn("noise", done.stderr)
        self.assertIn("more", done.stderr)

    def test_texts_of_the_app_do_not_move_the_cursor(self):
        text = self.check(
            'local mcp = require "mcp" mcp.server { name = "a\\27[2Jb" } '
            'mcp.tool("a", { title = "x\\27[1m", description = "\\27]0;t\\7",'
            'input_schema = { properties = { ["k\\27[0m"] = { '
            'type = "string", description = "\\8d", enum = { "\\27" } } } } },'
            'function(args) end)').stdout
        self.assertRegex(text, r"\A[^\x00-\x09\x0b-\x1f\x7f]+\Z")


class Isolation(Check):
    def of(self, app, *options):
        return self.report(app, *options)["isolation"]

    def test_copied_states(self):
        isolation = self.of(GOOD)
        self.assertEqual((isolation["mode"], isolation["fresh"],
                          isolation["remedy"]), ("request", False, None))
        self.assertRegex(isolation["text"], r"\d+ KiB")

    def test_fresh_states_say_why_and_what_to_do(self):
        for reason, app in (
                ("ffi", 'local ffi = require "ffi"'),
                ("file", 'HELD = io.open("app.lua")')):
            with self.subTest(reason=reason):
                isolation = self.of(app + GOOD)
                self.assertIs(isolation["fresh"], True)
                self.assertIn(reason, isolation["text"])
                self.assertIn("0.1 ms", isolation["meaning"])
                self.assertIn("worker", isolation["remedy"])
        self.assertIn("faster: ", self.check('require "ffi"' + GOOD).stdout)

    def test_kept_states(self):
        isolation = self.of(GOOD, "--isolation", "worker")
        self.assertEqual((isolation["mode"], isolation["fresh"],
                          isolation["remedy"]), ("worker", False, None))


    def test_compiled_code_is_warned_of(self):
        self.assertIn("endless loop", self.of(
            GOOD, "--isolation", "worker", "--jit")["meaning"])


class Verdict(Check):
    def test_exit_status(self):
        self.check(GOOD)
        self.check(GOOD, "--strict")
        self.check(WARNS)
        self.check(WARNS, "--strict", code=1)
        self.check(FAILS, code=1)
        self.check(FAILS, "--strict", code=1)

    def test_notes_are_no_warnings(self):
        app = GOOD.replace('"allow"', '"forbid"')
        self.assertEqual(self.rules(app, "--strict"), ["closed"])

    def test_an_app_that_does_not_load(self):
        for app, pattern in (
                ("syntax error here", r"app\.lua:1: .*"),
                ('local mcp = require "mcp" mcp.tool("a b", function() end)',
                 r"app\.lua:1: .*"),
                ("while true do end", r".*load_timeout.*|.*load.*")):
            self.write("app.lua", app)
            self.assertRefused(self.run_it(
                "check", "--load-timeout", "0.3", "app.lua"), 2, pattern)
        self.assertRefused(self.run_it("check", "no.lua"), 2, r".*no\.lua.*")

    def test_usage(self):
        for arguments, pattern in (
                ((), r"which app\? usage: mcpluad check .*"),
                (("--format", "xml", "app.lua"), r"--format must be .*"),
                (("--format",), r"--format must be .*"),
                (("--strct", "app.lua"), r".*did you mean --strict\?"),
                (("--port", "x", "app.lua"), r"--port.*"),
                (("app.lua", "more.lua"), r"one app at a time.*")):
            self.assertRefused(self.run_it("check", *arguments), 2, pattern)

    def test_its_options_are_its_own(self):
        for option in ("--strict", "--format=json"):
            done = self.run_it(option, "app.lua")
            self.assertRefused(done, 2, r"unknown option .*")

    def test_a_report_that_cannot_be_written(self):
        self.write("app.lua", GOOD)
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [wire.BIN, "check", "app.lua"], stdout=full, check=False,
                stderr=subprocess.PIPE, cwd=self.folder.name,
                env=wire.sanitizer_env())
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write the report", done.stderr)

    def test_options_and_variables_count(self):
        self.write("app.lua", GOOD)
        done = self.run_it("check", "--format=json", "app.lua",
                           env={"MCPLUAD_ISOLATION": "worker"})
        self.assertEqual(json.loads(done.stdout)["isolation"]["mode"],
                         "worker")
        done = self.run_it("--isolation=worker", "check", "app.lua")
        self.assertIn("isolation: worker", done.stdout)

    def test_it_listens_nowhere(self):
        with wire.Server(GOOD) as server:
            self.write("app.lua", GOOD)
            done = self.run_it("check", "--port", str(server.port), "app.lua")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_script_called_check(self):
        self.write("check", GOOD)
        for arguments in (("./check",), ("--", "check")):
            done = self.run_it("--stdio", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("1 tool", done.stderr)
        done = self.run_it("check", "check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(re.search(r"^bar 1\.2\.3 .*, check$", done.stdout,
                                  re.M), done.stdout)


class Rules(Check):
    """Through the whole program: what the authoring forms lead to."""

    def test_comments_and_types_are_plain(self):
        self.assertEqual(self.rules(GOOD + """
local t = mcp.types
mcp.tool { name = "make", description = "Makes", input = {
  { "a", t.string { description = "A", default = mcp.null } },
  { "b", t.optional(t.array { t.object { c = t.integer { description = "C" } },
                              description = "B" }) },
  { "d", t.enum { "x", "y", default = "x", description = "D" } },
}, output = { n = t.number() }, handler = function(args) return { n = 1 } end }
""", "--strict"), [])

    def test_a_class_that_contains_itself(self):
        self.assertEqual(self.rules(GOOD + """
--- A node.
---@class Node
---@field name string Its name
---@field next? Node What follows
--- Walks.
---@param node Node Where to begin
mcp.tool("walk", function(node) end)
"""), ["ref"])

    def test_names(self):
        self.assertEqual(self.rules(GOOD + """
mcp.tool("a.b", { description = "x" }, function() end)
mcp.tool(("n"):rep(65), { description = "x" }, function() end)
"""), ["name-dot", "name-long"])

    def test_the_example(self):
        done = self.run_it("check", "--strict", os.path.join(
            wire.SOURCE_DIR, "app-example", "app.lua"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_files(self):
        self.write("in.json", '{"type": "object", "$schema": '
                   '"http://json-schema.org/draft-07/schema#"}')
        self.assertEqual(self.rules(GOOD + """
mcp.tool("file", { description = "x", input_schema_file = "in.json" },
  function(args) end)
""", code=1), ["dialect", "properties-missing"])


if __name__ == "__main__":
    unittest.main()
