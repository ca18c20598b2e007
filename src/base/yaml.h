/*
 * yaml.h - one YAML mapping, as front matter is, to a JSON tree
 *
 * libyaml finds the structure; plain scalars are read by the core schema of
 * YAML 1.2, as clients do: `no`, `2024-05-01` and `1_000` are text, `1.0`,
 * `0x1f` and `1e3` are numbers, `~` and nothing are null, 010 is ten. What is
 * quoted stays text. Where readers of YAML 1.1 (many of them Python) see
 * something else, the parse succeeds and tells it as a doubt. Numbers keep all
 * their digits.
 *
 * Refused is what has no JSON or no single meaning: keys that are not text, a
 * key that comes twice, merge keys (<<), tags other than those of the core
 * schema, .inf, .nan, a second document, NUL and other control characters,
 * characters that only YAML 1.1 takes for line ends. Aliases are replaced by
 * what they stand for, and everything is counted as often as it then appears:
 * a text of a few lines cannot grow beyond the limits below.
 *
 * Layer:  base. Uses base/json, base/arena; libyaml.
 * Thread: any.
 * Source: YAML 1.2.2, 10.3 core schema; libyaml 0.2.
 */
#ifndef MCP_BASE_YAML_H
#define MCP_BASE_YAML_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

enum {
    MCP_YAML_MAX_TEXT = 64 << 10,  /* bytes of the text                */
    MCP_YAML_MAX_BYTES = 64 << 10, /* of keys and scalars in the tree  */
    MCP_YAML_MAX_NODES = 10000,    /* values in the tree; keys count   */
    MCP_YAML_MAX_DEPTH = 32,       /* nested mappings and sequences    */
    MCP_YAML_MAX_ANCHORS = 256,
    MCP_YAML_MAX_DOUBTS = 64, /* more are not told */
};

/* Why a text was refused. */
struct mcp_yaml_error {
    int line;           /* of the text, from 1 */
    char reason[200];   /* UTF-8, lower case, no full stop */
    const char *advice; /* what would be right; static */
};

/* A plain scalar that not all readers take for the same. */
struct mcp_yaml_doubt {
    int line;
    const char *text;   /* NUL-terminated, cut to 40 bytes */
    const char *here;   /* "text", "the number 14": static or in the arena */
    const char *yaml11; /* what readers of YAML 1.1 see; static */
};

struct mcp_yaml_doubts {
    const struct mcp_yaml_doubt *items;
    size_t count;
};

/* Parses text[0..len), whose root must be a mapping. The tree lives in `a` and
 * borrows nothing; key.number is the line of the key. `doubts` (in `a`) and
 * `error` may be NULL.
 * Errors: MCP_EINVAL the text is wrong, MCP_ELIMIT it is larger than a limit
 * above, see `error`; MCP_ENOMEM. */
enum mcp_err mcp_yaml_parse(struct mcp_arena *a, const char *text, size_t len,
                            const struct mcp_json **out,
                            struct mcp_yaml_doubts *doubts,
                            struct mcp_yaml_error *error) MCP_MUST_USE;

#endif
