/*
 * mime.h - the MIME type of a resource that does not say it
 *
 * Layer:  base. Uses base/json (UTF-8).
 * Thread: any.
 * Source: IANA media types; the signatures of the formats' specifications.
 */
#ifndef MCP_BASE_MIME_H
#define MCP_BASE_MIME_H

#include <stdbool.h>
#include <stddef.h>

/* By the extension of a path or a URI, whose query and fragment do not count;
 * upper and lower case are the same. NULL: it has none that is known. Static.
 */
const char *mcp_mime_by_name(const char *name);

/* Is bytes[0..len) text: UTF-8 without a NUL? */
bool mcp_mime_is_text(const char *bytes, size_t len);

/* By the first bytes of some formats, else "text/plain" for text, else
 * "application/octet-stream". Static. */
const char *mcp_mime_by_content(const char *bytes, size_t len);

#endif
