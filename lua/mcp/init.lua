--- mcp: what an app requires. Gathers the names of the other modules.

local core = require "mcp.core"
local ending = require "mcp.ending"
local names = require "mcp.names"

return names.seal {
  server = require "mcp.server",
  tool = require "mcp.tool",

  text = core.text,
  image = core.image,
  audio = core.audio,
  resource_link = core.resource_link,
  embedded = core.embedded,
  result = core.result,

  array = core.array,
  object = core.object,
  null = core.null,
  is_null = core.is_null,

  protocol_error = ending.protocol_error,
}
