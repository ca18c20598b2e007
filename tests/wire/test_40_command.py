"""The command line: what is taken, what is refused, and with which words."""

import json
import os
import re
import socket
import subprocess
import tempfile
import unittest

import wire

APP = """
local mcp = require "mcp"

mcp.server { name = "command", version = "1.2.3" }

--- Says hello.
mcp.tool("hello", function() return "hello" end)
"""


class Folder(wire.TestCase):
    """A folder for apps, the current one of the runs."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mcpluad-wire-")
        self.addCleanup(self.folder.cleanup)
        self.write("app.lua", APP)

    def write(self, name, content):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(wire.encode(content))
        return path

    def run_it(self, *arguments, **how):
        return wire.run(*arguments, cwd=self.folder.name, **how)

    def assertRefused(self, done, code, pattern):
        """One line on stderr, nothing on stdout, exit `code`."""
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Amcpluad: %s\n\Z" % pattern)


class Usage(Folder):
    def test_version(self):
        for flag in ("--version", "-V"):
            done = self.run_it(flag)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"\Amcpluad \d+\.\d+\.\d+\n\Z")

    def test_help_fits_a_terminal_and_names_every_flag_it_takes(self):
        done = self.run_it("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, self.run_it("-h").stdout)
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80)
        self.assertIn("mcpluad --stdio app.lua", done.stdout)
        flags = re.findall(r"^  (--[a-z-]+)", done.stdout, re.M)
        self.assertIn("--port", flags)
        for flag in flags:
            again = self.run_it(flag + "=\x01", "app.lua")
            self.assertEqual(again.returncode, 2, flag)
            self.assertNotIn("unknown", again.stderr)

    def test_help_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([wire.BIN, "--help"], stdout=full,
                                  env=wire.sanitizer_env(), check=False)
        self.assertEqual(done.returncode, 1)

    def test_unknown_flags_get_the_nearest_name(self):
        for wrong, right in (("--prot", "--port"), ("--hots=x", "--host"),
                             ("--log_levle", "--log-level"),
                             ("--stdoi", "--stdio"), ("--hepl", "--help")):
            self.assertRefused(
                self.run_it(wrong, "app.lua"), 2,
                r"unknown option \S+; did you mean %s\?" % right)

    def test_values_out_of_bounds_say_the_bounds(self):
        self.assertRefused(
            self.run_it("--port", "65536", "app.lua"), 2,
            r'--port must be a whole number from 0 to 65535, not "65536"')
        self.assertRefused(
            self.run_it("--memory-limit=lots", "app.lua"), 2,
            r'--memory-limit must be a size from .* to .*, not "lots"')
        self.assertRefused(
            self.run_it("app.lua", "--call-timeout"), 2,
            r"--call-timeout needs a value: a number of seconds .*")

    def test_one_app_is_needed(self):
        self.assertRefused(self.run_it(), 2, r"which app\? usage: .*")
        self.assertRefused(self.run_it("--stdio"), 2, r"which app\? .*")
        self.assertRefused(self.run_it("app.lua", "b.lua"), 2,
                           r"one app at a time: app\.lua or b\.lua\?")

    def test_two_dashes_end_the_options(self):
        self.write("--port.lua", APP)
        self.assertEqual(
            self.run_it("--stdio", "--", "--port.lua").returncode, 0)

    def test_wrong_variables(self):
        self.assertRefused(
            self.run_it("app.lua", env={"MCPLUAD_PROT": "1"}), 2,
            r"unknown variable MCPLUAD_PROT; did you mean MCPLUAD_PORT\?")
        self.assertRefused(
            self.run_it("app.lua", env={"MCPLUAD_QUEUE": "0"}), 2,
            r'MCPLUAD_QUEUE must be .*, not "0"')


class WrongApps(Folder):
    def test_no_such_file(self):
        self.assertRefused(self.run_it("absent.lua"), 2, r".*absent\.lua.*")

    def test_a_folder_is_no_app(self):
        self.assertRefused(self.run_it(self.folder.name), 2, r".+")

    def test_syntax_error(self):
        self.write("app.lua", "local x = 1\nfuncton f() end\n")
        for wire_flag in ([], ["--stdio"]):
            self.assertRefused(self.run_it(*wire_flag, "app.lua"), 2,
                               r"app\.lua:2: .*")

    def test_runtime_error(self):
        self.write("app.lua", 'local x = 1\nerror("no database")\n')
        self.assertRefused(self.run_it("app.lua"), 2,
                           r"app\.lua:2: no database")

    def test_an_error_in_a_module_names_the_module(self):
        self.write("lib/broken.lua", "return {\n  1,,\n}\n")
        self.write("app.lua", 'require "lib.broken"\n')
        self.assertRefused(self.run_it("app.lua"), 2,
                           r".*lib/broken\.lua.*:2: .*")

    def test_wrong_declaration(self):
        self.write("app.lua", APP + 'mcp.tool { nam = "x", '
                   'handler = function() end }\n')
        self.assertRefused(
            self.run_it("app.lua"), 2,
            r'app\.lua:8: .*"nam".*did you mean "name"\?')

    def test_declared_twice_tells_both_lines(self):
        self.write("app.lua", APP + APP.split("\n\n")[2])
        done = self.run_it("app.lua")
        self.assertRefused(done, 2, r".*hello.*")
        self.assertIn("app.lua:7", done.stderr)

    def test_wrong_option_in_mcp_server(self):
        self.write("app.lua", 'local mcp = require "mcp"\n'
                   "mcp.server { prot = 1 }\n")
        self.assertRefused(self.run_it("app.lua"), 2,
                           r'app\.lua:2: .*did you mean "port"\?')
        self.write("app.lua", 'local mcp = require "mcp"\n'
                   "mcp.server { port = 99999 }\n")
        self.assertRefused(self.run_it("app.lua"), 2,
                           r"app\.lua:2: .*from 0 to 65535.*")

    def test_what_only_the_command_line_sets(self):
        self.write("app.lua", 'local mcp = require "mcp"\n'
                   "mcp.server { dev = true }\n")
        self.assertRefused(self.run_it("app.lua"), 2,
                           r"app\.lua:2: .*dev is set on the command line: --dev")

    def test_a_schema_without_properties(self):
        self.write("app.lua", 'local mcp = require "mcp"\n'
                   'mcp.tool { name = "t", input_schema = { x = '
                   '{ type = "string" } }, handler = function(x) end }\n')
        self.assertRefused(self.run_it("app.lua"), 2,
                           r'app\.lua:2: .*parameter "x" .*no "properties".*')

    def test_a_schema_file_is_named(self):
        self.write("bad.json", '{\n  "properties": {,}\n}\n')
        for field in ("input_schema_file", "output_schema_file"):
            self.write("app.lua", 'local mcp = require "mcp"\n'
                       'mcp.tool { name = "t", %s = "bad.json", '
                       'handler = function() end }\n' % field)
            self.assertRefused(
                self.run_it("app.lua"), 2,
                r"app\.lua:2: .*bad\.json: %s is not JSON: .*"
                r"\(line 2, byte 20\)" % field[:-5])

    def test_os_exit_while_it_loads(self):
        self.write("app.lua", "os.exit(3)\n")
        self.assertRefused(self.run_it("app.lua"), 2,
                           r"app\.lua:1: os\.exit is not available: the server "
                           r"lives on; raise an error to stop the load")

    def test_an_annotation_with_a_slip_is_a_warning(self):
        server = self.start(
            'local mcp = require "mcp"\nmcp.tool("t", { annotations = {\n'
            'readonly = true, ["x-own"] = 1, title = "T" } },\n'
            'function() end)\n')
        told = re.findall(r"warning app: (.*annotation.*)\n", server.stderr)
        self.assertEqual(len(told), 1)
        self.assertRegex(told[0], r'app\.lua:\d: tool "t": no client knows the '
                         r'annotation "readonly"; did you mean "readOnlyHint"\?')
        tool = server.rpc("tools/list").result["tools"][0]
        self.assertEqual(tool["annotations"], {
            "readonly": True, "x-own": 1, "title": "T"})

    def test_a_load_without_end_is_ended(self):
        self.write("app.lua", "while true do end\n")
        self.assertRefused(self.run_it("--load-timeout", "0.3", "app.lua"), 2,
                           r".*(time|second).*")

    def test_error_text_stays_one_line(self):
        self.write("app.lua", 'error("a\\nb\\27[31mc", 0)\n')
        done = self.run_it("app.lua")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertNotIn("\x1b", done.stderr)


class Listening(Folder):
    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.assertRefused(
                self.run_it("--port", str(port), "app.lua"), 1,
                r"port %d on 127\.0\.0\.1 is in use.*--port.*" % port)

    def test_port_of_another_mcpluad(self):
        first = self.start(APP)
        self.assertRefused(
            self.run_it("--port", str(first.port), "app.lua"), 1,
            r"port %d .* is in use.*" % first.port)

    def test_two_apps_on_two_ports(self):
        first, second = self.start(APP), self.start(APP)
        self.assertNotEqual(first.port, second.port)
        for server in (first, second):
            self.assertEqual(server.call("hello").result["content"][0]["text"],
                             "hello")

    def test_beyond_loopback_the_names_must_be_told(self):
        for host in ("0.0.0.0", "::"):
            done = self.run_it("--host", host, "--port", "0", "app.lua")
            self.assertRefused(done, 2, r".*allowed.hosts.*")
            self.assertRegex(done.stderr, r"--allowed-hosts.*--public-url")
        server = self.start(APP, options=["--host", "0.0.0.0",
                                          "--allowed-hosts", "a.example"])
        server.host = "127.0.0.1"
        self.assertEqual(server.call("hello").status, 200)

    def test_no_address(self):
        self.assertRefused(
            self.run_it("--host", "no.such.host.invalid", "app.lua"), 2,
            r".*no\.such\.host\.invalid.*")


class Precedence(Folder):
    """flag > variable > mcp.server{} > default, seen on a real server."""

    SAYS = APP.replace('version = "1.2.3"',
                       'version = "1.2.3", base_path = "/app", port = 1')

    def path(self, *options, **env):
        return self.start(self.SAYS, options=options, env=env).path

    def test_the_order(self):
        self.assertEqual(self.path(), "/app")
        self.assertEqual(self.path(MCPLUAD_BASE_PATH="/env"), "/env")
        self.assertEqual(self.path("--base-path", "/flag",
                                   MCPLUAD_BASE_PATH="/env"), "/flag")
        self.assertEqual(self.path(MCPLUAD_BASE_PATH=""), "/app")

    def test_the_default(self):
        self.assertEqual(self.start(APP).path, "/mcp")

    def test_the_app_may_say_where_to_listen(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        path = self.write("listens.lua", APP.replace(
            'version = "1.2.3"', "port = %d" % port))
        process = wire.Process(app_file=path)
        self.addCleanup(process.kill)
        # The harness says --port 0, and the flag is stronger.
        self.assertNotIn(":%d/" % port,
                         process.wait_stderr(wire.BANNER).group(0))
        alone = subprocess.Popen([wire.BIN, path], stderr=subprocess.PIPE,
                                 env=wire.sanitizer_env())
        try:
            said = alone.stderr.readline() + alone.stderr.readline()
            self.assertIn(b"http://127.0.0.1:%d/mcp" % port, said)
        finally:
            alone.terminate()
            alone.communicate(timeout=10)


class Banner(Folder):
    def test_it_tells_who_where_how_many_how_isolated_and_how_fast(self):
        server = self.start(APP)
        lines = server.stderr.split("\n")
        self.assertRegex(lines[0], r"^mcpluad \d+\.\d+\.\d+  command 1\.2\.3$")
        self.assertRegex(
            lines[1], r"^http://127\.0\.0\.1:%d/mcp   1 tool   isolation: "
            r"\S.*   ready in \d+\.\d ms$" % server.port)

    def test_on_stdio_as_well_and_never_on_stdout(self):
        process = self.start_stdio(APP)
        process.wait_stderr(r"mcpluad \S+  command 1\.2\.3\nstdio   1 tool")
        self.assertTrue(process.silent(0.1))

    def test_dev_says_that_it_reloads(self):
        server = self.start(APP, options=["--dev"])
        self.assertRegex(server.stderr, r"ready in \S+ ms   reloading on save\n")

    def test_in_a_log_of_json_lines_it_is_one_of_them(self):
        server = self.start(APP, options=["--log-format", "json",
                                          "--log-level", "debug"])
        server.call("hello")
        server.rpc("tools/call", {"name": "absent"})
        server.stop()
        lines = [json.loads(line) for line in server.stderr.splitlines()]
        self.assertRegex(lines[0]["message"],
                         r"^mcpluad \S+ serves command 1\.2\.3 at http://\S+: "
                         r"1 tool, isolation: .*, ready in \S+ ms$")
        calls = [line["message"] for line in lines if line["part"] == "call"]
        self.assertEqual(len(calls), 2)
        self.assertRegex(calls[0],
                         r"^tools/call hello: ok in \d+\.\d ms over http$")
        self.assertRegex(calls[1], r"^tools/call absent: refused in ")

    def test_a_failed_start_too(self):
        self.write("bad.lua", "error('no')\n")
        for arguments in (["bad.lua"], ["--prot", "1", "app.lua"]):
            done = self.run_it("--log-format", "json", *arguments)
            self.assertEqual(done.returncode, 2)
            line, = map(json.loads, done.stderr.splitlines())
            self.assertEqual(line["level"], "error")

    def test_no_line_per_call_unless_debugging(self):
        server = self.start(APP)
        server.call("hello")
        server.stop()
        self.assertNotIn("tools/call", server.stderr)

    def test_few_descriptors_are_a_warning(self):
        path = self.write("few.lua", APP)
        few = subprocess.Popen(
            ["sh", "-c", 'ulimit -n 300; exec "$0" --port 0 "$1"', wire.BIN,
             path], stderr=subprocess.PIPE, env=wire.sanitizer_env())
        try:
            said = b"".join(few.stderr.readline() for _ in range(3))
            self.assertRegex(said, rb"\nwarning: \d+ connections instead of "
                             rb"12000")
        finally:
            few.terminate()
            few.communicate(timeout=10)


if __name__ == "__main__":
    unittest.main()
