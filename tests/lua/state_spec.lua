-- Mirrors lua/mcp/shared.lua and lua/mcp/every.lua.
local fake = require "fake_core"

--- What the app asked the host for, and the load's error.
local function run(text, answer)
  local asked = {}
  local state = fake.load(text, function()
    local core = package.loaded["mcp.core"]
    function core.shared(name, max_bytes)
      asked[#asked + 1] = { name, max_bytes }
      if answer then
        return nil, answer
      end
      return name
    end
    function core.add_timer(timer)
      asked[#asked + 1] = { timer.name, timer.seconds, type(timer.handler) }
      if answer then
        return nil, answer
      end
      return true
    end
  end)
  return asked, state.error
end

describe("mcp.shared", function()
  it("opens the dictionary", function()
    local asked, err = run [[assert(mcp.shared("a") == "a")
      mcp.shared("b", {}) mcp.shared("c", { max_bytes = 1024.5 })]]
    assert.is_nil(err)
    assert.same({ { "a" }, { "b" }, { "c", 1024 } }, asked)
  end)

  it("opens it in a call as well", function()
    local mcp, state = fake.fresh()
    package.loaded["mcp.core"].shared = function(name)
      return name
    end
    state.loading = false
    assert.equal("x", mcp.shared "x")
  end)

  it("passes on why not", function()
    local _, err = run('mcp.shared "a"', "there are 1024 dictionaries already")
    assert.equal("app.lua:1: mcp.shared: there are 1024 dictionaries already", err)
  end)

  local refused = {
    ["mcp.shared(1)"] = "the name must be a string, got 1",
    ["mcp.shared()"] = "the name must be a string, got nil",
    ['mcp.shared ""'] = 'the name must be 1 to 128 bytes without NUL, got ""',
    ['mcp.shared(("x"):rep(129))'] = "the name must be 1 to 128 bytes without NUL, got "
      .. '"' .. ("x"):rep(40) .. '..."',
    ['mcp.shared("a", 1)'] = "the options must be a table, got 1",
    ['mcp.shared("a", { max_byte = 1 })'] =
      'unknown field "max_byte"; did you mean "max_bytes"?',
    ['mcp.shared("a", { max_bytes = "1" })'] = 'max_bytes must be a number, got "1"',
    ['mcp.shared("a", { max_bytes = 1023 })'] = "max_bytes must be from 1024 to 2^40, got 1023",
  }
  for text, message in pairs(refused) do
    it("refuses " .. text:sub(1, 60), function()
      local asked, err = run(text)
      assert.equal("app.lua:1: mcp.shared: " .. message, err)
      assert.same({}, asked)
    end)
  end

  it("takes a name of 128 bytes", function()
    local asked, err = run 'mcp.shared(("x"):rep(128))'
    assert.is_nil(err)
    assert.equal(128, #asked[1][1])
  end)
end)

describe("mcp.every", function()
  it("declares a timer by its place", function()
    local asked, err = run [[mcp.every(60, function() end)
      for i = 1, 2 do
        mcp.every(i / 10, print)
      end]]
    assert.is_nil(err)
    assert.same({
      { "app.lua:1", 60, "function" },
      { "app.lua:3", 0.1, "function" },
      { "app.lua:3#2", 0.2, "function" },
    }, asked)
  end)

  it("passes on why not", function()
    local _, err = run("mcp.every(0, print)", "the seconds must be at least 0.001, not 0")
    assert.equal("app.lua:1: mcp.every: the seconds must be at least 0.001, not 0", err)
  end)

  local refused = {
    ['mcp.every("1", print)'] = 'the seconds must be a number, got "1"',
    ["mcp.every(1)"] = "the second argument must be a function, got nil",
    ["mcp.every(print, 1)"] = "the seconds must be a number, got function",
  }
  for text, message in pairs(refused) do
    it("refuses " .. text, function()
      local asked, err = run(text)
      assert.equal("app.lua:1: mcp.every: " .. message, err)
      assert.same({}, asked)
    end)
  end

  it("is for the top level", function()
    local mcp, state = fake.fresh()
    state.loading = false
    local ok, err = pcall(mcp.every, 1, print)
    assert.is_false(ok)
    assert.truthy(err:find "a handler cannot declare anything")
  end)
end)
