--- mcp.fields: checks on the table that a declaration gives.
---
--- Each reader returns the field's value, or nil when it is absent, and refuses a
--- value of another type at the app's line. Nothing is ignored: a field that no
--- declaration form knows is refused with the nearest name that it does know, or with
--- all where they are few.

local where = require "mcp.where"

local M = {}

--- `value` for a message: strings in quotes, the rest by type.
local function told(value)
  if type(value) == "string" then
    return ("%q"):format(#value > 40 and value:sub(1, 40) .. "..." or value)
  elseif type(value) == "number" or type(value) == "boolean" then
    return tostring(value)
  end
  return type(value)
end
M.told = told

--- The keys of `t` in an order that is the same in each state.
---@return any[]
local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b)
    if type(a) == type(b) and (type(a) == "string" or type(a) == "number") then
      return a < b
    end
    return tostring(a) < tostring(b)
  end)
  return keys
end
M.sorted_keys = sorted_keys

--- Refuses the first key of `t` that is not one of `known`.
---@param at mcp.Place
---@param t table
---@param known table<string, any>  the keys are the names
---@param later? table<string, any> names that only a later version knows
---@param inside? string             how messages call `t`
function M.known(at, t, known, later, inside)
  for _, key in ipairs(sorted_keys(t)) do
    local prefix = inside and inside .. ": " or ""
    if later and later[key] and known[key] == nil then
      at:fail("%sfield %q is not available in this version", prefix, key)
    elseif type(key) ~= "string" then
      at:fail("%severy field needs a name, but there is one at [%s]%s", prefix, told(key),
        type(t[key]) == "function" and known.handler and "; write handler = function" or "")
    elseif known[key] == nil then
      at:fail("%sunknown field %q%s", prefix, key, where.choices(key, sorted_keys(known)))
    end
  end
end

local function expect(at, t, key, kind)
  local value = t[key]
  if value ~= nil and type(value) ~= kind then
    at:fail("%s must be a %s, got %s", key, kind, told(value))
  end
  return value
end

---@return string?
function M.string(at, t, key)
  local value = expect(at, t, key, "string")
  if value and value:find("%z") then
    at:fail("%s has a NUL character inside", key)
  end
  return value
end

--- A string that is not only white space, else nil.
---@return string?
function M.text(at, t, key)
  local value = M.string(at, t, key)
  return value and value:find("%S") and value or nil
end

---@return boolean?
function M.boolean(at, t, key)
  return expect(at, t, key, "boolean")
end

---@return table?
function M.table(at, t, key)
  return expect(at, t, key, "table")
end

--- A positive, finite number of seconds.
---@return number?
function M.seconds(at, t, key)
  local value = expect(at, t, key, "number")
  if value and not (value > 0 and value < math.huge) then
    at:fail("%s must be a number of seconds above 0, got %s", key, told(value))
  end
  return value
end

--- One of `words`.
---@return string?
function M.word(at, t, key, words)
  local value = t[key]
  if value == nil then
    return nil
  end
  for _, word in ipairs(words) do
    if value == word then
      return value
    end
  end
  local all = '"' .. table.concat(words, '" or "') .. '"'
  at:fail("%s must be %s, got %s", key, all, told(value))
end

--- Is `t` a list (keys 1..n, nothing else)? An empty table is one.
---@param t table
function M.is_list(t)
  local count = 0
  for _ in pairs(t) do
    count = count + 1
  end
  return count == #t
end

--- A list of strings; one string stands for a list of one.
---@return string[]?
function M.strings(at, t, key)
  local value = t[key]
  if type(value) == "string" then
    return { value }
  elseif value ~= nil and (type(value) ~= "table" or not M.is_list(value)) then
    at:fail("%s must be a list of strings, got %s", key, told(value))
  end
  for i, entry in ipairs(value or {}) do
    if type(entry) ~= "string" then
      at:fail("%s[%d] must be a string, got %s", key, i, told(entry))
    end
  end
  return value
end

return M
