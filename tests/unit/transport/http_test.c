/*
 * The HTTP transport on real sockets, with an endpoint that obeys.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "client_common.h"
#include "fake_endpoint_common.h"
#include "transport/http_private.h"

enum { MAX_BODY = 100000 };

static struct mcp_config *config;
static struct mcp_http *http;
static struct mcp_http_limits limits;
static int port;
static bool ready = true;

static bool is_ready(void *user)
{
    return *(bool *)user;
}

static void set(const char *name, const char *text)
{
    char message[200];

    assert_int_equal(mcp_config_set(config, name, text, MCP_FROM_FLAG, message,
                                    sizeof(message)),
                     MCP_OK);
}

static void start(void)
{
    struct mcp_http_options o = {config, NULL, is_ready, &ready};
    char message[256] = "";
    enum mcp_err err =
        mcp_http_start_with(&o, &limits, &http, message, sizeof(message));

    if (err != MCP_OK)
        fail_msg("%s", message);
    port = client_port(mcp_http_url(http));
}

static int setup(void **state)
{
    (void)state;
    config = mcp_config_new();
    limits = mcp_http_default_limits;
    ready = true;
    set("port", "0");
    set("max_body", "100000");
    set("allowed_hosts", "mcp.example.com,other.example.com:8443");
    set("allowed_origins", "https://app.example.com");
    fake_start(4);
    http = NULL;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (http != NULL)
        mcp_http_stop(http, 1);
    fake_stop();
    mcp_config_free(config);
    return 0;
}

static void assert_call(const char *extra, const char *body, int status,
                        const char *answer)
{
    struct answer a = client_call(port, extra, body);

    assert_int_equal(a.status, status);
    if (answer != NULL)
        assert_string_equal(a.body, answer);
    free(a.body);
}

/* ---- answers ------------------------------------------------------------ */

static void an_answer_that_is_ready_comes_at_once(void **state)
{
    struct answer a;

    (void)state;
    start();
    a = client_call(port, "", "echo {\"a\":1}");
    assert_int_equal(a.status, 200);
    assert_string_equal(client_header(&a, "Content-Type"), "application/json");
    assert_string_equal(a.body, "{\"a\":1}");
    assert_null(client_header(&a, "Access-Control-Allow-Origin"));
    free(a.body);
}

static void an_answer_of_a_worker_comes_when_it_is_done(void **state)
{
    (void)state;
    start();
    assert_call("", "later 0", 200, "later");
    assert_call("", "later 50", 200, "later");
    assert_int_equal(atomic_load(&fake_stats.disconnected), 0);
}

static void a_notification_has_no_body_and_no_type(void **state)
{
    struct answer a;

    (void)state;
    start();
    a = client_call(port, "", "notify");
    assert_int_equal(a.status, 202);
    assert_string_equal(client_header(&a, "Content-Length"), "0");
    assert_null(client_header(&a, "Content-Type"));
    free(a.body);
}

static void a_connection_serves_many_requests(void **state)
{
    int fd, i;

    (void)state;
    start();
    fd = client_connect(port);
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
    start();
    fd = client_connect(port);
    for (i = 0; i < 4; i++)
        client_post(fd, "", bodies[i]);
    for (i = 0; i < 4; i++) {
        struct answer a = client_read(fd);

        assert_string_equal(a.body, answers[i]);
        free(a.body);
    }
    close(fd);
}

static void big_answers_arrive_whole(void **state)
{
    struct answer a;

    (void)state;
    start();
    a = client_call(port, "", "big 3000000");
    assert_int_equal(a.len, 3000000);
    assert_true(a.whole);
    free(a.body);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(an_answer_that_is_ready_comes_at_once),
        T(an_answer_of_a_worker_comes_when_it_is_done),
        T(a_notification_has_no_body_and_no_type),
        T(a_connection_serves_many_requests),
        T(pipelined_requests_are_answered_in_order),
        T(big_answers_arrive_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
