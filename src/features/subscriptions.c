/*
 * subscriptions.c - see subscriptions.h
 *
 * A closed stream stays in the list while it is pinned, so a publisher can
 * always go on from the one that it has pinned.
 */
#include "features/subscriptions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

enum { MESSAGE_MAX_BYTES = 300 << 20 };

struct mcp_inbox_uri {
    char *text; /* OWNED */
    size_t len;
};

struct mcp_subscriptions {
    pthread_mutex_t lock;   /* of all below, the streams and the inboxes */
    struct mcp_stream head; /* of the list, oldest first                 */
    size_t count;           /* open ones                                 */
    bool closed;            /* the server ends                           */
};

/* One change, and the message about it without the id of the stream. */
struct change {
    unsigned list;   /* MCP_OFFER_*, or 0: */
    const char *uri; /* this resource, or: */
    size_t len;
    const char *task, *principal; /* this task, and whose it is */
    const char *body;             /* what is told of it         */
    size_t body_len;
    const char *method;
};

struct mcp_subscriptions *mcp_subscriptions_new(void)
{
    struct mcp_subscriptions *set = mcp_memory_new(1, sizeof(*set));

    if (set == NULL)
        return NULL;
    if (pthread_mutex_init(&set->lock, NULL) != 0) {
        free(set);
        return NULL;
    }
    set->head.next = set->head.prev = &set->head;
    return set;
}

void mcp_subscriptions_free(struct mcp_subscriptions *set)
{
    if (set == NULL)
        return;
    (void)pthread_mutex_destroy(&set->lock);
    free(set);
}

size_t mcp_subscriptions_count(struct mcp_subscriptions *set)
{
    size_t n;

    (void)pthread_mutex_lock(&set->lock);
    n = set->count;
    (void)pthread_mutex_unlock(&set->lock);
    return n;
}

/* ---- open and close ----------------------------------------------------- */

static void unlink_stream(struct mcp_stream *s)
{
    s->prev->next = s->next;
    s->next->prev = s->prev;
}

/* With the lock. True: nobody has it pinned, the caller calls end(). */
static bool close_stream(struct mcp_subscriptions *set, struct mcp_stream *s,
                         enum mcp_stream_why why)
{
    if (s->state != MCP_STREAM_OPEN)
        return false;
    s->state = MCP_STREAM_CLOSED;
    s->why = why;
    set->count--;
    if (s->inbox != NULL && s->inbox->stream == s)
        s->inbox->stream = NULL;
    if (s->pins > 0)
        return false;
    unlink_stream(s);
    return true;
}

static void end_stream(struct mcp_stream *s)
{
    s->end(s, s->why);
}

/* With the lock: the message and the place in the list are one step, so what
 * is published later follows the message. */
static enum mcp_err add_stream(struct mcp_subscriptions *set,
                               struct mcp_stream *s, const char *first,
                               size_t len, size_t max)
{
    enum mcp_err err;

    if (set->closed || set->count >= max)
        return MCP_EBUSY;
    err = s->call->ops->emit(s->call, first, len);
    if (err != MCP_OK)
        return err;
    s->state = MCP_STREAM_OPEN;
    s->prev = set->head.prev;
    s->next = &set->head;
    s->prev->next = s->next->prev = s;
    set->count++;
    return MCP_OK;
}

enum mcp_err mcp_stream_open(struct mcp_subscriptions *set,
                             struct mcp_stream *s, const char *first,
                             size_t len, size_t max)
{
    struct mcp_stream *old = NULL;
    enum mcp_err err;

    (void)pthread_mutex_lock(&set->lock);
    err = add_stream(set, s, first, len, max);
    if (err == MCP_OK && s->inbox != NULL) {
        old = s->inbox->stream;
        if (old != NULL && !close_stream(set, old, MCP_STREAM_REPLACED))
            old = NULL;
        s->inbox->stream = s;
    }
    (void)pthread_mutex_unlock(&set->lock);
    if (old != NULL)
        end_stream(old);
    return err;
}

void mcp_stream_close(struct mcp_subscriptions *set, struct mcp_stream *s,
                      enum mcp_stream_why why)
{
    bool ours;

    (void)pthread_mutex_lock(&set->lock);
    ours = close_stream(set, s, why);
    (void)pthread_mutex_unlock(&set->lock);
    if (ours)
        end_stream(s);
}

void mcp_subscriptions_close(struct mcp_subscriptions *set)
{
    struct mcp_stream *s, *next, *ended = NULL;
    size_t n;

    (void)pthread_mutex_lock(&set->lock);
    set->closed = true;
    n = set->count;
    for (s = set->head.next; s != &set->head; s = next) {
        next = s->next;
        if (!close_stream(set, s, MCP_STREAM_SHUTDOWN))
            continue;
        s->next = ended;
        ended = s;
    }
    (void)pthread_mutex_unlock(&set->lock);
    if (n > 0)
        mcp_log(MCP_LOG_INFO, "subscriptions",
                "the server ends, and with it %zu stream%s", n,
                n == 1 ? "" : "s");
    for (; ended != NULL; ended = next) {
        next = ended->next;
        end_stream(ended);
    }
}

/* ---- inboxes ------------------------------------------------------------ */

/* Where uri[0..len) is in the inbox, or inbox->count. */
static size_t find_uri(const struct mcp_inbox *inbox, const char *uri,
                       size_t len)
{
    size_t i;

    for (i = 0; i < inbox->count; i++)
        if (inbox->uris[i].len == len &&
            memcmp(inbox->uris[i].text, uri, len) == 0)
            break;
    return i;
}

/* Makes room for one more. */
static bool grow(struct mcp_inbox *inbox)
{
    size_t room = inbox->room == 0 ? 4 : 2 * inbox->room;
    struct mcp_inbox_uri *uris;

    if (inbox->count < inbox->room)
        return true;
    uris = mcp_memory_new(room, sizeof(*uris));
    if (uris == NULL)
        return false;
    if (inbox->count > 0)
        memcpy(uris, inbox->uris, inbox->count * sizeof(*uris));
    free(inbox->uris);
    inbox->uris = uris;
    inbox->room = room;
    return true;
}

static enum mcp_err add_uri(struct mcp_inbox *inbox, const char *uri,
                            size_t len)
{
    char *copy;

    if (find_uri(inbox, uri, len) < inbox->count)
        return MCP_OK;
    if (inbox->count >= MCP_INBOX_MAX_URIS ||
        len > MCP_INBOX_MAX_BYTES - inbox->bytes)
        return MCP_ELIMIT;
    copy = mcp_memory_new(1, len + 1);
    if (copy == NULL || !grow(inbox)) {
        free(copy);
        return MCP_ENOMEM;
    }
    memcpy(copy, uri, len);
    inbox->uris[inbox->count].text = copy;
    inbox->uris[inbox->count++].len = len;
    inbox->bytes += len;
    return MCP_OK;
}

enum mcp_err mcp_inbox_add(struct mcp_subscriptions *set,
                           struct mcp_inbox *inbox, const char *uri, size_t len)
{
    enum mcp_err err;

    (void)pthread_mutex_lock(&set->lock);
    err = add_uri(inbox, uri, len);
    (void)pthread_mutex_unlock(&set->lock);
    return err;
}

void mcp_inbox_remove(struct mcp_subscriptions *set, struct mcp_inbox *inbox,
                      const char *uri, size_t len)
{
    size_t i;

    (void)pthread_mutex_lock(&set->lock);
    i = find_uri(inbox, uri, len);
    if (i < inbox->count) {
        free(inbox->uris[i].text);
        inbox->bytes -= len;
        inbox->uris[i] = inbox->uris[--inbox->count];
    }
    (void)pthread_mutex_unlock(&set->lock);
}

void mcp_inbox_close(struct mcp_subscriptions *set, struct mcp_inbox *inbox,
                     enum mcp_stream_why why)
{
    struct mcp_stream *s;

    (void)pthread_mutex_lock(&set->lock);
    s = inbox->stream;
    if (s != NULL && !close_stream(set, s, why))
        s = NULL;
    (void)pthread_mutex_unlock(&set->lock);
    if (s != NULL)
        end_stream(s);
}

void mcp_inbox_free(struct mcp_inbox *inbox)
{
    size_t i;

    for (i = 0; i < inbox->count; i++)
        free(inbox->uris[i].text);
    free(inbox->uris);
}

/* ---- publishing --------------------------------------------------------- */

static bool wants_uri(const struct mcp_stream *s, const char *uri, size_t len)
{
    const struct mcp_json *u = s->uris;
    uint32_t i;

    if (s->inbox != NULL)
        return find_uri(s->inbox, uri, len) < s->inbox->count;
    for (i = 0; u != NULL && i < u->count; i++)
        if (u->u.items[i].count == len &&
            memcmp(u->u.items[i].u.text, uri, len) == 0)
            return true;
    return false;
}

static bool wants_task(const struct mcp_stream *s, const struct change *c)
{
    const struct mcp_json *t = s->tasks;
    uint32_t i;

    for (i = 0; t != NULL && i < t->count; i++)
        if (mcp_json_equals_string(&t->u.items[i], c->task))
            return strcmp(s->call->principal, c->principal) == 0;
    return false;
}

/* With the lock. */
static bool wants(const struct mcp_stream *s, const struct change *c)
{
    if (s->state != MCP_STREAM_OPEN)
        return false;
    if (c->task != NULL)
        return wants_task(s, c);
    return c->uri != NULL ? wants_uri(s, c->uri, c->len)
                          : (s->lists & c->list) != 0;
}

/* With the lock: the next after `s` that wants to hear of it, pinned; NULL:
 * there is none. */
static struct mcp_stream *pin_next(struct mcp_subscriptions *set,
                                   struct mcp_stream *s, const struct change *c)
{
    for (s = s->next; s != &set->head; s = s->next)
        if (wants(s, c)) {
            s->pins++;
            return s;
        }
    return NULL;
}

/* With the lock. True: it was closed meanwhile, the caller calls end(). */
static bool unpin(struct mcp_stream *s)
{
    if (--s->pins > 0 || s->state != MCP_STREAM_CLOSED)
        return false;
    unlink_stream(s);
    return true;
}

static void write_message(struct mcp_buf *b, const struct mcp_stream *s,
                          const struct change *c)
{
    mcp_buf_clear(b);
    mcp_buf_printf(b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/%s\"",
                   c->method);
    if (s->id != NULL || c->uri != NULL || c->task != NULL)
        mcp_buf_puts(b, ",\"params\":{");
    if (s->id != NULL) {
        mcp_buf_puts(b, "\"_meta\":{\"io.modelcontextprotocol/subscriptionId"
                        "\":");
        mcp_buf_puts(b, s->id);
        mcp_buf_putc(b, '}');
    }
    if (c->uri != NULL) {
        mcp_buf_puts(b, s->id != NULL ? ",\"uri\":" : "\"uri\":");
        mcp_json_write_string(b, c->uri, c->len);
    }
    if (c->task != NULL) {
        mcp_buf_puts(b, s->id != NULL ? "," : "");
        mcp_buf_add(b, c->body, c->body_len);
    }
    if (s->id != NULL || c->uri != NULL || c->task != NULL)
        mcp_buf_putc(b, '}');
    mcp_buf_putc(b, '}');
}

/* To a pinned stream, without the lock. One that cannot take it is dropped: it
 * would believe that it has heard of every change. */
static void deliver(struct mcp_subscriptions *set, struct mcp_stream *s,
                    const struct change *c, struct mcp_buf *b)
{
    enum mcp_err err = MCP_ENOMEM;

    write_message(b, s, c);
    if (!b->failed)
        err = s->call->ops->emit(s->call, b->data, b->len);
    b->failed = false;
    if (err == MCP_OK || err == MCP_ECANCELED)
        return;
    mcp_log(MCP_LOG_WARNING, "subscriptions",
            "the stream of subscription %.64s is closed: %s",
            s->id != NULL ? s->id : "(legacy)",
            err == MCP_ELIMIT ? "the client reads too slowly"
                              : "out of memory");
    mcp_stream_close(set, s, MCP_STREAM_SLOW); /* it ends when unpinned */
}

static void publish(struct mcp_subscriptions *set, const struct change *c)
{
    struct mcp_stream *s, *next;
    struct mcp_buf b;

    mcp_buf_init(&b, MESSAGE_MAX_BYTES);
    (void)pthread_mutex_lock(&set->lock);
    s = pin_next(set, &set->head, c);
    while (s != NULL) {
        bool over;

        (void)pthread_mutex_unlock(&set->lock);
        deliver(set, s, c, &b);
        (void)pthread_mutex_lock(&set->lock);
        next = pin_next(set, s, c);
        over = unpin(s);
        if (over) {
            (void)pthread_mutex_unlock(&set->lock);
            end_stream(s);
            (void)pthread_mutex_lock(&set->lock);
        }
        s = next;
    }
    (void)pthread_mutex_unlock(&set->lock);
    mcp_buf_free(&b);
}

void mcp_publish_lists(struct mcp_subscriptions *set, unsigned lists)
{
    static const struct change changes[] = {
        {.list = MCP_OFFER_TOOLS, .method = "tools/list_changed"},
        {.list = MCP_OFFER_RESOURCES, .method = "resources/list_changed"},
        {.list = MCP_OFFER_PROMPTS, .method = "prompts/list_changed"},
    };
    size_t i;

    for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
        if ((changes[i].list & lists) != 0)
            publish(set, &changes[i]);
}

void mcp_publish_task(struct mcp_subscriptions *set, const char *id,
                      const char *principal, const char *body, size_t len)
{
    struct change c = {.task = id,
                       .principal = principal,
                       .body = body,
                       .body_len = len,
                       .method = "tasks"};

    publish(set, &c);
}

bool mcp_subscriptions_want_task(struct mcp_subscriptions *set, const char *id,
                                 const char *principal)
{
    struct change c = {.task = id, .principal = principal};
    const struct mcp_stream *s;
    bool wanted = false;

    (void)pthread_mutex_lock(&set->lock);
    for (s = set->head.next; s != &set->head && !wanted; s = s->next)
        wanted = wants(s, &c);
    (void)pthread_mutex_unlock(&set->lock);
    return wanted;
}

void mcp_publish_resource(struct mcp_subscriptions *set, const char *uri,
                          size_t len)
{
    struct change c = {.uri = uri, .len = len, .method = "resources/updated"};

    publish(set, &c);
}
