/*
 * ask.c - fuzzer: what a client brings to the next round of a call
 *
 * The first byte chooses. 0: the rest is a sealed text, which can only be
 * refused. 1: the rest is the text of an opened state. 2: the rest is an answer
 * to each kind of question. What is accepted must be written again, sealed and
 * opened with the same values.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/ask.h"
#include "base/config.h"
#include "base/seal.h"

enum { ARENA_BYTES = 16 << 20, OUT_BYTES = 4 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mcp_generation gen;
static struct mcp_handler handler = {.kind = MCP_KIND_TOOL};
static struct mcp_call call = {.revision = MCP_2026_07_28,
                               .method = "tools/call",
                               .principal = "anonymous"};
static struct mcp_job job;

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "ask: %s\n", what);
    abort();
}

static void renew(void)
{
    static char name[] = "tool";

    if (gen.config == NULL) {
        gen.config = mcp_config_new();
        call.arena = mcp_arena_new(ARENA_BYTES);
        handler.name = name;
        mcp_outcome_init(&job.outcome, OUT_BYTES);
    }
    mcp_arena_reset(call.arena);
    mcp_outcome_clear(&job.outcome);
    job.call = &call;
    job.gen = &gen;
    job.handler = &handler;
    job.ask = NULL;
}

static void fuzz_sealed(const char *text, size_t len)
{
    const struct mcp_seal_keys keys = {NULL, 0};
    struct mcp_buf out;

    mcp_buf_init(&out, OUT_BYTES);
    check(mcp_seal_open(&keys, "b", 1, text, len, &out) == MCP_EINVAL,
          "a foreign text was opened");
    check(out.len == 0, "a refused text left something");
    mcp_buf_free(&out);
}

static size_t count(const struct mcp_ask_entry *e)
{
    size_t n = 0;

    for (; e != NULL; e = e->next)
        n++;
    return n;
}

/* The state of job.outcome, opened and read into a fresh record. */
static void read_back(size_t answers, size_t memos)
{
    const struct mcp_seal_keys keys = {NULL, 0};
    struct mcp_outcome *o = &job.outcome;
    struct mcp_buf bound, text;

    mcp_buf_init(&bound, OUT_BYTES);
    mcp_buf_init(&text, OUT_BYTES);
    check(mcp_ask_write_bound(&job, &bound) == MCP_OK, "not bound");
    check(mcp_seal_open(&keys, bound.data, bound.len,
                        o->text.data + o->state.at, o->state.len,
                        &text) == MCP_OK,
          "our own state was refused");
    job.ask = NULL;
    check(mcp_ask_read_state(&job, text.data, text.len, 0) == NULL,
          "our own state was not read");
    check(count(job.ask->answers) == answers && count(job.ask->memos) == memos,
          "something was lost");
    mcp_buf_free(&bound);
    mcp_buf_free(&text);
}

static void fuzz_state(const char *text, size_t len)
{
    size_t answers, memos;

    if (mcp_ask_read_state(&job, text, len, 1) != NULL)
        return;
    answers = count(job.ask->answers);
    memos = count(job.ask->memos);
    mcp_ask_write_required(&job, NULL, 0, NULL, 0);
    if (job.outcome.kind == MCP_OUTCOME_INPUT_REQUIRED)
        read_back(answers, memos);
}

static void fuzz_answer(const char *text, size_t len)
{
    static const char form[] =
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
        "\"default\":\"d\"},\"b\":{\"type\":\"array\",\"items\":{\"enum\":"
        "[1,2]}}},\"required\":[\"b\"]}";
    struct mcp_question q = {.key = "k", .key_len = 1};
    const struct mcp_json *answer, *out;
    struct mcp_buf problem;

    if (mcp_json_parse(call.arena, text, len, NULL, &answer, NULL) != MCP_OK)
        return;
    check(mcp_json_parse(call.arena, form, sizeof(form) - 1, NULL, &q.schema,
                         NULL) == MCP_OK,
          "no schema");
    for (int kind = MCP_ASK_ELICIT; kind <= MCP_ASK_ROOTS; kind++) {
        enum mcp_err err;

        q.kind = (enum mcp_ask_kind)kind;
        mcp_buf_init(&problem, OUT_BYTES);
        err = mcp_ask_check(&job, &q, answer, &out, &problem);
        check((err == MCP_OK) == (problem.len == 0), "no reason, or one too "
                                                     "many");
        check(err != MCP_OK || out->type == MCP_JSON_OBJECT, "no object");
        mcp_buf_free(&problem);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + 1;

    if (size == 0)
        return 0;
    renew();
    if (data[0] % 3 == 0)
        fuzz_sealed(text, size - 1);
    else if (data[0] % 3 == 1)
        fuzz_state(text, size - 1);
    else
        fuzz_answer(text, size - 1);
    return 0;
}
