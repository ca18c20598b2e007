--- mcp.names: the facade refuses names that it has not got, instead of giving nil.

local fields = require "mcp.fields"
local where = require "mcp.where"

local M = {}

--- Names of the API that this version has not got.
local LATER = {}
for name in ([[
  types resource prompt prompt_controller skills skill skill_controller provide hooks group
  get post put patch delete head options shared every notify_resource_updated
  notify_list_changed tasks blob user assistant elicit sample roots input_required http
  unauthorized forbidden not_found http_error
]]):gmatch("%S+") do
  LATER[name] = true
end

--- Makes the table read-only and strict.
---@generic T: table
---@param module T
---@return T
function M.seal(module)
  local function missing(_, key)
    local at = where.here("mcp")
    if LATER[key] then
      at:fail("mcp.%s is not available in this version", key)
    end
    at:fail("there is no mcp.%s%s", tostring(key), where.hint(key, fields.sorted_keys(module)))
  end
  local function frozen(_, key)
    where.here("mcp"):fail("the module cannot be changed (mcp.%s = ...)", tostring(key))
  end
  return setmetatable(module, { __index = missing, __newindex = frozen })
end

return M
