/*
 * bridge_answer.c - what the remote says, to the client
 *
 * Runs inside callbacks of libcurl as well, so nothing here stops a transfer:
 * a call that has its answer is marked as finished, and the loop ends it.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "transport/bridge_private.h"

enum {
    PARSE_PER_BYTE = 64, /* "[1,1,1,...": a node per 2 bytes */
    PARSE_EXTRA = 1024 * 1024,
    ERROR_BYTES = 64 * 1024,
};

const struct mcp_json *mcp_bridge_parse(const char *text, size_t len,
                                        struct mcp_arena **arena,
                                        struct mcp_json_error *error)
{
    /* the client's parser takes the last of two keys as well */
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    const struct mcp_json *tree = NULL;

    *error = (struct mcp_json_error){.reason = "out of memory"};
    *arena = mcp_arena_new(len * PARSE_PER_BYTE + PARSE_EXTRA);
    if (*arena == NULL ||
        mcp_json_parse(*arena, text, len, &options, &tree, error) != MCP_OK)
        return NULL;
    return tree;
}

/* ---- errors of our own -------------------------------------------------- */

static void put_id(struct mcp_buf *b, const struct mcp_bridge_id *id)
{
    if (id == NULL)
        return;
    mcp_buf_puts(b, ",\"id\":");
    mcp_buf_add(b, id->text, id->len);
}

void mcp_bridge_write_error(struct mcp_bridge *b,
                            const struct mcp_bridge_id *id, int code,
                            const char *message, long status)
{
    struct mcp_buf line;
    size_t len = strlen(message), bad = 0;

    mcp_buf_init(&line, ERROR_BYTES * 8 + (id != NULL ? id->len : 0));
    if (!mcp_utf8_valid(message, len, &bad))
        len = bad;
    mcp_buf_puts(&line, "{\"jsonrpc\":\"2.0\"");
    put_id(&line, id);
    mcp_buf_printf(&line, ",\"error\":{\"code\":%d,\"message\":", code);
    mcp_json_write_string(&line, message, len);
    if (status > 0)
        mcp_buf_printf(&line, ",\"data\":{\"status\":%ld}", status);
    mcp_buf_puts(&line, "}}");
    if (line.failed)
        b->out_of_memory = true;
    else
        mcp_bridge_out_line(&b->out, line.data, line.len);
    mcp_buf_free(&line);
}

/* On a pipe nothing else says that a subscription is over. */
static void write_listen_over(struct mcp_bridge *b,
                              const struct mcp_bridge_id *id)
{
    struct mcp_buf line;

    mcp_buf_init(&line, ERROR_BYTES + id->len);
    mcp_buf_puts(&line, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                        "cancelled\",\"params\":{\"requestId\":");
    mcp_buf_add(&line, id->text, id->len);
    mcp_buf_puts(&line, "}}");
    if (!line.failed)
        mcp_bridge_out_line(&b->out, line.data, line.len);
    mcp_buf_free(&line);
}

/* From now on nobody waits for it. */
static void mark(struct mcp_bridge_call *c, struct mcp_bridge_id *id)
{
    if (c->is_listen)
        write_listen_over(c->b, id);
    id->answered = true;
    c->unanswered--;
}

void mcp_bridge_call_fail(struct mcp_bridge_call *c, const char *fmt, ...)
{
    char message[1024];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    for (size_t i = 0; i < c->id_count; i++) {
        if (c->ids[i].answered)
            continue;
        mark(c, &c->ids[i]);
        mcp_bridge_write_error(c->b, &c->ids[i], MCP_BRIDGE_ERROR, message,
                               c->status >= 300 ? c->status : 0);
    }
    mcp_log(MCP_LOG_WARNING, "bridge", "%s%s%s", c->name,
            c->name[0] != '\0' ? ": " : "", message);
    mcp_bridge_call_end(c);
}

/* ---- answers ------------------------------------------------------------ */

/* The call that waits for this id: `c` itself before any other. */
static struct mcp_bridge_call *find_owner(struct mcp_bridge_call *c,
                                          const struct mcp_json *id,
                                          struct mcp_bridge_id **found)
{
    struct mcp_bridge_call *owner = NULL, *k;
    struct mcp_buf text;

    mcp_buf_init(&text, c->b->o->max_message_bytes);
    mcp_json_write(&text, id);
    for (k = c; owner == NULL && !text.failed; k = k->next) {
        size_t count = k->state != MCP_BRIDGE_DONE ? k->id_count : 0;

        for (size_t i = 0; owner == NULL && i < count; i++)
            if (!k->ids[i].answered && k->ids[i].len == text.len &&
                memcmp(k->ids[i].text, text.data, text.len) == 0) {
                owner = k;
                *found = &k->ids[i];
            }
        if (k->next == c)
            break; /* once around, over the head, which has no ids */
    }
    mcp_buf_free(&text);
    return owner;
}

/* The one id that `c` waits for, or NULL. */
static struct mcp_bridge_id *sole_id(const struct mcp_bridge_call *c)
{
    return c->id_count == 1 && !c->ids[0].answered ? &c->ids[0] : NULL;
}

/* `c` has all that it asked for. */
static void finish(struct mcp_bridge_call *c, const struct mcp_bridge_call *by)
{
    if (c->unanswered > 0 || c->id_count == 0)
        return;
    c->finished = true;
    c->rest_ns = mcp_clock_now_ns();
    if (c != by && c->state != MCP_BRIDGE_ACTIVE)
        mcp_bridge_call_end(c); /* it has no transfer */
}

/* Writes the answer to `id`; an error without an id gets ours. */
static void write_answer(struct mcp_bridge_call *owner,
                         const struct mcp_bridge_id *id,
                         const struct mcp_json *tree, const char *text,
                         size_t len, bool foreign)
{
    struct mcp_bridge *b = owner->b;
    struct mcp_buf line;

    mcp_buf_init(&line, SIZE_MAX / 2);
    if (foreign) {
        mcp_buf_puts(&line, "{\"jsonrpc\":\"2.0\"");
        put_id(&line, id);
        mcp_buf_puts(&line, ",\"error\":");
        mcp_json_write(&line, mcp_json_find(tree, "error"));
        mcp_buf_putc(&line, '}');
    } else if (!owner->modern || !owner->is_list ||
               !mcp_bridge_tools_filter(&line, tree)) {
        mcp_bridge_out_line(&b->out, text, len);
    }
    if (line.failed)
        b->out_of_memory = true;
    else if (line.len > 0)
        mcp_bridge_out_line(&b->out, line.data, line.len);
    mcp_buf_free(&line);
}

static void answer(struct mcp_bridge_call *owner, struct mcp_bridge_id *id,
                   const struct mcp_json *tree, const char *text, size_t len,
                   bool foreign)
{
    const struct mcp_json *result = mcp_json_find(tree, "result");

    if (owner->is_initialize)
        mcp_bridge_session_opened(owner, result);
    if (owner->is_kept && result != NULL)
        mcp_bridge_keep(owner);
    if (owner->modern && owner->is_list && result != NULL)
        mcp_bridge_tools_seen(owner, tree);
    mark(owner, id);
    write_answer(owner, id, tree, text, len, foreign);
}

/* A response that came for `c`. */
static void take_response(struct mcp_bridge_call *c,
                          const struct mcp_json *tree, const char *text,
                          size_t len)
{
    const struct mcp_json *id = mcp_json_find(tree, "id");
    struct mcp_bridge_call *owner = NULL;
    struct mcp_bridge_id *found = NULL;
    bool foreign = false;

    if (id != NULL && id->type != MCP_JSON_NULL) {
        owner = find_owner(c, id, &found);
    } else if (mcp_json_find(tree, "error") != NULL) {
        found = sole_id(c); /* it could not read the id: it is this one */
        owner = found != NULL ? c : NULL;
        foreign = true;
    }
    if (owner != NULL && owner != c && owner->role != MCP_BRIDGE_OF_CLIENT)
        owner = NULL;
    if (owner == NULL) {
        mcp_log(MCP_LOG_WARNING, "bridge",
                "%s: an answer that nobody waits for was dropped", c->name);
        return;
    }
    if (owner->role == MCP_BRIDGE_OF_CLIENT) {
        answer(owner, found, tree, text, len, foreign);
    } else { /* ours: kept for its end */
        mcp_buf_clear(&owner->answer);
        mcp_buf_add(&owner->answer, text, len);
        mark(owner, found);
    }
    finish(owner, c);
}

static bool is_message(const struct mcp_json *v)
{
    return mcp_json_find(v, "method") != NULL ||
           mcp_json_find(v, "result") != NULL ||
           mcp_json_is(mcp_json_find(v, "error"), MCP_JSON_OBJECT);
}

/* The parts of a batch; the client gets it as it is. */
static void take_batch(struct mcp_bridge_call *c, const struct mcp_json *tree,
                       const char *text, size_t len)
{
    bool good = tree->count > 0 && !c->modern;

    for (uint32_t i = 0; good && i < tree->count; i++)
        good = is_message(&tree->u.items[i]);
    if (!good) {
        mcp_log(MCP_LOG_WARNING, "bridge", "%s: dropped an array", c->name);
        return;
    }
    mcp_bridge_out_line(&c->b->out, text, len);
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct mcp_json *id = mcp_json_find(&tree->u.items[i], "id");
        struct mcp_bridge_id *found = NULL;
        struct mcp_bridge_call *owner = NULL;

        if (mcp_json_find(&tree->u.items[i], "method") == NULL && id != NULL)
            owner = find_owner(c, id, &found);
        if (owner != NULL) {
            mark(owner, found);
            finish(owner, c);
        }
    }
}

/* A request or a notification of the remote. In 2026-07-28 it asks by its
 * results, and nothing but messages of a server may come out of here. */
static void take_other(struct mcp_bridge_call *c, const struct mcp_json *tree,
                       const char *text, size_t len)
{
    if (c->modern && mcp_json_find(tree, "id") != NULL) {
        mcp_log(MCP_LOG_WARNING, "bridge",
                "%s: dropped a request of the endpoint", c->name);
        return;
    }
    if (mcp_json_equals_string(mcp_json_find(tree, "method"),
                               "notifications/tools/list_changed"))
        mcp_bridge_tools_changed(c->b);
    if (c->role != MCP_BRIDGE_FETCH)
        mcp_bridge_out_line(&c->b->out, text, len);
}

bool mcp_bridge_take_message(struct mcp_bridge_call *c, const char *text,
                             size_t len)
{
    struct mcp_json_error error;
    struct mcp_arena *arena;
    const struct mcp_json *tree = mcp_bridge_parse(text, len, &arena, &error);

    if (tree == NULL)
        mcp_log(MCP_LOG_WARNING, "bridge",
                "%s: dropped what is no JSON: %s at byte %zu", c->name,
                error.reason, error.offset);
    else if (tree->type == MCP_JSON_ARRAY)
        take_batch(c, tree, text, len);
    else if (mcp_json_find(tree, "method") != NULL)
        take_other(c, tree, text, len);
    else if (is_message(tree))
        take_response(c, tree, text, len);
    else
        mcp_log(MCP_LOG_WARNING, "bridge",
                "%s: dropped what is no JSON-RPC message", c->name);
    mcp_arena_free(arena);
    return tree != NULL;
}
