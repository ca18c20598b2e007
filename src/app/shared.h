/*
 * shared.h - dictionaries that every call of a process sees
 *
 * A dictionary maps keys (bytes) to values (bytes; shared_value.h says which).
 * Each has a lock of its own, under which no Lua runs and nothing is waited
 * for. What it holds is bounded: beyond max_bytes the entries that were used
 * least recently go. An entry with a time to live is gone when that has
 * passed; its memory goes when it is next looked for or evicted. A dictionary
 * lives until the store ends, so reloads keep its content.
 *
 * Layer:  app. Uses base/buf, base/clock. No Lua.
 * Thread: any.
 */
#ifndef MCP_APP_SHARED_H
#define MCP_APP_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct mcp_shared;
struct mcp_shared_dict;

enum {
    MCP_SHARED_MAX_NAME = 128,   /* bytes of a dictionary's name       */
    MCP_SHARED_MAX_DICTS = 1024, /* of a process                       */
    MCP_SHARED_DEFAULT_BYTES = 16 << 20,
};

/* What a value begins with. A number is its tag and eight bytes. */
enum mcp_shared_tag {
    MCP_SHARED_DOUBLE = 'd',
    MCP_SHARED_INT64 = 'i',
    MCP_SHARED_UINT64 = 'u',
};

/* A number as a value: double, or 64 bits with their digits. */
struct mcp_shared_number {
    enum mcp_shared_tag tag;
    union {
        double d;
        int64_t i;
        uint64_t u;
    } as;
};

enum { MCP_SHARED_NUMBER_BYTES = 9 };

/* Where a key or a value lies; BORROWED for the call. */
struct mcp_shared_text {
    const char *data;
    size_t len;
};

/* All dictionaries are freed with it. */
void mcp_shared_free(struct mcp_shared *s);
struct mcp_shared *mcp_shared_new(void) MCP_OWNED(mcp_shared_free) MCP_MUST_USE;

/* The dictionary called `name`, made when there is none; BORROWED from the
 * store. `max_bytes` 0: the default for a new one, and no change otherwise;
 * else its bound from now on.
 * Errors: MCP_ELIMIT there are MCP_SHARED_MAX_DICTS; MCP_ENOMEM. */
enum mcp_err mcp_shared_open(struct mcp_shared *s, struct mcp_shared_text name,
                             size_t max_bytes,
                             struct mcp_shared_dict **out) MCP_MUST_USE;

/* Of the dictionary. */
const char *mcp_shared_name(const struct mcp_shared_dict *d);
size_t mcp_shared_max_bytes(struct mcp_shared_dict *d);
/* What its entries take now, and how many there are. */
size_t mcp_shared_used_bytes(struct mcp_shared_dict *d);
size_t mcp_shared_count(struct mcp_shared_dict *d);
/* What an entry of this key and value takes. */
size_t mcp_shared_cost(size_t key_len, size_t value_len);

/* Adds the value to `out`. Errors: MCP_ENOENT no such key; MCP_ENOMEM `out` is
 * full. */
enum mcp_err mcp_shared_get(struct mcp_shared_dict *d,
                            struct mcp_shared_text key,
                            struct mcp_buf *out) MCP_MUST_USE;

/* Keeps a copy of `value` for `ttl_ns` (0: for good). Errors, with the
 * dictionary as it was: MCP_ELIMIT it alone is more than max_bytes;
 * MCP_ENOMEM. */
enum mcp_err mcp_shared_set(struct mcp_shared_dict *d,
                            struct mcp_shared_text key,
                            struct mcp_shared_text value,
                            uint64_t ttl_ns) MCP_MUST_USE;

/* The same when there is no such key; MCP_EEXIST when there is. */
enum mcp_err mcp_shared_add(struct mcp_shared_dict *d,
                            struct mcp_shared_text key,
                            struct mcp_shared_text value,
                            uint64_t ttl_ns) MCP_MUST_USE;

/* Adds `by` to a number (0 when there is no such key; only then `ttl_ns`
 * counts); `*now` is the sum. A sum is 64-bit as soon as the value is, or
 * there is none and `by` is.
 * Errors: MCP_EINVAL the value is no number; MCP_ECANCELED the sum is no whole
 * number or beyond 64 bits; MCP_ELIMIT, MCP_ENOMEM as above. */
enum mcp_err mcp_shared_incr(struct mcp_shared_dict *d,
                             struct mcp_shared_text key,
                             struct mcp_shared_number by, uint64_t ttl_ns,
                             struct mcp_shared_number *now) MCP_MUST_USE;

/* Was there one? */
bool mcp_shared_delete(struct mcp_shared_dict *d, struct mcp_shared_text key);

/* Adds the keys that begin with `prefix`, in no order, each as a size_t and
 * its bytes. Errors: MCP_ENOMEM `out` is full. */
enum mcp_err mcp_shared_keys(struct mcp_shared_dict *d,
                             struct mcp_shared_text prefix,
                             struct mcp_buf *out) MCP_MUST_USE;

/* A number as MCP_SHARED_NUMBER_BYTES bytes, and back; false: it is none. */
void mcp_shared_number_write(struct mcp_shared_number n, char *to);
bool mcp_shared_number_read(struct mcp_shared_text value,
                            struct mcp_shared_number *n);

/* a + b as mcp_shared_incr() does it; false: see MCP_ECANCELED there. */
bool mcp_shared_number_add(struct mcp_shared_number a,
                           struct mcp_shared_number b,
                           struct mcp_shared_number *sum);

#endif
