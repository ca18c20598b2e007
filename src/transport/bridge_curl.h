/*
 * bridge_curl.h - libcurl, loaded when the bridge is used
 *
 * A server never needs it, and loading it with its TLS library costs
 * milliseconds at each start.
 *
 * Layer:  transport; private to bridge*.c. Uses base/err; libcurl by dlopen().
 * Thread: load: one; the functions: as libcurl has them.
 */
#ifndef MCP_TRANSPORT_BRIDGE_CURL_H
#define MCP_TRANSPORT_BRIDGE_CURL_H

#include <curl/curl.h>
#include <stddef.h>

#include "base/err.h"

/* The functions of libcurl that are used, by their names there. */
struct mcp_curl {
    CURLcode (*global_init)(long flags);
    void (*global_cleanup)(void);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *easy);
    CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
    CURLcode (*easy_pause)(CURL *easy, int bitmask);
    const char *(*easy_strerror)(CURLcode code);
    struct curl_slist *(*slist_append)(struct curl_slist *list,
                                       const char *text);
    void (*slist_free_all)(struct curl_slist *list);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *multi);
    CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_perform)(CURLM *multi, int *running);
    CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd *extra,
                            unsigned count, int milliseconds, int *ready);
    CURLMsg *(*multi_info_read)(CURLM *multi, int *left);
};

/* Loads and initialises it; it stays until the process ends.
 * Errors, with a one-line `message`: MCP_EINTERNAL it is not there, is older
 * than 7.66, or does not start. */
enum mcp_err mcp_curl_load(struct mcp_curl *out, char *message,
                           size_t message_size) MCP_MUST_USE;

#endif
