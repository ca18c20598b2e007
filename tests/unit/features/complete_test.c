/* Mirrors src/features/complete.c and rank.c. */
#include "features/complete.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask_common.h"
#include "features/rank.h"

#define PROMPT(argument, value, more)                                          \
    "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"review\"},\"argument\":{"    \
    "\"name\":\"" argument "\",\"value\":\"" value "\"}" more "}"
#define RESOURCE(uri, argument)                                                \
    "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"" uri                       \
    "\"},\"argument\":{\"name\":\"" argument "\",\"value\":\"\"}}"
#define VALUES(list, total)                                                    \
    "{\"completion\":{\"values\":[" list "],\"total\":" total                  \
    ",\"hasMore\":false}}"

static const char *const languages[] = {"Python", "Perl",   "Lua",
                                        "Jython", "Pascal", "O\xc3\xa9l"};
static const struct mcp_prompt_argument arguments[] = {{.name = "language"},
                                                       {.name = "framework"},
                                                       {.name = "bare"},
                                                       {.name = "none"}};
static const struct mcp_completer of_prompt[] = {
    {.argument = "language", .values = languages, .value_count = 6},
    {.argument = "framework", .handler = {.slot = 1}},
    {.argument = "none"},
};
static const struct mcp_completer of_template[] = {
    {.argument = "id", .values = languages, .value_count = 2}};
static const struct mcp_prompt prompts[] = {
    {.name = "review",
     .arguments = arguments,
     .argument_count = 4,
     .has_arguments = true,
     .completers = of_prompt,
     .completer_count = 3},
    {.name = "open"},
    {.name = NULL},
};
static const struct mcp_resource resources[] = {
    {.uri = "t://one", .name = "one", .content = "", .size_bytes = -1},
    {.uri = NULL},
};
static const struct mcp_resource templates[] = {
    {.uri = "t://{id}/{part}",
     .name = "t",
     .size_bytes = -1,
     .completers = of_template,
     .completer_count = 1},
    {.uri = NULL},
};
static const char *const options[] = {"name", "n", "version", "1", NULL};
static const struct declared app = {.prompts = prompts,
                                    .resources = resources,
                                    .templates = templates,
                                    .options = options};

static struct mcp_builder *b;
static char seen[4096];

static int set_up(void **state)
{
    (void)state;
    b = declare(&app);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mcp_builder_free(b);
    return 0;
}

static void record(struct mcp_job *job)
{
    struct mcp_buf args;

    mcp_buf_init(&args, sizeof(seen));
    mcp_json_write(&args, job->args);
    snprintf(seen, sizeof(seen), "%s %.*s", job->handler->name, (int)args.len,
             args.data);
    mcp_buf_free(&args);
    assert_int_equal(job->handler->kind, MCP_KIND_COMPLETER);
    assert_string_equal(job->prompt->name, "review");
    job->outcome.kind = MCP_OUTCOME_RESULT;
    ask_say(&job->outcome, &job->outcome.content,
            "[\"a flask\",\"django\",\"flask\",\"Falsek\"]");
}

static const char *complete(const char *params)
{
    return ask(b, mcp_complete, MCP_2025_11_25, params);
}

static void a_list_is_ranked(void **state)
{
    (void)state;
    assert_string_equal(complete(PROMPT("language", "p", "")),
                        VALUES("\"Python\",\"Perl\",\"Pascal\"", "3"));
    assert_string_equal(complete(PROMPT("language", "PY", "")),
                        VALUES("\"Python\"", "1"));
    assert_string_equal(complete(PROMPT("language", "yth", "")),
                        VALUES("\"Python\",\"Jython\"", "2"));
    assert_string_equal(complete(PROMPT("language", "pl", "")),
                        VALUES("\"Perl\",\"Pascal\"", "2"));
    assert_string_equal(complete(PROMPT("language", "zz", "")),
                        VALUES("", "0"));
    assert_string_equal(
        complete(PROMPT("language", "L", "")),
        VALUES("\"Lua\",\"Perl\",\"Pascal\",\"O\xc3\xa9l\"", "4"));
    assert_string_equal(
        complete(PROMPT("language", "", "")),
        VALUES("\"Python\",\"Perl\",\"Lua\",\"Jython\",\"Pascal\",\"O\xc3\xa9l"
               "\"",
               "6"));
    assert_int_equal(ask_runs, 0);
}

/* Characters are compared, not bytes: U+00E9 is c3 a9, U+0069 is 69. */
static void characters_stay_whole(void **state)
{
    (void)state;
    assert_string_equal(complete(PROMPT("language", "\xc3\xa9l", "")),
                        VALUES("\"O\xc3\xa9l\"", "1"));
    assert_string_equal(complete(PROMPT("language", "o\\u00e9", "")),
                        VALUES("\"O\xc3\xa9l\"", "1"));
    assert_string_equal(complete(PROMPT("language", "\xc3\xa8", "")),
                        VALUES("", "0"));
    assert_string_equal(complete(PROMPT("language", "\\u0000", "")),
                        VALUES("", "0"));
}

static void a_handler_is_asked_and_ranked(void **state)
{
    (void)state;
    ask_handler = record;
    assert_string_equal(
        complete(PROMPT("framework", "flask",
                        ",\"context\":{\"arguments\":{\"language\":\"py\"}}")),
        VALUES("\"flask\",\"a flask\"", "2"));
    assert_non_null(strstr(
        seen, " {\"value\":\"flask\",\"arguments\":{\"language\":\"py\"}}"));
    assert_string_equal(complete(PROMPT("framework", "fk", "")),
                        VALUES("\"a flask\",\"flask\",\"Falsek\"", "3"));
    assert_non_null(strstr(seen, " {\"value\":\"fk\",\"arguments\":{}}"));
    assert_int_equal(ask_runs, 2);
}

static void absent_contexts_are_empty(void **state)
{
    static const char *const contexts[] = {
        PROMPT("framework", "", ",\"context\":null"),
        PROMPT("framework", "", ",\"context\":{}"),
        PROMPT("framework", "", ",\"context\":{\"arguments\":null}"),
    };

    (void)state;
    ask_handler = record;
    for (size_t i = 0; i < 3; i++) {
        assert_non_null(strstr(complete(contexts[i]), "\"total\":4"));
        assert_non_null(strstr(seen, "\"arguments\":{}}"));
    }
}

static void arguments_without_a_completer_complete_to_nothing(void **state)
{
    (void)state;
    assert_string_equal(complete(PROMPT("bare", "x", "")), VALUES("", "0"));
    assert_string_equal(complete(PROMPT("none", "x", "")), VALUES("", "0"));
    assert_string_equal(complete(RESOURCE("t://{id}/{part}", "part")),
                        VALUES("", "0"));
    assert_string_equal(complete(RESOURCE("t://one", "any")), VALUES("", "0"));
    assert_string_equal(
        complete("{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"open\"},"
                 "\"argument\":{\"name\":\"any\",\"value\":\"\"}}"),
        VALUES("", "0"));
    assert_string_equal(complete(RESOURCE("t://{id}/{part}", "id")),
                        VALUES("\"Python\",\"Perl\"", "2"));
}

static void what_is_unknown_is_refused(void **state)
{
    (void)state;
    assert_string_equal(complete(PROMPT("lang", "", "")),
                        "-32602 Unknown argument \"lang\" {\"argument\":\"lang"
                        "\"}");
    assert_string_equal(complete(RESOURCE("t://{id}/{part}", "x")),
                        "-32602 Unknown argument \"x\" {\"argument\":\"x\"}");
    assert_string_equal(complete(RESOURCE("t://{id}/{pat}", "id")),
                        "-32602 Unknown resource template \"t://{id}/{pat}\"; "
                        "did you mean \"t://{id}/{part}\"? "
                        "{\"uri\":\"t://{id}/{pat}\"}");
    assert_string_equal(
        complete("{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"revue\"},"
                 "\"argument\":{\"name\":\"a\",\"value\":\"\"}}"),
        "-32602 Unknown prompt \"revue\"; did you mean \"review\"? "
        "{\"name\":\"revue\"}");
}

static void every_member_is_checked(void **state)
{
#define REF "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"review\"}"
#define ARG "\"argument\":{\"name\":\"language\",\"value\":\"\"}"
    static const char *const rows[][2] = {
        {"{" ARG "}", "ref.type must be"},
        {"{\"ref\":null," ARG "}", "ref.type must be"},
        {"{\"ref\":{\"type\":\"ref/tool\"}," ARG "}", "ref.type must be"},
        {"{\"ref\":{\"type\":\"ref/prompt\"}," ARG "}", "ref.name must be"},
        {"{\"ref\":{\"type\":\"ref/resource\",\"uri\":1}," ARG "}",
         "ref.uri must be"},
        {"{" REF "}", "argument must have"},
        {"{" REF ",\"argument\":[]}", "argument must have"},
        {"{" REF ",\"argument\":{\"name\":\"language\"}}",
         "argument must have"},
        {"{" REF ",\"argument\":{\"name\":\"language\",\"value\":1}}",
         "argument must have"},
        {"{" REF ",\"argument\":{\"name\":1,\"value\":\"\"}}",
         "argument must have"},
        {"{" REF "," ARG ",\"context\":[]}", "context must be"},
        {"{" REF "," ARG ",\"context\":{\"arguments\":[]}}",
         "context.arguments must be"},
        {"{" REF "," ARG ",\"context\":{\"arguments\":{\"a\":1}}}",
         "context.arguments must be"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *a = complete(rows[i][0]);

        assert_true(strncmp(a, "-32602 ", 7) == 0);
        if (strstr(a, rows[i][1]) != a + 7)
            fail_msg("%s: %s", rows[i][0], a);
    }
}

static void fail_with_text(struct mcp_job *job)
{
    mcp_outcome_set_failure(&job->outcome, "no", 2);
}

static void say_nothing(struct mcp_job *job)
{
    job->outcome.kind = MCP_OUTCOME_RESULT;
}

static void say_part(struct mcp_job *job)
{
    say_nothing(job);
    ask_say(&job->outcome, &job->outcome.content, "[\"b\",\"a\"]");
    job->outcome.total = 3;
}

static void of_a_part_nobody_knows_the_total(void **state)
{
    (void)state;
    ask_handler = say_part;
    assert_string_equal(
        complete(PROMPT("framework", "a", "")),
        "{\"completion\":{\"values\":[\"a\"],\"hasMore\":true}}");
}

static void handlers_that_fail_or_say_nothing(void **state)
{
    (void)state;
    ask_handler = fail_with_text;
    assert_string_equal(
        complete(PROMPT("framework", "", "")),
        "-32603 Completion failed {\"statusCode\":500,\"content\":\"no\"}");
    ask_handler = say_nothing;
    assert_string_equal(complete(PROMPT("framework", "", "")), VALUES("", "0"));
}

static struct mcp_rank_value numbered(const void *list, size_t i)
{
    static const struct mcp_rank_value values[] = {{"ba", 2}, {"ab", 2}};

    (void)list;
    return values[i % 2];
}

static struct mcp_rank_value nth(const void *list, size_t i)
{
    const char *text = ((const char *const *)list)[i];

    return (struct mcp_rank_value){text, text == NULL ? 0 : strlen(text)};
}

static void ranks_at_their_edges(void **state)
{
    static const char *const values[] = {"xaxb", "xab", NULL,    "abx",
                                         "AB",   "a",   "xa-b-", "ba"};
    static const char *const bytes[] = {"\xc3\x83\xc2\xa9", "x\xc3\xa9"};
    struct mcp_rank_list list = {.items = values, .count = 8, .at = nth};
    struct mcp_buf out;

    (void)state;
    mcp_buf_init(&out, 1 << 10);
    mcp_rank_write(&out, "ab", 2, &list);
    mcp_buf_putc(&out, '\0');
    assert_string_equal(out.data,
                        "{\"values\":[\"abx\",\"AB\",\"xab\",\"xaxb\","
                        "\"xa-b-\"],\"total\":5,\"hasMore\":false}");
    mcp_buf_clear(&out);
    list = (struct mcp_rank_list){.items = bytes, .count = 2, .at = nth};
    mcp_rank_write(&out, "\xc3\xa9", 2, &list);
    mcp_buf_putc(&out, '\0');
    assert_string_equal(out.data, "{\"values\":[\"x\xc3\xa9\"],\"total\":1,"
                                  "\"hasMore\":false}");
    mcp_buf_free(&out);
}

/* Of 2n values half begin with "a"; the others hold it. */
static void at_most_100_are_told(void **state)
{
    static const struct {
        size_t count;
        const char *tail;
    } rows[] = {{99, "],\"total\":99,\"hasMore\":false}"},
                {100, "],\"total\":100,\"hasMore\":false}"},
                {101, "],\"total\":101,\"hasMore\":true}"},
                {1000, "],\"total\":1000,\"hasMore\":true}"}};
    struct mcp_rank_list list = {.at = numbered};
    struct mcp_buf out;

    (void)state;
    mcp_buf_init(&out, 1 << 16);
    for (size_t row = 0; row < 4; row++) {
        size_t n = 0, tail = strlen(rows[row].tail);

        mcp_buf_clear(&out);
        list.count = rows[row].count;
        mcp_rank_write(&out, "a", 1, &list);
        for (size_t i = 0; i < out.len; i++)
            n += out.data[i] == 'a' && out.data[i + 1] != 'l' &&
                 out.data[i + 1] != 's';
        assert_true(n >= (rows[row].count < 100 ? rows[row].count : 100));
        assert_memory_equal(out.data, "{\"values\":[\"ab\",", 16);
        assert_memory_equal(out.data + out.len - tail, rows[row].tail, tail);
        assert_true(out.len < 11 + 100 * 5 + tail + 1);
    }
    mcp_buf_free(&out);
}

static void results_are_valid_by_the_official_schemas(void **state)
{
    (void)state;
    ask_handler = record;
    for (int r = MCP_2025_03_26; r <= (int)MCP_2026_07_28; r++) {
        expect_valid((enum mcp_revision)r, "CompleteResult",
                     ask(b, mcp_complete, (enum mcp_revision)r,
                         PROMPT("language", "p", "")));
        expect_valid((enum mcp_revision)r, "CompleteResult",
                     ask(b, mcp_complete, (enum mcp_revision)r,
                         PROMPT("framework", "p", "")));
    }
    assert_string_equal(
        ask(b, mcp_complete, MCP_2026_07_28, PROMPT("language", "perl", "")),
        "{\"resultType\":\"complete\",\"completion\":{\"values\":[\"Perl\"],"
        "\"total\":1,\"hasMore\":false},\"_meta\":{\"io.modelcontextprotocol/"
        "serverInfo\":{\"name\":\"n\",\"version\":\"1\"}}}");
}

static void every_amount_of_memory_is_survived(void **state)
{
    (void)state;
    ask_handler = record;
    for (size_t n = 0; n < 4096; n += 16) {
        const char *a = ask_scarce(b, mcp_complete, MCP_2025_11_25,
                                   PROMPT("framework", "f", ""), n);

        assert_true(a[0] == '{' || strncmp(a, "-32603", 6) == 0);
        a = ask_scarce(b, mcp_complete, MCP_2025_11_25, PROMPT("x", "f", ""),
                       n);
        assert_true(strncmp(a, "-32602", 6) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
        T(a_list_is_ranked),
        T(characters_stay_whole),
        T(a_handler_is_asked_and_ranked),
        T(absent_contexts_are_empty),
        T(arguments_without_a_completer_complete_to_nothing),
        T(what_is_unknown_is_refused),
        T(every_member_is_checked),
        T(handlers_that_fail_or_say_nothing),
        T(of_a_part_nobody_knows_the_total),
        T(ranks_at_their_edges),
        T(at_most_100_are_told),
        T(results_are_valid_by_the_official_schemas),
        T(every_amount_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
