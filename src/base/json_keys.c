/*
 * json_keys.c - open addressing under SipHash-1-3
 *
 * Source: SipHash, Aumasson and Bernstein 2012, with one round a word and three
 * at the end, as in the hash tables of Rust and Ruby.
 */
#include "base/json_keys.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed[2];
static pthread_once_t seed_once = PTHREAD_ONCE_INIT;

static void seed_init(void)
{
    struct timespec now = {0, 0};

    if (getrandom(seed, sizeof(seed), 0) == (ssize_t)sizeof(seed))
        return;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    seed[0] = (uint64_t)now.tv_nsec ^ ((uint64_t)getpid() << 32);
    seed[1] = (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)&now;
}

static inline uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static uint64_t hash(const char *text, size_t len)
{
    uint64_t v[4] = {seed[0] ^ UINT64_C(0x736f6d6570736575),
                     seed[1] ^ UINT64_C(0x646f72616e646f6d),
                     seed[0] ^ UINT64_C(0x6c7967656e657261),
                     seed[1] ^ UINT64_C(0x7465646279746573)};
    uint64_t word, last = (uint64_t)len << 56;
    size_t i;

    for (i = 0; i + 8 <= len; i += 8) {
        memcpy(&word, text + i, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = 0;
    if (i < len)
        memcpy(&word, text + i, len - i);
    last ^= word;
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

enum mcp_err mcp_json_index_init(struct mcp_json_index *ix,
                                 const struct mcp_json_member *members,
                                 uint32_t count)
{
    size_t size = 32;
    uint32_t *slots;

    while (size / 2 < count)
        size *= 2;
    if (size > UINT32_MAX)
        return MCP_ENOMEM;
    slots = calloc(size, sizeof(*slots));
    if (slots == NULL)
        return MCP_ENOMEM;
    (void)pthread_once(&seed_once, seed_init);
    ix->members = members;
    ix->slots = slots;
    ix->mask = (uint32_t)(size - 1);
    return MCP_OK;
}

void mcp_json_index_free(struct mcp_json_index *ix)
{
    free(ix->slots);
    ix->slots = NULL;
}

/* The slot that holds `key`, or the empty one where it belongs. */
static uint32_t *slot_of(const struct mcp_json_index *ix,
                         const struct mcp_json *key)
{
    uint32_t i = (uint32_t)hash(key->u.text, key->count) & ix->mask;

    while (ix->slots[i] != 0 &&
           !mcp_json_same_text(&ix->members[ix->slots[i] - 1].key, key))
        i = (i + 1) & ix->mask;
    return &ix->slots[i];
}

bool mcp_json_index_add(struct mcp_json_index *ix, uint32_t i)
{
    uint32_t *slot = slot_of(ix, &ix->members[i].key);
    bool fresh = *slot == 0;

    *slot = i + 1;
    return fresh;
}

const struct mcp_json_member *
mcp_json_index_find(const struct mcp_json_index *ix, const struct mcp_json *key)
{
    uint32_t slot = *slot_of(ix, key);

    return slot == 0 ? NULL : &ix->members[slot - 1];
}

/* A bit that equal keys share: most objects are done without a comparison. */
static inline uint64_t key_bit(const struct mcp_json *key)
{
    uint32_t n = key->count;
    uint32_t h = n;

    if (n > 0)
        h += (uint32_t)(unsigned char)key->u.text[0] << 8 |
             (uint32_t)(unsigned char)key->u.text[n - 1] << 16;
    return UINT64_C(1) << (h * UINT32_C(2654435761) >> 26);
}

static const struct mcp_json_member *
few_keys(const struct mcp_json_member *members, uint32_t count)
{
    uint64_t seen = 0, bit;
    uint32_t i, k;

    for (i = 0; i < count; i++, seen |= bit) {
        bit = key_bit(&members[i].key);
        if ((seen & bit) == 0)
            continue;
        for (k = 0; k < i; k++)
            if (mcp_json_same_text(&members[k].key, &members[i].key))
                return &members[i];
    }
    return NULL;
}

enum mcp_err mcp_json_keys_check(const struct mcp_json_member *members,
                                 uint32_t count,
                                 const struct mcp_json_member **twice)
{
    struct mcp_json_index ix;
    enum mcp_err err;
    uint32_t i = 0;

    if (count <= MCP_JSON_FEW_KEYS) {
        *twice = few_keys(members, count);
        return MCP_OK;
    }
    err = mcp_json_index_init(&ix, members, count);
    if (err != MCP_OK)
        return err;
    while (i < count && mcp_json_index_add(&ix, i))
        i++;
    *twice = i < count ? &members[i] : NULL;
    mcp_json_index_free(&ix);
    return MCP_OK;
}
