/*
 * json_number.c - reading numbers, and exact questions about their text
 *
 * A value is seen as 0.d1 d2 d3 ... * 10^(point + exponent), where d1 and the
 * last digit are not 0. `point` is small (it comes from positions in the text),
 * the exponent may have any number of digits and is compared as text.
 */
#include "base/json_number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    EXACT_POWER = 22,  /* 10^22 is the largest power of ten a double holds  */
    KEPT_DIGITS = 800, /* 767 decide any rounding; the rest is only sticky  */
    FAR_POWER = 400,   /* 0.1 * 10^400 overflows, 0.1 * 10^-400 is 0        */
    WORD_DIGITS = 19,  /* any number of so many digits fits 64 bits         */
    WIDE_DIGITS = 37, /* a divisor of so many digits, times 10, fits 128 bits */
    WIDE_ZEROS = 128, /* no divisor of 37 digits has more factors 2 or 5 */
};

/* Exponents saturate here: far beyond what positions in a text can offset. */
#define FAR_EXPONENT INT64_C(1000000000000000)

__extension__ typedef unsigned __int128 wide;

struct decimal {
    bool negative;
    const char *first, *last; /* [first, last): digits, maybe with a '.' */
    size_t digits;            /* how many digits are in there; 0 = zero  */
    int64_t point;
    bool exp_negative;
    const char *exp, *end; /* [exp, end): digits of the exponent */
};

static inline bool is_digit(const char *p, const char *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

static const char *skip_digits(const char *p, const char *end)
{
    while (is_digit(p, end))
        p++;
    return p;
}

/* The exponent's value, saturated at +-FAR_EXPONENT. */
static int64_t exponent(const struct decimal *d)
{
    const char *p = d->exp;
    int64_t e = 0;

    for (; p < d->end && e < FAR_EXPONENT; p++)
        e = e * 10 + (*p - '0');
    if (e > FAR_EXPONENT)
        e = FAR_EXPONENT;
    return d->exp_negative ? -e : e;
}

/* Cuts zeros off both ends of the mantissa [p, end) whose '.' is at `dot`
 * (`end` when it has none). */
static void trim(struct decimal *d, const char *p, const char *dot,
                 const char *end)
{
    while (p < end && (*p == '0' || *p == '.'))
        p++;
    while (end > p && (end[-1] == '0' || end[-1] == '.'))
        end--;
    d->first = p;
    d->last = end;
    d->digits = (size_t)(end - p) - (p < dot && dot < end ? 1 : 0);
    d->point = p < dot ? dot - p : dot + 1 - p;
}

static void split(struct decimal *d, const char *text, size_t len)
{
    const char *end = text + len, *p, *dot;

    d->negative = *text == '-';
    text += d->negative;
    dot = skip_digits(text, end);
    p = dot < end && *dot == '.' ? skip_digits(dot + 1, end) : dot;
    trim(d, text, dot, p);
    d->exp_negative = false;
    d->exp = d->end = end;
    if (p == end)
        return;
    p++; /* e or E */
    d->exp_negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    d->exp = p;
}

static void split_value(struct decimal *d, const struct mcp_json *v)
{
    split(d, v->u.text, v->count);
}

/* ---- comparison ---- */

/* Exponent of `a` minus that of `b`, saturated at about +-FAR_EXPONENT. Goes
 * over the digits from the left; once the difference is that large, the
 * digits that follow can only enlarge it. */
static int64_t exponent_difference(const struct decimal *a,
                                   const struct decimal *b)
{
    ptrdiff_t na = a->end - a->exp, nb = b->end - b->exp;
    ptrdiff_t i = na > nb ? na : nb;
    int64_t diff = 0;
    int da, db;

    for (; i > 0 && diff < FAR_EXPONENT && diff > -FAR_EXPONENT; i--) {
        da = i <= na ? a->end[-i] - '0' : 0;
        db = i <= nb ? b->end[-i] - '0' : 0;
        diff = diff * 10 + (a->exp_negative ? -da : da) -
               (b->exp_negative ? -db : db);
    }
    return diff;
}

/* The next digit of [*p, end), 0 behind the end. */
static int next_digit(const char **p, const char *end)
{
    if (*p < end && **p == '.')
        ++*p;
    return *p < end ? *(*p)++ - '0' : 0;
}

static int compare_magnitudes(const struct decimal *a, const struct decimal *b)
{
    const char *pa = a->first, *pb = b->first;
    int64_t scale;
    int diff;

    if (a->digits == 0 || b->digits == 0)
        return (a->digits > 0) - (b->digits > 0);
    scale = exponent_difference(a, b) + a->point - b->point;
    if (scale != 0)
        return scale < 0 ? -1 : 1;
    while (pa < a->last || pb < b->last) {
        diff = next_digit(&pa, a->last) - next_digit(&pb, b->last);
        if (diff != 0)
            return diff < 0 ? -1 : 1;
    }
    return 0;
}

/* -1, 0 or 1. */
static int sign(const struct decimal *d)
{
    if (d->digits == 0)
        return 0;
    return d->negative ? -1 : 1;
}

static int compare(const struct decimal *a, const struct decimal *b)
{
    int sa = sign(a), sb = sign(b);

    if (sa != sb)
        return sa < sb ? -1 : 1;
    return sa < 0 ? -compare_magnitudes(a, b) : compare_magnitudes(a, b);
}

int mcp_json_number_compare(const struct mcp_json *a, const struct mcp_json *b)
{
    struct decimal da, db;

    split_value(&da, a);
    split_value(&db, b);
    return compare(&da, &db);
}

/* ---- whole numbers and multiples ---- */

static bool is_whole(const struct decimal *d)
{
    return d->digits == 0 || d->point + exponent(d) >= (int64_t)d->digits;
}

bool mcp_json_number_is_integer(const struct mcp_json *v)
{
    struct decimal d;

    if ((v->flags & MCP_JSON_F_INTEGER) != 0)
        return true;
    split_value(&d, v);
    return is_whole(&d);
}

bool mcp_json_number_exact_double(const struct mcp_json *v)
{
    char text[400]; /* the largest double has 309 digits */
    struct decimal d, held;
    int n;

    if (!isfinite(v->number))
        return false;
    split_value(&d, v);
    if (fabs(v->number) < 9007199254740992.0 || !is_whole(&d))
        return true;
    n = snprintf(text, sizeof(text), "%.0f", v->number);
    split(&held, text, (size_t)n);
    return compare(&d, &held) == 0;
}

static wide power_of_ten(size_t n)
{
    wide p = 1;

    while (n-- > 0)
        p *= 10;
    return p;
}

/* Reads up to `n` digits of `d` from `*p` on; `*read` gets how many. */
static wide take_digits(const struct decimal *d, const char **p, size_t n,
                        size_t *read)
{
    wide value = 0;
    size_t i;

    for (i = 0; i < n && *p < d->last; i++)
        value = value * 10 + (unsigned)next_digit(p, d->last);
    *read = i;
    return value;
}

/* d1 d2 d3 ... of `d` as a whole number, modulo `m`, which has `m_digits`. */
static wide digits_modulo(const struct decimal *d, wide m, size_t m_digits)
{
    size_t chunk = WIDE_DIGITS + 1 - m_digits, read;
    const char *p = d->first;
    wide r = 0, value;

    while (p < d->last) {
        value = take_digits(d, &p, chunk, &read);
        r = (r * power_of_ten(read) + value) % m;
    }
    return r;
}

/* v = A * 10^a and divisor = B * 10^b, with A and B whole and not divisible by
 * 10, so v is a multiple when B divides A * 10^(a - b): never for a < b. */
bool mcp_json_number_is_multiple_of(const struct mcp_json *v,
                                    const struct mcp_json *divisor)
{
    struct decimal a, b;
    int64_t zeros;
    size_t read;
    wide m, r;

    split_value(&a, v);
    split_value(&b, divisor);
    if (a.digits == 0 || b.digits == 0)
        return a.digits == 0;
    if (b.digits > WIDE_DIGITS)
        return compare_magnitudes(&a, &b) == 0;
    zeros = exponent_difference(&a, &b) + a.point - b.point -
            ((int64_t)a.digits - (int64_t)b.digits);
    if (zeros < 0)
        return false;
    m = take_digits(&b, &b.first, b.digits, &read);
    r = digits_modulo(&a, m, b.digits);
    if (zeros > WIDE_ZEROS)
        zeros = WIDE_ZEROS;
    for (; zeros > 0 && r != 0; zeros--)
        r = r * 10 % m;
    return r == 0;
}

/* ---- reading ---- */

/* A number as it is read. */
struct scan {
    uint64_t mantissa; /* all digits; wrong when there are over WORD_DIGITS */
    size_t digits;
    int64_t power; /* value = mantissa * 10^power */
    bool integer;
};

static inline const char *scan_digits(struct scan *s, const char *p,
                                      const char *end)
{
    const char *from = p;

    for (; is_digit(p, end); p++)
        s->mantissa = s->mantissa * 10 + (unsigned)(*p - '0');
    s->digits += (size_t)(p - from);
    return p;
}

/* Reads "e+12" at `p`. False: `*at` is the byte that spoils it. */
static bool scan_exponent(struct scan *s, const char *p, const char *end,
                          const char **at)
{
    struct decimal d = {.exp_negative = false};

    p++;
    if (p < end && (*p == '-' || *p == '+'))
        d.exp_negative = *p++ == '-';
    d.exp = p;
    d.end = *at = skip_digits(p, end);
    s->power += exponent(&d);
    s->integer = false;
    return p < *at;
}

/* Reads a number without its sign; `*at` gets where it ends or is spoiled. */
static inline bool scan_number(struct scan *s, const char *p, const char *end,
                               const char **at)
{
    const char *from;

    *at = p;
    if (!is_digit(p, end))
        return false;
    if (*p == '0') {
        p++;
        s->digits = 1;
    } else {
        p = scan_digits(s, p, end);
    }
    if (p < end && *p == '.') {
        from = ++p;
        *at = p = scan_digits(s, p, end);
        if (p == from)
            return false;
        s->power = from - p;
        s->integer = false;
    }
    *at = p;
    if (p < end && (*p == 'e' || *p == 'E'))
        return scan_exponent(s, p, end, at);
    return true;
}

/* The nearest double of a long or large number, without its sign. strtod() gets
 * a short text without a decimal point, so no locale can mislead it; digits
 * behind KEPT_DIGITS count as one that is not 0. */
static double slow_double(const char *text, size_t len)
{
    char digits[KEPT_DIGITS + 32];
    struct decimal d;
    const char *p;
    int64_t scale;
    int n = 0, saved = errno;
    double value;

    split(&d, text, len);
    scale = d.point + exponent(&d);
    if (d.digits == 0 || scale < -FAR_POWER)
        return 0;
    if (scale > FAR_POWER)
        return HUGE_VAL;
    for (p = d.first; p < d.last && n < KEPT_DIGITS; n++)
        digits[n] = (char)('0' + next_digit(&p, d.last));
    if (p < d.last)
        digits[n++] = '1';
    (void)snprintf(digits + n, 32, "e%d", (int)scale - n);
    value = strtod(digits, NULL);
    errno = saved;
    return value;
}

/* Right when both operands are exact doubles: then IEEE 754 rounds once.
 * Source: Clinger, How to Read Floating Point Numbers Accurately, 1990. */
static inline bool fast_double(const struct scan *s, double *value)
{
    static const double powers[EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    if (s->digits > WORD_DIGITS)
        return false;
    *value = (double)s->mantissa;
    if (s->power == 0)
        return true;
    if (s->mantissa > UINT64_C(1) << 53 || s->power > EXACT_POWER ||
        s->power < -EXACT_POWER)
        return false;
    if (s->power > 0)
        *value *= powers[s->power];
    else
        *value /= powers[-s->power];
    return true;
}

bool mcp_json_number_parse(const char **p, const char *end,
                           struct mcp_json *out)
{
    const char *text = *p, *from = text + (*text == '-');
    struct scan s = {.integer = true};
    double value;

    if (!scan_number(&s, from, end, p))
        return false;
    if (!fast_double(&s, &value))
        value = slow_double(from, (size_t)(*p - from));
    out->type = MCP_JSON_NUMBER;
    out->flags = s.integer ? MCP_JSON_F_INTEGER : 0;
    out->count = (uint32_t)(*p - text);
    out->u.text = text;
    out->number = *text == '-' ? -value : value;
    return true;
}
