/*
 * http_role.c - see http_role.h
 */
#include "transport/http_role.h"

#include <time.h>

enum {
    LOOK_US = 400,    /* between two looks of the spare             */
    QUIET_LOOKS = 50, /* so many without a handler: it waits        */
};

bool mcp_http_role_init(struct mcp_http_role *role)
{
    if (pthread_mutex_init(&role->lock, NULL) != 0)
        return false;
    (void)pthread_cond_init(&role->wake, NULL);
    return true;
}

void mcp_http_role_destroy(struct mcp_http_role *role)
{
    (void)pthread_mutex_destroy(&role->lock);
    (void)pthread_cond_destroy(&role->wake);
}

static void wake(struct mcp_http_role *role)
{
    (void)pthread_mutex_lock(&role->lock);
    atomic_store(&role->watched, true);
    (void)pthread_cond_signal(&role->wake);
    (void)pthread_mutex_unlock(&role->lock);
}

unsigned mcp_http_role_begin(struct mcp_http_role *role)
{
    if (!atomic_load(&role->spare))
        return 0;
    if (++role->number == 0)
        role->number = 1;
    /* The store comes before the look, and in the spare the other way around:
     * one of both sees what the other did. */
    atomic_store(&role->running, role->number);
    if (!atomic_load(&role->watched))
        wake(role);
    return role->number;
}

bool mcp_http_role_end(struct mcp_http_role *role, unsigned number)
{
    return atomic_compare_exchange_strong(&role->running, &number, 0);
}

/* Waits until a handler runs. False: the end. */
static bool await_handler(struct mcp_http_role *role)
{
    bool ended;

    (void)pthread_mutex_lock(&role->lock);
    atomic_store(&role->watched, false);
    if (atomic_load(&role->running) != 0)
        atomic_store(&role->watched, true);
    while (!role->ended && !atomic_load(&role->watched))
        (void)pthread_cond_wait(&role->wake, &role->lock);
    ended = role->ended;
    (void)pthread_mutex_unlock(&role->lock);
    return !ended;
}

/* The role of the holder whose handler is `number`, unless that has just
 * ended. What is written here comes before the former holder can see that it
 * has lost: it is the spare then, and says so after us. */
static bool take(struct mcp_http_role *role, unsigned number)
{
    atomic_store(&role->spare, false);
    if (atomic_compare_exchange_strong(&role->running, &number, 0))
        return true;
    atomic_store(&role->spare, true);
    return false;
}

/* Looks until a handler runs for long (true) or none has run for a while. */
static bool watch(struct mcp_http_role *role)
{
    const struct timespec pause = {.tv_nsec = LOOK_US * 1000};
    unsigned seen = 0, quiet = 0;

    while (quiet < QUIET_LOOKS) {
        unsigned now = atomic_load(&role->running);

        if (now != 0 && now == seen && take(role, now))
            return true;
        quiet = now == seen ? quiet + 1 : 0;
        seen = now;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

bool mcp_http_role_wait(struct mcp_http_role *role)
{
    atomic_store(&role->spare, true);
    while (await_handler(role))
        if (watch(role))
            return true;
    return false;
}

void mcp_http_role_close(struct mcp_http_role *role)
{
    (void)pthread_mutex_lock(&role->lock);
    role->ended = true;
    (void)pthread_cond_broadcast(&role->wake);
    (void)pthread_mutex_unlock(&role->lock);
}
