/*
 * json.h - JSON text to a tree in an arena, and values to JSON text
 *
 * One pass over the text. Objects keep source order, arrays are contiguous,
 * numbers keep their text beside their value (an id comes back digit for
 * digit), strings carry a length (NUL is allowed inside). Strings without
 * escapes point into the source text, so the text must live as long as the
 * tree. Strict RFC 8259: UTF-8 and surrogates checked, no NaN, no comments, no
 * trailing commas, nothing but white space around the one value. Duplicate
 * keys are refused unless allowed by a flag, so that a proxy and we never read
 * two different messages.
 *
 * Layer:  base. Uses base/arena, base/buf, base/err.
 * Thread: any; a tree is constant once parsed.
 */
#ifndef MCP_BASE_JSON_H
#define MCP_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum mcp_json_type {
    MCP_JSON_NULL,
    MCP_JSON_FALSE,
    MCP_JSON_TRUE,
    MCP_JSON_NUMBER,
    MCP_JSON_STRING,
    MCP_JSON_ARRAY,
    MCP_JSON_OBJECT,
};

enum {
    /* number: its text is an integer literal (no '.', no exponent) */
    MCP_JSON_F_INTEGER = 1 << 0,
    /* string: has no character that needs escaping when written (and the
     * source had none), so it can be copied between quotes as it is */
    MCP_JSON_F_PLAIN = 1 << 1,
    /* number: a whole number within int64_t that the reader wants exact; set
     * by nobody here */
    MCP_JSON_F_INT64 = 1 << 2,
};

struct mcp_json_member;

struct mcp_json {
    uint8_t type;   /* enum mcp_json_type */
    uint8_t flags;  /* MCP_JSON_F_*       */
    uint32_t count; /* bytes of a string or of a number's text; items of an
                       array; members of an object */
    union {
        const char *text; /* string bytes (UTF-8), or the number's text; not
                             NUL-terminated */
        const struct mcp_json *items;
        const struct mcp_json_member *members;
    } u;
    double number; /* nearest double of a number; +-HUGE_VAL on overflow */
};

struct mcp_json_member {
    struct mcp_json key; /* always a string; after a parse key.number is the
                            offset of its quote in the text */
    struct mcp_json value;
};

/* No option allows more; functions that walk a tree may recurse. */
enum { MCP_JSON_MAX_DEPTH = 1024 };

struct mcp_json_options {
    uint32_t max_depth; /* nested arrays and objects; 0 = 64; at most
                           MCP_JSON_MAX_DEPTH, which stands for more */
    bool allow_duplicate_keys;
};

/* Where and why a text was refused. */
struct mcp_json_error {
    size_t offset;      /* bytes from the start of the text */
    const char *reason; /* static text, lower case, no full stop */
    bool duplicate_key; /* the text is JSON, but a key came twice */
};

/* Parses text[0..len). The tree lives in `a` and borrows from `text`.
 * `options` may be NULL (defaults), `error` may be NULL.
 * Errors: MCP_EINVAL not JSON or a duplicate key, see `error`; MCP_ELIMIT too
 * deep or longer than 2^32-1 bytes, see `error`; MCP_ENOMEM the arena is full.
 * Source: RFC 8259. */
enum mcp_err mcp_json_parse(struct mcp_arena *a, const char *text, size_t len,
                            const struct mcp_json_options *options,
                            const struct mcp_json **out,
                            struct mcp_json_error *error) MCP_MUST_USE;

/* The value of `key` in `object`, or NULL when it has none, `object` is NULL,
 * or it is no object. Of duplicate keys (when allowed) the last counts. */
const struct mcp_json *mcp_json_find(const struct mcp_json *object,
                                     const char *key);
const struct mcp_json *mcp_json_find_n(const struct mcp_json *object,
                                       const char *key, size_t key_len);

/* Is `v` (may be NULL) a value of this type? */
static inline bool mcp_json_is(const struct mcp_json *v,
                               enum mcp_json_type type)
{
    return v != NULL && v->type == type;
}

/* Is `v` (may be NULL) the string `text`? */
static inline bool mcp_json_equals_string(const struct mcp_json *v,
                                          const char *text)
{
    return v != NULL && v->type == MCP_JSON_STRING &&
           v->count == strlen(text) && memcmp(v->u.text, text, v->count) == 0;
}

/* Equality by JSON Schema's rules: numbers by exact mathematical value (1,
 * 1.0 and 10e-1 are equal; 9007199254740993 and 9007199254740992 are not),
 * objects regardless of order. Neither tree may have duplicate keys. */
bool mcp_json_equal(const struct mcp_json *a, const struct mcp_json *b);

/* "null", "boolean", "number", "string", "array" or "object". */
const char *mcp_json_type_name(const struct mcp_json *v);

/* ---- writing: compact, one line, '/' not escaped, non-ASCII as UTF-8 ---- */

/* Writes a tree; numbers by their own text. */
void mcp_json_write(struct mcp_buf *out, const struct mcp_json *v);

/* Writes text[0..len) as a JSON string with quotes. `text` must be UTF-8. */
void mcp_json_write_string(struct mcp_buf *out, const char *text, size_t len);
void mcp_json_write_cstring(struct mcp_buf *out, const char *text);

/* The inside of such a string, without quotes: for text built in parts. */
void mcp_json_write_escaped(struct mcp_buf *out, const char *text, size_t len);

/* The fewest digits that read back equal; integral values below 2^53 as plain
 * digits, -0 as 0. `v` must be finite; anything else is written as null. */
void mcp_json_write_number(struct mcp_buf *out, double v);

/* Is text[0..len) valid UTF-8 (RFC 3629: no surrogates, no overlong forms)?
 * `*bad` (may be NULL) gets the offset of the first wrong byte. */
bool mcp_utf8_valid(const char *text, size_t len, size_t *bad);

#endif
