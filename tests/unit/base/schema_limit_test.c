/*
 * schema_limit_test.c - hostile schemas and values stay within the bounds
 */
#include <time.h>

#include "schema_common.h"

/* `head` n times, `middle`, `tail` n times. */
static char *nested(const char *head, size_t n, const char *middle,
                    const char *tail)
{
    size_t h = strlen(head), t = strlen(tail), m = strlen(middle), i;
    char *text = malloc(n * (h + t) + m + 1), *p = text;

    assert_non_null(text);
    for (i = 0; i < n; i++, p += h)
        memcpy(p, head, h);
    memcpy(p, middle, m);
    p += m;
    for (i = 0; i < n; i++, p += t)
        memcpy(p, tail, t);
    *p = '\0';
    return text;
}

/* A list "[part,part,...]" with a number in place of each '#'. */
static char *numbered(const char *open, const char *part, size_t n,
                      const char *close)
{
    size_t size = strlen(open) + strlen(close) + n * (strlen(part) + 12) + 1;
    char *text = malloc(size), *p = text;
    const char *mark = strchr(part, '#');
    size_t i;

    assert_non_null(text);
    p += snprintf(p, size, "%s", open);
    for (i = 0; i < n; i++)
        p += snprintf(p, size - (size_t)(p - text), "%s%.*s%zu%s",
                      i > 0 ? "," : "", (int)(mark - part), part, i, mark + 1);
    (void)snprintf(p, size - (size_t)(p - text), "%s", close);
    return text;
}

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void depth_of_evaluation(void **state)
{
    const struct mcp_schema_options options = {.max_depth = 10};
    struct mcp_schema *s = compile_text(
        "{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"minProperties\":0}",
        &options);
    struct mcp_arena *a = mcp_arena_new(1 << 20);

    (void)state;
    /* each level of the value takes two: the member's node and its target */
    assert_int_equal(
        validate_text(s, "{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}", a, NULL),
        MCP_OK);
    assert_int_equal(
        validate_text(s, "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}}", a, NULL),
        MCP_ELIMIT);
    mcp_schema_free(s);
    mcp_arena_free(a);
}

static void steps_of_evaluation(void **state)
{
    const struct mcp_schema_options options = {.max_steps = 100};
    char *fits = numbered("[", "#", 99, "]"); /* and one for the root */
    char *many = numbered("[", "#", 100, "]");
    struct mcp_schema *s =
        compile_text("{\"items\":{\"type\":\"integer\"}}", &options);
    struct mcp_arena *a = mcp_arena_new(1 << 20);

    (void)state;
    assert_int_equal(validate_text(s, fits, a, NULL), MCP_OK);
    assert_int_equal(validate_text(s, many, a, NULL), MCP_ELIMIT);
    mcp_schema_free(s);
    mcp_arena_free(a);
    free(fits);
    free(many);
}

static void number_of_subschemas(void **state)
{
    const struct mcp_schema_options options = {.max_subschemas = 10};
    char *nine = numbered("{\"properties\":{", "\"p#\":true", 9, "}}");
    char *ten = numbered("{\"properties\":{", "\"p#\":true", 10, "}}");

    (void)state;
    mcp_schema_free(compile_text(nine, &options));
    assert_string_equal(refusal(ten, &options, MCP_ELIMIT),
                        "too many subschemas");
    free(nine);
    free(ten);
}

static void nesting_of_subschemas(void **state)
{
    char *fits = nested("{\"not\":", 200, "true", "}");
    char *deep = nested("{\"not\":", 201, "true", "}");

    (void)state;
    mcp_schema_free(compile_text(fits, NULL));
    assert_string_equal(refusal(deep, NULL, MCP_ELIMIT),
                        "the schema is nested too deeply");
    free(fits);
    free(deep);
}

static void nesting_of_values(void **state)
{
    char *fits = nested("[", 200, "", "]"), *deep = nested("[", 202, "", "]");
    char *text = malloc(1000);

    (void)state;
    (void)snprintf(text, 1000, "{\"const\":%s}", fits);
    mcp_schema_free(compile_text(text, NULL));
    (void)snprintf(text, 1000, "{\"const\":%s}", deep);
    assert_string_equal(refusal(text, NULL, MCP_ELIMIT),
                        "a value in the schema is nested too deeply");
    free(fits);
    free(deep);
    free(text);
}

static void circles_at_one_value_are_refused(void **state)
{
    static const char *const list[] = {
        "{\"$ref\":\"#\"}",
        "{\"allOf\":[{\"$ref\":\"#\"}]}",
        "{\"anyOf\":[{\"type\":\"null\"},{\"$ref\":\"#\"}]}",
        "{\"oneOf\":[{\"$ref\":\"#/oneOf/0\"}]}",
        "{\"not\":{\"$ref\":\"#\"}}",
        "{\"if\":{\"$ref\":\"#\"}}",
        "{\"if\":true,\"then\":{\"$ref\":\"#\"}}",
        "{\"if\":true,\"else\":{\"$ref\":\"#\"}}",
        "{\"dependentSchemas\":{\"b\":true,\"a\":{\"$ref\":\"#\"}}}",
        "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":"
        "\"#/$defs/a\"}}}",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        assert_non_null(strstr(refusal(list[i], NULL, MCP_EINVAL),
                               "applies itself to the same value"));
}

static void a_dynamic_circle_ends_at_the_depth_limit(void **state)
{
    struct mcp_schema *s = compile_text(
        "{\"$dynamicAnchor\":\"n\",\"anyOf\":[{\"$dynamicRef\":\"#n\"}]}",
        NULL);
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    struct mcp_schema_errors e;

    (void)state;
    assert_int_equal(validate_text(s, "1", a, &e), MCP_ELIMIT);
    mcp_schema_free(s);
    mcp_arena_free(a);
}

/* Each level doubles the work: 2^60 evaluations without a bound. */
static void doubling_schemas_end_at_the_step_limit(void **state)
{
    const struct mcp_schema_options options = {.max_steps = 100000};
    char *text = malloc(20000), *p = text;
    struct mcp_schema *s;
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    int i;

    (void)state;
    p += snprintf(p, 200, "{\"$ref\":\"#/$defs/d60\",\"$defs\":{\"d0\":{}");
    for (i = 1; i <= 60; i++)
        p += snprintf(p, 200,
                      ",\"d%d\":{\"allOf\":[{\"$ref\":\"#/$defs/d%d\"},"
                      "{\"$ref\":\"#/$defs/d%d\"}]}",
                      i, i - 1, i - 1);
    (void)snprintf(p, 3, "}}");
    s = compile_text(text, &options);
    assert_int_equal(validate_text(s, "5", a, NULL), MCP_ELIMIT);
    mcp_schema_free(s);
    mcp_arena_free(a);
    free(text);
}

static void hostile_patterns_end_at_their_limit(void **state)
{
    static const char *const patterns[] = {
        "{\"pattern\":\"^(a+)+$\"}",
        "{\"pattern\":\"^(a|aa)+$\"}",
        "{\"pattern\":\"(a*)*b\"}",
        "{\"pattern\":\"^(?:.*,){20}x\"}",
        "{\"pattern\":\"(?:a?){30}a{30}b\"}",
        "{\"pattern\":\"[a1]\\\\w*$\"}",
        "{\"patternProperties\":{\"^(a+)+$\":true}}",
    };
    char *as = nested("a", 40000, "!", "");
    char *value = malloc(100000), *key = malloc(100000);
    size_t i;

    (void)state;
    (void)snprintf(value, 100000, "\"%s\"", as);
    (void)snprintf(key, 100000, "{\"%s\":1}", as);
    for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        struct mcp_schema *s = compile_text(patterns[i], NULL);
        struct mcp_arena *a = mcp_arena_new(1 << 26);
        double start = now();
        enum mcp_err err = validate_text(
            s, strstr(patterns[i], "Prop") != NULL ? key : value, a, NULL);

        assert_true(err == MCP_ELIMIT || err == MCP_EINVAL || err == MCP_OK);
        assert_true(now() - start < 5.0);
        mcp_schema_free(s);
        mcp_arena_free(a);
    }
    free(as);
    free(value);
    free(key);
}

static void the_pattern_limit_counts(void **state)
{
    struct mcp_schema_options options = {.pattern_match_limit = 100};
    char *as = nested("a", 3000, "!\"", "");
    char *value = malloc(4000);
    struct mcp_arena *a = mcp_arena_new(1 << 24);
    struct mcp_schema *s;

    (void)state;
    (void)snprintf(value, 4000, "\"%s", as);
    s = compile_text("{\"pattern\":\"^(?:a|b)*!$\"}", &options);
    assert_int_equal(validate_text(s, value, a, NULL), MCP_ELIMIT);
    mcp_schema_free(s);
    options.pattern_match_limit = 100000;
    s = compile_text("{\"pattern\":\"^(?:a|b)*!$\"}", &options);
    assert_int_equal(validate_text(s, value, a, NULL), MCP_OK);
    mcp_schema_free(s);
    mcp_arena_free(a);
    free(as);
    free(value);
}

static void many_items_are_unique_in_linear_time(void **state)
{
    char *text = numbered("[", "\"item #\"", 100000, "]");
    struct mcp_schema *s = compile_text("{\"uniqueItems\":true}", NULL);
    struct mcp_arena *a = mcp_arena_new(1 << 26);
    double start = now();

    (void)state;
    assert_int_equal(validate_text(s, text, a, NULL), MCP_OK);
    assert_true(now() - start < 3.0);
    mcp_schema_free(s);
    mcp_arena_free(a);
    free(text);
}

static void a_full_arena_is_reported(void **state)
{
    struct mcp_schema *s = compile_text("{\"uniqueItems\":true}", NULL);
    char *text = numbered("[", "#", 1000, "]");
    struct mcp_arena *doc = mcp_arena_new(1 << 20);
    struct mcp_arena *small = mcp_arena_new(100);
    struct mcp_schema_errors e;

    (void)state;
    assert_int_equal(mcp_schema_validate(s, parse_text(doc, text), small, NULL),
                     MCP_ENOMEM);
    assert_int_equal(
        mcp_schema_validate(s, parse_text(doc, "[1,1]"), small, &e),
        MCP_ENOMEM);
    mcp_schema_free(s);
    mcp_arena_free(doc);
    mcp_arena_free(small);
    free(text);
}

/* Whatever the arena holds, the answer is right or MCP_ENOMEM. */
static void every_size_of_arena_is_survived(void **state)
{
    static const char value[] = "{\"a\":null,\"o\":{\"x\":null},\"bad\":1,"
                                "\"s\":\"abc\",\"l\":[1,2,3,4,5,6,"
                                "7,8,9,10,10],\"u\":5}";
    struct mcp_schema *s = compile_text(
        "{\"properties\":{\"a\":{\"type\":\"string\",\"default\":1},\"o\":{"
        "\"properties\":{\"x\":{\"type\":\"string\"},\"y\":{\"default\":{}}}},"
        "\"s\":{\"pattern\":\"^(?:a|b)*$\"},\"l\":{\"uniqueItems\":true},\"u\":"
        "{"
        "\"anyOf\":[{\"minimum\":6},{\"maximum\":4}]}},"
        "\"unevaluatedProperties\":false}",
        NULL);
    struct mcp_arena *doc = mcp_arena_new(1 << 20);
    const struct mcp_json *v = parse_text(doc, value), *out;
    size_t size, full = 0;

    (void)state;
    for (size = 0; size < 60000 && full < 3; size += 16) {
        struct mcp_arena *a = mcp_arena_new(size);
        struct mcp_schema_errors e;
        enum mcp_err err = mcp_schema_validate(s, v, a, &e);

        assert_true(err == MCP_ENOMEM || (err == MCP_EINVAL && e.count == 6));
        full = (size_t)(err == MCP_EINVAL);
        mcp_arena_reset(a);
        err = mcp_schema_normalize(s, v, a, &out);
        assert_true(err == MCP_ENOMEM || (err == MCP_OK && out->count == 5));
        full += (size_t)(err == MCP_OK);
        mcp_arena_reset(a);
        err = mcp_schema_fill_defaults(s, v, a, &out);
        assert_true(err == MCP_ENOMEM || (err == MCP_OK && out->count == 6));
        full += (size_t)(err == MCP_OK);
        mcp_arena_free(a);
    }
    assert_int_equal(full, 3);
    mcp_schema_free(s);
    mcp_arena_free(doc);
}

static void many_names_are_found(void **state)
{
    char *schema =
        numbered("{\"additionalProperties\":false,\"properties\":{",
                 "\"property #\":{\"type\":\"integer\"}", 5000, "}}");
    char *value = numbered("{", "\"property #\":1", 5000, "}");
    char *wrong = numbered("{", "\"property #x\":1", 5000, "}");
    struct mcp_schema *s = compile_text(schema, NULL);
    struct mcp_arena *a = mcp_arena_new(1 << 26);

    (void)state;
    assert_int_equal(validate_text(s, value, a, NULL), MCP_OK);
    assert_int_equal(validate_text(s, wrong, a, NULL), MCP_EINVAL);
    mcp_schema_free(s);
    mcp_arena_free(a);
    free(schema);
    free(value);
    free(wrong);
}

static void over_sixty_four_required_names(void **state)
{
    static const size_t counts[] = {64, 65};
    size_t i;

    (void)state;
    for (i = 0; i < 2; i++) {
        char *schema = numbered("{\"required\":[", "\"r#\"", counts[i], "]}");
        char *value = numbered("{", "\"r#\":1", counts[i], "}");
        char *less = numbered("{", "\"r#\":1", counts[i] - 1, "}");
        struct mcp_schema *s = compile_text(schema, NULL);
        struct mcp_arena *a = mcp_arena_new(1 << 20);
        struct mcp_schema_errors e;

        assert_int_equal(validate_text(s, value, a, NULL), MCP_OK);
        assert_int_equal(validate_text(s, less, a, &e), MCP_EINVAL);
        assert_int_equal(e.count, 1);
        assert_string_equal(e.items[0].message, "is required");
        mcp_schema_free(s);
        mcp_arena_free(a);
        free(schema);
        free(value);
        free(less);
    }
}

static void over_sixty_four_members_are_tracked(void **state)
{
    static const size_t counts[] = {64, 65, 200};
    size_t i;

    (void)state;
    for (i = 0; i < 3; i++) {
        char *schema = numbered("{\"unevaluatedProperties\":false,\"anyOf\":["
                                "{\"properties\":{",
                                "\"p#\":true", counts[i], "}}]}");
        char *fits = numbered("{", "\"p#\":1", counts[i], "}");
        char *more = numbered("{", "\"p#\":1", counts[i] + 1, "}");
        struct mcp_schema *s = compile_text(schema, NULL);
        struct mcp_arena *a = mcp_arena_new(1 << 20);

        assert_int_equal(validate_text(s, fits, a, NULL), MCP_OK);
        assert_int_equal(validate_text(s, more, a, NULL), MCP_EINVAL);
        mcp_schema_free(s);
        mcp_arena_free(a);
        free(schema);
        free(fits);
        free(more);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_of_evaluation),
        cmocka_unit_test(steps_of_evaluation),
        cmocka_unit_test(number_of_subschemas),
        cmocka_unit_test(nesting_of_subschemas),
        cmocka_unit_test(nesting_of_values),
        cmocka_unit_test(circles_at_one_value_are_refused),
        cmocka_unit_test(a_dynamic_circle_ends_at_the_depth_limit),
        cmocka_unit_test(doubling_schemas_end_at_the_step_limit),
        cmocka_unit_test(hostile_patterns_end_at_their_limit),
        cmocka_unit_test(the_pattern_limit_counts),
        cmocka_unit_test(many_items_are_unique_in_linear_time),
        cmocka_unit_test(a_full_arena_is_reported),
        cmocka_unit_test(every_size_of_arena_is_survived),
        cmocka_unit_test(many_names_are_found),
        cmocka_unit_test(over_sixty_four_required_names),
        cmocka_unit_test(over_sixty_four_members_are_tracked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
