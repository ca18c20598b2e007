--- mcp.type_fields: tables of fields as authors write them.
---
---     { { "b", t.string() }, { "a", t.integer() } }    in this order
---     { a = t.integer(), b = t.string() }              in byte order

local fields = require "mcp.fields"
local type_ = require "mcp.type"

local M = {}

--- `value`, which must be a type.
---@param at mcp.Place
---@param value any
---@param what string  how messages call it
---@return mcp.Type
function M.need_type(at, value, what)
  if not type_.is(value) then
    local hint = type(value) == "function" and "; write t.string() with ()" or ""
    at:fail("%s must be a type such as t.string(), got %s%s", what, fields.told(value), hint)
  end
  return value
end

--- The pairs at the front of `given`, by `add`.
local function read_pairs(at, given, what, add)
  for i, pair in ipairs(given) do
    if type_.is(pair) or type(pair) ~= "table" or type(pair[1]) ~= "string" then
      at:fail("%s[%d] must be a pair { \"name\", t.string() }", what, i)
    end
    add(pair[1], M.need_type(at, pair[2], ("%s.%s"):format(what, pair[1])))
  end
end

--- The named types in `given`, and what else it has but pairs.
local function read_keys(at, given, what)
  local keyed, options = {}, {}
  for key, value in pairs(given) do
    if type(key) == "string" and type_.is(value) then
      keyed[key] = value
    elseif type(key) ~= "number" then
      options[key] = value
    elseif key > #given or key < 1 then
      at:fail("%s: there is a nil among the pairs", what)
    end
  end
  return keyed, options
end

--- The fields in `given`: pairs in their order, then keys: those of `first` (may be
--- nil) in that order, the rest in byte order.
---@param at mcp.Place
---@param given table
---@param what string     how messages call the table
---@param first? string[]
---@return mcp.Field[] fields
---@return table<any, any> options  what is neither a pair nor a type
function M.read(at, given, what, first)
  local out, seen = {}, {}
  local function add(name, t)
    if seen[name] then
      at:fail("%s: %q is there twice", what, name)
    end
    seen[name] = true
    out[#out + 1] = { name, t }
  end
  read_pairs(at, given, what, add)
  local keyed, options = read_keys(at, given, what)
  for _, name in ipairs(first or {}) do
    if keyed[name] then
      add(name, keyed[name])
      keyed[name] = nil
    end
  end
  for _, name in ipairs(fields.sorted_keys(keyed)) do
    add(name, keyed[name])
  end
  return out, options
end

return M
