/*
 * ask.c - see ask.h
 *
 * The text of a state, before it is sealed:
 *
 *     {"e":expiry,"a":{key:answer,...},"m":{key:value,...},"s":"the app's"}
 */
#include "app/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app/apart.h"
#include "base/codec.h"
#include "base/seal.h"

enum {
    INVALID_PARAMS = -32602,
    BOUND_MAX_BYTES = 64 << 20,
};

struct mcp_ask *mcp_ask_of(struct mcp_job *job)
{
    if (job->ask == NULL) {
        job->ask = mcp_arena_alloc(job->call->arena, sizeof(*job->ask));
        if (job->ask != NULL)
            *job->ask = (struct mcp_ask){0};
    }
    return job->ask;
}

const struct mcp_json *mcp_ask_find(const struct mcp_ask_entry *list,
                                    const char *key, size_t len)
{
    for (; list != NULL; list = list->next)
        if (list->key_len == len && memcmp(list->key, key, len) == 0)
            return list->value;
    return NULL;
}

const struct mcp_json *mcp_ask_copy(struct mcp_arena *a,
                                    const struct mcp_json *v)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    const struct mcp_json *tree = NULL;
    struct mcp_buf b;
    char *text;

    mcp_buf_init(&b, BOUND_MAX_BYTES);
    mcp_json_write(&b, v);
    text = b.failed ? NULL : mcp_arena_dup(a, b.data, b.len);
    if (text == NULL ||
        mcp_json_parse(a, text, b.len, &options, &tree, NULL) != MCP_OK)
        tree = NULL;
    mcp_buf_free(&b);
    return tree;
}

bool mcp_ask_keep(struct mcp_job *job, struct mcp_ask_entry **list,
                  const char *key, size_t len, const struct mcp_json *value)
{
    struct mcp_arena *a = job->call->arena;
    struct mcp_ask_entry *e = mcp_arena_alloc(a, sizeof(*e));

    if (e == NULL)
        return false;
    e->key = mcp_arena_dup(a, key, len);
    e->key_len = len;
    e->value = mcp_ask_copy(a, value);
    if (e->key == NULL || e->value == NULL)
        return false;
    e->next = *list;
    *list = e;
    return true;
}

/* ---- what a state is bound to ---- */

static int by_key(const void *a, const void *b)
{
    const struct mcp_json_member *const *x = a, *const *y = b;
    const struct mcp_json *p = &(*x)->key, *q = &(*y)->key;
    size_t n = p->count < q->count ? p->count : q->count;
    int c = n == 0 ? 0 : memcmp(p->u.text, q->u.text, n);

    return c != 0 ? c : (p->count > q->count) - (p->count < q->count);
}

static bool is_of_the_round(const struct mcp_json *key)
{
    return mcp_json_equals_string(key, "_meta") ||
           mcp_json_equals_string(key, "inputResponses") ||
           mcp_json_equals_string(key, "requestState");
}

static bool write_canonical(struct mcp_buf *out, const struct mcp_json *v,
                            bool root);

/* The members in the order of their keys; of the parameters themselves (root)
 * without those that change from round to round. */
static bool write_object(struct mcp_buf *out, const struct mcp_json *v,
                         bool root)
{
    const struct mcp_json_member **m = calloc(v->count + 1, sizeof(*m));
    bool ok = m != NULL;
    uint32_t i;

    for (i = 0; ok && i < v->count; i++)
        m[i] = &v->u.members[i];
    if (ok)
        qsort(m, v->count, sizeof(*m), by_key);
    mcp_buf_putc(out, '{');
    for (i = 0; ok && i < v->count; i++) {
        if (root && is_of_the_round(&m[i]->key))
            continue;
        mcp_json_write(out, &m[i]->key);
        mcp_buf_putc(out, ':');
        ok = write_canonical(out, &m[i]->value, false);
        mcp_buf_putc(out, ',');
    }
    mcp_buf_putc(out, '}');
    free(m);
    return ok;
}

/* Not for machines: two values are written alike if and only if they are the
 * same but for the order of members. */
static bool write_canonical(struct mcp_buf *out, const struct mcp_json *v,
                            bool root)
{
    bool ok = true;

    if (v->type == MCP_JSON_OBJECT)
        return write_object(out, v, root);
    if (v->type != MCP_JSON_ARRAY) {
        mcp_json_write(out, v);
        return true;
    }
    mcp_buf_putc(out, '[');
    for (uint32_t i = 0; ok && i < v->count; i++) {
        ok = write_canonical(out, &v->u.items[i], false);
        mcp_buf_putc(out, ',');
    }
    mcp_buf_putc(out, ']');
    return ok;
}

/* The SHA-256 of the parameters; without any, of nothing. */
static enum mcp_err write_digest(const struct mcp_json *params,
                                 struct mcp_buf *out)
{
    unsigned char digest[MCP_SHA256_BYTES];
    enum mcp_err err = MCP_OK;
    struct mcp_buf b;

    mcp_buf_init(&b, BOUND_MAX_BYTES);
    if (params != NULL && !write_canonical(&b, params, true))
        err = MCP_ENOMEM;
    if (b.failed)
        err = MCP_ENOMEM;
    if (err == MCP_OK)
        err = mcp_sha256(b.len > 0 ? b.data : "", b.len, digest);
    mcp_buf_free(&b);
    if (err == MCP_OK)
        mcp_buf_add(out, digest, sizeof(digest));
    return err;
}

static void write_text(struct mcp_buf *out, const char *text)
{
    mcp_buf_add(out, text != NULL ? text : "",
                text != NULL ? strlen(text) + 1 : 1);
}

enum mcp_err mcp_ask_write_bound(const struct mcp_job *job, struct mcp_buf *out)
{
    write_text(out, job->call->principal);
    write_text(out, job->call->method);
    write_text(out, mcp_kind_name(job->handler->kind));
    write_text(out, job->handler->name);
    if (out->failed)
        return MCP_ENOMEM;
    return write_digest(job->call->params, out);
}

/* ---- opening ---- */

static void refuse(struct mcp_job *job, const char *why)
{
    mcp_outcome_set_error(&job->outcome, INVALID_PARAMS, why, NULL);
}

/* The members of `object` in front of `*list`. False: no memory. */
static bool add_all(struct mcp_job *job, struct mcp_ask_entry **list,
                    const struct mcp_json *object)
{
    for (uint32_t i = 0; i < object->count; i++) {
        const struct mcp_json_member *m = &object->u.members[i];
        struct mcp_ask_entry *e = mcp_arena_alloc(job->call->arena, sizeof(*e));

        if (e == NULL)
            return false;
        *e = (struct mcp_ask_entry){.next = *list,
                                    .key = m->key.u.text,
                                    .key_len = m->key.count,
                                    .value = &m->value};
        *list = e;
    }
    return true;
}

static const char state_wrong[] = "requestState is not one of this server";

const char *mcp_ask_read_state(struct mcp_job *job, const char *text,
                               size_t len, int64_t now_s)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    const struct mcp_json *tree;

    if (mcp_ask_of(job) == NULL ||
        mcp_json_parse(job->call->arena, text, len, &options, &tree, NULL) !=
            MCP_OK)
        return state_wrong;
    return mcp_ask_take_state(job, tree, now_s);
}

const char *mcp_ask_take_state(struct mcp_job *job, const struct mcp_json *tree,
                               int64_t now_s)
{
    const struct mcp_json *expiry, *answers, *memos, *state;
    struct mcp_ask *ask = job->ask;

    expiry = mcp_json_find(tree, "e");
    answers = mcp_json_find(tree, "a");
    memos = mcp_json_find(tree, "m");
    state = mcp_json_find(tree, "s");
    if (!mcp_json_is(expiry, MCP_JSON_NUMBER) ||
        !mcp_json_is(answers, MCP_JSON_OBJECT) ||
        !mcp_json_is(memos, MCP_JSON_OBJECT) ||
        (state != NULL && state->type != MCP_JSON_STRING))
        return state_wrong;
    if (!(expiry->number > (double)now_s))
        return "requestState has expired: send the request without it";
    if (!add_all(job, &ask->answers, answers) ||
        !add_all(job, &ask->memos, memos))
        return state_wrong;
    ask->state = state;
    return NULL;
}

static int64_t now_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec;
}

static struct mcp_seal_keys keys_of(const struct mcp_job *job)
{
    const struct mcp_config_list *list = &job->gen->config->request_state_keys;

    return (struct mcp_seal_keys){.secrets = list->items, .count = list->count};
}

/* NULL, or why the state cannot be used. */
static const char *open_state(struct mcp_job *job,
                              const struct mcp_json *sealed)
{
    const char *why = "requestState is not valid here: it was altered, or is "
                      "of another request";
    const struct mcp_seal_keys keys = keys_of(job);
    struct mcp_buf bound, text;
    char *kept;

    mcp_buf_init(&bound, BOUND_MAX_BYTES);
    mcp_buf_init(&text, sealed->count + 64);
    if (mcp_ask_write_bound(job, &bound) == MCP_OK &&
        mcp_seal_open(&keys, bound.data, bound.len, sealed->u.text,
                      sealed->count, &text) == MCP_OK) {
        kept = mcp_arena_dup(job->call->arena, text.len > 0 ? text.data : "",
                             text.len);
        if (kept != NULL)
            why = mcp_ask_read_state(job, kept, text.len, now_s());
    }
    mcp_buf_free(&bound);
    mcp_buf_free(&text);
    return why;
}

static bool is_map_of_objects(const struct mcp_json *v)
{
    if (v->type != MCP_JSON_OBJECT)
        return false;
    for (uint32_t i = 0; i < v->count; i++)
        if (v->u.members[i].value.type != MCP_JSON_OBJECT)
            return false;
    return true;
}

bool mcp_ask_open(struct mcp_job *job)
{
    const struct mcp_json *params = job->call->params;
    const struct mcp_json *sealed = mcp_json_find(params, "requestState");
    const struct mcp_json *responses = mcp_json_find(params, "inputResponses");
    const char *why = NULL;

    if (!mcp_call_is_modern(job->call) || (sealed == NULL && responses == NULL))
        return true;
    if (mcp_ask_of(job) == NULL)
        why = "inputResponses are too large";
    else if (sealed != NULL && sealed->type != MCP_JSON_STRING)
        why = "requestState must be a string";
    else if (sealed != NULL)
        why = open_state(job, sealed);
    if (why == NULL && responses != NULL && !is_map_of_objects(responses))
        why = "inputResponses must be an object of objects";
    if (why != NULL) {
        refuse(job, why);
        return false;
    }
    if (responses != NULL && responses->count > 0)
        job->ask->responses = responses;
    return true;
}

void mcp_ask_fail(struct mcp_job *job, const char *text, size_t len)
{
    char *copied;

    if (job->handler->kind == MCP_KIND_TOOL) {
        mcp_outcome_set_failure(&job->outcome, text, len);
        return;
    }
    copied = mcp_arena_dup(job->call->arena, text, len);
    refuse(job, copied != NULL ? copied : "a question failed");
}

/* ---- asking ---- */

static void write_entries(struct mcp_buf *b, const struct mcp_ask_entry *list)
{
    bool first = true;

    mcp_buf_putc(b, '{');
    for (; list != NULL; list = list->next) {
        mcp_buf_puts(b, first ? "" : ",");
        first = false;
        mcp_json_write_string(b, list->key, list->key_len);
        mcp_buf_putc(b, ':');
        mcp_json_write(b, list->value);
    }
    mcp_buf_putc(b, '}');
}

static void write_state(struct mcp_buf *b, const struct mcp_ask *ask,
                        time_t expires, const char *state, size_t len)
{
    mcp_buf_printf(b, "{\"e\":%lld,\"a\":", (long long)expires);
    write_entries(b, ask->answers);
    mcp_buf_puts(b, ",\"m\":");
    write_entries(b, ask->memos);
    if (state != NULL) {
        mcp_buf_puts(b, ",\"s\":");
        mcp_json_write_string(b, state, len);
    }
    mcp_buf_putc(b, '}');
}

void mcp_ask_write_state(struct mcp_buf *out, const struct mcp_ask *ask)
{
    write_state(out, ask, now_s(),
                ask->state != NULL ? ask->state->u.text : NULL,
                ask->state != NULL ? ask->state->count : 0);
}

bool mcp_ask_tell_kept(struct mcp_job *job)
{
    struct mcp_buf b;
    bool fits;

    if (job->apart == NULL)
        return true;
    mcp_buf_init(&b, MCP_ASK_STATE_MAX_BYTES);
    mcp_ask_write_state(&b, job->ask);
    fits = !b.failed;
    if (fits)
        job->apart->keep(job, b.data, b.len);
    mcp_buf_free(&b);
    return fits;
}

/* Appends the sealed state to the outcome. */
static enum mcp_err seal_state(struct mcp_job *job, const char *state,
                               size_t len)
{
    const struct mcp_seal_keys keys = keys_of(job);
    time_t expires = now_s() + (time_t)job->gen->config->request_state_ttl;
    struct mcp_outcome *o = &job->outcome;
    size_t at = o->text.len;
    struct mcp_buf text, bound;
    enum mcp_err err;

    mcp_buf_init(&text, MCP_ASK_STATE_MAX_BYTES);
    mcp_buf_init(&bound, BOUND_MAX_BYTES);
    write_state(&text, job->ask, expires, state, len);
    err = text.failed ? MCP_ELIMIT : mcp_ask_write_bound(job, &bound);
    if (err == MCP_OK)
        err = mcp_seal_close(&keys, bound.data, bound.len, text.data, text.len,
                             &o->text);
    o->state = (struct mcp_span){at, o->text.len - at};
    mcp_buf_free(&text);
    mcp_buf_free(&bound);
    return err;
}

static void write_requests(struct mcp_outcome *o, const struct mcp_question *q,
                           size_t count)
{
    if (count == 0)
        return;
    mcp_buf_putc(&o->text, '{');
    for (size_t i = 0; i < count; i++) {
        mcp_buf_puts(&o->text, i == 0 ? "" : ",");
        mcp_json_write_string(&o->text, q[i].key, q[i].key_len);
        mcp_buf_putc(&o->text, ':');
        mcp_buf_add(&o->text, q[i].request, q[i].request_len);
    }
    mcp_buf_putc(&o->text, '}');
    o->content = (struct mcp_span){0, o->text.len};
}

void mcp_ask_write_required(struct mcp_job *job, const struct mcp_question *q,
                            size_t count, const char *state, size_t len)
{
    static const char large[] = "the answers and the values of ctx.memo are "
                                "too large to be kept for the next round";
    struct mcp_outcome *o = &job->outcome;

    mcp_outcome_clear(o);
    o->kind = MCP_OUTCOME_INPUT_REQUIRED;
    write_requests(o, q, count);
    if (seal_state(job, state, len) != MCP_OK || o->text.failed)
        mcp_ask_fail(job, large, sizeof(large) - 1);
}
