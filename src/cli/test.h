/*
 * test.h - `mcpluad test`: the specs of an app, by busted, with mcp.test
 *
 * Layer:  cli. Uses cli/test_host; includes lua.h.
 * Thread: main.
 */
#ifndef MCP_CLI_TEST_H
#define MCP_CLI_TEST_H

#include <stddef.h>

/* Runs busted in this process with argv[0 .. argc) as its arguments, and
 * returns the exit status of the process: 0 every spec passed, 1 one did not,
 * 2 busted is not there. Usually it does not return: busted ends the process
 * with that status. */
int mcp_test_run(int argc, char **argv);

#endif
