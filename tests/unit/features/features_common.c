/* features_common.c - see features_common.h */
#include "features_common.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static char message[512];

static struct mcp_builder *built(const struct mcp_tool *tools, size_t count,
                                 const char *const *options)
{
    struct mcp_config *c = mcp_config_new();
    struct mcp_builder *b;

    assert_non_null(c);
    for (; options != NULL && *options != NULL; options += 2)
        if (mcp_config_set(c, options[0], options[1], MCP_FROM_APP, message,
                           sizeof(message)) != MCP_OK)
            fail_msg("%s", message);
    b = mcp_builder_new(c);
    assert_non_null(b);
    for (size_t i = 0; i < count; i++)
        if (mcp_builder_add_tool(b, &tools[i], message, sizeof(message)) !=
            MCP_OK)
            fail_msg("%s", message);
    return b;
}

struct mcp_builder *prepared(const struct mcp_tool *tools, size_t count,
                             const char *const *options)
{
    struct mcp_builder *b = built(tools, count, options);

    if (mcp_features_prepare(NULL, mcp_builder_view(b), message,
                             sizeof(message)) != MCP_OK)
        fail_msg("%s", message);
    return b;
}

const char *refused(const struct mcp_tool *tool)
{
    struct mcp_builder *b = built(tool, 1, NULL);

    assert_int_equal(mcp_features_prepare(NULL, mcp_builder_view(b), message,
                                          sizeof(message)),
                     MCP_EINVAL);
    assert_null(mcp_builder_view(b)->prepared);
    mcp_builder_free(b);
    return message;
}
