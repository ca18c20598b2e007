"""mcpluad skills DIR, and what `mcpluad check` says of the skills of an app.

bugs.md B181, B182, B184."""

import hashlib
import json
import os
import subprocess
import unittest

import wire
from test_40_command import Folder

GOOD = "---\nname: pdf\ndescription: Reads PDF files.\n---\n[f](refs/f.md)\n"
COLON = "---\nname: csv\nallowed-tools: Read\ndescription: a: b\n---\nx\n"


class Skills(Folder):
    def setUp(self):
        super().setUp()
        self.write("skills/pdf/SKILL.md", GOOD)
        self.write("skills/pdf/refs/f.md", "f")

    def report(self, *arguments):
        done = self.run_it("skills", "--format", "json", *arguments)
        self.assertEqual(done.stderr, "")
        return done.returncode, json.loads(done.stdout)

    def test_a_good_folder_is_listed_with_its_manifest(self):
        done = self.run_it("skills", "skills")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("skill://pdf/SKILL.md, 2 files, %d bytes\n"
                      % (len(GOOD) + 1), done.stdout)
        self.assertIn("    %s  %d  SKILL.md\n" % (
            hashlib.sha256(GOOD.encode()).hexdigest(), len(GOOD)), done.stdout)
        self.assertIn("    %s   1  refs/f.md\n"
                      % hashlib.sha256(b"f").hexdigest(), done.stdout)
        self.assertTrue(done.stdout.endswith(
            "\n1 skill, 0 errors, 0 warnings, 0 notes\n"))

    def test_json_has_the_entry_that_clients_get(self):
        code, report = self.report("skills")
        self.assertEqual(code, 0)
        [skill] = report["skills"]
        self.assertEqual(skill["entry"], {
            "uri": "skill://pdf/SKILL.md",
            "frontmatter": {"name": "pdf", "description": "Reads PDF files."},
            "resources": [
                {"uri": "skill://pdf/SKILL.md", "size": len(GOOD),
                 "digest": "sha256:"
                           + hashlib.sha256(GOOD.encode()).hexdigest()},
                {"uri": "skill://pdf/refs/f.md", "size": 1,
                 "digest": "sha256:" + hashlib.sha256(b"f").hexdigest()}]})
        self.assertEqual(
            (skill["name"], skill["files"], skill["bytes"], skill["file"]),
            ("pdf", 2, len(GOOD) + 1, "skills/pdf/SKILL.md"))
        self.assertEqual((report["folder"], report["findings"]), ("skills", []))

    def test_a_broken_skill_has_its_line_and_a_remedy(self):
        self.write("skills/csv/SKILL.md", COLON)
        code, report = self.report("skills")
        self.assertEqual((code, report["errors"]), (1, 1))
        self.assertEqual([s["name"] for s in report["skills"]], ["pdf"])
        [finding] = report["findings"]
        self.assertEqual(
            (finding["file"], finding["line"], finding["severity"]),
            ("skills/csv/SKILL.md", 4, "error"))
        self.assertIn("quotes", finding["fix"])
        done = self.run_it("skills", "skills")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\nerror: skills/csv/SKILL\.md:4: mapping "
                                      r"values .*\n  fix: put the value in quotes")

    def test_warnings_fail_only_with_strict(self):
        os.remove(os.path.join(self.folder.name, "skills/pdf/refs/f.md"))
        code, report = self.report("skills")
        self.assertEqual((code, report["warnings"]), (0, 1))
        self.assertEqual(self.report("--strict", "skills")[0], 1)

    def test_one_skill_can_be_named(self):
        self.assertEqual(self.report("skills/pdf/")[1]["skills"][0]["entry"]
                         ["uri"], "skill://pdf/SKILL.md")

    def test_a_folder_without_skills_fails(self):
        os.mkdir(os.path.join(self.folder.name, "empty"))
        done = self.run_it("skills", "empty")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "no folder in it has a file SKILL.md\n"
                                      "0 skills, 0 errors, 0 warnings, 0 notes\n")

    def test_what_is_no_folder_is_a_wrong_command_line(self):
        self.assertRefused(self.run_it("skills", "none"), 2,
                           "there is no folder none")
        self.assertRefused(self.run_it("skills", "app.lua"), 2,
                           "app.lua is no folder; mcpluad check tells of .*")
        self.assertRefused(self.run_it("skills"), 2, "which folder.*")

    def test_texts_of_files_move_no_cursor(self):
        self.write("skills/pdf/SKILL.md",
                   '---\nname: pdf\ndescription: "a\\e[2Jb\\nc"\n---\n'
                   "[\x1b[2J](no\x1b[2J.md)\n")
        done = self.run_it("skills", "skills")
        self.assertNotIn("\x1b", done.stdout)
        self.assertIn("a [2Jb\n", done.stdout)

    def test_output_that_cannot_be_written_is_told(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [wire.BIN, "skills", "skills"], cwd=self.folder.name,
                stdout=full, stderr=subprocess.PIPE, check=False,
                env=wire.sanitizer_env(None), timeout=wire.START_SECONDS)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write the report", done.stderr)


class Check(Folder):
    def setUp(self):
        super().setUp()
        self.write("skills/pdf/SKILL.md", GOOD)
        self.write("skills/pdf/refs/f.md", "f")
        self.write("app.lua", """
            local mcp = require "mcp"
            mcp.server { name = "x", version = "1.0" }
            mcp.skills { paths = { "skills" } }
            mcp.skill { name = "made", description = "no", body = "[a](b.md)" }
            --- Says hello.
            mcp.tool("hello", function() return "hello" end)
            """)

    def report(self, *arguments):
        done = self.run_it("check", "--format", "json", *arguments, "app.lua")
        return done.returncode, json.loads(done.stdout)

    def test_skills_are_reported_and_judged(self):
        code, report = self.report()
        self.assertEqual(code, 0)
        self.assertEqual([s["name"] for s in report["skills"]],
                         ["pdf", "made"])
        [finding] = [f for f in report["findings"] if f["rule"] == "skill"]
        self.assertEqual((finding["line"], finding["severity"]),
                         (5, "warning"))
        self.assertTrue(finding["file"].endswith("app.lua"))
        self.assertEqual(self.report("--strict")[0], 1)
        self.assertIn("\n2 skills\n  pdf ",
                      self.run_it("check", "app.lua").stdout)

    def test_a_broken_skill_fails_the_check(self):
        self.write("skills/csv/SKILL.md", COLON)
        code, report = self.report()
        self.assertEqual((code, report["errors"]), (1, 1))
        done = self.run_it("check", "app.lua")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\nerror: (\./)?skills/csv/SKILL\.md:4: ")
        self.assertIn("\n1 error, ", done.stdout)

    def test_what_the_report_says_the_log_does_not(self):
        self.write("skills/csv/SKILL.md", COLON)
        self.assertEqual(self.run_it("check", "app.lua").stderr, "")
        self.assertIn("skills/csv/SKILL.md:4: ",
                      self.run_it("list", "app.lua").stderr)


if __name__ == "__main__":
    unittest.main()
