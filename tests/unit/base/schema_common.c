/*
 * schema_common.c - see schema_common.h
 */
#include "schema_common.h"

enum { ARENA_BYTES = 64 << 20 };

const struct mcp_json *parse_text(struct mcp_arena *a, const char *text)
{
    const struct mcp_json_options options = {.max_depth = 1000};
    const struct mcp_json *v = NULL;

    if (mcp_json_parse(a, text, strlen(text), &options, &v, NULL) != MCP_OK)
        fail_msg("not JSON: %.200s", text);
    return v;
}

struct mcp_schema *compile_text(const char *text,
                                const struct mcp_schema_options *options)
{
    struct mcp_arena *a = mcp_arena_new(ARENA_BYTES);
    struct mcp_schema *s = NULL;
    char message[600] = "";

    if (mcp_schema_compile(parse_text(a, text), options, &s, message,
                           sizeof(message)) != MCP_OK)
        fail_msg("%.200s: %s", text, message);
    mcp_arena_free(a); /* the program must not need the document */
    return s;
}

enum mcp_err validate_text(const struct mcp_schema *s, const char *value,
                           struct mcp_arena *a,
                           struct mcp_schema_errors *errors)
{
    return mcp_schema_validate(s, parse_text(a, value), a, errors);
}

void check_verdicts(const struct verdict *list, size_t count,
                    const struct mcp_schema_options *options)
{
    struct mcp_schema_errors errors;
    struct mcp_schema *s;
    struct mcp_arena *a;
    size_t i;

    for (i = 0; i < count; i++) {
        enum mcp_err expected = list[i].valid ? MCP_OK : MCP_EINVAL;

        a = mcp_arena_new(ARENA_BYTES);
        s = compile_text(list[i].schema, options);
        memset(&errors, 0, sizeof(errors));
        if (validate_text(s, list[i].value, a, &errors) != expected)
            fail_msg("%s should be %s by %s", list[i].value,
                     list[i].valid ? "valid" : "invalid", list[i].schema);
        if (validate_text(s, list[i].value, a, NULL) != expected)
            fail_msg("%s by %s differs without errors", list[i].value,
                     list[i].schema);
        assert_true((errors.count > 0) == !list[i].valid);
        mcp_schema_free(s);
        mcp_arena_free(a);
    }
}

const char *refusal(const char *schema,
                    const struct mcp_schema_options *options,
                    enum mcp_err expected)
{
    static char message[600];
    struct mcp_arena *a = mcp_arena_new(ARENA_BYTES);
    struct mcp_schema *s = NULL;

    message[0] = '\0';
    assert_int_equal(mcp_schema_compile(parse_text(a, schema), options, &s,
                                        message, sizeof(message)),
                     expected);
    assert_null(s);
    assert_true(mcp_utf8_valid(message, strlen(message), NULL));
    mcp_arena_free(a);
    return message;
}
