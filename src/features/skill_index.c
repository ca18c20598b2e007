/*
 * skill_index.c - opening, finding, comparing
 */
#include "features/skill_index.h"

#include "base/memory.h"
#include "features/skill_build.h"
#include "features/skill_code.h"
#include "features/skill_finish.h"
#include "features/skill_load.h"
#include "features/skill_uri.h"

/* Texts, trees and entries; files lie elsewhere. */
#define ARENA_BYTES ((size_t)4 << 30)

static void free_all(struct mcp_skill_pointers *list, bool owned)
{
    for (size_t i = 0; owned && i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}

void mcp_skill_index_free(struct mcp_skill_index *ix)
{
    if (ix == NULL)
        return;
    free_all(&ix->blocks, true);
    free_all(&ix->roots, false);
    free_all(&ix->watched, false);
    mcp_skill_reports_free(&ix->reports);
    free(ix->skills);
    free(ix->files);
    free(ix->by_uri);
    free(ix->directories);
    free(ix->folders);
    mcp_arena_free(ix->arena);
    free(ix);
}

/* ---- opening ---- */

static char *copy(struct mcp_skill_index *ix, const char *text)
{
    return mcp_arena_dup(ix->arena, text != NULL ? text : "",
                         text != NULL ? strlen(text) : 0);
}

static void set_limits(struct mcp_skill_index *ix,
                       const struct mcp_skill_options *options)
{
    ix->max_files =
        options->max_files > 0 ? options->max_files : MCP_SKILL_MAX_FILES;
    ix->max_bytes =
        options->max_bytes > 0 ? options->max_bytes : MCP_SKILL_MAX_BYTES;
    ix->max_skills =
        options->max_skills > 0 ? options->max_skills : MCP_SKILL_MAX_SKILLS;
    ix->all_bytes =
        options->all_bytes > 0 ? options->all_bytes : MCP_SKILL_ALL_BYTES;
    if (ix->max_bytes > ix->all_bytes)
        ix->max_bytes = ix->all_bytes;
}

/* An index without skills that remembers what it is opened with. */
static struct mcp_skill_index *
new_index(const struct mcp_skill_options *options)
{
    struct mcp_skill_index *ix = mcp_memory_new(1, sizeof(*ix));

    if (ix == NULL)
        return NULL;
    ix->arena = mcp_arena_new(ARENA_BYTES);
    ix->folders =
        mcp_memory_new(options->folder_count + 1, sizeof(*ix->folders));
    if (ix->arena == NULL || ix->folders == NULL)
        goto fail;
    ix->reports.arena = ix->arena;
    set_limits(ix, options);
    for (size_t i = 0; i < options->folder_count; i++) {
        struct mcp_skill_folder *f = &ix->folders[ix->folder_count++];

        f->path = copy(ix, options->folders[i].path);
        f->prefix = copy(ix, options->folders[i].prefix);
        if (f->path == NULL || f->prefix == NULL)
            goto fail;
    }
    return ix;

fail:
    mcp_skill_index_free(ix);
    return NULL;
}

/* What the folders held: URIs and digests of files, and what was wrong. */
static enum mcp_err digest_folders(struct mcp_skill_index *ix)
{
    struct mcp_buf b;
    enum mcp_err err = MCP_ENOMEM;

    mcp_buf_init(&b, (size_t)1 << 30);
    for (size_t i = 0; i < ix->file_count; i++)
        mcp_buf_printf(&b, "%s %s\n", ix->files[i].uri, ix->files[i].digest);
    for (size_t i = 0; i < ix->reports.count; i++) {
        const struct mcp_skill_report *r = &ix->reports.items[i];

        mcp_buf_printf(&b, "%s:%d: %s\n", r->file, r->line, r->reason);
    }
    if (!b.failed)
        err = mcp_sha256(b.len > 0 ? b.data : "", b.len, ix->folder_digest);
    mcp_buf_free(&b);
    return err;
}

static enum mcp_err load_folders(struct mcp_skill_index *ix)
{
    enum mcp_err err = MCP_OK;

    for (size_t i = 0; err == MCP_OK && i < ix->folder_count; i++)
        err = mcp_skill_load_folder(ix, &ix->folders[i]);
    return err == MCP_OK ? digest_folders(ix) : err;
}

enum mcp_err mcp_skill_index_open(const struct mcp_skill_options *options,
                                  struct mcp_skill_index **out)
{
    struct mcp_skill_index *ix = new_index(options);
    enum mcp_err err;

    if (ix == NULL)
        return MCP_ENOMEM;
    err = load_folders(ix);
    for (size_t i = 0; err == MCP_OK && i < options->code_count; i++)
        err = mcp_skill_load_code(ix, &options->codes[i]);
    if (err == MCP_OK)
        err = mcp_skill_finish(ix);
    if (err == MCP_OK)
        *out = ix;
    else
        mcp_skill_index_free(ix);
    return err;
}

bool mcp_skill_index_is_stale(const struct mcp_skill_index *index)
{
    struct mcp_skill_options options = {.folders = index->folders,
                                        .folder_count = index->folder_count,
                                        .max_files = index->max_files,
                                        .max_bytes = index->max_bytes,
                                        .max_skills = index->max_skills,
                                        .all_bytes = index->all_bytes};
    struct mcp_skill_index *now = new_index(&options);
    bool stale = now == NULL || load_folders(now) != MCP_OK ||
                 memcmp(now->folder_digest, index->folder_digest,
                        sizeof(now->folder_digest)) != 0;

    mcp_skill_index_free(now);
    return stale;
}

/* ---- looking ---- */

const struct mcp_skill *
mcp_skill_index_skills(const struct mcp_skill_index *index, size_t *count)
{
    *count = index->skill_count;
    return index->skills;
}

const struct mcp_skill_file *
mcp_skill_index_files(const struct mcp_skill_index *index, size_t *count)
{
    *count = index->file_count;
    return index->files;
}

const struct mcp_skill_report *
mcp_skill_index_reports(const struct mcp_skill_index *index, size_t *count)
{
    *count = index->reports.count;
    return index->reports.items;
}

const char *const *mcp_skill_index_watched(const struct mcp_skill_index *index,
                                           size_t *count)
{
    *count = index->watched.count;
    return (const char *const *)index->watched.items;
}

/* The one spelling of `uri` as a text, to `to`. False: it can be none. */
static bool spell(char to[MCP_SKILL_MAX_URI], const char *uri, size_t len)
{
    struct mcp_buf b;
    bool good;

    mcp_buf_init(&b, MCP_SKILL_MAX_URI);
    good = mcp_skill_uri_normalize(&b, uri, len);
    mcp_buf_putc(&b, '\0');
    good = good && !b.failed;
    if (good)
        memcpy(to, b.data, b.len);
    mcp_buf_free(&b);
    return good;
}

static int order_skill(const void *uri, const void *item)
{
    return strcmp(uri, (*(const struct mcp_skill *const *)item)->uri);
}

static int order_file(const void *uri, const void *item)
{
    return strcmp(uri, ((const struct mcp_skill_file *)item)->uri);
}

static int order_directory(const void *uri, const void *item)
{
    return strcmp(uri, ((const struct mcp_skill_directory *)item)->uri);
}

/* What of the sorted items[0..count) has `uri`, or NULL. */
static const void *find(const void *items, size_t count, size_t size,
                        int (*order)(const void *, const void *),
                        const char *uri, size_t len)
{
    char spelled[MCP_SKILL_MAX_URI];

    if (count == 0 || !spell(spelled, uri, len))
        return NULL;
    return bsearch(spelled, items, count, size, order);
}

const struct mcp_skill *
mcp_skill_index_find(const struct mcp_skill_index *index, const char *uri,
                     size_t len)
{
    const struct mcp_skill *const *found =
        find(index->by_uri, index->skill_count, sizeof(*index->by_uri),
             order_skill, uri, len);

    return found != NULL ? *found : NULL;
}

const struct mcp_skill_file *
mcp_skill_index_find_file(const struct mcp_skill_index *index, const char *uri,
                          size_t len)
{
    return find(index->files, index->file_count, sizeof(*index->files),
                order_file, uri, len);
}

const struct mcp_skill_directory *
mcp_skill_index_find_directory(const struct mcp_skill_index *index,
                               const char *uri, size_t len)
{
    return find(index->directories, index->directory_count,
                sizeof(*index->directories), order_directory, uri, len);
}

/* ---- comparing ---- */

/* Does the file look the same to clients? */
static bool same(const struct mcp_skill_file *a, const struct mcp_skill_file *b)
{
    return strcmp(a->digest, b->digest) == 0 &&
           a->resource.len == b->resource.len &&
           memcmp(a->resource.text, b->resource.text, a->resource.len) == 0;
}

unsigned mcp_skill_index_diff(const struct mcp_skill_index *old,
                              const struct mcp_skill_index *now,
                              void (*each)(void *user,
                                           enum mcp_skill_change what,
                                           const struct mcp_skill_file *file),
                              void *user)
{
    size_t i = 0, k = 0, olds = old != NULL ? old->file_count : 0,
           nows = now != NULL ? now->file_count : 0;
    unsigned all = 0;

    while (i < olds || k < nows) {
        const struct mcp_skill_file *a = i < olds ? &old->files[i] : NULL;
        const struct mcp_skill_file *b = k < nows ? &now->files[k] : NULL;
        int order = a == NULL ? 1 : b == NULL ? -1 : strcmp(a->uri, b->uri);
        enum mcp_skill_change what = order < 0   ? MCP_SKILL_REMOVED
                                     : order > 0 ? MCP_SKILL_ADDED
                                                 : MCP_SKILL_CHANGED;

        i += order <= 0;
        k += order >= 0;
        if (order == 0 && same(a, b))
            continue;
        all |= what;
        each(user, what, order < 0 ? a : b);
    }
    return all;
}
