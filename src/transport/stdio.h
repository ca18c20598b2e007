/*
 * stdio.h - one JSON line in, one JSON line out
 *
 * The channel to the client is a private copy of file descriptor 1, made
 * before any app code runs; descriptor 1 itself then points to stderr, so
 * print, io.write, os.execute and stray C output never reach the client.
 *
 * Layer:  transport. Uses protocol/endpoint, base.
 * Thread: claim and run: the main thread.
 */
#ifndef MCP_TRANSPORT_STDIO_H
#define MCP_TRANSPORT_STDIO_H

#include <stdatomic.h>

#include "base/config.h"
#include "base/err.h"

struct mcp_endpoint;

/* Takes stdin and stdout away from everyone else: must be called before the
 * app loads. fd 0 then reads /dev/null, fd 1 writes to stderr. `*in` and
 * `*out` get the private descriptors. Errors: MCP_EINTERNAL. */
enum mcp_err mcp_stdio_claim(int *in, int *out) MCP_MUST_USE;

/* Serves lines from `in` until its end, or until `*stop` (set by a signal
 * handler; the signal interrupts the wait through `wake_fd`, readable when a
 * signal came) becomes true. Then running calls are given up to `grace_s`
 * seconds (a moment at the end of input), then they are cancelled, and all is
 * freed. Returns 0, or the errno for which nothing could be written; that the
 * client closed its end is none. */
int mcp_stdio_run(struct mcp_endpoint *endpoint,
                  const struct mcp_config *config, int in, int out,
                  const atomic_int *stop, int wake_fd, double grace_s);

#endif
