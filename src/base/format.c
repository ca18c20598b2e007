/*
 * format.c - names of the formats, their checks, their hints
 */
#include "base/format.h"

#include <string.h>

#include "base/regex.h"

static const struct mcp_format formats[] = {
    {"regex", mcp_format_regex, "a regular expression (ECMA-262)"},
};

const struct mcp_format *mcp_format_find(const char *name, size_t len)
{
    size_t i;

    for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strlen(formats[i].name) == len &&
            memcmp(formats[i].name, name, len) == 0)
            return &formats[i];
    return NULL;
}

bool mcp_format_regex(const char *text, size_t len)
{
    const char *reason;
    size_t offset;

    return mcp_regex_translate(text, len, NULL, &reason, &offset) == MCP_OK;
}
