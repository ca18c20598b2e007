--- mcp.annotations: the annotations of a tool, from all that declares some.
---
--- Later ones win, key by key:
---
---     what the verb of its route implies   (infer_http_method_annotations)
---     annotations = { ... }                of the tool
---     mcp_annotations = { ... }            of its route
---     read_only = boolean                  of the tool
---     mcp_read_only = boolean              of its route
---     scopes = { ... }                     when there are none by now
---
--- Source: MCP 2026-07-28, server/tools, data type "ToolAnnotations".

local core = require "mcp.core"
local fields = require "mcp.fields"
local item = require "mcp.item"

local M = {}

local HINTS = {
  title = "string",
  readOnlyHint = "boolean",
  destructiveHint = "boolean",
  idempotentHint = "boolean",
  openWorldHint = "boolean",
}

local function hints(read_only, destructive, idempotent)
  return {
    readOnlyHint = read_only,
    destructiveHint = destructive,
    idempotentHint = idempotent,
  }
end

--- RFC 9110, section 9.2: which methods are safe, and which idempotent.
local BY_VERB = {
  GET = hints(true, false, true),
  HEAD = hints(true, false, true),
  OPTIONS = hints(true, false, true),
  POST = hints(false, false, false),
  PUT = hints(false, false, true),
  PATCH = hints(false, false, false),
  DELETE = hints(false, true, true),
}

--- Adds the table in field `key` of `decl`.
local function add(at, out, decl, key)
  for name, value in pairs(fields.table(at, decl, key) or {}) do
    local kind = HINTS[name]
    if type(name) ~= "string" then
      at:fail("%s must be a table with names as keys", key)
    elseif kind and type(value) ~= kind then
      at:fail("%s.%s must be a %s, got %s", key, name, kind, fields.told(value))
    end
    out[name] = value
  end
end

local function add_read_only(at, out, decl, key)
  local read_only = fields.boolean(at, decl, key)
  if read_only ~= nil then
    out.readOnlyHint = read_only
  end
end

--- The field `scopes` as out.scopes, unless that is there.
---@param at mcp.Place
---@param decl table
---@param out table
function M.fill(at, decl, out)
  local scopes = fields.strings(at, decl, "scopes")
  if scopes and out.scopes == nil then
    out.scopes = core.array { unpack(scopes) }
  end
end

--- Those of a tool as JSON text; nil: none.
---@param at mcp.Place
---@param decl mcp.Tool
---@param route? mcp.Route
---@return string?
function M.of_tool(at, decl, route)
  local out = {}
  if route and core.infer_annotations() then
    add(at, out, BY_VERB, route.method)
  end
  add(at, out, decl, "annotations")
  if route then
    add(at, out, route.options, "mcp_annotations")
  end
  add_read_only(at, out, decl, "read_only")
  if route then
    add_read_only(at, out, route.options, "mcp_read_only")
  end
  M.fill(at, decl, out)
  return item.json_object(at, "annotations", out)
end

return M
