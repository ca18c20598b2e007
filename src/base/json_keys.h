/*
 * json_keys.h - which members of an object have the same key
 *
 * Private to base. Few keys are compared with each other; many go through a
 * hash table whose hash is keyed with random bytes of this process, so that no
 * peer can choose keys that collide.
 *
 * Layer:  base. Uses base/json.
 * Thread: an index belongs to one thread; all else is any.
 */
#ifndef MCP_BASE_JSON_KEYS_H
#define MCP_BASE_JSON_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

/* Up to this many keys are compared pairwise. */
enum { MCP_JSON_FEW_KEYS = 16 };

/* Keys of one object by hash. The members are BORROWED until _free. */
struct mcp_json_index {
    const struct mcp_json_member *members;
    uint32_t *slots; /* member index + 1; 0 = empty */
    uint32_t mask;
};

/* An index without members that has room for all `count` of `members`.
 * Pair with mcp_json_index_free(). Errors: MCP_ENOMEM. */
enum mcp_err mcp_json_index_init(struct mcp_json_index *ix,
                                 const struct mcp_json_member *members,
                                 uint32_t count) MCP_MUST_USE;
void mcp_json_index_free(struct mcp_json_index *ix);

/* Enters members[i]. False: a member with this key is there; members[i] takes
 * its place, so a later find yields the last of them. */
bool mcp_json_index_add(struct mcp_json_index *ix, uint32_t i);

/* The entered member with this key, or NULL. */
const struct mcp_json_member *
mcp_json_index_find(const struct mcp_json_index *ix,
                    const struct mcp_json *key);

/* Do two string values have the same bytes? */
static inline bool mcp_json_same_text(const struct mcp_json *a,
                                      const struct mcp_json *b)
{
    return a->count == b->count && memcmp(a->u.text, b->u.text, a->count) == 0;
}

/* Sets `*twice` to the first member whose key an earlier one has, or to NULL.
 * Errors: MCP_ENOMEM. */
enum mcp_err
mcp_json_keys_check(const struct mcp_json_member *members, uint32_t count,
                    const struct mcp_json_member **twice) MCP_MUST_USE;

#endif
