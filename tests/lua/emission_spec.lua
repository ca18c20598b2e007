-- The same tools written as comments and by mcp.types look alike to clients, and
-- look as other frameworks' users know them.
local fake = require "fake_core"

local function tool(text)
  local state = fake.load(text)
  assert.is_nil(state.error)
  return state.tools[1]
end

local CLOSED = ',"additionalProperties":false}'

describe("a tool with required, optional and nullable arguments", function()
  it("by types", function()
    assert.equal('{"type":"object","properties":{'
      .. '"name":{"type":"string","description":"User name"},'
      .. '"limit":{"type":"integer","description":"Max results","default":10},'
      .. '"company":{"type":"string","description":"Company filter","default":null}},'
      .. '"required":["name"]' .. CLOSED, tool([[
      mcp.tool("example", { input = {
        { "name", t.string { description = "User name" } },
        { "limit", t.integer { description = "Max results", default = 10 } },
        { "company", t.string { description = "Company filter", default = mcp.null } },
      } }, function(name, limit, company) return name, limit, company end)]]).input_schema)
  end)

  it("by comments: no union for what may be nil", function()
    assert.equal('{"type":"object","properties":{'
      .. '"name":{"type":"string","description":"User name"},'
      .. '"company":{"type":"string","description":"Company filter"}},'
      .. '"required":["name"]' .. CLOSED, tool([[
---@param name string User name
---@param company string|nil Company filter
mcp.tool("example", function(name, company) return name, company end)]]).input_schema)
  end)
end)

describe("a tool with choices", function()
  local want = '{"type":"object","properties":{"title":{"type":"string"},'
    .. '"visibility":{"type":"string","enum":["public","private","team"]}},'
    .. '"required":["title","visibility"]' .. CLOSED

  it("by types", function()
    assert.equal(want, tool([[
      mcp.tool("create_event", { input = { { "title", t.string() },
        { "visibility", t.enum { "public", "private", "team" } } } },
        function(title, visibility) return title, visibility end)]]).input_schema)
  end)

  it("by comments", function()
    assert.equal(want, tool([[
---@param title string
---@param visibility "public"|"private"|"team"
mcp.tool("create_event", function(title, visibility) return title, visibility end)]]).input_schema)
  end)
end)

describe("a tool with a model as its argument", function()
  local function want(description, rest)
    return '{"type":"object","properties":{"params":{"type":"object",' .. description
      .. '"properties":{"query":{"type":"string","description":"The search query string"},'
      .. '"max_results":{"type":"integer"' .. rest .. '}},"required":["query"]' .. CLOSED
      .. '},"required":["params"]' .. CLOSED
  end
  local list = '{"type":"array","items":{"type":"string"}}'

  it("by types", function()
    local got = tool [[
      local query = t.object {
        { "query", t.string { description = "The search query string" } },
        { "max_results", t.integer { default = 10 } },
      }
      mcp.tool("search", { input = { params = query }, output = t.array { t.string() } },
        function(params) return params end)]]
    assert.equal(want("", ',"default":10'), got.input_schema)
    assert.equal(list, got.output_schema)
  end)

  it("by comments", function()
    local got = tool [[
--- Complex parameters.
---@class SearchQuery
---@field query string The search query string
---@field max_results? integer

--- Search with complex parameters.
---@param params SearchQuery
---@return string[]
mcp.tool("search", function(params) return params end)]]
    assert.equal(want('"description":"Complex parameters.",', ""), got.input_schema)
    assert.equal(list, got.output_schema)
    assert.equal("Search with complex parameters.", got.description)
  end)
end)

describe("a tool that returns", function()
  for text, schema in pairs {
    string = '{"type":"string"}',
    ["table<string, any>"] = '{"type":"object"}',
    ["{ key: string, count: integer }"] =
      '{"type":"object","properties":{"key":{"type":"string"},"count":{"type":"integer"}},'
      .. '"required":["key","count"]' .. CLOSED,
    ["string[]"] = '{"type":"array","items":{"type":"string"}}',
    number = '{"type":"number"}',
    boolean = '{"type":"boolean"}',
  } do
    it(text .. " says so", function()
      assert.equal(schema,
        tool(("---@return %s\nmcp.tool('x', function() end)"):format(text)).output_schema)
    end)
  end
end)

describe("an empty list or object", function()
  it("in a raw schema keeps its kind", function()
    local got = tool [[mcp.tool("x", { input_schema = { type = "object",
      required = mcp.array {}, properties = { a = { type = "array", default = mcp.array {} },
      b = { type = "object", default = {} } } } }, function(args) return args end)]]
    assert.equal('{"type":"object","properties":{"a":{"type":"array","default":[]},'
      .. '"b":{"type":"object","default":{}}},"required":[]}', got.input_schema)
  end)
end)
