/* Mirrors src/protocol/rpc.c and the reading of a message in endpoint.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocol_common.h"

#define ERR(id, code) "{\"jsonrpc\":\"2.0\"," id "\"error\":{\"code\":" code ","

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

struct row {
    const char *body, *start; /* what the answer starts with */
    int status;
};

static void expect_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct answer *a = post(f, "", rows[i].body);

        if (strncmp(a->body, rows[i].start, strlen(rows[i].start)) != 0 ||
            a->status != rows[i].status ||
            (rows[i].start[0] == '\0' && a->body_len > 0))
            fail_msg("%s\n -> %d %s\nnot %d %s", rows[i].body, a->status,
                     a->body, rows[i].status, rows[i].start);
    }
    assert_int_equal(fixture_runs(f), 0);
}

#define EXPECT_ROWS(rows) expect_rows(rows, sizeof(rows) / sizeof(*(rows)))

static void what_is_no_json_is_a_parse_error(void **state)
{
    static const struct row rows[] = {
        {"", ERR("", "-32700"), 400},
        {"{\"jsonrpc\":", ERR("", "-32700"), 400},
        {"{", ERR("", "-32700"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,", ERR("", "-32700"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
         "\"name\":\"echo\",\"arguments\":{\"x\":NaN}}}",
         ERR("", "-32700"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
         "\"name\":\"echo\",\"arguments\":{\"x\":0x10}}}",
         ERR("", "-32700"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
         "\"name\":\"echo\",\"arguments\":{\"x\":01}}}",
         ERR("", "-32700"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
         "\"name\":\"echo\",\"arguments\":{\"x\":Infinity}}}",
         ERR("", "-32700"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x",
         ERR("", "-32700"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
         ERR("", "-32700"), 400},
    };

    (void)state;
    EXPECT_ROWS(rows);
}

static void a_bad_envelope_is_an_invalid_request(void **state)
{
    static const struct row rows[] = {
        {"{\"hello\":\"world\"}", ERR("", "-32600"), 400},
        {"{}", ERR("", "-32600"), 400},
        {"1", ERR("", "-32600"), 400},
        {"null", ERR("", "-32600"), 400},
        {"\"ping\"", ERR("", "-32600"), 400},
        {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
         ERR("\"id\":1,", "-32600"), 400},
        {"{\"id\":1,\"method\":\"ping\"}", ERR("\"id\":1,", "-32600"), 400},
        {"{\"jsonrpc\":2.0,\"id\":\"a\",\"method\":\"ping\"}",
         ERR("\"id\":\"a\",", "-32600"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", ERR("\"id\":1,", "-32600"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":12345}",
         ERR("\"id\":1,", "-32600"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}",
         ERR("\"id\":1,", "-32600"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"result\":{}}",
         ERR("\"id\":1,", "-32600"), 400},
        {"{\"jsonrpc\":\"2.0\",\"method\":5}", ERR("", "-32600"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":5}",
         ERR("\"id\":1,", "-32602"), 200},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
         ERR("\"id\":1,", "-32602"), 200},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[]}", "", 202},
    };

    (void)state;
    EXPECT_ROWS(rows);
}

static void ids_that_cannot_be_echoed_are_refused(void **state)
{
    static const char *const bad[] = {"null", "true", "false", "{}",  "[]",
                                      "1.5",  "1.0",  "1e2",   "-0.0"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char body[128];
        struct row row = {body, ERR("", "-32600"), 400};

        snprintf(body, sizeof(body),
                 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/list\"}",
                 bad[i]);
        expect_rows(&row, 1);
    }
}

static void ids_come_back_digit_for_digit(void **state)
{
    static const char *const good[] = {
        "0",
        "-1",
        "-0",
        "1",
        "\"1\"",
        "\"\"",
        "9007199254740993",
        "123456789012345",
        "1753900000000",
        "99999999999999999999999999999999999999",
        "\"a\\\"b\\\\\"",
        "\"\xc3\xa4\\u0000\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        char body[128], expected[128];

        snprintf(body, sizeof(body),
                 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}",
                 good[i]);
        snprintf(expected, sizeof(expected),
                 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", good[i]);
        expect(post(f, "", body), 200, expected);
    }
}

static void keys_that_come_twice_are_refused(void **state)
{
    static const struct row rows[] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
         "\"name\":\"echo\",\"name\":\"fails\"}}",
         ERR("\"id\":1,", "-32600"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}",
         ERR("", "-32600"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\",\"method\":\"ping\"}",
         ERR("", "-32600"), 400},
        {"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{"
         "\"name\":\"echo\",\"arguments\":{\"a\":{\"b\":1,\"\\u0062\":2}}}}",
         ERR("\"id\":3,", "-32600"), 400},
        {"[{\"a\":1,\"a\":2}]", ERR("", "-32600"), 400},
    };

    (void)state;
    EXPECT_ROWS(rows);
}

static void batches_are_refused_without_a_session_of_2025_03_26(void **state)
{
    static const struct row rows[] = {
        {"[]", ERR("", "-32600"), 400},
        {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
         ERR("", "-32600"), 400},
    };

    (void)state;
    EXPECT_ROWS(rows);
    expect_part(post(f, open_session(f, "2025-06-18"), rows[1].body), 400,
                ERR("", "-32600"));
    expect_part(post(f, MODERN("ping"), rows[1].body), 400, ERR("", "-32600"));
}

static void a_method_name_ends_where_its_text_ends(void **state)
{
    static const struct row rows[] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\\u0000\"}",
         ERR("\"id\":1,", "-32601"), 200},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pin\"}",
         ERR("\"id\":1,", "-32601"), 200},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}",
         ERR("\"id\":1,", "-32601"), 200},
    };

    (void)state;
    EXPECT_ROWS(rows);
}

static void depth_is_bounded(void **state)
{
    char *body = malloc(200100);
    char open[128] = {0}, close[128] = {0};
    char nested[512];

    (void)state;
    strcpy(body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\","
                 "\"params\":{\"a\":");
    memset(body + strlen(body), '[', 100000);
    post_bytes(f, "", body, 100050);
    expect_part(post_bytes(f, "", body, 100050), 400, ERR("", "-32700"));
    free(body);
    for (int extra = 0; extra < 2; extra++) { /* 2 + 62 levels, then 63 */
        memset(open, '[', 62 + (size_t)extra);
        memset(close, ']', 62 + (size_t)extra);
        snprintf(nested, sizeof(nested),
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\","
                 "\"params\":{\"a\":%s%s}}",
                 open, close);
        expect_part(post(f, "", nested), extra == 0 ? 200 : 400,
                    extra == 0 ? "\"result\":{}" : "-32700");
    }
}

static void a_message_with_too_many_values_is_413(void **state)
{
    size_t n = 600000; /* 32 bytes each in an arena of 8 MiB */
    char *body = malloc(2 * n + 100);
    char *at = body;

    (void)state;
    at += sprintf(at, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\","
                      "\"params\":{\"a\":[0");
    for (size_t i = 0; i < n; i++) {
        *at++ = ',';
        *at++ = '0';
    }
    at += sprintf(at, "]}}");
    expect_part(post_bytes(f, "", body, (size_t)(at - body)), 413,
                ERR("", "-32600"));
    free(body);
}

static void long_names_are_cut_between_characters(void **state)
{
    char body[1024], name[400] = {0};
    const struct answer *a;

    (void)state;
    for (int i = 0; i < 130; i++)
        strcat(name, "\xe2\x82\xac");
    snprintf(body, sizeof(body),
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\"}", name);
    a = post(f, "", body);
    expect_part(a, 200, "Method not found: \\\"");
    assert_true(mcp_utf8_valid(a->body, a->body_len, NULL));
    assert_true(a->body_len < 250);
    snprintf(body, sizeof(body),
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"x%s\"}}",
             name);
    a = post(f, "", body);
    expect_part(a, 200, "Unknown tool \\\"x");
    assert_true(mcp_utf8_valid(a->body, a->body_len, NULL));
    assert_true(a->body_len < 450);
}

static void refusals_of_the_transport_have_one_body(void **state)
{
    static const struct {
        int status;
        const char *body;
    } rows[] = {
        {403, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":"
              "\"why \\\"so\\\"\"}}"},
        {415, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":"
              "\"why \\\"so\\\"\"}}"},
        {503, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":"
              "\"why \\\"so\\\"\"}}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct mcp_call call = {.transport = MCP_TRANSPORT_HTTP};

        mcp_endpoint_refuse(&call, rows[i].status, "why \"so\"");
        assert_int_equal(call.status, rows[i].status);
        assert_int_equal(call.out.len, strlen(rows[i].body));
        assert_memory_equal(call.out.data, rows[i].body, call.out.len);
        mcp_buf_free(&call.out);
    }
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(what_is_no_json_is_a_parse_error),
        T(a_bad_envelope_is_an_invalid_request),
        T(ids_that_cannot_be_echoed_are_refused),
        T(ids_come_back_digit_for_digit),
        T(keys_that_come_twice_are_refused),
        T(batches_are_refused_without_a_session_of_2025_03_26),
        T(a_method_name_ends_where_its_text_ends),
        T(depth_is_bounded),
        T(a_message_with_too_many_values_is_413),
        T(long_names_are_cut_between_characters),
        T(refusals_of_the_transport_have_one_body),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
