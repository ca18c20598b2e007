/* Calls, cancellations, hang-ups and sessions from several threads at once:
 * mirrors src/protocol/exchange.c, flight.c and batch.c under TSan. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocol_common.h"

#define CALL(id)                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                          \
    ",\"method\":\"tools/call\",\"params\":{\"name\":\"chatty\"}}"
#define CANCEL                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{" \
    "\"requestId\":1}}"

enum { ROUNDS = 300, IN_FLIGHT = 6, CLIENTS = 3 };

struct client {
    struct fixture *f;
    const char *session;
    int silent, answered;
};

static void judge(struct client *c, struct flying *fl)
{
    struct answer copy;

    wait_for(fl);
    copy = *peek(fl);
    release(fl);
    assert_true(copy.done);
    if (copy.body_len == 0) {
        c->silent++;
        assert_int_equal(copy.status, 202);
    } else {
        c->answered++;
        assert_non_null(strstr(copy.body, "\"content\":[]"));
    }
}

static void *legacy_client(void *arg)
{
    struct client *c = arg;
    struct flying *fl[IN_FLIGHT + 2];

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < IN_FLIGHT; i++)
            fl[i] = launch(c->f, MCP_TRANSPORT_HTTP, c->session, CALL("1"));
        fl[IN_FLIGHT] = launch(c->f, MCP_TRANSPORT_HTTP, c->session, CANCEL);
        fl[IN_FLIGHT + 1] = launch(c->f, MCP_TRANSPORT_HTTP, c->session,
                                   "[" CALL("1") "," CALL("2") "," CANCEL "]");
        wait_for(fl[IN_FLIGHT]);
        release(fl[IN_FLIGHT]);
        for (int i = 0; i < IN_FLIGHT; i++)
            judge(c, fl[i]);
        judge(c, fl[IN_FLIGHT + 1]);
    }
    return NULL;
}

static void *modern_client(void *arg)
{
    struct client *c = arg;
    struct flying *fl[IN_FLIGHT];

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < IN_FLIGHT; i++)
            fl[i] = launch(
                c->f, MCP_TRANSPORT_HTTP, CALLING("chatty"),
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                "\"params\":{\"name\":\"chatty\"," META "}}");
        for (int i = 0; i < IN_FLIGHT; i += 2)
            hang_up(c->f, fl[i]);
        for (int i = 0; i < IN_FLIGHT; i++) {
            wait_for(fl[i]);
            c->answered += peek(fl[i])->body_len > 0;
            release(fl[i]);
        }
    }
    return NULL;
}

static void every_call_ends_once_whatever_races(void **state)
{
    struct fixture *f = fixture_new(true);
    struct client clients[CLIENTS + 1];
    pthread_t threads[CLIENTS + 1];
    int answered = 0;

    (void)state;
    for (int i = 0; i <= CLIENTS; i++)
        clients[i] =
            (struct client){.f = f, .session = open_session(f, "2025-03-26")};
    fixture_mode(f, FAKE_THREADS);
    fixture_workers(f, 4);
    for (int i = 0; i <= CLIENTS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL,
                           i < CLIENTS ? legacy_client : modern_client,
                           &clients[i]),
            0);
    for (int i = 0; i < 20; i++)
        mcp_endpoint_sweep(fixture_endpoint(f));
    for (int i = 0; i <= CLIENTS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    fixture_workers(f, 0);
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(clients[i].answered + clients[i].silent,
                         ROUNDS * (IN_FLIGHT + 1));
        answered += clients[i].answered;
    }
    assert_true(answered > 0);
    assert_true(clients[CLIENTS].answered > 0);
    fixture_free(f);
}

/* The stdio transport tells every call of a client that is gone, also a batch
 * whose last part is ending on a worker right now. */
static void a_batch_may_be_hung_up_while_it_ends(void **state)
{
    static const char initialize[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
        "{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}";
    struct fixture *f = fixture_new(true);
    struct flying *fl[IN_FLIGHT];

    (void)state;
    expect_part(line(f, initialize), 200, "2025-03-26");
    fixture_mode(f, FAKE_THREADS);
    fixture_workers(f, 4);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < IN_FLIGHT; i++)
            fl[i] = launch(f, MCP_TRANSPORT_STDIO, "",
                           "[" CALL("1") "," CALL("2") "," CALL("3") "]");
        for (int i = 0; i < IN_FLIGHT; i++)
            hang_up(f, fl[i]);
        for (int i = 0; i < IN_FLIGHT; i++) {
            wait_for(fl[i]);
            assert_true(peek(fl[i])->done);
            hang_up(f, fl[i]); /* the transport holds it still */
            release(fl[i]);
        }
    }
    assert_true(fixture_cancels(f) >= ROUNDS * IN_FLIGHT * 3);
    fixture_workers(f, 0);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_may_be_hung_up_while_it_ends),
        cmocka_unit_test(every_call_ends_once_whatever_races),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
