/*
 * schema_common.h - compiling and validating from text, for the schema tests
 */
#ifndef MCP_TEST_SCHEMA_COMMON_H
#define MCP_TEST_SCHEMA_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/schema.h"

/* A value and what the schema should say about it. */
struct verdict {
    const char *schema, *value;
    bool valid;
};

/* Parses JSON text that must be right, in `a`. */
const struct mcp_json *parse_text(struct mcp_arena *a, const char *text);

/* Compiles text that must be a schema; `options` may be NULL. */
struct mcp_schema *compile_text(const char *text,
                                const struct mcp_schema_options *options);

/* What validating `value` yields; `errors` may be NULL, its texts live in
 * `a`. */
enum mcp_err validate_text(const struct mcp_schema *s, const char *value,
                           struct mcp_arena *a,
                           struct mcp_schema_errors *errors);

/* Fails the test when a verdict is not as expected. */
void check_verdicts(const struct verdict *list, size_t count,
                    const struct mcp_schema_options *options);

/* The message of a schema that must not compile, in a static buffer. */
const char *refusal(const char *schema,
                    const struct mcp_schema_options *options,
                    enum mcp_err expected);

#define CHECK(list, options)                                                   \
    check_verdicts(list, sizeof(list) / sizeof((list)[0]), options)

#endif
