/*
 * yaml_text.c - see yaml_text.h
 */
#include "base/yaml_text.h"

#include <stdio.h>
#include <string.h>

int mcp_yaml_text_line(const char *text, size_t at)
{
    int line = 1;

    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

/* The code point at text[0..left), which is UTF-8; `*len` its bytes. */
static unsigned decode(const char *text, size_t *len)
{
    const unsigned char *p = (const unsigned char *)text;

    *len = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    switch (*len) {
    case 1:
        return p[0];
    case 2:
        return (p[0] & 0x1FU) << 6 | (p[1] & 0x3FU);
    case 3:
        return (p[0] & 0x0FU) << 12 | (p[1] & 0x3FU) << 6 | (p[2] & 0x3FU);
    default:
        return (p[0] & 0x07U) << 18 | (p[1] & 0x3FU) << 12 |
               (p[2] & 0x3FU) << 6 | (p[3] & 0x3FU);
    }
}

static bool is_control(unsigned c)
{
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
           (c >= 0x7F && c < 0xA0) || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

/* Line separators of YAML 1.1 that YAML 1.2 takes for ordinary characters.
 * U+0085 is one as well, and a control character. */
static bool is_old_line_end(unsigned c)
{
    return c == 0x2028 || c == 0x2029;
}

bool mcp_yaml_text_check(const char *text, size_t len,
                         struct mcp_yaml_error *error)
{
    size_t bad, step;

    if (!mcp_utf8_valid(text, len, &bad)) {
        error->line = mcp_yaml_text_line(text, bad);
        (void)snprintf(error->reason, sizeof(error->reason), "not UTF-8");
        error->advice = "save the file as UTF-8";
        return false;
    }
    for (size_t at = 0; at < len; at += step) {
        unsigned c = decode(text + at, &step);
        bool lone = c == '\r' && (at + 1 == len || text[at + 1] != '\n');

        if (!is_control(c) && !is_old_line_end(c) && !lone)
            continue;
        error->line = mcp_yaml_text_line(text, at);
        (void)snprintf(error->reason, sizeof(error->reason),
                       "the character U+%04X", c);
        error->advice =
            lone ? "end lines with LF or CR LF"
                 : "leave it out, or write it as \\u and four digits in "
                   "double quotes";
        return false;
    }
    return true;
}

/* By a part of libyaml's words. */
static const struct {
    const char *problem, *advice;
} advices[] = {
    {"mapping values are not allowed",
     "put the value in quotes: a colon and a space inside begin a new member"},
    {"tab character", "indent with spaces, not tabs"},
    {"found character that cannot start any token",
     "indent with spaces, not tabs; quote values that begin with @, % or `"},
    {"did not find expected key",
     "indent members alike, and put values that begin with a quote, *, &, [ or "
     "{ in quotes as a whole"},
    {"could not find expected ':'",
     "write members as \"key: value\", with a space behind the colon"},
    {"unknown escape character",
     "use single quotes, or write \\\\ for a backslash in double quotes"},
    {"found unexpected end of stream", "close the quotes"},
    {"unexpected document indicator", "close the quotes"},
    {"alphabetic or numeric character",
     "put values that begin with & or * in quotes"},
    {"block sequence entries are not allowed",
     "begin a list on a line of its own"},
};

const char *mcp_yaml_text_advice(const char *problem)
{
    for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
        if (strstr(problem, advices[i].problem) != NULL)
            return advices[i].advice;
    return "quote text that has a special meaning in YAML";
}
