--- mcp.types: types of arguments and results, written in Lua.
---
---     local t = mcp.types
---     input = { { "city", t.string { min_length = 1 } }, { "days", t.optional(t.integer()) } }
---
--- Positional values are the content, keys are options: t.array { t.string(),
--- min_items = 1 }. In t.object a value that is a type is a field whatever its key.
--- A wrong option is refused where it stands, with the nearest name.
---
--- Source: JSON Schema 2020-12, validation.

local core = require "mcp.core"
local fields = require "mcp.fields"
local names = require "mcp.names"
local type_ = require "mcp.type"
local type_fields = require "mcp.type_fields"
local where = require "mcp.where"

local M = {}

--- Option -> { JSON Schema keyword, kind of its value }.
local OPTIONS = {
  description = { "description", "string" },
  title = { "title", "string" },
  examples = { "examples", "list" },
  min = { "minimum", "number" },
  max = { "maximum", "number" },
  gt = { "exclusiveMinimum", "number" },
  lt = { "exclusiveMaximum", "number" },
  multiple_of = { "multipleOf", "positive" },
  min_length = { "minLength", "count" },
  max_length = { "maxLength", "count" },
  pattern = { "pattern", "string" },
  format = { "format", "string" },
  min_items = { "minItems", "count" },
  max_items = { "maxItems", "count" },
  unique = { "uniqueItems", "boolean" },
  header = { "x-mcp-header", "string" },
}

local COMMON = "description title examples default meta"
local NUMBERS = COMMON .. " min max gt lt multiple_of"

local CHECKS = {
  string = function(value) return type(value) == "string", "a string" end,
  boolean = function(value) return type(value) == "boolean", "a boolean" end,
  number = function(value)
    return type(value) == "number" and value - value == 0, "a number"
  end,
  positive = function(value)
    return type(value) == "number" and value > 0 and value < math.huge, "a number above 0"
  end,
  count = function(value)
    local right = type(value) == "number" and value >= 0 and value == math.floor(value)
    return right and value < 2 ^ 53, "a whole number from 0 up"
  end,
  list = function(value)
    return type(value) == "table" and fields.is_list(value), "a list"
  end,
}

--- Does a default fit the type? Only what the Lua type tells.
local DEFAULTS = {
  string = CHECKS.string,
  number = CHECKS.number,
  integer = function(value)
    return type(value) == "number" and value == math.floor(value), "a whole number"
  end,
  boolean = CHECKS.boolean,
  array = CHECKS.list,
  object = function(value) return type(value) == "table", "a table" end,
}
DEFAULTS.map = DEFAULTS.object
DEFAULTS.int64 = function(value)
  return type(value) == "cdata" or DEFAULTS.integer(value), "a whole number"
end

local function copy_of(list)
  local copy = {}
  for key, value in pairs(list) do
    copy[key] = value
  end
  return copy
end

local function set_default(at, t, value)
  local check = DEFAULTS[t.kind]
  if core.is_null(value) then
    return type_.with(t, { default = value })
  elseif t.kind == "enum" then
    local found = false
    for _, known in ipairs(t.keywords.enum) do
      found = found or known == value
    end
    if not found then
      at:fail("default %s is not one of the values", fields.told(value))
    end
  elseif check then
    local right, wanted = check(value)
    if not right then
      at:fail("default must be %s, got %s", wanted, fields.told(value))
    end
  end
  if t.kind == "array" then
    value = core.array(copy_of(value))
  elseif t.kind == "object" or t.kind == "map" then
    value = core.object(copy_of(value))
  end
  return type_.with(t, { default = value })
end

--- `meta`: further keywords, as they are.
local function add_meta(at, keywords, meta)
  if type(meta) ~= "table" then
    at:fail("meta must be a table of keywords, got %s", fields.told(meta))
  end
  for keyword, value in pairs(meta) do
    if type(keyword) ~= "string" then
      at:fail("meta must be a table with names as keys")
    elseif keywords[keyword] ~= nil then
      at:fail("meta: %q is already there", keyword)
    end
    keywords[keyword] = value
  end
end

local function allowed_options(allowed)
  local known = {}
  for name in allowed:gmatch("%S+") do
    known[name] = true
  end
  return known
end

--- `t` with the options of the author's table; `allowed` names those it may have.
local function apply(at, t, options, allowed)
  local known = allowed_options(allowed)
  local keywords = copy_of(t.keywords)
  for _, name in ipairs(fields.sorted_keys(options)) do
    local value, option = options[name], OPTIONS[name]
    if not known[name] then
      local hint = where.choices(name, fields.sorted_keys(known))
      at:fail("unknown option %s%s", fields.told(name), hint)
    elseif option then
      local right, wanted = CHECKS[option[2]](value)
      if not right then
        at:fail("%s must be %s, got %s", name, wanted, fields.told(value))
      end
      keywords[option[1]] = option[2] == "list" and core.array(copy_of(value)) or value
    end
  end
  if options.meta ~= nil then
    add_meta(at, keywords, options.meta)
  end
  t = type_.with(t, { keywords = keywords })
  if options.default ~= nil then
    t = set_default(at, t, options.default)
  end
  return t
end

--- The author's table in two: positional values and options.
local function split(at, given)
  local content, options = {}, {}
  if given == nil then
    return content, options
  elseif type(given) ~= "table" or type_.is(given) then
    at:fail("options go into a table: t.kind { ... }, got %s",
      type_.is(given) and "a type" or fields.told(given))
  end
  for key, value in pairs(given) do
    if type(key) == "number" then
      content[key] = value
    else
      options[key] = value
    end
  end
  if not fields.is_list(content) then
    at:fail("there is a nil among the values")
  end
  return content, options
end

--- A kind without content: t.NAME { options }.
---@param convert? "int64"|"bytes"
local function scalar(name, kind, keywords, allowed, convert)
  M[name] = function(given)
    local at = where.here("mcp.types." .. name)
    local content, options = split(at, given)
    if #content > 0 then
      at:fail("takes options only, but there is a value at [1]")
    end
    local t = apply(at, type_.new(kind, keywords), options, allowed)
    t.convert = convert
    return t
  end
end

scalar("string", "string", { type = "string" },
  COMMON .. " min_length max_length pattern format header")
scalar("number", "number", { type = "number" }, NUMBERS)
scalar("integer", "integer", { type = "integer" }, NUMBERS .. " header")
scalar("int64", "int64", { type = "integer", format = "int64" }, NUMBERS .. " header", "int64")
scalar("bytes", "string", { type = "string", contentEncoding = "base64" }, COMMON, "bytes")
scalar("boolean", "boolean", { type = "boolean" }, COMMON .. " header")
scalar("null", "null", { type = "null" }, COMMON)
scalar("any", "any", {}, COMMON)
for name, format in pairs {
  datetime = "date-time",
  date = "date",
  time = "time",
  uri = "uri",
  email = "email",
  uuid = "uuid",
} do
  scalar(name, "string", { type = "string", format = format },
    COMMON .. " min_length max_length pattern header")
end

--- t.array { type, options }
function M.array(given)
  local at = where.here "mcp.types.array"
  local content, options = split(at, given)
  local t = type_.new("array", { type = "array" })
  if #content > 1 then
    at:fail("takes one type; for several write t.union { ... }")
  elseif #content == 1 then
    t.items = type_fields.need_type(at, content[1], "the content")
  end
  return apply(at, t, options, COMMON .. " min_items max_items unique")
end

--- t.map { type, options }: any names, each with a value of that type.
function M.map(given)
  local at = where.here "mcp.types.map"
  local content, options = split(at, given)
  local t = type_.new("map", { type = "object" })
  if #content > 1 then
    at:fail("takes one type; for several write t.union { ... }")
  elseif #content == 1 then
    t.values = type_fields.need_type(at, content[1], "the content")
  end
  return apply(at, t, options, COMMON)
end

--- t.union { a, b, options }
function M.union(given)
  local at = where.here "mcp.types.union"
  local content, options = split(at, given)
  if #content < 2 then
    at:fail("takes two types or more")
  end
  for i, branch in ipairs(content) do
    type_fields.need_type(at, branch, ("[%d]"):format(i))
  end
  local t = type_.new("union")
  t.any_of = content
  return apply(at, t, options, COMMON)
end

local function check_scalar(at, value, what)
  local kind = type(value)
  if kind ~= "string" and kind ~= "number" and kind ~= "boolean" and not core.is_null(value) then
    at:fail("%s must be a string, number or boolean, got %s", what, fields.told(value))
  end
end

--- t.enum { "a", "b", options }
function M.enum(given)
  local at = where.here "mcp.types.enum"
  local content, options = split(at, given)
  if #content == 0 then
    at:fail("needs its values: t.enum { \"a\", \"b\" }")
  end
  local seen = {}
  for i, value in ipairs(content) do
    check_scalar(at, value, ("[%d]"):format(i))
    if seen[value] then
      at:fail("%s is there twice", fields.told(value))
    end
    seen[value] = true
  end
  return apply(at, type_.enum(content), options, COMMON .. " header")
end

--- t.const { value, options }
function M.const(given)
  local at = where.here "mcp.types.const"
  local content, options = split(at, given)
  if #content ~= 1 then
    at:fail("takes one value: t.const { \"a\" }")
  end
  local value = content[1]
  local kind = type(value)
  if kind == "number" and value == math.floor(value) then
    kind = "integer"
  elseif kind == "table" then
    kind = fields.is_list(value) and #value > 0 and "array" or "object"
  end
  local known = kind == "string" or kind == "number" or kind == "integer" or kind == "boolean"
  local keywords = { type = (known or type(value) == "table") and kind or nil, const = value }
  return apply(at, type_.new("const", keywords), options, COMMON .. " header")
end

--- t.object { name = type, ..., options } or t.object { { "name", type }, ..., options }
function M.object(given)
  local at = where.here "mcp.types.object"
  if given == nil then
    given = {}
  elseif type(given) ~= "table" or type_.is(given) then
    at:fail("fields go into a table: t.object { name = t.string() }")
  end
  local own, options = type_fields.read(at, given, "fields")
  local known = allowed_options(COMMON)
  for _, key in ipairs(fields.sorted_keys(options)) do
    if not known[key] then
      type_fields.need_type(at, options[key], ("fields.%s"):format(tostring(key)))
    end
  end
  return apply(at, type_.object(own), options, COMMON)
end

--- t.optional(type): a field that may be absent.
function M.optional(given)
  local at = where.here "mcp.types.optional"
  if not type_.is(given) and type(given) == "table" and #given == 1 then
    given = given[1]
  end
  return type_.with(type_fields.need_type(at, given, "the content"), { optional = true })
end

return names.seal(M, "mcp.types", {})
