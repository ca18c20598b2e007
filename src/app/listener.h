/*
 * listener.h - who hears of changes that the app tells
 *
 * Layer:  app.
 * Thread: filled by one, constant while the app lives; notify: any.
 */
#ifndef MCP_APP_LISTENER_H
#define MCP_APP_LISTENER_H

#include <stddef.h>

/* What has changed. */
enum mcp_notice {
    MCP_NOTICE_TOOLS, /* the list of ... */
    MCP_NOTICE_PROMPTS,
    MCP_NOTICE_RESOURCES,
    MCP_NOTICE_RESOURCE, /* the resource at a URI */
};

struct mcp_listener {
    /* uri[0..len) with MCP_NOTICE_RESOURCE, UTF-8, BORROWED for the call; else
     * NULL. Never waits. NULL: nobody listens. */
    void (*notify)(void *user, enum mcp_notice what, const char *uri,
                   size_t len);
    void *user;
};

#endif
