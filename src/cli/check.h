/*
 * check.h - the report of `mcpluad check`: what an app declares, how its calls
 *           are isolated, and what the lint thinks of it
 *
 * Layer:  cli. Uses app/app, features/lint, cli/options, cli/banner, base/buf.
 * Thread: main.
 */
#ifndef MCP_CLI_CHECK_H
#define MCP_CLI_CHECK_H

#include <stdbool.h>

#include "app/app.h"
#include "base/buf.h"
#include "base/err.h"
#include "cli/options.h"
#include "features/lint.h"

struct mcp_check {
    const char *app; /* as on the command line     */
    const struct mcp_generation *gen;
    const char *isolation; /* mcp_app_isolation()        */
    struct mcp_findings findings;
};

/* Judges what `app` has loaded and writes the report that `cli` asks for to
 * `fd`. `*passes`: is it good enough?
 * Errors: MCP_EINTERNAL `fd` does not take it, see `message`; MCP_ENOMEM. */
enum mcp_err mcp_check_report(struct mcp_app *app, const struct mcp_cli *cli,
                              int fd, bool *passes, char *message,
                              size_t message_size) MCP_MUST_USE;

/* ---- the parts ---- */

/* For people. Texts of the app cannot move the cursor. */
void mcp_check_write_text(struct mcp_buf *out, const struct mcp_check *check);

/* check_items.c: its resources, templates and prompts, one kind after the
 * other; nothing of a kind that it has not. */
void mcp_check_write_items(struct mcp_buf *out,
                           const struct mcp_generation *gen);

/* The same as members of a JSON object, a comma before each. */
void mcp_check_write_items_json(struct mcp_buf *out,
                                const struct mcp_generation *gen);

/* check_skills.c: its skills, and what is wrong with them; nothing when it has
 * none. */
void mcp_check_write_skills(struct mcp_buf *out,
                            const struct mcp_generation *gen);
void mcp_check_write_skill_problems(struct mcp_buf *out,
                                    const struct mcp_generation *gen);

/* The skills as a member of a JSON object, a comma before it; the problems
 * behind the items of `findings`. */
void mcp_check_write_skills_json(struct mcp_buf *out,
                                 const struct mcp_generation *gen);
void mcp_check_write_skill_problems_json(struct mcp_buf *out,
                                         const struct mcp_check *check);

/* Findings of `severity`, those of skills included. */
size_t mcp_check_count(const struct mcp_check *check,
                       enum mcp_lint_severity severity);

/* name[0..len) behind `indent`, and blanks up to the column of the texts. */
void mcp_check_write_name(struct mcp_buf *out, const char *indent,
                          const char *name, size_t len);

/* The first line of text[0..len), cut to 100 bytes between characters. */
void mcp_check_write_line(struct mcp_buf *out, const char *text, size_t len);

/* Ends a line; the blanks behind a name that nothing follows go. */
void mcp_check_end_line(struct mcp_buf *out);

/* A text as JSON; null when there is none, or when it is not UTF-8. */
void mcp_check_write_json_text(struct mcp_buf *out, const char *text);

/* For programs: one JSON object and a line end; docs/check.md describes it. */
void mcp_check_write_json(struct mcp_buf *out, const struct mcp_check *check);

/* Is the app good enough? Errors never are; with `strict`, warnings are not
 * either. */
bool mcp_check_passes(const struct mcp_check *check, bool strict);

/* What `isolation` means for the app, a sentence or two, static. `*remedy` gets
 * how to run faster, NULL when there is nothing to gain. */
const char *mcp_check_explain(const char *isolation, const char **remedy);

/* A schema as a short type: "string[]", "\"a\" | \"b\"", "{ x: number }". */
void mcp_check_write_type(struct mcp_buf *out, const struct mcp_json *schema);

/* Is `name` among the required members of an object's schema? */
bool mcp_check_requires(const struct mcp_json *schema,
                        const struct mcp_json *name);

#endif
