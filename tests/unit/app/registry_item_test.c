/* Mirrors src/app/registry_resource.c, registry_prompt.c, registry_copy.c,
 * registry_table.c and changes.c. */
#include "app/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/changes.h"
#include "base/uri_template.h"

static char message[1024];

static struct mcp_builder *builder(void)
{
    struct mcp_config *config = mcp_config_new();
    struct mcp_builder *b;

    assert_non_null(config);
    b = mcp_builder_new(config);
    assert_non_null(b);
    return b;
}

static struct mcp_resource at(const char *uri)
{
    return (struct mcp_resource){.uri = uri,
                                 .name = "n",
                                 .size_bytes = -1,
                                 .cache = {-1, -1},
                                 .file = "app.lua",
                                 .line = 3};
}

static struct mcp_prompt named(const char *name)
{
    return (struct mcp_prompt){.name = name, .file = "app.lua", .line = 3};
}

static enum mcp_err add_resource(struct mcp_builder *b,
                                 const struct mcp_resource *r)
{
    message[0] = '\0';
    return mcp_builder_add_resource(b, r, message, sizeof(message));
}

static enum mcp_err add_template(struct mcp_builder *b,
                                 const struct mcp_resource *r)
{
    message[0] = '\0';
    return mcp_builder_add_template(b, r, message, sizeof(message));
}

static enum mcp_err add_prompt(struct mcp_builder *b,
                               const struct mcp_prompt *p)
{
    message[0] = '\0';
    return mcp_builder_add_prompt(b, p, message, sizeof(message));
}

static void refuses_resource(const struct mcp_resource *r, const char *expected)
{
    struct mcp_builder *b = builder();

    assert_int_equal(add_resource(b, r), MCP_EINVAL);
    assert_string_equal(message, expected);
    assert_int_equal(mcp_builder_view(b)->resource_count, 0);
    assert_int_equal(mcp_builder_view(b)->handler_count, 0);
    mcp_builder_free(b);
}

static void refuses_template(const struct mcp_resource *r, const char *expected)
{
    struct mcp_builder *b = builder();

    assert_int_equal(add_template(b, r), MCP_EINVAL);
    assert_string_equal(message, expected);
    assert_int_equal(mcp_builder_view(b)->template_count, 0);
    mcp_builder_free(b);
}

static void refuses_prompt(const struct mcp_prompt *p, const char *expected)
{
    struct mcp_builder *b = builder();

    assert_int_equal(add_prompt(b, p), MCP_EINVAL);
    assert_string_equal(message, expected);
    assert_int_equal(mcp_builder_view(b)->prompt_count, 0);
    mcp_builder_free(b);
}

/* ---- resources ------------------------------------------------------------
 */

static void a_uri_is_absolute_and_no_template(void **state)
{
    struct mcp_resource r = at("config");

    (void)state;
    refuses_resource(&r, "uri must be an absolute URI like \"app://config\", "
                         "got \"config\"");
    r.uri = "app://a b";
    refuses_resource(&r, "uri must be an absolute URI like \"app://config\", "
                         "got \"app://a b\"");
    r.uri = "notes://{id}";
    refuses_resource(&r, "uri \"notes://{id}\" has variables; a URI with "
                         "variables is declared as uri_template");
}

static void a_uri_has_a_bounded_length(void **state)
{
    struct mcp_builder *b = builder();
    char *uri = malloc(MCP_URI_MAX_BYTES + 2);
    struct mcp_resource r = at(uri);

    (void)state;
    memset(uri, 'x', MCP_URI_MAX_BYTES + 1);
    uri[1] = ':';
    uri[MCP_URI_MAX_BYTES] = '\0';
    assert_int_equal(add_resource(b, &r), MCP_OK);
    uri[MCP_URI_MAX_BYTES] = 'x';
    uri[MCP_URI_MAX_BYTES + 1] = '\0';
    assert_int_equal(add_resource(b, &r), MCP_EINVAL);
    assert_string_equal(message, "uri has 8193 bytes; 8192 are allowed");
    assert_int_equal(add_template(b, &r), MCP_EINVAL);
    assert_string_equal(message, "uri_template has 8193 bytes; 8192 are "
                                 "allowed");
    free(uri);
    mcp_builder_free(b);
}

static void a_template_is_parsed(void **state)
{
    struct mcp_builder *b = builder();
    struct mcp_resource r = at("notes://{id}{?q}");
    const struct mcp_resource *kept;

    (void)state;
    assert_int_equal(add_template(b, &r), MCP_OK);
    kept = &mcp_builder_view(b)->templates[0];
    assert_int_equal(mcp_uri_template_variable_count(kept->uri_template), 2);
    mcp_builder_free(b);
    r.uri = "notes://{id";
    b = builder();
    assert_int_equal(add_template(b, &r), MCP_EINVAL);
    assert_memory_equal(message, "uri_template \"notes://{id\": ", 28);
    mcp_builder_free(b);
    r.uri = "notes://all";
    refuses_template(&r, "uri_template \"notes://all\" has no variables; one "
                         "URI is declared as uri");
    r.uri = "{scheme}://x";
    refuses_template(&r, "uri_template must be an absolute URI like "
                         "\"notes://{id}\", got \"{scheme}://x\"");
    r.uri = "notes/{id}";
    refuses_template(&r, "uri_template must be an absolute URI like "
                         "\"notes://{id}\", got \"notes/{id}\"");
    r.uri = "notes://{args}";
    refuses_template(&r, "a variable may not be called \"args\": a handler's "
                         "parameter of that name is something else");
}

static void a_mime_type_looks_like_one(void **state)
{
    static const char *const good[] = {"text/plain", "text/plain;charset=utf-8",
                                       "text/plain ; a=\"b c\"",
                                       "application/vnd.a+json"};
    static const char *const bad[] = {
        "", "text", "text/", "/plain", "a b/c", "text/plain x", "text/pl\xc3"};
    struct mcp_resource r = at("t:a");

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct mcp_builder *b = builder();

        r.mime_type = good[i];
        assert_int_equal(add_resource(b, &r), MCP_OK);
        mcp_builder_free(b);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char expected[200];

        r.mime_type = bad[i];
        snprintf(expected, sizeof(expected),
                 "mime_type must look like \"text/plain\", got \"%s\"", bad[i]);
        refuses_resource(&r, expected);
    }
}

static void content_is_checked(void **state)
{
    struct mcp_builder *b = builder();
    struct mcp_resource r = at("t:a");
    char *big;
    size_t max = (size_t)mcp_builder_config(b)->max_blob_bytes;

    (void)state;
    big = malloc(max + 1);
    memset(big, 'x', max + 1);
    r.content = big;
    r.content_len = max;
    assert_int_equal(add_resource(b, &r), MCP_OK);
    assert_int_equal(mcp_builder_view(b)->resources[0].size_bytes, max);
    r.uri = "t:b";
    r.content_len = max + 1;
    assert_int_equal(add_resource(b, &r), MCP_EINVAL);
    assert_string_equal(message, "the content has 26214401 bytes, more than "
                                 "max_blob_bytes (26214400)");
    free(big);
    r.content = "a\xff";
    r.content_len = 2;
    assert_int_equal(add_resource(b, &r), MCP_EINVAL);
    assert_string_equal(message, "the text is not valid UTF-8 (byte 2); bytes "
                                 "are given as blob");
    r.is_blob = true;
    r.size_bytes = 3;
    assert_int_equal(add_resource(b, &r), MCP_EINVAL);
    assert_string_equal(message, "size is 3, but the content has 2 bytes");
    r.size_bytes = 2;
    assert_int_equal(add_resource(b, &r), MCP_OK);
    assert_int_equal(mcp_builder_view(b)->handler_count, 0);
    mcp_builder_free(b);
}

static void other_fields_are_checked(void **state)
{
    struct mcp_resource r = at("t:a");

    (void)state;
    r.name = "";
    refuses_resource(&r, "the resource's name is empty");
    r = at("t:a");
    r.size_bytes = -2;
    refuses_resource(&r, "size must be a count of bytes");
    r = at("t:a");
    r.cache.ttl_ms = -2;
    refuses_resource(&r, "cache.ttl_ms must not be negative");
    r = at("t:a");
    r.annotations = "[]";
    refuses_resource(&r, "annotations must be a table with string keys");
    r = at("t:a");
    r.handler.timeout_s = -1;
    refuses_resource(&r, "timeout must be 0 or more seconds");
    r = at("t:a");
    r.title = "\xff";
    refuses_resource(&r, "title is not valid UTF-8 (byte 1)");
}

static void binds_and_completers_are_about_variables(void **state)
{
    struct mcp_bind binds[] = {{MCP_BIND_ARGUMENT, "pth"}, {MCP_BIND_CTX, "c"}};
    struct mcp_completer completers[] = {{.argument = "path"},
                                         {.argument = "path"}};
    struct mcp_resource r = at("docs://{+path}");

    (void)state;
    r.handler.binds = binds;
    r.handler.bind_count = 2;
    refuses_template(&r,
                     "the handler's parameter \"pth\" is no variable of the "
                     "uri_template; did you mean \"path\"?");
    r.uri = "docs:a";
    refuses_resource(&r, "the handler's parameter \"pth\" is no variable: a "
                         "resource with one URI gets \"ctx\" and \"args\" "
                         "only");
    r.uri = "docs://{+path}";
    binds[0].name = "path";
    r.completers = completers;
    r.completer_count = 2;
    refuses_template(&r, "complete: \"path\" is there twice");
    completers[1].argument = "lang";
    refuses_template(&r, "complete: \"lang\" is no variable of the "
                         "uri_template");
}

static void a_second_one_is_refused_with_both_places(void **state)
{
    struct mcp_builder *b = builder();
    struct mcp_resource r = at("t:a"), t = at("t:{a}");
    struct mcp_prompt p = named("greet");

    (void)state;
    assert_int_equal(add_resource(b, &r), MCP_OK);
    assert_int_equal(add_template(b, &t), MCP_OK);
    assert_int_equal(add_prompt(b, &p), MCP_OK);
    r.line = t.line = p.line = 9;
    assert_int_equal(add_resource(b, &r), MCP_EEXIST);
    assert_string_equal(message, "resource \"t:a\" is declared twice: "
                                 "app.lua:3 and app.lua:9");
    assert_int_equal(add_template(b, &t), MCP_EEXIST);
    assert_string_equal(message, "resource \"t:{a}\" is declared twice: "
                                 "app.lua:3 and app.lua:9");
    assert_int_equal(add_prompt(b, &p), MCP_EEXIST);
    assert_string_equal(message, "prompt \"greet\" is declared twice: "
                                 "app.lua:3 and app.lua:9");
    mcp_builder_free(b);
}

/* ---- prompts --------------------------------------------------------------
 */

static void a_prompts_name_may_have_slashes(void **state)
{
    struct mcp_builder *b = builder();
    char name[130];
    struct mcp_prompt p = named("a/b_C-1.2");

    (void)state;
    assert_int_equal(add_prompt(b, &p), MCP_OK);
    memset(name, 'x', sizeof(name));
    name[128] = '\0';
    p.name = name;
    assert_int_equal(add_prompt(b, &p), MCP_OK);
    mcp_builder_free(b);
    name[128] = 'x';
    name[129] = '\0';
    refuses_prompt(&p, "the prompt's name has 129 bytes; 128 are allowed: "
                       "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\"");
    p.name = "";
    refuses_prompt(&p, "the prompt's name is empty");
    p.name = "New Prompt";
    refuses_prompt(&p, "the prompt's name \"New Prompt\" has a character that "
                       "is not one of A-Z a-z 0-9 _ . / - (byte 4)");
}

static void arguments_are_checked(void **state)
{
    struct mcp_prompt_argument arguments[65] = {{.name = "a"}, {.name = "a"}};
    struct mcp_prompt p = named("p");
    struct mcp_builder *b;
    char names[65][8];

    (void)state;
    p.arguments = arguments;
    p.argument_count = 2;
    refuses_prompt(&p, "argument \"a\" is there twice");
    arguments[1].name = "";
    refuses_prompt(&p, "arguments[2] has an empty name");
    arguments[1].name = "ctx";
    refuses_prompt(&p, "an argument may not be called \"ctx\": a handler's "
                       "parameter of that name is something else");
    arguments[1] = (struct mcp_prompt_argument){
        .name = "b", .initial = "x", .required = true};
    refuses_prompt(&p, "argument \"b\" is required and has a default; one of "
                       "them is too much");
    for (size_t i = 0; i < 65; i++) {
        snprintf(names[i], sizeof(names[i]), "a%zu", i);
        arguments[i] = (struct mcp_prompt_argument){.name = names[i]};
    }
    b = builder();
    p.argument_count = 64;
    assert_int_equal(add_prompt(b, &p), MCP_OK);
    mcp_builder_free(b);
    p.argument_count = 65;
    refuses_prompt(&p, "there are 65 arguments; 64 are allowed");
}

static void binds_are_arguments_unless_any_are_taken(void **state)
{
    struct mcp_prompt_argument arguments[] = {{.name = "style"}};
    struct mcp_bind binds[] = {{MCP_BIND_ARGUMENT, "stile"}};
    struct mcp_completer completers[] = {{.argument = "styl"}};
    struct mcp_prompt p = named("p");
    struct mcp_builder *b = builder();

    (void)state;
    p.arguments = arguments;
    p.argument_count = 1;
    p.handler.binds = binds;
    p.handler.bind_count = 1;
    assert_int_equal(add_prompt(b, &p), MCP_OK);
    mcp_builder_free(b);
    p.has_arguments = true;
    refuses_prompt(&p, "the handler's parameter \"stile\" is no argument of "
                       "the prompt; did you mean \"style\"?");
    binds[0].name = "style";
    p.completers = completers;
    p.completer_count = 1;
    refuses_prompt(&p, "complete: \"styl\" is no argument of the prompt; did "
                       "you mean \"style\"?");
}

/* ---- the whole ------------------------------------------------------------
 */

static void all_kinds_share_the_slots(void **state)
{
    static const struct mcp_bind binds[] = {{MCP_BIND_ARGUMENT, "value"},
                                            {MCP_BIND_CTX, "ctx"}};
    const char *values[] = {"x"};
    struct mcp_completer completers[] = {
        {.argument = "a",
         .handler = {.binds = binds, .bind_count = 2, .slot = 1}},
        {.argument = "b", .values = values, .value_count = 1}};
    struct mcp_prompt_argument arguments[] = {{.name = "a"}, {.name = "b"}};
    struct mcp_tool tool = {.name = "t", .input_schema = "{}"};
    struct mcp_resource r = at("t:a"), fixed = at("t:b"), t = at("t:{a}/{b}");
    struct mcp_prompt p = named("p");
    struct mcp_builder *b = builder();
    const struct mcp_generation *gen = mcp_builder_view(b);
    static const struct {
        enum mcp_kind kind;
        const char *name;
    } want[] = {
        {MCP_KIND_RESOURCE, "t:a"},
        {MCP_KIND_PROMPT, "p"},
        {MCP_KIND_COMPLETER, "a of prompt p"},
        {MCP_KIND_TOOL, "t"},
        {MCP_KIND_RESOURCE, "t:{a}/{b}"},
        {MCP_KIND_COMPLETER, "a of resource t:{a}/{b}"},
    };

    (void)state;
    fixed.content = "";
    p.arguments = arguments;
    p.argument_count = 2;
    p.completers = t.completers = completers;
    p.completer_count = t.completer_count = 2;
    assert_int_equal(add_resource(b, &r), MCP_OK);
    assert_int_equal(add_prompt(b, &p), MCP_OK);
    assert_int_equal(add_resource(b, &fixed), MCP_OK);
    assert_int_equal(mcp_builder_add_tool(b, &tool, message, sizeof(message)),
                     MCP_OK);
    assert_int_equal(add_template(b, &t), MCP_OK);
    assert_int_equal(gen->handler_count, 6);
    for (size_t i = 0; i < 6; i++) {
        const struct mcp_handler *h = mcp_generation_handler(gen, i + 1);

        assert_int_equal(h->kind, want[i].kind);
        assert_string_equal(h->name, want[i].name);
        assert_int_equal(h->slot, i + 1);
    }
    assert_int_equal(gen->prompts[0].completers[0].handler.slot, 3);
    assert_string_equal(gen->prompts[0].completers[0].handler.binds[0].name,
                        "value");
    assert_int_equal(gen->prompts[0].completers[1].handler.slot, 0);
    assert_string_equal(gen->prompts[0].completers[1].values[0], "x");
    mcp_builder_free(b);
}

static void every_completer_has_a_slot(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct mcp_completer completers[5];
    struct mcp_resource t = at("t:{a}/{b}/{c}/{d}/{e}");
    struct mcp_builder *b = builder();
    const struct mcp_generation *gen = mcp_builder_view(b);

    (void)state;
    for (size_t i = 0; i < 5; i++)
        completers[i] = (struct mcp_completer){.argument = names[i],
                                               .handler = {.slot = 1}};
    t.completers = completers;
    t.completer_count = 5;
    assert_int_equal(add_template(b, &t), MCP_OK);
    assert_int_equal(gen->handler_count, 6);
    assert_string_equal(mcp_generation_handler(gen, 6)->name,
                        "e of resource t:{a}/{b}/{c}/{d}/{e}");
    mcp_builder_free(b);
}

static void many_are_found_by_name(void **state)
{
    struct mcp_builder *b = builder();
    const struct mcp_generation *gen = mcp_builder_view(b);
    char text[64];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct mcp_resource r = at(text);
        struct mcp_prompt p = named(text);

        snprintf(text, sizeof(text), "t:%d", i);
        assert_int_equal(add_resource(b, &r), MCP_OK);
        snprintf(text, sizeof(text), "t:%d/{x}", i);
        assert_int_equal(add_template(b, &r), MCP_OK);
        snprintf(text, sizeof(text), "p%d", i);
        assert_int_equal(add_prompt(b, &p), MCP_OK);
    }
    for (size_t i = 0; i < 1000; i++) {
        int n = snprintf(text, sizeof(text), "t:%zu", i);

        assert_ptr_equal(mcp_generation_find_resource(gen, text, (size_t)n),
                         &gen->resources[i]);
        assert_int_equal(gen->resources[i].index, i);
        n = snprintf(text, sizeof(text), "t:%zu/{x}", i);
        assert_ptr_equal(mcp_generation_find_template(gen, text, (size_t)n),
                         &gen->templates[i]);
        n = snprintf(text, sizeof(text), "p%zu", i);
        assert_ptr_equal(mcp_generation_find_prompt(gen, text, (size_t)n),
                         &gen->prompts[i]);
        assert_string_equal(
            mcp_generation_handler(gen, gen->prompts[i].handler.slot)->name,
            text);
    }
    assert_null(mcp_generation_find_resource(gen, "t:1000", 6));
    assert_null(mcp_generation_find_prompt(gen, "p1\0", 3));
    assert_null(mcp_generation_find_template(gen, "t:1", 3));
    mcp_builder_free(b);
}

static void nothing_is_found_in_an_empty_one(void **state)
{
    struct mcp_builder *b = builder();
    const struct mcp_generation *gen = mcp_builder_view(b);

    (void)state;
    assert_null(mcp_generation_find_tool(gen, "", 0));
    assert_null(mcp_generation_find_resource(gen, "t:a", 3));
    assert_null(mcp_generation_find_template(gen, "t:a", 3));
    assert_null(mcp_generation_find_prompt(gen, "a", 1));
    mcp_builder_free(b);
}

/* ---- changes --------------------------------------------------------------
 */

static void changes_tell_of_every_kind(void **state)
{
    struct mcp_builder *from = builder(), *to = builder();
    struct mcp_resource same = at("t:same"), gone = at("t:gone"),
                        text = at("t:text"), new = at("t:{new}");
    struct mcp_prompt_argument argument = {.name = "a"};
    struct mcp_prompt kept = named("kept"), other = named("other");
    struct mcp_buf out;

    (void)state;
    text.content = "a";
    text.content_len = 1;
    assert_int_equal(add_resource(from, &same), MCP_OK);
    assert_int_equal(add_resource(from, &gone), MCP_OK);
    assert_int_equal(add_resource(from, &text), MCP_OK);
    assert_int_equal(add_prompt(from, &kept), MCP_OK);
    assert_int_equal(add_prompt(from, &other), MCP_OK);
    text.content = "b";
    other.arguments = &argument;
    other.argument_count = 1;
    assert_int_equal(add_resource(to, &same), MCP_OK);
    assert_int_equal(add_resource(to, &text), MCP_OK);
    assert_int_equal(add_template(to, &new), MCP_OK);
    assert_int_equal(add_prompt(to, &kept), MCP_OK);
    assert_int_equal(add_prompt(to, &other), MCP_OK);
    mcp_buf_init(&out, 4096);
    mcp_changes_write(&out, mcp_builder_view(from), mcp_builder_view(to));
    mcp_buf_putc(&out, '\0');
    assert_string_equal(out.data, "added t:{new}; removed t:gone; changed "
                                  "t:text, other");
    mcp_buf_clear(&out);
    mcp_changes_write(&out, mcp_builder_view(to), mcp_builder_view(to));
    mcp_buf_putc(&out, '\0');
    assert_string_equal(out.data, "nothing that clients see changed");
    mcp_buf_free(&out);
    mcp_builder_free(from);
    mcp_builder_free(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uri_is_absolute_and_no_template),
        cmocka_unit_test(a_uri_has_a_bounded_length),
        cmocka_unit_test(a_template_is_parsed),
        cmocka_unit_test(a_mime_type_looks_like_one),
        cmocka_unit_test(content_is_checked),
        cmocka_unit_test(other_fields_are_checked),
        cmocka_unit_test(binds_and_completers_are_about_variables),
        cmocka_unit_test(a_second_one_is_refused_with_both_places),
        cmocka_unit_test(a_prompts_name_may_have_slashes),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(binds_are_arguments_unless_any_are_taken),
        cmocka_unit_test(all_kinds_share_the_slots),
        cmocka_unit_test(every_completer_has_a_slot),
        cmocka_unit_test(many_are_found_by_name),
        cmocka_unit_test(nothing_is_found_in_an_empty_one),
        cmocka_unit_test(changes_tell_of_every_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
