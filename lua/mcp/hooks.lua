--- mcp.hooks: functions that are told of calls, and of the app's life.
---
--- What a hook raises is logged, and nothing else comes of it. Several calls of
--- mcp.hooks add up, in their order.

local core = require "mcp.core"
local ending = require "mcp.ending"
local fields = require "mcp.fields"
local scopes = require "mcp.scope"
local where = require "mcp.where"

--- By name of the hook: are tools composed with it?
local KNOWN = {
  before_tool_call = true,
  after_tool_call = true,
  on_startup = false,
  on_reload = false,
  on_shutdown = false,
}

local M = {
  before_tool_call = {}, ---@type function[]
  after_tool_call = {}, ---@type function[]
}

local life = {} ---@type table<string, function[]>

--- What was raised, for the log.
local function told(fault)
  if type(fault) == "table" then
    fault = fault.message
  end
  return type(fault) == "string" and fault or ("a value of type " .. type(fault))
end

--- Runs `f`, from which nothing reaches the caller: no error, and no end of the call.
---@param what string  for the log: "before_tool_call"
---@param f function
function M.attempt(what, f, ...)
  ending.hold(true)
  local ok, fault = pcall(f, ...)
  ending.hold(false)
  if not ok then
    core.log_fault(("%s failed: %s"):format(what, told(fault)))
  end
end

local function run_life(name)
  for _, f in ipairs(life[name] or {}) do
    M.attempt(name, f)
  end
end

--- mcp.hooks { before_tool_call, after_tool_call, on_startup, on_reload, on_shutdown }
---@param hooks mcp.Hooks
function M.declare(hooks)
  local at = where.here "mcp.hooks"
  at:must_load()
  if type(hooks) ~= "table" then
    at:fail("a table of functions is needed, got %s", fields.told(hooks))
  end
  fields.known(at, hooks, KNOWN)
  for _, name in ipairs(fields.sorted_keys(hooks)) do
    if type(hooks[name]) ~= "function" then
      at:fail("%s must be a function, got %s", name, fields.told(hooks[name]))
    elseif KNOWN[name] then
      scopes.must_be_first(at, name)
      M[name][#M[name] + 1] = hooks[name]
    else
      life[name] = life[name] or {}
      table.insert(life[name], hooks[name])
      core.keep_life(run_life)
    end
  end
end

return M
