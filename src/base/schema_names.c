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

bool schema_names_index(struct schema_names *names, struct mcp_arena *a)
{
    uint32_t size = 16, i, at;
    uint32_t *slots;

    names->slots = NULL;
    names->mask = 0;
    if (names->count <= SHORT_LIST)
        return true;
    while (size < names->count * 2)
        size *= 2;
    slots = mcp_arena_alloc(a, size * sizeof(*slots));
    if (slots == NULL)
        return false;
    memset(slots, 0, size * sizeof(*slots));
    for (i = 0; i < names->count; i++) {
        at = hash_name(names->items[i].text, names->items[i].len);
        for (at &= size - 1; slots[at] != 0; at = (at + 1) & (size - 1))
            ;
        slots[at] = i + 1;
    }
    names->slots = slots;
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
