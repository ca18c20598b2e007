/*
 * route_common.c - paths are read as lua/mcp/route_path.lua does
 */
#include "route_common.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *name, *type;
    enum mcp_path_kind kind;
} kinds[] = {
    {"str", "string", MCP_PATH_STR},       {"int", "integer", MCP_PATH_INT},
    {"number", "number", MCP_PATH_NUMBER}, {"uuid", "string", MCP_PATH_UUID},
    {"path", "string", MCP_PATH_REST},
};

/* Fills `part`; returns the JSON type of an argument, or NULL. */
static const char *read_part(char *segment, struct mcp_path_part *part)
{
    char *colon = strchr(segment, ':');

    *part = (struct mcp_path_part){MCP_PATH_LITERAL, segment};
    if (segment[0] != '{')
        return NULL;
    segment[strlen(segment) - 1] = '\0';
    *colon = '\0';
    part->text = segment + 1;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].name, colon + 1) != 0)
            continue;
        part->kind = kinds[i].kind;
        return kinds[i].type;
    }
    fail_msg("unknown type %s", colon + 1);
    return NULL;
}

/* Reads the segments behind the first slash of `text`, which is cut up; returns
 * the properties of the arguments. */
static const char *read_path(char *text, struct mcp_route *r,
                             struct mcp_path_part *parts)
{
    static char properties[2048];
    size_t at = 0;

    properties[0] = '\0';
    for (char *s = text + 1, *end; *s != '\0'; s = end) {
        const char *type;

        end = s + strcspn(s, "/");
        if (*end != '\0')
            *end++ = '\0';
        type = read_part(s, &parts[r->part_count++]);
        if (type != NULL)
            at += (size_t)snprintf(properties + at, sizeof(properties) - at,
                                   "%s\"%s\":{\"type\":\"%s\"}",
                                   at > 0 ? "," : "",
                                   parts[r->part_count - 1].text, type);
    }
    return properties;
}

void add_route(struct mcp_builder *b, const char *route, const char *schema)
{
    char text[4096], method[16], made[4096], message[512];
    struct mcp_path_part parts[64];
    struct mcp_route r = {
        .method = method, .path = strchr(route, '/'), .parts = parts};

    assert_true(strlen(route) < sizeof(text));
    assert_int_equal(sscanf(route, "%15s %4095s", method, text), 2);
    (void)snprintf(made, sizeof(made),
                   "{\"type\":\"object\",\"properties\":{%s}}",
                   read_path(text, &r, parts));
    r.signature.input_schema = schema != NULL ? schema : made;
    if (mcp_builder_add_route(b, &r, message, sizeof(message)) != MCP_OK)
        fail_msg("%s: %s", route, message);
}

struct mcp_builder *with_routes(const char *const *routes)
{
    struct mcp_builder *b = mcp_builder_new(mcp_config_new());

    assert_non_null(b);
    for (; *routes != NULL; routes++)
        add_route(b, *routes, NULL);
    return b;
}

const struct mcp_route *route_named(struct mcp_builder *b, const char *name)
{
    const struct mcp_route *r =
        mcp_generation_find_route(mcp_builder_view(b), name, strlen(name));

    assert_non_null(r);
    return r;
}
