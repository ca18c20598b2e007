--- mcp.route: answers to plain HTTP requests, which may be tools, resources and
--- prompts as well.
---
---     mcp.get("/items/{item_id:int}", { tool = "read_item" }, function(item_id) ... end)
---
--- mcp.get, post, put, patch, delete, head, options: (path, handler) or (path, options,
--- handler).

local core = require "mcp.core"
local fields = require "mcp.fields"
local pipeline = require "mcp.pipeline"
local prompts = require "mcp.prompts"
local resources = require "mcp.resources"
local route_path = require "mcp.route_path"
local scopes = require "mcp.scope"
local tools = require "mcp.tools"
local where = require "mcp.where"

---@class mcp.Route
---@field name string      "GET /items/{item_id:int}"
---@field method string
---@field path mcp.Path
---@field has_body boolean do its requests have one?
---@field options table
---@field scope mcp.Scope  with the route's guards, dependencies and tags
---@field input? mcp.Type  its arguments, in the first load; nil: a raw schema

--- Its own, and what the host learns of it as of a tool.
local KNOWN = {
  status = true,
  mime_type = true,
  tool = true,
  resource = true,
  prompt = true,
  mcp_annotations = true,
  mcp_read_only = true,
  tags = true,
  guards = true,
  dependencies = true,
  title = true,
  description = true,
  summary = true,
  icons = true,
  meta = true,
  when_to_use = true,
  returns = true,
  instructions = true,
  annotations = true,
  read_only = true,
  scopes = true,
  input = true,
  input_schema = true,
  input_schema_file = true,
  output = true,
  output_schema = true,
  output_schema_file = true,
  extra_arguments = true,
  assert_format = true,
  timeout = true,
  required_client_capabilities = true,
}

--- What surrounds the route, and so all that is made of it; not to be done twice.
local WIRING = { guards = true, dependencies = true, tags = true }

local HAS_BODY = { POST = true, PUT = true, PATCH = true }

-- What a route is as well -----------------------------------------------------

--- The field `kind` as a table of fields; nil: it is not one.
local function given_fields(at, options, kind)
  local given = options[kind]
  if given == nil or given == false then
    return nil
  elseif given == true then
    return {}
  elseif type(given) == "string" then
    return { name = given }
  elseif type(given) ~= "table" then
    at:fail("%s must be true, a name or a table of fields, got %s", kind, fields.told(given))
  elseif given.handler ~= nil then
    at:fail("%s: the handler is that of the route", kind)
  end
  return given
end

--- A declaration of `kind`: its own fields, then those of the route that it knows.
local function declaration(at, route, kind, known)
  local given = given_fields(at, route.options, kind)
  if not given then
    return nil
  end
  fields.known(at, given, known, nil, kind)
  local decl = {}
  for key, value in pairs(route.options) do
    if known[key] and not WIRING[key] then
      decl[key] = value
    end
  end
  for key, value in pairs(given) do
    decl[key] = value
  end
  if decl.name == nil then
    decl.name = route.path.name
      or at:fail('%s needs a name: the path "%s" has no literal segment', kind, route.path.text)
  end
  return decl
end

--- The annotations of the route are those of a tool.
local function add_resource(at, route, handler)
  local decl = declaration(at, route, "resource", resources.KNOWN)
  if not decl then
    return
  end
  local given = route.options.resource
  decl.annotations = type(given) == "table" and given.annotations or nil
  decl.handler = handler
  if decl.uri == nil and decl.uri_template == nil then
    decl.uri = "mcpluad://" .. tostring(decl.name)
  end
  resources.add(at, decl, route)
end

--- A default as a client of a prompt would send it.
local function text_of(value)
  if value == nil or type(value) == "string" then
    return value
  end
  return core.encode_sorted(value) or nil
end

--- The strings of an enum; nil when it has others.
local function words_of(t)
  for _, word in ipairs(t.keywords.enum or {}) do
    if type(word) ~= "string" then
      return nil
    end
  end
  return t.keywords.enum
end

--- The arguments of the route as a prompt lists them.
local function prompt_arguments(at, route)
  local out = {}
  if not route.input then
    at:fail("prompt: arguments must be given, as the route's are in a raw schema")
  end
  for i, field in ipairs(route.input.fields or {}) do
    local name, t = field[1], field[2]
    out[i] = {
      name = name,
      title = t.keywords.title,
      description = t.keywords.description,
      required = not t.optional and t.default == nil,
      default = text_of(t.default),
      complete = words_of(t),
    }
  end
  return out
end

local function add_prompt(at, route, handler)
  local decl = declaration(at, route, "prompt", prompts.KNOWN)
  if not decl then
    return
  end
  decl.handler = handler
  if decl.arguments == nil and not core.following() then
    decl.arguments = prompt_arguments(at, route)
  end
  prompts.add(at, decl, route)
end

-- The route -------------------------------------------------------------------

local function status(at, options)
  local value = options.status
  if value ~= nil and (type(value) ~= "number" or value % 1 ~= 0 or value < 200 or value > 299) then
    at:fail("status must be a whole number from 200 to 299, got %s", fields.told(value))
  end
  return value
end

--- Gives the route itself to the host.
local function add_route(at, route, handler)
  local wired = pipeline.item(at, "route", { handler = handler }, route.scope)
  local out = {
    name = route.name,
    method = route.method,
    path = route.path.text,
    parts = route.path.parts,
    handler = handler,
    binds = wired.own,
  }
  if not core.following() then
    local decl = { handler = handler }
    for key, value in pairs(route.options) do
      decl[key] = value
    end
    out.status = status(at, decl)
    out.mime_type = fields.string(at, decl, "mime_type")
    out.tags = core.encode(core.array(route.scope:all_tags()))
    require "mcp.describe"(at, decl, out, wired, route)
    route.input = out.input
  end
  wired:surround(out)
  local ok, why = core.add_route(out)
  if not ok then
    at:fail("%s", why)
  end
end

---@param method string
---@param path string
---@param options table|function
---@param handler? function
local function declare(method, path, options, handler)
  local what = "mcp." .. method:lower()
  if handler == nil and type(options) == "function" then
    options, handler = {}, options
  end
  local at = where.here(what, handler)
  at:must_load()
  if type(options) ~= "table" then
    at:fail("a path, a table of options and a handler are needed: %s(path, { ... }, function)",
      what)
  end
  fields.known(at, options, KNOWN)
  local scope = scopes.child(at, {
    guards = options.guards, dependencies = options.dependencies, tags = options.tags,
  })
  local read = route_path.read(at, path, scope)
  local route = {
    name = method .. " " .. read.text,
    method = method,
    path = read,
    has_body = HAS_BODY[method] or false,
    options = options,
    scope = scope,
  }
  add_route(at, route, handler)
  local tool = declaration(at, route, "tool", tools.KNOWN)
  if tool then
    tool.handler = handler
    tools.add(at, tool, route)
  end
  add_resource(at, route, handler)
  add_prompt(at, route, handler)
end

local M = {}

for _, method in ipairs { "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS" } do
  M[method:lower()] = function(path, options, handler)
    declare(method, path, options, handler)
  end
end

return M
