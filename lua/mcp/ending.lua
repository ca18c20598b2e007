--- mcp.ending: functions that end the running call; they do not return.

local core = require "mcp.core"
local fields = require "mcp.fields"
local where = require "mcp.where"

local M = {}

--- Ends the call with a JSON-RPC error.
---@param fault { code: integer, message: string, data?: any }
function M.protocol_error(fault)
  local at = where.here("mcp.protocol_error")
  if type(fault) ~= "table" then
    at:fail("a table { code, message, data } is needed, got %s", fields.told(fault))
  end
  fields.known(at, fault, { code = true, message = true, data = true })
  local code = fault.code
  if type(code) ~= "number" or code ~= math.floor(code) or math.abs(code) >= 2 ^ 31 then
    at:fail("code must be an integer, got %s", fields.told(code))
  elseif type(fault.message) ~= "string" then
    at:fail("message must be a string, got %s", fields.told(fault.message))
  end
  local kept = { code = code, message = fault.message, data = fault.data }
  return core.end_call("protocol_error", kept)
end

return M
