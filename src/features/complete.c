/*
 * complete.c - see complete.h
 */
#include "features/complete.h"

#include "base/uri_template.h"
#include "features/envelope.h"
#include "features/launch.h"
#include "features/rank.h"
#include "features/unknown.h"

/* What is being completed. All of it lies in the request or its generation. */
struct question {
    const struct mcp_json *name, *value; /* of the argument; strings */
    const struct mcp_json *chosen;       /* others; an object        */
    const struct mcp_prompt *prompt;     /* one of them, ...         */
    const struct mcp_resource *resource;
    const struct mcp_completer *completer; /* ... NULL: has none        */
};

static const struct mcp_json nothing = {.type = MCP_JSON_OBJECT};

/* ---- reading the question ---- */

/* False: the fault is set. */
static bool fail(struct mcp_request *rq, const char *message)
{
    mcp_request_fail(rq, MCP_EINVAL, message, NULL);
    return false;
}

static bool read_argument(struct mcp_request *rq, struct question *q)
{
    const struct mcp_json *argument =
        mcp_json_find(rq->call->params, "argument");

    q->name = mcp_json_find(argument, "name");
    q->value = mcp_json_find(argument, "value");
    return (mcp_json_is(q->name, MCP_JSON_STRING) &&
            mcp_json_is(q->value, MCP_JSON_STRING)) ||
           fail(rq, "argument must have the strings name and value");
}

static bool read_context(struct mcp_request *rq, struct question *q)
{
    static const char wrong[] =
        "context.arguments must be an object of strings";
    const struct mcp_json *context = mcp_json_find(rq->call->params, "context");
    const struct mcp_json *chosen = mcp_json_find(context, "arguments");

    q->chosen = &nothing;
    if (context == NULL || context->type == MCP_JSON_NULL)
        return true;
    if (context->type != MCP_JSON_OBJECT)
        return fail(rq, "context must be an object");
    if (chosen == NULL || chosen->type == MCP_JSON_NULL)
        return true;
    if (chosen->type != MCP_JSON_OBJECT)
        return fail(rq, wrong);
    for (uint32_t i = 0; i < chosen->count; i++)
        if (chosen->u.members[i].value.type != MCP_JSON_STRING)
            return fail(rq, wrong);
    q->chosen = chosen;
    return true;
}

static bool read_prompt(struct mcp_request *rq, const struct mcp_json *ref,
                        struct question *q)
{
    const struct mcp_json *name = mcp_json_find(ref, "name");

    if (!mcp_json_is(name, MCP_JSON_STRING))
        return fail(rq, "ref.name must be a string");
    q->prompt = mcp_generation_find_prompt(rq->gen, name->u.text, name->count);
    if (q->prompt != NULL)
        return true;
    mcp_unknown_fail(
        rq, "Unknown prompt", name,
        mcp_unknown_nearest(rq, MCP_ITEM_PROMPT, name),
        mcp_unknown_data(rq->call, "name", name, MCP_NAME_SHOWN_BYTES));
    return false;
}

/* A template by its own text, or a resource that is at exactly this URI. */
static bool read_resource(struct mcp_request *rq, const struct mcp_json *ref,
                          struct question *q)
{
    const struct mcp_json *uri = mcp_json_find(ref, "uri");

    if (!mcp_json_is(uri, MCP_JSON_STRING))
        return fail(rq, "ref.uri must be a string");
    q->resource =
        mcp_generation_find_template(rq->gen, uri->u.text, uri->count);
    if (q->resource == NULL)
        q->resource =
            mcp_generation_find_resource(rq->gen, uri->u.text, uri->count);
    if (q->resource != NULL)
        return true;
    mcp_unknown_fail(rq, "Unknown resource template", uri,
                     mcp_unknown_nearest(rq, MCP_ITEM_TEMPLATE, uri),
                     mcp_unknown_data(rq->call, "uri", uri, MCP_URI_MAX_BYTES));
    return false;
}

static bool read_ref(struct mcp_request *rq, struct question *q)
{
    const struct mcp_json *ref = mcp_json_find(rq->call->params, "ref");
    const struct mcp_json *type = mcp_json_find(ref, "type");

    if (mcp_json_equals_string(type, "ref/prompt"))
        return read_prompt(rq, ref, q);
    if (mcp_json_equals_string(type, "ref/resource"))
        return read_resource(rq, ref, q);
    return fail(rq, "ref.type must be \"ref/prompt\" or \"ref/resource\"");
}

/* Has what is referred to such an argument? */
static bool has_argument(const struct question *q)
{
    const struct mcp_resource *res = q->resource;
    size_t count;

    if (q->prompt != NULL) {
        for (size_t i = 0; i < q->prompt->argument_count; i++)
            if (mcp_json_equals_string(q->name, q->prompt->arguments[i].name))
                return true;
        return !q->prompt->has_arguments;
    }
    if (res->uri_template == NULL)
        return true; /* nothing can be chosen at an exact URI */
    count = mcp_uri_template_variable_count(res->uri_template);
    for (size_t i = 0; i < count; i++)
        if (mcp_json_equals_string(
                q->name, mcp_uri_template_variable(res->uri_template, i)))
            return true;
    return false;
}

static bool find_completer(struct mcp_request *rq, struct question *q)
{
    const struct mcp_completer *all =
        q->prompt != NULL ? q->prompt->completers : q->resource->completers;
    size_t count = q->prompt != NULL ? q->prompt->completer_count
                                     : q->resource->completer_count;

    for (size_t i = 0; i < count; i++)
        if (mcp_json_equals_string(q->name, all[i].argument)) {
            q->completer = &all[i];
            return true;
        }
    if (has_argument(q))
        return true;
    mcp_unknown_fail(
        rq, "Unknown argument", q->name, NULL,
        mcp_unknown_data(rq->call, "argument", q->name, MCP_NAME_SHOWN_BYTES));
    return false;
}

/* ---- the answer ---- */

static struct mcp_rank_value fixed_value(const void *list, size_t i)
{
    const char *text = ((const char *const *)list)[i];

    return (struct mcp_rank_value){text, strlen(text)};
}

static struct mcp_rank_value json_value(const void *list, size_t i)
{
    const struct mcp_json *v = &((const struct mcp_json *)list)[i];

    if (v->type != MCP_JSON_STRING)
        return (struct mcp_rank_value){NULL, 0};
    return (struct mcp_rank_value){v->u.text, v->count};
}

static void write_result(struct mcp_request *rq,
                         const struct mcp_rank_list *list)
{
    const struct mcp_json *argument =
        mcp_json_find(rq->call->params, "argument");
    const struct mcp_json *typed = mcp_json_find(argument, "value");
    struct mcp_buf *out = &rq->call->out;

    mcp_buf_puts(out, mcp_call_is_modern(rq->call)
                          ? "{\"resultType\":\"complete\",\"completion\":"
                          : "{\"completion\":");
    mcp_rank_write(out, typed->u.text, typed->count, list);
    mcp_envelope_write_meta(out, rq->call, rq->gen, NULL, 0);
    mcp_buf_putc(out, '}');
}

static void finish(struct mcp_request *rq, const struct mcp_job *job,
                   const struct mcp_outcome *o)
{
    struct mcp_rank_list list = {.at = json_value};
    const struct mcp_json *values = NULL;

    (void)job;
    if (o->is_error) {
        mcp_launch_fail(rq, "Completion failed", o);
        return;
    }
    if (o->content.len > 0 &&
        mcp_json_parse(rq->call->arena, o->text.data + o->content.at,
                       o->content.len, NULL, &values, NULL) != MCP_OK) {
        mcp_request_fail(rq, MCP_EINTERNAL, NULL, NULL);
        return;
    }
    if (mcp_json_is(values, MCP_JSON_ARRAY)) {
        list.items = values->u.items;
        list.count = values->count;
    }
    list.is_part = o->total > list.count;
    write_result(rq, &list);
}

/* {"value":"...","arguments":{...}} in the call's arena; NULL: no memory. */
static const struct mcp_json *make_args(struct mcp_call *call,
                                        const struct question *q)
{
    struct mcp_json *args = mcp_arena_alloc(call->arena, sizeof(*args));
    struct mcp_json_member *m = mcp_arena_alloc(call->arena, 2 * sizeof(*m));

    if (args == NULL || m == NULL)
        return NULL;
    m[0].key = (struct mcp_json){
        .type = MCP_JSON_STRING, .count = 5, .u.text = "value"};
    m[0].value = *q->value;
    m[1].key = (struct mcp_json){
        .type = MCP_JSON_STRING, .count = 9, .u.text = "arguments"};
    m[1].value = *q->chosen;
    *args =
        (struct mcp_json){.type = MCP_JSON_OBJECT, .count = 2, .u.members = m};
    return args;
}

/* False: the answer is ready. */
static bool start(struct mcp_request *rq, const struct question *q)
{
    static const struct mcp_landing landing = {.result = finish};
    struct mcp_job job = {.handler = &q->completer->handler,
                          .resource = q->resource,
                          .prompt = q->prompt,
                          .args = make_args(rq->call, q)};

    if (job.args != NULL)
        return mcp_launch(rq, &job, &landing);
    mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
    return false;
}

/* False: the answer is ready. */
static bool complete(struct mcp_request *rq)
{
    struct question q = {.name = NULL};
    struct mcp_rank_list list = {.at = fixed_value};

    if (!read_ref(rq, &q) || !read_argument(rq, &q) || !read_context(rq, &q) ||
        !find_completer(rq, &q))
        return false;
    if (q.completer != NULL && q.completer->handler.slot != 0)
        return start(rq, &q);
    if (q.completer != NULL) {
        list.items = q.completer->values;
        list.count = q.completer->value_count;
    }
    write_result(rq, &list);
    return false;
}

void mcp_complete(struct mcp_request *rq)
{
    if (!complete(rq))
        rq->end(rq);
}
