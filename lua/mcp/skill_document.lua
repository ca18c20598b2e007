--- mcp.skill_document: one skill made in code: its SKILL.md and its other files.
---
---     name, description, license, compatibility, allowed_tools, metadata, body
---     text        the whole SKILL.md instead of these
---     files       { ["references/forms.md"] = "...", ["logo.png"] = { blob = bytes } }
---
--- The front matter that is written here is YAML of quoted strings only, so that
--- nothing in it can be read as something else.
---
--- Source: agentskills.io, specification.

local fields = require "mcp.fields"
local item = require "mcp.item"

local M = {}

--- The fields of a declaration that make the skill.
local KNOWN = {
  name = true,
  description = true,
  license = true,
  compatibility = true,
  allowed_tools = true,
  metadata = true,
  body = true,
  text = true,
  files = true,
}
M.KNOWN = KNOWN

local MAX_NAME, MAX_DESCRIPTION, MAX_COMPATIBILITY = 64, 1024, 500

--- What is wrong with the name of a skill; nil: nothing.
---@param name any
---@return string?
function M.name_fault(name)
  if type(name) ~= "string" then
    return "must be a string, got " .. fields.told(name)
  elseif #name == 0 or #name > MAX_NAME then
    return ("must have 1 to %d characters, not %d"):format(MAX_NAME, #name)
  elseif name:find "[^a-z0-9-]" then
    return ("may have a-z, 0-9 and hyphens only, got %s"):format(fields.told(name))
  elseif name:find "^%-" or name:find "%-$" or name:find("--", 1, true) then
    return ("must not begin or end with a hyphen nor have two in a row, got %s")
      :format(fields.told(name))
  end
end

--- How many characters a UTF-8 text has.
local function length(text)
  local _, continued = text:gsub("[\128-\191]", "")
  return #text - continued
end

--- What is wrong with the description of a skill; nil: nothing.
---@param text any
---@return string?
function M.description_fault(text)
  if type(text) ~= "string" then
    return "must be a string, got " .. fields.told(text)
  elseif not text:find "%S" then
    return "must say what the skill does and when to use it"
  elseif length(text) > MAX_DESCRIPTION then
    return ("must have at most %d characters, not %d"):format(MAX_DESCRIPTION, length(text))
  end
end

--- What is wrong with a prefix ("acme/billing"); nil: nothing.
---@param prefix string
---@return string?
function M.prefix_fault(prefix)
  for part in (prefix .. "/"):gmatch "(.-)/" do
    if not part:find "^[A-Za-z0-9][A-Za-z0-9_.-]*$" then
      return ('must be names of A-Z, a-z, 0-9, "-", "_" and "." with "/" between them, got %s')
        :format(fields.told(prefix))
    end
  end
end

--- The field `prefix`; "" when there is none.
---@return string
function M.prefix(at, decl)
  local prefix = fields.text(at, decl, "prefix")
  local fault = prefix and M.prefix_fault(prefix)
  if fault then
    at:fail("prefix %s", fault)
  end
  return prefix or ""
end

-- SKILL.md --------------------------------------------------------------------

local function check_text(at, key, value)
  if value and value:find "[%z\1-\8\11-\31\127]" then
    at:fail("%s has a control character inside", key)
  end
  return value
end

local function optional(at, decl, key)
  return check_text(at, key, fields.text(at, decl, key))
end

--- `metadata`, a table of strings; numbers and booleans become some.
local function read_metadata(at, decl)
  local given, out = fields.table(at, decl, "metadata"), {}
  if not given or next(given) == nil then
    return nil
  end
  for _, key in ipairs(fields.sorted_keys(given)) do
    local value = given[key]
    if type(key) ~= "string" then
      at:fail("metadata must have names as keys, got [%s]", fields.told(key))
    elseif type(value) ~= "string" then
      at:fail("metadata.%s must be a string, got %s", key, fields.told(value))
    end
    out[key] = check_text(at, "metadata." .. key, value)
  end
  return out
end

local function read_frontmatter(at, decl)
  local fault = M.name_fault(decl.name)
  if fault then
    at:fail("name %s", fault)
  end
  fault = M.description_fault(decl.description)
  if fault then
    at:fail("description %s", fault)
  end
  local compatibility = optional(at, decl, "compatibility")
  if compatibility and length(compatibility) > MAX_COMPATIBILITY then
    at:fail("compatibility must have at most %d characters, not %d", MAX_COMPATIBILITY,
      length(compatibility))
  end
  local tools = fields.strings(at, decl, "allowed_tools")
  return {
    name = decl.name,
    description = check_text(at, "description", decl.description),
    license = optional(at, decl, "license"),
    compatibility = compatibility,
    ["allowed-tools"] = tools and check_text(at, "allowed_tools", table.concat(tools, " ")),
    metadata = read_metadata(at, decl),
  }
end

local ORDER = { "name", "description", "license", "compatibility", "allowed-tools" }

--- A string as JSON writes it, which YAML reads alike.
local function quoted(at, key, text)
  return item.json(at, key, text)
end

local function write(at, front, body)
  local lines = { "---" }
  for _, key in ipairs(ORDER) do
    if front[key] then
      lines[#lines + 1] = key .. ": " .. quoted(at, key, front[key])
    end
  end
  if front.metadata then
    lines[#lines + 1] = "metadata:"
    for _, key in ipairs(fields.sorted_keys(front.metadata)) do
      lines[#lines + 1] = ("  %s: %s"):format(quoted(at, "metadata", key),
        quoted(at, "metadata." .. key, front.metadata[key]))
    end
  end
  lines[#lines + 1] = "---\n"
  local head = table.concat(lines, "\n")
  return body and head .. "\n" .. body or head
end

-- Files -----------------------------------------------------------------------

--- What is wrong with the path of a file in a skill; nil: nothing.
local function path_fault(path)
  if type(path) ~= "string" then
    return "must be the path of a file"
  elseif path == "SKILL.md" then
    return "is made of the other fields"
  elseif path:find "[%z\1-\31\127\\]" then
    return "has a backslash or a control character inside"
  end
  for part in (path .. "/"):gmatch "(.-)/" do
    if part == "" or part:find "^%." then
      return 'must be a relative path without empty parts, "..", and names that begin with a dot'
    end
  end
end

local CONTENT = { text = true, blob = true, file = true, mime_type = true }

--- One file as { path, content | content_file, mime_type }.
local function read_file(at, path, given)
  local what = ("files[%q]"):format(path)
  if type(given) == "string" then
    return { path = path, content = given }
  elseif type(given) ~= "table" then
    at:fail("%s must be a string or a table { text | blob | file }, got %s", what,
      fields.told(given))
  end
  fields.known(at, given, CONTENT, nil, what)
  local out, count = { path = path, mime_type = fields.string(at, given, "mime_type") }, 0
  for _, key in ipairs { "text", "blob", "file" } do
    if given[key] ~= nil then
      if type(given[key]) ~= "string" then
        at:fail("%s: %s must be a string, got %s", what, key, fields.told(given[key]))
      end
      count = count + 1
      out[key == "file" and "content_file" or "content"] = given[key]
      out.is_blob = key == "blob"
    end
  end
  if count ~= 1 then
    at:fail("%s needs one of text, blob, file", what)
  end
  return out
end

---@return { path: string, content?: string, content_file?: string, mime_type?: string }[]
local function read_files(at, decl)
  local given, out = fields.table(at, decl, "files") or {}, {}
  for i, path in ipairs(fields.sorted_keys(given)) do
    local fault = path_fault(path)
    if fault then
      at:fail("files[%s] %s", fields.told(path), fault)
    end
    out[i] = read_file(at, path, given[path])
  end
  return out
end

--- The skill of a declaration. `frontmatter` is nil when it is in the text only.
---@param at mcp.Place
---@param decl table
---@return { text: string, frontmatter?: table, files: table[] }
function M.read(at, decl)
  local text = decl.text
  if text == nil then
    local front = read_frontmatter(at, decl)
    local body = decl.body
    if body ~= nil and type(body) ~= "string" then
      at:fail("body must be a string, got %s", fields.told(body))
    end
    return { text = write(at, front, body), frontmatter = front, files = read_files(at, decl) }
  elseif type(text) ~= "string" then
    at:fail("text must be a string, got %s", fields.told(text))
  end
  for _, key in ipairs(fields.sorted_keys(KNOWN)) do
    if key ~= "text" and key ~= "files" and decl[key] ~= nil then
      at:fail("text is the whole SKILL.md; %s belongs into its front matter", key)
    end
  end
  return { text = text, files = read_files(at, decl) }
end

return M
