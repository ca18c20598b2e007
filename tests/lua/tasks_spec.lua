-- Mirrors lua/mcp/tasks.lua.
local fake = require "fake_core"

--- The options that `text` sets, by name, and the load's error.
local function set_by(text, refuse)
  local options = {}
  local state = fake.load(text, function()
    local core = package.loaded["mcp.core"]
    function core.set_option(name, value)
      if refuse then
        return nil, refuse
      end
      options[name] = value
      return true
    end
  end)
  return options, state.error
end

describe("mcp.tasks", function()
  it("sets options", function()
    local options, err = set_by [[mcp.tasks { store = "sqlite:a.db", ttl_ms = 1000,
      max_ttl_ms = 1e15, poll_interval_ms = 5, timeout = 0.5, max_running = 3,
      max_running_per_tool = 2, max_running_per_principal = 1, max_stored = 9,
      cancel_grace = 1.25 }]]
    assert.is_nil(err)
    assert.same({
      task_store = "sqlite:a.db",
      task_ttl_ms = "1000",
      task_max_ttl_ms = "1000000000000000",
      task_poll_interval_ms = "5",
      task_timeout = "0.5",
      task_max_running = "3",
      task_max_running_per_tool = "2",
      task_max_running_per_principal = "1",
      task_max_stored = "9",
      task_cancel_grace = "1.25",
    }, options)
  end)

  it("may set nothing", function()
    assert.same({}, (set_by "mcp.tasks {}"))
  end)

  it("calls options by its own names", function()
    local _, err = set_by("mcp.tasks { ttl_ms = 0 }",
      "task_ttl_ms: 0 is not a whole number from 1 to 9")
    assert.equal("app.lua:1: mcp.tasks: ttl_ms: 0 is not a whole number from 1 to 9", err)
  end)

  for text, message in pairs {
    ["mcp.tasks()"] = "a table of options is needed, got nil",
    ["mcp.tasks { ttl = 1 }"] = 'unknown field "ttl"; did you mean "ttl_ms"?',
    ["mcp.tasks { stores = 'memory:' }"] = 'unknown field "stores"; did you mean "store"?',
    ["mcp.tasks { store = 1 }"] = "store must be a string, got 1",
    ["mcp.tasks { ttl_ms = '1' }"] = 'ttl_ms must be a number, got "1"',
    ["mcp.tasks {} mcp.tasks {}"] = "called a second time; the first is at app.lua:1",
  } do
    it("refuses " .. text, function()
      local _, err = set_by(text)
      assert.equal("app.lua:1: mcp.tasks: " .. message, err)
    end)
  end
end)

describe("task of a tool", function()
  local function tool(fields)
    local state = fake.load(("mcp.tool { name = 'x', %s handler = function() end }"):format(fields))
    assert.is_nil(state.error)
    return state.tools[1]
  end

  for given, want in pairs {
    ["task = true,"] = "optional",
    ["task = 'optional',"] = "optional",
    ["task = 'required',"] = "required",
  } do
    it(given, function()
      assert.equal(want, tool(given).task)
    end)
  end

  it("is never, unless said", function()
    assert.is_nil(tool("").task)
    assert.is_nil(tool("task = false,").task)
  end)

  it("comes with what a task may have", function()
    local t = tool "task = true, restart = 'retry', task_input_before_start = true,"
    assert.equal("retry", t.restart)
    assert.is_true(t.task_input_before_start)
  end)
end)
