/*
 * uri_template.h - URI templates, read backwards: from a URI to its variables
 *
 *   {id}        one segment: anything but '/', '?', '#'
 *   {+path}     anything, slashes too          {path*}  the same
 *   {?q,lang}   query members, each may be absent, in any order
 *   {&page}     more of them
 *
 * Values come back percent-decoded. A URI whose value would leave its folder (a
 * ".." segment, by whatever encoding), or that holds a NUL, does not match but
 * is told apart, so that it can be refused by name.
 *
 * Layer:  base. Uses base/arena, base/err.
 * Thread: a template is constant once parsed.
 * Source: RFC 6570 (level 1, level 2 '+', level 3 '?' and '&', explode).
 */
#ifndef MCP_BASE_URI_TEMPLATE_H
#define MCP_BASE_URI_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct mcp_uri_template;

enum { MCP_URI_MAX_BYTES = 8192, MCP_URI_TEMPLATE_MAX_VARIABLES = 32 };

void mcp_uri_template_free(struct mcp_uri_template *t);

/* Parses `text`. `*out` is OWNED. Errors, with a one-line `message`:
 * MCP_EINVAL unbalanced braces, an operator or a modifier that is not above, a
 * name that is no name or comes twice, two variables with nothing between,
 * too many variables; MCP_ENOMEM. */
enum mcp_err mcp_uri_template_parse(const char *text,
                                    struct mcp_uri_template **out,
                                    char *message,
                                    size_t message_size) MCP_MUST_USE;

/* How many variables it has, and their names in order; BORROWED. */
size_t mcp_uri_template_variable_count(const struct mcp_uri_template *t);
const char *mcp_uri_template_variable(const struct mcp_uri_template *t,
                                      size_t i);

struct mcp_uri_value {
    const char *text; /* decoded; NULL: an absent query member */
    size_t len;
};

/* Matches uri[0..len). `values` has room for every variable and lives in `a`.
 * Errors: MCP_ENOENT it does not match; MCP_EINVAL it does, with a value that
 * must not be used (see above); MCP_ELIMIT longer than MCP_URI_MAX_BYTES;
 * MCP_ENOMEM. */
enum mcp_err mcp_uri_template_match(const struct mcp_uri_template *t,
                                    const char *uri, size_t len,
                                    struct mcp_arena *a,
                                    struct mcp_uri_value *values) MCP_MUST_USE;

/* Does text[0..len) look like an absolute URI: a scheme, ':', something, no
 * space or control character? (RFC 3986, 3.1 and 4.3.) */
bool mcp_uri_is_absolute(const char *text, size_t len);

#endif
