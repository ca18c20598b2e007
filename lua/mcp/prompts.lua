--- mcp.prompts: what mcp.prompt and mcp.prompt_controller do with one prompt.

local annotations = require "mcp.annotations"
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
  scopes = true,
  handler = true,
}

---@class mcp.PromptGroup
---@field scope mcp.Scope
---@field instructions? string  what the messages begin with
---@field name? string          of the route that the prompt is

--- A prompt has no annotations: its scopes go into `meta`.
local function meta(at, decl)
  local out = {}
  for key, value in pairs(decl.meta or {}) do
    out[key] = value
  end
  annotations.fill(at, decl, out)
  return item.json_object(at, "meta", out)
end

M.KNOWN = KNOWN

--- Declares one prompt.
---@param at mcp.Place
---@param decl mcp.Prompt
---@param group? mcp.PromptGroup
function M.add(at, decl, group)
  fields.known(at, decl, KNOWN)
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
  out.route = group and group.name
  if not core.following() then
    item.common(at, decl, comment.find(at, decl.handler), out)
    out.meta = meta(at, decl)
    out.instructions = group and group.instructions
  end
  wired:add(at, out, core.add_prompt)
end

return M
