--- mcp.luals: the annotations in doc comments (`---@param`, `---@class`, ...).
---
--- A line that is wrong stops the load at that line. Tags that say nothing about
--- arguments and results are not looked at.
---
--- Source: LuaLS wiki, "Annotations".

local comment = require "mcp.comment"
local luals_type = require "mcp.luals_type"
local where = require "mcp.where"

local M = {}

--- One thing with a type: a parameter, a result, a field, an alias.
---@class mcp.Typed
---@field name string
---@field optional boolean
---@field node? mcp.TypeNode     nil: any
---@field description? string
---@field at mcp.Place           its line in the comment

--- What a comment says: @class, @alias or @enum.
---@class mcp.Named
---@field kind "class"|"alias"|"enum"
---@field name string
---@field at mcp.Place
---@field description? string
---@field parents? mcp.TypeNode[]  class
---@field fields? mcp.Typed[]      class
---@field keys? mcp.Typed[]        class: ---@field [string] T; name is ""
---@field node? mcp.TypeNode       alias
---@field by_key? boolean          enum
---@field chunk? string            enum
---@field line? integer            enum: the line behind the comment

local NAME = "([%a_\128-\255][%w_%.\128-\255%-]*)"

--- The type at the start of `text` and the prose behind it.
local function read_type(at, text)
  local node, rest = luals_type.parse(text)
  if not node then
    at:fail("%s", rest)
  end
  return node, rest
end

--- Prose behind a type, without what sets it apart.
local function prose(text)
  text = text:gsub("^%s*[#@:%-]*%s*", ""):gsub("%s+$", "")
  return text ~= "" and text or nil
end

--- `---| "a"` lines behind line `i` as one union with `node` (may be nil).
---@return mcp.TypeNode? node
---@return integer last  the last line that was read
local function read_branches(block, i, node, place)
  local list = { node }
  while block[i + 1] and block[i + 1]:find("^%s*|") do
    i = i + 1
    local text = block[i]:match("^%s*|[>+]*%s*(.*)$")
    list[#list + 1] = read_type(place(i), text)
  end
  return #list > 1 and { kind = "union", list = list } or list[1], i
end

---@return mcp.Typed
local function read_param(at, text)
  local name, mark, rest = text:match("^([%w_%.\128-\255]+)(%??)%s*(.*)$")
  if not name then
    at:fail("a parameter's name is missing")
  end
  local out = { name = name, optional = mark == "?", at = at }
  if rest ~= "" then
    out.node, rest = read_type(at, rest)
    out.description = prose(rest)
  end
  return out
end

---@return mcp.Typed
local function read_return(at, text)
  local node, rest = read_type(at, text)
  if not rest:find("^%s*[#,]") then
    rest = rest:gsub("^%s*" .. NAME, "", 1)
  end
  local description = not rest:find("^%s*,") and prose(rest) or nil
  return { name = "", optional = false, node = node, description = description, at = at }
end

--- The tags that are read here, and others whose names are near.
local TAGS = { "param", "return", "class", "field", "alias", "enum" }
local OTHERS = { cast = true, file = true, name = true }

--- Refuses a tag that is a slip of one that is read: it would be as if it were not
--- there.
local function check_tag(at, tag)
  for _, known in ipairs(TAGS) do
    if tag == known then
      return
    end
  end
  local hint = OTHERS[tag] and "" or where.hint(tag, TAGS)
  if hint ~= "" then
    at:fail("unknown tag%s", hint)
  end
end

--- Refuses slips in the comment of a declaration.
---@param block mcp.CommentBlock
---@param what string  how messages call the declaration: "mcp.tool"
function M.check_tags(block, what)
  for i, line in ipairs(block) do
    local tag = line:match("^%s*@(%a+)")
    if tag then
      check_tag(where.at(what .. ": ---@" .. tag, block.chunk, block.first + i - 1), tag)
    end
  end
end

--- Everything that the comment of a handler says about its arguments and results.
---@param block mcp.CommentBlock
---@param what string  how messages call the declaration: "mcp.tool"
---@return mcp.Typed[] params
---@return mcp.Typed[] returns
function M.signature(block, what)
  local function place(i)
    return where.at(what .. ": ---" .. block[i]:match("@%w*"), block.chunk, block.first + i - 1)
  end
  local params, returns, i = {}, {}, 0
  while i < #block do
    i = i + 1
    local tag, text = block[i]:match("^%s*@(%a+)%s*(.-)%s*$")
    local read = tag == "param" and read_param or tag == "return" and read_return
    if read then
      local at = place(i)
      local out = read(at, text)
      out.node, i = read_branches(block, i, out.node, function()
        return at
      end)
      local list = tag == "param" and params or returns
      list[#list + 1] = out
    end
  end
  return params, returns
end

local SCOPES = { public = true, private = false, protected = false, package = false }

--- ---@field [scope] name[?] type  or  ---@field [string] type
local function add_field(class, at, text, description)
  local scope, rest = text:match("^(%a+)%s+(%S.*)$")
  if scope and SCOPES[scope] ~= nil and not rest:find("^[:?]") then
    text = rest
    if not SCOPES[scope] then
      return
    end
  end
  local name, mark, behind = text:match("^" .. NAME .. "(%??)%s*(.*)$")
  if not name then
    name, mark, behind = text:match("^%[%s*[\"'](.-)[\"']%s*%](%??)%s*(.*)$")
  end
  local key
  if not name then
    key, behind = text:match("^(%b[])%??%s*(.*)$")
    if not key then
      at:fail("a field's name is missing")
    end
  end
  local node, tail = read_type(at, behind)
  local field = {
    name = name or "",
    optional = mark == "?",
    node = node,
    description = prose(tail) or description,
    at = at,
  }
  if key then
    field.key = read_type(at, key:sub(2, -2))
  end
  table.insert(key and class.keys or class.fields, field)
end

--- ---@class [(exact)] Name [: Parent, ...]
local function read_class(at, text, description)
  local name, rest = text:gsub("^%b()%s*", ""):match("^" .. NAME .. "(.*)$")
  if not name then
    at:fail("a class's name is missing")
  end
  local class = { kind = "class", name = name, at = at, description = description }
  class.fields, class.keys, class.parents = {}, {}, {}
  local list = rest:match("^%s*:%s*(.*)$")
  while list do
    class.parents[#class.parents + 1], list = read_type(at, list)
    list = list:match("^%s*,%s*(.*)$")
  end
  return class
end

---@return mcp.Named
local function read_alias(at, text, description)
  local name, rest = text:match("^" .. NAME .. "%s*(.*)$")
  if not name then
    at:fail("an alias's name is missing")
  end
  local alias = { kind = "alias", name = name, at = at, description = description }
  if rest ~= "" and not rest:find("^#") then
    alias.node = read_type(at, rest)
  end
  return alias
end

---@return mcp.Named
local function read_enum(at, text, description, block)
  local option, name = text:match("^(%b())%s*(.*)$")
  name = (name or text):match("^" .. NAME)
  if not name then
    at:fail("an enum's name is missing")
  end
  return {
    kind = "enum",
    name = name,
    at = at,
    description = description,
    by_key = option == "(key)",
    chunk = block.chunk,
    line = block.first + #block,
  }
end

--- Where a name is declared; read when it is used.
---@class mcp.NameEntry
---@field tag string
---@field block mcp.CommentBlock
---@field line integer  of the block

--- The fields of `class`, whose tag is on line `i` of `block`.
local function read_fields(class, block, i)
  local above = {}
  for n = i + 1, #block do
    local tag, text = block[n]:match("^%s*@(%a+)%s*(.-)%s*$")
    if tag == "class" or tag == "alias" or tag == "enum" then
      return
    elseif tag and tag ~= "field" then
      check_tag(where.at("---@" .. tag, block.chunk, block.first + n - 1), tag)
    elseif tag then
      local at = where.at("---@field", block.chunk, block.first + n - 1)
      add_field(class, at, text, comment.prose(above))
    end
    if tag then
      above = {}
    else
      above[#above + 1] = block[n]
    end
  end
end

--- The prose lines right above line `i`.
local function prose_above(block, i)
  local above = {}
  while i > 1 and not block[i - 1]:find("^%s*[@|]") do
    i = i - 1
    table.insert(above, 1, block[i])
  end
  return comment.prose(above)
end

--- Reads what stands at `entry`.
---@param entry mcp.NameEntry
---@return mcp.Named
function M.read(entry)
  local block, i = entry.block, entry.line
  local text = block[i]:match("^%s*@%a+%s*(.-)%s*$")
  local function place(n)
    return where.at("---@" .. entry.tag, block.chunk, block.first + n - 1)
  end
  local description = prose_above(block, i)
  if entry.tag == "enum" then
    return read_enum(place(i), text, description, block)
  elseif entry.tag == "alias" then
    local alias = read_alias(place(i), text, description)
    alias.node = read_branches(block, i, alias.node, place)
    if not alias.node then
      alias.at:fail("%s has no type", alias.name)
    end
    return alias
  end
  local class = read_class(place(i), text, description)
  read_fields(class, block, i)
  return class
end

--- Entries by source. Weak: nothing of it is left after loading.
---@type table<string, table<string, mcp.NameEntry>>
local cache = setmetatable({}, { __mode = "v" })

--- The types that a source names; empty when the source is not known.
---@param chunk string
---@return table<string, mcp.NameEntry>
function M.names(chunk)
  local names = cache[chunk]
  if names then
    return names
  end
  names = {}
  for _, block in ipairs(comment.all(chunk) or {}) do
    for i, line in ipairs(block) do
      local tag, text = line:match("^%s*@(%a+)%s*(.*)$")
      if tag == "class" or tag == "alias" or tag == "enum" then
        local name = text:gsub("^%b()%s*", ""):match("^" .. NAME)
        if name and not names[name] then
          names[name] = { tag = tag, block = block, line = i }
        end
      end
    end
  end
  cache[chunk] = names
  return names
end

return M
