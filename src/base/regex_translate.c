/*
 * regex_translate.c - reads a pattern by ECMA-262's grammar, writes PCRE2's
 *
 * One loop and a stack of open groups, no recursion. Whatever is a letter or a
 * digit is written as it is, any other character by its number, so that
 * nothing PCRE2 adds to the syntax can slip through.
 */
#include <stdio.h>
#include <string.h>

#include "base/regex_reader.h"

enum {
    MAX_PATTERN_BYTES = 16384,
    MAX_NESTING = 200,
    MAX_REPEAT = 65535,
    MAX_NAMES = 200, /* uses of group names: each searches the pattern */
};

#define CALLOUT "(?C)"

struct groups {
    bool lookaround[MAX_NESTING];
    uint32_t depth;
};

bool regex_fail(struct regex_reader *r, const char *at, const char *reason)
{
    if (r->reason == NULL) {
        r->reason = reason;
        r->bad = at;
    }
    return false;
}

void regex_puts(struct regex_reader *r, const char *text)
{
    if (r->out != NULL)
        mcp_buf_puts(r->out, text);
}

void regex_put_char(struct regex_reader *r, uint32_t c)
{
    char text[16];

    if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
        (c >= 'a' && c <= 'z'))
        (void)snprintf(text, sizeof(text), "%c", (int)c);
    else
        (void)snprintf(text, sizeof(text), "\\x{%x}", (unsigned)c);
    regex_puts(r, text);
}

uint32_t regex_next_char(struct regex_reader *r)
{
    unsigned char u = (unsigned char)*r->p++;
    uint32_t c = u < 0x80   ? u
                 : u < 0xe0 ? u & 31u
                 : u < 0xf0 ? u & 15u
                            : u & 7u;

    if (u < 0x80)
        return c;
    while (r->p < r->end && ((unsigned char)*r->p & 0xc0) == 0x80)
        c = c << 6 | ((unsigned char)*r->p++ & 63u);
    return c;
}

/* A single character that must match; a lone surrogate never does. */
static void put_atom(struct regex_reader *r, uint32_t c)
{
    if (c >= 0xd800 && c <= 0xdfff)
        regex_puts(r, "(?:(?!))");
    else
        regex_put_char(r, c);
}

/* ---- groups and their names ---- */

static bool is_name_char(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80 ||
           (!first && c >= '0' && c <= '9');
}

/* The length of the name at `p`, which must end with '>'; 0: no name. */
static size_t name_length(const char *p, const char *end)
{
    const char *q = p;

    while (q < end && is_name_char(*q, q == p))
        q++;
    return q < end && *q == '>' ? (size_t)(q - p) : 0;
}

/* Moves over one escape, class or other character; what lies inside a class
 * is no group. */
static const char *skip(const char *p, const char *end)
{
    if (*p == '\\')
        return end - p >= 2 ? p + 2 : end;
    if (*p != '[')
        return p + 1;
    for (p++; p < end && *p != ']'; p++)
        if (*p == '\\' && end - p >= 2)
            p++;
    return p < end ? p + 1 : end;
}

/* Does a capturing group open at `p`? Its name, if any, goes to `name`. */
static bool opens_capture(const char *p, const char *end, const char **name)
{
    *name = NULL;
    if (*p != '(')
        return false;
    if (end - p < 2 || p[1] != '?')
        return true;
    if (end - p < 4 || p[2] != '<' || p[3] == '=' || p[3] == '!')
        return false;
    *name = p + 3;
    return true;
}

/* The number of the group called name[0..len), 0: none. `*count` gets how
 * many have the name; with len 0, the number of groups in the pattern. */
static uint32_t find_group(const struct regex_reader *r, const char *name,
                           size_t len, uint32_t *count)
{
    const char *p, *here;
    uint32_t n = 0, found = 0;

    *count = 0;
    for (p = r->start; p < r->end; p = skip(p, r->end)) {
        if (!opens_capture(p, r->end, &here))
            continue;
        n++;
        if (len == 0)
            (*count)++;
        else if (here != NULL && name_length(here, r->end) == len &&
                 memcmp(here, name, len) == 0) {
            (*count)++;
            found = n;
        }
    }
    return found;
}

static bool named_group(struct regex_reader *r)
{
    size_t len = name_length(r->p, r->end);
    uint32_t count;

    if (len == 0)
        return regex_fail(r, r->p, "bad group name");
    if (++r->name_count > MAX_NAMES)
        return regex_fail(r, r->p, "too many named groups");
    (void)find_group(r, r->p, len, &count);
    if (count > 1)
        return regex_fail(r, r->p, "two groups have this name");
    r->p += len + 1;
    regex_puts(r, "(");
    return true;
}

/* Behind "(". */
static bool open_group(struct regex_reader *r, struct groups *g)
{
    static const char *const kinds[] = {"?:", "?=", "?!", "?<=", "?<!"};
    const char *at = r->p - 1;
    size_t i, n, left = (size_t)(r->end - r->p);

    if (g->depth == MAX_NESTING)
        return regex_fail(r, at, "too many nested groups");
    g->lookaround[g->depth] = false;
    if (left == 0 || *r->p != '?') {
        g->depth++;
        regex_puts(r, "(");
        return true;
    }
    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        n = strlen(kinds[i]);
        if (left >= n && memcmp(r->p, kinds[i], n) == 0) {
            g->lookaround[g->depth++] = i > 0;
            regex_puts(r, "(");
            regex_puts(r, kinds[i]);
            r->p += n;
            return true;
        }
    }
    if (left < 2 || r->p[1] != '<')
        return regex_fail(r, at, "unknown kind of group");
    g->depth++;
    r->p += 2;
    return named_group(r);
}

/* ---- repeats ---- */

/* Digits at the reader; beyond MAX_REPEAT the value stays just above it. */
static bool number(struct regex_reader *r, uint32_t *n)
{
    const char *first = r->p;

    for (*n = 0; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++)
        *n = *n > MAX_REPEAT ? *n : *n * 10 + (uint32_t)(*r->p - '0');
    return r->p > first;
}

/* Behind "{": "2}", "2,}" or "2,3}". */
static bool braces(struct regex_reader *r)
{
    const char *at = r->p - 1;
    uint32_t low, high;
    char text[32];
    bool open = false;

    if (!number(r, &low))
        return regex_fail(r, at, "{ must be escaped, or {n,m}");
    high = low;
    if (r->p < r->end && *r->p == ',') {
        r->p++;
        open = !number(r, &high);
    }
    if (r->p == r->end || *r->p != '}')
        return regex_fail(r, at, "{ must be escaped, or {n,m}");
    r->p++;
    if (!open && low > high)
        return regex_fail(r, at, "repeat out of order");
    if (low > MAX_REPEAT || (!open && high > MAX_REPEAT))
        return regex_fail(r, at, "a repeat goes up to 65535");
    if (open)
        (void)snprintf(text, sizeof(text), "{%u,}", low);
    else
        (void)snprintf(text, sizeof(text), "{%u,%u}", low, high);
    regex_puts(r, text);
    return true;
}

/* At * + ? or {. */
static bool repeat(struct regex_reader *r, bool repeatable)
{
    const char *at = r->p;
    char c = *r->p++, sign[2] = {c, '\0'};

    if (!repeatable)
        return regex_fail(r, at, "nothing to repeat");
    if (c != '{')
        regex_puts(r, sign);
    else if (!braces(r))
        return false;
    if (r->p < r->end && *r->p == '?') {
        r->p++;
        regex_puts(r, "?");
    }
    return true;
}

/* ---- escapes outside classes ---- */

static bool back_reference(struct regex_reader *r, const char *at)
{
    char text[24];
    uint32_t n, count;
    size_t len;

    if (*r->p == 'k') {
        r->p++;
        len = r->p < r->end && *r->p == '<' ? name_length(r->p + 1, r->end) : 0;
        if (len == 0)
            return regex_fail(r, at, "\\k needs <a group name>");
        if (++r->name_count > MAX_NAMES)
            return regex_fail(r, at, "too many named groups");
        n = find_group(r, r->p + 1, len, &count);
        r->p += len + 2;
    } else if (!number(r, &n) || n > r->group_count)
        n = 0;
    if (n == 0)
        return regex_fail(r, at, "reference to a group that is not there");
    /* in a group: PCRE2 lets no repeated reference to an unset group match */
    (void)snprintf(text, sizeof(text), "(?:\\g{%u})", n);
    regex_puts(r, text);
    return true;
}

/* Behind the backslash. `*repeatable` gets whether an atom was read. */
static bool escape(struct regex_reader *r, bool *repeatable)
{
    const char *at = r->p - 1;
    uint32_t c;
    bool found;

    *repeatable = true;
    if (r->p == r->end)
        return regex_fail(r, at, "\\ at the end");
    if (*r->p == 'b' || *r->p == 'B') {
        regex_puts(r, *r->p++ == 'b' ? "\\b" : "\\B");
        *repeatable = false;
        return true;
    }
    if (*r->p == 'k' || (*r->p >= '1' && *r->p <= '9'))
        return back_reference(r, at);
    if (!regex_class_escape(r, false, &found))
        return false;
    if (found)
        return true;
    if (!regex_char_escape(r, &c))
        return false;
    put_atom(r, c);
    return true;
}

/* ---- the loop ---- */

/* A callout where an atom or a repeat has ended, unless a repeat follows. */
static void mark(struct regex_reader *r)
{
    bool repeat_follows = r->p < r->end && strchr("*+?{", *r->p) != NULL;

    if (r->guarded && !repeat_follows)
        regex_puts(r, CALLOUT);
}

static bool close_group(struct regex_reader *r, struct groups *g,
                        bool *repeatable)
{
    if (g->depth == 0)
        return regex_fail(r, r->p - 1, "unmatched )");
    g->depth--;
    *repeatable = !g->lookaround[g->depth];
    regex_puts(r, ")");
    mark(r);
    return true;
}

/* Any of ^ $ . | ( ) [ \ ] } or a plain character. */
static bool atom(struct regex_reader *r, struct groups *g, bool *repeatable)
{
    *repeatable = *r->p != '^' && *r->p != '$' && *r->p != '|' && *r->p != '(';
    switch (*r->p) {
    case '^':
        regex_puts(r, "^");
        break;
    case '$':
        regex_puts(r, "\\z");
        break;
    case '|':
        regex_puts(r, "|");
        break;
    case '.':
        regex_puts(r, "[^\\n\\r\\x{2028}\\x{2029}]");
        break;
    case '(':
        r->p++;
        return open_group(r, g);
    case ')':
        r->p++;
        return close_group(r, g, repeatable);
    case '[':
        r->p++;
        return regex_class(r);
    case '\\':
        r->p++;
        return escape(r, repeatable);
    case ']':
    case '}':
        return regex_fail(r, r->p, "] and } must be escaped");
    default:
        regex_put_char(r, regex_next_char(r));
        return true;
    }
    r->p++;
    return true;
}

static bool read_pattern(struct regex_reader *r)
{
    struct groups g = {.depth = 0};
    bool repeatable = false;

    if (r->guarded)
        regex_puts(r, CALLOUT "(?:");
    while (r->p < r->end) {
        if (strchr("*+?{", *r->p) != NULL && *r->p != '\0') {
            if (!repeat(r, repeatable))
                return false;
            repeatable = false;
            if (r->guarded)
                regex_puts(r, CALLOUT);
        } else if (!atom(r, &g, &repeatable))
            return false;
    }
    if (r->guarded)
        regex_puts(r, ")");
    return g.depth == 0 || regex_fail(r, r->end, "a group has no )");
}

enum mcp_err regex_translate(const char *pattern, size_t len,
                             struct mcp_buf *out, bool guarded,
                             const char **reason, size_t *offset)
{
    struct regex_reader r = {.start = pattern,
                             .p = pattern,
                             .end = pattern + len,
                             .out = out,
                             .guarded = guarded};

    if (len > MAX_PATTERN_BYTES) {
        *reason = "a pattern has at most 16384 bytes";
        *offset = MAX_PATTERN_BYTES;
        return MCP_EINVAL;
    }
    (void)find_group(&r, NULL, 0, &r.group_count);
    if (read_pattern(&r))
        return MCP_OK;
    *reason = r.reason;
    *offset = (size_t)(r.bad - pattern);
    return MCP_EINVAL;
}
