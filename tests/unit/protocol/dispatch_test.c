/* Mirrors src/protocol/dispatch.c. */
#include "protocol/dispatch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "features/offer.h"
#include "features/prepared.h"

static void the_table_is_sorted(void **state)
{
    size_t count;
    const struct mcp_method *m = mcp_dispatch_table(&count);

    (void)state;
    assert_true(count > 0);
    for (size_t i = 1; i < count; i++)
        assert_true(strcmp(m[i - 1].name, m[i].name) < 0);
}

/* The official schema of `revision`, or NULL when it is not at hand. */
static char *schema_text(enum mcp_revision revision)
{
    char path[512], *text;
    long size;
    FILE *file;

    snprintf(path, sizeof(path), "%s/../shared/spec/%s/schema.json",
             MCP_SOURCE_DIR, mcp_revision_name(revision));
    file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

enum { EXTENSIONS = MCP_OFFER_EXTENSIONS | MCP_OFFER_DIRECTORIES };

/* Every method that we serve in a revision is one of its schema, and none that
 * we leave to other revisions is. */
static void rows_agree_with_the_official_schemas(void **state)
{
    size_t count;
    const struct mcp_method *m = mcp_dispatch_table(&count);

    (void)state;
    for (int r = MCP_REVISION_FIRST; r <= (int)MCP_REVISION_LAST; r++) {
        char *text = schema_text((enum mcp_revision)r);

        if (text == NULL) {
            print_message("the official schemas are not at hand: skipped\n");
            skip();
        }
        for (size_t i = 0; i < count; i++) {
            char quoted[64];
            bool ours = r >= (int)m[i].since && r <= (int)m[i].until;

            if ((m[i].needs & EXTENSIONS) != 0)
                continue; /* in no schema of the base protocol */
            snprintf(quoted, sizeof(quoted), "\"const\": \"%s\"", m[i].name);
            if ((strstr(text, quoted) != NULL) != ours)
                fail_msg("%s in %s", m[i].name,
                         mcp_revision_name((enum mcp_revision)r));
        }
        free(text);
    }
}

static void nearness_stays_within_the_revision(void **state)
{
    struct mcp_prepared nothing = {.offers = 0};
    struct mcp_prepared tools = {.offers = MCP_OFFER_TOOLS};
    const struct mcp_generation none = {.prepared = &nothing};
    const struct mcp_generation some = {.prepared = &tools};

    (void)state;
    assert_string_equal(
        mcp_dispatch_nearest("tools/lists", 11, MCP_2026_07_28, &some),
        "tools/list");
    assert_null(mcp_dispatch_nearest("tools/lists", 11, MCP_2026_07_28, &none));
    assert_null(mcp_dispatch_nearest("pimg", 4, MCP_2026_07_28, &some));
    assert_string_equal(mcp_dispatch_nearest("pimg", 4, MCP_2025_11_25, &some),
                        "ping");
    assert_null(mcp_dispatch_find("tools/list", 10, MCP_2026_07_28, &none));
    assert_non_null(mcp_dispatch_find("tools/list", 10, MCP_2026_07_28, &some));
    assert_null(mcp_dispatch_find("tools/list", 9, MCP_2026_07_28, &some));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_sorted),
        cmocka_unit_test(rows_agree_with_the_official_schemas),
        cmocka_unit_test(nearness_stays_within_the_revision),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
