--- mcp.describe: what the host and the clients learn of a tool or a route.
---
--- Needed in the first load only: a follow load gives names and handlers.

local annotations = require "mcp.annotations"
local comment = require "mcp.comment"
local core = require "mcp.core"
local fields = require "mcp.fields"
local item = require "mcp.item"
local schema = require "mcp.schema"
local tasks = require "mcp.tasks"
local type_ = require "mcp.type"
local type_fields = require "mcp.type_fields"

--- May callers send arguments that are not declared?
local function is_open(at, decl)
  local own = fields.word(at, decl, "extra_arguments", { "allow", "forbid" })
  if own then
    return own == "allow"
  end
  return core.extra_arguments()
end

--- The schema that the author wrote out: the raw table as JSON text, or the file.
--- Neither: false.
local function written_schema(at, decl, side, out)
  local key = side .. "_schema"
  local raw, file = fields.table(at, decl, key), fields.string(at, decl, key .. "_file")
  if raw and file then
    at:fail("%s and %s_file are both given; one of them is the schema", key, key)
  elseif raw then
    out[key] = side == "input" and schema.raw_input(at, raw) or schema.encode(at, key, raw)
  elseif file then
    out[key .. "_file"] = file
  end
  return raw or file
end

--- The field `input` or `output` as a type, or nil. A table stands for an object.
local function declared_type(at, decl, side, parameters)
  local given = fields.table(at, decl, side)
  if given == nil or type_.is(given) then
    return given
  end
  local own, options = type_fields.read(at, given, side, parameters)
  local key = fields.sorted_keys(options)[1]
  if key ~= nil then
    type_fields.need_type(at, options[key], ("%s.%s"):format(side, tostring(key)))
  end
  return type_.object(own)
end

--- Raw schema or file, else `input`, else the comment, else the bare names.
local function input_schema(at, decl, block, out, wired, route)
  local open, defs = is_open(at, decl), nil
  local t = declared_type(at, decl, "input", out.binds)
  if written_schema(at, decl, "input", out) then
    for name in pairs(decl.input_schema and decl.input_schema.properties or {}) do
      wired:check_argument(at, name)
    end
    return
  elseif t and t.keywords.type ~= "object" then
    at:fail("input must be a table of arguments or t.object { ... }, got t.%s", t.kind)
  elseif not t and comment.has_types(block) then
    t, defs = require("mcp.signature").input(at, block, out.binds, wired.providers)
  end
  if route then
    t = require "mcp.route_input"(at, route, t, defs, out)
  end
  for _, field in ipairs(t and t.fields or {}) do
    wired:check_argument(at, field[1])
  end
  if not t then
    local any
    t, any = schema.bare(out.binds)
    open = open or any
  end
  out.input = t
  out.input_schema = schema.of_type(at, "input", t, open, defs)
  out.converts = type_.converts(t)
end

--- Raw schema or file, else `output`, else the comment.
local function output_schema(at, decl, block, out)
  local t, defs = declared_type(at, decl, "output"), nil
  if written_schema(at, decl, "output", out) then
    return
  elseif not t and comment.has_types(block) then
    t, defs = require("mcp.signature").output(at, block)
  end
  if t then
    for _, convert in ipairs(type_.converts(t)) do
      if convert.kind == "bytes" then
        at:fail("t.bytes is for arguments; return mcp.embedded { blob = ... }")
      end
    end
    out.output_schema = schema.of_type(at, "output", t, false, defs)
  end
end

--- Adds to `out`, which has name, handler and binds, all else that the host keeps.
---@param at mcp.Place
---@param decl mcp.Tool
---@param out table
---@param wired mcp.Wired
---@param route? mcp.Route  that the tool is, or that is described itself
return function(at, decl, out, wired, route)
  local block = comment.find(at, decl.handler)
  item.common(at, decl, block, out)
  if wired.kind == "tool" then
    out.annotations = annotations.of_tool(at, decl, route)
    tasks.describe(at, decl, out)
  end
  out.assert_format = fields.boolean(at, decl, "assert_format")
  input_schema(at, decl, block, out, wired, route)
  output_schema(at, decl, block, out)
end
