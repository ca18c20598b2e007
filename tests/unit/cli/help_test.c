/*
 * help_test.c - --help fits a terminal and tells every flag; so do the docs
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_table.h"
#include "cli/help.h"

static char *written(void (*write)(struct mcp_buf *))
{
    struct mcp_buf out;
    char *text;
    size_t len;

    mcp_buf_init(&out, 1 << 20);
    write(&out);
    mcp_buf_putc(&out, '\0');
    text = mcp_buf_take(&out, &len);
    assert_non_null(text);
    return text;
}

static void no_line_is_wider_than_80_columns(void **state)
{
    char *text = written(mcp_help_write), *line = text;

    (void)state;
    while (*line != '\0') {
        size_t len = strcspn(line, "\n");

        if (len > 80)
            fail_msg("%zu columns: %.*s", len, (int)len, line);
        line += len + 1;
    }
    free(text);
}

static void help_has_every_flag_and_no_other(void **state)
{
    char *text = written(mcp_help_write);
    size_t count, i, shown = 0;
    const struct mcp_option *o = mcp_config_options(&count);
    char flag[MCP_OPTION_MAX_NAME], line[MCP_OPTION_MAX_NAME + 4];

    (void)state;
    for (i = 0; i < count; i++) {
        mcp_option_spell(&o[i], MCP_FROM_FLAG, flag);
        (void)snprintf(line, sizeof(line), "\n  %s", flag);
        assert_int_equal(strstr(text, line) != NULL,
                         (o[i].by & MCP_BY_FLAG) != 0);
        shown += (o[i].by & MCP_BY_FLAG) != 0;
    }
    assert_true(shown > 20);
    assert_non_null(strstr(text, "mcpluad --stdio app.lua"));
    assert_non_null(strstr(text, "TCP port; 0 takes any free one [8000]"));
    free(text);
}

static void the_docs_have_every_option_once(void **state)
{
    char *text = written(mcp_help_write_markdown);
    size_t count, i;
    const struct mcp_option *o = mcp_config_options(&count);
    char row[MCP_OPTION_MAX_NAME + 8];

    (void)state;
    for (i = 0; i < count; i++) {
        const char *at;

        (void)snprintf(row, sizeof(row), "\n| `%s` |", o[i].name);
        at = strstr(text, row);
        assert_non_null(at);
        assert_null(strstr(at + 1, row));
    }
    free(text);
}

static void the_docs_are_the_file_in_the_repository(void **state)
{
    char *text = written(mcp_help_write_markdown);
    FILE *f = fopen(MCP_SOURCE_DIR "/docs/options.md", "r");
    char kept[1 << 16];
    size_t n;

    (void)state;
    assert_non_null(f);
    n = fread(kept, 1, sizeof(kept) - 1, f);
    kept[n] = '\0';
    assert_int_equal(fclose(f), 0);
    assert_string_equal(kept, text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_is_wider_than_80_columns),
        cmocka_unit_test(help_has_every_flag_and_no_other),
        cmocka_unit_test(the_docs_have_every_option_once),
        cmocka_unit_test(the_docs_are_the_file_in_the_repository),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
