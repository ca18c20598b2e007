--- mcp.route_path: the path of a route, read.
---
---     "/items/{item_id:int}/inspect"
---     { { kind = "literal", text = "items" }, { kind = "int", text = "item_id" }, ... }

local fields = require "mcp.fields"
local where = require "mcp.where"

local M = {}

--- The types that an argument in a path may have, as JSON Schema says them.
M.TYPES = {
  str = { type = "string" },
  int = { type = "integer" },
  number = { type = "number" },
  path = { type = "string" },
  uuid = { type = "string", format = "uuid" },
}

--- What a literal segment may be made of: what needs no percent-encoding there.
local LITERAL = "^[%w%-%._~!$&'()*+,;=:@\128-\255]+$"

---@class mcp.PathPart
---@field kind "literal"|"str"|"int"|"number"|"path"|"uuid"
---@field text string  the literal, else the argument's name

---@class mcp.Path
---@field text string          with the prefixes of groups
---@field parts mcp.PathPart[]
---@field arguments mcp.PathPart[]  those that are no literals
---@field name? string         its last literal segment, without the prefixes

local function read_argument(at, segment)
  local name, kind = segment:match "^{([^:{}]*):?([^{}]*)}$"
  if not name then
    at:fail("an argument is a whole segment like {item_id:int}, got %q", segment)
  elseif not name:find "^[%a_][%w_]*$" then
    at:fail("%q: the name of an argument must be one that a parameter can have", segment)
  elseif kind == "" and segment:find(":", 1, true) then
    at:fail("%q has no type behind the colon", segment)
  end
  kind = kind == "" and "str" or kind
  if not M.TYPES[kind] then
    at:fail("%q: the type must be str, int, number, path or uuid, got %q%s", segment, kind,
      where.hint(kind, fields.sorted_keys(M.TYPES)))
  end
  return { kind = kind, text = name }
end

local function read_segment(at, segment)
  if segment:find "[{}]" then
    return read_argument(at, segment)
  elseif segment == "." or segment == ".." or not segment:find(LITERAL) then
    at:fail("%q cannot be a segment of a path", segment)
  elseif segment:find "^:[%a_][%w_]*$" then
    at:fail("%q is no argument; write %q", segment, "{" .. segment:sub(2) .. "}")
  end
  return { kind = "literal", text = segment }
end

local function read_segments(at, path, parts)
  for segment in path:gmatch "[^/]+" do
    parts[#parts + 1] = read_segment(at, segment)
  end
  return parts
end

--- Reads `path`, below the prefixes of `scope`.
---@param at mcp.Place
---@param path any
---@param scope mcp.Scope  around the route
---@return mcp.Path
function M.read(at, path, scope)
  if type(path) ~= "string" or path:sub(1, 1) ~= "/" then
    at:fail('the path must be a string like "/items/{item_id:int}", got %s', fields.told(path))
  elseif path:find "//" or #path > 1 and path:sub(-1) == "/" then
    at:fail("the path %q has an empty segment", path)
  end
  local out = { parts = {}, arguments = {} }
  local prefix = scope:path_prefix()
  read_segments(at, prefix, out.parts)
  for _, part in ipairs(read_segments(at, path, {})) do
    out.parts[#out.parts + 1] = part
    out.name = part.kind == "literal" and part.text or out.name
  end
  local seen = {}
  for _, part in ipairs(out.parts) do
    if part.kind ~= "literal" and seen[part.text] then
      at:fail("the path has two arguments %q", part.text)
    elseif part.kind ~= "literal" then
      seen[part.text] = true
      out.arguments[#out.arguments + 1] = part
    end
  end
  out.text = prefix .. (path == "/" and prefix ~= "" and "" or path)
  return out
end

return M
