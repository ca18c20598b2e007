/*
 * service.c - see service.h
 */
#include "cli/service.h"

#include "features/changed.h"
#include "features/prepare.h"
#include "features/skills_changed.h"
#include "features/skills_open.h"
#include "features/task.h"
#include "features/tools_call.h"

/* The app tells of changes; those who listen hear of them. */
static void notify(void *subscriptions, enum mcp_notice what, const char *uri,
                   size_t len)
{
    if (what == MCP_NOTICE_RESOURCE)
        mcp_publish_resource(subscriptions, uri, len);
    else
        mcp_publish_lists(subscriptions, mcp_changed_list(what));
}

static void published(void *subscriptions, const struct mcp_generation *old,
                      const struct mcp_generation *now)
{
    mcp_publish_lists(subscriptions, mcp_changed_lists(old, now));
    mcp_changed_contents(subscriptions, old, now);
    mcp_skills_publish(subscriptions, old, now);
}

/* Takes from the first generation what outlives it: a reload may change the
 * tools, but not where this process listens. */
static struct mcp_config *first_config(struct mcp_app *app)
{
    const struct mcp_generation *gen = mcp_app_acquire(app);
    struct mcp_config *config = mcp_config_copy(gen->config);

    mcp_generation_release(gen);
    return config;
}

enum mcp_err mcp_service_open(struct mcp_service *s,
                              struct mcp_app_options *options, char *message,
                              size_t message_size)
{
    struct mcp_tasks_options tasks;
    enum mcp_err err;

    s->subscriptions = mcp_subscriptions_new();
    if (s->subscriptions == NULL)
        return MCP_ENOMEM;
    options->prepare = mcp_features_prepare;
    options->stale = mcp_skills_stale;
    options->watched = mcp_skills_watched;
    options->published = published;
    options->listener.notify = notify;
    options->published_user = options->listener.user = s->subscriptions;
    err = mcp_app_open(options, &s->app, message, message_size);
    if (err != MCP_OK)
        return err;
    s->served = first_config(s->app);
    if (s->served != NULL)
        s->endpoint = mcp_endpoint_new(s->app, s->served, s->subscriptions);
    if (s->endpoint == NULL)
        return MCP_ENOMEM;
    if (options->idle)
        return MCP_OK;
    tasks = (struct mcp_tasks_options){.app = s->app,
                                       .script = options->path,
                                       .subscriptions = s->subscriptions,
                                       .start = mcp_tools_start};
    err = mcp_tasks_open(&tasks, &s->tasks, message, message_size);
    if (err == MCP_OK)
        mcp_endpoint_set_tasks(s->endpoint, s->tasks);
    return err;
}

bool mcp_service_close(struct mcp_service *s)
{
    mcp_tasks_stop(s->tasks);
    if (!mcp_app_close(s->app))
        return false;
    mcp_tasks_free(s->tasks);
    mcp_endpoint_free(s->endpoint);
    mcp_subscriptions_free(s->subscriptions);
    mcp_config_free(s->served);
    *s = (struct mcp_service){0};
    return true;
}
