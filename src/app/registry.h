/*
 * registry.h - what the app offers, one immutable generation at a time
 *
 * Loading an app fills a builder. Publishing turns the builder into the next
 * generation and makes it current in one step; nothing can change it later,
 * because no function here takes a published generation to write to. A call
 * acquires the current generation, works on it, and releases it. A reload
 * therefore never disturbs a running call, and no call sees parts of two
 * versions of an app.
 *
 *     builder --publish--> generation N (current) --last release--> freed
 *
 * Layer:  app. Uses base/config, base/err, base/json, base/schema. No Lua.
 * Thread: a builder belongs to the thread that made it; all else is any.
 */
#ifndef MCP_APP_REGISTRY_H
#define MCP_APP_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/err.h"
#include "base/json.h"
#include "base/schema.h"

/* What one parameter of a handler receives. */
enum mcp_bind_kind {
    MCP_BIND_ARGUMENT, /* the argument of that name; nil when absent */
    MCP_BIND_ARGS,     /* the whole argument table                   */
    MCP_BIND_CTX,      /* the request context                        */
};

struct mcp_bind {
    enum mcp_bind_kind kind;
    const char *name;
};

enum mcp_kind {
    MCP_KIND_TOOL,
    MCP_KIND_RESOURCE, /* at one URI, or at those of a template          */
    MCP_KIND_PROMPT,
    MCP_KIND_COMPLETER,    /* of one argument or one variable: f(value, ctx) */
    MCP_KIND_SKILL_SOURCE, /* tells of skills: f(args, ctx)               */
    MCP_KIND_SKILL_READER, /* gives the content of a skill's file         */
    MCP_KIND_TIMER,        /* every so many seconds: f(ctx)                  */
    MCP_KIND_ROUTE,        /* over plain HTTP                                */
};

/* What runs in Lua for one declared thing. */
struct mcp_handler {
    enum mcp_kind kind;
    const char *name; /* for messages; unique in its kind: a tool's or a
                         prompt's name, a resource's URI or template, "ARGUMENT
                         of prompt NAME", "VARIABLE of resource TEMPLATE",
                         "app.lua:12" of a timer, "GET /items"            */
    const struct mcp_bind *binds; /* what the parameters receive, in order */
    size_t bind_count;
    double timeout_s; /* 0: call_timeout                       */
    size_t slot;      /* place of the function in every Lua state of the
                         generation, from 1; 0: there is none                   */
};

/* A form that the handler gets an argument in, other than JSON's own. */
enum mcp_convert_kind {
    MCP_CONVERT_INT64, /* int64_t, all digits kept    */
    MCP_CONVERT_BYTES, /* what its base64 text encodes */
};

/* Which values: a path of member names from the arguments; NULL in the place
 * of a name stands for every item or member. */
struct mcp_convert {
    enum mcp_convert_kind kind;
    const char *const *path;
    size_t depth;
};

/* May, or must, the tool run as a task? (features/task.h) */
enum mcp_task_use { MCP_TASK_NEVER, MCP_TASK_OPTIONAL, MCP_TASK_REQUIRED };

struct mcp_tool_task {
    enum mcp_task_use use;
    bool input_first; /* questions are asked before there is a task         */
    bool retry;       /* after a crash it runs again, from the top          */
};

/* One declared tool. Strings live in the generation; JSON texts are compact,
 * valid, and kept in the author's order. NULL: not given. */
struct mcp_tool {
    const char *name;
    const char *title, *description;
    const char *annotations, *icons, *meta; /* JSON objects; array */
    const char *input_schema;               /* JSON, always there  */
    const char *output_schema;              /* JSON or NULL        */
    const char *file;                       /* where declared ...  */
    int line;                               /* ... 0 when unknown  */
    bool assert_format;
    struct mcp_tool_task task;
    struct mcp_handler handler; /* kind, name and slot: by the builder */
    const struct mcp_convert *converts;
    size_t convert_count;

    /* Of a route with a body, and of a tool that is one: the handler has a
     * parameter `data`, a table of all arguments but those in `outside`. The
     * schema lists its fields beside them. */
    bool has_data;
    const char *const *outside;
    size_t outside_count;

    /* filled by mcp_builder_add_tool() */
    const struct mcp_json *input_tree, *output_tree; /* parsed schemas      */
    struct mcp_schema *input, *output;               /* compiled            */
    size_t index;                                    /* place in the list */
};

/* What may stand for one argument of a prompt or one variable of a template. */
struct mcp_completer {
    const char *argument;
    const char *const *values; /* a fixed list; value_count 0: none      */
    size_t value_count;
    struct mcp_handler handler; /* slot 0: none                          */
};

/* How long clients may keep an answer; -1: the server's default. */
struct mcp_cache_hint {
    int64_t ttl_ms;
    int scope; /* enum mcp_cache_scope */
};

/* One declared resource, or all those of a URI template (RFC 6570). */
struct mcp_resource {
    const char *uri; /* as declared: a URI or a template                 */
    const struct mcp_uri_template *uri_template; /* NULL: `uri` is exact  */
    const char *name;                            /* always there          */
    const char *title, *description, *mime_type;
    const char *annotations, *icons, *meta; /* JSON objects; array       */
    int64_t size_bytes; /* -1: not told; known when the content is       */
    struct mcp_cache_hint cache;
    const char *file;
    int line;

    /* Content: of a handler, or (handler.slot 0) these bytes. */
    struct mcp_handler handler;
    const char *content;
    size_t content_len;
    bool is_blob; /* goes out as base64                                  */

    const struct mcp_completer *completers; /* of variables              */
    size_t completer_count;
    size_t route; /* the route that it is, from 1; 0: none               */
    size_t index; /* place in the list of its kind (exact or template)   */
};

struct mcp_prompt_argument {
    const char *name, *title, *description;
    const char *initial; /* the default; NULL: none                      */
    bool required;
};

struct mcp_prompt {
    const char *name; /* "prefix/name" in a controller                   */
    const char *title, *description, *icons, *meta;
    const char *instructions; /* of its controller; NULL: none           */
    const struct mcp_prompt_argument *arguments;
    size_t argument_count;
    bool has_arguments; /* false: any are taken, as bare names say: those in
                           `arguments` and, as the handler has `args`, all
                           others                                        */
    const char *file;
    int line;
    struct mcp_handler handler;
    const struct mcp_completer *completers;
    size_t completer_count;
    size_t route; /* as of a resource                                    */
    size_t index;
};

enum mcp_path_kind {
    MCP_PATH_LITERAL,
    MCP_PATH_STR, /* one segment                     */
    MCP_PATH_INT,
    MCP_PATH_NUMBER,
    MCP_PATH_UUID,
    MCP_PATH_REST, /* this segment and all behind it: type `path` */
};

/* One segment of a route's path. */
struct mcp_path_part {
    enum mcp_path_kind kind;
    const char *text; /* the literal, not percent-encoded; else the name of
                         the argument                                    */
};

/* What answers one method of plain HTTP on one path. */
struct mcp_route {
    const char *name;   /* "GET /items/{item_id:int}"                    */
    const char *method; /* "GET", ... in capitals                        */
    const char *path;   /* as declared, with the prefixes of its groups  */
    const struct mcp_path_part *parts; /* none: "/"                      */
    size_t part_count;
    int status;                /* of a success; 0: 200, or 204 of nothing    */
    const char *mime_type;     /* of a success; NULL: by its value           */
    const char *tags;          /* JSON array or NULL                         */
    struct mcp_tool signature; /* texts, schemas, converts, handler; its name
                                  is the route's                         */
    size_t index;              /* place in order of declaration          */
};

/* What runs again and again while its generation is the current one. */
struct mcp_timer {
    const char *name; /* where it was declared: "app.lua:12"              */
    double seconds;   /* from one start to the next                       */
    struct mcp_handler handler;
};

/* One file of a skill that is declared in code, besides its SKILL.md. */
struct mcp_skill_decl_file {
    const char *path;  /* within the skill */
    const char *bytes; /* len of them      */
    size_t len;
    const char *mime_type; /* NULL: not told */
};

/* A skill that is declared in code. */
struct mcp_skill_decl {
    const char *prefix; /* "acme/billing"; "": none */
    const char *text;   /* its SKILL.md             */
    size_t text_len;
    const struct mcp_skill_decl_file *files;
    size_t file_count;
    const char *file; /* where it is declared */
    int line;
};

/* A folder of skills. */
struct mcp_skill_decl_folder {
    const char *path; /* as it can be opened */
    const char *prefix;
};

enum mcp_skill_op {
    MCP_SKILL_OP_LIST,  /* args: op "list", or "files" and uri */
    MCP_SKILL_OP_GET,   /* args: uri                           */
    MCP_SKILL_OP_READ,  /* the same; MCP_KIND_SKILL_READER     */
    MCP_SKILL_OP_GUARD, /* the same: raises when a skill that the host keeps is
                           not for the caller */
};

/* One function of a source of skills; each source has one of each, and
 * MCP_SKILL_OP_GUARD belongs to none. */
struct mcp_skill_source {
    const char *name; /* "get (app.lua:12)" */
    enum mcp_skill_op op;
    const char *prefix; /* of all its skills; "": any */
    struct mcp_handler handler;
};

struct mcp_skill_index; /* of the features */

/* What mcp.skills and its like declare. */
struct mcp_skills_declared {
    bool declared;       /* anything at all                      */
    bool hidden;         /* its files are not in resources/list  */
    bool no_directories; /* resources/directory/read is not there */
    uint32_t max_files;  /* of one skill; 0: the usual           */
    uint64_t max_bytes;
    struct mcp_cache_hint cache;
    const struct mcp_skill_decl_folder *folders; /* in order */
    size_t folder_count;
    const struct mcp_skill_decl *codes; /* in order */
    size_t code_count;
    const struct mcp_skill_source *sources; /* in order */
    size_t source_count;
    /* What the features read when they prepared it; goes with `prepared`. */
    const struct mcp_skill_index *index;
};

struct mcp_generation {
    uint64_t number;                 /* 1, 2, ...                           */
    const struct mcp_config *config; /* base options + mcp.server{}; OWNED  */
    struct mcp_skills_declared skills;
    const struct mcp_tool *tools; /* in declaration order                */
    size_t tool_count;
    const struct mcp_resource *resources; /* with exact URIs, in order      */
    size_t resource_count;
    const struct mcp_resource *templates; /* in order of declaration        */
    size_t template_count;
    const struct mcp_prompt *prompts;
    size_t prompt_count;
    const struct mcp_timer *timers;
    size_t timer_count;
    const struct mcp_route *routes; /* in order of declaration              */
    size_t route_count;
    size_t handler_count; /* slots 1 .. handler_count are in use            */

    /* What the features prepare before publishing (prebuilt lists); freed by
     * prepared_free with the generation. */
    const struct mcp_resource *builtins;  /* listed before the app's own     */
    size_t builtin_count, builtin_listed; /* the first of them are listed   */
    void *prepared;
    void (*prepared_free)(void *prepared);

    /* The Lua states of this generation (app/slots.h); freed by lua_free. */
    void *lua;
    void (*lua_free)(void *lua);
};

struct mcp_builder;
struct mcp_registry;
struct mcp_uri_template; /* base/uri_template.h */

void mcp_builder_free(struct mcp_builder *b);

/* An empty builder. `config` is TAKEN. OWNED. NULL: out of memory. */
struct mcp_builder *mcp_builder_new(struct mcp_config *config)
    MCP_OWNED(mcp_builder_free) MCP_MUST_USE;

/* Adds a deep copy of `tool`: checks its name (1..128 of [A-Za-z0-9_.-]),
 * parses and compiles its schemas, checks that every MCP_BIND_ARGUMENT is one
 * of the input schema's properties when it has any.
 * Errors, each with a one-line `message`: MCP_EEXIST the name is taken (the
 * message has both places); MCP_EINVAL name, schema or bind wrong; MCP_ENOMEM.
 * The builder stays usable after any of them. */
enum mcp_err mcp_builder_add_tool(struct mcp_builder *b,
                                  const struct mcp_tool *tool, char *message,
                                  size_t message_size) MCP_MUST_USE;

/* Adds a deep copy of `resource`, which is at exactly one URI: checks that the
 * URI is absolute and no template, the texts, the MIME type, the static content
 * (UTF-8 unless it is a blob; at most max_blob_bytes). Its handler, if any, has
 * no arguments of its own. Errors as above; the same URI twice is MCP_EEXIST.
 */
enum mcp_err mcp_builder_add_resource(struct mcp_builder *b,
                                      const struct mcp_resource *resource,
                                      char *message,
                                      size_t message_size) MCP_MUST_USE;

/* The same for all resources of the template in `resource->uri`, which is
 * parsed here (`uri_template` is not read). It has a handler; every
 * MCP_BIND_ARGUMENT and every completer is about one of its variables. */
enum mcp_err mcp_builder_add_template(struct mcp_builder *b,
                                      const struct mcp_resource *resource,
                                      char *message,
                                      size_t message_size) MCP_MUST_USE;

/* Adds a deep copy of `prompt`: checks its name (1..128 of [A-Za-z0-9_./-]),
 * its arguments (no name twice, none called args or ctx), that every
 * MCP_BIND_ARGUMENT (when has_arguments) and every completer is about one of
 * them. Errors as above. */
enum mcp_err mcp_builder_add_prompt(struct mcp_builder *b,
                                    const struct mcp_prompt *prompt,
                                    char *message,
                                    size_t message_size) MCP_MUST_USE;

/* Adds a deep copy of `timer`; its period is at least MCP_TIMER_MIN_S. Errors
 * as above. */
#define MCP_TIMER_MIN_S 0.001
enum mcp_err mcp_builder_add_timer(struct mcp_builder *b,
                                   const struct mcp_timer *timer, char *message,
                                   size_t message_size) MCP_MUST_USE;

/* Adds a deep copy of `route`: as mcp_builder_add_tool(), and checks method,
 * path, status and MIME type, and that its schema has every argument of its
 * path. MCP_EEXIST as well when another route of that method matches the same
 * paths. `name` is not read. */
enum mcp_err mcp_builder_add_route(struct mcp_builder *b,
                                   const struct mcp_route *route, char *message,
                                   size_t message_size) MCP_MUST_USE;

/* Sets the options of skills: all members of `options` but the lists. */
void mcp_builder_set_skills(struct mcp_builder *b,
                            const struct mcp_skills_declared *options);

/* Add deep copies; with the first of any of them skills are declared. Errors as
 * above. */
enum mcp_err
mcp_builder_add_skill_folder(struct mcp_builder *b,
                             const struct mcp_skill_decl_folder *folder,
                             char *message, size_t message_size) MCP_MUST_USE;
enum mcp_err mcp_builder_add_skill(struct mcp_builder *b,
                                   const struct mcp_skill_decl *skill,
                                   char *message,
                                   size_t message_size) MCP_MUST_USE;
enum mcp_err mcp_builder_add_skill_source(struct mcp_builder *b,
                                          const struct mcp_skill_source *source,
                                          char *message,
                                          size_t message_size) MCP_MUST_USE;

/* The config being filled by this load; BORROWED. */
struct mcp_config *mcp_builder_config(struct mcp_builder *b);

/* What is in the builder so far, as a generation (number 0); BORROWED until
 * the next add. The load of further states follows it. */
struct mcp_generation *mcp_builder_view(struct mcp_builder *b);

/* The handler in `slot` (1 .. handler_count). Cannot fail. */
const struct mcp_handler *
mcp_generation_handler(const struct mcp_generation *gen, size_t slot);

/* "tool", ... */
const char *mcp_kind_name(enum mcp_kind kind);

void mcp_registry_free(struct mcp_registry *reg);
struct mcp_registry *mcp_registry_new(void)
    MCP_OWNED(mcp_registry_free) MCP_MUST_USE;

/* Makes `b` the current generation and returns its number. `b` is TAKEN.
 * Cannot fail: all memory was reserved while building. */
uint64_t mcp_registry_publish(struct mcp_registry *reg, struct mcp_builder *b);

/* The current generation as a REF: pair with mcp_generation_release(). NULL
 * before the first publish. */
const struct mcp_generation *mcp_registry_acquire(struct mcp_registry *reg);
void mcp_generation_release(const struct mcp_generation *gen);
/* One more REF to a held generation. */
void mcp_generation_retain(const struct mcp_generation *gen);

/* The tool named name[0..len), or NULL. O(1). */
const struct mcp_tool *
mcp_generation_find_tool(const struct mcp_generation *gen, const char *name,
                         size_t len);

/* The resource declared with exactly the URI uri[0..len), or NULL; templates
 * are not looked at. O(1). */
const struct mcp_resource *
mcp_generation_find_resource(const struct mcp_generation *gen, const char *uri,
                             size_t len);

/* The template whose text is text[0..len) ("notes://{id}"), or NULL. O(1). */
const struct mcp_resource *
mcp_generation_find_template(const struct mcp_generation *gen, const char *text,
                             size_t len);

/* The prompt named name[0..len), or NULL. O(1). */
const struct mcp_prompt *
mcp_generation_find_prompt(const struct mcp_generation *gen, const char *name,
                           size_t len);

/* The function of a source of skills called name[0..len), or NULL. O(1). */
const struct mcp_skill_source *
mcp_generation_find_skill_source(const struct mcp_generation *gen,
                                 const char *name, size_t len);

/* The timer declared at name[0..len), or NULL. O(1). */
const struct mcp_timer *
mcp_generation_find_timer(const struct mcp_generation *gen, const char *name,
                          size_t len);

/* The route named name[0..len) ("GET /items"), or NULL. O(1). */
const struct mcp_route *
mcp_generation_find_route(const struct mcp_generation *gen, const char *name,
                          size_t len);

#endif
