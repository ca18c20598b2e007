/*
 * bridge_scan.h - the id of a message that is too large to be kept
 *
 * Looks at the members of the outermost object as the bytes go by, so that
 * whoever sent the message hears of it. What is no JSON gives some id or none;
 * the bytes are not checked.
 *
 * Layer:  transport; private to bridge*.c. Uses nothing.
 * Thread: one at a time.
 */
#ifndef MCP_TRANSPORT_BRIDGE_SCAN_H
#define MCP_TRANSPORT_BRIDGE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum { MCP_SCAN_TEXT_BYTES = 256 };

/* All zero: before the first byte. */
struct mcp_bridge_scan {
    size_t depth; /* of objects and arrays            */
    bool in_string, escaped;
    bool at_value; /* of a member of the outermost object: behind ':' */
    bool is_array; /* the outermost value is one       */
    bool has_method;
    char key[MCP_SCAN_TEXT_BYTES], id[MCP_SCAN_TEXT_BYTES];
    size_t key_len, id_len; /* MCP_SCAN_TEXT_BYTES: too long */
};

void mcp_bridge_scan_feed(struct mcp_bridge_scan *s, const char *bytes,
                          size_t len);

/* The id of a request as JSON text, or NULL: it is none, or has no id. */
const char *mcp_bridge_scan_id(const struct mcp_bridge_scan *s, size_t *len);

#endif
