/*
 * format_punycode.c - RFC 3492, sections 6.1 to 6.3
 */
#include "base/format_idna.h"

enum {
    BASE = 36,
    T_MIN = 1,
    T_MAX = 26,
    SKEW = 38,
    DAMP = 700,
    FIRST_BIAS = 72,
    FIRST_CODE = 128,
    LAST_CODE = 0x10ffff,
};

static uint32_t adapt(uint32_t delta, uint32_t count, bool first)
{
    uint32_t k = 0;

    delta = first ? delta / DAMP : delta / 2;
    delta += delta / count;
    for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
        delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t k, uint32_t bias)
{
    if (k <= bias)
        return T_MIN;
    return k - bias > T_MAX ? T_MAX : k - bias;
}

static int digit_of(char c)
{
    if (c >= 'a' && c <= 'z')
        return c - 'a';
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    return c >= '0' && c <= '9' ? c - '0' + 26 : -1;
}

/* One variable-length number at `*p`, added to `*i`. False: malformed. */
static bool read_delta(const char **p, const char *end, uint32_t bias,
                       uint32_t *i)
{
    uint64_t w = 1, sum = *i;
    uint32_t k, t;
    int d;

    for (k = BASE;; k += BASE) {
        d = *p < end ? digit_of(*(*p)++) : -1;
        if (d < 0)
            return false;
        sum += (uint64_t)d * w;
        if (sum > UINT32_MAX)
            return false;
        t = threshold(k, bias);
        if ((uint32_t)d < t)
            break;
        w *= BASE - t;
        if (w > UINT32_MAX)
            return false;
    }
    *i = (uint32_t)sum;
    return true;
}

/* The ASCII part before the last '-', which `*p` moves behind. */
static size_t copy_basic(const char **p, const char *end, uint32_t *to)
{
    const char *dash = end;
    size_t n = 0;

    while (dash > *p && dash[-1] != '-')
        dash--;
    if (dash == *p)
        return 0;
    for (; *p < dash - 1; (*p)++)
        to[n++] = (unsigned char)**p;
    *p = dash;
    return n;
}

size_t format_punycode_decode(const char *text, size_t len, uint32_t *to)
{
    const char *p = text, *end = text + len;
    uint32_t code = FIRST_CODE, bias = FIRST_BIAS, i = 0, old;
    size_t n, j;

    if (len > FORMAT_LABEL_MAX)
        return 0;
    n = copy_basic(&p, end, to);
    while (p < end) {
        old = i;
        if (n == FORMAT_LABEL_MAX || !read_delta(&p, end, bias, &i))
            return 0;
        n++;
        bias = adapt(i - old, (uint32_t)n, old == 0);
        if (i / n > LAST_CODE - code)
            return 0;
        code += (uint32_t)(i / n);
        i %= (uint32_t)n;
        for (j = n - 1; j > i; j--)
            to[j] = to[j - 1];
        to[i++] = code;
    }
    return n;
}

/* Writes one number; the new length, or 0 when there is no room. */
static size_t write_delta(char *to, size_t len, uint32_t delta, uint32_t bias)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    uint32_t k, t;

    for (k = BASE; len < FORMAT_LABEL_MAX; k += BASE) {
        t = threshold(k, bias);
        if (delta < t) {
            to[len] = digits[delta];
            return len + 1;
        }
        to[len++] = digits[t + (delta - t) % (BASE - t)];
        delta = (delta - t) / (BASE - t);
    }
    return 0;
}

static uint32_t next_code(const uint32_t *label, size_t count, uint32_t from)
{
    uint32_t least = UINT32_MAX;
    size_t i;

    for (i = 0; i < count; i++)
        if (label[i] >= from && label[i] < least)
            least = label[i];
    return least;
}

size_t format_punycode_encode(const uint32_t *label, size_t count, char *to)
{
    uint32_t code = FIRST_CODE, bias = FIRST_BIAS, delta = 0, next;
    size_t len = 0, basic, done, i;

    for (i = 0; i < count && len < FORMAT_LABEL_MAX; i++)
        if (label[i] < FIRST_CODE)
            to[len++] = (char)label[i];
    basic = done = len;
    if (basic > 0 && len < FORMAT_LABEL_MAX)
        to[len++] = '-';
    for (; done < count; code++, delta++) {
        next = next_code(label, count, code);
        delta += (next - code) * (uint32_t)(done + 1);
        code = next;
        for (i = 0; i < count; i++) {
            delta += label[i] < code;
            if (label[i] != code)
                continue;
            len = write_delta(to, len, delta, bias);
            if (len == 0)
                return 0;
            bias = adapt(delta, (uint32_t)done + 1, done == basic);
            delta = 0;
            done++;
        }
    }
    return len;
}
