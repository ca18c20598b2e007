/* Every step of every path without memory: mirrors src/protocol/ and
 * src/features/tools_call.c where an arena is full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocol_common.h"

#define CALL(name, args)                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"     \
    "\"name\":\"" name "\",\"arguments\":" args "," META "}}"

enum { ENOUGH_BYTES = 24 << 10, STEP_BYTES = 16 };

static const struct {
    const char *headers, *body;
    int status;       /* with enough memory */
    const char *part; /* likewise */
} rows[] = {
    {CALLING("weather") "Mcp-Param-City: =?base64?QmVybg==?=\n",
     CALL("weather", "{\"city\":\"Bern\",\"days\":null}"), 200,
     "\"temperature\":22"},
    {CALLING("weather") "Mcp-Param-City: Basel\n",
     CALL("weather", "{\"city\":\"Bern\"}"), 400, "-32020"},
    {CALLING("weather"), CALL("weather", "{\"city\":\"Bern\"}"), 400, "-32020"},
    {CALLING("fails"), CALL("echo", "{}"), 400, "-32020"},
    {MODERN("tools/list") "Mcp-Name: echo\n", CALL("echo", "{}"), 400,
     "-32020"},
    {CALLING("ecko"), CALL("ecko", "{}"), 200, "did you mean"},
    {CALLING("weather"), CALL("weather", "{\"days\":0}"), 200, "/days"},
    {CALLING("lies"), CALL("lies", "{}"), 200, "breaks its schema"},
    {MODERN("no/such"),
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\",\"params\":{" META
     "}}",
     404, "-32601"},
    {"MCP-Protocol-Version: v9\n",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"_meta\":{"
     "\"io.modelcontextprotocol/protocolVersion\":\"v9\","
     "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
     400, "-32022"},
    {"",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
     "\"protocolVersion\":\"2025-11-25\"}}",
     200, "protocolVersion"},
    {"",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
     "\"cursor\":\"bogus\"}}",
     200, "-32602"},
    {"", "{\"a\":1,\"a\":2}", 400, "-32600"},
};

/* A refusal for lack of memory, or what comes with enough of it. In between
 * texts get shorter, but no check is passed that would fail. */
static void judge(const struct answer *a, size_t row)
{
    bool refused = a->status == 413 || a->status == 500 ||
                   strstr(a->body, "\"code\":-32603,") != NULL;

    assert_true(a->done);
    assert_non_null(strstr(a->body, "\"jsonrpc\":\"2.0\""));
    if (strstr(rows[row].headers, "=?base64?") != NULL && a->status == 400)
        refused = strstr(a->body, "-32020") != NULL;
    if (!refused && a->status != rows[row].status)
        fail_msg("%s\n%d %s", rows[row].body, a->status, a->body);
    if (!refused && rows[row].status != 200)
        assert_null(strstr(a->body, "\"result\":"));
}

static void every_amount_of_memory_is_survived(void **state)
{
    struct fixture *f = fixture_new(true);

    (void)state;
    for (size_t row = 0; row < sizeof(rows) / sizeof(*rows); row++) {
        for (size_t n = 0; n < ENOUGH_BYTES; n += STEP_BYTES) {
            fixture_arena(f, n);
            judge(post(f, rows[row].headers, rows[row].body), row);
            if (n > 4096)
                n += 8 * STEP_BYTES;
        }
        fixture_arena(f, ENOUGH_BYTES);
        expect_part(post(f, rows[row].headers, rows[row].body),
                    rows[row].status, rows[row].part);
    }
    fixture_free(f);
}

static void a_batch_without_memory_is_one_error(void **state)
{
    struct fixture *f = fixture_new(true);
    const char *s = open_session(f, "2025-03-26");
    const char *body = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]";

    (void)state;
    for (size_t n = 0; n < 8192; n += STEP_BYTES) {
        const struct answer *a;

        fixture_arena(f, n);
        a = post(f, s, body);
        assert_true(a->done);
        if (a->status == 200)
            assert_string_equal(
                a->body, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]");
        else
            assert_true(a->status == 500 || a->status == 413);
    }
    fixture_free(f);
}

static void a_stream_opens_whole_or_not_at_all(void **state)
{
    struct fixture *f = fixture_new(true);
    const char *body =
        "{\"jsonrpc\":\"2.0\",\"id\":\"long enough to need room\",\"method\":"
        "\"subscriptions/listen\",\"params\":{" META
        ",\"notifications\":{\"toolsListChanged\":true}}}";
    int opened = 0;

    (void)state;
    for (size_t n = 0; n < 16384; n += STEP_BYTES) {
        struct flying *fl;

        fixture_arena(f, n);
        fl =
            launch(f, MCP_TRANSPORT_HTTP, MODERN("subscriptions/listen"), body);
        if (!peek(fl)->done) {
            assert_non_null(strstr(peek(fl)->emitted, "acknowledged"));
            hang_up(f, fl);
            expect(land(f, fl), 202, "");
            opened++;
        } else {
            assert_string_equal(peek(fl)->emitted, "");
            assert_non_null(strstr(land(f, fl)->body, "\"error\""));
        }
    }
    assert_true(opened > 0);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_amount_of_memory_is_survived),
        cmocka_unit_test(a_batch_without_memory_is_one_error),
        cmocka_unit_test(a_stream_opens_whole_or_not_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
