/*
 * bridge_curl.c - dlopen() and a table of names
 */
#include "transport/bridge_curl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define ENTRY(name)                                                            \
    {                                                                          \
        "curl_" #name, offsetof(struct mcp_curl, name)                         \
    }

static const struct {
    const char *name;
    size_t offset;
} entries[] = {
    ENTRY(global_init),      ENTRY(global_cleanup),      ENTRY(easy_init),
    ENTRY(easy_cleanup),     ENTRY(easy_setopt),         ENTRY(easy_getinfo),
    ENTRY(easy_pause),       ENTRY(easy_strerror),       ENTRY(slist_append),
    ENTRY(slist_free_all),   ENTRY(multi_init),          ENTRY(multi_cleanup),
    ENTRY(multi_add_handle), ENTRY(multi_remove_handle), ENTRY(multi_perform),
    ENTRY(multi_poll),       ENTRY(multi_info_read),
};

/* Debian has the second one for those who want no OpenSSL. */
static const char *const libraries[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

static void *open_library(char *message, size_t message_size)
{
    const char *why;
    void *library = NULL;

    for (size_t i = 0; i < 2 && library == NULL; i++) {
        library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL || i > 0)
            continue;
        why = dlerror();
        (void)snprintf(message, message_size,
                       "the bridge needs libcurl (package libcurl4): %s",
                       why != NULL ? why : "not found");
    }
    return library;
}

enum mcp_err mcp_curl_load(struct mcp_curl *out, char *message,
                           size_t message_size)
{
    void *library = open_library(message, message_size);
    struct mcp_curl curl;

    if (library == NULL)
        return MCP_EINTERNAL;
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        void *function = dlsym(library, entries[i].name);

        if (function == NULL) {
            (void)snprintf(message, message_size,
                           "the bridge needs libcurl 7.66 or newer: this one "
                           "has no %s()",
                           entries[i].name);
            return MCP_EINTERNAL;
        }
        memcpy((char *)&curl + entries[i].offset, &function, sizeof(function));
    }
    if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        (void)snprintf(message, message_size, "libcurl does not start");
        return MCP_EINTERNAL;
    }
    *out = curl;
    return MCP_OK;
}
