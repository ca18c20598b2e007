/*
 * route_arguments.h - from a request of plain HTTP to what a handler may see
 *
 *     path --> query --> JSON body (POST, PUT, PATCH) --> one object
 *          --> checked as a tool's arguments are (features/arguments)
 *
 * A name in two of these places, or twice in the query where no array is
 * wanted, is refused: which one was meant?
 *
 * Layer:  features. Uses features/arguments, features/route_match, base/call.
 * Thread: any.
 */
#ifndef MCP_FEATURES_ROUTE_ARGUMENTS_H
#define MCP_FEATURES_ROUTE_ARGUMENTS_H

#include "base/call.h"
#include "features/route_match.h"

/* Parameters of one query. */
enum { MCP_ROUTE_MAX_PARAMETERS = 200 };

/* Why a request is not served. Texts live as long as the call. */
struct mcp_route_refusal {
    int status;
    const char *message;
    struct mcp_buf errors; /* the inside of a JSON array of { "in", "path",
                              "rule", "message" }; may be empty. OWNED:
                              mcp_buf_free()                              */
};

/* Makes `*out` in the arena of `call`, whose headers, query and body are read.
 * `max_depth` is that of JSON. `why` is initialized in any case.
 * Errors: MCP_EINVAL see `why`; MCP_ENOMEM. */
enum mcp_err mcp_route_arguments(const struct mcp_route_match *match,
                                 struct mcp_call *call, uint32_t max_depth,
                                 const struct mcp_json **out,
                                 struct mcp_route_refusal *why) MCP_MUST_USE;

#endif
