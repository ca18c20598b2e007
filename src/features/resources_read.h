/*
 * resources_read.h - resources/read: a URI in, contents out
 *
 * Files of skills come first; exact URIs come before templates, templates in
 * the order they were declared: the first that matches decides, also when it
 * has to refuse a value. Static content is answered on the caller's thread,
 * without Lua.
 *
 * Layer:  features. Uses features/launch, features/envelope,
 *         base/uri_template.
 * Thread: starts on the caller's thread, may end on a worker.
 * Source: MCP server/resources of each revision.
 */
#ifndef MCP_FEATURES_RESOURCES_READ_H
#define MCP_FEATURES_RESOURCES_READ_H

#include "features/request.h"

/* The method resources/read. */
void mcp_resources_read(struct mcp_request *rq);

#endif
