--- mcp.prompts: what mcp.prompt and mcp.prompt_controller do with one prompt.

local arguments = require "mcp.arguments"
local comment = require "mcp.comment"
local core = require "mcp.core"
local fields = require "mcp.fields"
local handler = require "mcp.handler"
local item = require "mcp.item"

local M = {}

local KNOWN = {
  name = true,
  title = true,
  description = true,
  summary = true,
  when_to_use = true,
  returns = true,
  instructions = true,
  tags = true,
  icons = true,
  meta = true,
  arguments = true,
  complete = true,
  timeout = true,
  handler = true,
}

--- Fields of the API that this version has not got.
local LATER = {
  guards = true,
  dependencies = true,
  scopes = true,
}

---@class mcp.PromptGroup
---@field prefix? string
---@field instructions? string  what the messages begin with

--- Declares one prompt.
---@param at mcp.Place
---@param decl mcp.Prompt
---@param group? mcp.PromptGroup
function M.add(at, decl, group)
  fields.known(at, decl, KNOWN, LATER)
  local name = fields.string(at, decl, "name")
  if not name then
    at:fail("name must be a string, got nil")
  elseif group and group.prefix then
    name = group.prefix .. "/" .. name
  end

  local out = { name = name, handler = decl.handler }
  out.binds = handler.parameters(at, decl.handler)
  local gathered = arguments(at, decl, out.binds)
  out.arguments, out.has_arguments = gathered.list, gathered.declared
  out.completers = gathered.completers
  if not core.following() then
    item.common(at, decl, comment.find(at, decl.handler), out)
    out.instructions = group and group.instructions
  end
  local ok, why = core.add_prompt(out)
  if not ok then
    at:fail("%s", why)
  end
end

return M
