/*
 * yaml_text.h - characters that no YAML text may have
 *
 * Layer:  base. Private to src/base/yaml*.c. Uses base/json (UTF-8).
 * Thread: any.
 */
#ifndef MCP_BASE_YAML_TEXT_H
#define MCP_BASE_YAML_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/yaml.h"

/* Is text[0..len) UTF-8 of printable characters whose lines end with LF or CR
 * LF? If not, `*error` tells where. */
bool mcp_yaml_text_check(const char *text, size_t len,
                         struct mcp_yaml_error *error);

/* The line, from 1, of text[at]. */
int mcp_yaml_text_line(const char *text, size_t at);

/* What to do about a problem that libyaml words so. Static. */
const char *mcp_yaml_text_advice(const char *problem);

#endif
