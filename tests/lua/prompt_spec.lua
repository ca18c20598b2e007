-- Mirrors lua/mcp/prompt.lua, prompts.lua, arguments.lua, prompt_controller.lua.
local fake = require "fake_core"

--- The one prompt that `text` declares.
local function prompt(text, setup)
  local state = fake.load(text, setup)
  assert.is_nil(state.error)
  assert.equal(1, #state.prompts)
  return state.prompts[1]
end

local function follow(state)
  state.following = true
end

describe("the three forms of mcp.prompt", function()
  it("are the same", function()
    for _, text in ipairs {
      'mcp.prompt("x", function(a) end)',
      'mcp.prompt("x", {}, function(a) end)',
      'mcp.prompt { name = "x", handler = function(a) end }',
    } do
      local got = prompt(text)
      assert.equal("x", got.name)
      assert.same({ "a" }, got.binds)
      assert.same({ { name = "a", required = true } }, got.arguments)
      assert.is_true(got.has_arguments)
      assert.equal("function", type(got.handler))
      assert.equal("app.lua", got.file)
      assert.equal(1, got.line)
    end
  end)

  it("take the common fields", function()
    local got = prompt [[mcp.prompt("x", { title = "T", summary = "S", returns = "R",
      icons = { { src = "https://a" } }, meta = { k = 1 }, timeout = 3 }, function() end)]]
    assert.equal("T", got.title)
    assert.equal("S\n\n## Returns\nR", got.description)
    assert.equal('[{"src":"https://a"}]', got.icons)
    assert.equal('{"k":1}', got.meta)
    assert.equal(3, got.timeout)
    assert.is_nil(got.instructions)
  end)
end)

describe("the arguments of a prompt", function()
  it("are those of the handler, required, when nothing is declared", function()
    local got = prompt 'mcp.prompt("x", function(b, ctx, a) end)'
    assert.same({ { name = "b", required = true }, { name = "a", required = true } },
      got.arguments)
    assert.is_true(got.has_arguments)
  end)

  it("may be any when the handler asks for args", function()
    local got = prompt 'mcp.prompt("x", function(a, args) end)'
    assert.same({ { name = "a", required = true } }, got.arguments)
    assert.is_false(got.has_arguments)
  end)

  it("keep the order of a list", function()
    local got = prompt [[mcp.prompt("x", { arguments = {
      { name = "b", title = "T", description = "D", required = true }, "a",
      { name = "c", default = "x" }, { name = "d", default = 7 }, { name = "e", default = false },
    } }, function() end)]]
    assert.same({
      { name = "b", title = "T", description = "D", required = true },
      { name = "a" },
      { name = "c", initial = "x" },
      { name = "d", initial = "7" },
      { name = "e", initial = "false" },
    }, got.arguments)
    assert.is_true(got.has_arguments)
  end)

  it("of a table by name have the handler's order, then the names'", function()
    local got = prompt [[mcp.prompt("x", { arguments = {
      a = {}, d = { required = true }, c = {}, b = {} } }, function(d, args, c) end)]]
    assert.same({ { name = "d", required = true }, { name = "c" }, { name = "a" }, { name = "b" } },
      got.arguments)
  end)

  it("may be none", function()
    local got = prompt 'mcp.prompt("x", { arguments = {} }, function(args) end)'
    assert.same({}, got.arguments)
    assert.is_true(got.has_arguments)
  end)

  it("come from the comment", function()
    local got = prompt [[
      --- Summarise.
      ---@param text string The document
      ---@param style? "concise"|"detailed" How
      ---@param lang string?
      mcp.prompt("x", function(text, style, lang) end)]]
    assert.equal("Summarise.", got.description)
    assert.same({
      { name = "text", description = "The document", required = true },
      { name = "style", description = "How", required = false },
      { name = "lang", required = false },
    }, got.arguments)
    assert.same({ { argument = "style", values = { "concise", "detailed" } } }, got.completers)
  end)

  it("have the texts of the comment when they have none", function()
    local got = prompt [[
      ---@param a string from the comment
      ---@param b string not this one
      mcp.prompt("x", { arguments = { "a", { name = "b", description = "own" } } },
        function(a, b) end)]]
    assert.same({ { name = "a", description = "from the comment" },
      { name = "b", description = "own" } }, got.arguments)
  end)
end)

describe("complete of a prompt", function()
  it("stands in the argument or by name", function()
    local got = prompt [[mcp.prompt("x", { complete = { b = { "y" } }, arguments = {
      { name = "a", complete = function() end }, "b" } }, function() end)]]
    assert.equal("a", got.completers[1].argument)
    assert.equal("function", type(got.completers[1].handler))
    assert.same({ argument = "b", values = { "y" } }, got.completers[2])
  end)
end)

describe("a follow load of a prompt", function()
  it("gives what the host needs to find its functions", function()
    local got = prompt([[
      ---@param a nosuchtype
      mcp.prompt("x", { title = 1, arguments = {
        { name = "a", complete = function() end }, { name = "b", complete = { "y" } } } },
        function(a) end)]], follow)
    assert.same({ "a" }, got.binds)
    assert.equal(1, #got.completers)
    assert.is_nil(got.title)
  end)
end)

describe("mcp.prompt refuses", function()
  local f = "handler = function() end"
  local refused = {
    ["mcp.prompt { " .. f .. " }"] = "name must be a string, got nil",
    ['mcp.prompt("x")'] = "handler must be a function, got nil",
    ['mcp.prompt({ name = "x" }, print)'] =
      "mcp.prompt { ... } takes one table and nothing behind it",
    ['mcp.prompt("x", function() end, {})'] =
      "the handler comes last: mcp.prompt(name, fields, handler)",
    ['mcp.prompt("x", function(...) end)'] = 'the handler takes "...", which has no names; '
      .. "write function(args, ctx) to get all arguments as a table",
    ['mcp.prompt { name = "x", titel = "T", ' .. f .. " }"] =
      'unknown field "titel"; did you mean "title"?',
    ['mcp.prompt { name = "x", scopes = 1, ' .. f .. " }"] =
      "scopes must be a list of strings, got 1",
    ['mcp.prompt { name = "x", arguments = "a", ' .. f .. " }"] =
      'arguments must be a table, got "a"',
    ['mcp.prompt { name = "x", arguments = { 1 }, ' .. f .. " }"] =
      "arguments[1] must be a table { name = ... }, got 1",
    ['mcp.prompt { name = "x", arguments = { {} }, ' .. f .. " }"] =
      "arguments[1]: name must be a string, got nil",
    ['mcp.prompt { name = "x", arguments = { "a", { nam = "b" } }, ' .. f .. " }"] =
      'arguments[2]: unknown field "nam"; did you mean "name"?',
    ['mcp.prompt { name = "x", arguments = { a = "b" }, ' .. f .. " }"] =
      'arguments.a must be a table { name = ... }, got "b"',
    ['mcp.prompt { name = "x", arguments = { a = { name = "b" } }, ' .. f .. " }"] =
      "arguments.a: the key is its name already",
    ['mcp.prompt { name = "x", arguments = { "a", b = {} }, ' .. f .. " }"] =
      "arguments must be a list { { name = ... }, ... } or a table by name, not both",
    ['mcp.prompt { name = "x", arguments = { { name = "a", required = 1 } }, ' .. f .. " }"] =
      "required must be a boolean, got 1",
    ['mcp.prompt { name = "x", arguments = { { name = "a", default = {} } }, ' .. f .. " }"] =
      "default must be a string, got table",
    ['mcp.prompt { name = "x", arguments = { { name = "a", complete = 1 } }, ' .. f .. " }"] =
      'complete of "a" must be a list of strings or a function (value, ctx), got 1',
  }
  for text, message in pairs(refused) do
    it(text, function()
      assert.equal("app.lua:1: mcp.prompt: " .. message, fake.load(text).error)
    end)
  end

  it("types of a comment that are no strings", function()
    assert.equal('app.lua:2: mcp.prompt: argument "n": what a prompt gets is a string, '
      .. "not of type integer",
      fake.load '---@param n integer\nmcp.prompt("x", function(n) end)'.error)
    assert.equal('app.lua:2: mcp.prompt: argument "n": what a prompt gets is a string, not 1',
      fake.load '---@param n 1|2\nmcp.prompt("x", function(n) end)'.error)
  end)

  it("a parameter of the comment that the handler has not", function()
    assert.equal('app.lua:1: mcp.prompt: ---@param: the handler has no parameter "txt"; '
      .. 'did you mean "text"?',
      fake.load '---@param txt string\nmcp.prompt("x", function(text) end)'.error)
  end)

  it("the same name twice, with both places", function()
    local line = 'mcp.prompt("x", function() end)\n'
    assert.equal('app.lua:2: mcp.prompt: prompt "x" is declared twice: '
      .. "app.lua:1 and app.lua:2", fake.load(line .. line).error)
  end)

  it("a declaration in a running call", function()
    assert.equal("app.lua:1: mcp.prompt: a handler cannot declare anything; "
      .. "declare it where the app loads",
      fake.load('mcp.prompt("x", function() end)', function(state)
        state.loading = false
      end).error)
  end)
end)

describe("mcp.prompt_controller", function()
  it("joins the prefix and gives its instructions to each prompt", function()
    local state = fake.load [[mcp.prompt_controller {
      prefix = "coffee", instructions = "\n  Be warm.\nBe brief.  \n",
      --- Greets.
      { name = "a", handler = function(x) end },
      { name = "b", instructions = "I",
        arguments = { { name = "c", complete = { "d" } } },
        handler = function(c) end },
    }]]
    assert.is_nil(state.error)
    local a, b = state.prompts[1], state.prompts[2]
    assert.equal("coffee/a", a.name)
    assert.equal("Be warm.\nBe brief.", a.instructions)
    assert.equal("Greets.", a.description)
    assert.equal(4, a.line)
    assert.same({ { name = "x", required = true } }, a.arguments)
    assert.equal("coffee/b", b.name)
    assert.equal("## Instructions\nI", b.description)
    assert.equal("Be warm.\nBe brief.", b.instructions)
    assert.equal(7, b.line)
    assert.same({ { argument = "c", values = { "d" } } }, b.completers)
  end)

  it("may have neither", function()
    local got = prompt [[mcp.prompt_controller { instructions = " ",
      { name = "a", handler = function() end } }]]
    assert.equal("a", got.name)
    assert.is_nil(got.instructions)
  end)

  local refused = {
    ["mcp.prompt_controller()"] =
      ": a table { prefix = ..., { name = ... }, ... } is needed, got nil",
    ['mcp.prompt_controller { prefix = "a" }'] = ": there are no prompts in it",
    ["mcp.prompt_controller { prefix = 1, { } }"] = ": prefix must be a string, got 1",
    ['mcp.prompt_controller { prefx = "a", { } }'] =
      ': unknown field "prefx"; did you mean "prefix"?',
    ["mcp.prompt_controller { 1 }"] =
      ": prompt 1: a table { name = ..., handler = ... } is needed, got 1",
    ["mcp.prompt_controller { { handler = function() end } }"] =
      ": prompt 1: name must be a string, got nil",
    ['mcp.prompt_controller { { name = "a", handler = function() end }, { name = "b" } }'] =
      ": prompt 2: handler must be a function, got nil",
  }
  for text, message in pairs(refused) do
    it("refuses " .. text, function()
      assert.equal("app.lua:1: mcp.prompt_controller" .. message, fake.load(text).error)
    end)
  end
end)
