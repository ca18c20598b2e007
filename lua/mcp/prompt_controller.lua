--- mcp.prompt_controller: prompts with a common prefix and common instructions.
---
---     mcp.prompt_controller { prefix = "coffee", instructions = "Be warm.",
---       { name = "welcome", handler = function() ... end },
---     }

local fields = require "mcp.fields"
local prompts = require "mcp.prompts"
local scopes = require "mcp.scope"
local where = require "mcp.where"

local KNOWN = {
  prefix = true,
  instructions = true,
  tags = true,
  guards = true,
  dependencies = true,
}

local function place_of(at, index, decl)
  local what = ("%s: prompt %d"):format(at.what, index)
  local f = type(decl) == "table" and decl.handler
  local info = type(f) == "function" and debug.getinfo(f, "S")
  if info and info.what ~= "C" then
    return where.at(what, info.source, info.linedefined)
  end
  return where.at(what, at.source, at.line)
end

---@param controller mcp.PromptController
local function prompt_controller(controller)
  local at = where.here "mcp.prompt_controller"
  at:must_load()
  if type(controller) ~= "table" then
    at:fail("a table { prefix = ..., { name = ... }, ... } is needed, got %s",
      fields.told(controller))
  end
  local own, count = {}, #controller
  for key, value in pairs(controller) do
    if type(key) ~= "number" or key < 1 or key > count or key % 1 ~= 0 then
      own[key] = value
    end
  end
  fields.known(at, own, KNOWN)
  local instructions = fields.text(at, own, "instructions")
  if count == 0 then
    at:fail("there are no prompts in it")
  end
  local group = {
    scope = scopes.child(at, own),
    instructions = instructions and instructions:match("^%s*(.-)%s*$"),
  }
  for i, decl in ipairs(controller) do
    local place = place_of(at, i, decl)
    if type(decl) ~= "table" then
      place:fail("a table { name = ..., handler = ... } is needed, got %s", fields.told(decl))
    end
    prompts.add(place, decl, group)
  end
end

return prompt_controller
