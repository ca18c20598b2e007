/*
 * json_text.h - where the parts of a JSON text begin and end
 *
 * For those who want the bytes as they are written: copied as they stand, or
 * kept while others beside them change. The text has been parsed before: it is
 * JSON.
 *
 * Layer:  cli. Uses nothing.
 * Thread: any.
 */
#ifndef MCP_CLI_JSON_TEXT_H
#define MCP_CLI_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The first place from `at` on that is no white space, at most `len`. */
size_t mcp_json_text_skip(const char *text, size_t len, size_t at);

/* The end of the value that begins at `at`. */
size_t mcp_json_text_end(const char *text, size_t len, size_t at);

/* The beginning of the value of the member whose key begins at `at`. */
size_t mcp_json_text_value(const char *text, size_t len, size_t at);

/* Steps through the array or object whose bracket is at `*at`. Before each
 * further step the caller sets `*at` to the end of the item, of the member's
 * value. True: `*begin` is where the next item, the next key begins. False:
 * there is none, and `*at` is the closing bracket. */
bool mcp_json_text_next(const char *text, size_t len, size_t *at,
                        size_t *begin);

/* The beginning of the value of the member `name` (which needs no escapes) of
 * the object at `at`; `len` when it has none. */
size_t mcp_json_text_find(const char *text, size_t len, size_t at,
                          const char *name);

#endif
