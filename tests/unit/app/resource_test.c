/* Mirrors declare_resource.c and result_resource.c: resources of a real app. */
#include "app_bench.h"

static struct bench bench;

static void open_app(const char *source)
{
    bench_make(&bench);
    bench_open(&bench, source);
    if (bench.err != MCP_OK)
        fail_msg("%s", bench.message);
}

static void reads(const char *declared, const char *uri, const char *variables,
                  const char *contents)
{
    struct one one;

    start_resource(&bench, &one, declared, uri, variables);
    wait_for(&one);
    assert_string_equal(one.text, contents);
    assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_RESULT);
    drop(&one);
}

static void fails(const char *uri, const char *data)
{
    struct one one;
    const struct mcp_outcome *o = &one.job.outcome;

    start_resource(&bench, &one, uri, uri, "{}");
    wait_for(&one);
    assert_int_equal(o->kind, MCP_OUTCOME_ERROR);
    assert_int_equal(o->code, -32603);
    assert_string_equal(one.text, "Resource read failed");
    if (o->data.len != strlen(data) ||
        memcmp(o->text.data + o->data.at, data, o->data.len) != 0)
        fail_msg("expected %s, got %.*s", data, (int)o->data.len,
                 o->text.data + o->data.at);
    drop(&one);
}

static const struct mcp_resource *declared(const struct mcp_generation **gen,
                                           const char *uri)
{
    const struct mcp_resource *r;

    *gen = mcp_app_acquire(bench.app);
    r = mcp_generation_find_resource(*gen, uri, strlen(uri));
    assert_non_null(r);
    return r;
}

#define TEXT(uri, mime, text)                                                  \
    "[{\"uri\":\"" uri "\",\"mimeType\":\"" mime "\",\"text\":\"" text "\"}]"
#define BLOB(uri, mime, blob)                                                  \
    "[{\"uri\":\"" uri "\",\"mimeType\":\"" mime "\",\"blob\":\"" blob "\"}]"

static const char returning[] =
    "local mcp = require 'mcp'\n"
    "local function r(uri, value, more)\n"
    "  local decl = more or {}\n"
    "  decl.uri, decl.handler = uri, function() return value end\n"
    "  mcp.resource(decl) end\n"
    "r('t:text', 'a')\n"
    "r('t:empty', '')\n"
    "r('t:page.md', '# a')\n"
    "r('t:declared.md', 'a', { mime_type = 'text/x-own' })\n"
    "r('t:bytes', '\\255\\0\\1')\n"
    "r('t:png', '\\137PNG\\r\\n\\26\\n')\n"
    "r('t:blob', mcp.blob('\\1\\2', 'image/png'))\n"
    "r('t:blob.gif', mcp.blob('ab'))\n"
    "r('t:image', mcp.image('\\1\\2', 'image/webp'))\n"
    "r('t:mcptext', mcp.text 'a')\n"
    "r('t:json', { b = 'x\"y' })\n"
    "r('t:list', { 1, 2 })\n"
    "r('t:array', mcp.array {})\n"
    "r('t:data', { { uri = 'x', text = 'y' } })\n"
    "r('t:number', 7)\n"
    "r('t:false', false)\n"
    "r('t:embedded', mcp.embedded { uri = 'u:v', text = 'w' })\n"
    "r('t:several', { mcp.embedded { uri = 'u:1.txt', text = 'w' },\n"
    "  mcp.embedded { uri = 'u:2', blob = '\\1', mime_type = 'image/png' } "
    "})\n";

static void every_form_of_a_return(void **state)
{
    static const struct {
        const char *uri, *contents;
    } forms[] = {
        {"t:text", TEXT("t:text", "text/plain", "a")},
        {"t:empty", TEXT("t:empty", "text/plain", "")},
        {"t:page.md", TEXT("t:page.md", "text/markdown", "# a")},
        {"t:declared.md", TEXT("t:declared.md", "text/x-own", "a")},
        {"t:bytes", BLOB("t:bytes", "application/octet-stream", "/wAB")},
        {"t:png", BLOB("t:png", "image/png", "iVBORw0KGgo=")},
        {"t:blob", BLOB("t:blob", "image/png", "AQI=")},
        {"t:blob.gif", BLOB("t:blob.gif", "image/gif", "YWI=")},
        {"t:image", BLOB("t:image", "image/webp", "AQI=")},
        {"t:mcptext", TEXT("t:mcptext", "text/plain", "a")},
        {"t:json",
         TEXT("t:json", "application/json", "{\\\"b\\\":\\\"x\\\\\\\"y\\\"}")},
        {"t:list", TEXT("t:list", "application/json", "[1,2]")},
        {"t:array", TEXT("t:array", "application/json", "[]")},
        {"t:number", TEXT("t:number", "application/json", "7")},
        {"t:false", TEXT("t:false", "application/json", "false")},
        {"t:embedded", TEXT("u:v", "text/plain", "w")},
        {"t:several", "[{\"uri\":\"u:1.txt\",\"mimeType\":\"text/plain\","
                      "\"text\":\"w\"},{\"uri\":\"u:2\",\"mimeType\":"
                      "\"image/png\",\"blob\":\"AQ==\"}]"},
    };
    struct one one;

    (void)state;
    open_app(returning);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        reads(forms[i].uri, forms[i].uri, "{}", forms[i].contents);
    start_resource(&bench, &one, "t:data", "t:data", "{}");
    wait_for(&one);
    assert_non_null(strstr(one.text, "\"uri\":\"t:data\""));
    assert_non_null(strstr(one.text, "\"mimeType\":\"application/json\""));
    drop(&one);
    bench_close(&bench);
}

static void variables_are_bound_by_name(void **state)
{
    (void)state;
    open_app("local mcp = require 'mcp'\n"
             "mcp.resource {\n"
             "  uri_template = 'app://workspaces/{workspace_id}/{file_id}',\n"
             "  name = 'files', annotations = { priority = 0.5 },\n"
             "  handler = function(file_id, ctx, workspace_id, args)\n"
             "    return table.concat({ file_id, workspace_id, args.file_id,\n"
             "      ctx.item.kind, ctx.item.name, ctx.item.uri,\n"
             "      ctx.item.annotations.priority }, ' ') end }\n");
    reads("app://workspaces/{workspace_id}/{file_id}", "app://workspaces/w/f",
          "{\"workspace_id\":\"w\",\"file_id\":\"f\"}",
          TEXT("app://workspaces/w/f", "text/plain",
               "f w f resource files app://workspaces/w/f 0.5"));
    bench_close(&bench);
}

static void the_uri_that_is_read_tells_the_type(void **state)
{
    (void)state;
    open_app("local mcp = require 'mcp'\n"
             "mcp.resource { uri_template = 'docs://{+path}',\n"
             "  handler = function(path) return path end }\n"
             "mcp.resource { uri_template = 'page://{name}.html',\n"
             "  handler = function(name) return name end }\n");
    reads("docs://{+path}", "docs://a/b.md", "{\"path\":\"a/b.md\"}",
          TEXT("docs://a/b.md", "text/markdown", "a/b.md"));
    reads("docs://{+path}", "docs://a", "{\"path\":\"a\"}",
          TEXT("docs://a", "text/plain", "a"));
    reads("page://{name}.html", "page://x.html", "{\"name\":\"x\"}",
          TEXT("page://x.html", "text/html", "x"));
    bench_close(&bench);
}

static void nothing_means_not_found(void **state)
{
    static const char *const uris[] = {"t:nil", "t:none", "t:ending"};
    struct one one;

    (void)state;
    open_app(
        "local mcp = require 'mcp'\n"
        "mcp.resource { uri = 't:nil', handler = function() return nil end }\n"
        "mcp.resource { uri = 't:none', handler = function() end }\n"
        "mcp.resource { uri = 't:ending', handler = function()\n"
        "  pcall(mcp.not_found, 'no note') end }\n");
    for (size_t i = 0; i < 3; i++) {
        start_resource(&bench, &one, uris[i], uris[i], "{}");
        wait_for(&one);
        assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_NOT_FOUND);
        assert_string_equal(one.text, i == 2 ? "no note" : "");
        drop(&one);
    }
    bench_close(&bench);
}

static void a_failure_is_an_error_with_status_and_content(void **state)
{
    (void)state;
    open_app(
        "local mcp = require 'mcp'\n"
        "local function r(uri, f) mcp.resource { uri = uri, handler = f } end\n"
        "r('t:raises', function() error 'broken' end)\n"
        "r('t:returns', function() return nil, 'no luck' end)\n"
        "r('t:http', function() mcp.http_error(404, 'gone', { a = 1 }) end)\n"
        "r('t:forbidden', function() mcp.forbidden 'no' end)\n"
        "r('t:function', function() return { a = print } end)\n"
        "r('t:link', function() return mcp.resource_link {\n"
        "  uri = 'a:b', name = 'c' } end)\n"
        "r('t:mixed', function() return {\n"
        "  mcp.embedded { uri = 'a:b', text = '' }, mcp.text 'x' } end)\n"
        "r('t:utf8', function() return mcp.text '\\255' end)\n");
    fails("t:raises", "{\"statusCode\":500,\"content\":\"broken\"}");
    fails("t:returns", "{\"statusCode\":500,\"content\":\"no luck\"}");
    fails("t:http", "{\"statusCode\":404,\"content\":{\"a\":1}}");
    fails("t:forbidden", "{\"statusCode\":403,\"content\":\"no\"}");
    fails("t:function",
          "{\"statusCode\":500,\"content\":\"The result of resource "
          "\\\"t:function\\\" cannot be sent: /a is a function, which JSON "
          "cannot carry\"}");
    fails("t:link", "{\"statusCode\":500,\"content\":\"The result of resource "
                    "\\\"t:link\\\" cannot be sent: it is a link; return what "
                    "is there, by mcp.embedded\"}");
    fails("t:mixed",
          "{\"statusCode\":500,\"content\":\"The result of resource "
          "\\\"t:mixed\\\" cannot be sent: /1 is no mcp.embedded: of several "
          "contents each has a URI\"}");
    fails("t:utf8", "{\"statusCode\":500,\"content\":\"The result of resource "
                    "\\\"t:utf8\\\" cannot be sent: it has a text that is not "
                    "valid UTF-8\"}");
    bench_close(&bench);
}

static void a_blob_is_limited(void **state)
{
    (void)state;
    bench_make(&bench);
    set(&bench, "max_blob_bytes", "1024");
    bench_open(&bench,
               "local mcp = require 'mcp'\n"
               "for n = 1024, 1025 do\n"
               "  mcp.resource { uri = 't:' .. n, handler = function()\n"
               "    return mcp.blob(('x'):rep(n), 'a/b') end }\n"
               "end\n");
    assert_int_equal(bench.err, MCP_OK);
    fails("t:1025", "{\"statusCode\":500,\"content\":\"The result of resource "
                    "\\\"t:1025\\\" cannot be sent: it has 1025 bytes, more "
                    "than max_blob_bytes (1024)\"}");
    {
        struct one one;

        start_resource(&bench, &one, "t:1024", "t:1024", "{}");
        wait_for(&one);
        assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_RESULT);
        drop(&one);
    }
    bench_close(&bench);
}

static void meta_is_for_the_revisions_that_know_it(void **state)
{
    static const enum mcp_revision revisions[] = {MCP_2025_03_26,
                                                  MCP_2025_06_18};
    struct one one;

    (void)state;
    open_app(
        "local mcp = require 'mcp'\n"
        "mcp.resource { uri = 't:a', handler = function()\n"
        "  return mcp.embedded { uri = 'u:v', text = 'w', meta = { k = 1 } }\n"
        "end }\n");
    for (size_t i = 0; i < 2; i++) {
        prepare(&bench, &one, "{}");
        one.call.revision = revisions[i];
        one.job.resource = mcp_generation_find_resource(one.job.gen, "t:a", 3);
        one.job.uri = "t:a";
        run(&bench, &one, &one.job.resource->handler);
        wait_for(&one);
        assert_string_equal(one.text,
                            i == 0 ? TEXT("u:v", "text/plain", "w")
                                   : "[{\"uri\":\"u:v\",\"mimeType\":"
                                     "\"text/plain\",\"text\":\"w\",\"_meta\":"
                                     "{\"k\":1}}]");
        drop(&one);
    }
    bench_close(&bench);
}

/* ---- static content ------------------------------------------------------ */

static void has_content(const char *uri, const char *mime, const char *bytes,
                        size_t len, bool is_blob)
{
    const struct mcp_generation *gen;
    const struct mcp_resource *r = declared(&gen, uri);

    assert_string_equal(r->mime_type, mime);
    assert_int_equal(r->handler.slot, 0);
    assert_int_equal(r->content_len, len);
    assert_memory_equal(r->content, bytes, len);
    assert_int_equal(r->size_bytes, (int64_t)len);
    assert_int_equal(r->is_blob, is_blob);
    mcp_generation_release(gen);
}

static void static_content_is_kept_in_the_generation(void **state)
{
    (void)state;
    bench_make(&bench);
    write_file(&bench, "page.html", "<p>");
    write_file(&bench, "data", "plain");
    write_file(&bench, "photo", "\x89PNG\r\n\x1a\n");
    bench_open(
        &bench,
        "local mcp = require 'mcp'\n"
        "mcp.resource { uri = 't:text', text = 'a' }\n"
        "mcp.resource { uri = 't:style.css', text = 'a' }\n"
        "mcp.resource { uri = 't:nul', text = 'a\\0b' }\n"
        "mcp.resource { uri = 't:blob', blob = 'abc', mime_type = 'a/b' }\n"
        "mcp.resource { uri = 't:json', json = { b = 1, a = { 2 } } }\n"
        "mcp.resource { uri = 't:page', file = 'page.html' }\n"
        "mcp.resource { uri = 't:data', file = 'data' }\n"
        "mcp.resource { uri = 't:photo', file = 'photo' }\n");
    if (bench.err != MCP_OK)
        fail_msg("%s", bench.message);
    has_content("t:text", "text/plain", "a", 1, false);
    has_content("t:style.css", "text/css", "a", 1, false);
    has_content("t:nul", "text/plain", "a\0b", 3, false);
    has_content("t:blob", "a/b", "abc", 3, true);
    has_content("t:json", "application/json", "{\"a\":[2],\"b\":1}", 15, false);
    has_content("t:page", "text/html", "<p>", 3, false);
    has_content("t:data", "text/plain", "plain", 5, false);
    has_content("t:photo", "image/png", "\x89PNG\r\n\x1a\n", 8, true);
    bench_close(&bench);
}

static void a_file_is_read_again_by_a_reload(void **state)
{
    const struct mcp_generation *gen;

    (void)state;
    bench_make(&bench);
    write_file(&bench, "page.md", "one");
    bench_open(&bench, "local mcp = require 'mcp'\n"
                       "mcp.resource { uri = 't:page', file = 'page.md' }\n");
    assert_int_equal(bench.err, MCP_OK);
    has_content("t:page", "text/markdown", "one", 3, false);
    write_file(&bench, "page.md", "two!");
    mcp_app_reload(bench.app);
    for (int i = 0; i < 500; i++) {
        uint64_t number;

        gen = mcp_app_acquire(bench.app);
        number = gen->number;
        mcp_generation_release(gen);
        if (number == 2)
            break;
        usleep(10000);
    }
    has_content("t:page", "text/markdown", "two!", 4, false);
    bench_close(&bench);
}

static void a_file_that_is_not_there_stops_the_load(void **state)
{
    (void)state;
    expect_load_error("local mcp = require 'mcp'\n"
                      "mcp.resource { uri = 't:a', file = 'none.txt' }",
                      MCP_EINVAL, "none.txt\": No such file or directory");
}

static void declarations_are_found(void **state)
{
    const struct mcp_generation *gen;
    const struct mcp_resource *r;

    (void)state;
    open_app("local mcp = require 'mcp'\n"
             "--- What it is.\n"
             "mcp.resource { uri = 'app://a/config', text = '', cache = {\n"
             "  ttl_ms = 5000, scope = 'public' } }\n"
             "mcp.resource { uri_template = 'notes://{id}', title = 'T',\n"
             "  annotations = { audience = 'user' },\n"
             "  complete = { id = { 'x' } }, handler = function(id) end }\n");
    r = declared(&gen, "app://a/config");
    assert_string_equal(r->name, "config");
    assert_string_equal(r->description, "What it is.");
    assert_int_equal(r->cache.ttl_ms, 5000);
    assert_int_equal(r->cache.scope, MCP_CACHE_PUBLIC);
    assert_int_equal(r->line, 3);
    r = mcp_generation_find_template(gen, "notes://{id}", 12);
    assert_non_null(r);
    assert_string_equal(r->name, "notes");
    assert_string_equal(r->annotations, "{\"audience\":[\"user\"]}");
    assert_int_equal(r->cache.ttl_ms, -1);
    assert_int_equal(r->cache.scope, -1);
    assert_int_equal(r->completer_count, 1);
    assert_null(mcp_generation_find_resource(gen, "notes://{id}", 12));
    mcp_generation_release(gen);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_a_return),
        cmocka_unit_test(variables_are_bound_by_name),
        cmocka_unit_test(the_uri_that_is_read_tells_the_type),
        cmocka_unit_test(nothing_means_not_found),
        cmocka_unit_test(a_failure_is_an_error_with_status_and_content),
        cmocka_unit_test(a_blob_is_limited),
        cmocka_unit_test(meta_is_for_the_revisions_that_know_it),
        cmocka_unit_test(static_content_is_kept_in_the_generation),
        cmocka_unit_test(a_file_is_read_again_by_a_reload),
        cmocka_unit_test(a_file_that_is_not_there_stops_the_load),
        cmocka_unit_test(declarations_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
