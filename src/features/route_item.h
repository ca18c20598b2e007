/*
 * route_item.h - routes that are read as resources or got as prompts
 *
 * What comes there are strings: the variables of a URI template, the arguments
 * of a prompt. They become what the route declares, and are checked by its
 * schema.
 *
 * Layer:  features. Uses features/arguments, features/request,
 *         features/route_value.
 * Thread: any.
 */
#ifndef MCP_FEATURES_ROUTE_ITEM_H
#define MCP_FEATURES_ROUTE_ITEM_H

#include <stdbool.h>

#include "features/request.h"

/* `*args` of the strings in the object `sent`, for the route `route` (from 1).
 * 0 is no route: `sent` itself. False: the fault is set. */
bool mcp_route_item_arguments(struct mcp_request *rq, size_t route,
                              const struct mcp_json *sent,
                              const struct mcp_json **args) MCP_MUST_USE;

#endif
