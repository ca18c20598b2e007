/*
 * Clients that leave, many at once, limits of connections, start and stop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "server_common.h"

#define BOTH "Accept: application/json, text/event-stream\r\n"

static uint64_t ms_since(uint64_t start)
{
    return (mcp_clock_now_ns() - start) / MCP_NS_PER_MS;
}

static bool is_quiet(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, ms) == 0;
}

static void close_with_reset(int fd)
{
    struct linger now = {1, 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close(fd);
}

/* ---- clients that leave ------------------------------------------------- */

static void a_closed_connection_cancels_its_call(void **state)
{
    uint64_t start;
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, "", "hang");
    assert_int_equal(client_await(&fake_stats.handled, 1, 10000), 0);
    usleep(50000);
    start = mcp_clock_now_ns();
    close(fd);
    assert_int_equal(client_await(&fake_stats.cancelled, 1, 10000), 0);
    assert_true(ms_since(start) < 5000);
    assert_int_equal(atomic_load(&fake_stats.disconnected), 1);
}

static void so_do_a_reset_and_a_half_close(void **state)
{
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, "", "hang");
    assert_int_equal(client_await(&fake_stats.handled, 1, 10000), 0);
    usleep(30000);
    close_with_reset(fd);
    assert_int_equal(client_await(&fake_stats.cancelled, 1, 10000), 0);
    fd = client_connect(server.port);
    client_post(fd, "", "hang");
    assert_int_equal(client_await(&fake_stats.handled, 2, 10000), 0);
    usleep(30000);
    shutdown(fd, SHUT_WR);
    assert_int_equal(client_await(&fake_stats.cancelled, 2, 10000), 0);
    close(fd);
}

static void a_client_may_leave_before_it_is_watched(void **state)
{
    int i;

    (void)state;
    server_start();
    for (i = 0; i < 20; i++) {
        int fd = client_connect(server.port);

        client_post(fd, "", i % 2 ? "hang" : "later 4");
        if (i % 3 == 0)
            close_with_reset(fd);
        else
            close(fd);
    }
    usleep(100000); /* a reset may come before the request is read */
    assert_int_equal(client_await(&fake_stats.finished,
                                  atomic_load(&fake_stats.handled), 10000),
                     0);
    assert_in_range(atomic_load(&fake_stats.handled), 13, 20);
    assert_call("", "echo 1", 200, "1");
}

static void a_call_may_outlive_its_client(void **state)
{
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, BOTH, "stubborn 1000");
    usleep(40000);
    close(fd);
    assert_int_equal(client_await(&fake_stats.disconnected, 1, 10000), 0);
    assert_int_equal(atomic_load(&fake_stats.finished), 0);
    assert_int_equal(client_await(&fake_stats.finished, 1, 10000), 0);
    assert_call("", "echo 1", 200, "1");
}

static void a_client_with_half_a_request_may_leave(void **state)
{
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_puts(fd, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                    "Content-Type: application/json\r\n"
                    "Content-Length: 100\r\n\r\nhalf");
    usleep(20000);
    close(fd);
    assert_call("", "echo 1", 200, "1");
    assert_int_equal(atomic_load(&fake_stats.handled), 1);
}

/* ---- many --------------------------------------------------------------- */

static void three_hundred_calls_wait_at_once(void **state)
{
    enum { MANY = 300 };
    int fds[MANY], i;

    (void)state;
    server_start();
    for (i = 0; i < MANY; i++) {
        fds[i] = client_connect(server.port);
        assert_true(fds[i] >= 0);
        client_post(fds[i], BOTH, i % 2 ? "later 400" : "emit 3 100");
    }
    assert_int_equal(client_await(&fake_stats.handled, MANY, 10000), 0);
    assert_call("", "echo 1", 200, "1");
    for (i = 0; i < MANY; i++) {
        struct answer a = client_read(fds[i]);

        assert_int_equal(a.status, 200);
        assert_true(a.whole);
        free(a.body);
        close(fds[i]);
    }
    assert_int_equal(atomic_load(&fake_stats.disconnected), 0);
}

static void connections_beyond_the_limit_wait(void **state)
{
    int fds[3], i;
    struct answer a;

    (void)state;
    server_set("max_connections", "2");
    server_start();
    for (i = 0; i < 2; i++) {
        fds[i] = client_connect(server.port);
        client_post(fds[i], "", "hang");
    }
    assert_int_equal(client_await(&fake_stats.handled, 2, 10000), 0);
    fds[2] = client_connect(server.port);
    client_post(fds[2], "", "echo 3");
    assert_true(is_quiet(fds[2], 300));
    close(fds[0]);
    a = client_read(fds[2]);
    assert_string_equal(a.body, "3");
    free(a.body);
    close(fds[1]);
    close(fds[2]);
}

static void idle_connections_make_room(void **state)
{
    int idle[2], i;
    char c;

    (void)state;
    server_set("max_connections", "2");
    server.limits.threads = 1;
    server_start();
    for (i = 0; i < 2; i++) {
        struct answer a;

        idle[i] = client_connect(server.port);
        client_post(idle[i], "", "echo 1");
        a = client_read(idle[i]);
        free(a.body);
    }
    assert_call("", "echo 1", 200, "1");
    assert_int_equal(recv(idle[0], &c, 1, 0), 0); /* the longest idle */
    close(idle[0]);
    close(idle[1]);
}

static void a_reader_that_stops_is_ended(void **state)
{
    int answer, stream, i;

    (void)state;
    server.limits.idle_s = 1;
    server_start();
    answer = client_connect(server.port);
    client_post(answer, "", "big 30000000");
    stream = client_connect(server.port);
    client_post(stream, BOTH, "flood 1000"); /* 65 MB, most of it dropped */
    for (i = 0; i < 2500 && atomic_load(&server.http->connections) > 0; i++)
        usleep(2000);
    assert_int_equal(atomic_load(&server.http->connections), 0);
    close(answer);
    close(stream);
}

static uint64_t cpu_ms(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
           (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

static void running_out_of_descriptors_is_no_end_and_no_spin(void **state)
{
    struct rlimit before, none;
    uint64_t cpu;
    int fd, probe;
    struct answer a;

    (void)state;
    server_start();
    usleep(200000); /* threads of former servers close their descriptors */
    fd = socket(AF_INET, SOCK_STREAM, 0);
    probe = open("/dev/null", O_RDONLY);
    close(probe);
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = (rlim_t)probe;
    setrlimit(RLIMIT_NOFILE, &none);
    {
        struct sockaddr_in at = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)server.port)};

        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    }
    client_post(fd, "", "echo 1");
    cpu = cpu_ms();
    assert_true(is_quiet(fd, 500));
    cpu = cpu_ms() - cpu;
    setrlimit(RLIMIT_NOFILE, &before);
    assert_true(cpu < 200);
    a = client_read(fd);
    assert_string_equal(a.body, "1");
    free(a.body);
    close(fd);
}

static void an_idle_server_sleeps(void **state)
{
    uint64_t cpu;
    int fds[50], i;

    (void)state;
    server_start();
    for (i = 0; i < 50; i++) {
        fds[i] = client_connect(server.port);
        client_post(fds[i], BOTH, i < 25 ? "open 600" : "later 600");
    }
    usleep(50000);
    cpu = cpu_ms();
    usleep(400000);
    assert_true(cpu_ms() - cpu < 100);
    for (i = 0; i < 50; i++) {
        struct answer a = client_read(fds[i]);

        assert_true(a.whole);
        free(a.body);
        close(fds[i]);
    }
    assert_true(atomic_load(&fake_stats.swept) > 0);
}

/* ---- stop --------------------------------------------------------------- */

static void a_stop_lets_calls_finish(void **state)
{
    uint64_t start = mcp_clock_now_ns();
    struct answer a;
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, "", "later 300");
    assert_int_equal(client_await(&fake_stats.handled, 1, 10000), 0);
    server_stop(5);
    assert_in_range(ms_since(start), 250, 3000);
    a = client_read(fd);
    assert_string_equal(a.body, "later");
    assert_string_equal(client_header(&a, "Connection"), "close");
    free(a.body);
    close(fd);
}

static void a_stop_with_nothing_to_do_is_quick(void **state)
{
    uint64_t start;
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port); /* idle */
    usleep(20000);
    start = mcp_clock_now_ns();
    server_stop(5);
    assert_true(ms_since(start) < 4000);
    close(fd);
}

/* The answer to a call that the end of the server overtook. */
static void assert_stopped(int fd)
{
    struct answer a = client_read(fd);

    assert_int_equal(a.status, 503);
    assert_true(a.whole);
    assert_non_null(strstr(a.body, "shutting down"));
    assert_string_equal(client_header(&a, "Connection"), "close");
    free(a.body);
}

static void a_stop_cancels_what_outlasts_the_grace(void **state)
{
    uint64_t start;
    int fd, stream;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, "", "hang");
    stream = client_connect(server.port);
    client_post(stream, BOTH, "emit 100000 1");
    assert_int_equal(client_wait_for(stream, "{\"n\":3}"), 0);
    start = mcp_clock_now_ns();
    server_stop(0.1);
    assert_in_range(ms_since(start), 80, 1600);
    assert_int_equal(atomic_load(&fake_stats.cancelled), 1);
    assert_true(atomic_load(&fake_stats.disconnected) >= 2);
    assert_stopped(fd);
    assert_int_equal(client_wait_for(stream, "data: {\"refused\":503,"), 0);
    assert_int_equal(client_wait_for(stream, "shutting down"), 0);
    assert_int_equal(client_wait_for(stream, "\r\n0\r\n\r\n"), 0);
    close(fd);
    close(stream);
}

static void a_stop_does_not_wait_for_a_stubborn_call(void **state)
{
    uint64_t start;
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, "", "stubborn 2500");
    assert_int_equal(client_await(&fake_stats.handled, 1, 10000), 0);
    start = mcp_clock_now_ns();
    server_stop(0.1);
    assert_true(ms_since(start) < 2000);
    assert_int_equal(atomic_load(&fake_stats.finished), 0);
    assert_stopped(fd);
    assert_int_equal(client_await(&fake_stats.finished, 1, 4000), 0);
    close(fd);
}

static void a_call_left_behind_may_go_on_emitting(void **state)
{
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, BOTH, "nag 150 10");
    assert_int_equal(client_wait_for(fd, "{\"n\":3}"), 0);
    server_stop(0);
    assert_int_equal(atomic_load(&fake_stats.finished), 0);
    assert_int_equal(client_await(&fake_stats.finished, 1, 4000), 0);
    assert_true(atomic_load(&fake_stats.lost) > 50);
    close(fd);
}

static void *stop_slowly(void *arg)
{
    (void)arg;
    mcp_http_stop(server.http, 3);
    return NULL;
}

static void a_stopping_server_is_not_ready(void **state)
{
    struct answer a;
    pthread_t t;
    int busy, kept;

    (void)state;
    server.limits.threads = 1;
    server_start();
    busy = client_connect(server.port);
    kept = client_connect(server.port);
    client_post(busy, "", "later 2000");
    assert_int_equal(client_await(&fake_stats.handled, 1, 10000), 0);
    usleep(20000);
    pthread_create(&t, NULL, stop_slowly, NULL);
    usleep(100000);
    assert_int_equal(client_connect(server.port), -1);
    client_puts(kept, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    a = client_read(kept);
    assert_int_equal(a.status, 503);
    free(a.body);
    a = client_read(busy);
    assert_int_equal(a.status, 200);
    free(a.body);
    pthread_join(t, NULL);
    server.http = NULL;
    close(busy);
    close(kept);
}

/* ---- start -------------------------------------------------------------- */

static enum mcp_err try_start(struct mcp_http **http, char *message)
{
    struct mcp_http_options o = {.config = server.config};

    return mcp_http_start(&o, http, message, 256);
}

static void a_port_in_use_is_told(void **state)
{
    struct mcp_http *other;
    char message[256], expected[64], text[16];

    (void)state;
    server_start();
    (void)snprintf(text, sizeof(text), "%d", server.port);
    server_set("port", text);
    assert_int_equal(try_start(&other, message), MCP_EEXIST);
    (void)snprintf(expected, sizeof(expected), "port %d is in use",
                   server.port);
    assert_string_equal(message, expected);
    assert_call("", "echo 1", 200, "1");
    server_stop(1);
    assert_int_equal(try_start(&other, message), MCP_OK); /* free again */
    mcp_http_stop(other, 0);
}

static void hosts_beyond_loopback_need_names(void **state)
{
    static const char *const hosts[] = {"0.0.0.0", "::", "[::]", "10.1.2.3"};
    struct mcp_config *plain = mcp_config_new();
    struct mcp_http *http;
    char message[256];
    size_t i;

    (void)state;
    mcp_config_free(server.config);
    server.config = plain;
    server_set("port", "0");
    for (i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        server_set("host", hosts[i]);
        assert_int_equal(try_start(&http, message), MCP_EINVAL);
        assert_non_null(strstr(message, "allowed_hosts"));
        assert_non_null(strstr(message, "public_url"));
    }
    server_set("host", "0.0.0.0");
    server_set("public_url", "https://mcp.example.com/mcp");
    server_start();
    assert_call("", "echo 1", 200, "1");
}

static void a_host_must_be_an_address(void **state)
{
    struct mcp_http *http;
    char message[256];

    (void)state;
    server_set("host", "mcp.example.com");
    assert_int_equal(try_start(&http, message), MCP_EINVAL);
    assert_non_null(strstr(message, "mcp.example.com"));
    server_set("host", "192.0.2.7");
    assert_int_equal(try_start(&http, message), MCP_EINVAL);
    assert_non_null(strstr(message, "192.0.2.7"));
}

/* Is something listening on [::1]:port? */
static bool answers_on_ipv6(int port)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6,
                              .sin6_port = htons((uint16_t)port),
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    struct answer a = {0};

    if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0) {
        client_puts(fd, "GET /healthz HTTP/1.1\r\nHost: [::1]\r\n\r\n");
        a = client_read(fd);
    }
    close(fd);
    free(a.body);
    return a.status == 200;
}

static bool has_ipv6(void)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6,
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    bool has = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0;

    if (fd >= 0)
        close(fd);
    return has;
}

static void localhost_is_both_loopback_addresses(void **state)
{
    char expected[64];

    (void)state;
    server_set("host", "localhost");
    server_start();
    (void)snprintf(expected, sizeof(expected), "http://localhost:%d/mcp",
                   server.port);
    assert_string_equal(mcp_http_url(server.http), expected);
    assert_call("", "echo 1", 200, "1");
    assert_int_equal(answers_on_ipv6(server.port), has_ipv6());
}

static void an_ipv6_address_may_be_bound(void **state)
{
    (void)state;
    if (!has_ipv6())
        skip();
    server_set("host", "::1");
    server_start();
    assert_non_null(strstr(mcp_http_url(server.http), "http://[::1]:"));
    assert_true(answers_on_ipv6(server.port));
}

static void the_connection_limit_is_told(void **state)
{
    bool reduced;

    (void)state;
    server_set("max_connections", "100");
    server_start();
    assert_int_equal(mcp_http_connection_limit(server.http, &reduced), 100);
    assert_false(reduced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_closed_connection_cancels_its_call),
        SERVER_TEST(so_do_a_reset_and_a_half_close),
        SERVER_TEST(a_client_may_leave_before_it_is_watched),
        SERVER_TEST(a_call_may_outlive_its_client),
        SERVER_TEST(a_client_with_half_a_request_may_leave),
        SERVER_TEST(three_hundred_calls_wait_at_once),
        SERVER_TEST(connections_beyond_the_limit_wait),
        SERVER_TEST(idle_connections_make_room),
        SERVER_TEST(a_reader_that_stops_is_ended),
        SERVER_TEST(running_out_of_descriptors_is_no_end_and_no_spin),
        SERVER_TEST(an_idle_server_sleeps),
        SERVER_TEST(a_stop_lets_calls_finish),
        SERVER_TEST(a_stop_with_nothing_to_do_is_quick),
        SERVER_TEST(a_stop_cancels_what_outlasts_the_grace),
        SERVER_TEST(a_stop_does_not_wait_for_a_stubborn_call),
        SERVER_TEST(a_call_left_behind_may_go_on_emitting),
        SERVER_TEST(a_stopping_server_is_not_ready),
        SERVER_TEST(a_port_in_use_is_told),
        SERVER_TEST(hosts_beyond_loopback_need_names),
        SERVER_TEST(a_host_must_be_an_address),
        SERVER_TEST(localhost_is_both_loopback_addresses),
        SERVER_TEST(an_ipv6_address_may_be_bound),
        SERVER_TEST(the_connection_limit_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
