---@meta mcp.test
-- luacheck: ignore

--- mcp.test: definitions for the Lua language server. Never run.
---
--- What specs of an app require; `mcpluad test` runs them. See docs/testing.md.

---@class mcp.test
---@field null any  JSON's null
local mcp_test = {}

---@class mcp.test.Options
---@field answer? fun(question: mcp.test.Question): any  what the user or the model says
---@field capabilities? table                            of the client; default: what `answer` needs
---@field options? table<string, any>                    of the server, by name
---@field revision? "2026-07-28"|"2025-11-25"|"2025-06-18"|"2025-03-26"
---@field tasks? boolean                                 the client knows tasks
---@field timeout? number                                real seconds to wait for an answer: 10

---@class mcp.test.Question
---@field key? string
---@field kind "elicit"|"sample"|"roots"
---@field message? string
---@field schema? table
---@field url? string
---@field params table

---@class mcp.test.Fault
---@field code integer
---@field message string
---@field data? any

--- Opens the app at `path` (from the current folder).
---@param path string
---@param options? mcp.test.Options
---@return mcp.test.Client
function mcp_test.client(path, options) end

--- The texts of a result of a tool, a resource or a prompt, one below the other.
---@param result table
---@return string
function mcp_test.text(result) end

--- Waits until f() is true, `seconds` (2) at most; what it gave last.
---@param f fun(): any
---@param seconds? number
---@return any
function mcp_test.eventually(f, seconds) end

--- Marks a table as JSON array, or as JSON object, also when it is empty.
---@param t table
---@return table
function mcp_test.array(t) end
---@param t table
---@return table
function mcp_test.object(t) end

---@class mcp.test.Client
---@field messages table[]  notifications that came so far
---@field server? table     what initialize answered, in the 2025 revisions
local Client = {}

---@param name string
---@param args? table
---@return table? result  { content, structuredContent, isError }
---@return mcp.test.Fault?
function Client:call_tool(name, args) end

--- The same without waiting.
---@param name string
---@param args? table
---@return mcp.test.Call
function Client:start_tool(name, args) end

---@param uri string
---@return table? result  { contents }
---@return mcp.test.Fault?
function Client:read(uri) end

---@param name string
---@param args? table<string, string>
---@return table? result  { description, messages }
---@return mcp.test.Fault?
function Client:prompt(name, args) end

---@param ref string       a prompt's name, or a URI template
---@param argument string
---@param value string     what was typed
---@param chosen? table<string, string>
---@return string[]? values
---@return table completion_or_fault
function Client:complete(ref, argument, value, chosen) end

--- A request of plain HTTP to a route of the app.
---@param method string
---@param target string  "/items/3?deep=true"
---@param more? { headers?: table<string, string>, body?: string|table }
---@return { status: integer, headers: table<string, string>, body: string, json: any }
function Client:http(method, target, more) end

---@return table[]
function Client:list_tools() end
---@return table[]
function Client:list_resources() end
---@return table[]
function Client:list_resource_templates() end
---@return table[]
function Client:list_prompts() end
---@return table[]
function Client:list_skills() end

---@param method string
---@param params? table
---@return table? result
---@return mcp.test.Fault?
function Client:request(method, params) end

---@param method string
---@param params? table
---@return mcp.test.Call
function Client:start(method, params) end

--- Hears of changes; `filter` as in subscriptions/listen.
---@param filter table
---@return mcp.test.Call
function Client:listen(filter) end

--- Lets time pass, for every app of this process.
---@param seconds number
function Client:advance(seconds) end

--- Loads the app's files again; false when nothing new came of it.
---@return boolean
function Client:reload() end

---@param name string
---@return mcp.test.Shared
function Client:shared(name) end

function Client:close() end

---@class mcp.test.Call
local Call = {}

--- The next message: a notification, or (`is_last`) the response; nothing when
--- none comes in time. What the app asks is answered on the way.
---@param seconds? number
---@return table? message
---@return boolean? is_last
function Call:next(seconds) end

---@return table? result
---@return mcp.test.Fault?
function Call:result() end

function Call:cancel() end

---@class mcp.test.Shared
local Shared = {}

---@param key string|number
---@return any
function Shared:get(key) end
---@param key string|number
---@param value any
---@param ttl? number
function Shared:set(key, value, ttl) end
---@param key string|number
---@return boolean
function Shared:delete(key) end
---@param prefix? string
---@return string[]
function Shared:keys(prefix) end

return mcp_test
