--- {{name}}

local mcp = require "mcp"

mcp.server { name = "{{name}}", version = "0.1.0" }

--- Greet somebody.
---@param name string Who is greeted
mcp.tool("greet", { read_only = true }, function(name)
  return "Hello, " .. name .. "!"
end)
