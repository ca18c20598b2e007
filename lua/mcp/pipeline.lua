--- mcp.pipeline: what runs around a handler.
---
---     before_tool_call -> guards -> dependencies -> handler    (here)
---       -> output check                                        (the host)
---       -> after_tool_call -> cleanups                         (finish, here)
---
--- Composed once while the app loads; an item that has none of these keeps its
--- handler as it is. Nothing here catches what a guard, a provider or a handler
--- raises: errors keep their place, and all of them may yield. The host calls
--- `finish` when the call has ended, however it did (src/app/wiring.h).

local core = require "mcp.core"
local ending = require "mcp.ending"
local fields = require "mcp.fields"
local handler = require "mcp.handler"
local hooks = require "mcp.hooks"
local scopes = require "mcp.scope"
local where = require "mcp.where"

local unpack, select, remove = unpack, select, table.remove

local M = {}

-- One call --------------------------------------------------------------------

---@class mcp.Running
---@field what string           for messages: "tool add"
---@field name string
---@field ctx mcp.Context
---@field providers? table<string, mcp.Provider>
---@field args? table           for providers
---@field values table          of dependencies, by name
---@field state table           by name: true it is there, false it is being made
---@field cleanups table[]      { name, function }, in the order of making
---@field hooks function[]      after_tool_call, the rest of them
---@field hook_args? table
---@field begin? number
---@field result any
---@field outcome? table

local running ---@type mcp.Running?  the call that `finish` is about

local function ends_later(call)
  if running ~= call then
    running = call
    core.expect_finish()
  end
end

local resolve

local function values_for(call, parameters)
  local values = {}
  for i, name in ipairs(parameters) do
    if name == "ctx" then
      values[i] = call.ctx
    elseif name == "args" then
      values[i] = call.args
    else
      values[i] = resolve(call, name)
    end
  end
  return values
end

--- Keeps what a provider returned: value, cleanup or nil, message.
local function keep(call, name, value, cleanup)
  if type(cleanup) == "function" then
    call.cleanups[#call.cleanups + 1] = { name, cleanup }
    ends_later(call)
  elseif value == nil and type(cleanup) == "string" then
    error({ message = cleanup })
  elseif cleanup ~= nil then
    error(("the provider of %q returned a %s where its cleanup, a function, was expected")
      :format(name, type(cleanup)), 0)
  end
  call.values[name], call.state[name] = value, true
  return value
end

--- The value of a dependency, made when it is asked for the first time.
function resolve(call, name)
  local state = call.state[name]
  if state then
    return call.values[name]
  elseif state == false then
    error(("dependency %q needs itself, or it has failed in this call"):format(name), 0)
  end
  local provider = call.providers[name]
  call.state[name] = false
  local parameters = provider.parameters
  return keep(call, name, provider.f(unpack(values_for(call, parameters), 1, #parameters)))
end

--- ctx.dep
local function view(call)
  local function get(_, name)
    if not call.providers[name] then
      error(("there is no dependency %s%s"):format(fields.told(name),
        where.hint(name, fields.sorted_keys(call.providers))), 2)
    end
    return resolve(call, name)
  end
  local function set()
    error("ctx.dep cannot be changed", 2)
  end
  return setmetatable({}, { __index = get, __newindex = set })
end

local function check_guard(passed, why)
  if passed ~= false then
    return
  elseif why ~= nil and type(why) ~= "string" then
    error(("a guard returned false and a %s, where a message was expected"):format(type(why)), 0)
  end
  ending.forbidden(why or "Access denied")
end

-- After it --------------------------------------------------------------------

local function after_hook(call, fault)
  local hook = remove(call.hooks, 1)
  call.outcome = call.outcome
    or { result = call.result, error = fault, seconds = core.now() - call.begin }
  hooks.attempt("after_tool_call of " .. call.what, hook, call.name, call.hook_args, call.ctx,
    call.outcome)
end

local function cleanup(call)
  local entry = remove(call.cleanups)
  hooks.attempt(("the cleanup of %q of %s"):format(entry[1], call.what), entry[2])
end

--- Does one of the things that are left; true: there are more. Where it is stopped
--- for want of time, it is called again.
local function finish(fault)
  local call = running
  ending.hold(false)
  if not call then
    return false
  elseif call.hooks[1] then
    after_hook(call, fault)
  elseif call.cleanups[1] then
    cleanup(call)
  end
  if call.hooks[1] or call.cleanups[1] then
    return true
  end
  running = nil
  return false
end

core.keep_finish(finish)

-- Composition -----------------------------------------------------------------

--- f(call, ...): calls `f`, whose parameter names are `names`; `...` are those
--- that are no dependencies.
local function invoker(f, names, providers)
  local mixed = false
  for _, name in ipairs(names) do
    mixed = mixed or providers and providers[name] ~= nil or false
  end
  if not mixed then
    return function(_, ...)
      return f(...)
    end
  end
  local count = #names
  return function(call, ...)
    local values, taken = {}, 0
    for i = 1, count do
      local name = names[i]
      if providers[name] then
        values[i] = resolve(call, name)
      else
        taken = taken + 1
        values[i] = (select(taken, ...))
      end
    end
    return f(unpack(values, 1, count))
  end
end

local function recorded(call, ...)
  call.result = (...)
  return ...
end

--- Does a provider ask for the call's arguments?
local function wants_args(providers)
  for _, provider in pairs(providers or {}) do
    for _, name in ipairs(provider.parameters) do
      if name == "args" then
        return true
      end
    end
  end
  return false
end

--- Begins a call: those who are told of its end, then those of its beginning.
local function tell_begin(call, args)
  call.hook_args, call.begin = args, core.now()
  for i, hook in ipairs(hooks.after_tool_call) do
    call.hooks[i] = hook
  end
  if call.hooks[1] then
    ends_later(call)
  end
  for _, hook in ipairs(hooks.before_tool_call) do
    hooks.attempt("before_tool_call of " .. call.what, hook, call.name, args, call.ctx)
  end
end

---@class mcp.Wired
---@field kind string
---@field scope mcp.Scope
---@field providers? table<string, mcp.Provider>  nil: there is none
---@field guards function[]
---@field told boolean    are there hooks for it?
---@field names string[]  of the handler's parameters
---@field own string[]    those of them that are no dependencies
local Wired = {}
Wired.__index = Wired

--- The whole, as f(ctx, args of hooks, args of providers, ...).
local function compose(wired, out)
  local guards, providers, told = wired.guards, wired.providers, wired.told
  local name = out.uri or out.uri_template or out.name
  local what = wired.kind .. " " .. name
  local invoke = invoker(out.handler, wired.names, providers)

  return function(ctx, hook_args, args, ...)
    local call = {
      what = what, name = name, ctx = ctx, providers = providers, args = args,
      values = {}, state = {}, cleanups = {}, hooks = {},
    }
    if providers then
      ctx.dep = view(call)
    end
    if told then
      tell_begin(call, hook_args)
    end
    for i = 1, #guards do
      check_guard(guards[i](ctx))
    end
    if told then
      return recorded(call, invoke(call, ...))
    end
    return invoke(call, ...)
  end
end

--- The same as f(...) of what the host gives for these names.
---@return function f
---@return string[] binds
local function fitted(wired, run)
  local for_providers = wants_args(wired.providers)
  local binds = { "ctx" }
  if wired.told then
    binds[2] = "args"
  end
  if for_providers then
    binds[#binds + 1] = "args"
  end
  for _, name in ipairs(wired.own) do
    binds[#binds + 1] = name
  end
  if wired.told and for_providers then
    return run, binds
  elseif wired.told then
    return function(ctx, args, ...)
      return run(ctx, args, nil, ...)
    end, binds
  elseif for_providers then
    return function(ctx, args, ...)
      return run(ctx, nil, args, ...)
    end, binds
  end
  return function(ctx, ...)
    return run(ctx, nil, nil, ...)
  end, binds
end

--- `name` with the prefixes of the groups around the item.
---@param name string
---@param separator string
---@return string
function Wired:full_name(name, separator)
  return self.scope:full_name(name, separator)
end

--- Refuses an argument that is called like a dependency.
---@param at mcp.Place
---@param name any
function Wired:check_argument(at, name)
  if self.providers and self.providers[name] then
    at:fail("argument %q is called like a dependency; rename one of them", name)
  end
end

--- Puts around the handler of `out` all that surrounds it.
---@param out { name: string, handler?: function, binds?: string[] }
function Wired:surround(out)
  if out.handler and (self.told or self.providers or self.guards[1]) then
    out.handler, out.binds = fitted(self, compose(self, out))
  end
end

--- Gives the item to the host, with all that surrounds its handler; not at all when
--- the filters are against it.
---@param at mcp.Place
---@param out { name: string, handler?: function, binds?: string[] }
---@param add fun(out: table): true?, string?  mcp.core.add_tool or its like
function Wired:add(at, out, add)
  self:surround(out)
  if not self.scope:shows(out.name) then
    return
  end
  local ok, why = add(out)
  if not ok then
    at:fail("%s", why)
  end
end

--- What surrounds an item that is being declared. Its field `own` has the parameters
--- of its handler that are arguments, args or ctx.
---@param at mcp.Place
---@param kind "tool"|"prompt"|"resource"|"route"|"skill source"
---@param decl table
---@param parent? mcp.Scope  the controller's
---@return mcp.Wired
function M.item(at, kind, decl, parent)
  local is_content = kind == "resource" and decl.handler == nil
  local names = is_content and {} or handler.parameters(at, decl.handler)
  local scope = scopes.of_item(at, decl, parent)
  local providers, own = scope:providers(), {}
  for _, name in ipairs(names) do
    if not providers or not providers[name] then
      own[#own + 1] = name
    end
  end
  local told = kind == "tool"
    and (hooks.before_tool_call[1] or hooks.after_tool_call[1]) ~= nil
  return setmetatable({
    kind = kind, scope = scope, providers = providers, guards = scope:all_guards(),
    told = told, names = names, own = own,
  }, Wired)
end

return M
