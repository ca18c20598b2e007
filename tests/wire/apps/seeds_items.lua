--- The resources and prompts of seeds 001 and 003, in Lua.

local mcp = require "mcp"

mcp.server { name = "seeds", version = "1.0" }

-- 001: resources and URI templates

local files = { w1 = { f1 = "first", f2 = "second" } }

mcp.resource { uri = "app://config", name = "config", json = { theme = "dark" } }

mcp.resource {
  uri_template = "notes://{id}",
  handler = function(id)
    return "note " .. id
  end,
}

mcp.resource {
  uri_template = "app://workspaces/{workspace_id}/files/{file_id}",
  description = "A file of a workspace",
  mime_type = "text/plain",
  complete = {
    workspace_id = { "w1", "w2" },
    file_id = function(_, ctx)
      local names = {}
      for name in pairs(files[ctx.arguments.workspace_id] or {}) do
        names[#names + 1] = name
      end
      return names
    end,
  },
  handler = function(file_id, workspace_id)
    return (files[workspace_id] or {})[file_id]
  end,
}

mcp.resource { uri = "app://workspaces/w1/files/pinned", text = "pinned" }

-- 003: prompts and controllers

mcp.prompt {
  name = "summarize",
  description = "Summarise a document in a chosen style.",
  arguments = {
    { name = "text", description = "The document to summarise.", required = true },
    { name = "style", description = "Summary style", default = "concise" },
  },
  handler = function(text, style)
    return ("Summarise the following in a %s style:\n\n%s"):format(style, text)
  end,
}

mcp.prompt("code_review", {
  description = "Ask the model to review a code diff.",
}, function(code)
  local content = { type = "text", text = "Review: " .. code }
  return { messages = { { role = "user", content = content } } }
end)

mcp.prompt_controller {
  prefix = "coffee",
  instructions = "Persona: Warm, knowledgeable neighborhood specialty coffee barista.\n"
    .. "Tone: Welcoming, concise, and focused on quality craft brewing.\n",
  {
    name = "welcome_customer",
    title = "Welcome Greeting",
    description = "Greet a customer and introduce daily specials.",
    arguments = { { name = "customer_name", default = "Friend" } },
    handler = function(customer_name)
      return "Welcome to the coffee bar, " .. customer_name .. "! What can we craft for you today?"
    end,
  },
  {
    name = "roast_notes",
    title = "Tasting Notes",
    description = "Generate tasting notes for a given roast.",
    handler = function(roast_name)
      return {
        mcp.user(
          "Produce professional SCA-style tasting notes and brewing parameters for `"
            .. roast_name
            .. "`."
        ),
      }
    end,
  },
  {
    name = "closing",
    handler = function()
      return mcp.assistant "We are closed."
    end,
  },
}
