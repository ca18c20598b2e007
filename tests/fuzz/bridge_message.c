/*
 * bridge_message.c - fuzzer: no message can write into the head of a request
 *
 * Each header that is made from a message must be one line of what headers may
 * hold, with a name that is ours. What was completed must read back as complete
 * and, once more, come out the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "transport/bridge_message.h"
#include "transport/bridge_scan.h"

enum { ARENA_BYTES = 16 << 20, OUT_BYTES = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "bridge_message: %s\n", what);
    abort();
}

static bool starts(const char *line, const char *name)
{
    return strncmp(line, name, strlen(name)) == 0;
}

/* "Name: value" and a NUL; the length without the NUL. */
static size_t check_line(const char *line, const char *end)
{
    size_t len = strnlen(line, (size_t)(end - line));

    check(line + len < end, "a header without its end");
    check(starts(line, "MCP-Protocol-Version: ") ||
              starts(line, "Mcp-Method: ") || starts(line, "Mcp-Name: ") ||
              starts(line, "Mcp-Param-A: "),
          "a header that is not ours");
    for (size_t i = 0; i < len; i++)
        check(line[i] == '\t' || (line[i] >= ' ' && line[i] <= '~'),
              "a byte that no header may have");
    return len;
}

static void check_headers(const struct mcp_bridge_message *m)
{
    static const struct mcp_json key = {
        .type = MCP_JSON_STRING, .count = 1, .u.text = "a"};
    static const struct mcp_json *const path[] = {&key};
    static const struct mcp_mirror mirror = {"Mcp-Param-A", path, 1};
    static const struct mcp_mirrors mirrors = {&mirror, 1};
    struct mcp_buf out;

    mcp_buf_init(&out, OUT_BYTES);
    mcp_bridge_write_headers(&out, m, &mirrors);
    check(!out.failed, "no room for the headers");
    for (size_t at = 0; at < out.len;)
        at += check_line(out.data + at, out.data + out.len) + 1;
    mcp_buf_free(&out);
}

static void check_completed(const struct mcp_bridge_message *m)
{
    struct mcp_arena *arena = mcp_arena_new(ARENA_BYTES);
    struct mcp_bridge_message again;
    struct mcp_buf first, second;
    const char *why;
    int code;

    mcp_buf_init(&first, OUT_BYTES);
    mcp_buf_init(&second, OUT_BYTES);
    mcp_bridge_write_completed(&first, m);
    check(arena != NULL && !first.failed, "no memory");
    check(mcp_bridge_read(arena, first.data, first.len, &again, &code, &why) ==
              MCP_OK,
          "what was completed is no message");
    check(!mcp_bridge_lacks_meta(&again), "it was not completed");
    check(mcp_bridge_is_modern(&again, true), "it is not modern");
    mcp_bridge_write_completed(&second, &again);
    check(first.len == second.len &&
              memcmp(first.data, second.data, first.len) == 0,
          "it comes out another way");
    mcp_buf_free(&first);
    mcp_buf_free(&second);
    mcp_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct mcp_arena *arena = mcp_arena_new(ARENA_BYTES);
    struct mcp_bridge_scan scan = {0};
    struct mcp_bridge_message m;
    const char *why;
    size_t len;
    int code;

    check(arena != NULL, "no memory");
    mcp_bridge_scan_feed(&scan, text, size);
    (void)mcp_bridge_scan_id(&scan, &len);
    if (mcp_bridge_read(arena, text, size, &m, &code, &why) == MCP_OK &&
        m.method != NULL) {
        check_headers(&m);
        if (mcp_bridge_lacks_meta(&m))
            check_completed(&m);
        /* "\u0069d" is a key that is not looked for */
        if (m.kind == MCP_BRIDGE_REQUEST && m.id->count < 40 &&
            memmem(text, size, "\\u", 2) == NULL)
            check(mcp_bridge_scan_id(&scan, &len) != NULL,
                  "the id was not found");
    }
    mcp_arena_free(arena);
    return 0;
}
