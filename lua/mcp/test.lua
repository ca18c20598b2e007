--- mcp.test: a client of an app, in the process of its specs.
---
--- `mcpluad test` runs busted; a spec opens the app as the server does, with
--- its states, workers and checks, and speaks to it without a socket.
---
--- Source: MCP 2026-07-28 and before; api.md, "Testing an app".

local found, host = pcall(require, "mcp.test_host")
if not found then
  error("mcp.test is for specs, and those are run by: mcpluad test", 2)
end

local META = "io.modelcontextprotocol/"
local MODERN = "2026-07-28"
local REVISIONS = {
  ["2026-07-28"] = true,
  ["2025-11-25"] = true,
  ["2025-06-18"] = true,
  ["2025-03-26"] = true,
}
local ROUNDS = 100
local FINAL = { completed = true, failed = true, cancelled = true }

---@class mcp.test.Client
local Client = {}
Client.__index = Client

---@class mcp.test.Call
local Call = {}
Call.__index = Call

local M = { null = host.null, array = host.array, object = host.object }

--- What a JSON-RPC error is: { code, message, data }, and as text all of it.
local Fault = {
  __tostring = function(fault)
    local text = ("%s (%d)"):format(fault.message, fault.code)
    return fault.data ~= nil and text .. " " .. host.encode(fault.data) or text
  end,
}

--- What the client says that it can, when nothing else is asked for.
local function capabilities_of(options)
  local out = options.capabilities
  if not out then
    out = {}
    if options.answer then
      out = {
        elicitation = { form = host.object {}, url = host.object {} },
        sampling = { tools = host.object {} },
        roots = host.object {},
      }
    end
    if options.tasks then
      out.extensions = { [META .. "tasks"] = host.object {} }
    end
  end
  return next(out) == nil and host.object(out) or out
end

--- All options as texts, as flags have them.
local function texts(options)
  local out = { log_level = os.getenv("MCPLUAD_LOG_LEVEL") or "error" }
  for name, value in pairs(options or {}) do
    if type(value) == "table" then
      value = table.concat(value, ",")
    end
    out[tostring(name)] = tostring(value)
  end
  return out
end

local OPTIONS = { "answer", "capabilities", "options", "revision", "tasks", "timeout" }

local function check_options(options)
  local known = {}
  for _, name in ipairs(OPTIONS) do
    known[name] = true
  end
  for name in pairs(options) do
    if not known[name] then
      local right = table.concat(OPTIONS, ", ")
      error(("client has no option %q; it has %s"):format(tostring(name), right), 3)
    end
  end
  if options.revision and not REVISIONS[options.revision] then
    error(("there is no revision %q"):format(tostring(options.revision)), 3)
  end
end

--- Opens the app at `path` (from the current folder).
---@param path string
---@param options? table  answer, capabilities, options, revision, tasks, timeout
---@return mcp.test.Client
function M.client(path, options)
  options = options or {}
  if type(path) ~= "string" or type(options) ~= "table" then
    error("client(path, options): a file name, and a table or nothing", 2)
  end
  check_options(options)
  local opened, why = host.open(path, texts(options.options))
  if not opened then
    error(why, 2)
  end
  local self = setmetatable({
    host = opened,
    answer = options.answer,
    capabilities = capabilities_of(options),
    revision = options.revision or MODERN,
    timeout = options.timeout or 10,
    messages = {},
    last_id = 0,
  }, Client)
  if self.revision ~= MODERN then
    self:handshake()
  end
  return self
end

--- The texts of a result of a tool, of contents of a resource, of messages of a
--- prompt: one string.
---@param result table
---@return string
function M.text(result)
  local out = {}
  for _, item in ipairs(result.content or result.contents or result.messages or {}) do
    local block = item.role and item.content or item
    out[#out + 1] = block.text
  end
  return table.concat(out, "\n")
end

--- Waits until f() is true; false after `seconds` (2).
---@param f fun(): any
---@param seconds? number
---@return any
function M.eventually(f, seconds)
  for _ = 1, math.ceil((seconds or 2) / 0.005) do
    local value = f()
    if value then
      return value
    end
    host.pause(0.005)
  end
  return f() or false
end

-- ---- questions -------------------------------------------------------------

local KINDS = {
  ["elicitation/create"] = "elicit",
  ["sampling/createMessage"] = "sample",
  ["roots/list"] = "roots",
}

local SHAPES = {
  elicit = function(value)
    if not value then
      return { action = "decline" }
    elseif value.action ~= nil then
      return value
    end
    return { action = "accept", content = next(value) and value or host.object(value) }
  end,
  sample = function(value)
    if type(value) == "string" then
      local content = { type = "text", text = value }
      return { role = "assistant", content = content, model = "test", stopReason = "endTurn" }
    end
    return value
  end,
  roots = function(value)
    local roots = host.array {}
    for i, root in ipairs(value or {}) do
      roots[i] = type(root) == "string" and { uri = root } or root
    end
    return { roots = roots }
  end,
}

--- What the spec answers to one question of the app.
function Client:answer_to(key, request)
  local kind = KINDS[request.method]
  local params = request.params or {}
  if not kind then
    error(("the app asks %s, which clients do not know"):format(tostring(request.method)), 0)
  elseif not self.answer then
    local what = params.message or params.systemPrompt or request.method
    error(("the app asks %q; give the client answer = function(question) ... end"):format(what), 0)
  end
  local question = {
    key = key,
    kind = kind,
    message = params.message,
    schema = params.requestedSchema,
    url = params.url,
    params = params,
  }
  return SHAPES[kind](self.answer(question))
end

function Client:answers_to(requests)
  local out, keys = {}, {}
  for key in pairs(requests) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    out[key] = self:answer_to(key, requests[key])
  end
  return out
end

-- ---- messages --------------------------------------------------------------

--- The members of _meta that each request of 2026-07-28 has.
function Client:meta(id)
  return {
    [META .. "protocolVersion"] = self.revision,
    [META .. "clientInfo"] = { name = "mcp.test", version = "1" },
    [META .. "clientCapabilities"] = self.capabilities,
    [META .. "logLevel"] = "debug",
    progressToken = id,
  }
end

local function copy(t)
  local out = {}
  for key, value in pairs(t or {}) do
    out[key] = value
  end
  return out
end

--- Sends a request and does not wait for its answer.
---@param method string
---@param params? table
---@return mcp.test.Call
function Client:start(method, params)
  self.last_id = self.last_id + 1
  local id = self.last_id
  params = copy(params)
  local meta = copy(params._meta)
  local own = self.revision == MODERN and self:meta(id) or { progressToken = id }
  for key, value in pairs(own) do
    if meta[key] == nil then
      meta[key] = value
    end
  end
  params._meta = meta
  local message = host.encode { jsonrpc = "2.0", id = id, method = method, params = params }
  return setmetatable({
    client = self,
    id = id,
    method = method,
    params = params,
    call = self.host:start(message),
  }, Call)
end

function Client:notify(method, params)
  self.host:start(host.encode { jsonrpc = "2.0", method = method, params = params })
end

--- A request of the server, in the revisions that have such.
function Client:respond(message)
  local ok, answer = pcall(self.answer_to, self, nil, message)
  local out = { jsonrpc = "2.0", id = message.id }
  if ok then
    out.result = answer
  else
    out.error = { code = -32603, message = tostring(answer) }
  end
  self.host:start(host.encode(out))
  if not ok then
    error(answer, 0)
  end
end

--- The app asks, and the request comes again with the answers.
function Call:again(result)
  self.rounds = (self.rounds or 0) + 1
  if self.rounds > ROUNDS then
    error(("%s: still asks after %d rounds"):format(self.method, ROUNDS), 0)
  end
  local params = copy(self.params)
  params._meta = nil
  params.inputResponses = self.client:answers_to(result.inputRequests or {})
  params.requestState = result.requestState
  local next_one = self.client:start(self.method, params)
  self.id, self.call = next_one.id, next_one.call
end

--- The next message of this call: a notification, or (`is_last`) the response;
--- nothing when none comes in `seconds`. What the app asks is answered on the
--- way.
---@param seconds? number
---@return table? message
---@return boolean? is_last
function Call:next(seconds)
  while true do
    local text, is_last = self.call:next(seconds or self.client.timeout)
    if not text then
      return nil
    end
    local message = text ~= "" and assert(host.decode(text)) or {}
    local result = is_last and message.result
    if result and result.resultType == "input_required" then
      self:again(result)
    elseif is_last then
      return message, true
    elseif message.id == nil or not message.method then
      self.client.messages[#self.client.messages + 1] = message
      return message, false
    else
      self.client:respond(message)
    end
  end
end

--- Waits for the final result, and answers what the app asks on the way.
---@return table? result
---@return table? fault
function Call:result()
  while true do
    local message, is_last = self:next()
    if not message then
      self.call:leave()
      error(("%s: no answer in %g s"):format(self.method, self.client.timeout), 0)
    elseif is_last and message.error then
      return nil, setmetatable(message.error, Fault)
    elseif is_last then
      local result = message.result
      if result and result.resultType == "task" then
        return self.client:task_result(result)
      end
      return result
    end
  end
end

--- Takes the request back, as a client does that leaves.
function Call:cancel()
  local client = self.client
  if client.revision == MODERN then
    self.call:leave()
  else
    client:notify("notifications/cancelled", { requestId = self.id })
  end
end

--- Follows a task to its end; its questions are answered.
function Client:task_result(task)
  local id = task.taskId
  for _ = 1, math.ceil(self.timeout / 0.005) do
    local now_is, fault = self:request("tasks/get", { taskId = id })
    if not now_is then
      return nil, fault
    elseif now_is.status == "completed" then
      return now_is.result
    elseif now_is.status == "input_required" then
      local responses = self:answers_to(now_is.inputRequests)
      self:request("tasks/update", { taskId = id, inputResponses = responses })
    elseif FINAL[now_is.status] then
      local why = now_is.error or { code = -32603, message = "the task was " .. now_is.status }
      return nil, setmetatable(why, Fault)
    end
    host.pause(0.005)
  end
  error(("task %s: no end in %g s"):format(id, self.timeout), 0)
end

local function header_list(headers, body)
  local out, typed = {}, false
  for name, value in pairs(headers or {}) do
    out[#out + 1] = name
    out[#out + 1] = tostring(value)
    typed = typed or name:lower() == "content-type"
  end
  if body ~= "" and not typed then
    out[#out + 1] = "Content-Type"
    out[#out + 1] = "application/json"
  end
  return out
end

--- A request of plain HTTP to a route of the app.
---@param method string
---@param target string  "/items/3?deep=true"
---@param more? { headers?: table<string, string>, body?: string|table }
---@return table answer  { status, headers, body, json }
function Client:http(method, target, more)
  more = more or {}
  local body = more.body or ""
  if type(body) ~= "string" then
    body = host.encode(body)
  end
  local path, query = target:match("^([^?]*)%??(.*)$")
  local list = header_list(more.headers, body)
  local sent = self.host:start_http(method, path, query ~= "" and query or nil, body, list)
  local text, is_last = sent:next(self.timeout)
  if not is_last then
    sent:leave()
    error(("%s %s: no answer in %g s"):format(method, target, self.timeout), 2)
  end
  local answer = { body = text }
  answer.status, answer.headers = sent:head()
  if (answer.headers["Content-Type"] or ""):find("json", 1, true) then
    answer.json = host.decode(text)
  end
  return answer
end

--- Any request; waits for its result.
---@param method string
---@param params? table
---@return table? result
---@return table? fault  { code, message, data }
function Client:request(method, params)
  return self:start(method, params):result()
end

function Client:handshake()
  local result, fault = self:request("initialize", {
    protocolVersion = self.revision,
    capabilities = self.capabilities,
    clientInfo = { name = "mcp.test", version = "1" },
  })
  if not result then
    error("initialize: " .. tostring(fault), 3)
  end
  self.server = result
  self:notify("notifications/initialized")
end

-- ---- what specs call -------------------------------------------------------

--- Calls a tool. A result with isError is a result; nil and a fault is what the
--- protocol refuses (an unknown tool).
---@param name string
---@param args? table
---@return table? result  { content, structuredContent, isError }
---@return table? fault
function Client:call_tool(name, args)
  return self:start_tool(name, args):result()
end

--- The same without waiting: `:result()` of what comes back does.
---@param name string
---@param args? table
---@return mcp.test.Call
function Client:start_tool(name, args)
  local given = args ~= nil and next(args) == nil and host.object(args) or args
  return self:start("tools/call", { name = name, arguments = given })
end

--- Reads a resource.
---@param uri string
---@return table? result  { contents }
---@return table? fault
function Client:read(uri)
  return self:request("resources/read", { uri = uri })
end

--- Gets a prompt.
---@param name string
---@param args? table<string, string>
---@return table? result  { description, messages }
---@return table? fault
function Client:prompt(name, args)
  local given = args ~= nil and next(args) == nil and host.object(args) or args
  return self:request("prompts/get", { name = name, arguments = given })
end

--- Completes what was typed: values, and the whole completion.
---@param ref string       a prompt's name, or a URI template
---@param argument string  the argument's or the variable's name
---@param value string     what was typed
---@param chosen? table    the arguments chosen before
---@return string[]? values
---@return table completion_or_fault
function Client:complete(ref, argument, value, chosen)
  local is_uri = ref:find("://", 1, true)
  local result, fault = self:request("completion/complete", {
    ref = is_uri and { type = "ref/resource", uri = ref } or { type = "ref/prompt", name = ref },
    argument = { name = argument, value = value },
    context = chosen and { arguments = chosen },
  })
  if not result then
    return nil, fault
  end
  return result.completion.values, result.completion
end

--- Every page of a list.
function Client:list(method, member)
  local out, cursor = {}, nil
  repeat
    local page, fault = self:request(method, { cursor = cursor })
    if not page then
      return nil, fault
    end
    for _, item in ipairs(page[member]) do
      out[#out + 1] = item
    end
    cursor = page.nextCursor
  until not cursor
  return out
end

for name, list in pairs {
  list_tools = { "tools/list", "tools" },
  list_resources = { "resources/list", "resources" },
  list_resource_templates = { "resources/templates/list", "resourceTemplates" },
  list_prompts = { "prompts/list", "prompts" },
  list_skills = { "skills/list", "skills" },
} do
  Client[name] = function(self)
    return self:list(list[1], list[2])
  end
end

--- Hears of changes; `filter` as in subscriptions/listen. `:next(seconds)` of
--- what comes back gives one notification after the other.
---@param filter table
---@return mcp.test.Call
function Client:listen(filter)
  local stream = self:start("subscriptions/listen", { notifications = filter })
  local first, is_last = stream:next()
  if not first or is_last then
    error("subscriptions/listen: " .. (first and host.encode(first) or "no answer"), 2)
  end
  return stream
end

--- Lets time pass: sleepers wake, timers run (once), what has a time to live
--- ends. For every app of this process, and for good.
---@param seconds number
function Client:advance(seconds)
  self.host:advance(seconds)
end

--- Loads the app's files again; false when nothing new came of it in 5 s.
---@return boolean
function Client:reload()
  local before = self.host:generation()
  self.host:reload()
  return M.eventually(function()
    return self.host:generation() > before
  end, 5)
end

---@class mcp.test.Shared
local Shared = {}
Shared.__index = Shared

--- The app's mcp.shared dictionary of this name.
---@param name string
---@return mcp.test.Shared
function Client:shared(name)
  return setmetatable({ host = self.host, name = name }, Shared)
end

function Shared:get(key)
  return self.host:shared_get(self.name, key)
end

function Shared:set(key, value, ttl)
  if value == nil then
    self.host:shared_delete(self.name, key)
  else
    self.host:shared_set(self.name, key, value, ttl)
  end
end

function Shared:delete(key)
  return self.host:shared_delete(self.name, key)
end

function Shared:keys(prefix)
  local keys = self.host:shared_keys(self.name, prefix or "")
  table.sort(keys)
  return keys
end

--- Ends the app; what it was doing is cancelled.
function Client:close()
  self.host:close()
end

return M
