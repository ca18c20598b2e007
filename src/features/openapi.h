/*
 * openapi.h - the app's routes as an OpenAPI document
 *
 * Made of the same schemas that requests are checked with. Paths in order of
 * declaration; of two routes whose paths differ in the types of arguments only,
 * the document can have the first.
 *
 * Layer:  features. Uses app/registry, base/http_status, base/json.
 * Thread: any.
 * Source: OpenAPI 3.1.0.
 */
#ifndef MCP_FEATURES_OPENAPI_H
#define MCP_FEATURES_OPENAPI_H

#include "app/registry.h"
#include "base/buf.h"

/* Appends the document of all routes of `gen`. `a` is for scratch. */
void mcp_openapi_write(struct mcp_buf *out, const struct mcp_generation *gen,
                       struct mcp_arena *a);

#endif
