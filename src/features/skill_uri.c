/*
 * skill_uri.c - see skill_uri.h
 */
#include "features/skill_uri.h"

#include <strings.h>

#include "base/codec.h"
#include "base/json.h"
#include "features/skill.h"

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9');
}

/* Why path[from..to) may not be a part of a path. */
static const char *part_flaw(const char *part, size_t len)
{
    if (len == 0)
        return "a path with an empty part";
    if (part[0] == '.')
        return len == 1 || (len == 2 && part[1] == '.')
                   ? "a path with the part . or .."
                   : "a name that begins with a dot";
    return NULL;
}

const char *mcp_skill_path_flaw(const char *path, size_t len)
{
    size_t from = 0, depth = 0;

    if (len > MCP_SKILL_MAX_PATH)
        return "a path of more than 1024 bytes";
    if (!mcp_utf8_valid(path, len, NULL))
        return "a name that is not UTF-8";
    if (memchr(path, '\0', len) != NULL || memchr(path, '\\', len) != NULL)
        return "a name with a NUL or a backslash";
    while (from <= len) {
        const char *slash = memchr(path + from, '/', len - from);
        size_t to = slash != NULL ? (size_t)(slash - path) : len;
        const char *flaw = part_flaw(path + from, to - from);

        if (flaw != NULL)
            return flaw;
        if (++depth > MCP_SKILL_MAX_DEPTH)
            return "a path of more than 16 parts";
        from = to + 1;
    }
    return NULL;
}

void mcp_skill_uri_encode(struct mcp_buf *out, const char *path, size_t len)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)path[i];

        if (is_alnum(path[i]) ||
            (c != '\0' && strchr("/-._~!$&'()*+,;=", c) != NULL)) {
            mcp_buf_putc(out, path[i]);
            continue;
        }
        mcp_buf_putc(out, '%');
        mcp_buf_putc(out, digits[c >> 4]);
        mcp_buf_putc(out, digits[c & 15]);
    }
}

/* The path of the URI without its escapes, to `to`, which has room for `len`.
 * -1: a bad escape, an encoded slash, a query or a fragment. */
static long decode(char *to, const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        if (text[i] == '?' || text[i] == '#')
            return -1;
        to[n] = text[i];
        if (text[i] == '%') {
            if (len - i < 3 ||
                mcp_hex_decode(text + i + 1, 2, to + n) != MCP_OK ||
                to[n] == '/')
                return -1;
            i += 2;
        }
        n++;
    }
    return (long)n;
}

bool mcp_skill_uri_normalize(struct mcp_buf *out, const char *uri, size_t len)
{
    const size_t scheme = sizeof(MCP_SKILL_SCHEME) - 1;
    char path[3 * MCP_SKILL_MAX_PATH];
    long n;

    if (len <= scheme || len - scheme > sizeof(path) ||
        strncasecmp(uri, MCP_SKILL_SCHEME, scheme) != 0)
        return false;
    n = decode(path, uri + scheme, len - scheme);
    if (n < 0 || mcp_skill_path_flaw(path, (size_t)n) != NULL)
        return false;
    mcp_buf_puts(out, MCP_SKILL_SCHEME);
    mcp_skill_uri_encode(out, path, (size_t)n);
    return true;
}

const char *mcp_skill_name_flaw(const char *name, size_t len)
{
    if (len == 0)
        return "an empty name";
    if (len > MCP_SKILL_MAX_NAME)
        return "a name of more than 64 characters";
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '-' ? i == 0 || i + 1 == len || name[i - 1] == '-'
                           : !(name[i] >= 'a' && name[i] <= 'z') &&
                                 !(name[i] >= '0' && name[i] <= '9'))
            return name[i] == '-'
                       ? "a name with a hyphen at an end or two in a row"
                       : "a name with other characters than a-z, 0-9 and "
                         "hyphens";
    }
    return NULL;
}
