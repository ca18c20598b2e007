/*
 * value_test.c - JSON to Lua and back, and every value that is refused
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "app/value.h"
#include "lua_common.h"

enum { OUT_MAX = 1 << 20 };

typedef enum mcp_err writer_fn(lua_State *L, int idx, struct mcp_buf *out,
                               struct mcp_value_error *error);

static enum mcp_err write_plain(lua_State *L, int idx, struct mcp_buf *out,
                                struct mcp_value_error *error)
{
    return mcp_value_write(L, idx, out, NULL, error);
}

/* Runs `code`, writes its value behind "keep" and compares. */
static void writes(struct test_lua *t, writer_fn *fn, const char *code,
                   const char *expected)
{
    struct mcp_buf out;
    struct mcp_value_error error = {"", ""};
    int top;

    mcp_buf_init(&out, OUT_MAX);
    mcp_buf_puts(&out, "keep");
    top = test_lua_run(t, code);
    if (fn(t->L, -1, &out, &error) != MCP_OK)
        fail_msg("%s: %s %s", code, error.path, error.message);
    assert_int_equal(lua_gettop(t->L), top);
    mcp_buf_putc(&out, '\0');
    assert_memory_equal(out.data, "keep", 4);
    assert_string_equal(out.data + 4, expected);
    mcp_buf_free(&out);
}

static void refuses(struct test_lua *t, writer_fn *fn, const char *code,
                    const char *path, const char *message)
{
    struct mcp_buf out;
    struct mcp_value_error error = {"", ""};
    int top;

    mcp_buf_init(&out, OUT_MAX);
    mcp_buf_puts(&out, "keep");
    top = test_lua_run(t, code);
    if (fn(t->L, -1, &out, &error) != MCP_EINVAL)
        fail_msg("was written: %s", code);
    assert_string_equal(error.path, path);
    assert_string_equal(error.message, message);
    assert_int_equal(lua_gettop(t->L), top);
    assert_int_equal(out.len, 4);
    assert_false(out.failed);
    mcp_buf_free(&out);
}

struct pair {
    const char *code, *json;
};

static void writes_all(writer_fn *fn, const struct pair *pairs, size_t count)
{
    struct test_lua t;
    size_t i;

    test_lua_open(&t);
    for (i = 0; i < count; i++)
        writes(&t, fn, pairs[i].code, pairs[i].json);
    test_lua_close(&t);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void scalars_are_written_as_json(void **state)
{
    static const struct pair pairs[] = {
        {"return nil", "null"},
        {"return mcp.null", "null"},
        {"return true", "true"},
        {"return false", "false"},
        {"return 0", "0"},
        {"return -0", "0"},
        {"return 1.5", "1.5"},
        {"return -12", "-12"},
        {"return 0.1", "0.1"},
        {"return 2^53 - 1", "9007199254740991"},
        {"return 1e300", "1e+300"},
        {"return ''", "\"\""},
        {"return 'a/b \\\"\\\\ \\n\\1'", "\"a/b \\\"\\\\ \\n\\u0001\""},
        {"return 'h\xc3\xa9'", "\"h\xc3\xa9\""},
        {"return 'a\\0b'", "\"a\\u0000b\""},
    };

    (void)state;
    writes_all(write_plain, pairs, COUNT(pairs));
}

static void boxed_integers_are_written_as_digits(void **state)
{
    static const struct pair pairs[] = {
        {"return 9007199254740993LL", "9007199254740993"},
        {"return -9223372036854775807LL - 1LL", "-9223372036854775808"},
        {"return 18446744073709551615ULL", "18446744073709551615"},
        {"return {id = 0LL}", "{\"id\":0}"},
        {"return require('ffi').new('size_t', 7)", "7"},
        {"return require('ffi').new('long', -7)", "-7"},
        /* nothing of the app runs */
        {"debug.getmetatable(1LL).__tostring = error return 5LL", "5"},
    };

    (void)state;
    writes_all(write_plain, pairs, COUNT(pairs));
}

static void tables_are_arrays_or_objects_by_their_keys(void **state)
{
    static const struct pair pairs[] = {
        {"return {}", "{}"},
        {"return {1, 2, 'x'}", "[1,2,\"x\"]"},
        {"return {a = 1}", "{\"a\":1}"},
        {"return {['1'] = true}", "{\"1\":true}"},
        {"return {{}, {a = {}}}", "[{},{\"a\":{}}]"},
        {"local t = {} t[2] = 'b' t[1] = 'a' return t", "[\"a\",\"b\"]"},
        {"local t = {} t[3] = 3 t[1] = 1 t[2] = 2 return t", "[1,2,3]"},
        {"local t = {1,2,3} t[3] = nil return t", "[1,2]"},
        {"local t = {a=1} t.a = nil return t", "{}"},
        {"return {mcp.null, false}", "[null,false]"},
        {"return setmetatable({1}, {__index = error, __pairs = error,"
         " __len = error, __tostring = error})",
         "[1]"},
    };

    (void)state;
    writes_all(write_plain, pairs, COUNT(pairs));
}

static void marks_decide_about_empty_tables(void **state)
{
    static const struct pair pairs[] = {
        {"return mcp.array{}", "[]"},
        {"return mcp.array()", "[]"},
        {"return mcp.object{}", "{}"},
        {"return {a = mcp.array{}}", "{\"a\":[]}"},
        {"return mcp.array{1}", "[1]"},
        {"return mcp.object{a = 1}", "{\"a\":1}"},
        {"local t = mcp.array{1} t[1] = nil return t", "[]"},
        {"return mcp.object(mcp.array{})", "{}"},
    };

    (void)state;
    writes_all(write_plain, pairs, COUNT(pairs));
}

static void blocks_inside_data_carry_base64(void **state)
{
    static const struct pair pairs[] = {
        {"local b = mcp.image('\\255\\254', 'image/png') b.mimeType = nil"
         " b.type = nil return {x = b}",
         "{\"x\":{\"data\":\"//4=\"}}"},
        {"local b = mcp.embedded{uri = 'u:x', blob = '\\255'}"
         " b.type = nil b.resource.uri = nil return b",
         "{\"resource\":{\"blob\":\"/w==\"}}"},
        /* only there */
        {"return {data = 'x'}", "{\"data\":\"x\"}"},
    };

    (void)state;
    writes_all(write_plain, pairs, COUNT(pairs));
}

static void what_json_cannot_carry_is_refused_with_its_path(void **state)
{
    static const struct {
        const char *code, *path, *message;
    } cases[] = {
        {"return print", "", "is a function, which JSON cannot carry"},
        {"return {f = print}", "/f", "is a function, which JSON cannot carry"},
        {"return {x = 0/0}", "/x", "is NaN, which JSON cannot carry"},
        {"return {1, {y = math.huge}}", "/1/y",
         "is infinite, which JSON cannot carry"},
        {"return {-math.huge}", "/0", "is infinite, which JSON cannot carry"},
        {"return {u = io.stdout}", "/u",
         "is a userdata, which JSON cannot carry"},
        {"return {c = coroutine.create(print)}", "/c",
         "is a thread, which JSON cannot carry"},
        {"return {i = require('ffi').new('int', 1)}", "/i",
         "is a cdata, which JSON cannot carry"},
        {"return '\\255\\254'", "", "is not valid UTF-8 (byte 1)"},
        {"return {a = {'x', 'ab\\255'}}", "/a/1",
         "is not valid UTF-8 (byte 3)"},
        {"return {a = {['\\255'] = 1}}", "/a",
         "has a key that is not valid UTF-8"},
        {"return {[1] = 'a', [4000] = 'b'}", "",
         "is a list with holes: item 2 is missing"},
        {"return {x = {nil, 2}}", "/x",
         "is a list with holes: item 1 is missing"},
        {"return {1, a = 2}", "", "mixes list items and named fields"},
        {"local t = {a = 2} t[1] = 1 return t", "",
         "mixes list items and named fields"},
        {"return {[0] = 1}", "", "has the key 0; lists have 1, 2, ..."},
        {"return {[1.5] = 1}", "", "has the key 1.5; lists have 1, 2, ..."},
        {"return {[-1] = 1}", "", "has the key -1; lists have 1, 2, ..."},
        {"return {[1/0] = 1}", "", "has the key inf; lists have 1, 2, ..."},
        {"return {[true] = 1}", "", "has a key that is a boolean"},
        {"return {a = {[print] = 1}}", "/a", "has a key that is a function"},
        {"return {['a/b~c'] = {print}}", "/a~1b~0c/0",
         "is a function, which JSON cannot carry"},
        {"local t = mcp.array{} t.a = 1 return t", "",
         "is marked as an array, but has named fields"},
        {"return mcp.object{1}", "", "is marked as an object, but has items"},
    };
    struct test_lua t;
    size_t i;

    (void)state;
    test_lua_open(&t);
    for (i = 0; i < COUNT(cases); i++)
        refuses(&t, write_plain, cases[i].code, cases[i].path,
                cases[i].message);
    test_lua_close(&t);
}

#define ITSELF                                                                 \
    "is one of the tables that it is in; a table must not contain itself"

static void a_circle_is_refused_in_bounded_time(void **state)
{
    struct test_lua t;
    struct mcp_buf out;
    struct mcp_value_error error;

    (void)state;
    test_lua_open(&t);
    mcp_buf_init(&out, OUT_MAX);
    test_lua_run(&t, "local t = {} t.self = t return t");
    assert_int_equal(write_plain(t.L, -1, &out, &error), MCP_EINVAL);
    assert_string_equal(error.message, ITSELF);
    assert_string_equal(error.path, "/self");
    test_lua_run(&t, "local t = {list = {{}, {}}} t.list[2].up = t.list "
                     "return t");
    assert_int_equal(write_plain(t.L, -1, &out, &error), MCP_EINVAL);
    assert_string_equal(error.message, ITSELF);
    assert_string_equal(error.path, "/list/1/up");
    /* deep first, then a circle of two */
    test_lua_run(&t, "local a, b = {}, {} a.b, b.a = b, a "
                     "return {x = {y = {z = a}}}");
    assert_int_equal(write_plain(t.L, -1, &out, &error), MCP_EINVAL);
    assert_string_equal(error.message, ITSELF);
    assert_string_equal(error.path, "/x/y/z/b/a");
    /* 2^64 ways through it, but the buffer ends */
    test_lua_run(&t, "local t = {} for _ = 1, 62 do t = {t, t} end return t");
    assert_int_equal(write_plain(t.L, -1, &out, &error), MCP_ENOMEM);
    assert_int_equal(out.len, 0);
    assert_false(out.failed);
    mcp_buf_free(&out);
    test_lua_close(&t);
}

static void depth_64_is_written_and_65_refused(void **state)
{
    char json[200] = "";
    struct test_lua t;
    int i;

    (void)state;
    for (i = 0; i < 128; i++)
        json[i] = i < 64 ? '[' : ']';
    json[63] = '{';
    json[64] = '}';
    test_lua_open(&t);
    writes(&t, write_plain,
           "local t = {} for _ = 1, 63 do t = {t} end return t", json);
    refuses(&t, write_plain,
            "local t = {} for _ = 1, 64 do t = {t} end return t",
            "/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0"
            "/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0",
            "is nested more than 64 deep");
    test_lua_close(&t);
}

static void a_full_buffer_keeps_what_it_had(void **state)
{
    struct test_lua t;
    struct mcp_buf out;
    struct mcp_value_error error;

    (void)state;
    test_lua_open(&t);
    test_lua_run(&t, "return {'abcdef', 1}"); /* ["abcdef",1] has 12 bytes */
    mcp_buf_init(&out, 13);
    mcp_buf_putc(&out, '>');
    assert_int_equal(write_plain(t.L, 1, &out, &error), MCP_OK);
    assert_int_equal(out.len, 13);
    mcp_buf_free(&out);
    mcp_buf_init(&out, 12);
    mcp_buf_putc(&out, '>');
    assert_int_equal(write_plain(t.L, 1, &out, &error), MCP_ENOMEM);
    assert_string_equal(error.path, "");
    assert_string_equal(error.message, "is too large");
    assert_int_equal(out.len, 1);
    mcp_buf_putc(&out, '<');
    assert_false(out.failed);
    mcp_buf_free(&out);
    test_lua_close(&t);
}

static void a_long_path_is_cut_between_characters(void **state)
{
    struct test_lua t;
    struct mcp_buf out;
    struct mcp_value_error error;
    size_t len;

    (void)state;
    test_lua_open(&t);
    mcp_buf_init(&out, OUT_MAX);
    for (len = 240; len < 256; len++) {
        char code[200];

        (void)snprintf(code, sizeof(code),
                       "return {[('x'):rep(%zu) .. ('\xc3\xa9'):rep(20)] ="
                       " print}",
                       len);
        test_lua_run(&t, code);
        assert_int_equal(write_plain(t.L, 1, &out, &error), MCP_EINVAL);
        assert_true(mcp_utf8_valid(error.path, strlen(error.path), NULL));
        assert_true(strlen(error.path) > 245);
        assert_string_equal(error.path + strlen(error.path) - 3, "...");
    }
    mcp_buf_free(&out);
    test_lua_close(&t);
}

/* ---- the shape ---- */

static void the_shape_decides_about_empty_tables(void **state)
{
    static const struct {
        const char *shape, *code, *json;
    } cases[] = {
        {"{\"type\":\"array\"}", "return {}", "[]"},
        {"{\"type\":\"object\"}", "return {}", "{}"},
        {"{\"type\":[\"array\",\"null\"]}", "return {}", "[]"},
        {"{\"type\":[\"array\",\"object\"]}", "return {}", "{}"},
        {"{\"items\":{}}", "return {}", "[]"},
        {"{}", "return {}", "{}"},
        {"true", "return {}", "{}"},
        {"{\"type\":\"array\"}", "return mcp.object{}", "{}"},
        {"{\"type\":\"object\"}", "return mcp.array{}", "[]"},
        {"{\"properties\":{\"a\":{\"type\":\"array\"}}}", "return {a = {}}",
         "{\"a\":[]}"},
        {"{\"properties\":{\"a\":{\"type\":\"array\"}}}", "return {b = {}}",
         "{\"b\":{}}"},
        {"{\"additionalProperties\":{\"type\":\"array\"}}", "return {b = {}}",
         "{\"b\":[]}"},
        {"{\"type\":\"array\",\"items\":{\"type\":\"array\"}}",
         "return {{}, {{}}}", "[[],[{}]]"},
        {"{\"prefixItems\":[{\"type\":\"array\"}],\"items\":{}}",
         "return {{}, {}}", "[[],{}]"},
        {"{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"properties\":{\"kids\":{"
         "\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/n\"}}}}}}",
         "return {kids = {{kids = {}}, {}}}", "{\"kids\":[{\"kids\":[]},{}]}"},
        {"{\"$ref\":\"#\"}", "return {}", "{}"},
        {"{\"$ref\":\"#/$defs/none\"}", "return {}", "{}"},
    };
    struct mcp_arena *a = NULL;
    struct mcp_value_error error;
    struct mcp_buf out;
    struct test_lua t;
    size_t i;

    (void)state;
    test_lua_open(&t);
    mcp_buf_init(&out, OUT_MAX);
    for (i = 0; i < COUNT(cases); i++) {
        mcp_buf_clear(&out);
        test_lua_run(&t, cases[i].code);
        assert_int_equal(mcp_value_write(t.L, 1, &out,
                                         test_json(&a, cases[i].shape), &error),
                         MCP_OK);
        mcp_buf_putc(&out, '\0');
        assert_string_equal(out.data, cases[i].json);
    }
    mcp_buf_free(&out);
    mcp_arena_free(a);
    test_lua_close(&t);
}

/* ---- sorted and schemas ---- */

static void sorted_objects_have_byte_order(void **state)
{
    static const struct pair pairs[] = {
        {"return {b = 1, a = 2, ab = 3, [''] = 4}",
         "{\"\":4,\"a\":2,\"ab\":3,\"b\":1}"},
        {"return {{z = {y = 1, x = {}}, a = true}}",
         "[{\"a\":true,\"z\":{\"x\":{},\"y\":1}}]"},
        {"return {type = 1, title = 2, B = 3}",
         "{\"B\":3,\"title\":2,\"type\":1}"},
        {"return 5", "5"},
    };

    (void)state;
    writes_all(mcp_value_write_sorted, pairs, COUNT(pairs));
}

static void schemas_have_the_order_of_the_api(void **state)
{
    static const struct pair pairs[] = {
        {"return {required = {'b'}, properties = {b = {minimum = 1,"
         " type = 'number', description = 'd'}, a = {}},"
         " description = 'd', title = 't', ['$id'] = 'i', ['$schema'] = 's',"
         " additionalProperties = false, type = 'object', ['$defs'] = {}}",
         "{\"$schema\":\"s\",\"$id\":\"i\",\"type\":\"object\",\"title\":\"t\","
         "\"description\":\"d\",\"properties\":{\"a\":{},\"b\":{\"type\":"
         "\"number\",\"description\":\"d\",\"minimum\":1}},\"required\":"
         "[\"b\"],\"$defs\":{},\"additionalProperties\":false}"},
        /* names of properties are no keywords */
        {"return {properties = {type = {type = 'string'}, properties = {"
         "properties = {}}, aa = {}}}",
         "{\"properties\":{\"aa\":{},\"properties\":{\"properties\":{}},"
         "\"type\":{\"type\":\"string\"}}}"},
        /* a list of pairs keeps its order */
        {"return {properties = {{'units', {type = 'string'}}, {'city', true},"
         " {'a', {}}}}",
         "{\"properties\":{\"units\":{\"type\":\"string\"},\"city\":true,"
         "\"a\":{}}}"},
        {"return {items = {properties = {{'b', {}}, {'a', {}}}}}",
         "{\"items\":{\"properties\":{\"b\":{},\"a\":{}}}}"},
        {"return {anyOf = {{properties = {{'b', {}}, {'a', {}}}}}}",
         "{\"anyOf\":[{\"properties\":{\"b\":{},\"a\":{}}}]}"},
        {"return {['$defs'] = {x = {properties = {{'b', {}}, {'a', {}}}}}}",
         "{\"$defs\":{\"x\":{\"properties\":{\"b\":{},\"a\":{}}}}}"},
        /* empty tables are what the keyword wants */
        {"return {required = {}}", "{\"required\":[]}"},
        {"return {enum = {}}", "{\"enum\":[]}"},
        {"return {items = {}}", "{\"items\":{}}"},
        {"return {prefixItems = {}}", "{\"prefixItems\":[]}"},
        {"return {properties = {}}", "{\"properties\":{}}"},
        {"return {dependentRequired = {a = {}}}",
         "{\"dependentRequired\":{\"a\":[]}}"},
        {"return {default = {}, type = 'object'}",
         "{\"type\":\"object\",\"default\":{}}"},
        {"return {default = {}}", "{\"default\":{}}"},
        {"return {default = {}, type = 'array'}",
         "{\"type\":\"array\",\"default\":[]}"},
        {"return {const = {}, type = 'array'}",
         "{\"type\":\"array\",\"const\":[]}"},
        {"return {examples = {{}}, type = 'array'}",
         "{\"type\":\"array\",\"examples\":[[]]}"},
        {"return {examples = {{}}}", "{\"examples\":[{}]}"},
        {"return {default = mcp.null}", "{\"default\":null}"},
        {"return true", "true"},
    };

    (void)state;
    writes_all(mcp_value_write_schema, pairs, COUNT(pairs));
}

static void wrong_schemas_are_refused(void **state)
{
    struct test_lua t;

    (void)state;
    test_lua_open(&t);
    refuses(&t, mcp_value_write_schema, "return {properties = {{'a'}}}",
            "/properties/0", "is not a pair { name, schema }");
    refuses(&t, mcp_value_write_schema, "return {properties = {'a'}}",
            "/properties/0", "is not a pair { name, schema }");
    refuses(&t, mcp_value_write_schema,
            "return {properties = {{'a', {}}, {'b', {}}, {'a', {}}}}",
            "/properties/2", "repeats a name");
    refuses(&t, mcp_value_write_schema,
            "return {properties = {{'a', {default = print}}}}",
            "/properties/a/default", "is a function, which JSON cannot carry");
    refuses(&t, mcp_value_write_sorted, "return {a = {b = 0/0}}", "/a/b",
            "is NaN, which JSON cannot carry");
    test_lua_close(&t);
}

static void sorted_text_is_the_same_in_every_state(void **state)
{
    static const char code[] =
        "local t, n = {}, ... for i = 1, 300 do local k = i * 7919 % 301"
        " t['k' .. k] = {v = k, [tostring(k)] = true} end return t";
    struct mcp_value_error error;
    struct mcp_buf first, out;
    int i;

    (void)state;
    mcp_buf_init(&first, OUT_MAX);
    mcp_buf_init(&out, OUT_MAX);
    for (i = 0; i < 5; i++) {
        struct test_lua t;

        test_lua_open(&t);
        test_lua_run(&t, code);
        mcp_buf_clear(&out);
        assert_int_equal(mcp_value_write_sorted(t.L, 1, &out, &error), MCP_OK);
        if (i == 0)
            mcp_buf_add(&first, out.data, out.len);
        assert_int_equal(out.len, first.len);
        assert_memory_equal(out.data, first.data, first.len);
        test_lua_close(&t);
    }
    mcp_buf_free(&first);
    mcp_buf_free(&out);
}

/* ---- pushing ---- */

static void a_tree_is_pushed_and_written_back(void **state)
{
    static const char *const texts[] = {
        "null",
        "true",
        "false",
        "-1.5",
        "\"\"",
        "\"a\\u0000b\\n\"",
        "[]",
        "{}",
        "[[],{}]",
        "[1,[2,[3]],null,false]",
        "{\"a\":[{\"b\":[]}]}",
    };
    struct mcp_arena *a = NULL;
    struct mcp_value_error error;
    struct mcp_buf out;
    struct test_lua t;
    size_t i;

    (void)state;
    test_lua_open(&t);
    mcp_buf_init(&out, OUT_MAX);
    for (i = 0; i < COUNT(texts); i++) {
        mcp_buf_clear(&out);
        lua_settop(t.L, 0);
        mcp_value_push(t.L, test_json(&a, texts[i]));
        assert_int_equal(lua_gettop(t.L), 1);
        assert_int_equal(write_plain(t.L, 1, &out, &error), MCP_OK);
        mcp_buf_putc(&out, '\0');
        assert_string_equal(out.data, texts[i]);
    }
    mcp_value_push(t.L, NULL);
    assert_true(lua_isnil(t.L, -1));
    mcp_buf_free(&out);
    mcp_arena_free(a);
    test_lua_close(&t);
}

static void lua_sees_what_json_said(void **state)
{
    struct mcp_arena *a = NULL;
    struct test_lua t;

    (void)state;
    test_lua_open(&t);
    mcp_value_push(t.L, test_json(&a, "{\"n\":1e2,\"s\":\"\\u00e9\",\"l\":[1,"
                                      "null],\"o\":{\"k\":false}}"));
    lua_setglobal(t.L, "v");
    test_lua_run(&t, "assert(v.n == 100) assert(v.s == '\xc3\xa9')"
                     "assert(#v.l == 2 and v.l[2] == mcp.null)"
                     "assert(mcp.is_null(v.l[2]) and not mcp.is_null(v.l[1]))"
                     "assert(not mcp.is_null(nil))"
                     "assert(v.o.k == false) assert(v.none == nil)"
                     "assert(getmetatable(v) == nil)");
    mcp_arena_free(a);
    test_lua_close(&t);
}

/* In protected mode: pushes the tree given as light userdata. */
static int push_protected(lua_State *L)
{
    mcp_value_push(L, lua_touserdata(L, 1));
    return 1;
}

static void every_refused_allocation_leaves_no_leak(void **state)
{
    struct mcp_arena *a = NULL;
    const struct mcp_json *v =
        test_json(&a, "{\"list\":[[1,2],{\"a new key\":\"a new string\"}],"
                      "\"k1\":1,\"k2\":{\"k3\":[]}}");
    size_t n, refused = 1;

    (void)state;
    for (n = 1; refused > 0; n++) {
        struct test_lua t;
        int status;

        test_lua_open(&t);
        lua_pushcfunction(t.L, push_protected);
        lua_pushlightuserdata(t.L, (void *)(uintptr_t)v);
        t.refuse_at = t.allocations + n;
        status = lua_pcall(t.L, 1, 1, 0);
        refused = t.refused;
        t.refuse_at = 0;
        assert_int_equal(status, refused > 0 ? LUA_ERRMEM : 0);
        test_lua_close(&t);
    }
    assert_true(n > 10);
    mcp_arena_free(a);
}

static void writing_takes_no_lua_memory(void **state)
{
    static writer_fn *const writers[] = {write_plain, mcp_value_write_sorted,
                                         mcp_value_write_schema};
    struct mcp_value_error error;
    struct mcp_buf out;
    struct test_lua t;
    size_t i, before;

    (void)state;
    test_lua_open(&t);
    mcp_buf_init(&out, OUT_MAX);
    test_lua_run(&t, "return {a = {1, 2.5, 'x', 3LL}, b = mcp.array{},"
                     " c = {d = {e = {}}}, f = print}");
    luaL_checkstack(t.L, 1000, "");
    before = t.allocations;
    for (i = 0; i < COUNT(writers); i++)
        assert_int_equal(writers[i](t.L, 1, &out, &error), MCP_EINVAL);
    assert_int_equal(t.allocations, before);
    mcp_buf_free(&out);
    test_lua_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_written_as_json),
        cmocka_unit_test(boxed_integers_are_written_as_digits),
        cmocka_unit_test(tables_are_arrays_or_objects_by_their_keys),
        cmocka_unit_test(marks_decide_about_empty_tables),
        cmocka_unit_test(blocks_inside_data_carry_base64),
        cmocka_unit_test(what_json_cannot_carry_is_refused_with_its_path),
        cmocka_unit_test(a_circle_is_refused_in_bounded_time),
        cmocka_unit_test(depth_64_is_written_and_65_refused),
        cmocka_unit_test(a_full_buffer_keeps_what_it_had),
        cmocka_unit_test(a_long_path_is_cut_between_characters),
        cmocka_unit_test(the_shape_decides_about_empty_tables),
        cmocka_unit_test(sorted_objects_have_byte_order),
        cmocka_unit_test(schemas_have_the_order_of_the_api),
        cmocka_unit_test(wrong_schemas_are_refused),
        cmocka_unit_test(sorted_text_is_the_same_in_every_state),
        cmocka_unit_test(a_tree_is_pushed_and_written_back),
        cmocka_unit_test(lua_sees_what_json_said),
        cmocka_unit_test(every_refused_allocation_leaves_no_leak),
        cmocka_unit_test(writing_takes_no_lua_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
