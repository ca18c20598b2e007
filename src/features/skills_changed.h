/*
 * skills_changed.h - what a reload did to the skills, and telling of it
 *
 * There is no message for skills of their own: their files are resources, so
 * notifications/resources/list_changed says that any of them is another one,
 * and those who subscribed to a file hear of that file.
 *
 * Layer:  features. Uses features/skills_open, features/subscriptions.
 * Thread: any.
 */
#ifndef MCP_FEATURES_SKILLS_CHANGED_H
#define MCP_FEATURES_SKILLS_CHANGED_H

#include <stdbool.h>

#include "app/registry.h"
#include "features/subscriptions.h"

/* Has any static skill come, gone or changed? */
bool mcp_skills_changed(const struct mcp_generation *old,
                        const struct mcp_generation *now);

/* Tells of each file that changed or went, and the log how many did. */
void mcp_skills_publish(struct mcp_subscriptions *set,
                        const struct mcp_generation *old,
                        const struct mcp_generation *now);

#endif
