/*
 * fake_endpoint_common.h - an endpoint that does what the message tells it
 *
 * The message is a command, not JSON:
 *   echo TEXT       answers TEXT before handle() returns
 *   later MS        a worker answers "later" after MS milliseconds
 *   hang            a worker waits until the call is cancelled
 *   stubborn MS     answers "stubborn" after MS, cancelled or not
 *   big N           answers N times 'x', from a worker
 *   emit N MS       a worker emits {"n":1} ... {"n":N}, MS apart, then answers
 *   nag N MS        the same, cancelled or not
 *   flood N US      a worker emits N messages of 64 KiB, US microseconds apart,
 *                   then answers with the number that were refused
 *   inline N        emits N messages, then answers, all in handle()
 *   fill N          emits N messages of 92 bytes in handle(), then answers with
 *                   the number that were refused
 *   open MS         opens a stream in handle(), a worker answers after MS
 *   notify          202, no body
 *   status N        status N with body "status", from handle()
 *   header          answers with a reply header Mcp-Session-Id: abc
 *   see NAME        answers the value of request header NAME
 *   target          answers METHOD PATH QUERY
 * A GET or DELETE answers 405.
 */
#ifndef FAKE_ENDPOINT_COMMON_H
#define FAKE_ENDPOINT_COMMON_H

#include <stdatomic.h>

struct fake_stats {
    atomic_int handled;       /* messages that came                        */
    atomic_int finished;      /* done() that were called                   */
    atomic_int disconnected;  /* mcp_endpoint_disconnected()               */
    atomic_int cancelled;     /* "hang" calls that ended as cancelled      */
    atomic_int refused;       /* emits that returned MCP_ELIMIT            */
    atomic_int lost;          /* emits that returned MCP_ECANCELED         */
    atomic_int unwanted;      /* emits that returned MCP_EINVAL            */
    atomic_int failed;        /* emits that returned anything else         */
    atomic_int swept;         /* mcp_endpoint_sweep()                      */
    atomic_int streams_ended; /* mcp_endpoint_end_streams()               */
};

extern struct fake_stats fake_stats;

/* Starts `n` workers and clears the counters. */
void fake_start(int n);
/* Waits for the calls in hand, ends the workers. */
void fake_stop(void);

#endif
