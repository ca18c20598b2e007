/*
 * flush.h - fflush(NULL) without waiting for other calls' files
 *
 * LuaJIT's io.popen calls fflush(NULL), which locks every open file of the
 * process in turn, and the list of them meanwhile. While another call is
 * blocked reading a pipe it would wait for that call, and so would every open
 * and close of a file after it. The executable therefore has an fflush of its
 * own: for NULL it flushes stdout and stderr, which are what a child shares
 * with us; every other file belongs to one Lua state, which flushes it itself.
 *
 * Layer:  app. Uses the C library (RTLD_NEXT).
 * Thread: any.
 */
#ifndef MCP_APP_FLUSH_H
#define MCP_APP_FLUSH_H

/* Finds the C library's fflush. Called before the first state is made, which
 * also makes the linker take this one. */
void mcp_flush_open(void);

#endif
