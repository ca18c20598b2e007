/*
 * changed.h - which lists a change is about
 *
 * Layer:  features. Uses features/prepared, features/offer,
 *         features/subscriptions, app.
 * Thread: any.
 */
#ifndef MCP_FEATURES_CHANGED_H
#define MCP_FEATURES_CHANGED_H

#include "app/listener.h"
#include "app/registry.h"
#include "features/subscriptions.h"

/* MCP_OFFER_* of the lists whose bytes differ between two generations, at any
 * revision. */
unsigned mcp_changed_lists(const struct mcp_generation *old,
                           const struct mcp_generation *now);

/* Tells of each resource whose static content is another one, or that went. */
void mcp_changed_contents(struct mcp_subscriptions *set,
                          const struct mcp_generation *old,
                          const struct mcp_generation *now);

/* MCP_OFFER_* of the list that `what` is about; 0: it is about a resource. */
unsigned mcp_changed_list(enum mcp_notice what);

#endif
