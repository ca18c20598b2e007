/*
 * protocol_common.c - see protocol_common.h
 */
#include "protocol_common.h"

#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "features/prepare.h"
#include "features/subscriptions.h"

struct mcp_app {
    struct mcp_registry *registry;
    enum fake_mode mode;
    struct mcp_job *first, **last; /* waiting */
    atomic_int runs, cancels;
    pthread_mutex_t lock; /* FAKE_THREADS: around first, last, stop */
    pthread_cond_t filled;
    pthread_t threads[8];
    int thread_count;
    bool stop;
    bool stubborn; /* handlers do not look at `cancelled` */
};

struct fixture {
    struct mcp_app app;
    struct mcp_config *config;
    struct mcp_subscriptions *subscriptions;
    struct mcp_endpoint *ep;
    struct answer answer;
    size_t arena_bytes;
    char sessions[8][64];
    unsigned session_count;
};

struct flying {
    struct mcp_call call;
    struct mcp_header headers[16];
    struct answer *answer;
    char *head, *body;
    bool done;
    sem_t landed;
};

/* ---- the fake app ---- */

static void add(struct mcp_buf *b, struct mcp_span *s, const char *text)
{
    s->at = b->len;
    s->len = strlen(text);
    mcp_buf_puts(b, text);
}

static void say(struct mcp_outcome *o, const char *content)
{
    o->kind = MCP_OUTCOME_RESULT;
    add(&o->text, &o->content, content);
}

static void run_echo(struct mcp_job *job)
{
    struct mcp_buf b;

    mcp_buf_init(&b, 1 << 20);
    mcp_json_write(&b, job->args);
    job->outcome.kind = MCP_OUTCOME_RESULT;
    job->outcome.content.at = 0;
    mcp_buf_puts(&job->outcome.text, "[{\"type\":\"text\",\"text\":");
    mcp_json_write_string(&job->outcome.text, b.data, b.len);
    mcp_buf_puts(&job->outcome.text, "}]");
    job->outcome.content.len = job->outcome.text.len;
    mcp_buf_free(&b);
}

static void run_chatty(struct mcp_job *job)
{
    const struct mcp_call_notify *n = job->call->notify;

    n->log(job->call, "debug", NULL, "\"d\"", 3);
    n->log(job->call, "info", "app", "{\"a\":1}", 7);
    n->log(job->call, "error", NULL, "\"e\"", 3);
    n->progress(job->call, 1, 2, "one", 3);
    n->progress(job->call, 1, 2, NULL, 0);
    n->progress(job->call, 0.5, 2, NULL, 0);
    n->progress(job->call, NAN, 2, NULL, 0);
    n->progress(job->call, 1.5, NAN, NULL, 0);
    say(&job->outcome, "[]");
}

/* Of a resource, a prompt or a completer. */
static void run_other(struct mcp_job *job)
{
    struct mcp_outcome *o = &job->outcome;

    switch (job->handler->kind) {
    case MCP_KIND_RESOURCE:
        say(o, "[{\"uri\":\"t://x\",\"text\":\"x\"}]");
        if (strcmp(job->uri, "t://none") == 0)
            o->kind = MCP_OUTCOME_NOT_FOUND;
        break;
    case MCP_KIND_PROMPT:
        say(o, "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":"
               "\"hi\"}}]");
        break;
    default:
        say(o, "[\"Ann\",\"Bob\"]");
    }
}

static void run(struct mcp_job *job)
{
    struct mcp_outcome *o = &job->outcome;
    const char *name = job->handler->name;

    mcp_outcome_init(o, 1 << 20);
    if (job->tool == NULL) {
        run_other(job);
    } else if (strcmp(name, "echo") == 0) {
        run_echo(job);
    } else if (strcmp(name, "chatty") == 0) {
        run_chatty(job);
    } else if (strcmp(name, "fails") == 0) {
        say(o, "[{\"type\":\"text\",\"text\":\"no\"}]");
        add(&o->text, &o->structured, "{\"why\":1}");
        o->is_error = true;
    } else if (strcmp(name, "fails_in_shape") == 0) {
        say(o, "[]");
        add(&o->text, &o->structured, "{\"why\":1}");
        o->is_error = o->structured_by_author = true;
    } else if (strcmp(name, "raises") == 0) {
        o->kind = MCP_OUTCOME_ERROR;
        o->code = 1234;
        add(&o->text, &o->message, "own \"code\"");
        add(&o->text, &o->data, "[1]");
    } else if (strcmp(name, "demands") == 0) {
        o->kind = MCP_OUTCOME_ERROR;
        o->code = -32021;
        add(&o->text, &o->message, "no sampling");
        add(&o->text, &o->data, "{\"requiredCapabilities\":{\"sampling\":{}}}");
    } else if (strcmp(name, "canceled") == 0) {
        o->kind = MCP_OUTCOME_CANCELED;
    } else if (strcmp(name, "nothing") == 0) {
        o->kind = MCP_OUTCOME_NONE;
    } else if (strcmp(name, "count") == 0) { /* output: an integer */
        say(o, "[{\"type\":\"text\",\"text\":\"3\"}]");
        add(&o->text, &o->structured, "3");
    } else if (strcmp(name, "loose") == 0) { /* no output schema */
        say(o, "[]");
        add(&o->text, &o->structured, "[4]");
    } else if (strcmp(name, "lies") == 0) { /* output: {n: integer} */
        say(o, "[]");
        add(&o->text, &o->structured, "{\"n\":\"x\"}");
    } else if (strcmp(name, "forgets") == 0) {
        say(o, "[]");
    } else { /* weather: output {temperature: number} */
        say(o, "[{\"type\":\"text\",\"text\":\"22\"}]");
        add(&o->text, &o->structured, "{\"temperature\":22}");
        add(&o->text, &o->meta, "{\"x/y\":1}");
    }
}

static void run_now(struct mcp_app *app, struct mcp_job *job)
{
    app->runs++;
    if (!app->stubborn && atomic_load(&job->call->cancelled))
        job->outcome.kind = MCP_OUTCOME_CANCELED;
    else
        run(job);
    if (job->check != NULL && job->outcome.kind == MCP_OUTCOME_RESULT)
        job->check(job);
    job->finish(job);
}

const struct mcp_generation *mcp_app_acquire(struct mcp_app *app)
{
    return mcp_registry_acquire(app->registry);
}

enum mcp_err mcp_app_run(struct mcp_app *app, struct mcp_job *job)
{
    if (app->mode == FAKE_BUSY)
        return MCP_EBUSY;
    if (app->mode == FAKE_NOW) {
        run_now(app, job);
        return MCP_OK;
    }
    pthread_mutex_lock(&app->lock);
    job->next = NULL;
    *app->last = job;
    app->last = &job->next;
    pthread_cond_signal(&app->filled);
    pthread_mutex_unlock(&app->lock);
    return MCP_OK;
}

static void *work(void *arg)
{
    struct mcp_app *app = arg;
    struct mcp_job *job;

    for (;;) {
        pthread_mutex_lock(&app->lock);
        while (app->first == NULL && !app->stop)
            pthread_cond_wait(&app->filled, &app->lock);
        job = app->first;
        if (job != NULL && (app->first = job->next) == NULL)
            app->last = &app->first;
        pthread_mutex_unlock(&app->lock);
        if (job == NULL)
            return NULL;
        run_now(app, job);
    }
}

void fixture_workers(struct fixture *f, int count)
{
    struct mcp_app *app = &f->app;

    pthread_mutex_lock(&app->lock);
    app->stop = count == 0;
    pthread_cond_broadcast(&app->filled);
    pthread_mutex_unlock(&app->lock);
    while (count == 0 && app->thread_count > 0)
        assert_int_equal(pthread_join(app->threads[--app->thread_count], NULL),
                         0);
    while (app->thread_count < count)
        assert_int_equal(
            pthread_create(&app->threads[app->thread_count++], NULL, work, app),
            0);
}

void mcp_app_cancel(struct mcp_app *app, struct mcp_call *call)
{
    assert_true(atomic_load(&call->cancelled));
    app->cancels++;
}

/* The fake handlers ask the client nothing. */
bool mcp_app_answer(struct mcp_app *app, const struct mcp_session *session,
                    const struct mcp_json *response)
{
    (void)app;
    (void)session;
    (void)response;
    return false;
}

bool mcp_app_answer_apart(struct mcp_app *app, const struct mcp_call *call,
                          const char *key, const struct mcp_json *answer)
{
    (void)app;
    (void)call;
    (void)key;
    (void)answer;
    return false;
}

size_t mcp_app_max_workers(struct mcp_app *app)
{
    (void)app;
    return 1;
}

void mcp_app_session_ended(struct mcp_app *app,
                           const struct mcp_session *session)
{
    (void)app;
    (void)session;
}

void mcp_app_client_left(struct mcp_app *app, const struct mcp_call *call)
{
    (void)app;
    (void)call;
}

void fixture_run_waiting(struct fixture *f)
{
    struct mcp_job *job = f->app.first, *next;

    f->app.first = NULL;
    f->app.last = &f->app.first;
    for (; job != NULL; job = next) {
        next = job->next;
        run_now(&f->app, job);
    }
}

/* ---- the fixture ---- */

static const struct mcp_tool tools[] = {
    {.name = "echo",
     .description = "Gives back",
     .input_schema = "{\"type\":\"object\"}"},
    {.name = "weather",
     .title = "Weather",
     .description = "Tells",
     .input_schema =
         "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\","
         "\"x-mcp-header\":\"City\"},\"days\":{\"type\":\"integer\","
         "\"minimum\":1,\"default\":3}},\"required\":[\"city\"],"
         "\"additionalProperties\":false}",
     .output_schema = "{\"type\":\"object\",\"properties\":{\"temperature\":{"
                      "\"type\":\"number\"}},\"required\":[\"temperature\"]}",
     .annotations = "{\"readOnlyHint\":true}",
     .icons = "[{\"src\":\"https://example.com/i.png\"}]",
     .meta = "{\"a/b\":1}"},
    {.name = "count",
     .input_schema = "{\"type\":\"object\"}",
     .output_schema = "{\"type\":\"integer\"}"},
    {.name = "chatty", .input_schema = "{\"type\":\"object\"}"},
    {.name = "fails", .input_schema = "{\"type\":\"object\"}"},
    {.name = "fails_in_shape",
     .input_schema = "{\"type\":\"object\"}",
     .output_schema = "{\"type\":\"object\",\"required\":[\"n\"]}"},
    {.name = "raises", .input_schema = "{\"type\":\"object\"}"},
    {.name = "demands", .input_schema = "{\"type\":\"object\"}"},
    {.name = "loose", .input_schema = "{\"type\":\"object\"}"},
    {.name = "canceled", .input_schema = "{\"type\":\"object\"}"},
    {.name = "nothing", .input_schema = "{\"type\":\"object\"}"},
    {.name = "lies",
     .input_schema = "{\"type\":\"object\"}",
     .output_schema = "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
                      "\"integer\"}}}"},
    {.name = "forgets",
     .input_schema = "{\"type\":\"object\"}",
     .output_schema = "{\"type\":\"object\"}"},
};

static void set(struct mcp_config *c, const char *name, const char *value)
{
    char message[256];

    if (mcp_config_set(c, name, value, MCP_FROM_APP, message,
                       sizeof(message)) != MCP_OK)
        fail_msg("%s", message);
}

void fixture_set(struct fixture *f, const char *name, const char *value)
{
    set(f->config, name, value);
}

void fixture_idle(struct fixture *f, double seconds)
{
    f->config->session_idle = seconds;
}

static const struct mcp_resource resource = {.uri = "t://one",
                                             .name = "one",
                                             .content = "1",
                                             .content_len = 1,
                                             .size_bytes = -1};
static const struct mcp_resource template = {
    .uri = "t://{id}", .name = "any", .size_bytes = -1};
static const struct mcp_prompt_argument who = {.name = "who", .required = true};
static const struct mcp_completer names = {.argument = "who",
                                           .handler = {.slot = 1}};
static const struct mcp_prompt prompt = {.name = "greet/hello",
                                         .arguments = &who,
                                         .argument_count = 1,
                                         .has_arguments = true,
                                         .completers = &names,
                                         .completer_count = 1};

static void publish(struct fixture *f, bool with_tools, bool with_others)
{
    struct mcp_builder *b = mcp_builder_new(mcp_config_copy(f->config));
    size_t count = with_tools ? sizeof(tools) / sizeof(*tools) : 0;
    enum mcp_err err = MCP_OK;
    char m[512];

    assert_non_null(b);
    for (size_t i = 0; err == MCP_OK && i < count; i++)
        err = mcp_builder_add_tool(b, &tools[i], m, sizeof(m));
    if (err == MCP_OK && with_others)
        err = mcp_builder_add_resource(b, &resource, m, sizeof(m));
    if (err == MCP_OK && with_others)
        err = mcp_builder_add_template(b, &template, m, sizeof(m));
    if (err == MCP_OK && with_others)
        err = mcp_builder_add_prompt(b, &prompt, m, sizeof(m));
    if (err == MCP_OK)
        err = mcp_features_prepare(NULL, mcp_builder_view(b), m, sizeof(m));
    if (err != MCP_OK)
        fail_msg("%s", m);
    (void)mcp_registry_publish(f->app.registry, b);
}

void fixture_publish(struct fixture *f, bool with_tools)
{
    publish(f, with_tools, false);
}

void fixture_publish_all(struct fixture *f)
{
    publish(f, true, true);
}

struct fixture *fixture_new(bool with_tools)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->arena_bytes = 8 << 20;
    f->app.last = &f->app.first;
    pthread_mutex_init(&f->app.lock, NULL);
    pthread_cond_init(&f->app.filled, NULL);
    f->app.registry = mcp_registry_new();
    f->config = mcp_config_new();
    assert_non_null(f->app.registry);
    assert_non_null(f->config);
    set(f->config, "name", "test");
    set(f->config, "version", "1.0");
    set(f->config, "title", "The test");
    fixture_publish(f, with_tools);
    f->subscriptions = mcp_subscriptions_new();
    assert_non_null(f->subscriptions);
    f->ep = mcp_endpoint_new(&f->app, f->config, f->subscriptions);
    assert_non_null(f->ep);
    return f;
}

void fixture_free(struct fixture *f)
{
    pthread_mutex_destroy(&f->app.lock);
    pthread_cond_destroy(&f->app.filled);
    mcp_endpoint_end_streams(f->ep);
    mcp_endpoint_free(f->ep);
    mcp_subscriptions_free(f->subscriptions);
    mcp_registry_free(f->app.registry);
    mcp_config_free(f->config);
    free(f);
}

struct mcp_endpoint *fixture_endpoint(struct fixture *f)
{
    return f->ep;
}

struct mcp_subscriptions *fixture_subscriptions(struct fixture *f)
{
    return f->subscriptions;
}

void fixture_arena(struct fixture *f, size_t max_bytes)
{
    f->arena_bytes = max_bytes;
}

void fixture_stubborn(struct fixture *f)
{
    f->app.stubborn = true;
}

void fixture_mode(struct fixture *f, enum fake_mode mode)
{
    f->app.mode = mode;
}

int fixture_runs(const struct fixture *f)
{
    return f->app.runs;
}

int fixture_cancels(const struct fixture *f)
{
    return f->app.cancels;
}

/* ---- calls ---- */

static enum mcp_err on_emit(struct mcp_call *call, const char *msg, size_t len)
{
    struct flying *fl = call->transport_data;
    size_t at = strlen(fl->answer->emitted);

    assert_true(at + len + 2 < sizeof(fl->answer->emitted));
    assert_null(memchr(msg, '\n', len));
    memcpy(fl->answer->emitted + at, msg, len);
    memcpy(fl->answer->emitted + at + len, "\n", 2);
    return MCP_OK;
}

static void on_done(struct mcp_call *call)
{
    struct flying *fl = call->transport_data;
    struct answer *a = fl->answer;

    assert_false(fl->done);
    fl->done = a->done = true;
    a->status = call->status;
    a->body_len = call->out.len;
    assert_true(call->out.len < sizeof(a->body));
    if (call->out.len > 0)
        memcpy(a->body, call->out.data, call->out.len);
    a->body[call->out.len] = '\0';
    assert_null(strchr(a->body, '\n'));
    for (size_t i = 0; i < call->reply_header_count; i++)
        snprintf(a->headers + strlen(a->headers),
                 sizeof(a->headers) - strlen(a->headers), "%s: %s\n",
                 call->reply_headers[i].name, call->reply_headers[i].value);
    sem_post(&fl->landed);
}

/* Ids are for tests of replay; an event without data is no message. */
static enum mcp_err on_emit_event(struct mcp_call *call, const char *id,
                                  unsigned retry_ms, const char *msg,
                                  size_t len)
{
    (void)id;
    (void)retry_ms;
    return len > 0 ? on_emit(call, msg, len) : MCP_OK;
}

static const struct mcp_call_ops ops = {
    .emit = on_emit,
    .done = on_done,
    .emit_event = on_emit_event,
};

/* Cuts "Name: value\n" lines in place. */
static void split_headers(struct flying *fl)
{
    char *at = fl->head, *end, *colon;

    fl->call.headers = fl->headers;
    while ((end = strchr(at, '\n')) != NULL) {
        struct mcp_header *h = &fl->headers[fl->call.header_count++];

        *end = '\0';
        colon = strchr(at, ':');
        assert_non_null(colon);
        *colon = '\0';
        h->name = at;
        h->value = colon + 1;
        at = end + 1;
    }
    assert_true(*at == '\0');
}

static struct flying *make(struct fixture *f, enum mcp_transport transport,
                           const char *http_method, const char *headers,
                           const char *body, size_t len)
{
    struct flying *fl = calloc(1, sizeof(*fl));

    assert_non_null(fl);
    sem_init(&fl->landed, 0, 0);
    fl->answer = calloc(1, sizeof(*fl->answer));
    fl->head = strdup(headers);
    fl->body = malloc(len + 1); /* exact: ASan sees a read beyond */
    assert_true(fl->answer != NULL && fl->head != NULL && fl->body != NULL);
    fl->body = realloc(fl->body, len == 0 ? 1 : len);
    memcpy(fl->body, body, len);
    fl->call.arena = mcp_arena_new(f->arena_bytes);
    fl->call.ops = &ops;
    fl->call.transport = transport;
    fl->call.http_method = http_method;
    fl->call.path = transport == MCP_TRANSPORT_HTTP ? "/mcp" : NULL;
    fl->call.body = len > 0 ? fl->body : NULL;
    fl->call.body_len = len;
    fl->call.principal = "anonymous";
    fl->call.transport_data = fl;
    split_headers(fl);
    mcp_endpoint_handle(f->ep, &fl->call);
    return fl;
}

const struct answer *land(struct fixture *f, struct flying *fl)
{
    f->answer = *fl->answer;
    if (fl->done)
        release(fl);
    return &f->answer;
}

const struct answer *peek(const struct flying *fl)
{
    return fl->answer;
}

void release(struct flying *fl)
{
    sem_destroy(&fl->landed);
    mcp_buf_free(&fl->call.out);
    mcp_arena_free(fl->call.arena);
    free(fl->answer);
    free(fl->head);
    free(fl->body);
    free(fl);
}

void wait_for(struct flying *fl)
{
    while (sem_wait(&fl->landed) != 0)
        continue;
}

void hang_up(struct fixture *f, struct flying *fl)
{
    mcp_endpoint_disconnected(f->ep, &fl->call);
}

struct flying *launch(struct fixture *f, enum mcp_transport transport,
                      const char *headers, const char *body)
{
    return make(f, transport, transport == MCP_TRANSPORT_HTTP ? "POST" : NULL,
                headers, body, strlen(body));
}

struct flying *launch_get(struct fixture *f, const char *headers)
{
    return make(f, MCP_TRANSPORT_HTTP, "GET", headers, "", 0);
}

const struct answer *post_bytes(struct fixture *f, const char *headers,
                                const char *body, size_t len)
{
    return land(f, make(f, MCP_TRANSPORT_HTTP, "POST", headers, body, len));
}

const struct answer *post(struct fixture *f, const char *headers,
                          const char *body)
{
    return post_bytes(f, headers, body, strlen(body));
}

const struct answer *request(struct fixture *f, const char *http_method,
                             const char *headers)
{
    return land(f, make(f, MCP_TRANSPORT_HTTP, http_method, headers, "", 0));
}

const struct answer *line(struct fixture *f, const char *body)
{
    return land(f, make(f, MCP_TRANSPORT_STDIO, NULL, "", body, strlen(body)));
}

const char *open_session(struct fixture *f, const char *version)
{
    char *to = f->sessions[f->session_count++ % 8], body[512];
    const struct answer *a;
    const char *at;

    snprintf(body, sizeof(body),
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
             "\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{},"
             "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}",
             version);
    a = post(f, "", body);
    assert_int_equal(a->status, 200);
    at = strstr(a->headers, "Mcp-Session-Id: ");
    assert_non_null(at);
    snprintf(to, sizeof(f->sessions[0]), "%.*s\n", (int)strcspn(at, "\n"), at);
    return to;
}

void expect(const struct answer *a, int status, const char *body)
{
    assert_true(a->done);
    assert_string_equal(a->body, body);
    assert_int_equal(a->status, status);
}

void expect_part(const struct answer *a, int status, const char *part)
{
    assert_true(a->done);
    if (strstr(a->body, part) == NULL && strstr(a->headers, part) == NULL)
        fail_msg("no %s in %s%s", part, a->headers, a->body);
    assert_int_equal(a->status, status);
}
