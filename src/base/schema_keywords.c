/*
 * schema_keywords.c - the table of keywords: who reads them, what they hold
 *
 * The index asks for the shape, the compiler for the function. Keywords of one
 * group (properties and its companions, items and its companions) share a
 * function that handles the group at its first member.
 */
#include "base/schema_compiler.h"

/* clang-format off */
#define OP(name) SCHEMA_OP_##name
static const struct schema_keyword keywords[] = {
 /* name, revisions, shape, validation, op, types, compile */
 {"$ref", SCHEMA_ALL, SCHEMA_VALUE, false, OP(REF), SCHEMA_ANY, schema_kw_ref},
 {"$dynamicRef", SCHEMA_2020, SCHEMA_VALUE, false, OP(DYNAMIC_REF), SCHEMA_ANY,
  schema_kw_dynamic_ref},
 {"$recursiveRef", SCHEMA_2019, SCHEMA_VALUE, false, OP(DYNAMIC_REF),
  SCHEMA_ANY, schema_kw_recursive_ref},
 {"$id", SCHEMA_ALL, SCHEMA_VALUE, false, 0, 0, schema_kw_name},
 {"$anchor", SCHEMA_SINCE_2019, SCHEMA_VALUE, false, 0, 0, schema_kw_name},
 {"$dynamicAnchor", SCHEMA_2020, SCHEMA_VALUE, false, 0, 0, schema_kw_name},
 {"$defs", SCHEMA_SINCE_2019, SCHEMA_MAP, false, 0, 0, schema_kw_held},
 {"$defs", SCHEMA_07, SCHEMA_MAP, false, 0, 0, NULL},
 {"definitions", SCHEMA_ALL, SCHEMA_MAP, false, 0, 0, schema_kw_held},
 {"contentSchema", SCHEMA_SINCE_2019, SCHEMA_ONE, false, 0, 0, schema_kw_held},
 {"type", SCHEMA_ALL, SCHEMA_VALUE, true, 0, SCHEMA_ANY, schema_kw_type},
 {"enum", SCHEMA_ALL, SCHEMA_VALUE, true, OP(ENUM), SCHEMA_ANY, schema_kw_enum},
 {"const", SCHEMA_ALL, SCHEMA_VALUE, true, OP(CONST), SCHEMA_ANY,
  schema_kw_const},
 {"properties", SCHEMA_ALL, SCHEMA_MAP, false, OP(OBJECT), SCHEMA_OBJECT,
  schema_kw_object},
 {"patternProperties", SCHEMA_ALL, SCHEMA_MAP, false, OP(OBJECT),
  SCHEMA_OBJECT, schema_kw_object},
 {"additionalProperties", SCHEMA_ALL, SCHEMA_ONE, false, OP(OBJECT),
  SCHEMA_OBJECT, schema_kw_object},
 {"required", SCHEMA_ALL, SCHEMA_VALUE, true, OP(OBJECT), SCHEMA_OBJECT,
  schema_kw_object},
 {"propertyNames", SCHEMA_ALL, SCHEMA_ONE, false, OP(PROPERTY_NAMES),
  SCHEMA_OBJECT, schema_kw_one},
 {"minProperties", SCHEMA_ALL, SCHEMA_VALUE, true, OP(MIN_PROPERTIES),
  SCHEMA_OBJECT, schema_kw_count},
 {"maxProperties", SCHEMA_ALL, SCHEMA_VALUE, true, OP(MAX_PROPERTIES),
  SCHEMA_OBJECT, schema_kw_count},
 {"dependentRequired", SCHEMA_SINCE_2019, SCHEMA_VALUE, true, OP(DEPENDENCIES),
  SCHEMA_OBJECT, schema_kw_dependencies},
 {"dependentSchemas", SCHEMA_SINCE_2019, SCHEMA_MAP, false, OP(DEPENDENCIES),
  SCHEMA_OBJECT, schema_kw_dependencies},
 {"dependencies", SCHEMA_ALL, SCHEMA_MAP_OR_NAMES, false, OP(DEPENDENCIES),
  SCHEMA_OBJECT, schema_kw_dependencies},
 {"prefixItems", SCHEMA_2020, SCHEMA_LIST, false, OP(ITEMS), SCHEMA_ARRAY,
  schema_kw_items},
 {"items", SCHEMA_2020, SCHEMA_ONE, false, OP(ITEMS), SCHEMA_ARRAY,
  schema_kw_items},
 {"items", SCHEMA_UNTIL_2019, SCHEMA_ONE_OR_LIST, false, OP(ITEMS),
  SCHEMA_ARRAY, schema_kw_items},
 {"additionalItems", SCHEMA_UNTIL_2019, SCHEMA_ONE, false, OP(ITEMS),
  SCHEMA_ARRAY, schema_kw_items},
 {"contains", SCHEMA_ALL, SCHEMA_ONE, false, OP(CONTAINS), SCHEMA_ARRAY,
  schema_kw_contains},
 {"minContains", SCHEMA_SINCE_2019, SCHEMA_VALUE, true, 0, 0, schema_kw_bound},
 {"maxContains", SCHEMA_SINCE_2019, SCHEMA_VALUE, true, 0, 0, schema_kw_bound},
 {"minItems", SCHEMA_ALL, SCHEMA_VALUE, true, OP(MIN_ITEMS), SCHEMA_ARRAY,
  schema_kw_count},
 {"maxItems", SCHEMA_ALL, SCHEMA_VALUE, true, OP(MAX_ITEMS), SCHEMA_ARRAY,
  schema_kw_count},
 {"uniqueItems", SCHEMA_ALL, SCHEMA_VALUE, true, OP(UNIQUE_ITEMS),
  SCHEMA_ARRAY, schema_kw_unique},
 {"minimum", SCHEMA_ALL, SCHEMA_VALUE, true, OP(MINIMUM), SCHEMA_NUMBER,
  schema_kw_number},
 {"maximum", SCHEMA_ALL, SCHEMA_VALUE, true, OP(MAXIMUM), SCHEMA_NUMBER,
  schema_kw_number},
 {"exclusiveMinimum", SCHEMA_ALL, SCHEMA_VALUE, true, OP(EXCLUSIVE_MINIMUM),
  SCHEMA_NUMBER, schema_kw_number},
 {"exclusiveMaximum", SCHEMA_ALL, SCHEMA_VALUE, true, OP(EXCLUSIVE_MAXIMUM),
  SCHEMA_NUMBER, schema_kw_number},
 {"multipleOf", SCHEMA_ALL, SCHEMA_VALUE, true, OP(MULTIPLE_OF), SCHEMA_NUMBER,
  schema_kw_number},
 {"minLength", SCHEMA_ALL, SCHEMA_VALUE, true, OP(MIN_LENGTH), SCHEMA_STRING,
  schema_kw_count},
 {"maxLength", SCHEMA_ALL, SCHEMA_VALUE, true, OP(MAX_LENGTH), SCHEMA_STRING,
  schema_kw_count},
 {"pattern", SCHEMA_ALL, SCHEMA_VALUE, true, OP(PATTERN), SCHEMA_STRING,
  schema_kw_pattern},
 {"format", SCHEMA_ALL, SCHEMA_VALUE, false, OP(FORMAT), SCHEMA_STRING,
  schema_kw_format},
 {"allOf", SCHEMA_ALL, SCHEMA_LIST, false, OP(ALL_OF), SCHEMA_ANY,
  schema_kw_list},
 {"anyOf", SCHEMA_ALL, SCHEMA_LIST, false, OP(ANY_OF), SCHEMA_ANY,
  schema_kw_list},
 {"oneOf", SCHEMA_ALL, SCHEMA_LIST, false, OP(ONE_OF), SCHEMA_ANY,
  schema_kw_list},
 {"not", SCHEMA_ALL, SCHEMA_ONE, false, OP(NOT), SCHEMA_ANY, schema_kw_one},
 {"if", SCHEMA_ALL, SCHEMA_ONE, false, OP(IF), SCHEMA_ANY, schema_kw_if},
 {"then", SCHEMA_ALL, SCHEMA_ONE, false, 0, 0, schema_kw_held},
 {"else", SCHEMA_ALL, SCHEMA_ONE, false, 0, 0, schema_kw_held},
 {"unevaluatedItems", SCHEMA_SINCE_2019, SCHEMA_ONE, false,
  OP(UNEVALUATED_ITEMS), SCHEMA_ARRAY, schema_kw_one},
 {"unevaluatedProperties", SCHEMA_SINCE_2019, SCHEMA_ONE, false,
  OP(UNEVALUATED_PROPERTIES), SCHEMA_OBJECT, schema_kw_one},
};
#undef OP
/* clang-format on */

const struct schema_keyword *schema_keyword_find(const struct mcp_json *name,
                                                 uint8_t revision)
{
    size_t i;

    for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
        if ((keywords[i].revisions & revision) != 0 &&
            mcp_json_equals_string(name, keywords[i].name))
            return &keywords[i];
    return NULL;
}
