--- mcp.signature: the types of a handler's arguments and result, from its comment.
---
---     ---@param city string The city
---     ---@param days? integer
---     ---@return { temperature: number }
---
--- `---@param args T` types the whole argument table. `ctx` is not an argument.

local luals = require "mcp.luals"
local luals_schema = require "mcp.luals_schema"
local type_ = require "mcp.type"
local where = require "mcp.where"

local M = {}

local function scope_of(at, block)
  return luals_schema.scope { block.chunk, at.source ~= block.chunk and at.source or nil }
end

--- The @param lines about arguments; that of `args` apart. Names in `others` are
--- something else.
---@return mcp.Typed[] own
---@return mcp.Typed? whole
local function split(params, others)
  local own, whole, seen = {}, nil, {}
  for _, param in ipairs(params) do
    if seen[param.name] then
      param.at:fail("%s is there twice", param.name)
    end
    seen[param.name] = true
    if param.name == "args" then
      whole = param
    elseif param.name ~= "ctx" and not others[param.name] then
      own[#own + 1] = param
    end
  end
  return own, whole
end

--- Is `param` a parameter of the handler, or reachable through `args`?
local function check_name(param, parameters)
  for _, name in ipairs(parameters) do
    if name == param.name or name == "args" then
      return
    end
  end
  local hint = where.hint(param.name, parameters)
  param.at:fail("the handler has no parameter %q%s", param.name, hint)
end

--- The type of ---@param args; nil when it says nothing about the members.
local function whole_type(scope, param)
  local t = param.node and luals_schema.convert(scope, param.node, param.at)
  if t and t.kind == "ref" then
    t = scope.defs[param.node.name]
  end
  if not t or t.kind == "any" or t.kind == "map" and not t.values then
    return nil
  elseif t.kind ~= "object" and t.kind ~= "map" then
    param.at:fail("args is a table with the arguments as its fields")
  end
  return t
end

--- The arguments that the comment declares, as an object; nil: none.
---@param at mcp.Place
---@param block mcp.CommentBlock
---@param parameters string[]
---@param others? table<string, any>  parameters that are no arguments
---@return mcp.Type?
---@return table<string, mcp.Type>? defs
function M.input(at, block, parameters, others)
  local own, whole = split(luals.signature(block, at.what), others or {})
  local scope = scope_of(at, block)
  local t = whole and whole_type(scope, whole)
  if #own == 0 then
    return t, scope.defs
  end
  local list, seen = {}, {}
  for i, field in ipairs(t and t.fields or {}) do
    list[i], seen[field[1]] = field, true
  end
  for _, param in ipairs(own) do
    check_name(param, parameters)
    if not seen[param.name] then
      list[#list + 1] = luals_schema.field(scope, param)
    end
  end
  local values = t and t.values
  t = type_.object(list)
  t.values = values
  return t, scope.defs
end

--- Does the type tell nothing about a value?
local function is_vague(t)
  if t.kind == "any" or t.kind == "opaque" or t.kind == "null" then
    return true
  elseif t.kind == "map" then
    return t.values == nil
  end
  for _, branch in ipairs(t.any_of or {}) do
    if branch.kind == "opaque" then
      return true
    end
  end
  return false
end

--- The type of what the handler returns; nil: nothing is known. A first result that
--- may be nil has a type only when a second one (the error message) is there.
---@param at mcp.Place
---@param block mcp.CommentBlock
---@return mcp.Type?
---@return table<string, mcp.Type>? defs
function M.output(at, block)
  local _, returns = luals.signature(block, at.what)
  local first = returns[1]
  if not first then
    return nil
  end
  local scope = scope_of(at, block)
  local t, nullable = luals_schema.convert(scope, first.node, first.at)
  if is_vague(t) or nullable and #returns == 1 then
    return nil
  elseif first.description then
    t = type_.with_keyword(t, "description", first.description)
  end
  return t, scope.defs
end

return M
