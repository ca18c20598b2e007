/*
 * skills_walk.h - asking the sources of skills, one after the other
 *
 * Each source is a run of its own in Lua, with its own guards and time limit.
 * They are asked in order of declaration; a source with a prefix is only asked
 * for what is below it. What the first failing one says is the answer.
 *
 *     begin -> source 1 -> take() -> source 2 -> take() -> ... -> done()
 *
 * Layer:  features. Uses features/launch, features/request,
 *         features/skill_uri.
 * Thread: begins on the caller's thread; take() and done() come on a worker,
 *         or at once when nobody is to be asked.
 */
#ifndef MCP_FEATURES_SKILLS_WALK_H
#define MCP_FEATURES_SKILLS_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "features/launch.h"
#include "features/request.h"

struct mcp_skill_walk {
    enum mcp_skill_op op;
    const char *word;           /* args.op of MCP_SKILL_OP_LIST; else NULL  */
    const struct mcp_json *uri; /* a string, or NULL                        */
    /* A source has answered (a result). True: ask the next one. False: that
     * was the answer, or the fault is set. */
    bool (*take)(struct mcp_request *rq, struct mcp_skill_walk *w,
                 const struct mcp_outcome *o);
    /* All have been asked. True: the request goes on and ends later; nothing of
     * it may be touched any more. False: it ends with what is written. */
    bool (*done)(struct mcp_request *rq, struct mcp_skill_walk *w);
    void *user;

    size_t next; /* private: the source to be asked next */
};

/* Has `rq` sources that could know `uri` (NULL: any)? */
bool mcp_skills_may_know(const struct mcp_generation *gen,
                         const struct mcp_json *uri);

/* Do the guards of the server want to be asked (MCP_SKILL_OP_GUARD) before a
 * skill that the host keeps is served? */
bool mcp_skills_are_guarded(const struct mcp_generation *gen);

/* Begins; `w` lies in the call's arena. True: the request ends later. False: it
 * is the caller's to end. */
bool mcp_skills_walk(struct mcp_request *rq,
                     struct mcp_skill_walk *w) MCP_MUST_USE;

/* May uri[0..len) be a URI below skill:// (features/skill_uri.h)? */
bool mcp_skills_uri_is_sound(const char *uri, size_t len);

/* The JSON that a source told, as a tree in the call's arena. NULL: the fault
 * is set. */
const struct mcp_json *mcp_skills_tree(struct mcp_request *rq,
                                       const struct mcp_outcome *o);

#endif
