/*
 * ask_common.h - a method of a feature, asked over a fake app
 *
 * Handlers are `ask_handler`: nothing runs Lua, and nothing waits.
 */
#ifndef ASK_COMMON_H
#define ASK_COMMON_H

#include <stdbool.h>
#include <stddef.h>

#include "app/job.h"
#include "app/registry.h"
#include "features/request.h"

/* What an app declares; each list ends by an item without a name or URI. */
struct declared {
    const struct mcp_tool *tools;
    const struct mcp_resource *resources, *templates;
    const struct mcp_prompt *prompts;
    const char *const *options; /* "name", "value", ..., NULL */
};

/* Declares it and prepares the view. Free it by mcp_builder_free(). */
struct mcp_builder *declare(const struct declared *d);

/* Runs instead of every handler; fills job->outcome, which is initialized. It
 * is counted, also when NULL (then the outcome stays MCP_OUTCOME_NONE). */
extern void (*ask_handler)(struct mcp_job *job);
extern int ask_runs;
extern bool ask_busy; /* the queue is full */

/* What `method` answers to `params` (JSON): the result; of a fault
 * "CODE MESSAGE DATA", with the code that the protocol makes of it; "silent".
 * BORROWED until the next call. */
const char *ask(struct mcp_builder *b, void (*method)(struct mcp_request *),
                enum mcp_revision revision, const char *params);

/* The same with an arena of `arena_bytes`. */
const char *ask_scarce(struct mcp_builder *b,
                       void (*method)(struct mcp_request *),
                       enum mcp_revision revision, const char *params,
                       size_t arena_bytes);

/* Writes one span of an outcome. */
void ask_say(struct mcp_outcome *o, struct mcp_span *s, const char *text);

/* Is `json` valid by `definition` of the official schema of `revision`?
 * Fails the test if not; passes when the schemas are not at hand. */
void expect_valid(enum mcp_revision revision, const char *definition,
                  const char *json);

#endif
