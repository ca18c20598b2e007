/*
 * skills_list.h - skills/list: the entries of all skills that are listed
 *
 * Without sources the pages are written beforehand. With them each caller may
 * see others: static skills come first, then those of each source in order; of
 * several entries with one URI the first counts.
 *
 * Layer:  features. Uses features/skills_walk, features/paging,
 *         features/prepared.
 * Thread: preparing: the loader's; else any.
 * Source: SEP-2640, "Listing Skills".
 */
#ifndef MCP_FEATURES_SKILLS_LIST_H
#define MCP_FEATURES_SKILLS_LIST_H

#include <stdbool.h>

#include "features/prepared.h"
#include "features/request.h"

/* Writes the pages of static skills to p->skill_list; `b` is scratch, empty.
 * False: out of memory. */
bool mcp_skills_list_prepare(const struct mcp_generation *gen,
                             struct mcp_prepared *p, struct mcp_buf *b);

/* The method skills/list. */
void mcp_skills_list(struct mcp_request *rq);

#endif
