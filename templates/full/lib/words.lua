--- Words of a text, without anything of MCP: easy to test and to use elsewhere.

local M = {}

--- Too common to say anything.
M.IGNORED = { "a", "an", "and", "in", "is", "of", "the", "to" }

local ignored = {}
for _, word in ipairs(M.IGNORED) do
  ignored[word] = true
end

--- How many words there are.
---@param text string
---@return integer
function M.count(text)
  local n = 0
  for _ in text:gmatch("%S+") do
    n = n + 1
  end
  return n
end

--- How many lines there are; the last needs no line end.
---@param text string
---@return integer
function M.count_lines(text)
  local _, ends = text:gsub("\n", "\n")
  return text:find("[^\n]$") and ends + 1 or ends
end

--- The most frequent words, in small letters; of equal ones the first by name.
---@param text string
---@param limit integer How many at most
---@return { word: string, count: integer }[]
function M.frequent(text, limit)
  local found, by_word = {}, {}
  for word in text:lower():gmatch("[%w\128-\255']+") do
    local entry = by_word[word]
    if entry then
      entry.count = entry.count + 1
    elseif not ignored[word] then
      by_word[word] = { word = word, count = 1 }
      found[#found + 1] = by_word[word]
    end
  end
  table.sort(found, function(a, b)
    if a.count ~= b.count then
      return a.count > b.count
    end
    return a.word < b.word
  end)
  for i = #found, limit + 1, -1 do
    found[i] = nil
  end
  return found
end

return M
