--- mcp.skill_guard: the guards of the server before skills that the host keeps.
---
--- Skills of folders and in code are served without Lua. When the server has guards,
--- the host calls this function first, for skills/get and for files.

local core = require "mcp.core"
local pipeline = require "mcp.pipeline"
local scopes = require "mcp.scope"

local declared = false

--- Called for each declaration of such skills, in every load.
---@param at mcp.Place
return function(at)
  scopes.must_not_be_guarded(at, "declare them with mcp.skill_controller")
  if declared or not scopes.app.guards[1] then
    return
  end
  declared = true
  local function pass() end
  local wired = pipeline.item(at, "skill source", { handler = pass }, scopes.app)
  local out = {
    name = "guards of the server", op = "guard", prefix = "", handler = pass, binds = wired.own,
  }
  wired:surround(out)
  local ok, why = core.add_skill_source(out)
  if not ok then
    at:fail("%s", why)
  end
end
