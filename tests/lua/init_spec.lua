-- Mirrors lua/mcp/init.lua, names.lua and ending.lua.
local fake = require "fake_core"

local function failure(text)
  return fake.load(text).error
end

describe("the module mcp", function()
  it("refuses a name that it has not got, with the nearest", function()
    assert.equal('app.lua:2: mcp: there is no mcp.tol; did you mean "tool"?',
      failure '\nmcp.tol("x", function() end)')
    assert.equal("app.lua:1: mcp: there is no mcp.qwertyuiop", failure "local _ = mcp.qwertyuiop")
    assert.equal("app.lua:1: mcp: there is no mcp.1", failure "local _ = mcp[1]")
  end)

  it("says of a later version's name that it is one", function()
    local ok, why = pcall(function()
      return require("mcp.names").seal({}, "mcp", { later = true }).later
    end)
    assert.is_false(ok)
    assert.truthy(why:find("mcp: mcp.later is not available in this version", 1, true))
  end)

  it("cannot be changed", function()
    assert.equal("app.lua:1: mcp: the module cannot be changed (mcp.x = ...)", failure "mcp.x = 1")
  end)

  it("passes the host's constructors on", function()
    local mcp = fake.fresh()
    local core = package.loaded["mcp.core"]
    for _, name in ipairs {
      "text", "image", "audio", "resource_link", "embedded", "result",
      "blob", "user", "assistant", "array", "object", "null", "is_null",
      "notify_resource_updated", "notify_list_changed",
    } do
      assert.equal(core[name], mcp[name])
    end
  end)
end)

describe("mcp.protocol_error", function()
  it("ends the call by the host", function()
    local mcp = fake.fresh()
    local ok, ended = pcall(mcp.protocol_error, { code = -32602, message = "no", data = { 1 } })
    assert.is_false(ok)
    assert.same({ ended = "protocol_error",
      data = { code = -32602, message = "no", data = { 1 } } }, ended)
  end)

  local refused = {
    ["mcp.protocol_error(1)"] = "a table { code, message, data } is needed, got 1",
    ['mcp.protocol_error { code = "1", message = "m" }'] = 'code must be an integer, got "1"',
    ['mcp.protocol_error { code = 1.5, message = "m" }'] = "code must be an integer, got 1.5",
    ["mcp.protocol_error { code = 1 }"] = "message must be a string, got nil",
    ['mcp.protocol_error { code = 1, mesage = "m" }'] =
      'unknown field "mesage"; did you mean "message"?',
  }
  for text, message in pairs(refused) do
    it("refuses " .. text, function()
      assert.equal("app.lua:1: mcp.protocol_error: " .. message, failure(text))
    end)
  end
end)

describe("an end by status", function()
  it("fails the call with its message", function()
    local mcp = fake.fresh()
    local function ended(f, ...)
      local ok, data = pcall(f, ...)
      assert.is_false(ok)
      assert.equal("failure", data.ended)
      return data.data
    end
    assert.same({ message = "a", status = 401 }, ended(mcp.unauthorized, "a"))
    assert.same({ message = "b", status = 403 }, ended(mcp.forbidden, "b", { "s" }))
    assert.same({ message = "c", status = 404, not_found = true }, ended(mcp.not_found, "c"))
    assert.same({ message = "d", status = 400, body = { 1 } },
      ended(mcp.http_error, 400, "d", { 1 }))
    assert.same({ message = "d", status = 599 }, ended(mcp.http_error, 599, "d"))
  end)

  local refused = {
    ["mcp.not_found()"] = "not_found: the message must be a string, got nil",
    ['mcp.forbidden("a", 1)'] = "forbidden: scopes must be a list of strings, got 1",
    ['mcp.http_error(399, "a")'] =
      "http_error: the status must be a whole number from 400 to 599, got 399",
    ['mcp.http_error(600, "a")'] =
      "http_error: the status must be a whole number from 400 to 599, got 600",
  }
  for text, message in pairs(refused) do
    it("refuses " .. text, function()
      assert.equal("app.lua:1: mcp." .. message, failure(text))
    end)
  end

  it("name no line when a handler's return has left none", function()
    local mcp = fake.fresh()
    local thread = coroutine.create(mcp.not_found)
    assert.same({ false, "mcp.not_found: the message must be a string, got nil" },
      { coroutine.resume(thread) })
  end)
end)
