-- Mirrors lua/mcp/luals*.lua and signature.lua: schemas from comments.
local fake = require "fake_core"

--- The schemas of a tool whose comment is `lines` and whose handler takes `parameters`.
local function schemas(lines, parameters, before)
  local state = fake.load(("%s\n%s\nmcp.tool(\"x\", function(%s) end)"):format(
    before or "", lines, parameters or ""))
  assert.is_nil(state.error)
  return state.tools[1].input_schema, state.tools[1].output_schema
end

local function refusal(lines, parameters)
  return fake.load(("%s\nmcp.tool(\"x\", function(%s) end)"):format(lines, parameters or "")).error
end

--- The schema of an argument `a` of this LuaLS type.
local function argument(text, before)
  local got = schemas("---@param a " .. text, "a", before)
  local required = '},"required":["a"],"additionalProperties":false}'
  local optional = '},"additionalProperties":false}'
  local head = '{"type":"object","properties":{"a":'
  assert.equal(head, got:sub(1, #head))
  if got:sub(-#required) == required then
    return got:sub(#head + 1, -#required - 1), "required"
  end
  assert.equal(optional, got:sub(-#optional))
  return got:sub(#head + 1, -#optional - 1), "optional"
end

describe("a tag that is a slip", function()
  local slips = { parm = "param", params = "param", retrun = "return", returns = "return" }
  for slip, meant in pairs(slips) do
    it("is refused: " .. slip, function()
      local text = "app.lua:2: mcp.tool: ---@%s: unknown tag; did you mean %q?"
      assert.equal(text:format(slip, meant),
        refusal("--- Text.\n---@" .. slip .. " a string", "a"))
    end)
  end

  it("is refused in a class", function()
    assert.equal('app.lua:2: ---@feild: unknown tag; did you mean "field"?',
      refusal("---@class C\n---@feild a string\n\n---@param a C", "a"))
  end)

  for _, tag in ipairs { "deprecated", "see", "cast", "async", "nodiscard", "generic", "type",
    "overload", "file", "author", "since", "usage", "diagnostic", "meta" } do
    it("is none when people use it: " .. tag, function()
      assert.is_nil(refusal("---@" .. tag .. " x\n---@param a string", "a"))
    end)
  end
end)

describe("the tool add of the API", function()
  it("has its schemas and description from the comment", function()
    local state = fake.load [[
--- Add two numbers.
---@param a number First addend
---@param b number Second addend
---@return { sum: number }
mcp.tool("add", function(a, b) return { sum = a + b } end)]]
    assert.is_nil(state.error)
    local got = state.tools[1]
    assert.equal("Add two numbers.", got.description)
    assert.equal('{"type":"object","properties":{"a":{"type":"number",'
      .. '"description":"First addend"},"b":{"type":"number","description":"Second addend"}},'
      .. '"required":["a","b"],"additionalProperties":false}', got.input_schema)
    assert.equal('{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"],'
      .. '"additionalProperties":false}', got.output_schema)
  end)
end)

describe("a type of a comment", function()
  local object = '{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}'
  local types = {
    ["string"] = '{"type":"string"}',
    ["number"] = '{"type":"number"}',
    ["integer"] = '{"type":"integer"}',
    ["boolean"] = '{"type":"boolean"}',
    ["any"] = "{}",
    ["unknown"] = "{}",
    ["table"] = '{"type":"object"}',
    ["{}"] = '{"type":"object"}',
    ["string[]"] = '{"type":"array","items":{"type":"string"}}',
    ["string[][]"] = '{"type":"array","items":{"type":"array","items":{"type":"string"}}}',
    ["(string|number)[]"] =
      '{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}',
    ["table<string, number>"] = '{"type":"object","additionalProperties":{"type":"number"}}',
    ["{ [string]: number }"] = '{"type":"object","additionalProperties":{"type":"number"}}',
    ["table<integer, string>"] = '{"type":"array","items":{"type":"string"}}',
    ["{ [integer]: string }"] = '{"type":"array","items":{"type":"string"}}',
    ["{ b: string, a?: integer }"] = object:format(
      '"b":{"type":"string"},"a":{"type":"integer"}', '"b"'),
    ["{ b: string; a: integer? }"] = object:format(
      '"b":{"type":"string"},"a":{"type":"integer"}', '"b"'),
    ['{ ["b c"]: string }'] = object:format('"b c":{"type":"string"}', '"b c"'),
    ["{ a: string, [string]: number }"] =
      '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],'
      .. '"additionalProperties":{"type":"number"}}',
    ["{ a: { b: string } }"] = object:format(
      '"a":' .. object:format('"b":{"type":"string"}', '"b"'), '"a"'),
    ["[string, number]"] = '{"type":"array","maxItems":2,"minItems":2,'
      .. '"prefixItems":[{"type":"string"},{"type":"number"}]}',
    ['"a"|"b"'] = '{"type":"string","enum":["a","b"]}',
    ["'\"a\"'|'\"b\"'"] = '{"type":"string","enum":["a","b"]}',
    ["'a' | 'b'"] = '{"type":"string","enum":["a","b"]}',
    ["1|2"] = '{"type":"integer","enum":[1,2]}',
    ["-1|0.5"] = '{"type":"number","enum":[-1,0.5]}',
    ["true|false"] = '{"type":"boolean"}',
    ['string|"a"'] = '{"type":"string"}',
    ['"a"|"a"|"b"'] = '{"type":"string","enum":["a","b"]}',
    ["number|integer|1"] = '{"type":"number"}',
    ["integer|1|0.5"] = '{"anyOf":[{"type":"number","enum":[0.5]},{"type":"integer"}]}',
    ["string|any"] = "{}",
    ["string|number"] = '{"anyOf":[{"type":"string"},{"type":"number"}]}',
    ['"a"|integer'] = '{"anyOf":[{"type":"string","enum":["a"]},{"type":"integer"}]}',
    ['"a\\"b"'] = '{"type":"string","enum":["a\\"b"]}',
    ["(string)"] = '{"type":"string"}',
  }
  for text, schema in pairs(types) do
    it(text, function()
      local got, need = argument(text)
      assert.equal(schema, got)
      assert.equal("required", need)
    end)
  end

  for _, text in ipairs { "string?", "string|nil", "nil|string", "(string|nil)" } do
    it(text .. " may be absent", function()
      local got, need = argument(text)
      assert.equal('{"type":"string"}', got)
      assert.equal("optional", need)
    end)
  end

  it("of a parameter with ? may be absent", function()
    assert.equal('{"type":"object","properties":{"a":{"type":"string"},"b":{}},'
      .. '"additionalProperties":false}', (schemas("---@param a? string\n---@param b?", "a, b")))
  end)

  it("is continued by lines of branches", function()
    assert.equal('{"type":"string","enum":["a","b"]}',
      (argument 'string'):gsub(".*", "") .. argument('"a"\n---| "b" # the second'))
    local got = schemas('---@param a\n---| "a" # one\n---|> "b"', "a")
    assert.truthy(got:find('"enum":["a","b"]', 1, true))
  end)

  local refused = {
    ["strng"] = 'unknown type "strng"; did you mean "string"?',
    ["fun(a: string): number"] = "JSON cannot carry a function",
    ["function"] = "JSON cannot carry a function",
    ["thread"] = "JSON cannot carry a thread",
    ["userdata[]"] = "JSON cannot carry a userdata",
    ["List<string>"] = "List<...> is not known; write T[], table<string, T> or a class",
    ["{ a: string"] = '"}" is missing in a table type',
    ["{ a: string,"] = '"}" is missing in a table type',
    ["{ a string }"] = '":" is missing behind the field "a" before "string }"',
    ["{ : string }"] = 'a field\'s name is missing before ": string }"',
    ["{ a: string, a: string }"] = 'the field "a" is there twice',
    ["{ [string]: string, [integer]: string }"] = "a table type may have one [key]: type",
    ["(string"] = '")" is missing behind a type',
    ["table<string, "] = "a type is missing",
    ["| string"] = 'a type is missing before "| string"',
    ["string |"] = "a type is missing",
    ['"a'] = "a string has no end",
    ["1x"] = '"1x" is no number',
    ["fun(a"] = '")" is missing in a function type',
    [("("):rep(40)] = "the type is nested deeper than 32",
  }
  for text, message in pairs(refused) do
    it("is refused: " .. text, function()
      assert.equal("app.lua:1: mcp.tool: ---@param: " .. message,
        refusal("---@param a " .. text, "a"))
    end)
  end

  it("may be nested 31 deep", function()
    assert.equal('{"type":"string"}', argument(("("):rep(31) .. "string" .. (")"):rep(31)))
  end)
end)

describe("---@param", function()
  it("has prose behind its type", function()
    local want = '{"type":"string","description":"The city (any)"}'
    for _, text in ipairs {
      "string The city (any)", "string # The city (any)", "string - The city (any)",
      "string   The city (any)  ",
    } do
      assert.equal(want, (argument(text)))
    end
    assert.equal('{"type":"string","description":"[a] b"}', (argument "string [a] b"))
  end)

  it("keeps its order", function()
    assert.equal('{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}},'
      .. '"required":["b","a"],"additionalProperties":false}',
      (schemas("---@param b string\n---@param a string", "a, b")))
  end)

  it("is not needed for ctx", function()
    assert.equal('{"type":"object","properties":{"a":{}},"required":["a"],'
      .. '"additionalProperties":false}', (schemas("---@param ctx mcp.Context", "a, ctx")))
  end)

  it("declares arguments also for a handler that takes args", function()
    assert.equal('{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],'
      .. '"additionalProperties":false}', (schemas("---@param a string", "args, ctx")))
  end)

  it("of args types the whole table", function()
    assert.equal('{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},'
      .. '"required":["a"],"additionalProperties":false}',
      (schemas("---@param args { a: string, b?: integer }", "args")))
    assert.equal('{"type":"object","additionalProperties":{"type":"integer"}}',
      (schemas("---@param args table<string, integer>", "args")))
    assert.equal('{"type":"object","properties":{}}', (schemas("---@param args table", "args")))
  end)

  it("yields to input and to input_schema", function()
    local state = fake.load '---@param a strng\nmcp.tool("x", { input = {} }, function() end)'
    assert.is_nil(state.error)
    assert.equal('{"type":"object","properties":{},"additionalProperties":false}',
      state.tools[1].input_schema)
  end)

  it("of no parameter is refused with the nearest", function()
    assert.equal('app.lua:2: mcp.tool: ---@param: the handler has no parameter "locaton"; '
      .. 'did you mean "location"?', refusal("--- D\n---@param locaton string", "location"))
  end)

  it("is refused twice, and without a name", function()
    assert.equal("app.lua:2: mcp.tool: ---@param: a is there twice",
      refusal("---@param a string\n---@param a string", "a"))
    assert.equal("app.lua:1: mcp.tool: ---@param: a parameter's name is missing",
      refusal("---@param", "a"))
  end)

  it("of args must be a table", function()
    assert.equal("app.lua:1: mcp.tool: ---@param: args is a table with the arguments as its fields",
      refusal("---@param args string", "args"))
  end)
end)

describe("---@return", function()
  local function output(lines)
    return select(2, schemas(lines))
  end

  it("is the output schema", function()
    assert.equal('{"type":"string"}', output "---@return string")
    assert.equal('{"type":"array","items":{"type":"number"}}', output "---@return number[]")
  end)

  it("has prose behind a name or a #", function()
    local described = '{"type":"number","description":"The sum"}'
    assert.equal(described, output "---@return number sum The sum")
    assert.equal(described, output "---@return number # The sum")
    assert.equal('{"type":"number"}', output "---@return number sum")
  end)

  it("that may be nil counts when an error follows", function()
    assert.equal('{"type":"number"}', output "---@return number? sum\n---@return string? err")
    assert.is_nil(output "---@return number?")
  end)

  it("says nothing with any, table, nil or the module's own types", function()
    for _, text in ipairs { "any", "table", "nil", "mcp.Result", "string|mcp.Block" } do
      assert.is_nil(output("---@return " .. text))
    end
  end)

  it("may list several results", function()
    assert.equal('{"type":"string"}', output "---@return string, number")
  end)

  it("is refused when it is wrong", function()
    assert.equal('app.lua:1: mcp.tool: ---@return: unknown type "strng"; did you mean "string"?',
      refusal "---@return strng")
  end)
end)

describe("---@class", function()
  local point = [[
--- A place.
---@class Point
---@field x number
--- Up and down.
---@field y? number
---@field private z number
---@field public name string The name

]]

  it("is an object of its public fields", function()
    assert.equal('{"type":"object","description":"A place.","properties":{"x":{"type":"number"},'
      .. '"y":{"type":"number","description":"Up and down."},"name":{"type":"string",'
      .. '"description":"The name"}},"required":["x","name"],"additionalProperties":false}',
      (argument("Point", point)))
  end)

  it("has its parents' fields first", function()
    assert.equal('{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},'
      .. '"required":["a","b"],"additionalProperties":false}', (argument("B", [[
---@class A
---@field a number
---@class B: A
---@field b string
---@field a integer

]])))
  end)

  it("may have other members", function()
    assert.equal('{"type":"object","additionalProperties":{"type":"number"}}',
      (argument("M", "---@class M\n---@field [string] number\n")))
    assert.equal('{"type":"object"}', (argument("M", "---@class (exact) M\n")))
  end)

  it("may be named in a field and in a field's key", function()
    assert.equal('{"type":"object","properties":{"a b":{"type":"object"}},"required":["a b"],'
      .. '"additionalProperties":false}',
      (argument("M", '---@class N\n\n---@class M\n---@field ["a b"] N\n')))
  end)

  it("that contains itself goes to $defs", function()
    local got = schemas("---@param a Node", "a", [[
---@class Node
---@field value string
---@field next? Node
]])
    assert.equal('{"type":"object","properties":{"a":{"$ref":"#/$defs/Node"}},"required":["a"],'
      .. '"$defs":{"Node":{"type":"object","properties":{"value":{"type":"string"},'
      .. '"next":{"$ref":"#/$defs/Node"}},"required":["value"],"additionalProperties":false}},'
      .. '"additionalProperties":false}', got)
  end)

  it("of args that contains itself keeps a root of type object", function()
    local got = schemas("---@param args Node", "args", [[
---@class Node
---@field next? Node
]])
    assert.equal('{"type":"object","properties":{"next":{"$ref":"#/$defs/Node"}},'
      .. '"$defs":{"Node":{"type":"object","properties":{"next":{"$ref":"#/$defs/Node"}},'
      .. '"additionalProperties":false}},"additionalProperties":false}', got)
  end)

  it("is read from another loaded module", function()
    local state = fake.load([[
package.preload["app.shapes"] = function() return {} end
local _ = require "app.shapes"
---@param a Shape
mcp.tool("x", function(a) end)]], function(s)
      local searchpath = package.searchpath
      s.restore = function()
        package.searchpath = searchpath -- luacheck: ignore
      end
      package.searchpath = function(name, ...) -- luacheck: ignore
        return name == "app.shapes" and "shapes.lua" or searchpath(name, ...)
      end
      s.sources["@shapes.lua"] = "---@class Shape\n---@field sides integer\n"
    end)
    state.restore()
    assert.is_nil(state.error)
    assert.truthy(state.tools[1].input_schema:find('"sides":{"type":"integer"}', 1, true))
  end)

  it("that is wrong is told at its own line, when it is used", function()
    local text = '---@class A\n---@field b strng\n\n---@param a %s\nmcp.tool("x", function(a) end)'
    assert.equal('app.lua:2: ---@field: unknown type "strng"; did you mean "string"?',
      fake.load(text:format "A").error)
    assert.is_nil(fake.load(text:format "string").error)
    assert.equal("app.lua:1: ---@class: A is its own parent",
      fake.load('---@class A: B\n---@class B: A\n\n---@param a A\nmcp.tool("x", function(a) end)')
        .error)
    assert.equal("app.lua:1: ---@class: A: a parent must be a class",
      fake.load('---@class A: string\n\n---@param a A\nmcp.tool("x", function(a) end)').error)
  end)
end)

describe("---@alias", function()
  it("stands for its type", function()
    assert.equal('{"type":"array","items":{"type":"string"}}',
      (argument("L", "---@alias L string[]\n")))
  end)

  it("may be lines of branches, and part of a union", function()
    local mode = '---@alias Mode\n---| "r" # read\n---|>"w" # write\n'
    assert.equal('{"type":"string","enum":["r","w"]}', (argument("Mode", mode)))
    assert.equal('{"type":"string","enum":["r","w","a"]}', (argument('Mode|"a"', mode)))
    local got, need = argument("Mode?", mode)
    assert.equal('{"type":"string","enum":["r","w"]}', got)
    assert.equal("optional", need)
  end)

  it("that contains itself goes to $defs", function()
    local got = schemas("---@param a Json", "a", "---@alias Json string|Json[]\n")
    assert.equal('{"type":"object","properties":{"a":{"$ref":"#/$defs/Json"}},"required":["a"],'
      .. '"$defs":{"Json":{"anyOf":[{"type":"string"},{"type":"array",'
      .. '"items":{"$ref":"#/$defs/Json"}}]}},"additionalProperties":false}', got)
  end)

  it("that stands for nothing or for itself is refused", function()
    local text = '%s\n\n---@param a A\nmcp.tool("x", function(a) end)'
    assert.equal("app.lua:1: ---@alias: the alias A stands for itself",
      fake.load(text:format "---@alias A A").error)
    assert.equal("app.lua:2: ---@alias: the alias A stands for itself",
      fake.load(text:format "---@alias A B\n---@alias B A").error)
    assert.equal("app.lua:1: ---@alias: A has no type", fake.load(text:format "---@alias A").error)
  end)
end)

describe("---@enum", function()
  it("is the constants of the table behind it", function()
    assert.equal('{"type":"string","enum":["red","gr\\"een"]}', (argument("Color", [====[
---@enum Color
local COLORS = {
  RED = "red", -- not blue
  --[==[ nor ]] this ]==]
  ["GREEN"] = 'gr\"een';
}
local _ = COLORS
]====])))
    assert.equal('{"type":"integer","enum":[1,2]}',
      (argument("N", "---@enum N\nlocal n = { ONE = 1, TWO = 0x2 }\nlocal _ = n\n")))
    assert.equal('{"type":"string","enum":["a","b","c"]}',
      (argument('N|"c"', '---@enum N\nlocal n = { "a", "b" }\nlocal _ = n\n')))
  end)

  it("may be its keys", function()
    assert.equal('{"type":"string","enum":["ONE","TWO"]}',
      (argument("N", "---@enum (key) N\nlocal n = { ONE = 1, TWO = 2 }\nlocal _ = n\n")))
  end)

  it("is refused when the table is not plain", function()
    local function why(enum)
      return fake.load(("---@enum E\n%s\n\n---@param a E\nmcp.tool(\"x\", function(a) end)")
        :format(enum)).error
    end
    assert.equal("app.lua:1: ---@enum: E: a table of constants must stand on the next line",
      why "local function f() end")
    assert.equal("app.lua:1: ---@enum: E: value 2 is no string, number or boolean",
      why "local e = { A = 1, B = math.pi }")
    assert.equal("app.lua:1: ---@enum: E: value 1 is no string, number or boolean",
      why 'local e = { A = "a" .. "b" }')
    assert.equal("app.lua:1: ---@enum: E has no values", why "local e = {}")
    assert.equal("app.lua:1: ---@enum (key): E: value 1 has no key", (fake.load(
      '---@enum (key) E\nlocal e = { 1 }\n\n---@param a E\nmcp.tool("x", function(a) end)').error
      :gsub("@enum:", "@enum (key):")))
  end)
end)

describe("the parser of type expressions", function()
  local luals_type

  setup(function()
    fake.fresh()
    luals_type = require "mcp.luals_type"
  end)

  it("gives a node or a message, whatever the text", function()
    local pieces = { "string", "|", "[]", "?", "{", "}", "(", ")", "<", ">", ",", ":", '"a"', "'",
      "1", "fun", "[", "]", " ", "\\", "\0", "\255", "table", "-", ".", "a.b" }
    local seed = 7
    local function random(n)
      seed = (seed * 16807) % 2147483647
      return seed % n + 1
    end
    for _ = 1, 20000 do
      local text = {}
      for i = 1, random(12) do
        text[i] = pieces[random(#pieces)]
      end
      local node, rest = luals_type.parse(table.concat(text))
      if type(rest) ~= "string" or node ~= nil and type(node.kind) ~= "string" then
        error("parsed badly: " .. table.concat(text))
      end
    end
  end)

  it("stops where the prose begins", function()
    for text, rest in pairs {
      ["string the text"] = " the text",
      ["string (a) b"] = " (a) b",
      ["string [a] b"] = " [a] b",
      ["string ? b"] = " ? b",
      ["string | number b"] = " b",
      ["a.b-c d"] = " d",
    } do
      local node, got = luals_type.parse(text)
      assert.is_table(node)
      assert.equal(rest, got)
    end
  end)
end)
