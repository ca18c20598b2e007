--- mcp.scope: what surrounds a declaration: the app, groups, the item itself.
---
--- A scope has guards, dependencies, tags and a prefix, and all those of the scopes
--- around it. Guards run from the outermost in; of dependencies with one name the
--- nearest is meant.
---
--- Those of the app are read when its first item is declared, so mcp.server,
--- mcp.provide and mcp.hooks come before it.

local fields = require "mcp.fields"
local handler = require "mcp.handler"
local where = require "mcp.where"

---@class mcp.Provider
---@field name string
---@field f function
---@field parameters string[]
---@field at mcp.Place

---@class mcp.Scope
---@field parent? mcp.Scope
---@field prefix? string
---@field tags string[]
---@field guards function[]
---@field own table<string, mcp.Provider>
---@field merged? table<string, mcp.Provider>  with those of the parents; false: none
local Scope = {}
Scope.__index = Scope

local function new(parent)
  return setmetatable({ parent = parent, tags = {}, guards = {}, own = {} }, Scope)
end

local app = new()
local current = app
local first_item ---@type mcp.Place?

--- include_tags and its like, as sets; nil: not given.
local filters = {} ---@type table<string, table<string, true>>

local M = { app = app }

-- Reading ---------------------------------------------------------------------

--- The field `guards`: a function or a list of functions.
local function read_guards(at, scope, given)
  if type(given) == "function" then
    given = { given }
  elseif type(given) ~= "table" or not fields.is_list(given) then
    at:fail("guards must be a list of functions (ctx), got %s", fields.told(given))
  end
  for i, guard in ipairs(given) do
    if type(guard) ~= "function" then
      at:fail("guards[%d] must be a function (ctx), got %s", i, fields.told(guard))
    end
    scope.guards[#scope.guards + 1] = guard
  end
end

--- Adds one provider to `scope`.
---@param at mcp.Place
---@param scope mcp.Scope
---@param name any
---@param f any
function M.add_provider(at, scope, name, f)
  if type(name) ~= "string" or not name:find "^[%a_][%w_]*$" then
    at:fail("the name of a dependency must be one that a parameter can have, got %s",
      fields.told(name))
  elseif name == "args" or name == "ctx" or name == "self" then
    at:fail("a dependency may not be called %q: a parameter of that name is something else", name)
  end
  local known = scope.own[name]
  if known then
    at:fail("dependency %q is there twice; the other is at %s:%d", name, known.at.file,
      known.at.line)
  end
  local what = ("provider of %q"):format(name)
  scope.own[name] = { name = name, f = f, at = at, parameters = handler.parameters(at, f, what) }
end

local function read_providers(at, scope, given)
  for _, name in ipairs(fields.sorted_keys(given)) do
    M.add_provider(at, scope, name, given[name])
  end
end

--- Adds the fields guards, dependencies and tags of a declaration.
---@param at mcp.Place
---@param scope mcp.Scope
---@param decl table
function M.read(at, scope, decl)
  if decl.guards ~= nil then
    read_guards(at, scope, decl.guards)
  end
  read_providers(at, scope, fields.table(at, decl, "dependencies") or {})
  for _, tag in ipairs(fields.strings(at, decl, "tags") or {}) do
    scope.tags[#scope.tags + 1] = tag
  end
end

--- A scope inside `parent` (else the group that is being declared).
---@param at mcp.Place
---@param decl table
---@param parent? mcp.Scope
---@return mcp.Scope
function M.child(at, decl, parent)
  local scope = new(parent or current)
  M.read(at, scope, decl)
  scope.prefix = fields.text(at, decl, "prefix")
  return scope
end

--- The scope of an item; nothing of the app's can be added from now on.
---@param at mcp.Place
---@param decl table
---@param parent? mcp.Scope
---@return mcp.Scope
function M.of_item(at, decl, parent)
  first_item = first_item or at
  local scope = new(parent or current)
  M.read(at, scope, decl)
  scope:providers()
  return scope
end

--- Runs `f`, whose declarations are inside `scope`.
---@param scope mcp.Scope
---@param f function
function M.within(scope, f)
  local before = current
  current = scope
  local ok, why = pcall(f)
  current = before
  if not ok then
    error(why, 0)
  end
end

--- Refuses what would come too late.
---@param at mcp.Place
---@param what? string  the field that would
function M.must_be_first(at, what)
  if first_item then
    at:fail("%s before the first tool, prompt or resource, which is at %s:%d",
      what and what .. " must be set" or "must be called", first_item.file, first_item.line)
  end
end

--- Refuses what belongs to no group.
function M.must_be_outside(at, instead)
  if current ~= app then
    at:fail("is for the whole app; in a group, %s", instead)
  end
end

--- Refuses what a group's guards would not protect.
function M.must_not_be_guarded(at, instead)
  if #current:all_guards() > #app.guards then
    at:fail("guards of a group do not protect skills; %s", instead)
  end
end

---@param at mcp.Place
---@param options table
---@param key string  "include_tags", ...
function M.set_filter(at, options, key)
  local set = {}
  for _, name in ipairs(fields.strings(at, options, key) or {}) do
    set[name] = true
  end
  filters[key] = set
end

-- Dependencies ----------------------------------------------------------------

local function check_parameters(provider, merged)
  for _, name in ipairs(provider.parameters) do
    if name ~= "ctx" and name ~= "args" and not merged[name] then
      provider.at:fail("the provider of %q has a parameter %q, which is no dependency, "
        .. "nor args or ctx%s", provider.name, name, where.hint(name, fields.sorted_keys(merged)))
    end
  end
end

--- Refuses a circle that `provider` is part of; `path` has the names up to it.
local function check_circle(provider, merged, path, done)
  for i, name in ipairs(path) do
    if name == provider.name then
      provider.at:fail("dependencies need each other in a circle: %s -> %s",
        table.concat(path, " -> ", i), name)
    end
  end
  if done[provider.name] then
    return
  end
  path[#path + 1] = provider.name
  for _, name in ipairs(provider.parameters) do
    if merged[name] then
      check_circle(merged[name], merged, path, done)
    end
  end
  path[#path] = nil
  done[provider.name] = true
end

local function check(merged)
  local done = {}
  for _, name in ipairs(fields.sorted_keys(merged)) do
    check_parameters(merged[name], merged)
  end
  for _, name in ipairs(fields.sorted_keys(merged)) do
    check_circle(merged[name], merged, {}, done)
  end
end

--- Every dependency that is known here, by name; nil: there is none. Checked once.
---@return table<string, mcp.Provider>?
function Scope:providers()
  if self.merged ~= nil then
    return self.merged or nil
  end
  local outer = self.parent and self.parent:providers()
  if next(self.own) == nil then
    self.merged = outer or false
    return outer
  end
  local merged = {}
  for name, provider in pairs(outer or {}) do
    merged[name] = provider
  end
  for name, provider in pairs(self.own) do
    merged[name] = provider
  end
  check(merged)
  self.merged = merged
  return merged
end

-- What else is inherited ------------------------------------------------------

--- Every guard, in the order in which they run.
---@return function[]
function Scope:all_guards()
  local list = self.parent and self.parent:all_guards() or {}
  for _, guard in ipairs(self.guards) do
    list[#list + 1] = guard
  end
  return list
end

--- `name` with the prefixes of the groups around it.
---@param name string
---@param separator string  "_" for tools, "/" for prompts
---@return string
function Scope:full_name(name, separator)
  local scope = self.parent
  while scope do
    if scope.prefix then
      name = scope.prefix .. separator .. name
    end
    scope = scope.parent
  end
  return name
end

--- The prefixes of the groups around the item as the beginning of a path: "/v1/items",
--- or "".
---@return string
function Scope:path_prefix()
  local out = ""
  local scope = self.parent
  while scope do
    local prefix = scope.prefix and scope.prefix:match "^/*(.-)/*$" or ""
    if prefix ~= "" then
      out = "/" .. prefix .. out
    end
    scope = scope.parent
  end
  return out
end

--- Every tag, those of the app first.
---@return string[]
function Scope:all_tags()
  local list = self.parent and self.parent:all_tags() or {}
  for _, tag in ipairs(self.tags) do
    list[#list + 1] = tag
  end
  return list
end

local function has_tag(scope, set)
  while scope do
    for _, tag in ipairs(scope.tags) do
      if set[tag] then
        return true
      end
    end
    scope = scope.parent
  end
  return false
end

--- Do the filters let an item of this scope through? Tags are asked before names,
--- exclusion before inclusion.
---@param name string
---@return boolean
function Scope:shows(name)
  if filters.exclude_tags and has_tag(self, filters.exclude_tags) then
    return false
  elseif filters.include_tags and not has_tag(self, filters.include_tags) then
    return false
  elseif filters.exclude_operations and filters.exclude_operations[name] then
    return false
  end
  return not filters.include_operations or filters.include_operations[name] == true
end

return M
