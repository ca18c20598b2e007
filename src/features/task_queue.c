/*
 * task_queue.c - see task_queue.h
 *
 * Callers form a ring, and the lanes of each form one: the turn of a ring is
 * its first entry, and whoever was served goes to the end.
 */
#include "features/task_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* How many run of one tool, whoever called it. */
struct tool {
    struct tool *next;
    char *name; /* OWNED */
    size_t lanes, running;
};

struct principal {
    struct principal *next;
    char *name; /* OWNED */
    struct mcp_task_lane *lanes;
    size_t running;
};

struct mcp_task_lane {
    struct mcp_task_lane *next;
    struct principal *principal;
    struct tool *tool;
    struct mcp_task_place *first, *last;
    size_t alive; /* popped, not ended */
};

struct mcp_task_queue {
    struct principal *principals;
    struct tool *tools;
    size_t waiting, running, alive;
};

struct mcp_task_queue *mcp_task_queue_new(void)
{
    return mcp_memory_new(1, sizeof(struct mcp_task_queue));
}

/* ---- lanes ---- */

static void drop_tool(struct mcp_task_queue *q, struct tool *t)
{
    struct tool **link = &q->tools;

    if (t == NULL || t->lanes > 0)
        return;
    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    free(t->name);
    free(t);
}

static void drop_principal(struct mcp_task_queue *q, struct principal *p)
{
    struct principal **link = &q->principals;

    if (p == NULL || p->lanes != NULL)
        return;
    while (*link != p)
        link = &(*link)->next;
    *link = p->next;
    free(p->name);
    free(p);
}

/* Frees the lane, and what only it needed, when nothing is of it any more. */
static void drop_lane(struct mcp_task_queue *q, struct mcp_task_lane *lane)
{
    struct principal *p = lane->principal;
    struct mcp_task_lane **link = &p->lanes;

    if (lane->first != NULL || lane->alive > 0)
        return;
    while (*link != lane)
        link = &(*link)->next;
    *link = lane->next;
    lane->tool->lanes--;
    drop_tool(q, lane->tool);
    free(lane);
    drop_principal(q, p);
}

static struct tool *find_tool(struct mcp_task_queue *q, const char *name)
{
    struct tool *t = q->tools;

    while (t != NULL && strcmp(t->name, name) != 0)
        t = t->next;
    if (t != NULL)
        return t;
    t = mcp_memory_new(1, sizeof(*t));
    if (t == NULL)
        return NULL;
    t->name = strdup(name);
    if (t->name == NULL) {
        free(t);
        return NULL;
    }
    t->next = q->tools;
    q->tools = t;
    return t;
}

static struct principal *find_principal(struct mcp_task_queue *q,
                                        const char *name)
{
    struct principal **link = &q->principals, *p;

    while (*link != NULL && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    if (*link != NULL)
        return *link;
    p = mcp_memory_new(1, sizeof(*p));
    if (p == NULL)
        return NULL;
    p->name = strdup(name);
    if (p->name == NULL) {
        free(p);
        return NULL;
    }
    *link = p;
    return p;
}

/* The lane of this caller and tool, made when there is none. */
static struct mcp_task_lane *find_lane(struct mcp_task_queue *q,
                                       const char *principal, const char *tool)
{
    struct principal *p = find_principal(q, principal);
    struct tool *t = find_tool(q, tool);
    struct mcp_task_lane *lane = NULL, **link;

    if (p != NULL && t != NULL) {
        for (link = &p->lanes; *link != NULL; link = &(*link)->next)
            if ((*link)->tool == t)
                return *link;
        lane = mcp_memory_new(1, sizeof(*lane));
        if (lane != NULL) {
            lane->principal = p;
            lane->tool = t;
            t->lanes++;
            *link = lane;
            return lane;
        }
    }
    drop_tool(q, t);
    drop_principal(q, p);
    return lane;
}

/* ---- places ---- */

static void link_last(struct mcp_task_lane *lane, struct mcp_task_place *p)
{
    p->prev = lane->last;
    p->next = NULL;
    if (lane->last != NULL)
        lane->last->next = p;
    else
        lane->first = p;
    lane->last = p;
}

static void unlink_place(struct mcp_task_place *p)
{
    struct mcp_task_lane *lane = p->lane;

    if (p->prev != NULL)
        p->prev->next = p->next;
    else
        lane->first = p->next;
    if (p->next != NULL)
        p->next->prev = p->prev;
    else
        lane->last = p->prev;
    p->prev = p->next = NULL;
}

static void count_running(struct mcp_task_queue *q, struct mcp_task_place *p,
                          bool running)
{
    struct mcp_task_lane *lane = p->lane;

    if (p->running == running)
        return;
    p->running = running;
    if (running) {
        q->running++;
        lane->tool->running++;
        lane->principal->running++;
    } else {
        q->running--;
        lane->tool->running--;
        lane->principal->running--;
    }
}

enum mcp_err mcp_task_queue_push(struct mcp_task_queue *q,
                                 struct mcp_task_place *p,
                                 const char *principal, const char *tool)
{
    struct mcp_task_lane *lane = find_lane(q, principal, tool);

    if (lane == NULL)
        return MCP_ENOMEM;
    p->lane = lane;
    p->waiting = true;
    link_last(lane, p);
    q->waiting++;
    return MCP_OK;
}

static bool is_full(size_t running, size_t limit)
{
    return limit > 0 && running >= limit;
}

/* Of this caller's lanes the first that may run, which goes to the end. */
static struct mcp_task_lane *take_lane(struct principal *p,
                                       const struct mcp_task_limits *limits)
{
    struct mcp_task_lane **link = &p->lanes, *lane, **end;

    while (*link != NULL && ((*link)->first == NULL ||
                             is_full((*link)->tool->running, limits->per_tool)))
        link = &(*link)->next;
    lane = *link;
    if (lane == NULL)
        return NULL;
    *link = lane->next;
    for (end = &p->lanes; *end != NULL;)
        end = &(*end)->next;
    lane->next = NULL;
    *end = lane;
    return lane;
}

static void move_to_end(struct mcp_task_queue *q, struct principal *p)
{
    struct principal **link = &q->principals;

    while (*link != p)
        link = &(*link)->next;
    *link = p->next;
    while (*link != NULL)
        link = &(*link)->next;
    p->next = NULL;
    *link = p;
}

struct mcp_task_place *mcp_task_queue_pop(struct mcp_task_queue *q,
                                          const struct mcp_task_limits *limits)
{
    struct mcp_task_lane *lane = NULL;
    struct mcp_task_place *place;
    struct principal *p;

    if (q->waiting == 0 || is_full(q->running, limits->running) ||
        is_full(q->alive, limits->alive))
        return NULL;
    for (p = q->principals; p != NULL && lane == NULL;
         p = lane == NULL ? p->next : p)
        if (!is_full(p->running, limits->per_principal))
            lane = take_lane(p, limits);
    if (lane == NULL)
        return NULL;
    move_to_end(q, lane->principal);
    place = lane->first;
    unlink_place(place);
    place->waiting = false;
    q->waiting--;
    q->alive++;
    lane->alive++;
    count_running(q, place, true);
    return place;
}

void mcp_task_queue_push_back(struct mcp_task_queue *q,
                              struct mcp_task_place *p)
{
    struct mcp_task_lane *lane = p->lane;

    count_running(q, p, false);
    q->alive--;
    lane->alive--;
    p->waiting = true;
    p->next = lane->first;
    if (lane->first != NULL)
        lane->first->prev = p;
    else
        lane->last = p;
    lane->first = p;
    q->waiting++;
}

void mcp_task_queue_rest(struct mcp_task_queue *q, struct mcp_task_place *p,
                         bool rests)
{
    if (p->lane != NULL && !p->waiting)
        count_running(q, p, !rests);
}

void mcp_task_queue_end(struct mcp_task_queue *q, struct mcp_task_place *p)
{
    struct mcp_task_lane *lane = p->lane;

    if (lane == NULL)
        return;
    if (p->waiting) {
        unlink_place(p);
        q->waiting--;
    } else {
        count_running(q, p, false);
        q->alive--;
        lane->alive--;
    }
    p->waiting = false;
    p->lane = NULL;
    drop_lane(q, lane);
}

size_t mcp_task_queue_waiting(const struct mcp_task_queue *q)
{
    return q->waiting;
}

size_t mcp_task_queue_running(const struct mcp_task_queue *q)
{
    return q->running;
}

size_t mcp_task_queue_alive(const struct mcp_task_queue *q)
{
    return q->alive;
}

void mcp_task_queue_free(struct mcp_task_queue *q)
{
    free(q);
}
