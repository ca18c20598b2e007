/* see skill_common.h */
#include "skill_common.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

char skill_folder[32];
struct mcp_skill_index *skill_index;

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

int skill_set_up(void **state)
{
    (void)state;
    snprintf(skill_folder, sizeof(skill_folder), "/tmp/skills-XXXXXX");
    return mkdtemp(skill_folder) != NULL ? 0 : -1;
}

int skill_tear_down(void **state)
{
    (void)state;
    mcp_skill_index_free(skill_index);
    skill_index = NULL;
    return nftw(skill_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *skill_disk(const char *path)
{
    static char whole[2][4096];
    static int turn;
    char *to = whole[turn ^= 1];

    snprintf(to, sizeof(whole[0]), "%s/%s", skill_folder, path);
    return to;
}

static FILE *create(const char *path)
{
    char whole[4096];
    FILE *f;

    snprintf(whole, sizeof(whole), "%s", skill_disk(path));
    for (char *p = whole + strlen(skill_folder) + 1;
         (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        (void)mkdir(whole, 0755);
        *p = '/';
    }
    f = fopen(whole, "wb");
    if (f == NULL)
        fail_msg("cannot create %s", whole);
    return f;
}

void skill_put_n(const char *path, const char *bytes, size_t len)
{
    FILE *f = create(path);

    assert_int_equal(fwrite(bytes, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

void skill_put(const char *path, const char *text)
{
    skill_put_n(path, text, strlen(text));
}

void skill_make(const char *path)
{
    const char *slash = strrchr(path, '/');
    char text[512], whole[2048];

    snprintf(text, sizeof(text),
             "---\nname: %s\ndescription: About it.\n---\nDo it.\n",
             slash != NULL ? slash + 1 : path);
    snprintf(whole, sizeof(whole), "%s/SKILL.md", path);
    skill_put(whole, text);
}

void skill_put_hole(const char *path, long len)
{
    FILE *f = create(path);

    assert_int_equal(fclose(f), 0);
    assert_int_equal(truncate(skill_disk(path), len), 0);
}

void skill_load_with(const struct mcp_skill_options *options)
{
    mcp_skill_index_free(skill_index);
    skill_index = NULL;
    assert_int_equal(mcp_skill_index_open(options, &skill_index), MCP_OK);
}

void skill_load(void)
{
    struct mcp_skill_folder folder = {skill_folder, NULL};

    skill_load_with(
        &(struct mcp_skill_options){.folders = &folder, .folder_count = 1});
}

const struct mcp_skill *skill_get(const char *path)
{
    char uri[4096];
    const struct mcp_skill *skill;

    snprintf(uri, sizeof(uri), "skill://%s/SKILL.md", path);
    skill = mcp_skill_index_find(skill_index, uri, strlen(uri));
    if (skill == NULL)
        fail_msg("there is no %s", uri);
    return skill;
}

size_t skill_count(void)
{
    size_t count;

    (void)mcp_skill_index_skills(skill_index, &count);
    return count;
}

bool skill_has_file(const char *uri)
{
    return mcp_skill_index_find_file(skill_index, uri, strlen(uri)) != NULL;
}

bool skill_has_folder(const char *uri)
{
    return mcp_skill_index_find_directory(skill_index, uri, strlen(uri)) !=
           NULL;
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);

    return a >= b && strcmp(text + a - b, end) == 0;
}

void skill_expect(enum mcp_skill_severity severity, const char *file, int line,
                  const char *reason)
{
    size_t count;
    const struct mcp_skill_report *r =
        mcp_skill_index_reports(skill_index, &count);

    for (size_t i = 0; i < count; i++)
        if (r[i].severity == severity && ends_with(r[i].file, file) &&
            (line < 0 || r[i].line == line) &&
            strstr(r[i].reason, reason) != NULL) {
            assert_non_null(r[i].advice);
            return;
        }
    for (size_t i = 0; i < count; i++)
        print_message("%d %s:%d: %s\n", (int)r[i].severity, r[i].file,
                      r[i].line, r[i].reason);
    fail_msg("no report on %s:%d: %s", file, line, reason);
}

size_t skill_reports(enum mcp_skill_severity severity)
{
    size_t count, n = 0;
    const struct mcp_skill_report *r =
        mcp_skill_index_reports(skill_index, &count);

    for (size_t i = 0; i < count; i++)
        n += r[i].severity == severity;
    return n;
}
