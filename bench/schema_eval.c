/*
 * schema_eval.c - validating small documents, as each tools/call does
 *
 * Prints, a line each: name, n, ns/op, bytes/op of the arena. The document is
 * parsed once; what is measured is the validation (and the two fillers) alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/schema.h"

enum { ROUNDS = 7, OPS = 200000 };

struct subject {
    const char *name, *schema, *value;
    bool fill; /* normalize and fill defaults instead of validating */
    bool fails;
};

#define WEATHER                                                                \
    "{\"type\":\"object\",\"properties\":{\"location\":{\"type\":\"string\"}," \
    "\"units\":{\"type\":\"string\",\"enum\":[\"celsius\",\"fahrenheit\"]},"   \
    "\"days\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10},"            \
    "\"detail\":{\"type\":\"boolean\",\"default\":false}},\"required\":["      \
    "\"location\"],\"additionalProperties\":false}"

#define EVENT                                                                  \
    "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\","     \
    "\"minLength\":1,\"maxLength\":200},\"when\":{\"type\":\"string\","        \
    "\"pattern\":\"^\\\\d{4}-\\\\d{2}-\\\\d{2}$\"},\"attendees\":{\"type\":"   \
    "\"array\",\"maxItems\":50,\"items\":{\"$ref\":\"#/$defs/person\"}},"      \
    "\"place\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}},"      \
    "\"required\":[\"title\",\"when\"],\"additionalProperties\":false,"        \
    "\"$defs\":{\"person\":{\"type\":\"object\",\"properties\":{\"name\":{"    \
    "\"type\":\"string\"},\"mail\":{\"type\":\"string\"}},\"required\":["      \
    "\"name\"],\"additionalProperties\":false}}}"

static const struct subject subjects[] = {
    {"schema_eval/weather", WEATHER,
     "{\"location\":\"Bern\",\"units\":\"celsius\",\"days\":3}", false, false},
    {"schema_eval/weather_faults", WEATHER,
     "{\"loaction\":\"Bern\",\"units\":\"kelvin\",\"days\":30}", false, true},
    {"schema_eval/weather_fill", WEATHER,
     "{\"location\":\"Bern\",\"units\":\"celsius\",\"days\":3}", true, false},
    {"schema_eval/event", EVENT,
     "{\"title\":\"Meeting\",\"when\":\"2026-01-31\",\"attendees\":[{\"name\":"
     "\"Ann\",\"mail\":\"ann@example.com\"},{\"name\":\"Bob\"}],\"place\":"
     "null}",
     false, false},
    {"schema_eval/unevaluated",
     "{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"}}},{"
     "\"properties\":{\"b\":{\"type\":\"string\"}}}],\"properties\":{\"c\":"
     "true},\"unevaluatedProperties\":false}",
     "{\"a\":1,\"b\":\"x\",\"c\":null}", false, false},
    {"schema_eval/meta_schema",
     "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}", WEATHER,
     false, false},
};

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void die(const char *name)
{
    (void)fprintf(stderr, "schema_eval: %s\n", name);
    exit(1);
}

static const struct mcp_json *parse(struct mcp_arena *a, const char *text)
{
    const struct mcp_json *v;

    if (mcp_json_parse(a, text, strlen(text), NULL, &v, NULL) != MCP_OK)
        die(text);
    return v;
}

static void run_once(const struct subject *b, const struct mcp_schema *s,
                     const struct mcp_json *v, struct mcp_arena *a)
{
    struct mcp_schema_errors errors;
    const struct mcp_json *out;

    mcp_arena_reset(a);
    if (b->fill) {
        if (mcp_schema_normalize(s, v, a, &out) != MCP_OK ||
            mcp_schema_fill_defaults(s, out, a, &out) != MCP_OK)
            die(b->name);
    } else if ((mcp_schema_validate(s, v, a, &errors) == MCP_OK) == b->fails)
        die(b->name);
}

static void measure(const struct subject *b)
{
    struct mcp_arena *doc = mcp_arena_new(1 << 20);
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    struct mcp_schema *s;
    const struct mcp_json *v;
    double best = 1e300, start;
    char message[300];
    int round, i;

    if (doc == NULL || a == NULL ||
        mcp_schema_compile(parse(doc, b->schema), NULL, &s, message,
                           sizeof(message)) != MCP_OK)
        die(b->name);
    v = parse(doc, b->value);
    for (round = 0; round < ROUNDS; round++) {
        start = now_ns();
        for (i = 0; i < OPS; i++)
            run_once(b, s, v, a);
        start = (now_ns() - start) / OPS;
        best = start < best ? start : best;
    }
    (void)printf("%s n=%d %.0f ns/op %zu bytes/op\n", b->name, OPS, best,
                 mcp_arena_used_bytes(a));
    mcp_schema_free(s);
    mcp_arena_free(a);
    mcp_arena_free(doc);
}

int main(void)
{
    size_t i;

    for (i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
        measure(&subjects[i]);
    return 0;
}
