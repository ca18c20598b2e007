/*
 * lint.h - what is wrong with the declarations of an app, and what to do
 *
 * An app that loads works with mcpluad and with clients that implement JSON
 * Schema whole. Many hosts do not: they refuse some constructs, ignore others,
 * or leave the model guessing. The lint looks at a generation as clients see
 * it and says so: a pure function, nothing is changed.
 *
 *     error     broken everywhere, or a known client refuses the tool and the
 *               remedy costs nothing
 *     warning   some clients refuse it or lose a part, or models are left
 *               guessing
 *     note      worth knowing
 *
 * Layer:  features. Uses app/registry, base/arena, base/schema.
 * Thread: any.
 */
#ifndef MCP_FEATURES_LINT_H
#define MCP_FEATURES_LINT_H

#include <stddef.h>

#include "app/registry.h"
#include "base/arena.h"
#include "base/err.h"

enum mcp_lint_severity { MCP_LINT_ERROR, MCP_LINT_WARNING, MCP_LINT_NOTE };
enum { MCP_LINT_SEVERITY_COUNT = MCP_LINT_NOTE + 1 };

/* One rule; all texts are static. Ids never change their meaning. */
struct mcp_lint_rule {
    const char *id; /* "type-array" */
    enum mcp_lint_severity severity;
    const char *fix;   /* what to write instead                        */
    const char *hurts; /* the kind of client, or who, that it is bad for */
};

/* What a finding is about. Texts BORROWED from the generation. */
struct mcp_lint_item {
    const char *kind; /* "tool", "prompt", "resource", "template"; NULL: the
                         server as a whole                            */
    const char *name; /* a name, a URI, a template                      */
    const char *file; /* where declared; NULL: not known                */
    int line;
};

/* One broken rule. Texts are UTF-8, NUL-terminated, of bounded length. */
struct mcp_finding {
    const struct mcp_lint_rule *rule;
    const struct mcp_tool *tool; /* NULL: not about a tool */
    struct mcp_lint_item item;
    const char *pointer; /* JSON pointer into the item's entry of its list:
                            "/inputSchema/properties/a/type"; "" without one */
    const char *message; /* what is there, one sentence without full stop */
};

struct mcp_findings {
    const struct mcp_finding *items; /* the server's, then by item: tools,
                                        resources, templates, prompts; each in
                                        the order of its entry */
    size_t count;
    size_t by_severity[MCP_LINT_SEVERITY_COUNT];
};

/* Judges `gen`. The findings are in `a` and borrow from `gen`.
 * Errors: MCP_ENOMEM the arena is full. */
enum mcp_err mcp_lint(const struct mcp_generation *gen, struct mcp_arena *a,
                      struct mcp_findings *out) MCP_MUST_USE;

/* Every rule that there is, in the order of docs/check.md. */
const struct mcp_lint_rule *mcp_lint_rules(size_t *count);

/* "error", "warning" or "note". */
const char *mcp_lint_severity_name(enum mcp_lint_severity severity);

#endif
