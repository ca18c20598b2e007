/*
 * Answers, routing, and what the head of a request is checked for.
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

/* Sends `head` (lines without the last CRLF) and `body`, reads an answer. */
static struct answer raw(const char *head, const char *body)
{
    int fd = client_connect(server.port);
    struct answer a;

    client_puts(fd, head);
    client_puts(fd, "\r\n");
    client_puts(fd, body);
    a = client_read(fd);
    close(fd);
    return a;
}

static void assert_raw(const char *head, const char *body, int status)
{
    struct answer a = raw(head, body);

    if (a.status != status)
        fail_msg("%s\n-> %d, expected %d", head, a.status, status);
    free(a.body);
}

static void assert_header(const struct answer *a, const char *name,
                          const char *value)
{
    const char *got = client_header(a, name);

    assert_non_null(got);
    assert_string_equal(got, value);
}

/* ---- answers ------------------------------------------------------------ */

static void an_answer_that_is_ready_comes_at_once(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    a = client_call(server.port, "", "echo {\"a\":1}");
    assert_int_equal(a.status, 200);
    assert_header(&a, "Content-Type", "application/json");
    assert_string_equal(a.body, "{\"a\":1}");
    assert_null(client_header(&a, "Access-Control-Allow-Origin"));
    free(a.body);
}

static void an_answer_of_a_worker_comes_when_it_is_done(void **state)
{
    (void)state;
    server_start();
    assert_call("", "later 0", 200, "later");
    assert_call("", "later 50", 200, "later");
    assert_int_equal(atomic_load(&fake_stats.disconnected), 0);
}

static void a_notification_has_no_body_and_no_type(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    a = client_call(server.port, "", "notify");
    assert_int_equal(a.status, 202);
    assert_header(&a, "Content-Length", "0");
    assert_null(client_header(&a, "Content-Type"));
    free(a.body);
}

static void status_and_headers_are_the_endpoints(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    assert_call("", "status 404", 404, "status");
    a = client_call(server.port, "", "header");
    assert_header(&a, "Mcp-Session-Id", "abc");
    free(a.body);
}

static void a_connection_serves_many_requests(void **state)
{
    int fd, i;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    for (i = 0; i < 50; i++) {
        struct answer a;

        client_post(fd, "", i % 2 ? "later 1" : "echo x");
        a = client_read(fd);
        assert_int_equal(a.status, 200);
        assert_string_equal(a.body, i % 2 ? "later" : "x");
        free(a.body);
    }
    close(fd);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
    static const char *const bodies[] = {"later 40", "echo a", "later 5",
                                         "echo b"};
    static const char *const answers[] = {"later", "a", "later", "b"};
    int fd, i;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    for (i = 0; i < 4; i++)
        client_post(fd, "", bodies[i]);
    for (i = 0; i < 4; i++) {
        struct answer a = client_read(fd);

        assert_string_equal(a.body, answers[i]);
        free(a.body);
    }
    close(fd);
}

static void header_names_are_found_in_any_case(void **state)
{
    (void)state;
    server_start();
    assert_call("mcp-session-id: s1\r\n", "see Mcp-Session-Id", 200, "s1");
    assert_call("MCP-SESSION-ID:  s2 \r\n", "see mcp-session-id", 200, "s2");
    assert_call("", "see mcp-session-id", 200, "none");
}

static void nothing_of_a_request_is_left_in_the_next(void **state)
{
    int fd;
    struct answer a;

    (void)state;
    server.limits.threads = 1;
    server_start();
    fd = client_connect(server.port);
    client_puts(fd, "POST /mcp?x=1 HTTP/1.1\r\nHost: localhost\r\n"
                    "Origin: http://localhost\r\nAccept: text/event-stream\r\n"
                    "Content-Type: application/json\r\n"
                    "Content-Length: 6\r\n\r\nheader");
    a = client_read(fd);
    assert_header(&a, "Content-Type", "text/event-stream");
    free(a.body);
    client_post(fd, "", "target");
    a = client_read(fd);
    assert_string_equal(a.body, "POST /mcp -");
    assert_header(&a, "Content-Type", "application/json");
    assert_null(client_header(&a, "Access-Control-Allow-Origin"));
    assert_null(client_header(&a, "Mcp-Session-Id"));
    free(a.body);
    close(fd);
}

/* ---- routing ------------------------------------------------------------ */

#define HOST "Host: localhost\r\n"
#define JSON "Content-Type: application/json\r\n"

static void the_endpoint_has_two_names_and_no_redirect(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    assert_raw("POST /mcp HTTP/1.1\r\n" HOST JSON "Content-Length: 6\r\n",
               "echo 1", 200);
    assert_raw("POST /mcp/ HTTP/1.1\r\n" HOST JSON "Content-Length: 6\r\n",
               "echo 1", 200);
    a = raw("POST /mcp/?a=b&c=%20d HTTP/1.1\r\n" HOST JSON
            "Content-Length: 6\r\n",
            "target");
    assert_string_equal(a.body, "POST /mcp/ a=b&c=%20d");
    free(a.body);
    assert_raw("POST /mcp// HTTP/1.1\r\n" HOST JSON "Content-Length: 6\r\n",
               "echo 1", 404);
    assert_raw("POST /mcpx HTTP/1.1\r\n" HOST JSON "Content-Length: 6\r\n",
               "echo 1", 404);
    assert_raw("POST / HTTP/1.1\r\n" HOST JSON "Content-Length: 6\r\n",
               "echo 1", 404);
    assert_raw("GET /.well-known/oauth-protected-resource HTTP/1.1\r\n" HOST,
               "", 404);
}

static void the_base_path_is_configurable(void **state)
{
    (void)state;
    server_set("base_path", "/api/tools");
    server_start();
    assert_non_null(strstr(mcp_http_url(server.http), "/api/tools"));
    assert_raw("POST /api/tools HTTP/1.1\r\n" HOST JSON "Content-Length: 6\r\n",
               "echo 1", 200);
    assert_raw("POST /mcp HTTP/1.1\r\n" HOST JSON "Content-Length: 6\r\n",
               "echo 1", 404);
}

static void health_needs_no_host_and_no_endpoint(void **state)
{
    (void)state;
    server_start();
    assert_raw("GET /healthz HTTP/1.1\r\nHost: 10.1.2.3\r\n", "", 200);
    assert_raw("GET /readyz HTTP/1.1\r\nHost: 10.1.2.3\r\n", "", 200);
    server.ready = false;
    assert_raw("GET /healthz HTTP/1.1\r\nHost: 10.1.2.3\r\n", "", 200);
    assert_raw("GET /readyz HTTP/1.1\r\nHost: 10.1.2.3\r\n", "", 503);
    assert_raw("POST /healthz HTTP/1.1\r\n" HOST "Content-Length: 0\r\n", "",
               405);
    assert_int_equal(atomic_load(&fake_stats.handled), 0);
}

static void other_methods_are_refused_with_allow(void **state)
{
    static const char *const methods[] = {"PUT", "PATCH", "TRACE", "post"};
    size_t i;

    (void)state;
    server_start();
    for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        char head[200];
        struct answer a;

        (void)snprintf(head, sizeof(head),
                       "%s /mcp HTTP/1.1\r\n" HOST "Content-Length: 0\r\n",
                       methods[i]);
        a = raw(head, "");
        assert_int_equal(a.status, 405);
        assert_header(&a, "Allow", "POST, GET, DELETE, OPTIONS");
        assert_non_null(strstr(a.body, "\"refused\":405"));
        free(a.body);
    }
    assert_raw("GET /mcp HTTP/1.1\r\n" HOST, "", 405); /* the endpoint's */
    assert_raw("DELETE /mcp HTTP/1.1\r\n" HOST, "", 405);
    assert_int_equal(atomic_load(&fake_stats.handled), 2);
}

static void a_browser_gets_a_line_for_people(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    a = raw("GET /mcp HTTP/1.1\r\n" HOST
            "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n",
            "");
    assert_int_equal(a.status, 405);
    assert_header(&a, "Content-Type", "text/plain; charset=utf-8");
    assert_header(&a, "Allow", "POST, GET, DELETE, OPTIONS");
    assert_non_null(strstr(a.body, "MCP"));
    free(a.body);
}

/* ---- host and origin ---------------------------------------------------- */

static void only_known_hosts_are_served(void **state)
{
    static const struct {
        const char *host;
        int status;
    } cases[] = {
        {"localhost", 200},
        {"LocalHost:1", 200},
        {"127.0.0.1:65535", 200},
        {"[::1]:8000", 200},
        {"mcp.example.com", 200},
        {"mcp.example.com:99", 200},
        {"other.example.com:8443", 200},
        {"other.example.com", 403},
        {"evil.example", 403},
        {"localhost.evil.example", 403},
        {"localhost:", 403},
        {"localhost:65536", 403},
        {"localhost:80x", 403},
        {"127.0.0.1.evil.example", 403},
        {"localhost@evil.example", 403},
        {"", 403},
    };
    size_t i;

    (void)state;
    server_start();
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char head[300];

        (void)snprintf(head, sizeof(head),
                       "POST /mcp HTTP/1.1\r\nHost: %s\r\n" JSON
                       "Content-Length: 6\r\n",
                       cases[i].host);
        assert_raw(head, "echo 1", cases[i].status);
    }
    assert_raw("POST /mcp HTTP/1.1\r\n" HOST HOST JSON "Content-Length: 6\r\n",
               "echo 1", 403);
    assert_raw("POST /mcp HTTP/1.0\r\n" JSON "Content-Length: 6\r\n", "echo 1",
               403);
}

static void only_known_origins_are_served(void **state)
{
    static const struct {
        const char *origin;
        int status;
    } cases[] = {
        {"http://localhost:3000", 200},
        {"https://localhost", 200},
        {"http://127.0.0.1:6274", 200},
        {"http://[::1]:80", 200},
        {"https://mcp.example.com", 200},
        {"https://app.example.com", 200},
        {"http://app.example.com", 403},
        {"https://app.example.com:444", 403},
        {"null", 403},
        {"http://evil.example", 403},
        {"http://localhost.evil.example", 403},
        {"http://localhost/", 403},
        {"ftp://localhost", 403},
        {"localhost", 403},
        {"file://", 403},
    };
    size_t i;

    (void)state;
    server_start();
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char extra[200];
        struct answer a;

        (void)snprintf(extra, sizeof(extra), "Origin: %s\r\n", cases[i].origin);
        a = client_call(server.port, extra, "echo 1");
        if (a.status != cases[i].status)
            fail_msg("%s -> %d", cases[i].origin, a.status);
        if (a.status == 200)
            assert_header(&a, "Access-Control-Allow-Origin", cases[i].origin);
        else
            assert_null(client_header(&a, "Access-Control-Allow-Origin"));
        free(a.body);
    }
    assert_call("Origin: http://localhost\r\nOrigin: http://localhost\r\n",
                "echo 1", 403, NULL);
    assert_int_equal(atomic_load(&fake_stats.handled), 6);
}

static void real_answers_expose_what_a_page_needs(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    a = client_call(server.port, "Origin: http://localhost:3000\r\n",
                    "later 1");
    assert_header(&a, "Access-Control-Expose-Headers",
                  "Mcp-Session-Id, WWW-Authenticate, MCP-Protocol-Version");
    assert_header(&a, "Vary", "Origin");
    free(a.body);
}

static void a_preflight_allows_the_headers_that_we_know(void **state)
{
    struct answer a;

    (void)state;
    server_start();
    a = raw("OPTIONS /mcp HTTP/1.1\r\n" HOST "Origin: http://localhost:3000\r\n"
            "Access-Control-Request-Method: POST\r\n"
            "Access-Control-Request-Headers: content-type,x-evil, "
            "mcp-protocol-version,Mcp-Param-City,mcp-param-\r\n",
            "");
    assert_int_equal(a.status, 204);
    assert_header(&a, "Access-Control-Allow-Origin", "http://localhost:3000");
    assert_header(&a, "Access-Control-Allow-Methods",
                  "POST, GET, DELETE, OPTIONS");
    assert_header(&a, "Access-Control-Allow-Headers",
                  "content-type, mcp-protocol-version, Mcp-Param-City");
    assert_non_null(client_header(&a, "Access-Control-Max-Age"));
    assert_header(&a, "Vary", "Origin");
    free(a.body);
    assert_raw("OPTIONS /mcp HTTP/1.1\r\n" HOST "Origin: http://evil.example"
               "\r\nAccess-Control-Request-Method: POST\r\n",
               "", 403);
    assert_raw("OPTIONS /mcp HTTP/1.1\r\n" HOST, "", 204);
}

/* ---- media types -------------------------------------------------------- */

static void content_types_other_than_json_are_refused(void **state)
{
    static const struct {
        const char *line;
        int status;
    } cases[] = {
        {"Content-Type: application/json\r\n", 200},
        {"Content-Type: application/json; charset=utf-8\r\n", 200},
        {"Content-Type: Application/JSON;charset=UTF-8\r\n", 200},
        {"Content-Type: application/json ; a=b\r\n", 200},
        {"Content-Type: text/plain\r\n", 415},
        {"Content-Type: application/jsonp\r\n", 415},
        {"Content-Type: application/json-rpc\r\n", 415},
        {"Content-Type: text/plain; application/json\r\n", 415},
        {"Content-Type:\r\n", 415},
        {"", 415},
        {JSON JSON, 415},
    };
    size_t i;

    (void)state;
    server_start();
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char head[300];

        (void)snprintf(head, sizeof(head),
                       "POST /mcp HTTP/1.1\r\n" HOST "%sContent-Length: 6\r\n",
                       cases[i].line);
        assert_raw(head, "echo 1", cases[i].status);
    }
}

static void only_an_accept_of_neither_form_is_refused(void **state)
{
    (void)state;
    server_start();
    assert_call("Accept: application/json\r\n", "echo 1", 200, "1");
    assert_call("Accept: */*\r\n", "echo 1", 200, "1");
    assert_call("Accept: application/*;q=0.8\r\n", "echo 1", 200, "1");
    assert_call("Accept: text/plain\r\n", "echo 1", 406, NULL);
    assert_call("Accept: text/plain\r\nAccept: */*\r\n", "echo 1", 200, "1");
    assert_call("Accept: application/json;q=0\r\n", "echo 1", 406, NULL);
    assert_call("Accept: text/event-stream\r\n", "echo 1", 200, "data: 1\n\n");
    assert_call("Accept: text/event-stream\r\n", "status 400", 400, "status");
}

static void the_first_failing_check_decides(void **state)
{
    (void)state;
    server_start();
    assert_raw("PUT /mcp HTTP/1.1\r\nHost: evil\r\nContent-Length: 0\r\n", "",
               403);
    assert_raw("PUT /mcp HTTP/1.1\r\n" HOST "Content-Type: text/plain\r\n"
               "Accept: text/plain\r\nContent-Length: 0\r\n",
               "", 405);
    assert_raw("POST /mcp HTTP/1.1\r\n" HOST "Content-Type: text/plain\r\n"
               "Accept: text/plain\r\nContent-Length: 999999999\r\n",
               "", 415);
    assert_raw("POST /mcp HTTP/1.1\r\n" HOST JSON
               "Accept: text/plain\r\nContent-Length: 999999999\r\n",
               "", 406);
    assert_raw("POST /mcp HTTP/1.1\r\n" HOST JSON
               "Content-Length: 999999999\r\n",
               "", 413);
}

static void a_refusal_keeps_the_connection(void **state)
{
    int fd;
    struct answer a;

    (void)state;
    server_start();
    fd = client_connect(server.port);
    client_post(fd, "Accept: text/plain\r\n", "echo 1");
    a = client_read(fd);
    assert_int_equal(a.status, 406);
    free(a.body);
    client_post(fd, "", "echo 2");
    a = client_read(fd);
    assert_int_equal(a.status, 200);
    assert_string_equal(a.body, "2");
    free(a.body);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(an_answer_that_is_ready_comes_at_once),
        SERVER_TEST(an_answer_of_a_worker_comes_when_it_is_done),
        SERVER_TEST(a_notification_has_no_body_and_no_type),
        SERVER_TEST(status_and_headers_are_the_endpoints),
        SERVER_TEST(a_connection_serves_many_requests),
        SERVER_TEST(pipelined_requests_are_answered_in_order),
        SERVER_TEST(header_names_are_found_in_any_case),
        SERVER_TEST(nothing_of_a_request_is_left_in_the_next),
        SERVER_TEST(the_endpoint_has_two_names_and_no_redirect),
        SERVER_TEST(the_base_path_is_configurable),
        SERVER_TEST(health_needs_no_host_and_no_endpoint),
        SERVER_TEST(other_methods_are_refused_with_allow),
        SERVER_TEST(a_browser_gets_a_line_for_people),
        SERVER_TEST(only_known_hosts_are_served),
        SERVER_TEST(only_known_origins_are_served),
        SERVER_TEST(real_answers_expose_what_a_page_needs),
        SERVER_TEST(a_preflight_allows_the_headers_that_we_know),
        SERVER_TEST(content_types_other_than_json_are_refused),
        SERVER_TEST(only_an_accept_of_neither_form_is_refused),
        SERVER_TEST(the_first_failing_check_decides),
        SERVER_TEST(a_refusal_keeps_the_connection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
