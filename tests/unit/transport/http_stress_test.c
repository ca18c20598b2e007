/*
 * Everything at once, for the sanitizers: calls, streams, pipelining, clients
 * that leave in every way, and a stop in the middle of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "server_common.h"

enum { CLIENTS = 6, RUN_MS = 2500 };

#define BOTH "Accept: application/json, text/event-stream\r\n"

static atomic_bool over;
static atomic_int answered, broken;

static const char *const bodies[] = {
    "echo 1",     "later 0",  "later 3",  "later 15", "emit 3 0",
    "emit 3 2",   "emit 9 4", "inline 2", "open 12",  "big 300000",
    "stubborn 8", "flood 20", "notify",
};
enum { BODIES = sizeof(bodies) / sizeof(bodies[0]) };

static void leave(int fd, int how)
{
    struct linger now = {1, 0};

    if (how == 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    if (how == 1)
        shutdown(fd, SHUT_WR);
    close(fd);
}

static void *be_a_client(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;

    while (!atomic_load(&over)) {
        int fd = client_connect(server.port), i, n = rand_r(&seed) % 5;

        if (fd < 0)
            break; /* the server stops */
        for (i = 0; i <= n; i++)
            client_post(fd, rand_r(&seed) % 4 ? BOTH : "",
                        bodies[rand_r(&seed) % BODIES]);
        if (rand_r(&seed) % 3 == 0)
            client_post(fd, "", "hang");
        for (i = 0; i <= n && rand_r(&seed) % 6; i++) {
            struct answer a = client_read(fd);

            if (a.status != 0 && a.whole)
                atomic_fetch_add(&answered, 1);
            else if (!atomic_load(&over))
                atomic_fetch_add(&broken, 1);
            free(a.body);
        }
        if (rand_r(&seed) % 2)
            usleep(rand_r(&seed) % 20000);
        leave(fd, rand_r(&seed) % 3);
    }
    return NULL;
}

static void run(double grace_s)
{
    pthread_t clients[CLIENTS];
    uintptr_t i;

    atomic_store(&over, false);
    atomic_store(&answered, 0);
    atomic_store(&broken, 0);
    server_start();
    for (i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, be_a_client, (void *)(i + 1));
    usleep(RUN_MS * 1000);
    atomic_store(&over, true);
    server_stop(grace_s);
    for (i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    assert_true(atomic_load(&answered) > 50);
    assert_int_equal(atomic_load(&broken), 0);
    assert_int_equal(atomic_load(&fake_stats.failed), 0);
    assert_int_equal(client_await(&fake_stats.finished,
                                  atomic_load(&fake_stats.handled), 10000),
                     0);
}

static void nothing_breaks_under_load(void **state)
{
    (void)state;
    run(3);
}

static void nothing_breaks_when_it_stops_at_once(void **state)
{
    (void)state;
    server.limits.slow_ns = MCP_NS_PER_MS;
    run(0);
}

static void every_object_is_given_back(void **state)
{
    struct mcp_http_io *io;
    int i, round;

    (void)state;
    server.limits.threads = 1;
    server_start();
    io = &server.http->io[0];
    for (round = 0; round < 3; round++) {
        for (i = 0; i < 40; i++)
            assert_call(BOTH, bodies[i % BODIES],
                        bodies[i % BODIES][0] == 'n' ? 202 : 200, NULL);
    }
    assert_int_equal(atomic_load(&server.http->streams), 0);
    for (i = 0; i < 500 && atomic_load(&server.http->connections) > 0; i++)
        usleep(2000);
    assert_int_equal(atomic_load(&server.http->connections), 0);
    /* one at a time: the objects were used again and again */
    assert_in_range(io->request_count, 1, 3);
    server_stop(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(nothing_breaks_under_load),
        SERVER_TEST(nothing_breaks_when_it_stops_at_once),
        SERVER_TEST(every_object_is_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
