/*
 * schema_uri.c - RFC 3986, 5.2: split, merge, remove dot segments
 *
 * Without a base (a schema that has no $id) a reference stays as it is, which
 * lets "item.json" name an embedded resource of that $id.
 */
#include "base/schema_uri.h"

#include <string.h>

/* [0..scheme) ":" [..authority) [..path) [..query): ends of the parts. */
struct parts {
    size_t scheme;    /* length with ':', 0: relative   */
    size_t authority; /* end of "//authority"           */
    size_t path;      /* end of the path                */
    size_t query;     /* end of "?query"; then fragment */
};

static bool is_scheme_char(char c, bool first)
{
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

    return letter || (!first && ((c >= '0' && c <= '9') || c == '+' ||
                                 c == '-' || c == '.'));
}

static struct parts split(const char *text, size_t len)
{
    struct parts p = {0, 0, 0, 0};
    size_t i = 0;

    while (i < len && is_scheme_char(text[i], i == 0))
        i++;
    if (i > 0 && i < len && text[i] == ':')
        p.scheme = i + 1;
    i = p.scheme;
    if (len - i >= 2 && text[i] == '/' && text[i + 1] == '/')
        for (i += 2; i < len && strchr("/?#", text[i]) == NULL; i++)
            ;
    p.authority = i;
    while (i < len && text[i] != '?' && text[i] != '#')
        i++;
    p.path = i;
    while (i < len && text[i] != '#')
        i++;
    p.query = i;
    return p;
}

/* Removes "." and ".." segments of path[0..len) in place; the new length. */
static size_t remove_dots(char *path, size_t len)
{
    size_t in = 0, out = 0, n;

    while (in < len) {
        n = path[in] == '/';
        while (in + n < len && path[in + n] != '/')
            n++;
        if (n == 2 && memcmp(path + in, "/.", 2) == 0) {
            if (in + n == len)
                path[out++] = '/';
        } else if (n == 3 && memcmp(path + in, "/..", 3) == 0) {
            while (out > 0 && path[--out] != '/')
                ;
            if (in + n == len)
                path[out++] = '/';
        } else {
            memmove(path + out, path + in, n);
            out += n;
        }
        in += n;
    }
    return out;
}

/* The path of a relative reference behind the directory of the base. */
static size_t merge(char *to, const char *base, const struct parts *b,
                    const char *ref, size_t ref_path)
{
    size_t start = b->authority, dir = b->path, n;

    while (dir > start && base[dir - 1] != '/')
        dir--;
    n = dir - start;
    if (n == 0 && b->authority > b->scheme)
        to[n++] = '/';
    else
        memcpy(to, base + start, n);
    memcpy(to + n, ref, ref_path);
    return n + ref_path;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool decode_fragment(struct mcp_arena *a, const char *text, size_t len,
                            struct schema_uri *out)
{
    char *to = mcp_arena_alloc(a, len + 1);
    size_t i, n = 0;

    if (to == NULL)
        return false;
    for (i = 0; i < len; i++) {
        if (text[i] == '%' && len - i > 2 && hex_value(text[i + 1]) >= 0 &&
            hex_value(text[i + 2]) >= 0) {
            to[n++] =
                (char)(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        } else
            to[n++] = text[i];
    }
    to[n] = '\0';
    out->fragment = to;
    out->fragment_len = n;
    return true;
}

/* Everything before the fragment; the length. `to` has room for both texts. */
static size_t put_target(char *to, const char *base, const char *ref,
                         const struct parts *r)
{
    struct parts b = split(base, strlen(base));
    size_t n = 0, path_len;

    if (r->scheme > 0 || r->query == 0) {
        n = r->scheme > 0 ? r->query : b.query;
        memcpy(to, r->scheme > 0 ? ref : base, n);
        return n;
    }
    memcpy(to, base, b.scheme);
    n = b.scheme;
    if (r->authority > 0) {
        memcpy(to + n, ref, r->query);
        return n + r->query;
    }
    memcpy(to + n, base + b.scheme, b.authority - b.scheme);
    n = b.authority;
    if (r->path == 0) {
        memcpy(to + n, base + b.authority, b.path - b.authority);
        n = b.path;
    } else {
        if (ref[0] == '/') {
            memcpy(to + n, ref, r->path);
            path_len = r->path;
        } else
            path_len = merge(to + n, base, &b, ref, r->path);
        n += remove_dots(to + n, path_len);
    }
    memcpy(to + n, ref + r->path, r->query - r->path);
    return n + r->query - r->path;
}

bool schema_uri_resolve(struct mcp_arena *a, const char *base, const char *ref,
                        size_t ref_len, struct schema_uri *out)
{
    struct parts r = split(ref, ref_len);
    char *to = mcp_arena_alloc(a, strlen(base) + ref_len + 2);
    struct schema_uri uri = {NULL, NULL, 0};

    if (to == NULL)
        return false;
    to[put_target(to, base, ref, &r)] = '\0';
    uri.text = to;
    if (r.query < ref_len &&
        !decode_fragment(a, ref + r.query + 1, ref_len - r.query - 1, &uri))
        return false;
    *out = uri;
    return true;
}
