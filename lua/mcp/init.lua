--- mcp: what an app requires. Gathers the names of the other modules.

local ask = require "mcp.ask"
local core = require "mcp.core"
local ending = require "mcp.ending"
local names = require "mcp.names"

local M = {
  server = require "mcp.server",
  tool = require "mcp.tool",
  text = core.text,
  image = core.image,
  audio = core.audio,
  resource_link = core.resource_link,
  embedded = core.embedded,
  blob = core.blob,
  user = core.user,
  assistant = core.assistant,
  result = core.result,
  http = core.http,

  array = core.array,
  object = core.object,
  null = core.null,
  is_null = core.is_null,

  notify_resource_updated = core.notify_resource_updated,
  notify_list_changed = core.notify_list_changed,

  elicit = ask.elicit,
  sample = ask.sample,
  roots = ask.roots,
  input_required = ask.input_required,

  protocol_error = ending.protocol_error,
  unauthorized = ending.unauthorized,
  forbidden = ending.forbidden,
  not_found = ending.not_found,
  http_error = ending.http_error,
}

-- An app pays for what it uses: each of these is a module, or a field of one.
return names.seal(M, "mcp", {}, {
  resource = { "mcp.resource" },
  prompt = { "mcp.prompt" },
  prompt_controller = { "mcp.prompt_controller" },
  group = { "mcp.group" },
  provide = { "mcp.provide" },
  hooks = { "mcp.hooks", "declare" },
  tasks = { "mcp.tasks", "declare" },

  get = { "mcp.route", "get" },
  post = { "mcp.route", "post" },
  put = { "mcp.route", "put" },
  patch = { "mcp.route", "patch" },
  delete = { "mcp.route", "delete" },
  head = { "mcp.route", "head" },
  options = { "mcp.route", "options" },

  shared = { "mcp.shared" },
  every = { "mcp.every" },
  types = { "mcp.types" },
  skill = { "mcp.skill" },
  skills = { "mcp.skills" },
  skill_controller = { "mcp.skill_controller" },
})
