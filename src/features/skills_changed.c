/*
 * skills_changed.c - see skills_changed.h
 */
#include "features/skills_changed.h"

#include <string.h>

#include "base/log.h"
#include "features/skills_open.h"

struct count {
    struct mcp_subscriptions *set;
    unsigned added, removed, changed;
};

static void ignore(void *user, enum mcp_skill_change what,
                   const struct mcp_skill_file *file)
{
    (void)user;
    (void)what;
    (void)file;
}

bool mcp_skills_changed(const struct mcp_generation *old,
                        const struct mcp_generation *now)
{
    return mcp_skill_index_diff(mcp_skills_index(old), mcp_skills_index(now),
                                ignore, NULL) != 0;
}

static void publish(void *user, enum mcp_skill_change what,
                    const struct mcp_skill_file *file)
{
    struct count *c = user;

    c->added += what == MCP_SKILL_ADDED;
    c->removed += what == MCP_SKILL_REMOVED;
    c->changed += what == MCP_SKILL_CHANGED;
    if (what != MCP_SKILL_ADDED)
        mcp_publish_resource(c->set, file->uri, strlen(file->uri));
}

void mcp_skills_publish(struct mcp_subscriptions *set,
                        const struct mcp_generation *old,
                        const struct mcp_generation *now)
{
    struct count c = {.set = set};

    if (mcp_skill_index_diff(mcp_skills_index(old), mcp_skills_index(now),
                             publish, &c) != 0)
        mcp_log(MCP_LOG_INFO, "skills",
                "files of skills: %u changed, %u new, %u gone", c.changed,
                c.added, c.removed);
}
