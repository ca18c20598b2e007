---@meta mcp
-- luacheck: ignore

--- mcp: definitions for the Lua language server. Never run.
---
--- Add this folder to `workspace.library` in .luarc.json, and the editor completes,
--- explains and checks what an app declares.

---@class mcp
local mcp = {}

--------------------------------------------------------------------------------
-- Declaring

---@class mcp.Icon
---@field src string              URL or data: URI
---@field mime_type? string
---@field sizes? string[]         "48x48", "any"
---@field theme? "light"|"dark"

--- Denies a call by raising (mcp.forbidden, error) or by returning false and why.
---@alias mcp.Guard fun(ctx: mcp.Context): boolean?, string?
---@alias mcp.Guards mcp.Guard|mcp.Guard[]

--- Makes the value of a dependency, once per call and only when it is asked for.
--- Its parameters are bound by their names: ctx, args, other dependencies. The
--- second result, a function, is called when the call has ended.
---@alias mcp.Provider fun(...): any, fun()?

---@class mcp.ServerOptions
---@field name? string
---@field version? string
---@field title? string           for people
---@field instructions? string    for models
---@field website_url? string
---@field icons? mcp.Icon[]
---@field host? string            address to listen on; default "127.0.0.1"
---@field port? integer           default 8000
---@field base_path? string       default "/mcp"
---@field public_url? string      the endpoint as clients see it, behind a proxy
---@field allowed_hosts? string|string[]
---@field allowed_origins? string|string[]
---@field isolation? "request"|"worker"
---@field jit? boolean            only with isolation = "worker"
---@field call_timeout? number    seconds; default 30
---@field load_timeout? number    seconds; default 10
---@field memory_limit? integer|string bytes, or "64 MiB"
---@field worker_stack? integer|string  C stack; default "1 MiB"
---@field max_workers? integer
---@field queue? integer          calls that wait for a worker
---@field max_waiting? integer    calls that wait for their client
---@field waiting_timeout? number seconds; default 600
---@field max_body? integer|string
---@field max_json_depth? integer
---@field max_blob_bytes? integer|string
---@field max_connections? integer
---@field connection_memory? integer|string  of the heads of a request; default "16 KiB"
---@field max_streams? integer
---@field keepalive? number       seconds
---@field sse_after? number       seconds
---@field sse_poll_after? number  seconds; 0, the default: never
---@field list_page_size? integer
---@field cache_ttl_ms? integer
---@field cache_scope? "private"|"public"
---@field sessions? "optional"|"required"
---@field session_idle? number    seconds
---@field max_sessions? integer
---@field extra_arguments? "allow"|"forbid"
---@field assert_format? boolean
---@field infer_http_method_annotations? boolean  tools that are routes; default true
---@field expose_errors? boolean
---@field request_state_keys? string|string[]  secrets that protect requestState; the first seals
---@field request_state_ttl? number  seconds; default 600
---@field task_store? string      as mcp.tasks, where each is called without task_
---@field task_ttl_ms? integer
---@field task_max_ttl_ms? integer
---@field task_poll_interval_ms? integer
---@field task_timeout? number
---@field task_max_running? integer
---@field task_max_running_per_tool? integer
---@field task_max_running_per_principal? integer
---@field task_max_stored? integer
---@field task_cancel_grace? number
---@field log_level? "debug"|"info"|"warning"|"error"|"off"
---@field log_messages? boolean  every request and answer, whole
---@field log_format? "text"|"json"
---@field guards? mcp.Guards       of every call, read and get
---@field dependencies? table<string, mcp.Provider>
---@field include_tags? string|string[]        only items with one of these tags
---@field exclude_tags? string|string[]
---@field include_operations? string|string[]  only items with one of these names
---@field exclude_operations? string|string[]

--- Who the server is and how it runs. At most once, before the first tool when it
--- sets extra_arguments, assert_format or infer_http_method_annotations. Flags and variables are stronger.
---@param options mcp.ServerOptions
function mcp.server(options) end

---@class mcp.Annotations
---@field title? string
---@field readOnlyHint? boolean
---@field destructiveHint? boolean
---@field idempotentHint? boolean
---@field openWorldHint? boolean
---@field [string] any

---@class mcp.ToolFields
---@field title? string                for people
---@field description? string          for models; else `summary`, else the comment
---@field summary? string
---@field when_to_use? string          a section of the description
---@field returns? string              a section of the description
---@field instructions? string         a section of the description
---@field tags? string|string[]
---@field icons? mcp.Icon[]
---@field meta? table<string, any>     `_meta` of the tool
---@field annotations? mcp.Annotations
---@field read_only? boolean           sets readOnlyHint
---@field scopes? string|string[]      annotations.scopes, unless that is there
---@field required_client_capabilities? string[]|table<string, table>  else the call is refused
---@field input? mcp.Fields|mcp.Type   arguments, by mcp.types
---@field input_schema? table          arguments, as JSON Schema
---@field input_schema_file? string    the same in a file beside the script
---@field output? mcp.Fields|mcp.Type  the structured result
---@field output_schema? table
---@field output_schema_file? string
---@field extra_arguments? "allow"|"forbid"
---@field assert_format? boolean       `format` is binding
---@field guards? mcp.Guards
---@field dependencies? table<string, mcp.Provider>
---@field timeout? number              seconds
---@field task? boolean|"optional"|"required"  it may, or must, run as a task
---@field task_input_before_start? boolean     questions come before the task
---@field restart? "fail"|"retry"      what becomes of its tasks when the server restarts

---@class mcp.Tool: mcp.ToolFields
---@field name string                  1 to 128 of A-Z a-z 0-9 _ . -
---@field handler fun(...): any        parameters are bound by their names

--- Declares a tool. Parameters of the handler get what their names say: `args` the
--- whole argument table, `ctx` the request context, any other the argument of that
--- name.
---@param name string
---@param handler fun(...): any
---@overload fun(name: string, fields: mcp.ToolFields, handler: fun(...): any)
---@overload fun(tool: mcp.Tool)
function mcp.tool(name, handler) end

---@alias mcp.Complete string[]|number[]|fun(value: string, ctx: mcp.Context): string[]?

---@class mcp.ResourceAnnotations
---@field audience? "user"|"assistant"|string[]
---@field priority? number             0 to 1
---@field lastModified? string         ISO 8601
---@field [string] any

---@class mcp.CacheHint
---@field ttl_ms? integer              how long clients may keep an answer
---@field scope? "private"|"public"

---@class mcp.Resource
---@field uri? string                  this or uri_template
---@field uri_template? string         RFC 6570: {id}, {+path}, {path*}, {?q,lang}
---@field name? string                 default: the last part of the URI
---@field title? string                for people
---@field description? string          else `summary`, else the comment
---@field summary? string
---@field when_to_use? string          a section of the description
---@field returns? string              a section of the description
---@field instructions? string         a section of the description
---@field tags? string|string[]
---@field icons? mcp.Icon[]
---@field meta? table<string, any>
---@field mime_type? string            default: by the extension, else by the content
---@field size? integer                bytes
---@field annotations? mcp.ResourceAnnotations
---@field scopes? string|string[]      annotations.scopes, unless that is there
---@field cache? mcp.CacheHint
---@field complete? table<string, mcp.Complete> by variable of the template
---@field guards? mcp.Guards
---@field dependencies? table<string, mcp.Provider>
---@field timeout? number              seconds
---@field text? string                 the content: one of these five
---@field blob? string                 bytes as they are
---@field file? string                 path, relative to the script's folder
---@field json? any
---@field handler? fun(...): any       variables are bound by their names

--- Declares a resource, or all those of a URI template.
---@param resource mcp.Resource
function mcp.resource(resource) end

---@class mcp.PromptArgument
---@field name? string                 in a list; in a table by name the key is it
---@field title? string
---@field description? string
---@field required? boolean            default false
---@field default? string|number|boolean
---@field complete? mcp.Complete

---@class mcp.PromptFields
---@field title? string                for people
---@field description? string          else `summary`, else the comment
---@field summary? string
---@field when_to_use? string          a section of the description
---@field returns? string              a section of the description
---@field instructions? string         a section of the description
---@field tags? string|string[]
---@field icons? mcp.Icon[]
---@field meta? table<string, any>
---@field scopes? string|string[]      meta.scopes, unless that is there
---@field arguments? (string|mcp.PromptArgument)[]|table<string, mcp.PromptArgument>
---@field complete? table<string, mcp.Complete> by argument
---@field guards? mcp.Guards
---@field dependencies? table<string, mcp.Provider>
---@field timeout? number              seconds

---@class mcp.Prompt: mcp.PromptFields
---@field name string                  1 to 128 of A-Z a-z 0-9 _ . / -
---@field handler fun(...): any        parameters are bound by their names

--- Declares a prompt; its arguments are strings.
---@param name string
---@param handler fun(...): any
---@overload fun(name: string, fields: mcp.PromptFields, handler: fun(...): any)
---@overload fun(prompt: mcp.Prompt)
function mcp.prompt(name, handler) end

---@class mcp.RouteTool: mcp.ToolFields
---@field name? string                 default: the last literal segment of the path

---@class mcp.RouteResource
---@field name? string                 default: the last literal segment of the path
---@field uri? string                  default: "mcpluad://NAME"
---@field uri_template? string         when the route needs arguments: "items://{item_id}"
---@field title? string
---@field description? string
---@field mime_type? string
---@field cache? mcp.CacheHint
---@field complete? table<string, mcp.Complete>
---@field [string] any                 as in mcp.resource

---@class mcp.RoutePrompt: mcp.PromptFields
---@field name? string                 default: the last literal segment of the path

---@class mcp.RouteFields
---@field status? integer              of a success, 200 to 299; default 200, 204 of nothing
---@field mime_type? string            of a success; default: by the value
---@field tool? boolean|string|mcp.RouteTool          true: named by the path
---@field resource? boolean|string|mcp.RouteResource
---@field prompt? boolean|string|mcp.RoutePrompt
---@field mcp_annotations? mcp.Annotations  of the tool; stronger than `annotations`
---@field mcp_read_only? boolean       of the tool; stronger than `read_only`
---@field title? string
---@field description? string
---@field summary? string
---@field when_to_use? string
---@field returns? string
---@field instructions? string
---@field tags? string|string[]
---@field icons? mcp.Icon[]
---@field meta? table<string, any>
---@field annotations? mcp.Annotations
---@field read_only? boolean
---@field scopes? string|string[]
---@field required_client_capabilities? string[]|table<string, table>
---@field input? mcp.Fields|mcp.Type   arguments; `data = t.object { ... }` is the body
---@field input_schema? table
---@field input_schema_file? string
---@field output? mcp.Fields|mcp.Type
---@field output_schema? table
---@field output_schema_file? string
---@field extra_arguments? "allow"|"forbid"
---@field assert_format? boolean
---@field guards? mcp.Guards           of the route and of all that it is as well
---@field dependencies? table<string, mcp.Provider>
---@field timeout? number              seconds

--- Declares what answers GET of plain HTTP. Arguments come from the path
--- ("/items/{item_id:int}": str, int, number, path, uuid) and the query.
---@param path string
---@param handler fun(...): any
---@overload fun(path: string, fields: mcp.RouteFields, handler: fun(...): any)
function mcp.get(path, handler) end

--- The same for POST; arguments come from the path, the query and the JSON body.
---@param path string
---@param handler fun(...): any
---@overload fun(path: string, fields: mcp.RouteFields, handler: fun(...): any)
function mcp.post(path, handler) end

--- The same for PUT, as mcp.post.
---@param path string
---@param handler fun(...): any
---@overload fun(path: string, fields: mcp.RouteFields, handler: fun(...): any)
function mcp.put(path, handler) end

--- The same for PATCH, as mcp.post.
---@param path string
---@param handler fun(...): any
---@overload fun(path: string, fields: mcp.RouteFields, handler: fun(...): any)
function mcp.patch(path, handler) end

--- The same for DELETE, as mcp.get.
---@param path string
---@param handler fun(...): any
---@overload fun(path: string, fields: mcp.RouteFields, handler: fun(...): any)
function mcp.delete(path, handler) end

--- The same for HEAD, which the route for GET answers where there is none.
---@param path string
---@param handler fun(...): any
---@overload fun(path: string, fields: mcp.RouteFields, handler: fun(...): any)
function mcp.head(path, handler) end

--- The same for OPTIONS, which the server answers where there is none.
---@param path string
---@param handler fun(...): any
---@overload fun(path: string, fields: mcp.RouteFields, handler: fun(...): any)
function mcp.options(path, handler) end

---@class mcp.PromptController
---@field prefix? string               names become "prefix/name"
---@field instructions? string         what the messages begin with
---@field tags? string|string[]
---@field guards? mcp.Guards
---@field dependencies? table<string, mcp.Provider>
---@field [integer] mcp.Prompt

--- Declares prompts that belong together.
---@param controller mcp.PromptController
function mcp.prompt_controller(controller) end

--------------------------------------------------------------------------------
-- Around a call

---@class mcp.SkillFile
---@field text? string                 the content, or
---@field blob? string                 bytes, or
---@field file? string                 a file on disk, beside the app; not in sources
---@field mime_type? string            default: by the name, else by the content

--- The files of a skill by their paths in it.
---@alias mcp.SkillFiles table<string, string|mcp.SkillFile>

---@class mcp.SkillFields
---@field name? string                 1 to 64 of a-z 0-9 -
---@field description? string          what it does and when to use it; at most 1024 characters
---@field license? string
---@field compatibility? string        at most 500 characters
---@field allowed_tools? string|string[]
---@field metadata? table<string, string>
---@field body? string                 what stands below the front matter
---@field text? string                 the whole SKILL.md, instead of the fields above
---@field files? mcp.SkillFiles        besides SKILL.md

---@class mcp.Skill: mcp.SkillFields
---@field prefix? string               "acme/billing": skill://acme/billing/NAME/SKILL.md

--- Declares an Agent Skill that is made here.
---@param skill mcp.Skill
function mcp.skill(skill) end

---@class mcp.SkillResource
---@field uri string                   of a file of the skill
---@field digest string                "sha256:" and 64 hexadecimal digits
---@field size integer                 bytes

--- A skill as clients get it.
---@class mcp.SkillEntry
---@field uri string                   of its SKILL.md
---@field frontmatter table            with name and description
---@field resources mcp.SkillResource[]|"dynamic"
---@field files? string[]              of a dynamic one: the paths of its files

---@alias mcp.SourceSkill mcp.SkillFields|mcp.SkillEntry

---@class mcp.SkillSource
---@field prefix? string               of all its skills
---@field list? fun(ctx: mcp.Context): mcp.SourceSkill[]?, string?
---@field get? fun(uri: string, ctx: mcp.Context): mcp.SourceSkill?, string?
---@field read? fun(uri: string, ctx: mcp.Context): any, string?
---@field guards? mcp.Guards           for get and read
---@field dependencies? table<string, mcp.Provider>  in ctx.dep

---@class mcp.Skills
---@field paths? string|string[]       folders of skills, from the app's folder
---@field prefix? string               before the skills of these folders
---@field sources? mcp.SkillSource[]
---@field expose_as_resources? boolean in resources/list; default true
---@field directory_read? boolean      serve resources/directory/read; default true
---@field max_files? integer           of one skill; default 512
---@field max_bytes? integer           of one skill; default 16 MiB
---@field cache? mcp.CacheHint

--- Serves the Agent Skills of folders and of functions. Once in an app.
---@param skills mcp.Skills
function mcp.skills(skills) end

---@class mcp.SkillController
---@field prefix? string               of its skills (a/b), tools (a_x) and prompts (a/x)
---@field instructions? string         before what its prompts say
---@field tags? string[]
---@field guards? mcp.Guards
---@field dependencies? table<string, mcp.Provider>
---@field list? fun(ctx: mcp.Context): mcp.SourceSkill[]?, string?
---@field get? fun(uri: string, ctx: mcp.Context): mcp.SourceSkill?, string?
---@field read? fun(uri: string, ctx: mcp.Context): any, string?
---@field tools? mcp.Tool[]
---@field prompts? mcp.Prompt[]

--- Skills, tools and prompts that belong together.
---@param controller mcp.SkillController
function mcp.skill_controller(controller) end

---@class mcp.Group
---@field prefix? string               tools become prefix_name, prompts prefix/name
---@field tags? string|string[]
---@field guards? mcp.Guards
---@field dependencies? table<string, mcp.Provider>

--- Declares what `declare` declares, with all of the group around it.
---@param group mcp.Group
---@param declare fun()
function mcp.group(group, declare) end

--- A dependency for the whole app; before the first tool, prompt or resource.
---@param name string
---@param provider mcp.Provider
function mcp.provide(name, provider) end

---@class mcp.ToolOutcome
---@field result any       what the handler returned
---@field error? string    why the call failed
---@field seconds number

---@class mcp.TaskOptions
---@field store? string             "sqlite:PATH" or "memory:"
---@field ttl_ms? integer           kept so long from the start, and again from the end
---@field max_ttl_ms? integer       kept so long at most
---@field poll_interval_ms? integer what clients are told
---@field timeout? number           seconds, of tools without a timeout
---@field max_running? integer      at once; 0: half of max_workers
---@field max_running_per_tool? integer       0: no limit of its own
---@field max_running_per_principal? integer  0: no limit of its own
---@field max_stored? integer
---@field cancel_grace? number      seconds that a cancelled task may go on

--- How tools run as tasks.
---@param options mcp.TaskOptions
function mcp.tasks(options) end

---@class mcp.Hooks
---@field before_tool_call? fun(name: string, args: table, ctx: mcp.Context)
---@field after_tool_call? fun(name: string, args: table, ctx: mcp.Context, outcome: mcp.ToolOutcome)
---@field on_startup? fun()            once, when the app has loaded
---@field on_reload? fun()             after each further load
---@field on_shutdown? fun()

--- Functions that are told of tool calls and of the app's life. What they raise is
--- logged and changes nothing.
---@param hooks mcp.Hooks
function mcp.hooks(hooks) end

--------------------------------------------------------------------------------
-- Types

---@class mcp.Type

---@alias mcp.Fields table<string, mcp.Type>|{ [1]: string, [2]: mcp.Type }[]

---@class mcp.TypeOptions
---@field description? string
---@field title? string
---@field default? any                 the argument may be absent; mcp.null: no value
---@field examples? any[]
---@field meta? table<string, any>     further JSON Schema keywords

---@class mcp.StringOptions: mcp.TypeOptions
---@field min_length? integer
---@field max_length? integer
---@field pattern? string              ECMA-262 regular expression
---@field format? string
---@field header? string               mirrored in the header Mcp-Param-NAME

---@class mcp.NumberOptions: mcp.TypeOptions
---@field min? number
---@field max? number
---@field gt? number
---@field lt? number
---@field multiple_of? number

---@class mcp.IntegerOptions: mcp.NumberOptions
---@field header? string

---@class mcp.BooleanOptions: mcp.TypeOptions
---@field header? string

---@class mcp.ArrayOptions: mcp.TypeOptions
---@field [1]? mcp.Type                of the items
---@field min_items? integer
---@field max_items? integer
---@field unique? boolean

---@class mcp.MapOptions: mcp.TypeOptions
---@field [1]? mcp.Type                of the values

---@class mcp.UnionOptions: mcp.TypeOptions
---@field [integer] mcp.Type

---@class mcp.EnumOptions: mcp.TypeOptions
---@field [integer] string|number|boolean
---@field header? string

---@class mcp.ConstOptions: mcp.TypeOptions
---@field [1] any
---@field header? string

---@class mcp.types
local types = {}
mcp.types = types

---@param options? mcp.StringOptions
---@return mcp.Type
function types.string(options) end

---@param options? mcp.NumberOptions
---@return mcp.Type
function types.number(options) end

---@param options? mcp.IntegerOptions
---@return mcp.Type
function types.integer(options) end

--- A whole number that reaches the handler as int64_t, all digits kept.
---@param options? mcp.IntegerOptions
---@return mcp.Type
function types.int64(options) end

---@param options? mcp.BooleanOptions
---@return mcp.Type
function types.boolean(options) end

---@param options? mcp.TypeOptions
---@return mcp.Type
function types.null(options) end

---@param options? mcp.TypeOptions
---@return mcp.Type
function types.any(options) end

--- A list: t.array { t.string(), min_items = 1 }
---@param options? mcp.ArrayOptions
---@return mcp.Type
function types.array(options) end

--- A table with these fields; fields in a list of pairs keep their order.
---@param fields? mcp.Fields|mcp.TypeOptions
---@return mcp.Type
function types.object(fields) end

--- A table with any names as keys: t.map { t.number() }
---@param options? mcp.MapOptions
---@return mcp.Type
function types.map(options) end

--- One of several types: t.union { t.string(), t.integer() }
---@param options mcp.UnionOptions
---@return mcp.Type
function types.union(options) end

--- One of these values: t.enum { "a", "b", default = "a" }
---@param options mcp.EnumOptions
---@return mcp.Type
function types.enum(options) end

--- This value and no other: t.const { "a" }
---@param options mcp.ConstOptions
---@return mcp.Type
function types.const(options) end

--- The field may be absent.
---@param type mcp.Type
---@return mcp.Type
function types.optional(type) end

--- Base64 text that reaches the handler decoded; for arguments.
---@param options? mcp.TypeOptions
---@return mcp.Type
function types.bytes(options) end

--- RFC 3339 date and time.
---@param options? mcp.StringOptions
---@return mcp.Type
function types.datetime(options) end

---@param options? mcp.StringOptions
---@return mcp.Type
function types.date(options) end

---@param options? mcp.StringOptions
---@return mcp.Type
function types.time(options) end

---@param options? mcp.StringOptions
---@return mcp.Type
function types.uri(options) end

---@param options? mcp.StringOptions
---@return mcp.Type
function types.email(options) end

---@param options? mcp.StringOptions
---@return mcp.Type
function types.uuid(options) end

--------------------------------------------------------------------------------
-- What a handler may return

---@class mcp.Block    a content block
---@class mcp.Result   a whole result

---@param text string
---@return mcp.Block
function mcp.text(text) end

---@param bytes string     as they are; the server encodes them
---@param mime_type string
---@return mcp.Block
function mcp.image(bytes, mime_type) end

---@param bytes string
---@param mime_type string
---@return mcp.Block
function mcp.audio(bytes, mime_type) end

--- The bytes of a resource.
---@param bytes string
---@param mime_type? string default: as declared, else by the extension or the content
---@return mcp.Block
function mcp.blob(bytes, mime_type) end

---@class mcp.Message
---@field role "user"|"assistant"
---@field content string|mcp.Block

--- A message of a prompt.
---@param content string|mcp.Block
---@return mcp.Message
function mcp.user(content) end

---@param content string|mcp.Block
---@return mcp.Message
function mcp.assistant(content) end

---@class mcp.ResourceLink
---@field uri string
---@field name string
---@field title? string
---@field description? string
---@field mime_type? string
---@field size? integer     bytes
---@field annotations? table<string, any>
---@field icons? table[]
---@field meta? table<string, any>

---@param link mcp.ResourceLink
---@return mcp.Block
function mcp.resource_link(link) end

---@class mcp.Embedded
---@field uri string
---@field text? string      this or blob
---@field blob? string      bytes as they are
---@field mime_type? string
---@field annotations? table<string, any>
---@field meta? table<string, any>

---@param resource mcp.Embedded
---@return mcp.Block
function mcp.embedded(resource) end

---@class mcp.ResultFields
---@field content? string|mcp.Block|(string|mcp.Block)[]
---@field structured? any
---@field is_error? boolean
---@field meta? table<string, any>

---@param fields mcp.ResultFields
---@return mcp.Result
function mcp.result(fields) end

---@class mcp.HttpFields
---@field status? integer              200 to 599; default 200
---@field headers? table<string, string|string[]>
---@field body? any                    as what a route may return

--- An answer of a route with its status and headers. Of a tool, a status from 400 on
--- is a failure.
---@param answer mcp.HttpFields
---@return mcp.HttpAnswer
function mcp.http(answer) end

---@class mcp.HttpAnswer

--- Marks a table as a JSON array, also when it is empty.
---@generic T: table
---@param list? T
---@return T
function mcp.array(list) end

--- Marks a table as a JSON object, also when it is empty.
---@generic T: table
---@param map? T
---@return T
function mcp.object(map) end

--- JSON's null.
---@type lightuserdata
mcp.null = nil

---@param value any
---@return boolean
function mcp.is_null(value) end

--------------------------------------------------------------------------------
-- What outlives a call

---@alias mcp.SharedValue nil|boolean|number|string|table

--- A dictionary that every call sees, also after a reload. Values are copied in
--- and out; each method is one step that nothing comes between.
---@class mcp.Shared
local Shared = {}

---@param key string|number
---@return mcp.SharedValue value nil: there is none
function Shared:get(key) end

--- Keeps a value; nil deletes.
---@param key string|number
---@param value mcp.SharedValue
---@param ttl? number seconds, then it is gone; without, it stays
function Shared:set(key, value, ttl) end

--- Keeps a value unless there is one.
---@param key string|number
---@param value mcp.SharedValue
---@param ttl? number seconds
---@return boolean added false: there is one already
function Shared:add(key, value, ttl) end

--- Adds to a number; none counts as 0.
---@param key string|number
---@param n? number default 1
---@param ttl? number seconds, from when the number is made
---@return number value the new one
function Shared:incr(key, n, ttl) end

---@param key string|number
---@return boolean deleted was there one?
function Shared:delete(key) end

--- In byte order.
---@param prefix? string only those that begin with it
---@return string[]
function Shared:keys(prefix) end

---@class mcp.SharedOptions
---@field max_bytes? number from 1024; default 16 MiB; then the least recently used go

--- The dictionary of this name, which is made when there is none.
---@param name string 1 to 128 bytes
---@param options? mcp.SharedOptions
---@return mcp.Shared
function mcp.shared(name, options) end

--- Runs a function again and again, first so many seconds after the app was
--- loaded; never two runs of one timer at once.
---@param seconds number at least 0.001
---@param f fun(ctx: mcp.Context)
function mcp.every(seconds, f) end

--------------------------------------------------------------------------------
-- How a handler may end

---@class mcp.ProtocolError
---@field code integer
---@field message string
---@field data? any

--- Ends the call with a JSON-RPC error. Does not return, and no pcall catches it.
---@param fault mcp.ProtocolError
function mcp.protocol_error(fault) end

--- Ends the call as failed with this message.
---@param message string
function mcp.unauthorized(message) end

---@param message string
---@param scopes? string[]
function mcp.forbidden(message, scopes) end

--- Of a resource: there is none at this URI.
---@param message string
function mcp.not_found(message) end

---@param status integer    400 to 599
---@param message string
---@param body? any
function mcp.http_error(status, message, body) end

--------------------------------------------------------------------------------
-- Telling clients

--- Tells those who follow this resource that it changed; in a handler or a hook.
---@param uri string
function mcp.notify_resource_updated(uri) end

---@param list "tools"|"prompts"|"resources"
function mcp.notify_list_changed(list) end

--------------------------------------------------------------------------------
-- The request

---@alias mcp.LogLevel
---| "debug"
---| "info"
---| "notice"
---| "warning"
---| "error"
---| "critical"
---| "alert"
---| "emergency"

---@class mcp.Context
---@field deadline number    seconds that are left
---@field client { info: table?, capabilities: table?, protocol_version: string }
---@field request mcp.Request
---@field item mcp.Item
---@field arguments? table<string, string>  of a completer: those that are chosen already
---@field dep table<string, any>  dependencies, made when they are asked for
---@field input_responses? table<string, table>  what the client answered, as it came
---@field request_state? string   the state of mcp.input_required
---@field task? { id: string }    inside a task
local ctx = {}

---@class mcp.Item
---@field kind "tool"|"resource"|"prompt"
---@field name string
---@field uri? string        of a resource: what is read
---@field annotations? table

---@class mcp.Request
---@field id any
---@field method string
---@field transport "http"|"stdio"
---@field path? string
---@field query? string
---@field headers table<string, string>  names in lower case
---@field meta? table

--- Tells how far the call is; only increasing values are sent.
---@param done number
---@param total? number
---@param message? string
function ctx.progress(done, total, message) end

---@param level mcp.LogLevel
---@param data any
---@param logger? string
function ctx.log(level, data, logger) end

---@param data any
---@param logger? string
function ctx.debug(data, logger) end

---@param data any
---@param logger? string
function ctx.info(data, logger) end

---@param data any
---@param logger? string
function ctx.warning(data, logger) end

---@param data any
---@param logger? string
function ctx.error(data, logger) end

--- Waits; other calls go on.
---@param seconds number
function ctx.sleep(seconds) end

--- Has the client given up, or is the time over?
---@return boolean
function ctx.cancelled() end

--- Asks the user, by a form or at a web page. What stands before a question may run
--- again when the answer comes: see ctx.memo.
---@param question mcp.Elicit
---@return { action: "accept"|"decline"|"cancel", content: table? }
function ctx.elicit(question) end

--- Asks the client's model.
---@param question mcp.Sample
---@return mcp.Sampled
function ctx.sample(question) end

--- Asks for the client's roots.
---@param question? { key: string? }
---@return { uri: string, name: string? }[]
function ctx.roots(question) end

--- Asks several questions in one round.
---@param questions table<string, mcp.Question>
---@return table<string, any>  answers by key
function ctx.ask(questions) end

--- Computes `f()` once for all rounds of a call and keeps its value as JSON.
---@generic T
---@param key string
---@param f fun(): T
---@return T
function ctx.memo(key, f) end

--------------------------------------------------------------------------------
-- Questions to the client

---@class mcp.Elicit
---@field key? string         default "elicit-1", "elicit-2", ...
---@field message string
---@field schema? mcp.Fields|mcp.Type|table  a form: strings, numbers, booleans, choices
---@field url? string         a web page instead of a form

---@class mcp.Sample
---@field key? string         default "sample-1", "sample-2", ...
---@field prompt? string      one message of the user
---@field messages? (string|{ role: "user"|"assistant", content: any })[]
---@field system? string
---@field max_tokens? integer default 1000
---@field temperature? number
---@field stop_sequences? string[]
---@field model_preferences? table
---@field include_context? string
---@field metadata? table
---@field tools? table[]
---@field tool_choice? table

---@class mcp.Sampled
---@field role "user"|"assistant"
---@field content table       a content block, or a list of them
---@field model string
---@field stop_reason? string

---@class mcp.Question        for ctx.ask and mcp.input_required

---@param question mcp.Elicit
---@return mcp.Question
function mcp.elicit(question) end

---@param question mcp.Sample
---@return mcp.Question
function mcp.sample(question) end

---@param question? { key: string? }
---@return mcp.Question
function mcp.roots(question) end

---@class mcp.InputRequired   a result that asks

--- The result of a handler that will run again, with ctx.input_responses and
--- ctx.request_state.
---@param asked { requests: table<string, mcp.Question>?, state: string? }
---@return mcp.InputRequired
function mcp.input_required(asked) end

return mcp
