/*
 * bind_ask.h - questions to the client: what lua/mcp/ask.lua needs of the host
 *
 * Layer:  app, private to it. Uses app/ask, app/ask_wait, app/host; lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_BIND_ASK_H
#define MCP_APP_BIND_ASK_H

#include <lua.h>

#include "app/job.h"

/* Adds to the table at the top of the stack (which stays there); a question is
 * { key, kind = "elicit" | "sample" | "roots", feature?, request, schema? },
 * the last two as JSON text:
 *
 *   ask(questions)          returns when each has its answer; ends or parks
 *                           the call otherwise
 *   ask_settle(questions)   after it: keeps the answers, or raises
 *   require_capabilities(text)  ends the call when the client lacks one of
 *                           them: a JSON object
 *   ask_answer(key)         -> value
 *   ask_number(kind)        -> how many of the kind had no key, with this one
 *   ask_id()                -> a text that no other call returns
 *   ask_legacy()            -> boolean
 *   memo_get(key)           -> found, value
 *   memo_set(key, value)    -> the value as JSON gives it back
 *   encode_content(block)   -> JSON text of a content block
 *   input_required(table)   -> the same table { questions, state }, marked
 *   without_ctx(...)        -> the arguments, but for a ctx in front
 *   add_to_ctx(functions)   ctx has these functions too
 */
void mcp_bind_ask_open(lua_State *L);

/* Pushes ctx.input_responses, ctx.request_state; nil when there is none. */
void mcp_bind_ask_push_responses(lua_State *L, struct mcp_job *job);
void mcp_bind_ask_push_state(lua_State *L, struct mcp_job *job);

/* Is the value at `idx` one of mcp.input_required? */
bool mcp_bind_ask_is_required(lua_State *L, int idx);

/* A handler returned the one at `idx`: the outcome asks, or the questions go
 * out and ask->again is set. Raises on lack of memory. */
void mcp_bind_ask_require(lua_State *L, int idx);

/* ask->again: the answers that came become those that the handler finds. False:
 * the outcome says why there are none. */
bool mcp_bind_ask_take(struct mcp_job *job) MCP_MUST_USE;

/* ---- shared by bind_ask.c and bind_require.c ---- */

struct mcp_ask_wait;
struct mcp_question;
struct mcp_value_error;

/* The running call's job, with job->ask. Raises outside of a call. */
struct mcp_job *mcp_ask_job_of(lua_State *L);

/* The list of questions at `idx`, in the arena. Raises. */
struct mcp_question *mcp_ask_read_questions(lua_State *L, int idx,
                                            struct mcp_job *job, size_t *count);

/* Can they all be asked? False: the outcome says why not. */
bool mcp_ask_may(struct mcp_job *job, const struct mcp_question *q,
                 size_t count);

/* Why mcp_ask_wait_begin() failed; static. */
const char *mcp_ask_wait_problem(enum mcp_err err);

/* What a client answered; NULL, with `why` (in the arena): it did not. */
const struct mcp_json *mcp_ask_read_wait(struct mcp_job *job,
                                         const struct mcp_ask_wait *w,
                                         const char **why);

/* The value at `idx` as JSON in the arena; NULL, with the reason in `error`. */
const struct mcp_json *mcp_ask_to_json(lua_State *L, int idx,
                                       struct mcp_job *job,
                                       struct mcp_value_error *error);

/* input_required(table) -> table */
int mcp_bind_ask_input_required(lua_State *L);

#endif
