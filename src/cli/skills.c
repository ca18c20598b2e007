/*
 * skills.c - see skills.h
 *
 *     pdf                  Reads PDF files.
 *       skill://pdf/SKILL.md
 *       2 files, 5140 bytes
 *       9f86d0...  5120  SKILL.md
 *       60303a...    20  references/forms.md
 *
 *     error: skills/csv/SKILL.md:3: mapping values are not allowed here
 *       fix: put the value in quotes: ...
 *
 *     1 skill, 1 error, 0 warnings, 0 notes
 */
#include "cli/skills.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/banner.h"
#include "cli/local.h"

enum { REPORT_BYTES = 1 << 30, NAME_COLUMNS = 20, LINE_BYTES = 100 };

static const char *severity_name(enum mcp_skill_severity severity)
{
    static const char *const names[] = {[MCP_SKILL_ERROR] = "error",
                                        [MCP_SKILL_WARNING] = "warning",
                                        [MCP_SKILL_NOTE] = "note"};

    return names[severity];
}

size_t mcp_skills_count(const struct mcp_skill_index *index,
                        enum mcp_skill_severity severity)
{
    const struct mcp_skill_report *r;
    size_t count = 0, n = 0;

    if (index == NULL)
        return 0;
    r = mcp_skill_index_reports(index, &count);
    for (size_t i = 0; i < count; i++)
        n += r[i].severity == severity;
    return n;
}

/* ---- for people ---- */

/* The path of a file within the skill whose SKILL.md has `uri`, as the URI has
 * it. */
static const char *path_within(const struct mcp_skill *skill,
                               const struct mcp_skill_file *file)
{
    return file->uri + strlen(skill->uri) - strlen("SKILL.md");
}

/* The first line of `text`, cut to LINE_BYTES between characters. */
static void write_line(struct mcp_buf *out, const char *text)
{
    size_t n = strcspn(text, "\n");
    bool whole = n <= LINE_BYTES;

    for (n = whole ? n : LINE_BYTES;
         !whole && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;)
        n--;
    mcp_banner_add(out, text, n);
    mcp_buf_puts(out, whole ? "" : "...");
}

static void write_manifest(struct mcp_buf *out, const struct mcp_skill *skill)
{
    int columns = snprintf(NULL, 0, "%" PRIu64, skill->bytes);

    for (size_t i = 0; i < skill->file_count; i++)
        mcp_buf_printf(out, "    %s  %*zu  %s\n",
                       skill->files[i].digest + strlen("sha256:"), columns,
                       skill->files[i].len,
                       path_within(skill, &skill->files[i]));
}

void mcp_skills_write_list(struct mcp_buf *out,
                           const struct mcp_skill_index *index, bool manifest)
{
    size_t count;
    const struct mcp_skill *skills = mcp_skill_index_skills(index, &count);

    for (size_t i = 0; i < count; i++) {
        const struct mcp_skill *s = &skills[i];

        mcp_buf_printf(out, "  %-*s ", NAME_COLUMNS, s->name);
        write_line(out, s->description);
        mcp_buf_printf(out, "\n    %s, %zu file%s, %" PRIu64 " bytes\n", s->uri,
                       s->file_count, s->file_count == 1 ? "" : "s", s->bytes);
        if (manifest)
            write_manifest(out, s);
    }
}

static void write_problem(struct mcp_buf *out, const struct mcp_skill_report *r)
{
    mcp_buf_printf(out, "%s: ", severity_name(r->severity));
    mcp_banner_put(out, r->file);
    if (r->line > 0)
        mcp_buf_printf(out, ":%d", r->line);
    mcp_buf_puts(out, ": ");
    mcp_banner_put(out, r->reason);
    mcp_buf_puts(out, "\n  fix: ");
    mcp_banner_put(out, r->advice);
    mcp_buf_putc(out, '\n');
}

void mcp_skills_write_problems(struct mcp_buf *out,
                               const struct mcp_skill_index *index)
{
    size_t count;
    const struct mcp_skill_report *r = mcp_skill_index_reports(index, &count);

    for (int severity = MCP_SKILL_NOTE; severity >= 0; severity--)
        for (size_t i = 0; i < count; i++)
            if ((int)r[i].severity == severity)
                write_problem(out, &r[i]);
}

static void write_counts(struct mcp_buf *out,
                         const struct mcp_skill_index *index)
{
    size_t skills;

    (void)mcp_skill_index_skills(index, &skills);
    mcp_buf_printf(out, "%zu skill%s", skills, skills == 1 ? "" : "s");
    for (int s = 0; s <= MCP_SKILL_NOTE; s++) {
        size_t n = mcp_skills_count(index, (enum mcp_skill_severity)s);

        mcp_buf_printf(out, ", %zu %s%s", n,
                       severity_name((enum mcp_skill_severity)s),
                       n == 1 ? "" : "s");
    }
    mcp_buf_putc(out, '\n');
}

static void write_text(struct mcp_buf *out, const struct mcp_skill_index *index)
{
    size_t skills, reports;

    (void)mcp_skill_index_skills(index, &skills);
    (void)mcp_skill_index_reports(index, &reports);
    mcp_skills_write_list(out, index, true);
    if (skills > 0)
        mcp_buf_putc(out, '\n');
    mcp_skills_write_problems(out, index);
    if (skills == 0 && reports == 0)
        mcp_buf_puts(out, "no folder in it has a file SKILL.md");
    if (reports > 0 || skills == 0)
        mcp_buf_putc(out, '\n');
    write_counts(out, index);
}

/* ---- for programs ---- */

/* A path, or a text that may hold one, need not be UTF-8; then it has no JSON.
 */
static void write_path(struct mcp_buf *out, const char *text)
{
    if (mcp_utf8_valid(text, strlen(text), NULL))
        mcp_json_write_cstring(out, text);
    else
        mcp_buf_puts(out, "null");
}

void mcp_skills_write_list_json(struct mcp_buf *out,
                                const struct mcp_skill_index *index)
{
    size_t count;
    const struct mcp_skill *skills = mcp_skill_index_skills(index, &count);

    for (size_t i = 0; i < count; i++) {
        const struct mcp_skill *s = &skills[i];

        mcp_buf_puts(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        mcp_json_write_cstring(out, s->name);
        mcp_buf_puts(out, ",\"description\":");
        mcp_json_write_cstring(out, s->description);
        mcp_buf_puts(out, ",\"file\":");
        write_path(out, s->origin);
        mcp_buf_printf(out, ",\"files\":%zu,\"bytes\":%" PRIu64 ",\"entry\":",
                       s->file_count, s->bytes);
        mcp_buf_add(out, s->entry.text, s->entry.len);
        mcp_buf_putc(out, '}');
    }
}

static void write_member(struct mcp_buf *out, const char *name,
                         const char *text)
{
    mcp_buf_printf(out, ",\"%s\":", name);
    write_path(out, text);
}

void mcp_skills_write_problems_json(struct mcp_buf *out,
                                    const struct mcp_skill_index *index,
                                    bool first)
{
    size_t count;
    const struct mcp_skill_report *r = mcp_skill_index_reports(index, &count);

    for (size_t i = 0; i < count; i++) {
        mcp_buf_printf(out, "%s{\"severity\":\"%s\",\"rule\":\"skill\"",
                       first && i == 0 ? "" : ",",
                       severity_name(r[i].severity));
        mcp_buf_puts(out, ",\"tool\":null,\"kind\":\"skill\",\"item\":null,"
                          "\"pointer\":\"\"");
        write_member(out, "file", r[i].file);
        if (r[i].line > 0)
            mcp_buf_printf(out, ",\"line\":%d", r[i].line);
        else
            mcp_buf_puts(out, ",\"line\":null");
        write_member(out, "message", r[i].reason);
        write_member(out, "fix", r[i].advice);
        mcp_buf_puts(out, ",\"for\":\"agents, which read the skill\"}");
    }
}

static void write_json(struct mcp_buf *out, const char *folder,
                       const struct mcp_skill_index *index)
{
    mcp_buf_puts(out, "{\"folder\":");
    write_path(out, folder);
    mcp_buf_puts(out, ",\"skills\":[");
    mcp_skills_write_list_json(out, index);
    mcp_buf_puts(out, "],\"findings\":[");
    mcp_skills_write_problems_json(out, index, true);
    mcp_buf_putc(out, ']');
    for (int s = 0; s <= MCP_SKILL_NOTE; s++)
        mcp_buf_printf(out, ",\"%ss\":%zu",
                       severity_name((enum mcp_skill_severity)s),
                       mcp_skills_count(index, (enum mcp_skill_severity)s));
    mcp_buf_puts(out, "}\n");
}

/* ---- the command ---- */

static bool is_good(const struct mcp_skill_index *index, bool strict)
{
    size_t skills;

    (void)mcp_skill_index_skills(index, &skills);
    return skills > 0 && mcp_skills_count(index, MCP_SKILL_ERROR) == 0 &&
           (!strict || mcp_skills_count(index, MCP_SKILL_WARNING) == 0);
}

static enum mcp_err write_report(const struct mcp_cli *cli,
                                 const struct mcp_skill_index *index, int fd,
                                 char *message, size_t message_size)
{
    struct mcp_buf out;
    enum mcp_err err = MCP_OK;

    mcp_buf_init(&out, REPORT_BYTES);
    if (cli->json)
        write_json(&out, cli->folder, index);
    else
        write_text(&out, index);
    if (out.failed) {
        err = MCP_ENOMEM;
    } else if (!mcp_local_write(fd, &out)) {
        (void)snprintf(message, message_size, "cannot write the report: %s",
                       strerror(errno));
        err = MCP_EINTERNAL;
    }
    mcp_buf_free(&out);
    return err;
}

enum mcp_err mcp_skills_run(const struct mcp_cli *cli, int fd, bool *passes,
                            char *message, size_t message_size)
{
    struct mcp_skill_folder folder = {.path = cli->folder};
    struct mcp_skill_options options = {.folders = &folder, .folder_count = 1};
    struct mcp_skill_index *index;
    enum mcp_err err;
    struct stat st;

    if (stat(cli->folder, &st) != 0) {
        (void)snprintf(message, message_size, "there is no folder %.500s",
                       cli->folder);
        return MCP_ENOENT;
    }
    if (!S_ISDIR(st.st_mode)) {
        (void)snprintf(message, message_size,
                       "%.500s is no folder; mcpluad check tells of the skills "
                       "of an app",
                       cli->folder);
        return MCP_ENOENT;
    }
    err = mcp_skill_index_open(&options, &index);
    if (err != MCP_OK) {
        (void)snprintf(message, message_size, "cannot read the skills");
        return err;
    }
    err = write_report(cli, index, fd, message, message_size);
    *passes = is_good(index, cli->strict);
    mcp_skill_index_free(index);
    return err;
}
