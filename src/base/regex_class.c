/*
 * regex_class.c - character escapes and classes of a pattern
 */
#include <stdio.h>
#include <string.h>

#include "base/regex_reader.h"

/* ECMA-262's white space and line terminators, and all the rest. */
#define SPACES                                                                 \
    "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{20"   \
    "29}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
#define NO_SPACES                                                              \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\"  \
    "x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{206"  \
    "0}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"

/* \D and \W inside a class: PCRE2 goes wrong on [^\p{Nd}\D]. */
#define NO_DIGITS "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}"
#define NO_WORDS                                                               \
    "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}"

enum { MAX_CHAR = 0x10ffff, SET = 0x110000 };

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Exactly `n` hex digits at the reader. */
static bool fixed_hex(struct regex_reader *r, int n, uint32_t *c)
{
    uint32_t v = 0;
    int i;

    if (r->end - r->p < n)
        return false;
    for (i = 0; i < n; i++) {
        if (hex_value(r->p[i]) < 0)
            return false;
        v = v * 16 + (uint32_t)hex_value(r->p[i]);
    }
    r->p += n;
    *c = v;
    return true;
}

/* The hex digits and the brace behind "{". */
static bool braced_hex(struct regex_reader *r, uint32_t *c)
{
    const char *first = r->p;
    uint32_t v = 0;

    for (; r->p < r->end && hex_value(*r->p) >= 0; r->p++) {
        v = v * 16 + (uint32_t)hex_value(*r->p);
        if (v > MAX_CHAR)
            return false;
    }
    if (r->p == first || r->p == r->end || *r->p != '}')
        return false;
    r->p++;
    *c = v;
    return true;
}

/* Behind "\u". Two escapes that are a surrogate pair are one character. */
static bool unicode_escape(struct regex_reader *r, uint32_t *c)
{
    const char *before;
    uint32_t low;

    if (r->p < r->end && *r->p == '{') {
        r->p++;
        return braced_hex(r, c);
    }
    if (!fixed_hex(r, 4, c))
        return false;
    if (*c < 0xd800 || *c > 0xdbff)
        return true;
    before = r->p;
    if (r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u') {
        r->p += 2;
        if (fixed_hex(r, 4, &low) && low >= 0xdc00 && low <= 0xdfff)
            *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
        else
            r->p = before;
    }
    return true;
}

static bool control_escape(struct regex_reader *r, uint32_t *c)
{
    char letter = r->p < r->end ? *r->p : '\0';

    if (!((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')))
        return false;
    r->p++;
    *c = (uint32_t)letter & 31;
    return true;
}

bool regex_char_escape(struct regex_reader *r, uint32_t *c)
{
    static const char from[] = "fnrtv", to[] = "\f\n\r\t\v";
    const char *at = r->p - 1, *hit;
    char e = r->p < r->end ? *r->p++ : '\0';
    bool ok;

    hit = e != '\0' ? strchr(from, e) : NULL;
    *c = (uint32_t)(unsigned char)e;
    if (hit != NULL)
        *c = (uint32_t)to[hit - from];
    else if (e == 'c')
        return control_escape(r, c) ||
               regex_fail(r, at, "\\c needs a letter behind it");
    else if (e == '0') {
        *c = 0;
        ok = r->p == r->end || *r->p < '0' || *r->p > '9';
        return ok || regex_fail(r, at, "octal escapes are not allowed");
    } else if (e == 'x')
        return fixed_hex(r, 2, c) ||
               regex_fail(r, at, "\\x needs two hex digits");
    else if (e == 'u')
        return unicode_escape(r, c) ||
               regex_fail(r, at, "\\u needs four hex digits or {code point}");
    else if (e == '\0' || strchr("^$\\.*+?()[]{}|/", e) == NULL)
        return regex_fail(r, at,
                          "no such escape in ECMA-262 with the flag u; only "
                          "^$\\.*+?()[]{}|/ may be escaped as themselves");
    return true;
}

static bool property_escape(struct regex_reader *r, bool negated)
{
    const char *at = r->p, *close;
    char name[64], text[80];

    close = r->p < r->end && *r->p == '{'
                ? memchr(r->p, '}', (size_t)(r->end - r->p))
                : NULL;
    if (close == NULL)
        return regex_fail(r, at, "\\p needs {a property}");
    if (!regex_property(at + 1, (size_t)(close - at) - 1, name, sizeof(name)))
        return regex_fail(r, at, "unknown Unicode property");
    (void)snprintf(text, sizeof(text), "\\%c{%s}", negated ? 'P' : 'p', name);
    regex_puts(r, text);
    r->p = close + 1;
    return true;
}

bool regex_class_escape(struct regex_reader *r, bool inside, bool *found)
{
    char e = r->p < r->end ? *r->p : '\0';
    char simple[3] = {'\\', e, '\0'};

    *found = e != '\0' && strchr("dDwWsSpP", e) != NULL;
    if (!*found)
        return true;
    r->p++;
    if (e == 'p' || e == 'P')
        return property_escape(r, e == 'P');
    if (e == 's' || e == 'S') {
        regex_puts(r, inside ? "" : "[");
        regex_puts(r, e == 's' ? SPACES : NO_SPACES);
        regex_puts(r, inside ? "" : "]");
    } else if (inside && e == 'D')
        regex_puts(r, NO_DIGITS);
    else if (inside && e == 'W')
        regex_puts(r, NO_WORDS);
    else
        regex_puts(r, simple);
    return true;
}

/* One member of a class: a character, or SET when a set was written. */
static bool class_atom(struct regex_reader *r, uint32_t *c)
{
    bool found;

    if (*r->p != '\\') {
        *c = regex_next_char(r);
        return true;
    }
    r->p++;
    if (!regex_class_escape(r, true, &found))
        return false;
    if (found) {
        *c = SET;
        return true;
    }
    if (r->p < r->end && (*r->p == 'b' || *r->p == '-')) {
        *c = *r->p++ == 'b' ? 8 : '-';
        return true;
    }
    return regex_char_escape(r, c);
}

/* The range without surrogates, which no UTF-8 text holds. True: something
 * was written. */
static bool put_range(struct regex_reader *r, uint32_t low, uint32_t high)
{
    if (low >= 0xd800 && low <= 0xdfff)
        low = 0xe000;
    if (high >= 0xd800 && high <= 0xdfff)
        high = 0xd7ff;
    if (low > high)
        return false;
    regex_put_char(r, low);
    if (high > low) {
        regex_puts(r, "-");
        regex_put_char(r, high);
    }
    return true;
}

/* One member or range. `*any` is set when something was written. */
static bool class_item(struct regex_reader *r, bool *any)
{
    const char *at = r->p;
    uint32_t low, high;

    if (!class_atom(r, &low))
        return false;
    if (r->end - r->p < 2 || *r->p != '-' || r->p[1] == ']') {
        if (low == SET || put_range(r, low, low))
            *any = true;
        return true;
    }
    r->p++;
    if (!class_atom(r, &high))
        return false;
    if (low == SET || high == SET)
        return regex_fail(r, at, "a set cannot be the end of a range");
    if (low > high)
        return regex_fail(r, at, "range out of order");
    if (put_range(r, low, high))
        *any = true;
    return true;
}

bool regex_class(struct regex_reader *r)
{
    const char *at = r->p - 1;
    size_t start = r->out != NULL ? r->out->len : 0;
    bool negated = r->p < r->end && *r->p == '^', any = false;

    if (negated)
        r->p++;
    regex_puts(r, negated ? "[^" : "[");
    while (r->p < r->end && *r->p != ']')
        if (!class_item(r, &any))
            return false;
    if (r->p == r->end)
        return regex_fail(r, at, "the class has no ]");
    r->p++;
    if (any) {
        regex_puts(r, "]");
        return true;
    }
    if (r->out != NULL)
        r->out->len = start;
    regex_puts(r, negated ? "[\\x{0}-\\x{10ffff}]" : "(?:(?!))");
    return true;
}
