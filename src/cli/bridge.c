/*
 * bridge.c - see bridge.h
 */
#include "cli/bridge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/config_value.h"

struct maker {
    const struct mcp_cli_bridge *from;
    struct mcp_arena *arena;
    struct mcp_bridge_options *out;
    char *message;
    size_t message_size;
};

// clang-format off
static const struct mcp_option timeout = {
    .name = "timeout", .type = MCP_OPTION_SECONDS, .min = 0.001, .max = 86400};
static const struct mcp_option silence = {
    .name = "sse_read_timeout", .type = MCP_OPTION_SECONDS, .min = 0,
    .max = 86400};
static const struct mcp_option message_bytes = {
    .name = "max_message_size", .type = MCP_OPTION_BYTES, .min = 1024,
    .max = 1024.0 * 1024 * 1024};
// clang-format on

static enum mcp_err refuse(struct maker *m, const char *fmt, ...)
    MCP_PRINTF(2, 3);

static enum mcp_err refuse(struct maker *m, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(m->message, m->message_size, fmt, args);
    va_end(args);
    return MCP_EINVAL;
}

/* ---- numbers ------------------------------------------------------------ */

/* Reads `text` (NULL: it is not set) as `o` has it. */
static enum mcp_err read_number(struct maker *m, const struct mcp_option *o,
                                const char *text,
                                struct mcp_option_value *value)
{
    char spelt[MCP_OPTION_MAX_NAME], problem[256];
    enum mcp_err rc;

    if (text == NULL)
        return MCP_OK;
    rc = mcp_option_parse(o, text, value, problem, sizeof(problem));
    if (rc != MCP_EINVAL)
        return rc;
    mcp_option_spell(o, MCP_FROM_FLAG, spelt);
    return refuse(m, "%s %s", spelt, problem);
}

static enum mcp_err make_numbers(struct maker *m)
{
    struct mcp_option_value value = {.seconds = 30};
    enum mcp_err rc = read_number(m, &timeout, m->from->timeout, &value);

    m->out->timeout_s = value.seconds;
    value.seconds = 300;
    if (rc == MCP_OK)
        rc = read_number(m, &silence, m->from->sse_read_timeout, &value);
    m->out->sse_read_timeout_s = value.seconds;
    value.count = 16 * 1024 * 1024;
    if (m->from->max_message_size != NULL &&
        strcmp(m->from->max_message_size, "-1") == 0) {
        m->out->max_message_bytes = SIZE_MAX / 256; /* no limit */
        return rc;
    }
    if (rc == MCP_OK)
        rc = read_number(m, &message_bytes, m->from->max_message_size, &value);
    m->out->max_message_bytes = (size_t)value.count;
    return rc;
}

/* ---- headers ------------------------------------------------------------ */

static bool is_token(const char *text, size_t len)
{
    static const char symbols[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        bool alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                     (c >= 'a' && c <= 'z');

        if (!alnum && (c == '\0' || strchr(symbols, c) == NULL))
            return false;
    }
    return len > 0;
}

/* Headers that the bridge makes from the messages. */
static bool is_own(const char *name, size_t len)
{
    static const char *const own[] = {
        "Accept",         "Content-Type",  "Content-Length",
        "Expect",         "Last-Event-ID", "Transfer-Encoding",
        "Mcp-Session-Id", "Mcp-Method",    "MCP-Protocol-Version",
        "Mcp-Name",       "Connection",
    };

    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (strlen(own[i]) == len && strncasecmp(name, own[i], len) == 0)
            return true;
    return len >= 10 && strncasecmp(name, "Mcp-Param-", 10) == 0;
}

static enum mcp_err check_name(struct maker *m, const char *option,
                               const char *name, size_t len)
{
    if (!is_token(name, len))
        return refuse(m, "--%s: \"%.*s\" is no header name", option,
                      len < 60 ? (int)len : 60, name);
    if (is_own(name, len))
        return refuse(m, "--%s: the bridge itself sets %.*s", option, (int)len,
                      name);
    return MCP_OK;
}

static bool is_value(const char *text)
{
    for (; *text != '\0'; text++)
        if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
            return false;
    return true;
}

/* "Name: value" as libcurl wants it: "Name;" when there is no value. */
static enum mcp_err make_header(struct maker *m, const char *text,
                                const char **out)
{
    const char *colon = strchr(text, ':'), *value;
    size_t len;
    enum mcp_err rc;

    if (colon == NULL)
        return refuse(m, "Headers must use 'Name: value' format.");
    len = (size_t)(colon - text);
    while (len > 0 && text[len - 1] == ' ')
        len--;
    if (len == 0)
        return refuse(m, "Header name cannot be empty.");
    rc = check_name(m, "header", text, len);
    if (rc != MCP_OK)
        return rc;
    value = colon + 1 + strspn(colon + 1, " \t");
    if (!is_value(value))
        return refuse(m, "--header: the value of %.*s has control characters",
                      (int)len, text);
    *out = mcp_arena_printf(m->arena, *value != '\0' ? "%.*s: %s" : "%.*s;",
                            (int)len, text, value);
    return *out != NULL ? MCP_OK : MCP_ENOMEM;
}

static enum mcp_err make_headers(struct maker *m, char *const *pairs,
                                 size_t count)
{
    const char **headers =
        mcp_arena_alloc(m->arena, (count + 1) * sizeof(*headers));
    enum mcp_err rc = headers != NULL ? MCP_OK : MCP_ENOMEM;

    for (size_t i = 0; rc == MCP_OK && i < count; i++)
        rc = make_header(m, pairs[i], &headers[i]);
    m->out->headers = headers;
    m->out->header_count = count;
    return rc;
}

/* ---- the token ---------------------------------------------------------- */

/* One word of `*text` to `to`, which has room for all of it; false: a quote is
 * not closed. */
static bool take_word(const char **text, char **to)
{
    char quote = '\0';

    for (; **text != '\0'; (*text)++) {
        char c = **text;

        if (quote == '\0' && strchr(" \t\r\n", c) != NULL)
            break;
        if (quote == '\0' && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == quote) {
            quote = '\0';
        } else if (c == '\\' && quote != '\'' &&
                   (quote == '\0' || strchr("\"\\", (*text)[1]) != NULL)) {
            if ((*text)[1] == '\0')
                return false;
            *(*to)++ = *++*text;
        } else {
            *(*to)++ = c;
        }
    }
    *(*to)++ = '\0';
    return quote == '\0';
}

enum mcp_err mcp_bridge_split(struct mcp_arena *a, const char *text,
                              char ***argv)
{
    size_t len = strlen(text), count = 0;
    char *to = mcp_arena_alloc(a, len + 1);
    char **words = mcp_arena_alloc(a, (len / 2 + 2) * sizeof(*words));

    if (to == NULL || words == NULL)
        return MCP_ENOMEM;
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text == '\0')
            break;
        words[count++] = to;
        if (!take_word(&text, &to))
            return MCP_EINVAL;
    }
    words[count] = NULL;
    *argv = words;
    return count > 0 ? MCP_OK : MCP_EINVAL;
}

static enum mcp_err make_token(struct maker *m)
{
    const struct mcp_cli_bridge *from = m->from;
    char **argv = NULL;
    enum mcp_err rc;

    m->out->bearer_env = from->bearer_env;
    m->out->header_name =
        from->header_name != NULL ? from->header_name : "Authorization";
    m->out->token_prefix =
        from->token_prefix != NULL ? from->token_prefix : "Bearer ";
    if (from->bearer_env != NULL && from->bearer_cmd != NULL)
        return refuse(m, "--bearer-env and --bearer-cmd exclude each other");
    if (!is_value(m->out->token_prefix))
        return refuse(m, "--token-prefix has control characters");
    rc = check_name(m, "header-name", m->out->header_name,
                    strlen(m->out->header_name));
    if (rc != MCP_OK || from->bearer_cmd == NULL)
        return rc;
    rc = mcp_bridge_split(m->arena, from->bearer_cmd, &argv);
    m->out->bearer_command = argv;
    return rc == MCP_EINVAL
               ? refuse(m, "--bearer-cmd is no command: \"%.100s\"",
                        from->bearer_cmd)
               : rc;
}

/* ---- the remote --------------------------------------------------------- */

static enum mcp_err check_url(struct maker *m, const char *url)
{
    size_t scheme = strncasecmp(url, "http://", 7) == 0    ? 7
                    : strncasecmp(url, "https://", 8) == 0 ? 8
                                                           : 0;

    if (scheme == 0 || url[scheme] == '\0' || url[scheme] == '/')
        return refuse(m,
                      "the URL must be like http://127.0.0.1:8000/mcp, not "
                      "\"%.100s\"",
                      url);
    for (const char *p = url; *p != '\0'; p++)
        if (*p <= ' ' || *p > '~')
            return refuse(m, "the URL has characters that must be encoded");
    m->out->url = url;
    return MCP_OK;
}

enum mcp_err mcp_bridge_options_make(const struct mcp_cli *cli,
                                     struct mcp_arena *a,
                                     struct mcp_bridge_options *out,
                                     char *message, size_t message_size)
{
    struct maker m = {&cli->bridge, a, out, message, message_size};
    const char *url = cli->bridge.url;
    enum mcp_err rc = MCP_OK;

    *out = (struct mcp_bridge_options){.ca_file = cli->bridge.ca_file};
    if ((url != NULL) == (cli->app != NULL))
        return refuse(&m, url != NULL ? "URL and --app exclude each other"
                                      : "which server? usage: mcpluad bridge "
                                        "[options] URL, or --app app.lua");
    if (url != NULL)
        rc = check_url(&m, url);
    if (rc == MCP_OK)
        rc = make_numbers(&m);
    if (rc == MCP_OK)
        rc = make_headers(&m, cli->pairs, cli->pair_count);
    if (rc == MCP_OK)
        rc = make_token(&m);
    if (rc == MCP_OK && out->ca_file != NULL && access(out->ca_file, R_OK) != 0)
        return refuse(&m, "--ca-file: %.200s cannot be read", out->ca_file);
    return rc;
}

enum mcp_err mcp_bridge_url_of(const struct mcp_config *config,
                               struct mcp_arena *a, const char **url,
                               char *message, size_t message_size)
{
    const char *host = config->host;
    bool is_ipv6;

    if (config->port == 0) {
        (void)snprintf(message, message_size,
                       "the app has port 0, which is chosen when it starts; "
                       "give its URL to the bridge, or --port");
        return MCP_EINVAL;
    }
    if (strcmp(host, "0.0.0.0") == 0)
        host = "127.0.0.1";
    if (strcmp(host, "::") == 0 || strcmp(host, "[::]") == 0)
        host = "::1";
    is_ipv6 = strchr(host, ':') != NULL && host[0] != '[';
    *url = mcp_arena_printf(a, "http://%s%s%s:%" PRId64 "%s",
                            is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "",
                            config->port, config->base_path);
    return *url != NULL ? MCP_OK : MCP_ENOMEM;
}
