/*
 * codec_test.c - one text per byte sequence, in base64 and hexadecimal
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "base/codec.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void holds(struct mcp_buf *b, const char *expected)
{
    mcp_buf_putc(b, '\0');
    assert_false(b->failed);
    assert_string_equal(b->data, expected);
    mcp_buf_clear(b);
}

static void the_vectors_of_rfc_4648_encode_and_decode(void **state)
{
    static const struct {
        const char *bytes, *text, *url;
    } cases[] = {
        {"", "", ""},
        {"f", "Zg==", "Zg"},
        {"fo", "Zm8=", "Zm8"},
        {"foo", "Zm9v", "Zm9v"},
        {"foob", "Zm9vYg==", "Zm9vYg"},
        {"fooba", "Zm9vYmE=", "Zm9vYmE"},
        {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
        {"\xfb\xff\xfe", "+//+", "-__-"},
    };
    struct mcp_buf b;
    char to[32];
    size_t i, size;

    (void)state;
    mcp_buf_init(&b, 1024);
    for (i = 0; i < COUNT(cases); i++) {
        size_t len = strlen(cases[i].bytes);

        assert_int_equal(mcp_base64_size(MCP_BASE64, len),
                         strlen(cases[i].text));
        assert_int_equal(mcp_base64_size(MCP_BASE64_URL, len),
                         strlen(cases[i].url));
        mcp_base64_write(&b, MCP_BASE64, cases[i].bytes, len);
        holds(&b, cases[i].text);
        mcp_base64_write(&b, MCP_BASE64_URL, cases[i].bytes, len);
        holds(&b, cases[i].url);
        assert_int_equal(mcp_base64_decode(MCP_BASE64, cases[i].text,
                                           strlen(cases[i].text), to, &size),
                         MCP_OK);
        assert_int_equal(size, len);
        assert_memory_equal(to, cases[i].bytes, len);
        assert_int_equal(mcp_base64_decode(MCP_BASE64_URL, cases[i].url,
                                           strlen(cases[i].url), to, &size),
                         MCP_OK);
        assert_int_equal(size, len);
        assert_memory_equal(to, cases[i].bytes, len);
    }
    mcp_buf_free(&b);
}

static void wrong_texts_are_refused(void **state)
{
    static const char *const padded[] = {
        "Z",          "Zg",     "Zg=",   "Zg===",    "=",      "==",
        "====",       "Zm8",    "Zm9v=", "Zm9v====", "Zh==",   "Zm9=",
        "Zg==Zg==",   "Zm9v\n", "Zm 9v", "Zm9-",     "Zm9_",   "Zm9*",
        "Zm\xc3\xa9", "Z===",   "Zm=v",  "=m9v",     "Zg==\n",
    };
    static const char *const url[] = {
        "Z", "Zg==", "Zm8=", "Zh", "Zm9", "Zm9+", "Zm9/", "Zg ", "Zm9vZ",
    };
    char to[32];
    size_t i, size = 77;

    (void)state;
    for (i = 0; i < COUNT(padded); i++) {
        size_t len = strlen(padded[i]);

        if (mcp_base64_decode(MCP_BASE64, padded[i], len, to, &size) !=
            MCP_EINVAL)
            fail_msg("decoded: %s", padded[i]);
        assert_int_equal(mcp_base64_check(MCP_BASE64, padded[i], len), -1);
    }
    for (i = 0; i < COUNT(url); i++) {
        size_t len = strlen(url[i]);

        if (mcp_base64_decode(MCP_BASE64_URL, url[i], len, to, &size) !=
            MCP_EINVAL)
            fail_msg("decoded: %s", url[i]);
    }
    assert_int_equal(size, 77);
    assert_int_equal(mcp_base64_decode(MCP_BASE64, "Zm\0v", 4, to, &size),
                     MCP_EINVAL);
}

static void every_length_and_byte_comes_back(void **state)
{
    uint8_t bytes[256];
    struct mcp_buf b;
    size_t len, size, i;

    (void)state;
    for (i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 167 + 13);
    mcp_buf_init(&b, 4096);
    for (len = 0; len <= sizeof(bytes); len++) {
        enum mcp_base64 kind = len % 2 != 0 ? MCP_BASE64 : MCP_BASE64_URL;

        mcp_buf_clear(&b);
        mcp_base64_write(&b, kind, bytes, len);
        assert_int_equal(b.len, mcp_base64_size(kind, len));
        if (len == 0)
            continue;
        assert_int_equal(mcp_base64_check(kind, b.data, b.len), len);
        /* in place */
        assert_int_equal(mcp_base64_decode(kind, b.data, b.len, b.data, &size),
                         MCP_OK);
        assert_int_equal(size, len);
        assert_memory_equal(b.data, bytes, len);
    }
    mcp_buf_free(&b);
}

static void a_full_buffer_fails_whole(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 8);
    mcp_base64_write(&b, MCP_BASE64, "foobar", 6);
    assert_int_equal(b.len, 8);
    assert_false(b.failed);
    mcp_buf_free(&b);
    mcp_buf_init(&b, 7);
    mcp_base64_write(&b, MCP_BASE64, "foobar", 6);
    assert_true(b.failed);
    assert_int_equal(b.len, 0);
    mcp_buf_free(&b);
    mcp_buf_init(&b, 1);
    mcp_hex_write(&b, "f", 1);
    assert_true(b.failed);
    mcp_buf_free(&b);
}

static void hexadecimal_goes_both_ways(void **state)
{
    struct mcp_buf b;
    char to[4];

    (void)state;
    mcp_buf_init(&b, 64);
    mcp_hex_write(&b, "\0\x7f\x80\xff", 4);
    holds(&b, "007f80ff");
    mcp_hex_write(&b, "", 0);
    holds(&b, "");
    assert_int_equal(mcp_hex_decode("007F80fF", 8, to), MCP_OK);
    assert_memory_equal(to, "\0\x7f\x80\xff", 4);
    assert_int_equal(mcp_hex_decode("", 0, to), MCP_OK);
    assert_int_equal(mcp_hex_decode("0", 1, to), MCP_EINVAL);
    assert_int_equal(mcp_hex_decode("0g", 2, to), MCP_EINVAL);
    assert_int_equal(mcp_hex_decode("G0", 2, to), MCP_EINVAL);
    assert_int_equal(mcp_hex_decode(" 0", 2, to), MCP_EINVAL);
    mcp_buf_free(&b);
}

static void sha256_is_that_of_fips_180(void **state)
{
    unsigned char digest[MCP_SHA256_BYTES];
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 256);
    assert_int_equal(mcp_sha256("abc", 3, digest), MCP_OK);
    mcp_hex_write(&b, digest, sizeof(digest));
    holds(&b, "ba7816bf8f01cfea414140de5dae2223"
              "b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(mcp_sha256("", 0, digest), MCP_OK);
    mcp_hex_write(&b, digest, sizeof(digest));
    holds(&b, "e3b0c44298fc1c149afbf4c8996fb924"
              "27ae41e4649b934ca495991b7852b855");
    mcp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_rfc_4648_encode_and_decode),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(every_length_and_byte_comes_back),
        cmocka_unit_test(a_full_buffer_fails_whole),
        cmocka_unit_test(hexadecimal_goes_both_ways),
        cmocka_unit_test(sha256_is_that_of_fips_180),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
