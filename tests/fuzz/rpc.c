/*
 * rpc.c - fuzzer: any messages to an endpoint over a fake app
 *
 * The input is messages separated by byte 0x1e. The first byte of each says
 * how it comes (p POST, g GET, d DELETE, s stdio, l a POST whose handler ends
 * later, x a hang-up of the oldest such call or else of the last one, n news
 * for all streams), then header lines, an empty line, and the body. "@" as the
 * value of Mcp-Session-Id means the session opened last. Each call must be
 * answered exactly once, with nothing or with one line of JSON whose id is a
 * string or an integer.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "base/log.h"
#include "features/prepare.h"
#include "features/subscriptions.h"
#include "protocol/endpoint.h"

enum { ARENA_BYTES = 1 << 20, MAX_HEADERS = 8, MAX_WAITING = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct mcp_app {
    struct mcp_registry *registry;
    struct mcp_job *waiting[MAX_WAITING];
    size_t waiting_count;
    bool later;
};

struct message {
    struct mcp_call call;
    struct mcp_header headers[MAX_HEADERS];
    char *text;
    int done;
};

static struct mcp_app app;
static char session[33];

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "rpc: %s\n", what);
    abort();
}

/* ---- the fake app ---- */

static void finish(struct mcp_job *job)
{
    static const char text[] = "[{\"type\":\"text\",\"text\":\"ok\"}]{\"n\":1}";
    struct mcp_outcome *o = &job->outcome;

    mcp_outcome_init(o, 4096);
    mcp_buf_puts(&o->text, text);
    o->content.len = sizeof(text) - 8;
    o->structured = (struct mcp_span){sizeof(text) - 8, 7};
    o->kind = atomic_load(&job->call->cancelled) ? MCP_OUTCOME_CANCELED
                                                 : MCP_OUTCOME_RESULT;
    job->call->notify->log(job->call, "error", "l", "1", 1);
    job->call->notify->progress(job->call, 1, 2, "m", 1);
    job->finish(job);
}

const struct mcp_generation *mcp_app_acquire(struct mcp_app *a)
{
    return mcp_registry_acquire(a->registry);
}

enum mcp_err mcp_app_run(struct mcp_app *a, struct mcp_job *job)
{
    if (!a->later) {
        finish(job);
        return MCP_OK;
    }
    if (a->waiting_count == MAX_WAITING)
        return MCP_EBUSY;
    a->waiting[a->waiting_count++] = job;
    return MCP_OK;
}

void mcp_app_cancel(struct mcp_app *a, struct mcp_call *call)
{
    (void)a;
    check(atomic_load(&call->cancelled), "cancel without the mark");
}

bool mcp_app_answer(struct mcp_app *a, const struct mcp_session *s,
                    const struct mcp_json *message)
{
    (void)a, (void)s, (void)message;
    return false;
}

void mcp_app_session_ended(struct mcp_app *a, const struct mcp_session *s)
{
    (void)a, (void)s;
}

void mcp_app_client_left(struct mcp_app *a, const struct mcp_call *call)
{
    (void)a, (void)call;
}

bool mcp_app_answer_apart(struct mcp_app *a, const struct mcp_call *call,
                          const char *key, const struct mcp_json *answer)
{
    (void)a, (void)call, (void)key, (void)answer;
    return false;
}

size_t mcp_app_max_workers(struct mcp_app *a)
{
    (void)a;
    return 8;
}

static void run_waiting(void)
{
    for (size_t i = 0; i < app.waiting_count; i++)
        finish(app.waiting[i]);
    app.waiting_count = 0;
}

/* ---- answers ---- */

static void judge_one(const struct mcp_json *v)
{
    const struct mcp_json *id = mcp_json_find(v, "id");

    check(mcp_json_equals_string(mcp_json_find(v, "jsonrpc"), "2.0"),
          "no jsonrpc");
    check((mcp_json_find(v, "result") != NULL) !=
              (mcp_json_find(v, "error") != NULL),
          "neither or both of result and error");
    check(id == NULL || id->type == MCP_JSON_STRING ||
              (id->type == MCP_JSON_NUMBER &&
               (id->flags & MCP_JSON_F_INTEGER) != 0),
          "an id that is no id");
}

static void judge(const struct mcp_call *call)
{
    struct mcp_arena *a = mcp_arena_new(64 << 20);
    struct mcp_json_options options = {.max_depth = 1000};
    const struct mcp_json *v;

    check(!call->out.failed, "a failed buffer is sent");
    if (call->out.len > 0) {
        check(memchr(call->out.data, '\n', call->out.len) == NULL, "two lines");
        check(mcp_json_parse(a, call->out.data, call->out.len, &options, &v,
                             NULL) == MCP_OK,
              "the answer is no JSON");
        if (v->type == MCP_JSON_ARRAY)
            for (uint32_t i = 0; i < v->count; i++)
                judge_one(&v->u.items[i]);
        else
            judge_one(v);
        check(call->status != 202 && call->status != 204, "202 with a body");
    } else {
        check(call->status == 202 || call->status == 204, "no body");
    }
    mcp_arena_free(a);
}

static enum mcp_err on_emit(struct mcp_call *call, const char *msg, size_t len)
{
    struct mcp_arena *a = mcp_arena_new(8 << 20);
    const struct mcp_json *v;

    check(((struct message *)call->transport_data)->done == 0, "said too late");
    check(len == 0 || mcp_json_parse(a, msg, len, NULL, &v, NULL) == MCP_OK,
          "a notification that is no JSON");
    mcp_arena_free(a);
    return MCP_OK;
}

static void on_done(struct mcp_call *call)
{
    struct message *m = call->transport_data;

    check(m->done++ == 0, "done twice");
    check(call->session == NULL, "a session is kept");
    judge(call);
    for (size_t i = 0; i < call->reply_header_count; i++)
        if (strcmp(call->reply_headers[i].name, "Mcp-Session-Id") == 0)
            snprintf(session, sizeof(session), "%s",
                     call->reply_headers[i].value);
}

static enum mcp_err on_emit_event(struct mcp_call *call, const char *id,
                                  unsigned retry_ms, const char *msg,
                                  size_t len)
{
    (void)retry_ms;
    for (const char *c = id; c != NULL && *c != '\0'; c++)
        check(*c > ' ' && *c <= '~', "an id that is not visible ASCII");
    return on_emit(call, msg, len);
}

static void on_detach(struct mcp_call *call)
{
    check(((struct message *)call->transport_data)->done == 0, "too late");
}

static const struct mcp_call_ops ops = {.emit = on_emit,
                                        .done = on_done,
                                        .emit_event = on_emit_event,
                                        .detach = on_detach};

/* ---- messages ---- */

/* Cuts the header lines off `text`; returns where the body begins. */
static char *read_headers(struct message *m, char *text)
{
    while (*text != '\0' && *text != '\n') {
        char *end = text + strcspn(text, "\n"), *colon;
        bool last = *end == '\0';

        *end = '\0';
        colon = strchr(text, ':');
        if (colon != NULL && m->call.header_count < MAX_HEADERS) {
            struct mcp_header *h = &m->headers[m->call.header_count++];

            *colon = '\0';
            h->name = text;
            h->value = colon[1] == '@' ? session : colon + 1;
        }
        text = last ? end : end + 1;
    }
    return *text == '\n' ? text + 1 : text;
}

static struct message *message_new(const uint8_t *data, size_t size)
{
    struct message *m = calloc(1, sizeof(*m));
    const char *way = "POST";
    char *body;

    m->text = malloc(size + 1);
    memcpy(m->text, data, size);
    m->text[size] = '\0';
    app.later = m->text[0] == 'l';
    if (m->text[0] == 'g')
        way = "GET";
    else if (m->text[0] == 'd')
        way = "DELETE";
    else if (m->text[0] == 's')
        way = NULL;
    body = read_headers(m, size > 0 ? m->text + 1 : m->text);
    m->call.arena = mcp_arena_new(ARENA_BYTES);
    m->call.ops = &ops;
    m->call.transport = way == NULL ? MCP_TRANSPORT_STDIO : MCP_TRANSPORT_HTTP;
    m->call.http_method = way;
    m->call.headers = m->headers;
    m->call.body = body;
    m->call.body_len = (size_t)(m->text + size - body);
    m->call.principal = "anonymous";
    m->call.transport_data = m;
    return m;
}

static void message_free(struct message *m)
{
    check(m->done == 1, "not answered");
    mcp_buf_free(&m->call.out);
    mcp_arena_free(m->call.arena);
    free(m->text);
    free(m);
}

static void open_once(void)
{
    static const struct mcp_tool tools[] = {
        {.name = "a",
         .input_schema =
             "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\","
             "\"x-mcp-header\":\"S\"},\"n\":{\"type\":\"integer\",\"default\":"
             "3}}}"},
        {.name = "b",
         .input_schema = "{\"type\":\"object\",\"required\":[\"x\"]}",
         .output_schema = "{\"properties\":{\"n\":{\"type\":\"integer\"}}}"},
        {.name = "c",
         .input_schema = "{\"type\":\"object\"}",
         .output_schema = "{\"type\":\"object\",\"required\":[\"y\"]}"},
    };
    char message[256];
    struct mcp_config *c;
    struct mcp_builder *b;

    if (app.registry != NULL)
        return;
    c = mcp_config_new();
    app.registry = mcp_registry_new();
    check(mcp_config_set(c, "list_page_size", "2", MCP_FROM_FLAG, message,
                         sizeof(message)) == MCP_OK &&
              mcp_config_set(c, "max_sessions", "3", MCP_FROM_FLAG, message,
                             sizeof(message)) == MCP_OK,
          message);
    b = mcp_builder_new(c);
    for (size_t i = 0; i < 3; i++)
        check(mcp_builder_add_tool(b, &tools[i], message, sizeof(message)) ==
                  MCP_OK,
              message);
    check(mcp_features_prepare(NULL, mcp_builder_view(b), message,
                               sizeof(message)) == MCP_OK,
          message);
    (void)mcp_registry_publish(app.registry, b);
    mcp_log_setup(MCP_LOG_OFF, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct message *sent[64];
    struct mcp_subscriptions *subscriptions = mcp_subscriptions_new();
    struct mcp_endpoint *ep;
    size_t count = 0;

    open_once();
    ep = mcp_endpoint_new(&app, NULL, subscriptions);
    check(ep != NULL, "no endpoint");
    session[0] = '\0';
    while (size > 0 && count < 64) {
        const uint8_t *end = memchr(data, 0x1e, size);
        size_t len = end == NULL ? size : (size_t)(end - data);

        if (data[0] == 'x' && app.waiting_count > 0) {
            mcp_endpoint_disconnected(ep, app.waiting[0]->call);
        } else if (data[0] == 'x' && count > 0) {
            mcp_endpoint_disconnected(ep, &sent[count - 1]->call);
        } else if (data[0] == 'n') {
            mcp_publish_lists(subscriptions, MCP_LISTS);
            mcp_publish_resource(subscriptions, "a:b", 3);
        } else {
            sent[count] = message_new(data, len);
            mcp_endpoint_handle(ep, &sent[count++]->call);
        }
        if (end == NULL)
            break;
        data += len + 1;
        size -= len + 1;
    }
    run_waiting();
    mcp_endpoint_end_streams(ep);
    for (size_t i = 0; i < count; i++)
        message_free(sent[i]);
    mcp_endpoint_free(ep);
    mcp_subscriptions_free(subscriptions);
    return 0;
}
