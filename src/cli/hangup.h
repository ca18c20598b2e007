/*
 * hangup.h - SIGHUP reloads the app
 *
 * Layer:  cli. Uses base/err, base/memory.
 * Thread: start and stop: main. The callback comes from a thread of its own.
 */
#ifndef MCP_CLI_HANGUP_H
#define MCP_CLI_HANGUP_H

#include "base/err.h"

struct mcp_hangup;

/* Calls reload(user) for each SIGHUP from now on; those that come while one is
 * being handled are one. OWNED: mcp_hangup_stop(). NULL: no descriptor, memory
 * or thread. There is one per process. */
void mcp_hangup_stop(struct mcp_hangup *h);
struct mcp_hangup *mcp_hangup_start(void (*reload)(void *user), void *user)
    MCP_OWNED(mcp_hangup_stop) MCP_MUST_USE;

#endif
