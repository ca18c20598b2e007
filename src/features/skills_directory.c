/*
 * skills_directory.c - see skills_directory.h
 */
#include "features/skills_directory.h"

#include <stdlib.h>
#include <string.h>

#include "base/mime.h"
#include "features/paging.h"
#include "features/skills_open.h"
#include "features/skills_walk.h"
#include "features/skills_write.h"

enum { CHILD_MAX_BYTES = 64 << 10 };

/* One child, and behind `uri` how it is written. */
struct child {
    const char *uri; /* NUL-terminated */
    struct mcp_text resource;
};

struct folder {
    struct mcp_skill_walk walk;
    const struct mcp_json *uri;
    struct child *children;
    size_t count, room;
};

/* ---- children ---- */

/* Adds `more` to the room. */
static bool make_room(struct folder *f, struct mcp_arena *a, size_t more)
{
    size_t room = 2 * (f->count + more);
    struct child *children;

    if (f->count + more <= f->room)
        return true;
    children = mcp_arena_alloc(a, room * sizeof(*children));
    if (children == NULL)
        return false;
    if (f->count > 0)
        memcpy(children, f->children, f->count * sizeof(*children));
    f->children = children;
    f->room = room;
    return true;
}

static bool add_static(struct folder *f, struct mcp_arena *a,
                       const struct mcp_skill_directory *d)
{
    if (!make_room(f, a, d->child_count))
        return false;
    for (size_t i = 0; i < d->child_count; i++)
        f->children[f->count++] =
            (struct child){.uri = d->children[i].uri,
                           .resource = {d->children[i].resource.text,
                                        d->children[i].resource.len}};
    return true;
}

/* The last part of a URI, decoded. */
static void write_name(struct mcp_buf *b, const char *uri)
{
    const char *p = strrchr(uri, '/') + 1;
    char hex[3] = "", name[1024];
    size_t len = 0;

    for (; *p != '\0' && len < sizeof(name); p++) {
        name[len] = *p;
        if (p[0] == '%' && p[1] != '\0' && p[2] != '\0') {
            memcpy(hex, p + 1, 2);
            name[len] = (char)strtoul(hex, NULL, 16);
            p += 2;
        }
        len++;
    }
    if (mcp_utf8_valid(name, len, NULL))
        mcp_json_write_string(b, name, len);
    else
        mcp_json_write_cstring(b, strrchr(uri, '/') + 1);
}

static void write_member(struct mcp_buf *b, const char *name,
                         const struct mcp_json *value)
{
    if (value == NULL)
        return;
    mcp_buf_printf(b, ",\"%s\":", name);
    mcp_json_write(b, value);
}

/* What `file`, an object, tells of the file at `uri`. */
static void write_file(struct mcp_buf *b, const char *uri,
                       const struct mcp_json *file)
{
    const struct mcp_json *name = mcp_json_find(file, "name");
    const char *mime = mcp_mime_by_name(uri);

    mcp_buf_puts(b, "{\"uri\":");
    mcp_json_write_cstring(b, uri);
    if (name == NULL) {
        mcp_buf_puts(b, ",\"name\":");
        write_name(b, uri);
    }
    write_member(b, "name", name);
    write_member(b, "description", mcp_json_find(file, "description"));
    mcp_buf_puts(b, ",\"mimeType\":");
    mcp_json_write_cstring(b, mime != NULL ? mime : "application/octet-stream");
    write_member(b, "size", mcp_json_find(file, "size"));
    mcp_buf_putc(b, '}');
}

static void write_folder(struct mcp_buf *b, const char *uri)
{
    mcp_buf_puts(b, "{\"uri\":");
    mcp_json_write_cstring(b, uri);
    mcp_buf_puts(b, ",\"name\":");
    write_name(b, uri);
    mcp_buf_puts(b, ",\"mimeType\":\"inode/directory\"}");
}

/* Adds the child of the folder that `file` is, or is in. False: out of memory.
 */
static bool add_file(struct folder *f, struct mcp_arena *a,
                     const struct mcp_json *file)
{
    const struct mcp_json *uri = mcp_json_find(file, "uri");
    size_t below = (size_t)f->uri->count + 1, len;
    const char *slash;
    struct child *to = &f->children[f->count];
    struct mcp_buf b;
    bool kept;

    if (!mcp_json_is(uri, MCP_JSON_STRING) || uri->count <= below)
        return true;
    slash = memchr(uri->u.text + below, '/', uri->count - below);
    len = slash != NULL ? (size_t)(slash - uri->u.text) : uri->count;
    to->uri = mcp_arena_dup(a, uri->u.text, len);
    if (to->uri == NULL)
        return false;
    mcp_buf_init(&b, CHILD_MAX_BYTES);
    if (slash != NULL)
        write_folder(&b, to->uri);
    else
        write_file(&b, to->uri, file);
    kept = mcp_text_keep(&to->resource, a, &b);
    mcp_buf_free(&b);
    f->count += kept;
    return kept;
}

static bool take(struct mcp_request *rq, struct mcp_skill_walk *w,
                 const struct mcp_outcome *o)
{
    const struct mcp_json *list = mcp_skills_tree(rq, o);
    struct mcp_arena *a = rq->call->arena;
    struct folder *f = w->user;
    bool ok;

    if (list == NULL)
        return false;
    if (list->type != MCP_JSON_ARRAY)
        return true;
    ok = make_room(f, a, list->count);
    for (uint32_t i = 0; ok && i < list->count; i++)
        ok = add_file(f, a, &list->u.items[i]);
    if (!ok)
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
    return ok;
}

/* ---- the answer ---- */

static int by_uri(const void *a, const void *b)
{
    const struct child *x = a, *y = b;

    return strcmp(x->uri, y->uri);
}

/* In order, each once. */
static void tidy(struct folder *f)
{
    size_t kept = 0;

    if (f->count > 0)
        qsort(f->children, f->count, sizeof(*f->children), by_uri);
    for (size_t i = 0; i < f->count; i++)
        if (kept == 0 ||
            strcmp(f->children[kept - 1].uri, f->children[i].uri) != 0)
            f->children[kept++] = f->children[i];
    f->count = kept;
}

static void write_page(struct mcp_request *rq, const struct folder *f)
{
    struct mcp_buf *out = &rq->call->out;
    size_t size = mcp_paging_size(rq->gen->config), page;
    size_t pages = mcp_paging_count(f->count, size);
    uint64_t mark = mcp_paging_mark(MCP_PAGING_MARK, "directory");
    const char *next = NULL;

    for (size_t i = 0; i < f->count; i++)
        mark = mcp_paging_mark(mark, f->children[i].uri);
    mark = mcp_paging_seal(mark, size);
    if (!mcp_paging_find(rq, mark, pages, &page))
        return;
    if (page + 1 < pages) {
        next = mcp_paging_cursor(rq->call->arena, mark, page + 1);
        if (next == NULL) {
            mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
            return;
        }
    }
    mcp_buf_puts(out, "{\"resultType\":\"complete\",\"resources\":[");
    for (size_t i = page * size; i < f->count && i < (page + 1) * size; i++) {
        if (i > page * size)
            mcp_buf_putc(out, ',');
        mcp_buf_add(out, f->children[i].resource.text,
                    f->children[i].resource.len);
    }
    mcp_buf_putc(out, ']');
    if (next != NULL) {
        mcp_buf_puts(out, ",\"nextCursor\":");
        mcp_json_write_cstring(out, next);
    }
    mcp_skills_end_result(rq, false, false);
}

static bool done(struct mcp_request *rq, struct mcp_skill_walk *w)
{
    const struct mcp_skill_index *index = mcp_skills_index(rq->gen);
    struct folder *f = w->user;

    tidy(f);
    if (f->count > 0)
        write_page(rq, f);
    else if (mcp_skill_index_find_file(index, f->uri->u.text, f->uri->count) !=
             NULL)
        mcp_skills_fail_unknown(rq, "A file, not a directory resource:", f->uri,
                                false);
    else
        mcp_skills_fail_unknown(rq, "No directory resource is served at",
                                f->uri, false);
    return false;
}

static bool open_folder(struct mcp_request *rq, const struct mcp_json *uri)
{
    const struct mcp_skill_index *index = mcp_skills_index(rq->gen);
    const struct mcp_skill_directory *d =
        mcp_skill_index_find_directory(index, uri->u.text, uri->count);
    struct mcp_arena *a = rq->call->arena;
    struct folder *f = mcp_arena_alloc(a, sizeof(*f));

    if (f != NULL) {
        *f = (struct folder){.uri = uri,
                             .walk = {.op = MCP_SKILL_OP_LIST,
                                      .word = "files",
                                      .uri = uri,
                                      .take = take,
                                      .done = done,
                                      .user = f}};
        if (d == NULL || add_static(f, a, d))
            return mcp_skills_may_know(rq->gen, NULL) &&
                           mcp_skills_uri_is_sound(uri->u.text, uri->count)
                       ? mcp_skills_walk(rq, &f->walk)
                       : done(rq, &f->walk);
    }
    mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
    return false;
}

void mcp_skills_directory(struct mcp_request *rq)
{
    const struct mcp_json *uri = mcp_skills_uri(rq);

    if (uri == NULL || !open_folder(rq, uri))
        rq->end(rq);
}
