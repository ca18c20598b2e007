/*
 * yaml_layout.h - layout that libyaml takes and YAML 1.2 does not
 *
 * YAML 1.2 wants every line that continues a value indented deeper than what
 * the value is in. libyaml lets the lines of quoted text and of [] and {} begin
 * anywhere; clients that read by YAML 1.2 then refuse the skill. So:
 *
 *     tags: [a,        refused: "b" is not deeper than "tags"
 *     b]
 *
 * It looks at one event after the other and keeps no more than where each open
 * collection begins.
 *
 * Layer:  base. Private to src/base/yaml*.c. Uses libyaml's events.
 * Thread: one at a time.
 * Source: YAML 1.2.2, 6.1 indentation spaces, 7.4 flow collections.
 */
#ifndef MCP_BASE_YAML_LAYOUT_H
#define MCP_BASE_YAML_LAYOUT_H

#include <stdbool.h>
#include <yaml.h>

#include "base/yaml.h"

struct mcp_yaml_open {
    bool flow, map, expects_key;
    bool placed; /* `indent` is known from its beginning */
    long indent; /* column of its keys or dashes; flow: of what it is in */
};

struct mcp_yaml_layout {
    const char *text;
    size_t len;
    size_t index, at; /* a character of the text and its byte */
    struct mcp_yaml_open open[MCP_YAML_MAX_DEPTH + 1];
    size_t depth; /* of `open`; deeper ones are refused by their depth */
};

/* Takes the next event of the document. False: `*error` says which line is
 * wrong. */
bool mcp_yaml_layout_check(struct mcp_yaml_layout *l, const yaml_event_t *event,
                           struct mcp_yaml_error *error);

#endif
