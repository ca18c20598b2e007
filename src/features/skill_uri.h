/*
 * skill_uri.h - skill:// URIs and the paths that they stand for
 *
 * A served URI has one spelling: letters, digits and -._~!$&'()*+,;= as they
 * are, everything else percent-encoded with upper-case digits.
 *
 * Layer:  features. Uses base/buf, base/json (UTF-8).
 * Thread: any.
 * Source: RFC 3986; SEP-2640, Resource Mapping.
 */
#ifndef MCP_FEATURES_SKILL_URI_H
#define MCP_FEATURES_SKILL_URI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define MCP_SKILL_SCHEME "skill://"

enum {
    MCP_SKILL_MAX_PATH = 1024, /* bytes of a path, not encoded */
    MCP_SKILL_MAX_DEPTH = 16,  /* parts of it                  */
    MCP_SKILL_MAX_URI = sizeof(MCP_SKILL_SCHEME) + 3 * MCP_SKILL_MAX_PATH,
};

/* Is path[0..len) one that may be served: UTF-8, no part that is empty or
 * begins with a dot, no NUL, no backslash, within the limits above? NULL, or
 * why not (static, lower case). */
const char *mcp_skill_path_flaw(const char *path, size_t len);

/* Appends path[0..len) to `out` as part of a URI; '/' stays. */
void mcp_skill_uri_encode(struct mcp_buf *out, const char *path, size_t len);

/* Appends the one spelling of uri[0..len) to `out`. False, and nothing is
 * appended, when it cannot be a URI of a skill's file or folder: another
 * scheme, a query, a fragment, a bad escape, or a path with a flaw. */
bool mcp_skill_uri_normalize(struct mcp_buf *out, const char *uri, size_t len);

/* Is name[0..len) 1 to 64 of [a-z0-9-] with no hyphen at either end or beside
 * another? NULL, or why not (static, lower case). */
const char *mcp_skill_name_flaw(const char *name, size_t len);

#endif
