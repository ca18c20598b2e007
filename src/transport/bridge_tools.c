/*
 * bridge_tools.c - see bridge_tools.h
 */
#include "transport/bridge_tools.h"

#include "base/log.h"

enum {
    KNOWN_BYTES = 32 * 1024 * 1024, /* all mirrored tools together  */
    TOOL_BYTES = 8 * 1024 * 1024,   /* while one is looked at       */
    WHY_BYTES = 256,
};

struct mcp_bridge_tool {
    struct mcp_bridge_tool *next;
    const char *name;
    size_t name_len;
    struct mcp_mirrors mirrors;
};

void mcp_bridge_tools_clear(struct mcp_bridge_tools *t)
{
    mcp_arena_free(t->arena);
    t->arena = NULL;
    t->first = NULL;
}

/* The mirrors of a tool as tools/list has it; all in `a`. */
static enum mcp_err find_mirrors(struct mcp_arena *a,
                                 const struct mcp_json *tool,
                                 struct mcp_mirrors *out, char *why)
{
    const struct mcp_json *name = mcp_json_find(tool, "name");
    const struct mcp_json *schema = mcp_json_find(tool, "inputSchema");
    struct mcp_tool as_declared = {.input_tree = schema};

    *why = '\0';
    if (!mcp_json_is(name, MCP_JSON_STRING) ||
        !mcp_json_is(schema, MCP_JSON_OBJECT)) {
        *out = (struct mcp_mirrors){0};
        return MCP_OK; /* that is for the client to judge */
    }
    as_declared.name = mcp_arena_dup(a, name->u.text, name->count);
    if (as_declared.name == NULL)
        return MCP_ENOMEM;
    return mcp_mirrors_find(&as_declared, a, out, why, WHY_BYTES);
}

/* Is there anything to remember of the tool? */
static bool is_mirrored(struct mcp_arena *scratch, const struct mcp_json *tool)
{
    struct mcp_mirrors mirrors = {0};
    char why[WHY_BYTES];
    bool found;

    found = find_mirrors(scratch, tool, &mirrors, why) == MCP_OK &&
            mirrors.count > 0;
    mcp_arena_reset(scratch);
    return found;
}

/* A copy of `v` in the arena: the page goes away. */
static const struct mcp_json *copy(struct mcp_arena *a,
                                   const struct mcp_json *v)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    const struct mcp_json *tree = NULL;
    const char *text = NULL;
    struct mcp_buf b;

    mcp_buf_init(&b, KNOWN_BYTES);
    mcp_json_write(&b, v);
    if (!b.failed)
        text = mcp_arena_dup(a, b.data, b.len);
    if (text != NULL &&
        mcp_json_parse(a, text, b.len, &options, &tree, NULL) != MCP_OK)
        tree = NULL;
    mcp_buf_free(&b);
    return tree;
}

static enum mcp_err remember(struct mcp_bridge_tools *t,
                             const struct mcp_json *tool)
{
    struct mcp_bridge_tool *known = mcp_arena_alloc(t->arena, sizeof(*known));
    const struct mcp_json *own = copy(t->arena, tool), *name;
    char why[WHY_BYTES];

    if (known == NULL || own == NULL)
        return MCP_ENOMEM;
    name = mcp_json_find(own, "name");
    known->name = name->u.text;
    known->name_len = name->count;
    if (find_mirrors(t->arena, own, &known->mirrors, why) != MCP_OK)
        return MCP_ENOMEM;
    known->next = t->first;
    t->first = known;
    return MCP_OK;
}

enum mcp_err mcp_bridge_tools_add(struct mcp_bridge_tools *t,
                                  const struct mcp_json *result)
{
    const struct mcp_json *tools = mcp_json_find(result, "tools");
    struct mcp_arena *scratch;
    enum mcp_err rc = MCP_OK;

    if (!mcp_json_is(tools, MCP_JSON_ARRAY))
        return MCP_EINVAL;
    if (t->arena == NULL)
        t->arena = mcp_arena_new(KNOWN_BYTES);
    scratch = mcp_arena_new(TOOL_BYTES);
    if (t->arena == NULL || scratch == NULL)
        rc = MCP_ENOMEM;
    for (uint32_t i = 0; rc == MCP_OK && i < tools->count; i++)
        if (is_mirrored(scratch, &tools->u.items[i]))
            rc = remember(t, &tools->u.items[i]);
    mcp_arena_free(scratch);
    return rc;
}

const struct mcp_mirrors *
mcp_bridge_tools_find(const struct mcp_bridge_tools *t, const char *text,
                      size_t len)
{
    for (const struct mcp_bridge_tool *k = t->first; k != NULL; k = k->next)
        if (k->name_len == len && memcmp(k->name, text, len) == 0)
            return &k->mirrors;
    return NULL;
}

/* ---- the client's list -------------------------------------------------- */

static bool is_wrong(struct mcp_arena *scratch, const struct mcp_json *tool,
                     bool tell)
{
    struct mcp_mirrors mirrors;
    char why[WHY_BYTES];
    bool wrong = find_mirrors(scratch, tool, &mirrors, why) == MCP_EINVAL;

    mcp_arena_reset(scratch);
    if (wrong && tell)
        mcp_log(MCP_LOG_WARNING, "bridge", "left out of tools/list: %s", why);
    return wrong;
}

static void write_tools(struct mcp_buf *out, struct mcp_arena *scratch,
                        const struct mcp_json *tools)
{
    bool first = true;

    mcp_buf_putc(out, '[');
    for (uint32_t i = 0; i < tools->count; i++) {
        if (is_wrong(scratch, &tools->u.items[i], true))
            continue;
        if (!first)
            mcp_buf_putc(out, ',');
        first = false;
        mcp_json_write(out, &tools->u.items[i]);
    }
    mcp_buf_putc(out, ']');
}

/* Writes `v`, with `tools` (somewhere in it) without the wrong ones. */
static void write_around(struct mcp_buf *out, struct mcp_arena *scratch,
                         const struct mcp_json *v, const struct mcp_json *tools,
                         unsigned depth)
{
    if (v == tools) {
        write_tools(out, scratch, tools);
        return;
    }
    if (depth == 0 || v->type != MCP_JSON_OBJECT) {
        mcp_json_write(out, v);
        return;
    }
    mcp_buf_putc(out, '{');
    for (uint32_t i = 0; i < v->count; i++) {
        if (i > 0)
            mcp_buf_putc(out, ',');
        mcp_json_write(out, &v->u.members[i].key);
        mcp_buf_putc(out, ':');
        write_around(out, scratch, &v->u.members[i].value, tools, depth - 1);
    }
    mcp_buf_putc(out, '}');
}

bool mcp_bridge_tools_filter(struct mcp_buf *out, const struct mcp_json *answer)
{
    const struct mcp_json *tools =
        mcp_json_find(mcp_json_find(answer, "result"), "tools");
    struct mcp_arena *scratch;
    bool any = false;

    if (!mcp_json_is(tools, MCP_JSON_ARRAY))
        return false;
    scratch = mcp_arena_new(TOOL_BYTES);
    if (scratch == NULL)
        return false;
    for (uint32_t i = 0; i < tools->count && !any; i++)
        any = is_wrong(scratch, &tools->u.items[i], false);
    if (any) /* response, result, tools */
        write_around(out, scratch, answer, tools, 2);
    mcp_arena_free(scratch);
    return any;
}
