/*
 * value.c - a ten-field object to Lua and back, and a whole result of it
 *
 * What each call pays at the border to Lua. Prints, a line each: name, n,
 * ns/op, bytes/op.
 */
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app/result.h"
#include "app/value.h"

enum { ROUNDS = 7, OPS = 200000 };

static const char object_text[] =
    "{\"id\":1729,\"title\":\"crash when the config is empty\",\"open\":true,"
    "\"score\":0.75,\"author\":\"someone@example.org\",\"comments\":12,"
    "\"state\":\"open\",\"milestone\":null,\"labels\":\"bug\","
    "\"created\":\"2026-07-28T10:00:00Z\"}";

struct bench {
    lua_State *L;
    const struct mcp_json *tree;
    struct mcp_buf out;
    struct mcp_outcome outcome;
    struct mcp_result_options options;
};

static void push(struct bench *b)
{
    mcp_value_push(b->L, b->tree);
    lua_pop(b->L, 1);
}

static void write(struct bench *b)
{
    struct mcp_value_error error;

    mcp_buf_clear(&b->out);
    if (mcp_value_write(b->L, 1, &b->out, NULL, &error) != MCP_OK)
        abort();
}

static void write_sorted(struct bench *b)
{
    struct mcp_value_error error;

    mcp_buf_clear(&b->out);
    if (mcp_value_write_sorted(b->L, 1, &b->out, &error) != MCP_OK)
        abort();
}

static void write_result(struct bench *b)
{
    lua_pushvalue(b->L, 1);
    mcp_result_write(b->L, 1, &b->options, &b->outcome, NULL);
    lua_pop(b->L, 1);
    b->out.len = b->outcome.text.len;
}

static void write_text(struct bench *b)
{
    lua_pushliteral(b->L, "a short answer of one line");
    mcp_result_write(b->L, 1, &b->options, &b->outcome, NULL);
    lua_pop(b->L, 1);
    b->out.len = b->outcome.text.len;
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void measure(struct bench *b, const char *name,
                    void (*op)(struct bench *))
{
    double best = 0, start, took;
    int round, i;

    for (round = 0; round < ROUNDS; round++) {
        start = now_ns();
        for (i = 0; i < OPS; i++)
            op(b);
        took = (now_ns() - start) / OPS;
        best = round == 0 || took < best ? took : best;
    }
    (void)printf("%-20s n=%d %.0f ns/op %zu bytes/op\n", name, OPS, best,
                 b->out.len);
}

int main(void)
{
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    struct bench b = {.L = luaL_newstate()};

    if (a == NULL || b.L == NULL ||
        mcp_json_parse(a, object_text, sizeof(object_text) - 1, NULL, &b.tree,
                       NULL) != MCP_OK)
        return 1;
    mcp_value_open(b.L);
    mcp_buf_init(&b.out, 1 << 20);
    mcp_outcome_init(&b.outcome, 1 << 20);
    b.options = (struct mcp_result_options){.kind = MCP_KIND_TOOL,
                                            .name = "bench",
                                            .revision = MCP_2026_07_28,
                                            .max_blob_bytes = 1 << 20};
    b.out.len = sizeof(object_text) - 1;
    mcp_value_push(b.L, b.tree);
    measure(&b, "value_push", push);
    measure(&b, "value_write", write);
    measure(&b, "value_write_sorted", write_sorted);
    measure(&b, "result_write", write_result);
    measure(&b, "result_write_text", write_text);
    lua_close(b.L);
    mcp_outcome_free(&b.outcome);
    mcp_buf_free(&b.out);
    mcp_arena_free(a);
    return 0;
}
