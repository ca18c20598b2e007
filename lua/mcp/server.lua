--- mcp.server: who the server is and how it runs.
---
--- Every option of the command line that an app may set is a field here, under the
--- same name with underscores. A flag or a variable of the environment is stronger.

local core = require "mcp.core"
local fields = require "mcp.fields"
local icons = require "mcp.icons"
local scopes = require "mcp.scope"
local where = require "mcp.where"

--- Options of the process, which has begun when the app loads.
local COMMAND_LINE = { "dev", "stdio" }

--- Options that are read while a tool is declared.
local BEFORE_TOOLS = {
  extra_arguments = true,
  assert_format = true,
  infer_http_method_annotations = true,
}

--- What surrounds every item, and is not the host's.
local FILTERS = { "include_tags", "exclude_tags", "include_operations", "exclude_operations" }
local WIRING = { "guards", "dependencies", unpack(FILTERS) }

local function read_wiring(at, options)
  for _, key in ipairs(WIRING) do
    if options[key] ~= nil then
      scopes.must_be_first(at, key)
    end
  end
  scopes.read(at, scopes.app, { guards = options.guards, dependencies = options.dependencies })
  for _, key in ipairs(FILTERS) do
    if options[key] ~= nil then
      scopes.set_filter(at, options, key)
    end
  end
end

--- A number as the shortest text that reads back equal.
local function number_text(value)
  if value == math.floor(value) and math.abs(value) < 2 ^ 53 then
    return ("%d"):format(value)
  end
  return ("%.17g"):format(value)
end

local function number(at, t, key)
  local value = t[key]
  if type(value) ~= "number" then
    at:fail("%s must be a number, got %s", key, fields.told(value))
  end
  return number_text(value)
end

--- By kind of option: the texts to set, as a list.
local readers = {
  text = function(at, t, key)
    return { fields.string(at, t, key) }
  end,
  word = function(at, t, key)
    return { fields.string(at, t, key) }
  end,
  list = fields.strings,
  boolean = function(at, t, key)
    return { tostring(fields.boolean(at, t, key)) }
  end,
  count = function(at, t, key)
    return { number(at, t, key) }
  end,
  seconds = function(at, t, key)
    return { number(at, t, key) }
  end,
  bytes = function(at, t, key)
    if type(t[key]) == "string" then
      return { t[key] }
    end
    return { number(at, t, key) }
  end,
}

local function set(at, t, key, kind)
  local texts
  if key == "icons" then
    texts = { icons(at, t) }
  else
    texts = readers[kind](at, t, key)
  end
  for _, text in ipairs(texts) do
    local ok, why = core.set_option(key, text)
    if not ok then
      at:fail("%s", why)
    end
  end
end

local declared ---@type mcp.Place?

---@param options table<string, any>
local function server(options)
  local at = where.here("mcp.server")
  at:must_load()
  if type(options) ~= "table" then
    at:fail("a table of options is needed, got %s", fields.told(options))
  elseif declared then
    at:fail("called a second time; the first is at %s:%d", declared.file, declared.line)
  end
  declared = at

  local names, kinds = core.option_names()
  for _, name in ipairs(COMMAND_LINE) do
    if options[name] ~= nil then
      at:fail("%s is set on the command line: --%s", name, name)
    end
  end
  for _, name in ipairs(WIRING) do
    kinds[name] = "wiring"
  end
  fields.known(at, options, kinds)
  read_wiring(at, options)
  for _, name in ipairs(names) do
    if options[name] ~= nil then
      if BEFORE_TOOLS[name] and core.tool_count() > 0 then
        at:fail("%s must be set before the first tool is declared", name)
      end
      set(at, options, name, kinds[name])
    end
  end
end

return server
