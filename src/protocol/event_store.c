/*
 * event_store.c - see event_store.h
 */
#include "protocol/event_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void mcp_event_free(struct mcp_event *e)
{
    free(e);
}

struct mcp_event *mcp_event_new(const char *text, size_t len)
{
    struct mcp_event *e = mcp_memory_new(1, sizeof(*e) + len);

    if (e == NULL)
        return NULL;
    memcpy(e->text, text, len);
    e->len = len;
    return e;
}

static size_t cost_of(const struct mcp_event *e)
{
    return e->len + MCP_EVENT_OVERHEAD;
}

static void drop(struct mcp_event_store *store, struct mcp_event *e)
{
    struct mcp_event_log *log = e->log;

    *(e->older != NULL ? &e->older->newer : &store->oldest) = e->newer;
    *(e->newer != NULL ? &e->newer->older : &store->newest) = e->older;
    *(e->log_older != NULL ? &e->log_older->log_newer : &log->oldest) =
        e->log_newer;
    *(e->log_newer != NULL ? &e->log_newer->log_older : &log->newest) =
        e->log_older;
    store->bytes -= cost_of(e);
    log->bytes -= cost_of(e);
    log->count--;
    mcp_event_free(e);
}

static void append(struct mcp_event_store *store, struct mcp_event_log *log,
                   struct mcp_event *e)
{
    e->older = store->newest;
    e->log_older = log->newest;
    e->newer = e->log_newer = NULL;
    *(e->older != NULL ? &e->older->newer : &store->oldest) = e;
    *(e->log_older != NULL ? &e->log_older->log_newer : &log->oldest) = e;
    store->newest = log->newest = e;
    e->log = log;
    store->bytes += cost_of(e);
    log->bytes += cost_of(e);
    log->count++;
}

bool mcp_event_add(struct mcp_event_store *store, struct mcp_event_log *log,
                   struct mcp_event *e, uint64_t now_ns)
{
    const struct mcp_event_limits *max = &store->limits;
    size_t cost = cost_of(e);

    if (cost > max->log_bytes || cost > max->bytes || max->log_events == 0)
        return false;
    while (log->count >= max->log_events || log->bytes > max->log_bytes - cost)
        drop(store, log->oldest);
    while (store->bytes > max->bytes - cost)
        drop(store, store->oldest);
    e->at_ns = now_ns;
    append(store, log, e);
    return true;
}

const struct mcp_event *mcp_event_after(const struct mcp_event_log *log,
                                        uint64_t stream, uint64_t after)
{
    const struct mcp_event *e = log->oldest;

    while (e != NULL && (e->stream != stream || e->number <= after))
        e = e->log_newer;
    return e;
}

const struct mcp_event *mcp_event_next(const struct mcp_event *e)
{
    uint64_t stream = e->stream;

    do
        e = e->log_newer;
    while (e != NULL && e->stream != stream);
    return e;
}

bool mcp_event_knows(const struct mcp_event_log *log, uint64_t stream)
{
    return mcp_event_after(log, stream, 0) != NULL;
}

void mcp_event_expire(struct mcp_event_store *store, uint64_t now_ns)
{
    while (store->oldest != NULL &&
           now_ns - store->oldest->at_ns > store->limits.keep_ns)
        drop(store, store->oldest);
}

void mcp_event_clear(struct mcp_event_store *store, struct mcp_event_log *log)
{
    while (log->oldest != NULL)
        drop(store, log->oldest);
}
