/*
 * route_serve.c - see route_serve.h
 */
#include "features/route_serve.h"

#include <stdio.h>
#include <string.h>

#include "base/http_status.h"
#include "base/log.h"
#include "features/arguments.h"
#include "features/launch.h"
#include "features/route_arguments.h"
#include "features/route_match.h"

enum {
    NO_CONTENT = 204,
    RESET_CONTENT = 205,
    NOT_MODIFIED = 304,
    NOT_FOUND = 404,
    METHOD_NOT_ALLOWED = 405,
    UNPROCESSABLE = 422,
    INTERNAL_ERROR = 500,
    UNAVAILABLE = 503,
    TIMED_OUT = 504,
    PROBLEM_MAX_BYTES = 256 << 10, /* of a text that says what was wrong */
    ERROR_MAX_BYTES = 1 << 20,     /* of one answer that is an error      */
};

#define TYPE_TEXT "text/plain; charset=utf-8"

/* ---- errors ---- */

/* Without its last brace; message[0..len) may be NULL. */
static void begin_error(struct mcp_call *call, int status, const char *message,
                        size_t len)
{
    if (call->out.max == 0)
        mcp_buf_init(&call->out, ERROR_MAX_BYTES);
    mcp_buf_clear(&call->out);
    call->status = status;
    call->reply_type = NULL;
    mcp_buf_printf(&call->out, "{\"statusCode\":%d,\"error\":\"%s\"", status,
                   mcp_http_phrase(status));
    if (message == NULL)
        return;
    mcp_buf_puts(&call->out, ",\"message\":");
    mcp_json_write_string(&call->out, message, len);
}

void mcp_route_write_error(struct mcp_call *call, int status,
                           const char *message)
{
    begin_error(call, status, message, message == NULL ? 0 : strlen(message));
    mcp_buf_putc(&call->out, '}');
}

static void write_refusal(struct mcp_call *call,
                          const struct mcp_route_refusal *why)
{
    begin_error(call, why->status, why->message,
                why->message == NULL ? 0 : strlen(why->message));
    if (why->errors.len > 0 && !why->errors.failed) {
        mcp_buf_puts(&call->out, ",\"errors\":[");
        mcp_buf_add(&call->out, why->errors.data, why->errors.len);
        mcp_buf_putc(&call->out, ']');
    }
    mcp_buf_putc(&call->out, '}');
}

void mcp_route_write_fault(struct mcp_request *rq)
{
    struct mcp_call *call = rq->call;
    const struct mcp_fault *f = &rq->fault;

    if (f->code != 0) { /* the app's own */
        begin_error(call, INTERNAL_ERROR, f->message, f->message_len);
        mcp_buf_printf(&call->out, ",\"code\":%d", f->code);
        if (f->data_len > 0) {
            mcp_buf_puts(&call->out, ",\"data\":");
            mcp_buf_add(&call->out, f->data, f->data_len);
        }
        mcp_buf_putc(&call->out, '}');
        return;
    }
    if (f->err == MCP_EINTERNAL) {
        mcp_route_write_error(call, INTERNAL_ERROR, NULL);
        return;
    }
    if (f->err == MCP_EBUSY)
        mcp_call_reply_header(call, "Retry-After", "1");
    mcp_route_write_error(call, UNAVAILABLE,
                          f->err == MCP_EBUSY ? "The server is busy"
                                              : "Out of memory");
}

/* ---- outcomes ---- */

/* Breaks a success the route's output schema? `problem` says how. */
static bool breaks_schema(struct mcp_request *rq, const struct mcp_job *job,
                          const struct mcp_outcome *o, struct mcp_buf *problem)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    const struct mcp_schema *schema = job->route->signature.output;
    struct mcp_schema_errors errors = {0};
    const struct mcp_json *value;
    enum mcp_err err;

    if (schema == NULL || o->is_error || o->structured.len == 0)
        return false;
    mcp_buf_printf(problem, "The output of route \"%s\" breaks its schema:",
                   job->route->name);
    err = mcp_json_parse(rq->call->arena, o->text.data + o->structured.at,
                         o->structured.len, &options, &value, NULL);
    if (err == MCP_OK)
        err = mcp_schema_validate(schema, value, rq->call->arena, &errors);
    if (err == MCP_EINVAL && errors.count > 0)
        mcp_arguments_write_errors(problem, &errors, "the value");
    else if (err != MCP_OK)
        mcp_buf_puts(problem, "\n- it is too large to be checked");
    return err != MCP_OK;
}

static void check(struct mcp_request *rq, const struct mcp_job *job,
                  struct mcp_outcome *o)
{
    const struct mcp_tool *signature = &job->route->signature;
    struct mcp_buf problem;

    mcp_buf_init(&problem, PROBLEM_MAX_BYTES);
    if (breaks_schema(rq, job, o, &problem)) {
        mcp_log(MCP_LOG_ERROR, "routes", "%.*s (%s:%d)", (int)problem.len,
                problem.data, signature->file != NULL ? signature->file : "?",
                signature->line);
        mcp_outcome_set_http_failure(o, INTERNAL_ERROR,
                                     rq->gen->config->expose_errors,
                                     problem.data, problem.len);
    }
    mcp_buf_free(&problem);
}

/* The headers of the outcome, in the call's arena. False: no room. */
static bool keep_headers(struct mcp_call *call, const struct mcp_outcome *o)
{
    size_t count = 0;
    struct mcp_header *to;
    const char *p, *end;

    if (o->headers.len == 0)
        return true;
    p = mcp_arena_dup(call->arena, o->text.data + o->headers.at,
                      o->headers.len);
    if (p == NULL)
        return false;
    end = p + o->headers.len;
    for (const char *c = p; c < end; c += strlen(c) + 1)
        count++;
    to = mcp_arena_alloc(call->arena, (count / 2 + 1) * sizeof(*to));
    if (to == NULL)
        return false;
    call->app_headers = to;
    call->app_header_count = count / 2;
    for (size_t i = 0; i < count / 2; i++) {
        to[i].name = p;
        p += strlen(p) + 1;
        to[i].value = p;
        p += strlen(p) + 1;
    }
    return true;
}

static int status_of(const struct mcp_outcome *o)
{
    if (o->timed_out)
        return TIMED_OUT;
    if (o->http_status != 0)
        return o->http_status;
    return o->mime_type.len == 0 ? NO_CONTENT : 200;
}

static bool has_body(int status)
{
    return status != NO_CONTENT && status != RESET_CONTENT &&
           status != NOT_MODIFIED;
}

static void finish(struct mcp_request *rq, const struct mcp_job *job,
                   const struct mcp_outcome *o)
{
    struct mcp_call *call = rq->call;
    int status = status_of(o);

    (void)job;
    rq->failed = o->is_error;
    if (o->timed_out) {
        begin_error(call, status, o->text.data + o->message.at, o->message.len);
        mcp_buf_putc(&call->out, '}');
        return;
    }
    if (!keep_headers(call, o)) {
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
        return;
    }
    call->status = status;
    if (o->mime_type.len > 0)
        call->reply_type = mcp_arena_dup(
            call->arena, o->text.data + o->mime_type.at, o->mime_type.len);
    if (has_body(status) && o->content.len > 0)
        mcp_buf_add(&call->out, o->text.data + o->content.at, o->content.len);
}

/* ---- requests ---- */

/* Nothing is at this path. An app without routes says so in plain text. */
static void write_nowhere(struct mcp_request *rq)
{
    const char *endpoint = rq->gen->config->base_path;
    struct mcp_call *call = rq->call;
    char text[512];

    if (rq->gen->route_count > 0) {
        (void)snprintf(text, sizeof(text),
                       "Nothing is at this path; the MCP endpoint is %.400s",
                       endpoint);
        mcp_route_write_error(call, NOT_FOUND, text);
        return;
    }
    call->status = NOT_FOUND;
    call->reply_type = TYPE_TEXT;
    mcp_buf_printf(&call->out, "not found: the MCP endpoint is %s\n", endpoint);
}

static const char *type_name(enum mcp_path_kind kind)
{
    switch (kind) {
    case MCP_PATH_INT:
        return "must be a whole number";
    case MCP_PATH_NUMBER:
        return "must be a number";
    case MCP_PATH_UUID:
        return "must be a UUID";
    default:
        return "must not be empty";
    }
}

/* A value in the path that no route can take. */
static void write_misfit(struct mcp_call *call,
                         const struct mcp_path_part *misfit)
{
    begin_error(call, UNPROCESSABLE, "Invalid arguments in the path",
                strlen("Invalid arguments in the path"));
    mcp_buf_puts(&call->out, ",\"errors\":[{\"in\":\"path\",\"path\":\"/");
    mcp_json_write_escaped(&call->out, misfit->text, strlen(misfit->text));
    mcp_buf_printf(&call->out, "\",\"rule\":\"type\",\"message\":\"%s\"}]}",
                   type_name(misfit->kind));
}

/* The answer where no route is; the path has the methods of match->allow. */
static void write_unmatched(struct mcp_request *rq,
                            const struct mcp_route_match *match)
{
    struct mcp_call *call = rq->call;

    if (match->allow == NULL) {
        write_nowhere(rq);
        return;
    }
    if (match->misfit != NULL) {
        write_misfit(call, match->misfit);
        return;
    }
    call->allow = match->allow;
    if (strcmp(call->http_method, "OPTIONS") == 0) {
        call->status = NO_CONTENT;
        return;
    }
    mcp_route_write_error(call, METHOD_NOT_ALLOWED,
                          mcp_arena_printf(call->arena,
                                           "This path is answered by %s",
                                           match->allow));
}

/* False: the answer is ready. */
static bool start(struct mcp_request *rq, const struct mcp_route_match *match)
{
    static const struct mcp_landing landing = {.check = check,
                                               .result = finish};
    struct mcp_job job = {.handler = &match->route->signature.handler,
                          .route = match->route};
    struct mcp_route_refusal why;
    enum mcp_err err = mcp_route_arguments(
        match, rq->call, (uint32_t)rq->gen->config->max_json_depth, &job.args,
        &why);

    if (err == MCP_EINVAL)
        write_refusal(rq->call, &why);
    else if (err != MCP_OK)
        mcp_request_fail(rq, err, NULL, NULL);
    mcp_buf_free(&why.errors);
    return err == MCP_OK && mcp_launch(rq, &job, &landing);
}

/* False: the answer is ready. */
static bool serve(struct mcp_request *rq)
{
    struct mcp_call *call = rq->call;
    struct mcp_route_match match;
    const char *why = NULL;
    enum mcp_err err = MCP_OK;

    if (rq->gen->route_count == 0) {
        write_nowhere(rq);
        return false;
    }
    err = mcp_route_find(rq->gen, call->http_method, call->raw_path,
                         call->arena, &match, &why);
    if (err == MCP_EINVAL)
        mcp_route_write_error(
            call, 400, mcp_arena_printf(call->arena, "The path %s", why));
    else if (err != MCP_OK)
        mcp_request_fail(rq, err, NULL, NULL);
    else if (match.route == NULL)
        write_unmatched(rq, &match);
    return err == MCP_OK && match.route != NULL && start(rq, &match);
}

void mcp_route_serve(struct mcp_request *rq)
{
    if (!serve(rq))
        rq->end(rq);
}
