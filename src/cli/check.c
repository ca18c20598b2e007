/*
 * check.c - the report for people, and the verdict
 *
 *     coffee 1.2.0 (Coffee bar), app.lua
 *
 *     1 tool
 *       price                The price of one drink.
 *         drink              string, required: A name from the menu
 *         size               "small" | "large", default "small"
 *         returns            { cents: integer, text: string }
 *
 *     isolation: request (image copy, 94 KiB)
 *       ...
 *
 *     warning: argument-description
 *       fix: ...
 *       for: ...
 *       - app.lua:21: price /inputSchema/properties/size: "size" has no ...
 *
 *     0 errors, 1 warning, 0 notes
 */
#include "cli/check.h"

#include <stdio.h>

#include "cli/banner.h"

enum { NAME_COLUMNS = 22, COLUMNS = 80, LINE_BYTES = 100 };

/* ---- what the app declares ---- */

void mcp_check_write_name(struct mcp_buf *out, const char *indent,
                          const char *name, size_t len)
{
    mcp_buf_puts(out, indent);
    mcp_banner_add(out, name, len);
    mcp_buf_putc(out, ' ');
    for (size_t n = strlen(indent) + len; n < NAME_COLUMNS; n++)
        mcp_buf_putc(out, ' ');
}

void mcp_check_end_line(struct mcp_buf *out)
{
    while (out->len > 0 && out->data[out->len - 1] == ' ')
        out->len--;
    mcp_buf_putc(out, '\n');
}

void mcp_check_write_line(struct mcp_buf *out, const char *text, size_t len)
{
    const char *end = memchr(text, '\n', len);
    size_t n = end != NULL ? (size_t)(end - text) : len;

    if (n <= LINE_BYTES) {
        mcp_banner_add(out, text, n);
        return;
    }
    for (n = LINE_BYTES; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;)
        n--;
    mcp_banner_add(out, text, n);
    mcp_buf_puts(out, "...");
}

static void write_server(struct mcp_buf *out, const struct mcp_check *check)
{
    const struct mcp_config *c = check->gen->config;

    mcp_banner_put(out, c->name != NULL ? c->name : "(no name)");
    if (c->version != NULL) {
        mcp_buf_putc(out, ' ');
        mcp_banner_put(out, c->version);
    }
    if (c->title != NULL) {
        mcp_buf_puts(out, " (");
        mcp_check_write_line(out, c->title, strlen(c->title));
        mcp_buf_putc(out, ')');
    }
    mcp_buf_puts(out, ", ");
    mcp_banner_put(out, check->app);
    mcp_buf_putc(out, '\n');
}

static void write_type(struct mcp_buf *out, const struct mcp_json *schema)
{
    struct mcp_buf type;

    mcp_buf_init(&type, 1 << 20);
    mcp_check_write_type(&type, schema);
    if (type.failed)
        mcp_buf_puts(out, "...");
    else
        mcp_banner_add(out, type.data, type.len);
    mcp_buf_free(&type);
}

static void write_parameter(struct mcp_buf *out, const struct mcp_json *schema,
                            const struct mcp_json_member *m)
{
    const struct mcp_json *given = mcp_json_find(&m->value, "default");
    const struct mcp_json *text = mcp_json_find(&m->value, "description");

    mcp_check_write_name(out, "    ", m->key.u.text, m->key.count);
    write_type(out, &m->value);
    if (mcp_check_requires(schema, &m->key))
        mcp_buf_puts(out, ", required");
    if (given != NULL) {
        mcp_buf_puts(out, ", default ");
        mcp_json_write(out, given);
    }
    if (mcp_json_is(text, MCP_JSON_STRING) && text->count > 0) {
        mcp_buf_puts(out, ": ");
        mcp_check_write_line(out, text->u.text, text->count);
    }
    mcp_buf_putc(out, '\n');
}

static void write_tool(struct mcp_buf *out, const struct mcp_tool *tool)
{
    const struct mcp_json *p = mcp_json_find(tool->input_tree, "properties");

    mcp_check_write_name(out, "  ", tool->name, strlen(tool->name));
    if (tool->title != NULL) {
        mcp_check_write_line(out, tool->title, strlen(tool->title));
        mcp_buf_puts(out, tool->description != NULL ? ": " : "");
    }
    if (tool->description != NULL)
        mcp_check_write_line(out, tool->description, strlen(tool->description));
    mcp_check_end_line(out);
    for (uint32_t i = 0; mcp_json_is(p, MCP_JSON_OBJECT) && i < p->count; i++)
        write_parameter(out, tool->input_tree, &p->u.members[i]);
    if (tool->output_tree != NULL) {
        mcp_check_write_name(out, "    ", "returns", 7);
        write_type(out, tool->output_tree);
        mcp_buf_putc(out, '\n');
    }
}

/* ---- isolation ---- */

/* By a word of the reason: what an app can do about fresh states. */
static const struct {
    const char *reason, *remedy;
} remedies[] = {
    {"open file", "read files and close them while the app loads, or keep "
                  "states: isolation = \"worker\""},
    {"ffi", "do without ffi, or keep states: isolation = \"worker\""},
    {"", "do without that C module (cjson and lpeg are known to be safe), or "
         "keep states: isolation = \"worker\""},
};

const char *mcp_check_explain(const char *isolation, const char **remedy)
{
    size_t i = 0;

    *remedy = NULL;
    if (strstr(isolation, "compiled") != NULL)
        return "States are kept: a call can see what calls before it have "
               "left in globals, modules and upvalues. Code is compiled: an "
               "endless loop in it cannot be stopped, and memory_limit does "
               "not hold inside.";
    if (strncmp(isolation, "worker", 6) == 0)
        return "States are kept: a call can see what calls before it have "
               "left in globals, modules and upvalues.";
    if (strstr(isolation, "(fresh states") == NULL)
        return "Every call starts from the state as it was when the app had "
               "loaded. Putting it back takes about a microsecond.";
    while (strstr(isolation, remedies[i].reason) == NULL)
        i++;
    *remedy = remedies[i].remedy;
    return "Every call gets a state of its own, in which the app was loaded "
           "ahead of time; it is closed afterwards. That costs about 0.1 ms "
           "of processor time for each call, and more when loading does more.";
}

/* `label` and `text` in lines of at most COLUMNS, two columns in. */
static void write_wrapped(struct mcp_buf *out, const char *label,
                          const char *text)
{
    size_t column = 2 + strlen(label);
    bool first = true;

    mcp_buf_printf(out, "  %s", label);
    while (*text != '\0') {
        size_t len = strcspn(text, " ");

        if (!first && column + 1 + len > COLUMNS) {
            mcp_buf_puts(out, *label != '\0' ? "\n      " : "\n  ");
            column = *label != '\0' ? 6 : 2;
        } else if (!first) {
            mcp_buf_putc(out, ' ');
            column++;
        }
        mcp_buf_add(out, text, len);
        column += len;
        first = false;
        text += len + strspn(text + len, " ");
    }
    mcp_buf_putc(out, '\n');
}

static void write_isolation(struct mcp_buf *out, const char *isolation)
{
    const char *remedy, *meaning = mcp_check_explain(isolation, &remedy);

    mcp_buf_puts(out, "\nisolation: ");
    mcp_banner_put(out, isolation);
    mcp_buf_putc(out, '\n');
    write_wrapped(out, "", meaning);
    if (remedy != NULL)
        write_wrapped(out, "faster: ", remedy);
}

/* ---- findings ---- */

static void write_rule(struct mcp_buf *out, const struct mcp_lint_rule *rule)
{
    mcp_buf_printf(out, "\n%s: %s\n", mcp_lint_severity_name(rule->severity),
                   rule->id);
    write_wrapped(out, "fix: ", rule->fix);
    write_wrapped(out, "for: ", rule->hurts);
}

static void write_finding(struct mcp_buf *out, const struct mcp_finding *f)
{
    mcp_buf_puts(out, "  - ");
    if (f->item.file != NULL) {
        mcp_banner_put(out, f->item.file);
        mcp_buf_printf(out, ":%d: ", f->item.line);
    }
    if (f->item.kind != NULL) {
        mcp_banner_put(out, f->item.name);
        mcp_buf_puts(out, *f->pointer != '\0' ? " " : "");
    }
    mcp_banner_put(out, f->pointer);
    mcp_buf_puts(out, f->item.kind != NULL ? ": " : "");
    mcp_banner_put(out, f->message);
    mcp_buf_putc(out, '\n');
}

/* What broke `rule`, if anything did. */
static void write_group(struct mcp_buf *out, const struct mcp_findings *found,
                        const struct mcp_lint_rule *rule)
{
    bool any = false;

    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].rule != rule)
            continue;
        if (!any)
            write_rule(out, rule);
        any = true;
        write_finding(out, &found->items[i]);
    }
}

/* By rule; the worst come last, where they are seen. */
static void write_findings(struct mcp_buf *out,
                           const struct mcp_findings *found)
{
    size_t count;
    const struct mcp_lint_rule *rules = mcp_lint_rules(&count);

    for (int s = MCP_LINT_SEVERITY_COUNT - 1; s >= 0; s--)
        for (size_t i = 0; i < count; i++)
            if ((int)rules[i].severity == s)
                write_group(out, found, &rules[i]);
}

static void write_counts(struct mcp_buf *out, const struct mcp_check *check)
{
    mcp_buf_putc(out, '\n');
    for (int s = 0; s < MCP_LINT_SEVERITY_COUNT; s++) {
        size_t n = mcp_check_count(check, (enum mcp_lint_severity)s);

        mcp_buf_printf(out, "%s%zu %s%s", s > 0 ? ", " : "", n,
                       mcp_lint_severity_name((enum mcp_lint_severity)s),
                       n == 1 ? "" : "s");
    }
    mcp_buf_putc(out, '\n');
}

void mcp_check_write_text(struct mcp_buf *out, const struct mcp_check *check)
{
    const struct mcp_findings *found = &check->findings;
    size_t count = check->gen->tool_count;

    write_server(out, check);
    mcp_buf_printf(out, "\n%zu tool%s\n", count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++)
        write_tool(out, &check->gen->tools[i]);
    mcp_check_write_items(out, check->gen);
    mcp_check_write_skills(out, check->gen);
    write_isolation(out, check->isolation);
    write_findings(out, found);
    mcp_check_write_skill_problems(out, check->gen);
    write_counts(out, check);
}

bool mcp_check_passes(const struct mcp_check *check, bool strict)
{
    return mcp_check_count(check, MCP_LINT_ERROR) == 0 &&
           (!strict || mcp_check_count(check, MCP_LINT_WARNING) == 0);
}
