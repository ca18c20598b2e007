-- mcp.get, mcp.post, ...: what they declare, and what they refuse.
local fake = require "fake_core"

local function load(text)
  local state = fake.load(text)
  assert.is_nil(state.error)
  return state
end

local function route(text)
  return load(text).routes[1]
end

local function annotations(text)
  return load(text).tools[1].annotations
end

local function keys(...)
  local out = {}
  for _, part in ipairs { ... } do
    out[#out + 1] = part.kind .. ":" .. part.text
  end
  return table.concat(out, " ")
end

describe("a route", function()
  it("has a method, a path and a handler", function()
    for _, method in ipairs { "get", "post", "put", "patch", "delete", "head", "options" } do
      local r = route(('mcp.%s("/a", function() end)'):format(method))
      assert.equal(method:upper(), r.method)
      assert.equal("/a", r.path)
      assert.equal(method:upper() .. " /a", r.name)
      assert.equal("function", type(r.handler))
    end
  end)

  it("has options between them", function()
    local r = route [[mcp.get("/a", { title = "T", description = "D", tags = { "x" }, timeout = 2,
      status = 203, mime_type = "text/csv", meta = { a = 1 } }, function() end)]]
    assert.equal("T", r.title)
    assert.equal("D", r.description)
    assert.equal('["x"]', r.tags)
    assert.equal(2, r.timeout)
    assert.equal(203, r.status)
    assert.equal("text/csv", r.mime_type)
    assert.equal('{"a":1}', r.meta)
  end)

  it("has its comment as description", function()
    assert.equal("Reads.", route('mcp.get("/a",\n--- Reads.\nfunction() end)').description)
  end)

  it("has literals and typed arguments in its path", function()
    local r = route [[mcp.get("/a/{i:int}/{s:str}/{n:number}/{u:uuid}/{x}/{p:path}",
      function(i, s, n, u, x, p) end)]]
    assert.equal("literal:a int:i str:s number:n uuid:u str:x path:p", keys(unpack(r.parts)))
    assert.equal('{"type":"object","properties":{"i":{"type":"integer"},"s":{"type":"string"},'
      .. '"n":{"type":"number"},"u":{"type":"string","format":"uuid"},"x":{"type":"string"},'
      .. '"p":{"type":"string"}},"required":["i","s","n","u","x","p"],'
      .. '"additionalProperties":false}', r.input_schema)
  end)

  it("takes bare parameters when nothing is declared", function()
    assert.equal('{"type":"object","properties":{"q":{}},"required":["q"],'
      .. '"additionalProperties":false}', route('mcp.get("/a", function(q) end)').input_schema)
  end)

  it("keeps what its author says of an argument in the path", function()
    local text = [[mcp.get("/a/{i:int}", { input = { i = t.integer { min = 1 }, q = t.string() } },
      function(i, q) end)]]
    assert.equal('{"type":"object","properties":{"i":{"type":"integer","minimum":1},'
      .. '"q":{"type":"string"}},"required":["i","q"],"additionalProperties":false}',
      route(text).input_schema)
    assert.truthy(route [[mcp.get("/a/{i:int}", { input = { i = t.number() } }, function(i) end)]])
  end)

  it("is below the prefixes of its groups, and has their tags", function()
    local r = route [[mcp.group({ prefix = "v1", tags = "a" }, function()
      mcp.group({ prefix = "/shop/{shop}/", tags = "b" }, function()
        mcp.get("/", { tags = "c" }, function(shop) end)
      end)
    end)]]
    assert.equal("GET /v1/shop/{shop}", r.name)
    assert.equal('["a","b","c"]', r.tags)
  end)

  it("has guards and dependencies around its handler", function()
    local r = route [[mcp.get("/a", { guards = function() end,
      dependencies = { db = function() return 1 end } }, function(db, q) end)]]
    assert.same({ "ctx", "q" }, r.binds)
  end)
end)

describe("data", function()
  local TEXT = [[mcp.post("/a/{id:int}", { tool = "make",
    input = { data = t.object { name = t.string(), n = t.integer { default = 1 } },
              dry = t.boolean { default = false } } }, function(id, data, dry) end)]]

  it("is advertised with its fields beside the others", function()
    local state = load(TEXT)
    local schema = '{"type":"object","properties":{"id":{"type":"integer"},'
      .. '"n":{"type":"integer","default":1},"name":{"type":"string"},'
      .. '"dry":{"type":"boolean","default":false}},"required":["id","name"],'
      .. '"additionalProperties":false}'
    assert.equal(schema, state.tools[1].input_schema)
    assert.equal(schema, state.routes[1].input_schema)
    assert.same({ "id", "dry" }, state.tools[1].outside)
    assert.same({ "id", "dry" }, state.routes[1].outside)
  end)

  it("of a comment is the same", function()
    local state = load [[
---@class Order
---@field name string

---@param data Order
local function make(data) end
mcp.post("/a", { tool = true }, make)]]
    assert.same({}, state.tools[1].outside)
    assert.truthy(state.tools[1].input_schema:find('"properties":{"name"', 1, true))
  end)

  it("is an ordinary argument of a plain tool, and when it is no object", function()
    assert.is_nil(load('mcp.tool { name = "x", input = { data = t.object { a = t.string() } },'
      .. " handler = function(data) end }").tools[1].outside)
    assert.is_nil(route('mcp.post("/a", { input = { data = t.string() } }, function(data) end)')
      .outside)
  end)
end)

describe("a route that is more", function()
  it("is a tool by true, by name, by fields", function()
    assert.equal("items", load('mcp.get("/v/items/{id}", { tool = true }, function(id) end)')
      .tools[1].name)
    assert.equal("x", load('mcp.get("/a", { tool = "x" }, function() end)').tools[1].name)
    local tool = load([[mcp.get("/a", { title = "R", description = "R", tool =
      { name = "y", title = "T", annotations = { title = "A" } } }, function() end)]]).tools[1]
    assert.equal("y", tool.name)
    assert.equal("T", tool.title)
    assert.equal("R", tool.description)
  end)

  it("is none by false", function()
    assert.same({}, load('mcp.get("/a", { tool = false }, function() end)').tools)
  end)

  it("is a resource at mcpluad://NAME, or where it says", function()
    local state = load [[mcp.get("/a/b", { resource = true, mime_type = "text/csv" },
      function() end)]]
    assert.equal("mcpluad://b", state.resources[1].uri)
    assert.equal("b", state.resources[1].name)
    assert.equal("text/csv", state.resources[1].mime_type)
    assert.equal("GET /a/b", state.resources[1].route)
    assert.equal("mcpluad://n", load('mcp.get("/a", { resource = "n" }, function() end)')
      .resources[1].uri)
    assert.equal("x://{id}", load('mcp.get("/a/{id}", { resource = { uri_template = "x://{id}" } },'
      .. " function(id) end)").resources[1].uri_template)
  end)

  it("is a prompt with the route's arguments", function()
    local prompt = load([[mcp.get("/a/{id:int}", { prompt = true, input = {
      style = t.enum { "short", "long", default = "short", description = "How" } } },
      function(id, style) end)]]).prompts[1]
    assert.equal("a", prompt.name)
    assert.equal("GET /a/{id:int}", prompt.route)
    assert.same({ { name = "id", required = true },
      { name = "style", description = "How", required = false, initial = "short" } },
      prompt.arguments)
    assert.same({ "short", "long" }, prompt.completers[1].values)
  end)

  it("is all three, named below the prefix of its group", function()
    local state = load [[mcp.group({ prefix = "g" }, function()
      mcp.get("/a", { tool = true, resource = true, prompt = true }, function() end)
    end)]]
    assert.equal("GET /g/a", state.routes[1].name)
    assert.equal("g_a", state.tools[1].name)
    assert.equal("g/a", state.prompts[1].name)
    assert.equal("mcpluad://a", state.resources[1].uri)
  end)

  it("is filtered as what it is more, not as a route", function()
    local state = load [[mcp.server { exclude_tags = "secret" }
      mcp.get("/a", { tool = true, resource = true, prompt = true, tags = "secret" },
        function() end)]]
    assert.equal(1, #state.routes)
    assert.same({}, state.tools)
    assert.same({}, state.resources)
    assert.same({}, state.prompts)
  end)

  it("has its guards as a tool, then those of the tool", function()
    local state = load [[local order = {}
      local function guard(name) return function() order[#order + 1] = name end end
      mcp.get("/a", { guards = guard "route", tool = { guards = guard "tool" } }, function()
        return table.concat(order, " ")
      end)]]
    assert.equal("route tool", state.tools[1].handler({}))
    assert.equal("route tool route", state.routes[1].handler({}))
  end)
end)

describe("annotations", function()
  it("follow from the verb", function()
    local safe = '{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}'
    local verbs = {
      get = safe, head = safe, options = safe,
      post = '{"destructiveHint":false,"idempotentHint":false,"readOnlyHint":false}',
      put = '{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":false}',
      patch = '{"destructiveHint":false,"idempotentHint":false,"readOnlyHint":false}',
      delete = '{"destructiveHint":true,"idempotentHint":true,"readOnlyHint":false}',
    }
    for verb, expected in pairs(verbs) do
      assert.equal(expected, annotations(('mcp.%s("/a", { tool = true }, function() end)')
        :format(verb)))
    end
  end)

  it("do not when infer_http_method_annotations is false", function()
    local off = "mcp.server { infer_http_method_annotations = false }\n"
    assert.is_nil(annotations(off .. 'mcp.get("/a", { tool = true }, function() end)'))
    assert.equal('{"readOnlyHint":false}',
      annotations(off .. 'mcp.get("/a", { tool = true, mcp_read_only = false }, function() end)'))
  end)

  --- One step after the other; each is stronger than those before it.
  local STEPS = {
    { "annotations", "annotations = { readOnlyHint = false, a = 1, b = 1 }" },
    { "mcp_annotations", "mcp_annotations = { readOnlyHint = true, b = 2 }" },
    { "read_only", "read_only = false" },
    { "mcp_read_only", "mcp_read_only = true" },
  }
  local EXPECTED = {
    '{"a":1,"b":1,"destructiveHint":false,"idempotentHint":true,"readOnlyHint":false}',
    '{"a":1,"b":2,"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}',
    '{"a":1,"b":2,"destructiveHint":false,"idempotentHint":true,"readOnlyHint":false}',
    '{"a":1,"b":2,"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}',
  }
  for n = 1, #STEPS do
    it("of " .. STEPS[n][1] .. " win over all before", function()
      local given = {}
      for i = 1, n do
        given[i] = STEPS[i][2]
      end
      assert.equal(EXPECTED[n], annotations(('mcp.get("/a", { tool = true, %s }, function() end)')
        :format(table.concat(given, ", "))))
    end)
  end

  it("of the tool's own table are those of the declaration", function()
    assert.equal('{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true,"title":"T"}',
      annotations [[mcp.get("/a", { annotations = { title = "R" },
        tool = { name = "x", annotations = { title = "T" } } }, function() end)]])
  end)

  it("get the scopes unless they are there", function()
    assert.equal('{"scopes":["a","b"]}',
      annotations 'mcp.tool { name = "x", scopes = { "a", "b" }, handler = function() end }')
    assert.equal('{"scopes":["c"]}', annotations [[mcp.tool { name = "x", scopes = "a",
      annotations = { scopes = { "c" } }, handler = function() end }]])
    assert.equal('{"scopes":["a"]}',
      load('mcp.resource { uri = "t:a", text = "", scopes = "a" }').resources[1].annotations)
    assert.equal('{"k":1,"scopes":["a"]}', load([[mcp.prompt { name = "p", scopes = "a",
      meta = { k = 1 }, handler = function() end }]]).prompts[1].meta)
  end)
end)

describe("a route is refused:", function()
  local f = ", function() end)"
  local POST = 'mcp.post("/a", { input = { data = t.object { '
  local refused = {
    ['mcp.get("a"' .. f] =
      'mcp.get: the path must be a string like "/items/{item_id:int}", got "a"',
    ["mcp.get(nil" .. f] =
      'mcp.get: the path must be a string like "/items/{item_id:int}", got nil',
    ['mcp.get("/a//b"' .. f] = 'mcp.get: the path "/a//b" has an empty segment',
    ['mcp.get("/a/"' .. f] = 'mcp.get: the path "/a/" has an empty segment',
    ['mcp.get("/a/../b"' .. f] = 'mcp.get: ".." cannot be a segment of a path',
    ['mcp.get("/a?b"' .. f] = 'mcp.get: "a?b" cannot be a segment of a path',
    ['mcp.get("/a%20b"' .. f] = 'mcp.get: "a%20b" cannot be a segment of a path',
    ['mcp.get("/x{id}"' .. f] =
      'mcp.get: an argument is a whole segment like {item_id:int}, got "x{id}"',
    ['mcp.get("/{1}"' .. f] =
      'mcp.get: "{1}": the name of an argument must be one that a parameter can have',
    ['mcp.get("/{a:}"' .. f] = 'mcp.get: "{a:}" has no type behind the colon',
    ['mcp.get("/a/:id"' .. f] = 'mcp.get: ":id" is no argument; write "{id}"',
    ['mcp.get("/{a:ints}"' .. f] = 'mcp.get: "{a:ints}": the type must be str, int, number, path '
      .. 'or uuid, got "ints"; did you mean "int"?',
    ['mcp.get("/a", 1' .. f] = "mcp.get: a path, a table of options and a handler are needed: "
      .. "mcp.get(path, { ... }, function)",
    ['mcp.get("/a", {})'] = "mcp.get: handler must be a function, got nil",
    ['mcp.get("/a", { tols = true }' .. f] =
      'mcp.get: unknown field "tols"; did you mean "tool"?',
    ['mcp.get("/a", { tool = 1 }' .. f] =
      "mcp.get: tool must be true, a name or a table of fields, got 1",
    ['mcp.get("/a", { tool = { handler = print } }' .. f] =
      "mcp.get: tool: the handler is that of the route",
    ['mcp.get("/a", { tool = { nam = "x" } }' .. f] =
      'mcp.get: tool: unknown field "nam"; did you mean "name"?',
    ['mcp.get("/", { tool = true }' .. f] =
      'mcp.get: tool needs a name: the path "/" has no literal segment',
    ['mcp.get("/a", { status = 404 }' .. f] =
      "mcp.get: status must be a whole number from 200 to 299, got 404",
    ['mcp.get("/a", { mcp_annotations = { readOnlyHint = 1 }, tool = true }' .. f] =
      "mcp.get: mcp_annotations.readOnlyHint must be a boolean, got 1",
    ['mcp.get("/{i}/{i}"' .. f] = 'mcp.get: the path has two arguments "i"',
    ['mcp.get("/{i:int}", { input = { i = t.string() } }' .. f] =
      'mcp.get: argument "i" is of type int in the path, and of type string below',
    ['mcp.get("/{i:int}", { input = { i = t.optional(t.integer()) } }' .. f] =
      'mcp.get: argument "i" is in the path, so it cannot be absent',
    [POST .. 'data = t.string() } } }' .. f] =
      'mcp.post: data has a field "data", which would be taken for the body itself',
    [POST .. 'b = t.string() }, b = t.string() } }' .. f] =
      'mcp.post: argument "b" is there twice: beside data and in it',
    ['mcp.post("/a", { input = { data = t.optional(t.object {}) } }' .. f] =
      "mcp.post: data is the body, which cannot be optional; make its fields optional",
    ['mcp.get("/a", { input = { data = t.object {} } }' .. f] =
      "mcp.get: data is the body of a request, and GET requests have none",
    ['mcp.get("/a", { prompt = true, input_schema = {} }' .. f] =
      "mcp.get: prompt: arguments must be given, as the route's are in a raw schema",
  }
  for text, message in pairs(refused) do
    it(text, function()
      assert.equal("app.lua:1: " .. message, fake.load(text).error)
    end)
  end

  it("infer_http_method_annotations after a tool", function()
    assert.equal("app.lua:2: mcp.server: infer_http_method_annotations must be set before the "
      .. "first tool is declared", fake.load('mcp.tool("x", function() end)\n'
      .. "mcp.server { infer_http_method_annotations = false }").error)
  end)
end)
