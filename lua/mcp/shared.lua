--- mcp.shared: a dictionary that every call sees.
---
---     local hits = mcp.shared("hits", { max_bytes = 1024 * 1024 })
---     hits:incr("total")
---
--- A call starts from the state as it was when the app had loaded, so what it
--- leaves in variables is gone; what it puts here stays, also over a reload. The
--- methods are C: src/app/bind_shared.c.

local core = require "mcp.core"
local fields = require "mcp.fields"
local where = require "mcp.where"

local KNOWN = { max_bytes = true }

--- Below this not even one small entry fits; above, Lua could not count.
local MIN_BYTES, MAX_BYTES = 1024, 2 ^ 40
local MAX_NAME = 128

---@param at mcp.Place
local function check_name(at, name)
  if type(name) ~= "string" then
    at:fail("the name must be a string, got %s", fields.told(name))
  elseif name == "" or #name > MAX_NAME or name:find("%z") then
    at:fail("the name must be 1 to %d bytes without NUL, got %s", MAX_NAME, fields.told(name))
  end
end

---@param at mcp.Place
local function check_bytes(at, options)
  if options == nil then
    return nil
  elseif type(options) ~= "table" then
    at:fail("the options must be a table, got %s", fields.told(options))
  end
  fields.known(at, options, KNOWN)
  local bytes = options.max_bytes
  if bytes == nil then
    return nil
  elseif type(bytes) ~= "number" then
    at:fail("max_bytes must be a number, got %s", fields.told(bytes))
  elseif not (bytes >= MIN_BYTES and bytes <= MAX_BYTES) then
    at:fail("max_bytes must be from %d to 2^40, got %s", MIN_BYTES, fields.told(bytes))
  end
  return math.floor(bytes)
end

---@param name string
---@param options? { max_bytes?: number }
---@return mcp.Shared
local function shared(name, options)
  local at = where.here "mcp.shared"
  check_name(at, name)
  local dictionary, why = core.shared(name, check_bytes(at, options))
  if not dictionary then
    at:fail("%s", why)
  end
  return dictionary
end

return shared
