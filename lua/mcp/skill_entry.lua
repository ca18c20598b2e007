--- mcp.skill_entry: what a source gives as a skill, checked.
---
---     { name, description, body, files, ... }     made here: mcp.skill_document
---     { uri, frontmatter, resources, files }      the entry as clients get it
---
--- `resources` is a complete list of { uri, digest, size } or "dynamic"; of a
--- dynamic one `files` names the files, for those who look into its folder.
---
--- Source: SEP-2640, "Skill Entries".

local core = require "mcp.core"
local document = require "mcp.skill_document"
local fields = require "mcp.fields"

local M = {}

local MADE = {}
for name in pairs(document.KNOWN) do
  MADE[name] = name ~= "text" and true or nil
end

local GIVEN_FIELDS = {
  uri = true,
  frontmatter = true,
  resources = true,
  files = true,
}
local RESOURCE = { uri = true, digest = true, size = true }
local SCHEME, SUFFIX = "skill://", "/SKILL.md"
local MAX_FILES, MAX_BYTES = 512, 16 * 1024 * 1024

--- A path as a URI has it: as src/features/skill_uri.h spells it.
local function encoded(path)
  return (path:gsub("[^%w%-._~!$&'()*+,;=/]", function(c)
    return ("%%%02X"):format(c:byte())
  end))
end

---@class mcp.SkillEntry
---@field uri string
---@field frontmatter table
---@field resources table|"dynamic"
---@field root string                    the URI of its folder
---@field names? string[]                URIs of the files of a dynamic one
---@field contents? table<string, table> of a made one, by URI

--- A place whose refusals tell which entry is meant.
---@param at mcp.Place
---@param where string  "list()[2]"
local function inside(at, where)
  return setmetatable({ what = at.what .. ": " .. where }, { __index = at })
end

--- What a skill may have, so that every host takes it.
local function check_size(at, what, count, bytes)
  if count > MAX_FILES then
    at:fail("%s has %d files; hosts take at most %d", what, count, MAX_FILES)
  elseif bytes > MAX_BYTES then
    at:fail("%s has %d bytes; hosts take at most %d", what, bytes, MAX_BYTES)
  end
end

-- Made here -------------------------------------------------------------------

local function make(at, given, prefix)
  fields.known(at, given, MADE)
  local made = document.read(at, given)
  local root = SCHEME .. (prefix ~= "" and prefix .. "/" or "") .. given.name
  local entry = {
    uri = root .. SUFFIX, root = root, frontmatter = made.frontmatter,
    resources = {}, contents = {},
  }
  table.insert(made.files, 1, { path = "SKILL.md", content = made.text })
  local bytes = 0
  for _, file in ipairs(made.files) do
    if not file.content then
      at:fail("files[%q]: a source has no files on disk; give text or blob", file.path)
    end
    bytes = bytes + #file.content
  end
  check_size(at, "the skill", #made.files, bytes)
  for i, file in ipairs(made.files) do
    local uri = root .. "/" .. encoded(file.path)
    entry.resources[i] = {
      uri = uri, digest = "sha256:" .. core.sha256(file.content), size = #file.content,
    }
    entry.contents[uri] = file
  end
  return entry
end

-- Given -----------------------------------------------------------------------

--- The URI of the folder of a skill.
local function root_of(at, uri, prefix)
  local below = SCHEME .. (prefix ~= "" and prefix .. "/" or "")
  if type(uri) ~= "string" then
    at:fail("uri must be a string, got %s", fields.told(uri))
  elseif uri:sub(1, #below) ~= below or uri:sub(-#SUFFIX) ~= SUFFIX then
    at:fail("uri must be %s...%s, got %s", below, SUFFIX, fields.told(uri))
  elseif uri:find "[%z\1-\32\127?#]" then
    at:fail("uri must have no spaces, no query and no fragment, got %s", fields.told(uri))
  end
  local root = uri:sub(1, -#SUFFIX - 1)
  for part in (root:sub(#SCHEME + 1) .. "/"):gmatch "(.-)/" do
    if part == "" or part == "." or part == ".." then
      at:fail('uri must have no empty, "." or ".." parts, got %s', fields.told(uri))
    end
  end
  return root
end

local function check_frontmatter(at, front, root)
  if type(front) ~= "table" then
    at:fail("frontmatter must be a table, got %s", fields.told(front))
  end
  local fault = document.name_fault(front.name)
  if fault then
    at:fail("frontmatter.name %s", fault)
  end
  fault = document.description_fault(front.description)
  if fault then
    at:fail("frontmatter.description %s", fault)
  elseif root:match "([^/]*)$" ~= front.name then
    at:fail("uri must end with /%s%s, as frontmatter.name says", front.name, SUFFIX)
  end
end

--- One file of `resources`; its size.
local function check_resource(at, i, resource, root, seen)
  local what = ("resources[%d]"):format(i)
  if type(resource) ~= "table" then
    at:fail("%s must be a table { uri, digest, size }, got %s", what, fields.told(resource))
  end
  fields.known(at, resource, RESOURCE, nil, what)
  local uri, digest, size = resource.uri, resource.digest, resource.size
  if type(uri) ~= "string" or uri:sub(1, #root + 1) ~= root .. "/" or uri:find("/%.%.?/")
    or uri:find("/%.%.?$") then
    at:fail("%s.uri must be inside of %s/, got %s", what, root, fields.told(uri))
  elseif seen[uri] then
    at:fail("%s.uri is there twice: %s", what, uri)
  elseif type(digest) ~= "string" or not digest:find("^sha256:" .. ("[0-9a-f]"):rep(64) .. "$") then
    at:fail('%s.digest must be "sha256:" and 64 lower-case hexadecimal digits, got %s', what,
      fields.told(digest))
  elseif type(size) ~= "number" or size < 0 or size % 1 ~= 0 or size > MAX_BYTES then
    at:fail("%s.size must be a number of bytes from 0 to %d, got %s", what, MAX_BYTES,
      fields.told(size))
  end
  seen[uri] = true
  return size
end

local function check_resources(at, resources, root)
  if resources == "dynamic" then
    return
  elseif type(resources) ~= "table" or not fields.is_list(resources) or #resources == 0 then
    at:fail('resources must be a list of { uri, digest, size } or "dynamic", got %s',
      fields.told(resources))
  end
  check_size(at, "resources", #resources, 0)
  local seen, total = {}, 0
  for i, resource in ipairs(resources) do
    total = total + check_resource(at, i, resource, root, seen)
  end
  if not seen[root .. SUFFIX] then
    at:fail("resources must have %s%s itself", root, SUFFIX)
  end
  check_size(at, "resources", #resources, total)
end

--- The URIs that `files` of a dynamic entry names.
local function read_names(at, given, root)
  local names = { root .. SUFFIX }
  if given.files ~= nil and given.resources ~= "dynamic" then
    at:fail('files is for resources = "dynamic"; a list of resources tells all')
  end
  for _, path in ipairs(fields.strings(at, given, "files") or {}) do
    if path:find "^/" or ("/" .. path .. "/"):find "/%.*/" then
      at:fail("files: %s must be a path within the skill", fields.told(path))
    elseif path ~= "SKILL.md" then
      names[#names + 1] = root .. "/" .. encoded(path)
    end
  end
  return names
end

local function check(at, given, prefix)
  fields.known(at, given, GIVEN_FIELDS)
  local root = root_of(at, given.uri, prefix)
  check_frontmatter(at, given.frontmatter, root)
  check_resources(at, given.resources, root)
  return {
    uri = given.uri, root = root, frontmatter = given.frontmatter, resources = given.resources,
    names = given.resources == "dynamic" and read_names(at, given, root) or nil,
  }
end

--- Checks what the app gave; refuses it at the source's line.
---@param at mcp.Place
---@param what string    "list()[2]"
---@param given any
---@param prefix string  of the source; "": none
---@return mcp.SkillEntry
function M.read(at, what, given, prefix)
  at = inside(at, what)
  if type(given) ~= "table" then
    at:fail("must be a table { name, description, body } or { uri, frontmatter, resources }, "
      .. "got %s", fields.told(given))
  elseif given.uri ~= nil or given.frontmatter ~= nil or given.resources ~= nil then
    return check(at, given, prefix)
  end
  return make(at, given, prefix)
end

--- What clients get of it.
---@param entry mcp.SkillEntry
function M.shown(entry)
  return { uri = entry.uri, frontmatter = entry.frontmatter, resources = entry.resources }
end

return M
