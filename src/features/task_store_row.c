/*
 * task_store_row.c - copies of rows, and a table by id
 *
 * The table is open addressing with linear probing; removing moves back what
 * was pushed on, so there are no tombstones.
 */
#include "features/task_store_private.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_SLOTS = 16 };

/* ---- copies ---------------------------------------------------------------
 */

static const size_t texts[] = {
    offsetof(struct mcp_task_row, id),
    offsetof(struct mcp_task_row, principal),
    offsetof(struct mcp_task_row, tool),
    offsetof(struct mcp_task_row, status_message),
    offsetof(struct mcp_task_row, params),
    offsetof(struct mcp_task_row, client),
    offsetof(struct mcp_task_row, kept),
    offsetof(struct mcp_task_row, questions),
    offsetof(struct mcp_task_row, outcome),
};

enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };

static const char *text_of(const struct mcp_task_row *row, int i)
{
    return *(const char *const *)(const void *)((const char *)row + texts[i]);
}

static void set_text(struct mcp_task_row *row, int i, const char *text)
{
    *(const char **)(void *)((char *)row + texts[i]) = text;
}

size_t mcp_task_row_bytes(const struct mcp_task_row *row)
{
    size_t bytes = sizeof(struct mcp_task_copy);

    for (int i = 0; i < TEXTS; i++)
        if (text_of(row, i) != NULL)
            bytes += strlen(text_of(row, i)) + 1;
    return bytes;
}

struct mcp_task_copy *mcp_task_copy_new(const struct mcp_task_row *row)
{
    size_t bytes = mcp_task_row_bytes(row);
    struct mcp_task_copy *c = mcp_memory_new(1, bytes);
    char *to;

    if (c == NULL)
        return NULL;
    atomic_init(&c->refs, 1);
    c->bytes = bytes;
    c->row = *row;
    to = (char *)(c + 1);
    for (int i = 0; i < TEXTS; i++) {
        const char *text = text_of(row, i);
        size_t size = text != NULL ? strlen(text) + 1 : 0;

        if (text == NULL)
            continue;
        memcpy(to, text, size);
        set_text(&c->row, i, to);
        to += size;
    }
    return c;
}

struct mcp_task_copy *mcp_task_copy_acquire(struct mcp_task_copy *c)
{
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    return c;
}

void mcp_task_copy_release(struct mcp_task_copy *c)
{
    if (c != NULL &&
        atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1)
        free(c);
}

int64_t mcp_task_row_end_ms(const struct mcp_task_row *row)
{
    int64_t end;

    if (row->ttl_ms < 0 ||
        __builtin_add_overflow(row->created_ms, row->ttl_ms, &end))
        return INT64_MAX;
    return end;
}

/* ---- the table ------------------------------------------------------------
 */

/* FNV-1a. Ids are ours, so nobody can choose them to collide. */
static uint64_t hash_of(const char *id)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (const char *p = id; *p != '\0'; p++)
        h = (h ^ (unsigned char)*p) * UINT64_C(1099511628211);
    return h;
}

static void place(struct mcp_task_slot *slots, size_t size,
                  struct mcp_task_slot what)
{
    size_t i = what.hash & (size - 1);

    while (slots[i].id != NULL)
        i = (i + 1) & (size - 1);
    slots[i] = what;
}

static enum mcp_err grow(struct mcp_task_table *t)
{
    size_t size = t->size > 0 ? t->size * 2 : FIRST_SLOTS;
    struct mcp_task_slot *slots = mcp_memory_new(size, sizeof(*slots));

    if (slots == NULL)
        return MCP_ENOMEM;
    for (size_t i = 0; i < t->size; i++)
        if (t->slots[i].id != NULL)
            place(slots, size, t->slots[i]);
    free(t->slots);
    t->slots = slots;
    t->size = size;
    return MCP_OK;
}

struct mcp_task_slot *mcp_task_table_find(const struct mcp_task_table *t,
                                          const char *id)
{
    uint64_t hash = hash_of(id);

    if (t->size == 0)
        return NULL;
    for (size_t i = hash & (t->size - 1); t->slots[i].id != NULL;
         i = (i + 1) & (t->size - 1))
        if (t->slots[i].hash == hash && strcmp(t->slots[i].id, id) == 0)
            return &t->slots[i];
    return NULL;
}

enum mcp_err mcp_task_table_add(struct mcp_task_table *t, const char *id,
                                void *item)
{
    if (t->count >= t->size / 4 * 3 && grow(t) != MCP_OK)
        return MCP_ENOMEM;
    place(t->slots, t->size,
          (struct mcp_task_slot){.hash = hash_of(id), .id = id, .item = item});
    t->count++;
    return MCP_OK;
}

/* An item behind the gap moves into it unless its own place lies between. */
void mcp_task_table_remove(struct mcp_task_table *t, struct mcp_task_slot *slot)
{
    size_t mask = t->size - 1, gap = (size_t)(slot - t->slots);

    for (size_t i = (gap + 1) & mask; t->slots[i].id != NULL;
         i = (i + 1) & mask) {
        size_t home = t->slots[i].hash & mask;

        if (((i - home) & mask) < ((i - gap) & mask))
            continue;
        t->slots[gap] = t->slots[i];
        gap = i;
    }
    t->slots[gap] = (struct mcp_task_slot){.id = NULL};
    t->count--;
}
