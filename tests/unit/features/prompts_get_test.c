/* Mirrors src/features/prompts_get.c and prompt_arguments.c. */
#include "features/prompts_get.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask_common.h"

#define SIGNED                                                                 \
    "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"n\","       \
    "\"version\":\"1\"}}"
#define GET(name, arguments)                                                   \
    "{\"name\":\"" name "\",\"arguments\":" arguments "}"

static const struct mcp_prompt_argument review[] = {
    {.name = "code", .required = true},
    {.name = "language", .required = true},
    {.name = "style", .initial = "concise"},
    {.name = "focus"},
};
static const struct mcp_prompt_argument topic[] = {
    {.name = "topic", .required = true}};
static const struct mcp_prompt prompts[] = {
    {.name = "review",
     .description = "Reviews",
     .arguments = review,
     .argument_count = 4,
     .has_arguments = true},
    {.name = "plain", .has_arguments = true},
    {.name = "open", .arguments = topic, .argument_count = 1},
    {.name = NULL},
};
static const char *const options[] = {"name", "n", "version", "1", NULL};
static const struct declared app = {.prompts = prompts, .options = options};

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
    snprintf(seen, sizeof(seen), "%s %.*s", job->prompt->name, (int)args.len,
             args.data);
    mcp_buf_free(&args);
    assert_ptr_equal(job->handler, &job->prompt->handler);
    job->outcome.kind = MCP_OUTCOME_RESULT;
    ask_say(&job->outcome, &job->outcome.content,
            "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"t\"}"
            "}]");
}

static const char *get(enum mcp_revision r, const char *params)
{
    return ask(b, mcp_prompts_get, r, params);
}

/* What the handler sees; the answer when it was not run. */
static const char *handled(const char *params)
{
    const char *answer;

    ask_handler = record;
    seen[0] = '\0';
    answer = get(MCP_2026_07_28, params);
    return seen[0] == '\0' ? answer : seen;
}

static void the_result_of_each_era(void **state)
{
    (void)state;
    ask_handler = record;
    assert_string_equal(
        get(MCP_2026_07_28,
            GET("review", "{\"code\":\"c\",\"language\":\"l\"}")),
        "{\"resultType\":\"complete\",\"description\":\"Reviews\",\"messages\":"
        "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"t\"}}],"
        "" SIGNED "}");
    assert_string_equal(
        get(MCP_2025_11_25, "{\"name\":\"plain\"}"),
        "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
        "\"text\":\"t\"}}]}");
}

static void describe(struct mcp_job *job)
{
    record(job);
    ask_say(&job->outcome, &job->outcome.description, "own \"words\"");
    ask_say(&job->outcome, &job->outcome.meta, "{\"a/b\":1}");
}

static void a_handler_may_describe_its_result(void **state)
{
    (void)state;
    ask_handler = describe;
    assert_string_equal(
        get(MCP_2025_06_18, "{\"name\":\"plain\"}"),
        "{\"description\":\"own \\\"words\\\"\",\"messages\":[{\"role\":"
        "\"user\",\"content\":{\"type\":\"text\",\"text\":\"t\"}}],\"_meta\":{"
        "\"a/b\":1}}");
    assert_non_null(strstr(
        get(MCP_2026_07_28, "{\"name\":\"plain\"}"),
        ",\"_meta\":{\"a/b\":1,\"io.modelcontextprotocol/serverInfo\":"));
}

static void defaults_are_filled_in(void **state)
{
    (void)state;
    assert_string_equal(
        handled(GET("review", "{\"language\":\"l\",\"code\":\"c\"}")),
        "review {\"code\":\"c\",\"language\":\"l\",\"style\":\"concise\"}");
    assert_string_equal(
        handled(GET("review", "{\"code\":\"c\",\"language\":\"l\",\"style\":"
                              "null,\"focus\":\"f\"}")),
        "review {\"code\":\"c\",\"language\":\"l\",\"style\":\"concise\","
        "\"focus\":\"f\"}");
    assert_string_equal(
        handled(
            GET("review", "{\"code\":\"\",\"language\":\"\",\"style\":\"\"}")),
        "review {\"code\":\"\",\"language\":\"\",\"style\":\"\"}");
}

static void no_arguments_are_empty_ones(void **state)
{
    (void)state;
    assert_string_equal(handled("{\"name\":\"plain\"}"), "plain {}");
    assert_string_equal(handled(GET("plain", "null")), "plain {}");
    assert_string_equal(handled(GET("plain", "{}")), "plain {}");
}

static void open_prompts_take_any_string(void **state)
{
    (void)state;
    assert_string_equal(
        handled(GET("open", "{\"x\":\"1\",\"topic\":\"t\",\"y\":null}")),
        "open {\"topic\":\"t\",\"x\":\"1\"}");
    assert_string_equal(handled(GET("open", "{\"x\":1}")),
                        "-32602 Invalid arguments for prompt \"open\": missing "
                        "\"topic\"; must be strings: \"x\" {\"name\":\"open\","
                        "\"missing\":[\"topic\"],\"notStrings\":[\"x\"]}");
}

static void everything_wrong_is_named_at_once(void **state)
{
    (void)state;
    assert_string_equal(
        handled("{\"name\":\"review\"}"),
        "-32602 Invalid arguments for prompt \"review\": missing \"code\", "
        "\"language\" {\"name\":\"review\",\"missing\":[\"code\",\"language\"]}"
        "");
    assert_string_equal(
        handled(GET("review", "{\"code\":null,\"langage\":\"l\",\"zzzz\":1,"
                              "\"style\":true,\"focus\":[]}")),
        "-32602 Invalid arguments for prompt \"review\": missing \"code\", "
        "\"language\"; unknown \"langage\" (did you mean \"language\"?), "
        "\"zzzz\"; must be strings: \"zzzz\", \"style\", \"focus\" "
        "{\"name\":\"review\",\"missing\":[\"code\",\"language\"],"
        "\"unknown\":[\"langage\",\"zzzz\"],"
        "\"notStrings\":[\"zzzz\",\"style\",\"focus\"]}");
    assert_string_equal(handled(GET("plain", "{\"a\\\"\":null}")),
                        "-32602 Invalid arguments for prompt \"plain\": "
                        "unknown \"a\"\" {\"name\":\"plain\",\"unknown\":["
                        "\"a\\\"\"]}");
    assert_int_equal(ask_runs, 0);
}

/* {"name":"plain","arguments":{"a0":"", ...}} with `count` arguments. */
static char *many(int count)
{
    char *text = malloc((size_t)count * 16 + 64), *at = text;

    at += sprintf(at, "{\"name\":\"plain\",\"arguments\":{");
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s\"a%d\":\"\"", i > 0 ? "," : "", i);
    strcpy(at, "}}");
    return text;
}

static void a_flood_of_names_is_cut(void **state)
{
    char *text = many(100);

    (void)state;
    assert_non_null(strstr(handled(text), "\"a99\" {"));
    assert_null(strstr(handled(text), "and more"));
    free(text);
    text = many(101);
    assert_non_null(strstr(handled(text), "\"a99\", and more {"));
    assert_null(strstr(handled(text), "\"a100\""));
    free(text);
}

static void arguments_are_an_object(void **state)
{
    static const char *const wrong[] = {"[]", "\"x\"", "5", "true"};
    char params[128];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        snprintf(params, sizeof(params),
                 "{\"name\":\"plain\",\"arguments\":%s}", wrong[i]);
        assert_string_equal(
            handled(params),
            "-32602 arguments must be an object {\"name\":\"plain\"}");
    }
}

static void unknown_prompts(void **state)
{
    (void)state;
    assert_string_equal(handled(GET("reviw", "{}")),
                        "-32602 Unknown prompt \"reviw\"; did you mean "
                        "\"review\"? {\"name\":\"reviw\"}");
    assert_string_equal(handled("{\"name\":\"\"}"),
                        "-32602 Unknown prompt \"\" {\"name\":\"\"}");
    assert_string_equal(handled("{}"), "-32602 name must be a string ");
    assert_string_equal(handled("{\"name\":null}"),
                        "-32602 name must be a string ");
}

static void fail_with_text(struct mcp_job *job)
{
    mcp_outcome_set_failure_as(&job->outcome, "sh\"own", "the secret", 10);
}

static void fail_with_data(struct mcp_job *job)
{
    mcp_outcome_set_failure(&job->outcome, "x", 1);
    ask_say(&job->outcome, &job->outcome.data, "{\"statusCode\":418}");
}

static void say_not_found(struct mcp_job *job)
{
    job->outcome.kind = MCP_OUTCOME_NOT_FOUND;
}

static void say_cancelled(struct mcp_job *job)
{
    atomic_store(&job->call->cancelled, true);
    job->outcome.kind = MCP_OUTCOME_CANCELED;
}

static void failures_are_errors(void **state)
{
    (void)state;
    ask_handler = fail_with_text;
    assert_string_equal(get(MCP_2026_07_28, GET("plain", "{}")),
                        "-32603 Prompt execution failed "
                        "{\"statusCode\":500,\"content\":\"sh\\\"own\"}");
    ask_handler = fail_with_data;
    assert_string_equal(get(MCP_2025_03_26, GET("plain", "{}")),
                        "-32603 Prompt execution failed {\"statusCode\":418}");
    ask_handler = say_not_found; /* there is no such answer of a prompt */
    assert_string_equal(get(MCP_2025_03_26, GET("plain", "{}")), "-32603  ");
    ask_handler = say_cancelled;
    assert_string_equal(get(MCP_2025_03_26, GET("plain", "{}")), "silent");
}

static void results_are_valid_by_the_official_schemas(void **state)
{
    (void)state;
    ask_handler = describe;
    for (int r = MCP_2025_03_26; r <= (int)MCP_2026_07_28; r++)
        expect_valid((enum mcp_revision)r, "GetPromptResult",
                     get((enum mcp_revision)r, GET("plain", "{}")));
}

static void every_amount_of_memory_is_survived(void **state)
{
    static const char *const params[] = {
        GET("review", "{\"code\":\"c\",\"language\":\"l\"}"),
        GET("review", "{\"cod\":1}"), GET("reviw", "{}")};

    (void)state;
    ask_handler = record;
    for (size_t i = 0; i < 3; i++)
        for (size_t n = 0; n < 2048; n += 16) {
            const char *a =
                ask_scarce(b, mcp_prompts_get, MCP_2025_11_25, params[i], n);

            assert_true(strncmp(a, "-326", 4) == 0 || (i == 0 && a[0] == '{'));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
        T(the_result_of_each_era),
        T(a_handler_may_describe_its_result),
        T(defaults_are_filled_in),
        T(no_arguments_are_empty_ones),
        T(open_prompts_take_any_string),
        T(everything_wrong_is_named_at_once),
        T(a_flood_of_names_is_cut),
        T(arguments_are_an_object),
        T(unknown_prompts),
        T(failures_are_errors),
        T(results_are_valid_by_the_official_schemas),
        T(every_amount_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
