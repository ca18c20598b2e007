/*
 * Bodies: in any pieces, up to the limit and not beyond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "server_common.h"

enum { MAX_BODY = 100000 };

#define HEAD                                                                   \
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"                                \
    "Content-Type: application/json\r\n"

/* "echo " and filler up to n bytes. */
static char *message(size_t n)
{
    char *text = malloc(n + 1);

    memset(text, 'm', n);
    memcpy(text, "echo ", 5);
    text[n] = '\0';
    return text;
}

static void assert_echo(struct answer a, size_t n)
{
    assert_int_equal(a.status, 200);
    assert_true(a.whole);
    assert_int_equal(a.len, n - 5);
    assert_int_equal(strspn(a.body, "m"), n - 5);
    free(a.body);
}

static void assert_refused(struct answer a, int status)
{
    assert_int_equal(a.status, status);
    assert_true(a.whole);
    assert_non_null(strstr(a.body, "\"refused\":"));
    free(a.body);
}

static void send_chunk(int fd, const char *data, size_t len)
{
    char head[32];

    (void)snprintf(head, sizeof(head), "%zx\r\n", len);
    client_puts(fd, head);
    client_send(fd, data, len);
    client_puts(fd, "\r\n");
}

static void a_body_in_single_bytes_arrives_whole(void **state)
{
    char head[300], *text = message(3000);
    size_t i;
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    (void)snprintf(head, sizeof(head), HEAD "Content-Length: 3000\r\n\r\n");
    for (i = 0; i < strlen(head); i++)
        client_send(fd, head + i, 1);
    for (i = 0; i < 3000; i++)
        client_send(fd, text + i, 1);
    assert_echo(client_read(fd), 3000);
    free(text);
    close(fd);
}

static void a_chunked_body_arrives_whole(void **state)
{
    char *text = message(50000);
    size_t at, n = 1;
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_puts(fd, HEAD "Transfer-Encoding: chunked\r\n\r\n");
    for (at = 0; at < 50000; at += n) {
        n = 1 + at % 977;
        if (n > 50000 - at)
            n = 50000 - at;
        send_chunk(fd, text + at, n);
    }
    client_puts(fd, "0\r\n\r\n");
    assert_echo(client_read(fd), 50000);
    client_post(fd, "", "echo mm"); /* and the connection goes on */
    assert_echo(client_read(fd), 7);
    free(text);
    close(fd);
}

static void max_body_itself_is_accepted(void **state)
{
    char head[300], *text = message(MAX_BODY);
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    (void)snprintf(head, sizeof(head), HEAD "Content-Length: %d\r\n\r\n",
                   MAX_BODY);
    client_puts(fd, head);
    client_send(fd, text, MAX_BODY);
    assert_echo(client_read(fd), MAX_BODY);
    client_puts(fd, HEAD "Transfer-Encoding: chunked\r\n\r\n");
    send_chunk(fd, text, 70000);
    send_chunk(fd, text + 70000, MAX_BODY - 70000);
    client_puts(fd, "0\r\n\r\n");
    assert_echo(client_read(fd), MAX_BODY);
    free(text);
    close(fd);
}

static void one_byte_more_is_refused_before_it_is_read(void **state)
{
    char head[300];
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    (void)snprintf(head, sizeof(head), HEAD "Content-Length: %d\r\n\r\n",
                   MAX_BODY + 1);
    client_puts(fd, head);
    assert_refused(client_read(fd), 413);
    assert_int_equal(atomic_load(&fake_stats.handled), 0);
    close(fd);
}

static void a_client_that_sends_all_of_it_still_reads_the_refusal(void **state)
{
    char head[300], *text = message(3000000);
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    (void)snprintf(head, sizeof(head), HEAD "Content-Length: 3000000\r\n\r\n");
    client_puts(fd, head);
    client_send(fd, text, 3000000);
    assert_refused(client_read(fd), 413);
    free(text);
    close(fd);
}

static void an_endless_chunked_body_is_cut_at_the_limit(void **state)
{
    char *text = message(10000);
    struct answer a;
    int fd, i;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_puts(fd, HEAD "Origin: http://localhost\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n");
    for (i = 0; i < 10; i++)
        send_chunk(fd, text, 10000);
    send_chunk(fd, text, 1);
    a = client_read(fd);
    assert_string_equal(client_header(&a, "Connection"), "close");
    assert_string_equal(client_header(&a, "Content-Type"), "application/json");
    assert_string_equal(client_header(&a, "Access-Control-Allow-Origin"),
                        "http://localhost");
    assert_refused(a, 413);
    for (i = 0; i < 100; i++) /* it sends on, and nobody minds */
        send_chunk(fd, text, 10000);
    assert_int_equal(atomic_load(&fake_stats.handled), 0);
    free(text);
    close(fd);
    assert_call("", "echo 1", 200, "1");
}

static void a_length_told_twice_is_refused(void **state)
{
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_puts(fd, HEAD "Content-Length: 6\r\nContent-Length: 7\r\n\r\n"
                         "echo 1");
    assert_refused(client_read(fd), 400);
    close(fd);
    fd = client_connect(server.port);
    client_puts(fd, HEAD "Content-Length: 6\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    assert_refused(client_read(fd), 400);
    close(fd);
}

static void an_empty_body_reaches_the_endpoint(void **state)
{
    (void)state;
    server_start();
    assert_call("", "", 400, "unknown");
    assert_int_equal(atomic_load(&fake_stats.handled), 1);
}

static uint64_t ms_since(uint64_t start)
{
    return (mcp_clock_now_ns() - start) / MCP_NS_PER_MS;
}

static void a_client_that_expects_100_gets_it_promptly(void **state)
{
    uint64_t start;
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    start = mcp_clock_now_ns();
    client_puts(fd, HEAD "Expect: 100-continue\r\nContent-Length: 7\r\n\r\n");
    assert_int_equal(client_wait_for(fd, "100 Continue\r\n\r\n"), 0);
    client_puts(fd, "echo mm");
    assert_echo(client_read(fd), 7);
    assert_true(ms_since(start) < 500);
    close(fd);
}

static void a_refusal_comes_instead_of_100(void **state)
{
    static const char *const lines[] = {
        "Content-Length: 100001\r\n", "Content-Length: 9\r\nOrigin: null\r\n",
        "Content-Length: 9\r\nAccept: text/plain\r\n"};
    static const int statuses[] = {413, 403, 406};
    size_t i;

    (void)state;
    server_start();
    for (i = 0; i < 3; i++) {
        int fd = client_connect(server.port);
        char first[13] = "";

        client_puts(fd, HEAD "Expect: 100-continue\r\n");
        client_puts(fd, lines[i]);
        client_puts(fd, "\r\n");
        (void)!recv(fd, first, 12, MSG_PEEK | MSG_WAITALL);
        assert_memory_not_equal(first, "HTTP/1.1 100", 12);
        assert_refused(client_read(fd), statuses[i]);
        close(fd);
    }
}

static void a_refused_body_is_bounded_too(void **state)
{
    char *text = message(10000);
    int fd, i;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_puts(fd, HEAD "Accept: text/plain\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n");
    for (i = 0; i < 11; i++)
        send_chunk(fd, text, 10000);
    assert_refused(client_read(fd), 413);
    free(text);
    close(fd);
}

/* Begins a body of 90 000 bytes, of which the last is not sent yet. */
static int begin_large(const char *text)
{
    int fd = client_connect(server.port);

    client_puts(fd, HEAD "Content-Length: 90000\r\n\r\n");
    client_send(fd, text, 89999);
    return fd;
}

static void assert_later(struct answer a)
{
    assert_int_equal(a.status, 200);
    assert_int_equal(a.len, 5);
    assert_memory_equal(a.body, "later", 5);
    free(a.body);
}

static void large_bodies_share_a_limit(void **state)
{
    char *text = message(90000);
    struct answer a;
    int first, second, third;

    (void)state;
    memcpy(text, "later ", 6); /* a short answer: long ones count too */
    /* a buffer doubles up to max_body: two of them are just allowed */
    server.limits.body_bytes = 0; /* so 2 max_body = 200 000 */
    server_start();
    first = begin_large(text);
    second = begin_large(text);
    usleep(100000);
    third = begin_large(text);
    a = client_read(third);
    assert_refused(a, 503);
    assert_call("", "echo small", 200, "small");
    client_send(first, "m", 1);
    assert_later(client_read(first));
    client_send(second, "m", 1);
    assert_later(client_read(second));
    close(first);
    close(second);
    close(third);
    third = begin_large(text);
    client_send(third, "m", 1);
    assert_later(client_read(third));
    close(third);
    free(text);
}

static void a_request_that_does_not_come_ends_its_connection(void **state)
{
    uint64_t start = mcp_clock_now_ns();
    int idle, head, body, i;
    char c;

    (void)state;
    assert_int_equal(mcp_http_default_limits.wait_ns, 60 * MCP_NS_PER_S);
    server.limits.wait_ns = 300 * MCP_NS_PER_MS;
    server_start();
    idle = client_connect(server.port);
    head = client_connect(server.port);
    body = client_connect(server.port);
    client_puts(head, "POST /mcp HT");
    client_puts(body, HEAD "Content-Length: 1000\r\n\r\n");
    for (i = 0; i < 10; i++) { /* a byte now and then does not help */
        usleep(50000);
        (void)!send(head, "T", 1, MSG_NOSIGNAL);
        (void)!send(body, "x", 1, MSG_NOSIGNAL);
    }
    assert_true(recv(idle, &c, 1, 0) <= 0);
    assert_true(recv(head, &c, 1, 0) <= 0);
    assert_true(recv(body, &c, 1, 0) <= 0);
    assert_true(ms_since(start) < 3000);
    close(idle);
    close(head);
    close(body);
    assert_call("", "later 600", 200, "later"); /* a call may take longer */
}

static void headers_beyond_the_pool_are_refused(void **state)
{
    char *line = message(20000);
    struct answer a;
    int fd;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_puts(fd, HEAD "X-Big: ");
    client_send(fd, line, 20000);
    client_puts(fd, "\r\nContent-Length: 6\r\n\r\necho 1");
    a = client_read(fd);
    assert_int_equal(a.status, 431);
    free(a.body);
    free(line);
    close(fd);
    line = message(8000);
    fd = client_connect(server.port);
    client_puts(fd, HEAD "X-Big: ");
    client_send(fd, line, 8000);
    client_puts(fd, "\r\nContent-Length: 7\r\n\r\necho mm");
    assert_echo(client_read(fd), 7);
    free(line);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_body_in_single_bytes_arrives_whole),
        SERVER_TEST(a_chunked_body_arrives_whole),
        SERVER_TEST(max_body_itself_is_accepted),
        SERVER_TEST(one_byte_more_is_refused_before_it_is_read),
        SERVER_TEST(a_client_that_sends_all_of_it_still_reads_the_refusal),
        SERVER_TEST(an_endless_chunked_body_is_cut_at_the_limit),
        SERVER_TEST(a_length_told_twice_is_refused),
        SERVER_TEST(an_empty_body_reaches_the_endpoint),
        SERVER_TEST(a_client_that_expects_100_gets_it_promptly),
        SERVER_TEST(a_refusal_comes_instead_of_100),
        SERVER_TEST(a_refused_body_is_bounded_too),
        SERVER_TEST(large_bodies_share_a_limit),
        SERVER_TEST(a_request_that_does_not_come_ends_its_connection),
        SERVER_TEST(headers_beyond_the_pool_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
