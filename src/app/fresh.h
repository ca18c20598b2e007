/*
 * fresh.h - is a generation still what its files say?
 *
 * The app's own files (app/sources) and those that the features read when they
 * prepared the generation (the callbacks of app/options).
 *
 * Layer:  app, private to the loader. Uses app/options, app/sources, app/watch.
 * Thread: the loader's.
 */
#ifndef MCP_APP_FRESH_H
#define MCP_APP_FRESH_H

#include <stdbool.h>

#include "app/options.h"
#include "app/sources.h"
#include "app/watch.h"

/* Watches every folder that `gen` was made of; `w` may be NULL: nothing is
 * watched. False: what was prepared has changed before it was watched. */
bool mcp_fresh_watch(struct mcp_watch *w, const struct mcp_app_options *options,
                     const struct mcp_generation *gen,
                     struct mcp_sources *sources) MCP_MUST_USE;

/* Has any file changed since `gen` was made? A folder that is new is watched
 * from now on, and looked at once more. */
bool mcp_fresh_changed(struct mcp_watch *w,
                       const struct mcp_app_options *options,
                       const struct mcp_generation *gen,
                       struct mcp_sources *sources);

#endif
