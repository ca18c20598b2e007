--- mcp.handler: the parameter names of a handler.
---
--- The host gives each parameter what its name says: `args` the whole argument
--- table, `ctx` the request context, any other name the argument of that name.

local fields = require "mcp.fields"

local getinfo, getlocal = debug.getinfo, debug.getlocal

local M = {}

--- Refuses what has no parameter names to read.
local function check(at, f)
  if type(f) ~= "function" then
    at:fail("handler must be a function, got %s", fields.told(f))
  end
  local info = getinfo(f, "Su")
  if info.what == "C" then
    at:fail("the handler is a C function, whose parameters have no names; "
      .. "write function(args) return f(args.x) end")
  elseif info.isvararg then
    at:fail("the handler takes \"...\", which has no names; "
      .. "write function(args, ctx) to get all arguments as a table")
  elseif info.nparams > 0 and not getlocal(f, 1) then
    at:fail("the handler is stripped bytecode, whose parameters have no names")
  end
  return info.nparams
end

--- The names of the parameters of `f`, in their order.
---@param at mcp.Place
---@param f function
---@return string[]
function M.parameters(at, f)
  local names, seen = {}, {}
  for i = 1, check(at, f) do
    local name = getlocal(f, i)
    if i == 1 and name == "self" then
      at:fail("the handler's first parameter is \"self\": it was written with a colon, "
        .. "and nothing is there to be self")
    elseif seen[name] then
      at:fail("the handler has two parameters called %q", name)
    end
    names[i], seen[name] = name, true
  end
  return names
end

return M
