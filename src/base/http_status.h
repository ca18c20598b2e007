/*
 * http_status.h - what HTTP calls its status codes
 *
 * Layer:  base.
 * Thread: any.
 * Source: IANA HTTP Status Code Registry.
 */
#ifndef MCP_BASE_HTTP_STATUS_H
#define MCP_BASE_HTTP_STATUS_H

/* "Not Found" for 404; "Error" for one without a name. Static. */
const char *mcp_http_phrase(int status);

#endif
