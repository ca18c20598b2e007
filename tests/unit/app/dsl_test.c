/* dsl_test.c - lua/mcp in the real host: what an app's text becomes */
#include "app_bench.h"

/* Opens an app that must load. */
static void open_app(struct bench *b, const char *source)
{
    bench_open(b, source);
    if (b->err != MCP_OK)
        fail_msg("refused: %s", b->message);
}

/* The app must be refused, and the message end in `expected`. */
static void refuses(const char *source, const char *expected)
{
    struct bench b;
    size_t len, wanted = strlen(expected);

    bench_make(&b);
    bench_open(&b, source);
    assert_int_equal(b.err, MCP_EINVAL);
    len = strlen(b.message);
    if (len < wanted || strcmp(b.message + len - wanted, expected) != 0)
        fail_msg("expected \"...%s\", got \"%s\"", expected, b.message);
    bench_close(&b);
}

static const struct mcp_tool *tool(const struct mcp_generation *gen,
                                   const char *name)
{
    const struct mcp_tool *found =
        mcp_generation_find_tool(gen, name, strlen(name));

    assert_non_null(found);
    return found;
}

static void comments_become_schemas(void **state)
{
    const struct mcp_generation *gen;
    const struct mcp_tool *add;
    struct bench b;

    (void)state;
    bench_make(&b);
    open_app(&b,
             "local mcp = require 'mcp'\n"
             "\n"
             "--- Add two numbers.\n"
             "---@param a number First addend\n"
             "---@param b? number\n"
             "---@return { sum: number }\n"
             "mcp.tool('add', function(a, b) return { sum = a + b } end)\n");
    gen = mcp_app_acquire(b.app);
    add = tool(gen, "add");
    assert_string_equal(add->description, "Add two numbers.");
    assert_string_equal(
        add->input_schema,
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\","
        "\"description\":\"First addend\"},\"b\":{\"type\":\"number\"}},"
        "\"required\":[\"a\"],\"additionalProperties\":false}");
    assert_string_equal(add->output_schema,
                        "{\"type\":\"object\",\"properties\":{\"sum\":{"
                        "\"type\":\"number\"}},\"required\":[\"sum\"],"
                        "\"additionalProperties\":false}");
    assert_int_equal(add->line, 7);
    expect(&b, "add", "{\"a\":1,\"b\":41}", false, "{\\\"sum\\\":42}");
    mcp_generation_release(gen);
    bench_close(&b);
}

static void types_of_a_required_module_are_known(void **state)
{
    const struct mcp_generation *gen;
    struct bench b;

    (void)state;
    bench_make(&b);
    write_file(&b, "shapes.lua",
               "---@class Shape\n---@field kind \"round\"|\"square\"\n"
               "---@field inner? Shape\n"
               "return {}\n");
    write_file(&b, "tools.lua",
               "local mcp = require 'mcp'\n"
               "return mcp.tool('tail',\n"
               "  --- From the function's own line.\n"
               "  function() return 'tail' end)\n");
    open_app(&b, "local mcp = require 'mcp'\n"
                 "require 'shapes'\n"
                 "require 'tools'\n"
                 "---@param shape Shape\n"
                 "mcp.tool('area', function(shape) return shape.kind end)\n");
    gen = mcp_app_acquire(b.app);
    assert_string_equal(
        tool(gen, "area")->input_schema,
        "{\"type\":\"object\",\"properties\":{\"shape\":{\"$ref\":"
        "\"#/$defs/Shape\"}},\"required\":[\"shape\"],\"$defs\":{\"Shape\":{"
        "\"type\":\"object\",\"properties\":{\"kind\":{\"type\":\"string\","
        "\"enum\":[\"round\",\"square\"]},\"inner\":{\"$ref\":"
        "\"#/$defs/Shape\"}},\"required\":[\"kind\"],"
        "\"additionalProperties\":false}},\"additionalProperties\":false}");
    assert_string_equal(tool(gen, "tail")->description,
                        "From the function's own line.");
    assert_int_equal(tool(gen, "tail")->line, 4);
    expect(&b, "area", "{\"shape\":{\"kind\":\"round\"}}", false, "round");
    mcp_generation_release(gen);
    bench_close(&b);
}

static void the_builder_writes_what_it_says(void **state)
{
    const struct mcp_generation *gen;
    struct bench b;

    (void)state;
    bench_make(&b);
    open_app(
        &b,
        "local mcp = require 'mcp' local t = mcp.types\n"
        "mcp.tool { name = 'w', read_only = true,\n"
        "  annotations = { openWorldHint = true },\n"
        "  input = {\n"
        "    { 'place', t.string { description = 'City', min_length = 1 } },\n"
        "    { 'units', t.enum { 'c', 'f', default = 'c' } },\n"
        "    { 'tags', t.array { t.string(), default = {} } },\n"
        "    { 'extra', t.object { default = mcp.null } },\n"
        "    { 'any', t.optional(t.any()) } },\n"
        "  output = { { 'n', t.integer { examples = { 1 } } } },\n"
        "  handler = function(units, ctx) return { n = #units } end }\n"
        "mcp.tool('none', function() end)\n");
    gen = mcp_app_acquire(b.app);
    assert_string_equal(tool(gen, "w")->annotations,
                        "{\"openWorldHint\":true,\"readOnlyHint\":true}");
    assert_string_equal(
        tool(gen, "w")->input_schema,
        "{\"type\":\"object\",\"properties\":{"
        "\"place\":{\"type\":\"string\",\"description\":\"City\","
        "\"minLength\":1},"
        "\"units\":{\"type\":\"string\",\"default\":\"c\",\"enum\":[\"c\","
        "\"f\"]},"
        "\"tags\":{\"type\":\"array\",\"default\":[],\"items\":{\"type\":"
        "\"string\"}},"
        "\"extra\":{\"type\":\"object\",\"properties\":{},"
        "\"additionalProperties\":false,\"default\":null},"
        "\"any\":{}},\"required\":[\"place\"],\"additionalProperties\":false}");
    assert_string_equal(tool(gen, "w")->output_schema,
                        "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
                        "\"integer\",\"examples\":[1]}},\"required\":[\"n\"],"
                        "\"additionalProperties\":false}");
    assert_string_equal(tool(gen, "none")->input_schema,
                        "{\"type\":\"object\",\"properties\":{},"
                        "\"additionalProperties\":false}");
    mcp_generation_release(gen);
    bench_close(&b);
}

static void server_fields_reach_the_config(void **state)
{
    const struct mcp_generation *gen;
    struct bench b;

    (void)state;
    bench_make(&b);
    open_app(&b, "local mcp = require 'mcp'\n"
                 "mcp.server { name = 'coffee', version = '1.2.0',\n"
                 "  call_timeout = 1.5, memory_limit = '32 MiB',\n"
                 "  allowed_hosts = { 'a.example', 'b.example' },\n"
                 "  extra_arguments = 'allow', expose_errors = false,\n"
                 "  icons = { { src = 'https://a.example/i.png',\n"
                 "    mime_type = 'image/png', sizes = { '48x48' } } } }\n"
                 "mcp.tool('a', function() end)\n");
    gen = mcp_app_acquire(b.app);
    assert_string_equal(gen->config->name, "coffee");
    assert_true(gen->config->call_timeout == 1.5);
    assert_int_equal(gen->config->memory_limit, 32 << 20);
    assert_int_equal(gen->config->allowed_hosts.count, 2);
    assert_false(gen->config->expose_errors);
    assert_string_equal(gen->config->icons,
                        "[{\"mimeType\":\"image/png\",\"sizes\":[\"48x48\"],"
                        "\"src\":\"https://a.example/i.png\"}]");
    assert_string_equal(tool(gen, "a")->input_schema,
                        "{\"type\":\"object\",\"properties\":{}}");
    mcp_generation_release(gen);
    bench_close(&b);
}

static void wrong_declarations_are_told_with_their_line(void **state)
{
    (void)state;
    refuses("local mcp = require 'mcp'\n"
            "mcp.tool { name = 'x', titel = 'T', handler = function() end }",
            "app.lua:2: mcp.tool: unknown field \"titel\"; did you mean "
            "\"title\"?");
    refuses("local mcp = require 'mcp'\n"
            "mcp.tool('New Tool', function() end)",
            "app.lua:2: mcp.tool: the tool's name \"New Tool\" has a "
            "character that is not one of A-Z a-z 0-9 _ . - (byte 4)");
    refuses("local mcp = require 'mcp'\n"
            "mcp.tool('x', { input_schema = { properties = { location = {} } "
            "} },\n  function(locaton) end)",
            "app.lua:2: mcp.tool: the handler's parameter \"locaton\" is no "
            "argument of the tool; did you mean \"location\"?");
    refuses("local mcp = require 'mcp'\n"
            "mcp.tool('x', { input_schema_file = 'none.json' }, function() "
            "end)",
            "none.json\": No such file or directory");
    refuses("local mcp = require 'mcp'\nmcp.server { prot = 1 }",
            "app.lua:2: mcp.server: unknown field \"prot\"; did you mean "
            "\"port\"?");
    refuses("local mcp = require 'mcp'\nmcp.server { port = 70000 }",
            "app.lua:2: mcp.server: port must be a whole number from 0 to "
            "65535, not \"70000\"");
    refuses("local mcp = require 'mcp'\n"
            "mcp.tool('x', function() end)\nmcp.tool('x', function() end)",
            "app.lua:3");
    refuses("local mcp = require 'mcp'\nmcp.tol('x', function() end)",
            "app.lua:2: mcp: there is no mcp.tol; did you mean \"tool\"?");
    refuses("local mcp = require 'mcp'\n\n---@param a strng\n"
            "mcp.tool('x', function(a) end)",
            "app.lua:3: mcp.tool: ---@param: unknown type \"strng\"; did you "
            "mean \"string\"?");
}

static void a_call_cannot_declare(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    open_app(&b, "local mcp = require 'mcp'\n"
                 "mcp.tool('x', function() mcp.tool('y', function() end) "
                 "end)\n");
    expect(&b, "x", "{}", true, "a handler cannot declare anything");
    bench_close(&b);
}

static void a_call_ends_where_it_says_so(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    open_app(&b, "local mcp = require 'mcp'\n"
                 "mcp.tool('gone', function()\n"
                 "  pcall(mcp.not_found, 'no such thing') return 'went on' "
                 "end)\n"
                 "mcp.tool('rpc', function() mcp.protocol_error { code = "
                 "-32602, message = 'bad' } end)\n"
                 "mcp.tool('sorted', function() table.sort({ 1, 2 }, function()"
                 " mcp.forbidden('not you') end) return 'went on' end)\n");
    expect(&b, "gone", "{}", true, "no such thing");
    expect(&b, "rpc", "{}", false, "bad");
    expect(&b, "sorted", "{}", true, "not you");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_become_schemas),
        cmocka_unit_test(types_of_a_required_module_are_known),
        cmocka_unit_test(the_builder_writes_what_it_says),
        cmocka_unit_test(server_fields_reach_the_config),
        cmocka_unit_test(wrong_declarations_are_told_with_their_line),
        cmocka_unit_test(a_call_cannot_declare),
        cmocka_unit_test(a_call_ends_where_it_says_so),
    };

    return cmocka_run_group_tests_name("app/dsl", tests, NULL, NULL);
}
