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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/registry_tool.h"
#include "base/arena.h"

enum {
    GENERATION_MAX_BYTES = 256 << 20, /* texts and trees of one app       */
    FIRST_ROOM = 16,                  /* tools; a power of two            */
};

/* What callers see, and behind it what only this file touches. `places` is an
 * open-addressed hash table of twice `room` places: a tool's index + 1, or 0.
 */
struct generation {
    struct mcp_generation pub; /* first: a cast converts both ways */
    atomic_uint refs;
    struct mcp_arena *arena;
    struct mcp_tool *tools;
    size_t room;
    uint32_t *places;
};

struct mcp_builder {
    struct generation *gen;
};

struct mcp_registry {
    pthread_mutex_t lock;
    struct generation *current; /* under lock; NULL before the first publish */
    uint64_t last_number;       /* under lock */
};

static void generation_free(struct generation *gen)
{
    if (gen == NULL)
        return;
    if (gen->pub.prepared_free != NULL)
        gen->pub.prepared_free(gen->pub.prepared);
    if (gen->pub.lua_free != NULL)
        gen->pub.lua_free(gen->pub.lua);
    for (size_t i = 0; i < gen->pub.tool_count; i++)
        mcp_registry_drop_tool(&gen->tools[i]);
    mcp_config_free((struct mcp_config *)gen->pub.config);
    mcp_arena_free(gen->arena);
    free(gen->tools);
    free(gen->places);
    free(gen);
}

/* FNV-1a: names are short and come from the app, not from its callers. */
static uint32_t hash(const char *name, size_t len)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h;
}

/* The place of name[0..len) in the table: its own, or the free one where it
 * belongs. There is always a free one. */
static uint32_t *place_of(const struct generation *gen, const char *name,
                          size_t len)
{
    size_t mask = 2 * gen->room - 1, at = hash(name, len) & mask;

    for (;; at = (at + 1) & mask) {
        uint32_t *place = &gen->places[at];
        const char *there;

        if (*place == 0)
            return place;
        there = gen->tools[*place - 1].name;
        if (strncmp(there, name, len) == 0 && there[len] == '\0')
            return place;
    }
}

/* Makes room for one more tool and for its place in the table. */
static enum mcp_err grow(struct generation *gen)
{
    size_t room = gen->room == 0 ? FIRST_ROOM : 2 * gen->room;
    struct mcp_tool *tools;
    uint32_t *places;

    if (gen->pub.tool_count < gen->room)
        return MCP_OK;
    places = calloc(2 * room, sizeof(*places));
    tools = realloc(gen->tools, room * sizeof(*tools));
    if (tools != NULL)
        gen->pub.tools = gen->tools = tools;
    if (places == NULL || tools == NULL) {
        free(places);
        return MCP_ENOMEM;
    }
    free(gen->places);
    gen->places = places;
    gen->room = room;
    for (size_t i = 0; i < gen->pub.tool_count; i++)
        *place_of(gen, tools[i].name, strlen(tools[i].name)) = (uint32_t)i + 1;
    return MCP_OK;
}

struct mcp_builder *mcp_builder_new(struct mcp_config *config)
{
    struct mcp_builder *b = calloc(1, sizeof(*b));
    struct generation *gen = calloc(1, sizeof(*gen));

    if (b == NULL || gen == NULL)
        goto fail;
    gen->pub.config = config;
    gen->arena = mcp_arena_new(GENERATION_MAX_BYTES);
    if (gen->arena == NULL || grow(gen) != MCP_OK)
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

/* "app.lua:12" into `out`. */
static void write_place(char *out, size_t size, const struct mcp_tool *tool)
{
    if (tool->file == NULL)
        snprintf(out, size, "an unknown place");
    else if (tool->line == 0)
        snprintf(out, size, "%s", tool->file);
    else
        snprintf(out, size, "%s:%d", tool->file, tool->line);
}

static enum mcp_err refuse_second(const struct mcp_tool *first,
                                  const struct mcp_tool *second, char *message,
                                  size_t message_size)
{
    char one[256], two[256];

    write_place(one, sizeof(one), first);
    write_place(two, sizeof(two), second);
    snprintf(message, message_size, "tool \"%s\" is declared twice: %s and %s",
             first->name, one, two);
    return MCP_EEXIST;
}

enum mcp_err mcp_builder_add_tool(struct mcp_builder *b,
                                  const struct mcp_tool *tool, char *message,
                                  size_t message_size)
{
    struct generation *gen = b->gen;
    struct mcp_tool *to;
    uint32_t *place;
    enum mcp_err err = grow(gen);

    if (err != MCP_OK) {
        snprintf(message, message_size, "out of memory");
        return err;
    }
    place = place_of(gen, tool->name, strlen(tool->name));
    if (*place != 0)
        return refuse_second(&gen->tools[*place - 1], tool, message,
                             message_size);
    to = &gen->tools[gen->pub.tool_count];
    err = mcp_registry_copy_tool(
        gen->arena, tool, tool->assert_format || gen->pub.config->assert_format,
        to, message, message_size);
    if (err != MCP_OK)
        return err;
    to->index = gen->pub.tool_count++;
    to->handler.kind = MCP_KIND_TOOL;
    to->handler.name = to->name;
    to->handler.slot = ++gen->pub.handler_count;
    *place = (uint32_t)gen->pub.tool_count;
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

const struct mcp_handler *
mcp_generation_handler(const struct mcp_generation *gen, size_t slot)
{
    return &((const struct generation *)gen)->tools[slot - 1].handler;
}

const char *mcp_kind_name(enum mcp_kind kind)
{
    static const char *const names[] = {[MCP_KIND_TOOL] = "tool",
                                        [MCP_KIND_RESOURCE] = "resource",
                                        [MCP_KIND_PROMPT] = "prompt",
                                        [MCP_KIND_COMPLETER] = "completer"};

    return names[kind];
}

const struct mcp_tool *
mcp_generation_find_tool(const struct mcp_generation *gen, const char *name,
                         size_t len)
{
    const struct generation *own = (const struct generation *)gen;
    uint32_t place;

    if (memchr(name, '\0', len) != NULL)
        return NULL;
    place = *place_of(own, name, len);
    return place == 0 ? NULL : &own->tools[place - 1];
}
