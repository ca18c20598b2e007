/*
 * config.c - the values of all options, and where each one came from
 */
#include "base/config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_table.h"
#include "base/config_value.h"
#include "base/suggest.h"

#define ENV_PREFIX "MCPLUAD_"

extern char **environ;

static void *field_of(const struct mcp_config *c, const struct mcp_option *o)
{
    return (char *)c + o->offset;
}

static void drop_value(struct mcp_config *c, const struct mcp_option *o)
{
    if (o->type == MCP_OPTION_TEXT) {
        char **text = field_of(c, o);

        free(*text);
        *text = NULL;
    } else if (o->type == MCP_OPTION_LIST) {
        mcp_config_list_free(field_of(c, o));
    }
}

void mcp_config_free(struct mcp_config *c)
{
    size_t count, i;
    const struct mcp_option *rows = mcp_config_options(&count);

    if (c == NULL)
        return;
    for (i = 0; i < count; i++)
        drop_value(c, &rows[i]);
    free(c->source);
    free(c);
}

/* Puts what `v` owns into the config. A list grows when `more`. */
static enum mcp_err store(struct mcp_config *c, const struct mcp_option *o,
                          struct mcp_option_value *v, bool more)
{
    void *field = field_of(c, o);

    if (o->type == MCP_OPTION_LIST && more) {
        enum mcp_err rc = mcp_config_list_append(field, &v->list);

        mcp_config_list_free(&v->list);
        return rc;
    }
    drop_value(c, o);
    switch (o->type) {
    case MCP_OPTION_TEXT:
        *(char **)field = v->text;
        break;
    case MCP_OPTION_LIST:
        *(struct mcp_config_list *)field = v->list;
        break;
    case MCP_OPTION_BOOL:
    case MCP_OPTION_SWITCH:
        *(bool *)field = v->flag;
        break;
    case MCP_OPTION_SECONDS:
        *(double *)field = v->seconds;
        break;
    case MCP_OPTION_COUNT:
    case MCP_OPTION_BYTES:
    case MCP_OPTION_WORD:
        *(int64_t *)field = v->count;
        break;
    }
    return MCP_OK;
}

/* All options have a source byte; all fields are zero. */
static struct mcp_config *new_empty(void)
{
    struct mcp_config *c = calloc(1, sizeof(*c));
    size_t count;

    (void)mcp_config_options(&count);
    if (c != NULL)
        c->source = calloc(count, 1);
    if (c != NULL && c->source == NULL) {
        free(c);
        c = NULL;
    }
    return c;
}

struct mcp_config *mcp_config_new(void)
{
    size_t count, i;
    const struct mcp_option *rows = mcp_config_options(&count);
    struct mcp_config *c = new_empty();
    struct mcp_option_value v;
    char problem[256];

    for (i = 0; c != NULL && i < count; i++) {
        if (rows[i].initial == NULL)
            continue;
        if (mcp_option_parse(&rows[i], rows[i].initial, &v, problem,
                             sizeof(problem)) != MCP_OK ||
            store(c, &rows[i], &v, false) != MCP_OK) {
            mcp_config_free(c);
            c = NULL;
        }
    }
    return c;
}

/* Deep copy of a text or list whose shallow copy is in `to`'s field. */
static enum mcp_err copy_owned(struct mcp_config *to,
                               const struct mcp_config *from,
                               const struct mcp_option *o)
{
    if (o->type == MCP_OPTION_TEXT) {
        char *const *text = field_of(from, o);
        char **out = field_of(to, o);

        *out = *text != NULL ? strdup(*text) : NULL;
        return *text == NULL || *out != NULL ? MCP_OK : MCP_ENOMEM;
    }
    if (o->type == MCP_OPTION_LIST) {
        const struct mcp_config_list *list = field_of(from, o);
        struct mcp_config_list *out = field_of(to, o);

        out->items = calloc(list->count + 1, sizeof(*out->items));
        if (out->items == NULL)
            return MCP_ENOMEM;
        for (; out->count < list->count; out->count++) {
            out->items[out->count] = strdup(list->items[out->count]);
            if (out->items[out->count] == NULL)
                return MCP_ENOMEM;
        }
    }
    return MCP_OK;
}

/* Forgets the texts and lists that a shallow copy shares with its source. */
static void disown(struct mcp_config *c, const struct mcp_option *o)
{
    if (o->type == MCP_OPTION_TEXT)
        *(char **)field_of(c, o) = NULL;
    else if (o->type == MCP_OPTION_LIST)
        *(struct mcp_config_list *)field_of(c, o) =
            (struct mcp_config_list){NULL, 0};
}

struct mcp_config *mcp_config_copy(const struct mcp_config *c)
{
    size_t count, i;
    const struct mcp_option *rows = mcp_config_options(&count);
    struct mcp_config *copy = new_empty();
    unsigned char *source;
    enum mcp_err rc = MCP_OK;

    if (copy == NULL)
        return NULL;
    source = copy->source;
    *copy = *c;
    copy->source = source;
    memcpy(source, c->source, count);
    for (i = 0; i < count; i++)
        disown(copy, &rows[i]);
    for (i = 0; i < count && rc == MCP_OK; i++)
        rc = copy_owned(copy, c, &rows[i]);
    if (rc != MCP_OK) {
        mcp_config_free(copy);
        return NULL;
    }
    return copy;
}

/* "unknown option --prot; did you mean --port?" among what `source` may set.
 */
static enum mcp_err unknown(const char *name, enum mcp_config_source source,
                            char *message, size_t size)
{
    size_t count, i, known = 0;
    const struct mcp_option *rows = mcp_config_options(&count);
    const char *names[128];
    const char *near;
    char spelt[MCP_OPTION_MAX_NAME], hint[MCP_OPTION_MAX_NAME + 20] = "";
    struct mcp_option asked = {.name = name};

    for (i = 0; i < count && known < 128; i++)
        if ((rows[i].by & (1u << source)) != 0)
            names[known++] = rows[i].name;
    near = mcp_suggest(name, strlen(name), names, known);
    if (near != NULL) {
        mcp_option_spell(mcp_config_find(near, strlen(near)), source, spelt);
        (void)snprintf(hint, sizeof(hint), "; did you mean %s?", spelt);
    }
    mcp_option_spell(&asked, source, spelt);
    (void)snprintf(message, size, "unknown %s %s%s",
                   source == MCP_FROM_ENV ? "variable" : "option", spelt, hint);
    return MCP_ENOENT;
}

static enum mcp_err not_from_here(const struct mcp_option *o,
                                  enum mcp_config_source source, char *message,
                                  size_t size)
{
    char spelt[MCP_OPTION_MAX_NAME];

    mcp_option_spell(o, source, spelt);
    (void)snprintf(message, size, "%s can only be set %s", spelt,
                   source == MCP_FROM_APP
                       ? "on the command line or in the environment"
                       : "in the app, by mcp.server{}");
    return MCP_EINVAL;
}

/* Frees what a parsed value owns and was not stored. */
static void drop_parsed(const struct mcp_option *o, struct mcp_option_value *v)
{
    if (o->type == MCP_OPTION_TEXT)
        free(v->text);
    else if (o->type == MCP_OPTION_LIST)
        mcp_config_list_free(&v->list);
}

enum mcp_err mcp_config_set(struct mcp_config *c, const char *name,
                            const char *text, enum mcp_config_source source,
                            char *message, size_t message_size)
{
    const struct mcp_option *o = mcp_config_find(name, strlen(name));
    char problem[256], spelt[MCP_OPTION_MAX_NAME];
    struct mcp_option_value v = {0};
    unsigned char *from;
    enum mcp_err rc;
    size_t count;

    if (o == NULL)
        return unknown(name, source, message, message_size);
    if (source != MCP_FROM_DEFAULT && (o->by & (1u << source)) == 0)
        return not_from_here(o, source, message, message_size);
    rc = mcp_option_parse(o, text, &v, problem, sizeof(problem));
    if (rc == MCP_EINVAL) {
        mcp_option_spell(o, source, spelt);
        (void)snprintf(message, message_size, "%s %s", spelt, problem);
    } else if (rc != MCP_OK) {
        (void)snprintf(message, message_size, "out of memory");
    }
    if (rc != MCP_OK)
        return rc;
    from = &c->source[o - mcp_config_options(&count)];
    if (source < *from) {
        drop_parsed(o, &v);
        return MCP_OK;
    }
    rc = store(c, o, &v, source == *from && source != MCP_FROM_DEFAULT);
    if (rc == MCP_OK)
        *from = (unsigned char)source;
    return rc;
}

/* One "MCPLUAD_NAME=value"; `equals` is at the '='. */
static enum mcp_err read_variable(struct mcp_config *c, const char *variable,
                                  const char *equals, char *message,
                                  size_t message_size)
{
    size_t prefix = strlen(ENV_PREFIX), i;
    size_t len = (size_t)(equals - variable) - prefix;
    char name[MCP_OPTION_MAX_NAME];

    if (len >= sizeof(name) - prefix) {
        (void)snprintf(message, message_size, "unknown variable %.80s",
                       variable);
        return MCP_ENOENT;
    }
    for (i = 0; i < len; i++)
        name[i] = (char)tolower((unsigned char)variable[prefix + i]);
    name[len] = '\0';
    return mcp_config_set(c, name, equals + 1, MCP_FROM_ENV, message,
                          message_size);
}

enum mcp_err mcp_config_read_env(struct mcp_config *c, char *message,
                                 size_t message_size)
{
    enum mcp_err rc = MCP_OK;
    char **p;

    for (p = environ; p != NULL && *p != NULL && rc == MCP_OK; p++) {
        const char *equals = strchr(*p, '=');

        if (equals == NULL || equals[1] == '\0' ||
            strncmp(*p, ENV_PREFIX, strlen(ENV_PREFIX)) != 0 ||
            strncmp(*p, ENV_PREFIX "BIN=", strlen(ENV_PREFIX "BIN=")) == 0)
            continue;
        rc = read_variable(c, *p, equals, message, message_size);
    }
    return rc;
}

enum mcp_config_source mcp_config_source_of(const struct mcp_config *c,
                                            const char *name)
{
    const struct mcp_option *o = mcp_config_find(name, strlen(name));
    size_t count;

    if (o == NULL)
        return MCP_FROM_DEFAULT;
    return (enum mcp_config_source)c->source[o - mcp_config_options(&count)];
}
