/*
 * schema.h - JSON Schema: compiled once, evaluated many times
 *
 * A schema is a parsed JSON document. Compiling turns it into an immutable
 * program that owns all its memory; the document may die. Evaluation runs the
 * program on a parsed value, needs no lock, keeps no state, and takes memory
 * only from the caller's arena.
 *
 *     normalize (drop nulls) --> validate --> fill_defaults --> the handler
 *
 * Dialects: 2020-12 whole, draft-07 (and 2019-09, draft-06 as its subset) by
 * `$schema`. Nothing is ever fetched: a `$ref` reaches the schema itself, what
 * is embedded in it, the documents given in the options, and the meta-schemas
 * of 2020-12 and draft-07. Numbers are compared exactly, by their text.
 *
 * Layer:  base. Uses base/json, base/arena, base/err.
 * Thread: a compiled schema is constant: any number of threads at once.
 * Source: JSON Schema 2020-12 core and validation; draft-07.
 */
#ifndef MCP_BASE_SCHEMA_H
#define MCP_BASE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

struct mcp_schema;

enum mcp_schema_draft {
    MCP_SCHEMA_2020_12 = 0,
    MCP_SCHEMA_2019_09,
    MCP_SCHEMA_DRAFT_07,
};

/* A further document that `$ref` and `$schema` may name; nothing is fetched. */
struct mcp_schema_resource {
    const char *uri; /* absolute, without fragment */
    const struct mcp_json *doc;
};

/* All zero is a good choice. A pattern has at most 16 KiB. */
struct mcp_schema_options {
    enum mcp_schema_draft default_draft; /* for a schema without `$schema` */
    bool assert_format;                  /* `format` is binding, not a remark */
    const struct mcp_schema_resource *resources; /* BORROWED for the call */
    size_t resource_count;
    uint32_t max_subschemas;      /* 0 = 20 000                              */
    uint32_t max_depth;           /* nested evaluations; 0 = 256             */
    uint64_t max_steps;           /* work of one validation; 0 = 50 million  */
    uint32_t max_errors;          /* collected by one validation; 0 = 32     */
    uint32_t pattern_match_limit; /* backtracking of one match; 0 = 1 million */
};

/* One broken rule. All texts are NUL-terminated UTF-8 of bounded length. */
struct mcp_schema_error {
    const char *instance_path; /* JSON pointer; "" is the whole value */
    const char *schema_path;   /* where the keyword stands: JSON pointer into
                                  the schema; "uri#pointer" when it stands in
                                  another document */
    const char *keyword;       /* "type", "required" ...; "false" for a false
                                  schema */
    const char *message;       /* "must be a string, got number" */
};

struct mcp_schema_errors {
    const struct mcp_schema_error *items; /* in the order of the value */
    size_t count;
    bool truncated; /* there are more than max_errors */
};

void mcp_schema_free(struct mcp_schema *s);

/* Compiles `doc` into `*out`, OWNED: mcp_schema_free(). `options` may be NULL.
 * On an error `message` gets one sentence with the JSON pointer of the place
 * and what is wrong there ("/properties/a/type: unknown type \"int\"; ...").
 * Errors: MCP_EINVAL not a schema, or a reference that leads nowhere;
 * MCP_ELIMIT too many subschemas or too deep; MCP_ENOMEM. */
enum mcp_err mcp_schema_compile(const struct mcp_json *doc,
                                const struct mcp_schema_options *options,
                                struct mcp_schema **out, char *message,
                                size_t message_size) MCP_MUST_USE;

/* Is `value` valid? `errors` may be NULL (yes or no only); else, on
 * MCP_EINVAL, it gets what is wrong, in `a`. Needs `a` only for errors,
 * patterns, large uniqueItems and unevaluated*.
 * Errors: MCP_EINVAL invalid; MCP_ELIMIT the work, the depth or a pattern's
 * match limit was reached, nothing is known; MCP_ENOMEM the arena is full. */
enum mcp_err mcp_schema_validate(const struct mcp_schema *s,
                                 const struct mcp_json *value,
                                 struct mcp_arena *a,
                                 struct mcp_schema_errors *errors) MCP_MUST_USE;

/* Before validating: `*out` is `value` without the members that are null,
 * declared under `properties`, not required, and may not be null by their
 * schema; at every depth of properties, items, prefixItems and
 * additionalProperties, through `$ref` and `allOf`. Copy on write: `value`
 * itself when there is nothing to drop; else new parts in `a`.
 * Errors: MCP_ELIMIT, MCP_ENOMEM as above. */
enum mcp_err mcp_schema_normalize(const struct mcp_schema *s,
                                  const struct mcp_json *value,
                                  struct mcp_arena *a,
                                  const struct mcp_json **out) MCP_MUST_USE;

/* After validating: `*out` is `value` with the `default` of every absent
 * member of `properties`, at the same places as above; what was added stands
 * behind the rest, in schema order. `default: null` is never filled in. Copy
 * on write, in `a`; the defaults themselves are BORROWED from `s`.
 * Errors: MCP_ELIMIT, MCP_ENOMEM as above. */
enum mcp_err mcp_schema_fill_defaults(const struct mcp_schema *s,
                                      const struct mcp_json *value,
                                      struct mcp_arena *a,
                                      const struct mcp_json **out) MCP_MUST_USE;

#endif
