/*
 * seal.h - text that travels through the client and comes back unread
 *
 * A sealed text is the base64url form of
 *
 *     version (1 byte) | nonce (12) | ciphertext | tag (16)
 *
 * by AES-256-GCM. `bound` is authenticated, but not sent: what was sealed for
 * one principal, method, item and arguments opens for these only. Each sealing
 * takes a fresh random nonce. A key is derived from a secret of any length by
 * SHA-256; without secrets, the process has one at random.
 *
 * Layer:  base. Uses base/buf, base/codec, base/err; OpenSSL's EVP.
 * Thread: any.
 * Source: NIST SP 800-38D; MCP 2026-07-28, basic/patterns/mrtr, "Server
 *         Requirements".
 */
#ifndef MCP_BASE_SEAL_H
#define MCP_BASE_SEAL_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Secrets, BORROWED: the first seals, all open. `count` 0: the process's own.
 */
struct mcp_seal_keys {
    char *const *secrets;
    size_t count;
};

/* Appends the sealed form of text[0..len) to `out`.
 * Errors: MCP_ENOMEM `out` is full; MCP_EINTERNAL no random bytes, or the
 * crypto library refused. */
enum mcp_err mcp_seal_close(const struct mcp_seal_keys *keys, const void *bound,
                            size_t bound_len, const void *text, size_t len,
                            struct mcp_buf *out) MCP_MUST_USE;

/* Appends what sealed[0..len) holds to `out`.
 * Errors: MCP_EINVAL altered, sealed by none of the keys, or bound to
 * something else; MCP_ENOMEM; MCP_EINTERNAL. `out` then is as before. */
enum mcp_err mcp_seal_open(const struct mcp_seal_keys *keys, const void *bound,
                           size_t bound_len, const char *sealed, size_t len,
                           struct mcp_buf *out) MCP_MUST_USE;

#endif
