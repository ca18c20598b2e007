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

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { MCP_RANK_MAX_VALUES = 100 }; /* told at once */

struct mcp_rank_value {
    const char *text; /* UTF-8 */
    size_t len;
};

struct mcp_rank_list {
    const void *items;
    size_t count;
    /* Value `i`; its text NULL: leave it out. */
    struct mcp_rank_value (*at)(const void *items, size_t i);
    bool is_part; /* there are more, nobody knows which */
};

/* Writes {"values":[...],"total":n,"hasMore":b} of those values in `list` that
 * match typed[0..len). There is no total of a list that is a part. */
void mcp_rank_write(struct mcp_buf *out, const char *typed, size_t len,
                    const struct mcp_rank_list *list);

#endif
