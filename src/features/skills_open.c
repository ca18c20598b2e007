/*
 * skills_open.c - see skills_open.h
 */
#include "features/skills_open.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"

/* What the index is opened with; the arrays are OWNED, their texts the
 * generation's. */
struct request {
    struct mcp_skill_options options;
    struct mcp_skill_folder *folders;
    struct mcp_skill_code *codes;
    struct mcp_skill_code_file *files; /* of all skills in code */
};

static void request_free(struct request *r)
{
    free(r->folders);
    free(r->codes);
    free(r->files);
}

static void add_folders(struct request *r, const struct mcp_skills_declared *s)
{
    for (size_t i = 0; i < s->folder_count; i++)
        r->folders[i] = (struct mcp_skill_folder){
            .path = s->folders[i].path, .prefix = s->folders[i].prefix};
    r->options.folders = r->folders;
    r->options.folder_count = s->folder_count;
}

static void add_codes(struct request *r, const struct mcp_skills_declared *s)
{
    struct mcp_skill_code_file *to = r->files;

    for (size_t i = 0; i < s->code_count; i++) {
        const struct mcp_skill_decl *skill = &s->codes[i];

        r->codes[i] = (struct mcp_skill_code){.prefix = skill->prefix,
                                              .text = skill->text,
                                              .text_len = skill->text_len,
                                              .files = to,
                                              .file_count = skill->file_count,
                                              .file = skill->file,
                                              .line = skill->line};
        for (size_t n = 0; n < skill->file_count; n++)
            *to++ = (struct mcp_skill_code_file){.path = skill->files[n].path,
                                                 .bytes = skill->files[n].bytes,
                                                 .len = skill->files[n].len,
                                                 .mime_type =
                                                     skill->files[n].mime_type};
    }
    r->options.codes = r->codes;
    r->options.code_count = s->code_count;
}

static bool request_make(struct request *r, const struct mcp_skills_declared *s)
{
    size_t files = 0;

    for (size_t i = 0; i < s->code_count; i++)
        files += s->codes[i].file_count;
    r->options.max_files = s->max_files;
    r->options.max_bytes = s->max_bytes;
    r->folders = mcp_memory_new(s->folder_count + 1, sizeof(*r->folders));
    r->codes = mcp_memory_new(s->code_count + 1, sizeof(*r->codes));
    r->files = mcp_memory_new(files + 1, sizeof(*r->files));
    if (r->folders == NULL || r->codes == NULL || r->files == NULL)
        return false;
    add_folders(r, s);
    add_codes(r, s);
    return true;
}

enum mcp_err mcp_skills_open(const struct mcp_generation *gen,
                             struct mcp_skill_index **out)
{
    struct request r = {0};
    enum mcp_err err = MCP_ENOMEM;

    if (request_make(&r, &gen->skills))
        err = mcp_skill_index_open(&r.options, out);
    request_free(&r);
    return err;
}

void mcp_skills_log(const struct mcp_skill_index *index)
{
    static const enum mcp_log_level levels[] = {
        [MCP_SKILL_ERROR] = MCP_LOG_ERROR,
        [MCP_SKILL_WARNING] = MCP_LOG_WARNING,
        [MCP_SKILL_NOTE] = MCP_LOG_DEBUG,
    };
    size_t count;
    const struct mcp_skill_report *reports =
        mcp_skill_index_reports(index, &count);

    for (size_t i = 0; i < count; i++) {
        const struct mcp_skill_report *r = &reports[i];

        if (r->line > 0)
            mcp_log(levels[r->severity], "skills", "%s:%d: %s; %s", r->file,
                    r->line, r->reason, r->advice);
        else
            mcp_log(levels[r->severity], "skills", "%s: %s; %s", r->file,
                    r->reason, r->advice);
    }
}

bool mcp_skills_stale(const struct mcp_generation *gen)
{
    const struct mcp_skill_index *index = mcp_skills_index(gen);

    return index != NULL && mcp_skill_index_is_stale(index);
}

void mcp_skills_watched(const struct mcp_generation *gen,
                        void (*each)(void *user, const char *folder),
                        void *user)
{
    struct mcp_skill_index *index;
    const char *const *folders;
    size_t count;

    if (gen->skills.folder_count == 0 || mcp_skills_open(gen, &index) != MCP_OK)
        return;
    folders = mcp_skill_index_watched(index, &count);
    for (size_t i = 0; i < count; i++)
        each(user, folders[i]);
    mcp_skill_index_free(index);
}
