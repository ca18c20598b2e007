/*
 * route_item.c - see route_item.h
 */
#include "features/route_item.h"

#include "features/arguments.h"
#include "features/route_value.h"

enum { PROBLEM_MAX_BYTES = 256 << 10 };

bool mcp_route_item_arguments(struct mcp_request *rq, size_t route,
                              const struct mcp_json *sent,
                              const struct mcp_json **args)
{
    struct mcp_arena *a = rq->call->arena;
    const struct mcp_route *r;
    struct mcp_buf problem;
    enum mcp_err err;

    *args = sent;
    if (route == 0)
        return true;
    r = &rq->gen->routes[route - 1];
    mcp_buf_init(&problem, PROBLEM_MAX_BYTES);
    err = mcp_route_values(r, sent, a, args);
    if (err == MCP_OK)
        err = mcp_arguments_check(&r->signature, *args, a, args, &problem);
    if (err == MCP_EINVAL || err == MCP_ELIMIT)
        mcp_request_fail(
            rq, MCP_EINVAL,
            problem.failed ? NULL : mcp_arena_dup(a, problem.data, problem.len),
            NULL);
    else if (err != MCP_OK)
        mcp_request_fail(rq, err, NULL, NULL);
    mcp_buf_free(&problem);
    return err == MCP_OK;
}
