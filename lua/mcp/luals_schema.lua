--- mcp.luals_schema: the types of LuaLS comments as mcp.Type.
---
---     string number integer boolean any table   what they say
---     "a"|"b"  1|2                              an enum
---     T[]  table<string, T>  { a: T }  class    array, map, object
---     T?  T|nil  name?                          the plain type, and it may be absent
---
--- A class that contains itself goes to `$defs`; no other `$ref` is made.

local fields = require "mcp.fields"
local luals = require "mcp.luals"
local luals_enum = require "mcp.luals_enum"
local type_ = require "mcp.type"
local where = require "mcp.where"

local M = {}

---@class mcp.TypeScope
---@field chunks string[]                sources that are looked at first
---@field all? string[]                  every source, once it was needed
---@field busy table<string, boolean>    named types that are being made
---@field refers table<string, boolean>  those that contain themselves
---@field made table<string, mcp.Type>
---@field defs table<string, mcp.Type>   for `$defs`

--- A scope for the comments of one declaration.
---@param chunks string[]
---@return mcp.TypeScope
function M.scope(chunks)
  return { chunks = chunks, busy = {}, refers = {}, made = {}, defs = {} }
end

local SIMPLE = {
  string = "string",
  number = "number",
  integer = "integer",
  boolean = "boolean",
}
local ANY = { any = true, unknown = true }
local NEVER = {
  ["function"] = true,
  fun = true,
  thread = true,
  userdata = true,
  lightuserdata = true,
}

--- The chunk names of the modules that are loaded by now.
local function all_chunks()
  local chunks = {}
  for _, name in ipairs(fields.sorted_keys(package.loaded)) do
    local path = type(name) == "string" and package.searchpath(name, package.path)
    chunks[#chunks + 1] = path and "@" .. path or nil
  end
  return chunks
end

--- The named type, or nil.
---@return mcp.Named?
local function find(scope, name)
  for _, chunk in ipairs(scope.chunks) do
    local entry = luals.names(chunk)[name]
    if entry then
      return luals.read(entry)
    end
  end
  scope.all = scope.all or all_chunks()
  for _, chunk in ipairs(scope.all) do
    local entry = luals.names(chunk)[name]
    if entry then
      return luals.read(entry)
    end
  end
end

local function refuse_unknown(scope, name, at)
  local known = { "any", "boolean", "integer", "nil", "number", "string", "table" }
  for _, chunk in ipairs(scope.chunks) do
    for _, other in ipairs(fields.sorted_keys(luals.names(chunk))) do
      known[#known + 1] = other
    end
  end
  at:fail("unknown type %q%s", name, where.hint(name, known))
end

local convert

--- Is a table with keys of this type a list?
local function is_index(node)
  if node.kind == "literal" then
    return type(node.value) == "number"
  end
  return node.kind == "name" and (node.name == "integer" or node.name == "number")
end

--- A list or a map, by the type of its keys.
local function keyed(scope, key, value, at)
  local t = convert(scope, value, at)
  local out
  if is_index(key) then
    out = type_.new("array", { type = "array" })
    out.items = t
  else
    out = type_.new("map", { type = "object" })
    out.values = t
  end
  return out
end

local function map(values)
  local t = type_.new("map", { type = "object" })
  t.values = values
  return t
end

--- A field from a parameter, a class's field or a member of a table type.
---@param typed mcp.Typed
---@return mcp.Field
local function field(scope, typed)
  local t, nullable = type_.new("any"), false
  if typed.node then
    t, nullable = convert(scope, typed.node, typed.at)
  end
  if typed.description then
    t = type_.with_keyword(t, "description", typed.description)
  end
  if typed.optional or nullable then
    t = type_.with(t, { optional = true })
  end
  return { typed.name, t }
end
M.field = field

local function table_type(scope, node, at)
  if #node.fields == 0 and #node.keys == 0 then
    return map()
  elseif #node.keys > 1 then
    at:fail("a table type may have one [key]: type")
  elseif #node.fields == 0 then
    return keyed(scope, node.keys[1].key, node.keys[1].type, at)
  end
  local list, seen = {}, {}
  for i, member in ipairs(node.fields) do
    if seen[member.name] then
      at:fail("the field %q is there twice", member.name)
    end
    seen[member.name] = true
    list[i] = field(scope, {
      name = member.name,
      optional = member.optional,
      node = member.type,
      at = at,
    })
  end
  local t = type_.object(list)
  t.values = node.keys[1] and convert(scope, node.keys[1].type, at)
  return t
end

--- Adds the fields of a class and of its parents to `list`; a later one replaces an
--- earlier one of its name.
local function collect_fields(scope, class, list, places)
  for _, parent in ipairs(class.parents) do
    local named = parent.kind == "name" and find(scope, parent.name)
    if named and named.kind == "class" then
      if scope.busy["parents of " .. named.name] then
        class.at:fail("%s is its own parent", class.name)
      end
      scope.busy["parents of " .. named.name] = true
      collect_fields(scope, named, list, places)
      scope.busy["parents of " .. named.name] = nil
    elseif not (parent.kind == "name" and (parent.name == "table" or parent.name == "any")) then
      class.at:fail("%s: a parent must be a class", class.name)
    end
  end
  for _, typed in ipairs(class.fields) do
    local place = places[typed.name] or #list + 1
    places[typed.name] = place
    list[place] = field(scope, typed)
  end
end

local function class_type(scope, class)
  local list = {}
  collect_fields(scope, class, list, {})
  local key = class.keys[1]
  local t
  if #list == 0 and not key then
    t = map()
  elseif #list == 0 then
    t = keyed(scope, key.key, key.node, key.at)
  else
    t = type_.object(list)
    t.values = key and convert(scope, key.node, key.at)
  end
  if class.description then
    t = type_.with_keyword(t, "description", class.description)
  end
  return t
end

--- A pointer to `$defs`. Bytes that a URI cannot have are escaped.
local function reference(name)
  local escaped = name:gsub("[\128-\255]", function(c)
    return ("%%%02X"):format(c:byte())
  end)
  return type_.new("ref", { ["$ref"] = "#/$defs/" .. escaped })
end

--- The class or alias `named`, made once.
local function named_type(scope, named)
  local name = named.name
  if scope.busy[name] then
    scope.refers[name] = true
    return reference(name)
  elseif not scope.made[name] then
    scope.busy[name] = true
    local t = named.kind == "class" and class_type(scope, named)
      or convert(scope, named.node, named.at)
    scope.busy[name] = nil
    if scope.refers[name] then
      scope.defs[name], t = t, reference(name)
    end
    scope.made[name] = t
  end
  return scope.made[name]
end

--- A name that no rule above knows, without arguments.
local function name_type(scope, node, at)
  local name = node.name
  if SIMPLE[name] then
    return type_.new(name, { type = SIMPLE[name] })
  elseif ANY[name] then
    return type_.new("any")
  elseif name == "table" then
    return map()
  elseif NEVER[name] then
    at:fail("JSON cannot carry a %s", name == "fun" and "function" or name)
  elseif name:find("^mcp%.") then
    return type_.new("opaque")
  end
  local named = find(scope, name)
  if not named then
    refuse_unknown(scope, name, at)
  end
  return named_type(scope, named)
end

--- A node that is no union, literal or nil.
local function plain_type(scope, node, at)
  if node.kind == "array" then
    local t = type_.new("array", { type = "array" })
    t.items = convert(scope, node.of, at)
    return t
  elseif node.kind == "table" then
    return table_type(scope, node, at)
  elseif node.kind == "function" then
    at:fail("JSON cannot carry a function")
  elseif node.kind == "tuple" then
    local count = #node.list
    local t = type_.new("array", { type = "array", minItems = count, maxItems = count })
    t.prefix = {}
    for i, inner in ipairs(node.list) do
      t.prefix[i] = convert(scope, inner, at)
    end
    return t
  elseif not node.arguments then
    return name_type(scope, node, at)
  elseif node.name == "table" and #node.arguments == 2 then
    return keyed(scope, node.arguments[1], node.arguments[2], at)
  end
  at:fail("%s<...> is not known; write T[], table<string, T> or a class", node.name)
end

--- Does the node consist of names, literals and unions of them?
local function is_flat(node)
  if node.kind == "union" then
    for _, inner in ipairs(node.list) do
      if not is_flat(inner) then
        return false
      end
    end
    return true
  elseif node.kind == "optional" then
    return is_flat(node.of)
  end
  return node.kind == "literal" or node.kind == "name" and not node.arguments
end

---@class mcp.Branches
---@field nullable boolean
---@field values any[]          of literals and enums
---@field nodes mcp.TypeNode[]  all else
---@field aliases table<string, boolean>

--- Spreads a union, also through aliases that are unions themselves.
---@param out mcp.Branches
local function spread(scope, node, at, out)
  if node.kind == "union" then
    for _, inner in ipairs(node.list) do
      spread(scope, inner, at, out)
    end
  elseif node.kind == "optional" then
    out.nullable = true
    spread(scope, node.of, at, out)
  elseif node.kind == "literal" then
    out.values[#out.values + 1] = node.value
  elseif node.kind == "name" and node.name == "nil" then
    out.nullable = true
  else
    local plain = node.kind ~= "name" or SIMPLE[node.name] or ANY[node.name]
      or NEVER[node.name] or node.arguments or node.name == "table"
    local named = not plain and find(scope, node.name)
    if named and named.kind == "enum" then
      for _, value in ipairs(luals_enum.values(named)) do
        out.values[#out.values + 1] = value
      end
    elseif named and named.kind == "alias" and is_flat(named.node) then
      if out.aliases[named.name] then
        at:fail("the alias %s stands for itself", named.name)
      end
      out.aliases[named.name] = true
      spread(scope, named.node, named.at, out)
      out.aliases[named.name] = nil
    else
      out.nodes[#out.nodes + 1] = node
    end
  end
end

--- The values that no type of the union contains already, each once.
local function own_values(out, kinds)
  local kept, seen = {}, {}
  for _, value in ipairs(out.values) do
    local kind = type(value)
    local covered = kinds[kind] or kind == "number" and kinds.integer
      and value == math.floor(value)
    if not covered and not seen[value] then
      seen[value] = true
      kept[#kept + 1] = value
    end
  end
  return kept
end

--- The types of a union.
local function branches_of(scope, out, at)
  local list, kinds = {}, {}
  for _, node in ipairs(out.nodes) do
    local t = plain_type(scope, node, at)
    if t.kind == "any" then
      return { t }
    elseif not (SIMPLE[t.kind] and kinds[t.kind]) then
      list[#list + 1] = t
    end
    kinds[t.kind] = true
  end
  if kinds.number and kinds.integer then
    for i = #list, 1, -1 do
      if list[i].kind == "integer" then
        table.remove(list, i)
      end
    end
  end
  local values = own_values(out, kinds)
  if #values > 0 then
    table.insert(list, 1, type_.enum(values))
  end
  return list
end

--- The type of a node.
---@param scope mcp.TypeScope
---@param node mcp.TypeNode
---@param at mcp.Place
---@return mcp.Type t        a null type when the node is only nil
---@return boolean nullable  nil is among its types
function convert(scope, node, at)
  local out = { nullable = false, values = {}, nodes = {}, aliases = {} }
  spread(scope, node, at, out)
  local list = branches_of(scope, out, at)
  if #list == 0 then
    return type_.new("null", { type = "null" }), out.nullable
  elseif #list == 1 then
    return list[1], out.nullable
  end
  local t = type_.new("union")
  t.any_of = list
  return t, out.nullable
end

M.convert = convert

return M
