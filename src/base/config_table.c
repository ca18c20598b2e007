/*
 * config_table.c - every option, in the order of --help
 */
#include "base/config_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

static const char *const log_levels[] = {"debug", "info", "warning",
                                         "error", "off",  NULL};
static const char *const log_formats[] = {"text", "json", NULL};
static const char *const cache_scopes[] = {"private", "public", NULL};
static const char *const isolations[] = {"request", "worker", NULL};
static const char *const session_modes[] = {"optional", "required", NULL};
static const char *const argument_modes[] = {"forbid", "allow", NULL};

static const char *check_text(const char *text)
{
    if (*text == '\0')
        return "must not be empty";
    if (!mcp_utf8_valid(text, strlen(text), NULL))
        return "must be UTF-8";
    return NULL;
}

static const char *check_host(const char *text)
{
    if (*text == '\0' || text[strspn(text, "0123456789abcdefghijklmnopqrstuvw"
                                           "xyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_:["
                                           "]%")] != '\0')
        return "must be an address or a host name";
    return NULL;
}

static const char *check_key(const char *text)
{
    return strlen(text) < 16 ? "must be a secret of 16 characters or more"
                             : NULL;
}

static const char *check_base_path(const char *text)
{
    size_t len = strlen(text);

    if (text[0] != '/' || len < 2 || text[len - 1] == '/' ||
        strstr(text, "//") != NULL ||
        text[strspn(text, "/0123456789abcdefghijklmnopqrstuvwxyz"
                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ._~-")] != '\0')
        return "must be a path like /mcp";
    return NULL;
}

static const char *check_url(const char *text)
{
    const char *host = NULL;

    if (strncmp(text, "http://", 7) == 0)
        host = text + 7;
    else if (strncmp(text, "https://", 8) == 0)
        host = text + 8;
    if (host == NULL || *host == '\0' || *host == '/' ||
        strpbrk(text, " \t\r\n\"<>\\?#@") != NULL)
        return "must be a URL like https://example.com/mcp";
    return NULL;
}

static const char *check_origin(const char *text)
{
    const char *host = strstr(text, "://");

    if (host == NULL || host == text || host[3] == '\0' ||
        strpbrk(host + 3, "/ \t\r\n\"<>\\?#@") != NULL)
        return "must be an origin like https://example.com";
    return NULL;
}

static const char *check_icons(const char *text)
{
    struct mcp_arena *a = mcp_arena_new((size_t)64 << 20);
    const struct mcp_json *v;
    bool right;

    right = a != NULL &&
            mcp_json_parse(a, text, strlen(text), NULL, &v, NULL) == MCP_OK &&
            v->type == MCP_JSON_ARRAY;
    mcp_arena_free(a);
    return right ? NULL : "must be a list";
}

static const char *check_store(const char *text)
{
    if (strcmp(text, "memory:") == 0 ||
        (strncmp(text, "sqlite:", 7) == 0 && text[7] != '\0'))
        return NULL;
    return "must be memory: or sqlite:PATH";
}

#define AT(field)   .offset = offsetof(struct mcp_config, field)
#define LISTEN      .group = "Where it listens"
#define LUA         .group = "How Lua runs"
#define WIRE        .group = "Limits of the wire"
#define LISTS       .group = "Lists and sessions"
#define TOOLS       .group = "Tools"
#define TASKS       .group = "Tasks"
#define LOG         .group = "Log"
#define WHO         .group = "Who the server is"
#define TEXT        .type = MCP_OPTION_TEXT
#define LIST        .type = MCP_OPTION_LIST
#define BOOL        .type = MCP_OPTION_BOOL
#define COUNT(a, b) .type = MCP_OPTION_COUNT, .min = (a), .max = (b)
#define BYTES(a, b) .type = MCP_OPTION_BYTES, .min = (a), .max = (b)
#define SECS(a, b)  .type = MCP_OPTION_SECONDS, .min = (a), .max = (b)
#define WORD(w)     .type = MCP_OPTION_WORD, .words = (w)
#define SWITCH(w)   .type = MCP_OPTION_SWITCH, .words = (w)
#define KIB         1024.0
#define MIB         (1024.0 * KIB)
#define GIB         (1024.0 * MIB)
#define DAY         86400.0
#define YEAR_MS     (365 * DAY * 1000)

// clang-format off
static const struct mcp_option options[] = {
    {LISTEN, .name = "stdio", BOOL, AT(stdio), .by = MCP_BY_PROCESS,
     .initial = "false",
     .help = "Speak over stdin and stdout instead of HTTP"},
    {LISTEN, .name = "host", TEXT, AT(host), .by = MCP_BY_ALL,
     .initial = "127.0.0.1", .check = check_host, .value = "ADDRESS",
     .help = "Address to listen on. Beyond loopback only with allowed_hosts "
             "or public_url"},
    {LISTEN, .name = "port", COUNT(0, 65535), AT(port), .by = MCP_BY_ALL,
     .initial = "8000", .value = "PORT",
     .help = "TCP port; 0 takes any free one"},
    {LISTEN, .name = "base_path", TEXT, AT(base_path), .by = MCP_BY_ALL,
     .initial = "/mcp", .check = check_base_path, .value = "PATH",
     .help = "Path of the endpoint"},
    {LISTEN, .name = "public_url", TEXT, AT(public_url), .by = MCP_BY_ALL,
     .check = check_url, .value = "URL",
     .help = "The endpoint as clients see it, behind a proxy; its host and "
             "origin are allowed"},
    {LISTEN, .name = "allowed_hosts", LIST, AT(allowed_hosts),
     .by = MCP_BY_ALL, .check = check_host, .value = "HOST,...",
     .help = "Host names that requests may carry besides localhost, "
             "127.0.0.1 and [::1]"},
    {LISTEN, .name = "allowed_origins", LIST, AT(allowed_origins),
     .by = MCP_BY_ALL, .check = check_origin, .value = "URL,...",
     .help = "Web pages that may call besides those of localhost"},

    {LUA, .name = "dev", BOOL, AT(dev), .by = MCP_BY_PROCESS,
     .initial = "false",
     .help = "Reload the app when one of its files changes, and tell clients "
             "where a script failed"},
    {LUA, .name = "isolation", WORD(isolations), AT(isolation),
     .by = MCP_BY_ALL, .initial = "request",
     .help = "Whether each call starts from the app as it was loaded, or in a "
             "state that a worker keeps"},
    {LUA, .name = "jit", BOOL, AT(jit), .by = MCP_BY_ALL,
     .initial = "false",
     .help = "Compile Lua code, with isolation = worker only: faster, but an "
             "endless loop cannot be stopped and memory_limit does not hold"},
    {LUA, .name = "call_timeout", SECS(0.001, DAY), AT(call_timeout),
     .by = MCP_BY_ALL, .initial = "30",
     .help = "A call that runs longer is stopped"},
    {LUA, .name = "load_timeout", SECS(0.001, DAY), AT(load_timeout),
     .by = MCP_BY_ALL, .initial = "10",
     .help = "An app that loads longer is refused"},
    {LUA, .name = "memory_limit", BYTES(MIB, 64 * GIB), AT(memory_limit),
     .by = MCP_BY_ALL, .initial = "64 MiB",
     .help = "Memory of one Lua state"},
    {LUA, .name = "worker_stack", BYTES(MIB, GIB), AT(worker_stack),
     .by = MCP_BY_ALL, .initial = "1 MiB",
     .help = "C stack of a worker: how deep handlers may recurse through C "
             "functions"},
    {LUA, .name = "max_workers", COUNT(0, 1024), AT(max_workers),
     .by = MCP_BY_ALL, .initial = "0",
     .help = "Calls that run at once; 0 is four per core, at least 8"},
    {LUA, .name = "queue", COUNT(1, 1000000), AT(queue), .by = MCP_BY_ALL,
     .initial = "1024",
     .help = "Calls that wait for a worker; more are refused as busy"},
    {LUA, .name = "max_waiting", COUNT(0, 1000000), AT(max_waiting),
     .by = MCP_BY_ALL, .initial = "1000",
     .help = "Calls of the 2025 revisions that wait for an answer of their "
             "client; one more cannot ask"},
    {LUA, .name = "waiting_timeout", SECS(0.001, DAY), AT(waiting_timeout),
     .by = MCP_BY_ALL, .initial = "600",
     .help = "How long they wait"},

    {WIRE, .name = "max_body", BYTES(KIB, GIB), AT(max_body),
     .by = MCP_BY_ALL, .initial = "4 MiB",
     .help = "Size of one message from a client"},
    {WIRE, .name = "max_json_depth", COUNT(8, MCP_JSON_MAX_DEPTH),
     AT(max_json_depth), .by = MCP_BY_ALL, .initial = "64",
     .help = "Arrays and objects inside one another in a message"},
    {WIRE, .name = "max_blob_bytes", BYTES(1, GIB), AT(max_blob_bytes),
     .by = MCP_BY_ALL, .initial = "25 MiB",
     .help = "Bytes of one image, sound or blob in an answer"},
    {WIRE, .name = "max_connections", COUNT(1, 1000000),
     AT(max_connections), .by = MCP_BY_ALL, .initial = "12000",
     .help = "Open connections"},
    {WIRE, .name = "connection_memory", BYTES(8 * KIB, MIB),
     AT(connection_memory), .by = MCP_BY_ALL, .initial = "16 KiB",
     .help = "Memory of one connection: the heads of a request and of its "
             "answer"},
    {WIRE, .name = "max_streams", COUNT(0, 1000000), AT(max_streams),
     .by = MCP_BY_ALL, .initial = "10000",
     .help = "Open event streams"},
    {WIRE, .name = "keepalive", SECS(0.1, DAY), AT(keepalive),
     .by = MCP_BY_ALL, .initial = "15",
     .help = "Time between comments on a silent event stream"},
    {WIRE, .name = "sse_after", SECS(0, DAY), AT(sse_after),
     .by = MCP_BY_ALL, .initial = "5",
     .help = "A call that runs longer is answered as an event stream"},
    {WIRE, .name = "sse_poll_after", SECS(0, DAY), AT(sse_poll_after),
     .by = MCP_BY_ALL, .initial = "0",
     .help = "A stream open for so long is closed, and its client told to "
             "come back for the rest; 0 is never"},

    {LISTS, .name = "list_page_size", COUNT(1, 100000),
     AT(list_page_size), .by = MCP_BY_ALL, .initial = "100",
     .help = "Items on one page of a list"},
    {LISTS, .name = "cache_ttl_ms", COUNT(0, 2147483647),
     AT(cache_ttl_ms), .by = MCP_BY_ALL, .initial = "0",
     .help = "How long clients may keep a list, in milliseconds"},
    {LISTS, .name = "cache_scope", WORD(cache_scopes), AT(cache_scope),
     .by = MCP_BY_ALL, .initial = "private",
     .help = "Whether a kept list may be shared between users"},
    {LISTS, .name = "sessions", WORD(session_modes), AT(sessions),
     .by = MCP_BY_ALL, .initial = "optional",
     .help = "Whether clients of the 2025 revisions need a session"},
    {LISTS, .name = "session_idle", SECS(1, 365 * DAY), AT(session_idle),
     .by = MCP_BY_ALL, .initial = "1800",
     .help = "A session unused for so long ends"},
    {LISTS, .name = "max_sessions", COUNT(1, 1000000), AT(max_sessions),
     .by = MCP_BY_ALL, .initial = "10000",
     .help = "Open sessions; one more ends the least recently used"},

    {TOOLS, .name = "extra_arguments", SWITCH(argument_modes),
     AT(extra_arguments), .by = MCP_BY_ALL, .initial = "forbid",
     .help = "Whether tools accept arguments that they did not declare"},
    {TOOLS, .name = "assert_format", BOOL, AT(assert_format),
     .by = MCP_BY_ALL, .initial = "false",
     .help = "Refuse arguments that break the schema's format keyword"},
    {TOOLS, .name = "infer_http_method_annotations", BOOL,
     AT(infer_http_method_annotations), .by = MCP_BY_ALL, .initial = "true",
     .help = "Whether tools that are routes have the hints that their HTTP "
             "method implies"},
    {TOOLS, .name = "expose_errors", BOOL, AT(expose_errors),
     .by = MCP_BY_ALL, .initial = "true",
     .help = "Tell clients the text of a script's errors"},
    {TOOLS, .name = "request_state_keys", LIST, AT(request_state_keys),
     .by = MCP_BY_ALL, .check = check_key, .value = "KEY,...",
     .help = "Secrets that protect requestState, the same on every server of a "
             "cluster: the first seals, all open. Not set: one at random for "
             "each process"},
    {TOOLS, .name = "request_state_ttl", SECS(1, 365 * DAY),
     AT(request_state_ttl), .by = MCP_BY_ALL, .initial = "600",
     .help = "A requestState that is older is refused"},

    {TASKS, .name = "task_store", TEXT, AT(task_store), .by = MCP_BY_ALL,
     .check = check_store, .value = "URL",
     .help = "Where tasks are kept: memory: or sqlite:PATH. Not set: an SQLite "
             "file of the app's own in the state folder"},
    {TASKS, .name = "task_ttl_ms", COUNT(1, YEAR_MS), AT(task_ttl_ms),
     .by = MCP_BY_ALL, .initial = "3600000",
     .help = "How long a task is kept, from its start and again from its end, "
             "in milliseconds"},
    {TASKS, .name = "task_max_ttl_ms", COUNT(1, YEAR_MS),
     AT(task_max_ttl_ms), .by = MCP_BY_ALL, .initial = "86400000",
     .help = "How long a task is kept at most, in milliseconds; one that still "
             "runs then has failed"},
    {TASKS, .name = "task_poll_interval_ms", COUNT(1, YEAR_MS),
     AT(task_poll_interval_ms), .by = MCP_BY_ALL, .initial = "1000",
     .help = "How often clients should ask for a task, in milliseconds"},
    {TASKS, .name = "task_timeout", SECS(0.001, 365 * DAY), AT(task_timeout),
     .by = MCP_BY_ALL, .initial = "3600",
     .help = "A task that runs longer is stopped, unless its tool has a "
             "timeout"},
    {TASKS, .name = "task_max_running", COUNT(0, 1024), AT(task_max_running),
     .by = MCP_BY_ALL, .initial = "0",
     .help = "Tasks that run at once, those that sleep or wait for input not "
             "counted; 0 is half of max_workers"},
    {TASKS, .name = "task_max_running_per_tool", COUNT(0, 1024),
     AT(task_max_running_per_tool), .by = MCP_BY_ALL, .initial = "0",
     .help = "The same for the tasks of one tool; 0 is no limit of its own"},
    {TASKS, .name = "task_max_running_per_principal", COUNT(0, 1024),
     AT(task_max_running_per_principal), .by = MCP_BY_ALL, .initial = "0",
     .help = "The same for the tasks of one caller; 0 is no limit of its own"},
    {TASKS, .name = "task_max_stored", COUNT(1, 10000000),
     AT(task_max_stored), .by = MCP_BY_ALL, .initial = "100000",
     .help = "Tasks that are kept, finished ones included; more are refused"},
    {TASKS, .name = "task_cancel_grace", SECS(0, DAY), AT(task_cancel_grace),
     .by = MCP_BY_ALL, .initial = "0",
     .help = "How long a cancelled task may go on before it is stopped"},

    {LOG, .name = "log_level", WORD(log_levels), AT(log_level),
     .by = MCP_BY_ALL, .initial = "info",
     .help = "The least important lines to write"},
    {LOG, .name = "log_messages", BOOL, AT(log_messages), .by = MCP_BY_ALL,
     .initial = "false",
     .help = "Write each request and answer, at level info, up to 64 KiB of "
             "it; they may hold secrets"},
    {LOG, .name = "log_format", SWITCH(log_formats), AT(log_json),
     .by = MCP_BY_ALL, .initial = "text",
     .help = "Lines for people or for programs"},

    {WHO, .name = "name", TEXT, AT(name), .by = MCP_BY_APP,
     .check = check_text, .help = "Name of the server, else mcpluad"},
    {WHO, .name = "version", TEXT, AT(version), .by = MCP_BY_APP,
     .check = check_text, .help = "Version of the server, else that of mcpluad"},
    {WHO, .name = "title", TEXT, AT(title), .by = MCP_BY_APP,
     .check = check_text, .help = "Name for people"},
    {WHO, .name = "instructions", TEXT, AT(instructions), .by = MCP_BY_APP,
     .check = check_text, .help = "How a model should use the server"},
    {WHO, .name = "website_url", TEXT, AT(website_url), .by = MCP_BY_APP,
     .check = check_url, .help = "Page about the server"},
    {WHO, .name = "icons", TEXT, AT(icons), .by = MCP_BY_APP,
     .check = check_icons, .help = "List of icons"},
};
// clang-format on

const struct mcp_option *mcp_config_options(size_t *count)
{
    *count = sizeof(options) / sizeof(options[0]);
    return options;
}

static bool same_name(const char *name, const char *asked, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++)
        if (name[i] == '\0' || name[i] != (asked[i] == '-' ? '_' : asked[i]))
            return false;
    return name[len] == '\0';
}

const struct mcp_option *mcp_config_find(const char *name, size_t len)
{
    size_t count, i;
    const struct mcp_option *rows = mcp_config_options(&count);

    for (i = 0; i < count; i++)
        if (same_name(rows[i].name, name, len))
            return &rows[i];
    return NULL;
}

void mcp_option_spell(const struct mcp_option *o, enum mcp_config_source source,
                      char spelt[MCP_OPTION_MAX_NAME])
{
    const char *prefix = source == MCP_FROM_FLAG  ? "--"
                         : source == MCP_FROM_ENV ? "MCPLUAD_"
                                                  : "";
    char *p;

    (void)snprintf(spelt, MCP_OPTION_MAX_NAME, "%s%s", prefix, o->name);
    for (p = spelt + strlen(prefix); *p != '\0'; p++) {
        if (source == MCP_FROM_FLAG && *p == '_')
            *p = '-';
        else if (source == MCP_FROM_ENV)
            *p = (char)toupper((unsigned char)*p);
    }
}

void mcp_option_write_bytes(char *text, size_t size, double bytes)
{
    static const char *const units[] = {"", " KiB", " MiB", " GiB"};
    unsigned long long n = (unsigned long long)bytes;
    size_t u = 0;

    while (u < 3 && n > 0 && n % 1024 == 0) {
        n /= 1024;
        u++;
    }
    (void)snprintf(text, size, "%llu%s", n, units[u]);
}

static void describe_words(const struct mcp_option *o, char *text, size_t size)
{
    size_t i, at = 0;

    text[0] = '\0';
    for (i = 0; o->words[i] != NULL && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s",
                               i == 0                    ? ""
                               : o->words[i + 1] == NULL ? " or "
                                                         : ", ",
                               o->words[i]);
}

void mcp_option_describe(const struct mcp_option *o, char *text, size_t size)
{
    char min[32], max[32];

    switch (o->type) {
    case MCP_OPTION_BOOL:
        (void)snprintf(text, size, "true or false");
        break;
    case MCP_OPTION_COUNT:
        (void)snprintf(text, size, "a whole number from %.0f to %.0f", o->min,
                       o->max);
        break;
    case MCP_OPTION_BYTES:
        mcp_option_write_bytes(min, sizeof(min), o->min);
        mcp_option_write_bytes(max, sizeof(max), o->max);
        (void)snprintf(text, size, "a size from %s to %s", min, max);
        break;
    case MCP_OPTION_SECONDS:
        (void)snprintf(text, size, "a number of seconds from %g to %.0f",
                       o->min, o->max);
        break;
    case MCP_OPTION_WORD:
    case MCP_OPTION_SWITCH:
        describe_words(o, text, size);
        break;
    case MCP_OPTION_TEXT:
    case MCP_OPTION_LIST:
        (void)snprintf(text, size, "text");
        break;
    }
}
