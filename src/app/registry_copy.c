/*
 * registry_copy.c - see registry_copy.h
 */
#include "app/registry_copy.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

enum {
    NAME_MAX_BYTES = 128, /* Source: MCP 2026-07-28, server/tools        */
    TEXT_MAX_DEPTH = 256, /* nested values of a JSON text                */
};

#define LETTERS_DIGITS                                                         \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

enum mcp_err mcp_copy_no_memory(struct mcp_copy *c)
{
    (void)snprintf(c->message, c->message_size, "out of memory");
    return MCP_ENOMEM;
}

enum mcp_err mcp_copy_refuse(struct mcp_copy *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(c->message, c->message_size, fmt, ap);
    va_end(ap);
    return MCP_EINVAL;
}

/* "_.-" as "_ . -" */
static void space_out(char *to, size_t size, const char *signs)
{
    size_t n = 0;

    for (; *signs != '\0' && n + 2 < size; signs++) {
        to[n++] = *signs;
        to[n++] = ' ';
    }
    to[n > 0 ? n - 1 : 0] = '\0';
}

enum mcp_err mcp_copy_check_name(struct mcp_copy *c, const char *kind,
                                 const char *name, const char *signs)
{
    char allowed[96], told[32];
    size_t good, len = strlen(name);

    (void)snprintf(allowed, sizeof(allowed), LETTERS_DIGITS "%s", signs);
    good = strspn(name, allowed);
    if (good == len && len >= 1 && len <= NAME_MAX_BYTES)
        return MCP_OK;
    if (len == 0)
        return mcp_copy_refuse(c, "the %s's name is empty", kind);
    if (good == len)
        return mcp_copy_refuse(c,
                               "the %s's name has %zu bytes; %d are allowed: "
                               "\"%.40s...\"",
                               kind, len, (int)NAME_MAX_BYTES, name);
    space_out(told, sizeof(told), signs);
    return mcp_copy_refuse(c,
                           "the %s's name \"%.128s\" has a character that is "
                           "not one of A-Z a-z 0-9 %s (byte %zu)",
                           kind, name, told, good + 1);
}

enum mcp_err mcp_copy_text(struct mcp_copy *c, const char *what,
                           const char *from, const char **to)
{
    size_t len, bad;

    *to = NULL;
    if (from == NULL)
        return MCP_OK;
    len = strlen(from);
    if (!mcp_utf8_valid(from, len, &bad))
        return mcp_copy_refuse(c, "%s is not valid UTF-8 (byte %zu)", what,
                               bad + 1);
    *to = mcp_arena_dup(c->a, from, len);
    return *to == NULL ? mcp_copy_no_memory(c) : MCP_OK;
}

enum mcp_err mcp_copy_parse(struct mcp_copy *c, const char *what,
                            const char *text, size_t len,
                            const struct mcp_json **tree)
{
    struct mcp_json_options options = {.max_depth = TEXT_MAX_DEPTH};
    struct mcp_json_error error;
    enum mcp_err err = mcp_json_parse(c->a, text, len, &options, tree, &error);
    size_t line = 1;

    if (err == MCP_OK)
        return MCP_OK;
    if (err == MCP_ENOMEM)
        return mcp_copy_no_memory(c);
    for (size_t i = 0; i < error.offset && i < len; i++)
        line += text[i] == '\n';
    return mcp_copy_refuse(c, "%s is not JSON: %s (line %zu, byte %zu)", what,
                           error.reason, line, error.offset + 1);
}

enum mcp_err mcp_copy_json(struct mcp_copy *c, const char *what,
                           const char *from, enum mcp_json_type type,
                           const char **to)
{
    const struct mcp_json *tree;
    enum mcp_err err = mcp_copy_text(c, what, from, to);

    if (err != MCP_OK || from == NULL)
        return err;
    err = mcp_copy_parse(c, what, *to, strlen(*to), &tree);
    if (err != MCP_OK || tree->type == type)
        return err;
    return mcp_copy_refuse(c, "%s must be %s", what,
                           type == MCP_JSON_ARRAY ? "a list"
                                                  : "a table with string keys");
}

static enum mcp_err copy_binds(struct mcp_copy *c, const struct mcp_handler *in,
                               struct mcp_handler *out)
{
    size_t count = in->bind_count;
    struct mcp_bind *binds;

    if (count == 0)
        return MCP_OK;
    binds = mcp_arena_alloc(c->a, count * sizeof(*binds));
    if (binds == NULL)
        return mcp_copy_no_memory(c);
    for (size_t i = 0; i < count; i++) {
        enum mcp_err err;

        binds[i].kind = in->binds[i].kind;
        err = mcp_copy_text(c, "a parameter's name", in->binds[i].name,
                            &binds[i].name);
        if (err != MCP_OK)
            return err;
    }
    out->binds = binds;
    out->bind_count = count;
    return MCP_OK;
}

enum mcp_err mcp_copy_handler(struct mcp_copy *c, const struct mcp_handler *in,
                              struct mcp_handler *out)
{
    if (!(in->timeout_s >= 0 && isfinite(in->timeout_s)))
        return mcp_copy_refuse(c, "timeout must be 0 or more seconds");
    out->timeout_s = in->timeout_s;
    out->binds = NULL;
    out->bind_count = 0;
    return copy_binds(c, in, out);
}

enum mcp_err mcp_copy_file(struct mcp_copy *c, const char *from,
                           const char **to)
{
    *to = from == NULL ? NULL : mcp_arena_dup(c->a, from, strlen(from));
    return from != NULL && *to == NULL ? mcp_copy_no_memory(c) : MCP_OK;
}

/* Source: RFC 9110, 5.6.2 (token). */
static size_t token_len(const char *text)
{
    return strspn(text, LETTERS_DIGITS "!#$%&'*+-.^_`|~");
}

enum mcp_err mcp_copy_check_mime(struct mcp_copy *c, const char *mime_type)
{
    size_t type = token_len(mime_type), subtype = 0;
    const char *rest;

    if (type > 0 && mime_type[type] == '/')
        subtype = token_len(mime_type + type + 1);
    rest = mime_type + type + 1 + subtype;
    if (subtype > 0 && *rest == ' ')
        rest += strspn(rest, " ");
    if (subtype > 0 && (*rest == '\0' || *rest == ';')) {
        while (*rest >= ' ' && *rest < 0x7f)
            rest++;
        if (*rest == '\0')
            return MCP_OK;
    }
    return mcp_copy_refuse(
        c, "mime_type must look like \"text/plain\", got \"%.64s\"", mime_type);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* "SUBJECT "name" is no OF_WHAT; did you mean "near"?" */
static enum mcp_err refuse_name(struct mcp_copy *c, const char *subject,
                                const char *name, const char *const *names,
                                size_t count, const char *of_what)
{
    const char *near = mcp_suggest(name, strlen(name), names, count);

    return mcp_copy_refuse(c, "%s \"%.64s\" is no %s%s%.64s%s", subject, name,
                           of_what, near != NULL ? "; did you mean \"" : "",
                           near != NULL ? near : "", near != NULL ? "\"?" : "");
}

enum mcp_err mcp_copy_check_binds(struct mcp_copy *c,
                                  const struct mcp_handler *h,
                                  const char *const *names, size_t count,
                                  const char *of_what)
{
    for (size_t i = 0; i < h->bind_count; i++)
        if (h->binds[i].kind == MCP_BIND_ARGUMENT &&
            !is_one_of(h->binds[i].name, names, count))
            return refuse_name(c, "the handler's parameter", h->binds[i].name,
                               names, count, of_what);
    return MCP_OK;
}

static enum mcp_err copy_values(struct mcp_copy *c,
                                const struct mcp_completer *in,
                                struct mcp_completer *out)
{
    const char **values =
        mcp_arena_alloc(c->a, (in->value_count + 1) * sizeof(*values));

    if (values == NULL)
        return mcp_copy_no_memory(c);
    for (size_t i = 0; i < in->value_count; i++) {
        enum mcp_err err =
            mcp_copy_text(c, "a value of complete", in->values[i], &values[i]);

        if (err != MCP_OK)
            return err;
    }
    out->values = values;
    out->value_count = in->value_count;
    return MCP_OK;
}

/* A completer with a slot other than 0 has a handler; which, the caller
 * says later. */
static enum mcp_err copy_completer(struct mcp_copy *c,
                                   const struct mcp_completer *in,
                                   const char *parent,
                                   struct mcp_completer *out)
{
    enum mcp_err err =
        mcp_copy_text(c, "an argument's name", in->argument, &out->argument);

    if (err == MCP_OK)
        err = copy_values(c, in, out);
    if (err != MCP_OK || in->handler.slot == 0)
        return err;
    err = mcp_copy_handler(c, &in->handler, &out->handler);
    if (err != MCP_OK)
        return err;
    out->handler.kind = MCP_KIND_COMPLETER;
    out->handler.slot = in->handler.slot;
    out->handler.name =
        mcp_arena_printf(c->a, "%s of %s", out->argument, parent);
    return out->handler.name == NULL ? mcp_copy_no_memory(c) : MCP_OK;
}

enum mcp_err mcp_copy_completers(struct mcp_copy *c,
                                 const struct mcp_completer *in,
                                 size_t in_count, const char *const *names,
                                 size_t count, const char *of_what,
                                 const char *parent,
                                 const struct mcp_completer **out)
{
    struct mcp_completer *to;

    *out = NULL;
    if (in_count == 0)
        return MCP_OK;
    to = mcp_arena_alloc(c->a, in_count * sizeof(*to));
    if (to == NULL)
        return mcp_copy_no_memory(c);
    memset(to, 0, in_count * sizeof(*to));
    for (size_t i = 0; i < in_count; i++) {
        enum mcp_err err;

        if (!is_one_of(in[i].argument, names, count))
            return refuse_name(c, "complete:", in[i].argument, names, count,
                               of_what);
        for (size_t j = 0; j < i; j++)
            if (strcmp(in[i].argument, in[j].argument) == 0)
                return mcp_copy_refuse(c, "complete: \"%.64s\" is there twice",
                                       in[i].argument);
        err = copy_completer(c, &in[i], parent, &to[i]);
        if (err != MCP_OK)
            return err;
    }
    *out = to;
    return MCP_OK;
}

/* "app.lua:12" into `out`. */
static void write_place(char *out, size_t size, const char *file, int line)
{
    if (file == NULL)
        (void)snprintf(out, size, "an unknown place");
    else if (line == 0)
        (void)snprintf(out, size, "%s", file);
    else
        (void)snprintf(out, size, "%s:%d", file, line);
}

enum mcp_err mcp_copy_refuse_second(struct mcp_copy *c, const char *kind,
                                    const char *name, const char *file,
                                    int line, const char *second_file,
                                    int second_line)
{
    char one[256], two[256];

    write_place(one, sizeof(one), file, line);
    write_place(two, sizeof(two), second_file, second_line);
    (void)snprintf(c->message, c->message_size,
                   "%s \"%.256s\" is declared twice: %s and %s", kind, name,
                   one, two);
    return MCP_EEXIST;
}
