"""Every answer about resources, prompts and completion by the official schema
of its revision, judged by tests/tools/schema_check.c; and cursors over
reloads."""

import json
import os
import signal
import subprocess
import unittest

import test_32_resources
import test_33_prompts
import test_34_completion
import wire

CHECKER = os.path.join(os.path.dirname(wire.BIN), "tools", "schema_check")
RESULTS = {
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
}


def definition(method, message, schema):
    """The name of the definition that `message` must obey."""
    if "result" in message:
        return RESULTS[method]
    for name in ("JSONRPCErrorResponse", "JSONRPCError"):
        if name in schema.get("$defs", schema.get("definitions")):
            return name
    raise AssertionError("no definition of errors")


def judge(version, answers):
    """Fails unless every (method, message) is valid at `version`."""
    path = os.path.join(wire.SHARED_DIR, "spec", version, "schema.json")
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    place = "$defs" if "$defs" in schema else "definitions"
    lines = []
    for method, message in answers:
        name = definition(method, message, schema)
        lines.append(json.dumps({
            "schema": {**schema, "$ref": "#/%s/%s" % (place, name)},
            "values": [message.get("result", message)]}))
    done = subprocess.run([CHECKER], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, timeout=120, check=True)
    verdicts = done.stdout.splitlines()
    for (method, message), verdict in zip(answers, verdicts, strict=True):
        if json.loads(verdict) != {"valid": [True]}:
            raise AssertionError("%s at %s: %s\n%s" % (
                method, version, verdict, json.dumps(message)))


def complete(argument, value, ref=test_34_completion.PROMPT):
    return "completion/complete", {
        "ref": ref, "argument": {"name": argument, "value": value}}


def read(uri):
    return "resources/read", {"uri": uri}


def get(name, arguments=None):
    return "prompts/get", {"name": name, "arguments": arguments or {}}


class Messages:
    """The requests are sent at every revision, their answers judged."""

    REQUESTS = []

    def test_answers_are_valid(self):
        for version in (wire.MODERN, *wire.LEGACY):
            send = (self.server.rpc if version == wire.MODERN else
                    self.server.session(version).request)
            answers = [(method, send(method, params).json)
                       for method, params in self.REQUESTS]
            kinds = ["result" if "result" in m else "error" for _, m in answers]
            self.assertIn("result", kinds)
            self.assertIn("error", kinds)
            judge(version, answers)

    def test_the_judge_refuses(self):
        for version in (wire.MODERN, *wire.LEGACY):
            for method, message in (
                    ("resources/read", {"result": {"contents": [{"uri": 1}]}}),
                    ("prompts/list", {"jsonrpc": "2.0", "id": None,
                                      "error": {"code": 1, "message": "m"}})):
                with self.assertRaises(AssertionError):
                    judge(version, [(method, message)])


def checked(case):
    """Skips `case` without the schemas or the judge."""
    case = wire.needs_shared("spec")(case)
    return unittest.skipUnless(os.path.exists(CHECKER),
                               "needs " + os.path.basename(CHECKER))(case)


@checked
class Resources(Messages, wire.TestCase):
    APP = test_32_resources.APP
    OPTIONS = ["--call-timeout", "1", "--list-page-size", "4"]
    REQUESTS = [
        ("resources/list", {}), ("resources/templates/list", {}),
        ("resources/list", {"cursor": "bogus"}), ("resources/list", {"cursor": 1}),
        *map(read, test_32_resources.URIS), read("t://notes/1"),
        read("t://find/x?q=1"), read("t://nowhere"), read("t://notes/none"),
        read("t://notes/..%2Fx"), read("t://" + "x" * 9000),
        ("resources/read", {}),
    ]


@checked
class Prompts(Messages, wire.TestCase):
    APP = test_33_prompts.APP
    OPTIONS = ["--list-page-size", "3"]
    REQUESTS = [
        ("prompts/list", {}), ("prompts/list", {"cursor": "x"}),
        *map(get, test_33_prompts.NAMES), get("summarize", {"text": "t"}),
        get("two", {"code": 1, "x": "y"}), get("nobody"), ("prompts/get", {}),
    ]


@checked
class Completion(Messages, wire.TestCase):
    APP = test_34_completion.APP
    REQUESTS = [
        complete("language", "p"), complete("framework", ""),
        complete("bare", ""), complete("broken", ""), complete("many", ""),
        complete("typed", "\u00e9\u0000"), complete("nope", ""),
        complete("id", "a", test_34_completion.TEMPLATE),
        complete("x", "", {"type": "ref/prompt", "name": "y"}),
        ("completion/complete", {}),
    ]


@checked
class Links(Messages, wire.TestCase):
    """A resource_link is a text where the revision has none."""

    APP = """
    local mcp = require "mcp"
    local function link() return mcp.resource_link { uri = "t://x", name = "x" } end
    mcp.tool("link", function() return { mcp.text("a"), link() } end)
    mcp.prompt("link", function() return { mcp.user(link()), "b" } end)
    """
    REQUESTS = [("tools/list", {}), ("tools/call", {"name": "link"}),
                get("link"), get("lonk")]

    def test_what_stands_for_it(self):
        text = {"type": "text", "text": "t://x"}
        link = {"type": "resource_link", "uri": "t://x", "name": "x"}
        for version in wire.LEGACY:
            session = self.server.session(version)
            expected = text if version == "2025-03-26" else link
            content = session.call("link").result["content"]
            self.assertEqual(content, [{"type": "text", "text": "a"}, expected])
            messages = session.request("prompts/get", {
                "name": "link"}).result["messages"]
            self.assertEqual([m["content"] for m in messages],
                             [expected, {"type": "text", "text": "b"}])


class Reloads(wire.TestCase):
    """A cursor leads on after a reload, or it is refused; never elsewhere."""

    @staticmethod
    def app(names, text="x"):
        return 'local mcp = require "mcp"\n' + "".join(
            'mcp.resource { uri = "t://%s", text = "%s" }\n' % (name, text)
            for name in names)

    def reload(self, server, app):
        count = len(server.stderr.splitlines())
        server.write("app.lua", app)
        server.signal(signal.SIGHUP)
        server.wait_stderr(r"(?s)(.*\n){%d}.*reload" % count)

    def test_cursors(self):
        server = self.start(self.app("abcd"), options=["--list-page-size", "2"])
        params = {"cursor": server.rpc("resources/list").result["nextCursor"]}
        before = server.rpc("resources/list", params).result
        self.reload(server, self.app("abcd", "y"))
        self.assertEqual(server.rpc("resources/read", {
            "uri": "t://a"}).result["contents"][0]["text"], "y")
        self.assertEqual(server.rpc("resources/list", params).result, before)
        self.reload(server, self.app("acbd", "y"))
        self.assertEqual(server.rpc("resources/list", params).error["code"],
                         -32602)


class Logged(wire.TestCase):
    """log_messages writes what is said and heard; nothing else does."""

    APP = 'local mcp = require "mcp"\nmcp.tool("hi", function() return "ho" end)\n'

    def test_requests_and_answers(self):
        server = self.start(self.APP, options=["--log-messages"])
        server.call("hi")
        server.wait_stderr(r'info +message: request \{.*"tools/call"')
        server.wait_stderr(r'info +message: answer \{.*"text":"ho"')
        server.post("{no json", {"Content-Type": "application/json"})
        server.wait_stderr(r"message: request \{no json")
        server.wait_stderr(r"message: answer \{.*-32700")

    def test_only_when_it_is_set(self):
        server = self.start(self.APP, options=["--log-level", "debug"])
        server.call("hi")
        server.wait_stderr("tools/call hi: ok")
        self.assertNotIn("message: ", server.stderr)


if __name__ == "__main__":
    unittest.main()
