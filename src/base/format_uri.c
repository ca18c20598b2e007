/*
 * format_uri.c - URIs, IRIs, templates, UUIDs and JSON pointers
 */
#include <string.h>

#include "base/format.h"

/* Kinds of characters, as bits. */
enum {
    UNRESERVED = 1,
    SUB_DELIMS = 2,
    COLON = 4,
    AT = 8,
    SLASH = 16,
    QUESTION = 32,
    UCS = 64,      /* beyond ASCII, in IRIs */
    PRIVATE = 128, /* private use, in an IRI's query */
};

enum {
    PCHAR = UNRESERVED | SUB_DELIMS | COLON | AT,
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c)
{
    return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

static bool is_among(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static int kind_of_ascii(char c)
{
    if (is_letter(c) || is_digit(c) || is_among(c, "-._~"))
        return UNRESERVED;
    if (is_among(c, "!$&'()*+,;="))
        return SUB_DELIMS;
    return c == ':'   ? COLON
           : c == '@' ? AT
           : c == '/' ? SLASH
           : c == '?' ? QUESTION
                      : 0;
}

/* The character at `p`, valid UTF-8, and its length. */
static uint32_t decode(const char *p, const char *end, size_t *len)
{
    unsigned char u = (unsigned char)*p;
    uint32_t c = u < 0x80   ? u
                 : u < 0xe0 ? u & 31u
                 : u < 0xf0 ? u & 15u
                            : u & 7u;
    size_t n = 1;

    for (; u >= 0x80 && p + n < end && ((unsigned char)p[n] & 0xc0) == 0x80;
         n++)
        c = c << 6 | ((unsigned char)p[n] & 63u);
    *len = n;
    return c;
}

/* RFC 3987: ucschar or iprivate. */
static int kind_of_other(uint32_t c)
{
    if ((c >= 0xa0 && c <= 0xd7ff) || (c >= 0xf900 && c <= 0xfdcf) ||
        (c >= 0xfdf0 && c <= 0xffef))
        return UCS;
    if (c >= 0x10000 && c <= 0xefffd && (c & 0xffff) <= 0xfffd &&
        !(c >= 0xe0000 && c < 0xe1000))
        return UCS;
    if ((c >= 0xe000 && c <= 0xf8ff) ||
        (c >= 0xf0000 && (c & 0xffff) <= 0xfffd))
        return PRIVATE;
    return 0;
}

/* Moves over characters of these kinds and %XX. The first other byte, or NULL
 * when a '%' is not followed by two hex digits. */
static const char *span(const char *p, const char *end, int kinds)
{
    size_t n;

    while (p < end) {
        if (*p == '%') {
            if (end - p < 3 || !is_hex(p[1]) || !is_hex(p[2]))
                return NULL;
            p += 3;
        } else if ((unsigned char)*p >= 0x80) {
            if ((kind_of_other(decode(p, end, &n)) & kinds) == 0)
                return p;
            p += n;
        } else {
            if ((kind_of_ascii(*p) & kinds) == 0)
                return p;
            p++;
        }
    }
    return p;
}

static bool all(const char *p, const char *end, int kinds)
{
    return span(p, end, kinds) == end;
}

/* "v1.x", the future form of a bracketed address. */
static bool is_future(const char *p, const char *end)
{
    const char *q = p + 1;

    if (p == end || (*p | 32) != 'v')
        return false;
    while (q < end && is_hex(*q))
        q++;
    if (q == p + 1 || q == end || *q != '.' || q + 1 == end)
        return false;
    return memchr(q, '%', (size_t)(end - q)) == NULL &&
           all(q + 1, end, UNRESERVED | SUB_DELIMS | COLON);
}

static bool is_port(const char *p, const char *end)
{
    if (p == end)
        return true;
    if (*p++ != ':')
        return false;
    while (p < end && is_digit(*p))
        p++;
    return p == end;
}

/* [userinfo "@"] host [":" port] */
static bool is_authority(const char *p, const char *end, int extra)
{
    const char *at = memchr(p, '@', (size_t)(end - p)), *close;

    if (at != NULL) {
        if (!all(p, at, UNRESERVED | SUB_DELIMS | COLON | extra))
            return false;
        p = at + 1;
    }
    if (p < end && *p == '[') {
        close = memchr(p, ']', (size_t)(end - p));
        if (close == NULL)
            return false;
        return (mcp_format_ipv6(p + 1, (size_t)(close - p - 1)) ||
                is_future(p + 1, close)) &&
               is_port(close + 1, end);
    }
    p = span(p, end, UNRESERVED | SUB_DELIMS | extra);
    return p != NULL && is_port(p, end);
}

static const char *find(const char *p, const char *end, const char *set)
{
    while (p < end && !is_among(*p, set))
        p++;
    return p;
}

/* The ':' behind a scheme, or NULL. */
static const char *scheme_end(const char *p, const char *end)
{
    if (p == end || !is_letter(*p))
        return NULL;
    while (p < end && (is_letter(*p) || is_digit(*p) || is_among(*p, "+-.")))
        p++;
    return p < end && *p == ':' ? p : NULL;
}

static bool is_reference(const char *text, size_t len, int extra, bool absolute)
{
    const char *end = text + len, *p = text, *q = scheme_end(text, end);
    bool relative = q == NULL, rooted = false;

    if (relative && absolute)
        return false;
    if (!relative)
        p = q + 1;
    if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
        q = find(p + 2, end, "/?#");
        if (!is_authority(p + 2, q, extra))
            return false;
        p = q;
        rooted = true;
    }
    q = find(p, end, "?#");
    if (!all(p, q, PCHAR | SLASH | extra))
        return false;
    if (relative && !rooted && memchr(p, ':', (size_t)(q - p)) != NULL &&
        find(p, q, "/") > find(p, q, ":"))
        return false;
    p = q;
    if (p < end && *p == '?') {
        q = find(p, end, "#");
        if (!all(p + 1, q,
                 PCHAR | SLASH | QUESTION | extra | (extra != 0 ? PRIVATE : 0)))
            return false;
        p = q;
    }
    return p == end || all(p + 1, end, PCHAR | SLASH | QUESTION | extra);
}

bool mcp_format_uri(const char *text, size_t len)
{
    return is_reference(text, len, 0, true);
}

bool mcp_format_uri_reference(const char *text, size_t len)
{
    return is_reference(text, len, 0, false);
}

bool mcp_format_iri(const char *text, size_t len)
{
    return is_reference(text, len, UCS, true);
}

bool mcp_format_iri_reference(const char *text, size_t len)
{
    return is_reference(text, len, UCS, false);
}

/* ---- templates ---- */

/* A variable name; the byte behind it, or NULL. */
static const char *variable(const char *p, const char *end)
{
    const char *start = p;

    while (p < end) {
        if (*p == '%') {
            if (end - p < 3 || !is_hex(p[1]) || !is_hex(p[2]))
                return NULL;
            p += 3;
        } else if (is_letter(*p) || is_digit(*p) || *p == '_')
            p++;
        else if (*p == '.' && p > start && p[-1] != '.' && p + 1 < end &&
                 !is_among(p[1], ".,:*}"))
            p++;
        else
            break;
    }
    return p > start ? p : NULL;
}

/* ":1" to ":9999", or "*"; the byte behind it, or NULL. */
static const char *modifier(const char *p, const char *end)
{
    const char *start;

    if (p < end && *p == '*')
        return p + 1;
    if (p == end || *p != ':')
        return p;
    start = ++p;
    while (p < end && is_digit(*p))
        p++;
    return p > start && p - start <= 4 && *start != '0' ? p : NULL;
}

/* The inside of braces. */
static bool is_expression(const char *p, const char *end)
{
    if (p < end && is_among(*p, "+#./;?&=,!@|"))
        p++;
    for (;;) {
        p = variable(p, end);
        if (p != NULL)
            p = modifier(p, end);
        if (p == NULL || p == end)
            return p != NULL;
        if (*p++ != ',')
            return false;
    }
}

bool mcp_format_uri_template(const char *text, size_t len)
{
    const char *p = text, *end = text + len, *close;

    while (p < end) {
        if (*p == '{') {
            close = memchr(p, '}', (size_t)(end - p));
            if (close == NULL || !is_expression(p + 1, close))
                return false;
            p = close + 1;
        } else if (*p == '%') {
            if (end - p < 3 || !is_hex(p[1]) || !is_hex(p[2]))
                return false;
            p += 3;
        } else if ((unsigned char)*p <= 0x20 || *p == 0x7f ||
                   is_among(*p, "\"<>\\^`|}"))
            return false;
        else
            p++;
    }
    return true;
}

/* ---- the rest ---- */

bool mcp_format_uuid(const char *text, size_t len)
{
    size_t i;

    for (i = 0; i < len && len == 36; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (text[i] != '-')
                return false;
        } else if (!is_hex(text[i]))
            return false;
    }
    return len == 36;
}

bool mcp_format_json_pointer(const char *text, size_t len)
{
    size_t i;

    if (len > 0 && text[0] != '/')
        return false;
    for (i = 0; i < len; i++)
        if (text[i] == '~' &&
            (i + 1 == len || (text[i + 1] != '0' && text[i + 1] != '1')))
            return false;
    return true;
}

/* A number without leading zeros, an index shift ("+1"), then '#' or a
 * pointer. */
bool mcp_format_relative_json_pointer(const char *text, size_t len)
{
    size_t i = 0, start;

    while (i < len && is_digit(text[i]))
        i++;
    if (i == 0 || (text[0] == '0' && i > 1))
        return false;
    if (i < len && (text[i] == '+' || text[i] == '-')) {
        start = ++i;
        while (i < len && is_digit(text[i]))
            i++;
        if (i == start || text[start] == '0')
            return false;
    }
    if (i < len && text[i] == '#')
        return i + 1 == len;
    return mcp_format_json_pointer(text + i, len - i);
}
