/*
 * tools_call.c - see tools_call.h
 *
 *     find the tool -> check the arguments -> queue a job   (caller's thread)
 *     outcome -> check it -> write the result of the revision (worker)
 */
#include "features/tools_call.h"

#include <stdio.h>

#include "base/log.h"
#include "features/arguments.h"
#include "features/blocks.h"
#include "features/envelope.h"
#include "features/launch.h"
#include "features/prepared.h"
#include "features/shorten.h"
#include "features/task.h"
#include "features/unknown.h"

enum { PROBLEM_MAX_BYTES = 256 << 10 }; /* of a text that says what was wrong */

static const char *name_data(struct mcp_call *call, const struct mcp_json *name)
{
    return mcp_unknown_data(call, "name", name, MCP_NAME_SHOWN_BYTES);
}

/* Starts a result object in call->out. */
static void begin_result(struct mcp_call *call)
{
    mcp_buf_puts(&call->out, mcp_call_is_modern(call)
                                 ? "{\"resultType\":\"complete\",\"content\":"
                                 : "{\"content\":");
}

static void end_result(struct mcp_request *rq, bool is_error, const char *meta,
                       size_t meta_len)
{
    rq->failed = is_error;
    if (is_error)
        mcp_buf_puts(&rq->call->out, ",\"isError\":true");
    mcp_envelope_write_meta(&rq->call->out, rq->call, rq->gen, meta, meta_len);
    mcp_buf_putc(&rq->call->out, '}');
}

/* A whole result with isError and one text block. */
static void write_failure(struct mcp_request *rq, const char *text, size_t len)
{
    struct mcp_buf *out = &rq->call->out;

    begin_result(rq->call);
    mcp_buf_puts(out, "[{\"type\":\"text\",\"text\":");
    mcp_json_write_string(out, text, len);
    mcp_buf_puts(out, "}]");
    end_result(rq, true, NULL, 0);
}

/* Has to be an object in the legacy revisions that know structuredContent. */
static bool needs_box(const struct mcp_request *rq, const struct mcp_tool *tool,
                      const char *structured)
{
    const struct mcp_prepared *p = rq->gen->prepared;

    return !mcp_call_is_modern(rq->call) &&
           (p->tools[tool->index].boxed || structured[0] != '{');
}

static void write_structured(struct mcp_request *rq,
                             const struct mcp_tool *tool, const char *text,
                             size_t len)
{
    struct mcp_buf *out = &rq->call->out;
    bool box = needs_box(rq, tool, text);

    mcp_buf_puts(out, ",\"structuredContent\":");
    mcp_buf_puts(out, box ? "{\"result\":" : "");
    mcp_buf_add(out, text, len);
    mcp_buf_puts(out, box ? "}" : "");
}

static void write_result(struct mcp_request *rq, const struct mcp_tool *tool,
                         const struct mcp_outcome *o)
{
    bool structured = o->structured.len > 0 &&
                      (!o->is_error || o->structured_by_author) &&
                      rq->call->revision >= MCP_2025_06_18;
    struct mcp_buf *out = &rq->call->out;

    begin_result(rq->call);
    if (o->content.len > 0)
        mcp_blocks_write(rq->call, o->text.data + o->content.at,
                         o->content.len);
    else
        mcp_buf_puts(out, "[]");
    if (structured)
        write_structured(rq, tool, o->text.data + o->structured.at,
                         o->structured.len);
    end_result(rq, o->is_error,
               o->meta.len > 0 ? o->text.data + o->meta.at : NULL, o->meta.len);
}

/* Does a success keep the promise of the output schema? If not, `problem` says
 * what it broke. */
static bool keeps_promise(struct mcp_request *rq, const struct mcp_tool *tool,
                          const struct mcp_outcome *o, struct mcp_buf *problem)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    struct mcp_schema_errors errors = {0};
    const struct mcp_json *value;
    enum mcp_err err;

    if (tool->output == NULL || o->is_error)
        return true;
    mcp_buf_printf(problem,
                   "The output of tool \"%s\" breaks its schema:", tool->name);
    if (o->structured.len == 0) {
        mcp_buf_puts(problem, "\n- there is no structured content");
        return false;
    }
    err = mcp_json_parse(rq->call->arena, o->text.data + o->structured.at,
                         o->structured.len, &options, &value, NULL);
    if (err == MCP_OK)
        err =
            mcp_schema_validate(tool->output, value, rq->call->arena, &errors);
    if (err == MCP_EINVAL && errors.count > 0)
        mcp_arguments_write_errors(problem, &errors, "the value");
    else if (err != MCP_OK)
        mcp_buf_puts(problem, "\n- it is too large to be checked");
    return err == MCP_OK;
}

/* The request's id, for the log. */
static const char *id_text(struct mcp_call *call, int *len)
{
    *len = call->id == NULL ? 1 : (int)mcp_shorten(call->id, 64);
    return call->id == NULL ? "-" : call->id->u.text;
}

/* The app's fault: what is wrong becomes the outcome, if the peer may know. */
static void set_app_fault(struct mcp_request *rq, const struct mcp_tool *tool,
                          struct mcp_outcome *o, const struct mcp_buf *problem)
{
    int n;
    const char *id = id_text(rq->call, &n);
    char shown[200];

    mcp_log(MCP_LOG_ERROR, "tools", "%.*s (%s:%d, request %.*s)",
            (int)problem->len, problem->data,
            tool->file != NULL ? tool->file : "?", tool->line, n, id);
    (void)snprintf(shown, sizeof(shown), "Internal error in tool %s",
                   tool->name);
    mcp_outcome_clear(o);
    if (rq->gen->config->expose_errors)
        mcp_outcome_set_failure(o, problem->data, problem->len);
    else
        mcp_outcome_set_failure_as(o, shown, problem->data, problem->len);
}

static void check(struct mcp_request *rq, const struct mcp_job *job,
                  struct mcp_outcome *o)
{
    struct mcp_buf problem;

    mcp_buf_init(&problem, PROBLEM_MAX_BYTES);
    if (!keeps_promise(rq, job->tool, o, &problem))
        set_app_fault(rq, job->tool, o, &problem);
    mcp_buf_free(&problem);
}

static void finish(struct mcp_request *rq, const struct mcp_job *job,
                   const struct mcp_outcome *o)
{
    write_result(rq, job->tool, o);
}

static bool start(struct mcp_request *rq, const struct mcp_tool *tool,
                  const struct mcp_json *args, const struct mcp_job *how)
{
    static const struct mcp_landing landing = {.check = check,
                                               .result = finish};
    struct mcp_job job = *how;

    job.handler = &tool->handler;
    job.tool = tool;
    job.args = args;
    return mcp_launch(rq, &job, &landing);
}

/* The client knows no tasks, and the tool is nothing else. */
static void refuse_no_task(struct mcp_request *rq, const struct mcp_tool *tool)
{
    char text[512];
    int n;

    if (mcp_call_is_modern(rq->call) && !mcp_task_check_client(rq))
        return;
    n = snprintf(
        text, sizeof(text),
        "The tool \"%.200s\" runs as a task only: it needs a client "
        "of revision 2026-07-28 with the extension " MCP_TASKS_EXTENSION,
        tool->name);
    write_failure(rq, text, n > 0 ? (size_t)n : 0);
}

/* `how` NULL: as the request wants it, perhaps as a task. */
static bool check_and_start(struct mcp_request *rq, const struct mcp_tool *tool,
                            const struct mcp_json *sent,
                            const struct mcp_job *how)
{
    static const struct mcp_job plain = {.call = NULL};
    enum mcp_task_way way =
        how != NULL ? MCP_TASK_WAY_CALL : mcp_task_way(rq, tool);
    const struct mcp_json *args;
    struct mcp_buf problem;
    enum mcp_err err;

    if (way == MCP_TASK_WAY_REFUSE) {
        refuse_no_task(rq, tool);
        return false;
    }
    mcp_buf_init(&problem, PROBLEM_MAX_BYTES);
    err = mcp_arguments_check(tool, sent, rq->call->arena, &args, &problem);
    if (err == MCP_ENOMEM)
        mcp_request_fail(rq, err, NULL, NULL);
    else if (err != MCP_OK)
        write_failure(rq, problem.data, problem.len);
    mcp_buf_free(&problem);
    if (err != MCP_OK)
        return false;
    return way == MCP_TASK_WAY_TASK
               ? mcp_task_create(rq, tool)
               : start(rq, tool, args, how != NULL ? how : &plain);
}

bool mcp_tools_start(struct mcp_request *rq, const struct mcp_tool *tool,
                     const struct mcp_json *sent, const struct mcp_job *how)
{
    return check_and_start(rq, tool, sent, how);
}

/* False: the answer is ready. */
static bool call_tool(struct mcp_request *rq)
{
    const struct mcp_json *name = mcp_json_find(rq->call->params, "name");
    const struct mcp_json *sent = mcp_json_find(rq->call->params, "arguments");
    const struct mcp_tool *tool;

    if (!mcp_json_is(name, MCP_JSON_STRING)) {
        mcp_request_fail(rq, MCP_EINVAL, "name must be a string", NULL);
        return false;
    }
    tool = mcp_generation_find_tool(rq->gen, name->u.text, name->count);
    if (tool == NULL) {
        mcp_unknown_fail(rq, "Unknown tool", name,
                         mcp_unknown_nearest(rq, MCP_ITEM_TOOL, name),
                         name_data(rq->call, name));
        return false;
    }
    if (mcp_json_is(sent, MCP_JSON_NULL))
        sent = NULL;
    if (sent != NULL && sent->type != MCP_JSON_OBJECT) {
        mcp_request_fail(rq, MCP_EINVAL, "arguments must be an object",
                         name_data(rq->call, name));
        return false;
    }
    return check_and_start(rq, tool, sent, NULL);
}

void mcp_tools_call(struct mcp_request *rq)
{
    if (!call_tool(rq))
        rq->end(rq);
}
