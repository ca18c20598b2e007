/*
 * config_table.h - the rows behind config.h
 *
 * One row per option. Parsing, --help and docs/options.md read the rows;
 * nothing else spells an option's bounds or default.
 *
 * Layer:  base, a part of config. Uses base/config.
 * Thread: any; the table is constant.
 */
#ifndef MCP_BASE_CONFIG_TABLE_H
#define MCP_BASE_CONFIG_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"

enum mcp_option_type {
    MCP_OPTION_TEXT,    /* char *, OWNED by the config                   */
    MCP_OPTION_LIST,    /* struct mcp_config_list                        */
    MCP_OPTION_BOOL,    /* bool                                          */
    MCP_OPTION_COUNT,   /* int64_t                                       */
    MCP_OPTION_BYTES,   /* int64_t; KiB, MiB, GiB may follow the digits  */
    MCP_OPTION_SECONDS, /* double                                        */
    MCP_OPTION_WORD,    /* int64_t: the place of the value in `words`    */
    MCP_OPTION_SWITCH,  /* bool: the place of the value in two `words`   */
};

/* Who may set an option; the bit of enum mcp_config_source. */
enum {
    MCP_BY_APP = 1 << MCP_FROM_APP,
    MCP_BY_ENV = 1 << MCP_FROM_ENV,
    MCP_BY_FLAG = 1 << MCP_FROM_FLAG,
    MCP_BY_PROCESS = MCP_BY_ENV | MCP_BY_FLAG,
    MCP_BY_ALL = MCP_BY_PROCESS | MCP_BY_APP,
};

enum { MCP_OPTION_MAX_NAME = 64 }; /* with prefix and NUL */

struct mcp_option {
    const char *group; /* heading in --help and docs                   */
    const char *name;  /* with underscores                             */
    enum mcp_option_type type;
    size_t offset;            /* of the field in struct mcp_config            */
    unsigned by;              /* MCP_BY_*                                     */
    const char *initial;      /* the default as text; NULL: not set    */
    double min, max;          /* COUNT, BYTES, SECONDS; inclusive      */
    const char *const *words; /* WORD, SWITCH; ends with NULL          */
    /* TEXT, LIST: NULL when text[0..) will do, else what it must be. */
    const char *(*check)(const char *text);
    const char *value; /* placeholder in --help; NULL: by type         */
    const char *help;  /* one or two sentences, no full stop at the end */
};

/* The rows, grouped; `*count` gets their number. */
const struct mcp_option *mcp_config_options(size_t *count);

/* The row of name[0..len), where '-' is '_'; NULL: none. */
const struct mcp_option *mcp_config_find(const char *name, size_t len);

/* The option's name as `source` spells it: "--call-timeout", ... */
void mcp_option_spell(const struct mcp_option *o, enum mcp_config_source source,
                      char spelt[MCP_OPTION_MAX_NAME]);

/* What values are right, as the end of a sentence: "a number of seconds from
 * 0.001 to 86400". */
void mcp_option_describe(const struct mcp_option *o, char *text, size_t size);

/* `bytes` with the largest unit that divides it: "4 MiB". */
void mcp_option_write_bytes(char *text, size_t size, double bytes);

#endif
