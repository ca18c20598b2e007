/*
 * task_test.c - whose tasks they are, what is told of them, a full pool; over
 * a fake app whose handlers run at once
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "app/apart.h"
#include "app/app.h"
#include "ask_common.h"
#include "features/task.h"
#include "features/tools_call.h"

#define CAPABLE                                                                \
    "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}},"                  \
    "\"elicitation\":{}}"

#define CALL                                                                   \
    "{\"name\":\"work\",\"_meta\":{"                                           \
    "\"io.modelcontextprotocol/clientCapabilities\":" CAPABLE "}}"

enum { OUT_BYTES = 1 << 20, MESSAGE = 256, WAIT_MS = 5000 };

static struct mcp_registry *registry;
static struct mcp_tasks *tasks;
static struct mcp_subscriptions *subscriptions;
static char answer[OUT_BYTES], made[OUT_BYTES];
static int answered_apart, cancels;

/* ---- the rest of the fake app ---- */

const struct mcp_generation *mcp_app_acquire(struct mcp_app *app)
{
    (void)app;
    return mcp_registry_acquire(registry);
}

void mcp_app_cancel(struct mcp_app *app, struct mcp_call *call)
{
    (void)app;
    (void)call;
    cancels++;
}

bool mcp_app_answer_apart(struct mcp_app *app, const struct mcp_call *call,
                          const char *key, const struct mcp_json *value)
{
    (void)app;
    (void)call;
    (void)key;
    (void)value;
    answered_apart++;
    return true;
}

size_t mcp_app_max_workers(struct mcp_app *app)
{
    (void)app;
    return 8;
}

/* ---- asking ---- */

static void on_end(struct mcp_request *rq)
{
    const struct mcp_fault *f = &rq->fault;
    const struct mcp_buf *out = &rq->call->out;

    if (f->err != MCP_OK || f->code != 0)
        (void)snprintf(answer, sizeof(answer), "%d %d %s", (int)f->err, f->code,
                       f->message != NULL ? f->message : "");
    else
        (void)snprintf(answer, sizeof(answer), "%.*s", (int)out->len,
                       out->data);
    if (strstr(answer, "\"resultType\":\"task\"") != NULL)
        memcpy(made, answer, sizeof(made)); /* its handler may ask more */
}

/* What `method` answers to `who`; the memory store answers at once. */
static const char *ask_as(const char *who, void (*method)(struct mcp_request *),
                          const char *params)
{
    static const char id[] = "7", caps[] = CAPABLE;
    struct mcp_call call = {.revision = MCP_2026_07_28,
                            .principal = who,
                            .arena = mcp_arena_new((size_t)1 << 24)};
    struct mcp_request rq = {.call = &call,
                             .tasks = tasks,
                             .gen = mcp_registry_acquire(registry),
                             .end = on_end};

    mcp_buf_init(&call.out, OUT_BYTES - 1);
    assert_int_equal(mcp_json_parse(call.arena, params, strlen(params), NULL,
                                    &call.params, NULL),
                     MCP_OK);
    assert_int_equal(mcp_json_parse(call.arena, id, 1, NULL, &call.id, NULL),
                     MCP_OK);
    assert_int_equal(mcp_json_parse(call.arena, caps, strlen(caps), NULL,
                                    &call.client.capabilities, NULL),
                     MCP_OK);
    answer[0] = '\0';
    method(&rq);
    mcp_buf_free(&call.out);
    mcp_generation_release(rq.gen);
    mcp_arena_free(call.arena);
    return answer;
}

/* The id of a new task of `who`. */
static const char *create(const char *who)
{
    static char ids[16][40];
    static size_t used;
    char *id = ids[used++ % 16];
    const char *at;

    (void)ask_as(who, mcp_tools_call, CALL);
    at = strstr(made, "\"taskId\":\"");
    assert_non_null(at);
    (void)snprintf(id, 33, "%s", at + strlen("\"taskId\":\""));
    made[0] = '\0';
    return id;
}

static const char *about(const char *who, void (*method)(struct mcp_request *),
                         const char *id, const char *more)
{
    char params[MESSAGE];

    (void)snprintf(params, sizeof(params), "{\"taskId\":\"%s\"%s}", id, more);
    return ask_as(who, method, params);
}

static const char *get(const char *who, const char *id)
{
    return about(who, mcp_tasks_get, id, "");
}

/* Until the task says `what`, which takes a look of the clock at most. */
static void wait_for(const char *id, const char *what)
{
    for (int ms = 0; ms < WAIT_MS; ms += 10) {
        const struct timespec t = {0, 10000000};

        if (strstr(get("ada", id), what) != NULL)
            return;
        (void)nanosleep(&t, NULL);
    }
    fail_msg("never %s: %s", what, answer);
}

/* ---- setting up ---- */

static bool cancelled_meanwhile;

/* Somebody may cancel the task while its call is being made. */
static bool start(struct mcp_request *rq, const struct mcp_tool *tool,
                  const struct mcp_json *arguments, const struct mcp_job *job)
{
    if (cancelled_meanwhile)
        (void)about("ada", mcp_tasks_cancel, job->apart->id, "");
    return mcp_tools_start(rq, tool, arguments, job);
}

static int setup(void **state)
{
    static const struct mcp_tool list[] = {
        {.name = "work",
         .input_schema = "{\"type\":\"object\"}",
         .task = {.use = MCP_TASK_REQUIRED}},
        {.name = NULL}};
    static const char *const options[] = {
        "task_store", "memory:", "task_cancel_grace", "60", NULL};
    const struct declared d = {.tools = list, .options = options};
    const struct mcp_tasks_options how = {.script = "app.lua",
                                          .subscriptions =
                                              mcp_subscriptions_new(),
                                          .start = start};
    char message[MESSAGE];

    (void)state;
    registry = mcp_registry_new();
    (void)mcp_registry_publish(registry, declare(&d));
    subscriptions = how.subscriptions;
    answered_apart = cancels = 0;
    cancelled_meanwhile = false;
    return mcp_tasks_open(&how, &tasks, message, sizeof(message)) != MCP_OK;
}

static int teardown(void **state)
{
    (void)state;
    mcp_tasks_stop(tasks);
    mcp_tasks_free(tasks);
    mcp_subscriptions_free(subscriptions);
    mcp_registry_free(registry);
    return 0;
}

static void says(struct mcp_job *job)
{
    job->outcome.kind = MCP_OUTCOME_RESULT;
    ask_say(&job->outcome, &job->outcome.content,
            "[{\"type\":\"text\",\"text\":\"done\"}]");
}

/* ---- tests ---- */

static void test_it_is_its_owners(void **state)
{
    static void (*const methods[])(struct mcp_request *) = {
        mcp_tasks_get, mcp_tasks_update, mcp_tasks_cancel};
    const char *id;

    (void)state;
    ask_handler = says;
    id = create("ada");
    assert_non_null(strstr(get("ada", id), "\"status\":\"completed\""));
    assert_non_null(strstr(answer, "done"));
    for (size_t i = 0; i < 3; i++) {
        char unknown[MESSAGE];

        (void)snprintf(unknown, sizeof(unknown), "%s",
                       about("eve", methods[i],
                             "00000000000000000000000000000000",
                             ",\"inputResponses\":{}"));
        assert_non_null(strstr(unknown, "Task not found"));
        assert_string_equal(
            about("eve", methods[i], id, ",\"inputResponses\":{}"), unknown);
    }
}

static const char *running; /* the task whose handler runs */

/* Looks at its own task from inside: it is unfinished. */
static void spied(struct mcp_job *job)
{
    running = job->apart->id;
    assert_non_null(strstr(get("ada", running), "\"status\":\"working\""));
    assert_non_null(strstr(get("eve", running), "not found"));
    assert_non_null(
        strstr(about("eve", mcp_tasks_cancel, running, ""), "not found"));
    says(job);
}

static void test_also_while_it_runs(void **state)
{
    (void)state;
    ask_handler = spied;
    (void)create("ada");
    assert_non_null(running);
    assert_int_equal(cancels, 0);
}

static void test_a_full_pool(void **state)
{
    const char *id;

    (void)state;
    ask_handler = says;
    ask_busy = true;
    id = create("ada");
    assert_non_null(strstr(get("ada", id), "\"status\":\"working\""));
    assert_int_equal(ask_runs, 0);
    ask_busy = false;
    wait_for(id, "\"status\":\"completed\"");
    assert_int_equal(ask_runs, 1);
}

static void test_cancelled_before_its_turn(void **state)
{
    const char *id;

    (void)state;
    ask_handler = says;
    ask_busy = true;
    id = create("ada");
    assert_non_null(strstr(about("ada", mcp_tasks_cancel, id, ""),
                           "\"resultType\":\"complete\""));
    ask_busy = false;
    assert_non_null(strstr(get("ada", id), "\"status\":\"cancelled\""));
    assert_int_equal(ask_runs, 0);
    assert_int_equal(cancels, 0);
}

/* The pool sends back what was cancelled, with a grace, on the way there. */
static void test_cancelled_on_its_way_to_a_full_pool(void **state)
{
    const char *id;

    (void)state;
    ask_handler = says;
    ask_busy = cancelled_meanwhile = true;
    id = create("ada");
    cancelled_meanwhile = false;
    assert_non_null(strstr(get("ada", id), "\"status\":\"cancelled\""));
    ask_busy = false;
    assert_int_equal(ask_runs, 0);
}

static void tells(struct mcp_job *job)
{
    char text[2000];

    memset(text, 'x', sizeof(text));
    job->call->notify->progress(job->call, 3, 10, NULL, 0);
    assert_non_null(
        strstr(get("ada", job->apart->id), "\"statusMessage\":\"3 of 10\""));
    job->call->notify->progress(job->call, 2, 10, "less", 4);
    assert_non_null(strstr(get("ada", job->apart->id), "3 of 10"));
    job->call->notify->progress(job->call, 4, 10, text, sizeof(text));
    says(job);
}

static void test_progress_is_its_message(void **state)
{
    const char *id, *at;

    (void)state;
    ask_handler = tells;
    id = create("ada");
    at = strstr(get("ada", id), "\"statusMessage\":\"");
    assert_non_null(at);
    assert_int_equal(strspn(at + strlen("\"statusMessage\":\""), "x"), 1024);
}

static void asks(struct mcp_job *job)
{
    static const char request[] = "{\"method\":\"roots/list\"}";
    const struct mcp_apart_question q[] = {
        {.key = "a", .name = "a", .request = request, .request_len = 23},
        {.key = "b", .name = "b", .request = request, .request_len = 23}};
    const char *id = job->apart->id;

    assert_int_equal(job->apart->ask(job, q, 2), MCP_OK);
    assert_non_null(strstr(
        get("ada", id), "\"inputRequests\":{\"a\":{\"method\":\"roots/list\"},"
                        "\"b\":{\"method\":\"roots/list\"}}"));
    (void)about("ada", mcp_tasks_update, id,
                ",\"inputResponses\":{\"b\":{},\"c\":{}}");
    assert_int_equal(answered_apart, 1);
    assert_non_null(strstr(get("ada", id), "\"inputRequests\":{\"a\":{"));
    assert_null(strstr(answer, "\"b\":"));
    assert_non_null(strstr(
        about("ada", mcp_tasks_update, id, ",\"inputResponses\":{\"a\":[]}"),
        "each answer must be an object"));
    (void)about("ada", mcp_tasks_update, id, ",\"inputResponses\":{\"b\":{}}");
    assert_int_equal(answered_apart, 1); /* it has been answered */
    (void)about("ada", mcp_tasks_update, id, ",\"inputResponses\":{\"a\":{}}");
    assert_int_equal(answered_apart, 2);
    assert_non_null(strstr(get("ada", id), "\"status\":\"working\""));
    says(job);
}

static void test_questions(void **state)
{
    (void)state;
    ask_handler = asks;
    assert_non_null(strstr(get("ada", create("ada")), "done"));
    assert_int_equal(answered_apart, 2);
}

/* The handler ends well although the client has taken the task back. */
static void ends_well(struct mcp_job *job)
{
    (void)about("ada", mcp_tasks_cancel, job->apart->id, "");
    assert_true(atomic_load(&job->call->unwanted));
    assert_false(atomic_load(&job->call->cancelled));
    says(job);
}

static void test_what_is_cancelled_stays_so(void **state)
{
    (void)state;
    ask_handler = ends_well;
    assert_non_null(
        strstr(get("ada", create("ada")), "\"status\":\"cancelled\""));
    assert_int_equal(cancels, 0);
}

static const char *const ids_of[] = {"ada", "eve"};

static void accepted(void *user, const struct mcp_json *ids)
{
    *(uint32_t *)user = ids == NULL ? 0 : ids->count;
}

static void test_who_may_listen(void **state)
{
    char text[MESSAGE];
    const char *one, *two;

    (void)state;
    ask_handler = says;
    one = create("ada");
    ask_busy = true;
    two = create("ada");
    (void)snprintf(text, sizeof(text),
                   "[\"%s\",\"%s\",\"%s\",\"x\",\"%.31s0\"]", one, two, one,
                   one);
    for (size_t i = 0; i < 2; i++) {
        struct mcp_call call = {.principal = ids_of[i],
                                .arena = mcp_arena_new((size_t)1 << 20)};
        const struct mcp_json *ids;
        uint32_t count = 99;

        assert_int_equal(
            mcp_json_parse(call.arena, text, strlen(text), NULL, &ids, NULL),
            MCP_OK);
        mcp_tasks_accept(tasks, &call, ids, accepted, &count);
        assert_int_equal(count, i == 0 ? 2 : 0);
        mcp_arena_free(call.arena);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(it_is_its_owners),
        TEST(also_while_it_runs),
        TEST(a_full_pool),
        TEST(cancelled_before_its_turn),
        TEST(cancelled_on_its_way_to_a_full_pool),
        TEST(progress_is_its_message),
        TEST(questions),
        TEST(what_is_cancelled_stays_so),
        TEST(who_may_listen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
