"""The resources and prompts of seeds 001 and 003, in Lua; bugs.md B158, B159,
B161, B108; a file that a reload reads again."""

import os
import time
import unittest

import wire

PERSONA = (
    "Persona: Warm, knowledgeable neighborhood specialty coffee barista.\n"
    "Tone: Welcoming, concise, and focused on quality craft brewing.\n\n")
FILES = "app://workspaces/{workspace_id}/files/{file_id}"


def said(text, role="user"):
    return {"role": role, "content": {"type": "text", "text": text}}


class Case(wire.TestCase):
    APP_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "apps", "seeds_items.lua")

    def read(self, uri):
        return self.server.rpc("resources/read", {"uri": uri})

    def text(self, uri):
        [content] = self.read(uri).result["contents"]
        self.assertEqual(content["uri"], uri)
        return content["text"]

    def get(self, name, **arguments):
        return self.server.rpc("prompts/get", {"name": name,
                                               "arguments": arguments})

    def messages(self, name, **arguments):
        return self.get(name, **arguments).result["messages"]

    def complete(self, name, value, **chosen):
        return self.server.rpc("completion/complete", {
            "ref": {"type": "ref/resource", "uri": FILES},
            "argument": {"name": name, "value": value},
            "context": {"arguments": chosen}}).result["completion"]["values"]


class Resources(Case):
    def test_templates_are_listed_as_declared(self):
        listed = self.server.rpc(
            "resources/templates/list").result["resourceTemplates"]
        self.assertEqual(
            [(t["uriTemplate"], t["name"]) for t in listed],
            [("notes://{id}", "notes"), (FILES, "files")])

    def test_variables_reach_the_handler(self):
        self.assertEqual(self.text("notes://7"), "note 7")
        self.assertEqual(self.text("app://workspaces/w1/files/f2"), "second")

    def test_an_exact_uri_comes_before_the_template(self):
        self.assertEqual(self.text("app://workspaces/w1/files/pinned"),
                         "pinned")

    def test_what_is_not_there(self):
        for uri in ("app://workspaces/w1/files/f9", "docs://none",
                    "app://workspaces/w1/files/"):
            answer = self.read(uri)
            self.assertEqual(answer.error["code"], -32602)
            self.assertEqual(answer.error["data"]["uri"], uri)
            answer = self.server.session().request("resources/read",
                                                   {"uri": uri})
            self.assertEqual(answer.error["code"], -32002)

    def test_a_value_that_climbs_is_refused(self):
        for value in ("..", "%2e%2e", "..%2f..%2fetc%2fpasswd",
                      "%2e%2e%2Fapp.lua", "a%2f..%2fb", "x%00y"):
            answer = self.read("notes://" + value)
            self.assertEqual(answer.error["code"], -32602, value)

    def test_completion_of_one_variable_by_another(self):
        self.assertEqual(self.complete("workspace_id", "w"), ["w1", "w2"])
        self.assertEqual(sorted(self.complete("file_id", "f",
                                              workspace_id="w1")),
                         ["f1", "f2"])
        self.assertEqual(self.complete("file_id", "f", workspace_id="w2"), [])


class Prompts(Case):
    def test_they_are_listed_in_order(self):
        listed = self.server.rpc("prompts/list").result["prompts"]
        self.assertEqual([p["name"] for p in listed],
                         ["summarize", "code_review",
                          "coffee/welcome_customer", "coffee/roast_notes",
                          "coffee/closing"])
        self.assertEqual(listed[0]["arguments"], [
            {"name": "text", "description": "The document to summarise.",
             "required": True},
            {"name": "style", "description": "Summary style",
             "required": False}])
        self.assertEqual(listed[1]["arguments"],
                         [{"name": "code", "required": True}])
        self.assertEqual(listed[2]["title"], "Welcome Greeting")

    def test_summarize(self):
        self.assertEqual(
            self.messages("summarize", text="T"),
            [said("Summarise the following in a concise style:\n\nT")])
        self.assertEqual(
            self.messages("summarize", text="T", style="detailed"),
            [said("Summarise the following in a detailed style:\n\nT")])

    def test_code_review(self):
        self.assertEqual(self.messages("code_review", code="x = 1"),
                         [said("Review: x = 1")])

    def test_a_controllers_instructions(self):
        self.assertEqual(
            self.messages("coffee/welcome_customer"),
            [said(PERSONA + "Welcome to the coffee bar, Friend! What can we "
                  "craft for you today?")])
        self.assertEqual(
            self.messages("coffee/roast_notes", roast_name="Yirga"),
            [said(PERSONA + "Produce professional SCA-style tasting notes and "
                  "brewing parameters for `Yirga`.")])
        self.assertEqual(self.messages("coffee/closing"),
                         [said(PERSONA.rstrip()),
                          said("We are closed.", "assistant")])

    def test_arguments_are_strings_known_and_complete(self):
        answer = self.server.rpc("prompts/get", {
            "name": "summarize", "arguments": {"style": 1, "lang": "de"}})
        self.assertEqual(answer.error["code"], -32602)
        for word in ("text", "style", "lang"):
            self.assertIn(word, answer.error["message"])


class Reload(wire.TestCase):
    def test_a_file_is_read_again_when_it_changes(self):
        server = self.start(
            'require "mcp".resource { uri = "t:page", file = "page.md" }\n',
            options=["--dev"], files={"page.md": "one"})

        def content():
            answer = server.rpc("resources/read", {"uri": "t:page"})
            return answer.result["contents"][0]

        self.assertEqual(content(), {"uri": "t:page", "text": "one",
                                     "mimeType": "text/markdown"})
        path = server.write("page.md.new", "two")
        os.replace(path, os.path.join(server.folder, "page.md"))
        end = time.monotonic() + 10
        while content()["text"] != "two":
            self.assertLess(time.monotonic(), end, server.stderr)
            time.sleep(0.02)
        server.wait_stderr("changed t:page")


if __name__ == "__main__":
    unittest.main()
