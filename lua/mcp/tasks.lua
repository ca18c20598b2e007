--- mcp.tasks: how tools run as tasks, and what a tool says of it.
---
---     mcp.tasks { store = "sqlite:/var/lib/app/tasks.db", ttl_ms = 600000 }
---
--- Each field is the option of the server with `task_` in front; a flag or a
--- variable of the environment is stronger.
---
--- Source: the extension io.modelcontextprotocol/tasks.

local core = require "mcp.core"
local fields = require "mcp.fields"
local where = require "mcp.where"

local M = {}

local KNOWN = {
  store = "string",
  ttl_ms = "number",
  max_ttl_ms = "number",
  poll_interval_ms = "number",
  timeout = "number",
  max_running = "number",
  max_running_per_tool = "number",
  max_running_per_principal = "number",
  max_stored = "number",
  cancel_grace = "number",
}

local declared ---@type mcp.Place?

--- mcp.tasks { store, ttl_ms, max_ttl_ms, poll_interval_ms, max_running, ... }
---@param options mcp.TaskOptions
function M.declare(options)
  local at = where.here "mcp.tasks"
  at:must_load()
  if type(options) ~= "table" then
    at:fail("a table of options is needed, got %s", fields.told(options))
  elseif declared then
    at:fail("called a second time; the first is at %s:%d", declared.file, declared.line)
  end
  declared = at
  fields.known(at, options, KNOWN)
  for _, name in ipairs(fields.sorted_keys(options)) do
    local value = options[name]
    if type(value) ~= KNOWN[name] then
      at:fail("%s must be a %s, got %s", name, KNOWN[name], fields.told(value))
    end
    local text = type(value) == "number" and ("%.17g"):format(value) or value
    local ok, why = core.set_option("task_" .. name, text)
    if not ok then
      at:fail("%s", (why:gsub("task_" .. name, name)))
    end
  end
end

local USES = { ["true"] = "optional", ["false"] = "never", optional = "optional",
  required = "required" }

--- `task` as "optional" or "required"; nil: never.
local function use_of(at, decl)
  local given = decl.task
  if given == nil then
    return nil
  end
  local use = type(given) ~= "table" and USES[tostring(given)]
  if not use then
    at:fail('task must be true, false, "optional" or "required", got %s', fields.told(given))
  end
  return use ~= "never" and use or nil
end

--- Adds to `out` what a tool says of its tasks.
---@param at mcp.Place
---@param decl mcp.Tool
---@param out table
function M.describe(at, decl, out)
  out.task = use_of(at, decl)
  out.task_input_before_start = fields.boolean(at, decl, "task_input_before_start")
  out.restart = fields.word(at, decl, "restart", { "fail", "retry" })
  if out.task then
    return
  elseif out.task_input_before_start then
    at:fail("task_input_before_start is for tools with task = true")
  elseif out.restart then
    at:fail("restart is for tools with task = true")
  end
end

return M
