/*
 * uri_template.c - literals and variables, matched with a memory of failures
 *
 * The path part is a list of literals and variables. Matching backtracks, and
 * remembers at which places which part has failed: a variable that has failed
 * fails at every later start within its reach too, as its ends are among those
 * tried. So the work is bounded by parts x bytes whatever the URI. The query
 * part is a set of names.
 */
#include "base/uri_template.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum part_kind { LITERAL, SEGMENT, ACROSS };

struct part {
    enum part_kind kind;
    const char *text; /* literal: bytes of the template */
    size_t len;
    size_t variable; /* else: its place                 */
};

enum { MAX_PARTS = 2 * MCP_URI_TEMPLATE_MAX_VARIABLES + 1 };

struct mcp_uri_template {
    char *text; /* a copy, which the parts point into */
    struct part parts[MAX_PARTS];
    size_t part_count;
    char *names[MCP_URI_TEMPLATE_MAX_VARIABLES];
    size_t name_count;
    size_t path_names; /* the first so many are of the path, the rest of the
                          query */
};

void mcp_uri_template_free(struct mcp_uri_template *t)
{
    size_t i;

    if (t == NULL)
        return;
    for (i = 0; i < t->name_count; i++)
        free(t->names[i]);
    free(t->text);
    free(t);
}

size_t mcp_uri_template_variable_count(const struct mcp_uri_template *t)
{
    return t->name_count;
}

const char *mcp_uri_template_variable(const struct mcp_uri_template *t,
                                      size_t i)
{
    return t->names[i];
}

/* ---- parsing ---- */

struct parser {
    struct mcp_uri_template *t;
    char *message;
    size_t message_size;
    bool in_query;
};

MCP_PRINTF(2, 3)
static enum mcp_err refuse(struct parser *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(p->message, p->message_size, fmt, ap);
    va_end(ap);
    return MCP_EINVAL;
}

static bool is_name(const char *text, size_t len)
{
    size_t i;

    if (len == 0 || isdigit((unsigned char)text[0]))
        return false;
    for (i = 0; i < len; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

static enum mcp_err add_name(struct parser *p, const char *text, size_t len)
{
    struct mcp_uri_template *t = p->t;
    size_t i;

    if (!is_name(text, len))
        return refuse(p, "\"%.*s\" is no name of a variable", (int)len, text);
    for (i = 0; i < t->name_count; i++)
        if (strlen(t->names[i]) == len && memcmp(t->names[i], text, len) == 0)
            return refuse(p, "variable \"%.*s\" comes twice", (int)len, text);
    if (t->name_count == MCP_URI_TEMPLATE_MAX_VARIABLES)
        return refuse(p, "more than %d variables",
                      MCP_URI_TEMPLATE_MAX_VARIABLES);
    t->names[t->name_count] = strndup(text, len);
    if (t->names[t->name_count] == NULL)
        return MCP_ENOMEM;
    t->name_count++;
    return MCP_OK;
}

/* {?a,b} or {&a,b}: text is "a,b". */
static enum mcp_err add_query(struct parser *p, const char *text, size_t len)
{
    enum mcp_err err = MCP_OK;

    p->in_query = true;
    while (err == MCP_OK) {
        const char *comma = memchr(text, ',', len);
        size_t n = comma != NULL ? (size_t)(comma - text) : len;

        err = add_name(p, text, n);
        if (comma == NULL)
            break;
        text += n + 1;
        len -= n + 1;
    }
    return err;
}

static enum mcp_err add_variable(struct parser *p, enum part_kind kind,
                                 const char *text, size_t len)
{
    struct mcp_uri_template *t = p->t;
    enum mcp_err err;

    if (p->in_query)
        return refuse(p, "a variable of the path comes behind the query");
    if (t->part_count > 0 && t->parts[t->part_count - 1].kind != LITERAL)
        return refuse(p, "two variables have nothing between them");
    err = add_name(p, text, len);
    if (err != MCP_OK)
        return err;
    t->parts[t->part_count++] =
        (struct part){.kind = kind, .variable = t->name_count - 1};
    t->path_names = t->name_count;
    return MCP_OK;
}

/* What stands between two braces. */
static enum mcp_err add_expression(struct parser *p, const char *text,
                                   size_t len)
{
    if (len > 0 && (text[0] == '?' || text[0] == '&'))
        return add_query(p, text + 1, len - 1);
    if (len > 0 && text[0] == '+')
        return add_variable(p, ACROSS, text + 1, len - 1);
    if (len > 0 && strchr("#./;=,!@|", text[0]) != NULL)
        return refuse(p,
                      "operator '%c' is not supported; there are {name}, "
                      "{+name}, {name*}, {?name} and {&name}",
                      text[0]);
    if (len > 0 && text[len - 1] == '*')
        return add_variable(p, ACROSS, text, len - 1);
    if (memchr(text, ':', len) != NULL)
        return refuse(p, "prefix modifiers such as {name:3} are not supported");
    return add_variable(p, SEGMENT, text, len);
}

static enum mcp_err add_literal(struct parser *p, const char *text, size_t len)
{
    if (len == 0)
        return MCP_OK;
    if (memchr(text, '}', len) != NULL)
        return refuse(p, "a closing brace has no opening one");
    if (p->in_query)
        return refuse(p, "text comes behind the query");
    p->t->parts[p->t->part_count++] =
        (struct part){.kind = LITERAL, .text = text, .len = len};
    return MCP_OK;
}

static enum mcp_err parse(struct parser *p)
{
    const char *at = p->t->text;
    enum mcp_err err = MCP_OK;

    while (err == MCP_OK && *at != '\0') {
        const char *open = strchr(at, '{');
        const char *close = open != NULL ? strchr(open, '}') : NULL;

        if (open != NULL && close == NULL)
            return refuse(p, "an opening brace has no closing one");
        err =
            add_literal(p, at, open != NULL ? (size_t)(open - at) : strlen(at));
        if (open == NULL)
            break;
        if (err == MCP_OK)
            err = add_expression(p, open + 1, (size_t)(close - open) - 1);
        at = close + 1;
    }
    return err;
}

enum mcp_err mcp_uri_template_parse(const char *text,
                                    struct mcp_uri_template **out,
                                    char *message, size_t message_size)
{
    struct parser p = {.message = message, .message_size = message_size};
    enum mcp_err err = MCP_ENOMEM;

    p.t = calloc(1, sizeof(*p.t));
    if (p.t != NULL)
        p.t->text = strdup(text);
    if (p.t != NULL && p.t->text != NULL)
        err = parse(&p);
    if (err == MCP_OK) {
        *out = p.t;
        return MCP_OK;
    }
    if (err == MCP_ENOMEM)
        (void)snprintf(message, message_size, "out of memory");
    mcp_uri_template_free(p.t);
    return err;
}

/* ---- matching ---- */

struct matcher {
    const struct mcp_uri_template *t;
    const char *uri;
    size_t len;      /* of the path part */
    uint8_t *failed; /* a bit for each part and place: no match from there */
    struct mcp_uri_value *raw;
};

static bool has_failed(const struct matcher *m, size_t part, size_t at)
{
    size_t bit = part * (m->len + 1) + at;

    return m->failed[bit / 8] >> (bit % 8) & 1;
}

/* No match of the parts from `part` on at any place from `at` to `last`. */
static void note_failed(struct matcher *m, size_t part, size_t at, size_t last)
{
    for (; at <= last; at++) {
        size_t bit = part * (m->len + 1) + at;

        m->failed[bit / 8] = (uint8_t)(m->failed[bit / 8] | 1u << (bit % 8));
    }
}

/* Matches parts from `part` on with the URI from `at` on. The depth of the
 * recursion is the number of parts. */
static bool match_from(struct matcher *m, size_t part, size_t at)
{
    const struct part *p = &m->t->parts[part];
    size_t end;

    if (part == m->t->part_count)
        return at == m->len;
    if (has_failed(m, part, at))
        return false;
    if (p->kind == LITERAL) {
        if (m->len - at >= p->len &&
            memcmp(m->uri + at, p->text, p->len) == 0 &&
            match_from(m, part + 1, at + p->len))
            return true;
        note_failed(m, part, at, at);
        return false;
    }
    for (end = at + 1; end <= m->len; end++) {
        if (p->kind == SEGMENT && m->uri[end - 1] == '/')
            break;
        if (match_from(m, part + 1, end)) {
            m->raw[p->variable] = (struct mcp_uri_value){m->uri + at, end - at};
            return true;
        }
    }
    note_failed(m, part, at, end - 1);
    return false;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes in place of `v`, into the arena. False: a '%' without two digits. */
static enum mcp_err decode(struct mcp_arena *a, struct mcp_uri_value *v,
                           bool plus_is_space)
{
    char *to = mcp_arena_alloc(a, v->len + 1);
    size_t n = 0, i;

    if (to == NULL)
        return MCP_ENOMEM;
    for (i = 0; i < v->len; i++) {
        char c = v->text[i];

        if (c == '%') {
            int high = i + 2 < v->len ? hex_value(v->text[i + 1]) : -1;
            int low = high >= 0 ? hex_value(v->text[i + 2]) : -1;

            if (low < 0)
                return MCP_ENOENT;
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        to[n++] = c;
    }
    to[n] = '\0';
    v->text = to;
    v->len = n;
    return MCP_OK;
}

/* Is there a ".." between separators, or a NUL? */
static bool is_unsafe(const struct mcp_uri_value *v)
{
    size_t i, start = 0;

    if (v->text == NULL)
        return false;
    if (memchr(v->text, '\0', v->len) != NULL)
        return true;
    for (i = 0; i <= v->len; i++) {
        if (i < v->len && v->text[i] != '/' && v->text[i] != '\\')
            continue;
        if (i - start == 2 && v->text[start] == '.' &&
            v->text[start + 1] == '.')
            return true;
        start = i + 1;
    }
    return false;
}

/* "a=1&b=2" into the values of the query's names; unknown members are none of
 * ours: no match. */
static bool match_query(const struct mcp_uri_template *t, const char *text,
                        size_t len, struct mcp_uri_value *raw)
{
    while (len > 0) {
        const char *amp = memchr(text, '&', len);
        size_t n = amp != NULL ? (size_t)(amp - text) : len;
        const char *equals = memchr(text, '=', n);
        size_t name_len = equals != NULL ? (size_t)(equals - text) : n;
        size_t i;

        for (i = t->path_names; i < t->name_count; i++)
            if (strlen(t->names[i]) == name_len &&
                memcmp(t->names[i], text, name_len) == 0)
                break;
        if (i == t->name_count || raw[i].text != NULL)
            return false;
        raw[i].text = text + (equals != NULL ? name_len + 1 : name_len);
        raw[i].len = equals != NULL ? n - name_len - 1 : 0;
        text += amp != NULL ? n + 1 : n;
        len -= amp != NULL ? n + 1 : n;
    }
    return true;
}

static enum mcp_err match_path(struct matcher *m, struct mcp_arena *a)
{
    size_t bytes = ((m->t->part_count + 1) * (m->len + 1) + 7) / 8;

    m->failed = mcp_arena_alloc(a, bytes);
    if (m->failed == NULL)
        return MCP_ENOMEM;
    memset(m->failed, 0, bytes);
    return match_from(m, 0, 0) ? MCP_OK : MCP_ENOENT;
}

static enum mcp_err decode_all(const struct mcp_uri_template *t,
                               struct mcp_arena *a,
                               struct mcp_uri_value *values)
{
    enum mcp_err err = MCP_OK;
    size_t i;

    for (i = 0; i < t->name_count && err == MCP_OK; i++)
        if (values[i].text != NULL)
            err = decode(a, &values[i], i >= t->path_names);
    for (i = 0; i < t->name_count && err == MCP_OK; i++)
        if (is_unsafe(&values[i]))
            err = MCP_EINVAL;
    return err;
}

enum mcp_err mcp_uri_template_match(const struct mcp_uri_template *t,
                                    const char *uri, size_t len,
                                    struct mcp_arena *a,
                                    struct mcp_uri_value *values)
{
    struct matcher m = {.t = t, .uri = uri, .len = len, .raw = values};
    bool has_query = t->name_count > t->path_names;
    const char *question = has_query ? memchr(uri, '?', len) : NULL;
    enum mcp_err err;

    if (len > MCP_URI_MAX_BYTES)
        return MCP_ELIMIT;
    memset(values, 0, t->name_count * sizeof(*values));
    if (question != NULL)
        m.len = (size_t)(question - uri);
    err = match_path(&m, a);
    if (err != MCP_OK)
        return err;
    if (question != NULL &&
        !match_query(t, question + 1, len - m.len - 1, values))
        return MCP_ENOENT;
    return decode_all(t, a, values);
}

bool mcp_uri_is_absolute(const char *text, size_t len)
{
    size_t i = 0, j;

    if (len == 0 || !isalpha((unsigned char)text[0]))
        return false;
    while (
        i < len &&
        (isalnum((unsigned char)text[i]) || strchr("+-.", text[i]) != NULL) &&
        text[i] != '\0')
        i++;
    if (i + 1 >= len || text[i] != ':')
        return false;
    for (j = i + 1; j < len; j++)
        if ((unsigned char)text[j] <= ' ' || (unsigned char)text[j] >= 0x7f ||
            strchr("<>\"{}|\\^`", text[j]) != NULL)
            return false;
    return true;
}
