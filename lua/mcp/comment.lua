--- mcp.comment: the doc comments (`---` lines) of the app's sources.
---
--- They are read from the very bytes that were compiled, which the host keeps while
--- the app loads. Of a declaration the block counts that ends on the line above the
--- function, else the one above the statement that declares it.

local core = require "mcp.core"

local getinfo = debug.getinfo

local M = {}

---@class mcp.SourceLines
---@field text string
---@field starts integer[]  offset of each line's first byte

--- The lines of one comment without their dashes, [1..n].
---@class mcp.CommentBlock
---@field chunk string   chunk name of the source
---@field first integer  line of [1]
---@field [integer] string

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
---@return string?
local function doc_line(lines, number)
  local first, next_first = lines.starts[number], lines.starts[number + 1]
  if not first then
    return nil
  end
  local line = lines.text:sub(first, (next_first or #lines.text + 2) - 2)
  local text = line:match("^%s*%-%-%-(.-)\r?$")
  if text and text:byte() == 45 then
    return text:find("^%-+%s*$") and "" or nil
  end
  return text
end

--- Lines `first` to `last`, which are doc comments.
local function make_block(chunk, lines, first, last)
  local block = { chunk = chunk, first = first }
  for number = first, last do
    block[#block + 1] = doc_line(lines, number)
  end
  return block
end

---@return mcp.CommentBlock?
local function block_ending(chunk, last)
  local lines = lines_of(chunk)
  if not lines or not doc_line(lines, last) then
    return nil
  end
  local first = last
  while doc_line(lines, first - 1) do
    first = first - 1
  end
  return make_block(chunk, lines, first, last)
end

--- The doc comment of a declaration at `at` whose function is `f`; nil: none.
---@param at mcp.Place
---@param f function
---@return mcp.CommentBlock?
function M.find(at, f)
  local info = getinfo(f, "S")
  local block = block_ending(info.source, info.linedefined - 1)
  if not block and not at.tail then
    block = block_ending(at.source, at.line - 1)
  end
  return block
end

--- The doc comment above a declaration that has no function; nil: none.
---@param at mcp.Place
---@return mcp.CommentBlock?
function M.above(at)
  return block_ending(at.source, at.line - 1)
end

--- Every doc comment of a source; nil when the source is not known.
---@param chunk string
---@return mcp.CommentBlock[]?
function M.all(chunk)
  local lines = lines_of(chunk)
  if not lines then
    return nil
  end
  local blocks, first = {}, nil
  for number = 1, #lines.starts + 1 do
    if doc_line(lines, number) then
      first = first or number
    elseif first then
      blocks[#blocks + 1] = make_block(chunk, lines, first, number - 1)
      first = nil
    end
  end
  return blocks
end

--- The source text from the start of a line on.
---@return string
function M.text_from(chunk, number)
  local lines = lines_of(chunk)
  local start = lines and lines.starts[number]
  return start and lines.text:sub(start) or ""
end

--- Does the block say anything about arguments or results?
---@param block? string[]
function M.has_types(block)
  for _, line in ipairs(block or {}) do
    if line:find("^%s*@param") or line:find("^%s*@return") then
      return true
    end
  end
  return false
end

--- Does it have any annotation?
---@param block string[]
function M.has_tags(block)
  for _, line in ipairs(block) do
    if line:find("^%s*@") then
      return true
    end
  end
  return false
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
