/*
 * annotation.h - names of a tool's annotations that are slips of known ones
 *
 * A tool may carry annotations of its own, which are passed on. But
 * "readonly" is published too, and then no client sees that it was meant to be
 * "readOnlyHint".
 *
 * Layer:  app. Uses base/suggest.
 * Thread: any.
 * Source: MCP 2026-07-28, server/tools, data type "ToolAnnotations".
 */
#ifndef MCP_APP_ANNOTATION_H
#define MCP_APP_ANNOTATION_H

#include <stddef.h>

/* The hint that name[0..len) was meant to be: "readOnlyHint" for "readonly" or
 * "readOnlyHnit". NULL: it is a known one, or like none. */
const char *mcp_annotation_meant(const char *name, size_t len);

#endif
