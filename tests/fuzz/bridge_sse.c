/*
 * bridge_sse.c - fuzzer: a stream means the same in whatever pieces it comes
 *
 * The first byte says how long the pieces are. What comes out whole and what
 * comes out piecewise must be the same events, the same id, the same retry and
 * the same verdict; no event holds a line end other than LF, or more than the
 * limit.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "transport/bridge_sse.h"

enum { MAX_BYTES = 256, OUT_BYTES = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "bridge_sse: %s\n", what);
    abort();
}

static void collect(void *user, const char *data, size_t len)
{
    check(len > 0 && len <= MAX_BYTES, "an event of the wrong size");
    check(memchr(data, '\r', len) == NULL, "a CR in an event");
    mcp_buf_add(user, data, len);
    mcp_buf_putc(user, '\0');
}

static enum mcp_err parse(struct mcp_sse *s, struct mcp_buf *out,
                          const char *text, size_t len, size_t step)
{
    enum mcp_err rc = MCP_OK;

    mcp_buf_init(out, OUT_BYTES);
    mcp_sse_init(s, MAX_BYTES, collect, out);
    for (size_t i = 0; rc == MCP_OK && i < len; i += step)
        rc = mcp_sse_feed(s, text + i, len - i < step ? len - i : step);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mcp_sse whole, pieces;
    struct mcp_buf a, b;
    const char *text = (const char *)data + 1;
    enum mcp_err rc;

    if (size < 2)
        return 0;
    rc = parse(&whole, &a, text, size - 1, size - 1);
    check(parse(&pieces, &b, text, size - 1, (size_t)data[0] + 1) == rc,
          "another verdict in pieces");
    check(a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0),
          "other events in pieces");
    check(strcmp(whole.id, pieces.id) == 0, "another id in pieces");
    check(whole.retry_ms == pieces.retry_ms, "another retry in pieces");
    mcp_sse_free(&whole);
    mcp_sse_free(&pieces);
    mcp_buf_free(&a);
    mcp_buf_free(&b);
    return 0;
}
