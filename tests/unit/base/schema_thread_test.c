/*
 * schema_thread_test.c - one program, many threads; one thread's small stack
 */
#include <pthread.h>

#include "schema_common.h"

enum { THREADS = 4, ROUNDS = 300, STACK_BYTES = 512 << 10 };

#define EVENT                                                                  \
    "{\"type\":\"object\",\"properties\":{\"when\":{\"pattern\":\"^\\\\d+-"    \
    "\\\\d+$\"},\"list\":{\"uniqueItems\":true,\"items\":{\"$ref\":"           \
    "\"#/$defs/x\"}}},\"unevaluatedProperties\":false,\"$defs\":{\"x\":{"      \
    "\"anyOf\":[{\"type\":\"string\",\"format\":\"date\"},{\"type\":"          \
    "\"null\"}]}}}"

static void *validate_often(void *schema)
{
    struct mcp_arena *a = mcp_arena_new(1 << 22);
    struct mcp_schema_errors e;
    size_t wrong = 0;
    int i;

    for (i = 0; i < ROUNDS; i++) {
        mcp_arena_reset(a);
        wrong += validate_text(schema,
                               "{\"when\":\"2026-1\",\"list\":[null,"
                               "\"2026-01-31\"]}",
                               a, &e) != MCP_OK;
        wrong += validate_text(schema, "{\"when\":\"x\",\"list\":[1]}", a,
                               &e) != MCP_EINVAL ||
                 e.count != 2;
    }
    mcp_arena_free(a);
    return (void *)wrong;
}

static void threads_share_a_program(void **state)
{
    const struct mcp_schema_options options = {.assert_format = true};
    struct mcp_schema *s = compile_text(EVENT, &options);
    pthread_t threads[THREADS];
    void *wrong;
    size_t i;

    (void)state;
    for (i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, validate_often, s),
                         0);
    for (i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    mcp_schema_free(s);
}

/* Alternatives within alternatives, as deep as evaluation goes. */
static void *go_deep(void *schema)
{
    struct mcp_arena *a = mcp_arena_new(1 << 24);
    struct mcp_schema_errors e;
    char text[401];
    enum mcp_err err;

    memset(text, '[', 60);
    memset(text + 60, ']', 60);
    text[120] = '\0';
    err = validate_text(schema, text, a, &e);
    if (err == MCP_EINVAL) {
        memset(text, '[', 200);
        memset(text + 200, ']', 200);
        text[400] = '\0';
        err = validate_text(schema, text, a, &e);
    }
    mcp_arena_free(a);
    return (void *)(uintptr_t)err;
}

static void the_depth_limit_spares_a_small_stack(void **state)
{
    struct mcp_schema *s = compile_text(
        "{\"anyOf\":[{\"type\":\"array\",\"minItems\":1,\"items\":{\"$ref\":"
        "\"#\"}},{\"const\":1}]}",
        NULL);
    pthread_attr_t attr;
    pthread_t thread;
    void *err;

    (void)state;
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attr, go_deep, s), 0);
    assert_int_equal(pthread_join(thread, &err), 0);
    assert_int_equal((uintptr_t)err, MCP_ELIMIT);
    (void)pthread_attr_destroy(&attr);
    mcp_schema_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_program),
        cmocka_unit_test(the_depth_limit_spares_a_small_stack),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
