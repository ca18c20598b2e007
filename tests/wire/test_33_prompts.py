"""prompts/list and prompts/get at each revision."""

import unittest

import wire

APP = r"""
local mcp = require "mcp"
mcp.server { name = "words", version = "1.0" }
mcp.prompt { name = "summarize", title = "Summarize", description = "Summarise a document.",
  icons = { { src = "https://example.com/i.png" } }, meta = { ["a/b"] = 1 },
  arguments = { { name = "text", title = "Text", description = "The document", required = true },
                { name = "style", default = "concise" } },
  handler = function(text, style) return style .. ": " .. text end }
mcp.prompt { name = "two", description = "Wants two",
  arguments = { { name = "code", required = true }, { name = "language", required = true },
                { name = "focus" } },
  handler = function(code, language, focus) return code .. language .. tostring(focus) end }
mcp.prompt("plain", function() return "plain" end)
mcp.prompt { name = "any", handler = function(args)
  local names = {} for k in pairs(args) do names[#names + 1] = k end
  table.sort(names) return table.concat(names, ",") end }
mcp.prompt { name = "forms", handler = function()
  return { messages = { { role = "assistant", content = "a" }, mcp.user(mcp.image("\1", "image/png")),
             mcp.user(mcp.embedded { uri = "t://e", text = "e" }) }, description = "said so" } end }
mcp.prompt("fails", function() error("it broke") end)
mcp.prompt("refused", function() mcp.http_error(418, "teapot") end)
mcp.prompt_controller { prefix = "coffee", instructions = "Persona: warm barista.",
  { name = "welcome", description = "Greet", arguments = { { name = "who", default = "Friend" } },
    handler = function(who) return "Welcome, " .. who .. "!" end } }
"""
NAMES = ["summarize", "two", "plain", "any", "forms", "fails", "refused",
         "coffee/welcome"]


def said(text, role="user"):
    return {"role": role, "content": {"type": "text", "text": text}}


class Case(wire.TestCase):
    APP = APP

    def everywhere(self, method, params=None):
        """(version, answer) of the same request at each revision."""
        yield wire.MODERN, self.server.rpc(method, params)
        for version in wire.LEGACY:
            yield version, self.server.session(version).request(method, params)

    def get(self, name, arguments=None):
        params = {"name": name}
        if arguments is not None:
            params["arguments"] = arguments
        return self.server.rpc("prompts/get", params)


class Lists(Case):
    def test_fields_of_each_revision(self):
        text = {"name": "text", "description": "The document",
                "required": True}
        full = {"name": "summarize", "description": "Summarise a document.",
                "arguments": [text, {"name": "style", "required": False}]}
        listed = {version: answer.result["prompts"]
                  for version, answer in self.everywhere("prompts/list")}
        self.assertEqual(listed["2025-03-26"][0], full)
        full.update(title="Summarize", _meta={"a/b": 1})
        text.update(title="Text")
        self.assertEqual(listed["2025-06-18"][0], full)
        full.update(icons=[{"src": "https://example.com/i.png"}])
        self.assertEqual(listed["2025-11-25"][0], full)
        self.assertEqual(listed[wire.MODERN][0], full)
        for prompts in listed.values():
            self.assertEqual([p["name"] for p in prompts], NAMES)

    def test_the_envelope_of_each_era(self):
        for version, answer in self.everywhere("prompts/list"):
            members = dict(answer.result)
            del members["prompts"]
            self.assertEqual(set(members), set() if version != wire.MODERN else
                             {"resultType", "ttlMs", "cacheScope", "_meta"})
            if version != wire.MODERN:
                self.assertIn("prompts", self.server.session(
                    version).initialized.result["capabilities"])


class Gets(Case):
    def test_results_of_each_revision(self):
        for version, answer in self.everywhere("prompts/get", {
                "name": "summarize", "arguments": {"text": "T"}}):
            expected = {"description": "Summarise a document.",
                        "messages": [said("concise: T")]}
            if version == wire.MODERN:
                expected.update(resultType="complete", _meta={
                    "io.modelcontextprotocol/serverInfo": {
                        "name": "words", "version": "1.0"}})
            self.assertEqual(answer.result, expected)

    def test_arguments_that_are_absent_or_null(self):
        for arguments in (None, {}):
            for _, answer in self.everywhere("prompts/get", {
                    "name": "plain", "arguments": arguments}):
                self.assertEqual(answer.result["messages"], [said("plain")])
        self.assertEqual(self.get("plain").result["messages"], [said("plain")])
        self.assertEqual(self.get("summarize", {
            "text": "T", "style": None}).result["messages"],
            [said("concise: T")])
        self.assertEqual(self.get("two", {
            "code": "a", "language": "b"}).result["messages"],
            [said("abnil")])

    def test_all_that_is_wrong_is_named(self):
        for _, answer in self.everywhere("prompts/get", {
                "name": "two", "arguments": {"langage": "l", "focus": 5}}):
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.error["code"], -32602)
            self.assertEqual(answer.error["data"], {
                "name": "two", "missing": ["code", "language"],
                "unknown": ["langage"], "notStrings": ["focus"]})
            for name in ("code", "language", "langage", "focus"):
                self.assertIn('"%s"' % name, answer.error["message"])
        for value in (5, True, [], {}, ["x"]):
            self.assertEqual(self.get("summarize", {"text": value})
                             .error["data"]["notStrings"], ["text"])

    def test_arguments_that_are_no_object(self):
        for arguments in ([], "x", 5, True):
            answer = self.get("plain", arguments)
            self.assertEqual(answer.error["code"], -32602)
            self.assertEqual(answer.error["data"], {"name": "plain"})

    def test_open_arguments(self):
        self.assertEqual(self.get("any", {"b": "1", "a": ""}).result[
            "messages"], [said("a,b")])

    def test_unknown_prompts(self):
        for _, answer in self.everywhere("prompts/get", {"name": "sumarize"}):
            self.assertEqual(answer.error["code"], -32602)
            self.assertEqual(answer.error["data"], {"name": "sumarize"})
            self.assertIn('"summarize"', answer.error["message"])
        for params in ({}, {"name": None}, {"name": 5}):
            answer = self.server.session().request("prompts/get", params)
            self.assertEqual(answer.error["code"], -32602)

    def test_forms(self):
        result = self.get("forms").result
        self.assertEqual(result["description"], "said so")
        self.assertEqual(result["messages"][0], said("a", "assistant"))
        self.assertEqual(result["messages"][1], {"role": "user", "content": {
            "type": "image", "data": "AQ==", "mimeType": "image/png"}})
        self.assertEqual(result["messages"][2]["content"]["type"], "resource")

    def test_controllers(self):
        [message] = self.get("coffee/welcome").result["messages"]
        self.assertEqual(message, said(
            "Persona: warm barista.\n\nWelcome, Friend!"))

    def test_failures(self):
        for name, data in (("fails", {"statusCode": 500,
                                      "content": "it broke"}),
                           ("refused", {"statusCode": 418,
                                        "content": "teapot"})):
            for _, answer in self.everywhere("prompts/get", {"name": name}):
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.error, {
                    "code": -32603, "message": "Prompt execution failed",
                    "data": data})

    def test_mcp_name_is_the_name(self):
        body, headers = wire.modern("prompts/get", {"name": "plain"})
        for name in (None, "any", "Plain"):
            self.assertRejected(self.server.post(
                body, {**headers, "Mcp-Name": name}), 400, -32020)


if __name__ == "__main__":
    unittest.main()
