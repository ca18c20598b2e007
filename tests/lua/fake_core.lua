--- fake_core: mcp.core in Lua, for specs of lua/mcp without the host.
---
--- It keeps to the contract in src/app/declare.h. load(text) runs an app in a
--- fresh "mcp" and tells what it declared.

local M = {}

local FIRST = { "$schema", "$id", "type", "title", "description", "properties", "required" }

local array_mark, object_mark = {}, {}
local null = newproxy and newproxy(false) or {}

local function quote(s)
  return '"' .. s:gsub('[%c"\\]', function(c)
    local short = ({ ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t" })[c]
    return short or ("\\u%04x"):format(c:byte())
  end) .. '"'
end

local function is_list(t)
  local count = 0
  for _ in pairs(t) do
    count = count + 1
  end
  return count == #t and count > 0
end

--- A list of { "name", value } pairs.
local function is_pairs(t)
  for _, entry in ipairs(t) do
    if type(entry) ~= "table" or #entry ~= 2 or type(entry[1]) ~= "string" then
      return false
    end
  end
  return #t > 0
end

local write

local function write_object(pairs_list, path, schema)
  local out = {}
  for _, pair in ipairs(pairs_list) do
    local inner = schema
    if schema == "properties" then
      inner = "schema"
    elseif schema == "schema" and pair[1] == "properties" then
      inner = "properties"
    end
    out[#out + 1] = quote(pair[1]) .. ":" .. write(pair[2], path .. "/" .. pair[1], inner)
  end
  return "{" .. table.concat(out, ",") .. "}"
end

local function ordered(t, schema)
  local rank, list = {}, {}
  for i, key in ipairs(schema and FIRST or {}) do
    rank[key] = i
  end
  for key, value in pairs(t) do
    list[#list + 1] = { key, value }
  end
  table.sort(list, function(a, b)
    local x, y = rank[a[1]] or 99, rank[b[1]] or 99
    return x < y or x == y and a[1] < b[1]
  end)
  return list
end

function write(value, path, schema)
  local kind = type(value)
  if value == null then
    return "null"
  elseif kind == "string" then
    return quote(value)
  elseif kind == "boolean" then
    return tostring(value)
  elseif kind == "number" then
    return value == math.floor(value) and ("%d"):format(value) or ("%.17g"):format(value)
  elseif kind ~= "table" then
    error({ path = path, why = "is a " .. kind .. ", which JSON cannot carry" })
  elseif schema == "properties" and is_pairs(value) then
    return write_object(value, path, schema)
  elseif getmetatable(value) == array_mark or is_list(value) then
    local out = {}
    for i, entry in ipairs(value) do
      out[i] = write(entry, path .. "/" .. i - 1, schema)
    end
    return "[" .. table.concat(out, ",") .. "]"
  end
  return write_object(ordered(value, schema == "schema"), path, schema)
end

local function encoder(schema)
  return function(value)
    local ok, text = pcall(write, value, "", schema)
    if ok then
      return text
    elseif type(text) == "table" then
      return nil, text.path, text.why
    end
    error(text, 0)
  end
end

--- Is one edit enough? All that the specs need of the real one.
local function near(a, b)
  a, b = a:lower():gsub("[-_]", ""), b:lower():gsub("[-_]", "")
  for i = 0, #a do
    local without = a:sub(1, i) .. a:sub(i + 2)
    for j = 0, #b do
      if without == b:sub(1, j) .. b:sub(j + 2) or a == b:sub(1, j) .. b:sub(j + 2)
        or without == b then
        return true
      end
    end
  end
  return false
end

local KINDS = {
  name = "text", version = "text", title = "text", instructions = "text", icons = "text",
  website_url = "text", host = "text", port = "count", allowed_hosts = "list",
  call_timeout = "seconds", memory_limit = "bytes", sessions = "word",
  extra_arguments = "word", assert_format = "boolean", expose_errors = "boolean",
  infer_http_method_annotations = "boolean",
}

--- A function that keeps what it is given in `list`, once per `key`.
local function adder(list, kind, key)
  return function(item)
    local name = item[key] or item.uri_template
    for _, other in ipairs(list) do
      if (other[key] or other.uri_template) == name then
        return nil, ("%s %q is declared twice: %s:%d and %s:%d"):format(
          kind, name, other.file, other.line, item.file, item.line)
      end
    end
    list[#list + 1] = item
    return true
  end
end

local function keep(list, item)
  list[#list + 1] = item
  return true
end

--- A core whose records are in `state`.
---@param state table
function M.new(state)
  local core = {
    null = null,
    array = function(t) return setmetatable(t, array_mark) end,
    object = function(t) return setmetatable(t, object_mark) end,
    is_null = function(x) return x == null end,
    encode = encoder(nil),
    encode_sorted = encoder("sorted"),
    encode_schema = encoder("schema"),
    loading = function() return state.loading end,
    following = function() return state.following end,
    extra_arguments = function() return state.options.extra_arguments == "allow" end,
    infer_annotations = function()
      return state.options.infer_http_method_annotations ~= "false"
    end,
    tool_count = function() return #state.tools end,
    add_tool = adder(state.tools, "tool", "name"),
    add_resource = adder(state.resources, "resource", "uri"),
    read_content = function(path)
      if path:find("^none") then
        return nil, ('cannot read "./%s": No such file or directory'):format(path)
      end
      local is_image = path:find("%.png$") ~= nil
      return "bytes of " .. path, not is_image, is_image and "image/png" or nil
    end,
    add_prompt = adder(state.prompts, "prompt", "name"),
    set_skills = function(options) state.skill_options = options end,
    add_skill = function(skill) return keep(state.skills, skill) end,
    add_skill_folder = function(folder) return keep(state.skill_folders, folder) end,
    add_skill_source = adder(state.skill_sources, "skill source", "name"),
    sha256 = function(bytes) return ("%064x"):format(#bytes) end,
    add_route = adder(state.routes, "route", "name"),
    keep_finish = function(f) state.finish = f end,
    expect_finish = function() state.finish_expected = true end,
    keep_life = function(f) state.life = f end,
    log_fault = function(text) table.insert(state.log, text) end,
    now = function() return state.now end,
    add_to_ctx = function(functions) state.ctx = functions end,
    source = function(chunk) return state.sources[chunk] end,
    end_call = function(kind, data)
      error({ ended = kind, data = data })
    end,
  }
  for _, name in ipairs {
    "text", "image", "audio", "resource_link", "embedded", "result", "http", "blob", "user",
    "assistant",
    "notify_resource_updated", "notify_list_changed",
  } do
    core[name] = function() end
  end
  function core.option_names()
    local names, kinds = {}, {}
    for name, kind in pairs(KINDS) do
      names[#names + 1], kinds[name] = name, kind
    end
    table.sort(names)
    return names, kinds
  end
  function core.set_option(name, text)
    if name == "port" and tonumber(text) > 65535 then
      return nil, "port must be a number from 0 to 65535, not " .. text
    end
    local known = state.options[name]
    state.options[name] = known and KINDS[name] == "list" and known .. "," .. text or text
    return true
  end
  function core.suggest(name, list)
    for _, known in ipairs(list) do
      if near(name, known) then
        return known
      end
    end
  end
  return core
end

--- A fresh "mcp" over a fresh core.
---@return table mcp, table state
function M.fresh()
  local state = { loading = true, following = false, options = {}, sources = {} }
  state.skills, state.skill_folders, state.skill_sources = {}, {}, {}
  state.tools, state.resources, state.prompts, state.routes = {}, {}, {}, {}
  state.log, state.now = {}, 0
  for name in pairs(package.loaded) do
    if name == "mcp" or name:find("^mcp%.") then
      package.loaded[name] = nil
    end
  end
  package.loaded["mcp.core"] = M.new(state)
  return require "mcp", state
end

--- Runs `text` as app.lua. `mcp` and `t` are there as globals of the app.
---@param text string
---@return table state  tools, resources, prompts, routes, options, error (the message of a
---  refused load)
function M.load(text, setup)
  local mcp, state = M.fresh()
  state.sources["@app.lua"] = text
  if setup then
    setup(state)
  end
  local app = assert(loadstring(text, "@app.lua"))
  setfenv(app, setmetatable({ mcp = mcp, t = mcp.types }, { __index = _G }))
  local ok, err = pcall(app)
  state.error = not ok and err or nil
  return state
end

return M
