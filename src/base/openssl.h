/*
 * openssl.h - OpenSSL's libcrypto, loaded on first use
 *
 * Few servers seal or hash anything before their first answer, and loading
 * and relocating the library costs two milliseconds of each start.
 *
 * Layer:  base. Uses nothing; libcrypto by dlopen().
 * Thread: any.
 */
#ifndef MCP_BASE_OPENSSL_H
#define MCP_BASE_OPENSSL_H

#include <openssl/evp.h>

/* The functions of libcrypto that are used, by their names there. */
struct mcp_openssl {
    __typeof__(EVP_CIPHER_CTX_new) *EVP_CIPHER_CTX_new;
    __typeof__(EVP_CIPHER_CTX_free) *EVP_CIPHER_CTX_free;
    __typeof__(EVP_CIPHER_CTX_ctrl) *EVP_CIPHER_CTX_ctrl;
    __typeof__(EVP_CipherInit_ex) *EVP_CipherInit_ex;
    __typeof__(EVP_CipherUpdate) *EVP_CipherUpdate;
    __typeof__(EVP_CipherFinal_ex) *EVP_CipherFinal_ex;
    __typeof__(EVP_aes_256_gcm) *EVP_aes_256_gcm;
    __typeof__(EVP_Digest) *EVP_Digest;
    __typeof__(EVP_sha256) *EVP_sha256;
};

/* It stays until the process ends. NULL, told once in the log: the library is
 * not there. */
const struct mcp_openssl *mcp_openssl(void);

#endif
