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
#include "features/complete.h"
#include "features/discover.h"
#include "features/list.h"
#include "features/offer.h"
#include "features/prepared.h"
#include "features/prompts_get.h"
#include "features/resources_read.h"
#include "features/skills_directory.h"
#include "features/skills_get.h"
#include "features/skills_list.h"
#include "features/task.h"
#include "features/tools_call.h"
#include "protocol/handshake.h"
#include "protocol/listen.h"

/* clang-format off: a table is read by column. Sorted by name (tested). */
static const struct mcp_method methods[] = {
    {"completion/complete", mcp_complete, MCP_2025_03_26, MCP_2026_07_28,
     MCP_OFFER_COMPLETIONS, MCP_M_FLIES},
    {"initialize", mcp_initialize, MCP_2025_03_26, MCP_2025_11_25, 0,
     MCP_M_EARLY | MCP_M_ALONE},
    {"logging/setLevel", mcp_set_level, MCP_2025_03_26, MCP_2025_11_25, 0, 0},
    {"ping", mcp_ping, MCP_2025_03_26, MCP_2025_11_25, 0, MCP_M_EARLY},
    {"prompts/get", mcp_prompts_get, MCP_2025_03_26, MCP_2026_07_28,
     MCP_OFFER_PROMPTS, MCP_M_FLIES},
    {"prompts/list", mcp_prompts_list, MCP_2025_03_26, MCP_2026_07_28,
     MCP_OFFER_PROMPTS, 0},
    {"resources/directory/read", mcp_skills_directory, MCP_2026_07_28,
     MCP_2026_07_28, MCP_OFFER_DIRECTORIES, MCP_M_FLIES},
    {"resources/list", mcp_resources_list, MCP_2025_03_26, MCP_2026_07_28,
     MCP_OFFER_RESOURCES, 0},
    {"resources/read", mcp_resources_read, MCP_2025_03_26, MCP_2026_07_28,
     MCP_OFFER_RESOURCES, MCP_M_FLIES},
    {"resources/subscribe", mcp_resources_subscribe, MCP_2025_03_26,
     MCP_2025_11_25, MCP_OFFER_RESOURCES, 0},
    {"resources/templates/list", mcp_templates_list, MCP_2025_03_26,
     MCP_2026_07_28, MCP_OFFER_RESOURCES, 0},
    {"resources/unsubscribe", mcp_resources_unsubscribe, MCP_2025_03_26,
     MCP_2025_11_25, MCP_OFFER_RESOURCES, 0},
    {"server/discover", mcp_discover, MCP_2026_07_28, MCP_2026_07_28, 0, 0},
    {"skills/get", mcp_skills_get, MCP_2026_07_28, MCP_2026_07_28,
     MCP_OFFER_SKILLS, MCP_M_FLIES},
    {"skills/list", mcp_skills_list, MCP_2026_07_28, MCP_2026_07_28,
     MCP_OFFER_SKILLS, MCP_M_FLIES},
    {"subscriptions/listen", mcp_listen, MCP_2026_07_28, MCP_2026_07_28, 0,
     MCP_M_FLIES},
    {"tasks/cancel", mcp_tasks_cancel, MCP_2026_07_28, MCP_2026_07_28,
     MCP_OFFER_TASKS, MCP_M_FLIES},
    {"tasks/get", mcp_tasks_get, MCP_2026_07_28, MCP_2026_07_28,
     MCP_OFFER_TASKS, MCP_M_FLIES},
    {"tasks/update", mcp_tasks_update, MCP_2026_07_28, MCP_2026_07_28,
     MCP_OFFER_TASKS, MCP_M_FLIES},
    {"tools/call", mcp_tools_call, MCP_2025_03_26, MCP_2026_07_28,
     MCP_OFFER_TOOLS, MCP_M_FLIES},
    {"tools/list", mcp_tools_list, MCP_2025_03_26, MCP_2026_07_28,
     MCP_OFFER_TOOLS, 0},
};
/* clang-format on */

enum { METHOD_COUNT = sizeof(methods) / sizeof(methods[0]) };

static bool exists(const struct mcp_method *m, enum mcp_revision revision,
                   const struct mcp_generation *gen)
{
    const struct mcp_prepared *p = gen->prepared;

    return revision >= m->since && revision <= m->until &&
           (m->needs & ~p->offers) == 0;
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
