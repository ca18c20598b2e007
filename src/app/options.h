/*
 * options.h - what an app is opened with
 *
 * Layer:  app. Uses app/registry, base/config.
 * Thread: filled by one, constant while the app lives.
 */
#ifndef MCP_APP_OPTIONS_H
#define MCP_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "app/listener.h"
#include "app/registry.h"
#include "base/config.h"
#include "base/err.h"

struct mcp_shared; /* app/shared.h */

struct mcp_app_options {
    const char *path;                /* app.lua                              */
    const struct mcp_config *config; /* flags and environment; BORROWED      */
    /* Called on a fresh generation before it is published; may set
     * gen->prepared. Errors stop the load; `message` says why. */
    enum mcp_err (*prepare)(void *user, struct mcp_generation *gen,
                            char *message, size_t message_size);
    void *prepare_user;
    /* Would prepare() read other files now? May be NULL: it reads none. */
    bool (*stale)(const struct mcp_generation *gen);
    /* Calls each(user, folder) for every folder that prepare() would look into
     * now. May be NULL. */
    void (*watched)(const struct mcp_generation *gen,
                    void (*each)(void *user, const char *folder), void *user);
    bool watch; /* reload when a file of the app changes (--dev)             */
    bool idle;  /* it is not served: its timers do not run                   */
    bool mute;  /* it is only looked at: on_startup and its like do not run  */
    /* Called after a reload, on the loader's thread. May be NULL. Both
     * generations are BORROWED for the call. */
    void (*published)(void *user, const struct mcp_generation *old,
                      const struct mcp_generation *now);
    void *published_user;
    struct mcp_listener listener; /* of mcp.notify_*                          */
    struct mcp_shared *shared;    /* set by the app: its dictionaries         */
};

#endif
