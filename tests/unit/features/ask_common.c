/*
 * ask_common.c - see ask_common.h
 */
#include "ask_common.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "features/prepare.h"

enum { ANSWER_BYTES = 1 << 20, ARENA_BYTES = 16 << 20 };

void (*ask_handler)(struct mcp_job *job);
int ask_runs;
bool ask_busy;

static char message[512], text[ANSWER_BYTES];
static int ended;

/* ---- the fake app ---- */

enum mcp_err mcp_app_run(struct mcp_app *app, struct mcp_job *job)
{
    assert_null(app);
    if (ask_busy)
        return MCP_EBUSY;
    ask_runs++;
    mcp_outcome_init(&job->outcome, ANSWER_BYTES);
    if (ask_handler != NULL)
        ask_handler(job);
    if (job->check != NULL && job->outcome.kind == MCP_OUTCOME_RESULT)
        job->check(job);
    job->finish(job);
    return MCP_OK;
}

void ask_say(struct mcp_outcome *o, struct mcp_span *s, const char *what)
{
    s->at = o->text.len;
    s->len = strlen(what);
    mcp_buf_puts(&o->text, what);
}

/* ---- declaring ---- */

static void check(enum mcp_err err)
{
    if (err != MCP_OK)
        fail_msg("%s", message);
}

static void add_resources(struct mcp_builder *b, const struct declared *d)
{
    const struct mcp_resource *r;

    for (r = d->resources; r != NULL && r->uri != NULL; r++)
        check(mcp_builder_add_resource(b, r, message, sizeof(message)));
    for (r = d->templates; r != NULL && r->uri != NULL; r++)
        check(mcp_builder_add_template(b, r, message, sizeof(message)));
}

struct mcp_builder *declare(const struct declared *d)
{
    struct mcp_config *c = mcp_config_new();
    struct mcp_builder *b;

    assert_non_null(c);
    for (const char *const *o = d->options; o != NULL && *o != NULL; o += 2)
        check(mcp_config_set(c, o[0], o[1], MCP_FROM_APP, message,
                             sizeof(message)));
    b = mcp_builder_new(c);
    assert_non_null(b);
    for (const struct mcp_tool *t = d->tools; t != NULL && t->name; t++)
        check(mcp_builder_add_tool(b, t, message, sizeof(message)));
    add_resources(b, d);
    for (const struct mcp_prompt *p = d->prompts; p != NULL && p->name; p++)
        check(mcp_builder_add_prompt(b, p, message, sizeof(message)));
    check(mcp_features_prepare(NULL, mcp_builder_view(b), message,
                               sizeof(message)));
    ask_handler = NULL;
    ask_runs = 0;
    ask_busy = false;
    return b;
}

/* ---- asking ---- */

static int code_of(const struct mcp_fault *fault)
{
    if (fault->code != 0)
        return fault->code;
    return fault->err == MCP_EINVAL || fault->err == MCP_ENOENT ? -32602
                                                                : -32603;
}

/* The answer must be read before the outcome is gone. */
static void on_end(struct mcp_request *rq)
{
    const struct mcp_fault *f = &rq->fault;
    const struct mcp_buf *out = &rq->call->out;
    int n;

    ended++;
    if (rq->silent) {
        strcpy(text, "silent");
    } else if (f->err != MCP_OK || f->code != 0) {
        n = snprintf(text, sizeof(text), "%d %.*s %.*s", code_of(f),
                     (int)f->message_len, f->message == NULL ? "" : f->message,
                     (int)f->data_len, f->data == NULL ? "" : f->data);
        assert_true(n < (int)sizeof(text));
    } else {
        assert_false(out->failed);
        memcpy(text, out->data, out->len);
        text[out->len] = '\0';
    }
}

const char *ask_scarce(struct mcp_builder *b,
                       void (*method)(struct mcp_request *),
                       enum mcp_revision revision, const char *params,
                       size_t arena_bytes)
{
    struct mcp_arena *tree = mcp_arena_new(ARENA_BYTES);
    struct mcp_call call = {.revision = revision,
                            .arena = mcp_arena_new(arena_bytes)};
    struct mcp_request rq = {
        .call = &call, .gen = mcp_builder_view(b), .end = on_end};
    const struct mcp_json_options options = {.max_depth = 64};

    mcp_buf_init(&call.out, ANSWER_BYTES - 1);
    assert_int_equal(mcp_json_parse(tree, params, strlen(params), &options,
                                    &call.params, NULL),
                     MCP_OK);
    ended = 0;
    method(&rq);
    assert_int_equal(ended, 1);
    mcp_buf_free(&call.out);
    mcp_arena_free(call.arena);
    mcp_arena_free(tree);
    return text;
}

const char *ask(struct mcp_builder *b, void (*method)(struct mcp_request *),
                enum mcp_revision revision, const char *params)
{
    return ask_scarce(b, method, revision, params, ARENA_BYTES);
}

/* ---- the official schemas ---- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes;
    long size;

    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    bytes = calloc(1, (size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    return bytes;
}

/* The whole document with a "$ref" to one of its definitions in front. */
static struct mcp_schema *compile(struct mcp_arena *a, const char *bytes,
                                  const char *definition)
{
    const struct mcp_schema_options options = {.assert_format = true};
    bool old = strstr(bytes, "\"$defs\"") == NULL;
    const struct mcp_json *doc;
    struct mcp_schema *s;
    char *with;

    with = mcp_arena_printf(a, "{\"$ref\":\"#/%s/%s\",%s",
                            old ? "definitions" : "$defs", definition,
                            strchr(bytes, '{') + 1);
    assert_non_null(with);
    assert_int_equal(mcp_json_parse(a, with, strlen(with), NULL, &doc, NULL),
                     MCP_OK);
    check(mcp_schema_compile(doc, &options, &s, message, sizeof(message)));
    return s;
}

void expect_valid(enum mcp_revision revision, const char *definition,
                  const char *json)
{
    struct mcp_arena *a = mcp_arena_new(64 << 20);
    struct mcp_schema_errors errors = {0};
    const struct mcp_json *value;
    struct mcp_schema *s;
    char path[512], *bytes;

    snprintf(path, sizeof(path), "%s/../shared/spec/%s/schema.json",
             MCP_SOURCE_DIR, mcp_revision_name(revision));
    bytes = read_file(path);
    if (bytes != NULL) {
        s = compile(a, bytes, definition);
        assert_int_equal(
            mcp_json_parse(a, json, strlen(json), NULL, &value, NULL), MCP_OK);
        if (mcp_schema_validate(s, value, a, &errors) != MCP_OK)
            fail_msg("%s in %s: %s %s\n%s", definition,
                     mcp_revision_name(revision),
                     errors.count > 0 ? errors.items[0].instance_path : "",
                     errors.count > 0 ? errors.items[0].message : "", json);
        mcp_schema_free(s);
    }
    free(bytes);
    mcp_arena_free(a);
}
