/* apart_bench.h - runs apart over app_bench.h, and what their maker is told */
#ifndef MCP_TESTS_APART_BENCH_H
#define MCP_TESTS_APART_BENCH_H

#include "app_bench.h"

#include "app/apart.h"
#include "app/ask_kept.h"

#define FORMS   "{\"elicitation\":{}}"
#define X(text) "{\"action\":\"accept\",\"content\":{\"x\":\"" text "\"}}"

/* A run, and what its maker was told. Under bench's lock but for `one`. */
struct apart_run {
    struct one one; /* first */
    struct mcp_apart apart;
    char keys[8][16], names[8][16], requests[8][300];
    size_t asked;
    char kept[4096];
    int rests, ups;
};

static struct bench b;

static inline struct apart_run *run_of(struct mcp_job *job)
{
    return (struct apart_run *)job->user;
}

static inline enum mcp_err
on_ask(struct mcp_job *job, const struct mcp_apart_question *q, size_t count)
{
    struct apart_run *r = run_of(job);

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++, r->asked++) {
        snprintf(r->keys[r->asked], 16, "%s", q[i].key);
        snprintf(r->names[r->asked], 16, "%s", q[i].name);
        snprintf(r->requests[r->asked], 300, "%.*s", (int)q[i].request_len,
                 q[i].request);
    }
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
    return MCP_OK;
}

static inline void on_keep(struct mcp_job *job, const char *state, size_t len)
{
    struct apart_run *r = run_of(job);

    pthread_mutex_lock(&lock);
    snprintf(r->kept, sizeof(r->kept), "%.*s", (int)len, state);
    pthread_mutex_unlock(&lock);
}

static inline void on_rest(struct mcp_job *job, bool rests)
{
    struct apart_run *r = run_of(job);

    pthread_mutex_lock(&lock);
    if (rests)
        r->rests++;
    else
        r->ups++;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

static inline const struct mcp_json *parse(struct mcp_arena *a,
                                           const char *text)
{
    const struct mcp_json *v = NULL;
    const char *copy = mcp_arena_dup(a, text, strlen(text));

    if (mcp_json_parse(a, copy, strlen(text), NULL, &v, NULL) != MCP_OK)
        fail_msg("no JSON: %s", text);
    return v;
}

/* `state`, `answers`, `keys` as of an earlier run; NULL: the first. */
static inline void begin(struct apart_run *r, const char *tool,
                         double timeout_s, const char *state,
                         const char *answers, const char *keys)
{
    struct one *one = &r->one;
    struct mcp_arena *a;

    memset(r, 0, sizeof(*r));
    prepare(&b, one, "{}");
    a = one->call.arena;
    one->call.principal = "ada";
    one->call.method = "tools/call";
    one->call.params = parse(a, "{}");
    one->call.client.capabilities = parse(a, FORMS);
    r->apart = (struct mcp_apart){.id = "the-task",
                                  .timeout_s = timeout_s,
                                  .ask = on_ask,
                                  .keep = on_keep,
                                  .rest = on_rest};
    one->job.apart = &r->apart;
    one->job.tool = mcp_generation_find_tool(one->job.gen, tool, strlen(tool));
    assert_non_null(one->job.tool);
    assert_int_equal(
        mcp_ask_kept_read(&one->job, state == NULL ? NULL : parse(a, state),
                          answers == NULL ? NULL : parse(a, answers),
                          keys == NULL ? NULL : parse(a, keys)),
        MCP_OK);
    run(&b, one, &one->job.tool->handler);
}

static inline void wait_asked(struct apart_run *r, size_t count)
{
    pthread_mutex_lock(&lock);
    while (r->asked < count)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
}

static inline bool reply(struct apart_run *r, const char *key, const char *text)
{
    struct mcp_arena *a = mcp_arena_new(1 << 16);
    bool taken = mcp_app_answer_apart(b.app, &r->one.call, key, parse(a, text));

    mcp_arena_free(a);
    return taken;
}

static inline void expect_end(struct apart_run *r, const char *part)
{
    wait_for(&r->one);
    if (strstr(r->one.text, part) == NULL)
        fail_msg("expected \"%s\" in: %s", part, r->one.text);
    assert_int_equal(r->rests, r->ups); /* whoever rested went on */
}

static inline int open_app(const char *source)
{
    bench_make(&b);
    set(&b, "call_timeout", "20");
    set(&b, "max_workers", "4");
    bench_open(&b, source);
    if (b.err != MCP_OK)
        fprintf(stderr, "%s\n", b.message);
    return b.err != MCP_OK;
}

#endif
