/*
 * arguments.c - see arguments.h
 */
#include "features/arguments.h"

#include "app/convert.h"
#include "base/json_number.h"

enum { MAX_INEXACT = 32, PATH_MAX_BYTES = 64 << 10 };

static const struct mcp_json no_arguments = {.type = MCP_JSON_OBJECT};

/* Where a walk stands: a chain from the leaf to the root. */
struct step {
    const struct step *up;
    const struct mcp_json *key; /* NULL: `index` counts */
    uint32_t index;
};

struct walk {
    const struct mcp_tool *tool;
    const struct mcp_arguments_report *report;
    struct mcp_arena *a;
    bool nested; /* the fields of `data` came inside it       */
    int count;   /* of numbers that a double cannot hold      */
};

static bool is_outside(const struct mcp_tool *tool, const char *name,
                       size_t len)
{
    for (size_t i = 0; i < tool->outside_count; i++)
        if (strlen(tool->outside[i]) == len &&
            memcmp(tool->outside[i], name, len) == 0)
            return true;
    return false;
}

/* Tells what is wrong at `path`, as the peer would say it. */
static void tell(struct walk *w, const char *path, const char *keyword,
                 const char *message)
{
    const char *real = path;

    if (w->nested && path[0] == '/' &&
        !is_outside(w->tool, path + 1, strcspn(path + 1, "/")))
        real = mcp_arena_printf(w->a, "/data%s", path);
    w->report->tell(w->report->user, real != NULL ? real : path, keyword,
                    message);
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
    struct mcp_buf path, message;

    if (w->count++ >= MAX_INEXACT)
        return;
    mcp_buf_init(&path, PATH_MAX_BYTES);
    mcp_buf_init(&message, 256);
    write_path(&path, at);
    mcp_buf_add(&message, v->u.text, v->count < 40 ? v->count : 40);
    mcp_buf_puts(&message, " cannot be held exactly as a number; send it as "
                           "a string");
    mcp_buf_putc(&path, '\0');
    mcp_buf_putc(&message, '\0');
    tell(w, path.failed ? "" : path.data, NULL,
         message.failed ? "a number is too long" : message.data);
    mcp_buf_free(&path);
    mcp_buf_free(&message);
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

static enum mcp_err explain(struct walk *w, enum mcp_err err,
                            const struct mcp_schema_errors *errors)
{
    if (err == MCP_EINVAL) {
        for (size_t i = 0; i < errors->count; i++)
            tell(w, errors->items[i].instance_path, errors->items[i].keyword,
                 errors->items[i].message);
        if (errors->truncated)
            w->report->tell(w->report->user, NULL, NULL, "and more");
    } else if (err != MCP_ENOMEM) {
        w->report->tell(w->report->user, NULL, NULL,
                        "they are too large or too deeply nested to be "
                        "checked");
    }
    return err;
}

/* `*args` with its values of `kind` as the handler wants them. */
static enum mcp_err convert(struct walk *w, enum mcp_convert_kind kind,
                            const struct mcp_json **args)
{
    const char *path, *why;
    enum mcp_err err =
        mcp_convert_arguments(w->tool, kind, *args, w->a, args, &path, &why);

    if (err == MCP_EINVAL)
        tell(w, path, NULL, why);
    return err;
}

/* ---- data ---- */

static struct mcp_json_member *new_members(struct mcp_arena *a, size_t count)
{
    return mcp_arena_alloc(a, (count + 1) * sizeof(struct mcp_json_member));
}

static const struct mcp_json *new_object(struct mcp_arena *a,
                                         const struct mcp_json_member *members,
                                         uint32_t count)
{
    struct mcp_json *v = mcp_arena_alloc(a, sizeof(*v));

    if (v != NULL)
        *v = (struct mcp_json){
            .type = MCP_JSON_OBJECT, .count = count, .u.members = members};
    return v;
}

/* May `data`, an object, stand beside all the others in `args`? */
static bool check_nested(struct walk *w, const struct mcp_json *args,
                         const struct mcp_json *data)
{
    const struct mcp_arguments_report *to = w->report;

    for (uint32_t i = 0; i < args->count; i++) {
        const struct mcp_json *key = &args->u.members[i].key;

        if (mcp_json_equals_string(key, "data") ||
            is_outside(w->tool, key->u.text, key->count))
            continue;
        to->tell(to->user, "/data", NULL,
                 "is given beside arguments that belong into it; send all of "
                 "them inside data, or none");
        return false;
    }
    for (uint32_t i = 0; i < data->count; i++) {
        const struct mcp_json *key = &data->u.members[i].key;

        if (!is_outside(w->tool, key->u.text, key->count))
            continue;
        to->tell(to->user, "/data", NULL,
                 "has an argument that belongs beside data");
        return false;
    }
    return true;
}

/* Takes the fields of `data` out of it, to where the schema has them. */
static enum mcp_err open_data(struct walk *w, const struct mcp_json **args)
{
    const struct mcp_json *sent = *args, *data = mcp_json_find(sent, "data");
    bool is_object = mcp_json_is(data, MCP_JSON_OBJECT);
    struct mcp_json_member *to;
    uint32_t n = 0;

    if (!w->tool->has_data || data == NULL)
        return MCP_OK;
    if (!is_object && data->type != MCP_JSON_NULL) {
        w->report->tell(w->report->user, "/data", "type", "must be an object");
        return MCP_EINVAL;
    }
    if (is_object && !check_nested(w, sent, data))
        return MCP_EINVAL;
    to = new_members(w->a, (size_t)sent->count + data->count);
    if (to == NULL)
        return MCP_ENOMEM;
    for (uint32_t i = 0; i < sent->count; i++)
        if (!mcp_json_equals_string(&sent->u.members[i].key, "data"))
            to[n++] = sent->u.members[i];
    for (uint32_t i = 0; is_object && i < data->count; i++)
        to[n++] = data->u.members[i];
    w->nested = is_object;
    *args = new_object(w->a, to, n);
    return *args != NULL ? MCP_OK : MCP_ENOMEM;
}

/* Makes one table `data` of all that is not beside it. */
static enum mcp_err gather_data(struct walk *w, const struct mcp_json **args)
{
    const struct mcp_json key = {
        .type = MCP_JSON_STRING, .count = 4, .u.text = "data"};
    const struct mcp_json *sent = *args, *data;
    struct mcp_json_member *beside, *inside;
    uint32_t n = 0, m = 0;

    if (!w->tool->has_data)
        return MCP_OK;
    beside = new_members(w->a, (size_t)sent->count + 1);
    inside = new_members(w->a, sent->count);
    if (beside == NULL || inside == NULL)
        return MCP_ENOMEM;
    for (uint32_t i = 0; i < sent->count; i++) {
        const struct mcp_json *name = &sent->u.members[i].key;

        if (is_outside(w->tool, name->u.text, name->count))
            beside[n++] = sent->u.members[i];
        else
            inside[m++] = sent->u.members[i];
    }
    data = new_object(w->a, inside, m);
    if (data == NULL)
        return MCP_ENOMEM;
    beside[n++] = (struct mcp_json_member){.key = key, .value = *data};
    *args = new_object(w->a, beside, n);
    return *args != NULL ? MCP_OK : MCP_ENOMEM;
}

/* ---- the whole ---- */

static enum mcp_err check(struct walk *w, const struct mcp_json **args)
{
    const struct mcp_schema *schema = w->tool->input;
    struct mcp_schema_errors errors = {0};
    enum mcp_err err;

    find_inexact(w, *args, NULL);
    if (w->count > 0)
        return MCP_EINVAL;
    err = mcp_schema_normalize(schema, *args, w->a, args);
    if (err == MCP_OK)
        err = mcp_schema_validate(schema, *args, w->a, &errors);
    if (err == MCP_OK)
        err = mcp_schema_fill_defaults(schema, *args, w->a, args);
    return err == MCP_OK ? err : explain(w, err, &errors);
}

enum mcp_err mcp_arguments_examine(const struct mcp_tool *tool,
                                   const struct mcp_json *sent,
                                   struct mcp_arena *a,
                                   const struct mcp_json **out,
                                   const struct mcp_arguments_report *report)
{
    const struct mcp_json *args = sent == NULL ? &no_arguments : sent;
    struct walk w = {.tool = tool, .report = report, .a = a};
    enum mcp_err err = open_data(&w, &args);

    if (err == MCP_OK)
        err = convert(&w, MCP_CONVERT_INT64, &args);
    if (err == MCP_OK)
        err = check(&w, &args);
    if (err == MCP_OK) /* again: defaults too */
        err = convert(&w, MCP_CONVERT_INT64, &args);
    if (err == MCP_OK)
        err = convert(&w, MCP_CONVERT_BYTES, &args);
    if (err == MCP_OK)
        err = gather_data(&w, &args);
    if (err == MCP_OK)
        *out = args;
    return err;
}

/* A text for the model that grows. */
struct text {
    const struct mcp_tool *tool;
    struct mcp_buf *out;
    bool begun;
};

static void add_line(void *user, const char *path, const char *keyword,
                     const char *message)
{
    struct text *t = user;

    (void)keyword;
    if (!t->begun)
        mcp_buf_printf(t->out, "Invalid arguments for %s \"%s\":",
                       mcp_kind_name(t->tool->handler.kind), t->tool->name);
    t->begun = true;
    if (path == NULL)
        mcp_buf_printf(t->out, "\n- %s", message);
    else
        mcp_buf_printf(t->out, "\n- %s: %s",
                       path[0] == '\0' ? "arguments" : path, message);
}

enum mcp_err mcp_arguments_check(const struct mcp_tool *tool,
                                 const struct mcp_json *sent,
                                 struct mcp_arena *a,
                                 const struct mcp_json **out,
                                 struct mcp_buf *problem)
{
    struct text text = {.tool = tool, .out = problem};
    const struct mcp_arguments_report report = {add_line, &text};

    return mcp_arguments_examine(tool, sent, a, out, &report);
}
