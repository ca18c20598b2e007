/*
 * flight.c - see flight.h
 */
#include "protocol/flight.h"

bool mcp_flights_init(struct mcp_flights *fs)
{
    fs->first = NULL;
    return pthread_mutex_init(&fs->lock, NULL) == 0;
}

void mcp_flights_destroy(struct mcp_flights *fs)
{
    pthread_mutex_destroy(&fs->lock);
}

void mcp_flights_add(struct mcp_flights *fs, struct mcp_flight *f)
{
    pthread_mutex_lock(&fs->lock);
    f->next = fs->first;
    f->place = &fs->first;
    if (f->next != NULL)
        f->next->place = &f->next;
    fs->first = f;
    pthread_mutex_unlock(&fs->lock);
}

bool mcp_flights_land(struct mcp_flights *fs, struct mcp_flight *f)
{
    bool alone;

    pthread_mutex_lock(&fs->lock);
    *f->place = f->next;
    if (f->next != NULL)
        f->next->place = f->place;
    f->landed = true;
    alone = f->pins == 0;
    pthread_mutex_unlock(&fs->lock);
    return alone;
}

static bool is_same_id(const struct mcp_json *a, const struct mcp_json *b)
{
    return a != NULL && a->type == b->type && a->count == b->count &&
           memcmp(a->u.text, b->u.text, a->count) == 0;
}

/* Marks and pins the first call with this id that is not cancelled yet. */
static struct mcp_flight *pin_next(struct mcp_flights *fs,
                                   const struct mcp_json *id)
{
    struct mcp_flight *f;

    pthread_mutex_lock(&fs->lock);
    for (f = fs->first; f != NULL; f = f->next)
        if (is_same_id(f->call->id, id) &&
            !atomic_exchange(&f->call->cancelled, true))
            break;
    if (f != NULL)
        f->pins++;
    pthread_mutex_unlock(&fs->lock);
    return f;
}

int mcp_flights_cancel(struct mcp_flights *fs, const struct mcp_json *id,
                       void (*interrupt)(void *user, struct mcp_call *call),
                       void *user)
{
    struct mcp_flight *f;
    int n = 0;

    if (id->type != MCP_JSON_STRING && id->type != MCP_JSON_NUMBER)
        return 0;
    while ((f = pin_next(fs, id)) != NULL) {
        bool late;

        n++;
        interrupt(user, f->call);
        pthread_mutex_lock(&fs->lock);
        late = --f->pins == 0 && f->landed;
        pthread_mutex_unlock(&fs->lock);
        if (late)
            f->late(f);
    }
    return n;
}
