/*
 * format_test.c - each format takes what its standard allows, nothing else
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/format.h"

/* Texts of one format: those that fit, then those that do not. */
struct sample {
    const char *format;
    const char *good[16], *bad[24];
};

#define LABEL_63                                                               \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct sample samples[] = {
    {"date",
     {"2025-01-31", "2024-02-29", "2000-02-29"},
     {"2023-02-29", "1900-02-29", "2025-13-01", "2025-00-01", "2025-01-32",
      "2025-1-1", "25-01-01", "2025-01-01 ", "", "2025/01/01"}},
    {"time",
     {"12:00:00Z", "12:00:00.25+01:30", "23:59:60z", "00:29:60-23:30"},
     {"12:00:00", "24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:60Z", "12:00Z",
      "12:00:00.Z", "12:00:00+24:00", "12:00:00 Z"}},
    {"date-time",
     {"2025-01-31T12:00:00Z", "2025-01-31t12:00:00.123456789-08:00",
      "1998-12-31T15:59:60-08:00"},
     {"2025-01-31 12:00:00Z", "2025-01-31T12:00:00", "2025-02-30T12:00:00Z",
      "2025-01-31", "T12:00:00Z"}},
    {"duration",
     {"P1DT12H", "P2W", "PT0S", "P1Y2M3DT4H5M6S", "P1M"},
     {"P", "PT", "1D", "P1", "P1DT", "P1S", "PT1D", "P1Y2D", "PT1H2S", "P1W1D",
      "P1D2Y", "PT0.5S"}},
    {"email",
     {"ann@example.com", "\"a b\"@example.com", "a+b@[127.0.0.1]",
      "a@[IPv6:::1]", "a@localhost", "\"a\\\"b\"@x.y"},
     {"ann", "@example.com", "ann@", ".a@x.y", "a.@x.y", "a..b@x.y", "a b@x.y",
      "a@b@c", "a@x_y.z", "\"a@x.y", "a@[300.0.0.1]", "\xc3\xa9@x.y"}},
    {"idn-email",
     {"\xc3\xa9@x.y", "a@\xc3\xa9.x", "ann@example.com"},
     {"\xc3\xa9", "a@-\xc3\xa9"}},
    {"hostname",
     {"example.com", "a", "1host", "a-b.c--d.e", LABEL_63 ".x",
      "xn--9n2bp8q.xn--9t4b11yi5a"},
     {"", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", LABEL_63 "a", "xn--X",
      "a b", "\xc3\xa9.x", "xn--example-", "xn--l-fda",
      LABEL_63 "." LABEL_63 "." LABEL_63 "." LABEL_63}},
    {"idn-hostname",
     {"\xc3\xa9.example", "\xe4\xb8\xad\xe6\x96\x87", "l\xc2\xb7l",
      "a\xe3\x80\x82"
      "b",
      "xn--ihqwcrb4cv8a8dqg056pqjye",
      "\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7",
      "\xd7\x90\xd7\xb3\xd7\x91", "\xe3\x83\xbb\xe3\x81\x81"},
     {"", "\xcc\x80hello", "a\xc2\xb7l", "ab--\xc3\xa9", "\xc3\xa9-",
      "\xe3\x80\xae\xec\x8b\xa4", "\xe0\xa4\x95\xe2\x80\x8d\xe0\xa4\xb7",
      "a\xd7\x90", "0a.\xd7\x90", "\xe3\x83\xbb", "\xd8\xa8\xd9\xa0\xdb\xb0",
      "\xf0\x9f\x98\x80", "A\xc3\x89"}},
    {"ipv4",
     {"192.0.2.1", "0.0.0.0", "255.255.255.255"},
     {"256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4 ", "1..2.3",
      "1.2.3.", ""}},
    {"ipv6",
     {"::", "::1", "1::", "2001:db8::1", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1",
      "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7::"},
     {"", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
      "::1::", "12345::", "::1%eth0", "1:2:3:4:5:6:7:8::", ":1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:", "::g", "1.2.3.4", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4"}},
    {"uri",
     {"https://example.com/a?b=c#d", "urn:isbn:1", "http://[::1]:80/",
      "http://u:p@h:1/%20", "mailto:a@b.c", "a:", "http://[v1.x:y]/"},
     {"", "/a", "a", "http://a b", "http://[::1", "http://h:port/",
      "http://a/%2", "http://a/\xc3\xa9", "1a:b", "http://a/<>", "http://a\\b",
      "a:#b#c", "http://[1.2.3.4]/"}},
    {"uri-reference",
     {"", "/a", "a", "#x", "?q", "//h/p", "../a:b", "https://x/y"},
     {"a b", ":a", "1:b", "\\a", "#\xc3\xa9", "%"}},
    {"iri",
     {"https://\xc3\xa9.example/\xc3\xa9?\xee\x80\x80#\xc3\xa9"},
     {"/\xc3\xa9", "http://a/\xee\x80\x80", "http://a/ b"}},
    {"iri-reference", {"/\xc3\xa9", "#\xc3\xa9"}, {"\xc3\xa9 ", "a\\b"}},
    {"uuid",
     {"123e4567-e89b-12d3-a456-426614174000",
      "00000000-0000-0000-0000-000000000000",
      "ABCDEF01-2345-6789-ABCD-EF0123456789"},
     {"", "123e4567e89b12d3a456426614174000",
      "123e4567-e89b-12d3-a456-42661417400",
      "g23e4567-e89b-12d3-a456-"
      "426614174000",
      "123e4567-e89b-12d3-a4564-26614174000"}},
    {"uri-template",
     {"", "/users/{id}", "{+path}/x{?a,b*,c:3}", "{a.b}", "a%41"},
     {"{", "}", "{}", "{a", "{a b}", "{a:0}", "{a:12345}", "{a,,b}", "a b",
      "%4", "{a..b}", "{.}"}},
    {"json-pointer",
     {"", "/", "/a/b", "/~0~1", "//"},
     {"a", "/~", "/~2", "#/a"}},
    {"relative-json-pointer",
     {"0", "1/a", "0#", "12", "1+2/a", "0-1#"},
     {"", "-1", "01", "#", "/a", "0##", "1#/a", "0/~", "1+0"}},
    {"regex",
     {"", "^a+$", "(?<x>a)\\k<x>", "\\p{L}"},
     {"(", "a{2,1}", "\\Z", "[z-a]", "a++"}},
};

static void check(const struct mcp_format *f, const char *text, bool expected)
{
    if (f->check(text, strlen(text)) != expected)
        fail_msg("%s: \"%s\" should be %d", f->name, text, expected);
}

static void every_format_judges_its_samples(void **state)
{
    size_t i, j;

    (void)state;
    for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        const struct sample *s = &samples[i];
        const struct mcp_format *f =
            mcp_format_find(s->format, strlen(s->format));

        assert_non_null(f);
        assert_true(f->hint[0] != '\0');
        for (j = 0; j < 16 && s->good[j] != NULL; j++)
            check(f, s->good[j], true);
        for (j = 0; j < 24 && s->bad[j] != NULL; j++)
            check(f, s->bad[j], false);
    }
}

static void nul_is_no_part_of_any_of_them(void **state)
{
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        const char *name = samples[i].format;
        const struct mcp_format *f = mcp_format_find(name, strlen(name));
        bool takes_any =
            strcmp(name, "json-pointer") == 0 || strcmp(name, "regex") == 0;

        assert_int_equal(f->check(takes_any ? "/\0" : "\0", takes_any ? 2 : 1),
                         takes_any);
    }
}

static void other_names_are_unknown(void **state)
{
    (void)state;
    assert_null(mcp_format_find("datetime", 8));
    assert_null(mcp_format_find("dat", 3));
    assert_null(mcp_format_find("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_judges_its_samples),
        cmocka_unit_test(nul_is_no_part_of_any_of_them),
        cmocka_unit_test(other_names_are_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
