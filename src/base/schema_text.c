/*
 * schema_text.c - bounded writing: no piece is ever cut inside a character
 */
#include "base/schema_text.h"

#include <stdio.h>

enum { NAME_BYTES = 64, PATH_STEPS = 96 };

/* All of text[0..len) or nothing. */
static bool put(struct schema_text *t, const char *text, size_t len)
{
    if (len >= sizeof(t->data) - t->len)
        return false;
    memcpy(t->data + t->len, text, len);
    t->len += len;
    t->data[t->len] = '\0';
    return true;
}

void schema_text_puts(struct schema_text *t, const char *text)
{
    (void)put(t, text, strlen(text));
}

void schema_text_number(struct schema_text *t, uint64_t n)
{
    char digits[24];

    (void)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
    schema_text_puts(t, digits);
}

void schema_text_count(struct schema_text *t, uint64_t n, const char *noun)
{
    schema_text_number(t, n);
    schema_text_puts(t, " ");
    schema_text_puts(t, noun);
    if (n != 1)
        schema_text_puts(t, "s");
}

/* Bytes of the UTF-8 character that starts with `c`. */
static size_t char_bytes(char c)
{
    unsigned char u = (unsigned char)c;

    return u < 0x80 ? 1 : u < 0xe0 ? 2 : u < 0xf0 ? 3 : 4;
}

static bool put_escaped(struct schema_text *t, const char *text, size_t n)
{
    char escape[8];

    if (n > 1 || ((unsigned char)text[0] >= 0x20 && text[0] != '"' &&
                  text[0] != '\\' && text[0] != 0x7f))
        return put(t, text, n);
    if (text[0] == '"' || text[0] == '\\')
        (void)snprintf(escape, sizeof(escape), "\\%c", text[0]);
    else
        (void)snprintf(escape, sizeof(escape), "\\u%04x",
                       (unsigned)(unsigned char)text[0]);
    return put(t, escape, strlen(escape));
}

void schema_text_quote(struct schema_text *t, const char *text, size_t len,
                       size_t max)
{
    size_t i, n;

    schema_text_puts(t, "\"");
    for (i = 0; i < len; i += n) {
        n = char_bytes(text[i]);
        if (n > len - i || i + n > max || !put_escaped(t, text + i, n)) {
            schema_text_puts(t, "...");
            break;
        }
    }
    schema_text_puts(t, "\"");
}

static void put_number(struct schema_text *t, const struct mcp_json *v,
                       size_t max)
{
    char digits[NAME_BYTES];
    size_t n = v->count < max ? v->count : max;

    n = n < sizeof(digits) - 4 ? n : sizeof(digits) - 4;
    memcpy(digits, v->u.text, n);
    digits[n] = '\0';
    schema_text_puts(t, digits);
    if (n < v->count)
        schema_text_puts(t, "...");
}

/* One level: what stands inside an inner array or object is left out. */
static void put_inner(struct schema_text *t, const struct mcp_json *v,
                      size_t max)
{
    if (v->type == MCP_JSON_ARRAY)
        schema_text_puts(t, v->count == 0 ? "[]" : "[...]");
    else if (v->type == MCP_JSON_OBJECT)
        schema_text_puts(t, v->count == 0 ? "{}" : "{...}");
    else
        schema_text_value(t, v, max);
}

static void put_array(struct schema_text *t, const struct mcp_json *v,
                      size_t max)
{
    size_t start = t->len;
    uint32_t i;

    schema_text_puts(t, "[");
    for (i = 0; i < v->count; i++) {
        schema_text_puts(t, i > 0 ? "," : "");
        if (t->len - start >= max) {
            schema_text_puts(t, "...");
            break;
        }
        put_inner(t, &v->u.items[i], max / 2);
    }
    schema_text_puts(t, "]");
}

static void put_object(struct schema_text *t, const struct mcp_json *v,
                       size_t max)
{
    size_t start = t->len;
    uint32_t i;

    schema_text_puts(t, "{");
    for (i = 0; i < v->count; i++) {
        const struct mcp_json_member *m = &v->u.members[i];

        schema_text_puts(t, i > 0 ? "," : "");
        if (t->len - start >= max) {
            schema_text_puts(t, "...");
            break;
        }
        schema_text_quote(t, m->key.u.text, m->key.count, max / 2);
        schema_text_puts(t, ":");
        put_inner(t, &m->value, max / 2);
    }
    schema_text_puts(t, "}");
}

void schema_text_value(struct schema_text *t, const struct mcp_json *v,
                       size_t max)
{
    switch (v->type) {
    case MCP_JSON_NULL:
        schema_text_puts(t, "null");
        break;
    case MCP_JSON_FALSE:
        schema_text_puts(t, "false");
        break;
    case MCP_JSON_TRUE:
        schema_text_puts(t, "true");
        break;
    case MCP_JSON_NUMBER:
        put_number(t, v, max);
        break;
    case MCP_JSON_STRING:
        schema_text_quote(t, v->u.text, v->count, max);
        break;
    case MCP_JSON_ARRAY:
        put_array(t, v, max);
        break;
    default:
        put_object(t, v, max);
        break;
    }
}

void schema_text_types(struct schema_text *t, uint8_t types)
{
    static const struct {
        uint8_t bits;
        const char *name;
    } names[] = {
        {SCHEMA_STRING, "a string"},    {SCHEMA_NUMBER, "a number"},
        {SCHEMA_INTEGER, "an integer"}, {SCHEMA_BOOLEAN, "a boolean"},
        {SCHEMA_ARRAY, "an array"},     {SCHEMA_OBJECT, "an object"},
        {SCHEMA_NULL, "null"},
    };
    size_t i;
    bool first = true;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((types & names[i].bits) != names[i].bits)
            continue;
        types = (uint8_t)(types & ~names[i].bits);
        if (!first)
            schema_text_puts(t, types == 0 ? " or " : ", ");
        schema_text_puts(t, names[i].name);
        first = false;
    }
}

/* One step of a JSON pointer: ~ and / escaped, no control characters. */
void schema_text_segment(struct schema_text *t, const char *text, size_t len)
{
    size_t i, n;
    bool fits = true;

    schema_text_puts(t, "/");
    for (i = 0; i < len && fits; i += n) {
        n = char_bytes(text[i]);
        if (n > len - i || i + n > NAME_BYTES)
            fits = false;
        else if (text[i] == '~' || text[i] == '/')
            fits = put(t, text[i] == '~' ? "~0" : "~1", 2);
        else if ((unsigned char)text[i] < 0x20)
            fits = put(t, "\xef\xbf\xbd", 3);
        else
            fits = put(t, text + i, n);
    }
    if (!fits)
        schema_text_puts(t, "...");
}

static void put_index(struct schema_text *t, uint32_t index)
{
    schema_text_puts(t, "/");
    schema_text_number(t, index);
}

void schema_text_path(struct schema_text *t, const struct schema_path *at)
{
    const struct schema_path *steps[PATH_STEPS];
    size_t n = 0;

    for (; at != NULL && n < PATH_STEPS; at = at->up)
        steps[n++] = at;
    if (at != NULL)
        schema_text_puts(t, "...");
    while (n > 0) {
        n--;
        if (steps[n]->key != NULL)
            schema_text_segment(t, steps[n]->key->u.text, steps[n]->key->count);
        else
            put_index(t, steps[n]->index);
    }
}

void schema_text_place(struct schema_text *t, const struct schema_place *at)
{
    const struct schema_place *steps[PATH_STEPS];
    size_t n = 0;

    for (; at->up != NULL && n < PATH_STEPS; at = at->up)
        steps[n++] = at;
    while (at->up != NULL)
        at = at->up;
    if (at->len > 0) {
        (void)put(t, at->text, at->len < 200 ? at->len : 200);
        schema_text_puts(t, "#");
    }
    while (n > 0) {
        n--;
        if (steps[n]->text != NULL)
            schema_text_segment(t, steps[n]->text, steps[n]->len);
        else
            put_index(t, steps[n]->index);
    }
}
