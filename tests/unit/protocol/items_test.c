/* Resources, prompts and completion over the wire of each era: mirrors rows of
 * src/protocol/dispatch.c and headers.c. What the methods answer is tested in
 * unit/features. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocol_common.h"

#define REQ(method, params)                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method                       \
    "\",\"params\":{" params "}}"
#define NAMED(method, name) MODERN(method) "Mcp-Name: " name "\n"
#define READ                "resources/read"
#define GET                 "prompts/get"
#define COMPLETE            "completion/complete"
#define HELLO               "\"name\":\"greet/hello\",\"arguments\":{\"who\":\"w\"}"
#define WHO                                                                    \
    "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet/hello\"},"              \
    "\"argument\":{\"name\":\"who\",\"value\":\"a\"}"

static struct fixture *f;

static int set_up(void **state)
{
    (void)state;
    f = fixture_new(true);
    fixture_publish_all(f);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_free(f);
    return 0;
}

static const struct {
    const char *headers, *modern, *legacy; /* requests    */
    const char *member;                    /* of a result */
} rows[] = {
    {MODERN("resources/list"), REQ("resources/list", META),
     REQ("resources/list", ""), "\"resources\":["},
    {MODERN("resources/templates/list"), REQ("resources/templates/list", META),
     REQ("resources/templates/list", ""), "\"resourceTemplates\":["},
    {MODERN("prompts/list"), REQ("prompts/list", META), REQ("prompts/list", ""),
     "\"prompts\":["},
    {NAMED(READ, "t://one"), REQ(READ, "\"uri\":\"t://one\"," META),
     REQ(READ, "\"uri\":\"t://one\""), "\"contents\":[{\"uri\":\"t://one\""},
    {NAMED(READ, "t://two"), REQ(READ, "\"uri\":\"t://two\"," META),
     REQ(READ, "\"uri\":\"t://two\""), "\"contents\":[{\"uri\":\"t://x\""},
    {NAMED(GET, "greet/hello"), REQ(GET, HELLO "," META), REQ(GET, HELLO),
     "\"messages\":["},
    {MODERN(COMPLETE), REQ(COMPLETE, WHO "," META), REQ(COMPLETE, WHO),
     "\"values\":[\"Ann\"],\"total\":1,\"hasMore\":false}"},
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

static void every_method_is_served_in_both_eras(void **state)
{
    const char *session = open_session(f, "2025-03-26");

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        expect_part(post(f, rows[i].headers, rows[i].modern), 200,
                    rows[i].member);
        expect_part(post(f, rows[i].headers, rows[i].modern), 200,
                    "\"resultType\":\"complete\"");
        expect_part(post(f, session, rows[i].legacy), 200, rows[i].member);
        assert_null(strstr(post(f, session, rows[i].legacy)->body, "_meta"));
        expect_part(post(f, "", rows[i].legacy), 200, rows[i].member);
        expect_part(line(f, rows[i].modern), 200, rows[i].member);
    }
}

static void without_such_items_the_methods_are_unknown(void **state)
{
    (void)state;
    fixture_publish(f, true);
    for (size_t i = 0; i < ROWS; i++) {
        expect_part(post(f, rows[i].headers, rows[i].modern), 404, "-32601");
        expect_part(post(f, "", rows[i].legacy), 200, "-32601");
    }
}

static void mcp_name_repeats_the_uri_or_the_name(void **state)
{
    static const struct {
        const char *headers, *body;
    } bad[] = {
        {MODERN(READ), REQ(READ, "\"uri\":\"t://one\"," META)},
        {NAMED(READ, "t://two"), REQ(READ, "\"uri\":\"t://one\"," META)},
        {NAMED(READ, "T://one"), REQ(READ, "\"uri\":\"t://one\"," META)},
        {NAMED(READ, "t://one"), REQ(READ, META)},
        {NAMED(READ, "=?base64?dDovL29uZQ?="),
         REQ(READ, "\"uri\":\"t://one\"," META)},
        {MODERN(GET), REQ(GET, HELLO "," META)},
        {NAMED(GET, "hello"), REQ(GET, HELLO "," META)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        expect_part(post(f, bad[i].headers, bad[i].body), 400,
                    "\"code\":-32020,");
    assert_int_equal(fixture_runs(f), 0);
    expect_part(post(f, NAMED(READ, "=?base64?dDovL29uZQ==?="),
                     REQ(READ, "\"uri\":\"t://one\"," META)),
                200, "\"contents\":[");
}

static void what_is_not_there_travels_with_200(void **state)
{
    (void)state;
    expect(post(f, NAMED(READ, "t://none"),
                REQ(READ, "\"uri\":\"t://none\"," META)),
           200,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
           "\"message\":\"Resource not found: \\\"t://none\\\"\",\"data\":{"
           "\"uri\":\"t://none\"}}}");
    expect(post(f, "", REQ(READ, "\"uri\":\"urn:isbn:0451450523\"")), 200,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32002,"
           "\"message\":\"Resource not found: "
           "\\\"urn:isbn:0451450523\\\"\",\"data\":{"
           "\"uri\":\"urn:isbn:0451450523\"}}}");
    expect_part(post(f, NAMED(GET, "greet/hello"),
                     REQ(GET, "\"name\":\"greet/hello\"," META)),
                200,
                "\"data\":{\"name\":\"greet/hello\",\"missing\":[\"who\"]}");
    expect_part(post(f, NAMED(READ, "t://..%2Fx"),
                     REQ(READ, "\"uri\":\"t://..%2Fx\"," META)),
                200, "\"code\":-32602,");
}

static void handlers_can_be_cancelled_and_refused(void **state)
{
    static const size_t run[] = {4, 5, 6};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct flying *fl;

        fixture_mode(f, FAKE_LATER);
        fl = launch(f, MCP_TRANSPORT_HTTP, rows[run[i]].headers,
                    rows[run[i]].modern);
        assert_false(peek(fl)->done);
        hang_up(f, fl);
        assert_int_equal(fixture_cancels(f), i + 1);
        fixture_run_waiting(f);
        assert_string_equal(land(f, fl)->body, "");
        fixture_mode(f, FAKE_BUSY);
        expect_part(post(f, rows[run[i]].headers, rows[run[i]].modern), 503,
                    "busy");
    }
    expect_part(post(f, rows[3].headers, rows[3].modern), 200, "contents");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
        T(every_method_is_served_in_both_eras),
        T(without_such_items_the_methods_are_unknown),
        T(mcp_name_repeats_the_uri_or_the_name),
        T(what_is_not_there_travels_with_200),
        T(handlers_can_be_cancelled_and_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
