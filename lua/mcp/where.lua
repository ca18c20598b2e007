--- mcp.where: the line of the app that declares something, and refusals there.
---
--- Every load error reads "app.lua:12: mcp.tool: what is wrong". The line is that
--- of the first stack frame outside of lua/mcp. After a tail call (`return
--- mcp.tool(...)` at the end of a module) that frame is gone; what is left is the
--- function in the declaration, so its own line is told.

local core = require "mcp.core"

local getinfo = debug.getinfo

local M = {}

local FEW = 16      -- names that a message lists
local SHORTEST = 3  -- letters that stand for the name that begins with them

--- What the chunk names of our own modules begin with: "@mcp/".
local OWN = getinfo(1, "S").source:match("^(.*)where%.lua$")

---@class mcp.Place
---@field what string    the declaring function: "mcp.tool"
---@field source string  chunk name as in debug.getinfo: "@app.lua"
---@field file string    the same for people: "app.lua"
---@field line integer   0: unknown
---@field tail boolean   the declaring statement was a tail call; line is the function's own
local Place = {}
Place.__index = Place

local function file_of(info)
  local name = info.source:match("^[@=](.*)$")
  return name or info.short_src
end

--- The first frame of the app on the stack; `direct` tells whether it called us itself.
local function app_frame()
  local direct = true
  for level = 3, math.huge do
    local info = getinfo(level, "Sl")
    if not info then
      return nil, false
    elseif info.what == "C" then
      direct = false
    elseif info.source:sub(1, #OWN) ~= OWN then
      return info, direct
    end
  end
end

--- The place of the running declaration; `f` is the function that it gave, if any.
---@param what string
---@param f? function
---@return mcp.Place
function M.here(what, f)
  local frame, direct = app_frame()
  local line = frame and frame.currentline or 0
  local own = not direct and type(f) == "function" and getinfo(f, "S")
  if own and own.what ~= "C" and own.linedefined > 0 then
    frame, line = own, own.linedefined
  end
  return setmetatable({
    what = what,
    source = frame and frame.source or "",
    file = frame and file_of(frame) or "?",
    line = line > 0 and line or 0,
    tail = own and true or false,
  }, Place)
end

--- A place that is known already.
---@param what string
---@param source string  chunk name
---@param line integer
---@return mcp.Place
function M.at(what, source, line)
  local file = source:match("^[@=](.*)$") or source
  local place = { what = what, source = source, file = file, line = line, tail = false }
  return setmetatable(place, Place)
end

--- Stops the load (or the call) with a message that points at the app's line.
---@param message string  a format for the values that follow
function Place:fail(message, ...)
  if select("#", ...) > 0 then
    message = message:format(...)
  end
  message = self.what .. ": " .. message
  if self.file == "?" then -- a handler's `return mcp.http_error(...)`, a tail call
    error(message, 0)
  end
  error(("%s:%d: %s"):format(self.file, self.line, message), 0)
end

--- Refuses a declaration that a running call makes.
function Place:must_load()
  if not core.loading() then
    self:fail("a handler cannot declare anything; declare it where the app loads")
  end
end

--- The only one of `known` that begins with `name`.
local function completed(name, known)
  local found
  for _, candidate in ipairs(known) do
    if type(candidate) == "string" and candidate:sub(1, #name) == name then
      if found then
        return nil
      end
      found = candidate
    end
  end
  return #name >= SHORTEST and found or nil
end

--- "; did you mean X?" for the name nearest to `name`, else "".
---@param name any
---@param known string[]
function M.hint(name, known)
  local near = type(name) == "string" and (core.suggest(name, known) or completed(name, known))
  return near and ("; did you mean %q?"):format(near) or ""
end

--- The same, but where none is near and there are few, all of them.
---@param name any
---@param known string[]
function M.choices(name, known)
  local hint = M.hint(name, known)
  if hint == "" and #known > 0 and #known <= FEW then
    return "; there is " .. table.concat(known, ", ")
  end
  return hint
end

return M
