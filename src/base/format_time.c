/*
 * format_time.c - dates, times and durations of RFC 3339
 */
#include <string.h>

#include "base/format.h"

/* Where reading stands. */
struct reader {
    const char *p, *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Exactly `n` digits. */
static bool digits(struct reader *r, int n, int *value)
{
    *value = 0;
    for (; n > 0; n--, r->p++) {
        if (r->p == r->end || !is_digit(*r->p))
            return false;
        *value = *value * 10 + (*r->p - '0');
    }
    return true;
}

static bool one_of(struct reader *r, const char *chars)
{
    if (r->p == r->end || *r->p == '\0' || strchr(chars, *r->p) == NULL)
        return false;
    r->p++;
    return true;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month - 1] + (month == 2 && leap);
}

static bool read_date(struct reader *r)
{
    int year, month, day;

    return digits(r, 4, &year) && one_of(r, "-") && digits(r, 2, &month) &&
           one_of(r, "-") && digits(r, 2, &day) && month >= 1 && month <= 12 &&
           day >= 1 && day <= days_in(year, month);
}

/* "Z" or "+01:30"; `*minutes` east of UTC. */
static bool read_offset(struct reader *r, int *minutes)
{
    int hour, minute, sign;

    *minutes = 0;
    if (one_of(r, "Zz"))
        return true;
    sign = r->p < r->end && *r->p == '-' ? -1 : 1;
    if (!one_of(r, "+-") || !digits(r, 2, &hour) || !one_of(r, ":") ||
        !digits(r, 2, &minute) || hour > 23 || minute > 59)
        return false;
    *minutes = sign * (hour * 60 + minute);
    return true;
}

/* A second 60 is a leap second, which only 23:59 UTC can have. */
static bool read_time(struct reader *r)
{
    const int day = 24 * 60;
    int hour, minute, second, offset;

    if (!digits(r, 2, &hour) || !one_of(r, ":") || !digits(r, 2, &minute) ||
        !one_of(r, ":") || !digits(r, 2, &second))
        return false;
    if (one_of(r, ".")) {
        if (r->p == r->end || !is_digit(*r->p))
            return false;
        while (r->p < r->end && is_digit(*r->p))
            r->p++;
    }
    if (!read_offset(r, &offset) || hour > 23 || minute > 59 || second > 60)
        return false;
    return second < 60 || (hour * 60 + minute - offset + day) % day == day - 1;
}

bool mcp_format_date(const char *text, size_t len)
{
    struct reader r = {text, text + len};

    return read_date(&r) && r.p == r.end;
}

bool mcp_format_time(const char *text, size_t len)
{
    struct reader r = {text, text + len};

    return read_time(&r) && r.p == r.end;
}

bool mcp_format_date_time(const char *text, size_t len)
{
    struct reader r = {text, text + len};

    return read_date(&r) && one_of(&r, "Tt") && read_time(&r) && r.p == r.end;
}

/* Numbers with the units of `units`, in order and without gaps between the
 * first and the last. The count of them, -1: malformed. */
static int read_units(struct reader *r, const char *units)
{
    const char *unit, *last = NULL;
    int n = 0;

    while (r->p < r->end && is_digit(*r->p)) {
        while (r->p < r->end && is_digit(*r->p))
            r->p++;
        unit = r->p < r->end && *r->p != '\0' ? strchr(units, *r->p) : NULL;
        if (unit == NULL || (last != NULL && unit != last + 1))
            return -1;
        last = unit;
        r->p++;
        n++;
    }
    return n;
}

bool mcp_format_duration(const char *text, size_t len)
{
    struct reader r = {text, text + len};
    const char *start;
    int n;

    if (!one_of(&r, "P"))
        return false;
    start = r.p;
    n = read_units(&r, "W");
    if (n == 1 && r.p == r.end)
        return true;
    r.p = start;
    n = read_units(&r, "YMD");
    if (n < 0)
        return false;
    if (one_of(&r, "T")) {
        if (read_units(&r, "HMS") <= 0)
            return false;
    } else if (n == 0)
        return false;
    return r.p == r.end;
}
