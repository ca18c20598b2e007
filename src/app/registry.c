/*
 * registry.c - see registry.h for the model
 *
 * `current` is the only shared mutable thing in this file and `lock` guards
 * exactly it. The lock is held for a pointer copy and a count, never for a
 * free or a callback: whoever drops the last reference frees outside of it.
 */
#include "app/registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "app/registry_copy.h"
#include "app/registry_prompt.h"
#include "app/registry_resource.h"
#include "app/registry_route.h"
#include "app/registry_skill.h"
#include "app/registry_table.h"
#include "app/registry_tool.h"
#include "base/arena.h"

enum { GENERATION_MAX_BYTES = 256 << 20 }; /* texts and trees of one app */

/* What callers see, and behind it what only this file touches. */
struct generation {
    struct mcp_generation pub; /* first: a cast converts both ways */
    atomic_uint refs;
    struct mcp_arena *arena;
    struct mcp_table skill_sources;
    struct mcp_table tools, resources, templates, prompts, timers, routes;
    struct mcp_handler *handlers; /* by slot - 1; OWNED */
    size_t handler_room;
};

struct mcp_builder {
    struct generation *gen;
};

struct mcp_registry {
    pthread_mutex_t lock;
    struct generation *current; /* under lock; NULL before the first publish */
    uint64_t last_number;       /* under lock */
};

static void drop_tools(struct mcp_table *t)
{
    struct mcp_tool *tools = t->items;

    for (size_t i = 0; i < t->count; i++)
        mcp_registry_drop_tool(&tools[i]);
    mcp_table_free(t);
}

static void drop_resources(struct mcp_table *t)
{
    struct mcp_resource *resources = t->items;

    for (size_t i = 0; i < t->count; i++)
        mcp_registry_drop_resource(&resources[i]);
    mcp_table_free(t);
}

static void drop_routes(struct mcp_table *t)
{
    struct mcp_route *routes = t->items;

    for (size_t i = 0; i < t->count; i++)
        mcp_registry_drop_tool(&routes[i].signature);
    mcp_table_free(t);
}

static void generation_free(struct generation *gen)
{
    if (gen == NULL)
        return;
    if (gen->pub.prepared_free != NULL)
        gen->pub.prepared_free(gen->pub.prepared);
    if (gen->pub.lua_free != NULL)
        gen->pub.lua_free(gen->pub.lua);
    mcp_table_free(&gen->skill_sources);
    drop_tools(&gen->tools);
    drop_resources(&gen->resources);
    drop_resources(&gen->templates);
    mcp_table_free(&gen->prompts);
    mcp_table_free(&gen->timers);
    drop_routes(&gen->routes);
    mcp_config_free((struct mcp_config *)gen->pub.config);
    mcp_arena_free(gen->arena);
    free(gen->handlers);
    free(gen);
}

struct mcp_builder *mcp_builder_new(struct mcp_config *config)
{
    struct mcp_builder *b = calloc(1, sizeof(*b));
    struct generation *gen = calloc(1, sizeof(*gen));

    if (b == NULL || gen == NULL)
        goto fail;
    gen->pub.config = config;
    gen->pub.skills.cache = (struct mcp_cache_hint){-1, -1};
    gen->skill_sources.item_size = sizeof(struct mcp_skill_source);
    gen->tools.item_size = sizeof(struct mcp_tool);
    gen->resources.item_size = sizeof(struct mcp_resource);
    gen->templates.item_size = sizeof(struct mcp_resource);
    gen->prompts.item_size = sizeof(struct mcp_prompt);
    gen->timers.item_size = sizeof(struct mcp_timer);
    gen->routes.item_size = sizeof(struct mcp_route);
    gen->arena = mcp_arena_new(GENERATION_MAX_BYTES);
    if (gen->arena == NULL)
        goto fail;
    atomic_init(&gen->refs, 1);
    b->gen = gen;
    return b;

fail:
    if (gen != NULL)
        generation_free(gen);
    else
        mcp_config_free(config);
    free(b);
    return NULL;
}

void mcp_builder_free(struct mcp_builder *b)
{
    if (b == NULL)
        return;
    generation_free(b->gen);
    free(b);
}

/* ---- adding ---------------------------------------------------------------
 */

/* What clients of the registry see of its tables. */
static void show(struct generation *gen)
{
    gen->pub.skills.sources = gen->skill_sources.items;
    gen->pub.skills.source_count = gen->skill_sources.count;
    gen->pub.tools = gen->tools.items;
    gen->pub.tool_count = gen->tools.count;
    gen->pub.resources = gen->resources.items;
    gen->pub.resource_count = gen->resources.count;
    gen->pub.templates = gen->templates.items;
    gen->pub.template_count = gen->templates.count;
    gen->pub.prompts = gen->prompts.items;
    gen->pub.prompt_count = gen->prompts.count;
    gen->pub.timers = gen->timers.items;
    gen->pub.timer_count = gen->timers.count;
    gen->pub.routes = gen->routes.items;
    gen->pub.route_count = gen->routes.count;
}

/* Room for one more item in `t` and for `more` handlers. */
static enum mcp_err reserve(struct generation *gen, struct mcp_table *t,
                            size_t more, struct mcp_copy *c)
{
    size_t room = gen->pub.handler_count + more;
    struct mcp_handler *handlers;

    if (mcp_table_reserve(t) != MCP_OK)
        return mcp_copy_no_memory(c);
    show(gen); /* the items may have moved */
    if (room <= gen->handler_room)
        return MCP_OK;
    room += room / 2;
    handlers = realloc(gen->handlers, room * sizeof(*handlers));
    if (handlers == NULL)
        return mcp_copy_no_memory(c);
    gen->handlers = handlers;
    gen->handler_room = room;
    return MCP_OK;
}

/* Gives `h` the next slot, for which there is room, if it wants one. */
static void give_slot(struct generation *gen, struct mcp_handler *h)
{
    if (h->slot == 0)
        return;
    h->slot = ++gen->pub.handler_count;
    gen->handlers[h->slot - 1] = *h;
}

static void give_slots(struct generation *gen,
                       const struct mcp_completer *completers, size_t count)
{
    /* const is a promise to readers; they are in our arena. */
    for (size_t i = 0; i < count; i++)
        give_slot(gen, &((struct mcp_completer *)completers)[i].handler);
}

enum mcp_err mcp_builder_add_tool(struct mcp_builder *b,
                                  const struct mcp_tool *tool, char *message,
                                  size_t message_size)
{
    struct generation *gen = b->gen;
    struct mcp_copy c = {gen->arena, message, message_size};
    const struct mcp_tool *first =
        mcp_table_find(&gen->tools, tool->name, strlen(tool->name));
    struct mcp_tool *to;
    enum mcp_err err;

    if (first != NULL)
        return mcp_copy_refuse_second(&c, "tool", first->name, first->file,
                                      first->line, tool->file, tool->line);
    err = reserve(gen, &gen->tools, 1, &c);
    if (err != MCP_OK)
        return err;
    to = mcp_table_next(&gen->tools);
    err = mcp_registry_copy_tool(
        &c, tool, tool->assert_format || gen->pub.config->assert_format, to);
    if (err != MCP_OK)
        return err;
    to->index = gen->tools.count;
    give_slot(gen, &to->handler);
    mcp_table_keep(&gen->tools);
    show(gen);
    return MCP_OK;
}

static enum mcp_err add_resource(struct generation *gen,
                                 const struct mcp_resource *resource,
                                 bool is_template, struct mcp_copy *c)
{
    struct mcp_table *t = is_template ? &gen->templates : &gen->resources;
    const struct mcp_resource *first =
        mcp_table_find(t, resource->uri, strlen(resource->uri));
    struct mcp_resource *to;
    enum mcp_err err;

    if (first != NULL)
        return mcp_copy_refuse_second(c, "resource", first->uri, first->file,
                                      first->line, resource->file,
                                      resource->line);
    err = reserve(gen, t, 1 + resource->completer_count, c);
    if (err != MCP_OK)
        return err;
    to = mcp_table_next(t);
    err = mcp_registry_copy_resource(
        c, resource, is_template, (size_t)gen->pub.config->max_blob_bytes, to);
    if (err == MCP_OK && to->route != 0) {
        err = mcp_registry_check_route_resource(
            c, &gen->pub.routes[to->route - 1], to);
        if (err != MCP_OK)
            mcp_registry_drop_resource(to);
    }
    if (err != MCP_OK)
        return err;
    to->index = t->count;
    give_slot(gen, &to->handler);
    give_slots(gen, to->completers, to->completer_count);
    mcp_table_keep(t);
    show(gen);
    return MCP_OK;
}

enum mcp_err mcp_builder_add_resource(struct mcp_builder *b,
                                      const struct mcp_resource *resource,
                                      char *message, size_t message_size)
{
    struct mcp_copy c = {b->gen->arena, message, message_size};

    return add_resource(b->gen, resource, false, &c);
}

enum mcp_err mcp_builder_add_template(struct mcp_builder *b,
                                      const struct mcp_resource *resource,
                                      char *message, size_t message_size)
{
    struct mcp_copy c = {b->gen->arena, message, message_size};

    return add_resource(b->gen, resource, true, &c);
}

enum mcp_err mcp_builder_add_prompt(struct mcp_builder *b,
                                    const struct mcp_prompt *prompt,
                                    char *message, size_t message_size)
{
    struct generation *gen = b->gen;
    struct mcp_copy c = {gen->arena, message, message_size};
    const struct mcp_prompt *first =
        mcp_table_find(&gen->prompts, prompt->name, strlen(prompt->name));
    struct mcp_prompt *to;
    enum mcp_err err;

    if (first != NULL)
        return mcp_copy_refuse_second(&c, "prompt", first->name, first->file,
                                      first->line, prompt->file, prompt->line);
    err = reserve(gen, &gen->prompts, 1 + prompt->completer_count, &c);
    if (err != MCP_OK)
        return err;
    to = mcp_table_next(&gen->prompts);
    err = mcp_registry_copy_prompt(&c, prompt, to);
    if (err != MCP_OK)
        return err;
    to->index = gen->prompts.count;
    give_slot(gen, &to->handler);
    give_slots(gen, to->completers, to->completer_count);
    mcp_table_keep(&gen->prompts);
    show(gen);
    return MCP_OK;
}

static enum mcp_err copy_timer(struct mcp_copy *c, const struct mcp_timer *in,
                               struct mcp_timer *out)
{
    struct mcp_timer copy = {.seconds = in->seconds};
    enum mcp_err err = mcp_copy_text(c, "name", in->name, &copy.name);

    if (err == MCP_OK && !(in->seconds >= MCP_TIMER_MIN_S))
        err = mcp_copy_refuse(c, "the seconds must be at least %g, not %g",
                              MCP_TIMER_MIN_S, in->seconds);
    if (err == MCP_OK)
        err = mcp_copy_handler(c, &in->handler, &copy.handler);
    if (err != MCP_OK)
        return err;
    copy.handler.kind = MCP_KIND_TIMER;
    copy.handler.name = copy.name;
    copy.handler.slot = 1;
    *out = copy;
    return MCP_OK;
}

enum mcp_err mcp_builder_add_timer(struct mcp_builder *b,
                                   const struct mcp_timer *timer, char *message,
                                   size_t message_size)
{
    struct generation *gen = b->gen;
    struct mcp_copy c = {gen->arena, message, message_size};
    struct mcp_timer *to;
    enum mcp_err err;

    if (mcp_table_find(&gen->timers, timer->name, strlen(timer->name)) != NULL)
        return mcp_copy_refuse_second(&c, "timer", timer->name, NULL, 0, NULL,
                                      0);
    err = reserve(gen, &gen->timers, 1, &c);
    if (err != MCP_OK)
        return err;
    to = mcp_table_next(&gen->timers);
    err = copy_timer(&c, timer, to);
    if (err != MCP_OK)
        return err;
    give_slot(gen, &to->handler);
    mcp_table_keep(&gen->timers);
    show(gen);
    return MCP_OK;
}

enum mcp_err mcp_builder_add_route(struct mcp_builder *b,
                                   const struct mcp_route *route, char *message,
                                   size_t message_size)
{
    struct generation *gen = b->gen;
    struct mcp_copy c = {gen->arena, message, message_size};
    const struct mcp_route *first =
        mcp_registry_same_route(gen->pub.routes, gen->pub.route_count, route);
    struct mcp_route *to;
    enum mcp_err err;

    if (first != NULL)
        return mcp_copy_refuse_second(
            &c, "route", first->name, first->signature.file,
            first->signature.line, route->signature.file,
            route->signature.line);
    err = reserve(gen, &gen->routes, 1, &c);
    if (err != MCP_OK)
        return err;
    to = mcp_table_next(&gen->routes);
    err = mcp_registry_copy_route(
        &c, route,
        route->signature.assert_format || gen->pub.config->assert_format, to);
    if (err != MCP_OK)
        return err;
    to->index = gen->routes.count;
    give_slot(gen, &to->signature.handler);
    mcp_table_keep(&gen->routes);
    show(gen);
    return MCP_OK;
}

void mcp_builder_set_skills(struct mcp_builder *b,
                            const struct mcp_skills_declared *options)
{
    mcp_registry_set_skills(&b->gen->pub.skills, options);
}

enum mcp_err
mcp_builder_add_skill_folder(struct mcp_builder *b,
                             const struct mcp_skill_decl_folder *folder,
                             char *message, size_t message_size)
{
    struct mcp_copy c = {b->gen->arena, message, message_size};

    return mcp_registry_add_skill_folder(&c, folder, &b->gen->pub.skills);
}

enum mcp_err mcp_builder_add_skill(struct mcp_builder *b,
                                   const struct mcp_skill_decl *skill,
                                   char *message, size_t message_size)
{
    struct mcp_copy c = {b->gen->arena, message, message_size};

    return mcp_registry_add_skill(&c, skill, &b->gen->pub.skills);
}

enum mcp_err mcp_builder_add_skill_source(struct mcp_builder *b,
                                          const struct mcp_skill_source *source,
                                          char *message, size_t message_size)
{
    struct generation *gen = b->gen;
    struct mcp_copy c = {gen->arena, message, message_size};
    struct mcp_skill_source *to;
    enum mcp_err err;

    if (mcp_table_find(&gen->skill_sources, source->name,
                       strlen(source->name)) != NULL)
        return mcp_copy_refuse_second(&c, "skill source", source->name, NULL, 0,
                                      NULL, 0);
    err = reserve(gen, &gen->skill_sources, 1, &c);
    if (err != MCP_OK)
        return err;
    to = mcp_table_next(&gen->skill_sources);
    err = mcp_registry_copy_skill_source(&c, source, to);
    if (err != MCP_OK)
        return err;
    give_slot(gen, &to->handler);
    mcp_table_keep(&gen->skill_sources);
    gen->pub.skills.declared = true;
    show(gen);
    return MCP_OK;
}

struct mcp_config *mcp_builder_config(struct mcp_builder *b)
{
    return (struct mcp_config *)b->gen->pub.config;
}

struct mcp_generation *mcp_builder_view(struct mcp_builder *b)
{
    return &b->gen->pub;
}

struct mcp_registry *mcp_registry_new(void)
{
    struct mcp_registry *reg = calloc(1, sizeof(*reg));

    if (reg != NULL && pthread_mutex_init(&reg->lock, NULL) != 0) {
        free(reg);
        return NULL;
    }
    return reg;
}

void mcp_registry_free(struct mcp_registry *reg)
{
    if (reg == NULL)
        return;
    if (reg->current != NULL)
        mcp_generation_release(&reg->current->pub);
    pthread_mutex_destroy(&reg->lock);
    free(reg);
}

uint64_t mcp_registry_publish(struct mcp_registry *reg, struct mcp_builder *b)
{
    struct generation *next = b->gen, *last;
    uint64_t number;

    pthread_mutex_lock(&reg->lock);
    last = reg->current;
    number = next->pub.number = ++reg->last_number;
    reg->current = next;
    pthread_mutex_unlock(&reg->lock);

    if (last != NULL)
        mcp_generation_release(&last->pub);
    free(b);
    return number;
}

const struct mcp_generation *mcp_registry_acquire(struct mcp_registry *reg)
{
    struct generation *gen;

    pthread_mutex_lock(&reg->lock);
    gen = reg->current;
    if (gen != NULL)
        atomic_fetch_add_explicit(&gen->refs, 1, memory_order_relaxed);
    pthread_mutex_unlock(&reg->lock);
    return gen == NULL ? NULL : &gen->pub;
}

void mcp_generation_retain(const struct mcp_generation *gen)
{
    /* const is a promise to readers; the count behind it is ours. */
    atomic_fetch_add_explicit(&((struct generation *)gen)->refs, 1,
                              memory_order_relaxed);
}

void mcp_generation_release(const struct mcp_generation *const_gen)
{
    struct generation *gen = (struct generation *)const_gen;

    if (atomic_fetch_sub_explicit(&gen->refs, 1, memory_order_acq_rel) == 1)
        generation_free(gen);
}

/* ---- finding --------------------------------------------------------------
 */

static const struct generation *own(const struct mcp_generation *gen)
{
    return (const struct generation *)gen;
}

const struct mcp_handler *
mcp_generation_handler(const struct mcp_generation *gen, size_t slot)
{
    return &own(gen)->handlers[slot - 1];
}

const char *mcp_kind_name(enum mcp_kind kind)
{
    static const char *const names[] = {
        [MCP_KIND_TOOL] = "tool",     [MCP_KIND_RESOURCE] = "resource",
        [MCP_KIND_PROMPT] = "prompt", [MCP_KIND_COMPLETER] = "completer",
        [MCP_KIND_TIMER] = "timer",   [MCP_KIND_ROUTE] = "route"};

    if (kind == MCP_KIND_SKILL_SOURCE || kind == MCP_KIND_SKILL_READER)
        return "skill source";
    return names[kind];
}

const struct mcp_tool *
mcp_generation_find_tool(const struct mcp_generation *gen, const char *name,
                         size_t len)
{
    return mcp_table_find(&own(gen)->tools, name, len);
}

const struct mcp_resource *
mcp_generation_find_resource(const struct mcp_generation *gen, const char *uri,
                             size_t len)
{
    return mcp_table_find(&own(gen)->resources, uri, len);
}

const struct mcp_resource *
mcp_generation_find_template(const struct mcp_generation *gen, const char *text,
                             size_t len)
{
    return mcp_table_find(&own(gen)->templates, text, len);
}

const struct mcp_prompt *
mcp_generation_find_prompt(const struct mcp_generation *gen, const char *name,
                           size_t len)
{
    return mcp_table_find(&own(gen)->prompts, name, len);
}

const struct mcp_skill_source *
mcp_generation_find_skill_source(const struct mcp_generation *gen,
                                 const char *name, size_t len)
{
    return mcp_table_find(&own(gen)->skill_sources, name, len);
}

const struct mcp_timer *
mcp_generation_find_timer(const struct mcp_generation *gen, const char *name,
                          size_t len)
{
    return mcp_table_find(&own(gen)->timers, name, len);
}

const struct mcp_route *
mcp_generation_find_route(const struct mcp_generation *gen, const char *name,
                          size_t len)
{
    return mcp_table_find(&own(gen)->routes, name, len);
}
