--- mcp.group: declarations with something in common.
---
---     mcp.group({ prefix = "admin", guards = { f } }, function()
---       mcp.tool("purge", function() ... end)   -- admin_purge
---     end)

local fields = require "mcp.fields"
local scopes = require "mcp.scope"
local where = require "mcp.where"

local KNOWN = {
  prefix = true,
  tags = true,
  guards = true,
  dependencies = true,
}

---@param group mcp.Group
---@param declare function
return function(group, declare)
  local at = where.here "mcp.group"
  at:must_load()
  if type(group) ~= "table" then
    at:fail("a table { prefix, tags, guards, dependencies } is needed, got %s", fields.told(group))
  elseif type(declare) ~= "function" then
    at:fail("a function that declares what is in the group is needed, got %s",
      fields.told(declare))
  end
  fields.known(at, group, KNOWN)
  local scope = scopes.child(at, group)
  scope:providers()
  scopes.within(scope, declare)
end
