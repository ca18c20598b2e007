/*
 * skill_front.c - see skill_front.h
 */
#include "features/skill_front.h"

#include <stdio.h>

#include "base/yaml.h"
#include "features/skill_uri.h"

static const char marker_advice[] =
    "begin the file with a line ---, then name: and description:, then a line "
    "---";

struct reader {
    const char *file;
    const char *folder;
    struct mcp_skill_reports *reports;
    const struct mcp_json *tree;
};

static bool refuse(const struct reader *r, int line, const char *reason,
                   const char *advice)
{
    mcp_skill_report_add(r->reports, MCP_SKILL_ERROR, r->file, line, advice,
                         "%s", reason);
    return false;
}

/* ---- where it is ---- */

static size_t skip_bom(const char *bytes, size_t len)
{
    return len >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* Where the line at `at` ends: behind its LF, or at `len`. */
static size_t line_end(const char *bytes, size_t len, size_t at)
{
    const char *end = memchr(bytes + at, '\n', len - at);

    return end != NULL ? (size_t)(end - bytes) + 1 : len;
}

/* Is the line [at, end) three hyphens, with `blanks` behind them or not? */
static bool is_marker(const char *bytes, size_t at, size_t end, bool blanks)
{
    if (end - at < 3 || memcmp(bytes + at, "---", 3) != 0)
        return false;
    if (end > at && bytes[end - 1] == '\n')
        end--;
    if (end > at + 3 && bytes[end - 1] == '\r')
        end--;
    for (at += 3; at < end; at++)
        if (!blanks || (bytes[at] != ' ' && bytes[at] != '\t'))
            return false;
    return true;
}

/* The text between the markers is [*from, *to), the body begins at *body. */
static bool find_markers(const struct reader *r, const char *bytes, size_t len,
                         size_t *from, size_t *to, size_t *body)
{
    size_t at = skip_bom(bytes, len), end = line_end(bytes, len, at);

    if (!is_marker(bytes, at, end, false))
        return refuse(r, 1, "no front matter: the first line is not ---",
                      marker_advice);
    *from = at = end;
    while (at < len && at - *from <= MCP_YAML_MAX_TEXT) {
        end = line_end(bytes, len, at);
        if (is_marker(bytes, at, end, true)) {
            *to = at;
            *body = end;
            return true;
        }
        at = end;
    }
    return refuse(r, 1,
                  at < len ? "front matter of more than 64 KiB"
                           : "front matter without a last line ---",
                  marker_advice);
}

/* ---- what is in it ---- */

/* The line of `key` in the file; 1 when there is no such member. */
static int line_of(const struct reader *r, const char *key)
{
    for (uint32_t i = 0; i < r->tree->count; i++)
        if (mcp_json_equals_string(&r->tree->u.members[i].key, key))
            return (int)r->tree->u.members[i].key.number + 1;
    return 1;
}

/* Characters of UTF-8. */
static size_t count_characters(const struct mcp_json *text)
{
    size_t n = 0;

    for (uint32_t i = 0; i < text->count; i++)
        n += ((unsigned char)text->u.text[i] & 0xC0) != 0x80;
    return n;
}

static bool is_blank(const struct mcp_json *text)
{
    for (uint32_t i = 0; i < text->count; i++)
        if (strchr(" \t\r\n", text->u.text[i]) == NULL)
            return false;
    return true;
}

/* The string `key`, not blank and without NUL, or NULL. */
static const struct mcp_json *get_text(const struct reader *r, const char *key,
                                       const char *advice)
{
    const struct mcp_json *v = mcp_json_find(r->tree, key);
    int line = line_of(r, key);
    char reason[80] = "";

    if (v == NULL)
        (void)snprintf(reason, sizeof(reason), "no %s", key);
    else if (v->type == MCP_JSON_NULL ||
             (v->type == MCP_JSON_STRING && is_blank(v)))
        (void)snprintf(reason, sizeof(reason), "an empty %s", key);
    else if (v->type != MCP_JSON_STRING)
        (void)snprintf(reason, sizeof(reason), "a %s that is not text but %s",
                       key, mcp_json_type_name(v));
    else if (memchr(v->u.text, '\0', v->count) != NULL)
        (void)snprintf(reason, sizeof(reason), "a %s with a NUL", key);
    if (*reason == '\0')
        return v;
    if (v != NULL && v->type != MCP_JSON_STRING && v->type != MCP_JSON_NULL)
        advice = "put the value in quotes to make it text";
    (void)refuse(r, line, reason, advice);
    return NULL;
}

static bool check_name(const struct reader *r, const struct mcp_json *name)
{
    const char *flaw = mcp_skill_name_flaw(name->u.text, name->count);
    char reason[400];

    if (flaw != NULL)
        return refuse(
            r, line_of(r, "name"), flaw,
            "use 1 to 64 of a-z, 0-9 and single hyphens between them");
    if (r->folder == NULL || mcp_json_equals_string(name, r->folder))
        return true;
    (void)snprintf(reason, sizeof(reason),
                   "the name \"%s\" is not that of its folder, \"%.255s\"",
                   name->u.text, r->folder);
    return refuse(r, line_of(r, "name"), reason,
                  "give the skill and its folder the same name");
}

static bool check_description(const struct reader *r,
                              const struct mcp_json *description)
{
    if (count_characters(description) <= MCP_SKILL_MAX_DESCRIPTION)
        return true;
    return refuse(r, line_of(r, "description"),
                  "a description of more than 1024 characters",
                  "say what the skill does and when to use it; the rest "
                  "belongs below the front matter");
}

static void report_doubts(const struct reader *r,
                          const struct mcp_yaml_doubts *doubts)
{
    for (size_t i = 0; i < doubts->count; i++)
        mcp_skill_report_add(
            r->reports, MCP_SKILL_WARNING, r->file, doubts->items[i].line + 1,
            "put it in quotes when it is text; write a number in plain digits",
            "%s is %s here, and %s to clients that read YAML 1.1",
            doubts->items[i].text, doubts->items[i].here,
            doubts->items[i].yaml11);
}

static bool parse(struct reader *r, const char *text, size_t len)
{
    struct mcp_yaml_doubts doubts;
    struct mcp_yaml_error error;
    enum mcp_err err =
        mcp_yaml_parse(r->reports->arena, text, len, &r->tree, &doubts, &error);

    if (err == MCP_ENOMEM) {
        r->reports->failed = true;
        return false;
    }
    if (err != MCP_OK)
        return refuse(r, error.line + 1, error.reason, error.advice);
    report_doubts(r, &doubts);
    return true;
}

bool mcp_skill_front_read(const char *bytes, size_t len, const char *file,
                          const char *folder, struct mcp_skill_reports *reports,
                          struct mcp_skill_front *out)
{
    struct reader r = {.file = file, .folder = folder, .reports = reports};
    const struct mcp_json *name, *description;
    size_t from = 0, to = 0, body = 0;

    if (!find_markers(&r, bytes, len, &from, &to, &body) ||
        !parse(&r, bytes + from, to - from))
        return false;
    name = get_text(&r, "name", "give it the name of its folder");
    description = get_text(&r, "description",
                           "say what the skill does and when to use it");
    if (name == NULL || description == NULL || !check_name(&r, name) ||
        !check_description(&r, description))
        return false;
    *out = (struct mcp_skill_front){.tree = r.tree,
                                    .name = name->u.text,
                                    .description = description->u.text,
                                    .body = body};
    return true;
}
