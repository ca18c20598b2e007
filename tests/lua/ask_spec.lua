-- Holds what lua/mcp/ask.lua makes of questions, without the host.
local fake = require "fake_core"

--- A core that answers, and what it was asked.
local function bench()
  local mcp, state = fake.fresh()
  local core = package.loaded["mcp.core"]
  local numbers = {}
  state.asked, state.answers, state.memos = {}, {}, {}
  core.without_ctx = function(...) return ... end
  core.ask = function(questions) state.asked = questions end
  core.ask_settle = function() end
  core.ask_answer = function(key) return state.answers[key] end
  core.ask_number = function(kind)
    numbers[kind] = (numbers[kind] or 0) + 1
    return numbers[kind]
  end
  core.ask_legacy = function() return state.legacy end
  core.ask_id = function() return "id" end
  core.memo_get = function(key)
    return state.memos[key] ~= nil, state.memos[key]
  end
  core.memo_set = function(key, value)
    state.memos[key] = value
    return value
  end
  core.encode_content = function(block) return '{"type":"' .. block.type .. '"}' end
  core.input_required = function(t) return t end
  return mcp, state, state.ctx
end

local NAME = { name = "a name" }

local function message_of(f, ...)
  local ok, why = pcall(f, ...)
  assert.is_false(ok)
  return why
end

describe("ctx.elicit", function()
  it("asks by a form", function()
    local mcp, state, ctx = bench()
    state.answers["elicit-1"] = { action = "accept", content = NAME, more = 1 }
    local answer = ctx.elicit { message = 'Say "it"', schema = { name = mcp.types.string() } }
    assert.same({ action = "accept", content = NAME }, answer)
    local q = state.asked[1]
    assert.equal("elicit", q.kind)
    assert.equal("form", q.feature)
    assert.equal('{"method":"elicitation/create","params":{"message":"Say \\"it\\"",'
      .. '"requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},'
      .. '"required":["name"]}}}', q.request)
    assert.equal(q.request:match '"requestedSchema":(.*)}}$', q.schema)
  end)

  it("counts questions without a key", function()
    local mcp, state, ctx = bench()
    local form = { name = mcp.types.string() }
    for _, key in ipairs { "elicit-1", "mine", "elicit-2" } do
      state.answers[key] = { action = "cancel" }
      ctx.elicit { key = key == "mine" and key or nil, message = "m", schema = form }
      assert.equal(key, state.asked[1].key)
    end
  end)

  it("keeps the order of a list and takes a raw schema", function()
    local mcp, state, ctx = bench()
    local t = mcp.types
    state.answers = setmetatable({}, { __index = function() return {} end })
    ctx.elicit { message = "m", schema = { { "b", t.string() }, { "a", t.boolean() } } }
    assert.truthy(state.asked[1].schema:find('"b":.*"a":'))
    ctx.elicit { message = "m", schema = t.object { a = t.integer { min = 1 } } }
    assert.truthy(state.asked[1].schema:find('"minimum":1', 1, true))
    ctx.elicit { message = "m", schema = { type = "object", properties = {
      { "c", { type = "array", items = { anyOf = { { const = "x", title = "X" } } } } },
    } } }
    assert.truthy(state.asked[1].schema:find('"title":"X"', 1, true))
  end)

  it("sends to a web page, with an id where the revision wants one", function()
    local _, state, ctx = bench()
    state.answers = setmetatable({}, { __index = function() return {} end })
    ctx.elicit { message = "m", url = "https://x.example/" }
    assert.equal("url", state.asked[1].feature)
    assert.truthy(state.asked[1].request:find('"mode":"url","url":"https://x.example/"', 1, true))
    assert.is_nil(state.asked[1].request:find "elicitationId")
    state.legacy = true
    ctx.elicit { message = "m", url = "https://x.example/" }
    assert.truthy(state.asked[1].request:find('"elicitationId":"id"', 1, true))
  end)

  it("refuses what a form cannot show", function()
    local mcp, _, ctx = bench()
    local t = mcp.types
    local cases = {
      { { message = "m" }, "one of schema %(a form%) and url is needed" },
      { { message = "m", url = "u", schema = {} }, "one of schema" },
      { { schema = {} }, "message must be a string, got nil" },
      { { message = "m", schema = 1 }, "schema must be a table of fields, got 1" },
      { { message = "m", schema = t.string() }, "schema must describe an object" },
      { { message = "m", schema = { a = t.object {} } }, "a: a form has strings" },
      { { message = "m", schema = { a = t.array { t.string() } } }, "a: a form knows no lists" },
      { { message = "m", schema = { a = t.string { format = "ipv4" } } }, "a: format must be" },
      { { message = "m", schema = { a = t.string() }, key = "" }, "key must not be empty" },
      { { message = "m", shema = {} }, 'unknown field "shema"' },
      { 1, "a table is needed, got 1" },
    }
    for _, case in ipairs(cases) do
      local why = message_of(ctx.elicit, case[1])
      assert.truthy(why:find(case[2]), why)
      assert.truthy(why:find("ctx.elicit: ", 1, true), why)
    end
  end)
end)

describe("ctx.sample", function()
  it("asks the model", function()
    local _, state, ctx = bench()
    state.answers["sample-1"] = { role = "assistant", content = { text = "c" }, model = "m",
      stopReason = "endTurn" }
    assert.same({ role = "assistant", content = { text = "c" }, model = "m",
      stop_reason = "endTurn" }, ctx.sample { prompt = "p", system = "s", max_tokens = 5 })
    assert.equal('{"method":"sampling/createMessage","params":{"messages":[{"role":"user",'
      .. '"content":{"type":"text","text":"p"}}],"maxTokens":5,"systemPrompt":"s"}}',
      state.asked[1].request)
    assert.is_nil(state.asked[1].feature)
  end)

  it("has a limit though none is given, and needs tools for tools", function()
    local _, state, ctx = bench()
    state.answers = setmetatable({}, { __index = function() return {} end })
    ctx.sample { prompt = "p", tools = { { name = "x" } } }
    assert.truthy(state.asked[1].request:find('"maxTokens":1000', 1, true))
    assert.equal("tools", state.asked[1].feature)
  end)

  it("takes messages of every form", function()
    local _, state, ctx = bench()
    state.answers = setmetatable({}, { __index = function() return {} end })
    ctx.sample { messages = {
      "a", { role = "assistant", content = "b" }, { content = { type = "image" } },
      { role = "user", content = { "c", { type = "audio" } } },
    } }
    assert.equal('[{"role":"user","content":{"type":"text","text":"a"}},'
      .. '{"role":"assistant","content":{"type":"text","text":"b"}},'
      .. '{"role":"user","content":{"type":"image"}},'
      .. '{"role":"user","content":[{"type":"text","text":"c"},{"type":"audio"}]}]',
      state.asked[1].request:match '"messages":(%b[])')
  end)

  it("refuses wrong fields", function()
    local _, _, ctx = bench()
    local cases = {
      { {}, "one of prompt and messages is needed" },
      { { prompt = "p", messages = { "m" } }, "one of prompt and messages" },
      { { messages = {} }, "messages must be a list" },
      { { messages = { 1 } }, "a message must be a string or" },
      { { messages = { { role = "system", content = "x" } } }, "role must be user or assistant" },
      { { messages = { { role = "user" } } }, "content must be a string or" },
      { { prompt = "p", max_tokens = 0 }, "max_tokens must be a whole number from 1 up, got 0" },
      { { prompt = "p", max_tokens = 1.5 }, "max_tokens must be a whole" },
      { { prompt = "p", system = 1 }, "system must be a string, got 1" },
    }
    for _, case in ipairs(cases) do
      local why = message_of(ctx.sample, case[1])
      assert.truthy(why:find(case[2]), why)
    end
  end)
end)

describe("ctx.ask", function()
  it("asks all at once, in the order of the keys", function()
    local mcp, state, ctx = bench()
    state.answers = { b = { roots = { 1, 2 } }, a = { action = "decline" } }
    local answers = ctx.ask {
      b = mcp.roots(),
      a = mcp.elicit { message = "m", schema = { x = mcp.types.string() } },
    }
    assert.same({ b = { 1, 2 }, a = { action = "decline" } }, answers)
    assert.same({ "a", "b" }, { state.asked[1].key, state.asked[2].key })
  end)

  it("refuses what is no question", function()
    local mcp, _, ctx = bench()
    local cases = {
      { {}, "there is no question in the table" },
      { { a = 1 }, "a must be mcp.elicit, mcp.sample or mcp.roots, got 1" },
      { { mcp.roots() }, "every question needs a key" },
      { { a = mcp.roots { key = "b" } }, 'a has another key inside: "b"' },
    }
    for _, case in ipairs(cases) do
      local why = message_of(ctx.ask, case[1])
      assert.truthy(why:find(case[2]), why)
    end
    assert.truthy(message_of(ctx.ask):find "got nil")
  end)
end)

describe("ctx.memo", function()
  it("computes once", function()
    local _, _, ctx = bench()
    local count = 0
    local function f()
      count = count + 1
      return count, "dropped"
    end
    assert.equal(1, ctx.memo("k", f))
    assert.equal(1, ctx.memo("k", f))
    assert.equal(2, ctx.memo("other", f))
    assert.truthy(message_of(ctx.memo, 1, f):find "the key must be a string, got 1")
    assert.truthy(message_of(ctx.memo, "k"):find "a function is needed behind the key, got nil")
  end)
end)

describe("mcp.input_required", function()
  it("has questions, a state, or both", function()
    local mcp = bench()
    local asked = mcp.input_required { requests = { r = mcp.roots() }, state = "s" }
    assert.equal("s", asked.state)
    assert.equal('{"method":"roots/list"}', asked.questions[1].request)
    assert.equal("r", asked.questions[1].key)
    assert.same({}, mcp.input_required({ state = "s" }).questions)
    assert.truthy(message_of(mcp.input_required, {}):find "one of requests and state is needed")
    assert.truthy(message_of(mcp.input_required, { stat = "s" }):find 'unknown field "stat"')
  end)
end)

describe("required_client_capabilities", function()
  local function load(given)
    return fake.load(('mcp.tool("t", { required_client_capabilities = %s }, function() end)')
      :format(given), function()
      package.loaded["mcp.core"].require_capabilities = function(text)
        error("needs " .. text, 0)
      end
    end)
  end

  it("takes names or a table, and comes before the handler", function()
    for given, text in pairs {
      ['{ "sampling", "roots" }'] = '{"roots":{},"sampling":{}}',
      ["{ sampling = { tools = {} } }"] = '{"sampling":{"tools":{}}}',
    } do
      local state = load(given)
      assert.is_nil(state.error)
      assert.equal("needs " .. text, message_of(state.tools[1].handler, {}))
    end
  end)

  it("refuses anything else", function()
    for _, given in ipairs { "{ sampling = true }", "{ 1 }" } do
      assert.truthy(load(given).error:find "must be names or a table")
    end
  end)
end)
