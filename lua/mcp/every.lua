--- mcp.every: run a function again and again.
---
---     mcp.every(60, function(ctx) refresh() end)
---
--- The first run is so many seconds after the app was published. Each starts from
--- the state as it was when the app had loaded, with call_timeout as its limit.
---
--- A timer is called by its place, so that every state gives it the same name.

local core = require "mcp.core"
local fields = require "mcp.fields"
local where = require "mcp.where"

--- How many timers each place has declared.
local seen = {}

---@param at mcp.Place
local function name_of(at)
  local place = ("%s:%d"):format(at.file, at.line)
  local count = (seen[place] or 0) + 1
  seen[place] = count
  return count == 1 and place or ("%s#%d"):format(place, count)
end

---@param seconds number
---@param f fun(ctx: mcp.Context)
local function every(seconds, f)
  local at = where.here("mcp.every", f)
  at:must_load()
  if type(seconds) ~= "number" then
    at:fail("the seconds must be a number, got %s", fields.told(seconds))
  elseif type(f) ~= "function" then
    at:fail("the second argument must be a function, got %s", fields.told(f))
  end
  local ok, why = core.add_timer { name = name_of(at), seconds = seconds, handler = f }
  if not ok then
    at:fail("%s", why)
  end
end

return every
