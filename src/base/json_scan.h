/*
 * json_scan.h - byte scanning shared by the JSON parser, writer and UTF-8 check
 *
 * Private to base. Looks at 16 bytes a step with SSE2, at 8 without it, and
 * never reads outside [p, end).
 *
 * Layer:  base. Uses nothing.
 * Thread: any.
 */
#ifndef MCP_BASE_JSON_SCAN_H
#define MCP_BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define MCP_JSON_BYTES(b) (UINT64_C(0x0101010101010101) * (b))

/* Is one of the eight bytes a quote, a backslash or below 0x20? May also be
 * true when one is above 0x7f; never false when one of the three is there. */
static inline bool mcp_json_scan_word(uint64_t w)
{
    uint64_t high = MCP_JSON_BYTES(0x80);
    uint64_t quote = w ^ MCP_JSON_BYTES('"');
    uint64_t slash = w ^ MCP_JSON_BYTES('\\');

    return (((quote - MCP_JSON_BYTES(1)) | (slash - MCP_JSON_BYTES(1)) |
             (w - MCP_JSON_BYTES(0x20)) | w) &
            high) != 0;
}

/* The first byte of [p, end) that is a quote, a backslash, below 0x20 or above
 * 0x7f; `end` when there is none. */
static inline const char *mcp_json_scan_ascii(const char *p, const char *end)
{
    uint64_t w;

#ifdef __SSE2__
    while (end - p >= 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
        __m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
        /* signed: bytes above 0x7f are negative */
        __m128i other = _mm_cmplt_epi8(x, _mm_set1_epi8(0x20));
        int mask =
            _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), other));

        if (mask != 0)
            return p + __builtin_ctz((unsigned)mask);
        p += 16;
    }
#endif
    for (; end - p >= 8; p += 8) {
        memcpy(&w, p, 8);
        if (mcp_json_scan_word(w))
            break;
    }
    while (p < end && *p != '"' && *p != '\\' && *p >= 0x20 &&
           (unsigned char)*p < 0x80)
        p++;
    return p;
}

/* The first byte of [p, end) that a JSON string must escape: a quote, a
 * backslash or one below 0x20; `end` when there is none. */
static inline const char *mcp_json_scan_plain(const char *p, const char *end)
{
    uint64_t w;

#ifdef __SSE2__
    while (end - p >= 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
        __m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(0x1f)), x);
        int mask =
            _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), low));

        if (mask != 0)
            return p + __builtin_ctz((unsigned)mask);
        p += 16;
    }
#endif
    for (; end - p >= 8; p += 8) {
        memcpy(&w, p, 8);
        if (mcp_json_scan_word(w))
            break;
    }
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    return p;
}

/* Length of the UTF-8 sequence at the start of [p, end), 1 to 4; 0 when it is
 * no valid one. `p` < `end`. Source: RFC 3629, section 4. */
static inline unsigned mcp_utf8_step(const char *text, const char *end)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t left = (size_t)(end - text);
    unsigned low = 0x80, high = 0xbf; /* bounds of the second byte */
    unsigned n, i;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] == 0xe0)
        low = 0xa0;
    else if (p[0] == 0xed)
        high = 0x9f;
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f;
    if (left < n || p[1] < low || p[1] > high)
        return 0;
    for (i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

#endif
