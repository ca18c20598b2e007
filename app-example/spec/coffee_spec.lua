--- Specs of the coffee bar:
---
---     cd app-example && mcpluad test

local mcp_test = require "mcp.test"

describe("the coffee bar", function()
  local client

  setup(function()
    client = mcp_test.client("app.lua")
  end)

  teardown(function()
    client:close()
  end)

  it("shows its menu", function()
    local result = assert(client:call_tool("menu"))
    assert.is_truthy(mcp_test.text(result):find("espresso", 1, true))
  end)

  it("tells a price in cents and in euros", function()
    local result = assert(client:call_tool("price", { drink = "espresso", size = "large" }))
    assert.same({ cents = 290, text = "2.90 EUR" }, result.structuredContent)
  end)

  it("says what there is when a drink is not", function()
    local result = assert(client:call_tool("price", { drink = "tea" }))
    assert.is_true(result.isError)
    assert.is_truthy(mcp_test.text(result):find("there is no tea; there are espresso", 1, true))
  end)

  it("tells how far a drink is, without the wait", function()
    local brewing = client:start_tool("brew", { drink = "filter", seconds = 10 })
    for step, name in ipairs { "grind", "heat", "pour" } do
      local message
      repeat
        message = assert(brewing:next())
      until message.method == "notifications/progress"
      assert.same({ step, name }, { message.params.progress, message.params.message })
      client:advance(4)
    end
    assert.equal("Your filter is ready.", mcp_test.text(assert(brewing:result())))
  end)

  it("roasts as a task that asks", function()
    local asked
    local customer = mcp_test.client("app.lua", {
      tasks = true,
      answer = function(question)
        asked = question.message
        return { dark = true }
      end,
    })
    local roasted = assert(customer:call_tool("roast", { kilos = 2, seconds = 0 }))
    assert.equal("2 kg are medium. Roast on?", asked)
    assert.equal("2 kg of dark beans.", mcp_test.text(roasted))
  end)

  it("serves its rules and each drink", function()
    local rules = assert(client:read("coffee://rules"))
    assert.equal("text/markdown", rules.contents[1].mimeType)
    local mocha = assert(client:read("coffee://drinks/mocha"))
    assert.is_truthy(mcp_test.text(mocha):find("With chocolate", 1, true))
    local nothing, fault = client:read("coffee://drinks/tea")
    assert.is_nil(nothing)
    assert.equal(-32602, fault.code)
  end)

  it("completes the names of drinks", function()
    assert.same({ "espresso" }, (client:complete("coffee://drinks/{name}", "name", "esp")))
  end)

  it("greets in its own voice", function()
    local prompt = assert(client:prompt("barista/welcome", { customer = "Ada" }))
    local text = mcp_test.text(prompt)
    assert.is_truthy(text:find("Persona: warm", 1, true))
    assert.is_truthy(text:find("Welcome Ada", 1, true))
  end)
end)
