/* Mirrors src/features/skills_*.c: what needs no Lua. */
#include "features/skills_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "features/offer.h"
#include "features/prepare.h"
#include "features/skills_changed.h"
#include "features/skills_directory.h"
#include "features/skills_get.h"
#include "features/skills_open.h"
#include "features/skills_read.h"
#include "features/skills_walk.h"

enum { OUT_BYTES = 1 << 16, BLOB_LIMIT = 8 };

static char out[OUT_BYTES];
static bool ended;

#define SKILL_MD(name)                                                         \
    "---\nname: " name "\ndescription: About " name "\n---\n\nx\n"

static void on_end(struct mcp_request *rq)
{
    (void)rq;
    ended = true;
}

static void add(struct mcp_builder *b, const char *prefix, const char *text,
                const struct mcp_skill_decl_file *files, size_t count)
{
    struct mcp_skill_decl skill = {.prefix = prefix,
                                   .text = text,
                                   .text_len = strlen(text),
                                   .files = files,
                                   .file_count = count,
                                   .file = "app.lua",
                                   .line = 3};
    char message[256];

    assert_int_equal(mcp_builder_add_skill(b, &skill, message, sizeof(message)),
                     MCP_OK);
}

/* Three skills; `text` is the first file of the first. */
static struct mcp_builder *make(const char *text)
{
    const struct mcp_skill_decl_file files[] = {
        {.path = "r/a.md", .bytes = text, .len = strlen(text)},
        {.path = "fits.bin",
         .bytes = "\xff\xff\xff\xff\xff\xff\xff\xff",
         .len = BLOB_LIMIT},
        {.path = "over.bin",
         .bytes = "\xff\xff\xff\xff\xff\xff\xff\xff\xff",
         .len = BLOB_LIMIT + 1},
    };
    struct mcp_config *config = mcp_config_new();
    struct mcp_builder *b;
    char message[256];

    assert_non_null(config);
    config->list_page_size = 2;
    config->max_blob_bytes = BLOB_LIMIT;
    b = mcp_builder_new(config);
    assert_non_null(b);
    add(b, "", SKILL_MD("one"), files, 3);
    add(b, "p/q", SKILL_MD("two"), NULL, 0);
    add(b, "p", SKILL_MD("three"), NULL, 0);
    assert_int_equal(mcp_features_prepare(NULL, mcp_builder_view(b), message,
                                          sizeof(message)),
                     MCP_OK);
    return b;
}

static bool nothing_else(struct mcp_request *rq, const struct mcp_json *uri)
{
    (void)rq;
    (void)uri;
    return false;
}

static void read(struct mcp_request *rq)
{
    const struct mcp_json *uri = mcp_json_find(rq->call->params, "uri");

    if (mcp_skills_read(rq, uri, nothing_else) == MCP_SKILLS_NOT_THEIRS)
        mcp_request_fail(rq, MCP_ENOENT, "not theirs", NULL);
    rq->end(rq);
}

/* What `method` answers; "-CODE MESSAGE" of a fault. */
static const char *ask(struct mcp_builder *b,
                       void (*method)(struct mcp_request *), const char *params)
{
    struct mcp_call call = {.revision = MCP_2026_07_28,
                            .arena = mcp_arena_new(1 << 20)};
    struct mcp_request rq = {
        .call = &call, .gen = mcp_builder_view(b), .end = on_end};

    mcp_buf_init(&call.out, OUT_BYTES - 1);
    assert_int_equal(mcp_json_parse(call.arena, params, strlen(params), NULL,
                                    &call.params, NULL),
                     MCP_OK);
    ended = false;
    method(&rq);
    assert_true(ended);
    if (rq.fault.err != MCP_OK || rq.fault.code != 0) {
        assert_int_equal(call.out.len, 0);
        snprintf(out, sizeof(out), "-%d %s %s", rq.fault.code, rq.fault.message,
                 rq.fault.data == NULL ? "" : rq.fault.data);
    } else {
        memcpy(out, call.out.data, call.out.len);
        out[call.out.len] = '\0';
    }
    mcp_buf_free(&call.out);
    mcp_arena_free(call.arena);
    return out;
}

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no %s in %s", part, text);
}

static void they_are_offered(void **state)
{
    struct mcp_builder *b = make("A");
    struct mcp_config *config = mcp_config_new();
    struct mcp_builder *none = mcp_builder_new(config);

    (void)state;
    assert_int_equal(mcp_offer_find(mcp_builder_view(b)),
                     MCP_OFFER_SKILLS | MCP_OFFER_DIRECTORIES |
                         MCP_OFFER_RESOURCES);
    assert_int_equal(mcp_offer_find(mcp_builder_view(none)) & MCP_OFFER_SKILLS,
                     0);
    mcp_builder_set_skills(
        none, &(struct mcp_skills_declared){.no_directories = true});
    assert_int_equal(mcp_offer_find(mcp_builder_view(none)) &
                         (MCP_OFFER_SKILLS | MCP_OFFER_DIRECTORIES),
                     MCP_OFFER_SKILLS);
    mcp_builder_free(none);
    mcp_builder_free(b);
}

static void they_are_listed_in_pages(void **state)
{
    struct mcp_builder *b = make("A");
    char params[128], *cursor;
    const char *first = ask(b, mcp_skills_list, "{}");

    (void)state;
    expect(first, "{\"resultType\":\"complete\",\"skills\":[{\"uri\":\"skill:"
                  "//one/SKILL.md\",\"frontmatter\":{\"name\":\"one\","
                  "\"description\":\"About one\"},\"resources\":[");
    expect(first, "\"uri\":\"skill://p/q/two/SKILL.md\"");
    expect(first, "\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{");
    assert_null(strstr(first, "three"));
    cursor = strstr(first, "\"nextCursor\":\"");
    assert_non_null(cursor);
    snprintf(params, sizeof(params), "{\"cursor\":\"%.18s\"}",
             cursor + strlen("\"nextCursor\":\""));
    expect(ask(b, mcp_skills_list, params), "skill://p/three/SKILL.md");
    assert_null(strstr(out, "nextCursor"));
    assert_null(strstr(out, "skill://one"));
    expect(ask(b, mcp_skills_list, "{\"cursor\":\"x\"}"), "-0 Unknown cursor");
    mcp_builder_free(b);
}

static void one_is_got(void **state)
{
    struct mcp_builder *b = make("A");

    (void)state;
    expect(ask(b, mcp_skills_get, "{\"uri\":\"skill://p/three/SKILL.md\"}"),
           "{\"resultType\":\"complete\",\"skill\":{\"uri\":\"skill://p/three/"
           "SKILL.md\",");
    expect(out, "\"cacheScope\":\"private\"");
    expect(ask(b, mcp_skills_get, "{\"uri\":\"skill://p/tree/SKILL.md\"}"),
           "did you mean \"skill://p/three/SKILL.md\"?");
    expect(ask(b, mcp_skills_get, "{}"), "-0 uri must be a string");
    mcp_builder_free(b);
}

static void a_retry_may_not_be_kept(void **state)
{
    struct mcp_config *config = mcp_config_new();
    struct mcp_builder *b = mcp_builder_new(config);
    struct mcp_skills_declared options = {
        .cache = {.ttl_ms = 5000, .scope = MCP_CACHE_PUBLIC}};
    char message[256];

    (void)state;
    mcp_builder_set_skills(b, &options);
    assert_int_equal(mcp_features_prepare(NULL, mcp_builder_view(b), message,
                                          sizeof(message)),
                     MCP_OK);
    expect(ask(b, mcp_skills_list, "{}"),
           "\"skills\":[],\"ttlMs\":5000,\"cacheScope\":\"public\"");
    expect(ask(b, mcp_skills_list, "{\"requestState\":\"x\"}"),
           "\"ttlMs\":0,\"cacheScope\":\"private\"");
    mcp_builder_free(b);
}

static void files_are_read(void **state)
{
    struct mcp_builder *b = make("A\"B");

    (void)state;
    expect(ask(b, read, "{\"uri\":\"skill://one/r/a.md\"}"),
           "\"contents\":[{\"uri\":\"skill://one/r/a.md\",\"mimeType\":\"text/"
           "markdown\",\"text\":\"A\\\"B\"}],\"ttlMs\"");
    expect(ask(b, read, "{\"uri\":\"skill://one/fits.bin\"}"),
           "\"blob\":\"//////////8=\"");
    expect(ask(b, read, "{\"uri\":\"skill://one/over.bin\"}"),
           "--32603 Resource read failed {\"statusCode\":500,\"content\":\"the "
           "file has 9 bytes, more than max_blob_bytes (8)\"}");
    expect(ask(b, read, "{\"uri\":\"skill://one/r\"}"), "-0 not theirs");
    expect(ask(b, read, "{\"uri\":\"skill://one/../one/r/a.md\"}"),
           "-0 not theirs");
    mcp_builder_free(b);
}

static void directories_are_read(void **state)
{
    struct mcp_builder *b = make("A");

    (void)state;
    expect(ask(b, mcp_skills_directory, "{\"uri\":\"skill://p\"}"),
           "\"resources\":[{\"uri\":\"skill://p/q\",\"name\":\"q\","
           "\"mimeType\":\"inode/directory\"},{\"uri\":\"skill://p/three\"");
    assert_null(strstr(out, "ttlMs"));
    expect(ask(b, mcp_skills_directory, "{\"uri\":\"skill://one\"}"),
           "\"nextCursor\":");
    expect(ask(b, mcp_skills_directory, "{\"uri\":\"skill://one/SKILL.md\"}"),
           "-0 A file, not a directory resource:");
    expect(ask(b, mcp_skills_directory, "{\"uri\":\"skill://one/\"}"),
           "-0 No directory resource is served at");
    mcp_builder_free(b);
}

static void a_change_is_seen(void **state)
{
    struct mcp_builder *a = make("A"), *same = make("A"), *b = make("B");

    (void)state;
    assert_false(mcp_skills_changed(mcp_builder_view(a), mcp_builder_view(a)));
    assert_false(
        mcp_skills_changed(mcp_builder_view(a), mcp_builder_view(same)));
    assert_true(mcp_skills_changed(mcp_builder_view(a), mcp_builder_view(b)));
    assert_false(mcp_skills_stale(mcp_builder_view(a)));
    mcp_builder_free(a);
    mcp_builder_free(same);
    mcp_builder_free(b);
}

/* Sources are asked for what is below their prefix, and for sound URIs. */
static void who_may_know(void **state)
{
    static const struct {
        const char *uri;
        bool known;
    } cases[] = {
        {"skill://acme/a/SKILL.md", true}, {"skill://acme/", false},
        {"skill://acme", false},           {"skill://acmeX/a", false},
        {"skill://acme/../b", false},      {"skill://other/a", false},
        {"http://acme/a", false},          {"skill://acme/%2e%2e/a", false},
    };
    struct mcp_builder *b = mcp_builder_new(mcp_config_new());
    const struct mcp_skill_source source = {
        .name = "get (app.lua:1)", .op = MCP_SKILL_OP_GET, .prefix = "acme"};
    char message[256];

    (void)state;
    assert_int_equal(
        mcp_builder_add_skill_source(b, &source, message, sizeof(message)),
        MCP_OK);
    assert_int_equal(
        mcp_builder_add_skill_source(b, &source, message, sizeof(message)),
        MCP_EEXIST);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mcp_json uri = {.type = MCP_JSON_STRING,
                               .count = (uint32_t)strlen(cases[i].uri),
                               .u.text = cases[i].uri};

        if (mcp_skills_may_know(mcp_builder_view(b), &uri) != cases[i].known)
            fail_msg("%s", cases[i].uri);
    }
    mcp_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_offered),
        cmocka_unit_test(they_are_listed_in_pages),
        cmocka_unit_test(one_is_got),
        cmocka_unit_test(a_retry_may_not_be_kept),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(directories_are_read),
        cmocka_unit_test(a_change_is_seen),
        cmocka_unit_test(who_may_know),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
