/*
 * rpc.c - see rpc.h
 */
#include "protocol/rpc.h"

static bool is_id(const struct mcp_json *v)
{
    return mcp_json_is(v, MCP_JSON_STRING) ||
           (mcp_json_is(v, MCP_JSON_NUMBER) &&
            (v->flags & MCP_JSON_F_INTEGER) != 0);
}

/* NULL: the envelope is right. The id of a response is not looked at: an error
 * may come with null, and nobody answers a response. */
static const char *find_problem(const struct mcp_json *tree,
                                const struct mcp_json *id,
                                const struct mcp_json *method)
{
    bool answers = mcp_json_find(tree, "result") != NULL ||
                   mcp_json_find(tree, "error") != NULL;

    if (id != NULL && !is_id(id) && (method != NULL || !answers))
        return "Invalid Request: id must be a string or an integer";
    if (!mcp_json_equals_string(mcp_json_find(tree, "jsonrpc"), "2.0"))
        return "Invalid Request: jsonrpc must be \"2.0\"";
    if (method == NULL)
        return answers ? NULL : "Invalid Request: method is missing";
    if (method->type != MCP_JSON_STRING)
        return "Invalid Request: method must be a string";
    return answers ? "Invalid Request: a request has no result and no error"
                   : NULL;
}

void mcp_rpc_read(const struct mcp_json *tree, struct mcp_message *out)
{
    const struct mcp_json *id = mcp_json_find(tree, "id"), *meta;

    *out = (struct mcp_message){.kind = MCP_MESSAGE_BAD, .tree = tree};
    if (tree->type != MCP_JSON_OBJECT) {
        out->problem = "Invalid Request: a message is an object";
        return;
    }
    out->id = is_id(id) ? id : NULL;
    out->method = mcp_json_find(tree, "method");
    out->problem = find_problem(tree, id, out->method);
    if (out->problem != NULL)
        return;
    out->params = mcp_json_find(tree, "params");
    if (mcp_json_is(out->params, MCP_JSON_NULL))
        out->params = NULL;
    meta = mcp_json_find(out->params, "_meta");
    out->meta = mcp_json_is(meta, MCP_JSON_OBJECT) ? meta : NULL;
    if (out->method == NULL)
        out->kind = MCP_MESSAGE_RESPONSE;
    else
        out->kind =
            out->id != NULL ? MCP_MESSAGE_REQUEST : MCP_MESSAGE_NOTIFICATION;
}

const struct mcp_json *mcp_rpc_sole_id(const struct mcp_json *tree)
{
    const struct mcp_json *id = NULL;

    if (tree->type != MCP_JSON_OBJECT)
        return NULL;
    for (uint32_t i = 0; i < tree->count; i++) {
        if (!mcp_json_equals_string(&tree->u.members[i].key, "id"))
            continue;
        if (id != NULL)
            return NULL;
        id = &tree->u.members[i].value;
    }
    return is_id(id) ? id : NULL;
}
