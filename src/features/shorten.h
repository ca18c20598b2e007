/*
 * shorten.h - names that are told again, but not at any length
 *
 * Layer:  features. Uses base/json.
 * Thread: any.
 */
#ifndef MCP_FEATURES_SHORTEN_H
#define MCP_FEATURES_SHORTEN_H

#include "base/json.h"

/* How many bytes of the string `s` to show: at most `max`, cut between
 * characters. */
static inline uint32_t mcp_shorten(const struct mcp_json *s, uint32_t max)
{
    uint32_t n = s->count;

    if (n <= max)
        return n;
    for (n = max; n > 0 && (s->u.text[n] & 0xc0) == 0x80; n--)
        continue;
    return n;
}

#endif
