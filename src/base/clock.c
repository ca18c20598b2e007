/*
 * clock.c - see clock.h
 */
#include "base/clock.h"

_Atomic uint64_t mcp_clock_ahead_ns;
