/*
 * codec.c - fuzzer: base64 and hexadecimal are one text per byte sequence
 *
 * What decodes must encode to the very same text; what is encoded must decode
 * to the same bytes; the check must say what decoding does.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "codec: %s\n", what);
    abort();
}

static void decode_first(enum mcp_base64 kind, const char *text, size_t len)
{
    unsigned char *to = malloc(len / 4 * 3 + 2);
    long long n = mcp_base64_check(kind, text, len);
    struct mcp_buf b;
    size_t size = 0;
    enum mcp_err err;

    check(to != NULL, "no memory");
    err = mcp_base64_decode(kind, text, len, to, &size);
    check((err == MCP_OK) == (n >= 0), "check and decode disagree");
    if (err == MCP_OK) {
        check(size == (size_t)n, "check tells another size");
        mcp_buf_init(&b, len + 16);
        mcp_base64_write(&b, kind, to, size);
        check(!b.failed && b.len == len &&
                  (len == 0 || memcmp(b.data, text, len) == 0),
              "two texts mean the same bytes");
        mcp_buf_free(&b);
    }
    free(to);
}

static void encode_first(enum mcp_base64 kind, const uint8_t *data, size_t size)
{
    struct mcp_buf b;
    size_t n = 0;

    mcp_buf_init(&b, size * 2 + 16);
    mcp_base64_write(&b, kind, data, size);
    check(b.len == mcp_base64_size(kind, size), "size");
    if (size > 0) {
        check(mcp_base64_decode(kind, b.data, b.len, b.data, &n) == MCP_OK &&
                  n == size && memcmp(b.data, data, n) == 0,
              "base64 does not come back");
        mcp_buf_clear(&b);
        mcp_hex_write(&b, data, size);
        check(mcp_hex_decode(b.data, b.len, b.data) == MCP_OK &&
                  memcmp(b.data, data, size) == 0,
              "hexadecimal does not come back");
    }
    mcp_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode_first(MCP_BASE64, (const char *)data, size);
    decode_first(MCP_BASE64_URL, (const char *)data, size);
    encode_first(MCP_BASE64, data, size);
    encode_first(MCP_BASE64_URL, data, size);
    return 0;
}
