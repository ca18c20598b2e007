/* Mirrors src/protocol/modern.c, headers.c and what of errors.c they use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocol_common.h"

#define REQ(method, params)                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method                       \
    "\",\"params\":{" params "}}"
#define CALL(name, args)                                                       \
    REQ("tools/call", "\"name\":\"" name "\",\"arguments\":" args "," META)
#define ERROR(code, message)                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":" code                  \
    ",\"message\":\"" message "\"}}"
#define RESULT(members)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" members "}}"
#define TEXT(text)                                                             \
    RESULT("\"resultType\":\"complete\",\"content\":[{\"type\":\"text\","      \
           "\"text\":\"" text "\"}]," SIGNED)
#define FAILURE(text)                                                          \
    RESULT("\"resultType\":\"complete\",\"content\":[{\"type\":\"text\","      \
           "\"text\":\"" text "\"}],\"isError\":true," SIGNED)
#define V "\"io.modelcontextprotocol/protocolVersion\":"
#define C "\"io.modelcontextprotocol/clientCapabilities\":"

static struct fixture *f;

static int set_up(void **state)
{
    (void)state;
    f = fixture_new(true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_free(f);
    return 0;
}

static void discover_tells_who_we_are(void **state)
{
    (void)state;
    expect(post(f, MODERN("server/discover"), REQ("server/discover", META)),
           200,
           RESULT("\"resultType\":\"complete\",\"supportedVersions\":[\"2026-"
                  "07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\"],"
                  "\"capabilities\":{\"logging\":{},\"tools\":{"
                  "\"listChanged\":true}},"
                  "\"ttlMs\":0,\"cacheScope\":\"private\"," SIGNED));
}

static void a_call_runs_the_handler(void **state)
{
    (void)state;
    expect(post(f, CALLING("echo"), CALL("echo", "{\"a\":[1,null]}")), 200,
           TEXT("{\\\"a\\\":[1,null]}"));
    assert_int_equal(fixture_runs(f), 1);
}

static void absent_and_null_arguments_are_empty(void **state)
{
    (void)state;
    expect(
        post(f, CALLING("echo"), REQ("tools/call", "\"name\":\"echo\"," META)),
        200, TEXT("{}"));
    expect(post(f, CALLING("echo"), CALL("echo", "null")), 200, TEXT("{}"));
}

/* Each row breaks one check; the ones behind it in the order are broken too,
 * so the order itself is tested. */
static void checks_come_in_their_order(void **state)
{
    static const struct {
        const char *headers, *body, *expected;
        int status;
    } rows[] = {
        /* JSON before all else */
        {"MCP-Protocol-Version: v9\n", "{",
         "{\"jsonrpc\":\"2.0\",\"error\":{"
         "\"code\":-32700,",
         400},
        /* envelope before _meta */
        {"MCP-Protocol-Version: v9\n", "{\"jsonrpc\":\"2.0\",\"id\":1}",
         "\"id\":1,\"error\":{\"code\":-32600,", 400},
        /* required members of _meta before headers */
        {"MCP-Protocol-Version: v9\n", REQ("no/such", ""),
         "\"id\":1,\"error\":{\"code\":-32602,", 400},
        {"MCP-Protocol-Version: 2026-07-28\n", REQ("no/such", "\"_meta\":5"),
         "\"code\":-32602,", 400},
        {"MCP-Protocol-Version: v9\n",
         REQ("no/such", "\"_meta\":{" V "\"v8\"}"), "\"code\":-32602,", 400},
        {"MCP-Protocol-Version: v9\n",
         REQ("no/such", "\"_meta\":{" V "8," C "{}}"), "\"code\":-32602,", 400},
        {"MCP-Protocol-Version: v9\n",
         REQ("no/such", "\"_meta\":{" V "\"v8\"," C "[]}"), "\"code\":-32602,",
         400},
        {"MCP-Protocol-Version: 2026-07-28\n",
         REQ("no/such", "\"_meta\":{" C "{}}"), "\"code\":-32602,", 400},
        /* header against _meta before the version itself */
        {"MCP-Protocol-Version: 2026-07-28\n",
         REQ("no/such", "\"_meta\":{" V "\"v999.0.0\"," C "{}}"),
         "\"code\":-32020,", 400},
        {"", REQ("no/such", "\"_meta\":{" V "\"v999.0.0\"," C "{}}"),
         "\"code\":-32020,", 400},
        {"MCP-Protocol-Version: v9\nMCP-Protocol-Version: v9\n",
         REQ("no/such", "\"_meta\":{" V "\"v9\"," C "{}}"), "\"code\":-32020,",
         400},
        /* the version before Mcp-Method */
        {"MCP-Protocol-Version: v999.0.0\n",
         REQ("no/such", "\"_meta\":{" V "\"v999.0.0\"," C "{}}"),
         "\"code\":-32022,\"message\":\"Unsupported protocol "
         "version\",\"data\":{\"supported\":[\"2026-07-28\",\"2025-11-25\","
         "\"2025-06-18\",\"2025-03-26\"],\"requested\":\"v999.0.0\"}}}",
         400},
        {"MCP-Protocol-Version: 2025-11-25\n",
         REQ("no/such", "\"_meta\":{" V "\"2025-11-25\"," C "{}}"),
         "\"requested\":\"2025-11-25\"", 400},
        /* Mcp-Method before the method */
        {"MCP-Protocol-Version: 2026-07-28\n", REQ("no/such", META),
         ERROR("-32020", "Header mismatch: Mcp-Method is missing"), 400},
        {MODERN("no/other"), REQ("no/such", META), "\"code\":-32020,", 400},
        {MODERN("NO/SUCH"), REQ("no/such", META), "\"code\":-32020,", 400},
        {MODERN("no/such") "mcp-method: no/such\n", REQ("no/such", META),
         "\"code\":-32020,", 400},
        /* Mcp-Name before the method */
        {MODERN("prompts/get"), REQ("prompts/get", "\"name\":\"x\"," META),
         ERROR("-32020", "Header mismatch: Mcp-Name is missing"), 400},
        {MODERN("prompts/get") "Mcp-Name: y\n",
         REQ("prompts/get", "\"name\":\"x\"," META),
         ERROR("-32020",
               "Header mismatch: Mcp-Name does not match params.name"),
         400},
        /* the method before its parameters */
        {MODERN("prompts/get") "Mcp-Name: x\n",
         REQ("prompts/get", "\"name\":\"x\"," META), "\"code\":-32601,", 404},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        expect_part(post(f, rows[i].headers, rows[i].body), rows[i].status,
                    rows[i].expected);
    assert_int_equal(fixture_runs(f), 0);
}

static void client_info_is_optional_but_typed(void **state)
{
    static const char *const bad[] = {"5",  "null",         "\"x\"",
                                      "[]", "{\"name\":5}", "{\"version\":{}}"};

    (void)state;
    expect_part(post(f, MODERN("tools/list"),
                     REQ("tools/list", "\"_meta\":{" V "\"2026-07-28\"," C
                                       "{},\"io.modelcontextprotocol/"
                                       "clientInfo\":{\"name\":\"n\","
                                       "\"version\":\"1\"}}")),
                200, "\"result\":");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char body[512];

        snprintf(body, sizeof(body),
                 REQ("tools/list", "\"_meta\":{" V "\"2026-07-28\"," C "{},"
                                   "\"io.modelcontextprotocol/clientInfo\":"
                                   "%s}"),
                 bad[i]);
        expect_part(post(f, MODERN("tools/list"), body), 400,
                    "\"code\":-32602,");
    }
}

static void level_and_token_of_the_wrong_kind_are_refused(void **state)
{
    static const char *const bad[] = {
        "\"io.modelcontextprotocol/logLevel\":\"loud\"",
        "\"io.modelcontextprotocol/logLevel\":3",
        "\"progressToken\":1.5",
        "\"progressToken\":null",
        "\"progressToken\":{}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char body[512];

        snprintf(
            body, sizeof(body),
            REQ("tools/list", "\"_meta\":{" V "\"2026-07-28\"," C "{},%s}"),
            bad[i]);
        expect_part(post(f, MODERN("tools/list"), body), 400,
                    "\"code\":-32602,");
    }
}

static void header_names_ignore_case_and_values_lose_their_margin(void **state)
{
    (void)state;
    expect(post(f,
                "mcp-protocol-version: 2026-07-28\nMCP-METHOD:  tools/call \n"
                "mcp-name:   echo  \t\n",
                CALL("echo", "{}")),
           200, TEXT("{}"));
}

static void the_name_may_be_encoded(void **state)
{
    static const struct {
        const char *header;
        int status;
    } rows[] = {
        {"=?base64?ZWNobw==?=", 200},
        {"=?base64?ZWNobw?=", 400},
        {"=?base64?ZWNobx==?=", 400},
        {"=?base64?ZW!obw==?=", 400},
        {"=?base64?ZWNobw==", 400},
        {"=?BASE64?ZWNobw==?=", 400},
        {"=?base64?"
         "?=",
         400},
        {"=?base64?=", 400},
        {"ECHO", 400},
        {"ech\xc3\xb6", 400},
        {"", 400},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char headers[256];

        snprintf(headers, sizeof(headers),
                 MODERN("tools/call") "Mcp-Name: %s\n", rows[i].header);
        expect_part(post(f, headers, CALL("echo", "{}")), rows[i].status,
                    rows[i].status == 200 ? "\"result\":" : "\"code\":-32020,");
    }
}

static void raw_bytes_in_a_header_are_refused_though_they_match(void **state)
{
    (void)state;
    expect_part(post(f, CALLING("ech\xc3\xb6"), CALL("ech\xc3\xb6", "{}")), 400,
                "Mcp-Name is badly encoded");
    expect_part(
        post(f, CALLING("=?base64?ZWNow7Y=?="), CALL("ech\xc3\xb6", "{}")), 200,
        "\"code\":-32602,");
}

static void a_second_name_header_is_refused(void **state)
{
    (void)state;
    expect_part(
        post(f, CALLING("echo") "Mcp-Name: fails\n", CALL("echo", "{}")), 400,
        "Mcp-Name is there more than once");
    expect_part(post(f, CALLING("echo"), CALL("fails", "{}")), 400,
                "\"code\":-32020,");
    assert_int_equal(fixture_runs(f), 0);
}

static void a_name_is_compared_where_it_is_optional(void **state)
{
    (void)state;
    expect_part(post(f, MODERN("skills/get"),
                     REQ("skills/get", "\"uri\":\"skill://a/SKILL.md\"," META)),
                404, "\"code\":-32601,");
    expect_part(post(f, MODERN("skills/get") "Mcp-Name: b\n",
                     REQ("skills/get", "\"uri\":\"skill://a/SKILL.md\"," META)),
                400, "\"code\":-32020,");
    expect_part(post(f, MODERN("tasks/get") "Mcp-Name: t1\n",
                     REQ("tasks/get", "\"taskId\":\"t1\"," META)),
                404, "\"code\":-32601,");
    expect_part(post(f, MODERN("resources/read") "Mcp-Name: t1\n",
                     REQ("resources/read", "\"uri\":\"t2\"," META)),
                400, "params.uri");
}

static void mirrored_arguments_agree_with_their_headers(void **state)
{
    static const struct {
        const char *header, *city;
        int status;
    } rows[] = {
        {"Mcp-Param-City: Bern\n", "\"Bern\"", 200},
        {"mcp-param-city: Bern\n", "\"Bern\"", 200},
        {"Mcp-Param-City: =?base64?QmVybg==?=\n", "\"Bern\"", 200},
        {"Mcp-Param-City: =?base64?QmVybg?=\n", "\"Bern\"", 400},
        {"Mcp-Param-City: QmVybg==\n", "\"QmVybg==\"", 200},
        {"", "\"Bern\"", 400},
        {"Mcp-Param-City: bern\n", "\"Bern\"", 400},
        {"Mcp-Param-City: Bern\nMcp-Param-City: Bern\n", "\"Bern\"", 400},
        {"Mcp-Param-City: Bern\n", "null", 400},
        {"", "null", 200},
        {"", "[1]", 200}, /* isError by the schema */
        {"Mcp-Param-City: true\n", "true", 200},
        {"Mcp-Param-City: 42.0\n", "42", 200},
        {"Mcp-Param-City: 42.5\n", "42", 400},
        {"Mcp-Param-City: 42x\n", "42", 400},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char headers[256], body[512];

        snprintf(headers, sizeof(headers), CALLING("weather") "%s",
                 rows[i].header);
        snprintf(body, sizeof(body), CALL("weather", "{\"city\":%s}"),
                 rows[i].city);
        expect_part(post(f, headers, body), rows[i].status,
                    rows[i].status == 200 ? "\"result\":" : "\"code\":-32020,");
    }
}

static void unknown_methods_are_404_and_name_the_nearest(void **state)
{
    static const char *const removed[] = {
        "initialize",          "ping",       "logging/setLevel",
        "resources/subscribe", "tasks/list", "resources/unsubscribe",
        "prompts/list"};

    (void)state;
    expect(post(f, MODERN("tools/lst"), REQ("tools/lst", META)), 404,
           ERROR("-32601", "Method not found: \\\"tools/lst\\\"; did you mean "
                           "\\\"tools/list\\\"?"));
    for (size_t i = 0; i < sizeof(removed) / sizeof(*removed); i++) {
        char headers[256], body[512];

        snprintf(headers, sizeof(headers), MODERN("%s"), removed[i]);
        snprintf(body, sizeof(body), REQ("%s", META), removed[i]);
        expect_part(post(f, headers, body), 404, "\"code\":-32601,");
    }
}

static void tools_methods_are_unknown_without_tools(void **state)
{
    struct fixture *empty = fixture_new(false);

    (void)state;
    expect_part(
        post(empty, MODERN("server/discover"), REQ("server/discover", META)),
        200, "\"capabilities\":{\"logging\":{}}");
    expect_part(post(empty, MODERN("tools/list"), REQ("tools/list", META)), 404,
                "\"code\":-32601,");
    fixture_free(empty);
}

static void bad_names_and_arguments_are_errors_at_200(void **state)
{
    (void)state;
    expect(post(f, CALLING("ecko"), CALL("ecko", "{}")), 200,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
           "\"message\":\"Unknown tool \\\"ecko\\\"; did you mean "
           "\\\"echo\\\"?\",\"data\":{\"name\":\"ecko\"}}}");
    expect(post(f, CALLING("quite_else"), CALL("quite_else", "{}")), 200,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
           "\"message\":\"Unknown tool \\\"quite_else\\\"\",\"data\":{\"name\":"
           "\"quite_else\"}}}");
    expect(post(f, CALLING("echo"), CALL("echo", "[]")), 200,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
           "\"message\":\"arguments must be an object\",\"data\":{\"name\":"
           "\"echo\"}}}");
    expect_part(post(f, CALLING("echo"), CALL("echo", "\"{}\"")), 200,
                "\"code\":-32602,");
    assert_int_equal(fixture_runs(f), 0);
}

static void broken_arguments_are_a_result(void **state)
{
    const struct answer *a;

    (void)state;
    a = post(f, CALLING("weather"), CALL("weather", "{\"days\":0,\"x\":1}"));
    expect_part(a, 200, "\"isError\":true");
    expect_part(a, 200, "/days: ");
    expect_part(a, 200, "Invalid arguments for tool \\\"weather\\\":");
    assert_non_null(strstr(a->body, "city"));
    assert_non_null(strstr(a->body, "x"));
    assert_int_equal(fixture_runs(f), 0);
}

static void an_integer_no_double_holds_is_refused(void **state)
{
    (void)state;
    expect(post(f, CALLING("echo"),
                CALL("echo", "{\"a\":[{\"b/c\":9007199254740993}]}")),
           200,
           FAILURE("Invalid arguments for tool \\\"echo\\\":\\n- /a/0/b~1c: "
                   "9007199254740993 cannot be held exactly as a number; send "
                   "it as a string"));
    expect_part(post(f, CALLING("echo"), CALL("echo", "{\"a\":1e400}")), 200,
                "\"isError\":true");
    expect(post(f, CALLING("echo"),
                CALL("echo", "{\"a\":9007199254740992,\"b\":0.1}")),
           200, TEXT("{\\\"a\\\":9007199254740992,\\\"b\\\":0.1}"));
}

static void structured_results_carry_meta_and_signature(void **state)
{
    (void)state;
    expect(post(f, CALLING("weather") "Mcp-Param-City: Bern\n",
                CALL("weather", "{\"city\":\"Bern\"}")),
           200,
           RESULT("\"resultType\":\"complete\",\"content\":[{\"type\":\"text\","
                  "\"text\":\"22\"}],\"structuredContent\":{\"temperature\":22}"
                  ",\"_meta\":{\"x/y\":1,\"io.modelcontextprotocol/"
                  "serverInfo\":{\"name\":\"test\",\"version\":\"1.0\","
                  "\"title\":\"The test\"}}"));
    expect_part(post(f, CALLING("count"), CALL("count", "{}")), 200,
                "\"structuredContent\":3,");
}

static void failures_keep_only_what_the_author_set(void **state)
{
    (void)state;
    expect(post(f, CALLING("fails"), CALL("fails", "{}")), 200, FAILURE("no"));
    expect_part(
        post(f, CALLING("fails_in_shape"), CALL("fails_in_shape", "{}")), 200,
        "\"content\":[],\"structuredContent\":{\"why\":1},"
        "\"isError\":true,");
}

static void output_that_breaks_its_schema_is_a_failure(void **state)
{
    const struct answer *a = post(f, CALLING("lies"), CALL("lies", "{}"));

    (void)state;
    expect_part(a, 200, "The output of tool \\\"lies\\\" breaks its schema:");
    expect_part(a, 200, "- /n: ");
    expect_part(a, 200, "\"isError\":true");
    assert_null(strstr(a->body, "structuredContent"));
    expect_part(post(f, CALLING("forgets"), CALL("forgets", "{}")), 200,
                "there is no structured content");
    fixture_set(f, "expose_errors", "false");
    fixture_publish(f, true);
    expect(post(f, CALLING("lies"), CALL("lies", "{}")), 200,
           FAILURE("Internal error in tool lies"));
}

static void an_error_of_the_app_keeps_its_code(void **state)
{
    (void)state;
    expect(post(f, CALLING("raises"), CALL("raises", "{}")), 200,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1234,\"message\":"
           "\"own \\\"code\\\"\",\"data\":[1]}}");
    expect_part(post(f, CALLING("demands"), CALL("demands", "{}")), 400,
                "\"code\":-32021,\"message\":\"no sampling\",\"data\":{"
                "\"requiredCapabilities\":{\"sampling\":{}}}");
    expect(post(f, CALLING("nothing"), CALL("nothing", "{}")), 200,
           ERROR("-32603", "Internal error"));
    /* nobody took it back: the server ends */
    expect(post(f, CALLING("canceled"), CALL("canceled", "{}")), 503,
           ERROR("-32603", "busy"));
}

static void a_full_queue_is_503(void **state)
{
    const struct answer *a;

    (void)state;
    fixture_mode(f, FAKE_BUSY);
    a = post(f, CALLING("echo"), CALL("echo", "{}"));
    expect(a, 503, ERROR("-32603", "busy"));
    assert_string_equal(a->headers, "Retry-After: 1\n");
    expect_part(post(f, MODERN("tools/list"), REQ("tools/list", META)), 200,
                "\"result\":");
}

static void logs_and_progress_come_when_asked_for(void **state)
{
    (void)state;
    assert_string_equal(
        post(f, CALLING("chatty"), CALL("chatty", "{}"))->emitted, "");
    assert_string_equal(
        post(f, CALLING("chatty"),
             REQ("tools/call",
                 "\"name\":\"chatty\",\"_meta\":{" V "\"2026-07-28\"," C
                 "{},\"io.modelcontextprotocol/logLevel\":\"info\","
                 "\"progressToken\":12345678901234567890}"))
            ->emitted,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
        "\"level\":\"info\",\"logger\":\"app\",\"data\":{\"a\":1}}}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
        "\"level\":\"error\",\"data\":\"e\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
        "{\"progressToken\":12345678901234567890,\"progress\":1,\"total\":2,"
        "\"message\":\"one\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
        "{\"progressToken\":12345678901234567890,\"progress\":1.5}}\n");
}

static void notifications_are_taken_and_responses_refused(void **state)
{
    const struct answer *a;

    (void)state;
    a = post(f, MODERN("notifications/cancelled"),
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
             "\"params\":{\"requestId\":1," META "}}");
    expect(a, 202, "");
    expect(post(f, "MCP-Protocol-Version: 2026-07-28\n",
                "{\"jsonrpc\":\"2.0\",\"method\":\"anything\"}"),
           202, "");
    expect_part(post(f, "MCP-Protocol-Version: 2026-07-28\n",
                     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"),
                400, "\"id\":1,\"error\":{\"code\":-32600,");
}

static void a_session_header_is_ignored(void **state)
{
    (void)state;
    expect_part(post(f, MODERN("tools/list") "Mcp-Session-Id: deadbeef\n",
                     REQ("tools/list", META)),
                200, "\"result\":");
}

static void leaving_cancels_the_call(void **state)
{
    struct flying *fl;

    (void)state;
    fixture_mode(f, FAKE_LATER);
    fl = launch(f, MCP_TRANSPORT_HTTP, CALLING("echo"), CALL("echo", "{}"));
    assert_false(land(f, fl)->done);
    hang_up(f, fl);
    assert_int_equal(fixture_cancels(f), 1);
    fixture_run_waiting(f);
    expect(land(f, fl), 202, "");
}

static void answers_to_a_round_of_input_are_not_cacheable(void **state)
{
    (void)state;
    fixture_set(f, "cache_ttl_ms", "5000");
    fixture_set(f, "cache_scope", "public");
    fixture_publish(f, true);
    expect_part(post(f, MODERN("tools/list"), REQ("tools/list", META)), 200,
                "\"ttlMs\":5000,\"cacheScope\":\"public\"");
    expect_part(post(f, MODERN("tools/list"),
                     REQ("tools/list", "\"requestState\":\"x\"," META)),
                200, "\"ttlMs\":0,\"cacheScope\":\"private\"");
    expect_part(post(f, MODERN("server/discover"),
                     REQ("server/discover", "\"inputResponses\":{}," META)),
                200, "\"ttlMs\":0,\"cacheScope\":\"private\"");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(discover_tells_who_we_are),
        T(a_call_runs_the_handler),
        T(absent_and_null_arguments_are_empty),
        T(checks_come_in_their_order),
        T(client_info_is_optional_but_typed),
        T(level_and_token_of_the_wrong_kind_are_refused),
        T(header_names_ignore_case_and_values_lose_their_margin),
        T(the_name_may_be_encoded),
        T(raw_bytes_in_a_header_are_refused_though_they_match),
        T(a_second_name_header_is_refused),
        T(a_name_is_compared_where_it_is_optional),
        T(mirrored_arguments_agree_with_their_headers),
        T(unknown_methods_are_404_and_name_the_nearest),
        T(tools_methods_are_unknown_without_tools),
        T(bad_names_and_arguments_are_errors_at_200),
        T(broken_arguments_are_a_result),
        T(an_integer_no_double_holds_is_refused),
        T(structured_results_carry_meta_and_signature),
        T(failures_keep_only_what_the_author_set),
        T(output_that_breaks_its_schema_is_a_failure),
        T(an_error_of_the_app_keeps_its_code),
        T(a_full_queue_is_503),
        T(logs_and_progress_come_when_asked_for),
        T(notifications_are_taken_and_responses_refused),
        T(a_session_header_is_ignored),
        T(leaving_cancels_the_call),
        T(answers_to_a_round_of_input_are_not_cacheable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
