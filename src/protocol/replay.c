/*
 * replay.c - see replay.h
 *
 * A call's stream exists while the call does: afterwards its events in the log
 * are all there is, the last of them marked as such.
 */
#include "protocol/replay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/memory.h"
#include "protocol/event_id.h"

struct mcp_replay {
    pthread_mutex_t lock; /* of all below, all logs and all ends */
    struct mcp_event_store store;
    struct mcp_replay_end calls; /* head of the open ones */
};

struct mcp_replay *mcp_replay_new(const struct mcp_event_limits *limits)
{
    static const struct mcp_event_limits usual = {
        .log_events = MCP_REPLAY_SESSION_EVENTS,
        .log_bytes = MCP_REPLAY_SESSION_BYTES,
        .bytes = MCP_REPLAY_BYTES,
        .keep_ns = MCP_REPLAY_KEEP_S * MCP_NS_PER_S,
    };
    struct mcp_replay *r = mcp_memory_new(1, sizeof(*r));

    if (r == NULL || pthread_mutex_init(&r->lock, NULL) != 0) {
        free(r);
        return NULL;
    }
    r->store.limits = limits != NULL ? *limits : usual;
    r->calls.prev = r->calls.next = &r->calls;
    return r;
}

void mcp_replay_free(struct mcp_replay *r)
{
    if (r == NULL)
        return;
    (void)pthread_mutex_destroy(&r->lock);
    free(r);
}

static void lock(struct mcp_replay *r)
{
    (void)pthread_mutex_lock(&r->lock);
}

static void unlock(struct mcp_replay *r)
{
    (void)pthread_mutex_unlock(&r->lock);
}

size_t mcp_replay_bytes(struct mcp_replay *r)
{
    size_t n;

    lock(r);
    n = r->store.bytes;
    unlock(r);
    return n;
}

void mcp_replay_forget(struct mcp_replay_log *log)
{
    struct mcp_replay *r = log->replay;

    if (r == NULL)
        return;
    lock(r);
    mcp_event_clear(&r->store, &log->events);
    unlock(r);
}

void mcp_replay_begin(struct mcp_replay *r, struct mcp_replay_log *log,
                      struct mcp_replay_end *end, struct mcp_call *call,
                      bool polls)
{
    *end = (struct mcp_replay_end){
        .replay = r,
        .log = log,
        .call = call,
        .ops = call->ops,
        .polls = polls,
    };
}

void mcp_replay_listen(struct mcp_replay_end *end)
{
    end->kind = MCP_REPLAY_LISTENER;
}

/* The session's key, made when first needed. */
static enum mcp_err make_key(struct mcp_replay *r, struct mcp_replay_log *log)
{
    if (log->replay != NULL)
        return MCP_OK;
    if (getrandom(&log->key, sizeof(log->key), 0) != sizeof(log->key))
        return MCP_EINTERNAL;
    log->replay = r;
    return MCP_OK;
}

/* ---- sending ------------------------------------------------------------ */

/* All below: with the lock. */

static uint64_t *counter_of(struct mcp_replay_end *writer)
{
    return writer->kind == MCP_REPLAY_LISTENER ? &writer->log->listened
                                               : &writer->number;
}

static bool is_primed(const struct mcp_replay_end *end)
{
    return end->call->revision >= MCP_2025_11_25;
}

static enum mcp_err send(const struct mcp_replay_end *to, uint64_t stream,
                         uint64_t number, const char *msg, size_t len)
{
    unsigned retry =
        len == 0 && to->polls && stream > 0 ? MCP_REPLAY_RETRY_MS : 0;
    char id[MCP_EVENT_ID_BYTES];

    mcp_event_id_write(id, to->log->key, stream, number);
    return to->ops->emit_event(to->call, id, retry, msg, len);
}

/* Gives `to` a place to come back to before there is a message. */
static enum mcp_err prime(const struct mcp_replay_end *to, uint64_t stream,
                          uint64_t *number)
{
    enum mcp_err err;

    if (!is_primed(to))
        return to->ops->emit(to->call, "", 0);
    err = send(to, stream, *number + 1, "", 0);
    if (err == MCP_OK)
        ++*number;
    return err;
}

/* Sends what is kept of `stream` after `after`, but for an answer, which is
 * put into *last. */
static enum mcp_err send_kept(const struct mcp_replay_end *to, uint64_t stream,
                              uint64_t after, const struct mcp_event **last)
{
    const struct mcp_event *e =
        mcp_event_after(&to->log->events, stream, after);
    enum mcp_err err = to->ops->emit(to->call, "", 0);

    *last = NULL;
    for (; err == MCP_OK && e != NULL; e = mcp_event_next(e))
        if (e->last)
            *last = e;
        else
            err = send(to, stream, e->number, e->text, e->len);
    return err;
}

/* ---- writing ------------------------------------------------------------ */

static void list_call(struct mcp_replay_end *end)
{
    struct mcp_replay_end *head = &end->replay->calls;

    end->prev = head->prev;
    end->next = head;
    end->prev->next = end->next->prev = end;
}

static void unlist_call(struct mcp_replay_end *end)
{
    end->prev->next = end->next;
    end->next->prev = end->prev;
}

static enum mcp_err open_listener(struct mcp_replay_end *end)
{
    const struct mcp_event *last;
    enum mcp_err err = MCP_OK;

    if (end->resumes)
        err = send_kept(end, 0, end->after, &last);
    if (err == MCP_OK)
        err = prime(end, 0, &end->log->listened);
    if (err == MCP_OK)
        end->log->listener = end;
    return err;
}

static enum mcp_err open_call(struct mcp_replay_end *end)
{
    enum mcp_err err = prime(end, end->log->streams + 1, &end->number);

    if (err != MCP_OK)
        return err;
    end->stream = ++end->log->streams;
    end->reader = end;
    list_call(end);
    return MCP_OK;
}

static enum mcp_err open_stream(struct mcp_replay_end *end)
{
    enum mcp_err err = make_key(end->replay, end->log);

    if (err == MCP_OK)
        err = end->kind == MCP_REPLAY_LISTENER ? open_listener(end)
                                               : open_call(end);
    if (err == MCP_OK)
        end->state = MCP_REPLAY_OPEN;
    return err;
}

/* Nobody reads, from now on. */
static void go_away(struct mcp_replay_end *call)
{
    call->reader = NULL;
    call->away_ns = mcp_clock_now_ns();
    call->missed = false;
}

/* Whoever reads what `end` writes. A listener that was replaced says its last
 * words to its successor, which has them from the same list. */
static struct mcp_replay_end *reader_of(struct mcp_replay_end *end)
{
    if (end->kind == MCP_REPLAY_LISTENER)
        return end->log->listener;
    return end->reader;
}

/* `*e` is taken, and then NULL, when it is kept. */
static enum mcp_err write_event(struct mcp_replay_end *end,
                                struct mcp_event **e)
{
    struct mcp_replay_end *to;
    uint64_t number;
    enum mcp_err err = MCP_OK;

    if (end->state == MCP_REPLAY_CLOSED)
        return MCP_ECANCELED;
    if (end->state == MCP_REPLAY_NEW)
        err = open_stream(end);
    if (err != MCP_OK || *e == NULL)
        return err;
    to = reader_of(end);
    number = *counter_of(end) + 1;
    if (to != NULL)
        err = send(to, end->stream, number, (*e)->text, (*e)->len);
    if (err != MCP_OK && err != MCP_ECANCELED)
        return err;
    *counter_of(end) = number;
    if (to == NULL && end->kind == MCP_REPLAY_CALL)
        go_away(end); /* perhaps a question: there is time to fetch it */
    (*e)->stream = end->stream;
    (*e)->number = number;
    if (mcp_event_add(&end->replay->store, &end->log->events, *e,
                      mcp_clock_now_ns()))
        *e = NULL;
    return MCP_OK;
}

enum mcp_err mcp_replay_write(struct mcp_replay_end *end, const char *msg,
                              size_t len)
{
    struct mcp_event *e = len > 0 ? mcp_event_new(msg, len) : NULL;
    enum mcp_err err;

    if (len > 0 && e == NULL)
        return MCP_ENOMEM;
    lock(end->replay);
    err = write_event(end, &e);
    unlock(end->replay);
    mcp_event_free(e);
    return err;
}

/* ---- the answer --------------------------------------------------------- */

/* What is kept for an answer that cannot be. */
static struct mcp_event *new_apology(const struct mcp_call *call)
{
    struct mcp_event *e;
    struct mcp_buf b;

    mcp_buf_init(&b, 64 << 10);
    mcp_buf_puts(&b, "{\"jsonrpc\":\"2.0\",");
    if (call->id != NULL) {
        mcp_buf_puts(&b, "\"id\":");
        mcp_json_write(&b, call->id);
        mcp_buf_putc(&b, ',');
    }
    mcp_buf_puts(&b, "\"error\":{\"code\":-32603,\"message\":\"The result is "
                     "too large to be kept for a client that lost its "
                     "connection: call again\"}}");
    e = b.failed ? NULL : mcp_event_new(b.data, b.len);
    mcp_buf_free(&b);
    return e;
}

static bool keep_last(struct mcp_replay_end *end, struct mcp_event *e,
                      uint64_t number)
{
    if (e == NULL)
        return false;
    e->stream = end->stream;
    e->number = number;
    e->last = true;
    return mcp_event_add(&end->replay->store, &end->log->events, e,
                         mcp_clock_now_ns());
}

static void keep_answer(struct mcp_replay_end *end, uint64_t number)
{
    const struct mcp_buf *out = &end->call->out;
    struct mcp_event *e = mcp_event_new(out->data, out->len);

    if (keep_last(end, e, number))
        return;
    mcp_event_free(e);
    e = new_apology(end->call);
    if (!keep_last(end, e, number))
        mcp_event_free(e);
}

static void name_answer(struct mcp_call *call, const struct mcp_replay_log *log,
                        uint64_t stream, uint64_t number)
{
    char id[MCP_EVENT_ID_BYTES];

    mcp_event_id_write(id, log->key, stream, number);
    call->answer_event = mcp_arena_dup(call->arena, id, strlen(id));
}

/* The call is over: its answer goes to who reads. */
static struct mcp_replay_end *finish_call(struct mcp_replay_end *end)
{
    struct mcp_replay_end *reader = end->reader;
    struct mcp_buf *out = &end->call->out;
    uint64_t number = end->number + 1;

    unlist_call(end);
    end->reader = NULL;
    if (out->len > 0 && !out->failed)
        keep_answer(end, number);
    if (reader == NULL)
        return NULL;
    if (out->len > 0)
        name_answer(reader->call, end->log, end->stream, number);
    if (reader == end)
        return NULL;
    reader->writer = NULL;
    if (out->len > 0) {
        struct mcp_buf empty = reader->call->out;

        reader->call->out = *out; /* nobody waits for it here */
        *out = empty;
        mcp_buf_clear(out);
    }
    return reader;
}

struct mcp_replay_end *mcp_replay_finish(struct mcp_replay_end *end)
{
    struct mcp_replay_end *reader = NULL;

    if (end->replay == NULL)
        return NULL;
    lock(end->replay);
    if (end->log->listener == end)
        end->log->listener = NULL;
    if (end->kind == MCP_REPLAY_CALL && end->state == MCP_REPLAY_OPEN)
        reader = finish_call(end);
    if (end->writer != NULL)
        end->writer->reader = NULL;
    end->state = MCP_REPLAY_CLOSED;
    unlock(end->replay);
    return reader;
}

/* ---- connections that end ----------------------------------------------- */

static enum mcp_replay_left left(struct mcp_replay_end *end)
{
    if (end->state == MCP_REPLAY_CLOSED)
        return MCP_REPLAY_NOTHING;
    if (end->kind == MCP_REPLAY_READER) {
        if (end->writer == NULL)
            return MCP_REPLAY_NOTHING;
        go_away(end->writer);
        end->writer = NULL;
        return MCP_REPLAY_TO_END;
    }
    if (end->kind == MCP_REPLAY_LISTENER || end->number == 0)
        return MCP_REPLAY_LOST;
    if (end->reader == end)
        go_away(end);
    return MCP_REPLAY_KEPT;
}

enum mcp_replay_left mcp_replay_left(struct mcp_replay_end *end)
{
    enum mcp_replay_left why;

    if (end->replay == NULL)
        return MCP_REPLAY_LOST;
    lock(end->replay);
    why = left(end);
    unlock(end->replay);
    return why;
}

static struct mcp_replay_end *poll_end(struct mcp_replay_end *end)
{
    if (end->state != MCP_REPLAY_OPEN || !end->polls || !is_primed(end))
        return NULL;
    if (end->kind == MCP_REPLAY_READER && end->writer != NULL) {
        go_away(end->writer);
        end->writer = NULL;
        return end;
    }
    if (end->kind == MCP_REPLAY_CALL && end->reader == end) {
        go_away(end);
        end->ops->detach(end->call);
    }
    return NULL;
}

struct mcp_replay_end *mcp_replay_poll(struct mcp_replay_end *end)
{
    struct mcp_replay_end *reader;

    if (end->replay == NULL)
        return NULL;
    lock(end->replay);
    reader = poll_end(end);
    unlock(end->replay);
    return reader;
}

/* ---- coming back -------------------------------------------------------- */

static struct mcp_replay_end *find_call(const struct mcp_replay_log *log,
                                        uint64_t stream)
{
    struct mcp_replay_end *head = &log->replay->calls, *c = head->next;

    while (c != head && (c->log != log || c->stream != stream))
        c = c->next;
    return c != head ? c : NULL;
}

/* The stream of a call that is over. */
static enum mcp_replay_resumed send_rest(struct mcp_replay_end *end,
                                         uint64_t stream, uint64_t after,
                                         enum mcp_err *err)
{
    const struct mcp_event *last;

    if (!mcp_event_knows(&end->log->events, stream))
        return MCP_REPLAY_GONE;
    if (mcp_event_after(&end->log->events, stream, after) == NULL)
        return MCP_REPLAY_OVER;
    *err = send_kept(end, stream, after, &last);
    if (*err != MCP_OK)
        return MCP_REPLAY_FAILED;
    if (last != NULL) {
        mcp_buf_add(&end->call->out, last->text, last->len);
        name_answer(end->call, end->log, stream, last->number);
    }
    return MCP_REPLAY_ANSWERS;
}

/* `end` reads what `call` writes, instead of whoever did. */
static enum mcp_replay_resumed
take_over(struct mcp_replay_end *end, struct mcp_replay_end *call,
          uint64_t after, struct mcp_replay_end **old, enum mcp_err *err)
{
    const struct mcp_event *last;

    *err = send_kept(end, call->stream, after, &last);
    if (*err == MCP_OK)
        *err = prime(end, call->stream, &call->number);
    if (*err != MCP_OK)
        return MCP_REPLAY_FAILED;
    if (call->reader == call)
        call->ops->detach(call->call);
    else
        *old = call->reader;
    if (*old != NULL)
        (*old)->writer = NULL;
    call->reader = end;
    end->writer = call;
    end->kind = MCP_REPLAY_READER;
    end->state = MCP_REPLAY_OPEN;
    return MCP_REPLAY_READS;
}

static enum mcp_replay_resumed resume(struct mcp_replay_end *end,
                                      const char *id, size_t len,
                                      struct mcp_replay_end **old,
                                      enum mcp_err *err)
{
    struct mcp_replay_end *call;
    uint64_t stream, after;

    if (end->log->replay == NULL ||
        !mcp_event_id_read(id, len, end->log->key, &stream, &after) ||
        stream > end->log->streams)
        return MCP_REPLAY_UNKNOWN;
    if (stream == 0) {
        if (after > end->log->listened)
            return MCP_REPLAY_UNKNOWN;
        end->kind = MCP_REPLAY_LISTENER;
        end->resumes = true;
        end->after = after;
        return MCP_REPLAY_LISTENS;
    }
    end->kind = MCP_REPLAY_READER;
    call = find_call(end->log, stream);
    if (call == NULL)
        return send_rest(end, stream, after, err);
    if (after > call->number)
        return MCP_REPLAY_UNKNOWN;
    return take_over(end, call, after, old, err);
}

enum mcp_replay_resumed mcp_replay_resume(struct mcp_replay_end *end,
                                          const char *id, size_t len,
                                          struct mcp_replay_end **old,
                                          enum mcp_err *err)
{
    enum mcp_replay_resumed how;

    *old = NULL;
    *err = MCP_OK;
    lock(end->replay);
    how = resume(end, id, len, old, err);
    unlock(end->replay);
    return how;
}

/* ---- now and then ------------------------------------------------------- */

void mcp_replay_sweep(struct mcp_replay *r,
                      void (*away)(void *user, struct mcp_call *call),
                      void *user)
{
    uint64_t now, most = MCP_REPLAY_AWAY_S * MCP_NS_PER_S;
    struct mcp_replay_end *c;

    lock(r);
    now = mcp_clock_now_ns(); /* under the lock: nothing is in the future */
    mcp_event_expire(&r->store, now);
    for (c = r->calls.next; c != &r->calls; c = c->next) {
        if (c->reader != NULL || c->missed || now - c->away_ns <= most)
            continue;
        c->missed = true;
        away(user, c->call);
    }
    unlock(r);
}
