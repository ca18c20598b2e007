/*
 * skill.c - fuzzing SKILL.md, paths and URIs of skills
 *
 * The input is three parts with a NUL between them: a SKILL.md, the path of a
 * file in its skill, a URI. What must hold: a URI has one spelling, which leads
 * nowhere upwards; a path that may be served comes back from its URI; what is
 * served is found, has its digest and an entry that is JSON; a refused skill
 * leaves a report.
 */
#include <stdlib.h>

#include "base/codec.h"
#include "features/skill_index.h"
#include "features/skill_uri.h"

enum { JSON_BYTES = 4 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* ---- URIs ---- */

static bool has(const struct mcp_buf *b, const char *text)
{
    return memmem(b->data, b->len, text, strlen(text)) != NULL;
}

static void try_uri(const char *uri, size_t len)
{
    struct mcp_buf one, two;

    mcp_buf_init(&one, MCP_SKILL_MAX_URI);
    mcp_buf_init(&two, MCP_SKILL_MAX_URI);
    if (mcp_skill_uri_normalize(&one, uri, len)) {
        must(!one.failed && one.len > strlen(MCP_SKILL_SCHEME));
        must(!has(&one, "/../") && !has(&one, "/./") && !has(&one, "%2F") &&
             !has(&one, "%2f") && !has(&one, "/.") &&
             one.data[one.len - 1] != '/');
        must(mcp_skill_uri_normalize(&two, one.data, one.len));
        must(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
    } else {
        must(one.len == 0);
    }
    mcp_buf_free(&one);
    mcp_buf_free(&two);
}

static void try_path(const char *path, size_t len)
{
    struct mcp_buf uri, again;
    bool served = mcp_skill_path_flaw(path, len) == NULL;

    mcp_buf_init(&uri, 16 + 3 * len);
    mcp_buf_init(&again, MCP_SKILL_MAX_URI);
    mcp_buf_puts(&uri, MCP_SKILL_SCHEME);
    mcp_skill_uri_encode(&uri, path, len);
    must(mcp_skill_uri_normalize(&again, uri.data, uri.len) == served);
    if (served)
        must(uri.len == again.len &&
             memcmp(uri.data, again.data, uri.len) == 0);
    mcp_buf_free(&uri);
    mcp_buf_free(&again);
}

/* ---- skills ---- */

static void check_digest(const struct mcp_skill_file *f)
{
    unsigned char raw[MCP_SHA256_BYTES];
    struct mcp_buf hex;

    mcp_buf_init(&hex, 64);
    must(mcp_sha256(f->bytes, f->len, raw) == MCP_OK);
    mcp_hex_write(&hex, raw, sizeof(raw));
    must(hex.len == 64 && memcmp(hex.data, f->digest + 7, 64) == 0);
    mcp_buf_free(&hex);
}

static void check_skill(const struct mcp_skill_index *index,
                        const struct mcp_skill *skill)
{
    struct mcp_arena *a = mcp_arena_new(64 << 20);
    const struct mcp_json *entry;

    must(mcp_skill_index_find(index, skill->uri, strlen(skill->uri)) == skill);
    must(mcp_skill_name_flaw(skill->name, strlen(skill->name)) == NULL);
    must(mcp_json_parse(a, skill->entry.text, skill->entry.len, NULL, &entry,
                        NULL) == MCP_OK);
    must(mcp_json_equal(mcp_json_find(entry, "frontmatter"),
                        skill->frontmatter));
    must(mcp_json_find(entry, "resources")->count == skill->file_count);
    must(skill->self != NULL);
    mcp_arena_free(a);
}

static void check_index(const struct mcp_skill_index *index)
{
    size_t count, skills;
    const struct mcp_skill_file *f = mcp_skill_index_files(index, &count);
    const struct mcp_skill *s = mcp_skill_index_skills(index, &skills);

    for (size_t i = 0; i < skills; i++)
        check_skill(index, &s[i]);
    for (size_t i = 0; i < count; i++) {
        must(mcp_skill_index_find_file(index, f[i].uri, strlen(f[i].uri)) ==
             &f[i]);
        check_digest(&f[i]);
    }
    (void)mcp_skill_index_reports(index, &count);
    must(skills > 0 || count > 0);
}

/* `path` NULL: SKILL.md alone. */
static void try_skill(const char *text, size_t len, const char *path)
{
    struct mcp_skill_code_file file = {path, text, len, NULL};
    struct mcp_skill_code codes[] = {
        {.text = text, .text_len = len, .prefix = "p"},
        {.name = "written",
         .description = path,
         .body = text,
         .body_len = len,
         .files = &file,
         .file_count = path != NULL}};
    struct mcp_skill_index *index;

    if (mcp_skill_index_open(
            &(struct mcp_skill_options){.codes = codes, .code_count = 2},
            &index) != MCP_OK)
        abort();
    check_index(index);
    mcp_skill_index_free(index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1), *end, *path, *uri;

    must(copy != NULL);
    memcpy(copy, data, size);
    copy[size] = '\0';
    end = copy + size;
    path = memchr(copy, '\0', size);
    uri =
        path != NULL ? memchr(path + 1, '\0', (size_t)(end - path - 1)) : NULL;
    try_skill(copy, path != NULL ? (size_t)(path - copy) : size,
              path != NULL ? path + 1 : NULL);
    if (path != NULL)
        try_path(path + 1, (size_t)((uri != NULL ? uri : end) - path - 1));
    if (uri != NULL)
        try_uri(uri + 1, (size_t)(end - uri - 1));
    free(copy);
    return 0;
}
