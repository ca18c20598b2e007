/*
 * batch.c - see batch.h
 *
 * `pending` counts the parts that have not ended, and one for the loop that
 * starts them; whoever brings it to zero owns the batch.
 *
 * The parts lie in the arena of the whole, which its transport keeps until it
 * has seen done(). So a canceller may still mark parts that end meanwhile, or
 * have ended: of a part it touches `cancelled` alone, and the app compares
 * only the address of the call.
 */
#include "protocol/batch.h"

#include "app/app.h"
#include "protocol/route.h"

enum { PART_ARENA_MAX_BYTES = 16 << 20 };

struct part {
    struct mcp_call call;
    struct mcp_batch *batch;
};

struct mcp_batch {
    struct mcp_exchange *x; /* of the whole */
    pthread_mutex_t lock;   /* one emit of the whole call at a time */
    atomic_uint pending;
    uint32_t count;
    struct part parts[];
};

static struct part *part_of(struct mcp_call *call)
{
    return (struct part *)((char *)call - offsetof(struct part, call));
}

static void free_parts(struct mcp_batch *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        mcp_buf_free(&b->parts[i].call.out);
        mcp_arena_free(b->parts[i].call.arena);
    }
    pthread_mutex_destroy(&b->lock);
}

static void finish(struct mcp_batch *b)
{
    struct mcp_exchange *x = b->x;
    struct mcp_buf *out = &x->rq.call->out;
    char before = '[';

    for (uint32_t i = 0; i < b->count; i++) {
        const struct mcp_buf *answer = &b->parts[i].call.out;

        if (answer->len == 0)
            continue;
        mcp_buf_putc(out, before);
        mcp_buf_add(out, answer->data, answer->len);
        before = ',';
    }
    free_parts(b);
    if (before == '[') {
        mcp_exchange_silence(x, 202);
        return;
    }
    mcp_buf_putc(out, ']');
    if (out->failed)
        mcp_error_refuse(x->rq.call, MCP_REFUSE_TOO_LARGE,
                         "The results are too large", NULL);
    mcp_exchange_finish(x);
}

static void count_down(struct mcp_batch *b)
{
    if (atomic_fetch_sub_explicit(&b->pending, 1, memory_order_acq_rel) == 1)
        finish(b);
}

static void part_done(struct mcp_call *call)
{
    count_down(part_of(call)->batch);
}

static enum mcp_err part_emit(struct mcp_call *call, const char *msg,
                              size_t len)
{
    struct mcp_batch *b = part_of(call)->batch;
    struct mcp_call *whole = b->x->rq.call;
    enum mcp_err err;

    pthread_mutex_lock(&b->lock);
    err = whole->ops->emit(whole, msg, len);
    pthread_mutex_unlock(&b->lock);
    return err;
}

static const struct mcp_call_ops part_ops = {.emit = part_emit,
                                             .done = part_done};

static void init_part(struct mcp_batch *b, struct part *p,
                      const struct mcp_call *whole)
{
    p->batch = b;
    p->call = (struct mcp_call){
        .arena = mcp_arena_new(PART_ARENA_MAX_BYTES),
        .ops = &part_ops,
        .transport = whole->transport,
        .http_method = whole->http_method,
        .path = whole->path,
        .query = whole->query,
        .headers = whole->headers,
        .header_count = whole->header_count,
        .body = whole->body,
        .body_len = whole->body_len,
        .started_ns = whole->started_ns,
        .principal = whole->principal,
    };
}

/* The parts, all with an arena; NULL: no memory. */
static struct mcp_batch *batch_new(struct mcp_exchange *x, uint32_t count)
{
    struct mcp_call *whole = x->rq.call;
    struct mcp_batch *b =
        mcp_arena_alloc(whole->arena, sizeof(*b) + count * sizeof(struct part));
    bool ok = true;

    if (b == NULL || pthread_mutex_init(&b->lock, NULL) != 0)
        return NULL;
    b->x = x;
    b->count = count;
    atomic_init(&b->pending, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        init_part(b, &b->parts[i], whole);
        ok = ok && b->parts[i].call.arena != NULL;
    }
    if (ok)
        return b;
    free_parts(b);
    return NULL;
}

/* The part's call joins the session of the whole. */
static void start_part(struct mcp_batch *b, struct part *p,
                       const struct mcp_json *tree)
{
    const struct mcp_call *whole = b->x->rq.call;
    struct mcp_exchange *x = mcp_exchange_begin(b->x->ep, &p->call);

    if (x == NULL)
        return;
    mcp_session_hold(x->ep->sessions, whole->session);
    p->call.session = whole->session;
    p->call.revision = whole->revision;
    p->call.client = whole->client;
    p->call.log_level = whole->log_level;
    mcp_route_part(x, tree);
}

void mcp_batch_run(struct mcp_exchange *x, const struct mcp_json *tree)
{
    struct mcp_batch *b;

    if (tree->count == 0 || tree->count > MCP_BATCH_MAX) {
        mcp_exchange_refuse(x, MCP_REFUSE_ENVELOPE,
                            tree->count == 0
                                ? "Invalid Request: the batch is empty"
                                : "Invalid Request: the batch has more than "
                                  "100 messages",
                            NULL);
        return;
    }
    b = batch_new(x, tree->count);
    if (b == NULL) {
        mcp_exchange_refuse(x, MCP_REFUSE_MEMORY, NULL, NULL);
        return;
    }
    x->batch = b;
    for (uint32_t i = 0; i < b->count; i++)
        start_part(b, &b->parts[i], &tree->u.items[i]);
    count_down(b);
}

void mcp_batch_cancel(struct mcp_batch *b, struct mcp_app *app)
{
    for (uint32_t i = 0; i < b->count; i++) {
        atomic_store(&b->parts[i].call.cancelled, true);
        mcp_app_cancel(app, &b->parts[i].call);
    }
}
