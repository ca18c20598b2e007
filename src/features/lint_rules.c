/*
 * lint_rules.c - the rules: how bad, what to do, who suffers
 *
 * Clients are named where a report of theirs is known (number in brackets);
 * the rest follows from MCP or from what the construct asks of a reader.
 * Sources: MCP 2026-07-28, server/tools and basic; copilot-cli #4623, opencode
 * #2687, gemini-cli #13326, promptfoo #6902, Codex by iwdp-mcp #3.
 */
#include "features/lint_rules.h"

/* clang-format off */
static const struct mcp_lint_rule rules[LINT_RULE_COUNT] = {
    [LINT_TOOLS_NONE] = {
        "tools-none", MCP_LINT_WARNING,
        "declare a tool with mcp.tool",
        "every client: there is nothing to call"},
    [LINT_TOOLS_MANY] = {
        "tools-many", MCP_LINT_WARNING,
        "split the app, or join tools that differ by one argument",
        "clients with a limit of 128 tools, and models that have to choose"},
    [LINT_SERVER_NAME] = {
        "server-name", MCP_LINT_WARNING,
        "mcp.server { name = \"...\", version = \"1.0.0\" }",
        "clients that show servers by their names"},
    [LINT_NAME_LONG] = {
        "name-long", MCP_LINT_WARNING,
        "a name of at most 64 characters",
        "hosts whose limit is 64 characters; MCP allows 128"},
    [LINT_NAME_DOT] = {
        "name-dot", MCP_LINT_WARNING,
        "use _ or - instead of the dot",
        "hosts that allow only letters, digits, _ and -; MCP allows dots"},
    [LINT_NAME_STYLE] = {
        "name-style", MCP_LINT_NOTE,
        "write all names in one style",
        "models, which guess a name from the others"},
    [LINT_NAME_SIMILAR] = {
        "name-similar", MCP_LINT_WARNING,
        "choose names that differ in letters",
        "models, which mix them up"},
    [LINT_TITLE_DUPLICATE] = {
        "title-duplicate", MCP_LINT_WARNING,
        "give each a title of its own",
        "people, who see titles and not names"},
    [LINT_DESCRIPTION_MISSING] = {
        "description-missing", MCP_LINT_WARNING,
        "a --- comment above the function, or description = \"...\"",
        "models, which choose tools by it, and the conformance suite, which "
        "wants one on every tool"},
    [LINT_DESCRIPTION_LONG] = {
        "description-long", MCP_LINT_WARNING,
        "say the first things first, in at most 1024 characters",
        "hosts that cut or refuse longer ones"},
    [LINT_ITEM_DESCRIPTION] = {
        "item-description", MCP_LINT_WARNING,
        "a --- comment above it, or description = \"...\"",
        "people and models, who choose by it"},
    [LINT_ARGUMENT_DESCRIPTION] = {
        "argument-description", MCP_LINT_WARNING,
        "text behind the type in ---@param, or description = \"...\"",
        "models, which learn from it what the argument means"},
    [LINT_PROMPT_ARGUMENT] = {
        "prompt-argument", MCP_LINT_WARNING,
        "text behind the type in ---@param, or description = \"...\"",
        "people, who are asked for it"},
    [LINT_ARGUMENT_NAME] = {
        "argument-name", MCP_LINT_WARNING,
        "letters, digits and _, not a digit first, at most 64 characters",
        "models, which have to repeat it, and handlers: no parameter can be "
        "called so"},
    [LINT_PROPERTIES_MISSING] = {
        "properties-missing", MCP_LINT_ERROR,
        "add \"properties\": {}, in Lua properties = mcp.object {}",
        "Codex refuses the tool"},
    [LINT_TYPE_MISSING] = {
        "type-missing", MCP_LINT_WARNING,
        "say the type: ---@param x string, t.string(), \"type\": \"string\"",
        "clients that build forms or code from the type, and models"},
    [LINT_TYPE_ARRAY] = {
        "type-array", MCP_LINT_ERROR,
        "one type; an optional argument needs no null: null counts as absent",
        "Copilot CLI refuses the tool (#4623)"},
    [LINT_BOOLEAN_SCHEMA] = {
        "boolean-schema", MCP_LINT_ERROR,
        "{} instead of true; leave out what is false",
        "Copilot CLI refuses the tool (#4623)"},
    [LINT_ENUM_NOT_STRING] = {
        "enum-not-string", MCP_LINT_WARNING,
        "strings; type boolean for true and false; minimum and maximum for "
        "numbers",
        "OpenCode (#2687) and others whose enums are strings"},
    [LINT_UNION_NULL] = {
        "union-null", MCP_LINT_WARNING,
        "the plain type, and not in \"required\": null counts as absent",
        "Google's Gemini API refuses it, the MCP Inspector breaks its "
        "description"},
    [LINT_ITEMS_UNION] = {
        "items-union", MCP_LINT_WARNING,
        "items of one type, an object with optional fields for example",
        "clients that know only one type of items"},
    [LINT_ROOT_COMPOSITION] = {
        "root-composition", MCP_LINT_WARNING,
        "plain properties at the root; check the rest in the handler",
        "hosts that want nothing but an object at the root"},
    [LINT_COMPOSITION] = {
        "composition", MCP_LINT_NOTE,
        "one plain type where it will do",
        "clients that read only type, properties, items and enum"},
    [LINT_REF] = {
        "ref", MCP_LINT_WARNING,
        "write the definition where it is used; a class that contains itself "
        "cannot do without",
        "Gemini CLI (#13326) and others that follow no references"},
    [LINT_DIALECT] = {
        "dialect", MCP_LINT_NOTE,
        "leave $schema out: without it 2020-12 is meant",
        "promptfoo refuses it (#6902)"},
    [LINT_NON_OBJECT] = {
        "non-object", MCP_LINT_WARNING,
        "add \"type\": \"object\"",
        "clients that refuse properties without that type"},
    [LINT_MAP] = {
        "map", MCP_LINT_WARNING,
        "a list of objects with a name and a value",
        "clients that know additionalProperties only as true or false"},
    [LINT_CLOSED] = {
        "closed", MCP_LINT_NOTE,
        "if a client minds: extra_arguments = \"allow\" in mcp.server or on "
        "the tool",
        "promptfoo refuses additionalProperties (#6902)"},
    [LINT_REQUIRED_UNKNOWN] = {
        "required-unknown", MCP_LINT_ERROR,
        "declare the property, or take it from \"required\"",
        "every client: no arguments can be right"},
    [LINT_REQUIRED_UNDECLARED] = {
        "required-undeclared", MCP_LINT_WARNING,
        "declare the property, or take it from \"required\"",
        "models, which are asked for what they cannot see"},
    [LINT_DEFAULT_INVALID] = {
        "default-invalid", MCP_LINT_ERROR,
        "a default that its schema allows",
        "every client that sends it, and the handler, which gets it"},
    [LINT_EXAMPLE_INVALID] = {
        "example-invalid", MCP_LINT_WARNING,
        "an example that its schema allows",
        "models, which copy it and are refused"},
    [LINT_KEYWORD_UNKNOWN] = {
        "keyword-unknown", MCP_LINT_WARNING,
        "the right keyword; what is not known has no effect",
        "you: the rule that is meant is not checked"},
    [LINT_FORMAT_UNKNOWN] = {
        "format-unknown", MCP_LINT_WARNING,
        "a format of JSON Schema, a pattern, or words in the description",
        "clients that know only the standard's formats; it is never checked"},
    [LINT_PATTERN] = {
        "pattern", MCP_LINT_WARNING,
        "a simpler pattern, or a check in the handler",
        "hosts whose patterns have no lookaround, backreferences or \\p{}"},
    [LINT_SCHEMA_DEEP] = {
        "schema-deep", MCP_LINT_WARNING,
        "flatten it, or make two tools of it",
        "models, which lose the thread, and clients with a limit on depth"},
    [LINT_SCHEMA_LARGE] = {
        "schema-large", MCP_LINT_WARNING,
        "shorten it, or make two tools of it",
        "models: it takes room in each of their conversations"},
    [LINT_OUTPUT_BOXED] = {
        "output-boxed", MCP_LINT_NOTE,
        "an object, if clients of all revisions shall see the same",
        "clients of 2025 revisions see { result: ... } around it"},
    [LINT_ANNOTATION_UNKNOWN] = {
        "annotation-unknown", MCP_LINT_WARNING,
        "the name that MCP has: readOnlyHint, destructiveHint, idempotentHint, "
        "openWorldHint",
        "every client: none knows the name, so the hint is not seen"},
};
/* clang-format on */

const struct mcp_lint_rule *mcp_lint_rules(size_t *count)
{
    *count = LINT_RULE_COUNT;
    return rules;
}

const char *mcp_lint_severity_name(enum mcp_lint_severity severity)
{
    static const char *const names[] = {"error", "warning", "note"};

    return names[severity];
}
