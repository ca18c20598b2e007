/* Mirrors src/cli/command_table.c: what parsing and the writers rely on. */
#include "cli/command_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/config_table.h"
#include "cli/install.h"

/* Those near whom a slip is looked for; options.c. */
enum { WORDS_MAX = 16 };

static const struct mcp_command *commands;
static size_t count;

static int set_up(void **state)
{
    (void)state;
    commands = mcp_commands(&count);
    return 0;
}

static void is_a_sentence(const char *text)
{
    assert_non_null(text);
    assert_true(strlen(text) > 10);
    assert_true(text[strlen(text) - 1] != '.');
    assert_null(strpbrk(text, "\n\t`"));
}

static void a_command_is_found_by_its_name(void **state)
{
    (void)state;
    assert_null(commands[0].name);
    assert_int_equal(commands[0].action, MCP_CLI_SERVE);
    assert_true(count > 5 && count <= WORDS_MAX);
    for (size_t i = 1; i < count; i++) {
        assert_ptr_equal(mcp_command_find(commands[i].name), &commands[i]);
        assert_int_not_equal(commands[i].action, MCP_CLI_SERVE);
    }
    for (size_t i = 0; i < count; i++)
        is_a_sentence(commands[i].help);
    assert_null(mcp_command_find("frobnicate"));
    assert_null(mcp_command_find(""));
}

static void options_of_a_command_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const struct mcp_command *c = &commands[i];

        assert_true(c->option_count <= WORDS_MAX);
        for (size_t k = 0; k < c->option_count; k++) {
            const struct mcp_command_option *o = &c->options[k];
            bool has_value = o->type != MCP_WORD_FLAG;

            is_a_sentence(o->help);
            /* help shows the one or the other */
            assert_int_equal(has_value, o->value != NULL || o->words != NULL);
            if (o->type == MCP_WORD_SWITCH)
                assert_true(o->words != NULL && o->words[1] != NULL &&
                            o->words[2] == NULL);
            for (size_t m = 0; m < k; m++) {
                assert_string_not_equal(o->name, c->options[m].name);
                assert_true(o->letter == 0 ||
                            o->letter != c->options[m].letter);
            }
        }
    }
}

static void a_shared_option_has_no_twin(void **state)
{
    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0;
             commands[i].configured && k < commands[i].option_count; k++)
            assert_null(mcp_config_find(commands[i].options[k].name,
                                        strlen(commands[i].options[k].name)));
}

static void operands_that_may_be_absent_come_last(void **state)
{
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const struct mcp_operand *o = commands[i].operands;

        for (size_t k = 1; k < MCP_OPERANDS_MAX && o[k].name != NULL; k++)
            assert_true(!o[k - 1].optional && o[k - 1].type != MCP_WORD_PAIR);
    }
}

static void usage_is_cut_to_its_room(void **state)
{
    const struct mcp_command *call = mcp_command_find("call");
    char text[64], small[8];

    (void)state;
    mcp_command_usage(call, text, sizeof(text));
    assert_string_equal(text, "call [options] app.lua TOOL [key=value ...]");
    mcp_command_usage(call, small, sizeof(small));
    assert_string_equal(small, "call [o");
    mcp_command_usage(&commands[0], text, sizeof(text));
    assert_string_equal(text, "[options] app.lua");
    mcp_command_usage(mcp_command_find("man"), text, sizeof(text));
    assert_string_equal(text, "man");
}

static void each_client_that_is_offered_is_known(void **state)
{
    (void)state;
    for (size_t i = 0; mcp_client_names[i] != NULL; i++) {
        const struct mcp_install_client *c =
            mcp_install_client(mcp_client_names[i]);

        assert_string_equal(c->name, mcp_client_names[i]);
        assert_non_null(c->title);
        assert_non_null(c->container);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_is_found_by_its_name),
        cmocka_unit_test(options_of_a_command_are_told_apart),
        cmocka_unit_test(a_shared_option_has_no_twin),
        cmocka_unit_test(operands_that_may_be_absent_come_last),
        cmocka_unit_test(usage_is_cut_to_its_room),
        cmocka_unit_test(each_client_that_is_offered_is_known),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
