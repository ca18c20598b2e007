--- mcp.type: one type of a value, and the JSON Schema that it becomes.
---
--- The builder (mcp.types) and the comments (mcp.comment) both make these, so that
--- a tool looks the same to clients whichever way its author wrote it.

local core = require "mcp.core"

local M = {}

---@class mcp.Type
---@field kind string                   "string", "object", ...; for messages
---@field keywords table<string, any>   JSON Schema keywords, all but those below
---@field fields? mcp.Field[]           of an object, in their order
---@field items? mcp.Type               of an array
---@field prefix? mcp.Type[]            of an array: the types of its first items
---@field values? mcp.Type              of a map
---@field any_of? mcp.Type[]            of a union
---@field convert? "int64"|"bytes"      the form that a handler gets
---@field optional? boolean             a field of this type may be absent
---@field default? any                  the same, and what stands for it
local Type = {}
Type.__index = Type
Type.__name = "mcp.Type"

---@class mcp.Field
---@field [1] string
---@field [2] mcp.Type

---@param kind string
---@param keywords? table<string, any>
---@return mcp.Type
function M.new(kind, keywords)
  return setmetatable({ kind = kind, keywords = keywords or {} }, Type)
end

---@param value any
---@return boolean
function M.is(value)
  return type(value) == "table" and getmetatable(value) == Type
end

--- The same type with these differences.
---@param t mcp.Type
---@param changes table
---@return mcp.Type
function M.with(t, changes)
  local copy = setmetatable({}, Type)
  for key, value in pairs(t) do
    copy[key] = value
  end
  for key, value in pairs(changes) do
    copy[key] = value
  end
  return copy
end

--- The same type with one more keyword.
---@return mcp.Type
function M.with_keyword(t, keyword, value)
  local keywords = { [keyword] = value }
  for key, other in pairs(t.keywords) do
    if key ~= keyword then
      keywords[key] = other
    end
  end
  return M.with(t, { keywords = keywords })
end

local schema

--- Schemas of several types.
local function schemas(list, open)
  local out = {}
  for i, t in ipairs(list) do
    out[i] = schema(t, open)
  end
  return core.array(out)
end

local function add_fields(out, fields, open)
  local properties, required = {}, {}
  for i, field in ipairs(fields) do
    local name, t = field[1], field[2]
    properties[i] = { name, schema(t, open) }
    if not t.optional and t.default == nil then
      required[#required + 1] = name
    end
  end
  out.properties = #properties > 0 and properties or core.object({})
  out.required = #required > 0 and core.array(required) or nil
  if not open then
    out.additionalProperties = false
  end
end

--- A table for core.encode_schema.
---@param t mcp.Type
---@param open boolean  objects may have other members
---@return table
function schema(t, open)
  local out = {}
  for keyword, value in pairs(t.keywords) do
    out[keyword] = value
  end
  if t.default ~= nil then
    out.default = t.default
  end
  if t.fields then
    add_fields(out, t.fields, open)
  end
  if t.items then
    out.items = schema(t.items, open)
  end
  local values = t.values and schema(t.values, open)
  if values and next(values) ~= nil then -- values of any type need no word
    out.additionalProperties = values
  end
  out.prefixItems = t.prefix and schemas(t.prefix, open)
  out.anyOf = t.any_of and schemas(t.any_of, open)
  return next(out) == nil and core.object(out) or out
end

M.schema = schema

local function add_converts(t, path, list)
  if t.convert then
    local entry = { kind = t.convert }
    for i, step in ipairs(path) do
      entry[i] = step
    end
    list[#list + 1] = entry
  end
  local depth = #path + 1
  for _, field in ipairs(t.fields or {}) do
    path[depth] = field[1]
    add_converts(field[2], path, list)
  end
  path[depth] = false
  for _, inner in ipairs { t.items or t.values } do
    add_converts(inner, path, list)
  end
  path[depth] = nil
  for _, branch in ipairs(t.any_of or {}) do
    add_converts(branch, path, list)
  end
end

--- The values of `t` that a handler gets in another form: for each the kind, and a
--- path of names in which false stands for every item or member.
---@param t mcp.Type
---@return table[]
function M.converts(t)
  local list = {}
  add_converts(t, {}, list)
  return list
end

--- An object with these fields.
---@param fields mcp.Field[]
---@return mcp.Type
function M.object(fields)
  local t = M.new("object", { type = "object" })
  t.fields = fields
  return t
end

--- One of these values: a plain enum where JSON Schema has a type for them.
---@param values any[]
---@return mcp.Type
function M.enum(values)
  local kind, seen = type(values[1]), {}
  local integers = true
  for _, value in ipairs(values) do
    if type(value) ~= kind then
      kind = nil
    end
    seen[value] = true
    integers = integers and type(value) == "number" and value == math.floor(value)
  end
  if kind == "boolean" and seen[true] and seen[false] then
    return M.new("boolean", { type = "boolean" })
  end
  local name = kind == "number" and integers and "integer" or kind
  local plain = kind == "string" or kind == "number" or kind == "boolean"
  return M.new("enum", { type = plain and name or nil, enum = core.array(values) })
end

return M
