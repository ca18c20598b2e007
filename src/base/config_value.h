/*
 * config_value.h - text to the value of one option
 *
 * Layer:  base, private to config. Uses base/config_table.
 * Thread: any.
 */
#ifndef MCP_BASE_CONFIG_VALUE_H
#define MCP_BASE_CONFIG_VALUE_H

#include "base/config_table.h"

/* What a text meant; which member counts is told by the option's type. */
struct mcp_option_value {
    char *text; /* TEXT: OWNED */
    struct mcp_config_list list;
    int64_t count; /* COUNT, BYTES, WORD */
    double seconds;
    bool flag; /* BOOL, SWITCH */
};

/* Reads `text` as a value of `o`. `problem` gets the end of a sentence that
 * begins with the option's name ("must be a whole number from 0 to 65535, not
 * \"x\"").
 * Errors: MCP_EINVAL see `problem`; MCP_ENOMEM. */
enum mcp_err mcp_option_parse(const struct mcp_option *o, const char *text,
                              struct mcp_option_value *out, char *problem,
                              size_t problem_size) MCP_MUST_USE;

/* Frees what a value of a list owns; the list is empty. */
void mcp_config_list_free(struct mcp_config_list *list);

/* Moves every item of `from` to the end of `to`; `from` is empty then.
 * Errors: MCP_ENOMEM, nothing has moved. */
enum mcp_err mcp_config_list_append(struct mcp_config_list *to,
                                    struct mcp_config_list *from) MCP_MUST_USE;

#endif
