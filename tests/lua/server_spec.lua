-- Mirrors lua/mcp/server.lua.
local fake = require "fake_core"

local function options(text)
  local state = fake.load(text)
  assert.is_nil(state.error)
  return state.options
end

describe("mcp.server", function()
  it("sets each option as text", function()
    assert.same({
      name = "coffee",
      version = "1.2.0",
      port = "8080",
      call_timeout = "0.5",
      memory_limit = "67108864",
      assert_format = "true",
      sessions = "required",
      allowed_hosts = "a,b",
      icons = '[{"src":"i.png"}]',
    }, options [[mcp.server { name = "coffee", version = "1.2.0", port = 8080, call_timeout = 0.5,
      memory_limit = 64 * 1024 * 1024, assert_format = true, sessions = "required",
      allowed_hosts = { "a", "b" }, icons = { { src = "i.png" } } }]])
  end)

  it("takes sizes with a unit and one string for a list", function()
    assert.same({ memory_limit = "64 MiB", allowed_hosts = "a" },
      options 'mcp.server { memory_limit = "64 MiB", allowed_hosts = "a" }')
  end)

  it("keeps false", function()
    assert.same({ expose_errors = "false" }, options "mcp.server { expose_errors = false }")
  end)

  local refused = {
    ["mcp.server()"] = "a table of options is needed, got nil",
    ['mcp.server("coffee")'] = 'a table of options is needed, got "coffee"',
    ['mcp.server { nmae = "x" }'] = 'unknown field "nmae"; did you mean "name"?',
    ['mcp.server { "x" }'] = "every field needs a name, but there is one at [1]",
    ["mcp.server { include_tags = 1 }"] = "include_tags must be a list of strings, got 1",
    ["mcp.server { include_tag = {} }"] =
      'unknown field "include_tag"; did you mean "include_tags"?',
    ["mcp.server { version = 1.2 }"] = "version must be a string, got 1.2",
    ['mcp.server { port = "80" }'] = 'port must be a number, got "80"',
    ["mcp.server { port = 70000 }"] = "port must be a number from 0 to 65535, not 70000",
    ["mcp.server { memory_limit = true }"] = "memory_limit must be a number, got true",
    ["mcp.server { assert_format = 1 }"] = "assert_format must be a boolean, got 1",
    ["mcp.server { sessions = true }"] = "sessions must be a string, got true",
    ["mcp.server { allowed_hosts = 1 }"] = "allowed_hosts must be a list of strings, got 1",
    ["mcp.server { dev = true }"] = "dev is set on the command line: --dev",
    ["mcp.server { stdio = false }"] = "stdio is set on the command line: --stdio",
    ["mcp.server { icons = 1 }"] = "icons must be a table, got 1",
  }
  for text, message in pairs(refused) do
    it("refuses " .. text, function()
      assert.equal("app.lua:1: mcp.server: " .. message, fake.load(text).error)
    end)
  end

  it("is called once", function()
    assert.equal("app.lua:2: mcp.server: called a second time; the first is at app.lua:1",
      fake.load("mcp.server {}\nmcp.server {}").error)
  end)

  it("is not called inside a call", function()
    local state = fake.load 'mcp.tool("x", function()\n  mcp.server {}\nend)'
    state.loading = false
    local _, err = pcall(state.tools[1].handler)
    assert.equal("app.lua:2: mcp.server: a handler cannot declare anything; "
      .. "declare it where the app loads", err)
  end)

  it("says what all tools depend on before the first of them", function()
    local head = 'mcp.tool("x", function() end)\n'
    assert.equal("app.lua:2: mcp.server: extra_arguments must be set before the first tool "
      .. "is declared", fake.load(head .. 'mcp.server { extra_arguments = "allow" }').error)
    assert.is_nil(fake.load(head .. 'mcp.server { name = "x" }').error)
  end)
end)
