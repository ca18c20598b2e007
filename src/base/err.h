/*
 * err.h - the error codes and compiler notes every module shares
 *
 * A C function that can fail returns `enum mcp_err`. On anything but MCP_OK
 * its out parameters are untouched and it owns nothing on the caller's behalf.
 * Codes are for code; text for people goes to the log or into a message that
 * the function names.
 *
 * Layer:  base. Uses nothing.
 * Thread: any.
 */
#ifndef MCP_BASE_ERR_H
#define MCP_BASE_ERR_H

enum mcp_err {
    MCP_OK = 0,
    MCP_ENOMEM,    /* allocation refused                                  */
    MCP_EINVAL,    /* the peer or the app sent something malformed        */
    MCP_ENOENT,    /* no such tool, resource, prompt, task ...            */
    MCP_EEXIST,    /* declared twice                                      */
    MCP_ELIMIT,    /* a documented bound was reached                      */
    MCP_EBUSY,     /* the queue is full: refuse now, not later            */
    MCP_ETIMEOUT,  /* the call's deadline passed                          */
    MCP_ECANCELED, /* the peer took the request back                      */
    MCP_EIO,       /* a file or its disk did not do it                    */
    MCP_EINTERNAL, /* our bug: logged in full, shown to the peer as -32603 */
};

/* The result must be looked at: -Werror turns a dropped error into a stop. */
#define MCP_MUST_USE __attribute__((warn_unused_result))

/* printf-like: argument `fmt` is the format, its values start at `first`. */
#define MCP_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* The returned pointer is OWNED and may only go to `free_fn`. GCC 11+ checks.
 */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define MCP_OWNED(free_fn) __attribute__((malloc(free_fn, 1)))
#else
#define MCP_OWNED(free_fn)
#endif

#endif
