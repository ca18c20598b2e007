/*
 * check_report.c - from the loaded app to the bytes of the report
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/check.h"

enum { REPORT_BYTES = 1 << 30 };

/* All of `out` to `fd`; false when it cannot be. */
static bool write_all(int fd, const struct mcp_buf *out)
{
    size_t at = 0;

    while (at < out->len) {
        ssize_t n = write(fd, out->data + at, out->len - at);

        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static enum mcp_err write_report(const struct mcp_check *check, bool json,
                                 int fd, char *message, size_t message_size)
{
    struct mcp_buf out;
    enum mcp_err rc = MCP_OK;

    mcp_buf_init(&out, REPORT_BYTES);
    if (json)
        mcp_check_write_json(&out, check);
    else
        mcp_check_write_text(&out, check);
    if (out.failed) {
        rc = MCP_ENOMEM;
    } else if (!write_all(fd, &out)) {
        (void)snprintf(message, message_size, "cannot write the report: %s",
                       strerror(errno));
        rc = MCP_EINTERNAL;
    }
    mcp_buf_free(&out);
    return rc;
}

enum mcp_err mcp_check_report(struct mcp_app *app, const struct mcp_cli *cli,
                              int fd, bool *passes, char *message,
                              size_t message_size)
{
    struct mcp_arena *arena = mcp_arena_new(REPORT_BYTES);
    struct mcp_check check = {.app = cli->app,
                              .gen = mcp_app_acquire(app),
                              .isolation = mcp_app_isolation(app)};
    enum mcp_err rc = MCP_ENOMEM;

    if (arena != NULL)
        rc = mcp_lint(check.gen, arena, &check.findings);
    if (rc == MCP_OK)
        rc = write_report(&check, cli->json, fd, message, message_size);
    *passes = mcp_check_passes(&check, cli->strict);
    mcp_generation_release(check.gen);
    mcp_arena_free(arena);
    return rc;
}
