/*
 * skills_read.h - the files of skills, for resources/read
 *
 * Layer:  features. Uses features/skills_walk, features/skills_open.
 * Thread: starts on the caller's thread, may end on a worker.
 * Source: SEP-2640, "Reading Skill Content".
 */
#ifndef MCP_FEATURES_SKILLS_READ_H
#define MCP_FEATURES_SKILLS_READ_H

#include <stdbool.h>

#include "features/request.h"

enum mcp_skills_read {
    MCP_SKILLS_NOT_THEIRS, /* no skill has it: look elsewhere            */
    MCP_SKILLS_ANSWERED,   /* written, or the fault is set               */
    MCP_SKILLS_LATER,      /* the request ends later                     */
};

/* Reads the file at `uri` (a string) if a skill has it. A source that is asked
 * may not have it: then otherwise(rq, uri) comes, on a worker, with the meaning
 * of done() in features/skills_walk.h. */
enum mcp_skills_read mcp_skills_read(
    struct mcp_request *rq, const struct mcp_json *uri,
    bool (*otherwise)(struct mcp_request *rq, const struct mcp_json *uri));

#endif
