/* Mirrors src/features/resources_read.c, launch.c and unknown.c. */
#include "features/resources_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask_common.h"

#define NO_CACHE .cache = {-1, -1}
#define NO_SIZE  .size_bytes = -1
#define TEXT(u, ...)                                                           \
    {                                                                          \
        .uri = u, .name = u, NO_SIZE, __VA_ARGS__                              \
    }
#define SIGNED                                                                 \
    "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"n\","       \
    "\"version\":\"1\"}}"
#define URI(u) "{\"uri\":\"" u "\"}"

static const char png[] = {'\x89', 'P', 'N', 'G', '\0', '\xff'};

static const struct mcp_resource resources[] = {
    TEXT("t://text", .mime_type = "text/plain", .content = "a\"b\n",
         .content_len = 4, NO_CACHE),
    TEXT("t://bytes", .mime_type = "image/png", .content = png,
         .content_len = sizeof(png), .is_blob = true, NO_CACHE),
    TEXT("t://empty", .content = "", .cache = {5000, MCP_CACHE_PUBLIC}),
    TEXT("t://stale", .content = "", .cache = {0, MCP_CACHE_PRIVATE}),
    TEXT("t://notes/exact", NO_CACHE),
    {.uri = NULL},
};
static const struct mcp_resource templates[] = {
    TEXT("t://notes/{id}", .mime_type = "text/x", NO_CACHE),
    TEXT("t://notes/{other}", NO_CACHE),
    TEXT("t://find/{kind}{?q,lang}", NO_CACHE),
    TEXT("t://files/{+path}", .cache = {70, MCP_CACHE_PRIVATE}),
    {.uri = NULL},
};
static const char *const options[] = {"name", "n", "version", "1", NULL};
static const struct declared app = {
    .resources = resources, .templates = templates, .options = options};

static struct mcp_builder *b;

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

/* What the handler saw: "template uri args". */
static char seen[1 << 15];

static void record(struct mcp_job *job)
{
    struct mcp_buf args;

    mcp_buf_init(&args, sizeof(seen));
    mcp_json_write(&args, job->args);
    snprintf(seen, sizeof(seen), "%s %s %.*s", job->resource->uri, job->uri,
             (int)args.len, args.data);
    mcp_buf_free(&args);
    assert_ptr_equal(job->handler, &job->resource->handler);
    assert_null(job->tool);
    assert_null(job->prompt);
    job->outcome.kind = MCP_OUTCOME_RESULT;
    ask_say(&job->outcome, &job->outcome.content,
            "[{\"uri\":\"t://x\",\"text\":\"y\"}]");
}

static const char *read_uri(enum mcp_revision r, const char *params)
{
    return ask(b, mcp_resources_read, r, params);
}

static const char *handled(const char *params)
{
    ask_handler = record;
    seen[0] = '\0';
    read_uri(MCP_2026_07_28, params);
    return seen;
}

static void static_content_needs_no_handler(void **state)
{
    (void)state;
    assert_string_equal(
        read_uri(MCP_2026_07_28, URI("t://text")),
        "{\"resultType\":\"complete\",\"contents\":[{\"uri\":\"t://text\","
        "\"mimeType\":\"text/plain\",\"text\":\"a\\\"b\\n\"}],\"ttlMs\":0,"
        "\"cacheScope\":\"private\"," SIGNED "}");
    for (int r = MCP_2025_03_26; r <= (int)MCP_2025_11_25; r++)
        assert_string_equal(
            read_uri((enum mcp_revision)r, URI("t://bytes")),
            "{\"contents\":[{\"uri\":\"t://bytes\",\"mimeType\":\"image/png\","
            "\"blob\":\"iVBORwD/\"}]}");
    assert_string_equal(read_uri(MCP_2025_06_18, URI("t://empty")),
                        "{\"contents\":[{\"uri\":\"t://empty\",\"text\":\"\"}]"
                        "}");
    assert_int_equal(ask_runs, 0);
}

static void hints_are_of_the_item_then_of_the_server(void **state)
{
    static const char *const public[] = {"cache_ttl_ms", "9", "cache_scope",
                                         "public", NULL};
    struct declared d = app;
    struct mcp_builder *other;

    (void)state;
    assert_non_null(strstr(read_uri(MCP_2026_07_28, URI("t://empty")),
                           ",\"ttlMs\":5000,\"cacheScope\":\"public\","));
    ask_handler = record;
    assert_non_null(strstr(read_uri(MCP_2026_07_28, URI("t://files/a")),
                           ",\"ttlMs\":70,\"cacheScope\":\"private\","));
    d.options = public;
    other = declare(&d);
    ask_handler = record;
    assert_non_null(
        strstr(ask(other, mcp_resources_read, MCP_2026_07_28, URI("t://text")),
               ",\"ttlMs\":9,\"cacheScope\":\"public\","));
    assert_non_null(strstr(
        ask(other, mcp_resources_read, MCP_2026_07_28, URI("t://files/a")),
        ",\"ttlMs\":70,\"cacheScope\":\"private\","));
    assert_non_null(
        strstr(ask(other, mcp_resources_read, MCP_2026_07_28, URI("t://stale")),
               ",\"ttlMs\":0,\"cacheScope\":\"private\","));
    mcp_builder_free(other);
    assert_non_null(strstr(
        read_uri(MCP_2026_07_28, "{\"uri\":\"t://empty\",\"requestState\":1}"),
        ",\"ttlMs\":0,\"cacheScope\":\"private\","));
}

static void exact_before_templates_in_their_order(void **state)
{
    (void)state;
    assert_string_equal(handled(URI("t://notes/exact")),
                        "t://notes/exact t://notes/exact {}");
    assert_string_equal(handled(URI("t://notes/7")),
                        "t://notes/{id} t://notes/7 {\"id\":\"7\"}");
    assert_string_equal(
        handled(URI("t://files/a/b%20c")),
        "t://files/{+path} t://files/a/b%20c {\"path\":\"a/b c\"}");
}

static void absent_query_members_are_no_arguments(void **state)
{
    (void)state;
    assert_string_equal(handled(URI("t://find/x")),
                        "t://find/{kind}{?q,lang} t://find/x {\"kind\":\"x\"}");
    assert_string_equal(handled(URI("t://find/x?lang=d%C3%A9&q=")),
                        "t://find/{kind}{?q,lang} t://find/x?lang=d%C3%A9&q= "
                        "{\"kind\":\"x\",\"q\":\"\",\"lang\":\"d\xc3\xa9\"}");
}

static void unsafe_values_are_refused_before_the_handler(void **state)
{
    static const char *const uris[] = {
        "t://notes/..",         "t://notes/%2e%2e",
        "t://notes/.%2E%2Fa",   "t://notes/a%2F..%2Fb",
        "t://notes/..%5Ca",     "t://notes/a%00b",
        "t://files/../app.lua", "t://files/a/..%2f..%2fetc%2fpasswd",
        "t://notes/%ff",        "t://notes/%C3",
        "t://find/x?q=..%2F",   "t://find/x?q=%ED%A0%80",
    };
    char params[128], expected[128];

    (void)state;
    ask_handler = record;
    for (size_t i = 0; i < sizeof(uris) / sizeof(*uris); i++) {
        snprintf(params, sizeof(params), "{\"uri\":\"%s\"}", uris[i]);
        snprintf(expected, sizeof(expected), " {\"uri\":\"%s\"}", uris[i]);
        for (int r = MCP_2025_03_26; r <= (int)MCP_2026_07_28; r++) {
            const char *a = read_uri((enum mcp_revision)r, params);

            assert_true(strncmp(a, "-32602 Invalid resource URI: ", 29) == 0);
            assert_string_equal(a + strlen(a) - strlen(expected), expected);
        }
    }
    assert_int_equal(ask_runs, 0);
}

static void dots_that_stay_in_their_folder_are_fine(void **state)
{
    (void)state;
    assert_string_equal(handled(URI("t://notes/a..b")),
                        "t://notes/{id} t://notes/a..b {\"id\":\"a..b\"}");
    assert_string_equal(handled(URI("t://notes/...")),
                        "t://notes/{id} t://notes/... {\"id\":\"...\"}");
}

static void not_there(void **state)
{
    static const char *const uris[] = {
        "t://nowhere/x", "x", "", "T://TEXT", "t://notes/a/b", "t://text/"};
    char params[128], expected[256];

    (void)state;
    for (size_t i = 0; i < sizeof(uris) / sizeof(*uris); i++) {
        snprintf(params, sizeof(params), "{\"uri\":\"%s\"}", uris[i]);
        snprintf(expected, sizeof(expected), "Resource not found: \"%s\"",
                 uris[i]);
        assert_non_null(strstr(read_uri(MCP_2026_07_28, params), expected));
        assert_true(strncmp(read_uri(MCP_2026_07_28, params), "-32602 ", 7) ==
                    0);
        assert_true(strncmp(read_uri(MCP_2025_11_25, params), "-32002 ", 7) ==
                    0);
        snprintf(expected, sizeof(expected), " {\"uri\":\"%s\"}", uris[i]);
        assert_non_null(strstr(read_uri(MCP_2025_03_26, params), expected));
    }
    assert_string_equal(read_uri(MCP_2026_07_28, URI("t://txt")),
                        "-32602 Resource not found: \"t://txt\"; did you mean "
                        "\"t://text\"? {\"uri\":\"t://txt\"}");
    assert_int_equal(ask_runs, 0);
}

static void say_not_found(struct mcp_job *job)
{
    job->outcome.kind = MCP_OUTCOME_NOT_FOUND;
}

static void a_handler_may_say_that_it_is_not_there(void **state)
{
    (void)state;
    ask_handler = say_not_found;
    assert_string_equal(
        read_uri(MCP_2026_07_28, URI("t://notes/8")),
        "-32602 Resource not found: \"t://notes/8\" {\"uri\":\"t://notes/8\"}");
    assert_string_equal(
        read_uri(MCP_2025_06_18, URI("t://notes/8")),
        "-32002 Resource not found: \"t://notes/8\" {\"uri\":\"t://notes/8\"}");
    assert_int_equal(ask_runs, 2);
}

static void fail_with_text(struct mcp_job *job)
{
    mcp_outcome_set_failure_as(&job->outcome, "shown", "the secret", 10);
}

static void fail_with_data(struct mcp_job *job)
{
    mcp_outcome_set_failure(&job->outcome, "x", 1);
    ask_say(&job->outcome, &job->outcome.data,
            "{\"statusCode\":503,\"content\":\"later\"}");
}

static void end_in_error(struct mcp_job *job)
{
    mcp_outcome_set_error(&job->outcome, -32050, "own", "[1]");
}

static void say_cancelled(struct mcp_job *job)
{
    job->outcome.kind = MCP_OUTCOME_CANCELED;
}

static void failures_are_errors(void **state)
{
    (void)state;
    ask_handler = fail_with_text;
    assert_string_equal(read_uri(MCP_2026_07_28, URI("t://notes/1")),
                        "-32603 Resource read failed "
                        "{\"statusCode\":500,\"content\":\"shown\"}");
    ask_handler = fail_with_data;
    assert_string_equal(read_uri(MCP_2025_11_25, URI("t://notes/1")),
                        "-32603 Resource read failed "
                        "{\"statusCode\":503,\"content\":\"later\"}");
    ask_handler = end_in_error;
    assert_string_equal(read_uri(MCP_2025_11_25, URI("t://notes/1")),
                        "-32050 own [1]");
    ask_handler = say_cancelled; /* the server ends */
    assert_string_equal(read_uri(MCP_2025_11_25, URI("t://notes/1")),
                        "-32603  ");
    ask_handler = NULL;
    assert_string_equal(read_uri(MCP_2025_11_25, URI("t://notes/1")),
                        "-32603  ");
    ask_busy = true;
    assert_string_equal(read_uri(MCP_2025_11_25, URI("t://notes/1")),
                        "-32603  ");
    assert_non_null(strstr(read_uri(MCP_2025_11_25, URI("t://text")), "a\\\""));
}

static void a_uri_is_a_string(void **state)
{
    static const char *const params[] = {"{}", "{\"uri\":null}", "{\"uri\":1}",
                                         "{\"uri\":[\"t://text\"]}"};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(read_uri(MCP_2026_07_28, params[i]),
                            "-32602 uri must be a string ");
}

static void long_uris(void **state)
{
    char *params = calloc(1, 9000), expected[64];

    (void)state;
    ask_handler = record;
    for (int over = 0; over < 2; over++) {
        strcpy(params, "{\"uri\":\"t://notes/");
        memset(params + 18, 'a', 8192 - 10 + (size_t)over);
        strcpy(params + 18 + 8192 - 10 + over, "\"}");
        read_uri(MCP_2026_07_28, params);
        assert_int_equal(ask_runs, 1); /* the longer one is not there */
    }
    snprintf(expected, sizeof(expected), "-32602 Resource not found: ");
    assert_true(strncmp(read_uri(MCP_2026_07_28, params), expected,
                        strlen(expected)) == 0);
    free(params);
}

static void results_are_valid_by_the_official_schemas(void **state)
{
    static const char *const uris[] = {URI("t://text"), URI("t://bytes"),
                                       URI("t://empty"), URI("t://notes/1")};

    (void)state;
    ask_handler = record;
    for (int r = MCP_2025_03_26; r <= (int)MCP_2026_07_28; r++)
        for (size_t i = 0; i < 4; i++)
            expect_valid((enum mcp_revision)r, "ReadResourceResult",
                         read_uri((enum mcp_revision)r, uris[i]));
}

static void every_amount_of_memory_is_survived(void **state)
{
    static const char *const uris[] = {URI("t://text"),
                                       URI("t://find/x?q=1&lang=2"),
                                       URI("t://notes/%ff"), URI("t://txt")};

    (void)state;
    ask_handler = record;
    for (size_t i = 0; i < 4; i++)
        for (size_t n = 0; n < 2048; n += 16) {
            const char *a =
                ask_scarce(b, mcp_resources_read, MCP_2025_11_25, uris[i], n);

            assert_true(a[0] == '{' || strncmp(a, "-32", 3) == 0);
            if (i == 2) /* is never let through */
                assert_true(a[0] == '-');
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
        T(static_content_needs_no_handler),
        T(hints_are_of_the_item_then_of_the_server),
        T(exact_before_templates_in_their_order),
        T(absent_query_members_are_no_arguments),
        T(unsafe_values_are_refused_before_the_handler),
        T(dots_that_stay_in_their_folder_are_fine),
        T(not_there),
        T(a_handler_may_say_that_it_is_not_there),
        T(failures_are_errors),
        T(a_uri_is_a_string),
        T(long_uris),
        T(results_are_valid_by_the_official_schemas),
        T(every_amount_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
