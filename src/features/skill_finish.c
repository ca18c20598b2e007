/*
 * skill_finish.c - see skill_finish.h
 *
 * Files are sorted by URI. All that begins with one prefix lies side by side
 * then, so the files of a skill, and those of a folder, are a range.
 */
#include "features/skill_finish.h"

#include "base/memory.h"
#include "features/skill_check.h"
#include "features/skill_grow.h"
#include "features/skill_uri.h"

enum { ENTRY_BYTES = 1 << 30 };

struct finisher {
    struct mcp_skill_index *index;
    struct mcp_buf buf; /* JSON of one thing after the other */
    bool failed;
};

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct mcp_skill_file *)a)->uri,
                  ((const struct mcp_skill_file *)b)->uri);
}

static int compare_skills(const void *a, const void *b)
{
    return strcmp((*(const struct mcp_skill *const *)a)->uri,
                  (*(const struct mcp_skill *const *)b)->uri);
}

static int compare_names(const void *a, const void *b)
{
    const struct mcp_skill *x = *(const struct mcp_skill *const *)a;
    const struct mcp_skill *y = *(const struct mcp_skill *const *)b;
    int order = strcmp(x->name, y->name);

    return order != 0 ? order : strcmp(x->uri, y->uri);
}

static int compare_directories(const void *a, const void *b)
{
    return strcmp(((const struct mcp_skill_directory *)a)->uri,
                  ((const struct mcp_skill_directory *)b)->uri);
}

/* Moves what was written to the arena. */
static struct mcp_skill_text keep(struct finisher *f)
{
    struct mcp_skill_text text = {NULL, f->buf.len};

    if (!f->buf.failed)
        text.text = mcp_arena_dup(f->index->arena, f->buf.data, f->buf.len);
    f->failed = f->failed || text.text == NULL;
    mcp_buf_clear(&f->buf);
    return text;
}

/* ---- files ---- */

/* The first file whose URI is not before uri[0..len). */
static size_t lower_bound(const struct mcp_skill_index *ix, const char *uri,
                          size_t len)
{
    size_t from = 0, to = ix->file_count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (strncmp(ix->files[middle].uri, uri, len) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

struct mcp_skill_file *mcp_skill_files_below(const struct mcp_skill_index *ix,
                                             const char *uri, size_t len,
                                             size_t *count)
{
    size_t from = lower_bound(ix, uri, len), to = from;

    while (to < ix->file_count && strncmp(ix->files[to].uri, uri, len) == 0)
        to++;
    *count = to - from;
    return ix->files + from;
}

/* {"uri":...,"name":NAME,"mimeType":...,"size":...} */
static void write_resource(struct mcp_buf *out, const struct mcp_skill_file *f,
                           const char *name)
{
    mcp_buf_puts(out, "{\"uri\":");
    mcp_json_write_cstring(out, f->uri);
    mcp_buf_puts(out, ",\"name\":");
    mcp_json_write_cstring(out, name);
    if (f->description != NULL) {
        mcp_buf_puts(out, ",\"description\":");
        mcp_json_write_cstring(out, f->description);
    }
    mcp_buf_puts(out, ",\"mimeType\":");
    mcp_json_write_cstring(out, f->mime_type);
    mcp_buf_printf(out, ",\"size\":%zu}", f->len);
}

/* In lists a file has its path for a name, a SKILL.md that of its skill. */
static void finish_files(struct finisher *f)
{
    struct mcp_skill_index *ix = f->index;

    if (ix->file_count > 0)
        qsort(ix->files, ix->file_count, sizeof(*ix->files), compare_files);
    for (size_t i = 0; i < ix->file_count; i++) {
        struct mcp_skill_file *file = &ix->files[i];

        write_resource(&f->buf, file,
                       file->description != NULL ? file->name : file->path);
        file->resource = keep(f);
    }
}

/* ---- skills ---- */

/* {"uri":...,"frontmatter":{...},"resources":[...]} */
static void write_entry(struct mcp_buf *out, const struct mcp_skill *skill)
{
    mcp_buf_puts(out, "{\"uri\":");
    mcp_json_write_cstring(out, skill->uri);
    mcp_buf_puts(out, ",\"frontmatter\":");
    mcp_json_write(out, skill->frontmatter);
    mcp_buf_puts(out, ",\"resources\":[");
    for (size_t i = 0; i < skill->file_count; i++) {
        const struct mcp_skill_file *f = &skill->files[i];

        mcp_buf_puts(out, i > 0 ? ",{\"uri\":" : "{\"uri\":");
        mcp_json_write_cstring(out, f->uri);
        mcp_buf_printf(out, ",\"digest\":\"%s\",\"size\":%zu}", f->digest,
                       f->len);
    }
    mcp_buf_puts(out, "]}");
}

static void finish_skill(struct finisher *f, struct mcp_skill *skill)
{
    size_t len = strlen(skill->uri) - strlen("SKILL.md");

    skill->files =
        mcp_skill_files_below(f->index, skill->uri, len, &skill->file_count);
    for (size_t i = 0; i < skill->file_count; i++) {
        skill->bytes += skill->files[i].len;
        if (strcmp(skill->files[i].uri, skill->uri) == 0)
            skill->self = &skill->files[i];
    }
    write_entry(&f->buf, skill);
    skill->entry = keep(f);
    mcp_skill_check_links(skill, &f->index->reports);
}

/* Skills of the same name at different places are legal; clients show both. */
static void warn_of_names(struct finisher *f, const struct mcp_skill **skills)
{
    struct mcp_skill_index *ix = f->index;

    for (size_t i = 1; i < ix->skill_count; i++)
        if (strcmp(skills[i]->name, skills[i - 1]->name) == 0)
            mcp_skill_report_add(
                &ix->reports, MCP_SKILL_WARNING, skills[i]->origin, 0,
                "give one of the two another name: people know skills by it",
                "%s and %s have the same name", skills[i]->uri,
                skills[i - 1]->uri);
}

static void finish_skills(struct finisher *f)
{
    struct mcp_skill_index *ix = f->index;

    ix->by_uri = mcp_memory_new(ix->skill_count + 1, sizeof(*ix->by_uri));
    if (ix->by_uri == NULL) {
        f->failed = true;
        return;
    }
    for (size_t i = 0; i < ix->skill_count; i++) {
        finish_skill(f, &ix->skills[i]);
        ix->by_uri[i] = &ix->skills[i];
    }
    qsort(ix->by_uri, ix->skill_count, sizeof(*ix->by_uri), compare_names);
    warn_of_names(f, ix->by_uri);
    qsort(ix->by_uri, ix->skill_count, sizeof(*ix->by_uri), compare_skills);
}

/* ---- folders ---- */

/* The last part of uri[0..len), decoded: names have no "%" but in escapes. */
static char *decoded_name(struct finisher *f, const char *uri, size_t len)
{
    size_t from = len, n = 0;
    char *name;

    while (uri[from - 1] != '/')
        from--;
    name = mcp_arena_dup(f->index->arena, uri + from, len - from);
    if (name == NULL)
        return NULL;
    for (size_t i = from; i < len; i++, n++) {
        name[n] = uri[i];
        if (uri[i] == '%' && mcp_hex_decode(uri + i + 1, 2, name + n) == MCP_OK)
            i += 2;
    }
    name[n] = '\0';
    return name;
}

/* One child: a file, or the folder uri[0..len). */
static void make_child(struct finisher *f, struct mcp_skill_child *child,
                       const struct mcp_skill_file *file, const char *uri,
                       size_t len)
{
    *child = (struct mcp_skill_child){
        .file = file,
        .uri =
            file != NULL ? file->uri : mcp_arena_dup(f->index->arena, uri, len),
        .name = decoded_name(f, uri, len)};
    if (child->uri == NULL || child->name == NULL) {
        f->failed = true;
        return;
    }
    if (file != NULL) {
        write_resource(&f->buf, file, file->name);
    } else {
        mcp_buf_puts(&f->buf, "{\"uri\":");
        mcp_json_write_cstring(&f->buf, child->uri);
        mcp_buf_puts(&f->buf, ",\"name\":");
        mcp_json_write_cstring(&f->buf, child->name);
        mcp_buf_puts(&f->buf, ",\"mimeType\":\"inode/directory\"}");
    }
    child->resource = keep(f);
}

/* The end of the child that begins at `i`, and the length of its URI; `depth`
 * is the length of its folder's URI and the slash. */
static size_t child_end(const struct mcp_skill_index *ix, size_t i, size_t to,
                        size_t depth, size_t *len, bool *is_folder)
{
    const char *uri = ix->files[i].uri;
    const char *slash = strchr(uri + depth, '/');
    size_t end = i + 1;

    *is_folder = slash != NULL;
    *len = slash != NULL ? (size_t)(slash - uri) : strlen(uri);
    if (slash != NULL)
        while (end < to && strncmp(ix->files[end].uri, uri, *len + 1) == 0)
            end++;
    return end;
}

static size_t count_children(const struct mcp_skill_index *ix, size_t from,
                             size_t to, size_t depth)
{
    size_t count = 0, len;
    bool is_folder;

    for (size_t i = from; i < to; count++)
        i = child_end(ix, i, to, depth, &len, &is_folder);
    return count;
}

/* The folder whose files are [from, to); `depth` bytes of their URIs are its
 * own, with the slash. Recurses as deep as paths may be. */
static void make_directory(struct finisher *f, size_t from, size_t to,
                           size_t depth)
{
    struct mcp_skill_index *ix = f->index;
    size_t count = count_children(ix, from, to, depth), n = 0, len;
    struct mcp_skill_child *children =
        mcp_arena_alloc(ix->arena, count * sizeof(*children));
    struct mcp_skill_directory *all =
        mcp_skill_grow(ix->directories, ix->directory_count,
                       &ix->directory_room, sizeof(*all));
    bool is_folder;

    if (all != NULL)
        ix->directories = all;
    if (all == NULL || children == NULL) {
        f->failed = true;
        return;
    }
    all[ix->directory_count++] = (struct mcp_skill_directory){
        .uri = mcp_arena_dup(ix->arena, ix->files[from].uri, depth - 1),
        .children = children,
        .child_count = count};
    for (size_t i = from, end; i < to && !f->failed; i = end) {
        end = child_end(ix, i, to, depth, &len, &is_folder);
        make_child(f, &children[n++], is_folder ? NULL : &ix->files[i],
                   ix->files[i].uri, len);
        if (is_folder)
            make_directory(f, i, end, len + 1);
    }
}

/* The folders right below skill://, and with them all others. */
static void finish_directories(struct finisher *f)
{
    struct mcp_skill_index *ix = f->index;
    const size_t depth = sizeof(MCP_SKILL_SCHEME) - 1;
    bool is_folder;
    size_t len;

    for (size_t i = 0, end; i < ix->file_count && !f->failed; i = end) {
        end = child_end(ix, i, ix->file_count, depth, &len, &is_folder);
        make_directory(f, i, end, len + 1);
    }
    if (f->failed)
        return;
    for (size_t i = 0; i < ix->directory_count; i++)
        f->failed = f->failed || ix->directories[i].uri == NULL;
    if (!f->failed && ix->directory_count > 0)
        qsort(ix->directories, ix->directory_count, sizeof(*ix->directories),
              compare_directories);
}

enum mcp_err mcp_skill_finish(struct mcp_skill_index *index)
{
    struct finisher f = {.index = index};

    mcp_buf_init(&f.buf, ENTRY_BYTES);
    finish_files(&f);
    if (!f.failed)
        finish_skills(&f);
    if (!f.failed)
        finish_directories(&f);
    mcp_buf_free(&f.buf);
    mcp_skill_reports_sort(&index->reports);
    return f.failed || index->reports.failed ? MCP_ENOMEM : MCP_OK;
}
