--- A tool that keeps the one worker, for cancel.test.mjs.

local mcp = require "mcp"

mcp.server { name = "cancel", version = "1.0.0", max_workers = 1, call_timeout = 30 }

mcp.tool("spin", function()
  while true do end
end)

mcp.tool("echo", function(text)
  return text
end)
