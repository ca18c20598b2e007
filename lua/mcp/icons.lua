--- mcp.icons: the `icons` field of the server and of items, as JSON text.
---
--- Source: MCP 2026-07-28, schema, data type "Icon".

local core = require "mcp.core"
local fields = require "mcp.fields"

---@class mcp.Icon
---@field src string          URL or data: URI
---@field mime_type? string
---@field sizes? string[]     "48x48", "any"
---@field theme? "light"|"dark"

local KNOWN = { src = true, mime_type = true, sizes = true, theme = true }

local function icon(at, entry, index)
  local name = ("icons[%d]"):format(index)
  if type(entry) ~= "table" then
    at:fail("%s must be a table { src = \"https://...\" }, got %s", name, fields.told(entry))
  end
  fields.known(at, entry, KNOWN, nil, name)
  if type(entry.src) ~= "string" then
    at:fail("%s: src must be a string, got %s", name, fields.told(entry.src))
  end
  return {
    src = entry.src,
    mimeType = fields.string(at, entry, "mime_type"),
    sizes = fields.strings(at, entry, "sizes"),
    theme = fields.word(at, entry, "theme", { "light", "dark" }),
  }
end

--- The field `icons` of `t` as JSON text, or nil.
---@param at mcp.Place
---@param t { icons?: mcp.Icon[] }
---@return string?
return function(at, t)
  local list = fields.table(at, t, "icons")
  if not list then
    return nil
  elseif not fields.is_list(list) then
    at:fail("icons must be a list of tables { src = \"https://...\" }")
  end
  local out = {}
  for i, entry in ipairs(list) do
    out[i] = icon(at, entry, i)
  end
  local text, path, why = core.encode_sorted(core.array(out))
  if not text then
    at:fail("icons%s %s", path, why)
  end
  return text
end
