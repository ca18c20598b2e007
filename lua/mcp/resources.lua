--- mcp.resources: what mcp.resource and routes do with one resource.
---
--- Source: MCP 2026-07-28, server/resources, data type "Resource".

local comment = require "mcp.comment"
local complete = require "mcp.complete"
local core = require "mcp.core"
local fields = require "mcp.fields"
local item = require "mcp.item"
local pipeline = require "mcp.pipeline"
local scopes = require "mcp.annotations"

local M = {}

local KNOWN = {
  uri = true,
  uri_template = true,
  name = true,
  title = true,
  description = true,
  summary = true,
  when_to_use = true,
  returns = true,
  instructions = true,
  tags = true,
  icons = true,
  meta = true,
  mime_type = true,
  size = true,
  annotations = true,
  scopes = true,
  cache = true,
  complete = true,
  timeout = true,
  guards = true,
  dependencies = true,
  text = true,
  blob = true,
  file = true,
  json = true,
  handler = true,
}

local CONTENTS = { "text", "blob", "file", "json", "handler" }

--- Which of the fields gives the content.
local function content_field(at, decl)
  local found
  for _, name in ipairs(CONTENTS) do
    if decl[name] ~= nil then
      if found then
        at:fail("%s and %s are both given; one of them is the content", found, name)
      end
      found = name
    end
  end
  if not found then
    at:fail("the content is missing: one of text, blob, file, json, handler")
  elseif decl.uri_template ~= nil and found ~= "handler" then
    at:fail("uri_template needs a handler, which gets the variables; %s is for one uri", found)
  end
  return found
end

--- The content, for the host.
local function add_content(at, decl, field, out, wired)
  local is_guarded = wired.guards[1] ~= nil
  if field == "handler" then
    out.handler, out.binds = decl.handler, wired.own
    return
  elseif field == "file" and not is_guarded then
    out.content_file = fields.string(at, decl, "file")
    return
  elseif field == "file" then
    local bytes, is_text, mime_type = core.read_content(fields.string(at, decl, "file"))
    if not bytes then
      at:fail("%s", is_text)
    end
    out.content, out.is_blob, out.mime_type = bytes, not is_text, mime_type
  elseif field == "json" then
    local is_needed = is_guarded or not core.following()
    out.content = is_needed and item.json(at, "json", decl.json) or ""
    out.mime_type = "application/json"
  elseif type(decl[field]) ~= "string" then
    at:fail("%s must be a string, got %s", field, fields.told(decl[field]))
  else
    out.content, out.is_blob = decl[field], field == "blob"
  end
  if is_guarded then
    local content, is_blob = out.content, out.is_blob
    out.handler = function()
      return is_blob and core.blob(content) or content
    end
    out.binds, out.content, out.is_blob = {}, nil, nil
  end
end

--- The last part of the URI that has no variables; else its scheme.
local function name_of(uri)
  local scheme, rest = uri:match("^([^:]*):(.*)$")
  if not scheme then
    return uri
  end
  rest = rest:gsub("{[?&#][^}]*}", ""):gsub("[?#].*$", "")
  local name
  for part in rest:gmatch("[^/]+") do
    if not part:find("[{}]") then
      name = part
    end
  end
  return name or scheme
end

--- Who it is for, as a list; one string stands for a list of one.
local function audience(at, given)
  local key = "annotations.audience"
  local list = fields.strings(at, { [key] = given }, key)
  local out = {}
  for i, who in ipairs(list or out) do
    if who ~= "user" and who ~= "assistant" then
      at:fail('%s[%d] must be "user" or "assistant", got %s', key, i, fields.told(who))
    end
    out[i] = who
  end
  return list and core.array(out)
end

--- `annotations` as JSON text: audience, priority, lastModified, and what else is
--- there.
local function annotations(at, decl)
  local out = {}
  for key, value in pairs(fields.table(at, decl, "annotations") or {}) do
    if type(key) ~= "string" then
      at:fail("annotations must be a table with names as keys")
    end
    out[key] = value
  end
  out.audience = audience(at, out.audience)
  scopes.fill(at, decl, out)
  local priority = out.priority
  if priority ~= nil and (type(priority) ~= "number" or not (priority >= 0 and priority <= 1)) then
    at:fail("annotations.priority must be a number from 0 to 1, got %s", fields.told(priority))
  elseif out.lastModified ~= nil and type(out.lastModified) ~= "string" then
    at:fail("annotations.lastModified must be a string, got %s", fields.told(out.lastModified))
  end
  return item.json_object(at, "annotations", out)
end

--- What the host keeps of it, in the first load.
local function describe(at, decl, out)
  local f = decl.handler
  local block = type(f) == "function" and comment.find(at, f) or not f and comment.above(at)
  item.common(at, decl, block or nil, out)
  out.mime_type = fields.string(at, decl, "mime_type") or out.mime_type
  out.size = item.count(at, decl, "size")
  out.annotations = annotations(at, decl)
  item.cache(at, decl, out)
end

M.KNOWN = KNOWN

--- Declares one resource, or all those of a URI template.
---@param at mcp.Place
---@param decl mcp.Resource
---@param route? mcp.Route  that the resource is
function M.add(at, decl, route)
  fields.known(at, decl, KNOWN)
  local uri = fields.string(at, decl, "uri")
  local template = fields.string(at, decl, "uri_template")
  if uri and template then
    at:fail("uri and uri_template are both given; a resource has one of them")
  elseif not uri and not template then
    at:fail("uri (or uri_template) must be a string, got nil")
  elseif uri and decl.complete ~= nil then
    at:fail("complete is about the variables of a uri_template, and this is one uri")
  end

  local field = content_field(at, decl)
  local wired = pipeline.item(at, "resource", decl, route and route.scope)
  local out = { uri = uri, uri_template = template, completers = {} }
  out.name = fields.text(at, decl, "name") or name_of(uri or template)
  out.route = route and route.name
  add_content(at, decl, field, out, wired)
  complete.add_field(at, out.completers, decl)
  if not core.following() then
    describe(at, decl, out)
  end
  wired:add(at, out, core.add_resource)
end

return M
