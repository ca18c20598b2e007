"""The commands around an app: export-tool-spec, init, types, install,
completions, man. Each is run as a user would, in a folder and with a HOME of
its own."""

import difflib
import json
import os
import re
import resource
import shutil
import stat
import subprocess
import threading
import unittest

import wire
from test_40_command import Folder

APP = """
local mcp = require "mcp"
mcp.server { name = "bar", version = "1.2.3", list_page_size = 2 }

--- Add "two" numbers, \\ with é and \\u{1}.
---@param a number First
---@return { sum: number }
mcp.tool("add", { title = "Add" }, function(a) return { sum = a } end)
for i = 1, 4 do mcp.tool("t" .. i, function() end) end
mcp.tool { name = "raw", description = "x", input_schema_file = "in.json",
           handler = function() end }
mcp.resource { uri = "app://config", description = "Settings", text = "x" }
mcp.resource { uri_template = "notes://{id}", description = "One note",
               handler = function(id) return id end }
mcp.prompt { name = "greet", description = "Greets.",
             arguments = { { name = "who", required = true } },
             handler = function(who) return who end }
"""

# The bytes of a schema file are kept, whatever a writer would make of them.
SCHEMA = ('{"type": "object", "properties": {"\\u00e9": {"type": "number",'
          ' "maximum": 1.50e1, "description": "\\/ {[\\"]}"}}}')

CLIENTS = ("claude-desktop", "claude-code", "cursor", "vscode", "gemini-cli",
           "mcp.json")


class Command(Folder):
    def setUp(self):
        super().setUp()
        self.home = os.path.join(self.folder.name, "home")
        os.mkdir(self.home)

    def path(self, *names):
        return os.path.join(self.folder.name, *names)

    def run_it(self, *arguments, **how):
        how["env"] = {"HOME": self.home, "XDG_CONFIG_HOME": "",
                      **(how.get("env") or {})}
        done = super().run_it(*arguments, **how)
        self.assertNotRegex(done.stderr, wire.REPORT)
        return done

    def run_well(self, *arguments, **how):
        done = self.run_it(*arguments, **how)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def run_without_room(self, size, *arguments):
        """No file gets longer than `size` bytes: what a full disk is like."""
        done = subprocess.run(
            [wire.BIN, *arguments], capture_output=True, check=False,
            cwd=self.folder.name, restore_signals=False,  # SIGXFSZ: ignored
            env=wire.sanitizer_env({"HOME": self.home, "XDG_CONFIG_HOME": ""}),
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (size, size)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(done.stderr, rb"\Amcpluad: cannot write .*: File too "
                                      rb"large\n\Z")

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    @staticmethod
    def content(path):
        if os.path.islink(path):
            return os.readlink(path).encode()
        with open(path, "rb") as file:
            return file.read()

    def tree(self, *names):
        """Every file below a folder, with its content."""
        out = {}
        top = self.path(*names)
        for folder, _, files in os.walk(top):
            for name in files:
                path = os.path.join(folder, name)
                out[os.path.relpath(path, top)] = self.content(path)
        return out


class Export(Command):
    def setUp(self):
        super().setUp()
        self.write("app.lua", APP)
        self.write("in.json", SCHEMA)

    def export(self, *arguments):
        return self.run_well("export-tool-spec", "app.lua", *arguments).stdout

    def test_one_item_stands_on_a_line(self):
        text = self.export()
        lines = text.split("\n")
        self.assertEqual(lines[0], '{"tools":[')
        self.assertEqual(lines[-2:], ["]}", ""])
        self.assertEqual(len(lines), 6 + 3)
        tools = json.loads(text)["tools"]
        self.assertEqual([t["name"] for t in tools],
                         ["add", "t1", "t2", "t3", "t4", "raw"])
        for line, tool in zip(lines[1:], tools):
            self.assertEqual(json.loads(line.rstrip(",")), tool)
        self.assertIn(SCHEMA.replace(": ", ":").replace(", ", ","), text)

    def test_a_changed_tool_is_a_changed_line(self):
        before = self.export().split("\n")
        self.write("app.lua", APP.replace("First", "Foremost"))
        after = self.export().split("\n")
        changed = [line for line in difflib.ndiff(before, after)
                   if line[0] in "+-"]
        self.assertEqual([line[0] for line in changed], ["-", "+"])

    def test_all_has_every_kind(self):
        everything = json.loads(self.export("--all"))
        self.assertEqual([t["name"] for t in everything["tools"]][:1], ["add"])
        self.assertEqual(everything["resources"][0]["uri"], "app://config")
        self.assertEqual(everything["resourceTemplates"][0]["uriTemplate"],
                         "notes://{id}")
        self.assertEqual(everything["prompts"][0]["name"], "greet")
        self.assertEqual(self.export("--all"), self.export("--all"))

    def test_a_source_that_fails_is_1(self):
        self.write("app.lua", '''require("mcp").skills { sources = { {
            list = function() error("no database") end } } }''')
        done = self.run_it("export-tool-spec", "--all", "app.lua", "-o", "x")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"(?m)^mcpluad: skills/list: .*")
        self.assertFalse(os.path.exists(self.path("x")))
        self.assertEqual(self.export(), '{"tools":[]}\n')

    def test_an_empty_app_is_an_empty_list(self):
        self.write("app.lua", 'require "mcp"')
        self.assertEqual(self.export(), '{"tools":[]}\n')
        everything = json.loads(self.export("--all"))
        self.assertEqual(set(map(len, everything.values())), {0})

    def test_a_revision_has_what_it_knows(self):
        self.assertNotIn("outputSchema", self.export("--revision", "2025-03-26"))
        self.assertIn("outputSchema", self.export("--revision", "2025-06-18"))
        self.assertEqual(self.export("--revision=2026-07-28"), self.export())
        self.assertRefused(
            self.run_it("export-tool-spec", "app.lua", "--revision", "2024"), 2,
            "--revision must be 2026-07-28, 2025-11-25, 2025-06-18 or "
            "2025-03-26")

    def test_a_file_is_written_and_replaced(self):
        self.assertEqual(self.export("-o", "spec.json"), "")
        self.assertEqual(self.read("spec.json"), self.export())
        os.chmod(self.path("spec.json"), 0o640)
        os.symlink("spec.json", self.path("link.json"))
        self.export("--all", "--output=link.json")
        self.assertTrue(os.path.islink(self.path("link.json")))
        self.assertEqual(self.read("spec.json"), self.export("--all"))
        mode = os.stat(self.path("spec.json")).st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o640)
        self.assertEqual(
            sorted(os.listdir(self.folder.name)),
            ["app.lua", "home", "in.json", "link.json", "spec.json"])
        self.assertEqual(self.export("-o", "-"), self.export())
        self.assertEqual(self.export("-ospec2.json"), "")
        self.assertEqual(self.read("spec2.json"), self.export())

    def test_a_new_file_follows_the_umask(self):
        old = os.umask(0o027)
        try:
            self.export("-o", "spec.json")
        finally:
            os.umask(old)
        mode = os.stat(self.path("spec.json")).st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o640)

    def test_a_pipe_is_written_to_and_stays(self):
        os.mkfifo(self.path("pipe"))
        got = []
        reader = threading.Thread(
            target=lambda: got.append(self.read("pipe")), daemon=True)
        reader.start()
        self.export("-o", "pipe")
        reader.join(wire.ANSWER_SECONDS)
        self.assertEqual(got, [self.export()])
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))

    def test_what_cannot_be_written_is_1_and_leaves_no_trace(self):
        os.mkdir(self.path("folder"))
        os.symlink("nowhere", self.path("dangling"))
        for file, why in (("folder", "Is a directory"),
                          ("absent/spec.json", "No such file"),
                          ("app.lua/spec.json", "Not a directory"),
                          ("dangling", "a link to nothing"),
                          ("/dev/full", "No space left")):
            before = sorted(os.listdir(self.folder.name))
            done = self.run_it("export-tool-spec", "app.lua", "-o", file)
            self.assertRefused(done, 1, r"cannot write %s: .*%s.*" % (
                re.escape(file), why))
            self.assertEqual(sorted(os.listdir(self.folder.name)), before)

    def test_a_full_disk_leaves_the_file_alone(self):
        self.export("-o", "spec.json")
        before = self.tree("")
        self.write("app.lua", APP.replace("First", "Second"))
        self.run_without_room(len(before["spec.json"]), "export-tool-spec",
                              "--all", "app.lua", "-o", "spec.json")
        self.run_without_room(1, "export-tool-spec", "app.lua", "-o", "new")
        self.write("app.lua", APP)
        self.assertEqual(self.tree(""), before)

    def test_a_broken_app_leaves_the_file_alone(self):
        self.write("spec.json", "old")
        self.write("app.lua", "local x = nil .. 1")
        self.assertRefused(
            self.run_it("export-tool-spec", "app.lua", "-o", "spec.json"), 2,
            r"app\.lua:1: .*")
        self.assertEqual(self.read("spec.json"), "old")

    def test_wrong_lines(self):
        for arguments, pattern in (
                ([], r"which app\? usage: mcpluad export-tool-spec \[options\] "
                     r"app\.lua"),
                (["a.lua", "b.lua"], r"one app at a time: a\.lua or b\.lua\?"),
                (["app.lua", "-o"], "--output needs a value: FILE"),
                (["app.lua", "--output="], "--output needs a value: FILE"),
                (["app.lua", "--al"], r"unknown option --al; did you mean "
                                      r"--all\?"),
                (["app.lua", "--all=yes"], r"unknown option --all=yes.*")):
            self.assertRefused(self.run_it("export-tool-spec", *arguments), 2,
                               pattern)


class ExportIsTheList(wire.TestCase):
    APP = APP + """
mcp.skills { paths = { "skills" }, sources = { {
  list = function() return { { name = "four", description = "x é /",
                               body = "# Four" } } end } } }
"""
    FILES = {
        "in.json": SCHEMA,
        **{"skills/%s/SKILL.md" % name: "---\nname: %s\ndescription: x é\n"
           "metadata: {a: \"\\u00e9/\"}\n---\nHello.\n" % name
           for name in ("one", "two", "three")}}

    METHODS = (("tools/list", "tools"), ("resources/list", "resources"),
               ("resources/templates/list", "resourceTemplates"),
               ("prompts/list", "prompts"), ("skills/list", "skills"))

    @staticmethod
    def export(server, revision):
        done = subprocess.run(
            [wire.BIN, "export-tool-spec", "--all", "--revision", revision,
             server.app_file], capture_output=True,
            env=wire.sanitizer_env(), check=True)
        return done.stdout.decode()

    def assertSame(self, server, revision):
        """Every list of the server is what the export says; how many items."""
        text, count = self.export(server, revision), 0
        for method, member in self.METHODS:
            items, cursor = [], None
            while True:
                answer = self.ask(server, method, cursor, revision)
                if answer.json.get("error", {}).get("code") == -32601:
                    break
                items.append(self.items_of(answer.body.decode(), member))
                count += len(answer.result[member])
                cursor = answer.result.get("nextCursor")
                if cursor is None:
                    break
            found = re.search(r'"%s":\[\n?(.*?)\n?\](,\n|\}\n$)' % member, text,
                              re.S).group(1)
            self.assertEqual(found.replace(",\n", ","), ",".join(items),
                             (server.app_file, revision, member))
        self.assertEqual(sum(map(len, json.loads(text).values())), count)
        return count

    def test_byte_for_byte_in_each_revision(self):
        for revision in (wire.MODERN, "2025-11-25", "2025-06-18", "2025-03-26"):
            self.assertEqual(self.assertSame(self.server, revision),
                             6 + 4 + 1 + 1 + 4 * (revision == wire.MODERN))

    def test_of_every_example(self):
        for app in ("app-example/app.lua", "tests/conformance/app.lua",
                    "tests/wire/apps/seeds.lua",
                    "tests/wire/apps/seeds_items.lua"):
            path = os.path.join(wire.SOURCE_DIR, app)
            with wire.Server(app_file=path) as server:
                for revision in (wire.MODERN, "2025-06-18"):
                    self.assertGreater(self.assertSame(server, revision), 3)

    @staticmethod
    def items_of(body, member):
        """What stands between the brackets of a list, as it stands there."""
        start = body.index('"%s":[' % member) + len(member) + 3
        decoder = json.JSONDecoder()
        return body[start + 1:decoder.raw_decode(body, start)[1] - 1]

    @staticmethod
    def ask(server, method, cursor, revision):
        params = {} if cursor is None else {"cursor": cursor}
        if revision == wire.MODERN:
            return server.rpc(method, params)
        return server.post(
            {"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            {"MCP-Protocol-Version": revision})


class Init(Command):
    def test_a_project_runs(self):
        for template, tool, arguments, says in (
                ("full", "count", ["text=one two\nthree"],
                 {"words": 3, "lines": 2}),
                ("minimal", "greet", ["name=Ada"], "Hello, Ada!\n")):
            done = self.run_well("init", template, "--template", template)
            files = self.tree(template)
            self.assertLessEqual(
                {"app.lua", "README.md", ".luarc.json", ".luacheckrc",
                 "spec/app_spec.lua", "types/mcp.lua"}, set(files))
            self.assertEqual(
                done.stdout.split("\n"),
                [template, *("  " + line for line in re.findall(
                    r"^  (.*)$", done.stdout, re.M)), "",
                 "README.md tells how to run it.", ""])
            self.assertEqual(
                sorted(re.findall(r"^  (.*)$", done.stdout, re.M)),
                sorted(files))
            self.assertNotIn(b"{{", b"".join(files.values()))
            json.loads(files[".luarc.json"])
            app = os.path.join(template, "app.lua")
            said = self.run_well("call", app, tool, *arguments).stdout
            self.assertEqual(json.loads(said) if said[0] == "{" else said,
                             says)
            checked = self.run_well("check", "--strict", app)
            self.assertIn(" 0 warnings", checked.stdout)
            self.assertTrue(checked.stdout.startswith(template + " 0.1.0"))

    def test_full_is_what_comes_unasked(self):
        self.run_well("init", "a")
        self.run_well("init", "b", "--template=full")
        self.assertEqual(sorted(self.tree("a")), sorted(self.tree("b")))
        self.assertIn("lib/words.lua", self.tree("a"))
        self.assertIn("skills/word-count/SKILL.md", self.tree("a"))

    @unittest.skipUnless(shutil.which("busted"), "needs busted")
    def test_its_specs_pass(self):
        for template in ("full", "minimal"):
            self.run_well("init", template, "--template", template)
            done = subprocess.run(
                [wire.BIN, "test"], cwd=self.path(template), check=False,
                capture_output=True, env=wire.sanitizer_env(
                    {"HOME": self.home}))
            said = (done.stdout + done.stderr).decode()
            self.assertEqual(done.returncode, 0, said)
            self.assertRegex(said, r"[1-9]\d* success.* / 0 failure")

    @unittest.skipUnless(shutil.which("luacheck"), "needs luacheck")
    def test_luacheck_minds_nothing(self):
        for template in ("full", "minimal"):
            self.run_well("init", template, "--template", template)
            done = subprocess.run(["luacheck", "."], cwd=self.path(template),
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_name_is_that_of_the_folder(self):
        os.mkdir(self.path("my \"tea\" $(x) {{name}}"))
        self.run_well("init", "my \"tea\" $(x) {{name}}/sub/../")
        app = self.path("my \"tea\" $(x) {{name}}", "app.lua")
        done = self.run_well("check", app)
        self.assertTrue(done.stdout.startswith("my--tea----x---"), done.stdout)
        here = self.path("here")
        os.mkdir(here)
        subprocess.run([wire.BIN, "init", "."], cwd=here, check=True,
                       capture_output=True, env=wire.sanitizer_env())
        self.assertIn('name = "here"', self.read("here", "app.lua"))

    def test_nothing_is_overwritten(self):
        os.makedirs(self.path("old", "lib"))
        self.write("old/app.lua", "mine")
        self.write("old/other.lua", "mine too")
        os.symlink("nowhere", self.path("old", "lib", "words.lua"))
        before = self.tree("old")
        done = self.run_it("init", "old")
        self.assertRefused(
            done, 2, r"nothing is written to old: app\.lua, lib/words\.lua are "
                     r"there already")
        self.assertEqual(self.tree("old"), before)
        os.remove(self.path("old", "app.lua"))
        self.assertRefused(
            self.run_it("init", "old"), 2,
            r"nothing is written to old: lib/words\.lua is there already")
        os.remove(self.path("old", "lib", "words.lua"))
        self.run_well("init", "old")
        self.assertEqual(self.read("old", "other.lua"), "mine too")

    def test_all_or_nothing(self):
        os.mkdir(self.path("old"))
        self.write("old/spec", "a file where a folder has to be")
        done = self.run_it("init", "old")
        self.assertRefused(done, 1, r"cannot make the folder old/spec: .*")
        self.assertEqual(list(self.tree("old")), ["spec"])

    def test_a_full_disk_leaves_no_file(self):
        self.run_without_room(1800, "init", "new")
        self.assertEqual(self.tree("new"), {})
        self.run_well("init", "new")

    def test_folders_on_the_way_are_made(self):
        self.run_well("init", "a/b/c", "--template", "minimal")
        self.assertIn("a/b/c/app.lua", self.tree(""))

    def test_wrong_lines(self):
        self.write("file", "")
        for arguments, code, pattern in (
                ([], 2, r"which folder\? usage: mcpluad init \[options\] DIR"),
                ([""], 2, r"which folder\? .*"),
                (["a", "b"], 2, r"one folder at a time: a or b\?"),
                (["file"], 2, "file is no folder"),
                (["a", "--template", "fll"], 2,
                 "--template must be full or minimal"),
                (["a", "--templte=full"], 2,
                 r"unknown option --templte; did you mean --template\?"),
                (["a", "--port", "1"], 2, "unknown option --port; .*"),
                (["x" * 4090], 2, "the path of the folder is too long: .*"),
                (["file/a"], 1, "cannot make the folder file.*: .*")):
            self.assertRefused(self.run_it("init", *arguments), code, pattern)
        self.assertEqual(sorted(os.listdir(self.folder.name)),
                         ["app.lua", "file", "home"])

    def test_types_are_the_definitions(self):
        want = {}
        top = os.path.join(wire.SOURCE_DIR, "lua", "meta")
        for folder, _, files in os.walk(top):
            for name in files:
                path = os.path.join(folder, name)
                want[os.path.relpath(path, top)] = self.content(path)
        self.assertIn("mcp.lua", want)
        self.run_well("init", "a")
        self.assertEqual(self.tree("a", "types"), want)
        self.write("a/types/mcp.lua", "old")
        self.write("a/types/mine.lua", "mine")
        self.assertEqual(self.run_well("types", "a/types").stdout, "")
        self.assertEqual(self.tree("a", "types"), {**want, "mine.lua": b"mine"})
        self.run_well("types", "b/c")
        self.assertEqual(self.tree("b", "c"), want)
        self.write("file", "")
        for arguments, code, pattern in (
                ([], 2, r"which folder\? usage: mcpluad types DIR"),
                (["x", "y"], 2, r"one folder at a time: x or y\?"),
                (["file"], 2, "file is no folder"),
                (["file/x"], 1, "cannot make the folder file.*")):
            self.assertRefused(self.run_it("types", *arguments), code, pattern)


class Install(Command):
    def setUp(self):
        super().setUp()
        self.write("app.lua", APP)
        self.write("in.json", SCHEMA)

    def install(self, client, *arguments, **how):
        return self.run_well("install", client, "app.lua", *arguments, **how)

    def entry(self, **more):
        return {**more, "command": wire.BIN,
                "args": ["--stdio", os.path.realpath(self.path("app.lua"))]}

    def config(self, *names):
        return json.loads(self.read(*names))

    def test_each_client_has_its_place(self):
        for client, path, container, typed in (
                ("claude-desktop",
                 "home/.config/Claude/claude_desktop_config.json",
                 "mcpServers", False),
                ("claude-code", "home/.claude.json", "mcpServers", True),
                ("cursor", "home/.cursor/mcp.json", "mcpServers", False),
                ("vscode", "home/.config/Code/User/mcp.json", "servers", True),
                ("gemini-cli", "home/.gemini/settings.json", "mcpServers",
                 False),
                ("mcp.json", "mcp.json", "mcpServers", False)):
            self.install(client)
            entry = self.entry(type="stdio") if typed else self.entry()
            self.assertEqual(self.config(path), {container: {"bar": entry}})
            mode = os.stat(self.path(path)).st_mode
            self.assertEqual(stat.S_IMODE(mode), 0o600)

    def test_the_entry_starts_a_server(self):
        self.install("mcp.json", "--env", "GREETING=hi")
        entry = self.config("mcp.json")["mcpServers"]["bar"]
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                   "params": {"protocolVersion": "2025-06-18",
                              "capabilities": {},
                              "clientInfo": {"name": "x", "version": "1"}}}
        done = subprocess.run(
            [entry["command"], *entry["args"]], cwd="/", check=True,
            input=json.dumps(request).encode() + b"\n", capture_output=True,
            env=wire.sanitizer_env(entry["env"]), timeout=60)
        answer = json.loads(done.stdout.splitlines()[0])
        self.assertEqual(answer["result"]["serverInfo"]["name"], "bar")

    def test_xdg_config_home(self):
        self.install("vscode", env={"XDG_CONFIG_HOME": self.path("xdg")})
        self.assertIn("servers", self.config("xdg/Code/User/mcp.json"))
        self.install("vscode", env={"XDG_CONFIG_HOME": "relative"})
        self.assertIn("servers", self.config("home/.config/Code/User/mcp.json"))

    OLD = ('{\n    "theme": "dark", "n": 1.50e1,\n'
           '    "mcpServers": {\n'
           '        "z": {"command": "z", "args": [ "{\\"}" ] },\n'
           '        "a": {}\n'
           '    },\n'
           '    "é\\u00e9": [1,\t2]\n}')

    def test_what_is_there_stays_as_it_was_written(self):
        self.write("c.json", self.OLD)
        os.chmod(self.path("c.json"), 0o644)
        self.install("cursor", "--file", "c.json")
        new = self.read("c.json")
        added = ('        "a": {},\n        "bar": {\n'
                 '            "command": %s,\n            "args": %s\n'
                 '        }\n' % (
                     json.dumps(wire.BIN),
                     json.dumps(self.entry()["args"])))
        self.assertEqual(new, self.OLD.replace('        "a": {}\n', added))
        self.assertEqual(self.read("c.json.bak"), self.OLD)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("c.json")).st_mode),
                         0o644)

    @unittest.skipUnless(shutil.which("patch"), "needs patch")
    def test_what_it_shows_is_a_diff(self):
        for old in (self.OLD, self.OLD + "\n", '{"mcpServers":{}}', "{}",
                    '{"a":1}\n', "\n" * 9 + "{\n}\n" + "\n" * 9):
            self.write("c.json", old)
            said = self.install("cursor", "--file", "c.json").stdout
            new = self.read("c.json")
            json.loads(new)
            self.write("c.json", old)
            subprocess.run(["patch", "-s", "c.json"], input=said.encode(),
                           cwd=self.folder.name, check=True)
            self.assertEqual(self.read("c.json"), new)
        said = self.install("cursor", "--file", "new.json").stdout
        self.assertTrue(said.startswith("--- /dev/null\n+++ new.json\n"), said)
        self.assertIn("\n+{\n", said)

    def test_shapes_of_what_is_there(self):
        for old in ("", " \n", "{}", "{ }", '{"mcpServers":{}}',
                    '{"mcpServers":{"a":{}}}', '{"a":[{}],"b":"}"}',
                    '{"mcpServers":\n{\n}\n}', "\r\n{\r\n}\r\n",
                    '{"x":{"mcpServers":{"bar":1}}}'):
            self.write("c.json", old)
            self.install("cursor", "--file", "c.json")
            new = self.config("c.json")
            want = json.loads(old) if old.strip() else {}
            want.setdefault("mcpServers", {})["bar"] = self.entry()
            self.assertEqual(new, want)
            self.assertEqual(list(new), list(want))

    def test_once_more_changes_nothing(self):
        self.install("cursor")
        before = self.tree("home")
        done = self.install("cursor")
        self.assertEqual(done.stdout, '"bar" is in %s already\n' % self.path(
            "home/.cursor/mcp.json"))
        self.assertEqual(self.tree("home"), before)

    def test_an_entry_is_brought_up_to_date(self):
        old = {"mcpServers": {"bar": {
            "disabled": True, "args": ["--stdio", "/old/app.lua"],
            "env": {"KEEP": "me", "A": "old"}}, "other": {"command": "x"}}}
        self.write("c.json", json.dumps(old, indent=1))
        done = self.install("cursor", "--file", "c.json", "--env", "A=new=1",
                            "--env=B=")
        want = json.loads(json.dumps(old))
        want["mcpServers"]["bar"].update(
            self.entry(), env={"KEEP": "me", "A": "new=1", "B": ""})
        self.assertEqual(self.config("c.json"), want)
        self.assertEqual(list(self.config("c.json")["mcpServers"]["bar"]),
                         ["disabled", "args", "env", "command"])
        self.assertIn('-    "A": "old"', done.stdout)
        self.assertIn('+    "A": "new=1"', done.stdout)

    def test_a_remote_server_of_that_name_is_not_touched(self):
        for member in ("url", "httpUrl"):
            text = json.dumps({"mcpServers": {"bar": {member: "https://x"}}})
            self.write("c.json", text)
            self.assertRefused(
                self.run_it("install", "cursor", "app.lua", "--file", "c.json"),
                2, 'a remote server is called "bar" already; choose another '
                   '--name')
            self.assertEqual(self.read("c.json"), text)

    def test_backups_are_not_overwritten(self):
        self.install("cursor")
        for n in range(2, 5):
            self.install("cursor", "--env", "N=%d" % n)
        files = self.tree("home", ".cursor")
        self.assertEqual(sorted(files), ["mcp.json", "mcp.json.bak",
                                         "mcp.json.bak.2", "mcp.json.bak.3"])
        self.assertNotIn(b"env", files["mcp.json.bak"])
        self.assertIn(b'"N": "3"', files["mcp.json.bak.3"])

    def test_a_full_disk_leaves_the_file_alone(self):
        self.write("c.json", self.OLD)
        self.run_without_room(len(self.OLD.encode()), "install", "cursor",
                              "app.lua", "--file", "c.json")
        self.assertEqual(self.read("c.json"), self.OLD)
        self.assertEqual(self.read("c.json.bak"), self.OLD)
        self.run_without_room(10, "install", "vscode", "app.lua", "--file",
                              "c.json")
        self.assertEqual(sorted(os.listdir(self.folder.name)),
                         ["app.lua", "c.json", "c.json.bak", "home", "in.json"])

    def test_99_backups_are_enough(self):
        self.write("c.json", "{}")
        self.write("c.json.bak", "")
        for n in range(2, 99):
            self.write("c.json.bak.%d" % n, "")
        self.install("cursor", "--file", "c.json")
        self.assertEqual(self.read("c.json.bak.99"), "{}")
        self.write("c.json", "{}")
        self.assertRefused(
            self.run_it("install", "cursor", "app.lua", "--file", "c.json"), 1,
            r"c\.json has 99 backups; remove some")
        self.assertEqual(self.read("c.json"), "{}")

    def test_a_link_is_followed(self):
        os.mkdir(self.path("dotfiles"))
        self.write("dotfiles/mcp.json", "{}")
        os.mkdir(self.path("home/.cursor"))
        os.symlink("../../dotfiles/mcp.json",
                   self.path("home/.cursor/mcp.json"))
        self.install("cursor")
        self.assertTrue(os.path.islink(self.path("home/.cursor/mcp.json")))
        self.assertIn("mcpServers", self.config("dotfiles/mcp.json"))
        self.assertEqual(self.read("home/.cursor/mcp.json.bak"), "{}")
        self.assertEqual(os.listdir(self.path("dotfiles")), ["mcp.json"])
        os.remove(self.path("dotfiles/mcp.json"))
        self.assertRefused(self.run_it("install", "cursor", "app.lua"), 1,
                           r"cannot write .*: it is a link to nothing")

    def test_what_is_no_json_is_left_alone(self):
        for text, place in (
                ("{", "1:2: "), ("[]", "its root is no object"),
                ("nul", "1:"), ("{} x", "1:4: "),
                ('{\n  // a comment\n  "a": 1\n}', "2:3: "),
                ('{"a": 1,}', "1:9: "), ('{"a":1,"a":2}', "1:"),
                ('\ufeff{}', "1:1: "), ('{"mcpServers": []}',
                                        '"mcpServers" is no object'),
                ('{"mcpServers": {"bar": "x"}}', '"bar" is no object'),
                ('{"mcpServers": {"bar": {"env": 1}}}', '"env" is no object')):
            self.write("c.json", text)
            before = self.tree("")
            done = self.run_it("install", "cursor", "app.lua", "--file",
                               "c.json", "--env", "A=b")
            self.assertRefused(done, 2, r"c\.json:.*" + re.escape(place)
                               + ".*")
            if place.endswith(": "):
                self.assertIn("comments and trailing commas are not "
                              "understood: --print tells what to add by hand",
                              done.stderr)
            self.assertEqual(self.tree(""), before)

    def test_16_mib_are_read_and_no_more(self):
        size = 16 << 20
        self.write("c.json", "{}".ljust(size))
        self.install("cursor", "--file", "c.json")
        self.assertIn("bar", self.config("c.json")["mcpServers"])
        self.write("d.json", "{}".ljust(size + 1))
        self.assertRefused(
            self.run_it("install", "cursor", "app.lua", "--file", "d.json"), 2,
            r"d\.json is larger than 16777216 bytes")

    def test_print_changes_nothing(self):
        before = self.tree("")
        done = self.install("vscode", "--print", "--name", "x", "--env", "A=b")
        self.assertEqual(json.loads(done.stdout), {"servers": {
            "x": {**self.entry(type="stdio"), "env": {"A": "b"}}}})
        self.assertEqual(self.tree(""), before)
        self.assertEqual(os.listdir(self.home), [])

    def test_names(self):
        def name_of(app, *arguments, file="app.lua"):
            os.makedirs(os.path.dirname(self.path(file)) or ".", exist_ok=True)
            self.write(file, app)
            done = self.run_well("install", "cursor", "--print", file,
                                 *arguments)
            return list(json.loads(done.stdout)["mcpServers"])

        plain = 'require "mcp"'
        server = 'require("mcp").server { name = "%s" }'
        self.assertEqual(name_of(server % "My Tea/é"), ["My-Tea---"])
        self.assertEqual(name_of(server % ("x" * 65)), ["x" * 64])
        self.assertEqual(name_of(plain, "--name", "x" * 64), ["x" * 64])
        self.assertEqual(name_of(plain, file="tea.lua"), ["tea"])
        self.assertEqual(name_of(plain, file="shop/app.lua"), ["shop"])
        self.assertEqual(name_of(plain, file="shop/init.lua"), ["shop"])
        for name in ("x" * 65, "a b", 'a"b', "é"):
            self.assertRefused(
                self.run_it("install", "cursor", "app.lua", "--name", name), 2,
                r"--name has 1 to 64 letters, digits, _ - or \., not .*")

    def test_the_app_has_to_start_with_its_variables(self):
        self.write("app.lua", 'require "mcp"\n'
                              'assert(os.getenv("KEY") == "1", "no key")')
        self.assertRefused(self.run_it("install", "cursor", "app.lua"), 2,
                           r"app\.lua:2: no key")
        self.assertEqual(os.listdir(self.home), [])
        self.install("cursor", "--env", "KEY=1")

    def test_the_command_is_how_it_was_called(self):
        os.mkdir(self.path("bin"))
        os.symlink(wire.BIN, self.path("bin/mcpluad"))

        def command(*line, path="/usr/bin:/bin"):
            done = subprocess.run(
                [*line, "install", "cursor", "--print",
                 self.path("app.lua")], cwd=self.path("bin"), check=True,
                capture_output=True,
                env=wire.sanitizer_env({"PATH": path, "HOME": self.home}))
            return list(json.loads(done.stdout)["mcpServers"].values())[0][
                "command"]

        link = os.path.join(os.path.realpath(self.path("bin")), "mcpluad")
        self.assertEqual(command("./mcpluad"), link)
        self.assertEqual(command("/bin/sh", "-c", 'mcpluad "$@"', "sh",
                                 path=self.path("bin") + ":/usr/bin:/bin"),
                         self.path("bin/mcpluad"))
        os.mkdir(self.path("other"))
        self.write("other/mcpluad", "#!/bin/sh\n")
        os.chmod(self.path("other/mcpluad"), 0o755)
        self.assertEqual(
            command("/bin/bash", "-c",
                    'exec -a mcpluad %s "$@"' % self.path("bin/mcpluad"), "sh",
                    path=self.path("other") + ":/usr/bin:/bin"),
            os.path.realpath(wire.BIN))

    def test_wrong_lines(self):
        clients = ("claude-desktop, claude-code, cursor, vscode, gemini-cli or "
                   "mcp.json")
        for arguments, pattern in (
                ([], r"which client\? %s; usage: mcpluad install \[options\] "
                     r"CLIENT app\.lua" % re.escape(clients)),
                (["cursor"], r"which app\? usage: .*"),
                (["vscod", "app.lua"],
                 r'unknown client "vscod"; did you mean vscode\?'),
                (["mcp-json", "app.lua"],
                 r'unknown client "mcp-json"; did you mean mcp\.json\?'),
                (["notepad", "app.lua"],
                 r'unknown client "notepad"; there is ' + re.escape(clients)),
                (["cursor", "app.lua", "b.lua"],
                 r"one app at a time: app\.lua or b\.lua\?"),
                (["cursor", "absent.lua"], r".*absent\.lua.*"),
                (["cursor", "app.lua", "--env", "A"],
                 r'--env is KEY=VALUE, not "A"'),
                (["cursor", "app.lua", "--env", "1A=2"],
                 r'--env is KEY=VALUE, KEY of letters.*, not "1A=2"'),
                (["cursor", "app.lua", "--env", "A=1", "--env", "A=2"],
                 r"--env A=2: given twice"),
                (["cursor", "app.lua", "--env"],
                 r"--env needs a value: KEY=VALUE"),
                (["cursor", "app.lua", "--file"],
                 r"--file needs a value: FILE"),
                (["cursor", "app.lua", "--port", "1"],
                 r"unknown option --port; .*")):
            self.assertRefused(self.run_it("install", *arguments), 2, pattern)
        self.assertRefused(
            self.run_it("install", "cursor", "app.lua", env={"HOME": ""}), 2,
            r"where is the configuration of Cursor\? HOME is no absolute path; "
            r"say it by --file")
        self.assertEqual(self.tree("home"), {})

    def test_a_configuration_that_cannot_be_read_or_written_is_1(self):
        os.makedirs(self.path("home/.cursor/mcp.json"))
        self.assertRefused(self.run_it("install", "cursor", "app.lua"), 1,
                           r"cannot read .*: Is a directory")
        self.write("home/.gemini", "no folder")
        self.assertRefused(self.run_it("install", "gemini-cli", "app.lua"), 1,
                           r"cannot read .*: Not a directory")
        os.mkfifo(self.path("pipe"))
        for file in "pipe", "/dev/full":
            self.assertRefused(
                self.run_it("install", "cursor", "app.lua", "--file", file), 1,
                r"cannot read .*: no regular file")


class Completions(Command):
    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = self.path("mcpluad.bash")
        self.write("mcpluad.bash", self.run_well("completions", "bash").stdout)
        # as readline splits them: '=' is a word of its own
        split = [part for word in words
                 for part in re.split(r"(=)", word) if part or word == ""]
        done = subprocess.run(
            ["bash", "--norc", "-c",
             'source "$0"; complete -p mcpluad >&2; COMP_WORDS=("$@"); '
             'COMP_CWORD=$(($# - 1)); _mcpluad; printf "%s\\n" '
             '"${COMPREPLY[@]}"', script, "mcpluad", *split],
            capture_output=True, cwd=self.folder.name, check=True)
        said = done.stderr.decode()
        self.assertEqual(said, "complete -F _mcpluad mcpluad\n")
        return [line for line in done.stdout.decode().split("\n") if line]

    def test_bash_completes(self):
        for name in ("app.lua", "a file.lua", "notes.txt"):
            self.write(name, "")
        os.mkdir(self.path("folder"))
        for words, want in (
                (["che"], ["check"]),
                (["a"], ["a file.lua", "app.lua"]),
                (["check", "a"], ["a file.lua", "app.lua"]),
                (["check", "app.lua", "a"], []),
                (["check", "fo"], ["folder"]),
                (["check", "--st"], ["--stdio", "--strict"]),
                (["check", "--format", ""], ["json", "text"]),
                (["check", "--format=j"], ["json"]),
                (["check", "--format="], ["json", "text"]),
                (["--log-level", "w"], ["warning"]),
                (["--log-level=w"], ["warning"]),
                (["list", "--log-level", "w"], ["warning"]),
                (["list", "--strict", "--str"], []),
                (["--port", "80", "che"], ["check"]),
                (["--port=80", "che"], ["check"]),
                (["--expose"], ["--expose-errors=false"]),
                (["export-tool-spec", "-o", "no"], ["notes.txt"]),
                (["export-tool-spec", "--output", "no"], ["notes.txt"]),
                (["export-tool-spec", "--output=no"], ["notes.txt"]),
                (["export-tool-spec", "-o", "x", "app"], ["app.lua"]),
                (["export-tool-spec", "--revision", "2025-1"],
                 ["2025-11-25"]),
                (["install", "cl"], ["claude-code", "claude-desktop"]),
                (["install", "cursor", "app"], ["app.lua"]),
                (["install", "--na"], ["--name"]),
                (["install", "--po"], []),
                (["init", "fo"], ["folder"]),
                (["init", "x", "--template", ""], ["full", "minimal"]),
                (["completions", ""], ["bash", "fish", "zsh"]),
                (["--", "a"], ["a file.lua", "app.lua"]),
                (["call", "app.lua", ""], []),
                (["--vers"], ["--version"])):
            self.assertEqual(sorted(self.complete(*words)), want, words)

    def test_bash_knows_every_flag_of_help(self):
        flags = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)",
                               self.run_well("--help").stdout, re.M))
        offered = {flag.split("=")[0]
                   for command in ("", "check", "call", "export-tool-spec",
                                   "install", "init", "bridge")
                   for flag in self.complete(*filter(None, [command]), "--")}
        self.assertLessEqual(flags, offered)

    def test_the_scripts_are_what_their_shells_can_read(self):
        for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]),
                             ("fish", ["fish", "--no-execute"])):
            with self.subTest(shell):
                if not shutil.which(shell):
                    self.skipTest("needs " + shell)
                self.write("script",
                           self.run_well("completions", shell).stdout)
                done = subprocess.run([*check, self.path("script")],
                                      capture_output=True, check=False,
                                      env={**os.environ, "HOME": self.home})
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_fish_completes(self):
        self.write("app.lua", "")
        self.write("c.fish", self.run_well("completions", "fish").stdout)
        for line, want in (
                ("mcpluad chec", ["check"]),
                ("mcpluad app", ["app.lua"]),
                ("mcpluad check app", ["app.lua"]),
                ("mcpluad check --format ", ["json", "text"]),
                ("mcpluad check --stri", ["--strict"]),
                ("mcpluad list --stri", []),
                ("mcpluad --log-level w", ["warning"]),
                ("mcpluad install --po", []),
                ("mcpluad install cur", ["cursor"]),
                ("mcpluad completions z", ["zsh"])):
            done = subprocess.run(
                ["fish", "--no-config", "-c",
                 'source c.fish; complete -C "$argv[1]"', line],
                capture_output=True, cwd=self.folder.name, check=True,
                env={**os.environ, "HOME": self.home})
            offered = [word.split("\t")[0]
                       for word in done.stdout.decode().split("\n") if word]
            self.assertEqual(sorted(offered), want, line)

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh_completes(self):
        self.write("app.lua", "")
        os.mkdir(self.path("functions"))
        self.write("functions/_mcpluad",
                   self.run_well("completions", "zsh").stdout)
        # compadd tells what it is given; that is what a user would be offered
        self.write("run", """
fpath=($PWD/functions $fpath)
autoload -Uz compinit; compinit -u -d $PWD/dump
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "fpath=($PWD/functions \\$fpath); autoload -Uz compinit; \\
compinit -u -d $PWD/dump; PS1=; zstyle ':completion:*' list-separator ''; \\
bindkey '^I' list-choices; cd $PWD; print READY"
zpty -r z line '*READY*READY*'
zpty -n -w z "$1"$'\\t'
sleep 2
zpty -r -t z line; print -r -- $line
while zpty -r -t z line; do print -r -- $line; done
zpty -d z
""")
        for line, wanted in (("mcpluad chec", "check"),
                             ("mcpluad install c", "claude-desktop"),
                             ("mcpluad check --forma", "--format")):
            done = subprocess.run(
                ["zsh", "-f", "run", line], capture_output=True, check=False,
                cwd=self.folder.name, timeout=60,
                env={**os.environ, "HOME": self.home, "TERM": "dumb"})
            self.assertIn(wanted, done.stdout.decode("utf-8", "replace"))

    def test_wrong_lines(self):
        self.assertRefused(
            self.run_it("completions"), 2,
            r"which shell\? bash, zsh or fish; usage: mcpluad completions "
            r"SHELL")
        self.assertRefused(
            self.run_it("completions", "fihs"), 2,
            r'unknown shell "fihs"; did you mean fish\?')
        self.assertRefused(
            self.run_it("completions", "tcsh", "zsh"), 2,
            r'unknown shell "tcsh"; .*')
        self.assertRefused(
            self.run_it("completions", "bash", "zsh"), 2,
            r"one shell at a time: bash or zsh\?")


class Man(Command):
    def test_roff_has_nothing_to_say(self):
        if not shutil.which("groff"):
            self.skipTest("needs groff")
        page = self.run_well("man").stdout
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-Wall", "-ww", "-rCHECKSTYLE=1"],
            input=page.encode(), capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")
        text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout.decode())
        for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS",
                        "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS",
                        "EXAMPLES"):
            self.assertRegex(text, r"(?m)^%s$" % heading)
        for flag in re.findall(r"(--[a-z-]+)", self.run_well("--help").stdout):
            self.assertIn(flag, text)

    def test_man_shows_it(self):
        if not shutil.which("man"):
            self.skipTest("needs man")
        self.write("mcpluad.1", self.run_well("man").stdout)
        done = subprocess.run(
            ["man", "--warnings", "-E", "UTF-8", "-l", "mcpluad.1"],
            cwd=self.folder.name, capture_output=True, check=False,
            env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b"serve the tools of a Lua script", done.stdout)

    def test_wrong_lines(self):
        self.assertRefused(self.run_it("man", "ls"), 2,
                           'mcpluad man takes no "ls"')
        for command in (["man"], ["completions", "bash"],
                        ["init", "--help"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [wire.BIN, *command], stdout=full, check=False,
                    stderr=subprocess.PIPE, env=wire.sanitizer_env())
            self.assertEqual(done.returncode, 1, command)
            self.assertIn(b"No space left", done.stderr)


class Help(Command):
    def test_each_command_has_its_own(self):
        commands = re.findall(r"^  ([a-z]+[a-z-]*)(?: |$)",
                              self.run_well("--help").stdout.split(
                                  "Commands\n")[1].split("\n\n")[0], re.M)
        self.assertIn("export-tool-spec", commands)
        for command in commands:
            if command == "test":
                continue  # busted's
            done = self.run_well(command, "--help")
            self.assertTrue(done.stdout.startswith(
                "usage: mcpluad " + command), done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80)
            self.assertEqual("mcpluad --help" in done.stdout,
                             command in ("check", "list", "call", "bridge",
                                         "export-tool-spec"))
        self.assertIn("--output FILE",
                      self.run_well("export-tool-spec", "-h").stdout)

    def test_a_slip_in_a_command_is_seen(self):
        self.assertRefused(
            self.run_it("chekc", "app.lua"), 2,
            r"one app at a time: chekc or app\.lua\? did you mean the command "
            r"check\?")
        self.assertRefused(
            self.run_it("tets"), 2,
            r'there is no script "tets"; did you mean the command test\?')
        self.assertRefused(self.run_it("./tets"), 2,
                           r"\./tets: no such file.*")
        self.assertRefused(self.run_it("zzzzzzzz"), 2,
                           "zzzzzzzz: no such file.*")
        self.write("tets", 'require "mcp"')
        self.assertIn("stdio", self.run_well("--stdio", "tets").stderr)

    def test_a_folder_is_no_script(self):
        self.write("weather/app.lua", 'require "mcp"')
        for path in ("weather", "weather/"):
            self.assertRefused(
                self.run_it("check", path), 2,
                path + r": a folder, not a script; is it weather/app\.lua\?")

    def test_a_script_called_like_a_command_is_served_by_its_path(self):
        self.write("man", 'require "mcp"')
        done = self.run_well("--stdio", "./man")
        self.assertIn("stdio", done.stderr)

    def test_test_comes_first(self):
        self.assertRefused(self.run_it("--port", "1", "test"), 2,
                           r"test comes first: mcpluad test .*")


class FilteredTools(Command):
    def test_calling_one_is_2(self):
        for option in ('exclude_tags = { "beta" }',
                       'exclude_operations = { "aaa" }',
                       'include_operations = { "bbb" }'):
            self.write("app.lua", 'local mcp = require "mcp"\n'
                       'mcp.server { %s }\n'
                       'mcp.tool("aaa", { tags = { "beta" } }, function() end)\n'
                       'mcp.tool("bbb", function() return "b" end)' % option)
            self.assertRefused(
                self.run_it("call", "app.lua", "aaa"), 2,
                r'there is no tool "aaa"; .*')
            self.assertEqual(self.run_well("call", "app.lua", "bbb").stdout,
                             "b\n")


if __name__ == "__main__":
    unittest.main()
