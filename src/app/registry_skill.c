/*
 * registry_skill.c - see registry_skill.h
 */
#include "app/registry_skill.h"

#include <string.h>

void mcp_registry_set_skills(struct mcp_skills_declared *to,
                             const struct mcp_skills_declared *options)
{
    to->declared = true;
    to->hidden = options->hidden;
    to->no_directories = options->no_directories;
    to->max_files = options->max_files;
    to->max_bytes = options->max_bytes;
    to->cache = options->cache;
}

/* A list of `count` items of `size` with room for one more, in the arena; it is
 * copied whenever its count is a power of two. NULL: out of memory. */
static void *with_room(struct mcp_copy *c, const void *list, size_t count,
                       size_t size)
{
    void *more;

    if (count > 0 && (count & (count - 1)) != 0)
        return (void *)list;
    more = mcp_arena_alloc(c->a, (count == 0 ? 1 : 2 * count) * size);
    if (more != NULL && count > 0)
        memcpy(more, list, count * size);
    return more;
}

enum mcp_err
mcp_registry_add_skill_folder(struct mcp_copy *c,
                              const struct mcp_skill_decl_folder *in,
                              struct mcp_skills_declared *to)
{
    struct mcp_skill_decl_folder copy = {0}, *list;
    enum mcp_err err = mcp_copy_file(c, in->path, &copy.path);

    if (err == MCP_OK)
        err = mcp_copy_text(c, "prefix", in->prefix, &copy.prefix);
    if (err != MCP_OK)
        return err;
    list = with_room(c, to->folders, to->folder_count, sizeof(*list));
    if (list == NULL)
        return mcp_copy_no_memory(c);
    list[to->folder_count] = copy;
    to->folders = list;
    to->folder_count++;
    to->declared = true;
    return MCP_OK;
}

static enum mcp_err copy_bytes(struct mcp_copy *c, const char *from, size_t len,
                               const char **to)
{
    *to = mcp_arena_dup(c->a, from, len);
    return *to == NULL ? mcp_copy_no_memory(c) : MCP_OK;
}

static enum mcp_err copy_files(struct mcp_copy *c,
                               const struct mcp_skill_decl *in,
                               const struct mcp_skill_decl_file **out)
{
    struct mcp_skill_decl_file *files =
        mcp_arena_alloc(c->a, (in->file_count + 1) * sizeof(*files));
    enum mcp_err err = MCP_OK;

    if (files == NULL)
        return mcp_copy_no_memory(c);
    for (size_t i = 0; err == MCP_OK && i < in->file_count; i++) {
        const struct mcp_skill_decl_file *from = &in->files[i];

        files[i] = (struct mcp_skill_decl_file){.len = from->len};
        err = mcp_copy_text(c, "path", from->path, &files[i].path);
        if (err == MCP_OK && from->mime_type != NULL)
            err = mcp_copy_check_mime(c, from->mime_type);
        if (err == MCP_OK)
            err = mcp_copy_text(c, "mime_type", from->mime_type,
                                &files[i].mime_type);
        if (err == MCP_OK)
            err = copy_bytes(c, from->bytes, from->len, &files[i].bytes);
    }
    *out = files;
    return err;
}

enum mcp_err mcp_registry_add_skill(struct mcp_copy *c,
                                    const struct mcp_skill_decl *in,
                                    struct mcp_skills_declared *to)
{
    struct mcp_skill_decl copy = {.text_len = in->text_len,
                                  .file_count = in->file_count,
                                  .line = in->line};
    struct mcp_skill_decl *list;
    enum mcp_err err = mcp_copy_text(c, "prefix", in->prefix, &copy.prefix);

    if (err == MCP_OK)
        err = copy_bytes(c, in->text, in->text_len, &copy.text);
    if (err == MCP_OK)
        err = copy_files(c, in, &copy.files);
    if (err == MCP_OK)
        err = mcp_copy_file(c, in->file, &copy.file);
    if (err != MCP_OK)
        return err;
    list = with_room(c, to->codes, to->code_count, sizeof(*list));
    if (list == NULL)
        return mcp_copy_no_memory(c);
    list[to->code_count] = copy;
    to->codes = list;
    to->code_count++;
    to->declared = true;
    return MCP_OK;
}

enum mcp_err mcp_registry_copy_skill_source(struct mcp_copy *c,
                                            const struct mcp_skill_source *in,
                                            struct mcp_skill_source *out)
{
    struct mcp_skill_source copy = {.op = in->op};
    enum mcp_err err = mcp_copy_text(c, "name", in->name, &copy.name);

    if (err == MCP_OK)
        err = mcp_copy_text(c, "prefix", in->prefix, &copy.prefix);
    if (err == MCP_OK)
        err = mcp_copy_handler(c, &in->handler, &copy.handler);
    if (err != MCP_OK)
        return err;
    copy.handler.kind = in->op == MCP_SKILL_OP_READ ? MCP_KIND_SKILL_READER
                                                    : MCP_KIND_SKILL_SOURCE;
    copy.handler.name = copy.name;
    copy.handler.slot = 1;
    *out = copy;
    return MCP_OK;
}
