/*
 * fresh.c - see fresh.h
 */
#include "app/fresh.h"

static void watch_file(void *user, const char *path)
{
    (void)!mcp_watch_add(user, path);
}

static void watch_folder(void *user, const char *folder)
{
    (void)!mcp_watch_add_folder(user, folder);
}

static bool is_stale(const struct mcp_app_options *options,
                     const struct mcp_generation *gen)
{
    return options->stale != NULL && options->stale(gen);
}

/* Folders that do not exist yet are not watched; those around them are. */
static void watch_prepared(struct mcp_watch *w,
                           const struct mcp_app_options *options,
                           const struct mcp_generation *gen)
{
    if (w != NULL && options->watched != NULL)
        options->watched(gen, watch_folder, w);
}

bool mcp_fresh_watch(struct mcp_watch *w, const struct mcp_app_options *options,
                     const struct mcp_generation *gen,
                     struct mcp_sources *sources)
{
    if (w == NULL)
        return true;
    mcp_sources_each(sources, watch_file, w);
    watch_prepared(w, options, gen);
    return !is_stale(options, gen);
}

bool mcp_fresh_changed(struct mcp_watch *w,
                       const struct mcp_app_options *options,
                       const struct mcp_generation *gen,
                       struct mcp_sources *sources)
{
    if (mcp_sources_changed(sources) || is_stale(options, gen))
        return true;
    watch_prepared(w, options, gen);
    return is_stale(options, gen);
}
