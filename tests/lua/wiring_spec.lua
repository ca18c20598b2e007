-- Mirrors lua/mcp/scope.lua, group.lua, provide.lua, hooks.lua and pipeline.lua.
local fake = require "fake_core"

--- What `text` declares; it must load.
local function load(text)
  local state = fake.load(text)
  assert.is_nil(state.error)
  return state
end

local function refusal(text)
  return fake.load(text).error
end

--- Calls an item of the fake host as the real one does: by its plan.
local function call(item, args)
  local given, ctx = {}, {}
  for i, name in ipairs(item.binds) do
    if name == "ctx" then
      given[i] = ctx
    elseif name == "args" then
      given[i] = setmetatable({}, { __index = args })
    else
      given[i] = args and args[name]
    end
  end
  return item.handler(unpack(given, 1, #item.binds))
end

--- Does what the host does when a call has ended.
local function finish(state, fault)
  for _ = 1, 100 do
    if not state.finish(fault) then
      return
    end
  end
  error "no end"
end

--- The table of the failure by which `f` ended.
local function ending(f, ...)
  local ok, how = pcall(f, ...)
  assert.is_false(ok)
  assert.equal("failure", how.ended)
  return how.data
end

describe("an item without anything around it", function()
  it("keeps its handler and its plan", function()
    local state = load [[
      mcp.hooks { on_startup = function() end }
      handler = function(a, ctx) end
      mcp.tool("x", handler)
      mcp.prompt("p", handler)
      mcp.resource { uri = "a:b", handler = function(ctx) end }]]
    assert.same({ "a", "ctx" }, state.tools[1].binds)
    assert.equal(state.tools[1].handler, state.prompts[1].handler)
    assert.same({ "ctx" }, state.resources[1].binds)
  end)
end)

describe("a dependency", function()
  it("is no argument", function()
    local tool = load([[
      mcp.provide("db", function() return "base" end)
      mcp.tool("x", function(a, db, b) return a .. db .. b end)]]).tools[1]
    assert.equal('{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"],'
      .. '"additionalProperties":false}', tool.input_schema)
    assert.same({ "ctx", "a", "b" }, tool.binds)
    assert.equal("1base2", call(tool, { a = "1", b = "2" }))
  end)

  it("may be described in the comment, and is no argument even so", function()
    local tool = load([[
      mcp.provide("db", function() return 1 end)
      --- Text.
      ---@param db table
      ---@param a string
      mcp.tool("x", function(a, db) end)]]).tools[1]
    assert.equal('{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],'
      .. '"additionalProperties":false}', tool.input_schema)
  end)

  it("is made once, when it is asked for", function()
    local state = load [[
      made = {}
      mcp.provide("a", function() made[#made + 1] = "a" return #made end)
      mcp.provide("b", function(a) made[#made + 1] = "b" return a end)
      mcp.provide("c", function() made[#made + 1] = "c" end)
      mcp.tool("x", function(ctx, b, a) return made, b, a, ctx.dep.b, ctx.dep.a end)]]
    local made, b, a, again, more = call(state.tools[1])
    assert.same({ "a", "b" }, made)
    assert.same({ 1, 1, 1, 1 }, { b, a, again, more })
  end)

  it("may be nil or false, and is made once even so", function()
    local state = load [[
      count = 0
      mcp.provide("a", function() count = count + 1 end)
      mcp.provide("b", function() count = count + 1 return false end)
      mcp.tool("x", function(ctx, a, b) return ctx.dep.a, ctx.dep.b, a, b, count end)]]
    assert.same({ nil, false, nil, false, 2 }, { call(state.tools[1]) })
  end)

  it("is the nearest of its name, for providers too", function()
    local state = load [[
      mcp.server { dependencies = { who = function() return "server" end } }
      mcp.provide("name", function(who) return "<" .. who .. ">" end)
      mcp.tool("x", function(name) return name end)
      mcp.group({ dependencies = { who = function() return "group" end } }, function()
        mcp.tool("y", function(name) return name end)
        mcp.tool("z", { dependencies = { who = function() return "item" end } },
          function(name) return name end)
      end)
      mcp.tool("w", function(name) return name end)]]
    local got = {}
    for i, tool in ipairs(state.tools) do
      got[i] = call(tool)
    end
    assert.same({ "<server>", "<group>", "<item>", "<server>" }, got)
  end)

  it("gets ctx and the call's arguments", function()
    local state = load [[
      mcp.provide("a", function(args, ctx) ctx.seen = true return args.x end)
      mcp.tool("t", function(x, a, ctx) return x .. a .. tostring(ctx.seen) end)]]
    assert.same({ "ctx", "args", "x", "ctx" }, state.tools[1].binds)
    assert.equal("11true", call(state.tools[1], { x = "1" }))
  end)

  it("fails the call that needs it", function()
    local state = load [[
      mcp.provide("a", function() return nil, "no base" end)
      mcp.provide("b", function() error("broken", 0) end)
      mcp.provide("c", function() return 1, 2 end)
      mcp.tool("a", function(a) end)
      mcp.tool("b", function(b) end)
      mcp.tool("c", function(c) end)
      mcp.tool("twice", function(ctx)
        pcall(function() return ctx.dep.b end)
        return ctx.dep.b
      end)]]
    local function failure(i)
      return select(2, pcall(call, state.tools[i]))
    end
    assert.same({ message = "no base" }, failure(1))
    assert.equal("broken", failure(2))
    assert.equal('the provider of "c" returned a number where its cleanup, '
      .. "a function, was expected", failure(3))
    assert.equal('dependency "b" needs itself, or it has failed in this call', failure(4))
  end)

  it("that is asked for by a wrong name is none", function()
    local state = load [[
      mcp.provide("base", function() end)
      mcp.tool("x", function(ctx) return ctx.dep.bas end)
      mcp.tool("y", function(ctx) ctx.dep.base = 1 end)]]
    assert.equal('app.lua:2: there is no dependency "bas"; did you mean "base"?',
      select(2, pcall(call, state.tools[1])))
    assert.equal("app.lua:3: ctx.dep cannot be changed", select(2, pcall(call, state.tools[2])))
  end)

  it("reaches prompts and resources", function()
    local state = load [[
      mcp.provide("db", function() return "base" end)
      mcp.prompt("p", function(a, db) return a .. db end)
      mcp.resource { uri_template = "n://{id}", handler = function(db, id) return db .. id end }]]
    assert.same({ { name = "a", required = true } }, state.prompts[1].arguments)
    assert.equal("1base", call(state.prompts[1], { a = "1" }))
    assert.equal("base7", call(state.resources[1], { id = "7" }))
  end)

  local refused = {
    ['mcp.provide(1, function() end)'] =
      "mcp.provide: the name of a dependency must be one that a parameter can have, got 1",
    ['mcp.provide("a-b", function() end)'] =
      'mcp.provide: the name of a dependency must be one that a parameter can have, got "a-b"',
    ['mcp.provide("ctx", function() end)'] = 'mcp.provide: a dependency may not be called "ctx": '
      .. "a parameter of that name is something else",
    ['mcp.provide("a")'] = 'mcp.provide: provider of "a" must be a function, got nil',
    ['mcp.provide("a", function(...) end)'] = 'mcp.provide: the provider of "a" takes "...", '
      .. "which has no names; write function(args, ctx) to get all arguments as a table",
    ['mcp.provide("a", function() end) mcp.provide("a", function() end)'] =
      'mcp.provide: dependency "a" is there twice; the other is at app.lua:1',
    ['mcp.provide("a", function(path) end) mcp.tool("x", function() end)'] =
      'mcp.provide: the provider of "a" has a parameter "path", '
      .. "which is no dependency, nor args or ctx",
    ['mcp.provide("base", function() end) mcp.provide("b", function(bas) end) '
      .. 'mcp.tool("x", function() end)'] =
      'mcp.provide: the provider of "b" has a parameter "bas", which is no dependency, '
      .. 'nor args or ctx; did you mean "base"?',
    ['mcp.provide("a", function(a) end) mcp.tool("x", function() end)'] =
      "mcp.provide: dependencies need each other in a circle: a -> a",
    ['mcp.provide("z", function(b) end) mcp.provide("b", function(c) end) '
      .. 'mcp.provide("c", function(b) end) mcp.tool("x", function() end)'] =
      "mcp.provide: dependencies need each other in a circle: b -> c -> b",
    ['mcp.group({ dependencies = { a = function(b) end, b = function(a) end } }, function() end)'] =
      "mcp.group: dependencies need each other in a circle: a -> b -> a",
    ['mcp.tool("x", function() end) mcp.provide("a", function() end)'] = "mcp.provide: must be "
      .. "called before the first tool, prompt or resource, which is at app.lua:1",
    ['mcp.group({}, function() mcp.provide("a", function() end) end)'] = "mcp.provide: is for the "
      .. "whole app; in a group, write dependencies = { NAME = function }",
    ['mcp.tool("x", { dependencies = 1 }, function() end)'] =
      "mcp.tool: dependencies must be a table, got 1",
    ['mcp.provide("a", function() end) '
      .. 'mcp.tool("x", { input = { a = t.string() } }, function() end)'] =
      'mcp.tool: argument "a" is called like a dependency; rename one of them',
    ['mcp.provide("a", function() end) '
      .. 'mcp.tool("x", { input_schema = { properties = { a = {} } } }, function() end)'] =
      'mcp.tool: argument "a" is called like a dependency; rename one of them',
    ['mcp.provide("a", function() end) mcp.prompt("x", { arguments = { "a" } }, function() end)'] =
      'mcp.prompt: argument "a" is called like a dependency; rename one of them',
  }
  for text, message in pairs(refused) do
    it("is refused: " .. text, function()
      assert.equal("app.lua:1: " .. message, refusal(text))
    end)
  end
end)

describe("a cleanup", function()
  it("is run by the host when the call has ended, the last one first", function()
    local state = load [[
      said = {}
      for _, name in ipairs { "a", "b", "c" } do
        mcp.provide(name, function()
          return name, function()
            said[#said + 1] = name
            if name == "b" then error("broken", 0) end
            if name == "c" then mcp.forbidden("no") end
          end
        end)
      end
      mcp.tool("x", function(a, b, c) return said end)
      mcp.tool("y", function() end)]]
    local said = call(state.tools[1])
    assert.is_true(state.finish_expected)
    assert.same({}, said)
    finish(state)
    assert.same({ "c", "b", "a" }, said)
    assert.same({
      'the cleanup of "c" of tool x failed: a hook or a cleanup cannot end the call: no',
      'the cleanup of "b" of tool x failed: broken',
    }, state.log)
    finish(state)
    assert.equal(3, #said)
  end)

  it("that is none asks for nothing", function()
    local state = load [[
      mcp.provide("a", function() end)
      mcp.tool("x", function(a) end)]]
    call(state.tools[1])
    assert.is_nil(state.finish_expected)
  end)

  it("leaves the end of later calls as it is", function()
    local state = load [[
      mcp.provide("a", function() return 1, function() error() end end)
      mcp.tool("x", function(a) end)
      mcp.tool("y", function(ctx) mcp.unauthorized("no") end)]]
    call(state.tools[1])
    finish(state)
    assert.same({ message = "no", status = 401 }, ending(call, state.tools[2]))
  end)
end)

describe("guards", function()
  it("run from the app in, before anything is made", function()
    local state = load [[
      said = {}
      local function guard(name)
        return function(ctx) said[#said + 1] = name return true end
      end
      mcp.server { guards = guard "app" }
      mcp.provide("a", function() said[#said + 1] = "made" end)
      mcp.group({ guards = { guard "group 1", guard "group 2" } }, function()
        mcp.group({ guards = guard "inner" }, function()
          mcp.tool("x", { guards = { guard "item" } }, function(a) return said end)
        end)
      end)
      mcp.prompt("y", function() end)]]
    assert.same({ "app", "group 1", "group 2", "inner", "item", "made" }, call(state.tools[1]))
    call(state.prompts[1])
  end)

  it("refuse by false or by raising", function()
    local state = load [[
      local function not_reached() error "reached" end
      mcp.tool("a", { guards = function() return false, "not you" end }, not_reached)
      mcp.tool("b", { guards = function() return false end }, not_reached)
      mcp.tool("c", { guards = function() error("no", 0) end }, not_reached)
      mcp.tool("d", { guards = function() return false, 1 end }, not_reached)
      mcp.tool("e", { guards = function() return nil, "ignored" end }, function() return 1 end)]]
    assert.same({ message = "not you", status = 403 }, ending(call, state.tools[1]))
    assert.same({ message = "Access denied", status = 403 }, ending(call, state.tools[2]))
    assert.equal("no", select(2, pcall(call, state.tools[3])))
    assert.equal("a guard returned false and a number, where a message was expected",
      select(2, pcall(call, state.tools[4])))
    assert.equal(1, call(state.tools[5]))
  end)

  it("of a controller are around its prompts", function()
    local state = load [[
      mcp.prompt_controller { prefix = "c", guards = function() return false, "no" end,
        dependencies = { a = function() return 1 end }, tags = "x",
        { name = "p", handler = function(a) return a end } }]]
    assert.equal("c/p", state.prompts[1].name)
    assert.same({ message = "no", status = 403 }, ending(call, state.prompts[1]))
  end)

  it("are before fixed contents too", function()
    local state = load [[
      mcp.server { guards = function(ctx) ctx.seen = true end }
      mcp.resource { uri = "a:text", text = "hello" }
      mcp.resource { uri = "a:json", json = { 1 } }]]
    assert.is_nil(state.resources[1].content)
    assert.equal("hello", call(state.resources[1]))
    assert.equal("[1]", call(state.resources[2]))
  end)

  local refused = {
    ["guards = 1"] = "guards must be a list of functions (ctx), got 1",
    ["guards = { 1 }"] = "guards[1] must be a function (ctx), got 1",
    ["guards = { a = print }"] = "guards must be a list of functions (ctx), got table",
  }
  for text, message in pairs(refused) do
    it("are refused: " .. text, function()
      assert.equal("app.lua:1: mcp.tool: " .. message,
        refusal(('mcp.tool("x", { %s }, function() end)'):format(text)))
      assert.equal("app.lua:1: mcp.server: " .. message,
        refusal(("mcp.server { %s }"):format(text)))
      assert.equal("app.lua:1: mcp.group: " .. message,
        refusal(("mcp.group({ %s }, function() end)"):format(text)))
    end)
  end

  it("may stand before a file, which is read when the app loads", function()
    local state = load [[
      mcp.resource { uri = "a:t", file = "t.txt", guards = function() end }
      mcp.resource { uri = "a:p", file = "p.png", guards = function() end }
    ]]
    local text, image = state.resources[1], state.resources[2]
    assert.is_nil(text.content_file)
    assert.is_nil(text.content)
    assert.equal("bytes of t.txt", text.handler())
    assert.is_nil(text.mime_type)
    assert.equal("image/png", image.mime_type)
    assert.equal("app.lua:1: mcp.resource: cannot read \"./none.txt\": No such file or directory",
      refusal 'mcp.resource { uri = "a:b", file = "none.txt", guards = function() end }')
    assert.equal("app.lua:1: mcp.resource: file must be a string, got 5",
      refusal 'mcp.resource { uri = "a:b", file = 5, guards = function() end }')
  end)
end)

describe("hooks", function()
  it("are told of each tool call", function()
    local state = load [[
      said = {}
      mcp.hooks {
        before_tool_call = function(name, args, ctx)
          said[#said + 1] = { "before", name, args.a, ctx.mark }
          ctx.mark = 1
        end,
        after_tool_call = function(name, args, ctx, outcome)
          said[#said + 1] = { "after", name, args.a, ctx.mark, outcome }
        end,
      }
      mcp.tool("x", function(a) return a .. "!", said end)
      mcp.prompt("p", function() return said end)]]
    local result, said = call(state.tools[1], { a = "1" })
    assert.equal("1!", result)
    state.now = 2.5
    finish(state)
    assert.same({
      { "before", "x", "1" },
      { "after", "x", "1", 1, { result = "1!", seconds = 2.5 } },
    }, said)
    call(state.prompts[1])
    assert.equal(2, #said)
  end)

  it("hear why a call failed", function()
    local state = load [[
      mcp.hooks { after_tool_call = function(_, _, _, outcome) heard = outcome end }
      mcp.tool("x", function() error "no" end)
      mcp.tool("y", function() return heard end)]]
    pcall(call, state.tools[1])
    finish(state, "no")
    assert.same({ error = "no", seconds = 0 }, call(state.tools[2]))
  end)

  it("change nothing, whatever they do", function()
    local state = load [[
      mcp.hooks { before_tool_call = function(_, args) args.a = 2 error("oh", 0) end,
        after_tool_call = function() mcp.protocol_error { code = 1, message = "oh" } end }
      mcp.hooks { before_tool_call = function() error({}) end }
      mcp.tool("x", function(args, a) return args.a, a end)]]
    assert.same({ 1, 1 }, { call(state.tools[1], { a = 1 }) })
    finish(state)
    assert.same({
      "before_tool_call of tool x failed: oh",
      "before_tool_call of tool x failed: a value of type nil",
      "after_tool_call of tool x failed: a hook or a cleanup cannot end the call: oh",
    }, state.log)
  end)

  it("of the app's life are run by name", function()
    local state = load [[
      mcp.tool("x", function() return said end)
      said = {}
      mcp.hooks { on_startup = function() said[1] = "first" end }
      mcp.hooks { on_startup = function() said[2] = "second" error("oh", 0) end,
        on_shutdown = function() said[3] = "third" end }]]
    state.life "on_startup"
    state.life "on_reload"
    assert.same({ "first", "second" }, call(state.tools[1]))
    assert.same({ "on_startup failed: oh" }, state.log)
  end)

  local refused = {
    ["mcp.hooks()"] = "a table of functions is needed, got nil",
    ["mcp.hooks { on_start = print }"] =
      'unknown field "on_start"; did you mean "on_startup"?',
    ["mcp.hooks { before_call = print }"] = 'unknown field "before_call"; there is '
      .. "after_tool_call, before_tool_call, on_reload, on_shutdown, on_startup",
    ["mcp.hooks { on_reloads = print }"] = 'unknown field "on_reloads"; did you mean "on_reload"?',
    ["mcp.hooks { on_reload = 1 }"] = "on_reload must be a function, got 1",
    ['mcp.tool("x", function() end) mcp.hooks { after_tool_call = print }'] =
      "after_tool_call must be set before the first tool, prompt or resource, "
        .. "which is at app.lua:1",
  }
  for text, message in pairs(refused) do
    it("are refused: " .. text, function()
      assert.equal("app.lua:1: mcp.hooks: " .. message, refusal(text))
    end)
  end
end)

describe("a group", function()
  it("puts its prefix before the names of tools and prompts", function()
    local state = load [[
      mcp.group({ prefix = "a" }, function()
        mcp.tool("t", function() end)
        mcp.group({ prefix = "b" }, function()
          mcp.tool("t", function() end)
          mcp.prompt("p", function() end)
          mcp.prompt_controller { prefix = "c", { name = "p", handler = function() end } }
          mcp.resource { uri = "x:y", text = "" }
        end)
      end)
      mcp.tool("t", function() end)]]
    assert.equal("a_t", state.tools[1].name)
    assert.equal("a_b_t", state.tools[2].name)
    assert.equal("t", state.tools[3].name)
    assert.equal("a/b/p", state.prompts[1].name)
    assert.equal("a/b/c/p", state.prompts[2].name)
    assert.equal("x:y", state.resources[1].uri)
  end)

  it("ends where it ends, also when its function fails", function()
    local state = load [[
      pcall(mcp.group, { prefix = "a" }, function() error "x" end)
      mcp.tool("t", function() end)]]
    assert.equal("t", state.tools[1].name)
  end)

  it("passes refusals on as they are", function()
    assert.equal("app.lua:2: mcp.tool: name must be a string, got nil",
      refusal 'mcp.group({}, function()\nmcp.tool {}\nend)')
  end)

  local refused = {
    ["mcp.group(1)"] = "a table { prefix, tags, guards, dependencies } is needed, got 1",
    ["mcp.group({})"] = "a function that declares what is in the group is needed, got nil",
    ["mcp.group({ prefx = 1 }, print)"] = 'unknown field "prefx"; did you mean "prefix"?',
    ["mcp.group({ prefix = 1 }, print)"] = "prefix must be a string, got 1",
    ["mcp.group({ tags = 1 }, print)"] = "tags must be a list of strings, got 1",
  }
  for text, message in pairs(refused) do
    it("is refused: " .. text, function()
      assert.equal("app.lua:1: mcp.group: " .. message, refusal(text))
    end)
  end
end)

describe("filters", function()
  local ITEMS = [[
    mcp.tool("one", { tags = "red" }, function() end)
    mcp.tool("two", { tags = { "red", "blue" } }, function() end)
    mcp.tool("three", function() end)
    mcp.group({ tags = "blue", prefix = "g" }, function()
      mcp.tool("four", function() end)
    end)]]

  local function names(options)
    local list = {}
    for i, tool in ipairs(load(("mcp.server { %s }\n%s"):format(options, ITEMS)).tools) do
      list[i] = tool.name
    end
    return table.concat(list, " ")
  end

  local kept = {
    [""] = "one two three g_four",
    ['include_tags = "red"'] = "one two",
    ['include_tags = { "red", "blue" }'] = "one two g_four",
    ['exclude_tags = "blue"'] = "one three",
    ['include_tags = "red", exclude_tags = "blue"'] = "one",
    ['include_operations = { "two", "g_four" }'] = "two g_four",
    ['include_operations = "four"'] = "",
    ['exclude_operations = "two"'] = "one three g_four",
    ['include_operations = { "two", "one" }, exclude_operations = "two"'] = "one",
    ['include_operations = { "one", "three" }, include_tags = "red"'] = "one",
    ['include_operations = "two", exclude_tags = "blue"'] = "",
    ["include_tags = {}"] = "",
    ["exclude_tags = {}"] = "one two three g_four",
  }
  for options, expected in pairs(kept) do
    it("let through: " .. options, function()
      assert.equal(expected, names(options))
    end)
  end

  it("hold for prompts and resources, by name", function()
    local state = load [[
      mcp.server { exclude_operations = { "p", "notes", "deep" } }
      mcp.prompt("p", function() end)
      mcp.prompt("q", function() end)
      mcp.resource { uri = "a:x", name = "notes", text = "" }
      mcp.resource { uri = "a://x/deep", text = "" }
      mcp.resource { uri = "a:y", text = "" }]]
    assert.equal(1, #state.prompts)
    assert.equal(1, #state.resources)
  end)

  it("leave mistakes in what they drop refused", function()
    assert.equal('app.lua:2: mcp.tool: unknown field "titel"; did you mean "title"?',
      refusal 'mcp.server { exclude_operations = "x" }\nmcp.tool("x", { titel = 1 }, print)')
  end)

  it("are set before the first item", function()
    for _, option in ipairs {
      'include_tags = "a"', "guards = {}", "dependencies = {}", "exclude_operations = {}",
    } do
      assert.equal(("app.lua:2: mcp.server: %s must be set before the first tool, prompt or "
        .. "resource, which is at app.lua:1"):format(option:match "%S+"),
        refusal(('mcp.prompt("x", function() end)\nmcp.server { %s }'):format(option)))
    end
  end)
end)
