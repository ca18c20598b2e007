/*
 * route_match.c - see route_match.h
 */
#include "features/route_match.h"

#include <string.h>

#include "features/route_value.h"

enum {
    GET,
    HEAD,
    POST,
    PUT,
    PATCH,
    DELETE,
    OPTIONS,
    METHODS,
};

static const char *const methods[METHODS] = {"GET",   "HEAD",   "POST",   "PUT",
                                             "PATCH", "DELETE", "OPTIONS"};

struct segment {
    const char *text;
    size_t len;
};

/* A path on its way through the routes. */
struct walk {
    struct segment segments[MCP_ROUTE_MAX_SEGMENTS];
    size_t count;
    struct mcp_arena *a;
    const struct mcp_route **routes; /* those of this form, in order */
    size_t route_count;
    unsigned allowed; /* bits of their methods                       */
    enum mcp_err err; /* of making values                            */
};

/* ---- decoding ---- */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte at `text` + 1 and 2, or -1. */
static int read_byte(const char *text, size_t left)
{
    int high = left > 2 ? hex(text[1]) : -1;
    int low = left > 2 ? hex(text[2]) : -1;

    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

enum mcp_err mcp_route_decode(struct mcp_arena *a, const char *text, size_t len,
                              bool plus, const char **out, size_t *out_len,
                              const char **why)
{
    char *to = mcp_arena_alloc(a, len + 1);
    size_t n = 0;

    if (to == NULL)
        return MCP_ENOMEM;
    *why = NULL;
    for (size_t i = 0; i < len; i++) {
        int c = (unsigned char)text[i];

        if (c == '%') {
            c = read_byte(text + i, len - i);
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        if (c < 0)
            *why = "has a % without two hexadecimal digits";
        else if (c == 0)
            *why = "has a NUL";
        if (*why != NULL)
            return MCP_EINVAL;
        to[n++] = (char)c;
    }
    to[n] = '\0';
    if (!mcp_utf8_valid(to, n, NULL)) {
        *why = "is not UTF-8";
        return MCP_EINVAL;
    }
    *out = to;
    *out_len = n;
    return MCP_OK;
}

/* Is a piece of the segment between its slashes "." or ".."? */
static bool climbs(const char *text, size_t len)
{
    const char *end = text + len, *p = text;

    for (;;) {
        const char *slash = memchr(p, '/', (size_t)(end - p));
        size_t n = (size_t)((slash != NULL ? slash : end) - p);

        if ((n == 1 || n == 2) && memcmp(p, "..", n) == 0)
            return true;
        if (slash == NULL)
            return false;
        p = slash + 1;
    }
}

/* Errors: MCP_ENOENT too many segments; MCP_EINVAL, MCP_ENOMEM. */
static enum mcp_err split(struct walk *w, const char *path, const char **why)
{
    const char *p = path + (*path == '/');

    while (*p != '\0') {
        size_t len = strcspn(p, "/");
        struct segment *s = &w->segments[w->count];
        enum mcp_err err;

        if (w->count == MCP_ROUTE_MAX_SEGMENTS)
            return MCP_ENOENT;
        err = mcp_route_decode(w->a, p, len, false, &s->text, &s->len, why);
        if (err != MCP_OK)
            return err;
        if (climbs(s->text, s->len)) {
            *why = "has a segment \".\" or \"..\"";
            return MCP_EINVAL;
        }
        w->count++;
        p += len;
        p += *p == '/'; /* one at the end means nothing */
    }
    return MCP_OK;
}

/* ---- shapes ---- */

static bool is_rest(const struct mcp_route *r)
{
    return r->part_count > 0 &&
           r->parts[r->part_count - 1].kind == MCP_PATH_REST;
}

/* Has the path the literals of the route, and something for each argument? */
static bool has_shape(const struct walk *w, const struct mcp_route *r)
{
    if (is_rest(r) ? w->count < r->part_count : w->count != r->part_count)
        return false;
    for (size_t i = 0; i < r->part_count; i++) {
        const struct mcp_path_part *part = &r->parts[i];
        const struct segment *s = &w->segments[i];

        if (s->len == 0)
            return false;
        if (part->kind == MCP_PATH_LITERAL &&
            (strncmp(part->text, s->text, s->len) != 0 ||
             part->text[s->len] != '\0'))
            return false;
    }
    for (size_t i = r->part_count; i < w->count; i++)
        if (w->segments[i].len == 0)
            return false;
    return true;
}

/* 0: a literal, 1: an argument, 2: one that takes all the rest. */
static int rank(const struct mcp_path_part *part)
{
    if (part->kind == MCP_PATH_LITERAL)
        return 0;
    return part->kind == MCP_PATH_REST ? 2 : 1;
}

/* Comes `a` before `b`, which was declared before it? Both match one path. */
static bool is_nearer(const struct mcp_route *a, const struct mcp_route *b)
{
    size_t n = a->part_count < b->part_count ? a->part_count : b->part_count;

    for (size_t i = 0; i < n; i++)
        if (rank(&a->parts[i]) != rank(&b->parts[i]))
            return rank(&a->parts[i]) < rank(&b->parts[i]);
    return false;
}

/* ---- values ---- */

/* The segments from `i` on, with slashes between them. */
static enum mcp_err join(struct walk *w, size_t i, struct segment *out)
{
    size_t len = 0;
    char *to;

    for (size_t n = i; n < w->count; n++)
        len += w->segments[n].len + 1;
    to = mcp_arena_alloc(w->a, len + 1);
    if (to == NULL)
        return MCP_ENOMEM;
    *out = (struct segment){to, len - 1};
    for (; i < w->count; i++) {
        memcpy(to, w->segments[i].text, w->segments[i].len);
        to += w->segments[i].len;
        *to++ = '/';
    }
    to[-1] = '\0';
    return MCP_OK;
}

/* A number as its JSON text has it. */
static enum mcp_err number_of(struct walk *w, const struct segment *s,
                              struct mcp_json *out)
{
    const struct mcp_json *tree;
    enum mcp_err err = mcp_json_parse(w->a, s->text, s->len, NULL, &tree, NULL);

    if (err == MCP_OK)
        *out = *tree;
    return err;
}

/* The value of argument `i`. Errors: MCP_EINVAL it does not fit. */
static enum mcp_err value_of(struct walk *w, const struct mcp_route *r,
                             size_t i, struct mcp_json *out)
{
    enum mcp_path_kind kind = r->parts[i].kind;
    struct segment s = w->segments[i];
    enum mcp_err err = MCP_OK;

    if (kind == MCP_PATH_REST)
        err = join(w, i, &s);
    if (err != MCP_OK)
        return err;
    if (!mcp_route_fits(kind, s.text, s.len))
        return MCP_EINVAL;
    if (kind == MCP_PATH_INT || kind == MCP_PATH_NUMBER)
        return number_of(w, &s, out);
    *out = mcp_route_string(s.text, s.len);
    return MCP_OK;
}

/* The values of all arguments. Errors: MCP_EINVAL one does not fit its type:
 * `*misfit`. */
static enum mcp_err values_of(struct walk *w, const struct mcp_route *r,
                              const struct mcp_json **out,
                              const struct mcp_path_part **misfit)
{
    struct mcp_json *object = mcp_arena_alloc(w->a, sizeof(*object));
    struct mcp_json_member *to =
        mcp_arena_alloc(w->a, (r->part_count + 1) * sizeof(*to));
    uint32_t n = 0;

    if (object == NULL || to == NULL)
        return MCP_ENOMEM;
    for (size_t i = 0; i < r->part_count; i++) {
        const char *name = r->parts[i].text;
        enum mcp_err err;

        if (r->parts[i].kind == MCP_PATH_LITERAL)
            continue;
        to[n].key = mcp_route_string(name, strlen(name));
        err = value_of(w, r, i, &to[n].value);
        if (err != MCP_OK) {
            *misfit = &r->parts[i];
            return err;
        }
        n++;
    }
    *object =
        (struct mcp_json){.type = MCP_JSON_OBJECT, .count = n, .u.members = to};
    *out = object;
    return MCP_OK;
}

/* ---- the whole ---- */

static unsigned bit_of(const char *method)
{
    for (unsigned i = 0; i < METHODS; i++)
        if (strcmp(methods[i], method) == 0)
            return 1U << i;
    return 0;
}

/* Gathers the routes of this form. False: out of memory. */
static bool gather(struct walk *w, const struct mcp_generation *gen)
{
    size_t n = 0;

    for (size_t i = 0; i < gen->route_count; i++)
        n += has_shape(w, &gen->routes[i]);
    w->routes = mcp_arena_alloc(w->a, (n + 1) * sizeof(*w->routes));
    for (size_t i = 0; w->routes != NULL && w->route_count < n; i++) {
        if (!has_shape(w, &gen->routes[i]))
            continue;
        w->routes[w->route_count++] = &gen->routes[i];
        w->allowed |= bit_of(gen->routes[i].method);
    }
    return w->routes != NULL;
}

/* Chooses among the routes for `method`. */
static void choose(struct walk *w, const char *method,
                   struct mcp_route_match *out)
{
    for (size_t i = 0; i < w->route_count && w->err != MCP_ENOMEM; i++) {
        const struct mcp_route *r = w->routes[i];
        const struct mcp_path_part *misfit = NULL;
        const struct mcp_json *values;

        if (strcmp(r->method, method) != 0 ||
            (out->route != NULL && !is_nearer(r, out->route)))
            continue;
        w->err = values_of(w, r, &values, &misfit);
        if (w->err == MCP_OK) {
            out->route = r;
            out->values = values;
        } else if (out->misfit == NULL) {
            out->misfit = misfit;
        }
    }
}

static const char *write_allow(struct walk *w)
{
    const char *text = "";

    for (unsigned i = 0; i < METHODS && text != NULL; i++)
        if ((w->allowed & 1U << i) != 0)
            text = mcp_arena_printf(w->a, "%s%s%s", text,
                                    *text != '\0' ? ", " : "", methods[i]);
    return text;
}

enum mcp_err mcp_route_find(const struct mcp_generation *gen,
                            const char *method, const char *path,
                            struct mcp_arena *a, struct mcp_route_match *out,
                            const char **why)
{
    struct walk w = {.a = a};
    enum mcp_err err = split(&w, path, why);

    *out = (struct mcp_route_match){0};
    if (err == MCP_ENOENT)
        return MCP_OK;
    if (err != MCP_OK)
        return err;
    if (!gather(&w, gen))
        return MCP_ENOMEM;
    if (w.allowed == 0)
        return MCP_OK;
    if ((w.allowed & 1U << GET) != 0)
        w.allowed |= 1U << HEAD;
    w.allowed |= 1U << OPTIONS;
    choose(&w, method, out);
    if (out->route == NULL && out->misfit == NULL &&
        strcmp(method, "HEAD") == 0)
        choose(&w, "GET", out);
    if (w.err == MCP_ENOMEM)
        return MCP_ENOMEM;
    out->allow = write_allow(&w);
    return out->allow != NULL ? MCP_OK : MCP_ENOMEM;
}
