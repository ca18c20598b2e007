--- The fixtures that the official conformance suite asks for, by the public Lua API
--- alone. Names and texts are the suite's. It only grows.

local mcp = require "mcp"

mcp.server {
  name = "mcpluad-conformance",
  version = "1.0.0",
  sse_after = 0.3,
  sse_poll_after = 1, -- for test_reconnection; the others are faster
}

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

mcp.tool("test_trigger_tool_change", {
  description = "Tells whoever listens that the list of tools has changed",
}, function()
  mcp.notify_list_changed("tools")
  return "Told that the tools have changed"
end)

mcp.tool("test_trigger_prompt_change", {
  description = "Tells whoever listens that the list of prompts has changed",
}, function()
  mcp.notify_list_changed("prompts")
  return "Told that the prompts have changed"
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

-- ---- questions to the client ------------------------------------------------

mcp.tool("test_sampling", {
  description = "Asks the client's model",
  input = { { "prompt", mcp.types.string() } },
}, function(prompt, ctx)
  local answer = ctx.sample { prompt = prompt, max_tokens = 100 }
  return "LLM response: " .. (answer.content.text or "")
end)

--- What became of a form, as a text.
local function told(answer)
  local content = answer.content and mcp.text(("content: %s"):format(answer.action))
  return { mcp.text("User response: " .. answer.action), content }
end

mcp.tool("test_elicitation", {
  description = "Asks the user by a form",
  input = { { "message", mcp.types.string() } },
}, function(message, ctx)
  local t = mcp.types
  return told(ctx.elicit {
    message = message,
    schema = {
      { "username", t.string { description = "User's response" } },
      { "email", t.string { description = "User's email address" } },
    },
  })
end)

mcp.tool("test_elicitation_sep1034_defaults", {
  description = "Asks by a form whose fields have defaults",
}, function(ctx)
  local t = mcp.types
  return told(ctx.elicit {
    message = "Please review and update the form fields with defaults",
    schema = {
      { "name", t.string { description = "User name", default = "John Doe" } },
      { "age", t.integer { description = "User age", default = 30 } },
      { "score", t.number { description = "User score", default = 95.5 } },
      { "status", t.enum { "active", "inactive", "pending", default = "active" } },
      { "verified", t.boolean { description = "Verification", default = true } },
    },
  })
end)

mcp.tool("test_elicitation_sep1330_enums", {
  description = "Asks by a form with every kind of choice",
}, function(ctx)
  local function titled(names)
    local list = {}
    for i, name in ipairs(names) do
      list[i] = { const = "value" .. i, title = name }
    end
    return list
  end
  return told(ctx.elicit {
    message = "Please select options from the enum fields",
    schema = {
      type = "object",
      properties = {
        { "untitledSingle", { type = "string", enum = { "option1", "option2", "option3" } } },
        { "titledSingle",
          { type = "string", oneOf = titled { "First Option", "Second Option", "Third Option" } } },
        { "legacyEnum", {
          type = "string",
          enum = { "opt1", "opt2", "opt3" },
          enumNames = { "Option One", "Option Two", "Option Three" },
        } },
        { "untitledMulti", {
          type = "array",
          items = { type = "string", enum = { "option1", "option2", "option3" } },
        } },
        { "titledMulti", {
          type = "array",
          items = { anyOf = titled { "First Choice", "Second Choice", "Third Choice" } },
        } },
      },
    },
  })
end)

mcp.tool("test_missing_capability", {
  description = "Needs a client that can sample",
  required_client_capabilities = { sampling = {} },
}, function()
  return "The client can sample."
end)

mcp.tool("test_streaming_elicitation", {
  description = "Asks while it may stream",
}, function(ctx)
  return told(ctx.elicit {
    message = "Please confirm",
    schema = { ok = mcp.types.optional(mcp.types.boolean()) },
  })
end)

--- Asks for a name under the key that the suite knows.
local function name_form()
  return mcp.elicit {
    message = "What is your name?",
    schema = { name = mcp.types.string() },
  }
end

mcp.tool("test_input_required_result_elicitation", {
  description = "Asks for a name",
}, function(ctx)
  local answer = ctx.ask({ user_name = name_form() }).user_name
  return ("Hello, %s!"):format(answer.content and answer.content.name or "stranger")
end)

mcp.tool("test_input_required_result_sampling", {
  description = "Asks the client's model a question",
}, function(ctx)
  local answer = ctx.sample {
    key = "capital_question",
    prompt = "What is the capital of France?",
    max_tokens = 100,
  }
  return "The model said: " .. (answer.content.text or "")
end)

mcp.tool("test_input_required_result_list_roots", {
  description = "Asks for the client's roots",
}, function(ctx)
  return ("The client has %d roots"):format(#ctx.roots { key = "client_roots" })
end)

--- A form with one checkbox.
local function confirm(ctx, key)
  return ctx.elicit {
    key = key,
    message = "Please confirm",
    schema = { ok = mcp.types.boolean() },
  }
end

mcp.tool("test_input_required_result_request_state", {
  description = "Keeps a value from round to round",
}, function(ctx)
  local kept = ctx.memo("kept", function() return "state-ok" end)
  confirm(ctx, "confirm")
  return kept
end)

mcp.tool("test_input_required_result_multiple_inputs", {
  description = "Asks three questions at once",
}, function(ctx)
  local answers = ctx.ask {
    user_name = name_form(),
    greeting = mcp.sample { prompt = "Write a greeting", max_tokens = 100 },
    client_roots = mcp.roots(),
  }
  return ("Hello, %s: %s (%d roots)"):format(
    answers.user_name.content and answers.user_name.content.name or "stranger",
    answers.greeting.content.text or "", #answers.client_roots)
end)

mcp.tool("test_input_required_result_multi_round", {
  description = "Asks in two rounds",
}, function(ctx)
  local one = ctx.elicit {
    key = "step1", message = "Step 1: your name?", schema = { name = mcp.types.string() },
  }
  local two = ctx.elicit {
    key = "step2", message = "Step 2: your colour?", schema = { color = mcp.types.string() },
  }
  return ("Done: %s, %s"):format(one.action, two.action)
end)

mcp.tool("test_input_required_result_tampered_state", {
  description = "Refuses a state that was altered",
}, function(ctx)
  return "Confirmed: " .. confirm(ctx, "confirm").action
end)

mcp.tool("test_input_required_result_capabilities", {
  description = "Asks only what the client can answer",
}, function(ctx)
  if ctx.client.capabilities.elicitation then
    return "Confirmed: " .. confirm(ctx, "confirm").action
  end
  return "The model said: " .. (ctx.sample { prompt = "Say hello" }.content.text or "")
end)

mcp.tool("test_reconnection", {
  description = "Lasts longer than its stream",
}, function(ctx)
  ctx.sleep(2)
  return "The client came back"
end)

mcp.prompt("test_input_required_result_prompt", {
  description = "Asks for the context of a prompt",
}, function(ctx)
  local answer = ctx.elicit {
    key = "user_context",
    message = "What is the context?",
    schema = { context = mcp.types.string() },
  }
  return "Context: " .. (answer.content and answer.content.context or "none")
end)

-- Skills: one of a folder, one that is made here, one of a source.

mcp.skills {
  paths = { "skills" },
  sources = {
    {
      prefix = "reports",
      list = function()
        return {
          {
            uri = "skill://reports/daily/SKILL.md",
            frontmatter = { name = "daily", description = "Assemble the report of the day" },
            resources = "dynamic",
          },
        }
      end,
      read = function(uri)
        if uri == "skill://reports/daily/SKILL.md" then
          return "---\nname: daily\ndescription: Assemble the report of the day\n---\n\n"
            .. "Ask for the day.\n"
        end
      end,
    },
  },
}

mcp.skill {
  prefix = "acme/billing",
  name = "refunds",
  description = "Process refunds as the company wants it",
  license = "Apache-2.0",
  body = "# Refunds\n\nWrite to the customer as in `examples/email.md`.\n",
  files = { ["examples/email.md"] = "Dear customer,\n\nyour money is on its way.\n" },
}

-- Tasks.

mcp.tasks { store = "memory:", poll_interval_ms = 100 }

mcp.tool("greet", { description = "Greets somebody, at once" }, function(name)
  return ("Hello, %s!"):format(name)
end)

mcp.tool("slow_compute", {
  description = "Computes for a while",
  task = "optional",
  input = {
    { "seconds", mcp.types.number { default = 1, min = 0 } },
    { "label", mcp.types.string { default = "result" } },
  },
}, function(seconds, label, ctx)
  ctx.progress(0, seconds, "computing")
  ctx.sleep(seconds)
  return ("%s after %g s"):format(label, seconds)
end)

mcp.tool("failing_job", { description = "Fails after a while", task = "required" }, function(ctx)
  ctx.sleep(0.2)
  return nil, "the job failed"
end)

mcp.tool("protocol_error_job", {
  description = "Breaks down after a while",
  task = "required",
}, function(ctx)
  ctx.sleep(0.2)
  mcp.protocol_error { code = -32603, message = "the machine broke down" }
end)

mcp.tool("confirm_delete", {
  description = "Deletes a file that somebody has confirmed",
  task = "required",
}, function(filename, ctx)
  local answer = ctx.elicit {
    message = ("Delete %s?"):format(filename),
    schema = { confirm = mcp.types.boolean() },
  }
  if answer.action ~= "accept" or not answer.content.confirm then
    return "kept " .. filename
  end
  return "deleted " .. filename
end)

mcp.tool("multi_input", {
  description = "Asks two things at once",
  task = "required",
}, function(ctx)
  local types = mcp.types
  local name = { name = types.optional(types.string()) }
  local age = { age = types.optional(types.number()) }
  local answers = ctx.ask {
    name = mcp.elicit { message = "Your name?", schema = name },
    age = mcp.elicit { message = "Your age?", schema = age },
  }
  return ("%s, %s"):format(answers.name.action, answers.age.action)
end)

mcp.tool("test_tool_with_task", {
  description = "Asks before the task, then runs as one",
  task = "required",
  task_input_before_start = true,
}, function(ctx)
  local answer = ctx.elicit {
    key = "user_name",
    message = "Your name?",
    schema = { name = mcp.types.string() },
  }
  ctx.sleep(0.2)
  return "Hello, " .. (answer.content and answer.content.name or "nobody") .. "!"
end)
