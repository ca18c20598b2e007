/*
 * json_equal.c - equality of two trees
 *
 * Recursion is bounded by MCP_JSON_MAX_DEPTH. Objects are first compared in
 * order, which is how most equal ones lie; else keys are looked up, and in
 * large objects through a hash table, so the work stays linear.
 */
#include "base/json.h"
#include "base/json_keys.h"
#include "base/json_number.h"

static bool arrays_equal(const struct mcp_json *a, const struct mcp_json *b)
{
    uint32_t i;

    for (i = 0; i < a->count; i++)
        if (!mcp_json_equal(&a->u.items[i], &b->u.items[i]))
            return false;
    return true;
}

/* Do both have the same keys in the same order? */
static bool same_order(const struct mcp_json *a, const struct mcp_json *b)
{
    uint32_t i;

    for (i = 0; i < a->count; i++)
        if (!mcp_json_same_text(&a->u.members[i].key, &b->u.members[i].key))
            return false;
    return true;
}

static bool equal_in_order(const struct mcp_json *a, const struct mcp_json *b)
{
    uint32_t i;

    for (i = 0; i < a->count; i++)
        if (!mcp_json_equal(&a->u.members[i].value, &b->u.members[i].value))
            return false;
    return true;
}

/* Looks the members of `a` up in `b`, through `ix` if that is not NULL. */
static bool equal_by_key(const struct mcp_json *a, const struct mcp_json *b,
                         const struct mcp_json_index *ix)
{
    const struct mcp_json_member *m, *other;
    const struct mcp_json *value;
    uint32_t i;

    for (i = 0; i < a->count; i++) {
        m = &a->u.members[i];
        if (ix != NULL) {
            other = mcp_json_index_find(ix, &m->key);
            value = other != NULL ? &other->value : NULL;
        } else {
            value = mcp_json_find_n(b, m->key.u.text, m->key.count);
        }
        if (value == NULL || !mcp_json_equal(&m->value, value))
            return false;
    }
    return true;
}

static bool objects_equal(const struct mcp_json *a, const struct mcp_json *b)
{
    struct mcp_json_index ix;
    bool equal;
    uint32_t i;

    if (same_order(a, b))
        return equal_in_order(a, b);
    if (b->count <= MCP_JSON_FEW_KEYS ||
        mcp_json_index_init(&ix, b->u.members, b->count) != MCP_OK)
        return equal_by_key(a, b, NULL);
    for (i = 0; i < b->count; i++)
        (void)mcp_json_index_add(&ix, i);
    equal = equal_by_key(a, b, &ix);
    mcp_json_index_free(&ix);
    return equal;
}

bool mcp_json_equal(const struct mcp_json *a, const struct mcp_json *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == MCP_JSON_NUMBER)
        return mcp_json_number_compare(a, b) == 0;
    if (a->count != b->count)
        return false;
    switch (a->type) {
    case MCP_JSON_STRING:
        return mcp_json_same_text(a, b);
    case MCP_JSON_ARRAY:
        return arrays_equal(a, b);
    case MCP_JSON_OBJECT:
        return objects_equal(a, b);
    default:
        return true;
    }
}
