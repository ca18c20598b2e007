/* Mirrors src/features/lint_items.c. */
#include "features/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct mcp_builder *builder;
static struct mcp_arena *arena;
static struct mcp_findings found;

static int set_up(void **state)
{
    struct mcp_config *c = mcp_config_new();
    struct mcp_tool tool = {.name = "tool",
                            .description = "x",
                            .input_schema = "{\"properties\":{}}"};
    char message[256];

    (void)state;
    arena = mcp_arena_new((size_t)1 << 20);
    if (arena == NULL || c == NULL ||
        mcp_config_set(c, "name", "test", MCP_FROM_APP, message,
                       sizeof(message)) != MCP_OK)
        return 1;
    builder = mcp_builder_new(c);
    return builder == NULL || mcp_builder_add_tool(builder, &tool, message,
                                                   sizeof(message)) != MCP_OK;
}

static int tear_down(void **state)
{
    (void)state;
    mcp_builder_free(builder);
    mcp_arena_free(arena);
    return 0;
}

static void add_resource(const char *uri, const char *name, const char *title,
                         const char *description)
{
    struct mcp_resource r = {.uri = uri,
                             .name = name,
                             .title = title,
                             .description = description,
                             .mime_type = "text/plain",
                             .file = "app.lua",
                             .line = 7,
                             .size_bytes = -1,
                             .content = "x",
                             .content_len = 1};
    char message[512];

    if (mcp_builder_add_resource(builder, &r, message, sizeof(message)) !=
        MCP_OK)
        fail_msg("%s", message);
}

static void add_prompt(const char *name, const char *title,
                       const char *description,
                       const struct mcp_prompt_argument *arguments,
                       size_t count)
{
    struct mcp_prompt p = {.name = name,
                           .title = title,
                           .description = description,
                           .arguments = arguments,
                           .argument_count = count,
                           .has_arguments = true};
    char message[512];

    if (mcp_builder_add_prompt(builder, &p, message, sizeof(message)) != MCP_OK)
        fail_msg("%s", message);
}

/* "rule item@pointer" of each finding. */
static const char *findings(void)
{
    static char text[4096];
    size_t n = 0;

    text[0] = '\0';
    assert_int_equal(mcp_lint(mcp_builder_view(builder), arena, &found),
                     MCP_OK);
    for (size_t i = 0; i < found.count; i++) {
        const struct mcp_finding *f = &found.items[i];

        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %s %s@%s",
                              n > 0 ? ", " : "", f->rule->id, f->item.kind,
                              f->item.name, f->pointer);
        assert_true(n < sizeof(text));
        assert_null(f->tool);
    }
    return text;
}

static void what_is_described_is_right(void **state)
{
    const struct mcp_prompt_argument argument = {.name = "a",
                                                 .description = "x"};

    (void)state;
    add_resource("app://a", "a", NULL, "x");
    add_resource("app://b", "b", "A", "x");
    add_prompt("a", NULL, "x", &argument, 1);
    add_prompt("b", NULL, "x", NULL, 0);
    assert_string_equal(findings(), "");
}

static void a_description_is_wanted(void **state)
{
    (void)state;
    add_resource("app://a", "a", NULL, NULL);
    add_prompt("a", NULL, "", NULL, 0);
    assert_string_equal(findings(), "item-description resource app://a@, "
                                    "item-description prompt a@");
    assert_string_equal(found.items[0].item.file, "app.lua");
    assert_int_equal(found.items[0].item.line, 7);
}

static void a_description_has_1024_characters(void **state)
{
    char text[1026];

    (void)state;
    memset(text, 'x', sizeof(text));
    text[1024] = '\0';
    add_resource("app://a", "a", NULL, text);
    assert_string_equal(findings(), "");
    text[1024] = 'x';
    text[1025] = '\0';
    add_prompt("a", NULL, text, NULL, 0);
    assert_string_equal(findings(), "description-long prompt a@/description");
}

static void arguments_are_described(void **state)
{
    const struct mcp_prompt_argument arguments[] = {
        {.name = "a", .description = "x"},
        {.name = "b"},
        {.name = "c", .description = ""},
    };

    (void)state;
    add_prompt("p", NULL, "x", arguments, 3);
    assert_string_equal(findings(), "prompt-argument prompt p@/arguments/1, "
                                    "prompt-argument prompt p@/arguments/2");
    assert_string_equal(found.items[0].message, "\"b\" has no description");
}

static void names_differ_in_letters(void **state)
{
    (void)state;
    add_resource("app://read_me", "a", NULL, "x");
    add_resource("app://readMe", "b", NULL, "x");
    add_prompt("sum-up", NULL, "x", NULL, 0);
    add_prompt("sumup", NULL, "x", NULL, 0);
    add_prompt("sums", NULL, "x", NULL, 0);
    assert_string_equal(findings(), "name-similar resource app://readMe@/uri, "
                                    "name-similar prompt sumup@/name");
    assert_string_equal(found.items[0].message,
                        "there is \"app://read_me\" as well");
}

/* A resource without a title is shown by its name, a prompt too, but a name of
 * a prompt is unique anyway. */
static void titles_are_not_used_twice(void **state)
{
    (void)state;
    add_resource("app://a/x", "x", NULL, "x");
    add_resource("app://b/x", "x", NULL, "x");
    add_resource("app://c/x", "x", "y", "x");
    add_prompt("a", "T", "x", NULL, 0);
    add_prompt("b", "T", "x", NULL, 0);
    add_prompt("c", NULL, "x", NULL, 0);
    assert_string_equal(findings(),
                        "title-duplicate resource app://b/x@/title, "
                        "title-duplicate prompt b@/title");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(what_is_described_is_right),        T(a_description_is_wanted),
        T(a_description_has_1024_characters), T(arguments_are_described),
        T(names_differ_in_letters),           T(titles_are_not_used_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
