/*
 * regex_reader.h - what the parts of the pattern reader share
 *
 * Layer:  base. Uses base/buf, base/err. Private to src/base/regex*.c.
 * Thread: any.
 */
#ifndef MCP_BASE_REGEX_READER_H
#define MCP_BASE_REGEX_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* The pattern under translation. The first error stays. */
struct regex_reader {
    const char *start, *p, *end;
    struct mcp_buf *out; /* NULL: check only */
    const char *reason;  /* NULL: all is well */
    const char *bad;     /* where it is not   */
    uint32_t group_count, name_count;
    bool guarded; /* write callouts */
};

/* Notes the first error, at `at`. Returns false. */
bool regex_fail(struct regex_reader *r, const char *at, const char *reason);

void regex_puts(struct regex_reader *r, const char *text);

/* Writes one character so that PCRE2 takes it literally. */
void regex_put_char(struct regex_reader *r, uint32_t c);

/* The next character, which must exist. */
uint32_t regex_next_char(struct regex_reader *r);

/* Reads a character escape behind the backslash: \n \cA \0 \x41 \u0041
 * \u{41} and escaped punctuation. */
bool regex_char_escape(struct regex_reader *r, uint32_t *c);

/* Reads \d \D \w \W \s \S \p{} \P{} behind the backslash and writes it,
 * for use inside [] or outside. `*found` is false, and nothing was read, when
 * it is none of them. False: an error. */
bool regex_class_escape(struct regex_reader *r, bool inside, bool *found);

/* Reads a class behind its "[" and writes it. */
bool regex_class(struct regex_reader *r);

/* As mcp_regex_translate(), with callouts when `guarded`. */
enum mcp_err regex_translate(const char *pattern, size_t len,
                             struct mcp_buf *out, bool guarded,
                             const char **reason, size_t *offset) MCP_MUST_USE;

/* The inside of \p{...} in ECMA-262 -> the inside for PCRE2 in `to`. False:
 * ECMA-262 knows no such property. */
bool regex_property(const char *name, size_t len, char *to, size_t to_size);

#endif
