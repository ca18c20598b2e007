/*
 * lint.c - the server and its tools; schemas are in lint_schema.c, prompts and
 *          resources in lint_items.c
 */
#include "features/lint.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/annotation.h"
#include "features/box.h"
#include "features/lint_rules.h"

enum {
    MAX_TOOLS = 128,
    MAX_NAME = 64,
    MAX_DESCRIPTION = 1024,
    MAX_SCHEMA_BYTES = 16 << 10,
    PATH_BYTES = 512 << 20, /* keys of one path: no more than the schemas */
};

/* ---- reporting ---- */

static struct mcp_finding *add_finding(struct lint *l)
{
    struct mcp_finding *more;
    size_t cap = l->cap == 0 ? 32 : l->cap * 2;

    if (l->count == l->cap) {
        more = mcp_arena_alloc(l->arena, cap * sizeof(*more));
        if (more == NULL)
            return NULL;
        if (l->count > 0)
            memcpy(more, l->items, l->count * sizeof(*more));
        l->items = more;
        l->cap = cap;
    }
    return &l->items[l->count];
}

void lint_report(struct lint *l, enum lint_rule rule, const char *fmt, ...)
{
    struct mcp_finding *f = add_finding(l);
    size_t count;
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (f != NULL) {
        f->rule = &mcp_lint_rules(&count)[rule];
        f->tool = l->tool;
        f->item = l->item;
        f->pointer = mcp_arena_dup(l->arena, l->path.data, l->path.len);
        f->message = mcp_arena_dup(l->arena, text, strlen(text));
    }
    if (l->path.failed || f == NULL || f->pointer == NULL ||
        f->message == NULL) {
        l->no_memory = true;
        return;
    }
    l->by_severity[f->rule->severity]++;
    l->count++;
}

static size_t enter(struct lint *l, const char *name, size_t len)
{
    size_t place = l->path.len;

    mcp_buf_putc(&l->path, '/');
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '~' || name[i] == '/')
            mcp_buf_puts(&l->path, name[i] == '~' ? "~0" : "~1");
        else
            mcp_buf_putc(&l->path, name[i]);
    }
    return place;
}

size_t lint_enter(struct lint *l, const char *name)
{
    return enter(l, name, strlen(name));
}

size_t lint_enter_key(struct lint *l, const struct mcp_json *key)
{
    return enter(l, key->u.text, key->count);
}

size_t lint_enter_index(struct lint *l, uint32_t index)
{
    char digits[16];

    return enter(l, digits,
                 (size_t)snprintf(digits, sizeof(digits), "%u", index));
}

/* A code point that is cut goes as a whole: no byte of it is left. */
struct lint_text lint_show(const struct mcp_json *string)
{
    struct lint_text t;
    size_t n = string->count, max = sizeof(t.text) - 4;

    if (n > max) {
        n = max;
        while (n > 0 && ((unsigned char)string->u.text[n] & 0xC0) == 0x80)
            n--;
    }
    for (size_t i = 0; i < n; i++)
        t.text[i] =
            iscntrl((unsigned char)string->u.text[i]) ? ' ' : string->u.text[i];
    (void)snprintf(t.text + n, sizeof(t.text) - n, "%s",
                   n < string->count ? "..." : "");
    return t;
}

/* ---- names, titles, descriptions ---- */

static size_t count_characters(const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

void lint_description(struct lint *l, const char *what, const char *text,
                      size_t len)
{
    size_t n = count_characters(text, len);

    if (n > MAX_DESCRIPTION)
        lint_report(l, LINT_DESCRIPTION_LONG,
                    "the description of %s has %zu characters", what, n);
}

static void lint_name(struct lint *l, const char *name)
{
    size_t len = strlen(name), place = lint_enter(l, "name");

    if (len > MAX_NAME)
        lint_report(l, LINT_NAME_LONG, "the name has %zu characters", len);
    if (strchr(name, '.') != NULL)
        lint_report(l, LINT_NAME_DOT, "the name has a dot");
    if (l->tool == l->odd)
        lint_report(l, LINT_NAME_STYLE, "\"%s\" beside \"%s\"", name,
                    l->usual->name);
    lint_leave(l, place);
}

static bool is_camel(const char *name)
{
    for (; *name != '\0'; name++)
        if (islower((unsigned char)name[0]) && isupper((unsigned char)name[1]))
            return true;
    return false;
}

/* Finds the first name whose style differs from one before it. */
static void find_style(struct lint *l)
{
    const struct mcp_tool *tools = l->gen->tools, *snake = NULL, *camel = NULL;

    for (size_t i = 0; i < l->gen->tool_count && !(snake && camel); i++) {
        if (strpbrk(tools[i].name, "_-") != NULL)
            snake = snake == NULL ? &tools[i] : snake;
        else if (is_camel(tools[i].name))
            camel = camel == NULL ? &tools[i] : camel;
    }
    if (snake == NULL || camel == NULL)
        return;
    l->odd = snake->index > camel->index ? snake : camel;
    l->usual = l->odd == snake ? camel : snake;
}

bool lint_is_similar(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "_-.");
        b += strspn(b, "_-.");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (*a == '\0')
            return true;
    }
}

/* The tool against those before it. */
static void lint_twins(struct lint *l)
{
    const struct mcp_tool *tools = l->gen->tools, *mine = l->tool;
    size_t place, i;

    for (i = 0; i < mine->index; i++)
        if (lint_is_similar(tools[i].name, mine->name))
            break;
    if (i < mine->index) {
        place = lint_enter(l, "name");
        lint_report(l, LINT_NAME_SIMILAR, "there is \"%s\" as well",
                    tools[i].name);
        lint_leave(l, place);
    }
    if (mine->title == NULL)
        return;
    for (i = 0; i < mine->index; i++)
        if (tools[i].title != NULL && strcmp(tools[i].title, mine->title) == 0)
            break;
    if (i < mine->index) {
        place = lint_enter(l, "title");
        lint_report(l, LINT_TITLE_DUPLICATE, "\"%s\" has the same title",
                    tools[i].name);
        lint_leave(l, place);
    }
}

static void lint_tool_description(struct lint *l)
{
    const char *text = l->tool->description;
    size_t place = lint_enter(l, "description");

    if (text != NULL && *text != '\0') {
        lint_description(l, "the tool", text, strlen(text));
        lint_leave(l, place);
        return;
    }
    lint_leave(l, place);
    lint_report(l, LINT_DESCRIPTION_MISSING, "the tool has no description");
}

/* ---- tools ---- */

static void lint_tool_schema(struct lint *l, const char *member,
                             const struct mcp_json *tree, const char *text,
                             bool is_input)
{
    size_t place = lint_enter(l, member), len = strlen(text);

    if (len > MAX_SCHEMA_BYTES)
        lint_report(l, LINT_SCHEMA_LARGE, "the schema has %zu bytes", len);
    if (!is_input && mcp_box_is_needed(tree))
        lint_report(l, LINT_OUTPUT_BOXED,
                    "the root of the output schema is no object");
    lint_schema(l, tree, is_input);
    lint_leave(l, place);
}

/* Members of annotations that are slips of known ones. */
static void lint_annotations(struct lint *l)
{
    struct mcp_json_options options = {.max_depth = 64};
    const char *text = l->tool->annotations;
    size_t place = lint_enter(l, "annotations");
    const struct mcp_json *tree = NULL;

    if (text != NULL && mcp_json_parse(l->arena, text, strlen(text), &options,
                                       &tree, NULL) == MCP_ENOMEM)
        l->no_memory = true;
    for (uint32_t i = 0; tree != NULL && i < tree->count; i++) {
        const struct mcp_json *key = &tree->u.members[i].key;
        const char *meant = mcp_annotation_meant(key->u.text, key->count);
        size_t at = lint_enter_key(l, key);

        if (meant != NULL)
            lint_report(l, LINT_ANNOTATION_UNKNOWN,
                        "no client knows it; \"%s\" is near", meant);
        lint_leave(l, at);
    }
    lint_leave(l, place);
}

static void lint_tool(struct lint *l)
{
    const struct mcp_tool *tool = l->tool;

    lint_name(l, tool->name);
    lint_twins(l);
    lint_tool_description(l);
    lint_annotations(l);
    lint_tool_schema(l, "inputSchema", tool->input_tree, tool->input_schema,
                     true);
    if (tool->output_tree != NULL)
        lint_tool_schema(l, "outputSchema", tool->output_tree,
                         tool->output_schema, false);
}

/* ---- the server ---- */

static const struct mcp_tool *find_closed(const struct mcp_generation *gen)
{
    for (size_t i = 0; i < gen->tool_count; i++)
        if (mcp_json_find(gen->tools[i].input_tree, "additionalProperties") !=
            NULL)
            return &gen->tools[i];
    return NULL;
}

/* Has the app nothing that a client or a browser can ask for? */
static bool offers_nothing(const struct mcp_generation *gen)
{
    return gen->tool_count + gen->resource_count + gen->template_count +
                   gen->prompt_count + gen->route_count ==
               0 &&
           !gen->skills.declared;
}

static void lint_server(struct lint *l)
{
    const struct mcp_tool *closed = find_closed(l->gen);

    if (l->gen->config->name == NULL)
        lint_report(l, LINT_SERVER_NAME, "the server has no name");
    if (offers_nothing(l->gen))
        lint_report(l, LINT_TOOLS_NONE,
                    "the app declares no tool, nor "
                    "anything else");
    if (l->gen->tool_count > MAX_TOOLS)
        lint_report(l, LINT_TOOLS_MANY, "the app declares %zu tools",
                    l->gen->tool_count);
    if (closed != NULL)
        lint_report(l, LINT_CLOSED,
                    "tools say additionalProperties, \"%s\" for example",
                    closed->name);
}

enum mcp_err mcp_lint(const struct mcp_generation *gen, struct mcp_arena *a,
                      struct mcp_findings *out)
{
    struct lint l = {.arena = a, .gen = gen};

    mcp_buf_init(&l.path, PATH_BYTES);
    lint_server(&l);
    find_style(&l);
    for (size_t i = 0; i < gen->tool_count; i++) {
        l.tool = &gen->tools[i];
        l.item = (struct mcp_lint_item){"tool", l.tool->name, l.tool->file,
                                        l.tool->line};
        lint_tool(&l);
    }
    l.tool = NULL;
    lint_items(&l);
    mcp_buf_free(&l.path);
    if (l.no_memory)
        return MCP_ENOMEM;
    out->items = l.items;
    out->count = l.count;
    memcpy(out->by_severity, l.by_severity, sizeof(out->by_severity));
    return MCP_OK;
}
