-- mcp.skills, mcp.skill, mcp.skill_controller: what they give to the host, and what
-- the functions of a source answer.
local fake = require "fake_core"

local function load(text)
  local state = fake.load(text)
  assert.is_nil(state.error)
  return state
end

local function refusal(text)
  return fake.load(text).error
end

--- The functions of the first source, by name: list(args, ctx), ...
local function source(text)
  local found = {}
  for _, entry in ipairs(load(text).skill_sources) do
    found[entry.op] = found[entry.op] or entry.handler
  end
  return found
end

describe("mcp.skill", function()
  local function text_of(fields)
    return load("mcp.skill { " .. fields .. " }").skills[1].text
  end

  it("writes front matter of quoted strings", function()
    assert.equal([[
---
name: "no"
description: "a: b # \"c\"\n- d"
license: "1.0"
compatibility: "yes"
allowed-tools: "Bash(git:*) Read"
metadata:
  "a": "true"
  "b: c": "~"
---

# Body
]], text_of [[
      name = "no", description = 'a: b # "c"\n- d', license = "1.0", compatibility = "yes",
      allowed_tools = { "Bash(git:*)", "Read" }, metadata = { a = "true", ["b: c"] = "~" },
      body = "# Body\n"
    ]])
  end)

  it("needs no body", function()
    assert.equal('---\nname: "a"\ndescription: "b"\n---\n', text_of 'name = "a", description = "b"')
  end)

  it("leaves a text as it is", function()
    assert.equal("\239\187\191---\r\n", text_of [[text = "\239\187\191---\r\n"]])
  end)

  it("gives files in the order of their paths", function()
    local skill = load [[
      mcp.skill { prefix = "x/y", name = "a", description = "b", files = {
        ["b.md"] = "B", ["a/c.bin"] = { blob = "\0", mime_type = "x/y" },
        ["a.md"] = { file = "on/disk.md" } } }
    ]].skills[1]
    assert.equal("x/y", skill.prefix)
    assert.same({
      { path = "a.md", content_file = "on/disk.md", is_blob = false },
      { path = "a/c.bin", content = "\0", is_blob = true, mime_type = "x/y" },
      { path = "b.md", content = "B" },
    }, skill.files)
  end)

  it("refuses control characters, which YAML has not", function()
    assert.equal("app.lua:1: mcp.skill: license has a control character inside",
      refusal [[mcp.skill { name = "a", description = "b", license = "\127" }]])
  end)

  it("refuses names by the rule", function()
    for name, why in pairs {
      [""] = "must have 1 to 64 characters, not 0",
      ["Ab"] = 'may have a-z, 0-9 and hyphens only, got "Ab"',
      ["a_b"] = 'may have a-z, 0-9 and hyphens only, got "a_b"',
      ["-a"] = 'must not begin or end with a hyphen nor have two in a row, got "-a"',
      ["a-"] = 'must not begin or end with a hyphen nor have two in a row, got "a-"',
    } do
      assert.equal("app.lua:1: mcp.skill: name " .. why,
        refusal(('mcp.skill { name = %q, description = "b" }'):format(name)))
    end
  end)

  it("refuses prefixes that could leave their place", function()
    for _, prefix in ipairs { "..", "a/../b", "/a", "a/", "a b", ".a", "a?" } do
      assert.truthy(refusal(('mcp.skill { prefix = %q, name = "a", description = "b" }')
        :format(prefix)):find("prefix must be names", 1, true), prefix)
    end
  end)
end)

describe("mcp.skills", function()
  it("gives folders and options", function()
    local state = load [[
      mcp.skills { paths = { "a", "b" }, prefix = "p", expose_as_resources = false,
        directory_read = false, max_files = 1, max_bytes = 2,
        cache = { ttl_ms = 3, scope = "public" } }
    ]]
    assert.same({
      expose = false, directory_read = false, max_files = 1, max_bytes = 2,
      ttl_ms = 3, cache_scope = "public",
    }, state.skill_options)
    assert.same({
      { path = "a", prefix = "p", file = "app.lua", line = 1 },
      { path = "b", prefix = "p", file = "app.lua", line = 1 },
    }, state.skill_folders)
  end)

  it("names sources by their line, each once", function()
    local names = {}
    for i, entry in ipairs(load [[
      local f = function() end
      mcp.skills { sources = { { list = f }, { prefix = "x", get = f } } }
    ]].skill_sources) do
      names[i] = entry.name .. " " .. entry.prefix
    end
    assert.same({
      "list (app.lua:2) ", "get (app.lua:2) ", "read (app.lua:2) ",
      "list (app.lua:2#2) x", "get (app.lua:2#2) x", "read (app.lua:2#2) x",
    }, names)
  end)

  it("is there once", function()
    assert.equal("app.lua:2: mcp.skills: called a second time; the first is at app.lua:1",
      refusal "mcp.skills {}\nmcp.skills {}")
  end)
end)

describe("a source", function()
  local WHOLE = [[
    mcp.skills { sources = { { prefix = "p", list = function()
      return { { name = "a", description = "d", body = "x",
        files = { ["r/x y.md"] = "1", ["b"] = { blob = "\0" } } } }
    end } } }
  ]]

  it("lists whole skills with digests", function()
    local list = source(WHOLE).list({ op = "list" }, {})
    assert.equal(1, #list)
    assert.equal("skill://p/a/SKILL.md", list[1].uri)
    assert.same({ name = "a", description = "d" }, list[1].frontmatter)
    local uris = {}
    for i, resource in ipairs(list[1].resources) do
      uris[i] = resource.uri
      assert.equal(("sha256:%064x"):format(resource.size), resource.digest)
    end
    assert.same({ "skill://p/a/SKILL.md", "skill://p/a/b", "skill://p/a/r/x%20y.md" }, uris)
  end)

  it("finds and reads them without get and read", function()
    local run = source(WHOLE)
    assert.equal("skill://p/a/SKILL.md", run.get({ uri = "skill://p/a/SKILL.md" }, {}).uri)
    assert.is_nil(run.get({ uri = "skill://p/b/SKILL.md" }, {}))
    assert.equal("1", run.read({ uri = "skill://p/a/r/x%20y.md" }, {}))
    assert.truthy(run.read({ uri = "skill://p/a/SKILL.md" }, {}):find("^%-%-%-\n"))
    assert.is_nil(run.read({ uri = "skill://p/a/r/x y.md" }, {}))
  end)

  it("tells the files below a folder", function()
    local files = source(WHOLE).list({ op = "files", uri = "skill://p/a/r" }, {})
    assert.same({ { uri = "skill://p/a/r/x%20y.md", size = 1 } }, { files[1], files[2] })
    assert.same({}, { unpack(source(WHOLE).list({ op = "files", uri = "skill://p/b" }, {})) })
  end)

  it("asks get for what is not listed, folder by folder", function()
    local run = source [[
      asked = {}
      mcp.skills { sources = { { get = function(uri)
        asked[#asked + 1] = uri
        if uri == "skill://a/SKILL.md" then
          return { name = "a", description = "d", files = { ["x/y/z"] = "Z" } }
        end
      end } } }
    ]]
    assert.equal("Z", run.read({ uri = "skill://a/x/y/z" }, {}))
    assert.same({ uri = "skill://a/x/y/z", size = 1 },
      run.list({ op = "files", uri = "skill://a/x/y" }, {})[1])
  end)

  it("refuses bytes that the digest is not of", function()
    local run = source [[
      mcp.skills { sources = { { get = function(uri)
        if uri == "skill://a/SKILL.md" then
          local function file(name, size)
            return { uri = "skill://a/" .. name, size = size,
              digest = "sha256:" .. ("%064x"):format(size) }
          end
          return { uri = uri, frontmatter = { name = "a", description = "d" },
            resources = { file("SKILL.md", 3), file("d/long", 2), file("table", 1) } }
        end
      end, read = function(uri)
        return uri:find "table$" and {} or "abc"
      end } } }
    ]]
    assert.equal("abc", run.read({ uri = "skill://a/SKILL.md" }, {}))
    assert.equal("abc", run.read({ uri = "skill://a/unlisted" }, {}))
    for name, why in pairs {
      ["d/long"] = "returned 3 bytes, and its entry says 2",
      table = "must return the bytes that the digest is of, got table",
    } do
      local ok, message = pcall(run.read, { uri = "skill://a/" .. name }, {})
      assert.is_false(ok)
      assert.truthy(message:find(why, 1, true), message)
    end
  end)

  it("passes a failure on", function()
    local run = source [[
      mcp.skills { sources = { { list = function() return nil, "closed" end } } }
    ]]
    local ok, why = pcall(run.list, { op = "list" }, {})
    assert.is_false(ok)
    assert.same({ message = "closed" }, why)
  end)
end)

describe("mcp.skill_controller", function()
  it("gives tools and prompts its prefix, and prompts its instructions", function()
    local state = load [[
      mcp.skill_controller { prefix = "shop", instructions = "  Be brief.\n",
        tools = { { name = "buy", handler = function(what) return what end } },
        prompts = { { name = "hi", handler = function() return "hi" end } } }
    ]]
    assert.equal("shop_buy", state.tools[1].name)
    assert.equal("shop/hi", state.prompts[1].name)
    assert.equal("Be brief.", state.prompts[1].instructions)
    assert.same({}, state.skill_sources)
  end)

  it("guards get and read, not list", function()
    local state = load [[
      mcp.skill_controller { prefix = "x",
        guards = function() return false, "no" end,
        list = function() return {} end, read = function() return "r" end }
    ]]
    local run = {}
    for _, entry in ipairs(state.skill_sources) do
      run[entry.op] = entry
    end
    assert.same({}, { unpack(run.list.handler({ op = "list" }, {})) })
    assert.same({ "args", "ctx" }, run.list.binds)
    for _, op in ipairs { "get", "read" } do
      assert.same({ "ctx", "args", "ctx" }, run[op].binds)
      assert.is_false(pcall(run[op].handler, {}, { uri = "skill://x/a/SKILL.md" }, {}))
    end
  end)
end)
