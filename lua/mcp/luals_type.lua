--- mcp.luals_type: the type expressions of LuaLS comments.
---
---     type    = postfix { "|" postfix }
---     postfix = primary { "[]" | "?" }
---     primary = NAME [ "<" type { "," type } ">" ] | literal | "(" type ")"
---             | "{" [ field { ("," | ";") field } ] "}"
---             | "[" type { "," type } "]" | "fun" "(" ... ")" [ ":" type ]
---     field   = NAME [ "?" ] ":" type | "[" type "]" ":" type
---
--- What follows the type on its line is prose. Names are not looked up here.
---
--- Source: LuaLS wiki, "Annotations", documenting types.

local M = {}

local MAX_DEPTH = 32

---@class mcp.TypeNode
---@field kind "name"|"literal"|"array"|"optional"|"union"|"table"|"tuple"|"function"
---@field name? string            name
---@field arguments? mcp.TypeNode[] name: what stands in < >
---@field value? any              literal
---@field of? mcp.TypeNode        array, optional
---@field list? mcp.TypeNode[]    union, tuple
---@field fields? { name: string, optional: boolean, type: mcp.TypeNode }[] table
---@field keys? { key: mcp.TypeNode, type: mcp.TypeNode }[] table

---@class mcp.TypeParser
---@field text string
---@field at integer      the next byte
---@field depth integer
local Parser = {}
Parser.__index = Parser

function Parser:fail(message, ...) -- luacheck: no self
  error({ type_error = message:format(...) })
end

function Parser:skip()
  self.at = self.text:find("[^ \t]", self.at) or #self.text + 1
end

--- Takes `token` if it is next; else stays.
function Parser:accept(token)
  local at = self.text:find("[^ \t]", self.at)
  if at and self.text:sub(at, at + #token - 1) == token then
    self.at = at + #token
    return true
  end
  return false
end

function Parser:expect(token, where)
  if not self:accept(token) then
    self:skip()
    local rest = self.text:sub(self.at, self.at + 15)
    local before = rest ~= "" and (" before %q"):format(rest) or ""
    self:fail("%q is missing %s%s", token, where, before)
  end
end

--- The text that `pattern` (anchored, one capture) matches next, or nil.
function Parser:match(pattern)
  self:skip()
  local text, stop = self.text:match("^" .. pattern .. "()", self.at)
  if text then
    self.at = stop
  end
  return text
end

function Parser:name()
  return self:match("([%a_\128-\255][%w_%.\128-\255%-]*)")
end

local ESCAPES = { n = "\n", t = "\t", r = "\r" }

--- A quoted string; '"a"' with its double quotes is the old way to write "a".
function Parser:string()
  local quote = self:match("([\"'`])")
  if not quote then
    return nil
  end
  local out = {}
  while true do
    local c = self.text:sub(self.at, self.at)
    self.at = self.at + 1
    if c == "" then
      self:fail("a string has no end")
    elseif c == quote then
      break
    elseif c == "\\" then
      c = self.text:sub(self.at, self.at)
      self.at = self.at + 1
      c = ESCAPES[c] or c
    end
    out[#out + 1] = c
  end
  local text = table.concat(out)
  return quote == "'" and text:match('^"(.*)"$') or text
end

function Parser:number()
  local text = self:match("(%-?%.?%d[%w%.]*)")
  local value = text and tonumber(text)
  if text and not value then
    self:fail("%q is no number", text)
  end
  return value
end

--- The types between here and `close`.
function Parser:list(close, where)
  local list = {}
  repeat
    list[#list + 1] = self:type()
  until not self:accept(",")
  self:expect(close, where)
  return list
end

function Parser:table()
  local node = { kind = "table", fields = {}, keys = {} }
  while not self:accept("}") do
    if self:accept("[") then
      local literal = self:string()
      local key = not literal and self:type()
      self:expect("]", "in a table type")
      local optional = self:accept("?")
      self:expect(":", "in a table type")
      local value = self:type()
      if literal then
        table.insert(node.fields, { name = literal, optional = optional, type = value })
      else
        table.insert(node.keys, { key = key, type = value })
      end
    else
      local name = self:name()
      if not name then
        self:skip()
        local rest = self.text:sub(self.at, self.at + 15)
        if rest == "" then
          self:fail("\"}\" is missing in a table type")
        end
        self:fail("a field's name is missing before %q", rest)
      end
      local optional = self:accept("?")
      self:expect(":", ("behind the field %q"):format(name))
      table.insert(node.fields, { name = name, optional = optional, type = self:type() })
    end
    if not self:accept(",") and not self:accept(";") then
      self:expect("}", "in a table type")
      break
    end
  end
  return node
end

--- "fun(...)": what is inside does not matter, only where it ends.
function Parser:fun()
  local inside = self:match("(%b())")
  if not inside then
    self:fail("\")\" is missing in a function type")
  end
  if self:accept(":") then
    repeat
      self:type()
    until not self:accept(",")
  end
  return { kind = "function" }
end

function Parser:named()
  local name = self:name()
  if not name then
    self:skip()
    local rest = self.text:sub(self.at, self.at + 15)
    if rest == "" then
      self:fail("a type is missing")
    end
    self:fail("a type is missing before %q", rest)
  end
  if name == "fun" and self.text:sub(self.at, self.at) == "(" then
    return self:fun()
  elseif name == "true" or name == "false" then
    return { kind = "literal", value = name == "true" }
  end
  local node = { kind = "name", name = name }
  if self.text:sub(self.at, self.at) == "<" then
    self.at = self.at + 1
    node.arguments = self:list(">", ("behind %s<"):format(name))
  end
  return node
end

function Parser:primary()
  if self:accept("{") then
    return self:table()
  elseif self:accept("(") then
    local node = self:type()
    self:expect(")", "behind a type")
    return node
  elseif self:accept("[") then
    return { kind = "tuple", list = self:list("]", "behind a tuple") }
  end
  local value = self:string()
  if value == nil then
    value = self:number()
  end
  if value ~= nil then
    return { kind = "literal", value = value }
  end
  return self:named()
end

--- "[]" and "?" stick to the type; behind a space they are prose.
function Parser:postfix()
  local node = self:primary()
  while true do
    if self.text:sub(self.at, self.at + 1) == "[]" then
      self.at = self.at + 2
      node = { kind = "array", of = node }
    elseif self.text:sub(self.at, self.at) == "?" then
      self.at = self.at + 1
      node = { kind = "optional", of = node }
    else
      return node
    end
  end
end

function Parser:type()
  self.depth = self.depth + 1
  if self.depth > MAX_DEPTH then
    self:fail("the type is nested deeper than %d", MAX_DEPTH)
  end
  local list = { self:postfix() }
  while self:accept("|") do
    list[#list + 1] = self:postfix()
  end
  self.depth = self.depth - 1
  return #list == 1 and list[1] or { kind = "union", list = list }
end

--- Parses the type at the start of `text`.
---@param text string
---@return mcp.TypeNode? node  nil: wrong, see `rest`
---@return string rest         what stands behind it; or what is wrong
function M.parse(text)
  local parser = setmetatable({ text = text, at = 1, depth = 0 }, Parser)
  local ok, node = pcall(parser.type, parser)
  if ok then
    return node, text:sub(parser.at)
  elseif type(node) == "table" and node.type_error then
    return nil, node.type_error
  end
  error(node, 0)
end

return M
