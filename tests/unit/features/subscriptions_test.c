/* Mirrors src/features/subscriptions.c and changed.c. */
#include "features/subscriptions.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "features/changed.h"
#include "features/prepared.h"

enum { MAX = 100 };

/* A call that remembers what was emitted. */
struct listener {
    struct mcp_call call; /* first */
    struct mcp_stream stream;
    struct mcp_subscriptions *set;
    char told[2048];
    atomic_int count;
    enum mcp_err answer; /* of emit */
    bool close_within;   /* emit closes the stream */
    bool quiet;          /* emit keeps no text: several may run */
    atomic_int ended;
    enum mcp_stream_why why;
};

static struct listener *listener_of(struct mcp_stream *s)
{
    return (struct listener *)(void *)((char *)s -
                                       offsetof(struct listener, stream));
}

static enum mcp_err on_emit(struct mcp_call *call, const char *msg, size_t len)
{
    struct listener *l = (struct listener *)call;
    size_t at = l->quiet ? sizeof(l->told) : strlen(l->told);

    assert_int_equal(atomic_load(&l->ended), 0);
    atomic_fetch_add(&l->count, 1);
    if (at + len + 2 < sizeof(l->told)) {
        memcpy(l->told + at, msg, len);
        memcpy(l->told + at + len, "\n", 2);
    }
    if (l->close_within) {
        mcp_stream_close(l->set, &l->stream, MCP_STREAM_LEFT);
        assert_int_equal(atomic_load(&l->ended), 0); /* it is pinned */
    }
    return l->answer;
}

static void on_end(struct mcp_stream *s, enum mcp_stream_why why)
{
    struct listener *l = listener_of(s);

    l->why = why;
    assert_int_equal(atomic_fetch_add(&l->ended, 1), 0);
}

static const struct mcp_call_ops ops = {.emit = on_emit};

static void init(struct listener *l, struct mcp_subscriptions *set)
{
    memset(l, 0, sizeof(*l));
    l->set = set;
    l->call.ops = &ops;
    l->stream.call = &l->call;
    l->stream.end = on_end;
}

static enum mcp_err open_as(struct listener *l, const char *id, unsigned lists)
{
    l->stream.id = id;
    l->stream.lists = lists;
    return mcp_stream_open(l->set, &l->stream, "first", 5, MAX);
}

static void expect_told(struct listener *l, const char *text)
{
    assert_string_equal(l->told, text);
    l->told[0] = '\0';
}

static void expect_ended(struct listener *l, enum mcp_stream_why why)
{
    assert_int_equal(atomic_load(&l->ended), 1);
    assert_int_equal(l->why, why);
}

static int set_up(void **state)
{
    *state = mcp_subscriptions_new();
    return *state == NULL;
}

static int tear_down(void **state)
{
    mcp_subscriptions_close(*state);
    assert_int_equal(mcp_subscriptions_count(*state), 0);
    mcp_subscriptions_free(*state);
    return 0;
}

#define CHANGED(name, id)                                                      \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" name                    \
    "/list_changed\",\"params\":{\"_meta\":{"                                  \
    "\"io.modelcontextprotocol/subscriptionId\":" id "}}}\n"
#define UPDATED(uri, id)                                                       \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","     \
    "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id    \
    "},\"uri\":\"" uri "\"}}\n"

static void each_hears_of_its_lists(void **state)
{
    struct listener a, b, c;

    init(&a, *state);
    init(&b, *state);
    init(&c, *state);
    assert_int_equal(open_as(&a, "1", MCP_OFFER_TOOLS), MCP_OK);
    assert_int_equal(open_as(&b, "\"b\"", MCP_LISTS), MCP_OK);
    assert_int_equal(open_as(&c, "3", 0), MCP_OK);
    assert_int_equal(mcp_subscriptions_count(*state), 3);
    expect_told(&a, "first\n");
    expect_told(&b, "first\n");
    expect_told(&c, "first\n");
    mcp_publish_lists(*state, MCP_OFFER_TOOLS);
    expect_told(&a, CHANGED("tools", "1"));
    expect_told(&b, CHANGED("tools", "\"b\""));
    mcp_publish_lists(*state, MCP_OFFER_RESOURCES | MCP_OFFER_PROMPTS);
    expect_told(&a, "");
    expect_told(&b, CHANGED("resources", "\"b\"") CHANGED("prompts", "\"b\""));
    mcp_publish_lists(*state, 0);
    mcp_publish_resource(*state, "x", 1);
    expect_told(&b, "");
    expect_told(&c, "");
    mcp_stream_close(*state, &a.stream, MCP_STREAM_LEFT);
    mcp_stream_close(*state, &a.stream, MCP_STREAM_SHUTDOWN);
    expect_ended(&a, MCP_STREAM_LEFT);
    mcp_subscriptions_close(*state);
    expect_ended(&b, MCP_STREAM_SHUTDOWN);
    expect_ended(&c, MCP_STREAM_SHUTDOWN);
}

static void uris_are_compared_whole(void **state)
{
    static const struct mcp_json uris[] = {
        {.type = MCP_JSON_STRING, .count = 3, .u.text = "a:b"},
        {.type = MCP_JSON_STRING, .count = 3, .u.text = "c:\0"},
    };
    static const struct mcp_json list = {
        .type = MCP_JSON_ARRAY, .count = 2, .u.items = uris};
    struct listener l;

    init(&l, *state);
    l.stream.uris = &list;
    assert_int_equal(open_as(&l, "1", 0), MCP_OK);
    expect_told(&l, "first\n");
    mcp_publish_resource(*state, "a:bc", 4);
    mcp_publish_resource(*state, "a:", 2);
    mcp_publish_resource(*state, "", 0);
    mcp_publish_resource(*state, "c:x", 3);
    expect_told(&l, "");
    mcp_publish_resource(*state, "a:b", 3);
    mcp_publish_resource(*state, "c:\0", 3);
    expect_told(&l, UPDATED("a:b", "1") UPDATED("c:\\u0000", "1"));
    mcp_stream_close(*state, &l.stream, MCP_STREAM_LEFT);
}

static void there_is_a_limit(void **state)
{
    static struct listener many[MAX + 1];

    for (int i = 0; i <= MAX; i++) {
        init(&many[i], *state);
        assert_int_equal(open_as(&many[i], "1", 0),
                         i < MAX ? MCP_OK : MCP_EBUSY);
    }
    mcp_stream_close(*state, &many[7].stream, MCP_STREAM_LEFT);
    assert_int_equal(open_as(&many[MAX], "1", 0), MCP_OK);
    mcp_subscriptions_close(*state);
    for (int i = 0; i <= MAX; i++)
        assert_int_equal(atomic_load(&many[i].ended), 1);
    init(&many[0], *state);
    assert_int_equal(open_as(&many[0], "1", 0), MCP_EBUSY);
    expect_told(&many[0], "");
}

static void what_cannot_be_opened_is_not_in_the_set(void **state)
{
    struct listener l;

    init(&l, *state);
    l.answer = MCP_EINVAL;
    assert_int_equal(open_as(&l, "1", MCP_LISTS), MCP_EINVAL);
    assert_int_equal(mcp_subscriptions_count(*state), 0);
    mcp_stream_close(*state, &l.stream, MCP_STREAM_LEFT);
    assert_int_equal(atomic_load(&l.ended), 0);
}

static void the_slow_and_the_gone(void **state)
{
    struct listener slow, gone, poor;

    mcp_log_setup(MCP_LOG_OFF, false);
    init(&slow, *state);
    init(&gone, *state);
    init(&poor, *state);
    assert_int_equal(open_as(&slow, "1", MCP_LISTS), MCP_OK);
    assert_int_equal(open_as(&gone, "2", MCP_LISTS), MCP_OK);
    assert_int_equal(open_as(&poor, NULL, MCP_LISTS), MCP_OK);
    slow.answer = MCP_ELIMIT;
    gone.answer = MCP_ECANCELED;
    poor.answer = MCP_ENOMEM;
    mcp_publish_lists(*state, MCP_OFFER_TOOLS);
    expect_ended(&slow, MCP_STREAM_SLOW);
    expect_ended(&poor, MCP_STREAM_SLOW);
    assert_int_equal(atomic_load(&gone.ended), 0); /* its transport tells */
    assert_int_equal(mcp_subscriptions_count(*state), 1);
    mcp_stream_close(*state, &gone.stream, MCP_STREAM_LEFT);
}

static void a_pinned_stream_ends_when_it_is_unpinned(void **state)
{
    struct listener a, b, c;

    init(&a, *state);
    init(&b, *state);
    init(&c, *state);
    assert_int_equal(open_as(&a, "1", MCP_LISTS), MCP_OK);
    assert_int_equal(open_as(&b, "2", MCP_LISTS), MCP_OK);
    assert_int_equal(open_as(&c, "3", MCP_LISTS), MCP_OK);
    b.close_within = true;
    mcp_publish_lists(*state, MCP_OFFER_TOOLS);
    expect_ended(&b, MCP_STREAM_LEFT);
    expect_told(&c, "first\n" CHANGED("tools", "3"));
    mcp_publish_lists(*state, MCP_OFFER_PROMPTS);
    expect_told(&a, "first\n" CHANGED("tools", "1") CHANGED("prompts", "1"));
    mcp_subscriptions_close(*state);
}

static void a_session_has_one_stream(void **state)
{
    struct mcp_inbox inbox = {0};
    struct listener a, b;

    init(&a, *state);
    init(&b, *state);
    a.stream.inbox = b.stream.inbox = &inbox;
    assert_int_equal(open_as(&a, NULL, MCP_LISTS), MCP_OK);
    assert_ptr_equal(inbox.stream, &a.stream);
    assert_int_equal(mcp_inbox_add(*state, &inbox, "a:b", 3), MCP_OK);
    assert_int_equal(mcp_inbox_add(*state, &inbox, "a:b", 3), MCP_OK);
    assert_int_equal(inbox.count, 1);
    assert_int_equal(open_as(&b, NULL, MCP_LISTS), MCP_OK);
    expect_ended(&a, MCP_STREAM_REPLACED);
    assert_ptr_equal(inbox.stream, &b.stream);
    mcp_publish_resource(*state, "a:b", 3);
    mcp_publish_lists(*state, MCP_OFFER_TOOLS);
    expect_told(&b, "first\n"
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/"
                    "updated\",\"params\":{\"uri\":\"a:b\"}}\n"
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
                    "list_changed\"}\n");
    mcp_inbox_remove(*state, &inbox, "a:c", 3);
    mcp_inbox_remove(*state, &inbox, "a:b", 3);
    mcp_publish_resource(*state, "a:b", 3);
    expect_told(&b, "");
    mcp_inbox_close(*state, &inbox, MCP_STREAM_ENDED);
    mcp_inbox_close(*state, &inbox, MCP_STREAM_ENDED);
    expect_ended(&b, MCP_STREAM_ENDED);
    assert_null(inbox.stream);
    assert_int_equal(inbox.bytes, 0);
    mcp_inbox_free(&inbox);
}

static void an_inbox_is_bounded(void **state)
{
    static char big[MCP_INBOX_MAX_BYTES];
    struct mcp_inbox inbox = {0};
    char uri[16];

    memset(big, 'x', sizeof(big));
    for (int i = 0; i <= MCP_INBOX_MAX_URIS; i++) {
        int n = snprintf(uri, sizeof(uri), "u:%d", i);

        assert_int_equal(mcp_inbox_add(*state, &inbox, uri, (size_t)n),
                         i < MCP_INBOX_MAX_URIS ? MCP_OK : MCP_ELIMIT);
    }
    assert_int_equal(mcp_inbox_add(*state, &inbox, "u:0", 3), MCP_OK);
    mcp_inbox_free(&inbox);
    inbox = (struct mcp_inbox){0};
    assert_int_equal(mcp_inbox_add(*state, &inbox, big, sizeof(big)), MCP_OK);
    assert_int_equal(mcp_inbox_add(*state, &inbox, "y", 1), MCP_ELIMIT);
    mcp_inbox_remove(*state, &inbox, big, sizeof(big));
    assert_int_equal(mcp_inbox_add(*state, &inbox, "y", 1), MCP_OK);
    mcp_inbox_free(&inbox);
}

/* ---- threads ---- */

static atomic_bool over;

static void *publisher(void *set)
{
    while (!atomic_load(&over)) {
        mcp_publish_lists(set, MCP_LISTS);
        mcp_publish_resource(set, "a:b", 3);
    }
    return NULL;
}

static void *opener(void *set)
{
    struct mcp_inbox inbox = {0};

    assert_int_equal(mcp_inbox_add(set, &inbox, "a:b", 3), MCP_OK);
    for (int i = 0; i < 3000; i++) {
        struct listener *l = malloc(sizeof(*l));

        assert_non_null(l);
        init(l, set);
        l->quiet = true;
        l->stream.inbox = i % 2 == 0 ? &inbox : NULL;
        assert_int_equal(open_as(l, i % 2 == 0 ? NULL : "7", MCP_LISTS),
                         MCP_OK);
        mcp_publish_lists(set, MCP_OFFER_TOOLS);
        assert_true(atomic_load(&l->count) >= 2);
        mcp_stream_close(set, &l->stream, MCP_STREAM_LEFT);
        while (atomic_load(&l->ended) == 0)
            sched_yield();
        free(l); /* ASan: nobody touches it any more */
    }
    mcp_inbox_free(&inbox);
    return NULL;
}

static void many_threads(void **state)
{
    pthread_t publishers[2], openers[2];

    atomic_store(&over, false);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            pthread_create(&publishers[i], NULL, publisher, *state), 0);
        assert_int_equal(pthread_create(&openers[i], NULL, opener, *state), 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(openers[i], NULL);
    atomic_store(&over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(publishers[i], NULL);
}

/* ---- changed lists ---- */

/* A generation whose lists are all one page of "x". */
struct version {
    struct mcp_prepared prepared;
    struct mcp_page pages[MCP_ITEM_KINDS][2];
    struct mcp_generation gen;
};

static struct version *version_init(struct version *v)
{
    memset(v, 0, sizeof(*v));
    v->gen.prepared = &v->prepared;
    for (int k = 0; k < MCP_ITEM_KINDS; k++) {
        v->prepared.lists[k] =
            (struct mcp_list){.pages = v->pages[k], .page_count = 1};
        for (int p = 0; p < 2; p++)
            for (int r = 0; r < MCP_REVISION_COUNT; r++)
                v->pages[k][p].by_revision[r] = (struct mcp_text){"x", 1};
    }
    return v;
}

static void lists_whose_bytes_differ(void **state)
{
    static const unsigned expected[MCP_ITEM_KINDS] = {
        [MCP_ITEM_PROMPT] = MCP_OFFER_PROMPTS,
        [MCP_ITEM_RESOURCE] = MCP_OFFER_RESOURCES,
        [MCP_ITEM_TEMPLATE] = MCP_OFFER_RESOURCES,
        [MCP_ITEM_TOOL] = MCP_OFFER_TOOLS,
    };
    struct version a, b;

    (void)state;
    version_init(&a);
    assert_int_equal(mcp_changed_lists(&a.gen, &version_init(&b)->gen), 0);
    for (int k = 0; k < MCP_ITEM_KINDS; k++) {
        version_init(&b);
        b.prepared.lists[k].page_count = 2;
        assert_int_equal(mcp_changed_lists(&a.gen, &b.gen), expected[k]);
        for (int r = 0; r < MCP_REVISION_COUNT; r++) {
            version_init(&b);
            b.pages[k][0].by_revision[r].text = "y";
            assert_int_equal(mcp_changed_lists(&a.gen, &b.gen), expected[k]);
            b.pages[k][0].by_revision[r] = (struct mcp_text){"xx", 2};
            assert_int_equal(mcp_changed_lists(&b.gen, &a.gen), expected[k]);
        }
    }
    assert_int_equal(mcp_changed_list(MCP_NOTICE_TOOLS), MCP_OFFER_TOOLS);
    assert_int_equal(mcp_changed_list(MCP_NOTICE_PROMPTS), MCP_OFFER_PROMPTS);
    assert_int_equal(mcp_changed_list(MCP_NOTICE_RESOURCES),
                     MCP_OFFER_RESOURCES);
    assert_int_equal(mcp_changed_list(MCP_NOTICE_RESOURCE), 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(each_hears_of_its_lists),
        T(uris_are_compared_whole),
        T(there_is_a_limit),
        T(what_cannot_be_opened_is_not_in_the_set),
        T(the_slow_and_the_gone),
        T(a_pinned_stream_ends_when_it_is_unpinned),
        T(a_session_has_one_stream),
        T(an_inbox_is_bounded),
        T(many_threads),
        cmocka_unit_test(lists_whose_bytes_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
