/*
 * signals.h - SIGTERM and SIGINT end the server, SIGPIPE ends nobody
 *
 * Handlers, not blocked signals and not SIG_IGN: both of those would be
 * inherited by the programs that an app starts (os.execute, io.popen), which
 * then could not be ended and would not notice closed pipes.
 *
 *     before serving     SIGTERM, SIGINT: exit at once, 128 + signal
 *     while serving      the first sets `stop` and makes `wake_fd` readable,
 *                        a second exits at once; some seconds after the first
 *                        the process is gone even if a handler hangs
 *
 * Layer:  cli. Uses nothing.
 * Thread: main; handlers run on any thread.
 */
#ifndef MCP_CLI_SIGNALS_H
#define MCP_CLI_SIGNALS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"

struct mcp_signals {
    const atomic_int *stop; /* the signal that came, 0 before                */
    int wake_fd;            /* readable once it came                         */
};

/* Installs the handlers; there is one set per process. Errors: MCP_EINTERNAL
 * no descriptor is left. */
enum mcp_err mcp_signals_open(struct mcp_signals *out) MCP_MUST_USE;

/* From now on there is work to finish: the first signal only sets `stop`, and
 * calls mcp_signals_end_in(end_s). */
void mcp_signals_serving(unsigned end_s);

/* Waits until a signal came, at most `milliseconds` (-1: for ever). Has one
 * come? */
bool mcp_signals_wait(const struct mcp_signals *s, int milliseconds);

/* Whatever happens, the process ends in `end_s` seconds from now: unless it has
 * ended by itself, with exit status 1 and a line on stderr. */
void mcp_signals_end_in(unsigned end_s);

#endif
