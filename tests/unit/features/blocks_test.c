/* Mirrors src/features/blocks.c. */
#include "features/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LINK    "{\"type\":\"resource_link\",\"uri\":\"t://x\\\"\",\"name\":\"x\"}"
#define AS_TEXT "{\"type\":\"text\",\"text\":\"t://x\\\"\"}"
#define TEXT    "{\"type\":\"text\",\"text\":\"resource_link\"}"

static char text[1024];

static const char *written(enum mcp_revision r, const char *json,
                           size_t arena_bytes)
{
    struct mcp_call call = {.revision = r, .arena = mcp_arena_new(arena_bytes)};

    mcp_buf_init(&call.out, sizeof(text) - 1);
    mcp_blocks_write(&call, json, strlen(json));
    assert_false(call.out.failed);
    memcpy(text, call.out.data, call.out.len);
    text[call.out.len] = '\0';
    mcp_buf_free(&call.out);
    mcp_arena_free(call.arena);
    return text;
}

static void links_become_text_where_there_are_none(void **state)
{
    static const char *const rows[][2] = {
        {"[]", "[]"},
        {"[" LINK "]", "[" AS_TEXT "]"},
        {"[" TEXT "," LINK "," TEXT "]", "[" TEXT "," AS_TEXT "," TEXT "]"},
        {"[" TEXT "]", "[" TEXT "]"},
        {"[{\"role\":\"user\",\"content\":" LINK "}]",
         "[{\"role\":\"user\",\"content\":" AS_TEXT "}]"},
        {"[{\"content\":" TEXT ",\"role\":\"user\"},{\"content\":" LINK
         ",\"role\":\"user\"}]",
         "[{\"content\":" TEXT ",\"role\":\"user\"},{\"content\":" AS_TEXT
         ",\"role\":\"user\"}]"},
        {"[{\"type\":\"resource_link\",\"uri\":\"u:\",\"name\":\"n\","
         "\"annotations\":{\"priority\":1.0}}]",
         "[{\"type\":\"text\",\"text\":\"u:\",\"annotations\":{\"priority\":"
         "1.0}}]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_string_equal(written(MCP_2025_03_26, rows[i][0], 1 << 16),
                            rows[i][1]);
        for (int r = MCP_2025_06_18; r <= (int)MCP_2026_07_28; r++)
            assert_string_equal(
                written((enum mcp_revision)r, rows[i][0], 1 << 16), rows[i][0]);
    }
}

static void without_memory_they_stay(void **state)
{
    (void)state;
    assert_string_equal(written(MCP_2025_03_26, "[" LINK "]", 16),
                        "[" LINK "]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_become_text_where_there_are_none),
        cmocka_unit_test(without_memory_they_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
