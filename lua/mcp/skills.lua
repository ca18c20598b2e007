--- mcp.skills: serve the Agent Skills of folders and of functions.
---
---     mcp.skills { paths = { "skills" } }
---     mcp.skills { sources = { { list = f, get = f, read = f } } }
---
--- Source: SEP-2640, extension io.modelcontextprotocol/skills.

local core = require "mcp.core"
local document = require "mcp.skill_document"
local fields = require "mcp.fields"
local guard = require "mcp.skill_guard"
local item = require "mcp.item"
local source = require "mcp.skill_source"
local where = require "mcp.where"

local KNOWN = {
  paths = true,
  prefix = true,
  sources = true,
  expose_as_resources = true,
  directory_read = true,
  max_files = true,
  max_bytes = true,
  cache = true,
}

local declared ---@type mcp.Place?

--- A whole number from 1 on.
local function positive(at, options, key)
  local value = item.count(at, options, key)
  if value == 0 then
    at:fail("%s must be at least 1", key)
  end
  return value
end

local function add_folders(at, options)
  local paths = fields.strings(at, options, "paths") or {}
  local prefix = document.prefix(at, options)
  if options.paths and #paths == 0 then
    at:fail("paths names no folder")
  elseif prefix ~= "" and #paths == 0 then
    at:fail("prefix is for the skills of paths, and there are none")
  end
  if #paths > 0 then
    guard(at)
  end
  if core.following() then
    return
  end
  for _, path in ipairs(paths) do
    local ok, why = core.add_skill_folder {
      path = path, prefix = prefix, file = at.file, line = at.line,
    }
    if not ok then
      at:fail("%s", why)
    end
  end
end

local function add_sources(at, options)
  local sources = fields.table(at, options, "sources") or {}
  if not fields.is_list(sources) then
    at:fail("sources must be a list of tables { list, get, read }")
  end
  for i, decl in ipairs(sources) do
    local place = where.at(("%s: sources[%d]"):format(at.what, i), at.source, at.line)
    source.add(place, decl)
  end
end

---@param options mcp.Skills
local function skills(options)
  local at = where.here "mcp.skills"
  at:must_load()
  if type(options) ~= "table" then
    at:fail('a table { paths = { "skills" } } is needed, got %s', fields.told(options))
  elseif declared then
    at:fail("called a second time; the first is at %s:%d", declared.file, declared.line)
  end
  declared = at
  fields.known(at, options, KNOWN)
  local out = {
    expose = fields.boolean(at, options, "expose_as_resources"),
    directory_read = fields.boolean(at, options, "directory_read"),
    max_files = positive(at, options, "max_files"),
    max_bytes = positive(at, options, "max_bytes"),
  }
  item.cache(at, options, out)
  if not core.following() then
    core.set_skills(out)
  end
  add_folders(at, options)
  add_sources(at, options)
end

return skills
