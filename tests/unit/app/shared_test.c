/* shared_test.c - dictionaries: exact sums, bounds, and values in Lua */
#include "app_bench.h"

#include "app/shared.h"

static struct mcp_shared_text text(const char *s)
{
    return (struct mcp_shared_text){s, strlen(s)};
}

static struct mcp_shared_number number(double d)
{
    return (struct mcp_shared_number){MCP_SHARED_DOUBLE, {.d = d}};
}

static struct mcp_shared_dict *open_dict(struct mcp_shared *s, size_t max_bytes)
{
    struct mcp_shared_dict *d = NULL;

    assert_int_equal(mcp_shared_open(s, text("d"), max_bytes, &d), MCP_OK);
    return d;
}

static bool has(struct mcp_shared_dict *d, const char *key)
{
    struct mcp_buf out;
    enum mcp_err err;

    mcp_buf_init(&out, 1 << 20);
    err = mcp_shared_get(d, text(key), &out);
    mcp_buf_free(&out);
    return err == MCP_OK;
}

static void expect_bytes(struct mcp_shared_dict *d, const char *key,
                         const char *value)
{
    struct mcp_buf out;

    mcp_buf_init(&out, 1 << 20);
    assert_int_equal(mcp_shared_get(d, text(key), &out), MCP_OK);
    assert_int_equal(out.len, strlen(value));
    assert_memory_equal(out.data, value, out.len);
    mcp_buf_free(&out);
}

static void keeps_adds_deletes(void **state)
{
    struct mcp_shared *s = mcp_shared_new();
    struct mcp_shared_dict *d = open_dict(s, 0);

    (void)state;
    assert_int_equal(mcp_shared_set(d, text("a"), text("one"), 0), MCP_OK);
    assert_int_equal(mcp_shared_set(d, text("a"), text("a longer one"), 0),
                     MCP_OK);
    expect_bytes(d, "a", "a longer one");
    assert_int_equal(mcp_shared_add(d, text("a"), text("x"), 0), MCP_EEXIST);
    assert_int_equal(mcp_shared_add(d, text("b"), text("x"), 0), MCP_OK);
    expect_bytes(d, "b", "x");
    assert_int_equal(mcp_shared_count(d), 2);
    assert_true(mcp_shared_delete(d, text("a")));
    assert_false(mcp_shared_delete(d, text("a")));
    assert_false(has(d, "a"));
    assert_int_equal(mcp_shared_used_bytes(d), mcp_shared_cost(1, 1));
    mcp_shared_free(s);
}

static void many_keys_are_found_again(void **state)
{
    struct mcp_shared *s = mcp_shared_new();
    struct mcp_shared_dict *d = open_dict(s, 0);
    char key[32];

    (void)state;
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof(key), "key-%d", i);
        assert_int_equal(mcp_shared_set(d, text(key), text(key), 0), MCP_OK);
    }
    assert_int_equal(mcp_shared_count(d), 5000);
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof(key), "key-%d", i);
        expect_bytes(d, key, key);
    }
    mcp_shared_free(s);
}

/* Room for two entries of this size, and not for a third. */
static void evicts_what_was_used_least_recently(void **state)
{
    struct mcp_shared *s = mcp_shared_new();
    struct mcp_shared_dict *d = open_dict(s, 2 * mcp_shared_cost(1, 10));

    (void)state;
    assert_int_equal(mcp_shared_set(d, text("a"), text("0123456789"), 0),
                     MCP_OK);
    assert_int_equal(mcp_shared_set(d, text("b"), text("0123456789"), 0),
                     MCP_OK);
    assert_int_equal(mcp_shared_count(d), 2);
    assert_true(has(d, "a"));
    assert_int_equal(mcp_shared_set(d, text("c"), text("0123456789"), 0),
                     MCP_OK);
    assert_true(has(d, "a"));
    assert_false(has(d, "b"));
    assert_true(has(d, "c"));
    /* a longer value of a key that is there counts as well */
    assert_int_equal(mcp_shared_set(d, text("c"), text("0123456789+"), 0),
                     MCP_OK);
    assert_false(has(d, "a"));
    assert_true(has(d, "c"));
    mcp_shared_free(s);
}

static void one_value_may_fill_it_but_not_more(void **state)
{
    struct mcp_shared *s = mcp_shared_new();
    struct mcp_shared_dict *d = open_dict(s, mcp_shared_cost(1, 10));

    (void)state;
    assert_int_equal(mcp_shared_set(d, text("a"), text("0123456789"), 0),
                     MCP_OK);
    assert_int_equal(mcp_shared_set(d, text("a"), text("0123456789+"), 0),
                     MCP_ELIMIT);
    assert_int_equal(mcp_shared_set(d, text("b"), text("0123456789+"), 0),
                     MCP_ELIMIT);
    expect_bytes(d, "a", "0123456789");
    /* a smaller bound applies at once */
    d = open_dict(s, mcp_shared_cost(1, 9));
    assert_false(has(d, "a"));
    mcp_shared_free(s);
}

static void time_to_live(void **state)
{
    struct mcp_shared *s = mcp_shared_new();
    struct mcp_shared_dict *d = open_dict(s, 0);
    struct mcp_shared_number now;
    struct mcp_buf keys;

    (void)state;
    assert_int_equal(mcp_shared_set(d, text("short"), text("x"), MCP_NS_PER_S),
                     MCP_OK);
    assert_int_equal(
        mcp_shared_set(d, text("long"), text("x"), 3600 * MCP_NS_PER_S),
        MCP_OK);
    assert_int_equal(
        mcp_shared_incr(d, text("n"), number(1), MCP_NS_PER_S, &now), MCP_OK);
    assert_int_equal(
        mcp_shared_incr(d, text("n"), number(1), 3600 * MCP_NS_PER_S, &now),
        MCP_OK);
    assert_true(now.as.d == 2);
    assert_true(has(d, "short"));
    usleep(1100 * 1000);
    mcp_buf_init(&keys, 1 << 10);
    assert_int_equal(mcp_shared_keys(d, text(""), &keys), MCP_OK);
    assert_int_equal(keys.len, sizeof(size_t) + 4);
    mcp_buf_free(&keys);
    assert_false(has(d, "short"));
    assert_true(has(d, "long"));
    assert_int_equal(mcp_shared_add(d, text("short"), text("y"), 0), MCP_OK);
    /* the window began with the first incr */
    assert_int_equal(mcp_shared_incr(d, text("n"), number(1), 0, &now), MCP_OK);
    assert_true(now.as.d == 1);
    mcp_shared_free(s);
}

static void sums_keep_64_bits(void **state)
{
    struct mcp_shared_number n, max = {MCP_SHARED_INT64, {.i = INT64_MAX}};
    struct mcp_shared_number big = {MCP_SHARED_UINT64, {.u = UINT64_MAX}};

    (void)state;
    assert_true(mcp_shared_number_add(number(0.5), number(1), &n));
    assert_true(n.tag == MCP_SHARED_DOUBLE && n.as.d == 1.5);
    assert_true(mcp_shared_number_add(max, number(-1), &n));
    assert_true(n.tag == MCP_SHARED_INT64 && n.as.i == INT64_MAX - 1);
    assert_false(mcp_shared_number_add(max, number(1), &n));
    assert_false(mcp_shared_number_add(max, number(0.5), &n));
    assert_true(mcp_shared_number_add(number(-1), big, &n));
    assert_true(n.tag == MCP_SHARED_UINT64 && n.as.u == UINT64_MAX - 1);
    assert_false(mcp_shared_number_add(big, number(1), &n));
    assert_false(mcp_shared_number_add(max, number(1e300), &n));
}

static void counts_dictionaries(void **state)
{
    struct mcp_shared *s = mcp_shared_new();
    struct mcp_shared_dict *d, *first = open_dict(s, 0);
    char name[32];

    (void)state;
    for (int i = 1; i < MCP_SHARED_MAX_DICTS; i++) {
        snprintf(name, sizeof(name), "d%d", i);
        assert_int_equal(mcp_shared_open(s, text(name), 0, &d), MCP_OK);
        assert_string_equal(mcp_shared_name(d), name);
    }
    assert_int_equal(mcp_shared_open(s, text("more"), 0, &d), MCP_ELIMIT);
    assert_ptr_equal(open_dict(s, 0), first);
    mcp_shared_free(s);
}

/* ---- eight threads --------------------------------------------------------
 */

enum { THREADS = 8, EACH = 125000 };

static void *count_up(void *arg)
{
    struct mcp_shared_dict *d = arg;
    struct mcp_shared_number now;

    for (int i = 0; i < EACH; i++)
        if (mcp_shared_incr(d, text("n"), number(1), 0, &now) != MCP_OK)
            return arg;
    return NULL;
}

static void a_million_increments_are_exact(void **state)
{
    struct mcp_shared *s = mcp_shared_new();
    struct mcp_shared_dict *d = open_dict(s, 0);
    struct mcp_shared_number now;
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_up, d), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(mcp_shared_incr(d, text("n"), number(0), 0, &now), MCP_OK);
    assert_true(now.as.d == (double)THREADS * EACH);
    mcp_shared_free(s);
}

/* Everything at once in a dictionary that is always full; the sums of sizes
 * must agree in the end. */
static void *rummage(void *arg)
{
    struct mcp_shared_dict *d = arg;
    unsigned seed = (unsigned)(uintptr_t)&seed;
    struct mcp_shared_number now;
    struct mcp_buf out;
    char key[16], value[64];

    memset(value, 'v', sizeof(value));
    mcp_buf_init(&out, 1 << 20);
    for (int i = 0; i < 20000; i++) {
        struct mcp_shared_text v = {value, (size_t)rand_r(&seed) % 64};

        snprintf(key, sizeof(key), "%d", rand_r(&seed) % 100);
        mcp_buf_clear(&out);
        switch (rand_r(&seed) % 6) {
        case 0:
            (void)!mcp_shared_set(d, text(key), v, 0);
            break;
        case 1:
            (void)!mcp_shared_add(d, text(key), v, MCP_NS_PER_MS);
            break;
        case 2:
            (void)!mcp_shared_incr(d, text(key), number(1), 0, &now);
            break;
        case 3:
            (void)mcp_shared_delete(d, text(key));
            break;
        case 4:
            (void)!mcp_shared_keys(d, text("1"), &out);
            break;
        default:
            (void)!mcp_shared_get(d, text(key), &out);
        }
    }
    mcp_buf_free(&out);
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    struct mcp_shared *s = mcp_shared_new();
    struct mcp_shared_dict *d = open_dict(s, 50 * mcp_shared_cost(2, 32));
    pthread_t threads[THREADS];
    char key[16];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, rummage, d), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(mcp_shared_used_bytes(d) <= mcp_shared_max_bytes(d));
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof(key), "%d", i);
        (void)mcp_shared_delete(d, text(key));
    }
    assert_int_equal(mcp_shared_count(d), 0);
    assert_int_equal(mcp_shared_used_bytes(d), 0);
    mcp_shared_free(s);
}

/* ---- in Lua ---------------------------------------------------------------
 */

static const char app[] =
    "local mcp = require 'mcp'\n"
    "mcp.server { name = 'shared' }\n"
    "local s = mcp.shared('s')\n"
    "local loads = s:incr('loads')\n"
    "s:set('from', 'load')\n"
    "local added = s:add('once', 1)\n"
    "mcp.tool('loads', function() return s:get('loads') end)\n"
    "mcp.tool('seen', function() return s:get('from') end)\n"
    "mcp.tool('put', function(v) s:set('v', v) return s:get('v') end)\n"
    "mcp.tool('count', function() return s:incr('n') end)\n"
    "mcp.tool('turns', function(n) for i = 1, n do s:incr('n') end end)\n"
    "mcp.tool('wrong', function(what)\n"
    "  if what == 'function' then s:set('x', { a = { 1, print } })\n"
    "  elseif what == 'key' then s:set('x', { [{}] = 1 })\n"
    "  elseif what == 'cycle' then local t = {} t.t = t s:set('x', t)\n"
    "  elseif what == 'thread' then s:set('x', coroutine.create(print))\n"
    "  elseif what == 'ttl' then s:set('x', 1, 0)\n"
    "  elseif what == 'sum' then s:set('x', 'a') s:incr('x')\n"
    "  elseif what == 'large' then\n"
    "    mcp.shared('small', { max_bytes = 2048 }):set('x', ('x'):rep(4096))\n"
    "  elseif what == 'dot' then s.get('x')\n"
    "  elseif what == 'bytes' then mcp.shared('t', { max_bytes = 1023 })\n"
    "  elseif what == 'option' then mcp.shared('t', { max_byte = 1 })\n"
    "  elseif what == 'name' then mcp.shared(('x'):rep(129)) end\n"
    "end)\n"
    "mcp.tool('values', function()\n"
    "  s:set('t', { 1, 2, x = { true, false, mcp.null }, [7] = 'seven',\n"
    "               [true] = 'yes', big = 9007199254740993LL,\n"
    "               bin = 'a\\0b\\255' })\n"
    "  local t = s:get('t')\n"
    "  assert(t[1] == 1 and t[2] == 2 and t[7] == 'seven' and t[true] == "
    "'yes')\n"
    "  assert(t.x[1] == true and t.x[2] == false and mcp.is_null(t.x[3]))\n"
    "  assert(t.bin == 'a\\0b\\255')\n"
    "  assert(tostring(t.big) == '9007199254740993LL')\n"
    "  s:set('u', 18446744073709551615ULL)\n"
    "  assert(tostring(s:get('u')) == '18446744073709551615ULL')\n"
    "  s:set('nan', 0/0) assert(s:get('nan') ~= s:get('nan'))\n"
    "  s:set('i', -5LL)\n"
    "  assert(tostring(s:incr('i', 9007199254740993LL)) == "
    "'9007199254740988LL')\n"
    "  assert(s:get('t') ~= t, 'a copy')\n"
    "  s:set('t', nil) assert(s:get('t') == nil)\n"
    "  s:set(1, 'one') assert(s:get('1') == 'one' and s:delete(1))\n"
    "  assert(not s:delete(1))\n"
    "  assert(s:add('new', 1) and not s:add('new', 2) and s:get('new') == 1)\n"
    "  s:set('p:b', 1) s:set('p:a', 1) s:set('p:', 1)\n"
    "  assert(table.concat(s:keys('p:'), ' ') == 'p: p:a p:b')\n"
    "  assert(tostring(s) == 'mcp.shared(\"s\")')\n"
    "  return s:keys('none')\n"
    "end)\n"
    "mcp.tool('hungry', function()\n"
    "  s:set('long', ('x'):rep(4e6))\n"
    "  local all = {}\n"
    "  for i = 1, 100 do all[i] = s:get('long') .. i end\n"
    "end)\n"
    "mcp.tool('deep', function()\n"
    "  local function f(x) s:incr('deep') return (x:gsub('.', f)) end\n"
    "  f('a')\n"
    "end)\n";

static void lua_values(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    bench_open(&b, app);
    assert_int_equal(b.err, MCP_OK);
    expect(&b, "loads", "{}", false, "\"1\"");
    expect(&b, "seen", "{}", false, "load");
    expect(&b, "put", "{\"v\":{\"a\":[1,[],{}]}}", false,
           "{\\\"a\\\":[1,[],{}]}");
    expect(&b, "values", "{}", false, "[]");
    expect(&b, "count", "{}", false, "\"1\"");
    expect(&b, "count", "{}", false, "\"2\"");
    bench_close(&b);
}

static void lua_refusals(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    bench_open(&b, app);
    assert_int_equal(b.err, MCP_OK);
    expect(&b, "wrong", "{\"what\":\"function\"}", true,
           "value /a/1 is a function, which cannot be shared");
    expect(&b, "wrong", "{\"what\":\"key\"}", true,
           "has a key that is a table");
    expect(&b, "wrong", "{\"what\":\"cycle\"}", true,
           "must not contain itself");
    expect(&b, "wrong", "{\"what\":\"thread\"}", true,
           "the value is a thread, which cannot be shared");
    expect(&b, "wrong", "{\"what\":\"ttl\"}", true, "more than 0 seconds");
    expect(&b, "wrong", "{\"what\":\"sum\"}", true, "is no number");
    expect(&b, "wrong", "{\"what\":\"large\"}", true,
           "\\\"small\\\" has 2048 bytes (max_bytes)");
    expect(&b, "wrong", "{\"what\":\"dot\"}", true,
           "is called with a colon, like s:get(key)");
    expect(&b, "wrong", "{\"what\":\"bytes\"}", true, "from 1024 to 2^40");
    expect(&b, "wrong", "{\"what\":\"option\"}", true,
           "did you mean \\\"max_bytes\\\"?");
    expect(&b, "wrong", "{\"what\":\"name\"}", true, "1 to 128 bytes");
    bench_close(&b);
}

/* A call that runs out of memory or of C stack leaves no lock behind. */
static void lua_ends_badly(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    bench_open(&b, app);
    assert_int_equal(b.err, MCP_OK);
    for (int i = 0; i < 5; i++) {
        expect(&b, "hungry", "{}", true, "out of memory");
        expect(&b, "deep", "{}", true, "");
        expect(&b, "put", "{\"v\":1}", false, "1");
    }
    bench_close(&b);
}

static void survives_a_reload(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    bench_open(&b, app);
    assert_int_equal(b.err, MCP_OK);
    expect(&b, "count", "{}", false, "\"1\"");
    mcp_app_reload(b.app);
    for (int i = 0; i < 500; i++) {
        const struct mcp_generation *gen = mcp_app_acquire(b.app);
        uint64_t number_now = gen->number;

        mcp_generation_release(gen);
        if (number_now == 2)
            break;
        usleep(10000);
    }
    expect(&b, "count", "{}", false, "\"2\"");
    expect(&b, "loads", "{}", false, "\"2\"");
    bench_close(&b);
}

static void workers_count_exactly(void **state)
{
    struct one calls[THREADS];
    struct bench b;

    (void)state;
    bench_make(&b);
    set(&b, "max_workers", "8");
    bench_open(&b, app);
    assert_int_equal(b.err, MCP_OK);
    for (int i = 0; i < THREADS; i++)
        start(&b, &calls[i], "turns", "{\"n\":125000}");
    for (int i = 0; i < THREADS; i++) {
        wait_for(&calls[i]);
        assert_false(calls[i].job.outcome.is_error);
        drop(&calls[i]);
    }
    expect(&b, "count", "{}", false, "\"1000001\"");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_adds_deletes),
        cmocka_unit_test(many_keys_are_found_again),
        cmocka_unit_test(evicts_what_was_used_least_recently),
        cmocka_unit_test(one_value_may_fill_it_but_not_more),
        cmocka_unit_test(time_to_live),
        cmocka_unit_test(sums_keep_64_bits),
        cmocka_unit_test(counts_dictionaries),
        cmocka_unit_test(a_million_increments_are_exact),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(lua_values),
        cmocka_unit_test(lua_refusals),
        cmocka_unit_test(lua_ends_badly),
        cmocka_unit_test(survives_a_reload),
        cmocka_unit_test(workers_count_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
