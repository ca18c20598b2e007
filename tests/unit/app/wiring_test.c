/* wiring_test.c - what runs around a handler, in the real host */
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

static void open_app(struct bench *b, const char *source)
{
    bench_open(b, source);
    if (b->err != MCP_OK)
        fail_msg("refused: %s", b->message);
}

/* What the app has said since the last time must be `expected`. */
static void said(const struct bench *b, const char *expected)
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
static void one_call(const char *source, bool is_error, const char *answer,
                     const char *log)
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

static void a_call_that_returns_is_cleaned_up(void **unused)
{
    (void)unused;
    one_call(WATCHED "mcp.tool('t', function(db) say('run') return db end)",
             false, "base", "before t\nopen\nrun\nafter t base nil\nclose\n");
}

static void a_call_that_raises_is_cleaned_up(void **unused)
{
    (void)unused;
    one_call(WATCHED "mcp.tool('t', function(db) error('oh no') end)", true,
             "\"oh no\"", "before t\nopen\nafter t nil oh no\nclose\n");
}

static void a_call_that_is_ended_is_cleaned_up(void **unused)
{
    (void)unused;
    one_call(WATCHED "mcp.tool('t', function(db)\n"
                     "  pcall(mcp.unauthorized, 'log in')\n"
                     "  say('not reached') end)",
             true, "\"log in\"", "before t\nopen\nafter t nil log in\nclose\n");
}

static void a_call_that_takes_too_long_is_cleaned_up(void **unused)
{
    (void)unused;
    one_call(WATCHED "mcp.tool('t', { timeout = 0.2 }, function(db)\n"
                     "  while true do end end)",
             true, "took longer",
             "before t\nopen\nafter t nil The tool took longer than 0.2 s and "
             "was stopped (timeout)\nclose\n");
}

static void a_call_that_sleeps_too_long_is_cleaned_up(void **unused)
{
    (void)unused;
    one_call(WATCHED "mcp.tool('t', { timeout = 0.1 }, function(db, ctx)\n"
                     "  ctx.sleep(20) end)",
             true, "took longer",
             "before t\nopen\nafter t nil The tool took longer than 0.1 s and "
             "was stopped (timeout)\nclose\n");
}

static void a_call_out_of_memory_is_cleaned_up(void **unused)
{
    struct bench b;

    (void)unused;
    bench_make(&b);
    set(&b, "memory_limit", "16 MiB");
    open_app(&b, WATCHED "mcp.tool('t', function(db)\n"
                         "  local t = {}\n"
                         "  for i = 1, 1e9 do t[i] = { i } end end)");
    expect(&b, "t", "{}", true, "ran out of memory");
    said(&b, "before t\nopen\nafter t nil The tool ran out of memory: it may "
             "use 16384 KiB (memory_limit)\nclose\n");
    bench_close(&b);
}

static void cancel(const char *handler)
{
    const uint64_t begin = mcp_clock_now_ns();
    char source[2048];
    struct bench b;
    struct one one;

    bench_make(&b);
    snprintf(source, sizeof(source),
             "%smcp.tool('t', function(db, ctx) %s end)", WATCHED, handler);
    open_app(&b, source);
    start(&b, &one, "t", "{}");
    usleep(200 * 1000);
    atomic_store(&one.call.cancelled, true);
    mcp_app_cancel(b.app, &one.call);
    wait_for(&one);
    assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_CANCELED);
    drop(&one);
    said(&b, "before t\nopen\nafter t nil the call was cancelled\nclose\n");
    assert_true(mcp_clock_now_ns() - begin < 10 * MCP_NS_PER_S);
    bench_close(&b);
}

static void a_cancelled_call_is_cleaned_up(void **unused)
{
    (void)unused;
    cancel("while true do end");
    cancel("ctx.sleep(20)");
}

static void cleanups_run_in_reverse_order_whatever_they_do(void **unused)
{
    (void)unused;
    one_call(SAY
             "local function make(name, f)\n"
             "  return function(ctx)\n"
             "    say('open', name)\n"
             "    return name, function() say('close', name) f(ctx) end\n"
             "  end\n"
             "end\n"
             "mcp.provide('a', make('a', function() end))\n"
             "mcp.provide('b', make('b', function() error('broken') end))\n"
             "mcp.provide('c', make('c', function() mcp.not_found('c') end))\n"
             "mcp.provide('d', make('d', function(ctx) ctx.sleep(0.01) end))\n"
             "mcp.tool('t', function(a, b, c, d) return a .. b .. c .. d end)",
             false, "abcd",
             "open a\nopen b\nopen c\nopen d\n"
             "close d\nclose c\nclose b\nclose a\n");
}

static void a_cleanup_has_a_second(void **unused)
{
    const uint64_t begin = mcp_clock_now_ns();
    struct bench b;
    uint64_t took;

    (void)unused;
    bench_make(&b);
    open_app(
        &b, SAY
        "mcp.provide('a', function() return 1, function() say('a') end end)\n"
        "mcp.provide('b', function() return 2, function()\n"
        "  say('b') pcall(function() while true do end end) say('no') end "
        "end)\n"
        "mcp.tool('t', function(a, b) return a + b end)");
    expect(&b, "t", "{}", false, "\"3\"");
    took = mcp_clock_now_ns() - begin;
    said(&b, "b\na\n");
    assert_true(took >= MCP_NS_PER_S && took < 5 * MCP_NS_PER_S);
    expect(&b, "t", "{}", false, "\"3\"");
    bench_close(&b);
}

static void what_hooks_do_changes_nothing(void **unused)
{
    (void)unused;
    one_call(SAY
             "mcp.hooks {\n"
             "  before_tool_call = function(name, args) args.x = 1\n"
             "    say('before') error('oh') end,\n"
             "  after_tool_call = function() say('after')\n"
             "    pcall(mcp.unauthorized, 'oh') mcp.unauthorized('oh') end }\n"
             "mcp.hooks {\n"
             "  before_tool_call = function() mcp.http_error(500, 'oh') end,\n"
             "  after_tool_call = function(_, args) say(args.x) end }\n"
             "mcp.tool('t', function(args) return tostring(args.x) end)",
             false, "\"nil\"", "before\nafter\n1\n");
}

static void everything_may_sleep(void **unused)
{
    (void)unused;
    one_call(SAY
             "mcp.hooks { before_tool_call = function(_, _, ctx)\n"
             "    ctx.sleep(0.01) say('hook') end }\n"
             "mcp.provide('a', function(ctx) ctx.sleep(0.01) return 'a' end)\n"
             "mcp.tool('t', { guards = function(ctx)\n"
             "  ctx.sleep(0.01) say('guard', ctx.dep.a) end },\n"
             "  function(ctx) ctx.sleep(0.01) return ctx.dep.a end)",
             false, "\"a\"", "hook\nguard a\n");
}

static void guards_refuse_before_anything_is_made(void **unused)
{
    (void)unused;
    one_call(WATCHED
             "mcp.tool('t', { guards = { function() say('first') end,\n"
             "  function() return false, 'not you' end,\n"
             "  function() say('no') end } }, function(db) say('no') end)",
             true, "\"not you\"", "before t\nfirst\nafter t nil not you\n");
}

static void arguments_reach_hooks_providers_and_handlers(void **unused)
{
    struct bench b;

    (void)unused;
    bench_make(&b);
    open_app(
        &b,
        SAY "mcp.hooks { before_tool_call = function(_, args)\n"
            "  say('hook', args.x) args.x = 'other' end }\n"
            "mcp.provide('twice', function(args) return args.x .. args.x end)\n"
            "mcp.tool('t', function(x, twice, args, y)\n"
            "  return x .. twice .. args.x .. y end)");
    expect(&b, "t", "{\"y\":\"2\",\"x\":\"1\"}", false, "\"11112\"");
    said(&b, "hook 1\n");
    bench_close(&b);
}

#define LIFE                                                                   \
    SAY "mcp.hooks { on_startup = function() say('startup') error('oh') "      \
        "end,\n"                                                               \
        "  on_reload = function() say('reload') end,\n"                        \
        "  on_shutdown = function() say('shutdown')\n"                         \
        "    while true do pcall(error) end end }\n"

static void the_app_has_a_life(void **unused)
{
    struct bench b;
    uint64_t begin;

    (void)unused;
    bench_make(&b);
    open_app(&b, LIFE "mcp.tool('t', function() return '1' end)");
    said(&b, "startup\n");
    write_file(&b, "app.lua", LIFE "mcp.tool('t', function() return '2' end)");
    mcp_app_reload(b.app);
    for (int i = 0; i < 200; i++) {
        const struct mcp_generation *gen = mcp_app_acquire(b.app);
        bool is_new = gen->number == 2;

        mcp_generation_release(gen);
        if (is_new)
            break;
        usleep(20 * 1000);
    }
    expect(&b, "t", "{}", false, "\"2\"");
    begin = mcp_clock_now_ns();
    assert_true(mcp_app_close(b.app));
    assert_true(mcp_clock_now_ns() - begin < 10 * MCP_NS_PER_S);
    b.err = MCP_EINVAL; /* closed already */
    said(&b, "reload\nshutdown\n");
    bench_close(&b);
}

static void an_app_that_is_looked_at_has_none(void **unused)
{
    struct bench b;

    (void)unused;
    bench_make(&b);
    b.mute = true;
    open_app(&b, LIFE);
    assert_true(mcp_app_close(b.app));
    b.err = MCP_EINVAL; /* closed already */
    said(&b, "");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_returns_is_cleaned_up),
        cmocka_unit_test(a_call_that_raises_is_cleaned_up),
        cmocka_unit_test(a_call_that_is_ended_is_cleaned_up),
        cmocka_unit_test(a_call_that_takes_too_long_is_cleaned_up),
        cmocka_unit_test(a_call_that_sleeps_too_long_is_cleaned_up),
        cmocka_unit_test(a_call_out_of_memory_is_cleaned_up),
        cmocka_unit_test(a_cancelled_call_is_cleaned_up),
        cmocka_unit_test(cleanups_run_in_reverse_order_whatever_they_do),
        cmocka_unit_test(a_cleanup_has_a_second),
        cmocka_unit_test(what_hooks_do_changes_nothing),
        cmocka_unit_test(everything_may_sleep),
        cmocka_unit_test(guards_refuse_before_anything_is_made),
        cmocka_unit_test(arguments_reach_hooks_providers_and_handlers),
        cmocka_unit_test(the_app_has_a_life),
        cmocka_unit_test(an_app_that_is_looked_at_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
