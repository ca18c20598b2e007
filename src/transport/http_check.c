/*
 * http_check.c - Host, Origin, Content-Type, Accept
 */
#include "transport/http_check.h"

#include <string.h>
#include <strings.h>

/* ---- hosts -------------------------------------------------------------- */

/* A port of 1 to 5 digits up to 65535, or -1. */
static int parse_port(const char *p, size_t len)
{
    int port = 0;
    size_t i;

    if (len == 0 || len > 5)
        return -1;
    for (i = 0; i < len; i++) {
        if (p[i] < '0' || p[i] > '9')
            return -1;
        port = port * 10 + (p[i] - '0');
    }
    return port <= 65535 ? port : -1;
}

static bool is_host_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

/* Length of the name at the start of text, brackets included; 0: malformed. */
static size_t name_length(const char *text, size_t len)
{
    size_t i = 0;

    if (len > 0 && text[0] == '[') {
        const char *end = memchr(text, ']', len);

        return end != NULL && end - text > 1 ? (size_t)(end - text) + 1 : 0;
    }
    while (i < len && is_host_byte(text[i]))
        i++;
    return i;
}

bool mcp_http_parse_host(const char *text, size_t len,
                         struct mcp_http_host *out)
{
    size_t n = name_length(text, len);
    int port = -1;

    if (n == 0)
        return false;
    if (n < len) {
        if (text[n] != ':')
            return false;
        port = parse_port(text + n + 1, len - n - 1);
        if (port < 0)
            return false;
    }
    out->name = text;
    out->name_len = n;
    out->port = port;
    return true;
}

static bool is_named(const struct mcp_http_host *host, const char *name)
{
    return host->name_len == strlen(name) &&
           strncasecmp(host->name, name, host->name_len) == 0;
}

bool mcp_http_is_loopback(const struct mcp_http_host *host)
{
    return is_named(host, "localhost") || is_named(host, "127.0.0.1") ||
           is_named(host, "[::1]");
}

static bool same_name(const struct mcp_http_host *a,
                      const struct mcp_http_host *b)
{
    return a->name_len == b->name_len &&
           strncasecmp(a->name, b->name, a->name_len) == 0;
}

/* Length of "http://" or "https://" at the start of `url`, or 0. */
static size_t scheme_length(const char *url)
{
    if (strncasecmp(url, "http://", 7) == 0)
        return 7;
    return strncasecmp(url, "https://", 8) == 0 ? 8 : 0;
}

static bool is_public_host(const struct mcp_config *config,
                           const struct mcp_http_host *host)
{
    struct mcp_http_host ours;
    const char *start;
    size_t scheme;

    if (config->public_url == NULL)
        return false;
    scheme = scheme_length(config->public_url);
    start = config->public_url + scheme;
    return scheme > 0 &&
           mcp_http_parse_host(start, strcspn(start, "/?#"), &ours) &&
           same_name(host, &ours);
}

static bool is_known_host(const struct mcp_config *config,
                          const struct mcp_http_host *host)
{
    size_t i;

    if (mcp_http_is_loopback(host) || is_public_host(config, host))
        return true;
    for (i = 0; i < config->allowed_hosts.count; i++) {
        const char *item = config->allowed_hosts.items[i];
        struct mcp_http_host allowed;

        if (mcp_http_parse_host(item, strlen(item), &allowed) &&
            same_name(host, &allowed) &&
            (allowed.port < 0 || allowed.port == host->port))
            return true;
    }
    return false;
}

bool mcp_http_host_allowed(const struct mcp_config *config, const char *value)
{
    struct mcp_http_host host;

    return mcp_http_parse_host(value, strlen(value), &host) &&
           is_known_host(config, &host);
}

bool mcp_http_origin_allowed(const struct mcp_config *config, const char *value)
{
    struct mcp_http_host host;
    size_t scheme = scheme_length(value), i;

    for (i = 0; i < config->allowed_origins.count; i++)
        if (strcasecmp(config->allowed_origins.items[i], value) == 0)
            return true;
    return scheme > 0 &&
           mcp_http_parse_host(value + scheme, strlen(value + scheme), &host) &&
           is_known_host(config, &host);
}

/* ---- media types -------------------------------------------------------- */

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t");
}

/* Bytes of text[0..len) before `c`. Not strcspn(), which would look at the rest
 * of a long header for each of its many parts. */
static size_t before(const char *text, size_t len, char c)
{
    const char *at = memchr(text, c, len);

    return at != NULL ? (size_t)(at - text) : len;
}

/* Is text[0..len), spaces around it aside, the word `word`? */
static bool is_word(const char *text, size_t len, const char *word)
{
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
        len--;
    return len == strlen(word) && strncasecmp(text, word, len) == 0;
}

bool mcp_http_is_json(const char *content_type)
{
    const char *p = skip_space(content_type);

    return is_word(p, strcspn(p, ";"), "application/json");
}

/* Does q=VALUE, if there is one among the parameters, say "not at all"? */
static bool is_refused(const char *params, size_t len)
{
    const char *end = params + len;

    while (params < end) {
        const char *p = skip_space(params + (*params == ';'));
        size_t n = p < end ? before(p, (size_t)(end - p), ';') : 0;

        if (n >= 3 && (p[0] == 'q' || p[0] == 'Q') && p[1] == '=')
            return p[2] == '0' && strspn(p + 2, "0. \t") >= n - 2;
        params = p + n + (n == 0);
    }
    return false;
}

/* How specifically text[0..len) covers application/json (0) or
 * text/event-stream (1): 3 exactly, 2 its family, 1 anything, 0 not. */
static int match_rank(int which, const char *text, size_t len)
{
    static const char *const exact[] = {"application/json",
                                        "text/event-stream"};
    static const char *const family[] = {"application/*", "text/*"};

    if (is_word(text, len, exact[which]))
        return 3;
    if (is_word(text, len, family[which]))
        return 2;
    return is_word(text, len, "*/*") ? 1 : 0;
}

static void add_range(struct mcp_http_accept *a, const char *p, size_t len)
{
    size_t type_len = before(p, len, ';');
    bool refused;
    int which;

    refused = is_refused(p + type_len, len - type_len);
    a->html = a->html || is_word(p, type_len, "text/html");
    for (which = 0; which < 2; which++) {
        int rank = match_rank(which, p, type_len);

        if (rank > 0 && rank >= a->rank[which]) {
            a->taken[which] =
                !refused || (rank == a->rank[which] && a->taken[which]);
            a->rank[which] = rank;
        }
    }
}

void mcp_http_accept_add(struct mcp_http_accept *a, const char *value)
{
    const char *p = value;

    for (;;) {
        size_t len;

        p = skip_space(p);
        len = strcspn(p, ",");
        if (len > 0) {
            a->seen = true;
            add_range(a, p, len);
        }
        if (p[len] == '\0')
            return;
        p += len + 1;
    }
}

bool mcp_http_accepts_json(const struct mcp_http_accept *a)
{
    return !a->seen || a->taken[0];
}

bool mcp_http_accepts_sse(const struct mcp_http_accept *a)
{
    return !a->seen || a->taken[1];
}
