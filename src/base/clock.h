/*
 * clock.h - the two clocks
 *
 * Layer:  base. Uses nothing.
 * Thread: any.
 */
#ifndef MCP_BASE_CLOCK_H
#define MCP_BASE_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define MCP_NS_PER_S  UINT64_C(1000000000)
#define MCP_NS_PER_MS UINT64_C(1000000)

/* How far both clocks run ahead of the machine's: 0, but in specs, which may
 * let time pass (cli/test_host.h). It only grows. */
extern _Atomic uint64_t mcp_clock_ahead_ns;

/* Nanoseconds of CLOCK_MONOTONIC: for deadlines and durations. */
static inline uint64_t mcp_clock_now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * MCP_NS_PER_S + (uint64_t)t.tv_nsec +
           atomic_load_explicit(&mcp_clock_ahead_ns, memory_order_relaxed);
}

/* When mcp_clock_now_ns() will be `ns`, as pthread_cond_timedwait() wants it on
 * CLOCK_MONOTONIC. */
static inline struct timespec mcp_clock_timespec(uint64_t ns)
{
    uint64_t ahead =
        atomic_load_explicit(&mcp_clock_ahead_ns, memory_order_relaxed);
    uint64_t real = ns > ahead ? ns - ahead : 0;

    return (struct timespec){.tv_sec = (time_t)(real / MCP_NS_PER_S),
                             .tv_nsec = (long)(real % MCP_NS_PER_S)};
}

/* Milliseconds since the epoch (UTC): for people and for the wire. */
static inline uint64_t mcp_clock_wall_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / MCP_NS_PER_MS +
           atomic_load_explicit(&mcp_clock_ahead_ns, memory_order_relaxed) /
               MCP_NS_PER_MS;
}

/* Seconds (fractions allowed) to nanoseconds; negative and NaN give 0, values
 * beyond 2^63 ns saturate. */
static inline uint64_t mcp_clock_from_seconds(double s)
{
    if (!(s > 0))
        return 0;
    return s < 9.2e9 ? (uint64_t)(s * 1e9) : UINT64_C(9200000000000000000);
}

#endif
