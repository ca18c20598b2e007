/* Mirrors src/features/list.c, items.c, offer.c, prepare.c and the parts of
 * envelope.c and discover.c that are written beforehand. */
#include "features/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ask_common.h"
#include "features/offer.h"
#include "features_common.h"

static bool ended;

static void on_end(struct mcp_request *rq)
{
    (void)rq;
    ended = true;
}

/* What tools/list answers to these params, "-" and the fault's message else. */
static const char *list(struct mcp_builder *b, enum mcp_revision revision,
                        const char *params)
{
    static char text[4096];
    struct mcp_call call = {.revision = revision,
                            .arena = mcp_arena_new(1 << 20)};
    struct mcp_request rq = {
        .call = &call, .gen = mcp_builder_view(b), .end = on_end};

    mcp_buf_init(&call.out, sizeof(text) - 1);
    assert_int_equal(mcp_json_parse(call.arena, params, strlen(params), NULL,
                                    &call.params, NULL),
                     MCP_OK);
    ended = false;
    mcp_tools_list(&rq);
    assert_true(ended);
    if (rq.fault.err != MCP_OK) {
        assert_int_equal(rq.fault.err, MCP_EINVAL);
        assert_int_equal(call.out.len, 0);
        snprintf(text, sizeof(text), "-%s", rq.fault.message);
    } else {
        assert_false(call.out.failed);
        memcpy(text, call.out.data, call.out.len);
        text[call.out.len] = '\0';
    }
    mcp_buf_free(&call.out);
    mcp_arena_free(call.arena);
    return text;
}

#define TOOL(n)                                                                \
    {                                                                          \
        .name = n, .input_schema = "{\"type\":\"object\"}"                     \
    }
#define LISTED(n) "{\"name\":\"" n "\",\"inputSchema\":{\"type\":\"object\"}}"

static const struct mcp_tool abc[] = {TOOL("a"), TOOL("b"), TOOL("c")};

/* Walks all pages; counts them and checks that each tool comes once. */
static int walk(struct mcp_builder *b, size_t count)
{
    char params[128] = "{}";
    unsigned seen = 0;
    int pages = 0;

    for (;;) {
        const char *text = list(b, MCP_2025_11_25, params), *at;

        pages++;
        for (size_t i = 0; i < count; i++) {
            char name[32];

            snprintf(name, sizeof(name), "{\"name\":\"%s\"", abc[i].name);
            if (strstr(text, name) == NULL)
                continue;
            assert_int_equal(seen >> i, 0); /* in order, and once */
            seen |= 1u << i;
        }
        at = strstr(text, "\"nextCursor\":\"");
        if (at == NULL)
            break;
        at += strlen("\"nextCursor\":\"");
        snprintf(params, sizeof(params), "{\"cursor\":\"%.*s\"}",
                 (int)strcspn(at, "\""), at);
    }
    assert_int_equal(seen, (1u << count) - 1);
    return pages;
}

static void every_page_size_shows_every_tool_once(void **state)
{
    static const struct {
        const char *size;
        int pages;
    } rows[] = {{"1", 3}, {"2", 2}, {"3", 1}, {"4", 1}, {"100", 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *options[] = {"list_page_size", rows[i].size, NULL};
        struct mcp_builder *b = prepared(abc, 3, options);

        assert_int_equal(walk(b, 3), rows[i].pages);
        mcp_builder_free(b);
    }
}

static void an_absent_null_or_empty_cursor_is_the_first_page(void **state)
{
    const char *options[] = {"list_page_size", "3", NULL};
    struct mcp_builder *b = prepared(abc, 3, options);
    static const char expected[] =
        "{\"tools\":[" LISTED("a") "," LISTED("b") "," LISTED("c") "]}";

    (void)state;
    assert_string_equal(list(b, MCP_2025_03_26, "{}"), expected);
    assert_string_equal(list(b, MCP_2025_03_26, "{\"cursor\":\"\"}"), expected);
    assert_string_equal(list(b, MCP_2025_03_26, "{\"cursor\":null}"), expected);
    mcp_builder_free(b);
}

static void foreign_cursors_are_refused(void **state)
{
    const char *ones[] = {"list_page_size", "1", NULL};
    const char *twos[] = {"list_page_size", "2", NULL};
    struct mcp_builder *b = prepared(abc, 3, ones);
    struct mcp_builder *other_size = prepared(abc, 3, twos);
    struct mcp_builder *other_list = prepared(abc + 1, 2, ones);
    char params[128];
    const char *at;

    (void)state;
    at = strstr(list(b, MCP_2025_11_25, "{}"), "\"nextCursor\":\"");
    assert_non_null(at);
    snprintf(params, sizeof(params), "{\"cursor\":\"%.*s\"}",
             (int)strcspn(at + 14, "\""), at + 14);
    assert_true(list(b, MCP_2026_07_28, params)[0] == '{');
    assert_true(list(other_size, MCP_2025_11_25, params)[0] == '-');
    assert_true(list(other_list, MCP_2025_11_25, params)[0] == '-');
    assert_true(list(b, MCP_2025_11_25, "{\"cursor\":\"1\"}")[0] == '-');
    assert_true(list(b, MCP_2025_11_25, "{\"cursor\":\"\\u0000\"}")[0] == '-');
    assert_string_equal(list(b, MCP_2025_11_25, "{\"cursor\":1}"),
                        "-cursor must be a string");
    assert_string_equal(list(b, MCP_2025_11_25, "{\"cursor\":{}}"),
                        "-cursor must be a string");
    mcp_builder_free(b);
    mcp_builder_free(other_size);
    mcp_builder_free(other_list);
}

static void every_page_has_the_same_cache_members(void **state)
{
    const char *options[] = {
        "list_page_size", "2", "cache_ttl_ms", "700", "cache_scope", "public",
        "name",           "n", "version",      "2",   NULL};
    struct mcp_builder *b = prepared(abc, 3, options);
    static const char tail[] =
        ",\"ttlMs\":700,\"cacheScope\":\"public\",\"_meta\":{\"io."
        "modelcontextprotocol/serverInfo\":{\"name\":\"n\",\"version\":\"2\"}}"
        "}";
    char params[128];
    const char *text, *at;

    (void)state;
    text = list(b, MCP_2026_07_28, "{}");
    assert_string_equal(text + strlen(text) - strlen(tail), tail);
    at = strstr(text, "\"nextCursor\":\"") + 14;
    snprintf(params, sizeof(params), "{\"cursor\":\"%.*s\"}",
             (int)strcspn(at, "\""), at);
    text = list(b, MCP_2026_07_28, params);
    assert_string_equal(text + strlen(text) - strlen(tail), tail);
    assert_null(strstr(list(b, MCP_2025_11_25, params), "ttlMs"));
    assert_string_equal(
        strstr(list(b, MCP_2026_07_28, "{\"inputResponses\":{}}"), ",\"ttlMs") +
            1,
        "\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{\"io."
        "modelcontextprotocol/serverInfo\":{\"name\":\"n\",\"version\":\"2\"}}"
        "}");
    mcp_builder_free(b);
}

static void an_empty_list_is_an_array(void **state)
{
    struct mcp_builder *b = prepared(NULL, 0, NULL);

    (void)state;
    assert_string_equal(list(b, MCP_2025_11_25, "{}"), "{\"tools\":[]}");
    mcp_builder_free(b);
}

/* ---- every kind, every revision ---- */

#define ANNOTATIONS "{\"audience\":[\"user\"],\"priority\":0.5}"
#define ICONS       "[{\"src\":\"https://example.com/i.png\"}]"
#define META        "{\"a/b\":1}"
#define NAMED(kind, n)                                                         \
    "{\"" kind "\":\"" n "\",\"name\":\"N\",\"title\":\"T\","                  \
    "\"description\":\"D\",\"mimeType\":\"text/x\","

static const struct mcp_prompt_argument arguments[] = {
    {.name = "a", .title = "A", .description = "AD", .required = true},
    {.name = "b", .initial = "x"}};
static const struct mcp_prompt prompts[] = {{.name = "p",
                                             .title = "T",
                                             .description = "D",
                                             .icons = ICONS,
                                             .meta = META,
                                             .arguments = arguments,
                                             .argument_count = 2,
                                             .has_arguments = true},
                                            {.name = "c/q"},
                                            {.name = NULL}};
static const struct mcp_resource resources[] = {
    {.uri = "t://r",
     .name = "N",
     .title = "T",
     .description = "D",
     .mime_type = "text/x",
     .size_bytes = 0,
     .annotations = ANNOTATIONS,
     .icons = ICONS,
     .meta = META,
     .content = ""},
    {.uri = "t://s", .name = "s", .size_bytes = -1},
    {.uri = NULL}};
static const struct mcp_resource templates[] = {{.uri = "t://{v}",
                                                 .name = "N",
                                                 .title = "T",
                                                 .description = "D",
                                                 .mime_type = "text/x",
                                                 .size_bytes = 9,
                                                 .annotations = ANNOTATIONS,
                                                 .icons = ICONS,
                                                 .meta = META},
                                                {.uri = NULL}};
static const struct declared everything = {.tools = NULL,
                                           .prompts = prompts,
                                           .resources = resources,
                                           .templates = templates};

static void each_revision_has_its_members(void **state)
{
    static const char prompt_tail[] = ",{\"name\":\"c/q\"}]}";
    struct mcp_builder *b = declare(&everything);

    (void)state;
    assert_string_equal(
        ask(b, mcp_prompts_list, MCP_2025_03_26, "{}"),
        "{\"prompts\":[{\"name\":\"p\",\"description\":\"D\",\"arguments\":[{"
        "\"name\":\"a\",\"description\":\"AD\",\"required\":true},{\"name\":"
        "\"b\",\"required\":false}]},{\"name\":\"c/q\"}]}");
    assert_string_equal(
        ask(b, mcp_prompts_list, MCP_2025_06_18, "{}"),
        "{\"prompts\":[{\"name\":\"p\",\"title\":\"T\",\"description\":\"D\","
        "\"arguments\":[{\"name\":\"a\",\"title\":\"A\",\"description\":"
        "\"AD\",\"required\":true},{\"name\":\"b\",\"required\":false}],"
        "\"_meta\":" META "},{\"name\":\"c/q\"}]}");
    assert_non_null(strstr(ask(b, mcp_prompts_list, MCP_2025_11_25, "{}"),
                           "],\"icons\":" ICONS ",\"_meta\":" META "}"));
    assert_non_null(
        strstr(ask(b, mcp_prompts_list, MCP_2025_11_25, "{}"), prompt_tail));
    assert_string_equal(
        ask(b, mcp_resources_list, MCP_2025_03_26, "{}"),
        "{\"resources\":[{\"uri\":\"t://r\",\"name\":\"N\",\"description\":"
        "\"D\",\"mimeType\":\"text/x\",\"size\":0,\"annotations\":" ANNOTATIONS
        "},{\"uri\":\"t://s\",\"name\":\"s\"}]}");
    assert_string_equal(
        ask(b, mcp_resources_list, MCP_2025_11_25, "{}"),
        "{\"resources\":[" NAMED(
            "uri", "t://r") "\"size\":0,"
                            "\"annotations\":" ANNOTATIONS ",\"icons\":" ICONS
                            ",\"_meta\":" META
                            "},{\"uri\":\"t://s\",\"name\":\"s\"}]}");
    assert_string_equal(
        ask(b, mcp_templates_list, MCP_2025_11_25, "{}"),
        "{\"resourceTemplates\":[" NAMED(
            "uriTemplate", "t://{v}") "\"annotations\":" ANNOTATIONS
                                      ",\"icons\":" ICONS ",\"_meta\":" META
                                      "}]}");
    mcp_builder_free(b);
}

static void every_list_is_valid_by_the_official_schemas(void **state)
{
    static const struct {
        void (*method)(struct mcp_request *rq);
        const char *definition;
    } rows[] = {{mcp_prompts_list, "ListPromptsResult"},
                {mcp_resources_list, "ListResourcesResult"},
                {mcp_templates_list, "ListResourceTemplatesResult"},
                {mcp_tools_list, "ListToolsResult"}};
    struct mcp_builder *b = declare(&everything);

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int r = MCP_2025_03_26; r <= (int)MCP_2026_07_28; r++)
            expect_valid((enum mcp_revision)r, rows[i].definition,
                         ask(b, rows[i].method, (enum mcp_revision)r, "{}"));
    mcp_builder_free(b);
}

/* The same names and the same page: still another list. */
static void cursors_of_another_kind_are_refused(void **state)
{
    static const char *const one[] = {"list_page_size", "1", NULL};
    static const struct mcp_prompt two_prompts[] = {
        {.name = "a"}, {.name = "b"}, {.name = NULL}};
    static const struct mcp_tool two_tools[] = {
        TOOL("a"), TOOL("b"), {.name = NULL}};
    const struct declared d = {
        .tools = two_tools, .prompts = two_prompts, .options = one};
    struct mcp_builder *b = declare(&d);
    char params[128];
    const char *at;

    (void)state;
    at = strstr(ask(b, mcp_prompts_list, MCP_2025_11_25, "{}"),
                "\"nextCursor\":\"");
    assert_non_null(at);
    snprintf(params, sizeof(params), "{\"cursor\":\"%.*s\"}",
             (int)strcspn(at + 14, "\""), at + 14);
    assert_string_equal(ask(b, mcp_prompts_list, MCP_2025_11_25, params),
                        "{\"prompts\":[{\"name\":\"b\"}]}");
    assert_true(strncmp(ask(b, mcp_tools_list, MCP_2025_11_25, params),
                        "-32602 Unknown cursor", 21) == 0);
    mcp_builder_free(b);
}

static void what_is_offered_is_declared(void **state)
{
    static const char *const values[] = {"v"};
    static const struct mcp_completer completer[] = {
        {.argument = "v", .values = values, .value_count = 1}};
    static const struct mcp_resource with[] = {{.uri = "t://{v}",
                                                .name = "N",
                                                .size_bytes = -1,
                                                .completers = completer,
                                                .completer_count = 1},
                                               {.uri = NULL}};
    static const struct mcp_tool tool[] = {TOOL("a"), {.name = NULL}};
    static const struct {
        struct declared d;
        unsigned offers;
        const char *const members[5];
    } rows[] = {
        {{.tools = NULL}, 0, {NULL}},
        {{.tools = tool}, MCP_OFFER_TOOLS, {"tools", NULL}},
        {{.prompts = prompts}, MCP_OFFER_PROMPTS, {"prompts", NULL}},
        {{.resources = resources}, MCP_OFFER_RESOURCES, {"resources", NULL}},
        {{.templates = templates}, MCP_OFFER_RESOURCES, {"resources", NULL}},
        {{.templates = with},
         MCP_OFFER_RESOURCES | MCP_OFFER_COMPLETIONS,
         {"resources", "completions", NULL}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct mcp_builder *b = declare(&rows[i].d);
        const struct mcp_prepared *p = mcp_builder_view(b)->prepared;
        struct mcp_arena *a = mcp_arena_new(1 << 20);
        const struct mcp_json *hello, *declared;

        assert_int_equal(p->offers, rows[i].offers);
        for (int r = MCP_2025_03_26; r <= (int)MCP_2026_07_28; r++) {
            size_t n = 0;

            assert_int_equal(mcp_json_parse(a, p->hello[r].text,
                                            p->hello[r].len, NULL, &hello,
                                            NULL),
                             MCP_OK);
            declared = mcp_json_find(hello, "capabilities");
            assert_non_null(mcp_json_find(declared, "logging"));
            for (; rows[i].members[n] != NULL; n++)
                assert_non_null(mcp_json_find(declared, rows[i].members[n]));
            assert_int_equal(declared->count, n + 1);
        }
        mcp_arena_free(a);
        mcp_builder_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_page_size_shows_every_tool_once),
        cmocka_unit_test(an_absent_null_or_empty_cursor_is_the_first_page),
        cmocka_unit_test(foreign_cursors_are_refused),
        cmocka_unit_test(every_page_has_the_same_cache_members),
        cmocka_unit_test(an_empty_list_is_an_array),
        cmocka_unit_test(each_revision_has_its_members),
        cmocka_unit_test(every_list_is_valid_by_the_official_schemas),
        cmocka_unit_test(cursors_of_another_kind_are_refused),
        cmocka_unit_test(what_is_offered_is_declared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
