/*
 * skill_build.c - see skill_build.h
 */
#include "features/skill_build.h"

#include <inttypes.h>

#include "base/mime.h"
#include "features/skill_check.h"
#include "features/skill_front.h"
#include "features/skill_grow.h"
#include "features/skill_uri.h"

static const char self_name[] = "SKILL.md";

bool mcp_skill_pointers_add(struct mcp_skill_pointers *list, void *item)
{
    void **items =
        mcp_skill_grow(list->items, list->count, &list->room, sizeof(*items));

    if (items == NULL)
        return false;
    list->items = items;
    items[list->count++] = item;
    return true;
}

char *mcp_skill_join(struct mcp_arena *arena, const char *a, const char *b)
{
    return mcp_arena_printf(arena, "%s%s%s", a,
                            *a != '\0' && *b != '\0' ? "/" : "", b);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* ---- files ---- */

static char *make_uri(struct mcp_skill_index *ix, const char *path)
{
    struct mcp_buf b;
    char *uri = NULL;

    mcp_buf_init(&b, MCP_SKILL_MAX_URI);
    mcp_buf_puts(&b, MCP_SKILL_SCHEME);
    mcp_skill_uri_encode(&b, path, strlen(path));
    if (!b.failed)
        uri = mcp_arena_dup(ix->arena, b.data, b.len);
    mcp_buf_free(&b);
    return uri;
}

static enum mcp_err write_digest(const struct mcp_skill_part *part,
                                 char digest[72])
{
    unsigned char raw[MCP_SHA256_BYTES];
    struct mcp_buf b;
    enum mcp_err err = mcp_sha256(part->bytes, part->len, raw);

    if (err != MCP_OK)
        return err;
    mcp_buf_init(&b, 72);
    mcp_buf_puts(&b, "sha256:");
    mcp_hex_write(&b, raw, sizeof(raw));
    mcp_buf_putc(&b, '\0');
    if (!b.failed)
        memcpy(digest, b.data, 72);
    err = b.failed ? MCP_ENOMEM : MCP_OK;
    mcp_buf_free(&b);
    return err;
}

static const char *type_of(const struct mcp_skill_part *part)
{
    const char *type = part->mime_type;

    if (type == NULL)
        type = mcp_mime_by_name(part->path);
    return type != NULL ? type : mcp_mime_by_content(part->bytes, part->len);
}

/* `root_len`: bytes of the outermost skill's path. */
static enum mcp_err add_file(struct mcp_skill_index *ix,
                             const struct mcp_skill_part *part, size_t root_len)
{
    struct mcp_skill_file *files = mcp_skill_grow(
        ix->files, ix->file_count, &ix->file_room, sizeof(*files));
    struct mcp_skill_file f = {.uri = make_uri(ix, part->path),
                               .path = part->path + root_len + 1,
                               .name = last_part(part->path),
                               .mime_type = type_of(part),
                               .bytes = part->bytes,
                               .len = part->len,
                               .is_text =
                                   mcp_mime_is_text(part->bytes, part->len)};
    enum mcp_err err;

    if (files != NULL)
        ix->files = files;
    if (files == NULL || f.uri == NULL)
        return MCP_ENOMEM;
    err = write_digest(part, f.digest);
    if (err == MCP_OK) {
        ix->files[ix->file_count++] = f;
        ix->bytes += part->len;
    }
    return err;
}

/* ---- skills ---- */

/* Adds the skill whose SKILL.md is `part`, the file files[at]. */
static enum mcp_err add_skill(struct mcp_skill_index *ix,
                              const struct mcp_skill_part *part, size_t at,
                              const struct mcp_skill_front *front)
{
    struct mcp_skill *skills = mcp_skill_grow(ix->skills, ix->skill_count,
                                              &ix->skill_room, sizeof(*skills));

    if (skills == NULL)
        return MCP_ENOMEM;
    ix->skills = skills;
    ix->files[at].name = front->name;
    ix->files[at].description = front->description;
    skills[ix->skill_count++] =
        (struct mcp_skill){.uri = ix->files[at].uri,
                           .name = front->name,
                           .description = front->description,
                           .frontmatter = front->tree,
                           .origin = part->origin,
                           .line = part->line};
    mcp_skill_check_front(front, part->bytes, part->len, part->origin,
                          &ix->reports);
    return MCP_OK;
}

/* The name of the folder that holds the file at `path`, in the arena. */
static char *folder_name(struct mcp_skill_index *ix, const char *path)
{
    size_t to = strlen(path) - strlen(last_part(path)), from;

    to -= to > 0;
    for (from = to; from > 0 && path[from - 1] != '/';)
        from--;
    return mcp_arena_dup(ix->arena, path + from, to - from);
}

static bool read_front(struct mcp_skill_index *ix,
                       const struct mcp_skill_part *part,
                       struct mcp_skill_front *front)
{
    char *folder = folder_name(ix, part->path);

    if (folder == NULL) {
        ix->reports.failed = true;
        return false;
    }
    return mcp_skill_front_read(part->bytes, part->len, part->origin, folder,
                                &ix->reports, front);
}

/* Adds all files, and the skills inside of the one at parts[self]. */
static enum mcp_err add_parts(struct mcp_skill_index *ix, size_t root_len,
                              const struct mcp_skill_part *parts, size_t count,
                              size_t self, const struct mcp_skill_front *front)
{
    size_t base = ix->file_count;
    enum mcp_err err = MCP_OK;

    for (size_t i = 0; err == MCP_OK && i < count; i++)
        err = add_file(ix, &parts[i], root_len);
    if (err == MCP_OK)
        err = add_skill(ix, &parts[self], base + self, front);
    for (size_t i = 0; err == MCP_OK && i < count; i++) {
        struct mcp_skill_front inner;

        if (i != self && strcmp(last_part(parts[i].path), self_name) == 0 &&
            read_front(ix, &parts[i], &inner))
            err = add_skill(ix, &parts[i], base + i, &inner);
    }
    return err == MCP_OK && ix->reports.failed ? MCP_ENOMEM : err;
}

/* ---- places ---- */

/* Is `path` the folder `root` or in it? */
static bool is_within(const char *path, const char *root)
{
    size_t len = strlen(root);

    return strncmp(path, root, len) == 0 &&
           (path[len] == '\0' || path[len] == '/');
}

/* Two skills from different places may not be one in the other: the outer one's
 * list of files would not be complete. */
static bool is_taken(struct mcp_skill_index *ix, const char *root,
                     const char *origin)
{
    for (size_t i = 0; i < ix->roots.count; i++) {
        const char *other = ix->roots.items[i];

        if (!is_within(root, other) && !is_within(other, root))
            continue;
        mcp_skill_report_add(&ix->reports, MCP_SKILL_ERROR, origin, 0,
                             "give one of the two another name or prefix",
                             strcmp(root, other) == 0
                                 ? "skill://%s is served already"
                                 : "skill://%s and skill://%s are one in the "
                                   "other, but come from different places",
                             root, other);
        return true;
    }
    return false;
}

/* The part that is the SKILL.md of `root`; `count` when there is none. */
static size_t find_self(const struct mcp_skill_part *parts, size_t count,
                        size_t root_len)
{
    size_t i = 0;

    while (i < count && strcmp(parts[i].path + root_len + 1, self_name) != 0)
        i++;
    return i;
}

/* Would the index have more than it may? */
static bool is_full(struct mcp_skill_index *ix,
                    const struct mcp_skill_part *parts, size_t count,
                    const char *origin)
{
    uint64_t bytes = ix->bytes, skills = ix->skill_count;

    for (size_t i = 0; i < count; i++) {
        bytes += parts[i].len;
        skills += strcmp(last_part(parts[i].path), self_name) == 0;
    }
    if (bytes <= ix->all_bytes && skills <= ix->max_skills)
        return false;
    mcp_skill_report_add(&ix->reports, MCP_SKILL_ERROR, origin, 0,
                         "serve fewer or smaller skills from one app",
                         "with it there are %" PRIu64 " skills of %" PRIu64
                         " bytes; at most %" PRIu32 " and %" PRIu64
                         " are served",
                         skills, bytes, ix->max_skills, ix->all_bytes);
    return true;
}

enum mcp_err mcp_skill_build_add(struct mcp_skill_index *ix, const char *root,
                                 char *block,
                                 const struct mcp_skill_part *parts,
                                 size_t count, enum mcp_skill_outcome *outcome)
{
    size_t root_len = strlen(root), self = find_self(parts, count, root_len);
    struct mcp_skill_front front;

    *outcome = MCP_SKILL_BROKEN;
    if (self < count && is_taken(ix, root, parts[self].origin))
        *outcome = MCP_SKILL_TAKEN;
    if (*outcome == MCP_SKILL_TAKEN || self == count ||
        is_full(ix, parts, count, parts[self].origin) ||
        !read_front(ix, &parts[self], &front)) {
        free(block);
        return ix->reports.failed ? MCP_ENOMEM : MCP_OK;
    }
    if (!mcp_skill_pointers_add(&ix->blocks, block)) {
        free(block);
        return MCP_ENOMEM;
    }
    if (!mcp_skill_pointers_add(&ix->roots,
                                mcp_arena_dup(ix->arena, root, root_len)) ||
        ix->roots.items[ix->roots.count - 1] == NULL)
        return MCP_ENOMEM;
    *outcome = MCP_SKILL_SERVED;
    return add_parts(ix, root_len, parts, count, self, &front);
}
