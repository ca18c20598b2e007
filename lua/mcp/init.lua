--- mcp: what an app requires. Gathers the names of the other modules.

local ask = require "mcp.ask"
local core = require "mcp.core"
local ending = require "mcp.ending"
local names = require "mcp.names"
local route = require "mcp.route"

local M = {
  server = require "mcp.server",
  tool = require "mcp.tool",
  resource = require "mcp.resource",
  prompt = require "mcp.prompt",
  prompt_controller = require "mcp.prompt_controller",
  group = require "mcp.group",
  provide = require "mcp.provide",
  hooks = require("mcp.hooks").declare,
  tasks = require("mcp.tasks").declare,

  get = route.get,
  post = route.post,
  put = route.put,
  patch = route.patch,
  delete = route.delete,
  head = route.head,
  options = route.options,

  shared = require "mcp.shared",
  every = require "mcp.every",

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

return names.seal(M, "mcp", {}, {
  types = "mcp.types",
  skill = "mcp.skill",
  skills = "mcp.skills",
  skill_controller = "mcp.skill_controller",
})
