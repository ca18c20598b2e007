/*
 * bridge_token.h - the bearer token: a variable, or what a command prints
 *
 * The command runs while everything else goes on. Runs are numbered: who
 * needs a token asks for a run and waits until that one has ended, and many
 * may wait for the same.
 *
 * Layer:  transport; private to bridge*.c. Uses base.
 * Thread: one.
 */
#ifndef MCP_TRANSPORT_BRIDGE_TOKEN_H
#define MCP_TRANSPORT_BRIDGE_TOKEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

struct mcp_bridge_token {
    const char *variable; /* or */
    char *const *command; /* both NULL: no token */
    uint64_t timeout_ns;
    uint64_t started, ended; /* numbers of the last run            */
    pid_t pid;               /* 0: none is running                 */
    int fd;                  /* of its output; -1: none, or closed */
    uint64_t deadline_ns;
    struct mcp_buf output;
    char text[8192]; /* the token; "" when the run failed  */
    char why[256];   /* then this is why                   */
};

void mcp_bridge_token_init(struct mcp_bridge_token *t, const char *variable,
                           char *const *command, double timeout_s);

/* Ends a running command. */
void mcp_bridge_token_free(struct mcp_bridge_token *t);

static inline bool mcp_bridge_token_used(const struct mcp_bridge_token *t)
{
    return t->variable != NULL || t->command != NULL;
}

/* Starts a run unless one is going on; its number. */
uint64_t mcp_bridge_token_want(struct mcp_bridge_token *t);

/* Looks whether the command has printed something or ended. True: a run has
 * ended. */
bool mcp_bridge_token_step(struct mcp_bridge_token *t);

/* When to look again though `fd` is silent; 0: never. */
uint64_t mcp_bridge_token_next_ns(const struct mcp_bridge_token *t);

#endif
