--- The server as a client sees it.

local mcp_test = require "mcp.test"

describe("{{name}}", function()
  local client = mcp_test.client("app.lua")

  it("counts", function()
    local result = assert(client:call_tool("count", { text = "one two\nthree" }))
    assert.same({ words = 3, lines = 2 }, result.structuredContent)
  end)

  it("says what is wrong with a limit", function()
    local result = assert(client:call_tool("frequent", { text = "one", limit = 0 }))
    assert.is_true(result.isError)
    assert.equal("limit must be at least 1", mcp_test.text(result))
  end)

  it("tells which words it leaves out", function()
    local result = assert(client:read("words://ignored"))
    assert.is_truthy(result.contents[1].text:find("the", 1, true))
  end)

  it("has a prompt", function()
    local result = assert(client:prompt("shorten", { text = "Too long.", limit = "1" }))
    assert.is_truthy(result.messages[1].content.text:find("to 1 words", 1, true))
  end)

  it("has a skill", function()
    local result = assert(client:read("skill://word-count/SKILL.md"))
    assert.is_truthy(result.contents[1].text:find("count", 1, true))
  end)
end)
