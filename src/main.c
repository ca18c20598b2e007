/*
 * main.c - START READING HERE
 *
 *     flags and variables -> config
 *     the app             loaded, its workers started          app/app.h
 *     the endpoint        what messages mean                   protocol/
 *     the transport       HTTP or stdio                        transport/
 *     a banner, then wait for SIGTERM or SIGINT
 *     the same parts, torn down in the other order
 *
 * `mcpluad check`, `list`, `call` and others load the app in the same way,
 * report, and end. cli/command_table.c has all commands.
 *
 * Exit status: 0 after a clean end, 1 when something failed at run time, 2 for
 * a wrong command line or a wrong app, 128 + signal when a second signal came.
 * check: 1 when the app is not good enough. call: 1 when the tool failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "base/trim.h"
#include "cli/banner.h"
#include "cli/bridge.h"
#include "cli/call.h"
#include "cli/check.h"
#include "cli/completions.h"
#include "cli/export.h"
#include "cli/hangup.h"
#include "cli/help.h"
#include "cli/init.h"
#include "cli/install.h"
#include "cli/list.h"
#include "cli/man.h"
#include "cli/options.h"
#include "cli/service.h"
#include "cli/signals.h"
#include "cli/skills.h"
#include "cli/test.h"
#include "features/skills_open.h"
#include "transport/http.h"
#include "transport/stdio.h"

enum { EXIT_USAGE = 2 };

/* From the first signal on: calls may finish for 4 s, and after 5 s the
 * process is gone. */
#define DRAIN_S 4.0
enum { END_S = 5, SWEEP_MS = 5000 };

/* Everything that runs, in the order in which it is built. */
struct server {
    uint64_t started_ns;
    struct mcp_config *config; /* flags and environment                     */
    struct mcp_cli cli;
    struct mcp_signals signals;
    int in, out; /* stdio: the private channel to the client                */
    struct mcp_service service; /* the app and its endpoint                  */
    struct mcp_hangup *hangup;  /* SIGHUP reloads the app                    */
    struct mcp_http *http;
    char message[1024];  /* why a step failed, one line                      */
    bool reports_skills; /* what is wrong with them, instead of the log      */
};

/* To stderr, as far as it takes it; `out` is freed. */
static void print(struct mcp_buf *out)
{
    if (!out->failed)
        (void)fwrite(out->data, 1, out->len, stderr);
    mcp_buf_free(out);
}

/* The one line that every failed start ends with. */
static int fail(const struct server *s, int status)
{
    struct mcp_buf out;

    if (mcp_log_is_json() && mcp_log_enabled(MCP_LOG_ERROR)) {
        mcp_log(MCP_LOG_ERROR, "main", "%s",
                s->message[0] != '\0' ? s->message : "out of memory");
        return status;
    }
    mcp_buf_init(&out, sizeof(s->message) + 64);
    mcp_buf_puts(&out, "mcpluad: ");
    mcp_banner_put(&out, s->message[0] != '\0' ? s->message : "out of memory");
    mcp_buf_putc(&out, '\n');
    print(&out);
    return status;
}

/* What the command line or the app did wrong is 2, bad luck is 1. */
static int status_of(enum mcp_err rc)
{
    switch (rc) {
    case MCP_OK:
        return EXIT_SUCCESS;
    case MCP_EINVAL:
    case MCP_ENOENT:
    case MCP_ETIMEOUT:
        return EXIT_USAGE;
    default:
        return EXIT_FAILURE;
    }
}

/* A server started without stdin, stdout or stderr would get 0, 1 or 2 for its
 * sockets, and log lines would go to clients. */
static void keep_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        (void)close(fd);
}

/* What the actions print that need no app. */
static void write_text(struct mcp_buf *out, const struct mcp_cli *cli)
{
    switch (cli->action) {
    case MCP_CLI_HELP:
        if (cli->command->name == NULL)
            mcp_help_write(out);
        else
            mcp_help_write_command(out, cli->command);
        break;
    case MCP_CLI_HELP_MARKDOWN:
        mcp_help_write_markdown(out);
        break;
    case MCP_CLI_MAN:
        mcp_man_write(out);
        break;
    case MCP_CLI_COMPLETIONS:
        mcp_completions_write(out, cli->shell);
        break;
    case MCP_CLI_VERSION:
        mcp_buf_puts(out, "mcpluad " MCP_VERSION "\n");
        break;
    default:
        break;
    }
}

static enum mcp_err print_text(struct server *s)
{
    struct mcp_buf out;
    bool ok;

    mcp_buf_init(&out, (size_t)1 << 20);
    write_text(&out, &s->cli);
    ok = !out.failed && fwrite(out.data, 1, out.len, stdout) == out.len;
    ok = fflush(stdout) == 0 && ok;
    mcp_buf_free(&out);
    if (!ok)
        (void)snprintf(s->message, sizeof(s->message),
                       "cannot write to stdout: %s", strerror(errno));
    return ok ? MCP_OK : MCP_EINTERNAL;
}

static void set_up_log(const struct mcp_config *config)
{
    mcp_log_setup((enum mcp_log_level)config->log_level, config->log_json);
}

static void reload(void *app)
{
    mcp_app_reload(app);
}

/* Loads the app and builds the endpoint over it. */
static enum mcp_err open_service(struct server *s)
{
    struct mcp_app_options options = {.path = s->cli.app,
                                      .prepare_user = &s->reports_skills,
                                      .config = s->config,
                                      .watch = s->config->dev,
                                      .idle = s->cli.action != MCP_CLI_SERVE,
                                      .mute = s->cli.action != MCP_CLI_SERVE &&
                                              s->cli.action != MCP_CLI_CALL};
    enum mcp_err rc;

    s->reports_skills = s->cli.action == MCP_CLI_CHECK;
    rc =
        mcp_service_open(&s->service, &options, s->message, sizeof(s->message));
    if (rc != MCP_OK)
        return rc;
    set_up_log(s->service.served);
    s->hangup = mcp_hangup_start(reload, s->service.app);
    return s->hangup != NULL ? MCP_OK : MCP_ENOMEM;
}

static void close_service(struct server *s)
{
    mcp_hangup_stop(s->hangup);
    if (!mcp_service_close(&s->service))
        _exit(EXIT_FAILURE);
}

/* What the banner counts. */
static void count_items(const struct server *s, struct mcp_banner *b)
{
    const struct mcp_generation *gen = mcp_app_acquire(s->service.app);

    b->tool_count = gen->tool_count;
    b->resource_count = gen->resource_count + gen->template_count;
    b->prompt_count = gen->prompt_count;
    b->route_count = gen->route_count;
    if (mcp_skills_index(gen) != NULL)
        (void)mcp_skill_index_skills(mcp_skills_index(gen), &b->skill_count);
    mcp_generation_release(gen);
}

static void print_banner(const struct server *s, const char *where)
{
    struct mcp_banner b = {.name = s->service.served->name,
                           .version = s->service.served->version,
                           .where = where,
                           .isolation = mcp_app_isolation(s->service.app),
                           .dev = s->config->dev,
                           .ready_ns = mcp_clock_now_ns() - s->started_ns,
                           .max_connections =
                               s->service.served->max_connections};
    struct mcp_buf out;
    bool reduced = false;
    size_t limit = 0;

    if (s->http != NULL)
        limit = mcp_http_connection_limit(s->http, &reduced);
    count_items(s, &b);
    b.connection_limit = reduced ? limit : 0;
    if (mcp_log_is_json()) {
        mcp_banner_log(&b);
        return;
    }
    mcp_buf_init(&out, (size_t)1 << 16);
    mcp_banner_write(&out, &b);
    print(&out);
}

static bool is_ready(void *app)
{
    return mcp_app_ready(app);
}

static enum mcp_err serve_http(struct server *s)
{
    struct mcp_http_options options = {.config = s->service.served,
                                       .endpoint = s->service.endpoint,
                                       .app = s->service.app,
                                       .ready = is_ready,
                                       .user = s->service.app};
    enum mcp_err rc;

    rc = mcp_http_start(&options, &s->http, s->message, sizeof(s->message));
    if (rc == MCP_EEXIST)
        (void)snprintf(s->message, sizeof(s->message),
                       "port %" PRId64
                       " on %s is in use; choose another with --port",
                       options.config->port, options.config->host);
    if (rc != MCP_OK)
        return rc;
    mcp_signals_serving(END_S);
    print_banner(s, mcp_http_url(s->http));
    while (!mcp_signals_wait(&s->signals, SWEEP_MS)) {
        mcp_endpoint_sweep(s->service.endpoint);
        (void)mcp_trim();
    }
    mcp_http_stop(s->http, DRAIN_S);
    return MCP_OK;
}

static enum mcp_err serve_stdio(struct server *s)
{
    int rc;

    mcp_signals_serving(END_S);
    print_banner(s, "stdio");
    rc = mcp_stdio_run(s->service.endpoint, s->service.served, s->in, s->out,
                       s->signals.stop, s->signals.wake_fd, DRAIN_S);
    mcp_signals_end_in(END_S);
    if (rc == 0)
        return MCP_OK;
    (void)snprintf(s->message, sizeof(s->message), "cannot write to stdout: %s",
                   strerror(rc));
    return MCP_EINTERNAL;
}

/* Builds, serves, tears down. */
static enum mcp_err run(struct server *s)
{
    enum mcp_err rc = mcp_signals_open(&s->signals);

    /* Before any line of the app runs: what it prints is not for the client. */
    if (rc == MCP_OK && s->config->stdio)
        rc = mcp_stdio_claim(&s->in, &s->out);
    if (rc != MCP_OK) {
        (void)snprintf(s->message, sizeof(s->message), "no descriptors left");
        return rc;
    }
    /* What the app prints is seen line by line, also in a pipe. */
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    set_up_log(s->config);
    rc = open_service(s);
    if (rc == MCP_OK)
        rc = s->config->stdio ? serve_stdio(s) : serve_http(s);
    close_service(s);
    return rc;
}

static enum mcp_err report(struct server *s, bool *passes)
{
    size_t size = sizeof(s->message);

    switch (s->cli.action) {
    case MCP_CLI_LIST:
        return mcp_list_run(s->service.app, s->service.endpoint, &s->cli,
                            s->out, s->message, size);
    case MCP_CLI_CALL:
        return mcp_call_run(s->service.app, s->service.endpoint, &s->cli,
                            s->out, passes, s->message, size);
    case MCP_CLI_EXPORT:
        return mcp_export_run(s->service.app, s->service.endpoint, &s->cli,
                              s->out, s->message, size);
    case MCP_CLI_INSTALL:
        return mcp_install_run(s->service.app, &s->cli, s->out, s->message,
                               size);
    default:
        return mcp_check_report(s->service.app, &s->cli, s->out, passes,
                                s->message, size);
    }
}

/* check, list, call and others: loads as for serving, reports, tears down.
 * What the app prints is not part of the report. */
static enum mcp_err look(struct server *s, bool *passes)
{
    enum mcp_err rc = mcp_stdio_claim(&s->in, &s->out);

    if (rc != MCP_OK) {
        (void)snprintf(s->message, sizeof(s->message), "no descriptors left");
        return rc;
    }
    s->config->dev = false; /* nothing is to be reloaded */
    set_up_log(s->config);
    if (s->cli.action == MCP_CLI_INSTALL)
        rc = mcp_install_begin(&s->cli, s->message, sizeof(s->message));
    if (rc == MCP_OK)
        rc = open_service(s);
    if (rc == MCP_OK)
        rc = report(s, passes);
    close_service(s);
    return rc;
}

/* The URL of an app is where its own settings say that it is served. */
static enum mcp_err find_url(struct server *s, struct mcp_arena *a,
                             const char **url)
{
    enum mcp_err rc;

    s->config->dev = false;
    rc = open_service(s);
    if (rc == MCP_OK)
        rc = mcp_bridge_url_of(s->service.served, a, url, s->message,
                               sizeof(s->message));
    close_service(s);
    return rc;
}

static enum mcp_err bridge_from(struct server *s, struct mcp_arena *a)
{
    struct mcp_bridge_options options;
    enum mcp_err rc = mcp_bridge_options_make(&s->cli, a, &options, s->message,
                                              sizeof(s->message));

    if (rc == MCP_OK)
        rc = mcp_signals_open(&s->signals);
    if (rc == MCP_OK)
        rc = mcp_stdio_claim(&s->in, &s->out);
    set_up_log(s->config);
    if (rc == MCP_OK && s->cli.app != NULL)
        rc = find_url(s, a, &options.url);
    if (rc != MCP_OK)
        return rc;
    mcp_signals_serving(END_S);
    return mcp_bridge_run(&options, s->in, s->out, s->signals.stop,
                          s->signals.wake_fd, s->message, sizeof(s->message));
}

static enum mcp_err bridge(struct server *s)
{
    struct mcp_arena *a = mcp_arena_new((size_t)1 << 24);
    enum mcp_err rc = a != NULL ? bridge_from(s, a) : MCP_ENOMEM;

    mcp_arena_free(a);
    return rc;
}

/* Does what the command line says. */
static enum mcp_err perform(struct server *s, bool *passes)
{
    switch (s->cli.action) {
    case MCP_CLI_SERVE:
        return run(s);
    case MCP_CLI_BRIDGE:
        return bridge(s);
    case MCP_CLI_INIT:
        return mcp_init_run(&s->cli, STDOUT_FILENO, s->message,
                            sizeof(s->message));
    case MCP_CLI_SKILLS:
        return mcp_skills_run(&s->cli, STDOUT_FILENO, passes, s->message,
                              sizeof(s->message));
    case MCP_CLI_TYPES:
        return mcp_init_write_types(&s->cli, s->message, sizeof(s->message));
    case MCP_CLI_TEST: /* its arguments are not ours */
        (void)snprintf(s->message, sizeof(s->message),
                       "test comes first: mcpluad test [arguments of busted]");
        return MCP_EINVAL;
    case MCP_CLI_CHECK:
    case MCP_CLI_LIST:
    case MCP_CLI_CALL:
    case MCP_CLI_EXPORT:
    case MCP_CLI_INSTALL:
        return look(s, passes);
    default:
        return print_text(s);
    }
}

int main(int argc, char **argv)
{
    struct server s = {.started_ns = mcp_clock_now_ns(), .in = -1, .out = -1};
    enum mcp_err rc = MCP_ENOMEM;
    bool passes = true;
    int status;

    keep_standard_descriptors();
    if (argc > 1 && strcmp(argv[1], "test") == 0)
        return mcp_test_run(argc - 2, argv + 2);
    s.config = mcp_config_new();
    if (s.config != NULL)
        rc = mcp_cli_parse(argc, argv, s.config, &s.cli, s.message,
                           sizeof(s.message));
    if (rc != MCP_OK && s.config != NULL)
        set_up_log(s.config); /* for what it says of the wrong line */
    if (rc == MCP_OK)
        rc = perform(&s, &passes);
    if (rc != MCP_OK)
        status = fail(&s, status_of(rc));
    else
        status = passes ? EXIT_SUCCESS : EXIT_FAILURE;
    mcp_config_free(s.config);
    return status;
}
