/* reload_test.c - the next generation beside the running one */
#include "app_bench.h"

static void save(const struct bench *b, int version)
{
    char text[400];

    snprintf(text, sizeof(text),
             "local mcp = require 'mcp'\n"
             "mcp.tool('version', function() return 'v%d' end)\n"
             "mcp.tool('go', function() mcp.shared('s'):set('go', true) "
             "return 'v%d' end)\n"
             "mcp.tool('slow', function(args, ctx)\n"
             "  while not mcp.shared('s'):get('go') do ctx.sleep(0.01) end\n"
             "  return 'v%d' end)\n",
             version, version, version);
    write_file(b, "app.lua", text);
}

enum { WHOLE_MS = 25 }; /* left alone for 30, a file is taken for whole */

/* The number that the tool answers. */
static int ask(struct bench *b, const char *tool)
{
    struct one one;
    int version = -1;

    start(b, &one, tool, "{}");
    wait_for(&one);
    assert_false(one.job.outcome.is_error);
    assert_int_equal(sscanf(strstr(one.text, "\"v") + 1, "v%d", &version), 1);
    drop(&one);
    return version;
}

static bool has_tool(struct bench *b, const char *tool)
{
    const struct mcp_generation *gen = mcp_app_acquire(b->app);
    bool found = mcp_generation_find_tool(gen, tool, strlen(tool)) != NULL;

    mcp_generation_release(gen);
    return found;
}

/* Asks until `version` answers; liveness only. */
static void wait_for_version(struct bench *b, int version)
{
    uint64_t end = mcp_clock_now_ns() + 10 * MCP_NS_PER_S;

    while (ask(b, "version") != version) {
        assert_true(mcp_clock_now_ns() < end);
        usleep(1000);
    }
}

static void bench_open_version(struct bench *b, bool watch)
{
    struct mcp_app_options options = {
        .path = b->path, .config = b->config, .watch = watch};

    save(b, 1);
    b->err = mcp_app_open(&options, &b->app, b->message, sizeof(b->message));
    assert_int_equal(b->err, MCP_OK);
}

static void calls_in_flight_end_on_their_generation(void **unused)
{
    struct bench b;
    struct one slow;

    (void)unused;
    bench_make(&b);
    bench_open_version(&b, false);
    start(&b, &slow, "slow", "{}");
    usleep(20000);
    save(&b, 2);
    mcp_app_reload(b.app);
    wait_for_version(&b, 2);
    assert_false(slow.done);
    assert_int_equal(ask(&b, "go"), 2);
    wait_for(&slow);
    assert_non_null(strstr(slow.text, "v1"));
    drop(&slow);
    assert_int_equal(ask(&b, "slow"), 2);
    bench_close(&b);
}

static void a_broken_script_changes_nothing(void **unused)
{
    struct bench b;

    (void)unused;
    bench_make(&b);
    bench_open_version(&b, false);
    write_file(&b, "app.lua", "functon()");
    mcp_app_reload(b.app);
    usleep(50000);
    assert_int_equal(ask(&b, "version"), 1);
    save(&b, 3);
    mcp_app_reload(b.app);
    wait_for_version(&b, 3);
    bench_close(&b);
}

struct asker {
    struct bench *b;
    atomic_bool stop;
    int calls, backwards;
};

static void *keep_asking(void *arg)
{
    struct asker *a = arg;
    int last = 0;

    while (!a->stop) {
        int version = ask(a->b, "version");

        a->backwards += version < last;
        last = version;
        a->calls++;
    }
    return NULL;
}

static long resident_kib(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long pages = 0;

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%*s %ld", &pages), 1);
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Sanitizers keep freed memory for a while. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { RELOADS = 100, GROWTH_KIB = 1 << 30 };
#else
enum { RELOADS = 500, GROWTH_KIB = 4096 };
#endif

static void reloads_under_load_lose_no_call_and_leak_nothing(void **unused)
{
    struct bench b;
    struct asker askers[2];
    pthread_t threads[2];
    long before = 0;
    int i;

    (void)unused;
    bench_make(&b);
    bench_open_version(&b, false);
    for (i = 0; i < 2; i++) {
        askers[i] = (struct asker){.b = &b};
        assert_int_equal(
            pthread_create(&threads[i], NULL, keep_asking, &askers[i]), 0);
    }
    for (i = 2; i < RELOADS; i++) {
        save(&b, i);
        mcp_app_reload(b.app);
        wait_for_version(&b, i);
        if (i == RELOADS / 2)
            before = resident_kib();
    }
    assert_true(resident_kib() - before < GROWTH_KIB);
    for (i = 0; i < 2; i++) {
        askers[i].stop = true;
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(askers[i].calls > 0);
        assert_int_equal(askers[i].backwards, 0);
    }
    bench_close(&b);
}

static void a_save_is_noticed_in_every_manner_of_saving(void **unused)
{
    struct bench b;
    char temp[200];

    (void)unused;
    bench_make(&b);
    bench_open_version(&b, true);
    save(&b, 2); /* truncate and write */
    wait_for_version(&b, 2);
    snprintf(temp, sizeof(temp), "%s.new", b.path);
    save(&b, 3);
    assert_int_equal(rename(b.path, temp), 0);
    assert_int_equal(rename(temp, b.path), 0); /* renamed over */
    wait_for_version(&b, 3);
    bench_close(&b);
}

/* A writer that had no processor between its halves left the first alone for
 * so long that it is a whole script, and may be served: no round to judge. */
static void await_the_tool(struct bench *b)
{
    int quiet;

    for (quiet = 0; quiet < 300; quiet++) {
        if (!has_tool(b, "version"))
            quiet = 0;
        usleep(1000);
    }
}

/* Truncated, then written in two halves, each of which is a script of its own,
 * while other files of the folder come and go. */
static void a_half_written_file_is_never_served(void **unused)
{
    static const char half[] = "local mcp = require 'mcp'\n";
    struct bench b;
    int i, judged = 0;

    (void)unused;
    bench_make(&b);
    bench_open_version(&b, true);
    for (i = 2; i < 12; i++) {
        uint64_t began = mcp_clock_now_ns();
        FILE *f = fopen(b.path, "w");

        write_file(&b, "noise.lua", "return 1");
        usleep(5000);
        fputs(half, f);
        fflush(f);
        write_file(&b, "noise.lua", "return 2");
        usleep(5000);
        fprintf(f, "mcp.tool('version', function() return 'v%d' end)\n", i);
        fclose(f);
        if (mcp_clock_now_ns() - began > WHOLE_MS * MCP_NS_PER_MS)
            await_the_tool(&b);
        else
            judged++;
        wait_for_version(&b, i); /* each ask finds the tool */
    }
    write_file(&b, "app.lua", "");
    usleep(200000);
    assert_int_equal(ask(&b, "version"), 11);
    bench_close(&b);
    if (judged == 0)
        skip();
}

static void a_touch_reloads_nothing_but_a_changed_module_does(void **unused)
{
    struct bench b;
    struct mcp_app_options options;
    const struct mcp_generation *gen;

    (void)unused;
    bench_make(&b);
    options = (struct mcp_app_options){
        .path = b.path, .config = b.config, .watch = true};
    write_file(&b, "number.lua", "return 1");
    write_file(&b, "app.lua",
               "local mcp, n = require 'mcp', require 'number'\n"
               "mcp.tool('version', function() return 'v' .. n end)\n");
    b.err = mcp_app_open(&options, &b.app, b.message, sizeof(b.message));
    assert_int_equal(b.err, MCP_OK);
    write_file(&b, "number.lua", "return 1"); /* the same bytes */
    usleep(200000);
    gen = mcp_app_acquire(b.app);
    assert_int_equal(gen->number, 1);
    mcp_generation_release(gen);
    write_file(&b, "number.lua", "return 2");
    wait_for_version(&b, 2);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_in_flight_end_on_their_generation),
        cmocka_unit_test(a_broken_script_changes_nothing),
        cmocka_unit_test(reloads_under_load_lose_no_call_and_leak_nothing),
        cmocka_unit_test(a_save_is_noticed_in_every_manner_of_saving),
        cmocka_unit_test(a_half_written_file_is_never_served),
        cmocka_unit_test(a_touch_reloads_nothing_but_a_changed_module_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
