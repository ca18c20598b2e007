-- Mirrors lua/mcp/resource.lua, with item.lua and complete.lua.
local fake = require "fake_core"

--- The one resource that `text` declares.
local function resource(text, setup)
  local state = fake.load(text, setup)
  assert.is_nil(state.error)
  assert.equal(1, #state.resources)
  return state.resources[1]
end

describe("mcp.resource", function()
  it("hands uri, name, place and handler to the host", function()
    local got = resource '\nmcp.resource { uri = "app://config", handler = function(ctx) end }'
    assert.equal("app://config", got.uri)
    assert.is_nil(got.uri_template)
    assert.equal("config", got.name)
    assert.equal("app.lua", got.file)
    assert.equal(2, got.line)
    assert.equal("function", type(got.handler))
    assert.same({ "ctx" }, got.binds)
    assert.same({}, got.completers)
  end)

  it("hands over the variables' names of a template's handler", function()
    local got = resource [[mcp.resource { uri_template = "a://{b}/{c}",
      handler = function(c, b, args) end }]]
    assert.equal("a://{b}/{c}", got.uri_template)
    assert.same({ "c", "b", "args" }, got.binds)
  end)

  it("takes every other field", function()
    local got = resource [[mcp.resource { uri = "t:a", name = "N", title = "T",
      description = "D", when_to_use = "W", mime_type = "text/x", size = 3, timeout = 2,
      annotations = { audience = "user", priority = 1, lastModified = "2026-01-01", x = 1 },
      meta = { k = 1 }, icons = { { src = "https://a" } }, tags = { "t" },
      cache = { ttl_ms = 5, scope = "public" }, text = "abc" }]]
    assert.equal("N", got.name)
    assert.equal("T", got.title)
    assert.equal("D\n\n## When to use\nW", got.description)
    assert.equal("text/x", got.mime_type)
    assert.equal(3, got.size)
    assert.equal(2, got.timeout)
    assert.equal('{"audience":["user"],"lastModified":"2026-01-01","priority":1,"x":1}',
      got.annotations)
    assert.equal('{"k":1}', got.meta)
    assert.equal('[{"src":"https://a"}]', got.icons)
    assert.equal(5, got.ttl_ms)
    assert.equal("public", got.cache_scope)
  end)

  it("has the comment above the function or the statement as its description", function()
    assert.equal("What it is.",
      resource('--- What it is.\nmcp.resource { uri = "t:a", text = "" }').description)
    assert.equal("Of f.", resource [[
      --- Of f.
      local function f() end

      mcp.resource { uri = "t:a", handler = f }]].description)
    assert.equal("S", resource '--- C\nmcp.resource { uri = "t:a", summary = "S", text = "" }'
      .description)
  end)
end)

describe("the name of a resource", function()
  local names = {
    ["app://config"] = "config",
    ["app://a/b.txt"] = "b.txt",
    ["app://a/b/"] = "b",
    ["app://a/b?q=1#c/d"] = "b",
    ["urn:isbn:1"] = "isbn:1",
    ["file:///"] = "file",
  }
  for uri, name in pairs(names) do
    it("of " .. uri .. " is " .. name, function()
      assert.equal(name, resource(('mcp.resource { uri = %q, text = "" }'):format(uri)).name)
    end)
  end
  local templates = {
    ["notes://{id}"] = "notes",
    ["app://workspaces/{w}/files/{f}"] = "files",
    ["test://template/{id}/data"] = "data",
    ["docs://{name}.md"] = "docs",
    ["search://items{?q,lang}"] = "items",
  }
  for uri, name in pairs(templates) do
    it("of " .. uri .. " is " .. name, function()
      assert.equal(name, resource(
        ('mcp.resource { uri_template = %q, handler = function() end }'):format(uri)).name)
    end)
  end
end)

describe("the content of a resource", function()
  it("may be text", function()
    local got = resource 'mcp.resource { uri = "t:a", text = "a\\0b" }'
    assert.equal("a\0b", got.content)
    assert.is_false(got.is_blob)
    assert.is_nil(got.binds)
  end)

  it("may be bytes", function()
    local got = resource 'mcp.resource { uri = "t:a", blob = "\\255" }'
    assert.equal("\255", got.content)
    assert.is_true(got.is_blob)
  end)

  it("may be a file", function()
    local got = resource 'mcp.resource { uri = "t:a", file = "a.txt" }'
    assert.equal("a.txt", got.content_file)
    assert.is_nil(got.content)
  end)

  it("may be any value as JSON, keys in byte order", function()
    local got = resource 'mcp.resource { uri = "t:a", json = { b = { 1 }, a = false } }'
    assert.equal('{"a":false,"b":[1]}', got.content)
    assert.equal("application/json", got.mime_type)
    got = resource 'mcp.resource { uri = "t:a", mime_type = "a/b", json = false }'
    assert.equal("false", got.content)
    assert.equal("a/b", got.mime_type)
  end)
end)

describe("complete of a resource", function()
  local function completers(complete)
    return resource(([[mcp.resource { uri_template = "t:{a}/{b}", complete = %s,
      handler = function() end }]]):format(complete)).completers
  end

  it("is a list of strings and numbers", function()
    assert.same({ { argument = "a", values = { "x", "7", "0.5" } } },
      completers '{ a = { "x", 7, 0.5 } }')
  end)

  it("is a function", function()
    local got = completers '{ b = function() end, a = {} }'
    assert.same({ argument = "a", values = {} }, got[1])
    assert.equal("b", got[2].argument)
    assert.equal("function", type(got[2].handler))
  end)
end)

describe("a follow load of a resource", function()
  it("gives what the host needs to find its functions", function()
    local got = resource([[mcp.resource { uri_template = "t:{a}/{b}", title = 1,
      complete = { a = { "x" }, b = function() end }, handler = function(a) end }]],
      function(state)
        state.following = true
      end)
    assert.same({ "a" }, got.binds)
    assert.is_nil(got.title)
    assert.equal(1, #got.completers)
    assert.equal("b", got.completers[1].argument)
  end)

  it("encodes no JSON", function()
    local got = resource('mcp.resource { uri = "t:a", json = print }', function(state)
      state.following = true
    end)
    assert.equal("", got.content)
  end)
end)

describe("mcp.resource refuses", function()
  local template = 'mcp.resource { uri_template = "t:{a}", handler = function() end, complete = '
  local refused = {
    ["mcp.resource()"] = 'a table { uri = "app://config", ... } is needed, got nil',
    ['mcp.resource "app://a"'] = 'a table { uri = "app://config", ... } is needed, got "app://a"',
    ['mcp.resource { text = "" }'] = "uri (or uri_template) must be a string, got nil",
    ['mcp.resource { uri = 1, text = "" }'] = "uri must be a string, got 1",
    ['mcp.resource { uri = "t:a", uri_template = "t:{a}", text = "" }'] =
      "uri and uri_template are both given; a resource has one of them",
    ['mcp.resource { uri = "t:a" }'] =
      "the content is missing: one of text, blob, file, json, handler",
    ['mcp.resource { uri = "t:a", text = "", json = {} }'] =
      "text and json are both given; one of them is the content",
    ['mcp.resource { uri_template = "t:{a}", text = "" }'] =
      "uri_template needs a handler, which gets the variables; text is for one uri",
    ['mcp.resource { uri = "t:a", text = 1 }'] = "text must be a string, got 1",
    ['mcp.resource { uri = "t:a", blob = {} }'] = "blob must be a string, got table",
    ['mcp.resource { uri = "t:a", file = true }'] = "file must be a string, got true",
    ['mcp.resource { uri = "t:a", json = { f = print } }'] =
      "json/f is a function, which JSON cannot carry",
    ['mcp.resource { uri = "t:a", handler = 1 }'] = "handler must be a function, got 1",
    ['mcp.resource { uri = "t:a", handler = print }'] =
      "the handler is a C function, whose parameters have no names; "
      .. "write function(args) return f(args.x) end",
    ['mcp.resource { url = "t:a", text = "" }'] = 'unknown field "url"; did you mean "uri"?',
    ['mcp.resource { uri = "t:a", text = "", scopes = 1 }'] =
      "scopes must be a list of strings, got 1",
    ['mcp.resource { uri = "t:a", text = "", size = -1 }'] =
      "size must be a whole number from 0 on, got -1",
    ['mcp.resource { uri = "t:a", text = "", size = 0.5 }'] =
      "size must be a whole number from 0 on, got 0.5",
    ['mcp.resource { uri = "t:a", text = "", cache = { ttl = 1 } }'] =
      'cache: unknown field "ttl"; did you mean "ttl_ms"?',
    ['mcp.resource { uri = "t:a", text = "", cache = { age = 1 } }'] =
      'cache: unknown field "age"; there is scope, ttl_ms',
    ['mcp.resource { uri = "t:a", text = "", cache = { ttl_ms = "1" } }'] =
      'ttl_ms must be a whole number from 0 on, got "1"',
    ['mcp.resource { uri = "t:a", text = "", cache = { scope = "all" } }'] =
      'scope must be "private" or "public", got "all"',
    ['mcp.resource { uri = "t:a", text = "", annotations = { audience = { "me" } } }'] =
      'annotations.audience[1] must be "user" or "assistant", got "me"',
    ['mcp.resource { uri = "t:a", text = "", annotations = { priority = 1.1 } }'] =
      "annotations.priority must be a number from 0 to 1, got 1.1",
    ['mcp.resource { uri = "t:a", text = "", annotations = { lastModified = 1 } }'] =
      "annotations.lastModified must be a string, got 1",
    ['mcp.resource { uri = "t:a", text = "", annotations = { 1 } }'] =
      "annotations must be a table with names as keys",
    ['mcp.resource { uri = "t:a", text = "", complete = {} }'] =
      "complete is about the variables of a uri_template, and this is one uri",
    [template .. '{ a = 1 } }'] =
      'complete of "a" must be a list of strings or a function (value, ctx), got 1',
    [template .. '{ a = { b = 1 } } }'] =
      'complete of "a" must be a list of strings or a function (value, ctx)',
    [template .. '{ a = { {} } } }'] =
      'complete of "a": entry 1 must be a string, got table',
    [template .. '{ a = { "\\0" } } }'] =
      'complete of "a": entry 1 has a NUL character inside',
    [template .. '{ { "x" } } }'] =
      "complete must be a table { argument = list or function }",
  }
  for text, message in pairs(refused) do
    it(text, function()
      assert.equal("app.lua:1: mcp.resource: " .. message, fake.load(text).error)
    end)
  end

  it("the same URI twice, with both places", function()
    local line = 'mcp.resource { uri = "t:a", text = "" }\n'
    assert.equal('app.lua:2: mcp.resource: resource "t:a" is declared twice: '
      .. "app.lua:1 and app.lua:2", fake.load(line .. line).error)
  end)

  it("a declaration in a running call", function()
    local text = 'mcp.resource { uri = "t:a", text = "" }'
    assert.equal("app.lua:1: mcp.resource: a handler cannot declare anything; "
      .. "declare it where the app loads", fake.load(text, function(state)
      state.loading = false
    end).error)
  end)
end)
