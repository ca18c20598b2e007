/*
 * server_common.h - an HTTP server with the fake endpoint, for one test
 *
 * Usage: cmocka_unit_test_setup_teardown(f, server_setup, server_teardown);
 * the test changes `server.limits` or options, then calls server_start().
 */
#ifndef SERVER_COMMON_H
#define SERVER_COMMON_H

#include <stdbool.h>

#include "client_common.h"
#include "fake_endpoint_common.h"
#include "transport/http_private.h"

struct server {
    struct mcp_config *config;
    struct mcp_http *http; /* NULL: not started, or stopped */
    struct mcp_http_limits limits;
    int port;
    bool ready;
};

extern struct server server;

int server_setup(void **state);
int server_teardown(void **state);
/* Sets an option by its text. */
void server_set(const char *name, const char *text);
void server_start(void);
void server_stop(double grace_s);
/* One request on a new connection: checks status and, unless NULL, body. */
void assert_call(const char *extra, const char *body, int status,
                 const char *answer);

#define SERVER_TEST(f)                                                         \
    cmocka_unit_test_setup_teardown(f, server_setup, server_teardown)

#endif
