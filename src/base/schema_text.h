/*
 * schema_text.h - sentences of bounded length about schemas and values
 *
 * Whatever the peer sends, a message stays short, valid UTF-8 and free of
 * control characters: values are shown as JSON and cut with "..." behind it.
 *
 * Layer:  base. Uses base/json, base/schema_program.
 * Thread: one at a time.
 */
#ifndef MCP_BASE_SCHEMA_TEXT_H
#define MCP_BASE_SCHEMA_TEXT_H

#include "base/json.h"
#include "base/schema_program.h"

enum { SCHEMA_TEXT_BYTES = 512 };

/* A text under construction; what does not fit is dropped. */
struct schema_text {
    size_t len;
    char data[SCHEMA_TEXT_BYTES]; /* NUL-terminated */
};

/* Where a value stands: a chain of steps from the value up to the root. */
struct schema_path {
    const struct schema_path *up;
    const struct mcp_json *key; /* NULL: `index` is the step */
    uint32_t index;
};

static inline void schema_text_clear(struct schema_text *t)
{
    t->len = 0;
    t->data[0] = '\0';
}

void schema_text_puts(struct schema_text *t, const char *text);
void schema_text_number(struct schema_text *t, uint64_t n);

/* "3 items", "1 item": `n` and `noun`, with an s unless n is 1. */
void schema_text_count(struct schema_text *t, uint64_t n, const char *noun);

/* At most `max` bytes of text[0..len) as a JSON string, quotes included. */
void schema_text_quote(struct schema_text *t, const char *text, size_t len,
                       size_t max);

/* A value as JSON, cut after about `max` bytes. */
void schema_text_value(struct schema_text *t, const struct mcp_json *v,
                       size_t max);

/* "a string or null" for a type mask. */
void schema_text_types(struct schema_text *t, uint8_t types);

/* JSON pointers. Steps over long paths are left out in the middle. */
void schema_text_path(struct schema_text *t, const struct schema_path *at);
void schema_text_place(struct schema_text *t, const struct schema_place *at);
void schema_text_segment(struct schema_text *t, const char *text, size_t len);

#endif
