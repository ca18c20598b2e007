local mcp_test = require "mcp.test"

describe("greet", function()
  local client = mcp_test.client("app.lua")

  it("says the name", function()
    local result = assert(client:call_tool("greet", { name = "Ada" }))
    assert.equal("Hello, Ada!", mcp_test.text(result))
  end)

  it("wants a name", function()
    local result = assert(client:call_tool("greet", {}))
    assert.is_true(result.isError)
  end)
end)
