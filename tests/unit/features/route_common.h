/* route_common.h - generations with given routes */
#ifndef ROUTE_COMMON_H
#define ROUTE_COMMON_H

#include "app/registry.h"

/* A builder with these routes: "GET /a/{x:int}", each with a schema in which
 * the arguments of its path have their type; ended by NULL. */
struct mcp_builder *with_routes(const char *const *routes);

/* Adds one with this schema. */
void add_route(struct mcp_builder *b, const char *route, const char *schema);

/* The one called `name`. */
const struct mcp_route *route_named(struct mcp_builder *b, const char *name);

#endif
