--- mcp.handler: the parameter names of a handler.
---
--- The host gives each parameter what its name says: `args` the whole argument
--- table, `ctx` the request context, any other name the argument of that name.

local fields = require "mcp.fields"

local getinfo, getlocal = debug.getinfo, debug.getlocal

local M = {}

--- Refuses what has no parameter names to read.
local function check(at, f, what)
  if type(f) ~= "function" then
    at:fail("%s must be a function, got %s", what, fields.told(f))
  end
  local info = getinfo(f, "Su")
  if info.what == "C" then
    at:fail("the %s is a C function, whose parameters have no names; "
      .. "write function(args) return f(args.x) end", what)
  elseif info.isvararg then
    at:fail("the %s takes \"...\", which has no names; "
      .. "write function(args, ctx) to get all arguments as a table", what)
  elseif info.nparams > 0 and not getlocal(f, 1) then
    at:fail("the %s is stripped bytecode, whose parameters have no names", what)
  end
  return info.nparams
end

--- The names of the parameters of `f`, in their order.
---@param at mcp.Place
---@param f function
---@param what? string  how messages call `f`
---@return string[]
function M.parameters(at, f, what)
  what = what or "handler"
  local names, seen = {}, {}
  for i = 1, check(at, f, what) do
    local name = getlocal(f, i)
    if i == 1 and name == "self" then
      at:fail("the %s's first parameter is \"self\": it was written with a colon, "
        .. "and nothing is there to be self", what)
    elseif seen[name] then
      at:fail("the %s has two parameters called %q", what, name)
    end
    names[i], seen[name] = name, true
  end
  return names
end

return M
