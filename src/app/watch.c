/*
 * watch.c - one thread, one inotify descriptor
 */
#include "app/watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { QUIET_MS = 40 };

#define EVENTS                                                                 \
    (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE |    \
     IN_ONLYDIR)

struct mcp_watch {
    pthread_t thread;
    int events, stop;
    void (*changed)(void *user);
    void *user;
};

static void drain(int fd)
{
    char bytes[4096];

    while (read(fd, bytes, sizeof(bytes)) > 0)
        ;
}

/* Waits for an event. False: stop. */
static bool wait_for_event(struct mcp_watch *w, int timeout_ms, bool *got)
{
    struct pollfd fds[2] = {{.fd = w->events, .events = POLLIN},
                            {.fd = w->stop, .events = POLLIN}};
    int n = poll(fds, 2, timeout_ms);

    *got = n > 0 && (fds[0].revents & POLLIN);
    return !(n > 0 && fds[1].revents != 0);
}

static void *watch_main(void *arg)
{
    struct mcp_watch *w = arg;
    bool got = false;

    while (wait_for_event(w, -1, &got)) {
        if (!got)
            continue;
        while (got) {
            drain(w->events);
            if (!wait_for_event(w, QUIET_MS, &got))
                return NULL;
        }
        w->changed(w->user);
    }
    return NULL;
}

static bool start(struct mcp_watch *w)
{
    if (w->events < 0 || w->stop < 0)
        return false;
    return pthread_create(&w->thread, NULL, watch_main, w) == 0;
}

static void close_all(struct mcp_watch *w)
{
    if (w->events >= 0)
        (void)close(w->events);
    if (w->stop >= 0)
        (void)close(w->stop);
    free(w);
}

struct mcp_watch *mcp_watch_new(void (*changed)(void *user), void *user)
{
    struct mcp_watch *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->changed = changed;
    w->user = user;
    w->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    w->stop = eventfd(0, EFD_CLOEXEC);
    if (!start(w)) {
        close_all(w);
        return NULL;
    }
    return w;
}

void mcp_watch_free(struct mcp_watch *w)
{
    const uint64_t one = 1;

    if (w == NULL)
        return;
    (void)!write(w->stop, &one, sizeof(one));
    (void)pthread_join(w->thread, NULL);
    close_all(w);
}

enum mcp_err mcp_watch_add_folder(struct mcp_watch *w, const char *folder)
{
    if (inotify_add_watch(w->events, folder, EVENTS) >= 0)
        return MCP_OK;
    return errno == ENOSPC ? MCP_ELIMIT : MCP_ENOENT;
}

enum mcp_err mcp_watch_add(struct mcp_watch *w, const char *file)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash == NULL   ? strdup(".")
                   : slash == file ? strdup("/")
                                   : strndup(file, (size_t)(slash - file));
    enum mcp_err err;

    if (folder == NULL)
        return MCP_ENOMEM;
    err = mcp_watch_add_folder(w, folder);
    free(folder);
    return err;
}
