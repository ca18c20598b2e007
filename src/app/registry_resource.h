/*
 * registry_resource.h - one declared resource or template, checked and copied
 *
 * Layer:  app, private to registry. Uses base/uri_template, app/registry_copy.
 * Thread: the builder's.
 */
#ifndef MCP_APP_REGISTRY_RESOURCE_H
#define MCP_APP_REGISTRY_RESOURCE_H

#include "app/registry.h"
#include "app/registry_copy.h"

/* Fills `*out` with a deep copy of `in`; `in->uri` is a template when
 * `is_template`, and then `out->uri_template` is OWNED:
 * mcp_registry_drop_resource(). `index` and slots of handlers are left to the
 * caller. Errors: MCP_EINVAL, MCP_ENOMEM. */
enum mcp_err mcp_registry_copy_resource(struct mcp_copy *c,
                                        const struct mcp_resource *in,
                                        bool is_template, size_t max_blob_bytes,
                                        struct mcp_resource *out) MCP_MUST_USE;

/* Frees what `resource` has outside of the arena. */
void mcp_registry_drop_resource(struct mcp_resource *resource);

#endif
