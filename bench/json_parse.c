/*
 * json_parse.c - our parser and lua-cjson on the same bytes in one run
 *
 * Both build their whole tree each time; lua-cjson pays for its garbage, we for
 * resetting the arena. Rounds alternate and the best of each counts. The ratio
 * is ours to the faster of lua-cjson with the JIT off and on. Exit 1 when it is
 * above 0.70 (design.md, JSON).
 *
 * Prints, a line each: name, n, ns/op, bytes/op; then the ratio. Without
 * lua-cjson only ours is measured.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"

#define MOST 0.70 /* of lua-cjson's time */

enum { ROUNDS = 9, ROUND_BYTES = 24 << 20, LARGE_BYTES = 100 << 10 };

static const char small_text[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1729,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"search_issues\",\"arguments\":{\"query\":\"crash when the "
    "config file is empty\",\"labels\":[\"bug\",\"regression\"],\"limit\":20,"
    "\"assignee\":\"someone@example.org\",\"score\":0.75,\"open\":true},\"_"
    "meta\":{\"progressToken\":\"p-41\","
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\","
    "\"version\":\"1.0.0\"}}}}";

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void die(const char *what)
{
    (void)fprintf(stderr, "json_parse: %s\n", what);
    exit(1);
}

/* A list of records as tools return them: text with escapes, some UTF-8, whole
 * and decimal numbers, nesting. */
static void make_large(struct mcp_buf *out)
{
    unsigned i, seed = 1;

    mcp_buf_puts(out, "{\"items\":[");
    for (i = 0; out->len < LARGE_BYTES; i++) {
        seed = seed * 1103515245u + 12345u;
        if (i > 0)
            mcp_buf_putc(out, ',');
        mcp_buf_printf(
            out,
            "{\"id\":%u,\"title\":\"Record number %u of the list\","
            "\"body\":\"First line.\\nSecond line with \\\"quotes\\\", caf"
            "\303\251 and a path C:\\\\temp\\\\%u.\",\"price\":%u.%02u,"
            "\"ratio\":0.%06u,\"tags\":[\"alpha\",\"beta\",\"gamma\"],"
            "\"owner\":{\"login\":\"user%u\",\"admin\":%s,\"team\":null},"
            "\"created\":\"2026-07-28T12:%02u:00Z\"}",
            seed, i, seed % 1000, seed % 5000, seed % 100, seed % 1000000,
            seed % 97, (seed & 64) != 0 ? "true" : "false", i % 60);
    }
    mcp_buf_puts(out, "]}");
    if (out->failed)
        die("out of memory");
}

static double run_ours(struct mcp_arena *a, const char *text, size_t len, int n)
{
    const struct mcp_json *tree;
    double start = now_ns();
    int i;

    for (i = 0; i < n; i++) {
        mcp_arena_reset(a);
        if (mcp_json_parse(a, text, len, NULL, &tree, NULL) != MCP_OK)
            die("refused");
    }
    return (now_ns() - start) / n;
}

/* The function at the top of the stack is run(text, n, jit). */
static double run_cjson(lua_State *L, const char *text, size_t len, int n,
                        int jit)
{
    double start;

    lua_getglobal(L, "run");
    lua_pushlstring(L, text, len);
    lua_pushinteger(L, n);
    lua_pushboolean(L, jit);
    start = now_ns();
    if (lua_pcall(L, 3, 0, 0) != 0)
        die(lua_tostring(L, -1));
    return (now_ns() - start) / n;
}

/* A state with the global `run`, or NULL when there is no lua-cjson. */
static lua_State *open_cjson(void)
{
    static const char code[] = "local decode = require('cjson').decode\n"
                               "function run(text, n, on)\n"
                               "  if on then jit.on() else jit.off() end\n"
                               "  for i = 1, n do decode(text) end\n"
                               "end\n";
    lua_State *L = luaL_newstate();

    if (L == NULL)
        die("out of memory");
    luaL_openlibs(L);
    if (luaL_dostring(L, code) == 0)
        return L;
    (void)printf("json_parse: no lua-cjson: %s\n", lua_tostring(L, -1));
    lua_close(L);
    return NULL;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* The ratio; 0 without lua-cjson. */
static double measure(lua_State *L, const char *name, const char *text,
                      size_t len)
{
    struct mcp_arena *a = mcp_arena_new(64 << 20);
    double ours = 1e18, jit_off = 1e18, jit_on = 1e18, ratio = 0;
    int n = ROUND_BYTES / (int)len, i;

    if (a == NULL)
        die("out of memory");
    for (i = 0; i < ROUNDS; i++) {
        ours = least(ours, run_ours(a, text, len, n));
        if (L == NULL)
            continue;
        jit_off = least(jit_off, run_cjson(L, text, len, n, 0));
        jit_on = least(jit_on, run_cjson(L, text, len, n, 1));
    }
    (void)printf("json_parse %s ours n=%d %.0f ns/op %zu bytes/op\n", name, n,
                 ours, len);
    if (L != NULL) {
        (void)printf("json_parse %s cjson-jit-off n=%d %.0f ns/op\n", name, n,
                     jit_off);
        (void)printf("json_parse %s cjson-jit-on n=%d %.0f ns/op\n", name, n,
                     jit_on);
        ratio = ours / least(jit_off, jit_on);
        (void)printf("json_parse %s ratio=%.2f\n", name, ratio);
    }
    mcp_arena_free(a);
    return ratio;
}

int main(void)
{
    lua_State *L = open_cjson();
    struct mcp_buf large;
    double small_ratio, large_ratio;

    mcp_buf_init(&large, 1 << 20);
    make_large(&large);
    small_ratio = measure(L, "small", small_text, sizeof(small_text) - 1);
    large_ratio = measure(L, "large", large.data, large.len);
    mcp_buf_free(&large);
    if (L != NULL)
        lua_close(L);
    if (small_ratio > MOST || large_ratio > MOST)
        die("slower than it may be");
    return 0;
}
