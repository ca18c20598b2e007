/* Mirrors src/transport/bridge_scan.c. */
#include "transport/bridge_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* `id` NULL: none. Whatever the pieces. */
static void expect(const char *text, const char *id)
{
    size_t size = strlen(text), len = 0;

    for (size_t step = 1; step <= size; step++) {
        struct mcp_bridge_scan s = {0};
        const char *found;

        for (size_t i = 0; i < size; i += step)
            mcp_bridge_scan_feed(&s, text + i,
                                 size - i < step ? size - i : step);
        found = mcp_bridge_scan_id(&s, &len);
        assert_int_equal(found != NULL, id != NULL);
        if (id != NULL) {
            assert_int_equal(len, strlen(id));
            assert_memory_equal(found, id, len);
        }
    }
}

static void the_id_of_the_outermost_object_is_found(void **state)
{
    (void)state;
    expect("{\"id\":1,\"method\":\"x\"}", "1");
    expect("{\"method\":\"x\",\"params\":{\"id\":2},\"id\" : -3 }", "-3");
    expect("{ \"params\":[{\"id\":2},\"}\",\"\\\"\"] , \"id\": \"a, \\\"b\\\"\""
           ",\n\"method\":\"x\"}",
           "\"a, \\\"b\\\"\"");
    expect("{\"id\":1,\"method\":\"x\",\"params\":{\"cut", "1");
    expect("{\"id\":1,\"id\":2,\"method\":\"x\"}", "2");
}

static void what_has_none_gives_none(void **state)
{
    (void)state;
    expect("{\"method\":\"x\"}", NULL);
    expect("{\"id\":1,\"result\":{\"method\":1}}", NULL);
    expect("{\"a\":\"id\",\"method\":\"x\"}", NULL);
    expect("{\"xid\":1,\"method\":\"x\"}", NULL);
    expect("[{\"id\":1,\"method\":\"x\"}]", NULL);
    expect("[\"id\":1,\"method\":2]", NULL);
    expect("\"id\":1,\"method\":2", NULL);
    expect("}}{\"id\":null,\"method\":\"x\"}", NULL);
    expect("{\"id\":1.5,\"method\":\"x\"}", NULL);
    expect("{\"id\":-,\"method\":\"x\"}", NULL);
    expect("{\"id\":[1],\"method\":\"x\"}", NULL);
    expect("{\"id\":\"cut", NULL);
}

static void an_id_has_a_limit(void **state)
{
    char text[MCP_SCAN_TEXT_BYTES + 64];

    (void)state;
    for (size_t n = MCP_SCAN_TEXT_BYTES - 1; n <= MCP_SCAN_TEXT_BYTES; n++) {
        struct mcp_bridge_scan s = {0};
        size_t len = 0;

        memcpy(text, "{\"method\":1,\"id\":", 17);
        memset(text + 17, '7', n);
        text[17 + n] = '}';
        mcp_bridge_scan_feed(&s, text, 18 + n);
        assert_int_equal(mcp_bridge_scan_id(&s, &len) != NULL,
                         n < MCP_SCAN_TEXT_BYTES);
        assert_int_equal(len, n < MCP_SCAN_TEXT_BYTES ? n : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_id_of_the_outermost_object_is_found),
        cmocka_unit_test(what_has_none_gives_none),
        cmocka_unit_test(an_id_has_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
