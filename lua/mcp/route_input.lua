--- mcp.route_input: what the arguments of a route are.
---
--- To what its author declared come the arguments of its path. A parameter `data`
--- of type t.object is the body of the request: its fields are arguments like all
--- others, and the host makes the one table of them (field `outside`: those that
--- are not in it).

local route_path = require "mcp.route_path"
local type_ = require "mcp.type"

--- How messages call the type of a field.
local function type_name(t)
  local name = t.keywords.type
  return type(name) == "string" and name or t.kind
end

--- Does what the author declares for `part` agree with the path? An integer is a
--- number, too.
local function agrees(part, t)
  local wanted, got = route_path.TYPES[part.kind].type, type_name(t)
  return got == wanted or got == "any" or wanted == "integer" and got == "number"
end

local function check_part(at, part, t)
  if not agrees(part, t) then
    at:fail("argument %q is of type %s in the path, and of type %s below", part.text, part.kind,
      type_name(t))
  elseif t.optional or t.default ~= nil then
    at:fail("argument %q is in the path, so it cannot be absent", part.text)
  end
end

local function find(list, name)
  for _, field in ipairs(list) do
    if field[1] == name then
      return field[2]
    end
  end
end

local function path_type(part)
  local keywords = {}
  for key, value in pairs(route_path.TYPES[part.kind]) do
    keywords[key] = value
  end
  return type_.new(part.kind, keywords)
end

--- The arguments of the path, then the others.
local function with_path(at, route, list)
  local out = {}
  for _, part in ipairs(route.path.arguments) do
    local own = find(list, part.text)
    if own then
      check_part(at, part, own)
    else
      out[#out + 1] = { part.text, path_type(part) }
    end
  end
  for _, field in ipairs(list) do
    local name, t = field[1], field[2]
    for _, part in ipairs(route.path.arguments) do
      if part.text == name and t.kind == "any" then
        t = path_type(part)
      end
    end
    out[#out + 1] = { name, t }
  end
  return out
end

--- The fields of `data`; nil: it is no object.
local function data_fields(t, defs)
  local name = t and t.kind == "ref" and tostring(t.keywords["$ref"]):match "^#/%$defs/(.*)$"
  local meant = name and defs and defs[name] or t
  return meant and meant.kind == "object" and meant.fields or nil
end

--- `list` with the fields of `data` in its place.
local function expand(at, list, own, out)
  local expanded, seen = {}, {}
  local function add(field)
    if seen[field[1]] then
      at:fail("argument %q is there twice: beside data and in it", field[1])
    end
    expanded[#expanded + 1], seen[field[1]] = field, true
  end
  out.outside = {}
  for _, field in ipairs(list) do
    if field[1] ~= "data" then
      out.outside[#out.outside + 1] = field[1]
      add(field)
    end
    for _, inner in ipairs(field[1] == "data" and own or {}) do
      if inner[1] == "data" then
        at:fail('data has a field "data", which would be taken for the body itself')
      end
      add(inner)
    end
  end
  return expanded
end

--- The arguments of the route or of what is made of it, as an object; nil: only its
--- parameters tell. Sets out.outside.
---@param at mcp.Place
---@param route mcp.Route
---@param t? mcp.Type  as declared
---@param defs? table<string, mcp.Type>
---@param out table
---@return mcp.Type?
return function(at, route, t, defs, out)
  if t and not t.fields or not t and #route.path.arguments == 0 then
    return t
  end
  local list = with_path(at, route, t and t.fields or {})
  local data = find(list, "data")
  local own = data_fields(data, defs)
  if own and not route.has_body then
    at:fail("data is the body of a request, and %s requests have none", route.method)
  elseif own and (data.optional or data.default ~= nil) then
    at:fail("data is the body, which cannot be optional; make its fields optional")
  elseif own then
    list = expand(at, list, own, out)
  end
  return type_.with(t or type_.object {}, { fields = list })
end
