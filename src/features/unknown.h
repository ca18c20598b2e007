/*
 * unknown.h - names that lead nowhere, told again with the nearest right one
 *
 * Layer:  features. Uses features/request, features/items, base/suggest.
 * Thread: the owner of the call.
 */
#ifndef MCP_FEATURES_UNKNOWN_H
#define MCP_FEATURES_UNKNOWN_H

#include <stdint.h>

#include "features/items.h"
#include "features/request.h"

enum { MCP_NAME_SHOWN_BYTES = 128 }; /* of a wrong name that is repeated */

/* {"member":"..."} for the data of an error: the string `value` cut to
 * `max_bytes`, or null when it is no string. In the call's arena; NULL when
 * that is full. */
const char *mcp_unknown_data(struct mcp_call *call, const char *member,
                             const struct mcp_json *value, uint32_t max_bytes);

/* The name of `kind` that is nearest to the string `name`, or NULL. */
const char *mcp_unknown_nearest(const struct mcp_request *rq,
                                enum mcp_item_kind kind,
                                const struct mcp_json *name);

/* Fails with MCP_ENOENT: `LEAD "name"; did you mean "near"?` (`near` may be
 * NULL) and `data` (JSON text or NULL). */
void mcp_unknown_fail(struct mcp_request *rq, const char *lead,
                      const struct mcp_json *name, const char *near,
                      const char *data);

#endif
