/*
 * yaml_scalar.c - see yaml_scalar.h
 */
#include "base/yaml_scalar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/json_number.h"

/* A part of a scalar; the functions take from its front. */
struct part {
    const char *at, *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* How many bytes at the front are of `set`; they are taken. */
static size_t take_any(struct part *p, const char *set)
{
    const char *from = p->at;

    while (p->at < p->end && *p->at != '\0' && strchr(set, *p->at) != NULL)
        p->at++;
    return (size_t)(p->at - from);
}

static size_t take_digits(struct part *p)
{
    return take_any(p, "0123456789");
}

static bool take_one(struct part *p, const char *set)
{
    if (p->at == p->end || *p->at == '\0' || strchr(set, *p->at) == NULL)
        return false;
    p->at++;
    return true;
}

static bool is_word(const char *text, size_t len, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strlen(*words) == len && memcmp(*words, text, len) == 0)
            return true;
    return false;
}

/* ---- the core schema ---- */

enum form { NOT_A_NUMBER, DECIMAL, FLOAT, OCTAL, HEXADECIMAL };

/* [-+]? ( [0-9]+ | (\.[0-9]+|[0-9]+(\.[0-9]*)?) ([eE][-+]?[0-9]+)? ) */
static enum form decimal_form(struct part p)
{
    size_t whole, fraction = 0;
    bool point, exponent;

    (void)take_one(&p, "+-");
    whole = take_digits(&p);
    point = take_one(&p, ".");
    if (point)
        fraction = take_digits(&p);
    if (whole + fraction == 0)
        return NOT_A_NUMBER;
    exponent = take_one(&p, "eE");
    if (exponent) {
        (void)take_one(&p, "+-");
        if (take_digits(&p) == 0)
            return NOT_A_NUMBER;
    }
    if (p.at != p.end)
        return NOT_A_NUMBER;
    return point || exponent ? FLOAT : DECIMAL;
}

static enum form number_form(const char *text, size_t len)
{
    struct part p = {text, text + len};

    if (len > 2 && text[0] == '0' && (text[1] == 'o' || text[1] == 'x')) {
        p.at += 2;
        (void)take_any(&p,
                       text[1] == 'o' ? "01234567" : "0123456789abcdefABCDEF");
        if (p.at == p.end)
            return text[1] == 'o' ? OCTAL : HEXADECIMAL;
        return NOT_A_NUMBER;
    }
    return decimal_form(p);
}

/* A decimal number as JSON writes it: no '+', no needless zeros in front, a
 * digit on both sides of the point. NULL: out of memory. */
static char *write_decimal(struct mcp_arena *a, const char *text, size_t len)
{
    struct part p = {text, text + len};
    char *start = mcp_arena_alloc(a, len + 3), *to = start;

    if (start == NULL)
        return NULL;
    if (*p.at == '-')
        *to++ = '-';
    (void)take_one(&p, "+-");
    while (p.end - p.at > 1 && *p.at == '0' && is_digit(p.at[1]))
        p.at++;
    if (!is_digit(*p.at))
        *to++ = '0';
    for (; p.at < p.end; p.at++) {
        *to++ = *p.at;
        if (*p.at == '.' && (p.at + 1 == p.end || !is_digit(p.at[1])))
            *to++ = '0';
    }
    *to = '\0';
    return start;
}

/* `json` may be NULL: out of memory. */
static enum mcp_err read_number(const char *json, struct mcp_json *out,
                                const char **reason)
{
    const char *p = json;
    struct mcp_json number;

    if (json == NULL)
        return MCP_ENOMEM;
    if (!mcp_json_number_parse(&p, json + strlen(json), &number) ||
        *p != '\0' || !isfinite(number.number)) {
        *reason = "a number beyond the range of a double";
        return MCP_EINVAL;
    }
    *out = number;
    return MCP_OK;
}

/* 0o17, 0x1f: the digits behind the first two bytes. */
static enum mcp_err read_based(struct mcp_arena *a, const char *text,
                               size_t len, unsigned bits, struct mcp_json *out,
                               const char **reason)
{
    uint64_t value = 0;

    for (size_t i = 2; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        unsigned digit =
            is_digit(text[i]) ? c - (unsigned)'0' : (c | 32U) - 'a' + 10U;

        if (value >> (64 - bits) != 0) {
            *reason = "a number of more than 64 bits";
            return MCP_EINVAL;
        }
        value = value << bits | digit;
    }
    return read_number(mcp_arena_printf(a, "%" PRIu64, value), out, reason);
}

static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
static const char *const trues[] = {"true", "True", "TRUE", NULL};
static const char *const falses[] = {"false", "False", "FALSE", NULL};
static const char *const infinities[] = {
    ".inf",  ".Inf",  ".INF", "+.inf", "+.Inf", "+.INF", "-.inf",
    "-.Inf", "-.INF", ".nan", ".NaN",  ".NAN",  NULL};

static enum mcp_err read_text(struct mcp_arena *a, const char *text, size_t len,
                              struct mcp_json *out)
{
    char *copy = mcp_arena_dup(a, text, len);

    if (copy == NULL)
        return MCP_ENOMEM;
    *out = (struct mcp_json){
        .type = MCP_JSON_STRING, .count = (uint32_t)len, .u.text = copy};
    return MCP_OK;
}

enum mcp_err mcp_yaml_scalar_read(struct mcp_arena *a, const char *text,
                                  size_t len, struct mcp_json *out,
                                  const char **reason)
{
    uint8_t word = is_word(text, len, nulls)    ? MCP_JSON_NULL
                   : is_word(text, len, trues)  ? MCP_JSON_TRUE
                   : is_word(text, len, falses) ? MCP_JSON_FALSE
                                                : MCP_JSON_STRING;

    if (word != MCP_JSON_STRING) {
        *out = (struct mcp_json){.type = word};
        return MCP_OK;
    }
    if (is_word(text, len, infinities)) {
        *reason = "a number that JSON does not have";
        return MCP_EINVAL;
    }
    switch (number_form(text, len)) {
    case DECIMAL:
    case FLOAT:
        return read_number(write_decimal(a, text, len), out, reason);
    case OCTAL:
        return read_based(a, text, len, 3, out, reason);
    case HEXADECIMAL:
        return read_based(a, text, len, 4, out, reason);
    default:
        return read_text(a, text, len, out);
    }
}

/* ---- what YAML 1.1 sees ---- */

/* YYYY-M-D, and anything behind it that a time begins with. */
static bool is_date(struct part p)
{
    if (take_digits(&p) != 4 || !take_one(&p, "-"))
        return false;
    for (int i = 0; i < 2; i++) {
        size_t digits = take_digits(&p);

        if (digits < 1 || digits > 2 || (i == 0 && !take_one(&p, "-")))
            return false;
    }
    return p.at == p.end || take_one(&p, "Tt \t");
}

/* [-+]? [0-9]+ (: [0-5]?[0-9])+ (\. [0-9]*)? */
static bool is_sexagesimal(struct part p)
{
    bool any = false;

    (void)take_one(&p, "+-");
    if (take_digits(&p) == 0)
        return false;
    for (; take_one(&p, ":"); any = true) {
        const char *first = p.at;
        size_t digits = take_digits(&p);

        if (digits < 1 || digits > 2 || (digits == 2 && *first > '5'))
            return false;
    }
    if (take_one(&p, "."))
        (void)take_digits(&p);
    return any && p.at == p.end;
}

/* [-+]? 0 [0-7_]+ */
static bool is_old_octal(struct part p)
{
    (void)take_one(&p, "+-");
    return take_one(&p, "0") && take_any(&p, "01234567_") > 0 && p.at == p.end;
}

/* [-+]? 0b [01_]+ */
static bool is_binary(struct part p)
{
    (void)take_one(&p, "+-");
    return take_one(&p, "0") && take_one(&p, "b") && take_any(&p, "01_") > 0 &&
           p.at == p.end;
}

/* Digits with underscores between them, and perhaps a fraction. */
static bool is_grouped(struct part p)
{
    const char *first;

    (void)take_one(&p, "+-");
    first = p.at;
    if (p.at == p.end || !is_digit(*first))
        return false;
    (void)take_any(&p, "0123456789_");
    if (take_one(&p, "."))
        (void)take_any(&p, "0123456789_");
    return p.at == p.end && memchr(first, '_', (size_t)(p.end - first)) != NULL;
}

const char *mcp_yaml_scalar_doubt(const char *text, size_t len)
{
    static const char *const yes[] = {"yes", "Yes", "YES", "on",
                                      "On",  "ON",  NULL};
    static const char *const no[] = {"no",  "No",  "NO", "off",
                                     "Off", "OFF", NULL};
    struct part p = {text, text + len};

    if (is_word(text, len, yes))
        return "true";
    if (is_word(text, len, no))
        return "false";
    if (is_date(p))
        return "a date";
    if (is_old_octal(p))
        return "an octal number";
    if (is_binary(p) || is_sexagesimal(p) || is_grouped(p))
        return "a number";
    if (number_form(text, len) == OCTAL ||
        (number_form(text, len) == FLOAT && memchr(text, '.', len) == NULL))
        return "text";
    return NULL;
}
