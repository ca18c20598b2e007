/*
 * call.c - the request and what comes of it
 */
#include "cli/call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/banner.h"
#include "cli/call_item.h"
#include "cli/local.h"

enum { CALL_BYTES = 1 << 30 };

/* One run of the verb. */
struct run {
    struct mcp_endpoint *endpoint;
    const struct mcp_generation *gen;
    const struct mcp_cli *cli;
    struct mcp_call_item item;
    struct mcp_arena *arena;
    char *message;
    size_t message_size;
    struct mcp_buf out, complaint; /* for stdout and stderr */
};

/* ---- the result ----------------------------------------------------------
 */

static void put(struct mcp_buf *out, const struct mcp_json *text)
{
    if (mcp_json_is(text, MCP_JSON_STRING))
        mcp_buf_add(out, text->u.text, text->count);
}

/* "[image image/png, 1234 bytes]" */
static void write_bytes(struct mcp_buf *out, const char *type,
                        const struct mcp_json *mime_type,
                        const struct mcp_json *data)
{
    size_t len = mcp_json_is(data, MCP_JSON_STRING) ? data->count : 0;
    size_t padding = 0;

    while (padding < len && data->u.text[len - 1 - padding] == '=')
        padding++;
    mcp_buf_printf(out, "[%s ", type);
    put(out, mime_type);
    mcp_buf_printf(out, ", %zu bytes]", (len - padding) * 3 / 4);
}

static void end_line(struct mcp_buf *out)
{
    if (out->len > 0 && out->data[out->len - 1] != '\n')
        mcp_buf_putc(out, '\n');
}

/* A content of a resource. */
static void write_content(struct mcp_buf *out, const struct mcp_json *content)
{
    const struct mcp_json *blob = mcp_json_find(content, "blob");

    if (blob != NULL)
        write_bytes(out, "resource", mcp_json_find(content, "mimeType"), blob);
    else
        put(out, mcp_json_find(content, "text"));
}

static void write_block(struct mcp_buf *out, const struct mcp_json *block)
{
    const struct mcp_json *type = mcp_json_find(block, "type");
    const struct mcp_json *inner = mcp_json_find(block, "resource");
    const struct mcp_json *mime_type = mcp_json_find(block, "mimeType");

    if (mcp_json_equals_string(type, "text")) {
        put(out, mcp_json_find(block, "text"));
    } else if (mcp_json_equals_string(type, "image")) {
        write_bytes(out, "image", mime_type, mcp_json_find(block, "data"));
    } else if (mcp_json_equals_string(type, "audio")) {
        write_bytes(out, "audio", mime_type, mcp_json_find(block, "data"));
    } else if (inner != NULL) {
        write_content(out, inner);
    } else {
        mcp_buf_puts(out, "[link ");
        put(out, mcp_json_find(block, "uri"));
        mcp_buf_putc(out, ']');
    }
    end_line(out);
}

/* Of resources/read: one behind the other. */
static void write_contents(struct mcp_buf *out, const struct mcp_json *contents)
{
    for (uint32_t i = 0; i < contents->count; i++) {
        write_content(out, &contents->u.items[i]);
        end_line(out);
    }
}

/* Of prompts/get: "user: text". */
static void write_messages(struct mcp_buf *out, const struct mcp_json *messages)
{
    for (uint32_t i = 0; i < messages->count; i++) {
        put(out, mcp_json_find(&messages->u.items[i], "role"));
        mcp_buf_puts(out, ": ");
        write_block(out, mcp_json_find(&messages->u.items[i], "content"));
    }
}

static void write_blocks(struct mcp_buf *out, const struct mcp_json *result)
{
    const struct mcp_json *content = mcp_json_find(result, "content");
    const struct mcp_json *value = mcp_json_find(result, "structuredContent");
    const struct mcp_json *contents = mcp_json_find(result, "contents");
    const struct mcp_json *messages = mcp_json_find(result, "messages");

    if (mcp_json_is(contents, MCP_JSON_ARRAY))
        write_contents(out, contents);
    else if (mcp_json_is(messages, MCP_JSON_ARRAY))
        write_messages(out, messages);
    else if (mcp_json_is(content, MCP_JSON_ARRAY) && content->count > 0) {
        for (uint32_t i = 0; i < content->count; i++)
            write_block(out, &content->u.items[i]);
    } else if (value != NULL) {
        mcp_json_write(out, value);
        mcp_buf_putc(out, '\n');
    }
}

/* "mcpluad: tool add failed:" and why, for stderr. */
static void complain(struct run *r)
{
    mcp_buf_printf(&r->complaint, "mcpluad: %s ", r->item.what);
    mcp_banner_put(&r->complaint, r->cli->tool);
    mcp_buf_puts(&r->complaint, " failed: ");
}

static bool show_result(struct run *r, const struct mcp_json *result)
{
    bool failed = mcp_json_is(mcp_json_find(result, "isError"), MCP_JSON_TRUE);
    bool asks = mcp_json_equals_string(mcp_json_find(result, "resultType"),
                                       "input_required");

    if (r->cli->json) {
        mcp_json_write(&r->out, result);
        mcp_buf_putc(&r->out, '\n');
    } else if (asks) {
        complain(r);
        mcp_buf_puts(&r->complaint,
                     "it asks for input, which nobody gives here\n");
    } else if (failed) {
        complain(r);
        write_blocks(&r->complaint, result);
    } else {
        write_blocks(&r->out, result);
    }
    return !failed && !asks;
}

/* A JSON-RPC error. */
static void show_error(struct run *r, const struct mcp_json *error)
{
    const struct mcp_json *data = mcp_json_find(error, "data");

    if (r->cli->json) {
        mcp_buf_puts(&r->out, "{\"error\":");
        mcp_json_write(&r->out, error);
        mcp_buf_puts(&r->out, "}\n");
        return;
    }
    complain(r);
    put(&r->complaint, mcp_json_find(error, "message"));
    if (mcp_json_find(data, "requiredCapabilities") != NULL)
        mcp_buf_puts(&r->complaint, "; mcpluad call has no client to ask");
    mcp_buf_putc(&r->complaint, '\n');
}

static enum mcp_err show(struct run *r, int fd, const struct mcp_json *answer,
                         bool *succeeded)
{
    const struct mcp_json *result = mcp_json_find(answer, "result");
    const struct mcp_json *error = mcp_json_find(answer, "error");

    *succeeded = result != NULL && show_result(r, result);
    if (result == NULL)
        show_error(r, error);
    if (r->out.failed || r->complaint.failed)
        return MCP_ENOMEM;
    (void)mcp_local_write(STDERR_FILENO, &r->complaint);
    if (mcp_local_write(fd, &r->out))
        return MCP_OK;
    (void)snprintf(r->message, r->message_size, "cannot write the result: %s",
                   strerror(errno));
    return MCP_EINTERNAL;
}

static enum mcp_err call(struct run *r, int fd, bool *succeeded)
{
    const struct mcp_json *answer = NULL;
    struct mcp_buf params;
    enum mcp_err err;

    mcp_buf_init(&params, CALL_BYTES);
    err = mcp_call_item_write(&params, &r->item, r->gen, r->cli, r->arena,
                              r->message, r->message_size);
    mcp_buf_putc(&params, '\0');
    if (err == MCP_OK && params.failed)
        err = MCP_ENOMEM;
    if (err == MCP_OK)
        err = mcp_local_request(r->endpoint, r->gen->config, r->arena,
                                r->item.method, params.data, &answer);
    if (err == MCP_OK)
        err = show(r, fd, answer, succeeded);
    mcp_buf_free(&params);
    return err;
}

enum mcp_err mcp_call_run(struct mcp_app *app, struct mcp_endpoint *endpoint,
                          const struct mcp_cli *cli, int fd, bool *succeeded,
                          char *message, size_t message_size)
{
    struct run r = {.endpoint = endpoint,
                    .gen = mcp_app_acquire(app),
                    .cli = cli,
                    .arena = mcp_arena_new(CALL_BYTES),
                    .message = message,
                    .message_size = message_size};
    enum mcp_err err = MCP_ENOMEM;

    mcp_buf_init(&r.out, CALL_BYTES);
    mcp_buf_init(&r.complaint, CALL_BYTES);
    if (r.arena != NULL)
        err = call(&r, fd, succeeded);
    mcp_buf_free(&r.out);
    mcp_buf_free(&r.complaint);
    mcp_arena_free(r.arena);
    mcp_generation_release(r.gen);
    return err;
}
