/*
 * arguments.h - from what the peer sent to what a handler may see
 *
 *     `data` opened --> exact numbers --> nulls dropped --> validated
 *         --> defaults filled in --> `data` gathered
 *
 * Layer:  features. Uses app/registry, base/schema.
 * Thread: any.
 */
#ifndef MCP_FEATURES_ARGUMENTS_H
#define MCP_FEATURES_ARGUMENTS_H

#include "app/registry.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"

/* Who is told of each thing that is wrong. `path` is a JSON pointer, "" the
 * arguments as a whole; `keyword` the rule of the schema or NULL. Texts live as
 * long as the call of tell(). */
struct mcp_arguments_report {
    void (*tell)(void *user, const char *path, const char *keyword,
                 const char *message);
    void *user;
};

/* As mcp_arguments_check(), but tells `report`. */
enum mcp_err
mcp_arguments_examine(const struct mcp_tool *tool, const struct mcp_json *sent,
                      struct mcp_arena *a, const struct mcp_json **out,
                      const struct mcp_arguments_report *report) MCP_MUST_USE;

/* Makes `*out` of `sent` (an object; NULL: none), in `a`. What is wrong, every
 * path and rule, becomes a text for the model, appended to `problem`.
 * Errors: MCP_EINVAL, MCP_ELIMIT: see `problem`; MCP_ENOMEM. */
enum mcp_err mcp_arguments_check(const struct mcp_tool *tool,
                                 const struct mcp_json *sent,
                                 struct mcp_arena *a,
                                 const struct mcp_json **out,
                                 struct mcp_buf *problem) MCP_MUST_USE;

/* Appends "\n- /path: message" for each error; the value itself is called
 * `root`. */
void mcp_arguments_write_errors(struct mcp_buf *problem,
                                const struct mcp_schema_errors *errors,
                                const char *root);

#endif
