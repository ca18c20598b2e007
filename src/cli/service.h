/*
 * service.h - an app and its endpoint: all that serves, but for a transport
 *
 *     config --> the app (loaded, its workers started) --> the endpoint
 *
 * Layer:  cli. Uses app/app, features/, protocol/endpoint.
 * Thread: main.
 */
#ifndef MCP_CLI_SERVICE_H
#define MCP_CLI_SERVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "app/app.h"
#include "base/config.h"
#include "base/err.h"
#include "features/subscriptions.h"
#include "features/task.h"
#include "protocol/endpoint.h"

struct mcp_service {
    struct mcp_subscriptions *subscriptions; /* who hears of changes         */
    struct mcp_app *app;
    struct mcp_config *served; /* what the app set by mcp.server{} as well   */
    struct mcp_endpoint *endpoint;
    struct mcp_tasks *tasks; /* NULL: the app is not served                 */
};

/* Ends it all; harmless for one that is zero. A worker may still be giving its
 * answer to the endpoint, whoever hears it: only when the workers have gone
 * nobody does. False: one does not go, and what it may use was not freed: the
 * process has to end now. */
bool mcp_service_close(struct mcp_service *s) MCP_MUST_USE;

/* Opens the app. Of `options` the caller sets path, config, watch, idle, mute.
 * After an error, too, it must be closed. Errors as mcp_app_open(). */
enum mcp_err mcp_service_open(struct mcp_service *s,
                              struct mcp_app_options *options, char *message,
                              size_t message_size) MCP_MUST_USE;

#endif
