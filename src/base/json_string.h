/*
 * json_string.h - strings of the JSON parser
 *
 * Private to base.
 *
 * Layer:  base. Uses base/json.
 * Thread: any.
 */
#ifndef MCP_BASE_JSON_STRING_H
#define MCP_BASE_JSON_STRING_H

#include "base/json.h"

/* Why and where a string was refused. */
struct mcp_json_flaw {
    const char *at;
    const char *reason;
};

/* Reads the string whose first byte behind the quote is `text`, of which
 * [text, p) is known to be plain ASCII, and fills `out`. Without escapes the
 * value BORROWS from `text`, else it lives in `a`. Returns the byte behind the
 * closing quote. NULL: refused, see `flaw`; flaw->reason is NULL when it was
 * the arena that had no room. */
const char *mcp_json_string_parse(struct mcp_arena *a, const char *text,
                                  const char *p, const char *end,
                                  struct mcp_json *out,
                                  struct mcp_json_flaw *flaw);

#endif
