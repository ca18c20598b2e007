/*
 * registry_route.h - one declared HTTP route, checked and copied
 *
 * Layer:  app, private to registry. Uses app/registry_tool.
 * Thread: the builder's.
 */
#ifndef MCP_APP_REGISTRY_ROUTE_H
#define MCP_APP_REGISTRY_ROUTE_H

#include "app/registry.h"
#include "app/registry_copy.h"

/* Fills `*out` with a deep copy of `in`; name and signature.name are made here.
 * `out->index` and the slot are left to the caller. The signature's schemas are
 * OWNED: mcp_registry_drop_tool().
 * Errors: MCP_EINVAL, MCP_ENOMEM. */
enum mcp_err mcp_registry_copy_route(struct mcp_copy *c,
                                     const struct mcp_route *in,
                                     bool assert_format,
                                     struct mcp_route *out) MCP_MUST_USE;

/* The one of routes[0..count) that has the method of `r` and matches the same
 * paths, or NULL: the names of arguments do not matter. */
const struct mcp_route *mcp_registry_same_route(const struct mcp_route *routes,
                                                size_t count,
                                                const struct mcp_route *r);

/* Is all that `route` requires a variable of the resource's template, and each
 * variable one of its arguments? Errors: MCP_EINVAL. */
enum mcp_err
mcp_registry_check_route_resource(struct mcp_copy *c,
                                  const struct mcp_route *route,
                                  const struct mcp_resource *r) MCP_MUST_USE;

#endif
