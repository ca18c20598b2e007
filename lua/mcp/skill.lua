--- mcp.skill: declare one Agent Skill in code.
---
---     mcp.skill { name = "refunds", description = "...", body = "# Refunds\n",
---       files = { ["references/policy.md"] = "..." } }
---     mcp.skill { text = "---\nname: refunds\n...", files = { ... } }
---
--- Source: SEP-2640; agentskills.io, specification.

local core = require "mcp.core"
local document = require "mcp.skill_document"
local guard = require "mcp.skill_guard"
local fields = require "mcp.fields"
local where = require "mcp.where"

local KNOWN = { prefix = true }
for name in pairs(document.KNOWN) do
  KNOWN[name] = true
end

---@param decl mcp.Skill
local function skill(decl)
  local at = where.here "mcp.skill"
  at:must_load()
  if type(decl) ~= "table" then
    at:fail("a table { name = ..., description = ..., body = ... } is needed, got %s",
      fields.told(decl))
  end
  fields.known(at, decl, KNOWN)
  local prefix = document.prefix(at, decl)
  local made = document.read(at, decl)
  guard(at)
  if core.following() then
    return
  end
  local ok, why = core.add_skill {
    prefix = prefix, text = made.text, files = made.files, file = at.file, line = at.line,
  }
  if not ok then
    at:fail("%s", why)
  end
end

return skill
