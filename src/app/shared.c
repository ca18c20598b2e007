/*
 * shared.c - chained hash tables with a list by use
 *
 *     places[hash & mask] -> entry -> entry        by key
 *     newest <-> ... <-> oldest                    by use
 *
 * Keys may come from clients: they are hashed with a secret (SipHash-1-3).
 */
#include "app/shared.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"

enum {
    FIRST_PLACES = 16, /* a power of two                                */
    OVERHEAD = 24,     /* of an entry, for malloc and the table         */
};

struct entry {
    struct entry *next; /* in its place                                 */
    struct entry *newer, *older;
    uint64_t hash, expires_ns; /* UINT64_MAX: never                     */
    size_t key_len, value_len, value_room;
    char *value; /* OWNED */
    char key[];
};

struct mcp_shared_dict {
    struct mcp_shared_dict *next; /* in the store */
    char *name;                   /* OWNED */
    uint64_t secret[2];
    pthread_mutex_t lock;
    struct entry **places; /* all under lock */
    size_t place_count, count, used_bytes, max_bytes;
    struct entry *newest, *oldest;
};

struct mcp_shared {
    pthread_mutex_t lock;
    struct mcp_shared_dict *first; /* under lock; they stay to the end */
    size_t count;
    uint64_t secret[2];
};

/* ---- hashing --------------------------------------------------------------
 */

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void sip_round(uint64_t v[static 4])
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

/* Source: SipHash, Aumasson and Bernstein 2012, with 1 and 3 rounds. */
static uint64_t hash(const uint64_t secret[static 2],
                     struct mcp_shared_text key)
{
    uint64_t v[4] = {secret[0] ^ UINT64_C(0x736f6d6570736575),
                     secret[1] ^ UINT64_C(0x646f72616e646f6d),
                     secret[0] ^ UINT64_C(0x6c7967656e657261),
                     secret[1] ^ UINT64_C(0x7465646279746573)};
    uint64_t word;
    size_t at = 0;

    for (; key.len - at >= 8; at += 8) {
        memcpy(&word, key.data + at, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = (uint64_t)key.len << 56;
    for (size_t i = 0; at + i < key.len; i++)
        word |= (uint64_t)(unsigned char)key.data[at + i] << (8 * i);
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- entries; all under the dictionary's lock -----------------------------
 */

size_t mcp_shared_cost(size_t key_len, size_t value_len)
{
    return sizeof(struct entry) + OVERHEAD + key_len + value_len;
}

static size_t cost_of(const struct entry *e)
{
    return mcp_shared_cost(e->key_len, e->value_len);
}

static struct entry **place_of(const struct mcp_shared_dict *d, uint64_t h)
{
    return &d->places[h & (d->place_count - 1)];
}

static void unlink_use(struct mcp_shared_dict *d, struct entry *e)
{
    *(e->newer != NULL ? &e->newer->older : &d->newest) = e->older;
    *(e->older != NULL ? &e->older->newer : &d->oldest) = e->newer;
}

static void link_newest(struct mcp_shared_dict *d, struct entry *e)
{
    e->newer = NULL;
    e->older = d->newest;
    *(d->newest != NULL ? &d->newest->newer : &d->oldest) = e;
    d->newest = e;
}

static void used(struct mcp_shared_dict *d, struct entry *e)
{
    if (d->newest == e)
        return;
    unlink_use(d, e);
    link_newest(d, e);
}

static void drop(struct mcp_shared_dict *d, struct entry *e)
{
    struct entry **link = place_of(d, e->hash);

    while (*link != e)
        link = &(*link)->next;
    *link = e->next;
    unlink_use(d, e);
    d->used_bytes -= cost_of(e);
    d->count--;
    free(e->value);
    free(e);
}

static bool is_over(const struct entry *e)
{
    return e->expires_ns != UINT64_MAX && mcp_clock_now_ns() >= e->expires_ns;
}

/* The entry of `key`, alive and now the newest, or NULL. */
static struct entry *find(struct mcp_shared_dict *d, uint64_t h,
                          struct mcp_shared_text key)
{
    struct entry *e = *place_of(d, h);

    while (e != NULL && (e->hash != h || e->key_len != key.len ||
                         memcmp(e->key, key.data, key.len) != 0))
        e = e->next;
    if (e != NULL && is_over(e)) {
        drop(d, e);
        return NULL;
    }
    if (e != NULL)
        used(d, e);
    return e;
}

/* Twice as many places, if there is memory; else the chains get longer. */
static void grow(struct mcp_shared_dict *d)
{
    size_t count = 2 * d->place_count;
    struct entry **places = calloc(count, sizeof(struct entry *));
    struct entry **old = d->places;

    if (places == NULL)
        return;
    d->places = places;
    d->place_count = count;
    for (struct entry *e = d->oldest; e != NULL; e = e->newer) {
        struct entry **place = place_of(d, e->hash);

        e->next = *place;
        *place = e;
    }
    free(old);
}

/* Room for `more` bytes; `kept` (may be NULL) is the newest and stays. */
static void evict(struct mcp_shared_dict *d, size_t more,
                  const struct entry *kept)
{
    while (d->oldest != NULL && d->oldest != kept &&
           d->used_bytes + more > d->max_bytes)
        drop(d, d->oldest);
}

static uint64_t end_of(uint64_t ttl_ns)
{
    uint64_t now = mcp_clock_now_ns();

    return ttl_ns == 0 || ttl_ns >= UINT64_MAX - now ? UINT64_MAX
                                                     : now + ttl_ns;
}

static enum mcp_err replace(struct mcp_shared_dict *d, struct entry *e,
                            struct mcp_shared_text value)
{
    size_t needed = mcp_shared_cost(e->key_len, value.len);

    if (needed > d->max_bytes)
        return MCP_ELIMIT;
    if (value.len > e->value_room || value.len < e->value_room / 2) {
        char *room = malloc(value.len + 1);

        if (room == NULL)
            return MCP_ENOMEM;
        free(e->value);
        e->value = room;
        e->value_room = value.len;
    }
    memcpy(e->value, value.data, value.len);
    d->used_bytes = d->used_bytes - cost_of(e) + needed;
    e->value_len = value.len;
    evict(d, 0, e);
    return MCP_OK;
}

static enum mcp_err insert(struct mcp_shared_dict *d, uint64_t h,
                           struct mcp_shared_text key,
                           struct mcp_shared_text value, uint64_t ttl_ns)
{
    size_t needed = mcp_shared_cost(key.len, value.len);
    struct entry *e, **place;

    if (needed > d->max_bytes)
        return MCP_ELIMIT;
    e = calloc(1, sizeof(*e) + key.len);
    if (e == NULL || (e->value = malloc(value.len + 1)) == NULL) {
        free(e);
        return MCP_ENOMEM;
    }
    evict(d, needed, NULL);
    if (d->count >= d->place_count)
        grow(d);
    e->hash = h;
    e->expires_ns = end_of(ttl_ns);
    e->key_len = key.len;
    e->value_len = e->value_room = value.len;
    memcpy(e->key, key.data, key.len);
    memcpy(e->value, value.data, value.len);
    place = place_of(d, h);
    e->next = *place;
    *place = e;
    link_newest(d, e);
    d->used_bytes += needed;
    d->count++;
    return MCP_OK;
}

/* ---- numbers --------------------------------------------------------------
 */

void mcp_shared_number_write(struct mcp_shared_number n, char *to)
{
    to[0] = (char)n.tag;
    memcpy(to + 1, &n.as, 8);
}

bool mcp_shared_number_read(struct mcp_shared_text value,
                            struct mcp_shared_number *n)
{
    if (value.len != MCP_SHARED_NUMBER_BYTES ||
        (value.data[0] != MCP_SHARED_DOUBLE &&
         value.data[0] != MCP_SHARED_INT64 &&
         value.data[0] != MCP_SHARED_UINT64))
        return false;
    n->tag = (enum mcp_shared_tag)value.data[0];
    memcpy(&n->as, value.data + 1, 8);
    return true;
}

/* The whole number that `n` is; false: it is none, or far too large. */
static bool whole(struct mcp_shared_number n, __int128 *out)
{
    switch (n.tag) {
    case MCP_SHARED_INT64:
        *out = n.as.i;
        return true;
    case MCP_SHARED_UINT64:
        *out = n.as.u;
        return true;
    case MCP_SHARED_DOUBLE:
        break;
    }
    if (!(fabs(n.as.d) < 0x1p65) || n.as.d != trunc(n.as.d))
        return false;
    *out = (__int128)n.as.d;
    return true;
}

bool mcp_shared_number_add(struct mcp_shared_number a,
                           struct mcp_shared_number b,
                           struct mcp_shared_number *sum)
{
    __int128 x, y;

    if (a.tag == MCP_SHARED_DOUBLE && b.tag == MCP_SHARED_DOUBLE) {
        *sum = (struct mcp_shared_number){MCP_SHARED_DOUBLE,
                                          {.d = a.as.d + b.as.d}};
        return true;
    }
    if (!whole(a, &x) || !whole(b, &y))
        return false;
    x += y;
    sum->tag = a.tag != MCP_SHARED_DOUBLE ? a.tag : b.tag;
    if (sum->tag == MCP_SHARED_UINT64) {
        sum->as.u = (uint64_t)x;
        return x >= 0 && x <= UINT64_MAX;
    }
    sum->as.i = (int64_t)x;
    return x >= INT64_MIN && x <= INT64_MAX;
}

/* ---- operations -----------------------------------------------------------
 */

enum mcp_err mcp_shared_get(struct mcp_shared_dict *d,
                            struct mcp_shared_text key, struct mcp_buf *out)
{
    uint64_t h = hash(d->secret, key);
    struct entry *e;

    (void)pthread_mutex_lock(&d->lock);
    e = find(d, h, key);
    if (e != NULL)
        mcp_buf_add(out, e->value, e->value_len);
    (void)pthread_mutex_unlock(&d->lock);
    if (e == NULL)
        return MCP_ENOENT;
    return out->failed ? MCP_ENOMEM : MCP_OK;
}

enum mcp_err mcp_shared_set(struct mcp_shared_dict *d,
                            struct mcp_shared_text key,
                            struct mcp_shared_text value, uint64_t ttl_ns)
{
    uint64_t h = hash(d->secret, key);
    struct entry *e;
    enum mcp_err err;

    (void)pthread_mutex_lock(&d->lock);
    e = find(d, h, key);
    if (e == NULL) {
        err = insert(d, h, key, value, ttl_ns);
    } else {
        err = replace(d, e, value);
        if (err == MCP_OK)
            e->expires_ns = end_of(ttl_ns);
    }
    (void)pthread_mutex_unlock(&d->lock);
    return err;
}

enum mcp_err mcp_shared_add(struct mcp_shared_dict *d,
                            struct mcp_shared_text key,
                            struct mcp_shared_text value, uint64_t ttl_ns)
{
    uint64_t h = hash(d->secret, key);
    enum mcp_err err = MCP_EEXIST;

    (void)pthread_mutex_lock(&d->lock);
    if (find(d, h, key) == NULL)
        err = insert(d, h, key, value, ttl_ns);
    (void)pthread_mutex_unlock(&d->lock);
    return err;
}

/* The new value of `e` (NULL: there is none) as bytes. */
static enum mcp_err sum_up(const struct entry *e, struct mcp_shared_number by,
                           struct mcp_shared_number *now)
{
    struct mcp_shared_number was;

    if (e == NULL) {
        *now = by;
        return MCP_OK;
    }
    if (!mcp_shared_number_read(
            (struct mcp_shared_text){e->value, e->value_len}, &was))
        return MCP_EINVAL;
    return mcp_shared_number_add(was, by, now) ? MCP_OK : MCP_ECANCELED;
}

enum mcp_err mcp_shared_incr(struct mcp_shared_dict *d,
                             struct mcp_shared_text key,
                             struct mcp_shared_number by, uint64_t ttl_ns,
                             struct mcp_shared_number *now)
{
    uint64_t h = hash(d->secret, key);
    char bytes[MCP_SHARED_NUMBER_BYTES];
    struct mcp_shared_text value = {bytes, sizeof(bytes)};
    struct mcp_shared_number sum;
    struct entry *e;
    enum mcp_err err;

    (void)pthread_mutex_lock(&d->lock);
    e = find(d, h, key);
    err = sum_up(e, by, &sum);
    if (err == MCP_OK) {
        mcp_shared_number_write(sum, bytes);
        err =
            e != NULL ? replace(d, e, value) : insert(d, h, key, value, ttl_ns);
    }
    (void)pthread_mutex_unlock(&d->lock);
    if (err == MCP_OK)
        *now = sum;
    return err;
}

bool mcp_shared_delete(struct mcp_shared_dict *d, struct mcp_shared_text key)
{
    uint64_t h = hash(d->secret, key);
    struct entry *e;

    (void)pthread_mutex_lock(&d->lock);
    e = find(d, h, key);
    if (e != NULL)
        drop(d, e);
    (void)pthread_mutex_unlock(&d->lock);
    return e != NULL;
}

enum mcp_err mcp_shared_keys(struct mcp_shared_dict *d,
                             struct mcp_shared_text prefix, struct mcp_buf *out)
{
    (void)pthread_mutex_lock(&d->lock);
    for (struct entry *e = d->newest; e != NULL; e = e->older) {
        if (e->key_len < prefix.len ||
            memcmp(e->key, prefix.data, prefix.len) != 0 || is_over(e))
            continue;
        mcp_buf_add(out, &e->key_len, sizeof(e->key_len));
        mcp_buf_add(out, e->key, e->key_len);
    }
    (void)pthread_mutex_unlock(&d->lock);
    return out->failed ? MCP_ENOMEM : MCP_OK;
}

static size_t read_count(struct mcp_shared_dict *d, const size_t *count)
{
    size_t n;

    (void)pthread_mutex_lock(&d->lock);
    n = *count;
    (void)pthread_mutex_unlock(&d->lock);
    return n;
}

size_t mcp_shared_max_bytes(struct mcp_shared_dict *d)
{
    return read_count(d, &d->max_bytes);
}

size_t mcp_shared_used_bytes(struct mcp_shared_dict *d)
{
    return read_count(d, &d->used_bytes);
}

size_t mcp_shared_count(struct mcp_shared_dict *d)
{
    return read_count(d, &d->count);
}

const char *mcp_shared_name(const struct mcp_shared_dict *d)
{
    return d->name;
}

/* ---- dictionaries ---------------------------------------------------------
 */

static void dict_free(struct mcp_shared_dict *d)
{
    if (d == NULL)
        return;
    while (d->oldest != NULL)
        drop(d, d->oldest);
    (void)pthread_mutex_destroy(&d->lock);
    free(d->places);
    free(d->name);
    free(d);
}

static struct mcp_shared_dict *dict_new(const struct mcp_shared *s,
                                        struct mcp_shared_text name)
{
    struct mcp_shared_dict *d = calloc(1, sizeof(*d));

    if (d == NULL)
        return NULL;
    (void)pthread_mutex_init(&d->lock, NULL);
    memcpy(d->secret, s->secret, sizeof(d->secret));
    d->max_bytes = MCP_SHARED_DEFAULT_BYTES;
    d->place_count = FIRST_PLACES;
    d->places = calloc(FIRST_PLACES, sizeof(struct entry *));
    d->name = strndup(name.data, name.len);
    if (d->places == NULL || d->name == NULL) {
        dict_free(d);
        return NULL;
    }
    return d;
}

/* Finds or makes it. Under the store's lock. */
static enum mcp_err look_up(struct mcp_shared *s, struct mcp_shared_text name,
                            struct mcp_shared_dict **out)
{
    struct mcp_shared_dict *d = s->first;

    while (d != NULL && (strncmp(d->name, name.data, name.len) != 0 ||
                         d->name[name.len] != '\0'))
        d = d->next;
    if (d == NULL) {
        if (s->count >= MCP_SHARED_MAX_DICTS)
            return MCP_ELIMIT;
        d = dict_new(s, name);
        if (d == NULL)
            return MCP_ENOMEM;
        d->next = s->first;
        s->first = d;
        s->count++;
    }
    *out = d;
    return MCP_OK;
}

enum mcp_err mcp_shared_open(struct mcp_shared *s, struct mcp_shared_text name,
                             size_t max_bytes, struct mcp_shared_dict **out)
{
    struct mcp_shared_dict *d = NULL;
    enum mcp_err err;

    (void)pthread_mutex_lock(&s->lock);
    err = look_up(s, name, &d);
    (void)pthread_mutex_unlock(&s->lock);
    if (err != MCP_OK)
        return err;
    if (max_bytes > 0) {
        (void)pthread_mutex_lock(&d->lock);
        d->max_bytes = max_bytes;
        evict(d, 0, NULL);
        (void)pthread_mutex_unlock(&d->lock);
    }
    *out = d;
    return MCP_OK;
}

struct mcp_shared *mcp_shared_new(void)
{
    struct mcp_shared *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    (void)pthread_mutex_init(&s->lock, NULL);
    if (getrandom(s->secret, sizeof(s->secret), 0) < 0)
        s->secret[0] = mcp_clock_now_ns();
    return s;
}

void mcp_shared_free(struct mcp_shared *s)
{
    struct mcp_shared_dict *d, *next;

    if (s == NULL)
        return;
    for (d = s->first; d != NULL; d = next) {
        next = d->next;
        dict_free(d);
    }
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}
