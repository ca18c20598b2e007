local mcp = require "mcp"
mcp.server { name = "output", version = "1.0.0" }
local function tool(name, schema, value)
  mcp.tool(name, { description = name, output_schema = schema },
    function() return value end)
end
tool("number", { type = "number" }, 1.5)
tool("text", { type = "string" }, "a")
tool("truth", { type = "boolean" }, true)
tool("list", { type = "array", items = { type = "integer" } }, mcp.array { 1, 2 })
tool("empty", { type = "array" }, mcp.array {})
tool("object", { type = "object", properties = { a = { type = "integer" } },
  required = { "a" } }, { a = 1 })
