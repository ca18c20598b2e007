--- mcp.resource: declare one resource, or all those of a URI template.
---
---     mcp.resource { uri = "app://config", handler = function() ... end }
---     mcp.resource { uri = "app://logo", file = "logo.png" }
---     mcp.resource { uri_template = "notes://{id}", handler = function(id) ... end }
---
--- Source: MCP 2026-07-28, server/resources, data type "Resource".

local fields = require "mcp.fields"
local resources = require "mcp.resources"
local where = require "mcp.where"

---@param decl mcp.Resource
local function resource(decl)
  local f = type(decl) == "table" and decl.handler or nil
  local at = where.here("mcp.resource", f)
  at:must_load()
  if type(decl) ~= "table" then
    at:fail("a table { uri = \"app://config\", ... } is needed, got %s", fields.told(decl))
  end
  resources.add(at, decl)
end

return resource
