/* skill_index_test.c - what a folder of skills becomes */
#include "skill_common.h"

#include <unistd.h>

#include "base/codec.h"
#include "base/json.h"

/* ---- helpers ---- */

static void expect_text(const struct mcp_skill_text *text, const char *expected)
{
    char *copy = calloc(1, text->len + 1);

    assert_non_null(copy);
    memcpy(copy, text->text, text->len);
    assert_string_equal(copy, expected);
    free(copy);
}

/* {"uri":...,"digest":...,"size":...} of `text`. */
static void add_resource(struct mcp_buf *b, const char *uri, const char *text)
{
    unsigned char raw[MCP_SHA256_BYTES];

    assert_int_equal(mcp_sha256(text, strlen(text), raw), MCP_OK);
    mcp_buf_printf(b, "{\"uri\":\"%s\",\"digest\":\"sha256:", uri);
    mcp_hex_write(b, raw, sizeof(raw));
    mcp_buf_printf(b, "\",\"size\":%zu}", strlen(text));
}

static void expect_children(const char *uri, const char *const *names)
{
    const struct mcp_skill_directory *d =
        mcp_skill_index_find_directory(skill_index, uri, strlen(uri));
    size_t n = 0;

    if (d == NULL)
        fail_msg("no folder %s", uri);
    for (; names[n] != NULL; n++) {
        assert_true(n < d->child_count);
        assert_string_equal(d->children[n].name, names[n]);
    }
    assert_int_equal(d->child_count, n);
}

/* Front matter `text` in a skill called "a": the JSON, or NULL: refused. */
static void expect_front(const char *text, const char *json)
{
    struct mcp_buf out;

    skill_put("a/SKILL.md", text);
    skill_load();
    if (json == NULL) {
        assert_int_equal(skill_count(), 0);
        return;
    }
    mcp_buf_init(&out, 1 << 20);
    mcp_json_write(&out, skill_get("a")->frontmatter);
    mcp_buf_putc(&out, '\0');
    assert_string_equal(out.data, json);
    mcp_buf_free(&out);
}

static void expect_refused(const char *text, int line, const char *reason)
{
    expect_front(text, NULL);
    skill_expect(MCP_SKILL_ERROR, "a/SKILL.md", line, reason);
}

/* ---- entries ---- */

static void an_entry_lists_every_file_with_its_digest(void **state)
{
    static const char self[] = "---\nname: pdf\ndescription: \"Read: PDF\"\n"
                               "metadata: {version: \"1.0\", n: 1.0}\n---\nx\n";
    struct mcp_buf b;

    (void)state;
    skill_put("pdf/SKILL.md", self);
    skill_put("pdf/forms/a b.md", "one");
    skill_put("pdf/empty.txt", "");
    skill_load();
    mcp_buf_init(&b, 1 << 20);
    mcp_buf_puts(&b, "{\"uri\":\"skill://pdf/SKILL.md\",\"frontmatter\":{"
                     "\"name\":\"pdf\",\"description\":\"Read: PDF\","
                     "\"metadata\":{\"version\":\"1.0\",\"n\":1.0}},"
                     "\"resources\":[");
    add_resource(&b, "skill://pdf/SKILL.md", self);
    mcp_buf_puts(&b, ",");
    add_resource(&b, "skill://pdf/empty.txt", "");
    mcp_buf_puts(&b, ",");
    add_resource(&b, "skill://pdf/forms/a%20b.md", "one");
    mcp_buf_puts(&b, "]}");
    mcp_buf_putc(&b, '\0');
    assert_int_equal(skill_count(), 1);
    expect_text(&skill_get("pdf")->entry, b.data);
    mcp_buf_free(&b);
}

static void a_file_has_its_bytes_its_type_and_its_names(void **state)
{
    const struct mcp_skill_file *f;
    const char uri[] = "skill://pdf/img/x.png";

    (void)state;
    skill_make("pdf");
    skill_put_n("pdf/img/x.png", "\x89PNG\0", 5);
    skill_put("pdf/run.sh", "#!/bin/sh\n");
    skill_put("pdf/NOTICE", "text");
    skill_put_n("pdf/blob", "\0\1", 2);
    skill_load();
    f = mcp_skill_index_find_file(skill_index, uri, strlen(uri));
    assert_non_null(f);
    assert_string_equal(f->uri, uri);
    assert_string_equal(f->path, "img/x.png");
    assert_string_equal(f->name, "x.png");
    assert_string_equal(f->mime_type, "image/png");
    assert_false(f->is_text);
    assert_int_equal(f->len, 5);
    assert_memory_equal(f->bytes, "\x89PNG\0", 5);
    expect_text(&f->resource,
                "{\"uri\":\"skill://pdf/img/x.png\",\"name\":\"img/x.png\","
                "\"mimeType\":\"image/png\",\"size\":5}");
    f = skill_get("pdf")->self;
    assert_string_equal(f->mime_type, "text/markdown");
    assert_true(f->is_text);
    assert_string_equal(f->name, "pdf");
    expect_text(&f->resource,
                "{\"uri\":\"skill://pdf/SKILL.md\",\"name\":\"pdf\","
                "\"description\":\"About it.\",\"mimeType\":\"text/markdown\","
                "\"size\":48}");
    f = mcp_skill_index_find_file(skill_index, "skill://pdf/NOTICE", 18);
    assert_string_equal(f->mime_type, "text/plain");
    f = mcp_skill_index_find_file(skill_index, "skill://pdf/blob", 16);
    assert_string_equal(f->mime_type, "application/octet-stream");
    f = mcp_skill_index_find_file(skill_index, "skill://pdf/run.sh", 18);
    assert_true(f->is_text);
}

static void nested_skills_are_files_of_the_outer_one_too(void **state)
{
    const struct mcp_skill *outer, *inner;

    (void)state;
    skill_make("pdf");
    skill_put("pdf/a.md", "a");
    skill_make("pdf/x/forms");
    skill_put("pdf/x/forms/b.md", "b");
    skill_load();
    assert_int_equal(skill_count(), 2);
    outer = skill_get("pdf");
    inner = skill_get("pdf/x/forms");
    assert_int_equal(outer->file_count, 4);
    assert_int_equal(inner->file_count, 2);
    assert_string_equal(inner->files[0].uri, "skill://pdf/x/forms/SKILL.md");
    assert_string_equal(inner->files[1].uri, "skill://pdf/x/forms/b.md");
    assert_ptr_equal(outer->files[2].bytes, inner->files[0].bytes);
    assert_int_equal(skill_reports(MCP_SKILL_ERROR), 0);
}

static void folders_above_skills_are_prefixes(void **state)
{
    struct mcp_skill_folder folders[2];
    struct mcp_skill_options options = {.folders = folders, .folder_count = 2};
    size_t count;

    (void)state;
    skill_make("one/acme/billing/refunds");
    skill_put("one/acme/README.md", "nobody's");
    skill_make("two/b");
    skill_make("two/a");
    folders[0] = (struct mcp_skill_folder){strdup(skill_disk("one")), NULL};
    folders[1] = (struct mcp_skill_folder){strdup(skill_disk("two//")),
                                           "shop/Caf\303\251 1"};
    skill_load_with(&options);
    assert_int_equal(skill_count(), 3);
    (void)skill_get("acme/billing/refunds");
    assert_string_equal(skill_get("shop/Caf\303\251 1/a")->uri,
                        "skill://shop/Caf%C3%A9%201/a/SKILL.md");
    assert_string_equal(mcp_skill_index_skills(skill_index, &count)[1].name,
                        "a");
    assert_false(skill_has_file("skill://acme/README.md"));
    assert_int_equal(skill_reports(MCP_SKILL_ERROR), 0);
    free((char *)folders[0].path);
    free((char *)folders[1].path);
}

static void a_folder_may_be_one_skill_itself(void **state)
{
    struct mcp_skill_folder folder;

    (void)state;
    skill_make("pdf");
    skill_put("pdf/a/b.md", "b");
    folder = (struct mcp_skill_folder){skill_disk("pdf"), "x"};
    skill_load_with(
        &(struct mcp_skill_options){.folders = &folder, .folder_count = 1});
    assert_int_equal(skill_get("x/pdf")->file_count, 2);
    assert_true(skill_has_file("skill://x/pdf/a/b.md"));
}

static void folders_list_their_children(void **state)
{
    const struct mcp_skill_directory *d;

    (void)state;
    skill_make("acme/pdf");
    skill_put("acme/pdf/z.md", "z");
    skill_put("acme/pdf/t/n/1.md", "1");
    skill_put("acme/pdf/t/0 1.md", "0");
    skill_make("acme/csv");
    skill_make("top");
    skill_load();
    expect_children("skill://acme", (const char *[]){"csv", "pdf", NULL});
    expect_children("skill://acme/pdf",
                    (const char *[]){"SKILL.md", "t", "z.md", NULL});
    expect_children("skill://acme/pdf/t",
                    (const char *[]){"0 1.md", "n", NULL});
    expect_children("skill://acme/pdf/t/n", (const char *[]){"1.md", NULL});
    expect_children("skill://top", (const char *[]){"SKILL.md", NULL});
    assert_false(skill_has_folder("skill://acme/pdf/SKILL.md"));
    assert_false(skill_has_folder("skill://acme/pdf/"));
    assert_false(skill_has_folder("skill://"));
    assert_false(skill_has_folder("skill://acme/pd"));
    d = mcp_skill_index_find_directory(skill_index, "skill://acme/pdf", 16);
    assert_string_equal(d->uri, "skill://acme/pdf");
    expect_text(&d->children[1].resource,
                "{\"uri\":\"skill://acme/pdf/t\",\"name\":\"t\","
                "\"mimeType\":\"inode/directory\"}");
    expect_text(&d->children[2].resource,
                "{\"uri\":\"skill://acme/pdf/z.md\",\"name\":\"z.md\","
                "\"mimeType\":\"text/markdown\",\"size\":1}");
    assert_null(d->children[1].file);
    assert_non_null(d->children[2].file);
}

static void uris_are_found_in_other_spellings(void **state)
{
    (void)state;
    skill_make("pdf");
    skill_put("pdf/a b\303\251?.md", "x");
    skill_load();
    assert_true(skill_has_file("skill://pdf/a%20b%C3%A9%3F.md"));
    assert_true(skill_has_file("skill://pdf/a%20b%c3%a9%3f.md"));
    assert_true(skill_has_file("SKILL://p%64f/a b\303\251%3f.md"));
    assert_false(skill_has_file("skill://pdf/a%20b%C3%A9?.md"));
    assert_false(skill_has_file("skill://pdf/../pdf/SKILL.md"));
    assert_false(skill_has_file("skill://pdf/%2e%2e/pdf/SKILL.md"));
    assert_false(skill_has_file("skill://pdf/./SKILL.md"));
    assert_false(skill_has_file("skill://pdf//SKILL.md"));
    assert_false(skill_has_file("skill://pdf%2FSKILL.md"));
    assert_false(skill_has_file("skill://pdf/SKILL.md/"));
    assert_false(skill_has_file("skill://pdf/SKILL.md#a"));
    assert_false(skill_has_file("skill://pdf/SKILL.md%00"));
    assert_false(skill_has_file("skill://pdf/SKILL.md%"));
    assert_false(skill_has_file("skill:/pdf/SKILL.md"));
    assert_false(skill_has_file("file://pdf/SKILL.md"));
    assert_false(skill_has_file("skill://pdf/../../app.lua"));
    assert_null(mcp_skill_index_find(skill_index, "skill://pdf", 11));
}

/* ---- front matter ---- */

static void bom_and_crlf_are_accepted_and_hashed(void **state)
{
    static const char text[] = "\xEF\xBB\xBF---\r\nname: a\r\n"
                               "description: >-\r\n  two\r\n  lines\r\n"
                               "--- \t\r\nbody\r\n";
    unsigned char raw[MCP_SHA256_BYTES];
    struct mcp_buf hex;

    (void)state;
    expect_front(text, "{\"name\":\"a\",\"description\":\"two lines\"}");
    mcp_buf_init(&hex, 128);
    assert_int_equal(mcp_sha256(text, strlen(text), raw), MCP_OK);
    mcp_hex_write(&hex, raw, sizeof(raw));
    assert_memory_equal(skill_get("a")->self->digest + 7, hex.data, 64);
    assert_int_equal(skill_get("a")->self->len, strlen(text));
    mcp_buf_free(&hex);
}

static void front_matter_is_kept_verbatim(void **state)
{
    (void)state;
    expect_front("---\nname: a\ndescription: d\nversion: 1.0\nq: \"1.0\"\n"
                 "no: no\nwhen: 2024-05-01\nnothing:\nlist: [1, two]\n"
                 "unicode: \"\\u00e9\"\n---",
                 "{\"name\":\"a\",\"description\":\"d\",\"version\":1.0,"
                 "\"q\":\"1.0\",\"no\":\"no\",\"when\":\"2024-05-01\","
                 "\"nothing\":null,\"list\":[1,\"two\"],"
                 "\"unicode\":\"\303\251\"}");
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 6,
                 "no is text here, and "
                 "false to clients");
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 7, "a date to clients");
}

static void broken_front_matter_is_reported_with_its_line(void **state)
{
    (void)state;
    expect_refused("---\nname: a\nallowed-tools: x\ndescription: a: b\n---\n",
                   4, "mapping values are not allowed");
    expect_refused("# No front matter\n", 1, "the first line is not ---");
    expect_refused("", 1, "the first line is not ---");
    expect_refused("--- \nname: a\ndescription: d\n---\n", 1, "first line");
    expect_refused("\n---\nname: a\ndescription: d\n---\n", 1, "first line");
    expect_refused("---\nname: a\ndescription: d\n", 1, "without a last line");
    expect_refused("---\nname: a\ndescription: d\n----\n", 1, "without a last");
    expect_refused("---\n---\n", 2, "empty");
    expect_refused("---\n- name\n---\n", 2, "not a mapping");
    expect_refused("---\nname: a\nname: a\ndescription: d\n---\n", 3,
                   "comes twice: name");
    expect_refused("---\nname: a\ndescription: \xff\n---\n", 3, "not UTF-8");
    expect_refused("---\nname: a\ndescription: d\nx: [\n---\n", 5, "");
}

static void names_and_descriptions_are_checked(void **state)
{
    (void)state;
    expect_refused("---\ndescription: d\n---\n", 1, "no name");
    expect_refused("---\nname: a\n---\n", 1, "no description");
    expect_refused("---\nname: a\ndescription:\n---\n", 3,
                   "an empty description");
    expect_refused("---\nname: a\ndescription: \" \\n\"\n---\n", 3,
                   "an empty description");
    expect_refused("---\nname: a\ndescription: 1.0\n---\n", 3,
                   "a description that is not text but number");
    expect_refused("---\nname: a\ndescription: \"x\\0\"\n---\n", 3, "a NUL");
    expect_refused("---\ndescription: d\nname: b\n---\n", 3,
                   "\"b\" is not that of its folder, \"a\"");
    expect_refused("---\nname: A\ndescription: d\n---\n", 2,
                   "other characters");
    expect_refused("---\nname: 1.0\ndescription: d\n---\n", 2,
                   "a name that is not text but number");
    expect_refused("---\nname: [a]\ndescription: d\n---\n", 2,
                   "a name that is not text but array");
}

static void lengths_hold_at_their_limits(void **state)
{
    char text[6000], name[80], path[160];

    (void)state;
    for (int n = 1024; n <= 1025; n++) {
        char description[4000] = "";

        for (int i = 0; i < n; i++)
            strcat(description, "\303\251");
        snprintf(text, sizeof(text), "---\nname: a\ndescription: %s\n---\nx",
                 description);
        skill_put("a/SKILL.md", text);
        skill_load();
        assert_int_equal(skill_count(), n == 1024);
    }
    skill_expect(MCP_SKILL_ERROR, "a/SKILL.md", 3, "more than 1024 characters");
    for (size_t n = 64; n <= 65; n++) {
        memset(name, 'n', n);
        name[n] = '\0';
        snprintf(path, sizeof(path), "p%zu/%s", n, name);
        skill_make(path);
    }
    skill_load();
    assert_int_equal(skill_count(), 1);
    skill_expect(MCP_SKILL_ERROR, "SKILL.md", 2, "more than 64 characters");
}

static void front_matter_has_at_most_64_kib(void **state)
{
    const size_t head = strlen("name: a\ndescription: d\n# \n");
    char *text = malloc(80000), *fill = calloc(1, 70000);

    (void)state;
    assert_non_null(text);
    assert_non_null(fill);
    for (size_t extra = 0; extra < 2; extra++) {
        memset(fill, 'x', 65536 - head + extra);
        snprintf(text, 80000, "---\nname: a\ndescription: d\n# %s\n---\nx",
                 fill);
        skill_put("a/SKILL.md", text);
        skill_load();
        assert_int_equal(skill_count(), extra == 0);
    }
    skill_expect(MCP_SKILL_ERROR, "a/SKILL.md", -1, "64 KiB");
    free(text);
    free(fill);
}

/* ---- good beside bad ---- */

static void a_broken_skill_leaves_the_others(void **state)
{
    (void)state;
    skill_make("good");
    skill_put("bad/SKILL.md", "---\nname: bad\ndescription: a: b\n---\n");
    skill_put("bad/secret.md", "not served");
    skill_make("bad/inner");
    skill_load();
    assert_int_equal(skill_count(), 2);
    (void)skill_get("good");
    assert_int_equal(skill_get("bad/inner")->file_count, 1);
    assert_false(skill_has_file("skill://bad/secret.md"));
    assert_false(skill_has_file("skill://bad/SKILL.md"));
    assert_int_equal(skill_reports(MCP_SKILL_ERROR), 1);
}

static void a_broken_inner_skill_stays_a_file_of_the_outer(void **state)
{
    (void)state;
    skill_make("outer");
    skill_put("outer/inner/SKILL.md", "# nothing\n");
    skill_load();
    assert_int_equal(skill_count(), 1);
    assert_int_equal(skill_get("outer")->file_count, 2);
    skill_expect(MCP_SKILL_ERROR, "outer/inner/SKILL.md", 1, "first line");
}

static void the_same_uri_is_refused_the_same_name_warned_of(void **state)
{
    struct mcp_skill_folder folders[3];
    char one[64], two[64];

    (void)state;
    skill_make("one/pdf");
    skill_put("one/pdf/1.md", "1");
    skill_make("two/pdf");
    skill_put("two/pdf/2.md", "2");
    snprintf(one, sizeof(one), "%s", skill_disk("one"));
    snprintf(two, sizeof(two), "%s", skill_disk("two"));
    folders[0] = (struct mcp_skill_folder){one, NULL};
    folders[1] = (struct mcp_skill_folder){two, NULL};
    folders[2] = (struct mcp_skill_folder){two, "other"};
    skill_load_with(
        &(struct mcp_skill_options){.folders = folders, .folder_count = 3});
    assert_int_equal(skill_count(), 2);
    assert_true(skill_has_file("skill://pdf/1.md"));
    assert_false(skill_has_file("skill://pdf/2.md"));
    assert_true(skill_has_file("skill://other/pdf/2.md"));
    skill_expect(MCP_SKILL_ERROR, "two/pdf/SKILL.md", 0,
                 "skill://pdf is served already");
    assert_int_equal(skill_reports(MCP_SKILL_ERROR), 1);
    skill_expect(MCP_SKILL_WARNING, "SKILL.md", 0, "have the same name");
}

static void a_skill_inside_one_of_another_place_is_refused(void **state)
{
    struct mcp_skill_folder folders[2];
    char one[64], two[64];

    (void)state;
    skill_make("one/pdf");
    skill_make("two/x");
    snprintf(one, sizeof(one), "%s", skill_disk("one"));
    snprintf(two, sizeof(two), "%s", skill_disk("two"));
    for (int turn = 0; turn < 2; turn++) {
        folders[turn] = (struct mcp_skill_folder){one, NULL};
        folders[!turn] = (struct mcp_skill_folder){two, "pdf"};
        skill_load_with(
            &(struct mcp_skill_options){.folders = folders, .folder_count = 2});
        assert_int_equal(skill_count(), 1);
        skill_expect(MCP_SKILL_ERROR, "SKILL.md", 0, "one in the other");
    }
}

static void a_folder_that_is_none_is_reported(void **state)
{
    struct mcp_skill_folder folders[] = {{skill_disk("none"), NULL},
                                         {skill_folder, "a//b"},
                                         {skill_folder, "../b"},
                                         {skill_folder, "ok"}};

    (void)state;
    skill_make("x");
    skill_load_with(
        &(struct mcp_skill_options){.folders = folders, .folder_count = 4});
    skill_expect(MCP_SKILL_ERROR, "none", 0, "no folder of skills");
    skill_expect(MCP_SKILL_ERROR, "", 0, "an empty part");
    skill_expect(MCP_SKILL_ERROR, "", 0, "the part . or ..");
    (void)skill_get("ok/x");
    assert_int_equal(skill_count(), 1);
}

/* ---- changes ---- */

struct seen {
    char text[1000];
};

static void note(void *user, enum mcp_skill_change what,
                 const struct mcp_skill_file *file)
{
    struct seen *seen = user;
    size_t at = strlen(seen->text);

    snprintf(seen->text + at, sizeof(seen->text) - at, "%d %s\n", (int)what,
             file->uri);
}

static void a_diff_tells_each_changed_file(void **state)
{
    struct mcp_skill_index *old;
    struct seen seen = {""};

    (void)state;
    skill_make("a");
    skill_put("a/1.md", "1");
    skill_put("a/2.md", "2");
    skill_put("a/3.md", "3");
    skill_load();
    assert_int_equal(
        mcp_skill_index_diff(skill_index, skill_index, note, &seen), 0);
    assert_false(mcp_skill_index_is_stale(skill_index));
    old = skill_index;
    skill_index = NULL;
    skill_put("a/2.md", "x");
    assert_int_equal(unlink(skill_disk("a/3.md")), 0);
    skill_make("b");
    assert_true(mcp_skill_index_is_stale(old));
    skill_load();
    assert_int_equal(mcp_skill_index_diff(old, skill_index, note, &seen),
                     MCP_SKILL_ADDED | MCP_SKILL_REMOVED | MCP_SKILL_CHANGED);
    assert_string_equal(seen.text, "4 skill://a/2.md\n2 skill://a/3.md\n"
                                   "1 skill://b/SKILL.md\n");
    seen.text[0] = '\0';
    assert_int_equal(mcp_skill_index_diff(NULL, old, note, &seen),
                     MCP_SKILL_ADDED);
    assert_int_equal(mcp_skill_index_diff(old, NULL, note, &seen),
                     MCP_SKILL_REMOVED);
    mcp_skill_index_free(old);
}

static void a_report_that_changes_makes_it_stale(void **state)
{
    (void)state;
    skill_make("a");
    skill_put("b/SKILL.md", "broken");
    skill_load();
    assert_false(mcp_skill_index_is_stale(skill_index));
    skill_put("b/SKILL.md", "---\nname: c\n---");
    assert_true(mcp_skill_index_is_stale(skill_index));
}

static void every_folder_is_watched(void **state)
{
    size_t count;
    const char *const *folders;

    (void)state;
    skill_make("a");
    skill_put("a/b/c.md", "c");
    skill_load();
    folders = mcp_skill_index_watched(skill_index, &count);
    assert_int_equal(count, 3);
    assert_string_equal(folders[0], skill_folder);
    assert_string_equal(folders[1], skill_disk("a"));
    assert_string_equal(folders[2], skill_disk("a/b"));
}

/* ---- warnings ---- */

static void known_members_are_typed(void **state)
{
    (void)state;
    skill_put("a/SKILL.md", "---\nname: a\ndescription: d\nlicense: 1\n"
                            "allowed-tools: [Read]\ncompatibility: true\n"
                            "metadata:\n  ok: x\n  version: 1.0\n---\n");
    skill_put("b/SKILL.md", "---\nname: b\ndescription: d\nmetadata: x\n"
                            "allowed-tools: Read Write\n---\n\n");
    skill_load();
    assert_int_equal(skill_count(), 2);
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 4, "not text: license");
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 5, "not text: allowed-tools");
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 6, "not text: compatibility");
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 9, "not text: version");
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 0, "no text below");
    skill_expect(MCP_SKILL_WARNING, "b/SKILL.md", 4, "metadata that is no");
    assert_int_equal(skill_reports(MCP_SKILL_WARNING), 7);
}

static void lengths_are_warned_of_at_their_limits(void **state)
{
    char text[3000], long_text[1200] = "";

    (void)state;
    for (int i = 0; i < 500; i++)
        strcat(long_text, "\303\251");
    for (int extra = 0; extra < 2; extra++) {
        snprintf(text, sizeof(text),
                 "---\nname: a\ndescription: d\ncompatibility: %s%s\n---\nx\n",
                 long_text, extra == 1 ? "x" : "");
        skill_put("a/SKILL.md", text);
        skill_load();
        assert_int_equal(skill_reports(MCP_SKILL_WARNING), extra);
    }
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 4,
                 "more than 500 characters");
    for (int extra = 0; extra < 2; extra++) {
        strcpy(text, "---\nname: a\ndescription: d\n---\nx\n");
        for (int i = 5; i < 500 + extra; i++)
            strcat(text, "x\n");
        skill_put("a/SKILL.md", text);
        skill_load();
        assert_int_equal(skill_reports(MCP_SKILL_WARNING), extra);
    }
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 0, "more than 500 lines");
}

static void reasons_are_cut_between_characters(void **state)
{
    char text[3000] = "---\nname: a\ndescription: d\n---\n[x](x";
    size_t count;
    const struct mcp_skill_report *r;

    (void)state;
    for (int i = 0; i < 200; i++)
        strcat(text, "\303\251");
    strcat(text, ")\n");
    skill_put("a/SKILL.md", text);
    skill_load();
    r = mcp_skill_index_reports(skill_index, &count);
    assert_int_equal(count, 1);
    assert_true(strlen(r->reason) < 300);
    assert_true(mcp_utf8_valid(r->reason, strlen(r->reason), NULL));
}

static void paths_hold_at_their_limits(void **state)
{
    char *path = calloc(1, 1200), *uri = calloc(1, 1300);
    struct mcp_skill_code_file file = {path, "x", 1, NULL};
    struct mcp_skill_code code = {.name = "a",
                                  .description = "d",
                                  .prefix = "p",
                                  .files = &file,
                                  .file_count = 1};

    (void)state;
    assert_non_null(path);
    assert_non_null(uri);
    for (size_t len = 1020; len <= 1021; len++) { /* with "p/a/" in front */
        memset(path, 'x', len);
        skill_load_with(
            &(struct mcp_skill_options){.codes = &code, .code_count = 1});
        assert_int_equal(skill_count(), len == 1020);
        snprintf(uri, 1300, "skill://p/a/%s", path);
        assert_int_equal(skill_has_file(uri), len == 1020);
    }
    skill_expect(MCP_SKILL_ERROR, "", 0, "more than 1024 bytes");
    free(path);
    free(uri);
}

static void a_prefix_may_make_paths_too_long(void **state)
{
    struct mcp_skill_folder folder = {skill_folder, "1/2/3/4/5/6/7/8/9/10"};

    (void)state;
    skill_make("a");
    skill_put("a/12/13/14/15/16", "fits");
    skill_make("b");
    skill_put("b/12/13/14/15/16/17", "does not");
    skill_load_with(
        &(struct mcp_skill_options){.folders = &folder, .folder_count = 1});
    assert_int_equal(skill_count(), 1);
    assert_true(
        skill_has_file("skill://1/2/3/4/5/6/7/8/9/10/a/12/13/14/15/16"));
    skill_expect(MCP_SKILL_ERROR, "b/12/13/14/15/16/17", 0,
                 "more than 16 parts");
}

static void links_to_nowhere_are_told(void **state)
{
    (void)state;
    skill_put("a/SKILL.md",
              "---\nname: a\ndescription: d\n---\n"
              "[ok](x/1%20a.md) [ok](./x/1%20a.md#part) [dir](x) [d](x/)\n"
              "[web](https://example.org/x) [here](#a) [no](none.md \"t\")\n"
              "[up](../b/SKILL.md)\n```\n[in code](gone.md)\n```\n"
              "[half](x/1)\n");
    skill_put("a/x/1 a.md", "1");
    skill_load();
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 6, "not have: none.md");
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 7, "have: ../b/SKILL.md");
    skill_expect(MCP_SKILL_WARNING, "a/SKILL.md", 11, "have: x/1");
    assert_int_equal(skill_reports(MCP_SKILL_WARNING), 3);
}

static void links_are_looked_at_up_to_a_limit(void **state)
{
    char *text = calloc(1, 20000);

    (void)state;
    assert_non_null(text);
    for (int good = 999; good <= 1000; good++) {
        char *end = stpcpy(text, "---\nname: a\ndescription: d\n---\n");

        for (int i = 0; i < good; i++)
            end = stpcpy(end, "[](SKILL.md)");
        (void)stpcpy(end, "\n[](none.md)\n");
        skill_put("a/SKILL.md", text);
        skill_load();
        assert_int_equal(skill_reports(MCP_SKILL_WARNING), good == 999);
    }
    free(text);
}

static void a_wrong_spelling_of_skill_md_is_told(void **state)
{
    (void)state;
    skill_put("a/skill.md", "---\nname: a\ndescription: d\n---\nx\n");
    skill_load();
    assert_int_equal(skill_count(), 0);
    skill_expect(MCP_SKILL_WARNING, "a/skill.md", 0, "upper and lower case");
}

#define SKILL_TEST(f)                                                          \
    cmocka_unit_test_setup_teardown(f, skill_set_up, skill_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKILL_TEST(an_entry_lists_every_file_with_its_digest),
        SKILL_TEST(a_file_has_its_bytes_its_type_and_its_names),
        SKILL_TEST(nested_skills_are_files_of_the_outer_one_too),
        SKILL_TEST(folders_above_skills_are_prefixes),
        SKILL_TEST(a_folder_may_be_one_skill_itself),
        SKILL_TEST(folders_list_their_children),
        SKILL_TEST(uris_are_found_in_other_spellings),
        SKILL_TEST(bom_and_crlf_are_accepted_and_hashed),
        SKILL_TEST(front_matter_is_kept_verbatim),
        SKILL_TEST(broken_front_matter_is_reported_with_its_line),
        SKILL_TEST(names_and_descriptions_are_checked),
        SKILL_TEST(lengths_hold_at_their_limits),
        SKILL_TEST(front_matter_has_at_most_64_kib),
        SKILL_TEST(a_broken_skill_leaves_the_others),
        SKILL_TEST(a_broken_inner_skill_stays_a_file_of_the_outer),
        SKILL_TEST(the_same_uri_is_refused_the_same_name_warned_of),
        SKILL_TEST(a_skill_inside_one_of_another_place_is_refused),
        SKILL_TEST(a_folder_that_is_none_is_reported),
        SKILL_TEST(a_diff_tells_each_changed_file),
        SKILL_TEST(a_report_that_changes_makes_it_stale),
        SKILL_TEST(every_folder_is_watched),
        SKILL_TEST(known_members_are_typed),
        SKILL_TEST(lengths_are_warned_of_at_their_limits),
        SKILL_TEST(reasons_are_cut_between_characters),
        SKILL_TEST(paths_hold_at_their_limits),
        SKILL_TEST(a_prefix_may_make_paths_too_long),
        SKILL_TEST(links_to_nowhere_are_told),
        SKILL_TEST(links_are_looked_at_up_to_a_limit),
        SKILL_TEST(a_wrong_spelling_of_skill_md_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
