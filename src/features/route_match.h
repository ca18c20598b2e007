/*
 * route_match.h - which route answers a request of plain HTTP
 *
 * The path is split at its slashes as it came; then each segment is
 * percent-decoded; then it becomes a value of the type that the route says. So
 * an encoded slash is part of a value and never ends a segment. Refused
 * whatever the routes are: a NUL, bytes that are no UTF-8, a wrong % and, on
 * either side of a decoded slash, "." and "..".
 *
 * Of several routes the one is chosen that has a literal where another has an
 * argument, from the left; else the one that was declared first. One whose type
 * a value does not fit is passed over. Without a route for HEAD, that for GET
 * answers. A slash at the end of a path means nothing.
 *
 * Layer:  features. Uses app/registry, base/codec, base/json.
 * Thread: any.
 * Source: RFC 3986, sections 2.1 and 3.3; RFC 9110, section 9.
 */
#ifndef MCP_FEATURES_ROUTE_MATCH_H
#define MCP_FEATURES_ROUTE_MATCH_H

#include "app/registry.h"
#include "base/arena.h"
#include "base/err.h"

/* Longer paths are nowhere. */
enum { MCP_ROUTE_MAX_SEGMENTS = 128 };

struct mcp_route_match {
    const struct mcp_route *route; /* NULL: none for this method           */
    const struct mcp_json *values; /* object: the arguments of the path    */
    const struct mcp_path_part *misfit; /* without a route: whose type the
                                           value does not fit; NULL: no such */
    const char *allow; /* "GET, HEAD, OPTIONS": of the path; NULL: it is
                          nowhere. In the arena                            */
};

/* Finds the route of `gen` for `method` and `path`, percent-encoded, without a
 * query.
 * Errors: MCP_EINVAL the path must not be used, `*why` (static) says why;
 * MCP_ENOMEM. */
enum mcp_err mcp_route_find(const struct mcp_generation *gen,
                            const char *method, const char *path,
                            struct mcp_arena *a, struct mcp_route_match *out,
                            const char **why) MCP_MUST_USE;

/* Decodes text[0..len) into `a`: percent sequences, and '+' as a space if
 * `plus`. Errors: MCP_EINVAL a wrong %, a NUL or bytes that are no UTF-8,
 * `*why` (static) says which; MCP_ENOMEM. */
enum mcp_err mcp_route_decode(struct mcp_arena *a, const char *text, size_t len,
                              bool plus, const char **out, size_t *out_len,
                              const char **why) MCP_MUST_USE;

#endif
