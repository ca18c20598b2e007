--- What listen.test.mjs listens to.

local mcp = require "mcp"

mcp.server { name = "listen", version = "1.0.0" }

mcp.tool("tell", { description = "Says that a list has changed" }, function(list)
  mcp.notify_list_changed(list)
  return "told"
end)

mcp.tool("touch", { description = "Says that a resource has changed" }, function(uri)
  mcp.notify_resource_updated(uri)
  return "touched"
end)

mcp.resource { uri = "test://a", name = "a", text = "A" }

mcp.prompt("greet", { description = "Greets" }, function()
  return "hello"
end)
