--- A place.
---@class (exact) Point: Base
---@field x number
---@field private z number
---@field ["a b"]? table<string, { a: string, b?: integer[] }>
---@field [string] Point

---@class Base
---@field next? Point # the next

---@alias Mode
---| "r" # read
---|>"w"

---@alias Json string|number|Json[]

---@enum (key) Color
local C = { RED = 1, ["GREEN"] = 'g\'', --[[ x ]] BLUE = true }

--- Prose.
---@param a Point|Mode? the text
---@param args { a: fun(x: number): string, [integer]: string }
---@return (string|'"a"')[]? name desc
---@return string? err
mcp.tool("x", function(a, args) end)

---@param a Json
---@return [string, Color, 0x10, -1.5, true] # tuple
