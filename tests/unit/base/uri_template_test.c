/* uri_template_test.c - from URIs to variables */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/uri_template.h"

/* "name=value name=value" for what matched, "none", "unsafe" or "limit". */
static void expect(const char *text, const char *uri, const char *expected)
{
    struct mcp_arena *a = mcp_arena_new(8 << 20);
    struct mcp_uri_value values[MCP_URI_TEMPLATE_MAX_VARIABLES];
    struct mcp_uri_template *t;
    char message[200], got[512] = "";
    enum mcp_err err;
    size_t i, n = 0;

    assert_int_equal(mcp_uri_template_parse(text, &t, message, sizeof(message)),
                     MCP_OK);
    err = mcp_uri_template_match(t, uri, strlen(uri), a, values);
    if (err == MCP_ENOENT)
        snprintf(got, sizeof(got), "none");
    else if (err == MCP_EINVAL)
        snprintf(got, sizeof(got), "unsafe");
    else if (err == MCP_ELIMIT)
        snprintf(got, sizeof(got), "limit");
    for (i = 0; err == MCP_OK && i < mcp_uri_template_variable_count(t); i++)
        if (values[i].text != NULL)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s=%.*s",
                                  n > 0 ? " " : "",
                                  mcp_uri_template_variable(t, i),
                                  (int)values[i].len, values[i].text);
    assert_string_equal(got, expected);
    mcp_uri_template_free(t);
    mcp_arena_free(a);
}

static void a_variable_takes_one_segment(void **unused)
{
    (void)unused;
    expect("notes://{id}", "notes://42", "id=42");
    expect("notes://{id}", "notes://a%20b", "id=a b");
    expect("notes://{id}", "notes://a/b", "none");
    expect("notes://{id}", "notes://", "none");
    expect("notes://{id}", "other://42", "none");
    expect("app://w/{w}/files/{f}", "app://w/1/files/2", "w=1 f=2");
    expect("app://w/{w}/files/{f}", "app://w/1/files/2/3", "none");
    expect("test://template/{id}/data", "test://template/123/data", "id=123");
    expect("a://{x}-{y}", "a://1-2-3", "x=1 y=2-3");
}

static void plus_and_star_take_slashes(void **unused)
{
    (void)unused;
    expect("file:///{+path}", "file:///a/b/c.txt", "path=a/b/c.txt");
    expect("file:///{path*}", "file:///a/b", "path=a/b");
    expect("file:///{+path}/raw", "file:///a/raw/raw", "path=a/raw");
}

static void query_members_may_be_absent_and_in_any_order(void **unused)
{
    (void)unused;
    expect("s://x{?q,lang}", "s://x", "");
    expect("s://x{?q,lang}", "s://x?lang=de&q=a+b%26", "q=a b& lang=de");
    expect("s://x{?q,lang}", "s://x?q=1", "q=1");
    expect("s://x{?q}", "s://x?q", "q=");
    expect("s://x{?q}", "s://x?other=1", "none");
    expect("s://x{?q}", "s://x?q=1&q=2", "none");
    expect("s://x/{id}{?q}{&r}", "s://x/7?r=2", "id=7 r=2");
}

static void what_would_leave_its_folder_is_told_apart(void **unused)
{
    (void)unused;
    expect("file://docs/{name}", "file://docs/..", "unsafe");
    expect("file://docs/{name}", "file://docs/..%2F..%2Fetc%2Fpasswd",
           "unsafe");
    expect("file://docs/{name}", "file://docs/%2e%2e", "unsafe");
    expect("file://docs/{name}", "file://docs/a%5c..%5cb", "unsafe");
    expect("file://docs/{+name}", "file://docs/a/../b", "unsafe");
    expect("file://docs/{name}", "file://docs/a%00b", "unsafe");
    expect("file://docs/{name}", "file://docs/..a", "name=..a");
    expect("file://docs/{name}", "file://docs/a..", "name=a..");
    expect("file://docs/{name}", "file://docs/%zz", "none");
    expect("file://docs/{name}", "file://docs/a%4", "none");
    expect("file://docs/{name}", "file://docs/%41", "name=A");
}

static void refuse(const char *text, const char *part)
{
    struct mcp_uri_template *t;
    char message[200] = "";

    assert_int_equal(mcp_uri_template_parse(text, &t, message, sizeof(message)),
                     MCP_EINVAL);
    if (strstr(message, part) == NULL)
        fail_msg("%s: expected \"%s\" in: %s", text, part, message);
}

static void wrong_templates_say_why(void **unused)
{
    char many[1000] = "x:";
    int i;

    (void)unused;
    refuse("a://{id", "no closing");
    refuse("a://id}", "no opening");
    refuse("a://{}", "no name");
    refuse("a://{1a}", "no name");
    refuse("a://{a}{b}", "nothing between");
    refuse("a://{a}/{a}", "twice");
    refuse("a://{#a}", "operator");
    refuse("a://{a:3}", "prefix");
    refuse("a://{?q}/x", "behind the query");
    refuse("a://{?q}{b}", "behind the query");
    for (i = 0; i <= MCP_URI_TEMPLATE_MAX_VARIABLES; i++)
        snprintf(many + strlen(many), sizeof(many) - strlen(many), "/{v%d}", i);
    refuse(many, "more than 32");
}

static void the_work_is_bounded(void **unused)
{
    static char uri[MCP_URI_MAX_BYTES + 2];
    char many[1000] = "a:";
    uint64_t begin = mcp_clock_now_ns();
    int i;

    (void)unused;
    for (i = 0; i < MCP_URI_TEMPLATE_MAX_VARIABLES; i++)
        snprintf(many + strlen(many), sizeof(many) - strlen(many), "{+v%d}x",
                 i);
    snprintf(many + strlen(many), sizeof(many) - strlen(many), "y");
    memset(uri, 'x', sizeof(uri) - 1);
    memcpy(uri, "a:", 2);
    uri[MCP_URI_MAX_BYTES] = '\0';
    expect(many, uri, "none"); /* milliseconds; each by each: seconds */
    assert_true(mcp_clock_now_ns() - begin < 2 * MCP_NS_PER_S);
    uri[MCP_URI_MAX_BYTES] = 'x';
    expect("a:{+a}", uri, "limit");
}

static void absolute_uris_have_a_scheme(void **unused)
{
    static const char *const good[] = {"a:b", "test://x", "x-y+z.1:/p?q#f",
                                       "urn:isbn:1", "file:///a%20b"};
    static const char *const bad[] = {
        "", "a", ":b", "1a:b", "/x", "a b:c", "a:", "a:b c", "a:{x}", "a:\x7f"};
    size_t i;

    (void)unused;
    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(mcp_uri_is_absolute(good[i], strlen(good[i])));
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(mcp_uri_is_absolute(bad[i], strlen(bad[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_takes_one_segment),
        cmocka_unit_test(plus_and_star_take_slashes),
        cmocka_unit_test(query_members_may_be_absent_and_in_any_order),
        cmocka_unit_test(what_would_leave_its_folder_is_told_apart),
        cmocka_unit_test(wrong_templates_say_why),
        cmocka_unit_test(the_work_is_bounded),
        cmocka_unit_test(absolute_uris_have_a_scheme),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
