/* Mirrors src/app/declare.c: mcp.core as lua/mcp calls it. */
#include "app/declare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lualib.h>

#include "app/host.h"
#include "app/registry.h"
#include "app/sources.h"
#include "app/value.h"

/* One state that loads, with `core` as a global. */
struct bench {
    struct mcp_host host;
    struct mcp_load load;
    lua_State *L;
};

static void *plain_alloc(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    (void)ud;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

/* A bench that fills `builder` or follows `follow`. */
static struct bench *bench_open(struct mcp_builder *builder,
                                const struct mcp_generation *follow)
{
    struct bench *t = calloc(1, sizeof(*t));

    assert_non_null(t);
    t->load.builder = builder;
    t->load.follow = follow;
    if (follow != NULL) {
        t->load.seen_count = follow->tool_count;
        t->load.seen = calloc(follow->tool_count + 1, 1);
    }
    t->host.load = &t->load;
    t->host.sources = mcp_sources_new();
    t->L = lua_newstate(plain_alloc, &t->host);
    assert_non_null(t->L);
    luaL_openlibs(t->L);
    mcp_value_open(t->L);
    lua_newtable(t->L);
    mcp_declare_open(t->L);
    lua_setglobal(t->L, "core");
    return t;
}

static void bench_close(struct bench *t)
{
    lua_close(t->L);
    mcp_sources_free(t->host.sources);
    free(t->load.seen);
    free(t);
}

static struct mcp_builder *new_builder(void)
{
    struct mcp_builder *b = mcp_builder_new(mcp_config_new());

    assert_non_null(b);
    return b;
}

/* Runs `code`, whose results are told as one text: "true", "nil|message". The
 * text lives until the next run. */
static const char *run(struct bench *t, const char *code)
{
    static char text[2048];
    int count;

    text[0] = '\0';
    lua_settop(t->L, 0);
    if (luaL_loadstring(t->L, code) != 0 ||
        lua_pcall(t->L, 0, LUA_MULTRET, 0) != 0) {
        snprintf(text, sizeof(text), "raised %s", lua_tostring(t->L, -1));
        return text;
    }
    count = lua_gettop(t->L);
    for (int i = 1; i <= count; i++) {
        size_t len = strlen(text);

        lua_getglobal(t->L, "tostring");
        lua_pushvalue(t->L, i);
        lua_call(t->L, 1, 1);
        snprintf(text + len, sizeof(text) - len, "%s%s", i == 1 ? "" : "|",
                 lua_tostring(t->L, -1));
        lua_pop(t->L, 1);
    }
    return text;
}

static const char add_both[] =
    "assert(core.add_tool{name='one', binds={'a','ctx','args'},"
    "  input_schema='{\"properties\":{\"a\":{}}}', title='T', timeout=2,"
    "  file='app.lua', line=4, handler=function() return 'h1' end})"
    "assert(core.add_tool{name='two', binds={}, input_schema='{}',"
    "  handler=function() return 'h2' end}) return core.tool_count()";

/* Calls the handler kept at `index`; what it returns is told. */
static const char *call_kept(struct bench *t, int index)
{
    lua_settop(t->L, 0);
    lua_rawgeti(t->L, LUA_REGISTRYINDEX, MCP_REF_HANDLERS);
    lua_rawgeti(t->L, -1, index);
    lua_call(t->L, 0, 1);
    return lua_tostring(t->L, -1);
}

static void add_tool_fills_the_builder_and_keeps_the_handler(void **state)
{
    struct mcp_builder *b = new_builder();
    struct bench *t = bench_open(b, NULL);
    const struct mcp_tool *tool;

    (void)state;
    assert_string_equal(run(t, add_both), "2");
    tool = &mcp_builder_view(b)->tools[0];
    assert_string_equal(tool->name, "one");
    assert_string_equal(tool->title, "T");
    assert_string_equal(tool->file, "app.lua");
    assert_int_equal(tool->line, 4);
    assert_true(tool->handler.timeout_s == 2);
    assert_int_equal(tool->handler.bind_count, 3);
    assert_int_equal(tool->handler.binds[0].kind, MCP_BIND_ARGUMENT);
    assert_int_equal(tool->handler.binds[1].kind, MCP_BIND_CTX);
    assert_int_equal(tool->handler.binds[2].kind, MCP_BIND_ARGS);
    assert_string_equal(call_kept(t, 1), "h1");
    assert_string_equal(call_kept(t, 2), "h2");
    bench_close(t);
    mcp_builder_free(b);
}

static void add_tool_tells_why_it_refuses(void **state)
{
    struct mcp_builder *b = new_builder();
    struct bench *t = bench_open(b, NULL);

    (void)state;
    assert_string_equal(
        run(t, "return core.add_tool{name='', binds={}, input_schema='{}'}"),
        "nil|the tool's name is empty");
    assert_string_equal(run(t, "return core.add_tool{name='a\\0b', binds={}, "
                               "input_schema='{}'}"),
                        "raised name has a NUL character inside");
    assert_string_equal(run(t, "return core.add_tool{binds={}}"),
                        "raised add_tool needs a name");
    assert_string_equal(run(t, "return core.add_tool{name='a', binds={}}"),
                        "raised add_tool needs an input schema");
    assert_int_equal(mcp_builder_view(b)->tool_count, 0);
    bench_close(t);
    mcp_builder_free(b);
}

static void a_follow_load_finds_its_tools_by_name(void **state)
{
    struct mcp_builder *b = new_builder();
    struct bench *first = bench_open(b, NULL), *t;
    char message[256];

    (void)state;
    assert_string_equal(run(first, add_both), "2");
    t = bench_open(NULL, mcp_builder_view(b));
    assert_string_equal(run(t, "return core.following(), core.tool_count()"),
                        "true|0");
    assert_string_equal(
        run(t, "return core.add_tool{name='two', binds={},"
               "  handler=function() return 'n2' end}, core.tool_count()"),
        "true|1");
    assert_string_equal(call_kept(t, 2), "n2");
    assert_string_equal(
        mcp_declare_missing(&t->load, message, sizeof(message)),
        "tool \"one\" was declared when the app was loaded the first time, and "
        "not now; an app must declare the same each time");
    assert_string_equal(
        run(t, "return core.add_tool{name='one', binds={'a','ctx','args'},"
               "  handler=function() return 'n1' end}"),
        "true");
    assert_string_equal(call_kept(t, 1), "n1");
    assert_null(mcp_declare_missing(&t->load, message, sizeof(message)));
    bench_close(t);
    bench_close(first);
    mcp_builder_free(b);
}

static void a_follow_load_refuses_what_differs(void **state)
{
    struct mcp_builder *b = new_builder();
    struct bench *first = bench_open(b, NULL), *t;

    (void)state;
    assert_string_equal(run(first, add_both), "2");
    t = bench_open(NULL, mcp_builder_view(b));
    assert_string_equal(
        run(t, "return core.add_tool{name='three', binds={}}"),
        "nil|tool \"three\" was not declared when the app was loaded the first "
        "time; an app must declare the same each time");
    assert_string_equal(
        run(t, "return core.add_tool{name='two', binds={'a'}}"),
        "nil|tool \"two\" had other parameters when the app was loaded the "
        "first time; an app must declare the same each time");
    assert_string_equal(run(t, "core.add_tool{name='two', binds={}}"
                               "return core.add_tool{name='two', binds={}}"),
                        "nil|tool \"two\" is declared twice");
    bench_close(t);
    bench_close(first);
    mcp_builder_free(b);
}

static void nothing_is_declared_inside_a_call(void **state)
{
    struct bench *t = bench_open(NULL, NULL);

    (void)state;
    t->host.load = NULL;
    assert_string_equal(run(t, "return core.loading()"), "false");
    assert_string_equal(
        run(t, "return core.add_tool{}"),
        "raised the app is loaded: nothing can be declared any more");
    assert_string_equal(
        run(t, "return core.set_option('name', 'x')"),
        "raised the app is loaded: nothing can be declared any more");
    t->host.load = &t->load;
    assert_string_equal(run(t, "return core.loading()"), "true");
    bench_close(t);
}

static void options_of_the_app_reach_the_config(void **state)
{
    struct mcp_builder *b = new_builder();
    struct bench *t = bench_open(b, NULL);

    (void)state;
    assert_string_equal(run(t, "return core.set_option('name', 'coffee'),"
                               "  core.extra_arguments(),"
                               "  core.set_option('extra_arguments', 'allow'),"
                               "  core.extra_arguments()"),
                        "true|false|true|true");
    assert_string_equal(mcp_builder_config(b)->name, "coffee");
    assert_memory_equal(run(t, "return core.set_option('port', 'x')"), "nil|",
                        4);
    assert_memory_equal(run(t, "return core.set_option('nmae', 'x')"), "nil|",
                        4);
    assert_string_equal(run(t, "return core.set_option('name', 'a\\0b')"),
                        "nil|the value has a NUL character inside");
    bench_close(t);
    mcp_builder_free(b);
}

static void a_follow_load_changes_no_option(void **state)
{
    struct mcp_builder *b = new_builder();
    struct bench *t = bench_open(NULL, mcp_builder_view(b));

    (void)state;
    assert_string_equal(run(t, "return core.set_option('name', 'coffee')"),
                        "true");
    assert_null(mcp_builder_config(b)->name);
    bench_close(t);
    mcp_builder_free(b);
}

static void option_names_are_those_an_app_may_set(void **state)
{
    struct bench *t = bench_open(NULL, NULL);

    (void)state;
    assert_string_equal(
        run(t, "local names, kinds = core.option_names() local stdio "
               "for i, n in ipairs(names) do stdio = stdio or n == 'stdio' "
               "  assert(kinds[n]) end "
               "return stdio, kinds.name, kinds.port, kinds.call_timeout,"
               "  kinds.memory_limit, kinds.assert_format,"
               "  kinds.allowed_hosts, kinds.extra_arguments"),
        "false|text|count|seconds|bytes|boolean|list|word");
    bench_close(t);
}

static void suggest_gives_the_nearest_name(void **state)
{
    struct bench *t = bench_open(NULL, NULL);

    (void)state;
    assert_string_equal(
        run(t, "return core.suggest('titel', {'name', 'title', 7}),"
               "  core.suggest('zzzzz', {'name'}), core.suggest('x', {})"),
        "title|nil|nil");
    bench_close(t);
}

static void values_are_encoded_or_refused_with_their_path(void **state)
{
    struct bench *t = bench_open(NULL, NULL);

    (void)state;
    assert_string_equal(run(t, "return core.encode{1, 2}"), "[1,2]");
    assert_string_equal(
        run(t, "return core.encode_sorted{b = 1, a = {d = 2, c = 3}}"),
        "{\"a\":{\"c\":3,\"d\":2},\"b\":1}");
    assert_string_equal(
        run(t, "return core.encode_schema{required={'b'}, minimum=1,"
               "  properties={{'b', {description='d', type='string'}},"
               "  {'a', {}}}, type='object'}"),
        "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"string\","
        "\"description\":\"d\"},\"a\":{}},\"required\":[\"b\"],"
        "\"minimum\":1}");
    assert_memory_equal(run(t, "return core.encode{a = {print}}"), "nil|/a/0|",
                        9);
    assert_memory_equal(run(t, "return core.encode_sorted(print)"), "nil||", 5);
    bench_close(t);
}

/* A file in the build folder with this text; its path is told. */
static const char *write_file(const char *text)
{
    static char name[] = MCP_BINARY_DIR "/declare_test_XXXXXX";
    int fd;

    memcpy(name + sizeof(name) - 7, "XXXXXX", 6);
    fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return name;
}

static void schema_files_are_read_beside_the_script(void **state)
{
    const char *path =
        write_file("{\n  \"type\": \"object\",\n  \"minProperties\": 1\n}\n");
    struct mcp_builder *b = new_builder();
    struct bench *t = bench_open(b, NULL);
    const struct mcp_tool *tool;
    char code[1024];

    (void)state;
    t->load.folder = MCP_BINARY_DIR;
    snprintf(code, sizeof(code),
             "return core.add_tool{name='a', binds={'args'}, "
             "input_schema_file='%s', output_schema_file='%s'}",
             strrchr(path, '/') + 1, path);
    assert_string_equal(run(t, code), "true");
    tool = &mcp_builder_view(b)->tools[0];
    assert_string_equal(tool->input_schema,
                        "{\"type\":\"object\",\"minProperties\":1}");
    assert_string_equal(tool->output_schema, tool->input_schema);
    unlink(path);
    assert_string_equal(run(t, "return core.add_tool{name='b', binds={},"
                               "  input_schema_file='declare_test_none.json'}"),
                        "nil|cannot read \"" MCP_BINARY_DIR
                        "/declare_test_none.json\": No such "
                        "file or directory");
    assert_string_equal(run(t, "return core.add_tool{name='b', binds={},"
                               "  input_schema_file='.'}"),
                        "nil|cannot read \"" MCP_BINARY_DIR "/.\": not a "
                        "regular file");
    bench_close(t);
    mcp_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_tool_fills_the_builder_and_keeps_the_handler),
        cmocka_unit_test(add_tool_tells_why_it_refuses),
        cmocka_unit_test(a_follow_load_finds_its_tools_by_name),
        cmocka_unit_test(a_follow_load_refuses_what_differs),
        cmocka_unit_test(nothing_is_declared_inside_a_call),
        cmocka_unit_test(options_of_the_app_reach_the_config),
        cmocka_unit_test(a_follow_load_changes_no_option),
        cmocka_unit_test(option_names_are_those_an_app_may_set),
        cmocka_unit_test(suggest_gives_the_nearest_name),
        cmocka_unit_test(values_are_encoded_or_refused_with_their_path),
        cmocka_unit_test(schema_files_are_read_beside_the_script),
    };

    return cmocka_run_group_tests_name("app/declare", tests, NULL, NULL);
}
