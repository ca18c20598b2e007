/*
 * install_edit.c - see install_edit.h
 */
#include "cli/install_edit.h"

#include <stdbool.h>
#include <stdio.h>

#include "cli/banner.h"
#include "cli/json_text.h"

void mcp_edit_find_indent(const struct mcp_buf *text,
                          char indent[MCP_EDIT_INDENT_BYTES])
{
    const char *line =
        text->len > 0 ? memchr(text->data, '\n', text->len) : NULL;
    size_t from = line != NULL ? (size_t)(line - text->data) + 1 : text->len;
    size_t to = from;

    while (to < text->len && (text->data[to] == ' ' || text->data[to] == '\t'))
        to++;
    if (to == from || to == text->len || text->data[to] != '"' ||
        to - from >= MCP_EDIT_INDENT_BYTES) {
        (void)snprintf(indent, MCP_EDIT_INDENT_BYTES, "  ");
        return;
    }
    memcpy(indent, text->data + from, to - from);
    indent[to - from] = '\0';
}

static void write_indent(struct mcp_buf *out, const char *indent, size_t depth)
{
    mcp_buf_putc(out, '\n');
    while (depth-- > 0)
        mcp_buf_puts(out, indent);
}

/* path[0] at `depth` as a member, with objects around `value` for the rest. */
static void write_member(struct mcp_buf *out, const char *indent,
                         const char *const *path, size_t count, size_t depth,
                         const char *value)
{
    for (size_t i = 0; i < count; i++) {
        mcp_buf_printf(out, "\"%s\": ", path[i]);
        if (i + 1 < count) {
            mcp_buf_putc(out, '{');
            write_indent(out, indent, depth + i + 1);
        }
    }
    mcp_buf_puts(out, value);
    for (size_t i = count; i-- > 1;) {
        write_indent(out, indent, depth + i - 1);
        mcp_buf_putc(out, '}');
    }
}

/* The text with [from, to) replaced by `middle`, which is freed. */
static enum mcp_err splice(struct mcp_buf *text, size_t from, size_t to,
                           struct mcp_buf *middle)
{
    struct mcp_buf out;

    mcp_buf_init(&out, text->max);
    out.failed = middle->failed;
    mcp_buf_add(&out, text->data, from);
    mcp_buf_add(&out, middle->data, middle->len);
    mcp_buf_add(&out, text->data + to, text->len - to);
    mcp_buf_free(middle);
    if (out.failed) {
        mcp_buf_free(&out);
        return MCP_ENOMEM;
    }
    mcp_buf_free(text);
    *text = out;
    return MCP_OK;
}

/* Adds a last member to the object at `object`, which is `depth` deep. */
static enum mcp_err add_member(struct mcp_buf *text, const char *indent,
                               size_t object, size_t depth,
                               const char *const *path, size_t count,
                               const char *value)
{
    size_t at = object, end = object + 1, key;
    struct mcp_buf middle;
    bool any = false;

    while (mcp_json_text_next(text->data, text->len, &at, &key)) {
        at = mcp_json_text_value(text->data, text->len, key);
        end = at = mcp_json_text_end(text->data, text->len, at);
        any = true;
    }
    mcp_buf_init(&middle, text->max);
    mcp_buf_puts(&middle, any ? "," : "");
    write_indent(&middle, indent, depth + 1);
    write_member(&middle, indent, path, count, depth + 1, value);
    if (any && memchr(text->data + end, '\n', at - end) != NULL)
        return splice(text, end, end, &middle);
    write_indent(&middle, indent, depth);
    return splice(text, end, at, &middle);
}

enum mcp_err mcp_edit_set(struct mcp_buf *text, const char *indent,
                          const char *const *path, size_t count,
                          const char *value, size_t *bad)
{
    size_t at = mcp_json_text_skip(text->data, text->len, 0), next, end;
    struct mcp_buf middle;

    for (size_t i = 0; i < count; i++) {
        if (at >= text->len || text->data[at] != '{') {
            *bad = i;
            return MCP_EINVAL;
        }
        next = mcp_json_text_find(text->data, text->len, at, path[i]);
        if (next == text->len)
            return add_member(text, indent, at, i, path + i, count - i, value);
        at = next;
    }
    end = mcp_json_text_end(text->data, text->len, at);
    mcp_buf_init(&middle, text->max);
    mcp_buf_puts(&middle, value);
    return splice(text, at, end, &middle);
}

/* ---- the difference ---- */

enum { CONTEXT = 3 };

static bool is_line_start(const struct mcp_buf *b, size_t at)
{
    return at == 0 || b->data[at - 1] == '\n';
}

/* How many lines begin in [from, to). */
static size_t count_lines(const struct mcp_buf *b, size_t from, size_t to)
{
    size_t n = 0;

    for (size_t i = from; i < to; i++)
        n += is_line_start(b, i);
    return n;
}

/* Where the whole lines end that both texts begin with. */
static size_t common_head(const struct mcp_buf *a, const struct mcp_buf *b)
{
    size_t n = 0;

    while (n < a->len && n < b->len && a->data[n] == b->data[n])
        n++;
    while (!is_line_start(a, n))
        n--;
    return n;
}

/* How many bytes of whole lines both end with, behind the head. */
static size_t common_tail(const struct mcp_buf *a, const struct mcp_buf *b,
                          size_t head)
{
    size_t n = 0;

    while (n < a->len - head && n < b->len - head &&
           a->data[a->len - 1 - n] == b->data[b->len - 1 - n])
        n++;
    while (n > 0 &&
           !(is_line_start(a, a->len - n) && is_line_start(b, b->len - n)))
        n--;
    return n;
}

static void write_lines(struct mcp_buf *out, const struct mcp_buf *b,
                        size_t from, size_t to, char mark)
{
    for (size_t i = from; i < to; i++) {
        if (is_line_start(b, i))
            mcp_buf_putc(out, mark);
        mcp_buf_putc(out, b->data[i]);
    }
    if (to > from && b->data[to - 1] != '\n')
        mcp_buf_puts(out, "\n\\ No newline at end of file\n");
}

/* "-3,7": `count` lines behind the first `from`. */
static void write_range(struct mcp_buf *out, char mark, size_t from,
                        size_t count)
{
    mcp_buf_printf(out, "%c%zu,%zu", mark, count > 0 ? from + 1 : from, count);
}

void mcp_edit_write_diff(struct mcp_buf *out, const char *path,
                         const struct mcp_buf *old, const struct mcp_buf *new)
{
    size_t head = common_head(old, new), tail = common_tail(old, new, head);
    size_t from = head, to = old->len - tail, lines;

    if (old->len == new->len && head + tail == old->len)
        return;
    for (int n = 0; n < CONTEXT && from > 0; n++)
        do
            from--;
        while (!is_line_start(old, from));
    for (int n = 0; n < CONTEXT && to < old->len; n++)
        do
            to++;
        while (to < old->len && !is_line_start(old, to));
    lines = count_lines(old, 0, from);
    mcp_buf_puts(out, "--- ");
    mcp_banner_put(out, old->len > 0 ? path : "/dev/null");
    mcp_buf_puts(out, "\n+++ ");
    mcp_banner_put(out, path);
    mcp_buf_puts(out, "\n@@ ");
    write_range(out, '-', lines, count_lines(old, from, to));
    mcp_buf_putc(out, ' ');
    write_range(out, '+', lines,
                count_lines(new, from, to + new->len - old->len));
    mcp_buf_puts(out, " @@\n");
    write_lines(out, old, from, head, ' ');
    write_lines(out, old, head, old->len - tail, '-');
    write_lines(out, new, head, new->len - tail, '+');
    write_lines(out, old, old->len - tail, to, ' ');
}
