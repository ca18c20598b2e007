/* Mirrors src/base/mime.c. */
#include "base/mime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_name_tells_by_its_extension(void **state)
{
    static const struct {
        const char *name, *type;
    } names[] = {
        {"logo.png", "image/png"},
        {"LOGO.PNG", "image/png"},
        {"docs/page.md", "text/markdown"},
        {"app://a.b/page.tar.gz?v=1.txt#x.md", "application/gzip"},
        {"data.JSON", "application/json"},
        {"a.jpeg", "image/jpeg"},
        {"a.jpg", "image/jpeg"},
        {"x.yml", "application/yaml"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_string_equal(mcp_mime_by_name(names[i].name), names[i].type);
}

static void other_names_tell_nothing(void **state)
{
    static const char *const names[] = {
        "",     "png",         "a.",        ".png",           "dir/.png",
        "a.pn", "a.pngg",      "a.unknown", "dir.png/readme", "a?b.png",
        ".",    "app://x.png/"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_null(mcp_mime_by_name(names[i]));
}

static void content_tells_by_its_first_bytes(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *type;
    } contents[] = {
        {"\x89PNG\r\n\x1a\n", 8, "image/png"},
        {"\x89PNG\r\n\x1a", 7, "application/octet-stream"},
        {"\xff\xd8\xff\xe0", 4, "image/jpeg"},
        {"GIF89a", 6, "image/gif"},
        {"RIFF\1\2\3\4WEBP", 12, "image/webp"},
        {"RIFF\1\2\3\4WAVE", 12, "audio/wav"},
        {"%PDF-1.7", 8, "application/pdf"},
        {"PK\x03\x04", 4, "application/zip"},
        {"", 0, "text/plain"},
        {"gr\xc3\xbc\xc3\x9f", 6, "text/plain"},
        {"\xff", 1, "application/octet-stream"},
        {"a\0b", 3, "application/octet-stream"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++)
        assert_string_equal(
            mcp_mime_by_content(contents[i].bytes, contents[i].len),
            contents[i].type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_tells_by_its_extension),
        cmocka_unit_test(other_names_tell_nothing),
        cmocka_unit_test(content_tells_by_its_first_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
