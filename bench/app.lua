--- What ./dev bench loads: one small thing of each kind.

local mcp = require "mcp"
local t = mcp.types

mcp.server { name = "bench", version = "1.0.0" }

--- Add two numbers.
---@param a number
---@param b number
mcp.tool("add", function(a, b)
  return tostring(a + b)
end)

mcp.tool {
  name = "size",
  description = "The length of a text.",
  input = { { "text", t.string() } },
  handler = function(text)
    return tostring(#text)
  end,
}

local fields = {}
for i = 1, 30 do
  local kinds = {
    t.integer { min = 0, max = 1000 },
    t.string { min_length = 1, max_length = 40 },
    t.enum { "red", "green", "blue" },
  }
  fields[i] = { ("field%02d"):format(i), kinds[i % 3 + 1] }
end

mcp.tool {
  name = "thirty",
  description = "Takes thirty arguments.",
  input = fields,
  handler = function(args)
    return args.field01 .. args.field30
  end,
}

mcp.tool {
  name = "steps",
  description = "Tells of ten steps.",
  handler = function(ctx)
    for i = 1, 10 do
      ctx.progress(i, 10)
    end
    return "done"
  end,
}

mcp.resource {
  uri_template = "bench://notes/{id}",
  description = "A note.",
  handler = function(id)
    return "note " .. id
  end,
}

mcp.prompt {
  name = "greet",
  description = "Greets.",
  arguments = { { name = "who", required = true } },
  handler = function(who)
    return "Hello " .. who
  end,
}
