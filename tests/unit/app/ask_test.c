/* ask_test.c - questions to the client: rounds, and coroutines that wait */
#include "app_bench.h"

#include <time.h>

#include "app/ask.h"
#include "app/ask_wait.h"
#include "base/seal.h"

static const char app[] =
    "local mcp = require 'mcp'\n"
    "local t = mcp.types\n"
    "local function who(ctx, key)\n"
    "  return ctx.elicit{ key = key, message = 'Who?',\n"
    "    schema = { name = t.string(), age = t.integer{ default = 7 } } }\n"
    "end\n"
    "local count = 0\n"
    "mcp.tool('one', {}, function(ctx)\n"
    "  count = count + 1\n"
    "  local a = who(ctx)\n"
    "  return a.action .. ' ' .. tostring(a.content and a.content.name)\n"
    "    .. ' ' .. tostring(a.content and a.content.age) .. ' ' .. count\n"
    "end)\n"
    "mcp.tool('two', {}, function(ctx)\n"
    "  local n = ctx.memo('n', function() return { math.random(1e9) } end)\n"
    "  local again = ctx.memo('n', function() error('twice') end)\n"
    "  who(ctx) who(ctx)\n"
    "  return ('%d %s'):format(n[1], tostring(again[1] == n[1]))\n"
    "end)\n"
    "mcp.tool('caught', {}, function(ctx)\n"
    "  local ok, why = pcall(who, ctx)\n"
    "  return tostring(ok) .. ' ' .. (ok and why.action or tostring(why))\n"
    "end)\n"
    "mcp.tool('sorts', {}, function(ctx)\n"
    "  table.sort({ 1, 2 }, function() who(ctx) end)\n"
    "end)\n"
    "mcp.tool('wraps', {}, function(ctx)\n"
    "  local ok, why = coroutine.resume(coroutine.create(function()\n"
    "    who(ctx) end))\n"
    "  return tostring(ok) .. ' ' .. tostring(why)\n"
    "end)\n"
    "mcp.prompt('p', { description = 'd', arguments = { { name = 'a',\n"
    "  complete = function(value, ctx)\n"
    "    local ok, why = pcall(who, ctx)\n"
    "    return { why }\n"
    "  end } } }, function(a) return a end)\n"
    "mcp.tool('same', {}, function(ctx) who(ctx, 'k') who(ctx, 'k') end)\n"
    "mcp.tool('none', {}, function(ctx)\n"
    "  local v = ctx.memo('nil', function() end)\n"
    "  return tostring(v) .. tostring(ctx.request_state)\n"
    "    .. tostring(ctx.input_responses)\n"
    "end)\n"
    "mcp.tool('again', {}, function(ctx)\n"
    "  local r = ctx.input_responses\n"
    "  count = count + 1\n"
    "  if r and r.x then return r.x.action .. ctx.request_state .. count end\n"
    "  return mcp.input_required{ state = 'mine', requests = {\n"
    "    x = mcp.elicit{ message = 'm', schema = { a = t.string() } } } }\n"
    "end)\n"
    "mcp.tool('all', {}, function(ctx)\n"
    "  local a = ctx.ask{ b = mcp.roots(), a = mcp.sample{ prompt = 'p' } }\n"
    "  return a.a.content.text .. a.a.stop_reason .. #a.b\n"
    "end)\n"
    "mcp.tool('url', {}, function(ctx)\n"
    "  return ctx.elicit{ message = 'm', url = 'https://x.example/' }.action\n"
    "end)\n"
    "mcp.tool('needs', { required_client_capabilities =\n"
    "  { 'roots', sampling = { tools = {} } } }, function() return 'ran' end)\n"
    "mcp.tool('large', {}, function(ctx)\n"
    "  ctx.memo('a', function() return ('x'):rep(700000) end)\n"
    "  ctx.memo('b', function() return ('x'):rep(700000) end)\n"
    "  who(ctx)\n"
    "end)\n"
    "mcp.tool('slow', { timeout = 0.4 }, function(ctx)\n"
    "  local a = who(ctx)\n"
    "  return ('%s %s'):format(a.action, tostring(ctx.deadline > 0.2))\n"
    "end)\n";

#define EVERYTHING                                                             \
    "{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{},\"roots\":{}}"
#define NAMED(name)                                                            \
    "{\"action\":\"accept\",\"content\":{\"name\":\"" name "\"}}"

struct fixture {
    struct bench b;
    struct one one;
    char sealed[4096];
};

/* ---- calls ---- */

static const struct mcp_json *parse(struct mcp_arena *a, const char *json)
{
    const struct mcp_json *v = NULL;
    char *kept = mcp_arena_dup(a, json, strlen(json));

    if (mcp_json_parse(a, kept, strlen(json), NULL, &v, NULL) != MCP_OK)
        fail_msg("no JSON: %s", json);
    return v;
}

/* Everything about one call that a test may choose. */
struct how {
    const char *tool, *params, *capabilities, *principal;
    const struct mcp_call_ops *ops;
    struct mcp_session *session; /* legacy */
};

static void make_call(struct fixture *f, const struct how *how)
{
    struct one *one = &f->one;
    struct mcp_call *call = &one->call;

    memset(one, 0, sizeof(*one));
    call->arena = mcp_arena_new(8 << 20);
    call->revision = how->session != NULL ? MCP_2025_11_25 : MCP_2026_07_28;
    call->session = how->session;
    call->ops = how->ops;
    call->principal = how->principal;
    call->method = "tools/call";
    call->params = parse(call->arena, how->params != NULL ? how->params : "{}");
    call->client.capabilities =
        parse(call->arena,
              how->capabilities != NULL ? how->capabilities : EVERYTHING);
    one->job.call = call;
    one->job.gen = mcp_app_acquire(f->b.app);
    one->job.tool =
        mcp_generation_find_tool(one->job.gen, how->tool, strlen(how->tool));
    assert_non_null(one->job.tool);
    one->job.handler = &one->job.tool->handler;
    one->job.args = parse(call->arena, "{}");
    one->job.finish = finish;
    one->job.user = one;
}

static void begin(struct fixture *f, const struct how *how)
{
    make_call(f, how);
    assert_int_equal(mcp_app_run(f->b.app, &f->one.job), MCP_OK);
}

static void run_it(struct fixture *f, const struct how *how)
{
    begin(f, how);
    wait_for(&f->one);
}

/* Runs a tool without arguments; `responses` and `sealed` may be NULL. */
static void call(struct fixture *f, const char *tool, const char *responses,
                 const char *sealed)
{
    char params[8192];

    (void)snprintf(params, sizeof(params), "{\"name\":\"%s\"%s%s%s%s%s}", tool,
                   responses != NULL ? ",\"inputResponses\":" : "",
                   responses != NULL ? responses : "",
                   sealed != NULL ? ",\"requestState\":\"" : "",
                   sealed != NULL ? sealed : "", sealed != NULL ? "\"" : "");
    run_it(f, &(struct how){.tool = tool, .params = params});
}

/* ---- what came of them ---- */

static const char *span(const struct fixture *f, struct mcp_span s)
{
    static char text[8192];

    (void)snprintf(text, sizeof(text), "%.*s", (int)s.len,
                   s.len > 0 ? f->one.job.outcome.text.data + s.at : "");
    return text;
}

static void expect_part(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("expected \"%s\" in: %s", part, text);
}

/* The call asks; its state is kept in f->sealed. */
static void expect_question(struct fixture *f, const char *part)
{
    const struct mcp_outcome *o = &f->one.job.outcome;

    if (o->kind != MCP_OUTCOME_INPUT_REQUIRED)
        fail_msg("no question, but: %s", f->one.text);
    expect_part(span(f, o->content), part);
    (void)snprintf(f->sealed, sizeof(f->sealed), "%s", span(f, o->state));
    assert_true(strlen(f->sealed) > 30);
    drop(&f->one);
}

static void expect_result(struct fixture *f, bool is_error, const char *part)
{
    const struct mcp_outcome *o = &f->one.job.outcome;

    assert_int_equal(o->kind, MCP_OUTCOME_RESULT);
    expect_part(f->one.text, part);
    assert_int_equal(o->is_error, is_error);
    drop(&f->one);
}

static void expect_error(struct fixture *f, int code, const char *part,
                         const char *data)
{
    const struct mcp_outcome *o = &f->one.job.outcome;

    assert_int_equal(o->kind, MCP_OUTCOME_ERROR);
    assert_int_equal(o->code, code);
    expect_part(f->one.text, part);
    if (data != NULL)
        assert_string_equal(span(f, o->data), data);
    drop(&f->one);
}

static struct fixture *open_with(struct fixture *f, const char *name,
                                 const char *value)
{
    memset(f, 0, sizeof(*f));
    bench_make(&f->b);
    set(&f->b, name, value);
    bench_open(&f->b, app);
    if (f->b.err != MCP_OK)
        fail_msg("%s", f->b.message);
    return f;
}

static int setup(void **state)
{
    static struct fixture f;

    *state = open_with(&f, "request_state_keys", "a secret of this very test");
    return 0;
}

static int teardown(void **state)
{
    bench_close(&((struct fixture *)*state)->b);
    return 0;
}

/* ---- 2026-07-28 ---- */

static void a_question_ends_the_call(void **state)
{
    struct fixture *f = *state;

    call(f, "one", NULL, NULL);
    expect_question(f, "{\"elicit-1\":{\"method\":\"elicitation/create\","
                       "\"params\":{\"message\":\"Who?\",");
    call(f, "one", "{\"elicit-1\":" NAMED("Bo") ",\"extra\":{}}", f->sealed);
    expect_result(f, false, "accept Bo 7 1");
    call(f, "one", "{\"elicit-1\":" NAMED("Bo") "}", NULL);
    expect_result(f, false, "accept Bo 7 1");
}

static void decline_and_cancel_are_seen(void **state)
{
    struct fixture *f = *state;

    call(f, "one", "{\"elicit-1\":{\"action\":\"decline\"}}", NULL);
    expect_result(f, false, "decline nil");
    call(f, "one", "{\"elicit-1\":{\"action\":\"cancel\"}}", NULL);
    expect_result(f, false, "cancel nil");
}

static void answers_and_memos_travel(void **state)
{
    struct fixture *f = *state;
    char first[4096];

    call(f, "two", NULL, NULL);
    expect_question(f, "elicit-1");
    (void)snprintf(first, sizeof(first), "%s", f->sealed);
    call(f, "two", "{\"elicit-1\":" NAMED("Bo") "}", f->sealed);
    expect_question(f, "{\"elicit-2\"");
    assert_string_not_equal(first, f->sealed);
    call(f, "two", "{\"elicit-2\":" NAMED("Cy") "}", f->sealed);
    expect_result(f, false, " true");
    /* without the second answer it is asked again */
    call(f, "two", "{\"elicit-1\":" NAMED("Bo") "}", first);
    expect_question(f, "{\"elicit-2\"");
    call(f, "two", "{\"wrong\":" NAMED("Cy") "}", f->sealed);
    expect_question(f, "{\"elicit-2\"");
}

static void memo_keeps_nothing_as_nothing(void **state)
{
    struct fixture *f = *state;

    call(f, "none", NULL, NULL);
    expect_result(f, false, "nilnilnil");
}

static void wrong_answers_are_told(void **state)
{
    struct fixture *f = *state;

    call(f, "one", "{\"elicit-1\":{\"action\":\"maybe\"}}", NULL);
    expect_result(f, true, "\\\"elicit-1\\\" is wrong: action must be");
    call(f, "one", "{\"elicit-1\":{\"action\":\"accept\"}}", NULL);
    expect_result(f, true, "needs the object content");
    call(f, "one",
         "{\"elicit-1\":{\"action\":\"accept\",\"content\":{\"name\":1}}}",
         NULL);
    expect_result(f, true, "/name: must be a string");
    call(f, "one",
         "{\"elicit-1\":{\"action\":\"accept\",\"content\":{\"name\":\"a\","
         "\"age\":\"old\"}}}",
         NULL);
    expect_result(f, true, "/age: must be");
    call(f, "one", "null", NULL);
    expect_error(f, -32602, "inputResponses must be an object", NULL);
    call(f, "one", "[]", NULL);
    expect_error(f, -32602, "inputResponses must be an object", NULL);
    call(f, "one", "{\"elicit-1\":12345}", NULL);
    expect_error(f, -32602, "inputResponses must be an object", NULL);
}

static void several_are_asked_at_once(void **state)
{
    struct fixture *f = *state;

    call(f, "all", NULL, NULL);
    expect_question(f, "{\"a\":{\"method\":\"sampling/createMessage\"");
    call(f, "all",
         "{\"b\":{\"roots\":[{\"uri\":\"file:///a\"},{\"uri\":\"x:y\"}]}}",
         f->sealed);
    expect_question(f, "{\"a\":{\"method\":\"sampling/createMessage\"");
    call(f, "all",
         "{\"a\":{\"role\":\"assistant\",\"model\":\"m\",\"stopReason\":"
         "\"end\",\"content\":{\"type\":\"text\",\"text\":\"T\"}}}",
         f->sealed);
    expect_result(f, false, "Tend2");
    call(f, "all", "{\"b\":{\"roots\":[{}]}}", NULL);
    expect_result(f, true, "each root must have");
    call(f, "all", "{\"a\":{\"role\":\"assistant\",\"content\":{}}}", NULL);
    expect_result(f, true, "model must be a string");
}

static void pcall_does_not_swallow_it(void **state)
{
    struct fixture *f = *state;

    call(f, "caught", NULL, NULL);
    expect_question(f, "elicit-1");
    call(f, "caught", "{\"elicit-1\":{\"action\":\"cancel\"}}", f->sealed);
    expect_result(f, false, "true cancel");
}

static void elsewhere_it_says_what_to_do(void **state)
{
    struct fixture *f = *state;

    call(f, "sorts", NULL, NULL);
    expect_result(f, true, "call it from the handler itself");
    call(f, "wraps", NULL, NULL);
    expect_result(f, false, "call it from the handler itself");
    call(f, "same", "{\"k\":" NAMED("Bo") "}", NULL);
    expect_result(f, true, "\\\"k\\\" has been asked already");
}

static void completers_cannot_ask(void **state)
{
    struct fixture *f = *state;
    const struct mcp_prompt *prompt;

    make_call(f, &(struct how){.tool = "one"});
    prompt = mcp_generation_find_prompt(f->one.job.gen, "p", 1);
    assert_non_null(prompt);
    f->one.job.tool = NULL;
    f->one.job.prompt = prompt;
    f->one.job.handler = &prompt->completers[0].handler;
    f->one.job.args =
        parse(f->one.call.arena, "{\"value\":\"v\",\"arguments\":{}}");
    assert_int_equal(mcp_app_run(f->b.app, &f->one.job), MCP_OK);
    wait_for(&f->one);
    expect_result(f, false, "only tools, prompts and resources can ask");
}

static void a_handler_may_return_its_questions(void **state)
{
    struct fixture *f = *state;

    call(f, "again", NULL, NULL);
    expect_question(f, "{\"x\":{");
    call(f, "again", "{\"x\":{\"action\":\"decline\"}}", f->sealed);
    expect_result(f, false, "declinemine1");
}

static void capabilities_are_needed(void **state)
{
    struct fixture *f = *state;

    run_it(f, &(struct how){.tool = "one", .capabilities = "{}"});
    expect_error(f, -32021, "capability",
                 "{\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}}");
    run_it(f, &(struct how){.tool = "one",
                            .capabilities = "{\"elicitation\":{\"url\":{}}}"});
    expect_error(f, -32021, "capability",
                 "{\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}}");
    run_it(f, &(struct how){.tool = "one",
                            .capabilities = "{\"elicitation\":{}}"});
    expect_question(f, "elicit-1");
    run_it(f, &(struct how){.tool = "url",
                            .capabilities = "{\"elicitation\":{}}"});
    expect_error(f, -32021, "capability",
                 "{\"requiredCapabilities\":{\"elicitation\":{\"url\":{}}}}");
    call(f, "url", NULL, NULL);
    expect_question(f, "\"url\":\"https://x.example/\"");
    run_it(f, &(struct how){.tool = "all", .capabilities = "{}"});
    expect_error(f, -32021, "capability",
                 "{\"requiredCapabilities\":{\"sampling\":{},\"roots\":{}}}");
}

static void a_tool_may_need_capabilities(void **state)
{
    struct fixture *f = *state;

    run_it(f, &(struct how){.tool = "needs", .capabilities = "{}"});
    expect_error(f, -32021, "capability",
                 "{\"requiredCapabilities\":{\"roots\":{},\"sampling\":"
                 "{\"tools\":{}}}}");
    run_it(f, &(struct how){.tool = "needs",
                            .capabilities = "{\"roots\":{},\"sampling\":{}}"});
    expect_error(f, -32021, "this call needs: {\"sampling\":{\"tools\":{}}}",
                 "{\"requiredCapabilities\":{\"sampling\":{\"tools\":{}}}}");
    run_it(f, &(struct how){.tool = "needs",
                            .capabilities = "{\"roots\":{},\"sampling\":"
                                            "{\"tools\":{}}}"});
    expect_result(f, false, "ran");
}

static void a_state_has_a_size(void **state)
{
    struct fixture *f = *state;

    call(f, "large", NULL, NULL);
    expect_result(f, true, "too large to be kept");
}

/* ---- the state ---- */

#define REFUSED "requestState is not valid here"

static void a_state_is_for_one_request(void **state)
{
    struct fixture *f = *state;
    char params[5000];
    struct how how = {.tool = "one", .params = params};

    call(f, "one", NULL, NULL);
    expect_question(f, "elicit-1");
    call(f, "two", NULL, f->sealed);
    expect_error(f, -32602, REFUSED, NULL);
    (void)snprintf(params, sizeof(params),
                   "{\"name\":\"one\",\"requestState\":\"%s\"}", f->sealed);
    how.principal = "somebody";
    run_it(f, &how);
    expect_error(f, -32602, REFUSED, NULL);
    how.principal = NULL;
    (void)snprintf(params, sizeof(params),
                   "{\"name\":\"one\",\"arguments\":{\"a\":1},"
                   "\"requestState\":\"%s\"}",
                   f->sealed);
    run_it(f, &how);
    expect_error(f, -32602, REFUSED, NULL);
    (void)snprintf(params, sizeof(params),
                   "{\"_meta\":{\"a\":1},\"requestState\":\"%s\","
                   "\"name\":\"one\"}",
                   f->sealed);
    run_it(f, &how);
    expect_question(f, "elicit-1");
}

/* The order of members is the client's to choose. */
static void arguments_are_compared_by_value(void **state)
{
    struct fixture *f = *state;
    char params[5000];
    struct how how = {.tool = "one", .params = params};

    (void)snprintf(params, sizeof(params),
                   "{\"name\":\"one\",\"arguments\":{\"a\":[1,{\"x\":1,"
                   "\"yy\":null}],\"b\":2}}");
    run_it(f, &how);
    expect_question(f, "elicit-1");
    (void)snprintf(params, sizeof(params),
                   "{\"arguments\":{\"b\":2,\"a\":[1,{\"yy\":null,\"x\":1}]},"
                   "\"name\":\"one\",\"requestState\":\"%s\"}",
                   f->sealed);
    run_it(f, &how);
    expect_question(f, "elicit-1");
    (void)snprintf(params, sizeof(params),
                   "{\"arguments\":{\"b\":2,\"a\":[{\"yy\":null,\"x\":1},1]},"
                   "\"name\":\"one\",\"requestState\":\"%s\"}",
                   f->sealed);
    run_it(f, &how);
    expect_error(f, -32602, REFUSED, NULL);
}

static void a_broken_state_comes_before_the_answers(void **state)
{
    struct fixture *f = *state;

    call(f, "one", "{\"elicit-1\":" NAMED("Bo") "}", "AAAA");
    expect_error(f, -32602, REFUSED, NULL);
    call(f, "one", "null", "");
    expect_error(f, -32602, REFUSED, NULL);
    run_it(f, &(struct how){.tool = "one",
                            .params = "{\"name\":\"one\",\"requestState\":1}"});
    expect_error(f, -32602, "requestState must be a string", NULL);
}

/* A state with this text, sealed as the server does it. */
static void forge(struct fixture *f, const char *text)
{
    static char secret[] = "a secret of this very test";
    static char *secrets[] = {secret};
    const struct mcp_seal_keys keys = {secrets, 1};
    struct mcp_buf bound, out;

    make_call(f, &(struct how){.tool = "one", .params = "{\"name\":\"one\"}"});
    mcp_buf_init(&bound, 1 << 20);
    mcp_buf_init(&out, 1 << 20);
    assert_int_equal(mcp_ask_write_bound(&f->one.job, &bound), MCP_OK);
    assert_int_equal(
        mcp_seal_close(&keys, bound.data, bound.len, text, strlen(text), &out),
        MCP_OK);
    (void)snprintf(f->sealed, sizeof(f->sealed), "%.*s", (int)out.len,
                   out.data);
    mcp_buf_free(&bound);
    mcp_buf_free(&out);
    mcp_generation_release(f->one.job.gen);
    drop(&f->one);
}

static void a_state_expires(void **state)
{
    struct fixture *f = *state;
    long long now = (long long)time(NULL);
    char text[200];

    (void)snprintf(text, sizeof(text), "{\"e\":%lld,\"a\":{},\"m\":{}}", now);
    forge(f, text);
    call(f, "one", NULL, f->sealed);
    expect_error(f, -32602, "requestState has expired", NULL);
    (void)snprintf(text, sizeof(text), "{\"e\":%lld,\"a\":{},\"m\":{}}",
                   now + 60);
    forge(f, text);
    call(f, "one", NULL, f->sealed);
    expect_question(f, "elicit-1");
}

static void how_long_a_state_lives_can_be_said(void **state)
{
    static struct fixture own;
    struct fixture *f = open_with(&own, "request_state_ttl", "1");

    (void)state;
    call(f, "one", NULL, NULL);
    expect_question(f, "elicit-1");
    call(f, "one", "{\"elicit-1\":" NAMED("Bo") "}", f->sealed);
    expect_result(f, false, "accept Bo 7 1");
    call(f, "one", NULL, NULL);
    expect_question(f, "elicit-1");
    usleep(2100 * 1000);
    call(f, "one", "{\"elicit-1\":" NAMED("Bo") "}", f->sealed);
    expect_error(f, -32602, "requestState has expired", NULL);
    bench_close(&f->b);
}

static void a_state_has_a_form(void **state)
{
    static const char *const wrong[] = {
        "",
        "[]",
        "{\"e\":99999999999,\"a\":{}}",
        "{\"e\":99999999999,\"m\":{}}",
        "{\"e\":\"99999999999\",\"a\":{},\"m\":{}}",
        "{\"e\":99999999999,\"a\":[],\"m\":{}}",
        "{\"e\":99999999999,\"a\":{},\"m\":{},\"s\":1}",
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        forge(f, wrong[i]);
        call(f, "one", NULL, f->sealed);
        expect_error(f, -32602, "requestState is not one of", NULL);
    }
}

/* ---- the 2025 revisions ---- */

static char sent[4][512]; /* what a call emitted; under `lock` */
static size_t sent_count;
static enum mcp_err emit_error;

static enum mcp_err emit(struct mcp_call *c, const char *msg, size_t len)
{
    (void)c;
    pthread_mutex_lock(&lock);
    if (emit_error == MCP_OK)
        (void)snprintf(sent[sent_count++ % 4], sizeof(sent[0]), "%.*s",
                       (int)len, msg);
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
    return emit_error;
}

static const struct mcp_call_ops ops = {.emit = emit};
static struct mcp_session *const session = (struct mcp_session *)&ops;

/* Starts a call in a session and waits for its `count` questions. */
static void ask(struct fixture *f, const char *tool, size_t count)
{
    sent_count = 0;
    emit_error = MCP_OK;
    begin(f, &(struct how){.tool = tool, .ops = &ops, .session = session});
    pthread_mutex_lock(&lock);
    while (sent_count < count)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
}

/* Answers question `i`: "result":... or "error":... False: nobody waits. */
static bool answer(struct fixture *f, struct mcp_session *s, size_t i,
                   const char *member)
{
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    char text[1024], id[64] = "";
    const char *at;
    bool taken;

    pthread_mutex_lock(&lock);
    at = strstr(sent[i], "\"id\":");
    assert_non_null(at);
    (void)sscanf(at + 5, "%63[^,]", id);
    pthread_mutex_unlock(&lock);
    (void)snprintf(text, sizeof(text), "{\"id\":%s,%s}", id, member);
    taken = mcp_app_answer(f->b.app, s, parse(a, text));
    mcp_arena_free(a);
    return taken;
}

static void the_coroutine_waits(void **state)
{
    struct fixture *f = *state;
    int other;

    ask(f, "one", 1);
    expect_part(sent[0], "\"jsonrpc\":\"2.0\",\"id\":\"mcpluad-");
    expect_part(sent[0], "\"method\":\"elicitation/create\"");
    assert_false(answer(f, NULL, 0, "\"result\":" NAMED("Bo")));
    assert_false(
        answer(f, (struct mcp_session *)&other, 0, "\"result\":" NAMED("Bo")));
    assert_true(answer(f, session, 0, "\"result\":" NAMED("Bo")));
    wait_for(&f->one);
    assert_false(answer(f, session, 0, "\"result\":" NAMED("Bo")));
    expect_result(f, false, "accept Bo 7 1");
}

static void waiting_is_not_counted(void **state)
{
    struct fixture *f = *state;

    ask(f, "slow", 1);
    usleep(600 * 1000); /* its timeout is 0.4 s */
    assert_true(answer(f, session, 0, "\"result\":{\"action\":\"cancel\"}"));
    wait_for(&f->one);
    expect_result(f, false, "cancel true");
}

static void all_answers_are_waited_for(void **state)
{
    struct fixture *f = *state;

    ask(f, "all", 2);
    assert_true(answer(f, session, 1, "\"result\":{\"roots\":[]}"));
    assert_false(answer(f, session, 1, "\"result\":{\"roots\":[]}"));
    usleep(20 * 1000);
    assert_false(f->one.done);
    assert_true(answer(
        f, session, 0,
        "\"result\":{\"role\":\"user\",\"model\":\"m\",\"stopReason\":\"s\","
        "\"content\":{\"type\":\"text\",\"text\":\"T\"}}"));
    wait_for(&f->one);
    expect_result(f, false, "Ts0");
}

static void the_handler_hears_of_errors(void **state)
{
    struct fixture *f = *state;

    ask(f, "caught", 1);
    assert_true(answer(f, session, 0,
                       "\"error\":{\"code\":-1,\"message\":\"no user\"}"));
    wait_for(&f->one);
    expect_result(f, false, "with an error: no user (-1)");
    ask(f, "caught", 1);
    mcp_app_session_ended(f->b.app, session);
    wait_for(&f->one);
    expect_result(f, false, "false the session ended before");
    ask(f, "caught", 1);
    mcp_app_client_left(f->b.app, &f->one.call);
    wait_for(&f->one);
    expect_result(f, false, "false the client left before");
    ask(f, "caught", 1);
    assert_true(answer(f, session, 0, "\"result\":{\"action\":\"huh\"}"));
    wait_for(&f->one);
    expect_result(f, true, "action must be accept");
}

static void a_call_that_cannot_ask_says_so(void **state)
{
    struct fixture *f = *state;

    emit_error = MCP_EINVAL;
    run_it(f, &(struct how){.tool = "one", .ops = &ops, .session = session});
    expect_result(f, true, "it must accept text/event-stream");
    emit_error = MCP_ECANCELED;
    run_it(f, &(struct how){.tool = "again", .ops = &ops, .session = session});
    expect_result(f, true, "the client has left");
    run_it(f, &(struct how){.tool = "one",
                            .ops = &ops,
                            .session = session,
                            .capabilities = "{}"});
    expect_result(f, true, "lacks a capability that this call needs: {");
    make_call(f, &(struct how){.tool = "one"});
    f->one.call.revision = MCP_2025_06_18;
    assert_int_equal(mcp_app_run(f->b.app, &f->one.job), MCP_OK);
    wait_for(&f->one);
    expect_result(f, true, "needs a session");
}

static void a_waiting_call_can_be_cancelled(void **state)
{
    static const char *const tools[] = {"one", "again"};
    struct fixture *f = *state;

    for (size_t i = 0; i < 2; i++) {
        ask(f, tools[i], 1);
        atomic_store(&f->one.call.cancelled, true);
        mcp_app_cancel(f->b.app, &f->one.call);
        wait_for(&f->one);
        assert_int_equal(f->one.job.outcome.kind, MCP_OUTCOME_CANCELED);
        assert_false(answer(f, session, 0, "\"result\":{}"));
        drop(&f->one);
    }
}

static void returned_questions_run_the_handler_again(void **state)
{
    struct fixture *f = *state;

    ask(f, "again", 1);
    assert_true(answer(f, session, 0, "\"result\":{\"action\":\"decline\"}"));
    wait_for(&f->one);
    expect_result(f, false, "declinemine1");
    ask(f, "again", 1);
    assert_true(
        answer(f, session, 0, "\"error\":{\"code\":-2,\"message\":\"gone\"}"));
    wait_for(&f->one);
    expect_result(f, true, "gone (-2)");
}

static void nobody_waits_for_ever(void **state)
{
    static struct fixture own;
    struct fixture *f = open_with(&own, "waiting_timeout", "0.1");

    (void)state;
    ask(f, "caught", 1);
    wait_for(&f->one);
    expect_result(f, false, "false the client did not answer within 0.1 s");
    bench_close(&f->b);
}

static void so_many_wait_at_most(void **state)
{
    static struct fixture own;
    struct fixture *f = open_with(&own, "max_waiting", "1");
    struct fixture second = *f;

    (void)state;
    ask(f, "one", 1);
    run_it(&second,
           &(struct how){.tool = "one", .ops = &ops, .session = session});
    expect_result(&second, true, "too many calls wait");
    assert_true(answer(f, session, 0, "\"result\":{\"action\":\"cancel\"}"));
    wait_for(&f->one);
    expect_result(f, false, "cancel");
    ask(f, "one", 1);
    assert_true(answer(f, session, 0, "\"result\":{\"action\":\"cancel\"}"));
    wait_for(&f->one);
    expect_result(f, false, "cancel");
    bench_close(&f->b);
}

/* The pool ends while a call waits. */
static void closing_does_not_wait(void **state)
{
    struct fixture *f = *state;

    ask(f, "one", 1);
    teardown(state);
    wait_for(&f->one);
    assert_int_equal(f->one.job.outcome.kind, MCP_OUTCOME_CANCELED);
    drop(&f->one);
    setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_ends_the_call),
        cmocka_unit_test(decline_and_cancel_are_seen),
        cmocka_unit_test(answers_and_memos_travel),
        cmocka_unit_test(memo_keeps_nothing_as_nothing),
        cmocka_unit_test(wrong_answers_are_told),
        cmocka_unit_test(several_are_asked_at_once),
        cmocka_unit_test(pcall_does_not_swallow_it),
        cmocka_unit_test(elsewhere_it_says_what_to_do),
        cmocka_unit_test(completers_cannot_ask),
        cmocka_unit_test(a_handler_may_return_its_questions),
        cmocka_unit_test(capabilities_are_needed),
        cmocka_unit_test(a_tool_may_need_capabilities),
        cmocka_unit_test(a_state_has_a_size),
        cmocka_unit_test(a_state_is_for_one_request),
        cmocka_unit_test(arguments_are_compared_by_value),
        cmocka_unit_test(a_broken_state_comes_before_the_answers),
        cmocka_unit_test(a_state_expires),
        cmocka_unit_test(how_long_a_state_lives_can_be_said),
        cmocka_unit_test(a_state_has_a_form),
        cmocka_unit_test(the_coroutine_waits),
        cmocka_unit_test(waiting_is_not_counted),
        cmocka_unit_test(all_answers_are_waited_for),
        cmocka_unit_test(the_handler_hears_of_errors),
        cmocka_unit_test(a_call_that_cannot_ask_says_so),
        cmocka_unit_test(a_waiting_call_can_be_cancelled),
        cmocka_unit_test(returned_questions_run_the_handler_again),
        cmocka_unit_test(nobody_waits_for_ever),
        cmocka_unit_test(so_many_wait_at_most),
        cmocka_unit_test(closing_does_not_wait),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
