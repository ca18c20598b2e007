/*
 * schema_names.c - property names and string enums by hash
 *
 * A short list is searched from the hint on, because members mostly come in
 * the order in which the schema declares them. A longer one has an open
 * addressing table at most half full.
 */
#include "base/schema_program.h"

enum { SHORT_LIST = 6 };

static uint32_t hash_name(const char *text, uint32_t len)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ len, word;

    for (; len >= 8; text += 8, len -= 8) {
        memcpy(&word, text, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, text, len);
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    return (uint32_t)(h >> 32);
}

static bool same(const struct schema_name *n, const char *text, uint32_t len)
{
    return n->len == len && memcmp(n->text, text, len) == 0;
}

/* The slot of `n`: its own, or the free one where it belongs. */
static uint32_t slot_of(const struct schema_name *items, const uint32_t *slots,
                        uint32_t mask, const struct schema_name *n)
{
    uint32_t at = hash_name(n->text, n->len) & mask;

    while (slots[at] != 0 && !same(&items[slots[at] - 1], n->text, n->len))
        at = (at + 1) & mask;
    return at;
}

bool schema_names_index(struct schema_names *names, struct mcp_arena *a,
                        struct schema_name *items, uint32_t count,
                        uint32_t *where)
{
    uint32_t size = 16, i, at, n = 0;
    uint32_t *slots;

    while (size / 2 < count)
        size *= 2;
    slots = mcp_arena_alloc(a, size * sizeof(*slots));
    if (slots == NULL)
        return false;
    memset(slots, 0, size * sizeof(*slots));
    for (i = 0; i < count; i++) {
        at = slot_of(items, slots, size - 1, &items[i]);
        if (slots[at] == 0) {
            items[n] = items[i];
            slots[at] = ++n;
        }
        if (where != NULL)
            where[i] = slots[at] - 1;
    }
    names->items = items;
    names->count = n;
    names->slots = n > SHORT_LIST ? slots : NULL;
    names->mask = size - 1;
    return true;
}

int64_t schema_names_find(const struct schema_names *names, const char *text,
                          uint32_t len, uint32_t hint)
{
    uint32_t i, at;

    if (hint < names->count && same(&names->items[hint], text, len))
        return hint;
    if (names->slots == NULL) {
        for (i = 0; i < names->count; i++)
            if (same(&names->items[i], text, len))
                return i;
        return -1;
    }
    at = hash_name(text, len) & names->mask;
    for (; names->slots[at] != 0; at = (at + 1) & names->mask)
        if (same(&names->items[names->slots[at] - 1], text, len))
            return names->slots[at] - 1;
    return -1;
}
