/*
 * format_idna.c - which labels IDNA 2008 allows
 *
 * A code point is allowed as such, allowed by a rule about its neighbours, or
 * not at all; the table tells which. Normalization (NFC) is not checked.
 */
#include "base/format_idna.h"

enum { NOT_ALLOWED = 0xffff };

static uint32_t attributes(uint32_t c)
{
    size_t low = 0, high = format_idna_run_count, mid;

    while (low < high) {
        mid = (low + high) / 2;
        if (format_idna_runs[mid].first >> 10 <= c)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == 0 || c - (format_idna_runs[low - 1].first >> 10) >=
                        format_idna_runs[low - 1].count)
        return NOT_ALLOWED;
    return format_idna_runs[low - 1].first & 0x3ff;
}

static bool in(uint32_t c, uint32_t first, uint32_t last)
{
    return c >= first && c <= last;
}

static bool is_greek(uint32_t c)
{
    return in(c, 0x370, 0x3e1) || in(c, 0x3f0, 0x3ff) || in(c, 0x1f00, 0x1fff);
}

static bool is_hebrew(uint32_t c)
{
    return in(c, 0x591, 0x5f4) || in(c, 0xfb1d, 0xfb4f);
}

/* Hiragana, Katakana or Han, but for the middle dot itself. */
static bool is_japanese(uint32_t c)
{
    return c == 0x3005 || c == 0x3007 || in(c, 0x3021, 0x3029) ||
           in(c, 0x3038, 0x303b) || in(c, 0x3041, 0x309f) ||
           in(c, 0x30a1, 0x30fa) || in(c, 0x30fd, 0x30ff) ||
           in(c, 0x31f0, 0x31ff) || in(c, 0x3400, 0x4dbf) ||
           in(c, 0x4e00, 0x9fff) || in(c, 0xf900, 0xfaff) ||
           in(c, 0x1b000, 0x1b16f) || in(c, 0x20000, 0x3fffd);
}

/* RFC 5892, appendix A.1: between letters that would join. */
static bool may_separate(const uint32_t *label, size_t count, size_t at)
{
    size_t i = at;

    while (i > 0 && (attributes(label[i - 1]) & IDNA_TRANSPARENT) != 0)
        i--;
    if (i == 0 || (attributes(label[i - 1]) & IDNA_JOINS_NEXT) == 0)
        return false;
    for (i = at + 1; i < count; i++)
        if ((attributes(label[i]) & IDNA_TRANSPARENT) == 0)
            return (attributes(label[i]) & IDNA_JOINS_LAST) != 0;
    return false;
}

static bool any(const uint32_t *label, size_t count, uint32_t first,
                uint32_t last)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (in(label[i], first, last))
            return true;
    return false;
}

static bool has_japanese(const uint32_t *label, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (is_japanese(label[i]))
            return true;
    return false;
}

/* RFC 5892, appendix A: may the code point stand where it does? */
static bool fits_context(const uint32_t *label, size_t count, size_t at)
{
    uint32_t c = label[at];
    uint32_t before = at > 0 ? label[at - 1] : 0;
    uint32_t after = at + 1 < count ? label[at + 1] : 0;
    bool virama = at > 0 && (attributes(before) & IDNA_VIRAMA) != 0;

    if (in(c, 0x660, 0x669))
        return !any(label, count, 0x6f0, 0x6f9);
    if (in(c, 0x6f0, 0x6f9))
        return !any(label, count, 0x660, 0x669);
    switch (c) {
    case 0x200c:
        return virama || may_separate(label, count, at);
    case 0x200d:
        return virama;
    case 0xb7:
        return before == 'l' && after == 'l';
    case 0x375:
        return is_greek(after);
    case 0x5f3:
    case 0x5f4:
        return is_hebrew(before);
    default: /* 0x30fb */
        return has_japanese(label, count);
    }
}

bool format_idna_valid(const uint32_t *label, size_t count, bool *rtl)
{
    size_t i;
    uint32_t bits, class;

    if (count == 0 || (attributes(label[0]) & IDNA_MARK) != 0)
        return false;
    for (i = 0; i < count; i++) {
        bits = attributes(label[i]);
        if (bits == NOT_ALLOWED ||
            ((bits & IDNA_CONTEXT) != 0 && !fits_context(label, count, i)))
            return false;
        class = bits & IDNA_BIDI;
        if (class == IDNA_R || class == IDNA_AL || class == IDNA_AN)
            *rtl = true;
    }
    return true;
}

static bool is_rtl(uint32_t class)
{
    return class == IDNA_R || class == IDNA_AL;
}

bool format_idna_bidi(const uint32_t *label, size_t count)
{
    uint32_t first = attributes(label[0]) & IDNA_BIDI, class, numbers = 0;
    bool rtl = is_rtl(first), ends_well = false;
    size_t i;

    if (!rtl && first != IDNA_L)
        return false;
    for (i = 0; i < count; i++) {
        class = attributes(label[i]) & IDNA_BIDI;
        if (rtl ? class == IDNA_L : is_rtl(class) || class == IDNA_AN)
            return false;
        if (rtl && (class == IDNA_EN || class == IDNA_AN)) {
            if (numbers != 0 && numbers != class)
                return false;
            numbers = class;
        }
        if (class != IDNA_NSM)
            ends_well =
                class == IDNA_EN ||
                (rtl ? is_rtl(class) || class == IDNA_AN : class == IDNA_L);
    }
    return ends_well;
}
