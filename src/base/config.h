/*
 * config.h - every option of the server in one table
 *
 * An option has one name with underscores (`call_timeout`). The flag is
 * `--call-timeout`, the variable `MCPLUAD_CALL_TIMEOUT`, the field of
 * mcp.server{} `call_timeout`. Precedence: flag > variable > field > default:
 * a value is kept unless one of the same or of a higher source comes. The
 * table (config_table.h: name, type, bounds, default, help) also prints --help
 * and the docs.
 *
 * A config is filled by one thread and constant afterwards. The process has a
 * base config (flags, variables); each load of the app copies it, adds the
 * fields of mcp.server{}, and keeps the copy in its generation.
 *
 * Layer:  base. Uses base/err, base/json, base/suggest.
 * Thread: filling: one; reading: any.
 */
#ifndef MCP_BASE_CONFIG_H
#define MCP_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum mcp_config_source {
    MCP_FROM_DEFAULT,
    MCP_FROM_APP,
    MCP_FROM_ENV,
    MCP_FROM_FLAG,
};

enum mcp_isolation { MCP_ISOLATION_REQUEST, MCP_ISOLATION_WORKER };
enum mcp_sessions { MCP_SESSIONS_OPTIONAL, MCP_SESSIONS_REQUIRED };
enum mcp_cache_scope { MCP_CACHE_PRIVATE, MCP_CACHE_PUBLIC };

/* A list of strings, all OWNED by the config. */
struct mcp_config_list {
    char **items;
    size_t count;
};

/* Durations are seconds, fractions allowed. Strings may be NULL: not set. */
struct mcp_config {
    /* who we are */
    char *name, *version, *title, *instructions, *website_url;
    char *icons; /* JSON text of an array */

    /* where we listen */
    char *host;       /* "127.0.0.1"                    */
    int64_t port;     /* 8000; 0 = any free             */
    char *base_path;  /* "/mcp"                         */
    char *public_url; /* as clients see us              */
    struct mcp_config_list allowed_hosts, allowed_origins;
    bool stdio;

    /* how Lua runs */
    int64_t isolation;      /* enum mcp_isolation            */
    bool jit;               /* only with isolation = worker  */
    bool dev;               /* reload when a file changes    */
    double call_timeout;    /* 30                            */
    double load_timeout;    /* 10                            */
    int64_t memory_limit;   /* bytes of one Lua state, 64 Mi */
    int64_t worker_stack;   /* bytes of C stack, 1 Mi       */
    int64_t max_workers;    /* 0 = 4 x cores, at least 8     */
    int64_t queue;          /* 1024 waiting calls            */
    int64_t max_waiting;    /* 1000 calls that ask clients   */
    double waiting_timeout; /* 600, of one of them         */

    /* limits of the wire */
    int64_t max_body;          /* bytes, 4 Mi                 */
    int64_t max_json_depth;    /* 64                          */
    int64_t max_blob_bytes;    /* 25 Mi                       */
    int64_t max_connections;   /* 12000                       */
    int64_t connection_memory; /* bytes of heads, 16 Ki */
    int64_t max_streams;       /* 10000                       */
    double keepalive;          /* 15, comments on SSE streams */
    double sse_after;          /* 5                           */
    double sse_poll_after;     /* 0: never                    */

    /* lists and sessions */
    int64_t list_page_size; /* 100                          */
    int64_t cache_ttl_ms;   /* 0                            */
    int64_t cache_scope;    /* enum mcp_cache_scope         */
    int64_t sessions;       /* enum mcp_sessions            */
    double session_idle;    /* 1800                         */
    int64_t max_sessions;   /* 10000                        */

    /* tools */
    bool extra_arguments; /* "allow" or "forbid" (default)  */
    bool assert_format;
    bool infer_http_method_annotations; /* true */
    bool expose_errors;                 /* true */
    struct mcp_config_list request_state_keys;
    double request_state_ttl; /* 600 */

    /* tasks */
    char *task_store;                       /* NULL: a file of its own      */
    int64_t task_ttl_ms;                    /* 3600000                      */
    int64_t task_max_ttl_ms;                /* 86400000                     */
    int64_t task_poll_interval_ms;          /* 1000                         */
    double task_timeout;                    /* 3600                         */
    int64_t task_max_running;               /* 0 = half of the workers      */
    int64_t task_max_running_per_tool;      /* 0 = no limit                 */
    int64_t task_max_running_per_principal; /* 0 = no limit                 */
    int64_t task_max_stored;                /* 100000                       */
    double task_cancel_grace;               /* 0                            */

    /* log */
    int64_t log_level; /* enum mcp_log_level                */
    bool log_messages; /* requests and answers, whole     */
    bool log_json;     /* log_format = "json" | "text"      */

    unsigned char *source; /* private: one mcp_config_source per option */
};

void mcp_config_free(struct mcp_config *c);

/* A config with every default. OWNED. NULL: out of memory. */
struct mcp_config *mcp_config_new(void) MCP_OWNED(mcp_config_free) MCP_MUST_USE;

/* A deep copy. OWNED. NULL: out of memory. */
struct mcp_config *mcp_config_copy(const struct mcp_config *c)
    MCP_OWNED(mcp_config_free) MCP_MUST_USE;

/* Sets option `name` (underscores; for a flag dashes will do) from `text`.
 * Booleans: true/false/1/0/yes/no/on/off. Sizes: bytes, or with KiB, MiB, GiB.
 * A list option: the first call of a source starts a new list, later ones of
 * the same source add; text with commas adds several. A weaker source than the
 * present one changes nothing and is MCP_OK, but its value is checked.
 * On an error the config is as it was, and the one-line `message` calls the
 * option as its source does (--call-timeout, MCPLUAD_CALL_TIMEOUT, ...).
 * Errors: MCP_ENOENT no such option (message has the nearest name);
 * MCP_EINVAL bad value (message says what would be right), or an option that
 * this source cannot set; MCP_ENOMEM. */
enum mcp_err mcp_config_set(struct mcp_config *c, const char *name,
                            const char *text, enum mcp_config_source source,
                            char *message, size_t message_size) MCP_MUST_USE;

/* Reads every MCPLUAD_ variable of the environment; empty ones count as not
 * set. Unknown ones are an error as above, but for MCPLUAD_BIN: test harnesses
 * and wrappers keep the path of the binary there. */
enum mcp_err mcp_config_read_env(struct mcp_config *c, char *message,
                                 size_t message_size) MCP_MUST_USE;

/* Where the present value of option `name` comes from. */
enum mcp_config_source mcp_config_source_of(const struct mcp_config *c,
                                            const char *name);

#endif
