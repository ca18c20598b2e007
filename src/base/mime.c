/*
 * mime.c - see mime.h
 */
#include "base/mime.h"

#include <string.h>
#include <strings.h>

#include "base/json.h"

/* clang-format off */
static const struct {
    const char *extension, *type;
} by_extension[] = {
    {"aac",  "audio/aac"},        {"avif", "image/avif"},
    {"bmp",  "image/bmp"},        {"c",    "text/x-c"},
    {"css",  "text/css"},         {"csv",  "text/csv"},
    {"flac", "audio/flac"},       {"gif",  "image/gif"},
    {"gz",   "application/gzip"}, {"h",    "text/x-c"},
    {"htm",  "text/html"},        {"html", "text/html"},
    {"ico",  "image/vnd.microsoft.icon"},
    {"ics",  "text/calendar"},    {"jpeg", "image/jpeg"},
    {"jpg",  "image/jpeg"},       {"js",   "text/javascript"},
    {"json", "application/json"}, {"lua",  "text/x-lua"},
    {"md",   "text/markdown"},    {"mjs",  "text/javascript"},
    {"mp3",  "audio/mpeg"},       {"mp4",  "video/mp4"},
    {"ogg",  "audio/ogg"},        {"pdf",  "application/pdf"},
    {"png",  "image/png"},        {"py",   "text/x-python"},
    {"sh",   "application/x-sh"}, {"sql",  "application/sql"},
    {"svg",  "image/svg+xml"},    {"toml", "application/toml"},
    {"tsv",  "text/tab-separated-values"},
    {"txt",  "text/plain"},       {"wasm", "application/wasm"},
    {"wav",  "audio/wav"},        {"webm", "video/webm"},
    {"webp", "image/webp"},       {"xml",  "application/xml"},
    {"yaml", "application/yaml"}, {"yml",  "application/yaml"},
    {"zip",  "application/zip"},
};

static const struct {
    size_t at, len;
    const char *bytes, *type;
} by_signature[] = {
    {0, 8, "\x89PNG\r\n\x1a\n", "image/png"},
    {0, 3, "\xff\xd8\xff",      "image/jpeg"},
    {0, 4, "GIF8",              "image/gif"},
    {8, 4, "WEBP",              "image/webp"},
    {8, 4, "WAVE",              "audio/wav"},
    {0, 5, "%PDF-",             "application/pdf"},
    {0, 4, "PK\x03\x04",        "application/zip"},
    {0, 2, "\x1f\x8b",          "application/gzip"},
    {0, 4, "OggS",              "audio/ogg"},
    {0, 3, "ID3",               "audio/mpeg"},
};
/* clang-format on */

const char *mcp_mime_by_name(const char *name)
{
    size_t len = strcspn(name, "?#"), at = len;

    while (at > 0 && name[at - 1] != '.' && name[at - 1] != '/')
        at--;
    if (at < 2 || name[at - 1] != '.' || name[at - 2] == '/')
        return NULL;
    for (size_t i = 0; i < sizeof(by_extension) / sizeof(by_extension[0]); i++)
        if (strlen(by_extension[i].extension) == len - at &&
            strncasecmp(by_extension[i].extension, name + at, len - at) == 0)
            return by_extension[i].type;
    return NULL;
}

bool mcp_mime_is_text(const char *bytes, size_t len)
{
    return memchr(bytes, '\0', len) == NULL && mcp_utf8_valid(bytes, len, NULL);
}

const char *mcp_mime_by_content(const char *bytes, size_t len)
{
    for (size_t i = 0; i < sizeof(by_signature) / sizeof(by_signature[0]); i++)
        if (len >= by_signature[i].at + by_signature[i].len &&
            memcmp(bytes + by_signature[i].at, by_signature[i].bytes,
                   by_signature[i].len) == 0)
            return by_signature[i].type;
    return mcp_mime_is_text(bytes, len) ? "text/plain"
                                        : "application/octet-stream";
}
