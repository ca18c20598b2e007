--- mcp.tool: declare one tool of this app.
---
---     mcp.tool(name, handler)   mcp.tool(name, fields, handler)   mcp.tool { ... }
---
--- Runs while the app loads, once in each Lua state. The host keeps what the first
--- state declares (src/app/registry.h); every state keeps its own handler. A wrong
--- declaration stops the load, and the running generation stays.
---
--- Source: MCP 2026-07-28, server/tools, data type "Tool".

local forms = require "mcp.forms"
local tools = require "mcp.tools"
local where = require "mcp.where"

---@param first string|mcp.Tool
---@param second? mcp.ToolFields|function
---@param third? function
local function tool(first, second, third)
  local at = where.here("mcp.tool", forms.function_of(first, second, third))
  at:must_load()
  tools.add(at, forms.gather(at, first, second, third))
end

return tool
