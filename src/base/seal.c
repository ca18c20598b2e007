/*
 * seal.c - see seal.h
 */
#include "base/seal.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/codec.h"
#include "base/memory.h"
#include "base/openssl.h"

enum {
    VERSION = 1,
    NONCE_BYTES = 12,
    TAG_BYTES = 16,
    HEAD_BYTES = 1 + NONCE_BYTES,
    MIN_BYTES = HEAD_BYTES + TAG_BYTES,
};

struct key {
    unsigned char bytes[MCP_SHA256_BYTES];
};

/* ---- keys ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct key process_key;
static enum mcp_err process_err;

static enum mcp_err fill_random(void *to, size_t n)
{
    return getrandom(to, n, 0) == (ssize_t)n ? MCP_OK : MCP_EINTERNAL;
}

static void make_process_key(void)
{
    process_err = fill_random(process_key.bytes, sizeof(process_key.bytes));
}

/* The key number `i`; without secrets number 0 is the process's. */
static enum mcp_err derive(const struct mcp_seal_keys *keys, size_t i,
                           struct key *key)
{
    if (keys->count > 0)
        return mcp_sha256(keys->secrets[i], strlen(keys->secrets[i]),
                          key->bytes);
    (void)pthread_once(&once, make_process_key);
    *key = process_key;
    return process_err;
}

/* ---- one message ---- */

/* What lies between the layers of a message: all by AES-256-GCM. */
struct gcm {
    const struct mcp_openssl *ssl;
    EVP_CIPHER_CTX *ctx;
    const struct key *key;
    const unsigned char *head; /* version and nonce */
    const void *bound;
    size_t bound_len;
};

/* Starts `g`; the head and what is bound are authenticated. */
static bool gcm_begin(struct gcm *g, int encrypt)
{
    int n;

    g->ssl = mcp_openssl();
    if (g->ssl == NULL)
        return false;
    g->ctx = g->ssl->EVP_CIPHER_CTX_new();
    return g->ctx != NULL &&
           g->ssl->EVP_CipherInit_ex(g->ctx, g->ssl->EVP_aes_256_gcm(), NULL,
                                     g->key->bytes, g->head + 1,
                                     encrypt) == 1 &&
           g->ssl->EVP_CipherUpdate(g->ctx, NULL, &n, g->head, HEAD_BYTES) ==
               1 &&
           (g->bound_len == 0 ||
            g->ssl->EVP_CipherUpdate(g->ctx, NULL, &n, g->bound,
                                     (int)g->bound_len) == 1);
}

static void gcm_end(struct gcm *g)
{
    if (g->ctx != NULL)
        g->ssl->EVP_CIPHER_CTX_free(g->ctx);
    g->ctx = NULL;
}

static bool gcm_text(struct gcm *g, const unsigned char *from, size_t len,
                     unsigned char *to)
{
    int n = 0;

    return len == 0 ||
           (g->ssl->EVP_CipherUpdate(g->ctx, to, &n, from, (int)len) == 1 &&
            n == (int)len);
}

static bool encrypt(struct gcm *g, const void *text, size_t len,
                    unsigned char *to)
{
    unsigned char rest[16];
    int n;

    return gcm_begin(g, 1) && gcm_text(g, text, len, to) &&
           g->ssl->EVP_CipherFinal_ex(g->ctx, rest, &n) == 1 &&
           g->ssl->EVP_CIPHER_CTX_ctrl(g->ctx, EVP_CTRL_GCM_GET_TAG, TAG_BYTES,
                                       to + len) == 1;
}

/* `from` holds `len` bytes, then the tag. */
static bool decrypt(struct gcm *g, unsigned char *from, size_t len,
                    unsigned char *to)
{
    unsigned char rest[16];
    int n;

    return gcm_begin(g, 0) && gcm_text(g, from, len, to) &&
           g->ssl->EVP_CIPHER_CTX_ctrl(g->ctx, EVP_CTRL_GCM_SET_TAG, TAG_BYTES,
                                       from + len) == 1 &&
           g->ssl->EVP_CipherFinal_ex(g->ctx, rest, &n) == 1;
}

static enum mcp_err write_base64(struct mcp_buf *out, const void *bytes,
                                 size_t n)
{
    size_t at = out->len;

    mcp_base64_write(out, MCP_BASE64_URL, bytes, n);
    if (!out->failed)
        return MCP_OK;
    out->len = at;
    return MCP_ENOMEM;
}

enum mcp_err mcp_seal_close(const struct mcp_seal_keys *keys, const void *bound,
                            size_t bound_len, const void *text, size_t len,
                            struct mcp_buf *out)
{
    struct key key;
    struct gcm g = {.key = &key, .bound = bound, .bound_len = bound_len};
    enum mcp_err err = derive(keys, 0, &key);
    unsigned char *raw;

    if (err != MCP_OK)
        return err;
    if (len > INT_MAX / 2 || bound_len > INT_MAX / 2)
        return MCP_ENOMEM;
    raw = mcp_memory_new(1, len + MIN_BYTES);
    if (raw == NULL)
        return MCP_ENOMEM;
    raw[0] = VERSION;
    g.head = raw;
    err = fill_random(raw + 1, NONCE_BYTES);
    if (err == MCP_OK && !encrypt(&g, text, len, raw + HEAD_BYTES))
        err = MCP_EINTERNAL;
    if (err == MCP_OK)
        err = write_base64(out, raw, len + MIN_BYTES);
    gcm_end(&g);
    explicit_bzero(&key, sizeof(key));
    free(raw);
    return err;
}

/* raw[0..len), a whole message, to `to`, which has room for it. */
static enum mcp_err open_with(const struct mcp_seal_keys *keys, size_t i,
                              struct gcm *g, unsigned char *raw, size_t len,
                              unsigned char *to)
{
    struct key key;
    enum mcp_err err = derive(keys, i, &key);

    if (err != MCP_OK)
        return err;
    g->key = &key;
    g->head = raw;
    if (!decrypt(g, raw + HEAD_BYTES, len - MIN_BYTES, to))
        err = MCP_EINVAL;
    gcm_end(g);
    explicit_bzero(&key, sizeof(key));
    return err;
}

static enum mcp_err open_raw(const struct mcp_seal_keys *keys, struct gcm *g,
                             unsigned char *raw, size_t len,
                             struct mcp_buf *out)
{
    size_t i, count = keys->count > 0 ? keys->count : 1;
    enum mcp_err err = MCP_EINVAL;
    unsigned char *to;

    if (len < MIN_BYTES || raw[0] != VERSION)
        return MCP_EINVAL;
    to = (unsigned char *)mcp_buf_reserve(out, len - MIN_BYTES + 1);
    if (to == NULL)
        return MCP_ENOMEM;
    for (i = 0; i < count && err == MCP_EINVAL; i++)
        err = open_with(keys, i, g, raw, len, to);
    if (err == MCP_OK)
        out->len += len - MIN_BYTES;
    return err;
}

enum mcp_err mcp_seal_open(const struct mcp_seal_keys *keys, const void *bound,
                           size_t bound_len, const char *sealed, size_t len,
                           struct mcp_buf *out)
{
    struct gcm g = {.bound = bound, .bound_len = bound_len};
    enum mcp_err err;
    unsigned char *raw;
    size_t size;

    if (len > INT_MAX / 2 || bound_len > INT_MAX / 2)
        return MCP_EINVAL;
    raw = mcp_memory_new(1, len / 4 * 3 + 2);
    if (raw == NULL)
        return MCP_ENOMEM;
    err = mcp_base64_decode(MCP_BASE64_URL, sealed, len, raw, &size);
    if (err == MCP_OK)
        err = open_raw(keys, &g, raw, size, out);
    free(raw);
    return err;
}
