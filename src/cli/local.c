/*
 * local.c - one call at a time, and a wait for its end
 */
#include "cli/local.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/call.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/banner.h"
#include "protocol/endpoint.h"

#define META "io.modelcontextprotocol/"

enum {
    CALL_BYTES = 256 << 20,
    OUT_BYTES = 1 << 30,
    MESSAGE_BYTES = 16 << 20,
};

struct local {
    struct mcp_call call; /* first: a cast converts both ways */
    pthread_mutex_t lock; /* also of stderr, for whole lines  */
    pthread_cond_t ended;
    bool done; /* under lock */
};

/* ---- what the app says meanwhile ------------------------------------------
 */

static void put_value(struct mcp_buf *line, const struct mcp_json *v)
{
    if (mcp_json_is(v, MCP_JSON_STRING))
        mcp_banner_add(line, v->u.text, v->count);
    else if (v != NULL)
        mcp_json_write(line, v);
}

/* "progress: 3/10 grinding" */
static void put_progress(struct mcp_buf *line, const struct mcp_json *params)
{
    const struct mcp_json *total = mcp_json_find(params, "total");
    const struct mcp_json *message = mcp_json_find(params, "message");

    mcp_buf_puts(line, "progress: ");
    put_value(line, mcp_json_find(params, "progress"));
    mcp_buf_puts(line, total != NULL ? "/" : "");
    put_value(line, total);
    mcp_buf_puts(line, message != NULL ? " " : "");
    put_value(line, message);
}

/* "warning: beans are low", "info (grinder): {...}" */
static void put_message(struct mcp_buf *line, const struct mcp_json *params)
{
    const struct mcp_json *logger = mcp_json_find(params, "logger");

    put_value(line, mcp_json_find(params, "level"));
    mcp_buf_puts(line, logger != NULL ? " (" : "");
    put_value(line, logger);
    mcp_buf_puts(line, logger != NULL ? "): " : ": ");
    put_value(line, mcp_json_find(params, "data"));
}

static enum mcp_err emit(struct mcp_call *call, const char *msg, size_t len)
{
    struct local *l = (struct local *)call;
    struct mcp_arena *arena = mcp_arena_new(MESSAGE_BYTES);
    const struct mcp_json *tree = NULL, *params;
    struct mcp_buf line;

    mcp_buf_init(&line, MESSAGE_BYTES);
    if (arena == NULL || len == 0 ||
        mcp_json_parse(arena, msg, len, NULL, &tree, NULL) != MCP_OK) {
        mcp_arena_free(arena);
        return len == 0 ? MCP_OK : MCP_ENOMEM;
    }
    params = mcp_json_find(tree, "params");
    if (mcp_json_equals_string(mcp_json_find(tree, "method"),
                               "notifications/progress"))
        put_progress(&line, params);
    else
        put_message(&line, params);
    mcp_buf_putc(&line, '\n');
    (void)pthread_mutex_lock(&l->lock);
    if (!line.failed)
        (void)fwrite(line.data, 1, line.len, stderr);
    (void)pthread_mutex_unlock(&l->lock);
    mcp_buf_free(&line);
    mcp_arena_free(arena);
    return MCP_OK;
}

/* ---- one request ----------------------------------------------------------
 */

static void done(struct mcp_call *call)
{
    struct local *l = (struct local *)call;

    (void)pthread_mutex_lock(&l->lock);
    l->done = true;
    (void)pthread_cond_signal(&l->ended);
    (void)pthread_mutex_unlock(&l->lock);
}

/* The least that the app may say by ctx.log(); NULL: nothing. */
static const char *log_level(const struct mcp_config *config)
{
    static const char *const names[] = {
        [MCP_LOG_DEBUG] = "debug",
        [MCP_LOG_INFO] = "info",
        [MCP_LOG_WARNING] = "warning",
        [MCP_LOG_ERROR] = "error",
    };

    return config->log_level < MCP_LOG_OFF ? names[config->log_level] : NULL;
}

static void write_request(struct mcp_buf *out, const struct mcp_config *config,
                          const char *method, const char *params)
{
    const char *level = log_level(config);

    mcp_buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":");
    mcp_json_write_cstring(out, method);
    mcp_buf_puts(out, ",\"params\":{");
    mcp_buf_puts(out, params);
    mcp_buf_puts(out, *params != '\0' ? "," : "");
    mcp_buf_puts(out, "\"_meta\":{\"" META "protocolVersion\":\"2026-07-28\","
                      "\"" META "clientCapabilities\":{},"
                      "\"" META "clientInfo\":{\"name\":\"mcpluad\","
                      "\"version\":\"" MCP_VERSION "\"},");
    if (level != NULL)
        mcp_buf_printf(out, "\"" META "logLevel\":\"%s\",", level);
    mcp_buf_puts(out, "\"progressToken\":1}}}");
}

static void run(struct local *l, struct mcp_endpoint *endpoint,
                const struct mcp_buf *body)
{
    static const struct mcp_call_ops ops = {.emit = emit, .done = done};

    l->call.ops = &ops;
    l->call.transport = MCP_TRANSPORT_STDIO;
    l->call.principal = "anonymous";
    l->call.status = 200;
    l->call.started_ns = mcp_clock_now_ns();
    l->call.body = body->data;
    l->call.body_len = body->len;
    mcp_buf_init(&l->call.out, OUT_BYTES);
    mcp_endpoint_handle(endpoint, &l->call);
    (void)pthread_mutex_lock(&l->lock);
    while (!l->done)
        (void)pthread_cond_wait(&l->ended, &l->lock);
    (void)pthread_mutex_unlock(&l->lock);
}

/* The response as a tree in `arena`. */
static enum mcp_err read_answer(const struct mcp_buf *out,
                                struct mcp_arena *arena,
                                const struct mcp_json **answer)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH};
    const char *text;
    enum mcp_err err;

    if (out->failed)
        return MCP_ENOMEM;
    text = mcp_arena_dup(arena, out->data != NULL ? out->data : "", out->len);
    if (text == NULL)
        return MCP_ENOMEM;
    err = mcp_json_parse(arena, text, out->len, &options, answer, NULL);
    return err == MCP_OK || err == MCP_ENOMEM ? err : MCP_EINTERNAL;
}

enum mcp_err mcp_local_request(struct mcp_endpoint *endpoint,
                               const struct mcp_config *config,
                               struct mcp_arena *arena, const char *method,
                               const char *params,
                               const struct mcp_json **answer)
{
    struct local l = {.done = false};
    struct mcp_buf body;
    enum mcp_err err = MCP_ENOMEM;

    mcp_buf_init(&body, OUT_BYTES);
    write_request(&body, config, method, params);
    l.call.arena = mcp_arena_new(CALL_BYTES);
    (void)pthread_mutex_init(&l.lock, NULL);
    (void)pthread_cond_init(&l.ended, NULL);
    if (!body.failed && l.call.arena != NULL) {
        run(&l, endpoint, &body);
        err = read_answer(&l.call.out, arena, answer);
        mcp_buf_free(&l.call.out);
    }
    (void)pthread_mutex_destroy(&l.lock);
    (void)pthread_cond_destroy(&l.ended);
    mcp_arena_free(l.call.arena);
    mcp_buf_free(&body);
    return err;
}

bool mcp_local_write(int fd, const struct mcp_buf *out)
{
    size_t at = 0;

    while (at < out->len) {
        ssize_t n = write(fd, out->data + at, out->len - at);

        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}
