/*
 * skill_common.h - a folder of skills made by a test, and its index
 *
 * Use skill_set_up and skill_tear_down for each test; there is one folder at a
 * time.
 */
#ifndef MCP_TESTS_SKILL_COMMON_H
#define MCP_TESTS_SKILL_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/skill_index.h"

extern char skill_folder[32];
extern struct mcp_skill_index *skill_index; /* freed by the tear down */

int skill_set_up(void **state);
int skill_tear_down(void **state);

/* The place on disk of `path`; valid until the call after the next. */
const char *skill_disk(const char *path);

/* Writes a file, with the folders above it. */
void skill_put_n(const char *path, const char *bytes, size_t len);
void skill_put(const char *path, const char *text);

/* Writes `path`/SKILL.md with the name of the folder. */
void skill_make(const char *path);

/* A file of `len` bytes without content. */
void skill_put_hole(const char *path, long len);

/* Opens skill_index on skill_folder; frees the one before. */
void skill_load(void);
void skill_load_with(const struct mcp_skill_options *options);

/* The skill at skill://PATH/SKILL.md, which has to be there. */
const struct mcp_skill *skill_get(const char *path);
size_t skill_count(void);

/* Is the text one of a file, a skill, a folder of the index? */
bool skill_has_file(const char *uri);
bool skill_has_folder(const char *uri);

/* There is a report on a file that ends with `file`, whose reason has
 * `reason`. `line` -1: any. */
void skill_expect(enum mcp_skill_severity severity, const char *file, int line,
                  const char *reason);
size_t skill_reports(enum mcp_skill_severity severity);

#endif
