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

void mcp_json_write_number(struct mcp_buf *out, double v)
{
    char text[NUMBER_BYTES];
    int digits = fabs(v) < DBL_MIN ? 1 : 15; /* subnormals hold fewer */

    if (!isfinite(v)) {
        mcp_buf_add(out, "null", 4);
        return;
    }
    if (fabs(v) < 9007199254740992.0 && v == floor(v)) {
        mcp_buf_printf(out, "%lld", (long long)v);
        return;
    }
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
