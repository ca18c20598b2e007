/*
 * codec.c - tables both ways; a wrong character is a value above 63
 */
#include "base/codec.h"

#include <stdint.h>

#include "base/openssl.h"

enum { WRONG = 0xff };

static const char alphabets[2][64] = {
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"},
};

/* Writes four digits of three bytes. */
static void encode_group(char *to, const char *alphabet, const uint8_t *b)
{
    uint32_t bits = (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];

    to[0] = alphabet[bits >> 18];
    to[1] = alphabet[bits >> 12 & 63];
    to[2] = alphabet[bits >> 6 & 63];
    to[3] = alphabet[bits & 63];
}

void mcp_base64_write(struct mcp_buf *out, enum mcp_base64 kind,
                      const void *bytes, size_t len)
{
    const char *alphabet = alphabets[kind];
    const uint8_t *b = bytes;
    uint8_t last[3] = {0, 0, 0};
    char group[4], *to;
    size_t size = mcp_base64_size(kind, len);

    if (size == 0)
        return;
    to = mcp_buf_reserve(out, size);
    if (to == NULL)
        return;
    out->len += size;
    for (; len >= 3; len -= 3, b += 3, to += 4)
        encode_group(to, alphabet, b);
    if (len == 0)
        return;
    memcpy(last, b, len);
    encode_group(group, alphabet, last);
    memcpy(to, group, len + 1);
    if (kind == MCP_BASE64)
        memset(to + len + 1, '=', 3 - len);
}

static unsigned digit(enum mcp_base64 kind, unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - (unsigned)'A';
    if (c >= 'a' && c <= 'z')
        return c - (unsigned)'a' + 26;
    if (c >= '0' && c <= '9')
        return c - (unsigned)'0' + 52;
    if (c == (kind == MCP_BASE64 ? '+' : '-'))
        return 62;
    if (c == (kind == MCP_BASE64 ? '/' : '_'))
        return 63;
    return WRONG;
}

/* text[0..len) without its padding; false: the padding is wrong. */
static bool strip_padding(enum mcp_base64 kind, const char *text, size_t *len)
{
    size_t n = *len;

    if (kind == MCP_BASE64) {
        if (n % 4 != 0)
            return false;
        if (n > 0 && text[n - 1] == '=')
            n -= text[n - 2] == '=' ? 2 : 1;
    }
    *len = n;
    return n % 4 != 1;
}

/* Decodes `n` digits (2..4) to n - 1 bytes; false: a wrong digit, or bits
 * that no encoder leaves. `to` NULL: only checks. */
static bool decode_group(enum mcp_base64 kind, const char *text, size_t n,
                         uint8_t *to)
{
    uint32_t bits = 0, wrong = 0, spare;
    unsigned value;
    size_t i;

    for (i = 0; i < n; i++) {
        value = digit(kind, (unsigned char)text[i]);
        wrong |= value & 0xc0;
        bits |= (value & 63) << (18 - 6 * i);
    }
    spare = n == 4 ? 0 : bits & (n == 3 ? 0xff : 0xffff);
    if (wrong != 0 || spare != 0)
        return false;
    for (i = 0; to != NULL && i < n - 1; i++)
        to[i] = (uint8_t)(bits >> (16 - 8 * i));
    return true;
}

/* The count of decoded bytes, or -1. `to` NULL: only checks. */
static long long decode(enum mcp_base64 kind, const char *text, size_t len,
                        uint8_t *to)
{
    size_t i, n, size = 0;

    if (!strip_padding(kind, text, &len))
        return -1;
    for (i = 0; i < len; i += n) {
        n = len - i < 4 ? len - i : 4;
        if (!decode_group(kind, text + i, n, to != NULL ? to + size : NULL))
            return -1;
        size += n - 1;
    }
    return (long long)size;
}

long long mcp_base64_check(enum mcp_base64 kind, const char *text, size_t len)
{
    return decode(kind, text, len, NULL);
}

enum mcp_err mcp_base64_decode(enum mcp_base64 kind, const char *text,
                               size_t len, void *to, size_t *size)
{
    long long n = decode(kind, text, len, to);

    if (n < 0)
        return MCP_EINVAL;
    *size = (size_t)n;
    return MCP_OK;
}

void mcp_hex_write(struct mcp_buf *out, const void *bytes, size_t len)
{
    const uint8_t *b = bytes;
    char *to = len > 0 ? mcp_buf_reserve(out, len * 2) : NULL;
    size_t i;

    if (to == NULL)
        return;
    out->len += len * 2;
    for (i = 0; i < len; i++) {
        *to++ = "0123456789abcdef"[b[i] >> 4];
        *to++ = "0123456789abcdef"[b[i] & 15];
    }
}

static unsigned hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a' + 10);
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A' + 10);
    return WRONG;
}

enum mcp_err mcp_hex_decode(const char *text, size_t len, void *to)
{
    uint8_t *b = to;
    unsigned high, low;
    size_t i;

    if (len % 2 != 0)
        return MCP_EINVAL;
    for (i = 0; i < len; i += 2) {
        high = hex_digit(text[i]);
        low = hex_digit(text[i + 1]);
        if (high == WRONG || low == WRONG)
            return MCP_EINVAL;
        *b++ = (uint8_t)(high << 4 | low);
    }
    return MCP_OK;
}

enum mcp_err mcp_sha256(const void *bytes, size_t len,
                        unsigned char digest[MCP_SHA256_BYTES])
{
    const struct mcp_openssl *ssl = mcp_openssl();
    unsigned size = 0;

    if (ssl == NULL ||
        ssl->EVP_Digest(bytes, len, digest, &size, ssl->EVP_sha256(), NULL) !=
            1 ||
        size != MCP_SHA256_BYTES)
        return MCP_EINTERNAL;
    return MCP_OK;
}
