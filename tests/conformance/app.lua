--- The fixtures that the official conformance suite asks for, by the public Lua API
--- alone. Names and texts are the suite's. It only grows.

local mcp = require "mcp"

mcp.server { name = "mcpluad-conformance", version = "1.0.0" }

local function bytes(hex)
  return (hex:gsub("%x%x", function(pair)
    return string.char(tonumber(pair, 16))
  end))
end

--- One red pixel.
local PNG = bytes(
  "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    .. "0000000c4944415478da63f8cfc0000003010100f70341430000000049454e44ae426082"
)

--- Two samples of silence: 8 kHz, 8 bits, one channel.
local WAV = bytes(
  "524946462600000057415645666d7420100000000100010040"
    .. "1f0000401f00000100080064617461020000008080"
)

mcp.tool("test_simple_text", {
  description = "Answers with one text block",
}, function()
  return "This is a simple text response for testing."
end)

mcp.tool("test_image_content", {
  description = "Answers with a PNG image",
}, function()
  return mcp.image(PNG, "image/png")
end)

mcp.tool("test_audio_content", {
  description = "Answers with a WAV sound",
}, function()
  return mcp.audio(WAV, "audio/wav")
end)

mcp.tool("test_embedded_resource", {
  description = "Answers with an embedded text resource",
}, function()
  return mcp.embedded {
    uri = "test://embedded-resource",
    mime_type = "text/plain",
    text = "This is an embedded resource content.",
  }
end)

mcp.tool("test_multiple_content_types", {
  description = "Answers with text, an image and a resource",
}, function()
  return {
    mcp.text("Multiple content types test:"),
    mcp.image(PNG, "image/png"),
    mcp.embedded {
      uri = "test://mixed-content-resource",
      mime_type = "application/json",
      text = '{"test":"data","value":123}',
    },
  }
end)

mcp.tool("test_error_handling", {
  description = "Always fails",
}, function()
  error("This tool intentionally returns an error for testing")
end)

mcp.tool("test_tool_with_progress", {
  description = "Reports progress three times, then answers",
}, function(ctx)
  for _, done in ipairs { 0, 50, 100 } do
    ctx.progress(done, 100, ("Completed step %d of 100"):format(done))
    ctx.sleep(0.05)
  end
  return "Tool with progress completed"
end)

mcp.tool("test_tool_with_logging", {
  description = "Writes three log messages, then answers",
}, function(ctx)
  ctx.info("Tool execution started")
  ctx.sleep(0.05)
  ctx.info("Tool processing data")
  ctx.sleep(0.05)
  ctx.info("Tool execution completed")
  return "Tool with logging executed successfully"
end)

mcp.tool("test_logging_tool", {
  description = "Logs at every level; without a logLevel nothing may arrive",
}, function(ctx)
  ctx.debug("Debug message")
  ctx.info("Info message")
  ctx.warning("Warning message")
  ctx.error("Error message")
  return "Logged"
end)

mcp.tool("json_schema_2020_12_tool", {
  description = "Is only listed: its schema must arrive as it is here",
  input_schema = {
    ["$schema"] = "https://json-schema.org/draft/2020-12/schema",
    ["$defs"] = {
      address = {
        ["$anchor"] = "addressDef",
        type = "object",
        properties = { street = { type = "string" }, city = { type = "string" } },
      },
    },
    type = "object",
    properties = {
      name = { type = "string" },
      address = { ["$ref"] = "#/$defs/address" },
      contactMethod = { type = "string", enum = { "phone", "email" } },
      phone = { type = "string" },
      email = { type = "string" },
    },
    allOf = {
      { anyOf = { { required = { "phone" } }, { required = { "email" } } } },
    },
    ["if"] = {
      properties = { contactMethod = { const = "phone" } },
      required = { "contactMethod" },
    },
    ["then"] = { required = { "phone" } },
    ["else"] = { required = { "email" } },
    additionalProperties = false,
  },
}, function(args)
  return ("JSON Schema 2020-12 tool called with: %s"):format(args.name or "nothing")
end)

mcp.tool("test_custom_header", {
  description = "Answers with its region, which clients mirror into Mcp-Param-Region",
  input = { { "region", mcp.types.string { description = "A region", header = "Region" } } },
}, function(region)
  return "Region: " .. region
end)

mcp.resource {
  uri = "test://static-text",
  name = "static-text",
  description = "A text that does not change",
  mime_type = "text/plain",
  text = "This is the content of the static text resource.",
}

mcp.resource {
  uri = "test://static-binary",
  name = "static-binary",
  description = "A PNG image that does not change",
  mime_type = "image/png",
  blob = PNG,
}

mcp.resource {
  uri = "test://watched-resource",
  name = "watched-resource",
  description = "A resource to subscribe to",
  mime_type = "text/plain",
  handler = function()
    return "Watched resource content"
  end,
}

mcp.resource {
  uri_template = "test://template/{id}/data",
  name = "template-data",
  description = "The data of one id",
  mime_type = "application/json",
  complete = { id = { "123", "456" } },
  handler = function(id)
    -- Text, not a table: a table has no order, and the suite's has one.
    return ('{"id":"%s","templateTest":true,"data":"Data for ID: %s"}'):format(id, id)
  end,
}

mcp.prompt("test_simple_prompt", {
  description = "A prompt without arguments",
}, function()
  return "This is a simple prompt for testing."
end)

mcp.prompt("test_prompt_with_arguments", {
  description = "A prompt with two required arguments",
  arguments = {
    {
      name = "arg1",
      description = "First test argument",
      required = true,
      complete = { "test", "testing", "other" },
    },
    { name = "arg2", description = "Second test argument", required = true },
  },
}, function(arg1, arg2)
  return ("Prompt with arguments: arg1='%s', arg2='%s'"):format(arg1, arg2)
end)

mcp.prompt("test_prompt_with_embedded_resource", {
  description = "A prompt with a resource in it",
  arguments = {
    { name = "resourceUri", description = "URI of the resource to embed", required = true },
  },
}, function(resourceUri)
  return {
    mcp.embedded {
      uri = resourceUri,
      mime_type = "text/plain",
      text = "Embedded resource content for testing.",
    },
    "Please process the embedded resource above.",
  }
end)

mcp.prompt("test_prompt_with_image", {
  description = "A prompt with an image in it",
}, function()
  return {
    mcp.image(PNG, "image/png"),
    "Please analyze the image above.",
  }
end)
