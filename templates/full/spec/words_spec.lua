--- The module alone.

local words = require "lib.words"

describe("words", function()
  it("are what stands between blanks", function()
    assert.equal(0, words.count(" \n"))
    assert.equal(3, words.count("one two\n three "))
  end)

  it("come in lines", function()
    assert.equal(0, words.count_lines(""))
    assert.equal(1, words.count_lines("one"))
    assert.equal(2, words.count_lines("one\ntwo\n"))
  end)

  it("are sorted by how often they come", function()
    assert.same(
      { { word = "tea", count = 2 }, { word = "coffee", count = 1 } },
      words.frequent("Tea, coffee and the tea. Water", 2)
    )
  end)
end)
