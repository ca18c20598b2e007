/*
 * skill_check.c - see skill_check.h
 */
#include "features/skill_check.h"

#include <inttypes.h>

#include "base/codec.h"
#include "features/skill_uri.h"

enum {
    MAX_COMPATIBILITY = 500, /* characters */
    MANY_LINES = 500,        /* of a SKILL.md; longer ones cost context */
    MAX_LINKS = 1000,        /* looked at in one SKILL.md */
};

struct checker {
    const char *file;
    struct mcp_skill_reports *reports;
};

static void warn(const struct checker *c, int line, const char *advice,
                 const char *reason, const char *what)
{
    mcp_skill_report_add(c->reports, MCP_SKILL_WARNING, c->file, line, advice,
                         "%s%.200s", reason, what);
}

/* ---- front matter ---- */

static size_t count_characters(const struct mcp_json *text)
{
    size_t n = 0;

    for (uint32_t i = 0; i < text->count; i++)
        n += ((unsigned char)text->u.text[i] & 0xC0) != 0x80;
    return n;
}

static void check_metadata(const struct checker *c, const struct mcp_json *map)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const struct mcp_json_member *m = &map->u.members[i];

        if (m->value.type != MCP_JSON_STRING)
            warn(c, (int)m->key.number + 1,
                 "put the value in quotes: metadata maps text to text",
                 "metadata whose value is not text: ", m->key.u.text);
    }
}

static void check_member(const struct checker *c,
                         const struct mcp_json_member *m)
{
    static const char *const texts[] = {"license", "compatibility",
                                        "allowed-tools"};
    int line = (int)m->key.number + 1;
    bool text = m->value.type == MCP_JSON_STRING;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (!text && mcp_json_equals_string(&m->key, texts[i]))
            warn(c, line,
                 "write text; allowed-tools are names with blanks "
                 "between them",
                 "not text: ", texts[i]);
    if (text && mcp_json_equals_string(&m->key, "compatibility") &&
        count_characters(&m->value) > MAX_COMPATIBILITY)
        warn(c, line, "say it in 500 characters",
             "compatibility of more than 500 characters", "");
    if (!mcp_json_equals_string(&m->key, "metadata"))
        return;
    if (m->value.type == MCP_JSON_OBJECT)
        check_metadata(c, &m->value);
    else
        warn(c, line, "write lines of \"key: value\" below it",
             "metadata that is no mapping", "");
}

/* ---- the text ---- */

static int count_lines(const char *text, size_t len)
{
    int lines = 0;

    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    return lines;
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\n' &&
            text[i] != '\r')
            return false;
    return true;
}

void mcp_skill_check_front(const struct mcp_skill_front *front,
                           const char *bytes, size_t len, const char *file,
                           struct mcp_skill_reports *reports)
{
    struct checker c = {.file = file, .reports = reports};

    for (uint32_t i = 0; i < front->tree->count; i++)
        check_member(&c, &front->tree->u.members[i]);
    if (is_blank(bytes + front->body, len - front->body))
        warn(&c, 0, "write below the front matter what the agent is to do",
             "no text below the front matter", "");
    if (count_lines(bytes, len) > MANY_LINES)
        warn(&c, 0,
             "move details to files that it links to: all of SKILL.md "
             "goes into the context of the model",
             "more than 500 lines", "");
}

/* ---- links ---- */

/* Is the link to somewhere else: a scheme, a place in this text, a URL? */
static bool is_foreign(const char *link, size_t len)
{
    return len == 0 || link[0] == '#' || link[0] == '<' || link[0] == '{' ||
           memchr(link, ':', len) != NULL ||
           (len > 1 && link[0] == '/' && link[1] == '/');
}

/* Is there a file at skill->uri's folder + path[0..len), or below it? */
static bool has_target(const struct checker *c, const struct mcp_skill *skill,
                       const char *path, size_t len)
{
    size_t base = strlen(skill->uri) - strlen("SKILL.md");
    struct mcp_buf uri;
    bool found = false;

    mcp_buf_init(&uri, MCP_SKILL_MAX_URI * 2);
    mcp_buf_add(&uri, skill->uri, base);
    mcp_skill_uri_encode(&uri, path, len);
    for (size_t i = 0; !uri.failed && !found && i < skill->file_count; i++)
        found = strncmp(skill->files[i].uri, uri.data, uri.len) == 0 &&
                (skill->files[i].uri[uri.len] == '\0' ||
                 skill->files[i].uri[uri.len] == '/' ||
                 uri.data[uri.len - 1] == '/');
    if (uri.failed)
        c->reports->failed = true;
    mcp_buf_free(&uri);
    return found;
}

/* The path of a link: without "./", a fragment and escapes, to `to`. */
static size_t clean(char *to, const char *link, size_t len)
{
    size_t n = 0, i = len > 2 && memcmp(link, "./", 2) == 0 ? 2 : 0;

    for (; i < len && link[i] != '#' && link[i] != '?'; i++) {
        to[n] = link[i];
        if (link[i] == '%' && len - i > 2 &&
            mcp_hex_decode(link + i + 1, 2, to + n) == MCP_OK)
            i += 2;
        n++;
    }
    return n;
}

/* The target of the link whose "](" ends before `at`. */
static void check_link(const struct checker *c, const struct mcp_skill *skill,
                       int line, const char *link, size_t len)
{
    char path[MCP_SKILL_MAX_PATH];
    size_t n;

    if (is_foreign(link, len) || len >= sizeof(path))
        return;
    n = clean(path, link, len);
    path[n] = '\0';
    if (n > 0 && !has_target(c, skill, path, n))
        warn(c, skill->line > 0 ? skill->line : line,
             "links are relative to the folder of the skill and stay "
             "in it",
             "a link to a file that the skill does not have: ", path);
}

/* All links [..](TARGET ..) of one line. */
static size_t check_line(const struct checker *c, const struct mcp_skill *skill,
                         int line, const char *text, size_t len)
{
    const char *end = text + len, *at = text;
    size_t count = 0;

    while ((at = memmem(at, (size_t)(end - at), "](", 2)) != NULL) {
        const char *from = at += 2;

        while (at < end && *at != ')' && *at != ' ')
            at++;
        if (at < end)
            check_link(c, skill, line, from, (size_t)(at - from));
        count++;
    }
    return count;
}

void mcp_skill_check_links(const struct mcp_skill *skill,
                           struct mcp_skill_reports *reports)
{
    struct checker c = {.file = skill->origin, .reports = reports};
    const char *text = skill->self->bytes, *end = text + skill->self->len;
    bool fenced = false;
    size_t links = 0;

    for (int line = 1; text < end && links < MAX_LINKS; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t len = (size_t)((stop != NULL ? stop : end) - text);

        if (len >= 3 &&
            (memcmp(text, "```", 3) == 0 || memcmp(text, "~~~", 3) == 0))
            fenced = !fenced;
        else if (!fenced)
            links += check_line(&c, skill, line, text, len);
        text = stop != NULL ? stop + 1 : end;
    }
}
