/*
 * json_write.c - compact JSON text; plain strings are copied whole
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/json_scan.h"

enum { NUMBER_BYTES = 40 };

static void write_escape(struct mcp_buf *out, char c)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', hex[c >> 4 & 1], hex[c & 15]};

    switch (c) {
    case '"':
    case '\\':
        text[1] = c;
        break;
    case '\b':
        text[1] = 'b';
        break;
    case '\f':
        text[1] = 'f';
        break;
    case '\n':
        text[1] = 'n';
        break;
    case '\r':
        text[1] = 'r';
        break;
    case '\t':
        text[1] = 't';
        break;
    default:
        mcp_buf_add(out, text, 6);
        return;
    }
    mcp_buf_add(out, text, 2);
}

void mcp_json_write_escaped(struct mcp_buf *out, const char *text, size_t len)
{
    const char *end = text + len, *p;

    while (text < end) {
        p = mcp_json_scan_plain(text, end);
        mcp_buf_add(out, text, (size_t)(p - text));
        if (p < end)
            write_escape(out, *p++);
        text = p;
    }
}

void mcp_json_write_string(struct mcp_buf *out, const char *text, size_t len)
{
    mcp_buf_putc(out, '"');
    mcp_json_write_escaped(out, text, len);
    mcp_buf_putc(out, '"');
}

void mcp_json_write_cstring(struct mcp_buf *out, const char *text)
{
    mcp_json_write_string(out, text, strlen(text));
}

/* A locale may have printed something else than '.', even several bytes. */
static void write_printed(struct mcp_buf *out, const char *text)
{
    size_t n = strspn(text, "-0123456789e");

    mcp_buf_add(out, text, n);
    text += n;
    if (*text == '\0')
        return;
    if (*text != '+') {
        mcp_buf_putc(out, '.');
        text += strcspn(text, "0123456789");
    }
    mcp_buf_puts(out, text);
}

/* Writes `digits` with `decimals` of them behind the point, 0 for none. */
static void write_decimal(struct mcp_buf *out, bool negative, uint64_t digits,
                          int decimals)
{
    char text[NUMBER_BYTES], *end = text + sizeof(text), *p = end;
    int written = 0;

    do {
        *--p = (char)('0' + digits % 10);
        digits /= 10;
        if (++written == decimals)
            *--p = '.';
    } while (digits != 0 || written <= decimals);
    if (negative)
        *--p = '-';
    mcp_buf_add(out, p, (size_t)(end - p));
}

/* Writes a number that has at most four decimals; false: it has more. Powers of
 * ten and `whole` are exact, so the quotient is the double that this text reads
 * back as. */
static bool write_short(struct mcp_buf *out, double v)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4};
    double size = fabs(v), whole;
    int decimals;

    if (size >= 9007199254740992.0 / 1e4 || size < 1e-4)
        return false;
    for (decimals = 1; decimals < 5; decimals++) {
        whole = floor(size * powers[decimals] + 0.5);
        if (whole / powers[decimals] == size) {
            write_decimal(out, v < 0, (uint64_t)whole, decimals);
            return true;
        }
    }
    return false;
}

void mcp_json_write_number(struct mcp_buf *out, double v)
{
    char text[NUMBER_BYTES];
    int digits = fabs(v) < DBL_MIN ? 1 : 15; /* subnormals hold fewer */

    if (!isfinite(v)) {
        mcp_buf_add(out, "null", 4);
        return;
    }
    if (fabs(v) < 9007199254740992.0 && v == floor(v)) {
        write_decimal(out, v < 0, (uint64_t)fabs(v), 0);
        return;
    }
    if (write_short(out, v))
        return;
    do {
        (void)snprintf(text, sizeof(text), "%.*g", digits, v);
    } while (digits++ < 17 && strtod(text, NULL) != v);
    write_printed(out, text);
}

static void write_text(struct mcp_buf *out, const struct mcp_json *v)
{
    if ((v->flags & MCP_JSON_F_PLAIN) == 0) {
        mcp_json_write_string(out, v->u.text, v->count);
        return;
    }
    mcp_buf_putc(out, '"');
    mcp_buf_add(out, v->u.text, v->count);
    mcp_buf_putc(out, '"');
}

static void write_array(struct mcp_buf *out, const struct mcp_json *v)
{
    uint32_t i;

    mcp_buf_putc(out, '[');
    for (i = 0; i < v->count; i++) {
        if (i > 0)
            mcp_buf_putc(out, ',');
        mcp_json_write(out, &v->u.items[i]);
    }
    mcp_buf_putc(out, ']');
}

static void write_object(struct mcp_buf *out, const struct mcp_json *v)
{
    uint32_t i;

    mcp_buf_putc(out, '{');
    for (i = 0; i < v->count; i++) {
        if (i > 0)
            mcp_buf_putc(out, ',');
        write_text(out, &v->u.members[i].key);
        mcp_buf_putc(out, ':');
        mcp_json_write(out, &v->u.members[i].value);
    }
    mcp_buf_putc(out, '}');
}

void mcp_json_write(struct mcp_buf *out, const struct mcp_json *v)
{
    switch (v->type) {
    case MCP_JSON_NULL:
        mcp_buf_add(out, "null", 4);
        break;
    case MCP_JSON_FALSE:
        mcp_buf_add(out, "false", 5);
        break;
    case MCP_JSON_TRUE:
        mcp_buf_add(out, "true", 4);
        break;
    case MCP_JSON_NUMBER:
        mcp_buf_add(out, v->u.text, v->count);
        break;
    case MCP_JSON_STRING:
        write_text(out, v);
        break;
    case MCP_JSON_ARRAY:
        write_array(out, v);
        break;
    default:
        write_object(out, v);
        break;
    }
}
