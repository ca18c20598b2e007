/*
 * utf8.c - UTF-8 check, ASCII by words, the rest by sequences
 */
#include "base/json.h"
#include "base/json_scan.h"

/* The first byte of [p, end) above 0x7f, or `end`. */
static const char *skip_ascii(const char *p, const char *end)
{
    uint64_t w;

    for (; end - p >= 8; p += 8) {
        memcpy(&w, p, 8);
        if ((w & MCP_JSON_BYTES(0x80)) != 0)
            break;
    }
    while (p < end && (unsigned char)*p < 0x80)
        p++;
    return p;
}

bool mcp_utf8_valid(const char *text, size_t len, size_t *bad)
{
    const char *p = text, *end = text + len;
    unsigned n;

    while (p < end) {
        p = skip_ascii(p, end);
        while (p < end && (unsigned char)*p >= 0x80) {
            n = mcp_utf8_step(p, end);
            if (n == 0) {
                if (bad != NULL)
                    *bad = (size_t)(p - text);
                return false;
            }
            p += n;
        }
    }
    return true;
}
