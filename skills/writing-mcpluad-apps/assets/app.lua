--- A place to begin: replace the names, keep the form.
---
---     mcpluad check app.lua
---     mcpluad call app.lua convert amount=12 from=km to=mi

local mcp = require "mcp"

mcp.server {
  name = "units",
  version = "1.0.0",
  title = "Units",
  instructions = "Ask units before you convert.",
}

--- Metres in one of each.
local METRES = { m = 1, km = 1000, mi = 1609.344, ft = 0.3048 }

local function names()
  local list = {}
  for name in pairs(METRES) do
    list[#list + 1] = name
  end
  table.sort(list)
  return list
end

--- The units that convert knows.
---@return string[]
mcp.tool("units", { read_only = true }, function()
  return names()
end)

--- Convert a length from one unit to another.
---@param amount number How much
---@param from string A unit that `units` lists
---@param to string A unit that `units` lists
---@return { amount: number, unit: string }
mcp.tool("convert", { read_only = true }, function(amount, from, to)
  for _, unit in ipairs { from, to } do
    if not METRES[unit] then
      return nil, ("there is no unit %q; use one of %s"):format(unit, table.concat(names(), ", "))
    end
  end
  return { amount = amount * METRES[from] / METRES[to], unit = to }
end)

--- What one unit is.
mcp.resource {
  uri_template = "units://{name}",
  mime_type = "application/json",
  complete = { name = names() },
  handler = function(name)
    return METRES[name] and { name = name, metres = METRES[name] }
  end,
}
