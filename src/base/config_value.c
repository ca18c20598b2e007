/*
 * config_value.c - numbers, sizes, words and lists, whatever the locale
 */
#include "base/config_value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Decimal digits with an optional '-', nothing else. The place behind them,
 * or NULL: none, or too big for 63 bits. */
static const char *parse_integer(const char *text, int64_t *out)
{
    const char *digits = text + (*text == '-');
    char *end;
    long long v;

    if (*digits < '0' || *digits > '9')
        return NULL;
    errno = 0;
    v = strtoll(text, &end, 10);
    if (errno != 0)
        return NULL;
    *out = v;
    return end;
}

static bool parse_count(const char *text, int64_t *out)
{
    const char *end = parse_integer(text, out);

    return end != NULL && *end == '\0';
}

/* "4096", "4KiB", "4 KiB", "4k": the unit in any case, "iB" may be left out. */
static bool parse_bytes(const char *text, int64_t *out)
{
    static const char units[] = "kmg";
    const char *end = parse_integer(text, out), *unit;

    if (end == NULL)
        return false;
    end += *end == ' ';
    if (*end == '\0')
        return end[-1] != ' ';
    unit = strchr(units, *end | 0x20);
    if (unit == NULL || (end[1] != '\0' && strcasecmp(end + 1, "iB") != 0))
        return false;
    return !__builtin_mul_overflow(
        *out, (int64_t)1 << (10 * (unit - units + 1)), out);
}

/* strtod() reads hexadecimal, names and the locale's comma; this reads
 * digits[.digits][e[+-]digits]. */
static bool parse_seconds(const char *text, double *out)
{
    double v = 0, scale = 1;
    int64_t exponent = 0;
    const char *p = text;

    for (; *p >= '0' && *p <= '9'; p++)
        v = v * 10 + (*p - '0');
    if (p > text && *p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++) {
            v = v * 10 + (*p - '0');
            scale *= 10;
        }
    if (p == text || p[-1] == '.')
        return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        p = parse_integer(p + (*p == '+'), &exponent);
        if (p == NULL || exponent > 300 || exponent < -300)
            return false;
    }
    for (; exponent > 0; exponent--)
        v *= 10;
    for (; exponent < 0; exponent++)
        scale *= 10;
    *out = v / scale;
    return *p == '\0';
}

static bool parse_bool(const char *text, bool *out)
{
    static const char *const words[] = {"false", "true", "0",   "1",
                                        "no",    "yes",  "off", "on"};
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(text, words[i]) == 0) {
            *out = i % 2 == 1;
            return true;
        }
    return false;
}

static bool parse_word(const struct mcp_option *o, const char *text,
                       int64_t *out)
{
    int64_t i;

    for (i = 0; o->words[i] != NULL; i++)
        if (strcasecmp(text, o->words[i]) == 0) {
            *out = i;
            return true;
        }
    return false;
}

void mcp_config_list_free(struct mcp_config_list *list)
{
    size_t i;

    for (i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    list->items = NULL;
    list->count = 0;
}

enum mcp_err mcp_config_list_append(struct mcp_config_list *to,
                                    struct mcp_config_list *from)
{
    size_t count = to->count + from->count;
    char **items;

    if (from->count == 0)
        return MCP_OK;
    items = realloc(to->items, count * sizeof(*items));
    if (items == NULL)
        return MCP_ENOMEM;
    memcpy(items + to->count, from->items, from->count * sizeof(*items));
    free(from->items);
    to->items = items;
    to->count = count;
    from->items = NULL;
    from->count = 0;
    return MCP_OK;
}

static enum mcp_err list_add(struct mcp_config_list *list, const char *text,
                             size_t len)
{
    struct mcp_config_list one = {.count = 1};
    enum mcp_err rc = MCP_ENOMEM;

    one.items = calloc(1, sizeof(*one.items));
    if (one.items != NULL)
        one.items[0] = strndup(text, len);
    if (one.items != NULL && one.items[0] != NULL)
        rc = mcp_config_list_append(list, &one);
    mcp_config_list_free(&one);
    return rc;
}

/* Splits at commas; spaces around an item do not count, empty items neither.
 */
static enum mcp_err split(const char *text, struct mcp_config_list *list)
{
    enum mcp_err rc = MCP_OK;
    const char *p = text;

    while (rc == MCP_OK && *p != '\0') {
        size_t len;

        p += strspn(p, " ,");
        len = strcspn(p, ",");
        while (len > 0 && p[len - 1] == ' ')
            len--;
        if (len > 0)
            rc = list_add(list, p, len);
        p += strcspn(p, ",");
    }
    if (rc != MCP_OK)
        mcp_config_list_free(list);
    return rc;
}

static enum mcp_err refuse(char *problem, size_t size, const char *must,
                           const char *text)
{
    (void)snprintf(problem, size, "%s, not \"%.80s\"", must, text);
    return MCP_EINVAL;
}

static enum mcp_err parse_list(const struct mcp_option *o, const char *text,
                               struct mcp_config_list *out, char *problem,
                               size_t size)
{
    struct mcp_config_list list = {NULL, 0};
    enum mcp_err rc = split(text, &list);
    const char *must;
    size_t i;

    for (i = 0; rc == MCP_OK && o->check != NULL && i < list.count; i++) {
        must = o->check(list.items[i]);
        if (must != NULL)
            rc = refuse(problem, size, must, list.items[i]);
    }
    if (rc == MCP_OK)
        *out = list;
    else
        mcp_config_list_free(&list);
    return rc;
}

static enum mcp_err parse_text(const struct mcp_option *o, const char *text,
                               char **out, char *problem, size_t size)
{
    const char *must = o->check != NULL ? o->check(text) : NULL;
    char *copy;

    if (must != NULL)
        return refuse(problem, size, must, text);
    copy = strdup(text);
    if (copy == NULL)
        return MCP_ENOMEM;
    *out = copy;
    return MCP_OK;
}

/* The types that own no memory: read, and within the bounds? */
static bool parse_scalar(const struct mcp_option *o, const char *text,
                         struct mcp_option_value *v)
{
    switch (o->type) {
    case MCP_OPTION_BOOL:
        return parse_bool(text, &v->flag);
    case MCP_OPTION_COUNT:
        return parse_count(text, &v->count) && (double)v->count >= o->min &&
               (double)v->count <= o->max;
    case MCP_OPTION_BYTES:
        return parse_bytes(text, &v->count) && (double)v->count >= o->min &&
               (double)v->count <= o->max;
    case MCP_OPTION_SECONDS:
        return parse_seconds(text, &v->seconds) && v->seconds >= o->min &&
               v->seconds <= o->max;
    case MCP_OPTION_WORD:
        return parse_word(o, text, &v->count);
    case MCP_OPTION_SWITCH:
        if (!parse_word(o, text, &v->count))
            return false;
        v->flag = v->count == 1;
        return true;
    default:
        return false;
    }
}

enum mcp_err mcp_option_parse(const struct mcp_option *o, const char *text,
                              struct mcp_option_value *out, char *problem,
                              size_t problem_size)
{
    struct mcp_option_value v = {0};
    char right[128], must[160];

    if (o->type == MCP_OPTION_TEXT)
        return parse_text(o, text, &out->text, problem, problem_size);
    if (o->type == MCP_OPTION_LIST)
        return parse_list(o, text, &out->list, problem, problem_size);
    if (!parse_scalar(o, text, &v)) {
        mcp_option_describe(o, right, sizeof(right));
        (void)snprintf(must, sizeof(must), "must be %s", right);
        return refuse(problem, problem_size, must, text);
    }
    *out = v;
    return MCP_OK;
}
