"""Agent Skills: skills/list, skills/get, resources/directory/read, and their
files as resources; folders, code, sources, controllers; --dev.

SEP-2640; bugs.md B109, B185, B186; protocol.md "Skills"."""

import base64
import hashlib
import os
import signal
import tempfile
import threading
import time
import unittest

import wire

PDF = b"---\nname: pdf\ndescription: Work with PDF files\nversion: 1.0\n" \
      b"quoted: \"1.0\"\nmetadata:\n  tags: [a, b]\n  draft: false\n---\n\n# PDF\n"
FORMS = b"---\nname: forms\ndescription: Fill forms\n---\n\n# Forms\n"
REFUNDS = b"\xef\xbb\xbf---\r\nname: refunds\r\ndescription: \"Refund: orders\"\r\n" \
          b"---\r\n\r\n# Refunds\r\n"
LOGO = b"\x89PNG\r\n\x1a\n\x00\xff"

FILES = {
    "skills/pdf/SKILL.md": PDF,
    "skills/pdf/forms/SKILL.md": FORMS,
    "skills/pdf/forms/fields.json": b"{}\n",
    "skills/acme/billing/refunds/SKILL.md": REFUNDS,
    "skills/acme/billing/refunds/references/a b\xc3\xa9.md".encode(
        "latin-1").decode(): b"A\n",
    "skills/acme/billing/refunds/logo.png": LOGO,
    "skills/acme/billing/refunds/.secret": b"no",
    "app-secret.txt": b"no",
}
REFUNDS_URIS = [
    "skill://acme/billing/refunds/SKILL.md",
    "skill://acme/billing/refunds/logo.png",
    "skill://acme/billing/refunds/references/a%20b%C3%A9.md"]
URIS = ["skill://acme/billing/refunds/SKILL.md", "skill://pdf/SKILL.md",
        "skill://pdf/forms/SKILL.md"]
ALL_FILES = REFUNDS_URIS + [
    "skill://pdf/SKILL.md", "skill://pdf/forms/SKILL.md",
    "skill://pdf/forms/fields.json"]

HEAD = 'local mcp = require "mcp"\nmcp.server { name = "skills", version = "1.0" }\n'
APP = HEAD + """
mcp.skills { paths = { "skills" } }
mcp.resource { uri = "app://other", text = "x" }
mcp.resource { uri = "skill://pdf/SKILL.md", name = "shadowed", text = "never" }
mcp.resource { uri = "skill://free/note.md", text = "free" }
mcp.tool("hang", function(ctx) ctx.sleep(20) end)
"""
EXTENSION = "io.modelcontextprotocol/skills"


class Case(wire.TestCase):
    def rpc(self, method, params=None, **how):
        return self.server.rpc(method, params, **how)

    def skills(self, **how):
        return self.rpc("skills/list", **how).result["skills"]

    def get(self, uri, **how):
        return self.rpc("skills/get", {"uri": uri}, **how)

    def bytes(self, uri, **how):
        """The only content at `uri`, as bytes."""
        [content] = self.rpc("resources/read", {"uri": uri}, **how) \
            .result["contents"]
        self.assertEqual(content["uri"], uri)
        if "blob" in content:
            return base64.b64decode(content["blob"])
        return content["text"].encode("utf-8")

    def children(self, uri, **how):
        return self.rpc("resources/directory/read", {"uri": uri}, **how) \
            .result["resources"]

    def assertUnknown(self, answer, text):
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.error["code"], -32602)
        self.assertIn(text, answer.error["message"])

    def assertVerifies(self, skill):
        """Every file is there, with the digest and size of the entry."""
        uris = [r["uri"] for r in skill["resources"]]
        self.assertEqual(len(set(uris)), len(uris))
        self.assertIn(skill["uri"], uris)
        for resource in skill["resources"]:
            content = self.bytes(resource["uri"])
            self.assertEqual(resource["size"], len(content))
            self.assertEqual(resource["digest"], "sha256:" +
                             hashlib.sha256(content).hexdigest())


class Folders(Case):
    APP = APP
    FILES = FILES

    def test_the_capability(self):
        found = self.rpc("server/discover").result["capabilities"]
        self.assertEqual(found["extensions"][EXTENSION],
                         {"directoryRead": True})
        self.assertEqual(found["resources"],
                         {"listChanged": True, "subscribe": True})
        legacy = self.server.session().initialized.result["capabilities"]
        self.assertIn("resources", legacy)
        self.assertNotIn("extensions", legacy)

    def test_every_skill_is_listed_whole(self):
        result = self.rpc("skills/list").result
        self.assertEqual(
            {k: v for k, v in result.items() if k not in ("skills", "_meta")},
            {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"})
        self.assertEqual(result["_meta"], {
            wire.META + "serverInfo": {"name": "skills", "version": "1.0"}})
        self.assertEqual([s["uri"] for s in result["skills"]], URIS)
        for skill in result["skills"]:
            self.assertEqual(sorted(skill),
                             ["frontmatter", "resources", "uri"])
            self.assertVerifies(skill)

    def test_front_matter_is_verbatim(self):
        refunds, pdf, forms = [s["frontmatter"] for s in self.skills()]
        self.assertEqual(refunds, {"name": "refunds",
                                   "description": "Refund: orders"})
        self.assertEqual(pdf["quoted"], "1.0")
        self.assertEqual(pdf["version"], 1.0)
        self.assertEqual(pdf["metadata"], {"tags": ["a", "b"], "draft": False})
        self.assertEqual(forms, {"name": "forms", "description": "Fill forms"})

    def test_a_nested_skill_is_one_and_part_of_the_other(self):
        _, pdf, forms = self.skills()
        self.assertEqual([r["uri"] for r in forms["resources"]],
                         ["skill://pdf/forms/SKILL.md",
                          "skill://pdf/forms/fields.json"])
        self.assertEqual([r["uri"] for r in pdf["resources"]],
                         ["skill://pdf/SKILL.md"] +
                         [r["uri"] for r in forms["resources"]])

    def test_get_gives_what_list_gives(self):
        for skill in self.skills():
            result = self.get(skill["uri"]).result
            self.assertEqual(result["skill"], skill)
            self.assertEqual({k: v for k, v in result.items()
                              if k not in ("skill", "_meta")},
                             {"resultType": "complete", "ttlMs": 0,
                              "cacheScope": "private"})

    def test_unknown_skills(self):
        for uri in ("skill://pd/SKILL.md", "skill://pdf",
                    "skill://pdf/forms/fields.json", "", "app://other",
                    "skill://pdf/../pdf/SKILL.md", "skill:///SKILL.md"):
            answer = self.get(uri)
            self.assertUnknown(answer, "No skill is served at")
            self.assertEqual(answer.error["data"], {"uri": uri})
        self.assertIn('did you mean "skill://pdf/SKILL.md"?',
                      self.get("skill://pd/SKILL.md").error["message"])
        for params in ({}, {"uri": 7}, {"uri": None}):
            self.assertUnknown(self.rpc("skills/get", params),
                               "uri must be a string")

    def test_files_byte_for_byte(self):
        self.assertEqual(self.bytes("skill://acme/billing/refunds/SKILL.md"),
                         REFUNDS)
        self.assertEqual(self.bytes("skill://acme/billing/refunds/logo.png"),
                         LOGO)
        self.assertEqual(self.bytes(REFUNDS_URIS[2]), b"A\n")
        result = self.rpc("resources/read", {
            "uri": "skill://pdf/SKILL.md"}).result
        self.assertEqual(result["contents"][0]["mimeType"], "text/markdown")
        self.assertEqual(result["cacheScope"], "private")

    def test_nothing_else_of_the_folder_can_be_read(self):
        for uri in ("skill://pdf/../../app.lua", "skill://pdf/../app.lua",
                    "skill://pdf/%2e%2e/%2e%2e/app.lua",
                    "skill://pdf/..%2f..%2fapp.lua", "skill://../app.lua",
                    "skill://acme/billing/refunds/.secret",
                    "skill://pdf//SKILL.md", "skill://pdf/./SKILL.md",
                    "skill://pdf/SKILL.md/", "skill://pdf/SKILL.md?x",
                    "skill:///etc/passwd", "skill://pdf", "skill://",
                    "skills://pdf/SKILL.md"):
            self.assertUnknown(self.rpc("resources/read", {"uri": uri}),
                               "Resource not found")

    def test_skills_come_before_resources_of_the_same_scheme(self):
        self.assertEqual(self.bytes("skill://pdf/SKILL.md"), PDF)
        self.assertEqual(self.bytes("skill://free/note.md"), b"free")

    def test_files_are_listed_as_resources(self):
        listed = self.rpc("resources/list").result["resources"]
        by_uri = {r["uri"]: r for r in listed if r["name"] != "shadowed"}
        self.assertEqual(listed[0]["uri"], "app://other")
        self.assertEqual([r["uri"] for r in listed[3:]], ALL_FILES)
        self.assertEqual(by_uri["skill://pdf/SKILL.md"], {
            "uri": "skill://pdf/SKILL.md", "name": "pdf",
            "description": "Work with PDF files",
            "mimeType": "text/markdown", "size": len(PDF)})
        self.assertEqual(by_uri[REFUNDS_URIS[1]]["mimeType"], "image/png")

    def test_directories(self):
        self.assertEqual(
            [(r["uri"], r["name"], r["mimeType"])
             for r in self.children("skill://pdf")],
            [("skill://pdf/SKILL.md", "pdf", "text/markdown"),
             ("skill://pdf/forms", "forms", "inode/directory")])
        self.assertEqual([r["uri"] for r in self.children("skill://acme")],
                         ["skill://acme/billing"])
        self.assertEqual(
            [r["name"] for r in
             self.children("skill://acme/billing/refunds/references")],
            ["a b\u00e9.md"])
        result = self.rpc("resources/directory/read",
                          {"uri": "skill://pdf"}).result
        self.assertNotIn("ttlMs", result)
        self.assertNotIn("cacheScope", result)
        self.assertEqual(result["resultType"], "complete")

    def test_what_is_no_directory(self):
        for uri in ("skill://pdf/SKILL.md", "skill://pdf/", "skill://nix",
                    "skill://pd", "skill://pdf/..", "app://other", ""):
            answer = self.rpc("resources/directory/read", {"uri": uri})
            self.assertUnknown(answer, "directory")
            self.assertEqual(answer.error["data"], {"uri": uri})

    def test_the_methods_are_of_the_last_revision_only(self):
        for version in wire.LEGACY:
            session = self.server.session(version)
            for method in ("skills/list", "skills/get",
                           "resources/directory/read"):
                self.assertEqual(session.request(
                    method, {"uri": "skill://pdf"}).error["code"], -32601)
            [content] = session.request("resources/read", {
                "uri": "skill://pdf/SKILL.md"}).result["contents"]
            self.assertEqual(content["text"].encode(), PDF)
            self.assertIn("skill://pdf/SKILL.md", [
                r["uri"] for r in
                session.request("resources/list").result["resources"]])
            self.assertEqual(session.request("resources/read", {
                "uri": "skill://nix/SKILL.md"}).error["code"], -32002)

    def test_mcp_name_may_be_absent_and_must_match(self):
        for method, uri in (("skills/get", "skill://pdf/SKILL.md"),
                            ("resources/directory/read", "skill://pdf")):
            for name, code in ((None, 200), (uri, 200), (uri + "x", 400)):
                answer = self.rpc(method, {"uri": uri},
                                  headers={"Mcp-Name": name})
                self.assertEqual(answer.status, code, answer)
            self.assertEqual(answer.error["code"], -32020)

    def test_static_skills_need_no_lua(self):
        """Every worker is busy, and yet all is answered at once."""
        server = self.start(APP, files=FILES, options=["--max-workers", "1"])
        with server.stream(*wire.modern("tools/call", {
                "name": "hang", "arguments": {}})):
            time.sleep(0.3)
            began = time.monotonic()
            for method, uri in (("skills/list", None),
                                ("skills/get", "skill://pdf/SKILL.md"),
                                ("resources/read", "skill://pdf/SKILL.md"),
                                ("resources/directory/read", "skill://pdf")):
                server.rpc(method, {"uri": uri} if uri else None).result
            self.assertLess(time.monotonic() - began, 5)


class Options(Case):
    def begin(self, fields, more="", files=FILES, **how):
        self.server = self.start(
            HEAD + 'mcp.skills { paths = { "skills" }, %s }\n%s' %
            (fields, more), files=files, **how)

    def test_no_directories(self):
        self.begin("directory_read = false")
        found = self.rpc("server/discover").result["capabilities"]
        self.assertEqual(found["extensions"][EXTENSION], {})
        answer = self.rpc("resources/directory/read", {"uri": "skill://pdf"})
        self.assertEqual((answer.status, answer.error["code"]), (404, -32601))
        self.assertEqual(len(self.skills()), 3)

    def test_not_among_the_resources(self):
        self.begin("expose_as_resources = false")
        self.assertEqual(self.rpc("resources/list").result["resources"], [])
        self.assertEqual(self.bytes("skill://pdf/SKILL.md"), PDF)

    def test_cache_members(self):
        self.begin('cache = { ttl_ms = 60000, scope = "public" }')
        for method, params in (("skills/list", None),
                               ("skills/get", {"uri": URIS[1]}),
                               ("resources/read", {"uri": URIS[1]})):
            result = self.rpc(method, params).result
            self.assertEqual((result["ttlMs"], result["cacheScope"]),
                             (60000, "public"), method)

    def test_a_source_makes_the_list_private(self):
        self.begin('cache = { ttl_ms = 60000, scope = "public" }, '
                   'sources = { { list = function() return {} end } }')
        result = self.rpc("skills/list").result
        self.assertEqual((result["ttlMs"], result["cacheScope"]),
                         (60000, "private"))
        self.assertEqual(self.get(URIS[1]).result["cacheScope"], "public")

    def test_a_prefix_for_the_folders(self):
        self.begin('prefix = "shop/eu"')
        self.assertEqual([s["uri"] for s in self.skills()],
                         [u.replace("skill://", "skill://shop/eu/")
                          for u in URIS])
        self.assertEqual([r["name"] for r in self.children("skill://shop")],
                         ["eu"])

    def test_limits_at_n_and_one_more(self):
        for fields, size, served in (
                ("max_files = 3", 3, True), ("max_files = 2", 3, False),
                ("max_bytes = %d" % len(FORMS), 0, True),
                ("max_bytes = %d" % (len(FORMS) - 1), 0, False)):
            files = {"skills/forms/SKILL.md": FORMS}
            for i in range(size - 1):
                files["skills/forms/%d.txt" % i] = b""
            self.begin(fields, files=files)
            self.assertEqual(len(self.skills()), int(served), fields)
            if not served:
                self.server.wait_stderr(r"error +skills: .*forms.*at most")

    def test_without_skills_there_is_nothing_of_it(self):
        self.server = self.start(HEAD)
        found = self.rpc("server/discover").result["capabilities"]
        self.assertNotIn("extensions", found)
        for method in ("skills/list", "skills/get", "resources/directory/read"):
            answer = self.rpc(method, {"uri": "skill://pdf"})
            self.assertEqual((answer.status, answer.error["code"]),
                             (404, -32601))

    def test_a_broken_skill_hinders_no_other(self):
        files = dict(FILES)
        files["skills/bad/SKILL.md"] = \
            b"---\nname: bad\ndescription: a: b\nallowed-tools: x\n---\n\nx\n"
        self.begin("", files=files)
        self.assertEqual([s["uri"] for s in self.skills()], URIS)
        self.server.wait_stderr(r"error +skills: \S*skills/bad/SKILL\.md:3: ")
        self.assertUnknown(self.get("skill://bad/SKILL.md"), "No skill")
        self.assertUnknown(self.rpc("resources/read", {
            "uri": "skill://bad/SKILL.md"}), "not found")


class Pages(Case):
    COUNT = 7

    def begin(self, more=""):
        files = {"skills/s%d/SKILL.md" % i:
                 "---\nname: s%d\ndescription: Number %d\n---\n\nx\n" % (i, i)
                 for i in range(self.COUNT)}
        self.server = self.start(
            HEAD + 'mcp.skills { paths = { "skills" }, prefix = "p", %s }\n'
            % more, files=files, options=["--list-page-size", "3"])

    def pages(self, method, member, params=None):
        out, cursor = [], None
        while True:
            result = self.rpc(method, {
                **(params or {}), **({"cursor": cursor} if cursor else {})
            }).result
            out.append([item["uri"] for item in result[member]])
            cursor = result.get("nextCursor")
            if cursor is None:
                return out

    def names(self, suffix="/SKILL.md"):
        return ["skill://p/s%d%s" % (i, suffix) for i in range(self.COUNT)]

    def test_static_ones(self):
        self.begin()
        pages = self.pages("skills/list", "skills")
        self.assertEqual([len(p) for p in pages], [3, 3, 1])
        self.assertEqual(sum(pages, []), self.names())

    def test_with_a_source(self):
        self.begin('''sources = { { list = function()
          local out = {}
          for i = 1, 4 do out[i] = { name = "d" .. i, description = "D", body = "x" } end
          return out
        end } }''')
        pages = self.pages("skills/list", "skills")
        self.assertEqual([len(p) for p in pages], [3, 3, 3, 2])
        self.assertEqual(sum(pages, []), self.names() + [
            "skill://d%d/SKILL.md" % i for i in range(1, 5)])

    def test_a_directory(self):
        self.begin()
        pages = self.pages("resources/directory/read", "resources",
                           {"uri": "skill://p"})
        self.assertEqual([len(p) for p in pages], [3, 3, 1])
        self.assertEqual(sum(pages, []), self.names(""))

    def test_cursors_that_lead_nowhere(self):
        self.begin()
        cursor = self.rpc("skills/list").result["nextCursor"]
        for bad in (cursor + "0", cursor[:-1] + "3", cursor[:-1] + "0", "x",
                    cursor[:-1] + "01", "0" * 16 + ".1", 7,
                    self.rpc("resources/list").result["nextCursor"]):
            self.assertUnknown(self.rpc("skills/list", {"cursor": bad}),
                               "ursor")
        for first in ("", None):
            self.assertEqual(self.rpc("skills/list", {"cursor": first})
                             .result["skills"][0]["uri"], self.names()[0])
        self.assertUnknown(self.rpc("resources/directory/read", {
            "uri": "skill://p", "cursor": cursor}), "cursor")


class Code(Case):
    APP = HEAD + r"""
mcp.skill { name = "made", description = "Says: \"hi\" # it's\n\tfine \195\169",
  license = "MIT", compatibility = "Any", allowed_tools = { "Bash", "Read" },
  metadata = { version = "1.0", yes = "no" },
  body = "# Made\n",
  files = { ["references/a.md"] = "A", ["b.bin"] = { blob = "\0\255" },
            ["c.dat"] = { text = "{}", mime_type = "application/json" },
            ["own.lua"] = { file = "app.lua" } } }
mcp.skill { prefix = "team/x", text = "---\nname: whole\ndescription: W\nextra: [1]\n---\n\nbody\n" }
"""

    def test_made_of_fields(self):
        made, whole = self.skills()
        self.assertEqual(made["uri"], "skill://made/SKILL.md")
        self.assertEqual(made["frontmatter"], {
            "name": "made",
            "description": "Says: \"hi\" # it's\n\tfine \u00e9",
            "license": "MIT", "compatibility": "Any",
            "allowed-tools": "Bash Read",
            "metadata": {"version": "1.0", "yes": "no"}})
        self.assertVerifies(made)
        self.assertEqual([r["uri"][13:] for r in made["resources"]],
                         ["SKILL.md", "b.bin", "c.dat", "own.lua",
                          "references/a.md"])
        self.assertTrue(self.bytes("skill://made/SKILL.md")
                        .endswith(b"---\n\n# Made\n"))
        self.assertEqual(whole["uri"], "skill://team/x/whole/SKILL.md")
        self.assertEqual(whole["frontmatter"]["extra"], [1])

    def test_its_files(self):
        self.assertEqual(self.bytes("skill://made/b.bin"), b"\0\xff")
        self.assertEqual(self.bytes("skill://made/references/a.md"), b"A")
        self.assertIn(b"mcp.skill", self.bytes("skill://made/own.lua"))
        [content] = self.rpc("resources/read", {
            "uri": "skill://made/c.dat"}).result["contents"]
        self.assertEqual(content["mimeType"], "application/json")


class Guarded(Case):
    """The guards of the server are before skills of folders and in code."""

    APP = """local mcp = require "mcp"
mcp.server { guards = { function(ctx)
  return ctx.request.headers["x-user"] ~= "evil", "not you"
end } }
mcp.skill { name = "made", description = "M", files = { ["a.bin"] = { blob = "\\0" } } }
"""
    EVIL = {"headers": {"X-User": "evil"}}

    def test_get_and_read_are_refused(self):
        for method, uri in (("skills/get", "skill://made/SKILL.md"),
                            ("resources/read", "skill://made/SKILL.md"),
                            ("resources/read", "skill://made/a.bin")):
            with self.subTest(method=method, uri=uri):
                error = self.rpc(method, {"uri": uri}, **self.EVIL).error
                self.assertEqual((error["code"], error["data"]),
                                 (-32603, {"statusCode": 403,
                                           "content": "not you"}))

    def test_others_get_what_is_there_for_themselves_alone(self):
        answer = self.get("skill://made/SKILL.md").result
        self.assertVerifies(answer["skill"])
        self.assertEqual(answer["cacheScope"], "private")

    def test_lists_show_what_they_protect(self):
        [skill] = self.skills(**self.EVIL)
        self.assertEqual(skill["uri"], "skill://made/SKILL.md")
        self.assertEqual(len(self.children("skill://made", **self.EVIL)), 2)

    def test_what_is_not_there_is_still_not_there(self):
        self.assertUnknown(self.get("skill://none/SKILL.md", **self.EVIL),
                           "No skill")
        self.assertUnknown(
            self.rpc("resources/read", {"uri": "skill://none/x"}), "not found")


class Refused(Case):
    """Wrong declarations stop the load, at their line."""

    def refuse(self, text, why):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "skills"))
            app = os.path.join(folder, "app.lua")
            with open(app, "w", encoding="utf-8") as file:
                file.write(HEAD + text)
            done = wire.run("--stdio", app)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("app.lua:3: " + why, done.stderr)

    def test_mcp_skills(self):
        for text, why in (
                ("mcp.skills()", "mcp.skills: a table"),
                ("mcp.skills { pahts = {} }",
                 'mcp.skills: unknown field "pahts"; did you mean "paths"?'),
                ("mcp.skills { paths = {} }", "mcp.skills: paths names no"),
                ('mcp.skills { paths = { "no" } }',
                 'mcp.skills: the skills path "no" is no folder that can be '
                 'read: No such file'),
                ('mcp.skills { paths = { "app.lua" } }',
                 'mcp.skills: the skills path "app.lua" is no folder'),
                ("mcp.skills { max_files = 0 }",
                 "mcp.skills: max_files must be at least 1"),
                ("mcp.skills { directory_read = 1 }",
                 "mcp.skills: directory_read must be a boolean"),
                ("mcp.skills {} mcp.skills {}",
                 "mcp.skills: called a second time"),
                ("mcp.skills { sources = { {} } }",
                 "mcp.skills: sources[1]: a source needs list or get"),
                ("mcp.skills { sources = { { list = 1 } } }",
                 "mcp.skills: sources[1]: list must be a function"),
                ('mcp.skills { paths = { "skills" }, prefix = "a//b" }',
                 "mcp.skills: prefix must be")):
            self.refuse(text, why)

    def test_mcp_skill(self):
        good = 'name = "a", description = "b"'
        for text, why in (
                ("", "name must be a string, got nil"),
                ('name = "A", description = "b"', "name may have a-z"),
                ('name = "a--b", description = "b"', "name must not begin"),
                ('name = "%s", description = "b"' % ("a" * 65),
                 "name must have 1 to 64 characters, not 65"),
                ('name = "a"', "description must be a string"),
                ('name = "a", description = " "', "description must say"),
                ('name = "a", description = ("\\195\\169"):rep(1025)',
                 "description must have at most 1024 characters, not 1025"),
                (good + ", bdoy = 1", 'unknown field "bdoy"; did you mean '
                                      '"body"?'),
                (good + ', files = { ["../x"] = "" }', 'files["../x"] must be'),
                (good + ', files = { ["SKILL.md"] = "" }',
                 'files["SKILL.md"] is made'),
                (good + ', files = { [".x"] = "" }', 'files[".x"] must be'),
                (good + ', files = { x = {} }', 'files["x"] needs one of'),
                (good + ', files = { x = { file = "no" } }',
                 'cannot read "'),
                (good + ', metadata = { a = 1 }', "metadata.a must be a string"),
                (good + ', text = ""', "text is the whole SKILL.md; ")):
            self.refuse("mcp.skill { %s }" % text, "mcp.skill: " + why)

    def test_the_longest_is_taken(self):
        self.server = self.start(HEAD + (
            'mcp.skill { name = "%s", description = ("\\195\\169"):rep(1024) }'
            % ("a" * 64)))
        self.assertEqual(len(self.skills()), 1)

    def test_mcp_skill_controller(self):
        for text, why in (
                ("{}", "there is nothing in it"),
                ("{ read = function() end }", "read needs list or get"),
                ("{ tools = 1 }", "tools must be a table"),
                ("{ tools = { 1 } }", "tools[1]: a table"),
                ("{ instrutions = 1 }", 'unknown field "instrutions"; did you '
                                        'mean "instructions"?')):
            self.refuse("mcp.skill_controller " + text,
                        "mcp.skill_controller: " + why)


SOURCES = HEAD + r"""
local function whole(name, extra)
  return { name = name, description = "The " .. name, body = "# " .. name .. "\n",
           files = { ["r/x.md"] = extra or "x", ["b.bin"] = { blob = "\0\255" } } }
end
mcp.provide("tenant", function(ctx) return ctx.request.headers["x-tenant"] or "none" end)

mcp.skills { sources = {
  { list = function(ctx)
      local out = { whole("common", "first") }
      if ctx.request.headers["x-tenant"] then out[2] = whole("of-" .. ctx.dep.tenant) end
      return out
    end },
  { list = function() return { whole("common", "second"), whole("other") } end },
  { prefix = "raw",
    list = function() return {
      { uri = "skill://raw/live/SKILL.md", resources = "dynamic", files = { "a/b.md", "top.txt" },
        frontmatter = { name = "live", description = "Live", list = { 1, 2 } } } } end,
    get = function(uri)
      if uri == "skill://raw/live/SKILL.md" then
        return { uri = uri, resources = "dynamic", frontmatter = { name = "live", description = "Live", list = { 1, 2 } } }
      elseif uri == "skill://raw/hidden/SKILL.md" then
        return { uri = uri, frontmatter = { name = "hidden", description = "Not listed" },
          resources = { { uri = uri, digest = "sha256:" .. ("0"):rep(64), size = 3 },
            { uri = "skill://raw/hidden/d/f.md", digest = "sha256:" .. ("1"):rep(64), size = 4 } } }
      end
    end,
    read = function(uri)
      if uri == "skill://raw/live/SKILL.md" then return "---\nname: live\n---\n" end
      if uri == "skill://raw/live/blob" then return mcp.blob("\1\2", "image/png") end
      if uri == "skill://raw/live/broken" then error("it broke") end
      if uri == "skill://raw/live/nil" then return nil, "why not" end
      if uri == "skill://raw/live/gone" then mcp.not_found("gone") end
    end },
} }
mcp.skill_controller { prefix = "acme/eu", instructions = "Be brief.",
  guards = function(ctx) if ctx.request.headers["x-tenant"] == "evil" then return false, "not you" end end,
  dependencies = { shelf = function(tenant) return "shelf of " .. tenant end },
  list = function(ctx) return { whole("guarded", ctx.dep.shelf) } end,
  prompts = { { name = "hello", handler = function() return "hi" end } },
}
mcp.skill_controller { prefix = "shop",
  tools = { { name = "buy", description = "Buys", handler = function(what) return what end } } }
mcp.resource { uri_template = "skill://templated/{x}", handler = function(x) return "T" .. x end }
"""


class Sources(Case):
    APP = SOURCES

    @staticmethod
    def of(tenant):
        return {"headers": {"X-Tenant": tenant}}

    def test_each_caller_sees_their_own(self):
        common = ["skill://common/SKILL.md", "skill://other/SKILL.md",
                  "skill://raw/live/SKILL.md",
                  "skill://acme/eu/guarded/SKILL.md"]
        self.assertEqual([s["uri"] for s in self.skills()], common)
        self.assertEqual([s["uri"] for s in self.skills(**self.of("a"))],
                         common[:1] + ["skill://of-a/SKILL.md"] + common[1:])
        result = self.rpc("skills/list").result
        self.assertEqual((result["ttlMs"], result["cacheScope"]),
                         (0, "private"))
        self.assertUnknown(self.get("skill://of-a/SKILL.md"), "No skill")
        self.assertEqual(self.get("skill://of-a/SKILL.md", **self.of("a"))
                         .result["cacheScope"], "private")
        self.assertUnknown(self.rpc("resources/read", {
            "uri": "skill://of-a/r/x.md"}), "not found")
        self.assertEqual(self.bytes("skill://of-a/r/x.md", **self.of("a")),
                         b"x")

    def test_whole_skills_verify(self):
        for skill in self.skills():
            if skill["resources"] != "dynamic":
                self.assertVerifies(skill)
            self.assertEqual(self.get(skill["uri"]).result["skill"], skill)

    def test_of_two_the_first_counts(self):
        self.assertEqual(self.bytes("skill://common/r/x.md"), b"first")
        self.server.wait_stderr("skill://common/SKILL.md is listed by more")

    def test_dynamic_ones(self):
        live = self.get("skill://raw/live/SKILL.md").result["skill"]
        self.assertEqual(live, {
            "uri": "skill://raw/live/SKILL.md", "resources": "dynamic",
            "frontmatter": {"name": "live", "description": "Live",
                            "list": [1, 2]}})
        [content] = self.rpc("resources/read", {
            "uri": live["uri"]}).result["contents"]
        self.assertEqual(content["mimeType"], "text/markdown")
        self.assertEqual(self.bytes("skill://raw/live/blob"), b"\1\2")

    def test_one_that_is_not_listed(self):
        """B186"""
        uri = "skill://raw/hidden/SKILL.md"
        self.assertEqual(self.get(uri).result["skill"]["uri"], uri)
        self.assertEqual([r["uri"] for r in self.children("skill://raw/hidden")],
                         [uri, "skill://raw/hidden/d"])
        self.assertEqual(self.children("skill://raw/hidden/d"), [
            {"uri": "skill://raw/hidden/d/f.md", "name": "f.md",
             "mimeType": "text/markdown", "size": 4}])

    def test_directories(self):
        self.assertEqual([(r["uri"], r["mimeType"])
                          for r in self.children("skill://raw/live")],
                         [("skill://raw/live/SKILL.md", "text/markdown"),
                          ("skill://raw/live/a", "inode/directory"),
                          ("skill://raw/live/top.txt", "text/plain")])
        self.assertEqual([r["name"] for r in self.children("skill://acme")],
                         ["eu"])
        self.assertEqual(
            [(r["name"], r.get("size")) for r in
             self.children("skill://acme/eu/guarded/r")],
            [("x.md", len("shelf of none"))])
        for uri in ("skill://raw/live/SKILL.md", "skill://nix", "skill://"):
            self.assertUnknown(self.rpc("resources/directory/read",
                                        {"uri": uri}), "directory")

    def test_guards_refuse_get_and_read_and_do_not_hide(self):
        uri = "skill://acme/eu/guarded/SKILL.md"
        self.assertIn(uri, [s["uri"] for s in self.skills(**self.of("evil"))])
        for method in ("skills/get", "resources/read"):
            error = self.rpc(method, {"uri": uri}, **self.of("evil")).error
            self.assertEqual((error["code"], error["data"]),
                             (-32603, {"statusCode": 403,
                                       "content": "not you"}))
            self.rpc(method, {"uri": uri}).result
        self.rpc("skills/get", {"uri": "skill://other/SKILL.md"},
                 **self.of("evil")).result

    def test_dependencies(self):
        self.assertEqual(self.bytes("skill://acme/eu/guarded/r/x.md",
                                    **self.of("b")), b"shelf of b")

    def test_read_failures(self):
        error = self.rpc("resources/read", {
            "uri": "skill://raw/live/broken"}).error
        self.assertEqual((error["code"], error["data"]["content"]),
                         (-32603, "it broke"))
        error = self.rpc("resources/read", {"uri": "skill://raw/live/nil"}).error
        self.assertEqual((error["code"], error["data"]["content"]),
                         (-32603, "why not"))
        for name in ("gone", "nothing"):
            self.assertUnknown(self.rpc("resources/read", {
                "uri": "skill://raw/live/" + name}), "not found")

    def test_what_no_source_knows_is_looked_for_elsewhere(self):
        self.assertEqual(self.bytes("skill://templated/x"), b"Tx")
        self.assertUnknown(self.rpc("resources/read", {
            "uri": "skill://nix/y"}), "not found")

    def test_legacy_clients_read(self):
        for version in wire.LEGACY:
            session = self.server.session(version)
            [content] = session.request("resources/read", {
                "uri": "skill://common/r/x.md"}).result["contents"]
            self.assertEqual(content["text"], "first")

    def test_tools_and_prompts_of_a_controller(self):
        self.assertEqual([t["name"] for t in
                          self.rpc("tools/list").result["tools"]],
                         ["shop_buy"])
        [message] = self.rpc("prompts/get", {
            "name": "acme/eu/hello"}).result["messages"]
        self.assertEqual(message["content"]["text"], "Be brief.\n\nhi")


class Wrong(Case):
    """What a source must not tell; the message says where it is wrong."""
    GOOD = '''uri = "skill://p/a/SKILL.md", resources = "dynamic",
        frontmatter = { name = "a", description = "d" }'''
    CASES = (
        ('return 7', "list() must return a list of skills, got 7"),
        ('return nil, "no database"', "no database"),
        ('error("it broke")', "it broke"),
        ('return { 7 }', "list()[1]: must be a table"),
        ('return { { name = "a", description = "d", bdoy = "" } }',
         'list()[1]: unknown field "bdoy"; did you mean "body"?'),
        ('return { { name = "A", description = "d" } }',
         "list()[1]: name may have a-z"),
        ('return { { name = "a", description = "d", '
         'files = { x = { file = "x" } } } }', "a source has no files"),
        ('return { { uri = "http://x/SKILL.md" } }',
         "list()[1]: uri must be skill://p/.../SKILL.md"),
        ('return { { uri = "skill://q/a/SKILL.md" } }', "uri must be skill://p/"),
        ('return { { uri = "skill://p/../a/SKILL.md" } }', "uri must have no"),
        ('return { { uri = "skill://p/a b/SKILL.md" } }', "uri must have no"),
        ('return { { uri = "skill://p/a/SKILL.md" } }',
         "frontmatter must be a table"),
        ('return { { uri = "skill://p/a/SKILL.md", frontmatter = {} } }',
         "frontmatter.name must be a string"),
        ('return { { uri = "skill://p/b/SKILL.md", '
         'frontmatter = { name = "a", description = "d" } } }',
         "uri must end with /a/SKILL.md"),
        ('return { { uri = "skill://p/a/SKILL.md", '
         'frontmatter = { name = "a", description = "d" } } }',
         "resources must be a list"),
        ('return { { uri = "skill://p/a/SKILL.md", resources = {'
         '{ uri = "skill://p/a/x", digest = "sha256:" .. ("0"):rep(64), '
         'size = 1 } }, frontmatter = { name = "a", description = "d" } } }',
         "resources must have skill://p/a/SKILL.md itself"),
        ('return { { uri = "skill://p/a/SKILL.md", resources = {'
         '{ uri = "skill://p/b", digest = "", size = 1 } }, '
         'frontmatter = { name = "a", description = "d" } } }',
         "resources[1].uri must be inside of skill://p/a/"),
        ('return { { uri = "skill://p/a/SKILL.md", resources = {'
         '{ uri = "skill://p/a/SKILL.md", digest = "sha256:0", size = 1 } }, '
         'frontmatter = { name = "a", description = "d" } } }',
         "resources[1].digest must be"),
        ('return { { uri = "skill://p/a/SKILL.md", resources = {'
         '{ uri = "skill://p/a/SKILL.md", size = -1, '
         'digest = "sha256:" .. ("0"):rep(64) } }, '
         'frontmatter = { name = "a", description = "d" } } }',
         "resources[1].size must be"),
        ('return { { %s, extra = 1 } }' % GOOD, 'unknown field "extra"'),
        ('return { { %s, files = { "../x" } } }' % GOOD, "files: "),
        ('ctx.elicit { message = "?", schema = {} }', "only tools"),
        ('while true do end', "took longer than"),
    )

    def test_each(self):
        sources = "".join(
            'if which == "%d" then %s end\n' % (i, code)
            for i, (code, _) in enumerate(self.CASES))
        self.server = self.start(HEAD + """
mcp.skills { sources = { { prefix = "p", list = function(ctx)
  local which = ctx.request.headers["x-case"]
  %s
  return {}
end } } }
""" % sources, options=["--call-timeout", "1"])
        for i, (code, why) in enumerate(self.CASES):
            answer = self.rpc("skills/list", headers={"X-Case": str(i)})
            error = answer.error
            self.assertEqual(error["code"], -32603, code)
            told = error["message"] + str(error.get("data", ""))
            self.assertIn(why, told, code)
        self.assertEqual(self.rpc("skills/list").result["skills"], [])

    def test_another_skill_than_the_one_asked_for(self):
        self.server = self.start(HEAD + """
mcp.skills { sources = { { get = function(uri) return { %s } end } } }
""" % self.GOOD)
        self.assertIn("returned another skill: skill://p/a/SKILL.md",
                      self.get("skill://p/b/SKILL.md").error["data"]["content"])
        self.get("skill://p/a/SKILL.md").result

    def test_limits_at_n_and_one_more(self):
        self.server = self.start(HEAD + """
mcp.skills { sources = { { list = function(ctx)
  local n = tonumber(ctx.request.headers["x-files"])
  local root = "skill://a/"
  local out = { { uri = root .. "SKILL.md", size = tonumber(ctx.request.headers["x-size"]),
    digest = "sha256:" .. ("0"):rep(64) } }
  for i = 2, n do out[i] = { uri = root .. i, size = 0, digest = "sha256:" .. ("0"):rep(64) } end
  return { { uri = root .. "SKILL.md", resources = out,
    frontmatter = { name = "a", description = "d" } } }
end } } }
""")
        self.limits_of_whole_skills()
        for files, size, fault in ((512, 1, None), (513, 1, "513 files"),
                                   (1, 16 << 20, None),
                                   (1, (16 << 20) + 1, "size must be")):
            answer = self.rpc("skills/list", headers={
                "X-Files": str(files), "X-Size": str(size)})
            if fault is None:
                self.assertEqual(len(answer.result["skills"][0]["resources"]),
                                 files)
            else:
                self.assertIn(fault, answer.error["data"]["content"])


    def test_bytes_that_are_not_those_of_the_digest(self):
        right = hashlib.sha256(b"right").hexdigest()
        self.server = self.start(HEAD + """
local root = "skill://a/"
local function file(name) return { uri = root .. name, size = 5, digest = "sha256:%s" } end
mcp.skills { sources = { { list = function() return { {
  uri = root .. "SKILL.md", frontmatter = { name = "a", description = "d" },
  resources = { file("SKILL.md"), file("wrong"), file("blob"), file("embedded"), file("short") } } } end,
  read = function(uri)
    if uri:find "wrong$" then return "wrong" end
    if uri:find "short$" then return "rig" end
    if uri:find "blob$" then return mcp.blob("right", "a/b") end
    if uri:find "embedded$" then return mcp.embedded { uri = uri, text = "right", mime_type = "a/b" } end
    return "right"
  end } } }
""" % right)
        for name in ("SKILL.md", "blob", "embedded"):
            self.assertEqual(self.bytes("skill://a/" + name), b"right")
        for name, why in (("wrong", "other bytes"), ("short", "3 bytes")):
            error = self.rpc("resources/read",
                             {"uri": "skill://a/" + name}).error
            self.assertEqual(error["code"], -32603)
            self.assertIn(why, error["data"]["content"])

    def limits_of_whole_skills(self):
        server = self.start(HEAD + r"""
mcp.skills { sources = { { list = function(ctx)
  local files = {}
  for i = 2, tonumber(ctx.request.headers["x-files"]) do files[i .. ".txt"] = "" end
  local skill = { name = "a", description = "d", files = files, body = "" }
  local size = tonumber(ctx.request.headers["x-size"])
  if size > 0 then skill.body = ("x"):rep(size - #'---\nname: "a"\ndescription: "d"\n---\n\n') end
  return { skill }
end } } }
""", options=["--memory-limit", "512MiB"])
        for files, size, fault in ((512, 0, None), (513, 0, "513 files"),
                                   (1, 16 << 20, None),
                                   (1, (16 << 20) + 1, "16777217 bytes")):
            answer = server.rpc("skills/list", headers={
                "X-Files": str(files), "X-Size": str(size)})
            if fault is None:
                resources = answer.result["skills"][0]["resources"]
                self.assertEqual(len(resources), files)
                self.assertEqual(resources[0]["size"] == 16 << 20, size > 0)
            else:
                self.assertIn(fault, answer.error["data"]["content"])


class Load(Case):
    """Sources are runs of their own: what happens between two of them."""
    APP = HEAD + """
local seen = mcp.shared("seen")
local function source(i)
  return { list = function(ctx)
    seen:incr("asked " .. i)
    ctx.sleep(tonumber(ctx.request.headers["x-sleep"] or 0))
    return { { name = "s" .. i, description = "d", body = ("x"):rep(1000) } }
  end }
end
mcp.skills { sources = { source(1), source(2), source(3) } }
mcp.tool("asked", function(i) return seen:get("asked " .. i) or 0 end)
"""
    OPTIONS = ["--max-workers", "2", "--queue", "4"]

    def asked(self, i):
        return int(self.server.call("asked", {"i": i})
                   .result["content"][0]["text"])

    def test_many_at_once(self):
        expected = ["skill://s%d/SKILL.md" % i for i in (1, 2, 3)]
        wrong = []

        def ask():
            for _ in range(10):
                answer = self.rpc("skills/list")
                if answer.status == 503:
                    continue
                uris = [s["uri"] for s in answer.result["skills"]]
                if uris != expected:
                    wrong.append(uris)
        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(wrong, [])
        self.assertEqual([s["uri"] for s in self.skills()], expected)

    def test_a_client_that_leaves_ends_the_walk(self):
        before = self.asked(1), self.asked(2)
        stream = wire.modern("skills/list", headers={"X-Sleep": "1"})
        connection = self.server.connection()
        self.server._send(connection, "POST", None, stream.body,
                          self.server._post_headers(stream.headers))
        end = time.monotonic() + 10
        while self.asked(1) == before[0]:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        connection.close()
        time.sleep(1.5)
        self.assertEqual((self.asked(1), self.asked(2)),
                         (before[0] + 1, before[1]))
        self.assertEqual(len(self.skills()), 3)


class Reload(Case):
    def begin(self, *options, files=FILES):
        self.server = self.start(
            HEAD + 'mcp.skills { paths = { "skills" } }\n', files=files,
            options=options)

    def wait(self, condition, seconds=15):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, self.server.stderr)
            time.sleep(0.02)

    def uris(self):
        return [s["uri"] for s in self.skills()]

    def listen(self, uris):
        stream = self.server.stream(*wire.modern(
            "subscriptions/listen", {"notifications": {
                "resourcesListChanged": True,
                "resourceSubscriptions": uris}}, id="s"))
        self.assertEqual(stream.message()["method"],
                         "notifications/subscriptions/acknowledged")
        return stream

    def test_a_changed_file_is_indexed_and_announced(self):
        self.begin("--dev")
        before = self.get(URIS[1]).result["skill"]
        with self.listen([URIS[1], URIS[0]]) as stream:
            self.server.write("skills/pdf/SKILL.md",
                              PDF.replace(b"# PDF", b"# PDX"))
            told = sorted([stream.message(), stream.message()],
                          key=lambda m: m["method"])
        self.assertEqual(told[0]["method"],
                         "notifications/resources/list_changed")
        self.assertEqual(told[1]["method"], "notifications/resources/updated")
        self.assertEqual(told[1]["params"]["uri"], URIS[1])
        after = self.get(URIS[1]).result["skill"]
        self.assertNotEqual(before, after)
        self.assertVerifies(after)

    def test_a_new_folder_file_by_file(self):
        self.begin("--dev")
        folder = os.path.join(self.server.folder, "skills", "new")
        os.mkdir(folder)
        time.sleep(0.5)
        self.server.write("skills/new/SKILL.md", FORMS.replace(
            b"name: forms", b"name: new"))
        self.wait(lambda: "skill://new/SKILL.md" in self.uris())
        os.mkdir(os.path.join(folder, "deep"))
        time.sleep(0.5)
        self.server.write("skills/new/deep/x.md", b"x")
        self.wait(lambda: len(self.get("skill://new/SKILL.md")
                              .result["skill"]["resources"]) == 2)
        os.remove(os.path.join(folder, "SKILL.md"))
        self.wait(lambda: "skill://new/SKILL.md" not in self.uris())

    def test_a_skill_that_breaks_is_told_and_goes(self):
        self.begin("--dev")
        self.server.write("skills/pdf/SKILL.md", b"---\nname: [\n---\n")
        self.wait(lambda: URIS[1] not in self.uris())
        self.assertIn(URIS[0], self.uris())
        self.server.wait_stderr(r"error +skills: \S*skills/pdf/SKILL\.md")
        self.server.write("skills/pdf/SKILL.md", PDF)
        self.wait(lambda: self.uris() == URIS)

    def test_without_dev_it_takes_a_hangup(self):
        self.begin()
        self.server.write("skills/pdf/SKILL.md",
                          PDF.replace(b"# PDF", b"# PDX"))
        time.sleep(0.5)
        self.assertEqual(self.bytes(URIS[1]), PDF)
        self.server.signal(signal.SIGHUP)
        self.wait(lambda: self.bytes(URIS[1]).endswith(b"# PDX\n"))


class Links(Case):
    """B109: a link to a place outside is never followed."""

    def test_links(self):
        self.server = self.start(HEAD + 'mcp.skills { paths = { "skills" } }',
                                 files=FILES)
        folder = self.server.folder
        skill = os.path.join(folder, "skills", "pdf")
        os.symlink(os.path.join(folder, "app-secret.txt"),
                   os.path.join(skill, "link.txt"))
        os.symlink(folder, os.path.join(skill, "up"))
        self.server.signal(signal.SIGHUP)
        self.server.wait_stderr("as generation 2")
        self.assertEqual([s["uri"] for s in self.skills()], URIS)
        for name in ("link.txt", "up/app-secret.txt", "up/app.lua"):
            self.assertUnknown(self.rpc("resources/read", {
                "uri": "skill://pdf/" + name}), "not found")
        self.assertNotIn("up", [
            r["name"] for r in self.children("skill://pdf")])


class Command(Case):
    def test_the_example_serves_its_skills(self):
        example = os.path.join(wire.SOURCE_DIR, "app-example", "app.lua")
        with wire.Server(app_file=example) as self.server:
            skills = self.skills()
            self.assertGreaterEqual(len(skills), 2)
            for skill in skills:
                self.assertVerifies(skill)
            self.assertNotIn(" error ", self.server.stderr)
            self.assertNotIn(" warning ", self.server.stderr)
        done = wire.run("check", example)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
