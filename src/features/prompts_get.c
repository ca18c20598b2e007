/*
 * prompts_get.c - see prompts_get.h
 */
#include "features/prompts_get.h"

#include "features/blocks.h"
#include "features/envelope.h"
#include "features/launch.h"
#include "features/prompt_arguments.h"
#include "features/route_item.h"
#include "features/unknown.h"

enum { PROBLEM_MAX_BYTES = 1 << 20 }; /* of a text that says what was wrong */

static void write_description(struct mcp_buf *out,
                              const struct mcp_prompt *prompt,
                              const struct mcp_outcome *o)
{
    const char *text = prompt->description;
    size_t len = text == NULL ? 0 : strlen(text);

    if (o->description.len > 0) {
        text = o->text.data + o->description.at;
        len = o->description.len;
    }
    if (text == NULL)
        return;
    mcp_buf_puts(out, "\"description\":");
    mcp_json_write_string(out, text, len);
    mcp_buf_putc(out, ',');
}

static void finish(struct mcp_request *rq, const struct mcp_job *job,
                   const struct mcp_outcome *o)
{
    struct mcp_buf *out = &rq->call->out;

    if (o->is_error) {
        mcp_launch_fail(rq, "Prompt execution failed", o);
        return;
    }
    mcp_buf_putc(out, '{');
    if (mcp_call_is_modern(rq->call))
        mcp_buf_puts(out, "\"resultType\":\"complete\",");
    write_description(out, job->prompt, o);
    mcp_buf_puts(out, "\"messages\":");
    if (o->content.len > 0)
        mcp_blocks_write(rq->call, o->text.data + o->content.at,
                         o->content.len);
    else
        mcp_buf_puts(out, "[]");
    mcp_envelope_write_meta(out, rq->call, rq->gen,
                            o->meta.len > 0 ? o->text.data + o->meta.at : NULL,
                            o->meta.len);
    mcp_buf_putc(out, '}');
}

/* Moves `message` and `data` into the fault. */
static void fail_arguments(struct mcp_request *rq,
                           const struct mcp_buf *message,
                           const struct mcp_buf *data)
{
    struct mcp_arena *a = rq->call->arena;

    mcp_request_fail(
        rq, MCP_EINVAL,
        message->failed ? NULL : mcp_arena_dup(a, message->data, message->len),
        data->failed ? NULL : mcp_arena_dup(a, data->data, data->len));
}

/* False: the answer is ready. */
static bool check_and_start(struct mcp_request *rq,
                            const struct mcp_prompt *prompt,
                            const struct mcp_json *sent)
{
    static const struct mcp_landing landing = {.result = finish};
    struct mcp_job job = {.handler = &prompt->handler, .prompt = prompt};
    struct mcp_buf message, data;
    enum mcp_err err;

    mcp_buf_init(&message, PROBLEM_MAX_BYTES);
    mcp_buf_init(&data, PROBLEM_MAX_BYTES);
    err = mcp_prompt_arguments_check(prompt, sent, rq->call->arena, &job.args,
                                     &message, &data);
    if (err == MCP_EINVAL)
        fail_arguments(rq, &message, &data);
    else if (err != MCP_OK)
        mcp_request_fail(rq, err, NULL, NULL);
    mcp_buf_free(&message);
    mcp_buf_free(&data);
    return err == MCP_OK &&
           mcp_route_item_arguments(rq, prompt->route, job.args, &job.args) &&
           mcp_launch(rq, &job, &landing);
}

/* False: the answer is ready. */
static bool get_prompt(struct mcp_request *rq, const struct mcp_json *name)
{
    const struct mcp_json *sent = mcp_json_find(rq->call->params, "arguments");
    const char *data =
        mcp_unknown_data(rq->call, "name", name, MCP_NAME_SHOWN_BYTES);
    const struct mcp_prompt *prompt =
        mcp_generation_find_prompt(rq->gen, name->u.text, name->count);

    if (prompt == NULL) {
        mcp_unknown_fail(rq, "Unknown prompt", name,
                         mcp_unknown_nearest(rq, MCP_ITEM_PROMPT, name), data);
        return false;
    }
    if (mcp_json_is(sent, MCP_JSON_NULL))
        sent = NULL;
    if (sent != NULL && sent->type != MCP_JSON_OBJECT) {
        mcp_request_fail(rq, MCP_EINVAL, "arguments must be an object", data);
        return false;
    }
    return check_and_start(rq, prompt, sent);
}

void mcp_prompts_get(struct mcp_request *rq)
{
    const struct mcp_json *name = mcp_json_find(rq->call->params, "name");
    bool started = false;

    if (mcp_json_is(name, MCP_JSON_STRING))
        started = get_prompt(rq, name);
    else
        mcp_request_fail(rq, MCP_EINVAL, "name must be a string", NULL);
    if (!started)
        rq->end(rq);
}
