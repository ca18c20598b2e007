/*
 * arguments.c - see arguments.h
 */
#include "features/arguments.h"

#include "app/convert.h"
#include "base/json_number.h"

enum { MAX_INEXACT = 32 };

static const struct mcp_json no_arguments = {.type = MCP_JSON_OBJECT};

/* Where a walk stands: a chain from the leaf to the root. */
struct step {
    const struct step *up;
    const struct mcp_json *key; /* NULL: `index` counts */
    uint32_t index;
};

struct walk {
    const struct mcp_tool *tool;
    struct mcp_buf *problem;
    int count;
};

static void write_head(struct mcp_buf *problem, const struct mcp_tool *tool)
{
    mcp_buf_printf(problem, "Invalid arguments for tool \"%s\":", tool->name);
}

/* Writes one member name as a segment of a JSON pointer. */
static void write_segment(struct mcp_buf *out, const struct mcp_json *key)
{
    for (uint32_t i = 0; i < key->count; i++) {
        char c = key->u.text[i];

        if (c == '~')
            mcp_buf_puts(out, "~0");
        else if (c == '/')
            mcp_buf_puts(out, "~1");
        else
            mcp_buf_putc(out, c);
    }
}

static void write_path(struct mcp_buf *out, const struct step *s)
{
    if (s == NULL)
        return;
    write_path(out, s->up);
    mcp_buf_putc(out, '/');
    if (s->key != NULL)
        write_segment(out, s->key);
    else
        mcp_buf_printf(out, "%u", s->index);
}

static void tell_inexact(struct walk *w, const struct mcp_json *v,
                         const struct step *at)
{
    if (w->count == 0)
        write_head(w->problem, w->tool);
    if (w->count++ >= MAX_INEXACT)
        return;
    mcp_buf_puts(w->problem, "\n- ");
    write_path(w->problem, at);
    mcp_buf_puts(w->problem, ": ");
    mcp_buf_add(w->problem, v->u.text, v->count < 40 ? v->count : 40);
    mcp_buf_puts(w->problem, " cannot be held exactly as a number; send it as "
                             "a string");
}

/* Tells of every number in `v` that a double cannot hold. */
static void find_inexact(struct walk *w, const struct mcp_json *v,
                         const struct step *at)
{
    struct step here = {.up = at};

    if (v->type == MCP_JSON_NUMBER && !(v->flags & MCP_JSON_F_INT64) &&
        !mcp_json_number_exact_double(v))
        tell_inexact(w, v, at);
    if (v->type == MCP_JSON_ARRAY)
        for (here.index = 0; here.index < v->count; here.index++)
            find_inexact(w, &v->u.items[here.index], &here);
    if (v->type == MCP_JSON_OBJECT)
        for (uint32_t i = 0; i < v->count; i++) {
            here.key = &v->u.members[i].key;
            find_inexact(w, &v->u.members[i].value, &here);
        }
}

void mcp_arguments_write_errors(struct mcp_buf *problem,
                                const struct mcp_schema_errors *errors,
                                const char *root)
{
    for (size_t i = 0; i < errors->count; i++) {
        const struct mcp_schema_error *e = &errors->items[i];

        mcp_buf_printf(problem, "\n- %s: %s",
                       e->instance_path[0] == '\0' ? root : e->instance_path,
                       e->message);
    }
    if (errors->truncated)
        mcp_buf_puts(problem, "\n- and more");
}

static enum mcp_err explain(const struct mcp_tool *tool, enum mcp_err err,
                            const struct mcp_schema_errors *errors,
                            struct mcp_buf *problem)
{
    if (err == MCP_ENOMEM)
        return err;
    write_head(problem, tool);
    if (err == MCP_EINVAL)
        mcp_arguments_write_errors(problem, errors, "arguments");
    else
        mcp_buf_puts(problem, "\n- they are too large or too deeply nested to "
                              "be checked");
    return err;
}

/* `*args` with its values of `kind` as the handler wants them. */
static enum mcp_err convert(struct walk *w, enum mcp_convert_kind kind,
                            struct mcp_arena *a, const struct mcp_json **args)
{
    const char *path, *why;
    enum mcp_err err =
        mcp_convert_arguments(w->tool, kind, *args, a, args, &path, &why);

    if (err != MCP_EINVAL)
        return err;
    write_head(w->problem, w->tool);
    mcp_buf_printf(w->problem, "\n- %s: %s", path, why);
    return err;
}

enum mcp_err mcp_arguments_check(const struct mcp_tool *tool,
                                 const struct mcp_json *sent,
                                 struct mcp_arena *a,
                                 const struct mcp_json **out,
                                 struct mcp_buf *problem)
{
    const struct mcp_json *args = sent == NULL ? &no_arguments : sent;
    struct mcp_schema_errors errors = {0};
    struct walk w = {.tool = tool, .problem = problem};
    enum mcp_err err;

    err = convert(&w, MCP_CONVERT_INT64, a, &args);
    if (err != MCP_OK)
        return err;
    find_inexact(&w, args, NULL);
    if (w.count > 0)
        return MCP_EINVAL;
    err = mcp_schema_normalize(tool->input, args, a, &args);
    if (err == MCP_OK)
        err = mcp_schema_validate(tool->input, args, a, &errors);
    if (err == MCP_OK)
        err = mcp_schema_fill_defaults(tool->input, args, a, &args);
    if (err != MCP_OK)
        return explain(tool, err, &errors, problem);
    /* again: defaults too */
    err = convert(&w, MCP_CONVERT_INT64, a, &args);
    if (err == MCP_OK)
        err = convert(&w, MCP_CONVERT_BYTES, a, &args);
    if (err == MCP_OK)
        *out = args;
    return err;
}
