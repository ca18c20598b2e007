/* Mirrors src/protocol/replay.c, event_store.c and event_id.c. */
#include "protocol/replay.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "protocol/event_id.h"

/* One exchange, and what its connection was sent. */
struct peer {
    struct mcp_call call;
    struct mcp_replay_end end;
    char sent[8192];             /* "id|text\n" for each event, "(open)\n" */
    char id[MCP_EVENT_ID_BYTES]; /* of the last event          */
    unsigned retry_ms, detached;
    enum mcp_err fails; /* what emitting answers */
};

static struct mcp_replay *replay;
static struct mcp_replay_log log_, other_log;

static struct peer *peer_of(struct mcp_call *call)
{
    return call->transport_data;
}

static enum mcp_err emit(struct mcp_call *call, const char *msg, size_t len)
{
    struct peer *p = peer_of(call);

    if (p->fails != MCP_OK)
        return p->fails;
    snprintf(p->sent + strlen(p->sent), sizeof(p->sent) - strlen(p->sent),
             "%.*s\n", len > 0 ? (int)len : 6, len > 0 ? msg : "(open)");
    return MCP_OK;
}

static enum mcp_err emit_event(struct mcp_call *call, const char *id,
                               unsigned retry_ms, const char *msg, size_t len)
{
    struct peer *p = peer_of(call);

    if (p->fails != MCP_OK)
        return p->fails;
    p->retry_ms = retry_ms > 0 ? retry_ms : p->retry_ms;
    snprintf(p->id, sizeof(p->id), "%s", id);
    snprintf(p->sent + strlen(p->sent), sizeof(p->sent) - strlen(p->sent),
             "%s|%.*s\n", strchr(id, '-') + 1, (int)len, msg);
    return MCP_OK;
}

static void done(struct mcp_call *call)
{
    (void)call;
}

static void detach(struct mcp_call *call)
{
    peer_of(call)->detached++;
}

static const struct mcp_call_ops ops = {emit, done, emit_event, detach};

static struct peer *arrive(enum mcp_revision revision,
                           struct mcp_replay_log *log, bool polls)
{
    struct peer *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    p->call.ops = &ops;
    p->call.transport_data = p;
    p->call.revision = revision;
    p->call.arena = mcp_arena_new(1 << 20);
    mcp_buf_init(&p->call.out, 1 << 20);
    mcp_replay_begin(replay, log, &p->end, &p->call, polls);
    return p;
}

static struct peer *call(void)
{
    return arrive(MCP_2025_11_25, &log_, true);
}

static void leave(struct peer *p)
{
    mcp_buf_free(&p->call.out);
    mcp_arena_free(p->call.arena);
    free(p);
}

static void say(struct peer *p, const char *text)
{
    assert_int_equal(mcp_replay_write(&p->end, text, strlen(text)), MCP_OK);
}

/* The answer of the call; the GET that has it now, or NULL. */
static struct peer *finish(struct peer *p, const char *answer)
{
    struct mcp_replay_end *reader;

    mcp_buf_puts(&p->call.out, answer);
    reader = mcp_replay_finish(&p->end);
    return reader != NULL ? peer_of(reader->call) : NULL;
}

/* For those that nobody reads. */
static void end(struct peer *p, const char *answer)
{
    assert_null(finish(p, answer));
    leave(p);
}

static enum mcp_replay_resumed resume(struct peer *p, const char *id,
                                      struct peer **old)
{
    struct mcp_replay_end *was;
    enum mcp_err err;
    enum mcp_replay_resumed how =
        mcp_replay_resume(&p->end, id, strlen(id), &was, &err);

    if (old != NULL)
        *old = was != NULL ? peer_of(was->call) : NULL;
    else
        assert_null(was);
    return how;
}

static void assert_answer(struct peer *p, const char *text)
{
    assert_int_equal(p->call.out.len, strlen(text));
    assert_memory_equal(p->call.out.data, text, strlen(text));
}

static int set_up_with(const struct mcp_event_limits *limits)
{
    memset(&log_, 0, sizeof(log_));
    memset(&other_log, 0, sizeof(other_log));
    replay = mcp_replay_new(limits);
    return replay == NULL;
}

static int set_up(void **state)
{
    (void)state;
    return set_up_with(NULL);
}

static int tear_down(void **state)
{
    (void)state;
    mcp_replay_forget(&log_);
    mcp_replay_forget(&other_log);
    assert_int_equal(mcp_replay_bytes(replay), 0);
    mcp_replay_free(replay);
    return 0;
}

/* ---- ids ---- */

static void an_id_has_one_spelling(void **state)
{
    static const char *const bad[] = {
        "",
        "0000000000000abc",
        "0000000000000abc-",
        "0000000000000abc-1",
        "0000000000000abc-1-",
        "0000000000000abc--1",
        "0000000000000abc-01-1",
        "0000000000000abc-1-02",
        "0000000000000abc-1-2 ",
        "0000000000000abc-1-2-3",
        "0000000000000abc-1-+2",
        "0000000000000ABC-1-2",
        "0000000000000abd-1-2",
        "0000000000000abc-1-1000000000000000000",
        "0000000000000abc-1-99999999999999999999999999999999999999999999999999",
    };
    char id[MCP_EVENT_ID_BYTES];
    uint64_t stream, number;

    (void)state;
    mcp_event_id_write(id, 0xabc, 12, 999999999999999999);
    assert_string_equal(id, "0000000000000abc-12-999999999999999999");
    assert_true(mcp_event_id_read(id, strlen(id), 0xabc, &stream, &number));
    assert_int_equal(stream, 12);
    assert_int_equal(number, 999999999999999999);
    assert_false(mcp_event_id_read("0000000000000abc-1-2\0", 21, 0xabc, &stream,
                                   &number));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(
            mcp_event_id_read(bad[i], strlen(bad[i]), 0xabc, &stream, &number));
}

/* ---- one stream ---- */

static void the_first_event_primes(void **state)
{
    struct peer *p = call();

    (void)state;
    say(p, "one");
    assert_string_equal(p->sent, "1-1|\n1-2|one\n");
    assert_int_equal(p->retry_ms, MCP_REPLAY_RETRY_MS);
    assert_null(finish(p, "answer"));
    assert_string_equal(strchr(p->call.answer_event, '-'), "-1-3");
    leave(p);
}

static void without_polling_there_is_no_retry(void **state)
{
    struct peer *p = arrive(MCP_2025_11_25, &log_, false);

    (void)state;
    say(p, "one");
    assert_int_equal(p->retry_ms, 0);
    assert_null(mcp_replay_poll(&p->end));
    assert_int_equal(p->detached, 0);
    end(p, "answer");
}

static void older_revisions_are_not_primed(void **state)
{
    struct peer *p = arrive(MCP_2025_06_18, &log_, true);

    (void)state;
    assert_int_equal(mcp_replay_write(&p->end, "", 0), MCP_OK);
    assert_string_equal(p->sent, "(open)\n");
    assert_int_equal(mcp_replay_left(&p->end), MCP_REPLAY_LOST);
    say(p, "one");
    assert_string_equal(p->sent, "(open)\n1-1|one\n");
    assert_null(mcp_replay_poll(&p->end));
    assert_int_equal(p->detached, 0);
    assert_int_equal(mcp_replay_left(&p->end), MCP_REPLAY_KEPT);
    end(p, "answer");
}

static void a_call_without_messages_keeps_nothing(void **state)
{
    struct peer *p = call();

    (void)state;
    assert_int_equal(mcp_replay_left(&p->end), MCP_REPLAY_LOST);
    assert_null(finish(p, "answer"));
    assert_null(p->call.answer_event);
    assert_int_equal(mcp_replay_bytes(replay), 0);
    assert_int_equal(mcp_replay_write(&p->end, "late", 4), MCP_ECANCELED);
    leave(p);
}

static void a_client_without_streams_stays_so(void **state)
{
    struct peer *p = call();

    (void)state;
    p->fails = MCP_EINVAL;
    assert_int_equal(mcp_replay_write(&p->end, "one", 3), MCP_EINVAL);
    assert_int_equal(mcp_replay_left(&p->end), MCP_REPLAY_LOST);
    end(p, "answer");
    assert_int_equal(mcp_replay_bytes(replay), 0);
}

/* ---- coming back ---- */

static void the_rest_is_read_by_another(void **state)
{
    struct peer *p = call(), *get = call();

    (void)state;
    say(p, "one");
    assert_int_equal(mcp_replay_left(&p->end), MCP_REPLAY_KEPT);
    say(p, "two"); /* nobody reads */
    assert_string_equal(p->sent, "1-1|\n1-2|one\n");
    assert_int_equal(resume(get, p->id, NULL), MCP_REPLAY_READS);
    assert_string_equal(get->sent, "(open)\n1-3|two\n1-4|\n");
    say(p, "three");
    assert_ptr_equal(finish(p, "answer"), get);
    assert_string_equal(get->sent, "(open)\n1-3|two\n1-4|\n1-5|three\n");
    assert_answer(get, "answer");
    assert_string_equal(strchr(get->call.answer_event, '-'), "-1-6");
    assert_int_equal(p->call.out.len, 0);
    assert_int_equal(mcp_replay_left(&get->end), MCP_REPLAY_NOTHING);
    leave(p);
    end(get, "");
}

static void a_connection_that_is_taken_over_ends(void **state)
{
    struct peer *p = call(), *first = call(), *second = call(), *old;
    char id[MCP_EVENT_ID_BYTES];

    (void)state;
    say(p, "one");
    memcpy(id, p->id, sizeof(id));
    assert_int_equal(resume(first, id, &old), MCP_REPLAY_READS);
    assert_null(old);
    assert_int_equal(p->detached, 1);
    assert_int_equal(mcp_replay_left(&p->end), MCP_REPLAY_KEPT);
    assert_int_equal(resume(second, id, &old), MCP_REPLAY_READS);
    assert_ptr_equal(old, first);
    end(first, "");
    say(p, "two");
    assert_int_equal(mcp_replay_left(&second->end), MCP_REPLAY_TO_END);
    end(second, "");
    end(p, "answer");
}

static void a_stream_is_polled(void **state)
{
    struct peer *p = call(), *get = call(), *again = call();
    char id[MCP_EVENT_ID_BYTES];

    (void)state;
    assert_int_equal(mcp_replay_write(&p->end, "", 0), MCP_OK);
    assert_null(mcp_replay_poll(&p->end));
    assert_int_equal(p->detached, 1);
    assert_null(mcp_replay_poll(&p->end)); /* once */
    assert_int_equal(p->detached, 1);
    assert_int_equal(mcp_replay_left(&p->end), MCP_REPLAY_KEPT);
    assert_int_equal(resume(get, p->id, NULL), MCP_REPLAY_READS);
    assert_ptr_equal(mcp_replay_poll(&get->end), &get->end);
    memcpy(id, get->id, sizeof(id));
    end(get, "");
    assert_null(finish(p, "answer"));
    leave(p);
    assert_int_equal(resume(again, id, NULL), MCP_REPLAY_ANSWERS);
    assert_answer(again, "answer");
    assert_string_equal(again->sent, "(open)\n");
    end(again, "");
}

static void an_ended_stream_is_read_to_its_end(void **state)
{
    struct peer *p = call(), *get = call(), *late = call();
    char first[MCP_EVENT_ID_BYTES], last[MCP_EVENT_ID_BYTES];

    (void)state;
    say(p, "one");
    memcpy(first, p->id, sizeof(first));
    say(p, "two");
    assert_null(finish(p, "answer"));
    snprintf(last, sizeof(last), "%s", p->call.answer_event);
    leave(p);
    assert_int_equal(resume(get, first, NULL), MCP_REPLAY_ANSWERS);
    assert_string_equal(get->sent, "(open)\n1-3|two\n");
    assert_answer(get, "answer");
    assert_string_equal(get->call.answer_event, last);
    end(get, "");
    assert_int_equal(resume(late, last, NULL), MCP_REPLAY_OVER);
    end(late, "");
}

static void a_cancelled_call_has_no_answer(void **state)
{
    struct peer *p = call(), *get = call(), *late = call();

    (void)state;
    say(p, "one");
    assert_int_equal(resume(get, p->id, NULL), MCP_REPLAY_READS);
    assert_ptr_equal(finish(p, ""), get);
    assert_int_equal(get->call.out.len, 0);
    assert_int_equal(resume(late, p->id, NULL), MCP_REPLAY_OVER);
    leave(p);
    end(get, "");
    end(late, "");
}

static void streams_are_not_mixed(void **state)
{
    struct peer *a = call(), *b = call(), *get = call();

    (void)state;
    say(a, "a1");
    say(b, "b1");
    assert_int_equal(mcp_replay_left(&a->end), MCP_REPLAY_KEPT);
    say(b, "b2");
    say(a, "a2");
    end(b, "b");
    assert_int_equal(resume(get, a->id, NULL), MCP_REPLAY_READS);
    assert_string_equal(get->sent, "(open)\n1-3|a2\n1-4|\n");
    assert_ptr_equal(finish(a, "a"), get);
    assert_answer(get, "a");
    leave(a);
    end(get, "");
}

static void ids_of_others_are_unknown(void **state)
{
    struct peer *p = call(), *get = call();
    struct peer *other = arrive(MCP_2025_11_25, &other_log, true);
    struct peer *fresh = arrive(MCP_2025_11_25, &other_log, true);
    char id[MCP_EVENT_ID_BYTES];

    (void)state;
    say(p, "one");
    assert_int_equal(resume(fresh, p->id, NULL), MCP_REPLAY_UNKNOWN);
    say(other, "one");
    assert_string_not_equal(p->id, other->id);
    assert_int_equal(resume(get, other->id, NULL), MCP_REPLAY_UNKNOWN);
    assert_int_equal(resume(get, "x", NULL), MCP_REPLAY_UNKNOWN);
    mcp_event_id_write(id, log_.key, 2, 1); /* never was */
    assert_int_equal(resume(get, id, NULL), MCP_REPLAY_UNKNOWN);
    mcp_event_id_write(id, log_.key, 1, 3);
    assert_int_equal(resume(get, id, NULL), MCP_REPLAY_UNKNOWN);
    mcp_event_id_write(id, log_.key, 0, 1);
    assert_int_equal(resume(get, id, NULL), MCP_REPLAY_UNKNOWN);
    end(p, "");
    end(other, "");
    end(fresh, "");
    end(get, "");
}

static void resuming_may_fail(void **state)
{
    struct peer *p = call(), *get = call();
    struct mcp_replay_end *old;
    enum mcp_err err;

    (void)state;
    say(p, "one");
    get->fails = MCP_EINVAL;
    assert_int_equal(
        mcp_replay_resume(&get->end, p->id, strlen(p->id), &old, &err),
        MCP_REPLAY_FAILED);
    assert_int_equal(err, MCP_EINVAL);
    assert_null(old);
    end(get, "");
    say(p, "two"); /* it reads its own stream still */
    assert_string_equal(p->sent, "1-1|\n1-2|one\n1-3|two\n");
    assert_int_equal(p->detached, 0);
    end(p, "answer");
}

/* ---- the stream that listens ---- */

static void a_listener_goes_on_where_it_was(void **state)
{
    struct peer *first = call(), *next = call();
    char id[MCP_EVENT_ID_BYTES];

    (void)state;
    mcp_replay_listen(&first->end);
    assert_int_equal(mcp_replay_write(&first->end, "", 0), MCP_OK);
    assert_int_equal(first->retry_ms, 0); /* it is not closed early */
    assert_null(mcp_replay_poll(&first->end));
    say(first, "one");
    memcpy(id, first->id, sizeof(id));
    say(first, "two");
    assert_int_equal(resume(next, id, NULL), MCP_REPLAY_LISTENS);
    assert_int_equal(mcp_replay_write(&next->end, "", 0), MCP_OK);
    assert_string_equal(next->sent, "(open)\n0-3|two\n0-4|\n");
    say(first, "three"); /* it was about to be told; its successor hears */
    assert_string_equal(next->sent, "(open)\n0-3|two\n0-4|\n0-5|three\n");
    assert_int_equal(mcp_replay_left(&first->end), MCP_REPLAY_LOST);
    end(first, "");
    say(next, "four");
    end(next, "");
}

static void a_new_listener_hears_nothing_old(void **state)
{
    struct peer *first = call(), *next = call();

    (void)state;
    mcp_replay_listen(&first->end);
    say(first, "one");
    end(first, "");
    mcp_replay_listen(&next->end);
    say(next, "two");
    assert_string_equal(next->sent, "0-3|\n0-4|two\n");
    end(next, "");
}

/* ---- bounds ---- */

/* How much of a stream of `count` events is kept, the answer beside. */
static void assert_kept(struct peer *p, unsigned count, const char *expected)
{
    struct peer *get = call();
    char id[MCP_EVENT_ID_BYTES], text[16];

    say(p, "0");
    memcpy(id, p->id, sizeof(id));
    for (unsigned i = 1; i < count; i++) {
        snprintf(text, sizeof(text), "%u", i);
        say(p, text);
    }
    end(p, "answer");
    assert_int_equal(resume(get, id, NULL), MCP_REPLAY_ANSWERS);
    assert_string_equal(get->sent, expected);
    assert_answer(get, "answer");
    end(get, "");
}

static void the_oldest_events_go_first(void **state)
{
    static const struct mcp_event_limits count = {.log_events = 3,
                                                  .log_bytes = 1 << 20,
                                                  .bytes = 1 << 20,
                                                  .keep_ns = MCP_NS_PER_S};
    struct mcp_event_limits bytes = count;

    (void)state;
    assert_int_equal(set_up_with(&count), 0);
    assert_kept(call(), 3, "(open)\n1-3|1\n1-4|2\n"); /* and the answer: 3 */
    assert_kept(call(), 4, "(open)\n2-4|2\n2-5|3\n");
    assert_int_equal(tear_down(NULL), 0);

    bytes.log_events = 100;
    bytes.log_bytes = 3 * MCP_EVENT_OVERHEAD + 8;
    assert_int_equal(set_up_with(&bytes), 0);
    assert_kept(call(), 3, "(open)\n1-3|1\n1-4|2\n");
    assert_int_equal(mcp_replay_bytes(replay), bytes.log_bytes);
    assert_int_equal(tear_down(NULL), 0);

    bytes.log_bytes--;
    assert_int_equal(set_up_with(&bytes), 0);
    assert_kept(call(), 3, "(open)\n1-4|2\n");
}

static void all_sessions_share_a_bound(void **state)
{
    static const struct mcp_event_limits limits = {
        .log_events = 100,
        .log_bytes = 1 << 20,
        .bytes = 3 * MCP_EVENT_OVERHEAD + 3,
        .keep_ns = MCP_NS_PER_S};
    struct peer *a, *b, *get;
    char id[MCP_EVENT_ID_BYTES];

    (void)state;
    assert_int_equal(set_up_with(&limits), 0);
    a = call();
    b = arrive(MCP_2025_11_25, &other_log, true);
    get = call();
    say(a, "1");
    say(a, "2");
    say(b, "3");
    say(b, "4"); /* instead of the first of a */
    assert_int_equal(mcp_replay_bytes(replay), limits.bytes);
    say(b, "5"); /* of the second */
    memcpy(id, a->id, sizeof(id));
    end(a, "");
    assert_int_equal(resume(get, id, NULL), MCP_REPLAY_GONE);
    end(b, "");
    end(get, "");
}

static void an_answer_that_is_too_large_leaves_word(void **state)
{
    static const struct mcp_event_limits limits = {.log_events = 100,
                                                   .log_bytes = 1000,
                                                   .bytes = 10000,
                                                   .keep_ns = MCP_NS_PER_S};
    struct peer *p, *get;
    char id[MCP_EVENT_ID_BYTES], text[1001 - MCP_EVENT_OVERHEAD + 1] = "";

    (void)state;
    assert_int_equal(set_up_with(&limits), 0);
    for (size_t n = 1000; n <= 1001; n++) {
        p = call();
        get = call();
        memset(text, 'x', n - MCP_EVENT_OVERHEAD);
        say(p, "one");
        memcpy(id, p->id, sizeof(id));
        assert_int_equal(mcp_replay_left(&p->end), MCP_REPLAY_KEPT);
        end(p, text);
        assert_int_equal(resume(get, id, NULL), MCP_REPLAY_ANSWERS);
        mcp_buf_putc(&get->call.out, '\0');
        if (n == 1000)
            assert_string_equal(get->call.out.data, text);
        else
            assert_non_null(strstr(get->call.out.data, "too large to be kept"));
        mcp_buf_clear(&get->call.out);
        end(get, "");
    }
}

static void sweep_tells(void *user, struct mcp_call *call)
{
    struct mcp_call **told = user;

    assert_null(*told);
    *told = call;
}

static void ahead(uint64_t seconds)
{
    atomic_fetch_add(&mcp_clock_ahead_ns, seconds * MCP_NS_PER_S);
}

static void time_passes(void **state)
{
    struct peer *p = call(), *away = call(), *get = call();
    struct mcp_call *told = NULL;
    char id[MCP_EVENT_ID_BYTES];

    (void)state;
    say(p, "one");
    memcpy(id, p->id, sizeof(id));
    end(p, "answer");
    ahead(MCP_REPLAY_KEEP_S - MCP_REPLAY_AWAY_S);
    say(away, "one");
    assert_int_equal(mcp_replay_left(&away->end), MCP_REPLAY_KEPT);
    ahead(MCP_REPLAY_AWAY_S - 1);
    mcp_replay_sweep(replay, sweep_tells, &told);
    assert_null(told);
    ahead(2);
    mcp_replay_sweep(replay, sweep_tells, &told);
    assert_ptr_equal(told, &away->call);
    told = NULL;
    mcp_replay_sweep(replay, sweep_tells, &told); /* once */
    assert_null(told);
    assert_int_equal(resume(get, id, NULL), MCP_REPLAY_GONE);
    end(get, "");
    end(away, "answer");
}

/* ---- many threads ---- */

enum { WRITES = 2000 };

static void *write_all(void *arg)
{
    struct peer *p = arg;

    for (int i = 0; i < WRITES; i++)
        assert_int_equal(mcp_replay_write(&p->end, "x", 1), MCP_OK);
    return NULL;
}

static void readers_come_and_go_meanwhile(void **state)
{
    struct peer *p = call(), *get, *old;
    pthread_t thread;
    char id[MCP_EVENT_ID_BYTES];

    (void)state;
    p->sent[0] = '\0';
    say(p, "one");
    memcpy(id, p->id, sizeof(id));
    assert_int_equal(mcp_replay_left(&p->end), MCP_REPLAY_KEPT);
    assert_int_equal(pthread_create(&thread, NULL, write_all, p), 0);
    for (int i = 0; i < 200; i++) {
        get = call();
        assert_int_equal(resume(get, id, &old), MCP_REPLAY_READS);
        assert_null(old);
        assert_int_equal(mcp_replay_left(&get->end), MCP_REPLAY_TO_END);
        end(get, "");
    }
    pthread_join(thread, NULL);
    end(p, "answer");
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define OWN(name)  cmocka_unit_test_teardown(name, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(an_id_has_one_spelling),
        UNIT(the_first_event_primes),
        UNIT(without_polling_there_is_no_retry),
        UNIT(older_revisions_are_not_primed),
        UNIT(a_call_without_messages_keeps_nothing),
        UNIT(a_client_without_streams_stays_so),
        UNIT(the_rest_is_read_by_another),
        UNIT(a_connection_that_is_taken_over_ends),
        UNIT(a_stream_is_polled),
        UNIT(an_ended_stream_is_read_to_its_end),
        UNIT(a_cancelled_call_has_no_answer),
        UNIT(streams_are_not_mixed),
        UNIT(ids_of_others_are_unknown),
        UNIT(resuming_may_fail),
        UNIT(a_listener_goes_on_where_it_was),
        UNIT(a_new_listener_hears_nothing_old),
        OWN(the_oldest_events_go_first),
        OWN(all_sessions_share_a_bound),
        OWN(an_answer_that_is_too_large_leaves_word),
        UNIT(time_passes),
        UNIT(readers_come_and_go_meanwhile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
