"""completion/complete at each revision."""

import unittest

import wire

APP = r"""
local mcp = require "mcp"
mcp.server { name = "typing", version = "1.0" }
local frameworks = { python = { "flask", "falcon", "django" }, lua = { "lapis" } }
mcp.prompt { name = "review", description = "Review",
  arguments = {
    { name = "language", required = true, complete = { "Python", "Perl", "Jython", "Lua" } },
    { name = "framework", complete = function(value, ctx)
        return frameworks[ctx.arguments.language or ""] or {} end },
    { name = "bare" },
    { name = "broken", complete = function() error("no idea") end },
    { name = "many", complete = function(value)
        local all = {} for i = 1, 250 do all[i] = ("item-%d"):format(i) end return all end },
    { name = "typed", complete = function(value) return { value .. "!" } end } },
  handler = function(language) return language end }
mcp.resource { uri_template = "t://{kind}/{id}", complete = {
    id = function(value, ctx) return { "a-" .. (ctx.arguments.kind or "?") } end },
  handler = function(id) return id end }
mcp.resource { uri = "t://one", text = "1" }
"""
PROMPT = {"type": "ref/prompt", "name": "review"}
TEMPLATE = {"type": "ref/resource", "uri": "t://{kind}/{id}"}


class Completion(wire.TestCase):
    APP = APP

    def everywhere(self, params):
        """(version, answer) of the same question at each revision."""
        yield wire.MODERN, self.server.rpc("completion/complete", params)
        for version in wire.LEGACY:
            yield version, self.server.session(version).request(
                "completion/complete", params)

    def ask(self, name, value, ref=PROMPT, **more):
        return self.server.rpc("completion/complete", {
            "ref": ref, "argument": {"name": name, "value": value}, **more})

    def values(self, *question, **more):
        completion = self.ask(*question, **more).result["completion"]
        self.assertEqual(completion["total"], len(completion["values"]))
        self.assertIs(completion["hasMore"], False)
        return completion["values"]

    def test_results_of_each_revision(self):
        for version, answer in self.everywhere({
                "ref": PROMPT, "argument": {"name": "language",
                                            "value": "py"}}):
            expected = {"completion": {"values": ["Python"], "total": 1,
                                       "hasMore": False}}
            if version == wire.MODERN:
                expected.update(resultType="complete", _meta={
                    "io.modelcontextprotocol/serverInfo": {
                        "name": "typing", "version": "1.0"}})
                capabilities = self.server.rpc("server/discover").result
            else:
                capabilities = self.server.session(version).initialized.result
            self.assertEqual(answer.result, expected)
            self.assertEqual(capabilities["capabilities"]["completions"], {})

    def test_prefix_before_part_before_order(self):
        self.assertEqual(self.values("language", "p"), ["Python", "Perl"])
        self.assertEqual(self.values("language", "Y"), ["Python", "Jython"])
        self.assertEqual(self.values("language", "pl"), ["Perl"])
        self.assertEqual(self.values("language", "l"), ["Lua", "Perl"])
        self.assertEqual(self.values("language", "x"), [])
        self.assertEqual(self.values("language", ""),
                         ["Python", "Perl", "Jython", "Lua"])

    def test_what_is_chosen_already(self):
        for language, expected in (("python", ["flask", "falcon"]),
                                   ("lua", []), ("cobol", [])):
            self.assertEqual(self.values("framework", "f", context={
                "arguments": {"language": language}}), expected)
        for context in (None, {}, {"arguments": None}, {"arguments": {}}):
            self.assertEqual(self.values("framework", "", context=context), [])

    def test_what_is_typed_reaches_the_handler(self):
        self.assertEqual(self.values("typed", "h\u00e9"), ["h\u00e9!"])

    def test_templates(self):
        self.assertEqual(self.values("id", "", TEMPLATE, context={
            "arguments": {"kind": "note"}}), ["a-note"])
        self.assertEqual(self.values("kind", "", TEMPLATE), [])
        self.assertEqual(self.values("any", "", {
            "type": "ref/resource", "uri": "t://one"}), [])

    def test_arguments_without_a_completer(self):
        self.assertEqual(self.values("bare", "x"), [])

    def test_at_most_100(self):
        for value, total in (("item", 250), ("item-1", 133), ("item-25", 8)):
            completion = self.ask("many", value).result["completion"]
            self.assertEqual(completion["total"], total)
            self.assertEqual(len(completion["values"]), min(total, 100))
            self.assertEqual(completion["hasMore"], total > 100)
            self.assertEqual(completion["values"][0], {
                250: "item-1", 133: "item-1", 8: "item-25"}[total])

    def test_a_handler_that_fails_gives_nothing_and_is_logged(self):
        self.assertEqual(self.values("broken", ""), [])
        self.server.wait_stderr("no idea")

    def test_unknown_things(self):
        for params in (
                {"ref": {"type": "ref/prompt", "name": "reviw"}},
                {"ref": {"type": "ref/resource", "uri": "t://{id}"}},
                {"ref": {"type": "ref/tool", "name": "review"}},
                {"ref": None}, {"ref": "review"}, {},
                {"ref": PROMPT, "argument": {"name": "nope", "value": ""}},
                {"ref": PROMPT, "argument": {"name": "language"}},
                {"ref": PROMPT, "argument": {"name": "language", "value": 1}},
                {"ref": PROMPT, "argument": None},
                {"ref": PROMPT, "context": {"arguments": {"a": 1}}},
                {"ref": PROMPT, "context": 5}):
            params = {"argument": {"name": "language", "value": ""}, **params}
            for _, answer in self.everywhere(params):
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.error["code"], -32602, params)


class NoCompleter(wire.TestCase):
    APP = 'require("mcp").prompt("p", function() return "x" end)'

    def test_the_method_is_unknown(self):
        params = {"ref": {"type": "ref/prompt", "name": "p"},
                  "argument": {"name": "a", "value": ""}}
        self.assertRejected(self.server.rpc("completion/complete", params),
                            404, -32601)
        session = self.server.session()
        self.assertEqual(session.request("completion/complete",
                                         params).error["code"], -32601)
        self.assertNotIn("completions",
                         session.initialized.result["capabilities"])


if __name__ == "__main__":
    unittest.main()
