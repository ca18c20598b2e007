-- Mirrors lua/mcp/types.lua and type.lua, and what tool.lua makes of them.
local fake = require "fake_core"

--- The schema of one property whose type is `text`.
local function property(text)
  local app = 'mcp.tool("x", { input = { { "p", %s } } }, function() end)'
  local state = fake.load(app:format(text))
  assert.is_nil(state.error)
  local schema = state.tools[1].input_schema
  local inner, rest = schema:match('^{"type":"object","properties":{"p":(.*)}(.-)}$')
  local required, closing = ',"required":["p"]', ',"additionalProperties":false'
  if inner:sub(-#required - #closing - 1) == "}" .. required .. closing then
    inner, rest = inner:sub(1, -#required - #closing - 2), required .. closing
  elseif inner:sub(-#closing - 1) == "}" .. closing then
    inner, rest = inner:sub(1, -#closing - 2), closing
  end
  return inner, rest
end

--- The whole schema of a side ("input", "output") given as `text`.
local function whole(side, text, parameters, fields)
  local state = fake.load(('mcp.tool("x", { %s = %s, %s }, function(%s) end)'):format(
    side, text, fields or "", parameters or ""))
  assert.is_nil(state.error)
  return state.tools[1][side .. "_schema"]
end

local REQUIRED = ',"required":["p"],"additionalProperties":false'
local OPTIONAL = ',"additionalProperties":false'

describe("a type of mcp.types", function()
  local plain = {
    ["t.string()"] = '{"type":"string"}',
    ["t.number()"] = '{"type":"number"}',
    ["t.integer()"] = '{"type":"integer"}',
    ["t.boolean()"] = '{"type":"boolean"}',
    ["t.null()"] = '{"type":"null"}',
    ["t.any()"] = "{}",
    ["t.array()"] = '{"type":"array"}',
    ["t.map()"] = '{"type":"object"}',
    ["t.object()"] = '{"type":"object","properties":{},"additionalProperties":false}',
    ["t.datetime()"] = '{"type":"string","format":"date-time"}',
    ["t.date()"] = '{"type":"string","format":"date"}',
    ["t.time()"] = '{"type":"string","format":"time"}',
    ["t.uri()"] = '{"type":"string","format":"uri"}',
    ["t.email()"] = '{"type":"string","format":"email"}',
    ["t.int64 { gt = 0 }"] = '{"type":"integer","exclusiveMinimum":0,"format":"int64"}',
    ["t.bytes()"] = '{"type":"string","contentEncoding":"base64"}',
    ["t.uuid()"] = '{"type":"string","format":"uuid"}',
    ['t.string { description = "D", title = "T", min_length = 1, max_length = 9, '
      .. 'pattern = "^a", format = "hostname", header = "Region" }'] =
      '{"type":"string","title":"T","description":"D","format":"hostname","maxLength":9,'
      .. '"minLength":1,"pattern":"^a","x-mcp-header":"Region"}',
    ["t.number { min = 0, max = 1.5, multiple_of = 0.5 }"] =
      '{"type":"number","maximum":1.5,"minimum":0,"multipleOf":0.5}',
    ["t.integer { gt = 0, lt = 10 }"] =
      '{"type":"integer","exclusiveMaximum":10,"exclusiveMinimum":0}',
    ['t.string { examples = { "a", "b" } }'] = '{"type":"string","examples":["a","b"]}',
    ["t.string { examples = {} }"] = '{"type":"string","examples":[]}',
    ['t.string { meta = { ["x-order"] = 1 } }'] = '{"type":"string","x-order":1}',
    ["t.array { t.string(), min_items = 1, max_items = 2, unique = true }"] =
      '{"type":"array","items":{"type":"string"},"maxItems":2,"minItems":1,"uniqueItems":true}',
    ["t.map { t.any() }"] = '{"type":"object"}',
    ["t.map { t.any { title = 'x' } }"] = '{"type":"object","additionalProperties":{"title":"x"}}',
    ["t.map { t.number() }"] = '{"type":"object","additionalProperties":{"type":"number"}}',
    ["t.union { t.string(), t.null() }"] = '{"anyOf":[{"type":"string"},{"type":"null"}]}',
    ['t.enum { "a", "b" }'] = '{"type":"string","enum":["a","b"]}',
    ["t.enum { 1, 2 }"] = '{"type":"integer","enum":[1,2]}',
    ["t.enum { 1, 2.5 }"] = '{"type":"number","enum":[1,2.5]}',
    ["t.enum { true, false }"] = '{"type":"boolean"}',
    ["t.enum { true }"] = '{"type":"boolean","enum":[true]}',
    ['t.enum { "a", 1 }'] = '{"enum":["a",1]}',
    ['t.const { "a" }'] = '{"type":"string","const":"a"}',
    ["t.const { 1 }"] = '{"type":"integer","const":1}',
    ["t.const { 1.5 }"] = '{"type":"number","const":1.5}',
    ["t.const { mcp.null }"] = '{"const":null}',
    ["t.object { b = t.string(), a = t.optional(t.any()) }"] =
      '{"type":"object","properties":{"a":{},"b":{"type":"string"}},"required":["b"],'
      .. '"additionalProperties":false}',
    ['t.object { { "b", t.string() }, { "a", t.any() }, description = "D" }'] =
      '{"type":"object","description":"D","properties":{"b":{"type":"string"},"a":{}},'
      .. '"required":["b","a"],"additionalProperties":false}',
    ["t.object { description = t.string() }"] =
      '{"type":"object","properties":{"description":{"type":"string"}},'
      .. '"required":["description"],"additionalProperties":false}',
  }
  for text, schema in pairs(plain) do
    it(text, function()
      local got, rest = property(text)
      assert.equal(schema, got)
      assert.equal(REQUIRED, rest)
    end)
  end

  local optional = {
    ["t.optional(t.string())"] = '{"type":"string"}',
    ["t.optional { t.string() }"] = '{"type":"string"}',
    ['t.string { default = "a" }'] = '{"type":"string","default":"a"}',
    ["t.boolean { default = false }"] = '{"type":"boolean","default":false}',
    ["t.string { default = mcp.null }"] = '{"type":"string","default":null}',
    ['t.enum { "a", "b", default = "b" }'] = '{"type":"string","default":"b","enum":["a","b"]}',
    ["t.int64 { default = 7 }"] = '{"type":"integer","default":7,"format":"int64"}',
    ["t.array { t.any(), default = {} }"] = '{"type":"array","default":[],"items":{}}',
    ["t.map { default = {} }"] = '{"type":"object","default":{}}',
  }
  for text, schema in pairs(optional) do
    it(text .. " may be absent", function()
      local got, rest = property(text)
      assert.equal(schema, got)
      assert.equal(OPTIONAL, rest)
    end)
  end

  local refused = {
    ['t.string { min_len = 1 }'] = 'string: unknown option "min_len"; did you mean "min_length"?',
    ['t.string { min_lenght = 1 }'] =
      'string: unknown option "min_lenght"; did you mean "min_length"?',
    ['t.string { titel = "T" }'] = 'string: unknown option "titel"; did you mean "title"?',
    ["t.string { min = 1 }"] = 'string: unknown option "min"; did you mean "min_length"?',
    ['t.number { header = "A" }'] = 'number: unknown option "header"; '
      .. "there is default, description, examples, gt, lt, max, meta, min, multiple_of, title",
    ['t.string { "a" }'] = "string: takes options only, but there is a value at [1]",
    ['t.string("a")'] = 'string: options go into a table: t.kind { ... }, got "a"',
    ["t.string(t.string())"] = "string: options go into a table: t.kind { ... }, got a type",
    ["t.string { description = 1 }"] = "string: description must be a string, got 1",
    ["t.string { min_length = -1 }"] =
      "string: min_length must be a whole number from 0 up, got -1",
    ["t.string { min_length = 1.5 }"] =
      "string: min_length must be a whole number from 0 up, got 1.5",
    ["t.number { min = 0/0 }"] = "number: min must be a number, got nan",
    ["t.number { multiple_of = 0 }"] = "number: multiple_of must be a number above 0, got 0",
    ["t.array { unique = 1 }"] = "array: unique must be a boolean, got 1",
    ["t.string { examples = 1 }"] = "string: examples must be a list, got 1",
    ["t.string { default = 1 }"] = "string: default must be a string, got 1",
    ["t.integer { default = 1.5 }"] = "integer: default must be a whole number, got 1.5",
    ["t.int64 { default = 1.5 }"] = "int64: default must be a whole number, got 1.5",
    ['t.enum { "a", default = "b" }'] = 'enum: default "b" is not one of the values',
    ["t.array { default = { a = 1 } }"] = "array: default must be a list, got table",
    ["t.string { meta = 1 }"] = "string: meta must be a table of keywords, got 1",
    ["t.string { meta = { 1 } }"] = "string: meta must be a table with names as keys",
    ['t.string { meta = { type = "x" } }'] = 'string: meta: "type" is already there',
    ["t.array { t.string }"] =
      "array: the content must be a type such as t.string(), got function; "
      .. "write t.string() with ()",
    ["t.array { t.any(), t.any() }"] = "array: takes one type; for several write t.union { ... }",
    ["t.map { 1 }"] = "map: the content must be a type such as t.string(), got 1",
    ["t.union { t.any() }"] = "union: takes two types or more",
    ["t.union { t.any(), 1 }"] = "union: [2] must be a type such as t.string(), got 1",
    ["t.enum {}"] = 'enum: needs its values: t.enum { "a", "b" }',
    ["t.enum { {} }"] = "enum: [1] must be a string, number or boolean, got table",
    ['t.enum { "a", "a" }'] = 'enum: "a" is there twice',
    ['t.enum { "a", nil, "b" }'] = "enum: there is a nil among the values",
    ["t.const {}"] = 'const: takes one value: t.const { "a" }',
    ["t.optional()"] = "optional: the content must be a type such as t.string(), got nil",
    ["t.object(t.any())"] = "object: fields go into a table: t.object { name = t.string() }",
    ["t.object { a = 1 }"] = "object: fields.a must be a type such as t.string(), got 1",
    ["t.object { a = t.string }"] =
      "object: fields.a must be a type such as t.string(), got function; write t.string() with ()",
    ["t.object { t.any() }"] = 'object: fields[1] must be a pair { "name", t.string() }',
    ['t.object { { "a" } }'] = "object: fields.a must be a type such as t.string(), got nil",
    ['t.object { { "a", t.any() }, a = t.any() }'] = 'object: fields: "a" is there twice',
  }
  for text, message in pairs(refused) do
    it("refuses " .. text, function()
      assert.equal("app.lua:2: mcp.types." .. message, fake.load("\nlocal _ = " .. text).error)
    end)
  end

  it("has a name that is known", function()
    assert.equal('app.lua:1: mcp.types: there is no mcp.types.strin; did you mean "string"?',
      fake.load("local _ = t.strin()").error)
  end)

  it("may be used in several places", function()
    assert.equal('{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},'
      .. '"required":["a"],"additionalProperties":false}',
      whole("input", "(function() local s = t.string() "
        .. 'return { { "a", s }, { "b", t.optional(s) } } end)()'))
  end)
end)

describe("input", function()
  local string_ = '{"type":"string"}'
  local function of(order, required)
    local properties = {}
    for i, name in ipairs(order) do
      properties[i] = ('"%s":%s'):format(name, string_)
    end
    return ('{"type":"object","properties":{%s},"required":["%s"],"additionalProperties":false}')
      :format(table.concat(properties, ","), table.concat(required or order, '","'))
  end

  it("as a list keeps its order", function()
    assert.equal(of { "b", "c", "a" },
      whole("input", '{ { "b", t.string() }, { "c", t.string() }, { "a", t.string() } }', "a, b"))
  end)

  it("as a table is in parameter order, the rest in byte order", function()
    assert.equal(of { "d", "b", "C", "a" },
      whole("input", "{ a = t.string(), b = t.string(), C = t.string(), d = t.string() }",
        "ctx, d, b"))
  end)

  it("as a type is taken as it is", function()
    assert.equal(of { "a" }, whole("input", "t.object { a = t.string() }"))
  end)

  it("that is empty means no arguments", function()
    assert.equal('{"type":"object","properties":{},"additionalProperties":false}',
      whole("input", "{}", "args"))
  end)

  it("is open at every depth with extra_arguments", function()
    assert.equal('{"type":"object","properties":{"a":{"type":"object","properties":{}}},'
      .. '"required":["a"]}', whole("input", "{ a = t.object() }", "", 'extra_arguments = "allow"'))
  end)

  it("yields to input_schema", function()
    assert.equal('{"type":"object"}', whole("input", "{ a = t.string() }", "", "input_schema = {}"))
  end)

  local refused = {
    ['"a"'] = 'input must be a table, got "a"',
    ["{ a = 1 }"] = "input.a must be a type such as t.string(), got 1",
    ["{ a = t.string }"] = "input.a must be a type such as t.string(), got function; "
      .. "write t.string() with ()",
    ['{ { "a", 1 } }'] = "input.a must be a type such as t.string(), got 1",
    ['{ { name = "a" } }'] = 'input[1] must be a pair { "name", t.string() }',
    ["t.string()"] = "input must be a table of arguments or t.object { ... }, got t.string",
  }
  for text, message in pairs(refused) do
    it("refuses " .. text, function()
      assert.equal("app.lua:1: mcp.tool: " .. message,
        fake.load(('mcp.tool("x", { input = %s }, function() end)'):format(text)).error)
    end)
  end
end)

describe("types in another form", function()
  local function converts(text)
    local state = fake.load(('mcp.tool("x", { input = %s }, function() end)'):format(text))
    assert.is_nil(state.error)
    return state.tools[1].converts
  end

  it("are told to the host by their paths", function()
    assert.same({
      { kind = "int64", "id" },
      { kind = "bytes", "files", false, "data" },
      { kind = "int64", "sizes", false },
      { kind = "int64", "either" },
    }, converts [[{
      { "id", t.int64() },
      { "files", t.array { t.object { { "name", t.string() }, { "data", t.bytes() } } } },
      { "sizes", t.map { t.int64() } },
      { "either", t.union { t.string(), t.optional(t.int64()) } },
      { "n", t.integer() } }]])
  end)

  it("are none in a plain tool", function()
    assert.same({}, converts "{ a = t.integer() }")
  end)

  it("are arguments: bytes are refused in an output", function()
    assert.equal("app.lua:1: mcp.tool: t.bytes is for arguments; "
      .. "return mcp.embedded { blob = ... }",
      fake.load('mcp.tool("x", { output = t.bytes() }, function() end)').error)
  end)
end)

describe("output", function()
  it("is a table of fields or any type", function()
    assert.equal('{"type":"object","properties":{"conditions":{"type":"string"},'
      .. '"temperature":{"type":"number"}},"required":["conditions","temperature"],'
      .. '"additionalProperties":false}',
      whole("output", "{ temperature = t.number(), conditions = t.string() }"))
    assert.equal('{"type":"array","items":{"type":"string"}}',
      whole("output", "t.array { t.string() }"))
  end)

  it("yields to output_schema", function()
    assert.equal('{"minimum":1}',
      whole("output", "t.number()", "", "output_schema = { minimum = 1 }"))
  end)
end)

describe("the tool get_weather of the API", function()
  it("is listed as its author means it", function()
    local state = fake.load [[
      mcp.tool {
        name = "get_weather", title = "Weather Information Provider",
        description = "Get current weather information for a location",
        read_only = true, annotations = { openWorldHint = true },
        input = {
          { "location", t.string { description = "City name or zip code", min_length = 1 } },
          { "units", t.enum { "celsius", "fahrenheit", default = "celsius" } },
        },
        output = { temperature = t.number(), conditions = t.string() },
        handler = function(args, ctx) return args, ctx end,
      }]]
    assert.is_nil(state.error)
    local got = state.tools[1]
    assert.equal('{"openWorldHint":true,"readOnlyHint":true}', got.annotations)
    assert.equal('{"type":"object","properties":{"location":{"type":"string",'
      .. '"description":"City name or zip code","minLength":1},"units":{"type":"string",'
      .. '"default":"celsius","enum":["celsius","fahrenheit"]}},"required":["location"],'
      .. '"additionalProperties":false}', got.input_schema)
  end)
end)
