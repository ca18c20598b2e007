--- mcp.skill_source: skills that functions of the app tell of, call by call.
---
---     list(ctx)       every skill that this caller is to see
---     get(uri, ctx)   the one at the URI of a SKILL.md; nil: not ours
---     read(uri, ctx)  the content of one file; nil: not ours
---
--- One of list and get is enough. A skill that they give whole ({ name, description,
--- body, files }) needs no read. The host calls three functions of each source:
---
---     list   { op = "list" } -> entries;  { op = "files", uri } -> files below uri
---     get    { uri } -> entry;            read   { uri } -> content
---
--- Guards are for get and read: a list shows what the source itself lists.

local core = require "mcp.core"
local document = require "mcp.skill_document"
local entries = require "mcp.skill_entry"
local fields = require "mcp.fields"
local pipeline = require "mcp.pipeline"

local M = {}

local KNOWN = {
  prefix = true,
  list = true,
  get = true,
  read = true,
  guards = true,
  dependencies = true,
}

---@class mcp.SkillSourceRun
---@field at mcp.Place
---@field prefix string
---@field list? fun(ctx): table[]
---@field get? fun(uri, ctx): table?
---@field read? fun(uri, ctx): any

--- How many sources each line has declared.
local seen = {}

---@param at mcp.Place
local function name_of(at)
  local place = ("%s:%d"):format(at.file, at.line)
  local count = (seen[place] or 0) + 1
  seen[place] = count
  return count == 1 and place or ("%s#%d"):format(place, count)
end

--- nil, "message" is a failure, here too.
local function checked(value, why)
  if value == nil and why ~= nil then
    error(type(why) == "string" and { message = why } or why, 0)
  end
  return value
end

--- Every entry of its list.
local function all(source, ctx)
  local out = {}
  local given = source.list and checked(source.list(ctx)) or {}
  if type(given) ~= "table" or not fields.is_list(given) then
    source.at:fail("list() must return a list of skills, got %s", fields.told(given))
  end
  for i, entry in ipairs(given) do
    out[i] = entries.read(source.at, ("list()[%d]"):format(i), entry, source.prefix)
  end
  return out
end

--- The entry at the URI of a SKILL.md.
local function find(source, uri, ctx)
  if not source.get then
    for _, entry in ipairs(all(source, ctx)) do
      if entry.uri == uri then
        return entry
      end
    end
    return nil
  end
  local given = checked(source.get(uri, ctx))
  if given == nil then
    return nil
  end
  local entry = entries.read(source.at, ("get(%q)"):format(uri), given, source.prefix)
  if entry.uri ~= uri then
    source.at:fail("get(%q) returned another skill: %s", uri, entry.uri)
  end
  return entry
end

--- The skills that may have a file or a folder at `uri`: f(entry) until it returns
--- something.
local function each_around(source, uri, ctx, f)
  if source.list then
    for _, entry in ipairs(all(source, ctx)) do
      local found = f(entry)
      if found then
        return found
      end
    end
  end
  local root = source.get and uri
  while root and root:find "^skill://[^/]" do
    local entry = find(source, root .. "/SKILL.md", ctx)
    local found = entry and f(entry)
    if found then
      return found
    end
    root = root:match "^(.*)/[^/]*$"
  end
end

--- A file of a skill that was given whole.
local function content(source, uri, ctx)
  return each_around(source, uri, ctx, function(entry)
    local file = entry.contents and entry.contents[uri]
    if not file then
      return nil
    elseif file.is_blob then
      return core.blob(file.content, file.mime_type)
    elseif file.mime_type then
      return core.embedded { uri = uri, text = file.content, mime_type = file.mime_type }
    end
    return file.content
  end)
end

--- What an entry of the source says of the file at `uri`; nil: it says nothing.
local function told_of(source, uri, ctx)
  local function search(entry)
    for _, file in ipairs(type(entry.resources) == "table" and entry.resources or {}) do
      if file.uri == uri then
        return file
      end
    end
  end
  local around = { at = source.at, prefix = source.prefix, get = source.get }
  if not source.get then
    around.list = source.list
  end
  return each_around(around, uri:match "^(.*)/[^/]*$", ctx, search)
end

--- The bytes of what read returned; nil: they are not known before they are sent.
local function bytes_of(value)
  if type(value) ~= "table" then
    return type(value) == "string" and value or nil
  end
  local block = type(value.resource) == "table" and value.resource or value
  return block.text or block.blob or block.data
end

--- Refuses content that is not what the entry said: what clients would find out
--- when they verify it.
local function verify(source, uri, value, ctx)
  local file = told_of(source, uri, ctx)
  if not file then
    return
  end
  local bytes = bytes_of(value)
  if type(bytes) ~= "string" then
    source.at:fail("read(%q) must return the bytes that the digest is of, got %s", uri,
      fields.told(value))
  elseif #bytes ~= file.size then
    source.at:fail("read(%q) returned %d bytes, and its entry says %d", uri, #bytes, file.size)
  elseif "sha256:" .. core.sha256(bytes) ~= file.digest then
    source.at:fail("read(%q) returned other bytes than those of its digest", uri)
  end
end

--- The files below a folder: { uri, size, description } of all that is known.
local function files(source, uri, ctx)
  local out, below = core.array {}, uri .. "/"
  local function add(entry)
    local list = entry.names or entry.resources
    for _, file in ipairs(list) do
      local at = type(file) == "string" and file or file.uri
      if at:sub(1, #below) == below then
        local own = at == entry.uri
        out[#out + 1] = {
          uri = at, size = type(file) == "table" and file.size or nil,
          name = own and entry.frontmatter.name or nil,
          description = own and entry.frontmatter.description or nil,
        }
      end
    end
  end
  for _, entry in ipairs(all(source, ctx)) do
    add(entry)
  end
  if not out[1] then
    each_around({ at = source.at, prefix = source.prefix, get = source.get }, uri, ctx,
      function(entry)
        add(entry)
        return out[1]
      end)
  end
  return out
end

--- What the host calls, by the name that it knows it by.
local function operations(source)
  return {
    list = function(args, ctx)
      if args.op == "files" then
        return files(source, args.uri, ctx)
      end
      local out = core.array {}
      for i, entry in ipairs(all(source, ctx)) do
        out[i] = entries.shown(entry)
      end
      return out
    end,
    get = function(args, ctx)
      local entry = find(source, args.uri, ctx)
      return entry and entries.shown(entry)
    end,
    read = function(args, ctx)
      if not source.read then
        return content(source, args.uri, ctx)
      end
      local value, why = source.read(args.uri, ctx)
      if value ~= nil then
        verify(source, args.uri, value, ctx)
      end
      return value, why
    end,
  }
end

local function read_functions(at, decl, source)
  for _, key in ipairs { "list", "get", "read" } do
    local f = decl[key]
    if f ~= nil and type(f) ~= "function" then
      at:fail("%s must be a function, got %s", key, fields.told(f))
    end
    source[key] = f
  end
  if not source.list and not source.get then
    at:fail("a source needs list or get")
  end
end

--- Declares one source.
---@param at mcp.Place
---@param decl mcp.SkillSource
---@param parent? mcp.Scope  the controller's; its own fields are read already then
function M.add(at, decl, parent)
  if type(decl) ~= "table" then
    at:fail("a table { list, get, read } is needed, got %s", fields.told(decl))
  end
  if not parent then
    fields.known(at, decl, KNOWN)
  end
  local source = { at = at, prefix = document.prefix(at, decl) }
  read_functions(at, decl, source)
  local name, run = name_of(at), operations(source)
  for _, op in ipairs { "list", "get", "read" } do
    local wired = pipeline.item(at, "skill source", {
      handler = run[op],
      guards = not parent and decl.guards or nil,
      dependencies = not parent and decl.dependencies or nil,
    }, parent)
    if op == "list" then
      wired.guards = {}
    end
    local out = {
      name = ("%s (%s)"):format(op, name), op = op, prefix = source.prefix,
      handler = run[op], binds = wired.own,
    }
    wired:surround(out)
    local ok, why = core.add_skill_source(out)
    if not ok then
      at:fail("%s", why)
    end
  end
end

return M
