/*
 * openssl.c - dlopen() and a table of names
 */
#include "base/openssl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"

#define TEXT(x) #x
/* By the major version that the headers are of. */
#define LIBRARY(version) "libcrypto.so." TEXT(version)
#define ENTRY(name)                                                            \
    {                                                                          \
#name, offsetof(struct mcp_openssl, name)                              \
    }

static const struct {
    const char *name;
    size_t offset;
} entries[] = {
    ENTRY(EVP_CIPHER_CTX_new),  ENTRY(EVP_CIPHER_CTX_free),
    ENTRY(EVP_CIPHER_CTX_ctrl), ENTRY(EVP_CipherInit_ex),
    ENTRY(EVP_CipherUpdate),    ENTRY(EVP_CipherFinal_ex),
    ENTRY(EVP_aes_256_gcm),     ENTRY(EVP_Digest),
    ENTRY(EVP_sha256),
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct mcp_openssl openssl;
static bool loaded;

static void load(void)
{
    void *library =
        dlopen(LIBRARY(OPENSSL_SHLIB_VERSION), RTLD_NOW | RTLD_LOCAL);

    loaded = library != NULL;
    for (size_t i = 0; loaded && i < sizeof(entries) / sizeof(entries[0]);
         i++) {
        void *function = dlsym(library, entries[i].name);

        memcpy((char *)&openssl + entries[i].offset, &function,
               sizeof(function));
        loaded = function != NULL;
    }
    if (!loaded)
        mcp_log(MCP_LOG_ERROR, "base",
                "questions, skills and stored tasks need OpenSSL: %s",
                dlerror());
}

const struct mcp_openssl *mcp_openssl(void)
{
    (void)pthread_once(&once, load);
    return loaded ? &openssl : NULL;
}
