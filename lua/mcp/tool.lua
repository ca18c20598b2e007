--- mcp.tool: declare one tool of this app.
---
---     mcp.tool(name, handler)   mcp.tool(name, fields, handler)   mcp.tool { ... }
---
--- Runs while the app loads, once in each Lua state. The host keeps what the first
--- state declares (src/app/registry.h); every state keeps its own handler. A wrong
--- declaration stops the load, and the running generation stays.
---
--- Source: MCP 2026-07-28, server/tools, data type "Tool".

local core = require "mcp.core"
local fields = require "mcp.fields"
local handler = require "mcp.handler"
local where = require "mcp.where"

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
  handler = true,
}

--- Fields of the API that this version has not got.
local LATER = {
  guards = true,
  dependencies = true,
  scopes = true,
  required_client_capabilities = true,
  task = true,
  task_input_before_start = true,
  restart = true,
}

--- The three forms as one table; the caller's is left alone.
local function gather(at, first, second, third)
  local decl = {}
  local given = type(first) == "table" and first or type(second) == "table" and second or {}
  for key, value in pairs(given) do
    decl[key] = value
  end
  if first == given then
    if second ~= nil then
      at:fail("mcp.tool { ... } takes one table and nothing behind it")
    end
    return decl
  end
  local f = second
  if second == given or second == nil then
    f = third
  elseif third ~= nil then
    at:fail("the handler comes last: mcp.tool(name, fields, handler)")
  end
  if decl.name ~= nil or decl.handler ~= nil then
    at:fail("%s is given twice", decl.name ~= nil and "name" or "handler")
  end
  decl.name, decl.handler = first, f
  return decl
end

--- The function in the arguments of mcp.tool, wherever it stands.
local function function_of(first, second, third)
  if type(first) == "table" then
    return first.handler
  end
  return type(second) == "function" and second or third
end

---@param first string|mcp.Tool
---@param second? mcp.ToolFields|function
---@param third? function
local function tool(first, second, third)
  local at = where.here("mcp.tool", function_of(first, second, third))
  at:must_load()
  local decl = gather(at, first, second, third)
  fields.known(at, decl, KNOWN, LATER)
  if not fields.string(at, decl, "name") then
    at:fail("name must be a string, got nil")
  end

  local out = {
    name = decl.name,
    handler = decl.handler,
    binds = handler.parameters(at, decl.handler),
  }
  if not core.following() then
    require "mcp.describe"(at, decl, out)
  end
  local ok, why = core.add_tool(out)
  if not ok then
    at:fail("%s", why)
  end
end

return tool
