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
local forms = require "mcp.forms"
local pipeline = require "mcp.pipeline"
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
  guards = true,
  dependencies = true,
  handler = true,
}

--- Fields of the API that this version has not got.
local LATER = {
  scopes = true,
  required_client_capabilities = true,
  task = true,
  task_input_before_start = true,
  restart = true,
}

---@param first string|mcp.Tool
---@param second? mcp.ToolFields|function
---@param third? function
local function tool(first, second, third)
  local at = where.here("mcp.tool", forms.function_of(first, second, third))
  at:must_load()
  local decl = forms.gather(at, first, second, third)
  fields.known(at, decl, KNOWN, LATER)
  if not fields.string(at, decl, "name") then
    at:fail("name must be a string, got nil")
  end

  local wired = pipeline.item(at, "tool", decl)
  local out = {
    name = wired:full_name(decl.name, "_"),
    handler = decl.handler,
    binds = wired.own,
  }
  if not core.following() then
    require "mcp.describe"(at, decl, out, wired)
  end
  wired:add(at, out, core.add_tool)
end

return tool
