/* wiring_test.c - what runs around a handler, in the real host */
#include "wiring_bench.h"

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

static void an_app_that_is_looked_at_has_none(void **unused)
{
    struct bench b;

    (void)unused;
    bench_make(&b);
    b.mute = true;
    open_app(&b, SAY "mcp.hooks { on_startup = function() say('startup') end,\n"
                     "  on_shutdown = function() say('shutdown') end }\n");
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
        cmocka_unit_test(a_call_that_sleeps_too_long_is_cleaned_up),
        cmocka_unit_test(a_call_out_of_memory_is_cleaned_up),
        cmocka_unit_test(cleanups_run_in_reverse_order_whatever_they_do),
        cmocka_unit_test(what_hooks_do_changes_nothing),
        cmocka_unit_test(everything_may_sleep),
        cmocka_unit_test(guards_refuse_before_anything_is_made),
        cmocka_unit_test(arguments_reach_hooks_providers_and_handlers),
        cmocka_unit_test(an_app_that_is_looked_at_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
