/*
 * Event streams: when an answer becomes one, and how it behaves.
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

#define BOTH "Accept: application/json, text/event-stream\r\n"

static void assert_header(const struct answer *a, const char *name,
                          const char *value)
{
    const char *got = client_header(a, name);

    assert_non_null(got);
    assert_string_equal(got, value);
}

static void assert_stream(struct answer a, const char *body)
{
    assert_int_equal(a.status, 200);
    assert_header(&a, "Content-Type", "text/event-stream");
    assert_header(&a, "Cache-Control", "no-store");
    assert_header(&a, "X-Accel-Buffering", "no");
    assert_true(a.whole);
    if (body != NULL)
        assert_string_equal(a.body, body);
    free(a.body);
}

static uint64_t ms_since(uint64_t start)
{
    return (mcp_clock_now_ns() - start) / MCP_NS_PER_MS;
}

/* Is there nothing to read within `ms`? */
static bool is_quiet(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, ms) == 0;
}

static void messages_make_the_answer_a_stream(void **state)
{
    (void)state;
    server_start();
    assert_stream(client_call(server.port, BOTH, "emit 3 5"),
                  "data: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: {\"n\":3}\n\n"
                  "data: later\n\n");
    assert_stream(client_call(server.port, BOTH, "emit 2 0"),
                  "data: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: later\n\n");
}

static void messages_within_handle_do_too(void **state)
{
    (void)state;
    server_start();
    assert_stream(client_call(server.port, BOTH, "inline 2"),
                  "data: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: inline\n\n");
}

static void an_answer_without_messages_stays_json(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    a = client_call(server.port, BOTH, "later 30");
    assert_header(&a, "Content-Type", "application/json");
    free(a.body);
}

static void a_client_of_json_only_gets_no_messages(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    a = client_call(server.port, "Accept: application/json\r\n", "emit 3 1");
    assert_header(&a, "Content-Type", "application/json");
    assert_string_equal(a.body, "later");
    assert_int_equal(atomic_load(&fake_stats.unwanted), 3);
    free(a.body);
}

static void a_client_of_streams_only_gets_a_stream(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    assert_stream(
        client_call(server.port, "Accept: text/event-stream\r\n", "later 5"),
        "data: later\n\n");
    a = client_call(server.port, "Accept: text/event-stream\r\n", "notify");
    assert_int_equal(a.status, 202);
    assert_int_equal(a.len, 0);
    free(a.body);
}

static void a_big_answer_is_one_event(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    a = client_call(server.port, "Accept: text/event-stream\r\n",
                    "big 3000000");
    assert_int_equal(a.len, 6 + 3000000 + 2);
    assert_int_equal(strspn(a.body + 6, "x"), 3000000);
    assert_stream(a, NULL);
}

static void headers_are_sent_before_the_first_message(void **state)
{
    uint64_t start = mcp_clock_now_ns();
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, BOTH, "open 500");
    assert_int_equal(client_wait_for(fd, "\r\n\r\n"), 0);
    assert_true(ms_since(start) < 400);
    assert_int_equal(client_wait_for(fd, "data: later\n\n"), 0);
    assert_true(ms_since(start) >= 450);
    close(fd);
}

static void messages_are_sent_as_they_come(void **state)
{
    uint64_t start = mcp_clock_now_ns();
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, BOTH, "emit 3 150");
    assert_int_equal(client_wait_for(fd, "{\"n\":1}\n\n"), 0);
    assert_true(ms_since(start) < 290);
    assert_int_equal(client_wait_for(fd, "{\"n\":2}\n\n"), 0);
    assert_true(ms_since(start) < 440);
    close(fd);
}

static void the_connection_goes_on_after_a_stream(void **state)
{
    int fd, i;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    for (i = 0; i < 5; i++) {
        struct answer a;

        client_post(fd, BOTH, "emit 2 1");
        assert_stream(client_read(fd), NULL);
        client_post(fd, BOTH, "echo 1");
        a = client_read(fd);
        assert_header(&a, "Content-Type", "application/json");
        assert_string_equal(a.body, "1");
        free(a.body);
    }
    close(fd);
}

static void a_long_call_becomes_a_stream_with_comments(void **state)
{
    struct answer a;
    char *p;
    int comments = 0;

    (void)state;
    server_set("sse_after", "0.1");
    server_set("keepalive", "1");
    server_start();
    a = client_call(server.port, BOTH, "later 2500");
    assert_header(&a, "Content-Type", "text/event-stream");
    for (p = a.body; strncmp(p, ": keep-alive\n\n", 14) == 0; p += 14)
        comments++;
    assert_in_range(comments, 1, 3);
    assert_string_equal(p, "data: later\n\n");
    free(a.body);
}

static void a_long_call_of_a_json_client_stays_json(void **state)
{
    struct answer a;

    (void)state;
    server_set("sse_after", "0.1");
    server_start();
    a = client_call(server.port, "Accept: application/json\r\n", "later 300");
    assert_header(&a, "Content-Type", "application/json");
    assert_string_equal(a.body, "later");
    free(a.body);
}

static void a_quiet_stream_is_not_timed_out(void **state)
{
    (void)state;
    server.limits.idle_s = 1;
    server.limits.wait_ns = MCP_NS_PER_S;
    server_start();
    assert_stream(client_call(server.port, BOTH, "open 2600"),
                  "data: later\n\n");
}

static void a_slow_reader_loses_messages_but_not_the_answer(void **state)
{
    struct answer a;
    int fd;
    char *last;

    (void)state;
    server.limits.stream_bytes = 1024 * 1024;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, BOTH, "flood 400");
    assert_int_equal(client_await(&fake_stats.finished, 1, 10000), 0);
    assert_true(atomic_load(&fake_stats.refused) > 0);
    a = client_read(fd);
    assert_true(a.whole);
    assert_true(a.len < 400u * 65536);
    last = a.body + a.len - 30;
    assert_non_null(memmem(last, 30, "refused ", 8));
    free(a.body);
    close(fd);
}

static void a_reader_that_keeps_up_badly_causes_no_other_error(void **state)
{
    char bytes[20000];
    int fd;

    (void)state;
    server.limits.stream_bytes = 300 * 1000;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, BOTH, "flood 3000 100"); /* 196 MB if it could */
    while (atomic_load(&fake_stats.finished) == 0) {
        assert_true(recv(fd, bytes, sizeof(bytes), 0) > 0);
        usleep(20);
    }
    assert_int_equal(client_wait_for(fd, "data: refused "), 0);
    assert_true(atomic_load(&fake_stats.refused) > 0);
    assert_true(atomic_load(&fake_stats.refused) < 3000);
    assert_int_equal(atomic_load(&fake_stats.failed), 0);
    close(fd);
}

static void the_unsent_part_of_a_stream_has_a_limit(void **state)
{
    struct answer a;

    (void)state;
    server.limits.stream_bytes = 10 * 100;
    server_start();
    a = client_call(server.port, BOTH, "fill 10");
    assert_int_equal(a.len, 10 * 100 + sizeof("data: refused 0\n\n") - 1);
    assert_string_equal(a.body + 1000, "data: refused 0\n\n");
    free(a.body);
    a = client_call(server.port, BOTH, "fill 11");
    assert_string_equal(a.body + 1000, "data: refused 1\n\n");
    free(a.body);
    a = client_call(server.port, "Accept: application/json\r\n", "fill 11");
    assert_string_equal(a.body, "refused 0"); /* not wanted is not too slow */
    free(a.body);
}

static void streams_beyond_the_limit_are_answered_with_json(void **state)
{
    int fds[2], i;
    struct answer a;

    (void)state;
    server_set("max_streams", "2");
    server_start();
    for (i = 0; i < 2; i++) {
        fds[i] = client_connect(server.port);
        client_post(fds[i], BOTH, "open 600");
        assert_int_equal(client_wait_for(fds[i], "text/event-stream"), 0);
    }
    a = client_call(server.port, BOTH, "emit 1 0");
    assert_header(&a, "Content-Type", "application/json");
    assert_string_equal(a.body, "later");
    assert_int_equal(atomic_load(&fake_stats.refused), 1);
    free(a.body);
    for (i = 0; i < 2; i++) {
        assert_int_equal(client_wait_for(fds[i], "data: later\n\n"), 0);
        close(fds[i]);
    }
    assert_stream(client_call(server.port, BOTH, "emit 1 0"), NULL);
}

static void a_stream_for_http_1_0_ends_with_the_connection(void **state)
{
    int fd;
    char c;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_puts(fd, "POST /mcp HTTP/1.0\r\nHost: localhost\r\n" BOTH
                    "Content-Type: application/json\r\n"
                    "Content-Length: 8\r\n\r\nemit 2 5");
    assert_int_equal(client_wait_for(fd, "data: {\"n\":2}\n\n"), 0);
    assert_int_equal(client_wait_for(fd, "data: later\n\n"), 0);
    assert_int_equal(recv(fd, &c, 1, 0), 0);
    close(fd);
}

static void a_stream_ends_for_a_client_that_leaves(void **state)
{
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, BOTH, "emit 1000 5");
    assert_int_equal(client_wait_for(fd, "{\"n\":3}\n\n"), 0);
    close(fd);
    assert_int_equal(client_await(&fake_stats.disconnected, 1, 10000), 0);
    assert_int_equal(client_await(&fake_stats.lost, 1, 10000), 0);
}

static void nothing_follows_the_answer(void **state)
{
    int fd;

    (void)state;
    server_set("keepalive", "1");
    server_start();
    fd = client_connect(server.port);
    client_post(fd, BOTH, "emit 1 0");
    assert_stream(client_read(fd), NULL);
    assert_true(is_quiet(fd, 1500));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(messages_make_the_answer_a_stream),
        SERVER_TEST(messages_within_handle_do_too),
        SERVER_TEST(an_answer_without_messages_stays_json),
        SERVER_TEST(a_client_of_json_only_gets_no_messages),
        SERVER_TEST(a_client_of_streams_only_gets_a_stream),
        SERVER_TEST(a_big_answer_is_one_event),
        SERVER_TEST(headers_are_sent_before_the_first_message),
        SERVER_TEST(messages_are_sent_as_they_come),
        SERVER_TEST(the_connection_goes_on_after_a_stream),
        SERVER_TEST(a_long_call_becomes_a_stream_with_comments),
        SERVER_TEST(a_long_call_of_a_json_client_stays_json),
        SERVER_TEST(a_quiet_stream_is_not_timed_out),
        SERVER_TEST(a_slow_reader_loses_messages_but_not_the_answer),
        SERVER_TEST(a_reader_that_keeps_up_badly_causes_no_other_error),
        SERVER_TEST(the_unsent_part_of_a_stream_has_a_limit),
        SERVER_TEST(streams_beyond_the_limit_are_answered_with_json),
        SERVER_TEST(a_stream_for_http_1_0_ends_with_the_connection),
        SERVER_TEST(a_stream_ends_for_a_client_that_leaves),
        SERVER_TEST(nothing_follows_the_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
