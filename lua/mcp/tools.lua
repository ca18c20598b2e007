--- mcp.tools: what mcp.tool and routes do with one tool.
---
--- Source: MCP 2026-07-28, server/tools, data type "Tool".

local core = require "mcp.core"
local fields = require "mcp.fields"
local pipeline = require "mcp.pipeline"

local M = {}

local KNOWN = {
  name = true,
  title = true,
  description = true,
  summary = true,
  tags = true,
  icons = true,
  meta = true,
  annotations = true,
  read_only = true,
  scopes = true,
  when_to_use = true,
  returns = true,
  instructions = true,
  input = true,
  input_schema = true,
  input_schema_file = true,
  output = true,
  output_schema = true,
  output_schema_file = true,
  extra_arguments = true,
  assert_format = true,
  timeout = true,
  guards = true,
  dependencies = true,
  required_client_capabilities = true,
  task = true,
  task_input_before_start = true,
  restart = true,
  handler = true,
}

--- A guard that refuses clients without the capabilities: a table of them, or a list
--- of their names.
local function needed_capabilities(at, decl)
  local given = fields.table(at, decl, "required_client_capabilities")
  if given == nil then
    return nil
  end
  local needed = {}
  for key, value in pairs(given) do
    if type(key) == "number" then
      key, value = value, core.object {}
    end
    if type(key) ~= "string" or type(value) ~= "table" then
      at:fail("required_client_capabilities must be names or a table { sampling = {} }")
    end
    needed[key] = next(value) == nil and core.object {} or value
  end
  local text, path, why = core.encode_sorted(needed)
  if not text then
    at:fail("required_client_capabilities%s %s", path, why)
  end
  return function()
    core.require_capabilities(text)
  end
end

M.KNOWN = KNOWN

--- Declares one tool.
---@param at mcp.Place
---@param decl mcp.Tool
---@param route? mcp.Route  that the tool is
function M.add(at, decl, route)
  fields.known(at, decl, KNOWN)
  if not fields.string(at, decl, "name") then
    at:fail("name must be a string, got nil")
  end

  local wired = pipeline.item(at, "tool", decl, route and route.scope)
  local needs = needed_capabilities(at, decl)
  if needs then
    table.insert(wired.guards, 1, needs)
  end
  local out = {
    name = wired:full_name(decl.name, "_"),
    handler = decl.handler,
    binds = wired.own,
  }
  if not core.following() then
    require "mcp.describe"(at, decl, out, wired, route)
  end
  wired:add(at, out, core.add_tool)
end

return M
