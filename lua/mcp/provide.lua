--- mcp.provide: a dependency that every handler of the app can have.
---
---     mcp.provide("db", function(ctx)
---       local db = connect()
---       return db, function() db:close() end
---     end)

local scopes = require "mcp.scope"
local where = require "mcp.where"

---@param name string
---@param provider function
return function(name, provider)
  local at = where.here("mcp.provide", provider)
  at:must_load()
  scopes.must_be_outside(at, "write dependencies = { NAME = function }")
  scopes.must_be_first(at)
  scopes.add_provider(at, scopes.app, name, provider)
end
