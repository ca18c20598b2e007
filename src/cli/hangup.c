/*
 * hangup.c - the handler rings an eventfd, a thread hears it
 */
#include "cli/hangup.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/memory.h"

struct mcp_hangup {
    pthread_t thread;
    int fd;
    atomic_bool stop;
    void (*reload)(void *user);
    void *user;
};

static atomic_int bell = -1;

static void on_hangup(int number)
{
    const uint64_t one = 1;
    int saved = errno;

    (void)number;
    (void)!write(atomic_load(&bell), &one, sizeof(one));
    errno = saved;
}

static void *hangup_main(void *arg)
{
    struct mcp_hangup *h = arg;
    uint64_t count;

    for (;;) {
        ssize_t n = read(h->fd, &count, sizeof(count));

        if (atomic_load(&h->stop))
            return NULL;
        if (n == (ssize_t)sizeof(count))
            h->reload(h->user);
    }
}

static void set_handler(void (*handler)(int))
{
    struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};

    (void)sigemptyset(&sa.sa_mask);
    (void)sigaction(SIGHUP, &sa, NULL);
}

struct mcp_hangup *mcp_hangup_start(void (*reload)(void *user), void *user)
{
    struct mcp_hangup *h = mcp_memory_new(1, sizeof(*h));

    if (h == NULL)
        return NULL;
    h->fd = eventfd(0, EFD_CLOEXEC);
    h->reload = reload;
    h->user = user;
    if (h->fd < 0 || pthread_create(&h->thread, NULL, hangup_main, h) != 0) {
        if (h->fd >= 0)
            (void)close(h->fd);
        free(h);
        return NULL;
    }
    atomic_store(&bell, h->fd);
    set_handler(on_hangup);
    return h;
}

void mcp_hangup_stop(struct mcp_hangup *h)
{
    const uint64_t one = 1;

    if (h == NULL)
        return;
    set_handler(SIG_IGN);
    atomic_store(&h->stop, true);
    (void)!write(h->fd, &one, sizeof(one));
    (void)pthread_join(h->thread, NULL);
    (void)close(h->fd);
    free(h);
}
