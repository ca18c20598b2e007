--- mcp.forms: the three forms of a declaration.
---
---     mcp.X(name, handler)   mcp.X(name, fields, handler)   mcp.X { ... }

local M = {}

--- The function in the arguments, wherever it stands.
---@return function?
function M.function_of(first, second, third)
  if type(first) == "table" then
    return first.handler
  end
  return type(second) == "function" and second or third
end

--- The three forms as one table; the caller's is left alone.
---@param at mcp.Place
---@return table
function M.gather(at, first, second, third)
  local decl = {}
  local given = type(first) == "table" and first or type(second) == "table" and second or {}
  for key, value in pairs(given) do
    decl[key] = value
  end
  if first == given then
    if second ~= nil then
      at:fail("%s { ... } takes one table and nothing behind it", at.what)
    end
    return decl
  end
  local f = second
  if second == given or second == nil then
    f = third
  elseif third ~= nil then
    at:fail("the handler comes last: %s(name, fields, handler)", at.what)
  end
  if decl.name ~= nil or decl.handler ~= nil then
    at:fail("%s is given twice", decl.name ~= nil and "name" or "handler")
  end
  decl.name, decl.handler = first, f
  return decl
end

return M
