/*
 * schema_meta.c - the meta-schemas of 2020-12 and draft-07, without prose
 *
 * For `$ref` and `$schema`, which may name them; nothing is ever fetched.
 * Titles, comments and defaults are left out: they check nothing.
 *
 * Source: https://json-schema.org/draft/2020-12,
 * http://json-schema.org/draft-07.
 */
#include <string.h>

#include "base/schema_compiler.h"

/* clang-format off */
static const struct {
    const char *uri, *text;
} metas[] = {
    {"https://json-schema.org/draft/2020-12/schema",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":"
     "\"https://json-schema.org/draft/2020-12/schema\",\"$vocabulary\":{\"htt"
     "ps://json-schema.org/draft/2020-12/vocab/core\":true,\"https://json-sch"
     "ema.org/draft/2020-12/vocab/applicator\":true,\"https://json-schema.org"
     "/draft/2020-12/vocab/unevaluated\":true,\"https://json-schema.org/draft"
     "/2020-12/vocab/validation\":true,\"https://json-schema.org/draft/2020-1"
     "2/vocab/meta-data\":true,\"https://json-schema.org/draft/2020-12/vocab/"
     "format-annotation\":true,\"https://json-schema.org/draft/2020-12/vocab/"
     "content\":true},\"$dynamicAnchor\":\"meta\",\"allOf\":[{\"$ref\":\"meta"
     "/core\"},{\"$ref\":\"meta/applicator\"},{\"$ref\":\"meta/unevaluated\"}"
     ",{\"$ref\":\"meta/validation\"},{\"$ref\":\"meta/meta-data\"},{\"$ref\""
     ":\"meta/format-annotation\"},{\"$ref\":\"meta/content\"}],\"type\":[\"o"
     "bject\",\"boolean\"],\"properties\":{\"definitions\":{\"type\":\"object"
     "\",\"additionalProperties\":{\"$dynamicRef\":\"#meta\"}},\"dependencies"
     "\":{\"type\":\"object\",\"additionalProperties\":{\"anyOf\":[{\"$dynami"
     "cRef\":\"#meta\"},{\"$ref\":\"meta/validation#/$defs/stringArray\"}]}},"
     "\"$recursiveAnchor\":{\"$ref\":\"meta/core#/$defs/anchorString\"},\"$re"
     "cursiveRef\":{\"$ref\":\"meta/core#/$defs/uriReferenceString\"}}}"},
    {"https://json-schema.org/draft/2020-12/meta/core",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":"
     "\"https://json-schema.org/draft/2020-12/meta/core\",\"$vocabulary\":{\""
     "https://json-schema.org/draft/2020-12/vocab/core\":true},\"$dynamicAnch"
     "or\":\"meta\",\"type\":[\"object\",\"boolean\"],\"properties\":{\"$id\""
     ":{\"$ref\":\"#/$defs/uriReferenceString\",\"pattern\":\"^[^#]*#?$\"},\""
     "$schema\":{\"$ref\":\"#/$defs/uriString\"},\"$ref\":{\"$ref\":\"#/$defs"
     "/uriReferenceString\"},\"$anchor\":{\"$ref\":\"#/$defs/anchorString\"},"
     "\"$dynamicRef\":{\"$ref\":\"#/$defs/uriReferenceString\"},\"$dynamicAnc"
     "hor\":{\"$ref\":\"#/$defs/anchorString\"},\"$vocabulary\":{\"type\":\"o"
     "bject\",\"propertyNames\":{\"$ref\":\"#/$defs/uriString\"},\"additional"
     "Properties\":{\"type\":\"boolean\"}},\"$comment\":{\"type\":\"string\"}"
     ",\"$defs\":{\"type\":\"object\",\"additionalProperties\":{\"$dynamicRef"
     "\":\"#meta\"}}},\"$defs\":{\"anchorString\":{\"type\":\"string\",\"patt"
     "ern\":\"^[A-Za-z_][-A-Za-z0-9._]*$\"},\"uriString\":{\"type\":\"string"
     "\",\"format\":\"uri\"},\"uriReferenceString\":{\"type\":\"string\",\"fo"
     "rmat\":\"uri-reference\"}}}"},
    {"https://json-schema.org/draft/2020-12/meta/applicator",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":"
     "\"https://json-schema.org/draft/2020-12/meta/applicator\",\"$vocabulary"
     "\":{\"https://json-schema.org/draft/2020-12/vocab/applicator\":true},\""
     "$dynamicAnchor\":\"meta\",\"type\":[\"object\",\"boolean\"],\"propertie"
     "s\":{\"prefixItems\":{\"$ref\":\"#/$defs/schemaArray\"},\"items\":{\"$d"
     "ynamicRef\":\"#meta\"},\"contains\":{\"$dynamicRef\":\"#meta\"},\"addit"
     "ionalProperties\":{\"$dynamicRef\":\"#meta\"},\"properties\":{\"type\":"
     "\"object\",\"additionalProperties\":{\"$dynamicRef\":\"#meta\"}},\"patt"
     "ernProperties\":{\"type\":\"object\",\"additionalProperties\":{\"$dynam"
     "icRef\":\"#meta\"},\"propertyNames\":{\"format\":\"regex\"}},\"dependen"
     "tSchemas\":{\"type\":\"object\",\"additionalProperties\":{\"$dynamicRef"
     "\":\"#meta\"}},\"propertyNames\":{\"$dynamicRef\":\"#meta\"},\"if\":{\""
     "$dynamicRef\":\"#meta\"},\"then\":{\"$dynamicRef\":\"#meta\"},\"else\":"
     "{\"$dynamicRef\":\"#meta\"},\"allOf\":{\"$ref\":\"#/$defs/schemaArray\""
     "},\"anyOf\":{\"$ref\":\"#/$defs/schemaArray\"},\"oneOf\":{\"$ref\":\"#/"
     "$defs/schemaArray\"},\"not\":{\"$dynamicRef\":\"#meta\"}},\"$defs\":{\""
     "schemaArray\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"$dynamicR"
     "ef\":\"#meta\"}}}}"},
    {"https://json-schema.org/draft/2020-12/meta/unevaluated",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":"
     "\"https://json-schema.org/draft/2020-12/meta/unevaluated\",\"$vocabular"
     "y\":{\"https://json-schema.org/draft/2020-12/vocab/unevaluated\":true},"
     "\"$dynamicAnchor\":\"meta\",\"type\":[\"object\",\"boolean\"],\"propert"
     "ies\":{\"unevaluatedItems\":{\"$dynamicRef\":\"#meta\"},\"unevaluatedPr"
     "operties\":{\"$dynamicRef\":\"#meta\"}}}"},
    {"https://json-schema.org/draft/2020-12/meta/validation",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":"
     "\"https://json-schema.org/draft/2020-12/meta/validation\",\"$vocabulary"
     "\":{\"https://json-schema.org/draft/2020-12/vocab/validation\":true},\""
     "$dynamicAnchor\":\"meta\",\"type\":[\"object\",\"boolean\"],\"propertie"
     "s\":{\"type\":{\"anyOf\":[{\"$ref\":\"#/$defs/simpleTypes\"},{\"type\":"
     "\"array\",\"items\":{\"$ref\":\"#/$defs/simpleTypes\"},\"minItems\":1,"
     "\"uniqueItems\":true}]},\"const\":true,\"enum\":{\"type\":\"array\",\"i"
     "tems\":true},\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0"
     "},\"maximum\":{\"type\":\"number\"},\"exclusiveMaximum\":{\"type\":\"nu"
     "mber\"},\"minimum\":{\"type\":\"number\"},\"exclusiveMinimum\":{\"type"
     "\":\"number\"},\"maxLength\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"
     "\"minLength\":{\"$ref\":\"#/$defs/nonNegativeIntegerDefault0\"},\"patte"
     "rn\":{\"type\":\"string\",\"format\":\"regex\"},\"maxItems\":{\"$ref\":"
     "\"#/$defs/nonNegativeInteger\"},\"minItems\":{\"$ref\":\"#/$defs/nonNeg"
     "ativeIntegerDefault0\"},\"uniqueItems\":{\"type\":\"boolean\"},\"maxCon"
     "tains\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},\"minContains\":{\"$r"
     "ef\":\"#/$defs/nonNegativeInteger\"},\"maxProperties\":{\"$ref\":\"#/$d"
     "efs/nonNegativeInteger\"},\"minProperties\":{\"$ref\":\"#/$defs/nonNega"
     "tiveIntegerDefault0\"},\"required\":{\"$ref\":\"#/$defs/stringArray\"},"
     "\"dependentRequired\":{\"type\":\"object\",\"additionalProperties\":{\""
     "$ref\":\"#/$defs/stringArray\"}}},\"$defs\":{\"nonNegativeInteger\":{\""
     "type\":\"integer\",\"minimum\":0},\"nonNegativeIntegerDefault0\":{\"$re"
     "f\":\"#/$defs/nonNegativeInteger\"},\"simpleTypes\":{\"enum\":[\"array"
     "\",\"boolean\",\"integer\",\"null\",\"number\",\"object\",\"string\"]},"
     "\"stringArray\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"u"
     "niqueItems\":true}}}"},
    {"https://json-schema.org/draft/2020-12/meta/meta-data",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":"
     "\"https://json-schema.org/draft/2020-12/meta/meta-data\",\"$vocabulary"
     "\":{\"https://json-schema.org/draft/2020-12/vocab/meta-data\":true},\"$"
     "dynamicAnchor\":\"meta\",\"type\":[\"object\",\"boolean\"],\"properties"
     "\":{\"title\":{\"type\":\"string\"},\"description\":{\"type\":\"string"
     "\"},\"default\":true,\"deprecated\":{\"type\":\"boolean\"},\"readOnly\""
     ":{\"type\":\"boolean\"},\"writeOnly\":{\"type\":\"boolean\"},\"examples"
     "\":{\"type\":\"array\",\"items\":true}}}"},
    {"https://json-schema.org/draft/2020-12/meta/format-annotation",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":"
     "\"https://json-schema.org/draft/2020-12/meta/format-annotation\",\"$voc"
     "abulary\":{\"https://json-schema.org/draft/2020-12/vocab/format-annotat"
     "ion\":true},\"$dynamicAnchor\":\"meta\",\"type\":[\"object\",\"boolean"
     "\"],\"properties\":{\"format\":{\"type\":\"string\"}}}"},
    {"https://json-schema.org/draft/2020-12/meta/format-assertion",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":"
     "\"https://json-schema.org/draft/2020-12/meta/format-assertion\",\"$voca"
     "bulary\":{\"https://json-schema.org/draft/2020-12/vocab/format-assertio"
     "n\":true},\"$dynamicAnchor\":\"meta\",\"type\":[\"object\",\"boolean\"]"
     ",\"properties\":{\"format\":{\"type\":\"string\"}}}"},
    {"https://json-schema.org/draft/2020-12/meta/content",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":"
     "\"https://json-schema.org/draft/2020-12/meta/content\",\"$vocabulary\":"
     "{\"https://json-schema.org/draft/2020-12/vocab/content\":true},\"$dynam"
     "icAnchor\":\"meta\",\"type\":[\"object\",\"boolean\"],\"properties\":{"
     "\"contentEncoding\":{\"type\":\"string\"},\"contentMediaType\":{\"type"
     "\":\"string\"},\"contentSchema\":{\"$dynamicRef\":\"#meta\"}}}"},
    {"http://json-schema.org/draft-07/schema",
     "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"$id\":\"http"
     "://json-schema.org/draft-07/schema#\",\"definitions\":{\"schemaArray\":"
     "{\"type\":\"array\",\"minItems\":1,\"items\":{\"$ref\":\"#\"}},\"nonNeg"
     "ativeInteger\":{\"type\":\"integer\",\"minimum\":0},\"nonNegativeIntege"
     "rDefault0\":{\"allOf\":[{\"$ref\":\"#/definitions/nonNegativeInteger\"}"
     ",{}]},\"simpleTypes\":{\"enum\":[\"array\",\"boolean\",\"integer\",\"nu"
     "ll\",\"number\",\"object\",\"string\"]},\"stringArray\":{\"type\":\"arr"
     "ay\",\"items\":{\"type\":\"string\"},\"uniqueItems\":true}},\"type\":["
     "\"object\",\"boolean\"],\"properties\":{\"$id\":{\"type\":\"string\",\""
     "format\":\"uri-reference\"},\"$schema\":{\"type\":\"string\",\"format\""
     ":\"uri\"},\"$ref\":{\"type\":\"string\",\"format\":\"uri-reference\"},"
     "\"$comment\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},\"de"
     "scription\":{\"type\":\"string\"},\"default\":true,\"readOnly\":{\"type"
     "\":\"boolean\"},\"examples\":{\"type\":\"array\",\"items\":true},\"mult"
     "ipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0},\"maximum\":{\"ty"
     "pe\":\"number\"},\"exclusiveMaximum\":{\"type\":\"number\"},\"minimum\""
     ":{\"type\":\"number\"},\"exclusiveMinimum\":{\"type\":\"number\"},\"max"
     "Length\":{\"$ref\":\"#/definitions/nonNegativeInteger\"},\"minLength\":"
     "{\"$ref\":\"#/definitions/nonNegativeIntegerDefault0\"},\"pattern\":{\""
     "type\":\"string\",\"format\":\"regex\"},\"additionalItems\":{\"$ref\":"
     "\"#\"},\"items\":{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#/definitions"
     "/schemaArray\"}]},\"maxItems\":{\"$ref\":\"#/definitions/nonNegativeInt"
     "eger\"},\"minItems\":{\"$ref\":\"#/definitions/nonNegativeIntegerDefaul"
     "t0\"},\"uniqueItems\":{\"type\":\"boolean\"},\"contains\":{\"$ref\":\"#"
     "\"},\"maxProperties\":{\"$ref\":\"#/definitions/nonNegativeInteger\"},"
     "\"minProperties\":{\"$ref\":\"#/definitions/nonNegativeIntegerDefault0"
     "\"},\"required\":{\"$ref\":\"#/definitions/stringArray\"},\"additionalP"
     "roperties\":{\"$ref\":\"#\"},\"definitions\":{\"type\":\"object\",\"add"
     "itionalProperties\":{\"$ref\":\"#\"}},\"properties\":{\"type\":\"object"
     "\",\"additionalProperties\":{\"$ref\":\"#\"}},\"patternProperties\":{\""
     "type\":\"object\",\"additionalProperties\":{\"$ref\":\"#\"},\"propertyN"
     "ames\":{\"format\":\"regex\"}},\"dependencies\":{\"type\":\"object\",\""
     "additionalProperties\":{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#/defin"
     "itions/stringArray\"}]}},\"propertyNames\":{\"$ref\":\"#\"},\"const\":t"
     "rue,\"enum\":{\"type\":\"array\",\"items\":true},\"type\":{\"anyOf\":[{"
     "\"$ref\":\"#/definitions/simpleTypes\"},{\"type\":\"array\",\"items\":{"
     "\"$ref\":\"#/definitions/simpleTypes\"},\"minItems\":1,\"uniqueItems\":"
     "true}]},\"format\":{\"type\":\"string\"},\"contentMediaType\":{\"type\""
     ":\"string\"},\"contentEncoding\":{\"type\":\"string\"},\"if\":{\"$ref\""
     ":\"#\"},\"then\":{\"$ref\":\"#\"},\"else\":{\"$ref\":\"#\"},\"allOf\":{"
     "\"$ref\":\"#/definitions/schemaArray\"},\"anyOf\":{\"$ref\":\"#/definit"
     "ions/schemaArray\"},\"oneOf\":{\"$ref\":\"#/definitions/schemaArray\"},"
     "\"not\":{\"$ref\":\"#\"}}}"},
};
/* clang-format on */

const char *schema_meta_text(const char *uri)
{
    size_t i;

    for (i = 0; i < sizeof(metas) / sizeof(metas[0]); i++)
        if (strcmp(uri, metas[i].uri) == 0)
            return metas[i].text;
    return NULL;
}
