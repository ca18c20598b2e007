/*
 * ask_check.c - is it what was asked for, and can the client be asked at all?
 */
#include "app/ask.h"

#include "base/schema.h"

enum {
    MISSING_CAPABILITY = -32021,
    PROBLEM_MAX_BYTES = 64 << 10,
};

static const char *const capabilities[] = {
    [MCP_ASK_ELICIT] = "elicitation",
    [MCP_ASK_SAMPLE] = "sampling",
    [MCP_ASK_ROOTS] = "roots",
};

/* ---- answers ---- */

static void tell(struct mcp_buf *problem, const struct mcp_question *q,
                 const char *what)
{
    mcp_buf_printf(problem, "The answer to \"%.*s\" is wrong: %s",
                   (int)(q->key_len < 100 ? q->key_len : 100), q->key, what);
}

static void tell_errors(struct mcp_buf *problem, const struct mcp_question *q,
                        const struct mcp_schema_errors *errors)
{
    tell(problem, q, "its content breaks the schema that was asked for:");
    for (size_t i = 0; i < errors->count; i++)
        mcp_buf_printf(problem, "\n- %s: %s",
                       errors->items[i].instance_path[0] == '\0'
                           ? "content"
                           : errors->items[i].instance_path,
                       errors->items[i].message);
}

/* The answer with other content, in the arena; NULL: no memory. */
static const struct mcp_json *with_content(struct mcp_arena *a,
                                           const struct mcp_json *answer,
                                           const struct mcp_json *content)
{
    struct mcp_json_member *m = mcp_arena_alloc(a, answer->count * sizeof(*m));
    struct mcp_json *v = mcp_arena_alloc(a, sizeof(*v));

    if (m == NULL || v == NULL)
        return NULL;
    *v = *answer;
    v->u.members = m;
    for (uint32_t i = 0; i < answer->count; i++) {
        m[i] = answer->u.members[i];
        if (mcp_json_equals_string(&m[i].key, "content"))
            m[i].value = *content;
    }
    return v;
}

/* The content of an accepted form against its schema. */
static enum mcp_err check_content(struct mcp_job *job,
                                  const struct mcp_question *q,
                                  const struct mcp_json *answer,
                                  const struct mcp_json **out,
                                  struct mcp_buf *problem)
{
    const struct mcp_schema_options options = {.assert_format = true};
    const struct mcp_json *content = mcp_json_find(answer, "content");
    struct mcp_arena *a = job->call->arena;
    struct mcp_schema_errors errors = {0};
    struct mcp_schema *s = NULL;
    char message[300];
    enum mcp_err err;

    if (!mcp_json_is(content, MCP_JSON_OBJECT)) {
        tell(problem, q, "an accepted form needs the object content");
        return MCP_EINVAL;
    }
    err = mcp_schema_compile(q->schema, &options, &s, message, sizeof(message));
    if (err != MCP_OK) {
        tell(problem, q, "its schema cannot be used: ");
        mcp_buf_puts(problem, message);
        return err;
    }
    err = mcp_schema_validate(s, content, a, &errors);
    if (err == MCP_OK)
        err = mcp_schema_fill_defaults(s, content, a, &content);
    else
        tell_errors(problem, q, &errors);
    if (err == MCP_OK) {
        content = mcp_ask_copy(a, content); /* defaults are borrowed from `s` */
        *out = content == NULL ? NULL : with_content(a, answer, content);
        err = *out == NULL ? MCP_ENOMEM : MCP_OK;
    }
    mcp_schema_free(s);
    return err;
}

static enum mcp_err check_elicit(struct mcp_job *job,
                                 const struct mcp_question *q,
                                 const struct mcp_json *answer,
                                 const struct mcp_json **out,
                                 struct mcp_buf *problem)
{
    const struct mcp_json *action = mcp_json_find(answer, "action");

    if (mcp_json_equals_string(action, "decline") ||
        mcp_json_equals_string(action, "cancel"))
        return MCP_OK;
    if (!mcp_json_equals_string(action, "accept")) {
        tell(problem, q, "action must be accept, decline or cancel");
        return MCP_EINVAL;
    }
    return q->schema == NULL ? MCP_OK
                             : check_content(job, q, answer, out, problem);
}

static bool is_role(const struct mcp_json *v)
{
    return mcp_json_equals_string(v, "assistant") ||
           mcp_json_equals_string(v, "user");
}

/* What is wrong with the result of sampling, or NULL. */
static const char *find_sample_fault(const struct mcp_json *answer)
{
    const struct mcp_json *content = mcp_json_find(answer, "content");

    if (!is_role(mcp_json_find(answer, "role")))
        return "role must be assistant or user";
    if (!mcp_json_is(content, MCP_JSON_OBJECT) &&
        !mcp_json_is(content, MCP_JSON_ARRAY))
        return "content must be a content block or a list of them";
    if (!mcp_json_is(mcp_json_find(answer, "model"), MCP_JSON_STRING))
        return "model must be a string";
    return NULL;
}

static const char *find_roots_fault(const struct mcp_json *answer)
{
    const struct mcp_json *roots = mcp_json_find(answer, "roots");

    if (!mcp_json_is(roots, MCP_JSON_ARRAY))
        return "roots must be a list";
    for (uint32_t i = 0; i < roots->count; i++)
        if (!mcp_json_is(mcp_json_find(&roots->u.items[i], "uri"),
                         MCP_JSON_STRING))
            return "each root must have the string uri";
    return NULL;
}

enum mcp_err mcp_ask_check(struct mcp_job *job, const struct mcp_question *q,
                           const struct mcp_json *answer,
                           const struct mcp_json **out, struct mcp_buf *problem)
{
    const char *fault = NULL;

    *out = answer;
    if (answer->type != MCP_JSON_OBJECT)
        fault = "it must be an object";
    else if (q->kind == MCP_ASK_ELICIT)
        return check_elicit(job, q, answer, out, problem);
    else if (q->kind == MCP_ASK_SAMPLE)
        fault = find_sample_fault(answer);
    else
        fault = find_roots_fault(answer);
    if (fault == NULL)
        return MCP_OK;
    tell(problem, q, fault);
    return MCP_EINVAL;
}

/* ---- capabilities ---- */

bool mcp_ask_is_possible(const struct mcp_job *job,
                         const struct mcp_question *q)
{
    const struct mcp_json *has =
        mcp_json_find(job->call->client.capabilities, capabilities[q->kind]);

    if (!mcp_json_is(has, MCP_JSON_OBJECT))
        return false;
    if (q->feature == NULL)
        return true;
    if (job->call->revision < MCP_2025_11_25)
        return strcmp(q->feature, "form") == 0; /* the only one then */
    if (strcmp(q->feature, "form") == 0)
        return mcp_json_find(has, "form") != NULL ||
               mcp_json_find(has, "url") == NULL;
    return mcp_json_find(has, q->feature) != NULL;
}

/* Adds ,"feature":{} for each that is missing of this kind. True: something
 * is. */
static bool write_missing(struct mcp_buf *b, const struct mcp_job *job,
                          const struct mcp_question *q, size_t count,
                          enum mcp_ask_kind kind)
{
    static const char *const features[] = {"form", "url", "tools"};
    bool any = false, first = true;

    for (size_t i = 0; i < count; i++)
        any |= q[i].kind == kind && !mcp_ask_is_possible(job, &q[i]);
    if (!any)
        return false;
    mcp_buf_printf(b, "%s\"%s\":{", b->data[b->len - 1] == '{' ? "" : ",",
                   capabilities[kind]);
    for (size_t f = 0; f < sizeof(features) / sizeof(features[0]); f++) {
        bool needed = false;

        for (size_t i = 0; i < count; i++)
            needed |= q[i].kind == kind && q[i].feature != NULL &&
                      strcmp(q[i].feature, features[f]) == 0 &&
                      !mcp_ask_is_possible(job, &q[i]);
        if (needed) {
            mcp_buf_printf(b, "%s\"%s\":{}", first ? "" : ",", features[f]);
            first = false;
        }
    }
    mcp_buf_putc(b, '}');
    return true;
}

/* The outcome: `needed` is a JSON object of capabilities that the client has
 * not. */
static void refuse(struct mcp_job *job, const char *needed, size_t len)
{
    static const char vague[] =
        "The client lacks a capability that this call needs";
    struct mcp_buf message, data;

    mcp_buf_init(&message, PROBLEM_MAX_BYTES);
    mcp_buf_init(&data, PROBLEM_MAX_BYTES);
    mcp_buf_printf(&message, "%s: %.*s", vague, (int)len, needed);
    mcp_buf_printf(&data, "{\"requiredCapabilities\":%.*s}", (int)len, needed);
    if (message.failed || data.failed)
        mcp_ask_fail(job, vague, sizeof(vague) - 1);
    else if (mcp_call_is_modern(job->call))
        mcp_outcome_set_error(&job->outcome, MISSING_CAPABILITY, message.data,
                              data.data);
    else
        mcp_ask_fail(job, message.data, message.len);
    mcp_buf_free(&data);
    mcp_buf_free(&message);
}

void mcp_ask_refuse(struct mcp_job *job, const struct mcp_question *q,
                    size_t count)
{
    struct mcp_buf b;

    mcp_buf_init(&b, PROBLEM_MAX_BYTES);
    mcp_buf_putc(&b, '{');
    for (int kind = MCP_ASK_ELICIT; !b.failed && kind <= MCP_ASK_ROOTS; kind++)
        (void)write_missing(&b, job, q, count, (enum mcp_ask_kind)kind);
    mcp_buf_putc(&b, '}');
    refuse(job, b.failed ? "{}" : b.data, b.failed ? 2 : b.len);
    mcp_buf_free(&b);
}

/* Has the client this capability with all its parts? {"elicitation":{}} stands
 * for {"elicitation":{"form":{}}}. */
static bool has_capability(const struct mcp_job *job,
                           const struct mcp_json_member *needed)
{
    const struct mcp_json *has = mcp_json_find_n(
        job->call->client.capabilities, needed->key.u.text, needed->key.count);
    bool elicits = mcp_json_equals_string(&needed->key, "elicitation");

    if (!mcp_json_is(has, MCP_JSON_OBJECT))
        return false;
    if (needed->value.type != MCP_JSON_OBJECT)
        return true;
    for (uint32_t i = 0; i < needed->value.count; i++) {
        const struct mcp_json *part = &needed->value.u.members[i].key;

        if (mcp_json_find_n(has, part->u.text, part->count) == NULL &&
            !(elicits && mcp_json_equals_string(part, "form") &&
              mcp_json_find(has, "url") == NULL))
            return false;
    }
    return true;
}

bool mcp_ask_require(struct mcp_job *job, const struct mcp_json *needed)
{
    struct mcp_buf b;
    bool all = true;

    mcp_buf_init(&b, PROBLEM_MAX_BYTES);
    mcp_buf_putc(&b, '{');
    for (uint32_t i = 0; i < needed->count; i++) {
        const struct mcp_json_member *m = &needed->u.members[i];

        if (has_capability(job, m))
            continue;
        mcp_buf_puts(&b, all ? "" : ",");
        mcp_json_write(&b, &m->key);
        mcp_buf_putc(&b, ':');
        mcp_json_write(&b, &m->value);
        all = false;
    }
    mcp_buf_putc(&b, '}');
    if (!all)
        refuse(job, b.failed ? "{}" : b.data, b.failed ? 2 : b.len);
    mcp_buf_free(&b);
    return all;
}
