/*
 * format_host.c - host names, addresses, e-mail addresses
 */
#include <string.h>

#include "base/format.h"
#include "base/format_idna.h"

enum { MAX_NAME = 253, MAX_LOCAL_PART = 64 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter_or_digit(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- labels ---- */

/* A label as code points. */
struct label {
    uint32_t chars[FORMAT_LABEL_MAX];
    size_t count;
    size_t ascii_len; /* of its ASCII form */
};

/* text[0..len), valid UTF-8, as code points. `*ascii`: all below 128. */
static bool read_chars(const char *text, size_t len, struct label *l,
                       bool *ascii)
{
    size_t i = 0;

    l->count = 0;
    *ascii = true;
    while (i < len) {
        unsigned char u = (unsigned char)text[i++];
        uint32_t c = u < 0x80   ? u
                     : u < 0xe0 ? u & 31u
                     : u < 0xf0 ? u & 15u
                                : u & 7u;

        for (; u >= 0x80 && i < len && ((unsigned char)text[i] & 0xc0) == 0x80;
             i++)
            c = c << 6 | ((unsigned char)text[i] & 63u);
        if (l->count == FORMAT_LABEL_MAX)
            return false;
        *ascii = *ascii && c < 0x80;
        l->chars[l->count++] = c;
    }
    return l->count > 0;
}

static bool is_ldh(const char *text, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++)
        if (!is_letter_or_digit(text[i]) && text[i] != '-')
            return false;
    return len > 0 && len <= FORMAT_LABEL_MAX && text[0] != '-' &&
           text[len - 1] != '-';
}

static bool is_a_label(const char *text, size_t len)
{
    return len >= 4 && (text[0] | 32) == 'x' && (text[1] | 32) == 'n' &&
           text[2] == '-' && text[3] == '-';
}

/* Hyphens at the ends, or in the third and fourth place. */
static bool bad_hyphens(const struct label *l)
{
    return l->chars[0] == '-' || l->chars[l->count - 1] == '-' ||
           (l->count >= 4 && l->chars[2] == '-' && l->chars[3] == '-');
}

/* "xn--..." must decode to what encodes to it. */
static bool read_a_label(const char *text, size_t len, struct label *l,
                         bool *rtl)
{
    char again[FORMAT_LABEL_MAX];
    size_t i, n;
    bool ascii = true;

    l->count = format_punycode_decode(text + 4, len - 4, l->chars);
    l->ascii_len = len;
    for (i = 0; i < l->count; i++)
        ascii = ascii && l->chars[i] < 0x80;
    if (l->count == 0 || ascii || bad_hyphens(l) ||
        !format_idna_valid(l->chars, l->count, rtl))
        return false;
    n = format_punycode_encode(l->chars, l->count, again);
    for (i = 0; i < n && n == len - 4; i++)
        if ((again[i] | 32) != (text[4 + i] | 32))
            return false;
    return n == len - 4;
}

/* A label of text; with `unicode`, beyond ASCII too. */
static bool read_label(const char *text, size_t len, bool unicode,
                       struct label *l, bool *rtl)
{
    char encoded[FORMAT_LABEL_MAX];
    bool ascii;

    if (!read_chars(text, len, l, &ascii))
        return false;
    if (ascii) {
        l->ascii_len = len;
        if (!is_ldh(text, len))
            return false;
        if (is_a_label(text, len))
            return read_a_label(text, len, l, rtl);
        return !unicode || !bad_hyphens(l);
    }
    if (!unicode || bad_hyphens(l) ||
        !format_idna_valid(l->chars, l->count, rtl))
        return false;
    l->ascii_len = format_punycode_encode(l->chars, l->count, encoded);
    if (l->ascii_len == 0)
        return false;
    l->ascii_len += 4;
    return l->ascii_len <= FORMAT_LABEL_MAX;
}

/* ---- names ---- */

/* Bytes of the dot at `p`, 0: none there. IDNA knows four dots. */
static size_t dot_bytes(const char *p, const char *end, bool unicode)
{
    static const char dots[][4] = {"\xe3\x80\x82", "\xef\xbc\x8e",
                                   "\xef\xbd\xa1"};
    size_t i;

    if (*p == '.')
        return 1;
    for (i = 0; unicode && i < 3; i++)
        if (end - p >= 3 && memcmp(p, dots[i], 3) == 0)
            return 3;
    return 0;
}

/* Checks each label; a second time for the bidi rule, when `bidi`. */
static bool check_labels(const char *text, size_t len, bool unicode, bool bidi,
                         bool *rtl)
{
    const char *end = text + len, *p = text, *q;
    struct label l;
    size_t total = 0, dot = 1;

    while (dot > 0) {
        for (q = p, dot = 0; q < end; q++) {
            dot = dot_bytes(q, end, unicode);
            if (dot > 0)
                break;
        }
        if (!read_label(p, (size_t)(q - p), unicode, &l, rtl))
            return false;
        if (bidi && !format_idna_bidi(l.chars, l.count))
            return false;
        total += l.ascii_len + (total > 0);
        p = q + dot;
    }
    return total <= MAX_NAME;
}

static bool is_host(const char *text, size_t len, bool unicode)
{
    bool rtl = false;

    if (len == 0 || len > MAX_NAME * 4 ||
        !check_labels(text, len, unicode, false, &rtl))
        return false;
    return !rtl || check_labels(text, len, unicode, true, &rtl);
}

bool mcp_format_hostname(const char *text, size_t len)
{
    return is_host(text, len, false);
}

bool mcp_format_idn_hostname(const char *text, size_t len)
{
    return is_host(text, len, true);
}

/* ---- addresses ---- */

bool mcp_format_ipv4(const char *text, size_t len)
{
    const char *p = text, *end = text + len, *start;
    int part, value;

    for (part = 0; part < 4; part++) {
        if (part > 0 && (p == end || *p++ != '.'))
            return false;
        start = p;
        for (value = 0; p < end && is_digit(*p) && value <= 255; p++)
            value = value * 10 + (*p - '0');
        if (p == start || value > 255 || (*start == '0' && p - start > 1))
            return false;
    }
    return p == end;
}

static size_t hex_digits(const char *p, const char *end)
{
    size_t n = 0;

    while (p + n < end &&
           (is_digit(p[n]) || ((p[n] | 32) >= 'a' && (p[n] | 32) <= 'f')))
        n++;
    return n;
}

bool mcp_format_ipv6(const char *text, size_t len)
{
    const char *p = text, *end = text + len;
    int groups = 0;
    bool gap = false;
    size_t n;

    if (len >= 2 && p[0] == ':' && p[1] == ':') {
        gap = true;
        p += 2;
    }
    while (p < end) {
        n = hex_digits(p, end);
        if (p + n < end && p[n] == '.') {
            if (!mcp_format_ipv4(p, (size_t)(end - p)))
                return false;
            groups += 2;
            break;
        }
        if (n == 0 || n > 4 || ++groups > 8)
            return false;
        p += n;
        if (p == end)
            break;
        if (*p++ != ':' || p == end)
            return false;
        if (*p == ':') {
            if (gap)
                return false;
            gap = true;
            p++;
        }
    }
    return gap ? groups < 8 : groups == 8;
}

/* ---- e-mail ---- */

static bool is_atom_char(char c, bool unicode)
{
    if ((unsigned char)c >= 0x80)
        return unicode;
    return is_letter_or_digit(c) ||
           (c != '\0' && strchr("!#$%&'*+-/=?^_`{|}~", c) != NULL);
}

/* The length of a quoted local part with its quotes, 0: malformed. */
static size_t quoted_part(const char *text, size_t len, bool unicode)
{
    size_t i;

    for (i = 1; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '"')
            return i + 1;
        if (c == '\\' && ++i < len)
            c = (unsigned char)text[i];
        if (c < 0x20 || c == 0x7f || (c >= 0x80 && !unicode))
            return 0;
    }
    return 0;
}

static size_t local_part(const char *text, size_t len, bool unicode)
{
    size_t i;

    if (len > 0 && text[0] == '"')
        return quoted_part(text, len, unicode);
    for (i = 0; i < len; i++) {
        if (text[i] == '.' && i > 0 && text[i - 1] != '.')
            continue;
        if (!is_atom_char(text[i], unicode))
            break;
    }
    return i > 0 && text[i - 1] == '.' ? 0 : i;
}

/* "[127.0.0.1]" or "[IPv6:::1]" */
static bool is_literal(const char *text, size_t len)
{
    static const char tag[] = "IPv6:";

    if (len < 3 || text[0] != '[' || text[len - 1] != ']')
        return false;
    text++;
    len -= 2;
    if (len > 5 && memcmp(text, tag, 5) == 0)
        return mcp_format_ipv6(text + 5, len - 5);
    return mcp_format_ipv4(text, len);
}

static bool is_email(const char *text, size_t len, bool unicode)
{
    size_t n = local_part(text, len, unicode);

    if (n == 0 || n > MAX_LOCAL_PART || n == len || text[n] != '@')
        return false;
    text += n + 1;
    len -= n + 1;
    return is_literal(text, len) || is_host(text, len, unicode);
}

bool mcp_format_email(const char *text, size_t len)
{
    return is_email(text, len, false);
}

bool mcp_format_idn_email(const char *text, size_t len)
{
    return is_email(text, len, true);
}
