-- Mirrors lua/mcp/tool.lua, with handler.lua, comment.lua, schema.lua.
local fake = require "fake_core"

--- The one tool that `text` declares.
local function tool(text)
  local state = fake.load(text)
  assert.is_nil(state.error)
  assert.equal(1, #state.tools)
  return state.tools[1]
end

--- The message that refuses `text`.
local function refusal(text, setup)
  return fake.load(text, setup).error
end

describe("the three forms of mcp.tool", function()
  it("are the same", function()
    local want = '{"type":"object","properties":{"a":{}},"required":["a"],'
      .. '"additionalProperties":false}'
    for _, text in ipairs {
      'mcp.tool("x", function(a) end)',
      'mcp.tool("x", nil, function(a) end)',
      'mcp.tool("x", {}, function(a) end)',
      'mcp.tool { name = "x", handler = function(a) end }',
    } do
      local got = tool(text)
      assert.equal("x", got.name)
      assert.equal(want, got.input_schema)
      assert.same({ "a" }, got.binds)
      assert.equal("function", type(got.handler))
    end
  end)

  it("keep the fields of the middle form", function()
    assert.equal("T", tool('mcp.tool("x", { title = "T" }, function() end)').title)
  end)

  it("leave the caller's table alone", function()
    local state = fake.load [[
      local decl = { title = "T" }
      mcp.tool("x", decl, function() end)
      mcp.tool("y", decl, function() end)]]
    assert.is_nil(state.error)
    assert.equal("y", state.tools[2].name)
  end)

  it("tell file and line of the declaration", function()
    local got = tool '\n\nmcp.tool("x", function() end)'
    assert.equal("app.lua", got.file)
    assert.equal(3, got.line)
  end)
end)

describe("a handler's parameters", function()
  local function schema(parameters, fields)
    local text = ('mcp.tool("x", {%s}, function(%s) end)'):format(fields or "", parameters)
    return tool(text).input_schema
  end

  it("are required arguments of any type, in their order", function()
    assert.equal('{"type":"object","properties":{"b":{},"a":{}},"required":["b","a"],'
      .. '"additionalProperties":false}', schema "b, a, ctx")
  end)

  it("that are none mean no arguments", function()
    local none = '{"type":"object","properties":{},"additionalProperties":false}'
    assert.equal(none, schema "")
    assert.equal(none, schema "ctx")
  end)

  it("that ask for args mean any arguments", function()
    assert.equal('{"type":"object","properties":{}}', schema "args, ctx")
    assert.equal('{"type":"object","properties":{"a":{}},"required":["a"]}', schema "args, a")
  end)

  it("leave the schema open with extra_arguments", function()
    assert.equal('{"type":"object","properties":{}}', schema("", 'extra_arguments = "allow"'))
  end)

  it("leave it open when the server says so, unless the tool does not", function()
    local head = 'mcp.server { extra_arguments = "allow" }\n'
    assert.equal('{"type":"object","properties":{}}',
      tool(head .. 'mcp.tool("x", function() end)').input_schema)
    assert.equal('{"type":"object","properties":{},"additionalProperties":false}',
      tool(head .. 'mcp.tool("x", { extra_arguments = "forbid" }, function() end)').input_schema)
  end)

  it("are handed to the host by name", function()
    assert.same({ "args", "ctx", "a" }, tool('mcp.tool("x", function(args, ctx, a) end)').binds)
  end)

  local refused = {
    ['mcp.tool("x", function(...) end)'] = 'the handler takes "...", which has no names; '
      .. "write function(args, ctx) to get all arguments as a table",
    ['mcp.tool("x", function(a, ...) end)'] = 'the handler takes "...", which has no names; '
      .. "write function(args, ctx) to get all arguments as a table",
    ['mcp.tool("x", print)'] = "the handler is a C function, whose parameters have no names; "
      .. "write function(args) return f(args.x) end",
    ['mcp.tool("x", loadstring(string.dump(loadstring("return function(a) end")(), true)))'] =
      "the handler is stripped bytecode, whose parameters have no names",
    ['local o = {} function o:f(a) end\nmcp.tool("x", o.f)'] =
      'the handler\'s first parameter is "self": it was written with a colon, '
      .. "and nothing is there to be self",
    ['mcp.tool("x", function(a, a) end)'] = 'the handler has two parameters called "a"',
    ['mcp.tool("x", { desc = "a" }, function() end)'] =
      'unknown field "desc"; did you mean "description"?',
    ['mcp.tool("x", { zzzz = "a" }, function() end)'] = 'unknown field "zzzz"',
    ['mcp.tool { name = "x", function() end }'] =
      "every field needs a name, but there is one at [1]; write handler = function",
    ['mcp.tool("x")'] = "handler must be a function, got nil",
    ['mcp.tool("x", {})'] = "handler must be a function, got nil",
    ['mcp.tool { name = "x", handler = "f" }'] = 'handler must be a function, got "f"',
  }
  for text, message in pairs(refused) do
    it("are refused: " .. text:gsub("\n", " "), function()
      local line = select(2, text:gsub("\n", "")) + 1
      assert.equal(("app.lua:%d: mcp.tool: %s"):format(line, message), refusal(text))
    end)
  end
end)

describe("mcp.tool refuses", function()
  local f = "handler = function() end"
  local refused = {
    ['mcp.tool()'] = "name must be a string, got nil",
    ['mcp.tool(7, function() end)'] = "name must be a string, got 7",
    ['mcp.tool { ' .. f .. ' }'] = "name must be a string, got nil",
    ['mcp.tool { name = "x\\0y", ' .. f .. ' }'] = "name has a NUL character inside",
    ['mcp.tool { name = "x", summary = "\\0", ' .. f .. ' }'] =
      "summary has a NUL character inside",
    ['mcp.tool { name = "x", titel = "T", ' .. f .. ' }'] =
      'unknown field "titel"; did you mean "title"?',
    ['mcp.tool { name = "x", zzzzzz = 1, ' .. f .. ' }'] = 'unknown field "zzzzzz"',
    ['mcp.tool { "x", ' .. f .. ' }'] = "every field needs a name, but there is one at [1]",
    ['mcp.tool { name = "x", task = "maybe", ' .. f .. ' }'] =
      'task must be true, false, "optional" or "required", got "maybe"',
    ['mcp.tool { name = "x", task = {}, ' .. f .. ' }'] =
      'task must be true, false, "optional" or "required", got table',
    ['mcp.tool { name = "x", restart = "retry", ' .. f .. ' }'] =
      "restart is for tools with task = true",
    ['mcp.tool { name = "x", task = false, task_input_before_start = true, ' .. f .. ' }'] =
      "task_input_before_start is for tools with task = true",
    ['mcp.tool { name = "x", task = true, restart = "always", ' .. f .. ' }'] =
      'restart must be "fail" or "retry", got "always"',
    ['mcp.tool({ name = "x", ' .. f .. ' }, 1)'] =
      "mcp.tool { ... } takes one table and nothing behind it",
    ['mcp.tool("x", { name = "y" }, function() end)'] = "name is given twice",
    ['mcp.tool("x", { ' .. f .. ' }, function() end)'] = "handler is given twice",
    ['mcp.tool("x", function() end, {})'] =
      "the handler comes last: mcp.tool(name, fields, handler)",
    ['mcp.tool { name = "x", title = 1, ' .. f .. ' }'] = "title must be a string, got 1",
    ['mcp.tool { name = "x", description = {}, ' .. f .. ' }'] =
      "description must be a string, got table",
    ['mcp.tool { name = "x", summary = true, ' .. f .. ' }'] = "summary must be a string, got true",
    ['mcp.tool { name = "x", when_to_use = 1, ' .. f .. ' }'] =
      "when_to_use must be a string, got 1",
    ['mcp.tool { name = "x", tags = 1, ' .. f .. ' }'] = "tags must be a list of strings, got 1",
    ['mcp.tool { name = "x", tags = { "a", 2 }, ' .. f .. ' }'] = "tags[2] must be a string, got 2",
    ['mcp.tool { name = "x", tags = { a = "b" }, ' .. f .. ' }'] =
      "tags must be a list of strings, got table",
    ['mcp.tool { name = "x", read_only = "yes", ' .. f .. ' }'] =
      'read_only must be a boolean, got "yes"',
    ['mcp.tool { name = "x", annotations = 1, ' .. f .. ' }'] =
      "annotations must be a table, got 1",
    ['mcp.tool { name = "x", annotations = { readOnlyHint = 1 }, ' .. f .. ' }'] =
      "annotations.readOnlyHint must be a boolean, got 1",
    ['mcp.tool { name = "x", annotations = { title = 1 }, ' .. f .. ' }'] =
      "annotations.title must be a string, got 1",
    ['mcp.tool { name = "x", annotations = { true }, ' .. f .. ' }'] =
      "annotations must be a table with names as keys",
    ['mcp.tool { name = "x", annotations = { x = { y = print } }, ' .. f .. ' }'] =
      "annotations/x/y is a function, which JSON cannot carry",
    ['mcp.tool { name = "x", meta = 1, ' .. f .. ' }'] = "meta must be a table, got 1",
    ['mcp.tool { name = "x", timeout = 0, ' .. f .. ' }'] =
      "timeout must be a number of seconds above 0, got 0",
    ['mcp.tool { name = "x", timeout = 1/0, ' .. f .. ' }'] =
      "timeout must be a number of seconds above 0, got inf",
    ['mcp.tool { name = "x", timeout = "1", ' .. f .. ' }'] = 'timeout must be a number, got "1"',
    ['mcp.tool { name = "x", assert_format = 1, ' .. f .. ' }'] =
      "assert_format must be a boolean, got 1",
    ['mcp.tool { name = "x", extra_arguments = true, ' .. f .. ' }'] =
      'extra_arguments must be "allow" or "forbid", got true',
    ['mcp.tool { name = "x", input_schema = "{}", ' .. f .. ' }'] =
      'input_schema must be a table, got "{}"',
    ['mcp.tool { name = "x", input_schema_file = {}, ' .. f .. ' }'] =
      "input_schema_file must be a string, got table",
    ['mcp.tool { name = "x", input_schema = {}, input_schema_file = "s.json", ' .. f .. ' }'] =
      "input_schema and input_schema_file are both given; one of them is the schema",
    ['mcp.tool { name = "x", output_schema = {}, output_schema_file = "s.json", ' .. f .. ' }'] =
      "output_schema and output_schema_file are both given; one of them is the schema",
    ['mcp.tool { name = "x", input_schema = { properties = { a = print } }, ' .. f .. ' }'] =
      "input_schema/properties/a is a function, which JSON cannot carry",
    ['mcp.tool { name = "x", icons = "i", ' .. f .. ' }'] = 'icons must be a table, got "i"',
    ['mcp.tool { name = "x", icons = { src = "i" }, ' .. f .. ' }'] =
      'icons must be a list of tables { src = "https://..." }',
    ['mcp.tool { name = "x", icons = { {} }, ' .. f .. ' }'] =
      "icons[1]: src must be a string, got nil",
    ['mcp.tool { name = "x", icons = { { src = "i", mimeType = "image/png" } }, ' .. f .. ' }'] =
      'icons[1]: unknown field "mimeType"; did you mean "mime_type"?',
    ['mcp.tool { name = "x", icons = { { src = "i", theme = "pink" } }, ' .. f .. ' }'] =
      'theme must be "light" or "dark", got "pink"',
  }
  for text, message in pairs(refused) do
    it(text, function()
      assert.equal("app.lua:1: mcp.tool: " .. message, refusal(text))
    end)
  end

  it("the same name twice, with both lines", function()
    assert.equal('app.lua:3: mcp.tool: tool "x" is declared twice: app.lua:1 and app.lua:3',
      refusal 'mcp.tool("x", function() end)\n\nmcp.tool("x", function() end)')
  end)

  it("a declaration inside a call", function()
    local state = fake.load 'mcp.tool("x", function()\n  mcp.tool("y", function() end)\nend)'
    state.loading = false
    local ok, err = pcall(state.tools[1].handler)
    assert.is_false(ok)
    assert.equal("app.lua:2: mcp.tool: a handler cannot declare anything; "
      .. "declare it where the app loads", err)
    assert.equal(1, #state.tools)
  end)

  it("at the line of the function that calls it", function()
    assert.equal("app.lua:2: mcp.tool: name must be a string, got nil", refusal [[
local function declare()
  mcp.tool { handler = function() end }
  return 1
end

declare()]])
  end)

  it("at the function's own line after a tail call", function()
    local refused_by_tail_call = [[
package.preload["app.mod"] = function()
  return mcp.tool("x", { titel = 1 },
    function() end)
end
local ok, err = pcall(require, "app.mod")
package.preload["app.mod"] = nil
error(err:match("app.lua:.*"), 0)]]
    assert.equal('app.lua:3: mcp.tool: unknown field "titel"; did you mean "title"?',
      refusal(refused_by_tail_call):match("^[^\n]*"))
  end)
end)

describe("a description", function()
  it("is the explicit one, then the summary, then the doc comment", function()
    local doc = "--- From the comment.\n"
    local function described(fields)
      return tool(doc .. ('mcp.tool("x", {%s}, function() end)'):format(fields)).description
    end
    assert.equal("D", described 'description = "D", summary = "S"')
    assert.equal("S", described 'summary = "S"')
    assert.equal("S", described 'description = " \\n", summary = "S"')
    assert.equal("From the comment.", described "")
  end)

  it("is absent when there is none", function()
    assert.is_nil(tool('mcp.tool("x", { description = "" }, function() end)').description)
  end)

  it("has sections for the model, in a fixed order", function()
    assert.equal("D\n\n## When to use\nW\n\n## Returns\nR\n\n## Instructions\nI", tool [[
      mcp.tool("x", { instructions = "I", returns = "R", when_to_use = "W", description = "D" },
        function() end)]].description)
  end)

  it("may be sections alone", function()
    local got = tool 'mcp.tool("x", { returns = "R" }, function() end)'
    assert.equal("## Returns\nR", got.description)
  end)
end)

describe("a doc comment", function()
  local function doc(text)
    return tool(text).description
  end

  it("is the block that ends above the statement", function()
    assert.equal("One.\nTwo.", doc '--- One.\n--- Two.\nmcp.tool("x", function() end)')
  end)

  it("above the function goes before the one above the statement", function()
    assert.equal("Inner.", doc [[
--- Outer.
mcp.tool {
  name = "x",
  --- Inner.
  handler = function() end,
}]])
  end)

  it("belongs to a function that is declared elsewhere", function()
    assert.equal("Of f.", doc [[
--- Of f.
local function f() end

mcp.tool("x", f)]])
  end)

  it("does not count when a line is between", function()
    assert.is_nil(doc '--- One.\n\nmcp.tool("x", function() end)')
    assert.is_nil(doc '--- One.\nlocal _ = 1\nmcp.tool("x", function() end)')
  end)

  it("has only three dashes, or is a line of dashes", function()
    assert.is_nil(doc '-- One.\nmcp.tool("x", function() end)')
    assert.is_nil(doc '---- One.\nmcp.tool("x", function() end)')
    assert.equal("One.", doc '-------\n--- One.\n-------\nmcp.tool("x", function() end)')
  end)

  it("leaves annotations out, keeps inner blank lines and indentation", function()
    assert.equal("One.\n\n  Two.", doc(table.concat({
      "---", "--- One.", "---@param a string", "---", "---   Two.", "---",
      'mcp.tool("x", function(a) end)',
    }, "\n")))
  end)

  it("is read with lines that end in CR LF", function()
    assert.equal("One.\nTwo.", doc '--- One.\r\n--- Two.\r\nmcp.tool("x", function() end)\r\n')
  end)

  it("is absent when the source is not known", function()
    local state = fake.load('--- One.\nmcp.tool("x", function() end)', function(s)
      s.sources = {}
    end)
    assert.is_nil(state.error)
    assert.is_nil(state.tools[1].description)
  end)
end)

describe("annotations", function()
  local function annotations(fields)
    return tool(('mcp.tool("x", {%s}, function() end)'):format(fields)).annotations
  end

  it("are kept, also those we do not know", function()
    assert.equal('{"openWorldHint":true,"scopes":["a"],"title":"T"}',
      annotations 'annotations = { openWorldHint = true, title = "T", scopes = { "a" } }')
  end)

  it("yield to read_only", function()
    assert.equal('{"readOnlyHint":true}', annotations "read_only = true")
    assert.equal('{"readOnlyHint":false}',
      annotations "read_only = false, annotations = { readOnlyHint = true }")
  end)

  it("are absent when empty", function()
    assert.is_nil(annotations "annotations = {}")
    assert.is_nil(annotations "")
  end)
end)

describe("the other fields of mcp.tool", function()
  it("reach the host as it wants them", function()
    local got = tool [[mcp.tool { name = "x", title = "T", meta = { b = 1, a = { c = true } },
      icons = { { src = "i.png", mime_type = "image/png", sizes = "any", theme = "dark" } },
      tags = { "a" }, timeout = 0.5, assert_format = true, handler = function() end }]]
    assert.equal("T", got.title)
    assert.equal('{"a":{"c":true},"b":1}', got.meta)
    assert.equal('[{"mimeType":"image/png","sizes":["any"],"src":"i.png","theme":"dark"}]',
      got.icons)
    assert.equal(0.5, got.timeout)
    assert.is_true(got.assert_format)
  end)
end)

describe("a raw schema", function()
  it("is kept, in an order of our own", function()
    assert.equal('{"$id":"u","type":"object","properties":{"a":{"type":"string","enum":["b"]}},'
      .. '"required":["a"],"minProperties":1}', tool [[
      mcp.tool("x", { input_schema = { type = "object", required = { "a" }, minProperties = 1,
        properties = { a = { enum = { "b" }, type = "string" } }, ["$id"] = "u" } },
        function(a) end)]].input_schema)
  end)

  it("gets a root type, and the author's table does not", function()
    local state = fake.load [[
      raw = { properties = {} }
      mcp.tool("x", { input_schema = raw }, function(args) end)
      assert(raw.type == nil)]]
    assert.is_nil(state.error)
    assert.equal('{"type":"object","properties":{}}', state.tools[1].input_schema)
  end)

  it("of the output is kept as it is", function()
    local got = tool 'mcp.tool("x", { output_schema = { minimum = 1 } }, function() end)'
    assert.equal('{"minimum":1}', got.output_schema)
  end)

  it("in a file is left to the host", function()
    local got = tool [[mcp.tool("x", { input_schema_file = "in.json",
      output_schema_file = "out.json" }, function(args) end)]]
    assert.is_nil(got.input_schema)
    assert.equal("in.json", got.input_schema_file)
    assert.equal("out.json", got.output_schema_file)
  end)
end)

describe("a follow load", function()
  it("gives name, parameters and handler only", function()
    local state = fake.load('--- D\nmcp.tool("x", { title = "T" }, function(a) end)', function(s)
      s.following = true
    end)
    assert.is_nil(state.error)
    local got = state.tools[1]
    got.handler = nil
    assert.same({ name = "x", binds = { "a" } }, got)
  end)
end)
