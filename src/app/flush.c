/*
 * flush.c - see flush.h
 */
#include "app/flush.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>

typedef int flush_fn(FILE *file);

static flush_fn *_Atomic real;

static flush_fn *find(void)
{
    flush_fn *f = atomic_load(&real);

    if (f == NULL) {
        *(void **)&f = dlsym(RTLD_NEXT, "fflush");
        atomic_store(&real, f);
    }
    return f;
}

void mcp_flush_open(void)
{
    (void)find();
}

/* Takes the place of the C library's for the whole process, LuaJIT included. */
int fflush(FILE *file)
{
    flush_fn *flush = find();
    int out;

    if (file != NULL)
        return flush(file);
    out = flush(stdout);
    return flush(stderr) != 0 ? EOF : out;
}
