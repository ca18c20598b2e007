-- Holds lua/meta/mcp.lua, which editors read, against the module that runs.
local fake = require "fake_core"

local function meta_text()
  local path = package.searchpath("meta.mcp", package.path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

--- What a running of the definitions leaves: they are plain Lua.
local function defined()
  return assert(loadstring(meta_text(), "@meta"))()
end

local function keys(t)
  local list = {}
  for key in pairs(t) do
    list[#list + 1] = key
  end
  table.sort(list)
  return list
end

--- The names of `---@field` lines of a class.
local function fields_of(class)
  local list = {}
  local body = meta_text():match("\n%-%-%-@class " .. class .. "[^\n]*\n(.-)\n[^-]")
  for name in ("\n" .. body):gmatch("\n%-%-%-@field ([%a_]+)%??") do
    list[#list + 1] = name
  end
  table.sort(list)
  return list
end

--- The keys of a table in a module's source: `local NAME = { key = true, ... }`.
local function table_keys(module, name)
  local path = package.searchpath(module, package.path)
  local file = assert(io.open(path))
  local body = file:read("*a"):match("\nlocal " .. name .. " = {\n(.-)\n}")
  file:close()
  local list = {}
  for key in ("\n" .. body):gmatch("\n%s+([%a_]+) =") do
    list[#list + 1] = key
  end
  table.sort(list)
  return list
end

describe("the definition file", function()
  it("has the names of mcp, all of them and no others", function()
    local mcp = fake.fresh()
    -- these are there when they are used
    for name in ([[resource prompt prompt_controller group provide hooks tasks get post put
      patch delete head options shared every types skill skills skill_controller]]):gmatch "%S+" do
      assert.is_truthy(mcp[name])
    end
    local names = keys(defined())
    names[#names + 1] = "null" -- nil there, as a definition has no value
    table.sort(names)
    assert.same(keys(mcp), names)
    assert.truthy(meta_text():find("\nmcp.null = ", 1, true))
  end)

  it("has the names of mcp.types", function()
    local mcp = fake.fresh()
    assert.same(keys(mcp.types), keys(defined().types))
  end)

  it("has the fields of a tool", function()
    local known = {}
    for _, name in ipairs(table_keys("mcp.tools", "KNOWN")) do
      if name ~= "name" and name ~= "handler" then
        known[#known + 1] = name
      end
    end
    assert.same(known, fields_of "mcp%.ToolFields")
    assert.same({ "handler", "name" }, fields_of "mcp%.Tool:")
  end)

  it("has the fields of a route", function()
    assert.same(table_keys("mcp.route", "KNOWN"), fields_of "mcp%.RouteFields")
  end)

  it("has the fields of a resource, a prompt, a controller, an argument", function()
    assert.same(table_keys("mcp.resources", "KNOWN"), fields_of "mcp%.Resource%f[^%a]")
    local known = {}
    for _, name in ipairs(table_keys("mcp.prompts", "KNOWN")) do
      if name ~= "name" and name ~= "handler" then
        known[#known + 1] = name
      end
    end
    assert.same(known, fields_of "mcp%.PromptFields")
    assert.same({ "handler", "name" }, fields_of "mcp%.Prompt:")
    assert.same(table_keys("mcp.group", "KNOWN"), fields_of "mcp%.Group")
    assert.same(table_keys("mcp.hooks", "KNOWN"), fields_of "mcp%.Hooks")
    assert.same(table_keys("mcp.prompt_controller", "KNOWN"), fields_of "mcp%.PromptController")
    assert.same(table_keys("mcp.arguments", "KNOWN"), fields_of "mcp%.PromptArgument")
  end)

  it("has the fields of skills", function()
    local known = table_keys("mcp.skill_document", "KNOWN")
    assert.same(known, fields_of "mcp%.SkillFields")
    assert.same({ "prefix" }, fields_of "mcp%.Skill:")
    assert.same(table_keys("mcp.skills", "KNOWN"), fields_of "mcp%.Skills%f[^%a]")
    assert.same(table_keys("mcp.skill_source", "KNOWN"), fields_of "mcp%.SkillSource%f[^%a]")
    assert.same(table_keys("mcp.skill_controller", "KNOWN"), fields_of "mcp%.SkillController")
    assert.same(table_keys("mcp.skill_entry", "GIVEN_FIELDS"), fields_of "mcp%.SkillEntry")
  end)

  it("has the options of the server", function()
    local path = package.searchpath("mcp.server", package.path):gsub("lua/mcp/server.lua$", "")
    local file = assert(io.open(path .. "src/base/config_table.c"))
    local known = {}
    for row in file:read("*a"):gmatch("{%u+, (%.name = .-)},?\n") do
      local name, by = row:match('%.name = "([%a_]+)"'), row:match("%.by = ([%u_]+)")
      if by == "MCP_BY_ALL" or by == "MCP_BY_APP" then
        known[#known + 1] = name
      end
    end
    file:close()
    for _, name in ipairs {
      "guards", "dependencies", "include_tags", "exclude_tags",
      "include_operations", "exclude_operations",
    } do
      known[#known + 1] = name
    end
    table.sort(known)
    assert.is_true(#known > 20)
    assert.same(known, fields_of "mcp%.ServerOptions")
  end)

  it("has the options of every type", function()
    local known = { "default", "meta" }
    for _, name in ipairs(table_keys("mcp.types", "OPTIONS")) do
      known[#known + 1] = name
    end
    table.sort(known)
    local seen, listed = {}, {}
    for _, class in ipairs { "Type", "String", "Number", "Integer", "Boolean", "Array", "Enum" } do
      for _, name in ipairs(fields_of("mcp%." .. class .. "Options")) do
        if not seen[name] then
          seen[name] = true
          listed[#listed + 1] = name
        end
      end
    end
    table.sort(listed)
    assert.same(known, listed)
  end)

  it("has comments that our own parser understands", function()
    fake.fresh()
    local luals, comment = require "mcp.luals", require "mcp.comment"
    package.loaded["mcp.core"].source = meta_text
    local count = 0
    for name, entry in pairs(luals.names "@meta") do
      assert.equal(name, luals.read(entry).name)
      count = count + 1
    end
    assert.is_true(count > 20)
    for _, block in ipairs(comment.all "@meta") do
      luals.signature(block, "meta")
    end
  end)
end)
