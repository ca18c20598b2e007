/* Mirrors src/features/notify.c; what a whole call emits is tested in
 * unit/protocol. */
#include "features/notify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char said[1024];
static enum mcp_err answer;

static enum mcp_err on_emit(struct mcp_call *call, const char *msg, size_t len)
{
    (void)call;
    assert_true(len < sizeof(said));
    memcpy(said, msg, len);
    said[len] = '\0';
    return answer;
}

static const struct mcp_call_ops ops = {.emit = on_emit};

static struct mcp_call call_at(int level)
{
    return (struct mcp_call){
        .ops = &ops, .log_level = level, .last_progress = -HUGE_VAL};
}

static void log_at(struct mcp_call *call, const char *level)
{
    said[0] = '\0';
    mcp_notify.log(call, level, NULL, "1", 1);
}

static void levels_are_ordered_as_in_syslog(void **state)
{
    static const char *const names[] = {"debug",   "info",     "notice",
                                        "warning", "error",    "critical",
                                        "alert",   "emergency"};

    (void)state;
    for (int i = 0; i < 8; i++) {
        struct mcp_call below = call_at(i + 1), at = call_at(i);

        assert_int_equal(mcp_level_parse(names[i], strlen(names[i])), i);
        log_at(&below, names[i]);
        assert_string_equal(said, "");
        log_at(&at, names[i]);
        assert_non_null(strstr(said, names[i]));
    }
    assert_int_equal(mcp_level_parse("INFO", 4), -1);
    assert_int_equal(mcp_level_parse("info", 3), -1);
    assert_int_equal(mcp_level_parse("", 0), -1);
}

static void an_unknown_level_is_dropped(void **state)
{
    struct mcp_call call = call_at(0);

    (void)state;
    log_at(&call, "loud");
    assert_string_equal(said, "");
}

static void a_cancelled_call_says_nothing(void **state)
{
    static const struct mcp_json token = {
        .type = MCP_JSON_STRING, .count = 1, .u.text = "t"};
    struct mcp_call call = call_at(0);

    (void)state;
    call.progress_token = &token;
    atomic_store(&call.cancelled, true);
    log_at(&call, "error");
    mcp_notify.progress(&call, 1, NAN, NULL, 0);
    assert_string_equal(said, "");
    atomic_store(&call.cancelled, false);
    mcp_notify.progress(&call, 1, NAN, NULL, 0);
    assert_string_equal(
        said, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
              "\"params\":{\"progressToken\":\"t\",\"progress\":1}}");
}

static void dropped_messages_are_counted(void **state)
{
    struct mcp_call call = call_at(0);
    char path[] = "/tmp/notify-XXXXXX", text[4096];
    int file = mkstemp(path), stderr_copy = dup(STDERR_FILENO);
    ssize_t n;

    (void)state;
    assert_true(file >= 0 && stderr_copy >= 0);
    (void)unlink(path);
    (void)dup2(file, STDERR_FILENO);
    mcp_notify_end(&call);
    answer = MCP_ENOMEM;
    for (int i = 0; i < 3; i++)
        log_at(&call, "error");
    answer = MCP_OK;
    log_at(&call, "error");
    mcp_notify_end(&call);
    (void)dup2(stderr_copy, STDERR_FILENO);
    (void)close(stderr_copy);
    n = pread(file, text, sizeof(text) - 1, 0);
    (void)close(file);
    assert_true(n > 0);
    text[n] = '\0';
    assert_int_equal(call.dropped, 3);
    assert_non_null(strstr(text, "notify: a log message dropped: out of"));
    assert_non_null(strstr(text, "notify: 3 messages of one call dropped"));
    assert_ptr_equal(strchr(strchr(text, '\n') + 1, '\n'), text + n - 1);
}

static void progress_only_rises(void **state)
{
    static const struct mcp_json token = {
        .type = MCP_JSON_NUMBER, .count = 2, .u.text = "12"};
    static const struct {
        double value;
        bool sent;
    } rows[] = {{-5, true},   {-5, false},       {-4.5, true},
                {NAN, false}, {INFINITY, false}, {-INFINITY, false},
                {0, true},    {1e300, true},     {1, false}};
    struct mcp_call call = call_at(8);

    (void)state;
    call.progress_token = &token;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        said[0] = '\0';
        mcp_notify.progress(&call, rows[i].value, INFINITY, "m\"", 2);
        assert_int_equal(said[0] != '\0', rows[i].sent);
        assert_null(strstr(said, "total"));
    }
    said[0] = '\0';
    call.progress_token = NULL;
    mcp_notify.progress(&call, 1e301, 1, NULL, 0);
    assert_string_equal(said, "");
}

static void a_peer_that_takes_no_messages_is_no_fault(void **state)
{
    struct mcp_call call = call_at(0);

    (void)state;
    answer = MCP_EINVAL;
    log_at(&call, "info");
    answer = MCP_ECANCELED;
    log_at(&call, "info");
    answer = MCP_OK;
    assert_string_equal(
        said, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
              "message\",\"params\":{\"level\":\"info\",\"data\":1}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_ordered_as_in_syslog),
        cmocka_unit_test(an_unknown_level_is_dropped),
        cmocka_unit_test(a_cancelled_call_says_nothing),
        cmocka_unit_test(dropped_messages_are_counted),
        cmocka_unit_test(progress_only_rises),
        cmocka_unit_test(a_peer_that_takes_no_messages_is_no_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
