/* Mirrors src/base/trim.c. */
#include "base/trim.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK_BYTES = 8192, BLOCKS = 2 * MCP_TRIM_BYTES / BLOCK_BYTES };

/* Takes `count` blocks and frees all but the last, which holds the heap. */
static void flood(size_t count)
{
    static char *blocks[BLOCKS], *last;

    for (size_t i = 0; i < count; i++) {
        blocks[i] = malloc(BLOCK_BYTES);
        assert_non_null(blocks[i]);
        memset(blocks[i], 1, BLOCK_BYTES);
    }
    free(last);
    last = blocks[count - 1];
    for (size_t i = 0; i + 1 < count; i++)
        free(blocks[i]);
}

static void only_when_much_was_freed(void **state)
{
    (void)state;
    if (mallinfo2().arena == 0) {
        print_message("another allocator (a sanitizer's): skipped\n");
        skip();
    }
    assert_false(mcp_trim());
    flood(BLOCKS / 4);
    assert_false(mcp_trim());
    flood(BLOCKS);
    assert_true(mcp_trim());
    assert_false(mcp_trim());
    flood(BLOCKS / 2);
    assert_false(mcp_trim()); /* it used what was free before */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_when_much_was_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
