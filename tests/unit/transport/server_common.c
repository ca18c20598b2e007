/*
 * server_common.c - set-up and tear-down
 */
#include "server_common.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

struct server server;

static bool is_ready(void *user)
{
    return *(bool *)user;
}

void server_set(const char *name, const char *text)
{
    char message[200];

    assert_int_equal(mcp_config_set(server.config, name, text, MCP_FROM_FLAG,
                                    message, sizeof(message)),
                     MCP_OK);
}

void server_start(void)
{
    struct mcp_http_options o = {
        .config = server.config, .ready = is_ready, .user = &server.ready};
    char message[256] = "";

    if (mcp_http_start_with(&o, &server.limits, &server.http, message,
                            sizeof(message)) != MCP_OK)
        fail_msg("%s", message);
    server.port = client_port(mcp_http_url(server.http));
}

void server_stop(double grace_s)
{
    mcp_http_stop(server.http, grace_s);
    server.http = NULL;
}

int server_setup(void **state)
{
    (void)state;
    server.config = mcp_config_new();
    server.limits = mcp_http_default_limits;
    server.ready = true;
    server.http = NULL;
    server_set("port", "0");
    server_set("max_body", "100000");
    server_set("allowed_hosts", "mcp.example.com,other.example.com:8443");
    server_set("allowed_origins", "https://app.example.com");
    fake_start(4);
    return 0;
}

int server_teardown(void **state)
{
    (void)state;
    if (server.http != NULL)
        server_stop(1);
    fake_stop();
    mcp_config_free(server.config);
    return 0;
}

void assert_call(const char *extra, const char *body, int status,
                 const char *answer)
{
    struct answer a = client_call(server.port, extra, body);

    assert_int_equal(a.status, status);
    if (answer != NULL)
        assert_string_equal(a.body, answer);
    free(a.body);
}
