/*
 * sources.c - a list of files under a lock; an app has tens of them
 */
#include "app/sources.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SOURCE_BYTES = 64 << 20 };

struct source {
    struct source *next;
    char *bytes; /* NULL: the file was not there */
    size_t len;
    char path[];
};

struct mcp_sources {
    pthread_mutex_t lock;
    struct source *first;
};

struct mcp_sources *mcp_sources_new(void)
{
    struct mcp_sources *s = calloc(1, sizeof(*s));

    if (s != NULL)
        (void)pthread_mutex_init(&s->lock, NULL);
    return s;
}

void mcp_sources_free(struct mcp_sources *s)
{
    struct source *it, *next;

    if (s == NULL)
        return;
    for (it = s->first; it != NULL; it = next) {
        next = it->next;
        free(it->bytes);
        free(it);
    }
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

static bool read_all(int fd, char *to, size_t len)
{
    while (len > 0) {
        ssize_t n = read(fd, to, len);

        if (n <= 0)
            return false;
        to += n;
        len -= (size_t)n;
    }
    return true;
}

/* The whole file, OWNED, with a NUL behind it; NULL when it cannot be had. */
static char *read_file(const char *path, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    char *bytes = NULL;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_size <= MAX_SOURCE_BYTES) {
        *len = (size_t)st.st_size;
        bytes = malloc(*len + 1);
        if (bytes != NULL && !read_all(fd, bytes, *len)) {
            free(bytes);
            bytes = NULL;
        }
        if (bytes != NULL)
            bytes[*len] = '\0';
    }
    (void)close(fd);
    return bytes;
}

static struct source *find(struct mcp_sources *s, const char *path)
{
    struct source *it;

    for (it = s->first; it != NULL && strcmp(it->path, path) != 0;)
        it = it->next;
    return it;
}

static struct source *add(struct mcp_sources *s, const char *path)
{
    size_t size = strlen(path) + 1;
    struct source *it = calloc(1, sizeof(*it) + size);

    if (it == NULL)
        return NULL;
    memcpy(it->path, path, size);
    it->bytes = read_file(path, &it->len);
    it->next = s->first;
    s->first = it;
    return it;
}

static const char *look_up(struct mcp_sources *s, const char *path, size_t *len,
                           bool may_read)
{
    struct source *it;

    (void)pthread_mutex_lock(&s->lock);
    it = find(s, path);
    if (it == NULL && may_read)
        it = add(s, path);
    (void)pthread_mutex_unlock(&s->lock);
    if (it == NULL || it->bytes == NULL)
        return NULL;
    *len = it->len;
    return it->bytes;
}

const char *mcp_sources_read(struct mcp_sources *s, const char *path,
                             size_t *len)
{
    return look_up(s, path, len, true);
}

const char *mcp_sources_find(struct mcp_sources *s, const char *path,
                             size_t *len)
{
    return look_up(s, path, len, false);
}

static bool differs(const struct source *it)
{
    size_t len = 0;
    char *now = read_file(it->path, &len);
    bool same = now == NULL || it->bytes == NULL
                    ? now == it->bytes
                    : len == it->len && memcmp(now, it->bytes, len) == 0;

    free(now);
    return !same;
}

bool mcp_sources_changed(struct mcp_sources *s)
{
    struct source *it;
    bool changed = false;

    (void)pthread_mutex_lock(&s->lock);
    for (it = s->first; it != NULL && !changed; it = it->next)
        changed = differs(it);
    (void)pthread_mutex_unlock(&s->lock);
    return changed;
}

static uint64_t age_of(const char *path)
{
    struct timespec now;
    struct stat st;
    int64_t age;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (stat(path, &st) != 0)
        return UINT64_MAX;
    age = (int64_t)(now.tv_sec - st.st_mtim.tv_sec) * INT64_C(1000000000) +
          (now.tv_nsec - st.st_mtim.tv_nsec);
    return age >= 0 ? (uint64_t)age : UINT64_MAX;
}

uint64_t mcp_sources_age_ns(struct mcp_sources *s)
{
    uint64_t youngest = UINT64_MAX;
    struct source *it;

    (void)pthread_mutex_lock(&s->lock);
    for (it = s->first; it != NULL; it = it->next) {
        uint64_t age = age_of(it->path);

        if (age < youngest)
            youngest = age;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return youngest;
}

void mcp_sources_each(struct mcp_sources *s,
                      void (*each)(void *user, const char *path), void *user)
{
    struct source *it;

    (void)pthread_mutex_lock(&s->lock);
    for (it = s->first; it != NULL; it = it->next)
        each(user, it->path);
    (void)pthread_mutex_unlock(&s->lock);
}
