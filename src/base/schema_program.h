/*
 * schema_program.h - the compiled form of a schema, shared by the engine's
 * parts
 *
 * Private to src/base/schema*.c. One node per subschema; a node is a type mask
 * and a list of operations. Everything lies in the arena of the program and is
 * constant once compiled.
 *
 *     node --ops--> {$ref -> node} {object -> property -> node} {minimum 3} ...
 *
 * Layer:  base. Uses base/schema, base/regex.
 * Thread: constant after compiling.
 */
#ifndef MCP_BASE_SCHEMA_PROGRAM_H
#define MCP_BASE_SCHEMA_PROGRAM_H

#include "base/format.h"
#include "base/regex.h"
#include "base/schema.h"

/* Type bits. A number in the value has both number bits; a schema that says
 * "integer" has only SCHEMA_INTEGER, one that says "number" has both. */
enum {
    SCHEMA_NULL = 1,
    SCHEMA_BOOLEAN = 2,
    SCHEMA_INTEGER = 4,
    SCHEMA_FRACTION = 8,
    SCHEMA_NUMBER = SCHEMA_INTEGER | SCHEMA_FRACTION,
    SCHEMA_STRING = 16,
    SCHEMA_ARRAY = 32,
    SCHEMA_OBJECT = 64,
    SCHEMA_ANY = 127,
};

/* A set of names with an index by hash. */
struct schema_name {
    const char *text;
    uint32_t len;
};

struct schema_names {
    const struct schema_name *items;
    const uint32_t *slots; /* index + 1, 0 = free; NULL for a short list */
    uint32_t count, mask;
};

/* Where a subschema stands in its document: a chain of pointer segments. The
 * first link is the document itself, `text` its URI ("" = the schema). */
struct schema_place {
    const struct schema_place *up;
    const char *text; /* NULL: `index` is the segment */
    uint32_t len, index;
};

struct schema_node;

struct schema_property {
    const struct schema_node *node; /* NULL: only required, not declared */
    uint64_t required_bit;          /* 0: not required, or too many are */
};

struct schema_pattern {
    const struct mcp_regex *regex;
    const struct schema_node *node;
};

/* properties, patternProperties, additionalProperties and required in one. */
struct schema_object {
    struct schema_names names;
    const struct schema_property *properties; /* by the index of `names` */
    const struct schema_pattern *patterns;
    const struct schema_node *additional; /* NULL: anything goes, unmarked */
    const uint32_t *required;             /* indices of `names`            */
    uint64_t required_mask; /* all required bits; 0 when there are over 64 */
    uint32_t pattern_count, required_count;
};

struct schema_nodes {
    const struct schema_node *const *items;
    uint32_t count;
};

struct schema_items {
    struct schema_nodes prefix;
    const struct schema_node *rest; /* NULL: anything goes, unmarked */
    const char *rest_keyword;       /* "items" or "additionalItems" */
};

struct schema_contains {
    const struct schema_node *node;
    uint64_t min, max;
    bool marks; /* 2020-12: what matched counts as evaluated */
};

struct schema_choice {
    const struct schema_node *test, *yes, *no; /* yes, no may be NULL */
};

struct schema_enum {
    const struct mcp_json *values;
    uint32_t count;
    bool only_strings; /* then `names` holds them */
    struct schema_names names;
};

/* dependentRequired, dependentSchemas and dependencies. */
struct schema_dependency {
    struct schema_name trigger;
    const struct schema_node *node;     /* NULL: `required` holds */
    const struct schema_name *required; /* the names that must be there */
    uint32_t required_count;
};

struct schema_dependencies {
    const struct schema_dependency *items;
    uint32_t count;
};

struct schema_dynamic {
    const struct schema_node *node; /* when the scope has no better one */
    uint32_t anchor;
};

enum schema_op_kind {
    SCHEMA_OP_REF,
    SCHEMA_OP_DYNAMIC_REF,
    SCHEMA_OP_ALL_OF,
    SCHEMA_OP_ANY_OF,
    SCHEMA_OP_ONE_OF,
    SCHEMA_OP_NOT,
    SCHEMA_OP_IF,
    SCHEMA_OP_CONST,
    SCHEMA_OP_ENUM,
    SCHEMA_OP_OBJECT,
    SCHEMA_OP_PROPERTY_NAMES,
    SCHEMA_OP_MIN_PROPERTIES,
    SCHEMA_OP_MAX_PROPERTIES,
    SCHEMA_OP_DEPENDENCIES,
    SCHEMA_OP_ITEMS,
    SCHEMA_OP_CONTAINS,
    SCHEMA_OP_MIN_ITEMS,
    SCHEMA_OP_MAX_ITEMS,
    SCHEMA_OP_UNIQUE_ITEMS,
    SCHEMA_OP_MINIMUM,
    SCHEMA_OP_MAXIMUM,
    SCHEMA_OP_EXCLUSIVE_MINIMUM,
    SCHEMA_OP_EXCLUSIVE_MAXIMUM,
    SCHEMA_OP_MULTIPLE_OF,
    SCHEMA_OP_MIN_LENGTH,
    SCHEMA_OP_MAX_LENGTH,
    SCHEMA_OP_PATTERN,
    SCHEMA_OP_FORMAT,
    SCHEMA_OP_UNEVALUATED_ITEMS,
    SCHEMA_OP_UNEVALUATED_PROPERTIES,
};

struct schema_op {
    uint8_t kind;  /* enum schema_op_kind */
    uint8_t types; /* the op is skipped for values of other types */
    const char *keyword;
    union {
        const struct schema_node *node;
        const struct schema_dynamic *dynamic;
        const struct schema_nodes *nodes;
        const struct schema_choice *choice;
        const struct mcp_json *value;
        const struct schema_enum *choices;
        const struct schema_object *object;
        const struct schema_dependencies *dependencies;
        const struct schema_items *items;
        const struct schema_contains *contains;
        uint64_t count;
        struct {
            const struct mcp_regex *regex;
            const char *text; /* the pattern as it was written */
        } pattern;
        const struct mcp_format *format;
    } u;
};

struct schema_node {
    const struct schema_op *ops;
    uint32_t op_count;
    uint8_t types; /* what `type` allows; SCHEMA_ANY without it */
    bool never;    /* the schema is `false` */
    bool tracks;   /* has unevaluatedItems or unevaluatedProperties */
    uint8_t color; /* compiling only: search for circles */
    uint32_t resource;
    const struct schema_place *place;
    const struct mcp_json *default_value; /* NULL: none, or null */
};

/* What $dynamicRef finds in a resource: anchor number -> node. */
struct schema_anchor {
    uint32_t anchor;
    const struct schema_node *node;
};

struct schema_resource {
    const struct schema_anchor *anchors;
    uint32_t anchor_count;
};

struct mcp_schema {
    struct mcp_arena *arena; /* holds all of this but the regexes' innards */
    const struct schema_node *root;
    const struct schema_resource *resources;
    struct mcp_regex **regexes;
    uint32_t regex_count;
    bool has_defaults; /* some node has a default */
    bool dynamic;      /* has $dynamicRef: evaluation keeps the dynamic scope */
    uint32_t max_depth, max_errors, pattern_match_limit;
    uint64_t max_steps;
};

/* Has the node nothing to check? */
static inline bool schema_node_is_true(const struct schema_node *n)
{
    return n->op_count == 0 && n->types == SCHEMA_ANY && !n->never;
}

/* Makes a set of items[0..count), which it compacts to the distinct ones and
 * keeps; the index lies in `a`. where[i] (may be NULL) gets the place of the
 * i-th item. False: the arena is full. */
bool schema_names_index(struct schema_names *names, struct mcp_arena *a,
                        struct schema_name *items, uint32_t count,
                        uint32_t *where) MCP_MUST_USE;

/* The index of a name, or -1. `hint`: look there first. */
int64_t schema_names_find(const struct schema_names *names, const char *text,
                          uint32_t len, uint32_t hint);

#endif
