/*
 * Header values: hosts, media types, preferences.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "transport/http_check.h"

static void assert_host(const char *text, const char *name, int port)
{
    struct mcp_http_host h;

    assert_true(mcp_http_parse_host(text, strlen(text), &h));
    assert_int_equal(h.name_len, strlen(name));
    assert_memory_equal(h.name, name, h.name_len);
    assert_int_equal(h.port, port);
}

static void hosts_are_split(void **state)
{
    (void)state;
    assert_host("localhost", "localhost", -1);
    assert_host("a.example:0", "a.example", 0);
    assert_host("127.0.0.1:65535", "127.0.0.1", 65535);
    assert_host("[::1]", "[::1]", -1);
    assert_host("[2001:db8::7]:8443", "[2001:db8::7]", 8443);
}

static void malformed_hosts_are_none(void **state)
{
    static const char *const texts[] = {
        "",        ":80",   "a:",  "a:65536", "a:123456",  "a:-1",     "a: 80",
        "a:80:90", "[::1",  "[]",  "[::1]x",  "[::1]8000", "a/b",      "a b",
        "user@a",  "a:80 ", "::1", "a\tb",    "a,b",       "\xc3\xa9",
    };
    struct mcp_http_host h;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (mcp_http_parse_host(texts[i], strlen(texts[i]), &h))
            fail_msg("\"%s\" was taken", texts[i]);
}

static void the_public_url_names_a_host(void **state)
{
    struct mcp_config *c = mcp_config_new();
    char message[100];

    (void)state;
    assert_false(mcp_http_host_allowed(c, "mcp.example.com"));
    assert_int_equal(mcp_config_set(c, "public_url",
                                    "https://mcp.example.com/base/mcp",
                                    MCP_FROM_FLAG, message, sizeof(message)),
                     MCP_OK);
    assert_true(mcp_http_host_allowed(c, "mcp.example.com"));
    assert_true(mcp_http_host_allowed(c, "MCP.example.com:443"));
    assert_false(mcp_http_host_allowed(c, "mcp.example.com.evil"));
    assert_false(mcp_http_host_allowed(c, "example.com"));
    assert_true(mcp_http_origin_allowed(c, "https://mcp.example.com"));
    assert_false(mcp_http_origin_allowed(c, "https://mcp.example.com/"));
    assert_false(mcp_http_origin_allowed(c, "https://"));
    assert_false(mcp_http_origin_allowed(c, ""));
    mcp_config_free(c);
}

static void assert_accept(const char *value, bool json, bool sse)
{
    struct mcp_http_accept a = MCP_HTTP_ACCEPT_INIT;

    mcp_http_accept_add(&a, value);
    if (mcp_http_accepts_json(&a) != json || mcp_http_accepts_sse(&a) != sse)
        fail_msg("\"%s\" was read as %d %d", value, mcp_http_accepts_json(&a),
                 mcp_http_accepts_sse(&a));
}

static void accept_is_read_by_the_most_specific_range(void **state)
{
    (void)state;
    assert_accept("", true, true);
    assert_accept(" , ,", true, true);
    assert_accept("application/json", true, false);
    assert_accept("APPLICATION/JSON , Text/Event-Stream", true, true);
    assert_accept("text/*", false, true);
    assert_accept("application/*;q=0.8", true, false);
    assert_accept("*/*", true, true);
    assert_accept("*/*;q=0", false, false);
    assert_accept("*/*;q=0,application/json", true, false);
    assert_accept("application/json;q=0,*/*", false, true);
    assert_accept("*/*, application/json;q=0.000", false, true);
    assert_accept("application/json;q=0.001", true, false);
    assert_accept("application/json; Q=0", false, false);
    assert_accept("application/json;charset=utf-8;q=0", false, false);
    assert_accept("application/json ; q=1", true, false);
    assert_accept("application/*;q=0, */*", false, true);
    assert_accept("text/html, image/png", false, false);
    assert_accept("application/jsonx, xapplication/json", false, false);
    assert_accept("text/event-stream;q=0.0, application/json", true, false);
    assert_accept("application/json;q=", true, false);
    assert_accept("application/json;;;", true, false);
    assert_accept("application/json;q=0;q=1", false, false);
}

static void several_accept_headers_are_one_list(void **state)
{
    struct mcp_http_accept a = MCP_HTTP_ACCEPT_INIT;

    (void)state;
    mcp_http_accept_add(&a, "text/html");
    assert_true(a.html);
    assert_false(mcp_http_accepts_json(&a));
    mcp_http_accept_add(&a, "application/json");
    assert_true(mcp_http_accepts_json(&a));
    assert_false(mcp_http_accepts_sse(&a));
}

static void json_is_json_whatever_its_parameters(void **state)
{
    (void)state;
    assert_true(mcp_http_is_json("application/json"));
    assert_true(mcp_http_is_json(" Application/Json ; a=b; c=d"));
    assert_true(mcp_http_is_json("application/json;"));
    assert_false(mcp_http_is_json("application/json5"));
    assert_false(mcp_http_is_json("application/jso"));
    assert_false(mcp_http_is_json("application/json, text/plain"));
    assert_false(mcp_http_is_json(""));
    assert_false(mcp_http_is_json(";application/json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_split),
        cmocka_unit_test(malformed_hosts_are_none),
        cmocka_unit_test(the_public_url_names_a_host),
        cmocka_unit_test(accept_is_read_by_the_most_specific_range),
        cmocka_unit_test(several_accept_headers_are_one_list),
        cmocka_unit_test(json_is_json_whatever_its_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
