/*
 * task_input.c - questions of a running task, and their answers
 */
#include "features/task_private.h"

#include <stdlib.h>

#include "base/memory.h"

/* ---- questions ---------------------------------------------------------- */

/* The text of inputRequests, anew; NULL when none is open. False: no memory. */
static bool show_questions_locked(struct mcp_task *t)
{
    const struct mcp_task_question *q;
    struct mcp_buf b;
    bool first = true, ok;
    char *text = NULL;
    size_t len;

    mcp_buf_init(&b, MCP_TASK_TEXT_MAX_BYTES);
    for (q = t->asked; q != NULL; q = q->next) {
        if (q->answered)
            continue;
        mcp_buf_putc(&b, first ? '{' : ',');
        first = false;
        mcp_json_write_cstring(&b, q->key);
        mcp_buf_putc(&b, ':');
        mcp_buf_add(&b, q->request, q->request_len);
    }
    if (!first)
        mcp_buf_add(&b, "}", 2); /* and its NUL */
    ok = !b.failed;
    if (!first && ok)
        text = mcp_buf_take(&b, &len);
    mcp_buf_free(&b);
    if (!ok)
        return false;
    free(t->questions);
    t->questions = text;
    mcp_task_touch_locked(t);
    return true;
}

/* Adds the questions behind those of before, in their order. */
static struct mcp_task_question *
make_questions(struct mcp_job *job, const struct mcp_apart_question *q,
               size_t count)
{
    struct mcp_task_question *list =
        mcp_arena_alloc(job->call->arena, count * sizeof(*list));

    for (size_t i = 0; list != NULL && i < count; i++)
        list[i] = (struct mcp_task_question){
            .next = i + 1 < count ? &list[i + 1] : NULL,
            .key = q[i].key,
            .name = q[i].name,
            .request = q[i].request,
            .request_len = q[i].request_len};
    return list;
}

enum mcp_err mcp_task_ask(struct mcp_job *job,
                          const struct mcp_apart_question *q, size_t count)
{
    struct mcp_task *t = job->user;
    struct mcp_task_question *list = make_questions(job, q, count);
    enum mcp_err err = MCP_OK;

    if (list == NULL)
        return MCP_ENOMEM;
    (void)pthread_mutex_lock(&t->tasks->lock);
    t->asked = list; /* the round before is answered */
    if (t->forced)
        err = MCP_ECANCELED;
    else if (!show_questions_locked(t))
        err = MCP_ENOMEM;
    else
        t->asking = t->version; /* shown when they are stored */
    (void)pthread_mutex_unlock(&t->tasks->lock);
    if (err != MCP_OK)
        return err;
    mcp_task_save(t, NULL);
    return MCP_OK;
}

void mcp_task_keep(struct mcp_job *job, const char *state, size_t len)
{
    struct mcp_task *t = job->user;
    char *text = strndup(state, len);

    if (text == NULL)
        return; /* a second run computes it again */
    (void)pthread_mutex_lock(&t->tasks->lock);
    free(t->state);
    t->state = text;
    t->version++;
    (void)pthread_mutex_unlock(&t->tasks->lock);
    mcp_task_save(t, NULL);
}

/* ---- answers ------------------------------------------------------------ */

void mcp_task_free_answers(struct mcp_task *t)
{
    struct mcp_task_answer *a = t->answers, *next;

    for (t->answers = NULL; a != NULL; a = next) {
        next = a->next;
        free(a);
    }
}

/* One piece of memory: the entry and its three texts. */
static struct mcp_task_answer *make_answer(const char *key, const char *name,
                                           const struct mcp_json *v)
{
    size_t key_size = strlen(key) + 1, name_size = strlen(name) + 1;
    struct mcp_task_answer *a = NULL;
    struct mcp_buf b;
    char *to;

    mcp_buf_init(&b, MCP_TASK_TEXT_MAX_BYTES);
    mcp_json_write(&b, v);
    mcp_buf_putc(&b, '\0');
    if (!b.failed)
        a = mcp_memory_new(1, sizeof(*a) + key_size + name_size + b.len);
    if (a != NULL) {
        to = (char *)(a + 1);
        a->key = memcpy(to, key, key_size);
        a->name = memcpy(to + key_size, name, name_size);
        a->text = memcpy(to + key_size + name_size, b.data, b.len);
    }
    mcp_buf_free(&b);
    return a;
}

/* A later answer of the same name stands instead of the one before; its key
 * stays in use. */
static void add_answer_locked(struct mcp_task *t, struct mcp_task_answer *a)
{
    a->next = t->answers;
    t->answers = a;
}

bool mcp_task_keep_answer_locked(struct mcp_task *t, const char *key,
                                 const char *name, const struct mcp_json *v)
{
    struct mcp_task_answer *a = make_answer(key, name, v);

    if (a != NULL)
        add_answer_locked(t, a);
    return a != NULL;
}

/* The question that the member is about, open or answered; NULL: none. */
static struct mcp_task_question *find_question(const struct mcp_task *t,
                                               const struct mcp_json *key)
{
    struct mcp_task_question *q = t->asked;

    while (q != NULL && !mcp_json_equals_string(key, q->key))
        q = q->next;
    return q;
}

static void mark_answered(struct mcp_task *t, const struct mcp_json *responses,
                          const bool *taken, bool answered)
{
    for (uint32_t i = 0; i < responses->count; i++)
        if (taken[i])
            find_question(t, &responses->u.members[i].key)->answered = answered;
}

/* Copies of the answers to open questions, in `*made`. */
static enum mcp_err read_answers(const struct mcp_task *t,
                                 const struct mcp_json *responses, bool *taken,
                                 struct mcp_task_answer **made)
{
    for (uint32_t i = 0; i < responses->count; i++) {
        const struct mcp_json_member *m = &responses->u.members[i];
        const struct mcp_task_question *q = find_question(t, &m->key);
        struct mcp_task_answer *a;

        taken[i] = q != NULL && !q->answered && t->asking == 0 && !t->ending &&
                   !t->forced;
        if (!taken[i])
            continue;
        if (m->value.type != MCP_JSON_OBJECT)
            return MCP_EINVAL;
        a = make_answer(q->key, q->name, &m->value);
        if (a == NULL)
            return MCP_ENOMEM;
        a->next = *made;
        *made = a;
    }
    return MCP_OK;
}

enum mcp_err mcp_task_answer_locked(struct mcp_task *t,
                                    const struct mcp_json *responses,
                                    bool *taken)
{
    struct mcp_task_answer *made = NULL, *next;
    enum mcp_err err = read_answers(t, responses, taken, &made);

    if (err == MCP_OK && made != NULL) {
        mark_answered(t, responses, taken, true);
        if (!show_questions_locked(t)) {
            mark_answered(t, responses, taken, false);
            err = MCP_ENOMEM;
        } else if (t->questions == NULL) {
            t->status = MCP_TASK_WORKING;
        }
    }
    for (; made != NULL; made = next) {
        next = made->next;
        if (err == MCP_OK)
            add_answer_locked(t, made);
        else
            free(made);
    }
    return err;
}
