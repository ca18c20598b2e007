--- mcp.arguments: the arguments of a prompt.
---
--- From the field `arguments` (a list keeps its order), else from the comment of the
--- handler, else from its parameters, which are required then.
---
--- Source: MCP 2026-07-28, server/prompts, data type "PromptArgument".

local comment = require "mcp.comment"
local complete = require "mcp.complete"
local core = require "mcp.core"
local fields = require "mcp.fields"

local KNOWN = {
  name = true,
  title = true,
  description = true,
  required = true,
  default = true,
  complete = true,
}

---@class mcp.GatheredArguments
---@field list table[]                 for mcp.core.add_prompt
---@field declared boolean             no others are taken
---@field completers mcp.Completer[]

--- A default as the string that a client could have sent.
local function initial(at, entry)
  local value = entry.default
  if type(value) == "number" or type(value) == "boolean" then
    return tostring(value)
  end
  return fields.string(at, entry, "default")
end

--- One entry; `name` is given when its key is the name.
local function read_entry(at, out, entry, what, name)
  if type(entry) == "string" and not name then
    entry = { name = entry }
  elseif type(entry) ~= "table" then
    at:fail("%s must be a table { name = ... }, got %s", what, fields.told(entry))
  end
  fields.known(at, entry, KNOWN, nil, what)
  if name and entry.name ~= nil then
    at:fail("%s: the key is its name already", what)
  end
  name = name or fields.string(at, entry, "name")
  if not name then
    at:fail("%s: name must be a string, got nil", what)
  end
  out.list[#out.list + 1] = {
    name = name,
    title = fields.text(at, entry, "title"),
    description = fields.text(at, entry, "description"),
    required = fields.boolean(at, entry, "required"),
    initial = initial(at, entry),
  }
  complete.add(at, out.completers, name, entry.complete)
end

--- The names of a keyed table: the handler's parameters first, then the rest.
local function ordered_names(given, parameters)
  local names, seen = {}, {}
  for _, name in ipairs(parameters) do
    if given[name] ~= nil then
      names[#names + 1], seen[name] = name, true
    end
  end
  for _, name in ipairs(fields.sorted_keys(given)) do
    if not seen[name] then
      names[#names + 1] = name
    end
  end
  return names
end

local function read_field(at, out, given, parameters)
  if fields.is_list(given) then
    for i, entry in ipairs(given) do
      read_entry(at, out, entry, ("arguments[%d]"):format(i))
    end
    return
  end
  for _, name in ipairs(ordered_names(given, parameters)) do
    if type(name) ~= "string" then
      at:fail("arguments must be a list { { name = ... }, ... } or a table by name, not both")
    end
    read_entry(at, out, given[name], ("arguments.%s"):format(name), name)
  end
end

--- The handler's comment as fields { name, type }, or nil.
---@return mcp.Field[]?
local function commented(at, f, parameters, others)
  local block = comment.find(at, f)
  if not block or not comment.has_types(block) then
    return nil
  end
  local t = require("mcp.signature").input(at, block, parameters, others)
  return t and t.fields
end

--- The strings of an enum; nil when the type is another one that is a string.
local function words_of(at, name, t)
  local enum = t.keywords.enum or t.keywords.const ~= nil and { t.keywords.const }
  for _, word in ipairs(enum or {}) do
    if type(word) ~= "string" then
      at:fail("argument %q: what a prompt gets is a string, not %s", name, fields.told(word))
    end
  end
  if not enum and t.kind ~= "any" and t.keywords.type ~= "string" then
    at:fail("argument %q: what a prompt gets is a string, not of type %s", name, t.kind)
  end
  return enum
end

local function add_commented(at, out, own)
  for _, field in ipairs(own) do
    local name, t = field[1], field[2]
    complete.add(at, out.completers, name, words_of(at, name, t) or nil)
    out.list[#out.list + 1] = {
      name = name,
      description = t.keywords.description,
      required = not t.optional,
    }
  end
end

local function add_bare(out, parameters)
  for _, name in ipairs(parameters) do
    if name == "args" then
      out.declared = false
    elseif name ~= "ctx" then
      out.list[#out.list + 1] = { name = name, required = true }
    end
  end
end

--- Texts of the comment for declared arguments that have none.
local function add_texts(out, own)
  local texts = {}
  for _, field in ipairs(own) do
    texts[field[1]] = field[2].keywords.description
  end
  for _, argument in ipairs(out.list) do
    argument.description = argument.description or texts[argument.name]
  end
end

--- Everything about the arguments of a prompt. A follow load needs the completers
--- with a function only.
---@param at mcp.Place
---@param decl mcp.Prompt
---@param parameters string[]
---@param others? table<string, any>  parameters that are no arguments
---@return mcp.GatheredArguments
return function(at, decl, parameters, others)
  local out = { list = {}, declared = true, completers = {} }
  local given = fields.table(at, decl, "arguments")
  if given then
    read_field(at, out, given, parameters)
  end
  if not core.following() then
    local own = commented(at, decl.handler, parameters, others)
    if given then
      add_texts(out, own or {})
    elseif own then
      add_commented(at, out, own)
    else
      add_bare(out, parameters)
    end
  end
  complete.add_field(at, out.completers, decl)
  return out
end
