/* apart_test.c - runs that have no request behind them: questions, rest, what
 * a second run starts from */
#include "apart_bench.h"

static const char app[] =
    "local mcp = require 'mcp'\n"
    "local t = mcp.types\n"
    "local function form() return { x = t.string() } end\n"
    "mcp.tool('ask', { timeout = 20 }, function(ctx)\n"
    "  local made = ctx.memo('made', function() return 'm' .. "
    "math.random(1e9)\n"
    "    end)\n"
    "  local a = ctx.elicit { key = 'a', message = made, schema = form() }\n"
    "  local b = ctx.ask { b = mcp.elicit { message = 'b', schema = form() },\n"
    "    c = mcp.elicit { message = 'c', schema = form() } }\n"
    "  return made .. a.content.x .. b.b.content.x .. b.c.content.x\n"
    "    .. ctx.task.id\n"
    "end)\n"
    "mcp.tool('again', {}, function(ctx)\n"
    "  local n = tonumber(ctx.request_state or '0')\n"
    "  if n == 3 then return ctx.input_responses.k.content.x end\n"
    "  return mcp.input_required { state = tostring(n + 1),\n"
    "    requests = { k = mcp.elicit { message = 'k', schema = form() } } }\n"
    "end)\n"
    "mcp.tool('sleep', {}, function(ctx) ctx.sleep(0.2) return 'slept' end)\n"
    "mcp.tool('sleep_long', {}, function(ctx) ctx.sleep(60) end)\n"
    "mcp.tool('polite', {}, function(ctx)\n"
    "  while not ctx.cancelled() do ctx.sleep(0.01) end\n"
    "  return 'ended'\n"
    "end)\n";

static void questions_are_carried(void **state)
{
    struct apart_run r;

    (void)state;
    begin(&r, "ask", 30, NULL, NULL, NULL);
    wait_asked(&r, 1);
    assert_string_equal(r.keys[0], "a");
    assert_non_null(strstr(r.requests[0], "\"elicitation/create\""));
    assert_non_null(strstr(r.kept, "\"m\":{\"made\":\"m"));
    assert_false(reply(&r, "b", X("1")));
    assert_true(reply(&r, "a", X("1")));
    assert_false(reply(&r, "a", X("1")));
    wait_asked(&r, 3);
    assert_true(reply(&r, "c", X("3")));
    assert_false(reply(&r, "c", X("4")));
    assert_false(r.one.done);
    assert_true(reply(&r, "b", X("2")));
    expect_end(&r, "123the-task");
    assert_true(r.rests >= 1);
    drop(&r.one);
}

static void a_second_run_goes_on(void **state)
{
    static const char kept[] =
        "{\"e\":1,\"a\":{},\"m\":{\"made\":\"old\"},\"s\":\"x\"}";
    struct apart_run r;

    (void)state;
    begin(&r, "ask", 30, kept, "{\"a\":" X("A") "}", "{\"a\":true}");
    wait_asked(&r, 2);
    assert_string_equal(r.keys[0], "b");
    assert_string_equal(r.keys[1], "c");
    assert_true(reply(&r, "b", X("B")));
    assert_true(reply(&r, "c", X("C")));
    expect_end(&r, "oldABCthe-task");
    drop(&r.one);
}

static void a_kept_state_is_read_again(void **state)
{
    struct apart_run r;
    struct mcp_buf out;

    (void)state;
    begin(&r, "ask", 30,
          "{\"e\":1,\"a\":{},\"m\":{\"made\":\"o\"},\"s\":\"x\"}", NULL, NULL);
    wait_asked(&r, 1);
    mcp_buf_init(&out, 4096);
    mcp_ask_kept_write(&r.one.job, &out);
    mcp_buf_putc(&out, '\0');
    assert_non_null(strstr(out.data, "\"m\":{\"made\":\"o\"},\"s\":\"x\"}"));
    mcp_buf_free(&out);
    atomic_store(&r.one.call.cancelled, true);
    mcp_app_cancel(b.app, &r.one.call);
    wait_for(&r.one);
    drop(&r.one);
}

static void a_wrong_state_is_refused(void **state)
{
    static const char *const wrong[] = {"{}", "{\"e\":1,\"a\":{},\"m\":[]}",
                                        "{\"e\":1,\"a\":{},\"m\":{},\"s\":1}"};
    struct mcp_call call = {.arena = mcp_arena_new(1 << 16)};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct mcp_job job = {.call = &call};

        assert_int_equal(
            mcp_ask_kept_read(&job, parse(call.arena, wrong[i]), NULL, NULL),
            MCP_EINVAL);
    }
    mcp_arena_free(call.arena);
}

static void keys_are_used_once(void **state)
{
    struct apart_run r;

    (void)state;
    begin(&r, "again", 30, NULL, NULL, "{\"k-2\":true}");
    wait_asked(&r, 1);
    assert_true(reply(&r, "k", X("1")));
    wait_asked(&r, 2);
    assert_string_equal(r.keys[1], "k-3"); /* k-2 was in use before */
    assert_string_equal(r.names[1], "k");
    assert_false(reply(&r, "k", X("1")));
    assert_true(reply(&r, "k-3", X("2")));
    wait_asked(&r, 3);
    assert_string_equal(r.keys[2], "k-4");
    assert_non_null(strstr(r.kept, "\"s\":\"2\""));
    assert_true(reply(&r, "k-4", X("3")));
    expect_end(&r, "\"3\"");
    assert_int_equal(r.rests, 3);
    drop(&r.one);
}

static void sleep_is_rest(void **state)
{
    struct apart_run r;

    (void)state;
    begin(&r, "sleep", 30, NULL, NULL, NULL);
    expect_end(&r, "slept");
    assert_int_equal(r.rests, 1);
    drop(&r.one);
}

/* More of them sleep than there are Lua states to lend (256): calls go on. */
static void sleepers_hold_up_nobody(void **state)
{
    enum { MANY = 260 };
    static struct apart_run r[MANY];

    (void)state;
    for (int i = 0; i < MANY; i++)
        begin(&r[i], "sleep_long", 30, NULL, NULL, NULL);
    for (int i = 0; i < MANY; i++) {
        pthread_mutex_lock(&lock);
        while (r[i].rests == 0)
            pthread_cond_wait(&ended, &lock);
        pthread_mutex_unlock(&lock);
    }
    expect(&b, "sleep", "{}", false, "slept");
    for (int i = 0; i < MANY; i++) {
        atomic_store(&r[i].one.call.cancelled, true);
        mcp_app_cancel(b.app, &r[i].one.call);
    }
    for (int i = 0; i < MANY; i++) {
        wait_for(&r[i].one);
        assert_int_equal(r[i].one.job.outcome.kind, MCP_OUTCOME_CANCELED);
        drop(&r[i].one);
    }
    expect(&b, "sleep", "{}", false, "slept");
}

static void a_handler_may_end_well(void **state)
{
    struct apart_run r;

    (void)state;
    begin(&r, "polite", 30, NULL, NULL, NULL);
    atomic_store(&r.one.call.unwanted, true);
    expect_end(&r, "ended");
    drop(&r.one);
}

static int setup(void **state)
{
    (void)state;
    return open_app(app);
}

static int teardown(void **state)
{
    (void)state;
    bench_close(&b);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_carried),
        cmocka_unit_test(a_second_run_goes_on),
        cmocka_unit_test(a_kept_state_is_read_again),
        cmocka_unit_test(a_wrong_state_is_refused),
        cmocka_unit_test(keys_are_used_once),
        cmocka_unit_test(sleep_is_rest),
        cmocka_unit_test(sleepers_hold_up_nobody),
        cmocka_unit_test(a_handler_may_end_well),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
