/* app_bench.h - an app in a folder of its own, and calls that are waited for */
#ifndef MCP_TESTS_APP_BENCH_H
#define MCP_TESTS_APP_BENCH_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "base/clock.h"
#include "base/log.h"

struct bench {
    char folder[64], path[128];
    struct mcp_config *config;
    struct mcp_app *app;
    char message[512];
    enum mcp_err err;
    bool mute; /* set before bench_open(): the app is only looked at */
};

/* At once: nobody sees half of it, however slow this thread is. */
static inline void write_file(const struct bench *b, const char *name,
                              const char *text)
{
    char path[200], draft[200];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", b->folder, name);
    snprintf(draft, sizeof(draft), "%s/.draft", b->folder);
    f = fopen(draft, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(rename(draft, path), 0);
}

static inline void bench_make(struct bench *b)
{
    memset(b, 0, sizeof(*b));
    snprintf(b->folder, sizeof(b->folder), "/tmp/mcp-app-test-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->path, sizeof(b->path), "%s/app.lua", b->folder);
    b->config = mcp_config_new();
    assert_non_null(b->config);
    mcp_log_setup(MCP_LOG_OFF, false);
}

static inline void set(struct bench *b, const char *name, const char *value)
{
    char message[200];

    assert_int_equal(mcp_config_set(b->config, name, value, MCP_FROM_FLAG,
                                    message, sizeof(message)),
                     MCP_OK);
}

static inline void bench_open(struct bench *b, const char *source)
{
    struct mcp_app_options options = {
        .path = b->path, .config = b->config, .mute = b->mute};

    write_file(b, "app.lua", source);
    b->err = mcp_app_open(&options, &b->app, b->message, sizeof(b->message));
}

static inline void bench_close(struct bench *b)
{
    char command[200];

    if (b->err == MCP_OK)
        mcp_app_close(b->app);
    mcp_config_free(b->config);
    snprintf(command, sizeof(command), "rm -rf %s", b->folder);
    assert_int_equal(system(command), 0);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

/* One call, waited for. */
struct one {
    struct mcp_call call;
    struct mcp_job job;
    bool done;
    char *text; /* content, or the error's message; to be freed */
};

static inline void finish(struct mcp_job *job)
{
    struct one *one = job->user;
    const struct mcp_outcome *o = &job->outcome;
    struct mcp_span s = o->kind == MCP_OUTCOME_RESULT ? o->content : o->message;

    one->text = s.len > 0 ? strndup(o->text.data + s.at, s.len) : strdup("");
    mcp_generation_release(job->gen);
    pthread_mutex_lock(&lock);
    one->done = true;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

/* A call of the current generation with these arguments. */
static inline void prepare(struct bench *b, struct one *one, const char *args)
{
    memset(one, 0, sizeof(*one));
    one->call.arena = mcp_arena_new(1 << 20);
    one->call.revision = MCP_2026_07_28;
    one->job.call = &one->call;
    one->job.gen = mcp_app_acquire(b->app);
    assert_int_equal(mcp_json_parse(one->call.arena, args, strlen(args), NULL,
                                    &one->job.args, NULL),
                     MCP_OK);
    one->job.finish = finish;
    one->job.user = one;
}

static inline void run(struct bench *b, struct one *one,
                       const struct mcp_handler *handler)
{
    one->job.handler = handler;
    assert_true(handler->slot > 0);
    assert_int_equal(mcp_app_run(b->app, &one->job), MCP_OK);
}

static inline void start(struct bench *b, struct one *one, const char *tool,
                         const char *args)
{
    prepare(b, one, args);
    one->job.tool = mcp_generation_find_tool(one->job.gen, tool, strlen(tool));
    assert_non_null(one->job.tool);
    run(b, one, &one->job.tool->handler);
}

static inline void start_prompt(struct bench *b, struct one *one,
                                const char *name, const char *args)
{
    prepare(b, one, args);
    one->job.prompt =
        mcp_generation_find_prompt(one->job.gen, name, strlen(name));
    assert_non_null(one->job.prompt);
    run(b, one, &one->job.prompt->handler);
}

/* `declared` is a URI or a template; `uri` what is read. */
static inline void start_resource(struct bench *b, struct one *one,
                                  const char *declared, const char *uri,
                                  const char *variables)
{
    size_t len = strlen(declared);

    prepare(b, one, variables);
    one->job.resource =
        mcp_generation_find_resource(one->job.gen, declared, len);
    if (one->job.resource == NULL)
        one->job.resource =
            mcp_generation_find_template(one->job.gen, declared, len);
    assert_non_null(one->job.resource);
    one->job.uri = uri;
    run(b, one, &one->job.resource->handler);
}

static inline void wait_for(struct one *one)
{
    pthread_mutex_lock(&lock);
    while (!one->done)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
}

static inline void drop(struct one *one)
{
    mcp_outcome_free(&one->job.outcome);
    mcp_arena_free(one->call.arena);
    free(one->text);
}

static inline void expect(struct bench *b, const char *tool, const char *args,
                          bool is_error, const char *part)
{
    struct one one;

    start(b, &one, tool, args);
    wait_for(&one);
    if (strstr(one.text, part) == NULL)
        fail_msg("%s: expected \"%s\" in: %s", tool, part, one.text);
    assert_int_equal(one.job.outcome.is_error, is_error);
    drop(&one);
}

static inline void expect_load_error(const char *source, enum mcp_err err,
                                     const char *part)
{
    struct bench b;

    bench_make(&b);
    set(&b, "load_timeout", err == MCP_ETIMEOUT ? "0.3" : "20");
    bench_open(&b, source);
    if (strstr(b.message, part) == NULL)
        fail_msg("expected \"%s\" in: %s", part, b.message);
    assert_int_equal(b.err, err);
    assert_null(strchr(b.message, '\n'));
    bench_close(&b);
}

#endif
