--- The tools of the two texts that this server has to match (seeds 000 and 002), as
--- an author writes them here: with mcp.types, or with nothing but comments.

local mcp = require "mcp"
local t = mcp.types

mcp.server { name = "seeds", version = "1.0.0" }

-- Seed 002 ------------------------------------------------------------------

mcp.tool {
  name = "get_weather",
  title = "Weather Information Provider",
  description = "Get current weather information for a location",
  annotations = { readOnlyHint = true, openWorldHint = true },
  input = {
    { "location", t.string { description = "City name or zip code" } },
    { "units", t.string { description = "Temperature units", default = "celsius" } },
  },
  handler = function(location, units, ctx)
    ctx.info("Fetching weather for " .. location)
    return ("Weather in %s: 22 %s"):format(location, units)
  end,
}

--- Greet someone by name.
---@param name string
---@return string
mcp.tool("greet", function(name)
  return "Hello, " .. name .. "!"
end)

mcp.tool("custom_name", {
  title = "Custom Title",
  description = "Custom desc",
  annotations = { destructiveHint = true, readOnlyHint = false },
  input = { param = t.string() },
  output = t.string(),
}, function(param)
  return param
end)

mcp.tool("example", {
  input = {
    { "name", t.string { description = "User name" } },
    { "limit", t.integer { description = "Max results", default = 10 } },
    { "company", t.string { description = "Company filter", default = mcp.null } },
  },
}, function(name, limit, company)
  return ("%s %d %s"):format(name, limit, tostring(company))
end)

--- The same by comments: what is optional has no default to show.
---@param name string User name
---@param limit? integer Max results
---@param company string|nil Company filter
mcp.tool("example_by_comments", function(name, limit, company)
  return ("%s %d %s"):format(name, limit or 10, tostring(company))
end)

mcp.tool("create_event", {
  input = {
    { "title", t.string { description = "Event title" } },
    {
      "visibility",
      t.enum { "public", "private", "team", description = "Who can see this event" },
    },
    {
      "recurrence",
      t.enum {
        "none",
        "daily",
        "weekly",
        "monthly",
        default = "none",
        description = "Recurrence pattern",
      },
    },
  },
}, function(title, visibility, recurrence)
  return { title = title, visibility = visibility, recurrence = recurrence }
end)

---@param title string Event title
---@param visibility "public"|"private"|"team" Who can see this event
---@param recurrence? "none"|"daily"|"weekly"|"monthly" Recurrence pattern
mcp.tool("create_event_by_comments", function(title, visibility, recurrence)
  return { title = title, visibility = visibility, recurrence = recurrence or "none" }
end)

local search_query = t.object {
  { "query", t.string { description = "The search query string" } },
  {
    "max_results",
    t.integer { default = 10, description = "Maximum number of results to return" },
  },
  {
    "include_metadata",
    t.boolean { default = false, description = "Whether to include metadata" },
  },
}

mcp.tool("search", {
  description = "Search with complex parameters.",
  input = { params = search_query },
  output = t.array { t.string() },
}, function(params)
  return { params.query, tostring(params.max_results), tostring(params.include_metadata) }
end)

---@class SearchQuery
---@field query string The search query string
---@field max_results? integer Maximum number of results to return
---@field include_metadata? boolean Whether to include metadata

--- Search with complex parameters.
---@param params SearchQuery
---@return string[]
mcp.tool("search_by_comments", function(params)
  local limit, metadata = params.max_results or 10, params.include_metadata or false
  return { params.query, tostring(limit), tostring(metadata) }
end)

---@param str string
---@param int integer
---@param float number
---@param bool boolean
---@param list string[]
---@param dict table
---@param literal "a"|"b"
mcp.tool("types_by_comments", function(args) -- luacheck: ignore
  return args
end)

mcp.tool("types", {
  input = {
    { "str", t.string() },
    { "int", t.integer() },
    { "float", t.number() },
    { "bool", t.boolean() },
    { "list", t.array { t.string() } },
    { "dict", t.map { t.any() } },
    { "literal", t.enum { "a", "b" } },
  },
}, function(args)
  return args
end)

---@return string
mcp.tool("text_tool", function()
  return "Hello"
end)

mcp.tool("json_tool", function()
  return { key = "value", count = 42 }
end)

mcp.tool("list_tool", function()
  return { "a", "b", "c" }
end)

--- Divide two numbers.
---@param a number Dividend
---@param b number Divisor
---@return number
mcp.tool("divide", function(a, b)
  if b == 0 then
    error("Cannot divide by zero")
  end
  return a / b
end)

-- Seed 000 ------------------------------------------------------------------

mcp.tool("constraints", {
  input = {
    {
      "name",
      t.string {
        title = "Name",
        description = "A name",
        min_length = 2,
        max_length = 5,
        pattern = "^[a-z]+$",
        examples = { "ann", "bob" },
        header = "Name",
      },
    },
    { "open", t.number { gt = 0, lt = 1 } },
    { "closed", t.integer { min = 1, max = 10, multiple_of = 3, default = 3 } },
  },
}, function(name, open, closed)
  return { name = name, open = open, closed = closed }
end)

mcp.tool("search_regions", {
  input_schema = {
    ["$schema"] = "https://json-schema.org/draft/2020-12/schema",
    type = "object",
    properties = { region = { type = "string" } },
    required = { "region" },
    additionalProperties = false,
  },
}, function(region)
  return { region }
end)
