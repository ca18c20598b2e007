/* skill_code_test.c - skills made in code */
#include "skill_common.h"

#include "base/json.h"

static void load_codes(const struct mcp_skill_code *codes, size_t count)
{
    skill_load_with(
        &(struct mcp_skill_options){.codes = codes, .code_count = count});
}

static void load_code(const struct mcp_skill_code *code)
{
    load_codes(code, 1);
}

static void expect_self(const char *path, const char *text)
{
    const struct mcp_skill_file *f = skill_get(path)->self;

    assert_int_equal(f->len, strlen(text));
    assert_memory_equal(f->bytes, text, f->len);
}

static void a_skill_is_written_from_its_parts(void **state)
{
    static const struct mcp_skill_code_file files[] = {
        {"references/a b.md", "A", 1, NULL},
        {"data.bin", "\0\1", 2, "application/x-thing"},
    };
    struct mcp_arena *arena = mcp_arena_new(1 << 20);
    const char more[] = "{\"license\":\"MIT\",\"metadata\":{\"v\":\"1.0\"},"
                        "\"n\":[1.50,null]}";
    struct mcp_skill_code code = {.prefix = "acme",
                                  .name = "pdf",
                                  .description = "Reads: \"PDF\"\n#1",
                                  .body = "# Do\n",
                                  .body_len = 5,
                                  .files = files,
                                  .file_count = 2,
                                  .file = "app.lua",
                                  .line = 7};
    const struct mcp_skill_file *f;

    (void)state;
    assert_int_equal(
        mcp_json_parse(arena, more, strlen(more), NULL, &code.more, NULL),
        MCP_OK);
    load_code(&code);
    expect_self("acme/pdf",
                "---\n\"name\": \"pdf\"\n\"description\": \"Reads: "
                "\\\"PDF\\\"\\n#1\"\n\"license\": \"MIT\"\n\"metadata\": "
                "{\"v\":\"1.0\"}\n\"n\": [1.50,null]\n---\n# Do\n");
    assert_string_equal(skill_get("acme/pdf")->description,
                        "Reads: \"PDF\"\n#1");
    assert_int_equal(skill_get("acme/pdf")->file_count, 3);
    assert_string_equal(skill_get("acme/pdf")->origin, "app.lua");
    f = mcp_skill_index_find_file(skill_index, "skill://acme/pdf/data.bin", 25);
    assert_non_null(f);
    assert_string_equal(f->mime_type, "application/x-thing");
    assert_memory_equal(f->bytes, "\0\1", 2);
    assert_true(skill_has_file("skill://acme/pdf/references/a%20b.md"));
    assert_true(skill_has_folder("skill://acme"));
    assert_int_equal(skill_reports(MCP_SKILL_ERROR), 0);
    mcp_arena_free(arena);
}

static void every_character_comes_back(void **state)
{
    static const char description[] =
        "\x01\x1f\x7f \302\200\302\237\302\240 \342\200\250\342\200\251 "
        "\357\273\277 \357\277\276 \360\237\230\200 \\ ' \" : # - [ {";
    struct mcp_skill_code code = {
        .name = "x", .description = description, .body = "b", .body_len = 1};

    (void)state;
    load_code(&code);
    assert_string_equal(skill_get("x")->description, description);
}

static void a_text_is_kept_byte_for_byte(void **state)
{
    static const char text[] = "\xEF\xBB\xBF---\r\nname: x\r\n"
                               "description: d\r\nno: no\r\n---\r\nbody";
    struct mcp_skill_code code = {.text = text,
                                  .text_len = sizeof(text) - 1,
                                  .file = "app.lua",
                                  .line = 3};

    (void)state;
    load_code(&code);
    expect_self("x", text);
    skill_expect(MCP_SKILL_WARNING, "app.lua", 3, "line 4 of its text: no is");
    assert_int_equal(skill_reports(MCP_SKILL_WARNING), 2); /* the key as well */
}

static void a_link_to_nowhere_is_told_where_the_skill_is_made(void **state)
{
    struct mcp_skill_code code = {.name = "x",
                                  .description = "d",
                                  .body = "[a](b.md)",
                                  .body_len = 9,
                                  .file = "app.lua",
                                  .line = 3};

    (void)state;
    load_code(&code);
    skill_expect(MCP_SKILL_WARNING, "app.lua", 3, "does not have: b.md");
}

static void refuse(const struct mcp_skill_code *code, const char *reason)
{
    struct mcp_skill_code placed = *code;

    placed.file = "app.lua";
    placed.line = 12;
    load_code(&placed);
    assert_int_equal(skill_count(), 0);
    assert_int_equal(skill_reports(MCP_SKILL_ERROR), 1);
    skill_expect(MCP_SKILL_ERROR, "app.lua", 12, reason);
}

static void a_wrong_declaration_is_reported_where_it_is(void **state)
{
    static const struct mcp_skill_code_file up = {"../x", "", 0, NULL},
                                            hidden = {"a/.x", "", 0, NULL},
                                            absolute = {"/x", "", 0, NULL},
                                            self = {"SKILL.md", "", 0, NULL};
    static const struct mcp_skill_code_file twice[] = {{"x", "", 0, NULL},
                                                       {"x", "", 0, NULL}};
    struct mcp_skill_code good = {.name = "x", .description = "d"}, bad;

    (void)state;
    bad = good;
    bad.files = &up;
    bad.file_count = 1;
    refuse(&bad, "the part . or ..: ../x");
    bad.files = &hidden;
    refuse(&bad, "begins with a dot: a/.x");
    bad.files = &absolute;
    refuse(&bad, "an empty part: /x");
    bad.files = &self;
    refuse(&bad, "SKILL.md among the files");
    bad.files = twice;
    bad.file_count = 2;
    refuse(&bad, "a file that comes twice: x");
    bad = good;
    bad.name = "X";
    refuse(&bad, "other characters");
    bad.name = NULL;
    refuse(&bad, "no name");
    bad = good;
    bad.description = "";
    refuse(&bad, "an empty description");
    bad = good;
    bad.prefix = "a/../b";
    refuse(&bad, "the part . or ..");
    bad = (struct mcp_skill_code){.text = "---\nname: x\ndescription: a: b\n",
                                  .text_len = 30};
    refuse(&bad, "without a last line");
    bad = (struct mcp_skill_code){.text = ""};
    refuse(&bad, "the first line is not ---");
    bad = (struct mcp_skill_code){
        .text = "---\nname: x\ndescription: a: b\n---\n", .text_len = 34};
    refuse(&bad, "line 3 of its text: mapping values");
}

static void two_at_one_place_are_one(void **state)
{
    struct mcp_skill_code codes[] = {
        {.name = "x", .description = "one", .file = "a.lua", .line = 1},
        {.name = "x", .description = "two", .file = "a.lua", .line = 2},
        {.name = "y", .description = "three", .file = "a.lua", .line = 3}};

    (void)state;
    load_codes(codes, 3);
    assert_int_equal(skill_count(), 2);
    assert_string_equal(skill_get("x")->description, "one");
    skill_expect(MCP_SKILL_ERROR, "a.lua", 2, "served already");
}

static void limits_hold_for_code_as_well(void **state)
{
    struct mcp_skill_code_file files[3] = {
        {"a", "1", 1, NULL}, {"b", "2", 1, NULL}, {"c", "3", 1, NULL}};
    struct mcp_skill_code code = {.text =
                                      "---\nname: x\ndescription: d\n---\nxy",
                                  .text_len = 34,
                                  .files = files};
    struct mcp_skill_options options = {
        .codes = &code, .code_count = 1, .max_files = 3, .max_bytes = 36};

    (void)state;
    code.file_count = 2;
    skill_load_with(&options);
    assert_int_equal(skill_count(), 1);
    code.file_count = 3;
    skill_load_with(&options);
    assert_int_equal(skill_count(), 0);
    skill_expect(MCP_SKILL_ERROR, "(code)", 0, "4 files with SKILL.md");
    code.file_count = 2;
    files[1].bytes = "22";
    files[1].len = 2;
    skill_load_with(&options);
    assert_int_equal(skill_count(), 0);
    skill_expect(MCP_SKILL_ERROR, "(code)", 0, "37 bytes");
}

static void code_stands_behind_folders_and_is_not_stale(void **state)
{
    struct mcp_skill_folder folder = {skill_folder, NULL};
    struct mcp_skill_code codes[] = {{.name = "a", .description = "code"},
                                     {.name = "b", .description = "code"}};
    size_t count;

    (void)state;
    skill_make("b");
    skill_load_with(&(struct mcp_skill_options){.folders = &folder,
                                                .folder_count = 1,
                                                .codes = codes,
                                                .code_count = 2});
    assert_string_equal(mcp_skill_index_skills(skill_index, &count)->name, "b");
    assert_int_equal(count, 2);
    assert_string_equal(skill_get("b")->description, "About it.");
    assert_false(mcp_skill_index_is_stale(skill_index));
}

static void a_skill_file_in_code_may_be_a_skill(void **state)
{
    static const char inner[] = "---\nname: in\ndescription: d\n---\nx\n";
    struct mcp_skill_code_file file = {"in/SKILL.md", inner, sizeof(inner) - 1,
                                       NULL};
    struct mcp_skill_code code = {
        .name = "out", .description = "d", .files = &file, .file_count = 1};

    (void)state;
    load_code(&code);
    assert_int_equal(skill_count(), 2);
    assert_int_equal(skill_get("out")->file_count, 2);
    assert_int_equal(skill_get("out/in")->file_count, 1);
}

#define SKILL_TEST(f)                                                          \
    cmocka_unit_test_setup_teardown(f, skill_set_up, skill_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKILL_TEST(a_skill_is_written_from_its_parts),
        SKILL_TEST(every_character_comes_back),
        SKILL_TEST(a_text_is_kept_byte_for_byte),
        SKILL_TEST(a_link_to_nowhere_is_told_where_the_skill_is_made),
        SKILL_TEST(a_wrong_declaration_is_reported_where_it_is),
        SKILL_TEST(two_at_one_place_are_one),
        SKILL_TEST(limits_hold_for_code_as_well),
        SKILL_TEST(code_stands_behind_folders_and_is_not_stale),
        SKILL_TEST(a_skill_file_in_code_may_be_a_skill),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
