/*
 * Requests beside the endpoint: how they reach the routes of the app.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server_common.h"

static struct answer ask(const char *line, const char *extra)
{
    int fd = client_connect(server.port);
    char head[512];
    struct answer a;

    (void)snprintf(head, sizeof(head), "%s HTTP/1.1\r\nHost: localhost\r\n%s",
                   line, extra);
    client_puts(fd, head);
    client_puts(fd, "\r\n");
    a = client_read(fd);
    close(fd);
    return a;
}

static void assert_answer(const char *line, const char *extra, int status,
                          const char *body)
{
    struct answer a = ask(line, extra);

    assert_int_equal(a.status, status);
    assert_string_equal(a.body, body);
    free(a.body);
}

static void the_path_comes_as_it_was_sent(void **state)
{
    (void)state;
    server_start();
    assert_answer("GET /raw/a%2Fb%00%zz", "", 200, "/raw/a%2Fb%00%zz");
    assert_answer("GET /raw/%2e%2e/x//y/?q=%20", "", 200, "/raw/%2e%2e/x//y/");
    assert_answer("GET /none", "", 404, "not found");
}

static void the_type_is_the_apps(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    a = ask("GET /raw/a", "");
    assert_string_equal(client_header(&a, "Content-Type"), "text/plain");
    free(a.body);
}

static void any_method_and_any_accept_will_do(void **state)
{
    (void)state;
    server_start();
    assert_answer("PUT /raw/a", "Content-Length: 0\r\n", 200, "/raw/a");
    assert_answer("BREW /raw/a", "", 200, "/raw/a");
    assert_answer("GET /raw/a", "Accept: text/event-stream\r\n", 200, "/raw/a");
}

static void hosts_and_origins_are_checked(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    a = ask("GET /raw/a", "Origin: https://evil.example\r\n");
    assert_int_equal(a.status, 403);
    free(a.body);
    a = ask("GET /raw/a", "Origin: http://localhost:1\r\n");
    assert_int_equal(a.status, 200);
    assert_string_equal(client_header(&a, "Access-Control-Allow-Origin"),
                        "http://localhost:1");
    free(a.body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(the_path_comes_as_it_was_sent),
        SERVER_TEST(the_type_is_the_apps),
        SERVER_TEST(any_method_and_any_accept_will_do),
        SERVER_TEST(hosts_and_origins_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
