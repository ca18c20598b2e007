--- mcp.names: modules that refuse a name that they have not got, instead of nil.

local fields = require "mcp.fields"
local where = require "mcp.where"

local M = {}

--- Makes the table read-only and strict.
---@generic T: table
---@param module T
---@param what string                 how messages call it: "mcp"
---@param later table<string, any>    names that only a later version has
---@param lazy? table<string, string[]> names that are loaded when used: a module, or
---                                     a field of one
---@return T
function M.seal(module, what, later, lazy)
  local function missing(_, key)
    local from = lazy and lazy[key]
    if from then
      local value = require(from[1])
      rawset(module, key, from[2] and value[from[2]] or value)
      return rawget(module, key)
    end
    local at = where.here(what)
    if later[key] then
      at:fail("%s.%s is not available in this version", what, key)
    end
    local known = fields.sorted_keys(module)
    for _, name in ipairs(fields.sorted_keys(lazy or {})) do
      known[#known + 1] = name
    end
    local hint = where.hint(key, known)
    at:fail("there is no %s.%s%s", what, tostring(key), hint)
  end
  local function frozen(_, key)
    where.here(what):fail("the module cannot be changed (%s.%s = ...)", what, tostring(key))
  end
  return setmetatable(module, { __index = missing, __newindex = frozen })
end

return M
