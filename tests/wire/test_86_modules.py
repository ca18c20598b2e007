"""Where an app finds its modules: its own folder, LUA_PATH, LUA_CPATH; and C
modules, with which states are made anew."""

import os
import shutil
import subprocess
import time
import tempfile
import unittest

import wire

APP = """
local mcp = require "mcp"
local %s = require "%s"
mcp.server { name = "modules", version = "1.0.0" }
local calls = 0
mcp.tool("use", function() calls = calls + 1 return calls .. " " .. (%s) end)
"""


def luajit_has(module):
    luajit = shutil.which("luajit")
    return luajit and subprocess.run(
        [luajit, "-e", 'require "%s"' % module], capture_output=True,
        check=False).returncode == 0


class Modules(wire.TestCase):
    def use(self, name, expression, wanted, **how):
        local = name.replace(".", "_")
        server = self.start(APP % (local, name, expression), **how)
        for _ in range(5):
            self.assertEqual(
                server.call("use").result["content"][0]["text"],
                "1 " + wanted)
        return server

    def folder(self, name, text):
        folder = tempfile.mkdtemp(prefix="mcpluad-wire-")
        self.addCleanup(shutil.rmtree, folder)
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
        return folder

    def test_beside_the_app(self):
        self.use("near", "near", "by", files={"near.lua": 'return "by"'})
        self.use("sub.deep", "sub_deep", "in",
                 files={"sub/deep.lua": 'return "in"'})
        self.use("whole", "whole", "init",
                 files={"whole/init.lua": 'return "init"'})

    def test_lua_path(self):
        folder = self.folder("far.lua", 'return "far"')
        self.use("far", "far", "far", env={"LUA_PATH": folder + "/?.lua;;"})

    def test_the_apps_folder_comes_first(self):
        folder = self.folder("same.lua", 'return "theirs"')
        self.use("same", "same", "ours", env={
            "LUA_PATH": folder + "/?.lua;;"},
            files={"same.lua": 'return "ours"'})

    @unittest.skipUnless(luajit_has("lfs"), "no lua-filesystem")
    def test_lua_cpath(self):
        found = subprocess.run(
            ["luajit", "-e", 'print(package.searchpath("lfs", package.cpath))'],
            capture_output=True, text=True, check=True).stdout.strip()
        folder = self.folder("unused", "")
        shutil.copy(found, os.path.join(folder, "lfs.so"))
        server = self.use("lfs", "type(lfs.attributes)", "function", env={
            "LUA_CPATH": folder + "/?.so"})
        # A fresh state holds the library, and the next one may be on its way.
        end = time.monotonic() + wire.ANSWER_SECONDS
        while not self.maps(server, folder + "/lfs.so"):
            self.assertLess(time.monotonic(), end, "never mapped")
            time.sleep(0.01)

    @staticmethod
    def maps(server, path):
        with open("/proc/%d/maps" % server.pid) as lines:
            return path in lines.read()

    @unittest.skipUnless(luajit_has("cjson"), "no lua-cjson")
    def test_cjson(self):
        self.use("cjson", "cjson.encode { a = { 1, 2 } }", '{"a":[1,2]}')
        self.use("cjson", "cjson.decode('[1,2,3]')[3]", "3")

    @unittest.skipUnless(luajit_has("socket.core"), "no LuaSocket")
    def test_other_c_modules_get_fresh_states(self):
        server = self.use("socket", "type(socket.tcp)", "function")
        server.wait_stderr("fresh states.*socket")


if __name__ == "__main__":
    unittest.main()
