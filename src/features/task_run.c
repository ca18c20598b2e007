/*
 * task_run.c - the runs of tasks: started in turn, told of, ended
 *
 * A run is made of what the store keeps, the first as well as one after a
 * crash: there is one way to start.
 */
#include "features/task_private.h"

#include <math.h>
#include <stdlib.h>

#include "app/ask_kept.h"
#include "base/clock.h"
#include "base/log.h"
#include "features/shorten.h"

enum {
    RUN_BYTES = 512 << 20,   /* of a task's arena                       */
    OUT_BYTES = 256 << 20,   /* of its result                           */
    AGAIN_MS = 50,           /* before a full queue is tried again      */
    TELL_MS = 100,           /* between notifications of progress       */
    STATUS_MAX_BYTES = 1024, /* of a statusMessage                      */
    INTERNAL_ERROR = -32603,
};

static struct mcp_task *task_of_call(struct mcp_call *call)
{
    return call->transport_data;
}

/* ---- what the handler says ---------------------------------------------- */

/* Nothing can be sent for a task but its state. */
static enum mcp_err emit(struct mcp_call *call, const char *msg, size_t len)
{
    (void)call;
    (void)msg;
    (void)len;
    return MCP_EINVAL;
}

static void done(struct mcp_call *call)
{
    (void)call;
}

static void say(struct mcp_call *call, const char *level, const char *logger,
                const char *data, size_t len)
{
    enum mcp_log_level l = strcmp(level, "debug") == 0     ? MCP_LOG_DEBUG
                           : strcmp(level, "info") == 0    ? MCP_LOG_INFO
                           : strcmp(level, "notice") == 0  ? MCP_LOG_INFO
                           : strcmp(level, "warning") == 0 ? MCP_LOG_WARNING
                                                           : MCP_LOG_ERROR;

    (void)logger;
    mcp_log(l, "app", "task %s: %.*s", task_of_call(call)->id, (int)len, data);
}

/* "3 of 10" when there is no message. */
static char *progress_text(double progress, double total, const char *message,
                           size_t len)
{
    struct mcp_buf b;
    char *text;
    size_t n;

    mcp_buf_init(&b, STATUS_MAX_BYTES + 64);
    if (message != NULL) {
        struct mcp_json whole = {
            .type = MCP_JSON_STRING, .count = (uint32_t)len, .u.text = message};

        mcp_buf_add(&b, message, mcp_shorten(&whole, STATUS_MAX_BYTES));
    } else {
        mcp_json_write_number(&b, progress);
        if (isfinite(total)) {
            mcp_buf_puts(&b, " of ");
            mcp_json_write_number(&b, total);
        }
    }
    mcp_buf_putc(&b, '\0');
    text = mcp_buf_take(&b, &n);
    mcp_buf_free(&b);
    return text;
}

/* Progress is the task's message. It is not stored: it is lost with the run. */
static void progress(struct mcp_call *call, double so_far, double total,
                     const char *message, size_t len)
{
    struct mcp_task *t = task_of_call(call);
    char *text;
    bool tell = false;

    if (!isfinite(so_far) || !(so_far > call->last_progress))
        return;
    call->last_progress = so_far;
    text = progress_text(so_far, total, message, len);
    if (text == NULL)
        return;
    (void)pthread_mutex_lock(&t->tasks->lock);
    if (!t->ending) {
        free(t->status_message);
        t->status_message = text;
        text = NULL;
        t->updated_ms = mcp_task_now_ms();
        tell = mcp_clock_now_ns() - t->told_ns >= TELL_MS * MCP_NS_PER_MS;
    }
    (void)pthread_mutex_unlock(&t->tasks->lock);
    free(text);
    if (tell)
        mcp_task_publish(t);
}

static void rest(struct mcp_job *job, bool rests)
{
    struct mcp_task *t = job->user;

    (void)pthread_mutex_lock(&t->tasks->lock);
    mcp_task_queue_rest(t->tasks->queue, &t->place, rests);
    (void)pthread_mutex_unlock(&t->tasks->lock);
    if (rests)
        mcp_tasks_pump(t->tasks);
}

/* ---- the end ------------------------------------------------------------ */

void mcp_task_end_locked(struct mcp_task *t, enum mcp_task_status end,
                         char *outcome, const char *message, size_t len)
{
    int64_t ttl = mcp_task_now_ms() - t->created_ms + t->keep_ms;

    mcp_task_queue_end(t->tasks->queue, &t->place);
    if (ttl > t->most_ms)
        ttl = t->most_ms;
    if (ttl > t->ttl_ms)
        t->ttl_ms = ttl;
    t->ending = true;
    t->end = end;
    free(t->outcome);
    t->outcome = outcome;
    if (message != NULL) {
        free(t->status_message);
        t->status_message = strndup(message, len);
    }
    mcp_task_touch_locked(t);
}

/* {"code":...,"message":...,"data":...} as a text of its own. NULL: no memory,
 * or it is too large. */
static char *error_text(int code, const char *message, size_t len,
                        const char *data, size_t data_len)
{
    struct mcp_buf b;
    char *text;
    size_t n;

    mcp_buf_init(&b, MCP_TASK_TEXT_MAX_BYTES);
    mcp_buf_printf(&b, "{\"code\":%d,\"message\":", code);
    mcp_json_write_string(&b, message, len);
    if (data_len > 0) {
        mcp_buf_puts(&b, ",\"data\":");
        mcp_buf_add(&b, data, data_len);
    }
    mcp_buf_add(&b, "}", 2); /* and its NUL */
    text = mcp_buf_take(&b, &n);
    mcp_buf_free(&b);
    return text;
}

void mcp_task_fail_locked(struct mcp_task *t, const char *text)
{
    size_t len = strlen(text);

    mcp_task_end_locked(t, MCP_TASK_FAILED,
                        error_text(INTERNAL_ERROR, text, len, NULL, 0), text,
                        len);
}

static void end_with_fault(struct mcp_task *t, const struct mcp_fault *f)
{
    static const char internal[] = "Internal error";
    bool ours = f->code == 0;
    const char *message = ours || f->message == NULL ? internal : f->message;
    size_t len = message == internal ? sizeof(internal) - 1 : f->message_len;

    mcp_task_end_locked(t, MCP_TASK_FAILED,
                        error_text(ours ? INTERNAL_ERROR : f->code, message,
                                   len, f->data, f->data_len),
                        message, len);
}

static void end_with_result(struct mcp_task *t)
{
    static const char large[] = "The result is too large to be kept";
    struct mcp_buf *out = &t->call.out;
    size_t len;
    char *text;

    mcp_buf_putc(out, '\0');
    text = mcp_buf_take(out, &len);
    if (text == NULL || len > MCP_TASK_RESULT_MAX_BYTES) {
        free(text);
        mcp_task_fail_locked(t, large);
    } else
        mcp_task_end_locked(t, MCP_TASK_COMPLETED, text, NULL, 0);
}

/* The process ends, and the run was cut short by that alone: the store keeps
 * the task as it is. */
static bool is_left_locked(const struct mcp_task *t)
{
    const struct mcp_request *rq = &t->rq;

    return t->tasks->stop && !t->cancelled &&
           (rq->silent || rq->fault.err == MCP_EBUSY);
}

static void log_end(const struct mcp_task *t)
{
    mcp_log(MCP_LOG_DEBUG, "tasks", "task %s of tool %s: %s", t->id,
            t->tool_name,
            t->end == MCP_TASK_COMPLETED ? (t->rq.failed ? "isError" : "ok")
            : t->end == MCP_TASK_FAILED  ? "failed"
                                         : "cancelled");
}

/* A run is over: `t->rq` says how. */
static void settle(struct mcp_task *t)
{
    const struct mcp_request *rq = &t->rq;
    bool left;

    (void)pthread_mutex_lock(&t->tasks->lock);
    left = is_left_locked(t);
    if (left)
        mcp_task_queue_end(t->tasks->queue, &t->place);
    else if (t->expired)
        mcp_task_fail_locked(t, "The task was not over in its time");
    else if (t->cancelled)
        mcp_task_end_locked(t, MCP_TASK_CANCELLED, NULL,
                            "The task was cancelled", 22);
    else if (rq->fault.err != MCP_OK || rq->fault.code != 0)
        end_with_fault(t, &rq->fault);
    else
        end_with_result(t);
    (void)pthread_mutex_unlock(&t->tasks->lock);
    mcp_task_let_generation_go(t);
    if (!left) {
        log_end(t);
        mcp_task_save(t, NULL);
    }
    mcp_task_release(t); /* the run's */
}

/* mcp_request.end of a run. */
static void end_run(struct mcp_request *rq)
{
    struct mcp_task *t = task_of_call(rq->call);
    struct mcp_tasks *tasks = t->tasks;

    settle(t);
    mcp_tasks_pump(tasks);
}

/* ---- the start ---------------------------------------------------------- */

static const struct mcp_json *parse(struct mcp_task *t, const char *text)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    const struct mcp_json *tree = NULL;
    const char *copy = mcp_arena_dup(t->arena, text, strlen(text));

    if (copy == NULL || mcp_json_parse(t->arena, copy, strlen(copy), &options,
                                       &tree, NULL) != MCP_OK)
        return NULL;
    return tree;
}

/* What the request said of itself. */
static bool read_call(struct mcp_task *t)
{
    const struct mcp_json *params = parse(t, t->params);
    const struct mcp_json *client = parse(t, t->client);
    struct mcp_call *call = &t->call;

    if (params == NULL || client == NULL)
        return false;
    call->params = params;
    call->meta = mcp_json_find(params, "_meta");
    call->client.info =
        mcp_json_find(call->meta, "io.modelcontextprotocol/clientInfo");
    call->client.capabilities =
        mcp_json_find(call->meta, "io.modelcontextprotocol/clientCapabilities");
    call->id = mcp_json_find(client, "id");
    call->transport =
        mcp_json_equals_string(mcp_json_find(client, "transport"), "stdio")
            ? MCP_TRANSPORT_STDIO
            : MCP_TRANSPORT_HTTP;
    return true;
}

/* A call that nobody has sent. False: no memory. */
static bool make_call(struct mcp_task *t)
{
    static const struct mcp_call_ops ops = {.emit = emit, .done = done};
    static const struct mcp_call_notify notify = {say, progress};
    struct mcp_call *call = &t->call;

    mcp_buf_free(&call->out);
    mcp_arena_free(t->arena);
    memset(call, 0, sizeof(*call));
    t->arena = mcp_arena_new(RUN_BYTES);
    call->arena = t->arena;
    call->ops = &ops;
    call->notify = &notify;
    call->principal = t->principal;
    call->method = "tools/call";
    call->revision = MCP_REVISION_LAST;
    call->started_ns = mcp_clock_now_ns();
    call->last_progress = -HUGE_VAL;
    call->log_level = 8;
    call->transport_data = t;
    mcp_buf_init(&call->out, OUT_BYTES);
    t->rq = (struct mcp_request){
        .call = call, .app = t->tasks->app, .gen = t->gen, .end = end_run};
    return t->arena != NULL && read_call(t);
}

/* What an earlier round or run has left. */
static enum mcp_err read_kept(struct mcp_task *t, struct mcp_job *job)
{
    const struct mcp_json *kept = NULL, *state;
    struct mcp_buf b;

    mcp_buf_init(&b, MCP_TASK_TEXT_MAX_BYTES);
    (void)pthread_mutex_lock(&t->tasks->lock);
    mcp_task_write_kept_locked(&b, t);
    (void)pthread_mutex_unlock(&t->tasks->lock);
    mcp_buf_putc(&b, '\0');
    if (!b.failed)
        kept = parse(t, b.data);
    mcp_buf_free(&b);
    if (kept == NULL)
        return MCP_ENOMEM;
    state = mcp_json_find(kept, "state");
    return mcp_ask_kept_read(
        job, mcp_json_is(state, MCP_JSON_OBJECT) ? state : NULL,
        mcp_json_find(kept, "answers"), mcp_json_find(kept, "keys"));
}

/* The run is known to those who cancel. */
static void show_call(struct mcp_task *t)
{
    (void)pthread_mutex_lock(&t->tasks->lock);
    t->has_call = true;
    atomic_store(&t->call.cancelled, t->forced);
    atomic_store(&t->call.unwanted, t->cancelled);
    (void)pthread_mutex_unlock(&t->tasks->lock);
}

/* The pool was full: the task waits for another turn. */
static void wait_again(struct mcp_task *t)
{
    struct mcp_tasks *tasks = t->tasks;
    bool over;

    (void)pthread_mutex_lock(&tasks->lock);
    t->has_call = false;
    over = tasks->stop;
    if (t->cancelled && !t->ending) { /* it never began */
        mcp_task_give_up_locked(t);
    } else if (!t->ending) {
        mcp_task_queue_push_back(tasks->queue, &t->place);
        tasks->retry_ns = mcp_clock_now_ns() + AGAIN_MS * MCP_NS_PER_MS;
        mcp_tasks_wake_locked(tasks);
    }
    (void)pthread_mutex_unlock(&tasks->lock);
    if (over)
        mcp_task_let_generation_go(t);
    mcp_task_save(t, NULL);
    mcp_task_release(t);
}

/* With a REF that its end gives back. False: the pool is full. */
static bool start(struct mcp_task *t)
{
    const struct mcp_json *sent;
    struct mcp_job job = {.call = &t->call, .tool = t->tool, .user = t};

    t->apart = (struct mcp_apart){.id = t->id,
                                  .timeout_s = t->timeout_s,
                                  .ask = mcp_task_ask,
                                  .keep = mcp_task_keep,
                                  .rest = rest};
    job.apart = &t->apart;
    if (!make_call(t) || read_kept(t, &job) != MCP_OK) {
        mcp_request_fail(&t->rq, MCP_ENOMEM, NULL, NULL);
        settle(t);
        return true;
    }
    show_call(t);
    sent = mcp_json_find(t->call.params, "arguments");
    if (mcp_json_is(sent, MCP_JSON_NULL))
        sent = NULL;
    if (t->tasks->start(&t->rq, t->tool, sent, &job))
        return true; /* `t` may be gone */
    if (t->rq.fault.err == MCP_EBUSY) {
        wait_again(t);
        return false;
    }
    settle(t); /* the arguments do not fit any more */
    return true;
}

void mcp_tasks_pump(struct mcp_tasks *tasks)
{
    bool more = true;

    while (more) {
        struct mcp_task_place *place = NULL;
        struct mcp_task *t = NULL;

        (void)pthread_mutex_lock(&tasks->lock);
        if (!tasks->stop && tasks->retry_ns == 0)
            place = mcp_task_queue_pop(tasks->queue, &tasks->limits);
        if (place != NULL) {
            t = (struct mcp_task *)((char *)place -
                                    offsetof(struct mcp_task, place));
            t->refs++;
        }
        (void)pthread_mutex_unlock(&tasks->lock);
        more = t != NULL && start(t);
    }
}
