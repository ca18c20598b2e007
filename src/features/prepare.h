/*
 * prepare.h - what can be written before the first request comes
 *
 * A generation never changes, so its lists, its discover and initialize
 * results and the signature of every result are written once, per revision,
 * before it is published. Answering a list is then a copy of a few spans.
 *
 * Layer:  features. Uses every feature, features/prepared, app/registry.
 * Thread: prepare: the loader's; a prepared generation is constant.
 */
#ifndef MCP_FEATURES_PREPARE_H
#define MCP_FEATURES_PREPARE_H

#include <stddef.h>

#include "app/registry.h"
#include "base/err.h"

/* Fills gen->prepared and gen->prepared_free. `user`: NULL, or a bool, true:
 * what is wrong with the skills is not told to the log, since the caller tells
 * it. The signature is that of mcp_app_options.prepare.
 * Errors, with a one-line `message`: MCP_EINVAL, MCP_ENOMEM. */
enum mcp_err mcp_features_prepare(void *user, struct mcp_generation *gen,
                                  char *message,
                                  size_t message_size) MCP_MUST_USE;

#endif
