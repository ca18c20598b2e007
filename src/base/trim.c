/*
 * trim.c - see trim.h
 */
#include "base/trim.h"

#include <malloc.h>

bool mcp_trim(void)
{
    static size_t kept; /* free after the last time */
    size_t free_bytes = mallinfo2().fordblks;

    if (free_bytes < kept) /* they are in use again */
        kept = free_bytes;
    if (free_bytes - kept < MCP_TRIM_BYTES)
        return false;
    (void)malloc_trim(0);
    kept = mallinfo2().fordblks;
    return true;
}
