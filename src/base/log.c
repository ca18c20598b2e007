/*
 * log.c - a line is built in memory and leaves in one write(2)
 */
#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"

enum {
    MAX_MESSAGE_BYTES = 64 * 1024,
    /* Escaping makes at most six bytes of one; the rest is the frame. */
    MAX_LINE_BYTES = 6 * MAX_MESSAGE_BYTES + 1024,
    WAIT_MS = 500,      /* for a reader of the pipe, once */
    PIECE_BYTES = 4096, /* a pipe that is writable takes as much */
};

static const char *const level_names[] = {
    [MCP_LOG_DEBUG] = "debug",
    [MCP_LOG_INFO] = "info",
    [MCP_LOG_WARNING] = "warning",
    [MCP_LOG_ERROR] = "error",
};

static atomic_int least_level = MCP_LOG_INFO;
static atomic_bool as_json;
static atomic_ullong lost_lines;
static atomic_bool is_stalled; /* nobody reads: do not wait again */

void mcp_log_setup(enum mcp_log_level level, bool json)
{
    tzset(); /* now: later gmtime_r() would wait for stdio's locks */
    atomic_store(&least_level, (int)level);
    atomic_store(&as_json, json);
}

bool mcp_log_enabled(enum mcp_log_level level)
{
    return level < MCP_LOG_OFF && (int)level >= atomic_load(&least_level);
}

bool mcp_log_is_json(void)
{
    return atomic_load(&as_json);
}

unsigned long long mcp_log_lost(void)
{
    return atomic_load(&lost_lines);
}

/* "2026-11-29T22:13:19.123Z" */
static void put_time(struct mcp_buf *line)
{
    uint64_t ms = mcp_clock_wall_ms();
    time_t seconds = (time_t)(ms / 1000);
    char text[32];
    struct tm tm;

    if (gmtime_r(&seconds, &tm) == NULL ||
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
        text[0] = '\0';
    mcp_buf_printf(line, "%s.%03uZ", text, (unsigned)(ms % 1000));
}

/* Control characters as \n, \t, \u001b; wrong UTF-8 as \xff. */
static void put_text_escaped(struct mcp_buf *line, const char *text, size_t len)
{
    size_t i = 0, start = 0, bad;

    if (mcp_utf8_valid(text, len, &bad))
        bad = len;
    for (; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c >= 0x20 && c != 0x7f && i != bad)
            continue;
        mcp_buf_add(line, text + start, i - start);
        start = i + 1;
        if (i == bad) {
            mcp_buf_printf(line, "\\x%02x", c);
            if (mcp_utf8_valid(text + start, len - start, &bad))
                bad = len;
            else
                bad += start;
        } else if (c == '\n' || c == '\t' || c == '\r') {
            mcp_buf_puts(line, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
        } else {
            mcp_buf_printf(line, "\\u%04x", c);
        }
    }
    mcp_buf_add(line, text + start, len - start);
}

/* A JSON string; wrong UTF-8 becomes U+FFFD. */
static void put_json_string(struct mcp_buf *line, const char *text, size_t len)
{
    size_t bad;

    mcp_buf_putc(line, '"');
    while (!mcp_utf8_valid(text, len, &bad)) {
        mcp_json_write_escaped(line, text, bad);
        mcp_buf_puts(line, "\xef\xbf\xbd");
        text += bad + 1;
        len -= bad + 1;
    }
    mcp_json_write_escaped(line, text, len);
    mcp_buf_putc(line, '"');
}

static void put_line(struct mcp_buf *line, enum mcp_log_level level,
                     const char *part, const char *message, size_t len)
{
    if (atomic_load(&as_json)) {
        mcp_buf_puts(line, "{\"time\":\"");
        put_time(line);
        mcp_buf_printf(line,
                       "\",\"level\":\"%s\",\"part\":", level_names[level]);
        put_json_string(line, part, strlen(part));
        mcp_buf_puts(line, ",\"message\":");
        put_json_string(line, message, len);
        mcp_buf_puts(line, "}\n");
        return;
    }
    put_time(line);
    mcp_buf_printf(line, " %-7s ", level_names[level]);
    put_text_escaped(line, part, strlen(part));
    mcp_buf_puts(line, ": ");
    put_text_escaped(line, message, len);
    mcp_buf_putc(line, '\n');
}

/* Can stderr be written without waiting long? A pipe that nobody reads must not
 * stop the server: the first line waits for a moment, those after it do not. */
static bool is_writable(void)
{
    struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
    int n;

    do
        n = poll(&p, 1, atomic_load(&is_stalled) ? 0 : WAIT_MS);
    while (n < 0 && errno == EINTR);
    atomic_store(&is_stalled, n == 0);
    return n != 0; /* of errors write() tells */
}

static bool is_pipe(void)
{
    struct stat st;

    return fstat(STDERR_FILENO, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* One write(2), but a pipe may become full in the middle of a long line. */
static bool write_line(const char *p, size_t len)
{
    size_t most = len > PIECE_BYTES && is_pipe() ? (size_t)PIECE_BYTES : len;

    while (len > 0) {
        size_t piece = len < most ? len : most;
        ssize_t n;

        if (!is_writable())
            return false;
        do
            n = write(STDERR_FILENO, p, piece);
        while (n < 0 && errno == EINTR);
        if (n <= 0 || (size_t)n != piece)
            return false;
        p += n;
        len -= (size_t)n;
    }
    return true;
}

/* A cut line stays cut: another may have begun meanwhile. */
static void put_out(const struct mcp_buf *line)
{
    if (line->failed || !write_line(line->data, line->len))
        atomic_fetch_add(&lost_lines, 1);
}

/* The message, cut to its maximum, in `small` or on the heap (then it is in
 * `*heap` too, for free()). NULL: out of memory. */
static const char *format(char *small, size_t small_size, char **heap,
                          size_t *len, const char *fmt, va_list ap)
{
    va_list again;
    char *text = small;
    int n;

    va_copy(again, ap);
    n = vsnprintf(small, small_size, fmt, ap);
    *len = n > 0 ? (size_t)n : 0;
    if (*len > MAX_MESSAGE_BYTES)
        *len = MAX_MESSAGE_BYTES;
    if (*len >= small_size) {
        text = *heap = malloc(*len + 1);
        if (text != NULL)
            (void)vsnprintf(text, *len + 1, fmt, again);
    }
    va_end(again);
    return text;
}

void mcp_log(enum mcp_log_level level, const char *part, const char *fmt, ...)
{
    int saved_errno = errno;
    char small[512], *heap = NULL;
    const char *message;
    struct mcp_buf line;
    size_t len;
    va_list ap;

    if (!mcp_log_enabled(level))
        return;
    va_start(ap, fmt);
    message = format(small, sizeof(small), &heap, &len, fmt, ap);
    va_end(ap);
    mcp_buf_init(&line, MAX_LINE_BYTES);
    if (message != NULL)
        put_line(&line, level, part, message, len);
    else
        line.failed = true;
    put_out(&line);
    mcp_buf_free(&line);
    free(heap);
    errno = saved_errno;
}
