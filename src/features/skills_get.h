/*
 * skills_get.h - skills/get: the entry of one skill, listed or not
 *
 * Layer:  features. Uses features/skills_walk, features/skills_entry.
 * Thread: starts on the caller's thread, may end on a worker.
 * Source: SEP-2640, "Getting a Skill".
 */
#ifndef MCP_FEATURES_SKILLS_GET_H
#define MCP_FEATURES_SKILLS_GET_H

#include "features/request.h"

/* The method skills/get. */
void mcp_skills_get(struct mcp_request *rq);

#endif
