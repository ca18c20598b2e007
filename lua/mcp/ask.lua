--- mcp.ask: questions to the client, by the same lines in every revision.
---
---     ctx.elicit { message = "Your name?", schema = { name = t.string() } }
---     ctx.ask { who = mcp.elicit { ... }, capital = mcp.sample { ... } }
---
--- Here arguments become requests and answers become tables; the host knows whether
--- the call ends with the question (2026-07-28) or waits for its answer.
---
--- Source: MCP 2026-07-28, client/elicitation, client/sampling, client/roots,
--- basic/patterns/mrtr.

local core = require "mcp.core"
local ending = require "mcp.ending"
local fields = require "mcp.fields"
local type_ = require "mcp.type"
local where = require "mcp.where"

local M = {}

---@class mcp.Question
---@field kind "elicit"|"sample"|"roots"
---@field request string   JSON text
---@field feature? string  what the client must support of the capability
---@field schema? string   JSON text
---@field key? string
local Question = {}
Question.__index = Question

--- `value` as JSON text; `name` is what messages call it.
local function encode(at, name, value)
  local text, path, why = core.encode_sorted(value)
  if not text then
    at:fail("%s%s %s", name, path, why)
  end
  return text
end

--- { "name", JSON text } pairs as a JSON object.
local function object(members)
  local parts = {}
  for i, member in ipairs(members) do
    parts[i] = ("%q:%s"):format(member[1], member[2])
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function request(method, params)
  return object { { "method", ("%q"):format(method) }, { "params", object(params) } }
end

-- ---- elicitation ----

local PRIMITIVES = { string = true, number = true, integer = true, boolean = true }
local FORMATS = { email = true, uri = true, date = true, ["date-time"] = true }

--- Is this a choice that forms know?
local function is_choice(s)
  return type(s) == "table" and (type(s.enum) == "table" or type(s.anyOf) == "table"
    or type(s.oneOf) == "table")
end

--- One property of a form.
local function check_property(at, name, s)
  if type(s) ~= "table" then
    at:fail("schema: %s must be a type, got %s", name, fields.told(s))
  end
  if s.type == "array" then
    if not is_choice(s.items) then
      at:fail("schema: %s: a form knows no lists but choices of several values", name)
    end
  elseif not PRIMITIVES[s.type] then
    at:fail("schema: %s: a form has strings, numbers, booleans and choices only", name)
  elseif s.type == "string" and s.format ~= nil and not FORMATS[s.format] then
    at:fail("schema: %s: format must be email, uri, date or date-time", name)
  end
end

--- Properties as { name, schema } pairs or by name.
local function check_properties(at, properties)
  for key, value in pairs(properties) do
    if type(key) == "number" then
      check_property(at, tostring(value[1]), value[2])
    else
      check_property(at, tostring(key), value)
    end
  end
end

--- A form's schema has no keyword that the revision does not list.
local function without_closing(schema)
  local copy = {}
  for key, value in pairs(schema) do
    copy[key] = value
  end
  copy.additionalProperties = nil
  return copy
end

--- `schema` as JSON text: a raw JSON Schema, t.object { ... }, or fields by name or in
--- a list of pairs, as `input` of a tool.
local function form(at, given)
  local raw
  if type_.is(given) then
    raw = type_.schema(given, false)
  elseif type(given) ~= "table" then
    at:fail("schema must be a table of fields, got %s", fields.told(given))
  elseif given.type == "object" and type(given.properties) == "table" then
    raw = given
  else
    local own, options = require("mcp.type_fields").read(at, given, "schema")
    local key = fields.sorted_keys(options)[1]
    if key ~= nil then
      require("mcp.type_fields").need_type(at, options[key], "schema." .. tostring(key))
    end
    raw = type_.schema(type_.object(own), false)
  end
  if raw.type ~= "object" or type(raw.properties) ~= "table" then
    at:fail("schema must describe an object")
  end
  check_properties(at, raw.properties)
  local text, path, why = core.encode_schema(without_closing(raw))
  if not text then
    at:fail("schema%s %s", path, why)
  end
  return text
end

local ELICIT = { key = true, message = true, schema = true, url = true }

local function elicit(at, spec)
  fields.known(at, spec, ELICIT)
  local message = fields.string(at, spec, "message")
  local url = fields.string(at, spec, "url")
  if not message then
    at:fail("message must be a string, got nil")
  elseif (spec.schema ~= nil) == (url ~= nil) then
    at:fail("one of schema (a form) and url is needed")
  end
  local params = { { "message", encode(at, "message", message) } }
  if url then
    params[#params + 1] = { "mode", '"url"' }
    params[#params + 1] = { "url", encode(at, "url", url) }
    if core.ask_legacy() then
      params[#params + 1] = { "elicitationId", ("%q"):format(core.ask_id()) }
    end
    return { kind = "elicit", feature = "url", request = request("elicitation/create", params) }
  end
  local schema = form(at, spec.schema)
  params[#params + 1] = { "requestedSchema", schema }
  return {
    kind = "elicit",
    feature = "form",
    schema = schema,
    request = request("elicitation/create", params),
  }
end

-- ---- sampling ----

--- Field -> member of the request.
local SAMPLE = {
  system = { "systemPrompt", "string" },
  max_tokens = { "maxTokens", "number" },
  temperature = { "temperature", "number" },
  stop_sequences = { "stopSequences", "table" },
  model_preferences = { "modelPreferences", "table" },
  include_context = { "includeContext", "string" },
  metadata = { "metadata", "table" },
  tools = { "tools", "table" },
  tool_choice = { "toolChoice", "table" },
}
local SAMPLE_KNOWN = { key = true, messages = true, prompt = true }
for name in pairs(SAMPLE) do
  SAMPLE_KNOWN[name] = true
end

local DEFAULT_MAX_TOKENS = 1000

--- Text, a block, or a list of blocks as JSON text.
local function content(at, value)
  if type(value) == "string" then
    return ('{"type":"text","text":%s}'):format(encode(at, "messages", value))
  elseif type(value) ~= "table" then
    at:fail("a message's content must be a string or a content block, got %s",
      fields.told(value))
  elseif value.type ~= nil then
    if value.type == "tool_use" or value.type == "tool_result" then
      return encode(at, "messages", value)
    end
    return core.encode_content(value)
  end
  local parts = {}
  for i, block in ipairs(value) do
    parts[i] = content(at, block)
  end
  return "[" .. table.concat(parts, ",") .. "]"
end

local function message(at, value)
  if type(value) == "string" then
    value = { role = "user", content = value }
  elseif type(value) ~= "table" then
    at:fail("a message must be a string or { role, content }, got %s", fields.told(value))
  end
  local role = value.role or "user"
  if role ~= "user" and role ~= "assistant" then
    at:fail("a message's role must be user or assistant, got %s", fields.told(role))
  end
  local body = value.content ~= nil and value.content or value.text
  return ('{"role":%q,"content":%s}'):format(role, content(at, body))
end

local function messages(at, spec)
  local prompt = fields.string(at, spec, "prompt")
  local list = spec.messages
  if (prompt ~= nil) == (list ~= nil) then
    at:fail("one of prompt and messages is needed")
  elseif prompt then
    list = { prompt }
  elseif type(list) ~= "table" or #list == 0 then
    at:fail("messages must be a list of messages")
  end
  local parts = {}
  for i, value in ipairs(list) do
    parts[i] = message(at, value)
  end
  return "[" .. table.concat(parts, ",") .. "]"
end

local function sample(at, spec)
  fields.known(at, spec, SAMPLE_KNOWN)
  local params = { { "messages", messages(at, spec) } }
  for _, name in ipairs(fields.sorted_keys(SAMPLE)) do
    local member, kind = SAMPLE[name][1], SAMPLE[name][2]
    local value = spec[name]
    if value ~= nil and type(value) ~= kind then
      at:fail("%s must be a %s, got %s", name, kind, fields.told(value))
    elseif name == "max_tokens" then
      value = value or DEFAULT_MAX_TOKENS
      if value < 1 or value ~= math.floor(value) then
        at:fail("max_tokens must be a whole number from 1 up, got %s", fields.told(value))
      end
    end
    if value ~= nil then
      params[#params + 1] = { member, encode(at, name, value) }
    end
  end
  local tools = spec.tools ~= nil or spec.tool_choice ~= nil
  return {
    kind = "sample",
    feature = tools and "tools" or nil,
    request = request("sampling/createMessage", params),
  }
end

-- ---- roots ----

local function roots(at, spec)
  fields.known(at, spec, { key = true })
  return { kind = "roots", request = '{"method":"roots/list"}' }
end

-- ---- questions ----

local MAKERS = { elicit = elicit, sample = sample, roots = roots }

--- The specification of a question as a question.
---@return mcp.Question
local function make(at, kind, spec)
  if spec == nil and kind == "roots" then
    spec = {}
  elseif type(spec) ~= "table" then
    at:fail("a table is needed, got %s", fields.told(spec))
  end
  local q = MAKERS[kind](at, spec)
  local key = fields.string(at, spec, "key")
  if key == "" then
    at:fail("key must not be empty")
  end
  q.key = key
  return setmetatable(q, Question)
end

--- What a handler gets for an answer.
local SHAPES = {
  elicit = function(answer)
    return { action = answer.action, content = answer.content }
  end,
  sample = function(answer)
    return {
      role = answer.role,
      content = answer.content,
      model = answer.model,
      stop_reason = answer.stopReason,
    }
  end,
  roots = function(answer)
    return answer.roots
  end,
}

--- Asks them all at once. The answers by key.
---@param questions mcp.Question[]
local function ask(questions)
  ending.may_ask()
  core.ask(questions)
  core.ask_settle(questions)
  local answers = {}
  for _, q in ipairs(questions) do
    answers[q.key] = SHAPES[q.kind](core.ask_answer(q.key))
  end
  return answers
end

--- ctx.elicit, ctx.sample, ctx.roots.
local function ask_one(kind)
  return function(...)
    local spec = core.without_ctx(...)
    local q = make(where.here("ctx." .. kind), kind, spec)
    q.key = q.key or ("%s-%d"):format(kind, core.ask_number(kind))
    return ask({ q })[q.key]
  end
end

--- Questions by key as a list in the order of their keys.
local function by_key(at, requests)
  if type(requests) ~= "table" then
    at:fail("a table of questions by key is needed, got %s", fields.told(requests))
  end
  local list = {}
  for _, key in ipairs(fields.sorted_keys(requests)) do
    local q = requests[key]
    if type(key) ~= "string" or key == "" then
      at:fail("every question needs a key, but there is one at [%s]", fields.told(key))
    elseif getmetatable(q) ~= Question then
      at:fail("%s must be mcp.elicit, mcp.sample or mcp.roots, got %s", key, fields.told(q))
    elseif q.key ~= nil and q.key ~= key then
      at:fail("%s has another key inside: %q", key, q.key)
    end
    local copy = { key = key }
    for name, value in pairs(q) do
      copy[name] = name == "key" and key or value
    end
    list[#list + 1] = copy
  end
  return list
end

--- Asks several questions in one round.
local function ask_all(...)
  local requests = core.without_ctx(...)
  local at = where.here "ctx.ask"
  local list = by_key(at, requests)
  if #list == 0 then
    at:fail("there is no question in the table")
  end
  return ask(list)
end

--- Computes `f()` once for all rounds of a call, and keeps its value as JSON.
local function memo(...)
  local key, f = core.without_ctx(...)
  local at = where.here "ctx.memo"
  if type(key) ~= "string" then
    at:fail("the key must be a string, got %s", fields.told(key))
  elseif type(f) ~= "function" then
    at:fail("a function is needed behind the key, got %s", fields.told(f))
  end
  local found, value = core.memo_get(key)
  if found then
    return value
  end
  return core.memo_set(key, (f()))
end

core.add_to_ctx {
  elicit = ask_one "elicit",
  sample = ask_one "sample",
  roots = ask_one "roots",
  ask = ask_all,
  memo = memo,
}

--- Questions for ctx.ask and mcp.input_required.
function M.elicit(spec)
  return make(where.here "mcp.elicit", "elicit", spec)
end

function M.sample(spec)
  return make(where.here "mcp.sample", "sample", spec)
end

function M.roots(spec)
  return make(where.here "mcp.roots", "roots", spec)
end

--- A result that asks: the handler runs again with ctx.input_responses and
--- ctx.request_state.
function M.input_required(spec)
  local at = where.here "mcp.input_required"
  if type(spec) ~= "table" then
    at:fail("a table { requests, state } is needed, got %s", fields.told(spec))
  end
  fields.known(at, spec, { requests = true, state = true })
  local state = fields.string(at, spec, "state")
  if spec.requests == nil and state == nil then
    at:fail("one of requests and state is needed")
  end
  return core.input_required {
    questions = by_key(at, spec.requests or {}),
    state = state,
  }
end

return M
