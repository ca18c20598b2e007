/* Mirrors src/transport/bridge_message.c and bridge_message_headers.c. */
#include "transport/bridge_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define VERSION "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""
#define CLIENT                                                                 \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"mcpluad-bridge\","     \
    "\"version\":\"" MCP_VERSION "\"}"
#define CAPABLE  "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define ALL_META VERSION "," CLIENT "," CAPABLE

struct read {
    struct mcp_arena *arena;
    struct mcp_bridge_message m;
    enum mcp_err rc;
    int code;
    const char *why;
};

static struct read read_text(const char *text)
{
    struct read r = {.arena = mcp_arena_new(1 << 20)};

    assert_non_null(r.arena);
    r.rc = mcp_bridge_read(r.arena, text, strlen(text), &r.m, &r.code, &r.why);
    return r;
}

static void expect_kind(const char *text, enum mcp_bridge_kind kind)
{
    struct read r = read_text(text);

    assert_int_equal(r.rc, MCP_OK);
    assert_int_equal(r.m.kind, kind);
    mcp_arena_free(r.arena);
}

static void messages_are_told_apart(void **state)
{
    (void)state;
    expect_kind("{\"id\":1,\"method\":\"x\"}", MCP_BRIDGE_REQUEST);
    expect_kind("{\"id\":\"\",\"method\":\"x\"}", MCP_BRIDGE_REQUEST);
    expect_kind("{\"method\":\"x\"}", MCP_BRIDGE_NOTIFICATION);
    expect_kind("{\"id\":1,\"result\":{}}", MCP_BRIDGE_RESPONSE);
    expect_kind("{\"id\":1,\"error\":{}}", MCP_BRIDGE_RESPONSE);
    expect_kind("[]", MCP_BRIDGE_BATCH);
}

static void expect_wrong(const char *text, int code, bool has_id)
{
    struct read r = read_text(text);

    assert_int_equal(r.rc, MCP_EINVAL);
    assert_int_equal(r.code, code);
    assert_non_null(r.why);
    assert_int_equal(r.m.id != NULL, has_id);
    mcp_arena_free(r.arena);
}

static void what_is_wrong_has_a_code(void **state)
{
    (void)state;
    expect_wrong("", -32700, false);
    expect_wrong("{", -32700, false);
    expect_wrong("{\"id\":1,\"id\":2,\"method\":\"x\"}", -32600, false);
    expect_wrong("1", -32600, false);
    expect_wrong("{\"id\":1}", -32600, true);
    expect_wrong("{\"id\":1,\"method\":1}", -32600, true);
    expect_wrong("{\"id\":null,\"method\":\"x\"}", -32600, false);
    expect_wrong("{\"id\":1.0,\"method\":\"x\"}", -32600, false);
}

static void expect_era(const char *text, bool client_is_legacy, bool modern)
{
    struct read r = read_text(text);

    assert_int_equal(r.rc, MCP_OK);
    if (mcp_bridge_is_modern(&r.m, client_is_legacy) != modern)
        fail_msg("%s: not %s", text, modern ? "modern" : "legacy");
    mcp_arena_free(r.arena);
}

static void a_legacy_client_stays_legacy(void **state)
{
    static const char list[] = "{\"id\":1,\"method\":\"tools/list\"}";
    static const char meta[] = "{\"id\":1,\"method\":\"tools/list\","
                               "\"params\":{\"_meta\":{" VERSION "}}}";

    (void)state;
    expect_era(list, true, false);
    expect_era(list, false, true); /* it would have begun with initialize */
    expect_era(meta, true, true);
    expect_era(meta, false, true);
    expect_era("{\"id\":1,\"method\":\"initialize\"}", false, false);
    expect_era("{\"id\":1,\"method\":\"ping\"}", false, false);
    expect_era("{\"method\":\"notifications/initialized\"}", false, false);
    expect_era("{\"id\":1,\"result\":{}}", false, false);
    expect_era("[]", false, false);
}

/* `completed` NULL: nothing is missing. */
static void expect_completed(const char *text, const char *completed)
{
    struct read r = read_text(text);
    struct mcp_buf out;

    assert_int_equal(r.rc, MCP_OK);
    assert_int_equal(mcp_bridge_lacks_meta(&r.m), completed != NULL);
    mcp_buf_init(&out, 1 << 16);
    if (completed != NULL) {
        mcp_bridge_write_completed(&out, &r.m);
        mcp_buf_putc(&out, '\0');
        assert_string_equal(out.data, completed);
    }
    mcp_buf_free(&out);
    mcp_arena_free(r.arena);
}

static void what_meta_lacks_is_added(void **state)
{
    (void)state;
    expect_completed(
        "{\"id\":1,\"method\":\"x\"}",
        "{\"id\":1,\"method\":\"x\",\"params\":{\"_meta\":{" ALL_META "}}}");
    expect_completed(
        "{\"params\":{\"a\":1.50},\"method\":\"x\"}",
        "{\"method\":\"x\",\"params\":{\"a\":1.50,\"_meta\":{" ALL_META "}}}");
    expect_completed("{\"method\":\"x\",\"params\":{\"_meta\":{"
                     "\"progressToken\":7," CAPABLE "}}}",
                     "{\"method\":\"x\",\"params\":{\"_meta\":{"
                     "\"progressToken\":7," CAPABLE "," VERSION "," CLIENT
                     "}}}");
    expect_completed("{\"method\":\"x\",\"params\":{\"_meta\":{" VERSION
                     "," CAPABLE "}}}",
                     NULL); /* clientInfo is not required */
    expect_completed("{\"method\":\"x\",\"params\":[1]}", NULL);
    expect_completed("{\"method\":\"x\",\"params\":{\"_meta\":1}}", NULL);
}

static void meta_for_our_own_requests_is_the_clients(void **state)
{
    static const char text[] = "{\"method\":\"x\",\"params\":{\"_meta\":{"
                               "\"progressToken\":7,\"a/b\":1," VERSION "}}}";
    struct read r = read_text(text);
    struct mcp_buf out;

    (void)state;
    mcp_buf_init(&out, 1 << 16);
    mcp_bridge_write_meta(&out, r.m.meta, false);
    mcp_buf_putc(&out, '\0');
    assert_string_equal(out.data, "{" ALL_META "}");
    mcp_buf_free(&out);
    mcp_arena_free(r.arena);
}

/* ---- headers ------------------------------------------------------------ */

static void expect_coded(const char *text, const char *value)
{
    struct mcp_buf out;

    mcp_buf_init(&out, 1 << 16);
    mcp_bridge_write_value(&out, text, strlen(text));
    mcp_buf_putc(&out, '\0');
    assert_string_equal(out.data, value);
    mcp_buf_free(&out);
}

static void values_are_encoded_as_the_specification_shows(void **state)
{
    (void)state;
    expect_coded("us-west1", "us-west1");
    expect_coded("a b\tc", "a b\tc");
    expect_coded("", "");
    expect_coded("Hello, \xe4\xb8\x96\xe7\x95\x8c",
                 "=?base64?SGVsbG8sIOS4lueVjA==?=");
    expect_coded(" padded ", "=?base64?IHBhZGRlZCA=?=");
    expect_coded("a\t", "=?base64?YQk=?=");
    expect_coded("line1\nline2", "=?base64?bGluZTEKbGluZTI=?=");
    expect_coded("\x7f", "=?base64?fw==?=");
    expect_coded("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
    expect_coded("=?base64?open", "=?base64?open");
    expect_coded("=?base64?=", "=?base64?="); /* head and tail share a '?' */
}

/* Headers joined by '|'. */
static void check_headers(const char *text, const struct mcp_mirrors *mirrors,
                          const char *headers)
{
    struct read r = read_text(text);
    struct mcp_buf out;

    assert_int_equal(r.rc, MCP_OK);
    mcp_buf_init(&out, 1 << 16);
    mcp_bridge_write_headers(&out, &r.m, mirrors);
    for (size_t i = 0; i < out.len; i++)
        if (out.data[i] == '\0')
            out.data[i] = '|';
    mcp_buf_putc(&out, '\0');
    assert_string_equal(out.data, headers);
    mcp_buf_free(&out);
    mcp_arena_free(r.arena);
}

static void the_headers_repeat_the_body(void **state)
{
#define V "MCP-Protocol-Version: 2026-07-28|Mcp-Method: "
    (void)state;
    check_headers("{\"method\":\"tools/list\",\"params\":{\"name\":\"x\"}}",
                  NULL, V "tools/list|");
    check_headers("{\"method\":\"tools/call\",\"params\":{\"name\":\"\xc3\xa9"
                  "\"}}",
                  NULL, V "tools/call|Mcp-Name: =?base64?w6k=?=|");
    check_headers("{\"method\":\"tools/call\",\"params\":{\"name\":5}}", NULL,
                  V "tools/call|");
    check_headers("{\"method\":\"resources/read\",\"params\":{\"uri\":\"a:b\","
                  "\"name\":\"x\"}}",
                  NULL, V "resources/read|Mcp-Name: a:b|");
    check_headers("{\"method\":\"tasks/get\",\"params\":{\"taskId\":\"t\"}}",
                  NULL, V "tasks/get|Mcp-Name: t|");
    check_headers("{\"method\":\"x\",\"params\":{\"_meta\":{"
                  "\"io.modelcontextprotocol/protocolVersion\":\"2030\"}}}",
                  NULL, "MCP-Protocol-Version: 2030|Mcp-Method: x|");
#undef V
}

static void arguments_become_headers_by_their_type(void **state)
{
    static const char text[] =
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"arguments\":{"
        "\"a\":%s}}}";
    static const struct {
        const char *value, *header;
    } cases[] = {
        {"\"x\"", "Mcp-Param-A: x|"},
        {"\"\"", "Mcp-Param-A: |"},
        {"42", "Mcp-Param-A: 42|"},
        {"42.0", "Mcp-Param-A: 42|"},
        {"-4.2e1", "Mcp-Param-A: -42|"},
        {"true", "Mcp-Param-A: true|"},
        {"false", "Mcp-Param-A: false|"},
        {"null", ""},
        {"[1]", ""},
        {"{}", ""},
        {"9007199254740993", "Mcp-Param-A: 9007199254740993|"},
    };
    static const struct mcp_json key = {
        .type = MCP_JSON_STRING, .count = 1, .u.text = "a"};
    static const struct mcp_json *const path[] = {&key};
    static const struct mcp_mirror mirror = {"Mcp-Param-A", path, 1};
    const struct mcp_mirrors mirrors = {&mirror, 1};
    char message[256], headers[256];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(message, sizeof(message), text, cases[i].value);
        (void)snprintf(headers, sizeof(headers),
                       "MCP-Protocol-Version: 2026-07-28|Mcp-Method: "
                       "tools/call|Mcp-Name: t|%s",
                       cases[i].header);
        check_headers(message, &mirrors, headers);
    }
    check_headers("{\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}",
                  &mirrors,
                  "MCP-Protocol-Version: 2026-07-28|Mcp-Method: tools/call|"
                  "Mcp-Name: t|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_told_apart),
        cmocka_unit_test(what_is_wrong_has_a_code),
        cmocka_unit_test(a_legacy_client_stays_legacy),
        cmocka_unit_test(what_meta_lacks_is_added),
        cmocka_unit_test(meta_for_our_own_requests_is_the_clients),
        cmocka_unit_test(values_are_encoded_as_the_specification_shows),
        cmocka_unit_test(the_headers_repeat_the_body),
        cmocka_unit_test(arguments_become_headers_by_their_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
