--- mcp.complete: what may stand for an argument of a prompt or for a variable of a
--- template: a list, or a function (value, ctx) that returns one.

local core = require "mcp.core"
local fields = require "mcp.fields"

local M = {}

---@class mcp.Completer
---@field argument string
---@field values? string[]
---@field handler? function

local function number_text(value)
  return value % 1 == 0 and math.abs(value) < 2 ^ 53 and ("%d"):format(value) or tostring(value)
end

--- A list of strings; numbers become some.
local function values_of(at, name, list)
  if not fields.is_list(list) then
    at:fail("complete of %q must be a list of strings or a function (value, ctx)", name)
  end
  local out = {}
  for i, value in ipairs(list) do
    if type(value) == "number" then
      value = number_text(value)
    elseif type(value) ~= "string" then
      at:fail("complete of %q: entry %d must be a string, got %s", name, i, fields.told(value))
    elseif value:find("%z") then
      at:fail("complete of %q: entry %d has a NUL character inside", name, i)
    end
    out[i] = value
  end
  return out
end

--- Adds the completer of one argument to `list`; a follow load needs those with a
--- function only.
---@param at mcp.Place
---@param list mcp.Completer[]
---@param name string
---@param given any
function M.add(at, list, name, given)
  if given == nil then
    return
  elseif type(given) == "function" then
    list[#list + 1] = { argument = name, handler = given }
  elseif type(given) ~= "table" then
    at:fail("complete of %q must be a list of strings or a function (value, ctx), got %s",
      name, fields.told(given))
  elseif not core.following() then
    list[#list + 1] = { argument = name, values = values_of(at, name, given) }
  end
end

--- Adds those of the field `complete`, a table by the names of arguments.
---@param at mcp.Place
---@param list mcp.Completer[]
---@param decl table
function M.add_field(at, list, decl)
  local given = fields.table(at, decl, "complete") or {}
  for _, name in ipairs(fields.sorted_keys(given)) do
    if type(name) ~= "string" then
      at:fail("complete must be a table { argument = list or function }")
    end
    M.add(at, list, name, given[name])
  end
end

return M
