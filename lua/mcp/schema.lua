--- mcp.schema: JSON Schemas of tools, as JSON text.
---
--- A schema that we build is one that every client accepts: `type: object`,
--- `properties` (also when empty), `required`, `additionalProperties: false`. One
--- that the author wrote is kept as it is.

local core = require "mcp.core"

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

--- The schema of an object that has these properties, as JSON text.
---@param at mcp.Place
---@param properties { [1]: string, [2]: table }[]  in their order
---@param required string[]
---@param open boolean  other arguments are welcome
---@return string
function M.object(at, properties, required, open)
  local schema = { type = "object", properties = properties }
  if #required > 0 then
    schema.required = core.array(required)
  end
  if not open then
    schema.additionalProperties = false
  end
  return M.encode(at, "input", schema)
end

--- The schema of a handler that declares its arguments by its parameters alone:
--- each is required, of any type. With `args` there may be any others.
---@param at mcp.Place
---@param parameters string[]
---@param open boolean
---@return string
function M.bare(at, parameters, open)
  local properties, required = {}, {}
  for _, name in ipairs(parameters) do
    if name == "args" then
      open = true
    elseif name ~= "ctx" then
      properties[#properties + 1] = { name, core.object({}) }
      required[#required + 1] = name
    end
  end
  return M.object(at, properties, required, open)
end

return M
