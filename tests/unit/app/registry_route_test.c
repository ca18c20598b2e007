/* Mirrors src/app/registry_route.c. */
#include "app/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct mcp_builder *builder;
static char message[1024];

static int set_up(void **state)
{
    (void)state;
    builder = mcp_builder_new(mcp_config_new());
    return builder == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    mcp_builder_free(builder);
    return 0;
}

static struct mcp_route route(const char *path)
{
    return (struct mcp_route){.method = "GET",
                              .path = path,
                              .signature = {.input_schema = "{}",
                                            .file = "app.lua",
                                            .line = 3,
                                            .handler.slot = 1}};
}

static enum mcp_err add(const struct mcp_route *r)
{
    message[0] = '\0';
    return mcp_builder_add_route(builder, r, message, sizeof(message));
}

static void a_route_is_copied_and_found(void **state)
{
    struct mcp_path_part parts[] = {{MCP_PATH_LITERAL, "a"},
                                    {MCP_PATH_INT, "x"}};
    struct mcp_route r = route("/a/{x:int}");
    const struct mcp_generation *gen = mcp_builder_view(builder);
    const struct mcp_route *found;

    (void)state;
    r.parts = parts;
    r.part_count = 2;
    r.status = 201;
    r.mime_type = "text/csv";
    r.tags = "[\"t\"]";
    r.signature.input_schema =
        "{\"properties\":{\"x\":{\"type\":\"integer\"}}}";
    assert_int_equal(add(&r), MCP_OK);
    parts[1].text = "gone";
    found = mcp_generation_find_route(gen, "GET /a/{x:int}", 14);
    assert_non_null(found);
    assert_int_equal(gen->route_count, 1);
    assert_ptr_equal(found, gen->routes);
    assert_string_equal(found->parts[1].text, "x");
    assert_int_equal(found->status, 201);
    assert_int_equal(found->signature.handler.kind, MCP_KIND_ROUTE);
    assert_string_equal(found->signature.handler.name, "GET /a/{x:int}");
    assert_int_equal(found->signature.handler.slot, 1);
    assert_int_equal(gen->handler_count, 1);
    assert_string_equal(mcp_kind_name(MCP_KIND_ROUTE), "route");
    assert_null(mcp_generation_find_route(gen, "POST /a/{x:int}", 15));
}

static void the_same_form_twice(void **state)
{
    struct mcp_path_part parts[] = {{MCP_PATH_LITERAL, "a"},
                                    {MCP_PATH_STR, "x"}};
    struct mcp_route r = route("/a/{x}");

    (void)state;
    r.parts = parts;
    r.part_count = 2;
    r.signature.input_schema = "{\"properties\":{\"x\":{},\"y\":{}}}";
    assert_int_equal(add(&r), MCP_OK);
    parts[1].text = "y";
    r.path = "/a/{y}";
    r.signature.line = 9;
    assert_int_equal(add(&r), MCP_EEXIST);
    assert_string_equal(message, "route \"GET /a/{x}\" is declared twice: "
                                 "app.lua:3 and app.lua:9");
    r.method = "PUT";
    assert_int_equal(add(&r), MCP_OK);
    r.method = "GET";
    parts[1].kind = MCP_PATH_INT;
    r.path = "/a/{y:int}";
    assert_int_equal(add(&r), MCP_OK);
}

static void what_is_refused(void **state)
{
    struct mcp_path_part rest[] = {{MCP_PATH_REST, "p"},
                                   {MCP_PATH_LITERAL, "a"}};
    struct mcp_path_part twice[] = {{MCP_PATH_STR, "a"}, {MCP_PATH_STR, "a"}};
    struct mcp_path_part empty[] = {{MCP_PATH_LITERAL, ""}};
    struct mcp_route r = route("/");

    (void)state;
    r.method = "BREW";
    assert_int_equal(add(&r), MCP_EINVAL);
    assert_string_equal(message, "no route has the method \"BREW\"");
    r.method = "GET";
    r.mime_type = "csv";
    assert_int_equal(add(&r), MCP_EINVAL);
    r.mime_type = NULL;
    r.part_count = 2;
    r.parts = rest;
    assert_int_equal(add(&r), MCP_EINVAL);
    assert_non_null(strstr(message, "so it must be the last"));
    r.parts = twice;
    assert_int_equal(add(&r), MCP_EINVAL);
    assert_string_equal(message, "the path has two arguments \"a\"");
    r.parts = empty;
    r.part_count = 1;
    assert_int_equal(add(&r), MCP_EINVAL);
    assert_string_equal(message, "the path has an empty segment");
    r.parts = twice;
    assert_int_equal(add(&r), MCP_EINVAL);
    assert_non_null(strstr(message, "the input schema has no such property"));
    r.part_count = 0;
    r.signature.input_schema = "{\"type\":\"wrong\"}";
    assert_int_equal(add(&r), MCP_EINVAL);
    assert_int_equal(mcp_builder_view(builder)->route_count, 0);
    r.signature.input_schema = "{}";
    assert_int_equal(add(&r), MCP_OK);
}

static void the_status(void **state)
{
    static const struct {
        int status;
        enum mcp_err err;
    } cases[] = {
        {199, MCP_EINVAL}, {200, MCP_OK}, {299, MCP_OK}, {300, MCP_EINVAL}};
    static const char *const methods[] = {"GET", "PUT", "POST", "PATCH"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct mcp_route r = route("/s");
        struct mcp_path_part part = {MCP_PATH_LITERAL, "s"};

        r.method = methods[i];
        r.parts = &part;
        r.part_count = 1;
        r.status = cases[i].status;
        assert_int_equal(add(&r), cases[i].err);
    }
}

static void the_length_of_a_path(void **state)
{
    struct mcp_path_part parts[65];
    char text[2050];
    struct mcp_route r = route("/many");

    (void)state;
    for (size_t i = 0; i < 65; i++)
        parts[i] = (struct mcp_path_part){MCP_PATH_LITERAL, "a"};
    r.parts = parts;
    r.part_count = 65;
    assert_int_equal(add(&r), MCP_EINVAL);
    assert_string_equal(message,
                        "the path has more than 64 segments or 2048 bytes");
    r.part_count = 64;
    assert_int_equal(add(&r), MCP_OK);
    memset(text, 'a', sizeof(text));
    text[2049] = '\0';
    r.path = text;
    r.part_count = 1;
    assert_int_equal(add(&r), MCP_EINVAL);
    text[2048] = '\0';
    assert_int_equal(add(&r), MCP_OK);
}

/* Adds a resource that is the only route. */
static enum mcp_err add_resource(const char *uri, bool is_template)
{
    struct mcp_resource res = {.uri = uri,
                               .name = "n",
                               .size_bytes = -1,
                               .cache = {-1, -1},
                               .route = 1,
                               .handler.slot = 1};

    message[0] = '\0';
    return is_template ? mcp_builder_add_template(builder, &res, message,
                                                  sizeof(message))
                       : mcp_builder_add_resource(builder, &res, message,
                                                  sizeof(message));
}

static void a_resource_has_all_that_the_route_needs(void **state)
{
    struct mcp_route r = route("/r");
    struct mcp_path_part part = {MCP_PATH_LITERAL, "r"};

    (void)state;
    r.parts = &part;
    r.part_count = 1;
    r.signature.input_schema = "{\"properties\":{\"a\":{},\"b\":{}},"
                               "\"required\":[\"a\"]}";
    assert_int_equal(add(&r), MCP_OK);
    assert_int_equal(add_resource("x:y", false), MCP_EINVAL);
    assert_non_null(strstr(message, "the route needs the argument \"a\""));
    assert_int_equal(add_resource("x:{b}", true), MCP_EINVAL);
    assert_int_equal(add_resource("x:{a}/{c}", true), MCP_EINVAL);
    assert_non_null(
        strstr(message, "\"c\" of the uri_template is no argument"));
    assert_int_equal(add_resource("x:{a}", true), MCP_OK);
    assert_int_equal(add_resource("x:{a}/{b}", true), MCP_OK);
    assert_int_equal(mcp_builder_view(builder)->template_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_route_is_copied_and_found, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_same_form_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_status, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_length_of_a_path, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_resource_has_all_that_the_route_needs,
                                        set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
