--- mcp.luals_enum: the values of an `---@enum`, read from the table behind it.
---
---     ---@enum Color
---     local COLORS = { RED = "red", GREEN = "green" }
---
--- Only constants are read; nothing is run.

local comment = require "mcp.comment"

local M = {}

local ESCAPES = { n = "\n", t = "\t", r = "\r" }

--- The next token that `pattern` (one capture) matches at `at`.
local function take(text, at, pattern)
  local found, stop = text:match("^" .. pattern .. "()", at)
  return found, stop or at
end

--- White space and comments.
local function skip(text, at)
  while true do
    local stop = text:match("^%s+()", at)
    if not stop then
      stop = select(2, text:match("^%-%-%[(=*)%[.-%]%1%]()", at))
      stop = stop or text:match("^%-%-[^\n]*()", at)
    end
    if not stop then
      return at
    end
    at = stop
  end
end

local function quoted(text, at)
  local quote = text:match("^[\"']", at)
  if not quote then
    return nil, at
  end
  local stop = at + 1
  while true do
    local c = text:sub(stop, stop)
    if c == "" or c == "\n" then
      return nil, at
    elseif c == quote then
      break
    end
    stop = stop + (c == "\\" and 2 or 1)
  end
  local inside = text:sub(at + 1, stop - 1):gsub("\\(.)", function(c)
    return ESCAPES[c] or c
  end)
  return inside, stop + 1
end

--- A constant at `at`, or nil.
local function constant(text, at)
  local value, stop = quoted(text, at)
  if value then
    return value, stop
  end
  value, stop = take(text, at, "(%-?%.?%d[%w%.]*)")
  if value then
    return tonumber(value), stop
  end
  value, stop = take(text, at, "([%a_][%w_]*)")
  if value == "true" or value == "false" then
    return value == "true", stop
  end
  return nil, at
end

--- `KEY =` or `["KEY"] =` at `at`; nil: none is there.
local function key_at(text, at)
  local key, stop = take(text, at, "([%a_][%w_]*)%s*=[^=]")
  if key then
    return key, stop - 1
  end
  local inner = text:match("^%[%s*()", at)
  if inner then
    key, stop = quoted(text, inner)
    stop = key and text:match("^%s*%]%s*=()", stop)
  end
  return stop and key, stop or at
end

--- One entry at `at`: its key (may be nil), its value (nil: not a constant).
local function entry(text, at)
  local key, stop = key_at(text, at)
  local value
  value, stop = constant(text, skip(text, stop))
  return key, value, skip(text, stop)
end

--- The values of the enum `named`, in their order.
---@param named mcp.Named
---@return any[]
function M.values(named)
  local text = comment.text_from(named.chunk, named.line)
  local at = text:match("^[%w_%s%.:\"'%[%]]*=%s*{()")
  if not at then
    named.at:fail("%s: a table of constants must stand on the next line", named.name)
  end
  local values = {}
  at = skip(text, at)
  while text:sub(at, at) ~= "}" do
    local key, value, stop = entry(text, at)
    if value == nil or not text:find("^[,;}]", stop) then
      named.at:fail("%s: value %d is no string, number or boolean", named.name, #values + 1)
    elseif named.by_key and key == nil then
      named.at:fail("%s: value %d has no key", named.name, #values + 1)
    end
    values[#values + 1] = named.by_key and key or value
    at = skip(text, text:match("^[,;]()", stop) or stop)
  end
  if #values == 0 then
    named.at:fail("%s has no values", named.name)
  end
  return values
end

return M
