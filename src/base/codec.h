/*
 * codec.h - bytes as text: base64, base64url, hexadecimal; SHA-256
 *
 * Decoders are strict: no white space, no foreign characters, padding exactly
 * where the alphabet demands it, and no bits that an encoder would not have
 * set. So each sequence of bytes has one text, and two texts never mean the
 * same bytes.
 *
 * Layer:  base. Uses base/buf, base/err; OpenSSL for SHA-256.
 * Thread: any.
 */
#ifndef MCP_BASE_CODEC_H
#define MCP_BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum mcp_base64 {
    MCP_BASE64,     /* + and /, padded with =    (RFC 4648, section 4) */
    MCP_BASE64_URL, /* - and _, never padded     (RFC 4648, section 5) */
};

enum { MCP_SHA256_BYTES = 32 };

/* Bytes of the text that encodes `len` bytes; `len` is at most SIZE_MAX / 2. */
static inline size_t mcp_base64_size(enum mcp_base64 kind, size_t len)
{
    size_t rest = len % 3;

    if (kind == MCP_BASE64)
        return len / 3 * 4 + (rest > 0 ? 4 : 0);
    return len / 3 * 4 + (rest > 0 ? rest + 1 : 0);
}

/* Appends the text of bytes[0..len), which may not lie in `out`. */
void mcp_base64_write(struct mcp_buf *out, enum mcp_base64 kind,
                      const void *bytes, size_t len);

/* How many bytes text[0..len) stands for, or -1 when it is wrong. */
long long mcp_base64_check(enum mcp_base64 kind, const char *text, size_t len);

/* Decodes text[0..len) to `to`, which has room for len / 4 * 3 + 2 bytes and
 * may be `text` itself. `*size` gets the count of bytes.
 * Errors: MCP_EINVAL the text is wrong; `to` may have been written to. */
enum mcp_err mcp_base64_decode(enum mcp_base64 kind, const char *text,
                               size_t len, void *to, size_t *size) MCP_MUST_USE;

/* Appends two lower-case digits a byte. */
void mcp_hex_write(struct mcp_buf *out, const void *bytes, size_t len);

/* Decodes `len` hexadecimal digits of either case to `to`, which has room for
 * len / 2 bytes. Errors: MCP_EINVAL odd `len`, or no digit. */
enum mcp_err mcp_hex_decode(const char *text, size_t len,
                            void *to) MCP_MUST_USE;

/* The SHA-256 of bytes[0..len).
 * Errors: MCP_EINTERNAL the crypto library refused. */
enum mcp_err mcp_sha256(const void *bytes, size_t len,
                        unsigned char digest[MCP_SHA256_BYTES]) MCP_MUST_USE;

#endif
