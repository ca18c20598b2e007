/* wiring_bench.h - apps that tell what runs around their handlers */
#ifndef MCP_TESTS_WIRING_BENCH_H
#define MCP_TESTS_WIRING_BENCH_H

#include "app_bench.h"

/* say() writes a line where the test sees it: a call leaves nothing else. */
#define SAY                                                                    \
    "local mcp = require 'mcp'\n"                                              \
    "local function say(...)\n"                                                \
    "  local f = io.open(arg[0] .. '.log', 'a')\n"                             \
    "  f:write(table.concat({...}, ' '), '\\n')\n"                             \
    "  f:close()\n"                                                            \
    "end\n"

/* A dependency that tells of its life, and hooks that tell of calls. */
#define WATCHED                                                                \
    SAY "mcp.hooks {\n"                                                        \
        "  before_tool_call = function(name) say('before', name) end,\n"       \
        "  after_tool_call = function(name, args, ctx, o)\n"                   \
        "    assert(o.seconds >= 0 and o.seconds < 30)\n"                      \
        "    say('after', name, tostring(o.result), tostring(o.error))\n"      \
        "  end }\n"                                                            \
        "mcp.provide('db', function()\n"                                       \
        "  say('open')\n"                                                      \
        "  return 'base', function() say('close') end\n"                       \
        "end)\n"

static inline void open_app(struct bench *b, const char *source)
{
    bench_open(b, source);
    if (b->err != MCP_OK)
        fail_msg("refused: %s", b->message);
}

/* What the app has said since the last time must be `expected`. */
static inline void said(const struct bench *b, const char *expected)
{
    char path[200], text[4096] = "";
    FILE *f;

    snprintf(path, sizeof(path), "%s.log", b->path);
    f = fopen(path, "r");
    if (f != NULL) {
        text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
        fclose(f);
        unlink(path);
    }
    assert_string_equal(text, expected);
}

/* The app's only tool is called "t"; its answer and what was said. */
static inline void one_call(const char *source, bool is_error,
                            const char *answer, const char *log)
{
    static const char *const isolations[] = {"request", "worker"};

    for (int i = 0; i < 2; i++) {
        struct bench b;

        bench_make(&b);
        set(&b, "isolation", isolations[i]);
        open_app(&b, source);
        for (int again = 0; again < 2; again++) {
            expect(&b, "t", "{}", is_error, answer);
            said(&b, log);
        }
        bench_close(&b);
    }
}

#endif
