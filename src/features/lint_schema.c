/*
 * lint_schema.c - the walk through one schema
 *
 * Places differ. A property or an item has to say what it is. A branch of
 * anyOf, a condition, what stands under `not`, only adds to the schema that it
 * belongs to: there, a missing type is no fault (`loose`).
 */
#include <ctype.h>
#include <string.h>

#include "features/lint_rules.h"

enum { MAX_LEVELS = 10, MAX_ARGUMENT_NAME = 64 };

enum place { ROOT, PROPERTY, ITEM, OTHER };

struct walk {
    struct lint *l;
    struct lint_values values;
    bool is_input, ref_told, depth_told;
};

struct spot {
    enum place place;
    bool loose;
    uint32_t level; /* of the root: 1 */
};

/* The keywords with schemas in them. */
static const struct child {
    const char *name;
    enum { ONE, MAP } shape; /* ONE is a list of schemas as well */
    enum place place;
    bool loose, may_be_boolean;
} children[] = {
    {"properties", MAP, PROPERTY, false, false},
    {"patternProperties", MAP, ITEM, false, false},
    {"$defs", MAP, ITEM, false, false},
    {"definitions", MAP, ITEM, false, false},
    {"items", ONE, ITEM, false, false},
    {"prefixItems", ONE, ITEM, false, false},
    {"additionalItems", ONE, OTHER, false, true},
    {"unevaluatedItems", ONE, OTHER, false, true},
    {"additionalProperties", ONE, OTHER, false, true},
    {"unevaluatedProperties", ONE, OTHER, false, true},
    {"contains", ONE, OTHER, true, false},
    {"contentSchema", ONE, OTHER, true, false},
    {"propertyNames", ONE, OTHER, true, false},
    {"allOf", ONE, OTHER, true, false},
    {"anyOf", ONE, OTHER, true, false},
    {"oneOf", ONE, OTHER, true, false},
    {"not", ONE, OTHER, true, false},
    {"if", ONE, OTHER, true, false},
    {"then", ONE, OTHER, true, false},
    {"else", ONE, OTHER, true, false},
    {"dependentSchemas", MAP, OTHER, true, false},
    {"dependencies", MAP, OTHER, true, false},
};

static const char *const references[] = {"$ref", "$dynamicRef", "$recursiveRef",
                                         "$defs", "definitions"};
static const char *const compositions[] = {"allOf", "anyOf", "oneOf", "not",
                                           "if"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool has_one_of(const struct mcp_json *schema, const char *const *names,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mcp_json_find(schema, names[i]) != NULL)
            return true;
    return false;
}

static bool is_reference(const struct mcp_json *schema)
{
    return has_one_of(schema, references, 3);
}

static void report_at(struct walk *w, const char *keyword, enum lint_rule rule,
                      const char *message)
{
    size_t place = lint_enter(w->l, keyword);

    lint_report(w->l, rule, "%s", message);
    lint_leave(w->l, place);
}

/* ---- what a schema has to say ---- */

static bool says_object(const struct mcp_json *schema)
{
    const struct mcp_json *type = mcp_json_find(schema, "type");

    return type != NULL && (type->type == MCP_JSON_ARRAY ||
                            mcp_json_equals_string(type, "object"));
}

static void check_type(struct walk *w, const struct mcp_json *schema,
                       const struct spot *at)
{
    const struct mcp_json *type = mcp_json_find(schema, "type");
    bool has_properties = mcp_json_find(schema, "properties") != NULL ||
                          mcp_json_find(schema, "required") != NULL;

    if (has_properties && !says_object(schema) && (type != NULL || !at->loose))
        lint_report(w->l, LINT_NON_OBJECT,
                    "properties in a schema that is not of type object");
    else if (type == NULL && (at->place == PROPERTY || at->place == ITEM) &&
             !at->loose && !is_reference(schema) &&
             !has_one_of(schema, compositions, 3))
        lint_report(w->l, LINT_TYPE_MISSING, "the schema says no type");
    if (at->place == ROOT && w->is_input &&
        mcp_json_find(schema, "properties") == NULL)
        lint_report(w->l, LINT_PROPERTIES_MISSING,
                    "the input schema has no \"properties\"");
}

static bool is_identifier(const struct mcp_json *name)
{
    for (uint32_t i = 0; i < name->count; i++) {
        unsigned char c = (unsigned char)name->u.text[i];

        if (c >= 0x80 || (!isalnum(c) && c != '_') || (i == 0 && isdigit(c)))
            return false;
    }
    return name->count > 0 && name->count <= MAX_ARGUMENT_NAME;
}

static bool is_blank(const struct mcp_json *text)
{
    if (!mcp_json_is(text, MCP_JSON_STRING))
        return true;
    for (uint32_t i = 0; i < text->count; i++)
        if (!isspace((unsigned char)text->u.text[i]))
            return false;
    return true;
}

/* A property of the arguments, at any depth. */
static void check_argument(struct walk *w, const struct mcp_json *name,
                           const struct mcp_json *schema)
{
    if (!is_identifier(name))
        lint_report(w->l, LINT_ARGUMENT_NAME, "the name \"%s\"",
                    lint_show(name).text);
    if (schema->type == MCP_JSON_OBJECT && !is_reference(schema) &&
        is_blank(mcp_json_find(schema, "description")))
        lint_report(w->l, LINT_ARGUMENT_DESCRIPTION,
                    "\"%s\" has no description", lint_show(name).text);
}

/* ---- what it had better not say ---- */

static bool has_null_branch(const struct mcp_json *list)
{
    if (!mcp_json_is(list, MCP_JSON_ARRAY))
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (mcp_json_equals_string(mcp_json_find(&list->u.items[i], "type"),
                                   "null"))
            return true;
    return false;
}

static enum lint_rule rule_of_composition(const struct walk *w,
                                          const struct mcp_json *value,
                                          const struct spot *at)
{
    if (at->place == ROOT && w->is_input)
        return LINT_ROOT_COMPOSITION;
    if (at->place == ITEM && value->type == MCP_JSON_ARRAY)
        return LINT_ITEMS_UNION;
    return has_null_branch(value) ? LINT_UNION_NULL : LINT_COMPOSITION;
}

static void check_composition(struct walk *w, const struct mcp_json *schema,
                              const struct spot *at)
{
    for (size_t i = 0; i < COUNT(compositions) && !at->loose; i++) {
        const struct mcp_json *v = mcp_json_find(schema, compositions[i]);
        size_t place;

        if (v == NULL)
            continue;
        place = lint_enter(w->l, compositions[i]);
        lint_report(w->l, rule_of_composition(w, v, at), "%s %s",
                    at->place == ROOT ? "the root has" : "the schema has",
                    compositions[i]);
        lint_leave(w->l, place);
    }
}

/* The first reference or definition speaks for all of them. */
static void check_references(struct walk *w, const struct mcp_json *schema)
{
    for (size_t i = 0; i < COUNT(references) && !w->ref_told; i++)
        if (mcp_json_find(schema, references[i]) != NULL) {
            w->ref_told = true;
            report_at(w, references[i], LINT_REF,
                      "the schema has definitions or references");
        }
}

static void check_map(struct walk *w, const struct mcp_json *schema)
{
    if (mcp_json_is(mcp_json_find(schema, "additionalProperties"),
                    MCP_JSON_OBJECT))
        report_at(w, "additionalProperties", LINT_MAP,
                  "additionalProperties is a schema");
}

/* ---- required ---- */

/* May properties of the schema be declared elsewhere? */
static bool borrows_properties(const struct mcp_json *schema)
{
    static const char *const lenders[] = {"$ref",
                                          "$dynamicRef",
                                          "$recursiveRef",
                                          "patternProperties",
                                          "allOf",
                                          "anyOf",
                                          "oneOf",
                                          "if",
                                          "dependentSchemas",
                                          "dependencies"};

    return has_one_of(schema, lenders, COUNT(lenders));
}

static void check_required_name(struct walk *w, const struct mcp_json *schema,
                                const struct mcp_json *name)
{
    bool closed = mcp_json_is(mcp_json_find(schema, "additionalProperties"),
                              MCP_JSON_FALSE) &&
                  mcp_json_find(schema, "patternProperties") == NULL;

    if (closed)
        lint_report(w->l, LINT_REQUIRED_UNKNOWN,
                    "\"%s\" is required, not declared, and no other property "
                    "is allowed",
                    lint_show(name).text);
    else if (!borrows_properties(schema))
        lint_report(w->l, LINT_REQUIRED_UNDECLARED,
                    "\"%s\" is required but not declared",
                    lint_show(name).text);
}

static void check_required(struct walk *w, const struct mcp_json *schema,
                           const struct spot *at)
{
    const struct mcp_json *list = mcp_json_find(schema, "required");
    const struct mcp_json *properties = mcp_json_find(schema, "properties");
    size_t place;

    if (!mcp_json_is(list, MCP_JSON_ARRAY) || at->loose)
        return;
    place = lint_enter(w->l, "required");
    for (uint32_t i = 0; i < list->count; i++) {
        const struct mcp_json *name = &list->u.items[i];
        size_t here = lint_enter_index(w->l, i);

        if (name->type == MCP_JSON_STRING &&
            mcp_json_find_n(properties, name->u.text, name->count) == NULL)
            check_required_name(w, schema, name);
        lint_leave(w->l, here);
    }
    lint_leave(w->l, place);
}

/* ---- the walk ---- */

static void walk(struct walk *w, const struct mcp_json *schema,
                 const struct spot *at);

static void walk_one(struct walk *w, const struct child *c,
                     const struct mcp_json *schema, const struct spot *below)
{
    bool is_boolean =
        schema->type == MCP_JSON_TRUE || schema->type == MCP_JSON_FALSE;

    if (is_boolean && !c->may_be_boolean)
        lint_report(w->l, LINT_BOOLEAN_SCHEMA, "the schema is %s",
                    schema->type == MCP_JSON_TRUE ? "true" : "false");
    if (schema->type == MCP_JSON_OBJECT)
        walk(w, schema, below);
}

static void walk_map(struct walk *w, const struct child *c,
                     const struct mcp_json *map, const struct spot *below)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const struct mcp_json_member *m = &map->u.members[i];
        size_t place = lint_enter_key(w->l, &m->key);

        if (below->place == PROPERTY && !below->loose && w->is_input)
            check_argument(w, &m->key, &m->value);
        walk_one(w, c, &m->value, below);
        lint_leave(w->l, place);
    }
}

static void walk_list(struct walk *w, const struct child *c,
                      const struct mcp_json *list, const struct spot *below)
{
    for (uint32_t i = 0; i < list->count; i++) {
        size_t place = lint_enter_index(w->l, i);

        walk_one(w, c, &list->u.items[i], below);
        lint_leave(w->l, place);
    }
}

static void walk_child(struct walk *w, const struct child *c,
                       const struct mcp_json *value, const struct spot *at)
{
    struct spot below = {c->place, at->loose || c->loose, at->level + 1};

    if (c->shape == ONE && value->type == MCP_JSON_ARRAY)
        walk_list(w, c, value, &below);
    else if (c->shape == ONE)
        walk_one(w, c, value, &below);
    else if (value->type == MCP_JSON_OBJECT)
        walk_map(w, c, value, &below);
}

static void walk_member(struct walk *w, const struct mcp_json_member *m,
                        const struct spot *at)
{
    size_t place;

    for (size_t i = 0; i < COUNT(children); i++)
        if (mcp_json_equals_string(&m->key, children[i].name)) {
            place = lint_enter_key(w->l, &m->key);
            walk_child(w, &children[i], &m->value, at);
            lint_leave(w->l, place);
            return;
        }
}

static void walk(struct walk *w, const struct mcp_json *schema,
                 const struct spot *at)
{
    if (at->level > MAX_LEVELS && !w->depth_told) {
        w->depth_told = true;
        lint_report(w->l, LINT_SCHEMA_DEEP, "more than %d levels of schemas",
                    MAX_LEVELS);
    }
    check_type(w, schema, at);
    lint_keywords(w->l, schema);
    check_composition(w, schema, at);
    check_references(w, schema);
    check_map(w, schema);
    check_required(w, schema, at);
    lint_values_note(&w->values, schema);
    for (uint32_t i = 0; i < schema->count; i++)
        walk_member(w, &schema->u.members[i], at);
}

void lint_schema(struct lint *l, const struct mcp_json *root, bool is_input)
{
    const struct spot top = {ROOT, false, 1};
    struct walk w = {.l = l, .is_input = is_input};

    if (root->type != MCP_JSON_OBJECT)
        return;
    lint_values_begin(&w.values, l, root);
    if (mcp_json_find(root, "$schema") != NULL)
        report_at(&w, "$schema", LINT_DIALECT, "the schema has $schema");
    walk(&w, root, &top);
    lint_values_judge(&w.values);
}
