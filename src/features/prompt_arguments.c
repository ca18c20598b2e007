/*
 * prompt_arguments.c - see prompt_arguments.h
 */
#include "features/prompt_arguments.h"

#include "base/suggest.h"
#include "features/shorten.h"
#include "features/unknown.h"

enum { MAX_NAMED = 100 }; /* wrong names of one sort that are told */

/* One sort of mistakes, as it is being told. */
struct told {
    const char *lead, *member; /* in the message, in the data */
    struct mcp_buf *message, *data;
    size_t count;
};

static void tell(struct told *t, const char *name, uint32_t len,
                 const char *near)
{
    const char *separator = t->count == 0 ? t->lead : ", ";

    if (t->count++ >= MAX_NAMED) {
        if (t->count == MAX_NAMED + 1)
            mcp_buf_puts(t->message, ", and more");
        return;
    }
    mcp_buf_printf(t->message, "%s\"%.*s\"", separator, (int)len, name);
    if (near != NULL)
        mcp_buf_printf(t->message, " (did you mean \"%s\"?)", near);
    if (t->count == 1)
        mcp_buf_printf(t->data, ",\"%s\":[", t->member);
    else
        mcp_buf_putc(t->data, ',');
    mcp_json_write_string(t->data, name, len);
}

/* True: nothing of this sort was wrong. */
static bool end_telling(struct told *t)
{
    if (t->count == 0)
        return true;
    mcp_buf_putc(t->message, ';');
    mcp_buf_putc(t->data, ']');
    return false;
}

static const struct mcp_prompt_argument *
find_declared(const struct mcp_prompt *prompt, const struct mcp_json *name)
{
    for (size_t i = 0; i < prompt->argument_count; i++)
        if (mcp_json_equals_string(name, prompt->arguments[i].name))
            return &prompt->arguments[i];
    return NULL;
}

/* The value sent for `name`; NULL: none, or null. */
static const struct mcp_json *find_sent(const struct mcp_json *sent,
                                        const char *name)
{
    const struct mcp_json *v = mcp_json_find(sent, name);

    return mcp_json_is(v, MCP_JSON_NULL) ? NULL : v;
}

static const char *nearest(const struct mcp_prompt *prompt,
                           const struct mcp_json *name, struct mcp_arena *a)
{
    size_t count = prompt->argument_count;
    const char **names = mcp_arena_alloc(a, count * sizeof(*names));

    if (names == NULL || name->count > MCP_SUGGEST_MAX_NAME)
        return NULL;
    for (size_t i = 0; i < count; i++)
        names[i] = prompt->arguments[i].name;
    return mcp_suggest(name->u.text, name->count, names, count);
}

static bool tell_missing(const struct mcp_prompt *prompt,
                         const struct mcp_json *sent, struct told *t)
{
    for (size_t i = 0; i < prompt->argument_count; i++) {
        const struct mcp_prompt_argument *d = &prompt->arguments[i];

        if (d->required && find_sent(sent, d->name) == NULL)
            tell(t, d->name, (uint32_t)strlen(d->name), NULL);
    }
    return end_telling(t);
}

static bool tell_unknown(const struct mcp_prompt *prompt,
                         const struct mcp_json *sent, struct mcp_arena *a,
                         struct told *t)
{
    uint32_t count = sent == NULL || !prompt->has_arguments ? 0 : sent->count;

    for (uint32_t i = 0; i < count; i++) {
        const struct mcp_json *key = &sent->u.members[i].key;

        if (find_declared(prompt, key) == NULL)
            tell(t, key->u.text, mcp_shorten(key, MCP_NAME_SHOWN_BYTES),
                 t->count < MAX_NAMED ? nearest(prompt, key, a) : NULL);
    }
    return end_telling(t);
}

static bool tell_no_strings(const struct mcp_json *sent, struct told *t)
{
    for (uint32_t i = 0; sent != NULL && i < sent->count; i++) {
        const struct mcp_json_member *m = &sent->u.members[i];

        if (m->value.type != MCP_JSON_STRING && m->value.type != MCP_JSON_NULL)
            tell(t, m->key.u.text, mcp_shorten(&m->key, MCP_NAME_SHOWN_BYTES),
                 NULL);
    }
    return end_telling(t);
}

/* Tells all that is wrong. True: nothing. */
static bool check(const struct mcp_prompt *prompt, const struct mcp_json *sent,
                  struct mcp_arena *a, struct mcp_buf *message,
                  struct mcp_buf *data)
{
    struct told missing = {" missing ", "missing", message, data, 0};
    struct told unknown = {" unknown ", "unknown", message, data, 0};
    struct told other = {" must be strings: ", "notStrings", message, data, 0};
    bool ok;

    mcp_buf_puts(message, "Invalid arguments for prompt ");
    mcp_buf_printf(message, "\"%s\":", prompt->name);
    mcp_buf_puts(data, "{\"name\":");
    mcp_json_write_cstring(data, prompt->name);
    ok = tell_missing(prompt, sent, &missing);
    ok = tell_unknown(prompt, sent, a, &unknown) && ok;
    ok = tell_no_strings(sent, &other) && ok;
    if (!ok && message->len > 0)
        message->len--; /* the last semicolon */
    mcp_buf_putc(data, '}');
    return ok;
}

static struct mcp_json string(const char *text, size_t len)
{
    return (struct mcp_json){
        .type = MCP_JSON_STRING, .count = (uint32_t)len, .u.text = text};
}

/* The declared arguments in their order, then the others as they came. */
static enum mcp_err fill(const struct mcp_prompt *prompt,
                         const struct mcp_json *sent, struct mcp_arena *a,
                         const struct mcp_json **out)
{
    size_t max = prompt->argument_count + (sent == NULL ? 0 : sent->count);
    struct mcp_json *args = mcp_arena_alloc(a, sizeof(*args));
    struct mcp_json_member *m = mcp_arena_alloc(a, (max + 1) * sizeof(*m));
    uint32_t n = 0;

    if (args == NULL || m == NULL)
        return MCP_ENOMEM;
    for (size_t i = 0; i < prompt->argument_count; i++) {
        const struct mcp_prompt_argument *d = &prompt->arguments[i];
        const struct mcp_json *v = find_sent(sent, d->name);

        if (v == NULL && d->initial == NULL)
            continue;
        m[n].key = string(d->name, strlen(d->name));
        m[n++].value = v != NULL ? *v : string(d->initial, strlen(d->initial));
    }
    for (uint32_t i = 0; sent != NULL && i < sent->count; i++) {
        const struct mcp_json_member *s = &sent->u.members[i];

        if (s->value.type != MCP_JSON_NULL &&
            find_declared(prompt, &s->key) == NULL)
            m[n++] = *s;
    }
    *args =
        (struct mcp_json){.type = MCP_JSON_OBJECT, .count = n, .u.members = m};
    *out = args;
    return MCP_OK;
}

enum mcp_err mcp_prompt_arguments_check(const struct mcp_prompt *prompt,
                                        const struct mcp_json *sent,
                                        struct mcp_arena *a,
                                        const struct mcp_json **out,
                                        struct mcp_buf *message,
                                        struct mcp_buf *data)
{
    if (!check(prompt, sent, a, message, data))
        return MCP_EINVAL;
    return fill(prompt, sent, a, out);
}
