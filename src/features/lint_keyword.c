/*
 * lint_keyword.c - type, enum, format, pattern, and keywords with a slip
 */
#include <string.h>

#include "base/format.h"
#include "base/suggest.h"
#include "features/lint_rules.h"

/* All that JSON Schema has, from draft-06 on; a name that is near to none of
 * them is somebody's extension. */
static const char *const keywords[] = {"$anchor",
                                       "$comment",
                                       "$defs",
                                       "$dynamicAnchor",
                                       "$dynamicRef",
                                       "$id",
                                       "$recursiveAnchor",
                                       "$recursiveRef",
                                       "$ref",
                                       "$schema",
                                       "$vocabulary",
                                       "additionalItems",
                                       "additionalProperties",
                                       "allOf",
                                       "anyOf",
                                       "const",
                                       "contains",
                                       "contentEncoding",
                                       "contentMediaType",
                                       "contentSchema",
                                       "default",
                                       "definitions",
                                       "dependencies",
                                       "dependentRequired",
                                       "dependentSchemas",
                                       "deprecated",
                                       "description",
                                       "else",
                                       "enum",
                                       "examples",
                                       "exclusiveMaximum",
                                       "exclusiveMinimum",
                                       "format",
                                       "if",
                                       "items",
                                       "maxContains",
                                       "maxItems",
                                       "maxLength",
                                       "maxProperties",
                                       "maximum",
                                       "minContains",
                                       "minItems",
                                       "minLength",
                                       "minProperties",
                                       "minimum",
                                       "multipleOf",
                                       "not",
                                       "oneOf",
                                       "pattern",
                                       "patternProperties",
                                       "prefixItems",
                                       "properties",
                                       "propertyNames",
                                       "readOnly",
                                       "required",
                                       "then",
                                       "title",
                                       "type",
                                       "unevaluatedItems",
                                       "unevaluatedProperties",
                                       "uniqueItems",
                                       "writeOnly"};

enum { KEYWORD_COUNT = sizeof(keywords) / sizeof(keywords[0]) };

static void lint_spelling(struct lint *l, const struct mcp_json *key)
{
    const char *near;
    size_t place;

    for (size_t i = 0; i < KEYWORD_COUNT; i++)
        if (mcp_json_equals_string(key, keywords[i]))
            return;
    /* Of short names everything is near. */
    if (key->count < 4 || memcmp(key->u.text, "x-", 2) == 0)
        return;
    near = mcp_suggest(key->u.text, key->count, keywords, KEYWORD_COUNT);
    if (near == NULL)
        return;
    place = lint_enter_key(l, key);
    lint_report(l, LINT_KEYWORD_UNKNOWN,
                "\"%s\" is no keyword of JSON Schema; did you mean \"%s\"?",
                lint_show(key).text, near);
    lint_leave(l, place);
}

static void lint_enum(struct lint *l, const struct mcp_json *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->u.items[i].type != MCP_JSON_STRING) {
            lint_report(l, LINT_ENUM_NOT_STRING, "a value of the enum is a %s",
                        mcp_json_type_name(&list->u.items[i]));
            return;
        }
}

static void lint_format(struct lint *l, const struct mcp_json *format)
{
    /* t.int64 says so itself */
    if (!mcp_json_equals_string(format, "int64") &&
        mcp_format_find(format->u.text, format->count) == NULL)
        lint_report(l, LINT_FORMAT_UNKNOWN, "JSON Schema has no format \"%s\"",
                    lint_show(format).text);
}

/* What simple pattern engines lack: the name of the first of it, or NULL. */
static const char *find_hard_part(const char *p, const char *end)
{
    for (; p < end; p++) {
        size_t left = (size_t)(end - p);

        if (*p == '\\' && left > 1) {
            p++;
            if ((*p >= '1' && *p <= '9') || *p == 'k')
                return "a backreference";
            if (*p == 'p' || *p == 'P')
                return "\\p{}";
        } else if (left > 2 && memcmp(p, "(?", 2) == 0) {
            if (p[2] == '=' || p[2] == '!')
                return "lookahead";
            if (left > 3 && p[2] == '<' && (p[3] == '=' || p[3] == '!'))
                return "lookbehind";
        }
    }
    return NULL;
}

static void lint_pattern(struct lint *l, const struct mcp_json *pattern)
{
    const char *part =
        find_hard_part(pattern->u.text, pattern->u.text + pattern->count);

    if (part != NULL)
        lint_report(l, LINT_PATTERN, "the pattern uses %s", part);
}

static void lint_pattern_keys(struct lint *l, const struct mcp_json *map)
{
    for (uint32_t i = 0; i < map->count; i++) {
        size_t place = lint_enter_key(l, &map->u.members[i].key);

        lint_pattern(l, &map->u.members[i].key);
        lint_leave(l, place);
    }
}

static void lint_type_array(struct lint *l, const struct mcp_json *types)
{
    lint_report(l, LINT_TYPE_ARRAY, "type is a list of %u", types->count);
}

static void lint_schema_description(struct lint *l, const struct mcp_json *text)
{
    lint_description(l, "the schema", text->u.text, text->count);
}

void lint_keywords(struct lint *l, const struct mcp_json *schema)
{
    static const struct {
        const char *name;
        enum mcp_json_type type;
        void (*judge)(struct lint *l, const struct mcp_json *value);
    } judges[] = {
        {"type", MCP_JSON_ARRAY, lint_type_array},
        {"description", MCP_JSON_STRING, lint_schema_description},
        {"enum", MCP_JSON_ARRAY, lint_enum},
        {"format", MCP_JSON_STRING, lint_format},
        {"pattern", MCP_JSON_STRING, lint_pattern},
        {"patternProperties", MCP_JSON_OBJECT, lint_pattern_keys},
    };

    for (uint32_t i = 0; i < schema->count; i++) {
        const struct mcp_json_member *m = &schema->u.members[i];
        size_t place;

        lint_spelling(l, &m->key);
        place = lint_enter_key(l, &m->key);
        for (size_t k = 0; k < sizeof(judges) / sizeof(judges[0]); k++)
            if (mcp_json_equals_string(&m->key, judges[k].name) &&
                m->value.type == judges[k].type)
                judges[k].judge(l, &m->value);
        lint_leave(l, place);
    }
}
