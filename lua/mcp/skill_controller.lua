--- mcp.skill_controller: skills, tools and prompts that belong together.
---
---     mcp.skill_controller { prefix = "acme", instructions = "Be brief.",
---       list = function(ctx) return { { name = ..., description = ..., body = ... } } end,
---       tools = { { name = "refund", handler = function(order) ... end } },
---       prompts = { { name = "apologise", handler = function() ... end } },
---     }
---
--- The prefix is that of skills (skill://acme/...), tools (acme_refund) and prompts
--- (acme/apologise); the instructions stand before what its prompts say.

local fields = require "mcp.fields"
local prompts = require "mcp.prompts"
local scopes = require "mcp.scope"
local source = require "mcp.skill_source"
local tool = require "mcp.tool"
local where = require "mcp.where"

local KNOWN = {
  prefix = true,
  instructions = true,
  tags = true,
  guards = true,
  dependencies = true,
  list = true,
  get = true,
  read = true,
  tools = true,
  prompts = true,
}

--- Where the declaration `i` of `kind` was written.
local function place_of(at, kind, i, decl)
  local what = ("%s: %s[%d]"):format(at.what, kind, i)
  local f = type(decl) == "table" and decl.handler
  local info = type(f) == "function" and debug.getinfo(f, "S")
  if info and info.what ~= "C" then
    return where.at(what, info.source, info.linedefined)
  end
  return where.at(what, at.source, at.line)
end

--- Declares each entry of the list `kind` by `add`.
local function each(at, controller, kind, add)
  local list = fields.table(at, controller, kind) or {}
  if not fields.is_list(list) then
    at:fail("%s must be a list of tables { name = ..., handler = ... }", kind)
  end
  for i, decl in ipairs(list) do
    local place = place_of(at, kind, i, decl)
    if type(decl) ~= "table" then
      place:fail("a table { name = ..., handler = ... } is needed, got %s", fields.told(decl))
    end
    add(place, decl)
  end
end

---@param controller mcp.SkillController
local function skill_controller(controller)
  local at = where.here "mcp.skill_controller"
  at:must_load()
  if type(controller) ~= "table" then
    at:fail("a table { prefix = ..., list = ..., tools = ... } is needed, got %s",
      fields.told(controller))
  end
  fields.known(at, controller, KNOWN)
  local instructions = fields.text(at, controller, "instructions")
  local scope = scopes.child(at, controller)
  local has_skills = controller.list ~= nil or controller.get ~= nil
  if has_skills then
    source.add(at, controller, scope)
  elseif controller.read ~= nil then
    at:fail("read needs list or get beside it")
  elseif controller.tools == nil and controller.prompts == nil then
    at:fail("there is nothing in it: no list, get, tools or prompts")
  end
  scopes.within(scope, function()
    each(at, controller, "tools", function(_, decl)
      tool(decl)
    end)
  end)
  local group = {
    scope = scope,
    instructions = instructions and instructions:match "^%s*(.-)%s*$",
  }
  each(at, controller, "prompts", function(place, decl)
    prompts.add(place, decl, group)
  end)
end

return skill_controller
