/*
 * loader.h - the thread that loads generations and closes what they leave
 *
 * Layer:  app, private to it. Uses app/slots, app/registry, app/watch.
 * Thread: one of its own; the functions here: any.
 */
#ifndef MCP_APP_LOADER_H
#define MCP_APP_LOADER_H

#include <stdbool.h>
#include <stddef.h>

#include "app/options.h"
#include "app/runner.h"

struct mcp_loader;
struct mcp_slots;

/* Frees the registry, closes every state, ends the thread. No generation may be
 * held any more. */
void mcp_loader_free(struct mcp_loader *l);

/* Starts the thread and waits until the app has loaded and is published in
 * `registry`. `options` (all it points to) and `supervisor` are BORROWED,
 * `registry` is TAKEN, even on an error. `*out` is OWNED. Errors: as
 * mcp_app_open(). */
enum mcp_err mcp_loader_new(const struct mcp_app_options *options,
                            struct mcp_registry *registry,
                            struct mcp_supervisor *supervisor,
                            struct mcp_loader **out, char *message,
                            size_t message_size) MCP_MUST_USE;

/* Builds the next generation and publishes it; soon, on the loader's thread.
 * With `only_when_changed` nothing happens while all files are what they were.
 */
void mcp_loader_reload(struct mcp_loader *l, bool only_when_changed);

/* How many workers an app with this config has, at least and at most. */
size_t mcp_loader_worker_count(const struct mcp_config *config, size_t *min);

/* The states of a published generation. */
struct mcp_slots *mcp_loader_slots(const struct mcp_generation *gen);

/* As mcp_app_isolation(). */
void mcp_loader_isolation(struct mcp_loader *l, char *text, size_t size);

#endif
