--- mcp.item: what the declarations of tools, resources and prompts share.
---
--- Needed in the first load only: a follow load gives names and handlers.

local comment = require "mcp.comment"
local core = require "mcp.core"
local fields = require "mcp.fields"
local icons = require "mcp.icons"

local M = {}

--- What clients show and models read.
---@param at mcp.Place
---@param decl table
---@param block? mcp.CommentBlock
---@return string?
local function description(at, decl, block)
  local parts = {
    fields.text(at, decl, "description")
      or fields.text(at, decl, "summary")
      or block and comment.prose(block),
  }
  for _, section in ipairs {
    { "when_to_use", "When to use" },
    { "returns", "Returns" },
    { "instructions", "Instructions" },
  } do
    local text = fields.text(at, decl, section[1])
    if text then
      parts[#parts + 1] = ("## %s\n%s"):format(section[2], text)
    end
  end
  return #parts > 0 and table.concat(parts, "\n\n") or nil
end

--- A value as JSON text, keys in byte order.
---@return string
function M.json(at, name, value)
  local text, path, why = core.encode_sorted(value)
  if not text then
    at:fail("%s%s %s", name, path, why)
  end
  return text
end

--- A table with string keys as JSON text; nil when it is empty.
---@return string?
function M.json_object(at, name, t)
  return next(t) ~= nil and M.json(at, name, t) or nil
end

--- A whole number from 0 on.
---@return integer?
function M.count(at, t, key)
  local value = t[key]
  local whole = type(value) == "number" and value >= 0 and value <= 2 ^ 53 and value % 1 == 0
  if value ~= nil and not whole then
    at:fail("%s must be a whole number from 0 on, got %s", key, fields.told(value))
  end
  return value
end

--- The field `cache`: { ttl_ms, scope }, as out.ttl_ms and out.cache_scope.
---@param at mcp.Place
---@param decl table
---@param out table
function M.cache(at, decl, out)
  local cache = fields.table(at, decl, "cache")
  if not cache then
    return
  end
  fields.known(at, cache, { ttl_ms = true, scope = true }, nil, "cache")
  out.ttl_ms = M.count(at, cache, "ttl_ms")
  out.cache_scope = fields.word(at, cache, "scope", { "private", "public" })
end

--- Adds to `out` the fields that every kind has.
---@param at mcp.Place
---@param decl table
---@param block? mcp.CommentBlock
---@param out table
function M.common(at, decl, block, out)
  if block and comment.has_tags(block) then
    require("mcp.luals").check_tags(block, at.what)
  end
  fields.strings(at, decl, "tags")
  out.title = fields.text(at, decl, "title")
  out.description = description(at, decl, block)
  out.icons = icons(at, decl)
  out.meta = M.json_object(at, "meta", fields.table(at, decl, "meta") or {})
  out.timeout = fields.seconds(at, decl, "timeout")
  out.file, out.line = at.file, at.line
end

return M
