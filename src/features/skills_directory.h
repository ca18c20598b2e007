/*
 * skills_directory.h - resources/directory/read: what is directly in a folder
 *
 * The folders of static skills, and those that the files of sources are in; a
 * folder may have children of both.
 *
 * Layer:  features. Uses features/skills_walk, features/paging.
 * Thread: starts on the caller's thread, may end on a worker.
 * Source: SEP-2640, "Reading Directories".
 */
#ifndef MCP_FEATURES_SKILLS_DIRECTORY_H
#define MCP_FEATURES_SKILLS_DIRECTORY_H

#include "features/request.h"

/* The method resources/directory/read. */
void mcp_skills_directory(struct mcp_request *rq);

#endif
