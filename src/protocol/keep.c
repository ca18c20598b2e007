/*
 * keep.c - see keep.h
 *
 * One walk measures, a second one copies: arrays and members at the front of
 * the block, where they are aligned, texts at its end.
 */
#include "protocol/keep.h"

#include "base/memory.h"

struct block {
    char *nodes, *texts; /* next free place of each kind */
};

static void measure(const struct mcp_json *v, size_t *nodes, size_t *texts)
{
    switch (v->type) {
    case MCP_JSON_NUMBER:
    case MCP_JSON_STRING:
        *texts += v->count;
        break;
    case MCP_JSON_ARRAY:
        *nodes += v->count * sizeof(struct mcp_json);
        for (uint32_t i = 0; i < v->count; i++)
            measure(&v->u.items[i], nodes, texts);
        break;
    case MCP_JSON_OBJECT:
        *nodes += v->count * sizeof(struct mcp_json_member);
        for (uint32_t i = 0; i < v->count; i++) {
            *texts += v->u.members[i].key.count;
            measure(&v->u.members[i].value, nodes, texts);
        }
        break;
    default:
        break;
    }
}

static void copy_text(struct block *b, struct mcp_json *to)
{
    if (to->count > 0)
        memcpy(b->texts, to->u.text, to->count);
    to->u.text = b->texts;
    b->texts += to->count;
}

static void copy(struct block *b, const struct mcp_json *from,
                 struct mcp_json *to)
{
    *to = *from;
    if (from->type == MCP_JSON_NUMBER || from->type == MCP_JSON_STRING)
        copy_text(b, to);
    if (from->type == MCP_JSON_ARRAY) {
        struct mcp_json *items = (struct mcp_json *)(void *)b->nodes;

        b->nodes += from->count * sizeof(*items);
        to->u.items = items;
        for (uint32_t i = 0; i < from->count; i++)
            copy(b, &from->u.items[i], &items[i]);
    }
    if (from->type == MCP_JSON_OBJECT) {
        struct mcp_json_member *m = (struct mcp_json_member *)(void *)b->nodes;

        b->nodes += from->count * sizeof(*m);
        to->u.members = m;
        for (uint32_t i = 0; i < from->count; i++) {
            m[i].key = from->u.members[i].key;
            copy_text(b, &m[i].key);
            copy(b, &from->u.members[i].value, &m[i].value);
        }
    }
}

/* `v` without one member; the new members are in `*room`, to be freed. */
static struct mcp_json leave_out(const struct mcp_json *v, const char *name,
                                 struct mcp_json_member **room)
{
    struct mcp_json less = *v;
    uint32_t n = 0;

    *room = NULL;
    if (name == NULL || mcp_json_find(v, name) == NULL)
        return less;
    *room = mcp_memory_new(v->count, sizeof(**room));
    if (*room == NULL)
        return less;
    for (uint32_t i = 0; i < v->count; i++)
        if (!mcp_json_equals_string(&v->u.members[i].key, name))
            (*room)[n++] = v->u.members[i];
    less.u.members = *room;
    less.count = n;
    return less;
}

enum mcp_err mcp_keep(const struct mcp_json *v, const char *without,
                      size_t max_bytes, struct mcp_json **out)
{
    size_t nodes = sizeof(struct mcp_json), texts = 0;
    struct mcp_json_member *room;
    struct mcp_json *root, less;
    enum mcp_err err = MCP_OK;

    if (v == NULL) {
        *out = NULL;
        return MCP_OK;
    }
    less = leave_out(v, without, &room);
    measure(&less, &nodes, &texts);
    root = nodes + texts > max_bytes ? NULL : mcp_memory_new(1, nodes + texts);
    if (root != NULL) {
        struct block b = {.nodes = (char *)(root + 1),
                          .texts = (char *)root + nodes};

        copy(&b, &less, root);
        *out = root;
    } else {
        err = nodes + texts > max_bytes ? MCP_ELIMIT : MCP_ENOMEM;
    }
    free(room);
    return err;
}
