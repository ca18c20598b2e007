/*
 * event_id.c - see event_id.h
 */
#include "protocol/event_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KEY_DIGITS = 16, NUMBER_DIGITS = 18 };

void mcp_event_id_write(char to[MCP_EVENT_ID_BYTES], uint64_t key,
                        uint64_t stream, uint64_t number)
{
    (void)snprintf(to, MCP_EVENT_ID_BYTES,
                   "%016" PRIx64 "-%" PRIu64 "-%" PRIu64, key, stream, number);
}

/* A decimal at *p, without leading zeros, followed by `stop`. */
static bool read_number(const char **p, char stop, uint64_t *out)
{
    const char *from = *p;
    uint64_t n = 0;

    for (; **p >= '0' && **p <= '9'; ++*p) {
        if (*p - from >= NUMBER_DIGITS)
            return false;
        n = n * 10 + (uint64_t)(**p - '0');
    }
    *out = n;
    return *p > from && (*from != '0' || *p == from + 1) && *(*p)++ == stop;
}

bool mcp_event_id_read(const char *id, size_t len, uint64_t key,
                       uint64_t *stream, uint64_t *number)
{
    char text[MCP_EVENT_ID_BYTES], digits[KEY_DIGITS + 1];
    const char *p = text + KEY_DIGITS + 1;

    if (len >= sizeof(text) || len <= KEY_DIGITS)
        return false;
    memcpy(text, id, len);
    text[len] = '\0';
    (void)snprintf(digits, sizeof(digits), "%016" PRIx64, key);
    return memcmp(text, digits, KEY_DIGITS) == 0 && text[KEY_DIGITS] == '-' &&
           read_number(&p, '-', stream) && read_number(&p, '\0', number) &&
           p == text + len + 1;
}
