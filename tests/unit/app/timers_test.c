/* timers_test.c - mcp.every: beats, skipped beats, reloads, failures */
#include "app_bench.h"

#include <fcntl.h>

static char log_path[80];

/* What the app has logged so far; to be freed. */
static char *read_log(void)
{
    static char text[1 << 16];
    FILE *f = fopen(log_path, "r");
    size_t n;

    assert_non_null(f);
    n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

/* The number in the answer of `tool`. */
static int ask(struct bench *b, const char *tool)
{
    struct one one;
    const char *text;
    int n;

    start(b, &one, tool, "{}");
    wait_for(&one);
    assert_false(one.job.outcome.is_error);
    text = strstr(one.text, "\"text\":\"");
    assert_non_null(text);
    n = atoi(text + 8);
    drop(&one);
    return n;
}

/* Waits until `tool` answers with `least` or more, 10 s at most. */
static int wait_for_count(struct bench *b, const char *tool, int least)
{
    int n = 0;

    for (int i = 0; i < 1000 && (n = ask(b, tool)) < least; i++)
        usleep(10000);
    if (n < least)
        fail_msg("%s: %d after 10 s, expected %d", tool, n, least);
    return n;
}

static void reload_as(struct bench *b, const char *source, uint64_t number)
{
    write_file(b, "app.lua", source);
    mcp_app_reload(b->app);
    for (int i = 0; i < 1000; i++) {
        const struct mcp_generation *gen = mcp_app_acquire(b->app);
        uint64_t now = gen->number;

        mcp_generation_release(gen);
        if (now == number)
            return;
        usleep(10000);
    }
    fail_msg("generation %d never came", (int)number);
}

#define HEAD                                                                   \
    "local mcp = require 'mcp'\n"                                              \
    "local s = mcp.shared('s')\n"                                              \
    "for _, k in ipairs { 'a', 'b', 'most', 'left' } do\n"                     \
    "  mcp.tool(k, function() return s:get(k) or 0 end)\n"                     \
    "end\n"

static void beats_from_a_clean_state(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    bench_open(&b, HEAD "local n = 0\n"
                        "mcp.every(0.02, function(ctx)\n"
                        "  n = n + 1 s:incr('a')\n"
                        "  if n > (s:get('most') or 0) then s:set('most', n) "
                        "end\n"
                        "  s:set('left', math.ceil(ctx.deadline))\n"
                        "  assert(ctx.item.kind == 'timer')\n"
                        "  assert(ctx.item.name:find(':7$'))\n"
                        "  ctx.progress(1, 2) ctx.info('x')\n"
                        "  s:incr('b')\n"
                        "end)\n");
    assert_int_equal(b.err, MCP_OK);
    wait_for_count(&b, "b", 5);
    assert_int_equal(ask(&b, "most"), 1);
    assert_int_equal(ask(&b, "left"), 30);
    bench_close(&b);
}

/* A run takes three beats: never two at once. */
static void does_not_overlap(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    bench_open(&b, HEAD "mcp.every(0.01, function(ctx)\n"
                        "  local now = s:incr('a')\n"
                        "  if now > (s:get('most') or 0) then\n"
                        "    s:set('most', now) end\n"
                        "  ctx.sleep(0.035)\n"
                        "  s:incr('a', -1) s:incr('b')\n"
                        "end)\n");
    assert_int_equal(b.err, MCP_OK);
    wait_for_count(&b, "b", 5);
    assert_int_equal(ask(&b, "most"), 1);
    bench_close(&b);
}

static void stops_at_a_reload(void **state)
{
    struct bench b;
    int a;

    (void)state;
    bench_make(&b);
    bench_open(&b, HEAD "mcp.every(0.01, function() s:incr('a') end)\n");
    assert_int_equal(b.err, MCP_OK);
    wait_for_count(&b, "a", 3);
    reload_as(&b, HEAD "mcp.every(0.01, function() s:incr('b') end)\n", 2);
    wait_for_count(&b, "b", 1);
    usleep(50000); /* for a run of the first that was under way */
    a = ask(&b, "a");
    wait_for_count(&b, "b", 10);
    assert_int_equal(ask(&b, "a"), a);
    reload_as(&b, HEAD, 3);
    usleep(50000);
    a = ask(&b, "b");
    usleep(100000);
    assert_int_equal(ask(&b, "b"), a);
    bench_close(&b);
}

static void waits_one_period_first(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    bench_open(&b, HEAD "mcp.every(3600, function() s:incr('a') end)\n"
                        "mcp.every(0.02, function() s:incr('b') end)\n");
    assert_int_equal(b.err, MCP_OK);
    wait_for_count(&b, "b", 3);
    assert_int_equal(ask(&b, "a"), 0);
    bench_close(&b);
}

/* Failures are logged, with the timer's place, and the beats go on. */
/* ThreadSanitizer holds the signal back that ends a runaway (tests/tsan-skip).
 */
#ifdef __SANITIZE_THREAD__
#define RUNAWAY "error('took longer than 0.1')"
#else
#define RUNAWAY "while true do end"
#endif

static void failures_are_logged(void **state)
{
    struct bench b;
    int saved = dup(2), fd;
    char *text;

    (void)state;
    bench_make(&b);
    snprintf(log_path, sizeof(log_path), "%s/log", b.folder);
    fd = open(log_path, O_CREAT | O_RDWR | O_APPEND, 0600);
    assert_true(fd >= 0);
    assert_int_equal(dup2(fd, 2), 2);
    mcp_log_setup(MCP_LOG_INFO, false);
    set(&b, "call_timeout", "0.1");
    bench_open(&b, HEAD "mcp.every(0.03, function() s:incr('a')\n"
                        "  error('that went wrong') end)\n"
                        "mcp.every(0.03, function() s:incr('b')\n"
                        "  " RUNAWAY " end)\n"
                        "mcp.every(0.03, function(ctx)\n"
                        "  ctx.warning('careful') s:incr('most') end)\n"
                        "mcp.every(0.03, function(ctx)\n"
                        "  s:incr('left') ctx.roots {} end)\n");
    if (b.err == MCP_OK) {
        wait_for_count(&b, "a", 2);
        wait_for_count(&b, "b", 2);
        wait_for_count(&b, "most", 2);
        wait_for_count(&b, "left", 2);
    }
    mcp_log_setup(MCP_LOG_OFF, false);
    dup2(saved, 2);
    close(saved);
    close(fd);
    assert_int_equal(b.err, MCP_OK);
    text = read_log();
    assert_non_null(strstr(text, "app.lua:6: that went wrong"));
    assert_non_null(strstr(text, "took longer than 0.1"));
    assert_non_null(strstr(text, "app.lua:10: \"careful\""));
    assert_non_null(
        strstr(text, "app.lua:12: only tools, prompts and resources can ask"));
    bench_close(&b);
}

static void two_at_one_place(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    bench_open(&b, HEAD "for _, k in ipairs { 'a', 'b' } do\n"
                        "  mcp.every(0.02, function() s:incr(k) end)\n"
                        "end\n");
    assert_int_equal(b.err, MCP_OK);
    wait_for_count(&b, "a", 2);
    wait_for_count(&b, "b", 2);
    bench_close(&b);
}

static void wrong_declarations(void **state)
{
    (void)state;
    expect_load_error("local mcp = require 'mcp'\n"
                      "mcp.every('1', function() end)",
                      MCP_EINVAL,
                      "app.lua:2: mcp.every: the seconds must be a number");
    expect_load_error("require 'mcp'.every(0.0009, function() end)", MCP_EINVAL,
                      "must be at least 0.001, not 0.0009");
    expect_load_error("require 'mcp'.every(0/0, function() end)", MCP_EINVAL,
                      "must be at least 0.001");
    expect_load_error("require 'mcp'.every(1)", MCP_EINVAL,
                      "the second argument must be a function, got nil");
}

/* Closing while runs are under way and due: nothing is left behind (ASan). */
static void closing_in_between(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct bench b;

        bench_make(&b);
        bench_open(&b,
                   HEAD "mcp.every(0.001, function() s:incr('a') end)\n"
                        "mcp.every(0.001, function(ctx) ctx.sleep(20) end)\n");
        assert_int_equal(b.err, MCP_OK);
        wait_for_count(&b, "a", 1);
        bench_close(&b);
    }
}

/* check, list and call only look at the app. */
static void an_idle_app_has_no_beats(void **state)
{
    struct bench b;
    struct mcp_app_options options = {.idle = true};

    (void)state;
    bench_make(&b);
    options.path = b.path;
    options.config = b.config;
    write_file(&b, "app.lua",
               HEAD "mcp.every(0.001, function() s:incr('a') end)\n");
    b.err = mcp_app_open(&options, &b.app, b.message, sizeof(b.message));
    assert_int_equal(b.err, MCP_OK);
    usleep(50000);
    assert_int_equal(ask(&b, "a"), 0);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beats_from_a_clean_state),
        cmocka_unit_test(does_not_overlap),
        cmocka_unit_test(stops_at_a_reload),
        cmocka_unit_test(waits_one_period_first),
        cmocka_unit_test(failures_are_logged),
        cmocka_unit_test(two_at_one_place),
        cmocka_unit_test(wrong_declarations),
        cmocka_unit_test(closing_in_between),
        cmocka_unit_test(an_idle_app_has_no_beats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
