/*
 * dispatch.c - the table of methods
 *
 * This table is the whole surface of the server: routing and the test that
 * compares us with the official schemas read it. To add a method: write its
 * handler in features/, add one row here in order, add one wire test.
 */
#include "protocol/dispatch.h"

#include <string.h>

#include "base/suggest.h"
#include "features/discover.h"
#include "features/tools_call.h"
#include "features/tools_list.h"
#include "protocol/handshake.h"

/* clang-format off: a table is read by column. Sorted by name (tested). */
static const struct mcp_method methods[] = {
    {"initialize", mcp_initialize, MCP_2025_03_26, MCP_2025_11_25,
     MCP_M_EARLY | MCP_M_ALONE},
    {"logging/setLevel", mcp_set_level, MCP_2025_03_26, MCP_2025_11_25, 0},
    {"ping", mcp_ping, MCP_2025_03_26, MCP_2025_11_25, MCP_M_EARLY},
    {"server/discover", mcp_discover, MCP_2026_07_28, MCP_2026_07_28, 0},
    {"tools/call", mcp_tools_call, MCP_2025_03_26, MCP_2026_07_28,
     MCP_M_TOOLS | MCP_M_FLIES},
    {"tools/list", mcp_tools_list, MCP_2025_03_26, MCP_2026_07_28, MCP_M_TOOLS},
};
/* clang-format on */

enum { METHOD_COUNT = sizeof(methods) / sizeof(methods[0]) };

static bool exists(const struct mcp_method *m, enum mcp_revision revision,
                   const struct mcp_generation *gen)
{
    return revision >= m->since && revision <= m->until &&
           ((m->flags & MCP_M_TOOLS) == 0 || gen->tool_count > 0);
}

const struct mcp_method *mcp_dispatch_find(const char *name, size_t len,
                                           enum mcp_revision revision,
                                           const struct mcp_generation *gen)
{
    for (size_t i = 0; i < METHOD_COUNT; i++) {
        const struct mcp_method *m = &methods[i];

        if (strlen(m->name) == len && memcmp(m->name, name, len) == 0)
            return exists(m, revision, gen) ? m : NULL;
    }
    return NULL;
}

const char *mcp_dispatch_nearest(const char *name, size_t len,
                                 enum mcp_revision revision,
                                 const struct mcp_generation *gen)
{
    const char *names[METHOD_COUNT];
    size_t n = 0;

    for (size_t i = 0; i < METHOD_COUNT; i++)
        if (exists(&methods[i], revision, gen))
            names[n++] = methods[i].name;
    return mcp_suggest(name, len, names, n);
}

const struct mcp_method *mcp_dispatch_table(size_t *count)
{
    *count = METHOD_COUNT;
    return methods;
}
