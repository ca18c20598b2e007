/*
 * rank.h - which of many values somebody is typing
 *
 * First the values that begin with what was typed, then those that hold it,
 * then those that have its characters in this order; the rest does not match.
 * Upper and lower case of ASCII letters are the same. Within a rank the given
 * order stays.
 *
 * Layer:  features. Uses base/buf, base/json.
 * Thread: any.
 * Source: MCP server/utilities/completion of each revision.
 */
#ifndef MCP_FEATURES_RANK_H
#define MCP_FEATURES_RANK_H

#include <stddef.h>

#include "base/buf.h"

enum { MCP_RANK_MAX_VALUES = 100 }; /* told at once */

struct mcp_rank_value {
    const char *text; /* UTF-8 */
    size_t len;
};

/* Writes {"values":[...],"total":n,"hasMore":b} of those of `count` values
 * that match typed[0..len). at(list, i) gives value `i`; its text NULL: leave
 * it out. */
void mcp_rank_write(struct mcp_buf *out, const char *typed, size_t len,
                    const void *list, size_t count,
                    struct mcp_rank_value (*at)(const void *list, size_t i));

#endif
