/* Mirrors declare_prompt.c, result_prompt.c, result_completer.c: prompts of a
 * real app. */
#include "app_bench.h"

/* What the outcome has in a span; to be freed. */
static char *text_of(const struct mcp_outcome *o, struct mcp_span span)
{
    return strndup(span.len > 0 ? o->text.data + span.at : "", span.len);
}

static struct bench bench;

static void gives(const char *name, const char *args, const char *messages)
{
    struct one one;

    start_prompt(&bench, &one, name, args);
    wait_for(&one);
    assert_string_equal(one.text, messages);
    assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_RESULT);
    drop(&one);
}

static void fails(const char *name, const char *args, const char *data)
{
    struct one one;
    char *got;

    start_prompt(&bench, &one, name, args);
    wait_for(&one);
    assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_ERROR);
    assert_int_equal(one.job.outcome.code, -32603);
    assert_string_equal(one.text, "Prompt execution failed");
    got = text_of(&one.job.outcome, one.job.outcome.data);
    assert_string_equal(got, data);
    free(got);
    drop(&one);
}

static void open_app(const char *source)
{
    bench_make(&bench);
    bench_open(&bench, source);
    if (bench.err != MCP_OK)
        fail_msg("%s", bench.message);
}

#define MESSAGE(role, text)                                                    \
    "{\"role\":\"" role "\",\"content\":{\"type\":\"text\",\"text\":\"" text   \
    "\"}}"

static void every_form_of_a_return(void **state)
{
    static const struct {
        const char *name, *want;
    } forms[] = {
        {"string", "[" MESSAGE("user", "a") "]"},
        {"user", "[" MESSAGE("user", "b") "]"},
        {"assistant", "[" MESSAGE("assistant", "c") "]"},
        {"list", "[" MESSAGE("user", "a") "," MESSAGE(
                     "assistant", "b") "," MESSAGE("user", "c") "]"},
        {"table", "[" MESSAGE("assistant", "d") "]"},
        {"block", "[" MESSAGE("user", "e") "]"},
        {"raw", "[" MESSAGE("user", "f") "]"},
        {"none", "[]"},
    };

    (void)state;
    open_app(
        "local mcp = require 'mcp'\n"
        "mcp.prompt('string', function() return 'a' end)\n"
        "mcp.prompt('user', function() return mcp.user 'b' end)\n"
        "mcp.prompt('assistant', function() return mcp.assistant 'c' end)\n"
        "mcp.prompt('list', function() return { 'a', mcp.assistant 'b',\n"
        "  { role = 'user', content = mcp.text 'c' } } end)\n"
        "mcp.prompt('table', function()\n"
        "  return { role = 'assistant', content = 'd' } end)\n"
        "mcp.prompt('none', function() return {} end)\n"
        "mcp.prompt('block', function() return mcp.text 'e' end)\n"
        "mcp.prompt('raw', function()\n"
        "  return { type = 'text', text = 'f' } end)\n");
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        gives(forms[i].name, "{}", forms[i].want);
    bench_close(&bench);
}

static void messages_may_have_a_description(void **state)
{
    struct one one;
    char *description;

    (void)state;
    open_app("local mcp = require 'mcp'\n"
             "mcp.prompt('a', function() return {\n"
             "  description = 'D \"q\"', messages = { mcp.user 'x' } } end)\n");
    start_prompt(&bench, &one, "a", "{}");
    wait_for(&one);
    assert_string_equal(one.text, "[" MESSAGE("user", "x") "]");
    description = text_of(&one.job.outcome, one.job.outcome.description);
    assert_string_equal(description, "D \"q\"");
    free(description);
    drop(&one);
    bench_close(&bench);
}

static void arguments_are_bound_by_name(void **state)
{
    (void)state;
    open_app("local mcp = require 'mcp'\n"
             "mcp.prompt { name = 'a', arguments = {\n"
             "  { name = 'text', required = true }, 'style' },\n"
             "  handler = function(style, text, ctx, args)\n"
             "    return tostring(style) .. text .. ctx.item.kind ..\n"
             "      ctx.item.name .. args.text end }\n");
    gives("a", "{\"text\":\"t\",\"style\":\"s\"}",
          "[" MESSAGE("user", "stpromptat") "]");
    gives("a", "{\"text\":\"t\"}", "[" MESSAGE("user", "niltpromptat") "]");
    bench_close(&bench);
}

static void instructions_come_first(void **state)
{
    (void)state;
    open_app("local mcp = require 'mcp'\n"
             "mcp.prompt_controller { prefix = 'c', instructions = '  Be "
             "\"kind\".\\n',\n"
             "  { name = 'text', handler = function() return 'hi' end },\n"
             "  { name = 'second', handler = function() return {\n"
             "    mcp.assistant 'a', mcp.user 'b', mcp.user 'c' } end },\n"
             "  { name = 'block', handler = function() return {\n"
             "    { type = 'text', text = 'raw' } } end },\n"
             "  { name = 'none', handler = function() return {\n"
             "    mcp.assistant 'a', mcp.embedded { uri = 'a:b', text = 't' } "
             "} end },\n"
             "}\n"
             "mcp.prompt('plain', function() return 'hi' end)\n");
    gives("c/text", "{}", "[" MESSAGE("user", "Be \\\"kind\\\".\\n\\nhi") "]");
    gives("c/second", "{}",
          "[" MESSAGE("assistant", "a") "," MESSAGE(
              "user", "Be \\\"kind\\\".\\n\\nb") "," MESSAGE("user", "c") "]");
    gives("c/block", "{}",
          "[" MESSAGE("user", "Be \\\"kind\\\".\\n\\nraw") "]");
    gives("plain", "{}", "[" MESSAGE("user", "hi") "]");
    {
        struct one one;

        start_prompt(&bench, &one, "c/none", "{}");
        wait_for(&one);
        assert_memory_equal(
            one.text,
            "[" MESSAGE("user", "Be \\\"kind\\\".") "," MESSAGE(
                "assistant", "a") ",{\"role\":\"user\"",
            strlen("[" MESSAGE("user", "Be \\\"kind\\\".") "," MESSAGE(
                "assistant", "a") ",{\"role\":\"user\""));
        drop(&one);
    }
    bench_close(&bench);
}

static void what_is_no_message_is_refused(void **state)
{
    static const struct {
        const char *name, *content;
    } bad[] = {
        {"role", "/0/role must be \\\"user\\\" or \\\"assistant\\\""},
        {"role1", "/role must be \\\"user\\\" or \\\"assistant\\\""},
        {"content", "/content is missing"},
        {"list", "/content must be a string or one content block"},
        {"number", "it must be a string, a content block, a message { role, "
                   "content }, or a list of these"},
        {"entry", "/messages/1 must be a string, a content block or a message "
                  "{ role, content }"},
        {"mixed", "it must be a string, a content block, a message { role, "
                  "content }, or a list of these"},
        {"utf8", "it is not valid UTF-8 (byte 1)"},
    };

    (void)state;
    open_app("local mcp = require 'mcp'\n"
             "local function p(name, value)\n"
             "  mcp.prompt(name, function() return value end) end\n"
             "p('role', { { role = 'system', content = 'x' } })\n"
             "p('role1', { role = 1, content = 'x' })\n"
             "p('content', { role = 'user' })\n"
             "p('list', { role = 'user', content = { 'x' } })\n"
             "p('number', 7)\n"
             "p('entry', { messages = { 'a', 1 } })\n"
             "p('mixed', { 'a', x = 'b' })\n"
             "p('utf8', '\\255')\n"
             "p('nothing', nil)\n"
             "mcp.prompt('described', function() return {\n"
             "  messages = {}, description = 1 } end)\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char data[400];

        snprintf(data, sizeof(data),
                 "{\"statusCode\":500,\"content\":\"The result of prompt "
                 "\\\"%s\\\" cannot be sent: %s\"}",
                 bad[i].name, bad[i].content);
        fails(bad[i].name, "{}", data);
    }
    fails("nothing", "{}",
          "{\"statusCode\":500,\"content\":\"Prompt \\\"nothing\\\" returned "
          "nothing; it returns a string, or messages\"}");
    fails("described", "{}",
          "{\"statusCode\":500,\"content\":\"The result of prompt "
          "\\\"described\\\" cannot be sent: /description must be a string of "
          "valid UTF-8\"}");
    bench_close(&bench);
}

static const char failing[] =
    "local mcp = require 'mcp'\n"
    "mcp.prompt('raises', function() error 'broken' end)\n"
    "mcp.prompt('returns', function() return nil, 'no luck' end)\n"
    "mcp.prompt('table', function() error { message = 'm',\n"
    "  structured = { 1, 2 } } end)\n"
    "mcp.prompt('unauthorized', function() pcall(mcp.unauthorized, 'who') "
    "end)\n"
    "mcp.prompt('forbidden', function() mcp.forbidden('no', { 's' }) end)\n"
    "mcp.prompt('not_found', function() mcp.not_found 'nope' end)\n"
    "mcp.prompt('http', function() mcp.http_error(418, 'tea', { a = 1 }) end)\n"
    "mcp.prompt('text', function() mcp.http_error(503, 'later') end)\n";

static void a_failure_is_an_error_with_status_and_content(void **state)
{
    (void)state;
    open_app(failing);
    fails("raises", "{}", "{\"statusCode\":500,\"content\":\"broken\"}");
    fails("returns", "{}", "{\"statusCode\":500,\"content\":\"no luck\"}");
    fails("table", "{}", "{\"statusCode\":500,\"content\":[1,2]}");
    fails("unauthorized", "{}", "{\"statusCode\":401,\"content\":\"who\"}");
    fails("forbidden", "{}", "{\"statusCode\":403,\"content\":\"no\"}");
    fails("not_found", "{}", "{\"statusCode\":404,\"content\":\"nope\"}");
    fails("http", "{}", "{\"statusCode\":418,\"content\":{\"a\":1}}");
    fails("text", "{}", "{\"statusCode\":503,\"content\":\"later\"}");
    bench_close(&bench);
}

static void a_fault_that_is_not_exposed_has_no_content(void **state)
{
    (void)state;
    bench_make(&bench);
    set(&bench, "expose_errors", "false");
    bench_open(&bench, failing);
    fails("raises", "{}", "{\"statusCode\":500}");
    fails("returns", "{}", "{\"statusCode\":500,\"content\":\"no luck\"}");
    fails("not_found", "{}", "{\"statusCode\":404,\"content\":\"nope\"}");
    bench_close(&bench);
}

static void a_protocol_error_is_sent_as_it_is(void **state)
{
    struct one one;

    (void)state;
    open_app("local mcp = require 'mcp'\n"
             "mcp.prompt('a', function() mcp.protocol_error {\n"
             "  code = -32602, message = 'm' } end)\n");
    start_prompt(&bench, &one, "a", "{}");
    wait_for(&one);
    assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_ERROR);
    assert_int_equal(one.job.outcome.code, -32602);
    assert_string_equal(one.text, "m");
    drop(&one);
    bench_close(&bench);
}

static void a_prompt_that_runs_too_long_is_an_error(void **state)
{
    struct one one;

    (void)state;
    open_app("local mcp = require 'mcp'\n"
             "mcp.prompt('a', { timeout = 0.1 }, function(ctx)\n"
             "  ctx.sleep(9) end)\n");
    start_prompt(&bench, &one, "a", "{}");
    wait_for(&one);
    assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_ERROR);
    assert_int_equal(one.job.outcome.code, -32603);
    assert_string_equal(one.text, "The prompt took longer than 0.1 s and was "
                                  "stopped (timeout)");
    drop(&one);
    bench_close(&bench);
}

static void a_prompt_without_memory_is_an_error(void **state)
{
    struct one one;

    (void)state;
    bench_make(&bench);
    set(&bench, "memory_limit", "4MiB");
    bench_open(&bench, "local mcp = require 'mcp'\n"
                       "mcp.prompt('a', function()\n"
                       "  return ('x'):rep(8 * 1024 * 1024) end)\n");
    assert_int_equal(bench.err, MCP_OK);
    start_prompt(&bench, &one, "a", "{}");
    wait_for(&one);
    assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_ERROR);
    assert_int_equal(one.job.outcome.code, -32603);
    assert_string_equal(one.text, "The prompt ran out of memory: it may use "
                                  "4096 KiB (memory_limit)");
    drop(&one);
    bench_close(&bench);
}

/* ---- completers -----------------------------------------------------------
 */

static void start_completer(struct one *one, const char *prompt, size_t i,
                            const char *args)
{
    prepare(&bench, one, args);
    one->job.prompt =
        mcp_generation_find_prompt(one->job.gen, prompt, strlen(prompt));
    assert_non_null(one->job.prompt);
    assert_true(i < one->job.prompt->completer_count);
    run(&bench, one, &one->job.prompt->completers[i].handler);
}

static void completes(size_t i, const char *args, const char *want,
                      size_t total)
{
    struct one one;

    start_completer(&one, "a", i, args);
    wait_for(&one);
    assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_RESULT);
    assert_string_equal(one.text, want);
    assert_int_equal(one.job.outcome.total, total);
    drop(&one);
}

static const char completing[] =
    "local mcp = require 'mcp'\n"
    "mcp.prompt { name = 'a', arguments = {\n"
    "  { name = 'b', complete = function(value, ctx)\n"
    "      return { value .. '1', 2, 0.5, ctx.arguments.c, ctx.item.name } end "
    "},\n"
    "  { name = 'c', complete = function() error 'broken' end },\n"
    "  { name = 'd', complete = function() return { 'x', {} } end },\n"
    "  { name = 'e', complete = function() return 'x' end },\n"
    "  { name = 'f', complete = function() return nil end },\n"
    "  { name = 'g', complete = { 'x', 7 } },\n"
    "  { name = 'h', complete = function(value)\n"
    "      local t = {} for i = 1, tonumber(value) do t[i] = 'x' end\n"
    "      return t end },\n"
    " }, handler = function() return '' end }\n";

static void a_completer_gets_the_value_and_the_others(void **state)
{
    const char *args = "{\"value\":\"v\",\"arguments\":{\"c\":\"C\"}}";

    (void)state;
    open_app(completing);
    completes(0, args, "[\"v1\",\"2\",\"0.5\",\"C\",\"a\"]", 5);
    bench_close(&bench);
}

static void a_completer_that_fails_gives_nothing(void **state)
{
    const char *args = "{\"value\":\"v\",\"arguments\":{}}";
    struct one one;
    char *reason;

    (void)state;
    open_app(completing);
    for (size_t i = 1; i < 5; i++)
        completes(i, args, "[]", 0);
    start_completer(&one, "a", 2, args);
    wait_for(&one);
    reason = text_of(&one.job.outcome, one.job.outcome.reason);
    assert_string_equal(reason, "The result of completer \"d of prompt a\" "
                                "cannot be sent: /1 is a table, not a string");
    free(reason);
    drop(&one);
    bench_close(&bench);
}

static void of_more_than_10000_values_10000_are_kept(void **state)
{
    struct one one;

    (void)state;
    open_app(completing);
    for (int n = 10000; n <= 10001; n++) {
        char args[64];

        snprintf(args, sizeof(args), "{\"value\":\"%d\",\"arguments\":{}}", n);
        start_completer(&one, "a", 6, args);
        wait_for(&one);
        assert_int_equal(one.job.outcome.total, n);
        assert_int_equal(strlen(one.text), 1 + 10000 * 4);
        drop(&one);
    }
    bench_close(&bench);
}

static void a_list_completes_without_a_handler(void **state)
{
    const struct mcp_generation *gen;
    const struct mcp_completer *c;

    (void)state;
    open_app(completing);
    gen = mcp_app_acquire(bench.app);
    c = &mcp_generation_find_prompt(gen, "a", 1)->completers[5];
    assert_string_equal(c->argument, "g");
    assert_int_equal(c->handler.slot, 0);
    assert_int_equal(c->value_count, 2);
    assert_string_equal(c->values[0], "x");
    assert_string_equal(c->values[1], "7");
    mcp_generation_release(gen);
    bench_close(&bench);
}

/* ---- loading --------------------------------------------------------------
 */

static void every_load_must_declare_the_same(void **state)
{
    static const char count[] =
        "local mcp = require 'mcp'\n"
        "local f = io.open(arg0, 'a') f:write 'x' f:close()\n"
        "f = io.open(arg0) local n = #f:read '*a' f:close()\n";
    static const struct {
        const char *source, *message;
    } apps[] = {
        {"mcp.prompt(n == 1 and 'a' or 'b', function() end)",
         "prompt \"b\" was not declared when the app was loaded the first "
         "time"},
        {"if n == 1 then mcp.prompt('a', function() end) end",
         "prompt \"a\" was declared when the app was loaded the first time, "
         "and "
         "not now"},
        {"mcp.prompt { name = 'a', handler = n == 1 and function(a) end or\n"
         "  function(b) end }",
         "prompt \"a\" had other parameters when"},
        {"mcp.prompt { name = 'a', arguments = { { name = 'b', complete =\n"
         "  n == 1 and function() end or nil } }, handler = function() end }",
         "completer \"b of prompt a\" was declared when"},
        {"mcp.prompt { name = 'a', arguments = { { name = 'b', complete =\n"
         "  n > 1 and function() end or { 'x' } } }, handler = function() end "
         "}",
         "completer \"b of prompt a\" had no handler when"},
        {"mcp.resource { uri = n == 1 and 'a:b' or 'a:c', text = '' }",
         "resource \"a:c\" was not declared when"},
        {"mcp.resource { uri = 'a:b', text = n == 1 and '' or nil,\n"
         "  handler = n > 1 and function() end or nil }",
         "resource \"a:b\" had no handler when"},
        {"mcp.resource { uri_template = 'a:{b}', handler = function() end,\n"
         "  complete = { b = n > 1 and function() end or nil } }",
         "completer \"b of resource a:{b}\" was not declared when"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(apps) / sizeof(apps[0]); i++) {
        char source[1200], path[] = "/tmp/mcp-prompt-test-XXXXXX";
        int fd = mkstemp(path);

        assert_true(fd >= 0);
        close(fd);
        snprintf(source, sizeof(source), "local arg0 = '%s'\n%s%s\n", path,
                 count, apps[i].source);
        expect_load_error(source, MCP_EINVAL, apps[i].message);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_a_return),
        cmocka_unit_test(messages_may_have_a_description),
        cmocka_unit_test(arguments_are_bound_by_name),
        cmocka_unit_test(instructions_come_first),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test(a_failure_is_an_error_with_status_and_content),
        cmocka_unit_test(a_fault_that_is_not_exposed_has_no_content),
        cmocka_unit_test(a_protocol_error_is_sent_as_it_is),
        cmocka_unit_test(a_prompt_that_runs_too_long_is_an_error),
        cmocka_unit_test(a_prompt_without_memory_is_an_error),
        cmocka_unit_test(a_completer_gets_the_value_and_the_others),
        cmocka_unit_test(a_completer_that_fails_gives_nothing),
        cmocka_unit_test(of_more_than_10000_values_10000_are_kept),
        cmocka_unit_test(a_list_completes_without_a_handler),
        cmocka_unit_test(every_load_must_declare_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
