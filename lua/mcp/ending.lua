--- mcp.ending: functions that end the running call; they do not return.

local core = require "mcp.core"
local fields = require "mcp.fields"
local where = require "mcp.where"

local M = {}

local held = false

--- While a hook or a cleanup runs nothing ends the call: it only raises.
---@param on boolean
function M.hold(on)
  held = on
end

--- Raises when a hook or a cleanup runs: a question would end the call, or park it.
function M.may_ask()
  if held then
    error("a hook or a cleanup cannot ask the client: it watches and changes nothing;"
      .. " ask in a guard, a dependency or the handler", 0)
  end
end

local function end_call(kind, how)
  if held then
    error({ message = "a hook or a cleanup cannot end the call: " .. how.message })
  end
  return core.end_call(kind, how)
end

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
  return end_call("protocol_error", kept)
end

--- Ends the call as failed. On a tool the message is the answer, with isError; on a
--- prompt or a resource status and message are the data of a JSON-RPC error.
local function fail(what, status, message, more)
  local at = where.here("mcp." .. what)
  if type(message) ~= "string" then
    at:fail("the message must be a string, got %s", fields.told(message))
  end
  local fault = more or {}
  fault.message, fault.status = message, status
  return end_call("failure", fault)
end

---@param message string
function M.unauthorized(message)
  return fail("unauthorized", 401, message)
end

--- `scopes` are those that would have been enough.
---@param message string
---@param scopes? string[]
function M.forbidden(message, scopes)
  if scopes ~= nil then
    fields.strings(where.here "mcp.forbidden", { scopes = scopes }, "scopes")
  end
  return fail("forbidden", 403, message)
end

--- Of a resource: there is none at this URI.
---@param message string
function M.not_found(message)
  return fail("not_found", 404, message, { not_found = true })
end

---@param status integer  400 to 599
---@param message string
---@param body? any       for routes, and as data.content of prompts and resources
function M.http_error(status, message, body)
  if type(status) ~= "number" or status < 400 or status > 599 or status % 1 ~= 0 then
    where.here("mcp.http_error"):fail(
      "the status must be a whole number from 400 to 599, got %s", fields.told(status))
  end
  return fail("http_error", status, message, { body = body })
end

return M
