/*
 * convert.c - see convert.h
 *
 * One walk for each path that the tool names. The walk copies the containers
 * on its way, so that the tree of the peer stays as it is.
 */
#include "app/convert.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/json_number.h"

/* Where a walk stands: a chain from the leaf to the root. */
struct place {
    const struct place *up;
    const struct mcp_json *key; /* NULL: `index` counts */
    uint32_t index;
};

struct work {
    const struct mcp_convert *convert;
    struct mcp_arena *a;
    const char **path, **why;
};

/* The JSON pointer of `at`, in the arena; NULL: it is full. */
static const char *pointer(struct mcp_arena *a, const struct place *at)
{
    const char *head;

    if (at == NULL)
        return "";
    head = pointer(a, at->up);
    if (head == NULL)
        return NULL;
    if (at->key == NULL)
        return mcp_arena_printf(a, "%s/%u", head, at->index);
    return mcp_arena_printf(a, "%s/%.*s", head, (int)at->key->count,
                            at->key->u.text);
}

static enum mcp_err refuse(struct work *w, const struct place *at,
                           const char *why)
{
    const char *path = pointer(w->a, at);

    if (path == NULL)
        return MCP_ENOMEM;
    *w->path = path;
    *w->why = why;
    return MCP_EINVAL;
}

static enum mcp_err to_int64(struct work *w, struct mcp_json *v,
                             const struct place *at)
{
    static const struct mcp_json limits[] = {
        {.type = MCP_JSON_NUMBER,
         .count = 20,
         .u.text = "-9223372036854775808",
         .number = -0x1p63},
        {.type = MCP_JSON_NUMBER,
         .count = 19,
         .u.text = "9223372036854775807",
         .number = 0x1p63},
    };

    if (v->type != MCP_JSON_NUMBER || !mcp_json_number_is_integer(v))
        return MCP_OK;
    if (mcp_json_number_compare(v, &limits[0]) < 0 ||
        mcp_json_number_compare(v, &limits[1]) > 0)
        return refuse(w, at,
                      "must be a whole number from -9223372036854775808 to "
                      "9223372036854775807");
    if (!(v->flags & MCP_JSON_F_INTEGER) && !mcp_json_number_exact_double(v))
        return refuse(w, at, "must be written without fraction and exponent");
    v->flags |= MCP_JSON_F_INT64;
    return MCP_OK;
}

static enum mcp_err to_bytes(struct work *w, struct mcp_json *v,
                             const struct place *at)
{
    char *bytes;
    size_t size;

    if (v->type != MCP_JSON_STRING)
        return MCP_OK;
    bytes = mcp_arena_alloc(w->a, (size_t)v->count / 4 * 3 + 2);
    if (bytes == NULL)
        return MCP_ENOMEM;
    if (mcp_base64_decode(MCP_BASE64, v->u.text, v->count, bytes, &size) !=
        MCP_OK)
        return refuse(w, at, "must be base64 text with padding (RFC 4648)");
    v->u.text = bytes;
    v->count = (uint32_t)size;
    v->flags = 0;
    return MCP_OK;
}

static enum mcp_err walk(struct work *w, struct mcp_json *v, size_t depth,
                         const struct place *at);

static enum mcp_err walk_items(struct work *w, struct mcp_json *v, size_t depth,
                               const struct place *at)
{
    struct place here = {.up = at};
    struct mcp_json *items =
        mcp_arena_alloc(w->a, v->count * sizeof(*items) + 1);
    enum mcp_err err = MCP_OK;

    if (items == NULL)
        return MCP_ENOMEM;
    if (v->count > 0)
        memcpy(items, v->u.items, v->count * sizeof(*items));
    for (; err == MCP_OK && here.index < v->count; here.index++)
        err = walk(w, &items[here.index], depth + 1, &here);
    v->u.items = items;
    return err;
}

static enum mcp_err walk_members(struct work *w, struct mcp_json *v,
                                 size_t depth, const struct place *at)
{
    const char *name = w->convert->path[depth];
    size_t len = name == NULL ? 0 : strlen(name);
    struct place here = {.up = at};
    struct mcp_json_member *members =
        mcp_arena_alloc(w->a, v->count * sizeof(*members) + 1);
    enum mcp_err err = MCP_OK;

    if (members == NULL)
        return MCP_ENOMEM;
    if (v->count > 0)
        memcpy(members, v->u.members, v->count * sizeof(*members));
    for (uint32_t i = 0; err == MCP_OK && i < v->count; i++) {
        here.key = &members[i].key;
        if (name == NULL || (here.key->count == len &&
                             memcmp(here.key->u.text, name, len) == 0))
            err = walk(w, &members[i].value, depth + 1, &here);
    }
    v->u.members = members;
    return err;
}

static enum mcp_err walk(struct work *w, struct mcp_json *v, size_t depth,
                         const struct place *at)
{
    if (depth == w->convert->depth)
        return w->convert->kind == MCP_CONVERT_INT64 ? to_int64(w, v, at)
                                                     : to_bytes(w, v, at);
    if (v->type == MCP_JSON_OBJECT)
        return walk_members(w, v, depth, at);
    if (v->type == MCP_JSON_ARRAY && w->convert->path[depth] == NULL)
        return walk_items(w, v, depth, at);
    return MCP_OK;
}

enum mcp_err mcp_convert_arguments(const struct mcp_tool *tool,
                                   enum mcp_convert_kind kind,
                                   const struct mcp_json *args,
                                   struct mcp_arena *a,
                                   const struct mcp_json **out,
                                   const char **path, const char **why)
{
    struct mcp_json *root = NULL;
    enum mcp_err err = MCP_OK;

    for (size_t i = 0; err == MCP_OK && i < tool->convert_count; i++) {
        struct work w = {&tool->converts[i], a, path, why};

        if (w.convert->kind != kind)
            continue;
        if (root == NULL) {
            root = mcp_arena_alloc(a, sizeof(*root));
            if (root == NULL)
                return MCP_ENOMEM;
            *root = *args;
        }
        err = walk(&w, root, 0, NULL);
    }
    if (err == MCP_OK)
        *out = root == NULL ? args : root;
    return err;
}
