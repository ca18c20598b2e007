/*
 * thread.c - a chain: who leaves joins who left before
 */
#include "base/thread.h"

#include <stdlib.h>

struct start {
    void (*run)(void *);
    void *arg;
};

/* The last that left, not joined yet. */
static struct {
    pthread_mutex_t lock, settling;
    pthread_t last;
    bool any;
} chain = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .settling = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
    pthread_t before;
    bool left, any;
} self;

void mcp_thread_leave(void)
{
    if (self.left)
        return;
    self.left = true;
    (void)pthread_mutex_lock(&chain.lock);
    self.before = chain.last;
    self.any = chain.any;
    chain.last = pthread_self();
    chain.any = true;
    (void)pthread_mutex_unlock(&chain.lock);
}

static void *thread_main(void *arg)
{
    struct start start = *(struct start *)arg;

    free(arg);
    start.run(start.arg);
    mcp_thread_leave();
    if (self.any)
        (void)pthread_join(self.before, NULL);
    return NULL;
}

bool mcp_thread_start(const pthread_attr_t *attr, void (*run)(void *),
                      void *arg)
{
    struct start *start = malloc(sizeof(*start));
    pthread_t thread;

    if (start == NULL)
        return false;
    *start = (struct start){.run = run, .arg = arg};
    if (pthread_create(&thread, attr, thread_main, start) == 0)
        return true;
    free(start);
    return false;
}

void mcp_threads_settle(void)
{
    pthread_t last;
    bool any;

    (void)pthread_mutex_lock(&chain.settling);
    (void)pthread_mutex_lock(&chain.lock);
    last = chain.last;
    any = chain.any;
    chain.any = false;
    (void)pthread_mutex_unlock(&chain.lock);
    if (any)
        (void)pthread_join(last, NULL);
    (void)pthread_mutex_unlock(&chain.settling);
}
