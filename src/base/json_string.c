/*
 * json_string.c - find the end and check UTF-8 first, then decode escapes
 *
 * The decoded text is never longer than its source, so one allocation of the
 * source's length holds it.
 */
#include "base/json_string.h"

#include "base/json_scan.h"

static const char *flawed(struct mcp_json_flaw *flaw, const char *at,
                          const char *reason)
{
    flaw->at = at;
    flaw->reason = reason;
    return NULL;
}

/* The closing quote, looking from `p` on; `*escapes` tells whether there is a
 * backslash before it. */
static const char *find_quote(const char *p, const char *end, bool *escapes,
                              struct mcp_json_flaw *flaw)
{
    unsigned n;

    for (;; p = mcp_json_scan_ascii(p, end)) {
        while (p < end && (unsigned char)*p >= 0x80) {
            n = mcp_utf8_step(p, end);
            if (n == 0)
                return flawed(flaw, p, "invalid UTF-8");
            p += n;
        }
        if (p == end)
            return flawed(flaw, p, "unterminated string");
        if (*p == '"')
            return p;
        if ((unsigned char)*p < 0x20)
            return flawed(flaw, p, "control character in a string");
        if (*p != '\\')
            continue;
        *escapes = true;
        if (end - p < 2)
            return flawed(flaw, end, "unterminated string");
        /* the byte behind is judged by decode(), unless it is not ASCII */
        p += (unsigned char)p[1] < 0x80 ? 2 : 1;
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The code unit of \uXXXX at `p`, -1 when there is none before `end`. */
static int32_t code_unit(const char *p, const char *end)
{
    int32_t unit = 0;
    int i, digit;

    if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return -1;
    for (i = 2; i < 6; i++) {
        digit = hex_digit(p[i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static char *put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *to++ = (char)(0xe0 | c >> 12);
        } else {
            *to++ = (char)(0xf0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (c & 0x3f));
    return to;
}

/* Decodes \uXXXX, or the two of a surrogate pair, at `*p`. */
static char *decode_unicode(const char **p, const char *end, char *to,
                            struct mcp_json_flaw *flaw)
{
    int32_t high = code_unit(*p, end), low;
    uint32_t c;

    if (high < 0) {
        (void)flawed(flaw, *p, "bad \\u escape");
        return NULL;
    }
    c = (uint32_t)high;
    if (c >= 0xd800 && c <= 0xdfff) {
        low = c < 0xdc00 ? code_unit(*p + 6, end) : -1;
        if (low < 0xdc00 || low > 0xdfff) {
            (void)flawed(flaw, *p, "unpaired surrogate");
            return NULL;
        }
        c = 0x10000 + ((c - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
        *p += 6;
    }
    *p += 6;
    return put_utf8(to, c);
}

/* What `c` behind a backslash stands for; 0: nothing. */
static char simple_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return 0;
    }
}

/* Decodes [p, end), the inside of a string, to `to`; returns the end of what
 * it wrote, NULL when an escape is wrong. `end` points at the quote. */
static char *decode(const char *p, const char *end, char *to,
                    struct mcp_json_flaw *flaw)
{
    const char *slash;
    size_t n;

    for (;;) {
        slash = memchr(p, '\\', (size_t)(end - p));
        n = (size_t)((slash != NULL ? slash : end) - p);
        memcpy(to, p, n);
        to += n;
        if (slash == NULL)
            return to;
        p = slash;
        if (p[1] == 'u') {
            to = decode_unicode(&p, end, to, flaw);
            if (to == NULL)
                return NULL;
            continue;
        }
        *to = simple_escape(p[1]);
        if (*to == 0) {
            (void)flawed(flaw, p, "bad escape");
            return NULL;
        }
        to++;
        p += 2;
    }
}

const char *mcp_json_string_parse(struct mcp_arena *a, const char *text,
                                  const char *p, const char *end,
                                  struct mcp_json *out,
                                  struct mcp_json_flaw *flaw)
{
    bool escapes = false;
    const char *quote = find_quote(p, end, &escapes, flaw);
    char *decoded, *decoded_end;

    if (quote == NULL)
        return NULL;
    out->type = MCP_JSON_STRING;
    out->flags = 0;
    out->number = 0;
    if (!escapes) {
        out->flags = MCP_JSON_F_PLAIN;
        out->count = (uint32_t)(quote - text);
        out->u.text = text;
        return quote + 1;
    }
    decoded = mcp_arena_alloc(a, (size_t)(quote - text));
    if (decoded == NULL)
        return flawed(flaw, text, NULL);
    decoded_end = decode(text, quote, decoded, flaw);
    if (decoded_end == NULL)
        return NULL;
    out->count = (uint32_t)(decoded_end - decoded);
    out->u.text = decoded;
    return quote + 1;
}
