--- mcp.prompt: declare one prompt of this app.
---
---     mcp.prompt(name, handler)   mcp.prompt(name, fields, handler)   mcp.prompt { ... }
---
--- Source: MCP 2026-07-28, server/prompts, data type "Prompt".

local forms = require "mcp.forms"
local prompts = require "mcp.prompts"
local where = require "mcp.where"

---@param first string|mcp.Prompt
---@param second? mcp.PromptFields|function
---@param third? function
local function prompt(first, second, third)
  local at = where.here("mcp.prompt", forms.function_of(first, second, third))
  at:must_load()
  prompts.add(at, forms.gather(at, first, second, third))
end

return prompt
