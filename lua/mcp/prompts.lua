--- mcp.prompts: what mcp.prompt and mcp.prompt_controller do with one prompt.

local arguments = require "mcp.arguments"
local comment = require "mcp.comment"
local core = require "mcp.core"
local fields = require "mcp.fields"
local item = require "mcp.item"
local pipeline = require "mcp.pipeline"

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
  guards = true,
  dependencies = true,
  handler = true,
}

--- Fields of the API that this version has not got.
local LATER = {
  scopes = true,
}

---@class mcp.PromptGroup
---@field scope mcp.Scope
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
  end

  local wired = pipeline.item(at, "prompt", decl, group and group.scope)
  local out = { name = wired:full_name(name, "/"), handler = decl.handler, binds = wired.own }
  local gathered = arguments(at, decl, out.binds, wired.providers)
  for _, argument in ipairs(gathered.list) do
    wired:check_argument(at, argument.name)
  end
  out.arguments, out.has_arguments = gathered.list, gathered.declared
  out.completers = gathered.completers
  if not core.following() then
    item.common(at, decl, comment.find(at, decl.handler), out)
    out.instructions = group and group.instructions
  end
  wired:add(at, out, core.add_prompt)
end

return M
