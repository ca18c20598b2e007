--- {{name}}: one of each kind of thing that a server has to offer.

local mcp = require "mcp"
local words = require "lib.words"

mcp.server {
  name = "{{name}}",
  version = "0.1.0",
  instructions = "Use count instead of counting yourself.",
}

-- A tool: models call it. The comment is its description, and the types of its
-- arguments and of its result.

--- Count the words and lines of a text.
---@param text string The text
---@return { words: integer, lines: integer }
mcp.tool("count", { read_only = true }, function(text)
  return { words = words.count(text), lines = words.count_lines(text) }
end)

--- Find the words that a text has most often.
---@param text string The text
---@param limit? integer How many words at most; 5 when it is not there
mcp.tool("frequent", { read_only = true }, function(text, limit)
  if limit and limit < 1 then
    return nil, "limit must be at least 1" -- a failure that the model can mend
  end
  return words.frequent(text, limit or 5)
end)

-- A resource: hosts read it, by its URI.

--- The words that "frequent" leaves out.
mcp.resource {
  uri = "words://ignored",
  mime_type = "text/plain",
  text = table.concat(words.IGNORED, "\n"),
}

-- A prompt: people choose it.

--- Ask for a shorter text.
---@param text string What is to be shortened
---@param limit? string How many words it may have
mcp.prompt("shorten", function(text, limit)
  return ("Shorten this text to %s words or less. Count them.\n\n%s"):format(limit or "100", text)
end)

-- Skills: how to go about a task, read when it comes up.

mcp.skills { paths = { "skills" } }
