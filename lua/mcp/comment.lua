--- mcp.comment: the doc comment (`---` lines) that belongs to a declaration.
---
--- It is read from the very bytes that were compiled, which the host keeps while
--- the app loads. The block that ends on the line above the function counts, else
--- the one above the statement that declares it.

local core = require "mcp.core"

local getinfo = debug.getinfo

local M = {}

---@class mcp.SourceLines
---@field text string
---@field starts integer[]  offset of each line's first byte

--- Split sources by chunk name. Weak: nothing of it is left after loading.
---@type table<string, mcp.SourceLines>
local cache = setmetatable({}, { __mode = "v" })

---@return mcp.SourceLines?
local function lines_of(chunk)
  local split = cache[chunk]
  local text = not split and core.source(chunk)
  if text then
    split = { text = text, starts = { 1 } }
    local starts, at = split.starts, 0
    repeat
      at = text:find("\n", at + 1, true)
      starts[#starts + 1] = at and at + 1
    until not at
    cache[chunk] = split
  end
  return split
end

--- What follows `---` on line `number`, or nil when that is no doc comment. A line
--- of dashes only is an empty one.
local function doc_line(lines, number)
  local first, next_first = lines.starts[number], lines.starts[number + 1]
  if not first then
    return nil
  end
  local line = lines.text:sub(first, (next_first or #lines.text + 2) - 2):gsub("\r$", "")
  local text = line:match("^%s*%-%-%-(.*)$")
  if text and text:find("^%-") then
    return text:find("^%-+%s*$") and "" or nil
  end
  return text
end

--- The lines of the block that ends on line `last`, without their dashes; nil: none.
---@return string[]?
local function block_ending(lines, last)
  local first = last + 1
  while doc_line(lines, first - 1) do
    first = first - 1
  end
  if first > last then
    return nil
  end
  local block = {}
  for number = first, last do
    block[#block + 1] = doc_line(lines, number)
  end
  return block
end

--- The doc comment of a declaration at `at` whose function is `f`; nil: none.
---@param at mcp.Place
---@param f function
---@return string[]? lines  each without its dashes
function M.find(at, f)
  local info = getinfo(f, "S")
  local lines = lines_of(info.source)
  local block = lines and block_ending(lines, info.linedefined - 1)
  if not block and not at.tail then
    lines = lines_of(at.source)
    block = lines and block_ending(lines, at.line - 1)
  end
  return block or nil
end

--- The prose of a block: every line that is no annotation.
---@param block string[]
---@return string? text  nil: there is none
function M.prose(block)
  local kept = {}
  for _, line in ipairs(block) do
    if not line:find("^%s*@") and not line:find("^%s*|") then
      kept[#kept + 1] = line:gsub("^ ", ""):gsub("%s+$", "")
    end
  end
  local text = table.concat(kept, "\n"):gsub("^%s+", ""):gsub("%s+$", "")
  return text ~= "" and text or nil
end

return M
