/*
 * skill_code.c - see skill_code.h
 *
 * SKILL.md is written as text first and then read like any other: what clients
 * get is what a file with these bytes would give. Its front matter is one line
 * a member, the values as JSON, which is YAML as well.
 */
#include "features/skill_code.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "features/skill_front.h"
#include "features/skill_uri.h"

static const char self_name[] = "SKILL.md";

struct maker {
    struct mcp_skill_index *index;
    const struct mcp_skill_code *code;
    struct mcp_buf block; /* SKILL.md, then the files */
    size_t self_len;
    const char *place; /* where it is declared */
};

static enum mcp_err outcome_of(const struct maker *m)
{
    return m->index->reports.failed ? MCP_ENOMEM : MCP_OK;
}

/* ---- the text ---- */

/* Bytes of a character at p[0..left) that JSON has as it is and YAML has not:
 * DEL, U+0080 to U+009F, U+2028, U+2029, U+FEFF, U+FFFE, U+FFFF; 0: another. */
static size_t foreign(const unsigned char *p, size_t left, unsigned *c)
{
    if (p[0] == 0x7F) {
        *c = p[0];
        return 1;
    }
    if (left >= 2 && p[0] == 0xC2 && p[1] < 0xA0) {
        *c = p[1];
        return 2;
    }
    if (left < 3 || p[0] < 0xE0 || p[0] > 0xEF)
        return 0;
    *c = (p[0] & 0x0FU) << 12 | (p[1] & 0x3FU) << 6 | (p[2] & 0x3FU);
    return *c == 0x2028 || *c == 0x2029 || *c == 0xFEFF || *c >= 0xFFFE ? 3 : 0;
}

/* Moves JSON text to `out` with such characters escaped; they occur in strings
 * only. */
static void add_escaped(struct mcp_buf *out, const struct mcp_buf *json)
{
    const unsigned char *p = (const unsigned char *)json->data;

    for (size_t at = 0, step; at < json->len; at += step) {
        unsigned c;

        step = foreign(p + at, json->len - at, &c);
        if (step > 0) {
            mcp_buf_printf(out, "\\u%04x", c);
            continue;
        }
        step = 1;
        mcp_buf_putc(out, json->data[at]);
    }
}

static void add_member(struct mcp_buf *out, const struct mcp_json *key,
                       const struct mcp_json *value)
{
    struct mcp_buf json;

    mcp_buf_init(&json, out->max);
    mcp_json_write(&json, key);
    mcp_buf_puts(&json, ": ");
    mcp_json_write(&json, value);
    out->failed = out->failed || json.failed;
    if (!out->failed)
        add_escaped(out, &json);
    mcp_buf_putc(out, '\n');
    mcp_buf_free(&json);
}

static struct mcp_json text_value(const char *text)
{
    return (struct mcp_json){.type = MCP_JSON_STRING,
                             .count = (uint32_t)strlen(text),
                             .u.text = text};
}

static void add_text(struct mcp_buf *out, const char *name, const char *text)
{
    struct mcp_json key = text_value(name), value;

    if (text == NULL)
        return;
    value = text_value(text);
    add_member(out, &key, &value);
}

static void write_self(struct maker *m)
{
    const struct mcp_skill_code *code = m->code;

    if (code->text != NULL) {
        mcp_buf_add(&m->block, code->text, code->text_len);
        m->self_len = code->text_len;
        return;
    }
    mcp_buf_puts(&m->block, "---\n");
    add_text(&m->block, "name", code->name);
    add_text(&m->block, "description", code->description);
    for (uint32_t i = 0;
         mcp_json_is(code->more, MCP_JSON_OBJECT) && i < code->more->count; i++)
        add_member(&m->block, &code->more->u.members[i].key,
                   &code->more->u.members[i].value);
    mcp_buf_puts(&m->block, "---\n");
    if (code->body != NULL)
        mcp_buf_add(&m->block, code->body, code->body_len);
    m->self_len = m->block.len;
}

/* ---- checks ---- */

static bool refuse(struct maker *m, const char *advice, const char *reason,
                   const char *what)
{
    mcp_skill_report_add(&m->index->reports, MCP_SKILL_ERROR, m->place, 0,
                         advice, "%s%s%.200s", reason,
                         *what != '\0' ? ": " : "", what);
    return false;
}

/* Of SKILL.md, which has been written, and the files. */
static uint64_t bytes_of(const struct maker *m)
{
    uint64_t bytes = m->self_len;

    for (size_t i = 0; i < m->code->file_count; i++)
        bytes += m->code->files[i].len;
    return bytes;
}

static bool check_files(struct maker *m)
{
    const struct mcp_skill_code *code = m->code;

    for (size_t i = 0; i < code->file_count; i++) {
        const char *path = code->files[i].path;
        const char *flaw = mcp_skill_path_flaw(path, strlen(path));

        if (flaw != NULL)
            return refuse(m, "write paths like references/forms.md", flaw,
                          path);
        for (size_t k = 0; k < i; k++)
            if (strcmp(code->files[k].path, path) == 0)
                return refuse(m, "keep one of the two",
                              "a file that comes twice", path);
        if (strcmp(path, self_name) == 0)
            return refuse(m, "give its content as text, or as body",
                          "SKILL.md among the files", "");
    }
    return true;
}

static bool check_limits(struct maker *m)
{
    char reason[120];

    *reason = '\0';
    if (m->code->file_count >= m->index->max_files)
        (void)snprintf(reason, sizeof(reason),
                       "%zu files with SKILL.md; a skill has at most %" PRIu32,
                       m->code->file_count + 1, m->index->max_files);
    else if (bytes_of(m) > m->index->max_bytes)
        (void)snprintf(reason, sizeof(reason),
                       "%" PRIu64 " bytes; a skill has at most %" PRIu64,
                       bytes_of(m), m->index->max_bytes);
    if (*reason == '\0')
        return true;
    return refuse(m, "divide the skill, or leave files out", reason, "");
}

/* ---- the skill ---- */

/* The name, which is the last part of the skill's place: of the text when that
 * is given. NULL: there is none, and reports tell why. What else they would
 * tell comes when the skill is added. */
static const char *find_name(struct maker *m)
{
    size_t before = m->index->reports.count;
    struct mcp_skill_front front;

    if (!mcp_skill_front_read(m->block.data, m->self_len, m->place, NULL,
                              &m->index->reports, &front))
        return NULL;
    m->index->reports.count = before;
    return front.name;
}

static enum mcp_err fill_parts(struct maker *m, const char *root,
                               struct mcp_skill_part *parts)
{
    struct mcp_arena *arena = m->index->arena;

    for (size_t i = 0; i <= m->code->file_count; i++) {
        const struct mcp_skill_code_file *f =
            i > 0 ? &m->code->files[i - 1] : NULL;
        const char *type = f != NULL ? f->mime_type : NULL;

        parts[i] = (struct mcp_skill_part){
            .path =
                mcp_skill_join(arena, root, f != NULL ? f->path : self_name),
            .len = f != NULL ? f->len : m->self_len,
            .mime_type =
                type != NULL ? mcp_arena_dup(arena, type, strlen(type)) : NULL,
            .origin = m->place,
            .line = m->code->line};
        if (parts[i].path == NULL ||
            (type != NULL && parts[i].mime_type == NULL))
            return MCP_ENOMEM;
        if (f != NULL)
            mcp_buf_add(&m->block, f->bytes, f->len);
    }
    return m->block.failed ? MCP_ENOMEM : MCP_OK;
}

/* Are all places of the files within the limits of a path? */
static bool check_places(struct maker *m, const struct mcp_skill_part *parts)
{
    for (size_t i = 0; i <= m->code->file_count; i++) {
        const char *flaw =
            mcp_skill_path_flaw(parts[i].path, strlen(parts[i].path));

        if (flaw != NULL)
            return refuse(m, "use a shorter prefix or path", flaw,
                          parts[i].path);
    }
    return true;
}

static enum mcp_err add_parts(struct maker *m, const char *root,
                              struct mcp_skill_part *parts)
{
    size_t count = m->code->file_count + 1, len, at = 0;
    enum mcp_err err = fill_parts(m, root, parts);
    enum mcp_skill_outcome outcome;
    char *block;

    if (err != MCP_OK)
        return err;
    if (!check_places(m, parts))
        return outcome_of(m);
    block = mcp_buf_take(&m->block, &len);
    if (block == NULL)
        return MCP_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        parts[i].bytes = block + at;
        at += parts[i].len;
    }
    return mcp_skill_build_add(m->index, root, block, parts, count, &outcome);
}

static enum mcp_err make(struct maker *m)
{
    const char *prefix = m->code->prefix != NULL ? m->code->prefix : "";
    struct mcp_skill_part *parts;
    const char *name, *root;
    enum mcp_err err;

    write_self(m);
    if (mcp_buf_reserve(&m->block, 1) == NULL) /* an empty text is no NULL */
        return MCP_ENOMEM;
    if (!check_files(m) || !check_limits(m))
        return outcome_of(m);
    name = find_name(m);
    if (name == NULL)
        return outcome_of(m);
    root = mcp_skill_join(m->index->arena, prefix, name);
    parts = mcp_memory_new(m->code->file_count + 1, sizeof(*parts));
    err =
        root != NULL && parts != NULL ? add_parts(m, root, parts) : MCP_ENOMEM;
    free(parts);
    return err;
}

/* Reports are at the place of the declaration; a line of its text moves into
 * the reason. */
static void move_reports(struct maker *m, size_t from)
{
    struct mcp_skill_reports *r = &m->index->reports;

    for (size_t i = from; i < r->count; i++) {
        struct mcp_skill_report *report = &r->items[i];

        if (report->line > 0 && m->code->text != NULL)
            report->reason =
                mcp_arena_printf(r->arena, "line %d of its text: %s",
                                 report->line, report->reason);
        report->line = m->code->line;
        r->failed = r->failed || report->reason == NULL;
    }
}

/* The most that SKILL.md and the files may need: front matter of 64 KiB, with
 * its escapes, is far below 1 MiB. */
static size_t most_bytes(const struct mcp_skill_code *code)
{
    size_t most = (1 << 20) + code->text_len + code->body_len;

    for (size_t i = 0; i < code->file_count; i++)
        most += code->files[i].len;
    return most;
}

enum mcp_err mcp_skill_load_code(struct mcp_skill_index *index,
                                 const struct mcp_skill_code *code)
{
    const char *place = code->file != NULL ? code->file : "(code)";
    struct maker m = {.index = index,
                      .code = code,
                      .place =
                          mcp_arena_dup(index->arena, place, strlen(place))};
    size_t before = index->reports.count;
    enum mcp_err err;

    if (m.place == NULL)
        return MCP_ENOMEM;
    mcp_buf_init(&m.block, most_bytes(code));
    err = make(&m);
    move_reports(&m, before);
    mcp_buf_free(&m.block);
    return err == MCP_OK && index->reports.failed ? MCP_ENOMEM : err;
}
