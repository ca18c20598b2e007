/* seal_test.c - what was sealed comes back whole or not at all */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/seal.h"

static const char text[] = "{\"e\":1,\"a\":{},\"m\":{}} and some more text";
static const char bound[] = "anonymous\0tools/call\0tool\0add";

static char one[] = "the first secret of all";
static char two[] = "the second secret of all";
static char three[] = "another secret altogether";
static char *first_secret[] = {one};
static char *both_secrets[] = {two, one};
static char *other_secret[] = {three};

static const struct mcp_seal_keys none = {NULL, 0};
static const struct mcp_seal_keys first = {first_secret, 1};
static const struct mcp_seal_keys both = {both_secrets, 2};
static const struct mcp_seal_keys other = {other_secret, 1};

static void seal(const struct mcp_seal_keys *keys, const void *plain, size_t n,
                 struct mcp_buf *out)
{
    mcp_buf_init(out, 1 << 20);
    assert_int_equal(mcp_seal_close(keys, bound, sizeof(bound), plain, n, out),
                     MCP_OK);
}

static enum mcp_err try_open(const struct mcp_seal_keys *keys, const void *to,
                             size_t to_len, const char *sealed, size_t len,
                             struct mcp_buf *out)
{
    mcp_buf_init(out, 1 << 20);
    return mcp_seal_open(keys, to, to_len, sealed, len, out);
}

static void expect_refusal(const char *sealed, size_t len)
{
    struct mcp_buf out;

    assert_int_equal(try_open(&first, bound, sizeof(bound), sealed, len, &out),
                     MCP_EINVAL);
    assert_int_equal(out.len, 0);
    mcp_buf_free(&out);
}

static void expect_text(const struct mcp_seal_keys *keys,
                        const struct mcp_buf *sealed, const void *plain,
                        size_t n)
{
    struct mcp_buf out;

    assert_int_equal(
        try_open(keys, bound, sizeof(bound), sealed->data, sealed->len, &out),
        MCP_OK);
    assert_int_equal(out.len, n);
    if (n > 0)
        assert_memory_equal(out.data, plain, n);
    mcp_buf_free(&out);
}

static void comes_back(void **state)
{
    static const size_t lengths[] = {0, 1, 15, 16, 17, sizeof(text)};
    struct mcp_buf sealed;

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        seal(&none, text, lengths[i], &sealed);
        assert_int_equal(sealed.len,
                         mcp_base64_size(MCP_BASE64_URL, 29 + lengths[i]));
        expect_text(&none, &sealed, text, lengths[i]);
        mcp_buf_free(&sealed);
    }
}

static void is_never_the_same_twice(void **state)
{
    struct mcp_buf a, b;

    (void)state;
    seal(&first, text, sizeof(text), &a);
    seal(&first, text, sizeof(text), &b);
    assert_int_equal(a.len, b.len);
    assert_memory_not_equal(a.data, b.data, a.len);
    mcp_buf_free(&a);
    mcp_buf_free(&b);
}

/* Each bit of the bytes that the text stands for. */
static void refuses_every_flipped_bit(void **state)
{
    unsigned char raw[256];
    struct mcp_buf sealed, changed;
    size_t size;

    (void)state;
    seal(&first, text, sizeof(text), &sealed);
    assert_int_equal(
        mcp_base64_decode(MCP_BASE64_URL, sealed.data, sealed.len, raw, &size),
        MCP_OK);
    for (size_t bit = 0; bit < size * 8; bit++) {
        raw[bit / 8] ^= (unsigned char)(1 << bit % 8);
        mcp_buf_init(&changed, 1 << 20);
        mcp_base64_write(&changed, MCP_BASE64_URL, raw, size);
        expect_refusal(changed.data, changed.len);
        mcp_buf_free(&changed);
        raw[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    mcp_buf_free(&sealed);
}

static void refuses_every_flipped_bit_of_the_text(void **state)
{
    struct mcp_buf sealed;

    (void)state;
    seal(&first, text, sizeof(text), &sealed);
    for (size_t bit = 0; bit < sealed.len * 8; bit++) {
        sealed.data[bit / 8] ^= (char)(1 << bit % 8);
        expect_refusal(sealed.data, sealed.len);
        sealed.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    expect_text(&first, &sealed, text, sizeof(text));
    mcp_buf_free(&sealed);
}

static void refuses_every_other_length(void **state)
{
    struct mcp_buf sealed;
    size_t len;

    (void)state;
    seal(&first, text, sizeof(text), &sealed);
    for (len = 0; len < sealed.len; len++)
        expect_refusal(sealed.data, len);
    len = sealed.len;
    mcp_buf_puts(&sealed, "-TAMPERED");
    for (size_t n = len + 1; n <= sealed.len; n++)
        expect_refusal(sealed.data, n);
    mcp_buf_free(&sealed);
}

/* A thousand changes of one to four characters, always the same ones. */
static void refuses_mutations(void **state)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    struct mcp_buf sealed;
    unsigned seed = 7;
    int made = 0;

    (void)state;
    seal(&first, text, sizeof(text), &sealed);
    while (made < 1000) {
        char copy[512];

        assert_true(sealed.len < sizeof(copy));
        memcpy(copy, sealed.data, sealed.len);
        for (int i = rand_r(&seed) % 4; i >= 0; i--)
            copy[(size_t)rand_r(&seed) % sealed.len] =
                alphabet[rand_r(&seed) % 64];
        if (memcmp(copy, sealed.data, sealed.len) == 0)
            continue;
        expect_refusal(copy, sealed.len);
        made++;
    }
    mcp_buf_free(&sealed);
}

static void is_bound(void **state)
{
    static const char *const others[] = {"", "anonymous", "x"};
    struct mcp_buf sealed, out;
    char near[sizeof(bound)];

    (void)state;
    seal(&first, text, sizeof(text), &sealed);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(try_open(&first, others[i], strlen(others[i]),
                                  sealed.data, sealed.len, &out),
                         MCP_EINVAL);
        mcp_buf_free(&out);
    }
    for (size_t bit = 0; bit < sizeof(bound) * 8; bit++) {
        memcpy(near, bound, sizeof(near));
        near[bit / 8] ^= (char)(1 << bit % 8);
        assert_int_equal(
            try_open(&first, near, sizeof(near), sealed.data, sealed.len, &out),
            MCP_EINVAL);
        mcp_buf_free(&out);
    }
    mcp_buf_free(&sealed);
}

static void keys_rotate(void **state)
{
    struct mcp_buf old, new, out;

    (void)state;
    seal(&first, text, sizeof(text), &old);
    seal(&both, text, sizeof(text), &new);
    expect_text(&both, &old, text, sizeof(text)); /* the second one opens it */
    expect_text(&both, &new, text, sizeof(text));
    expect_refusal(new.data, new.len); /* sealed by a key that `first` lacks */
    assert_int_equal(
        try_open(&other, bound, sizeof(bound), old.data, old.len, &out),
        MCP_EINVAL);
    mcp_buf_free(&out);
    assert_int_equal(
        try_open(&none, bound, sizeof(bound), old.data, old.len, &out),
        MCP_EINVAL);
    mcp_buf_free(&out);
    mcp_buf_free(&old);
    mcp_buf_free(&new);
}

static void a_full_buffer_keeps_what_it_had(void **state)
{
    struct mcp_buf sealed, out;

    (void)state;
    mcp_buf_init(&out, 20);
    mcp_buf_puts(&out, "kept");
    assert_int_equal(
        mcp_seal_close(&first, bound, sizeof(bound), text, sizeof(text), &out),
        MCP_ENOMEM);
    assert_int_equal(out.len, 4);
    out.failed = false;
    seal(&first, text, sizeof(text), &sealed);
    assert_int_equal(mcp_seal_open(&first, bound, sizeof(bound), sealed.data,
                                   sealed.len, &out),
                     MCP_ENOMEM);
    assert_int_equal(out.len, 4);
    mcp_buf_free(&out);
    mcp_buf_free(&sealed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(is_never_the_same_twice),
        cmocka_unit_test(refuses_every_flipped_bit),
        cmocka_unit_test(refuses_every_flipped_bit_of_the_text),
        cmocka_unit_test(refuses_every_other_length),
        cmocka_unit_test(refuses_mutations),
        cmocka_unit_test(is_bound),
        cmocka_unit_test(keys_rotate),
        cmocka_unit_test(a_full_buffer_keeps_what_it_had),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
