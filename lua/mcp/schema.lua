--- mcp.schema: JSON Schemas of tools, as JSON text.
---
--- A schema that we build is one that every client accepts: `type: object`,
--- `properties` (also when empty), `required`, `additionalProperties: false`. One
--- that the author wrote is kept as it is.

local core = require "mcp.core"
local type_ = require "mcp.type"

local M = {}

--- Encodes a raw schema table that the author wrote in field `key`.
---@param at mcp.Place
---@return string
function M.encode(at, key, schema)
  local text, path, why = core.encode_schema(schema)
  if not text then
    at:fail("%s%s %s", key, path, why)
  end
  return text
end

--- A raw schema of arguments; the root says that it is an object.
---@param at mcp.Place
---@param schema table
---@return string
function M.raw_input(at, schema)
  if schema.type == nil then
    local copy = { type = "object" }
    for key, value in pairs(schema) do
      copy[key] = value
    end
    schema = copy
  end
  return M.encode(at, "input_schema", schema)
end

--- The schema of a value of type `t`.
---@param at mcp.Place
---@param key string    the field that it comes from, for messages
---@param t mcp.Type
---@param open boolean  objects may have members that are not declared
---@param defs? table<string, mcp.Type>  types that `t` refers to by name
---@return string
function M.of_type(at, key, t, open, defs)
  local out = type_.schema(t, open)
  if defs and next(defs) ~= nil then
    out["$defs"] = {}
    for name, def in pairs(defs) do
      out["$defs"][name] = type_.schema(def, open)
    end
  end
  return M.encode(at, key, out)
end

--- What a handler declares by its parameters alone: each is required, of any type.
---@param parameters string[]
---@return mcp.Type
---@return boolean any  it has `args`, so that there may be others
function M.bare(parameters)
  local fields, any = {}, false
  for _, name in ipairs(parameters) do
    if name == "args" then
      any = true
    elseif name ~= "ctx" then
      fields[#fields + 1] = { name, type_.new("any") }
    end
  end
  return type_.object(fields), any
end

return M
