/*
 * session.c - see session.h
 *
 * `refs` counts the holders and, while it is listed, the table. Whoever drops
 * the last reference frees, outside of the lock.
 */
#include "protocol/session.h"

#include <pthread.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/memory.h"
#include "protocol/keep.h"

enum { FIRST_BUCKETS = 64, LEVEL_INFO = 1 };

struct mcp_session_table {
    pthread_mutex_t lock;
    struct mcp_session **buckets; /* by hash of the id */
    size_t bucket_count;          /* a power of two */
    struct mcp_session *newest, *oldest;
    size_t count;
};

struct mcp_session_table *mcp_sessions_new(void)
{
    struct mcp_session_table *t = mcp_memory_new(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    t->bucket_count = FIRST_BUCKETS;
    t->buckets = mcp_memory_new(t->bucket_count, sizeof(struct mcp_session *));
    if (t->buckets == NULL || pthread_mutex_init(&t->lock, NULL) != 0) {
        free(t->buckets);
        free(t);
        return NULL;
    }
    return t;
}

static void session_free(struct mcp_session *s)
{
    mcp_flights_destroy(&s->flights);
    mcp_inbox_free(&s->inbox);
    mcp_replay_forget(&s->replay);
    free((void *)s->client.info);
    free((void *)s->client.capabilities);
    free(s->principal);
    free(s);
}

void mcp_sessions_free(struct mcp_session_table *t)
{
    struct mcp_session *s, *older;

    if (t == NULL)
        return;
    for (s = t->newest; s != NULL; s = older) {
        older = s->older;
        session_free(s);
    }
    pthread_mutex_destroy(&t->lock);
    free(t->buckets);
    free(t);
}

/* FNV-1a: the ids that are in the table are random. */
static size_t hash(const char *id, size_t len)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)id[i]) * UINT64_C(1099511628211);
    return (size_t)(h ^ h >> 32);
}

static struct mcp_session **bucket(const struct mcp_session_table *t,
                                   const char *id)
{
    return &t->buckets[hash(id, MCP_SESSION_ID_LEN) & (t->bucket_count - 1)];
}

/* Twice the buckets; when there is no memory the chains just get longer. */
static void grow(struct mcp_session_table *t)
{
    struct mcp_session **old = t->buckets, *s;

    t->buckets =
        mcp_memory_new(2 * t->bucket_count, sizeof(struct mcp_session *));
    if (t->buckets == NULL) {
        t->buckets = old;
        return;
    }
    t->bucket_count *= 2;
    for (s = t->newest; s != NULL; s = s->older) {
        struct mcp_session **b = bucket(t, s->id);

        s->chain = *b;
        *b = s;
    }
    free(old);
}

static void list_add(struct mcp_session_table *t, struct mcp_session *s)
{
    s->newer = NULL;
    s->older = t->newest;
    *(t->newest != NULL ? &t->newest->newer : &t->oldest) = s;
    t->newest = s;
}

static void list_remove(struct mcp_session_table *t, struct mcp_session *s)
{
    *(s->newer != NULL ? &s->newer->older : &t->newest) = s->older;
    *(s->older != NULL ? &s->older->newer : &t->oldest) = s->newer;
}

static void touch(struct mcp_session_table *t, struct mcp_session *s,
                  uint64_t now)
{
    s->used_ns = now;
    if (t->newest == s)
        return;
    list_remove(t, s);
    list_add(t, s);
}

/* Takes `s` out of the table. True: nobody holds it, the caller frees it. */
static bool unlist(struct mcp_session_table *t, struct mcp_session *s)
{
    struct mcp_session **at = bucket(t, s->id);

    while (*at != s)
        at = &(*at)->chain;
    *at = s->chain;
    list_remove(t, s);
    s->listed = false;
    t->count--;
    return --s->refs == 0;
}

static bool is_held(const struct mcp_session *s)
{
    return s->refs > 1;
}

static bool is_stale(const struct mcp_session *s, uint64_t now,
                     uint64_t idle_ns)
{
    return !is_held(s) && now - s->used_ns > idle_ns;
}

/* The longest unused session that nobody holds, or NULL. */
static struct mcp_session *find_victim(const struct mcp_session_table *t)
{
    struct mcp_session *s = t->oldest;

    while (s != NULL && is_held(s))
        s = s->newer;
    return s;
}

/* Puts `s` into the table; `*victim` gets what had to go, to be freed. */
static enum mcp_err list(struct mcp_session_table *t, struct mcp_session *s,
                         size_t max, struct mcp_session **victim)
{
    struct mcp_session **b;

    if (t->count >= max) {
        *victim = find_victim(t);
        if (*victim == NULL)
            return MCP_EBUSY;
        (void)unlist(t, *victim);
    }
    if (t->count >= t->bucket_count)
        grow(t);
    b = bucket(t, s->id);
    s->chain = *b;
    *b = s;
    list_add(t, s);
    s->listed = true;
    s->refs++;
    t->count++;
    return MCP_OK;
}

static enum mcp_err make_id(char *id)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bits[MCP_SESSION_ID_LEN / 2];

    if (getrandom(bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
        return MCP_EINTERNAL;
    for (size_t i = 0; i < sizeof(bits); i++) {
        id[2 * i] = hex[bits[i] >> 4];
        id[2 * i + 1] = hex[bits[i] & 15];
    }
    return MCP_OK;
}

static enum mcp_err keep_client(struct mcp_session *s,
                                const struct mcp_client *client)
{
    struct mcp_json *copy;
    enum mcp_err err;

    err = mcp_keep(client->info, "icons", MCP_SESSION_CLIENT_MAX_BYTES, &copy);
    if (err != MCP_OK)
        return err;
    s->client.info = copy;
    /* 2025-03-26 has no elicitation, whatever its client says */
    err = mcp_keep(client->capabilities,
                   s->revision < MCP_2025_06_18 ? "elicitation" : NULL,
                   MCP_SESSION_CLIENT_MAX_BYTES, &copy);
    if (err == MCP_OK)
        s->client.capabilities = copy;
    return err;
}

static struct mcp_session *session_new(enum mcp_revision revision,
                                       const char *principal)
{
    struct mcp_session *s = mcp_memory_new(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->principal = strdup(principal != NULL ? principal : "");
    if (s->principal == NULL || !mcp_flights_init(&s->flights)) {
        free(s->principal);
        free(s);
        return NULL;
    }
    s->revision = revision;
    s->refs = 1;
    s->used_ns = mcp_clock_now_ns();
    atomic_init(&s->log_level, LEVEL_INFO);
    return s;
}

enum mcp_err mcp_session_open(struct mcp_session_table *t,
                              enum mcp_revision revision,
                              const struct mcp_client *client,
                              const char *principal, size_t max,
                              struct mcp_session **out)
{
    struct mcp_session *s = session_new(revision, principal), *victim = NULL;
    enum mcp_err err = s == NULL ? MCP_ENOMEM : keep_client(s, client);

    if (err == MCP_OK && max > 0)
        err = make_id(s->id);
    if (err == MCP_OK && max > 0) {
        pthread_mutex_lock(&t->lock);
        err = list(t, s, max, &victim);
        pthread_mutex_unlock(&t->lock);
    }
    if (victim != NULL)
        session_free(victim);
    if (err == MCP_OK)
        *out = s;
    else if (s != NULL)
        session_free(s);
    return err;
}

static struct mcp_session *look_up(const struct mcp_session_table *t,
                                   const char *id)
{
    struct mcp_session *s = *bucket(t, id);

    while (s != NULL && memcmp(s->id, id, MCP_SESSION_ID_LEN) != 0)
        s = s->chain;
    return s;
}

struct mcp_session *mcp_session_find(struct mcp_session_table *t,
                                     const char *id, size_t len,
                                     const char *principal, uint64_t idle_ns)
{
    struct mcp_session *s, *dead = NULL;
    uint64_t now;

    if (len != MCP_SESSION_ID_LEN)
        return NULL;
    pthread_mutex_lock(&t->lock);
    now = mcp_clock_now_ns(); /* under the lock: no use is in the future */
    s = look_up(t, id);
    if (s != NULL && is_stale(s, now, idle_ns)) {
        (void)unlist(t, s);
        dead = s;
        s = NULL;
    }
    if (s != NULL && strcmp(s->principal, principal ? principal : "") != 0)
        s = NULL;
    if (s != NULL)
        s->refs++;
    pthread_mutex_unlock(&t->lock);
    if (dead != NULL)
        session_free(dead);
    return s;
}

void mcp_session_hold(struct mcp_session_table *t, struct mcp_session *s)
{
    pthread_mutex_lock(&t->lock);
    s->refs++;
    pthread_mutex_unlock(&t->lock);
}

void mcp_session_release(struct mcp_session_table *t, struct mcp_session *s)
{
    bool last;

    pthread_mutex_lock(&t->lock);
    last = --s->refs == 0;
    if (s->listed)
        touch(t, s, mcp_clock_now_ns());
    pthread_mutex_unlock(&t->lock);
    if (last)
        session_free(s);
}

void mcp_session_close(struct mcp_session_table *t, struct mcp_session *s)
{
    pthread_mutex_lock(&t->lock);
    if (s->listed)
        (void)unlist(t, s);
    pthread_mutex_unlock(&t->lock);
}

/* Unlists the stale ones and chains them by `older`. Those that are held may
 * stand among them and are passed by. */
static struct mcp_session *take_stale(struct mcp_session_table *t,
                                      uint64_t idle_ns)
{
    struct mcp_session *s, *newer, *dead = NULL;
    uint64_t now = mcp_clock_now_ns();

    for (s = t->oldest; s != NULL; s = newer) {
        newer = s->newer;
        if (now - s->used_ns <= idle_ns)
            break;
        if (!is_stale(s, now, idle_ns))
            continue;
        (void)unlist(t, s);
        s->older = dead;
        dead = s;
    }
    return dead;
}

void mcp_sessions_sweep(struct mcp_session_table *t, uint64_t idle_ns)
{
    struct mcp_session *dead, *next;

    pthread_mutex_lock(&t->lock);
    dead = take_stale(t, idle_ns);
    pthread_mutex_unlock(&t->lock);
    for (; dead != NULL; dead = next) {
        next = dead->older;
        session_free(dead);
    }
}

size_t mcp_sessions_count(struct mcp_session_table *t)
{
    size_t n;

    pthread_mutex_lock(&t->lock);
    n = t->count;
    pthread_mutex_unlock(&t->lock);
    return n;
}
