/*
 * check_json.c - the report for programs
 *
 * Members never change their meaning and are never left out: what is not known
 * is null. New ones may come.
 */
#include "cli/check.h"

/* A path need not be UTF-8; then it has no JSON. */
void mcp_check_write_json_text(struct mcp_buf *out, const char *text)
{
    if (text == NULL || !mcp_utf8_valid(text, strlen(text), NULL))
        mcp_buf_puts(out, "null");
    else
        mcp_json_write_cstring(out, text);
}

static void write_member(struct mcp_buf *out, const char *name,
                         const char *text)
{
    mcp_buf_printf(out, ",\"%s\":", name);
    mcp_check_write_json_text(out, text);
}

static void write_value(struct mcp_buf *out, const char *name,
                        const struct mcp_json *value)
{
    mcp_buf_printf(out, ",\"%s\":", name);
    if (value == NULL)
        mcp_buf_puts(out, "null");
    else
        mcp_json_write(out, value);
}

static void write_type(struct mcp_buf *out, const struct mcp_json *schema)
{
    struct mcp_buf type;

    mcp_buf_init(&type, 1 << 20);
    mcp_check_write_type(&type, schema);
    if (type.failed)
        mcp_buf_puts(out, "\"...\"");
    else
        mcp_json_write_string(out, type.data, type.len);
    mcp_buf_free(&type);
}

static void write_place(struct mcp_buf *out, const char *file, int line)
{
    write_member(out, "file", file);
    if (line > 0)
        mcp_buf_printf(out, ",\"line\":%d", line);
    else
        mcp_buf_puts(out, ",\"line\":null");
}

static void write_parameter(struct mcp_buf *out, const struct mcp_json *schema,
                            const struct mcp_json_member *m)
{
    mcp_buf_puts(out, "{\"name\":");
    mcp_json_write(out, &m->key);
    mcp_buf_puts(out, ",\"type\":");
    write_type(out, &m->value);
    mcp_buf_printf(out, ",\"required\":%s",
                   mcp_check_requires(schema, &m->key) ? "true" : "false");
    write_value(out, "default", mcp_json_find(&m->value, "default"));
    write_value(out, "description", mcp_json_find(&m->value, "description"));
    mcp_buf_putc(out, '}');
}

static void write_tool(struct mcp_buf *out, const struct mcp_tool *tool)
{
    const struct mcp_json *p = mcp_json_find(tool->input_tree, "properties");

    mcp_buf_puts(out, "{\"name\":");
    mcp_check_write_json_text(out, tool->name);
    write_member(out, "title", tool->title);
    write_member(out, "description", tool->description);
    write_place(out, tool->file, tool->line);
    mcp_buf_puts(out, ",\"parameters\":[");
    for (uint32_t i = 0; mcp_json_is(p, MCP_JSON_OBJECT) && i < p->count; i++) {
        mcp_buf_puts(out, i > 0 ? "," : "");
        write_parameter(out, tool->input_tree, &p->u.members[i]);
    }
    mcp_buf_puts(out, "],\"returns\":");
    if (tool->output_tree != NULL)
        write_type(out, tool->output_tree);
    else
        mcp_buf_puts(out, "null");
    mcp_buf_putc(out, '}');
}

static void write_isolation(struct mcp_buf *out, const struct mcp_check *check)
{
    const char *remedy, *meaning = mcp_check_explain(check->isolation, &remedy);
    bool kept = check->gen->config->isolation == MCP_ISOLATION_WORKER;

    mcp_buf_printf(out, ",\"isolation\":{\"mode\":\"%s\",\"fresh\":%s",
                   kept ? "worker" : "request",
                   remedy != NULL ? "true" : "false");
    write_member(out, "text", check->isolation);
    write_member(out, "meaning", meaning);
    write_member(out, "remedy", remedy);
    mcp_buf_putc(out, '}');
}

static void write_finding(struct mcp_buf *out, const struct mcp_finding *f)
{
    mcp_buf_puts(out, "{\"severity\":");
    mcp_check_write_json_text(out, mcp_lint_severity_name(f->rule->severity));
    write_member(out, "rule", f->rule->id);
    write_member(out, "tool", f->tool != NULL ? f->tool->name : NULL);
    write_member(out, "kind", f->item.kind);
    write_member(out, "item", f->item.name);
    write_member(out, "pointer", f->pointer);
    write_place(out, f->item.file, f->item.line);
    write_member(out, "message", f->message);
    write_member(out, "fix", f->rule->fix);
    write_member(out, "for", f->rule->hurts);
    mcp_buf_putc(out, '}');
}

void mcp_check_write_json(struct mcp_buf *out, const struct mcp_check *check)
{
    const struct mcp_findings *found = &check->findings;
    const struct mcp_config *c = check->gen->config;

    mcp_buf_puts(out, "{\"app\":");
    mcp_check_write_json_text(out, check->app);
    mcp_buf_puts(out, ",\"server\":{\"name\":");
    mcp_check_write_json_text(out, c->name);
    write_member(out, "version", c->version);
    write_member(out, "title", c->title);
    mcp_buf_puts(out, "},\"tools\":[");
    for (size_t i = 0; i < check->gen->tool_count; i++) {
        mcp_buf_puts(out, i > 0 ? "," : "");
        write_tool(out, &check->gen->tools[i]);
    }
    mcp_buf_putc(out, ']');
    mcp_check_write_items_json(out, check->gen);
    mcp_check_write_skills_json(out, check->gen);
    write_isolation(out, check);
    mcp_buf_puts(out, ",\"findings\":[");
    for (size_t i = 0; i < found->count; i++) {
        mcp_buf_puts(out, i > 0 ? "," : "");
        write_finding(out, &found->items[i]);
    }
    mcp_check_write_skill_problems_json(out, check);
    mcp_buf_putc(out, ']');
    for (int s = 0; s < MCP_LINT_SEVERITY_COUNT; s++)
        mcp_buf_printf(out, ",\"%ss\":%zu",
                       mcp_lint_severity_name((enum mcp_lint_severity)s),
                       mcp_check_count(check, (enum mcp_lint_severity)s));
    mcp_buf_puts(out, "}\n");
}
