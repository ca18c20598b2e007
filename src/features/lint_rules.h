/*
 * lint_rules.h - the rules by name, and how a rule is reported
 *
 * Layer:  features. Private to src/features/lint*.c.
 * Thread: one at a time.
 */
#ifndef MCP_FEATURES_LINT_RULES_H
#define MCP_FEATURES_LINT_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "features/lint.h"

/* The order of docs/check.md. */
enum lint_rule {
    LINT_TOOLS_NONE,
    LINT_TOOLS_MANY,
    LINT_SERVER_NAME,
    LINT_NAME_LONG,
    LINT_NAME_DOT,
    LINT_NAME_STYLE,
    LINT_NAME_SIMILAR,
    LINT_TITLE_DUPLICATE,
    LINT_DESCRIPTION_MISSING,
    LINT_DESCRIPTION_LONG,
    LINT_ITEM_DESCRIPTION,
    LINT_ARGUMENT_DESCRIPTION,
    LINT_PROMPT_ARGUMENT,
    LINT_ARGUMENT_NAME,
    LINT_PROPERTIES_MISSING,
    LINT_TYPE_MISSING,
    LINT_TYPE_ARRAY,
    LINT_BOOLEAN_SCHEMA,
    LINT_ENUM_NOT_STRING,
    LINT_UNION_NULL,
    LINT_ITEMS_UNION,
    LINT_ROOT_COMPOSITION,
    LINT_COMPOSITION,
    LINT_REF,
    LINT_DIALECT,
    LINT_NON_OBJECT,
    LINT_MAP,
    LINT_CLOSED,
    LINT_REQUIRED_UNKNOWN,
    LINT_REQUIRED_UNDECLARED,
    LINT_DEFAULT_INVALID,
    LINT_EXAMPLE_INVALID,
    LINT_KEYWORD_UNKNOWN,
    LINT_FORMAT_UNKNOWN,
    LINT_PATTERN,
    LINT_SCHEMA_DEEP,
    LINT_SCHEMA_LARGE,
    LINT_OUTPUT_BOXED,
    LINT_ANNOTATION_UNKNOWN,
    LINT_RULE_COUNT,
};

/* A run in progress: where it is, and what it has found. */
struct lint {
    struct mcp_arena *arena;
    const struct mcp_generation *gen;
    const struct mcp_tool *tool; /* NULL: no tool    */
    struct mcp_lint_item item;
    const struct mcp_tool *odd, *usual; /* names of two styles, or NULL */
    struct mcp_buf path;                /* JSON pointer of the place    */
    struct mcp_finding *items;          /* in the arena */
    size_t count, cap;
    size_t by_severity[MCP_LINT_SEVERITY_COUNT];
    bool no_memory;
};

/* Adds a finding at the present place. */
void lint_report(struct lint *l, enum lint_rule rule, const char *fmt, ...)
    MCP_PRINTF(3, 4);

/* One step down; give the result to lint_leave(). */
size_t lint_enter(struct lint *l, const char *name);
size_t lint_enter_key(struct lint *l, const struct mcp_json *key);
size_t lint_enter_index(struct lint *l, uint32_t index);
static inline void lint_leave(struct lint *l, size_t place)
{
    l->path.len = place;
}

/* The printable start of a JSON string, for "%s". */
struct lint_text {
    char text[80];
};
struct lint_text lint_show(const struct mcp_json *string);

/* Judges a text of the present place by its length; `what` is its name. */
void lint_description(struct lint *l, const char *what, const char *text,
                      size_t len);

/* Equal but for case and for '_', '-' and '.'? */
bool lint_is_similar(const char *a, const char *b);

/* lint_items.c: judges resources, templates and prompts. */
void lint_items(struct lint *l);

/* lint_schema.c: judges one schema of the tool, the place being its root. */
void lint_schema(struct lint *l, const struct mcp_json *root, bool is_input);

/* lint_keyword.c: what one schema object says, whatever is around it. */
void lint_keywords(struct lint *l, const struct mcp_json *schema);

/* lint_value.c: the defaults and examples of a schema, judged by the schema
 * itself once it has been walked. */
struct lint_values {
    struct lint *l;
    const struct mcp_json *root;
    size_t root_place; /* length of the path that leads to it */
    struct lint_value *first, **end;
    uint32_t count;
};
void lint_values_begin(struct lint_values *v, struct lint *l,
                       const struct mcp_json *root);
/* Notes the `default` and `examples` of `schema`, at the present place. */
void lint_values_note(struct lint_values *v, const struct mcp_json *schema);
void lint_values_judge(struct lint_values *v);

#endif
