/*
 * registry_prompt.c - see registry_prompt.h
 */
#include "app/registry_prompt.h"

#include <stdio.h>
#include <string.h>

enum { ARGUMENTS_MAX = 64 };

static enum mcp_err check_argument(struct mcp_copy *c,
                                   const struct mcp_prompt *in, size_t i)
{
    const struct mcp_prompt_argument *a = &in->arguments[i];

    if (a->name == NULL || a->name[0] == '\0')
        return mcp_copy_refuse(c, "arguments[%zu] has an empty name", i + 1);
    if (strcmp(a->name, "args") == 0 || strcmp(a->name, "ctx") == 0)
        return mcp_copy_refuse(c,
                               "an argument may not be called \"%s\": a "
                               "handler's parameter of that name is something "
                               "else",
                               a->name);
    for (size_t j = 0; j < i; j++)
        if (strcmp(in->arguments[j].name, a->name) == 0)
            return mcp_copy_refuse(c, "argument \"%.64s\" is there twice",
                                   a->name);
    if (a->required && a->initial != NULL)
        return mcp_copy_refuse(c,
                               "argument \"%.64s\" is required and has a "
                               "default; one of them is too much",
                               a->name);
    return MCP_OK;
}

static enum mcp_err copy_arguments(struct mcp_copy *c,
                                   const struct mcp_prompt *in,
                                   struct mcp_prompt *out)
{
    size_t count = in->argument_count;
    struct mcp_prompt_argument *to;
    enum mcp_err err = MCP_OK;

    if (count == 0)
        return MCP_OK;
    if (count > ARGUMENTS_MAX)
        return mcp_copy_refuse(c, "there are %zu arguments; %d are allowed",
                               count, (int)ARGUMENTS_MAX);
    to = mcp_arena_alloc(c->a, count * sizeof(*to));
    if (to == NULL)
        return mcp_copy_no_memory(c);
    for (size_t i = 0; err == MCP_OK && i < count; i++) {
        const struct mcp_prompt_argument *from = &in->arguments[i];

        to[i] = (struct mcp_prompt_argument){.required = from->required};
        err = check_argument(c, in, i);
        if (err == MCP_OK)
            err =
                mcp_copy_text(c, "an argument's name", from->name, &to[i].name);
        if (err == MCP_OK)
            err = mcp_copy_text(c, "an argument's title", from->title,
                                &to[i].title);
        if (err == MCP_OK)
            err = mcp_copy_text(c, "an argument's description",
                                from->description, &to[i].description);
        if (err == MCP_OK)
            err = mcp_copy_text(c, "an argument's default", from->initial,
                                &to[i].initial);
    }
    out->arguments = to;
    out->argument_count = count;
    return err;
}

static enum mcp_err copy_names(struct mcp_copy *c, const struct mcp_prompt *in,
                               struct mcp_prompt *out)
{
    static const char what[] = "argument of the prompt";
    const char *names[ARGUMENTS_MAX];
    size_t count = out->argument_count;
    char parent[160];
    enum mcp_err err = MCP_OK;

    for (size_t i = 0; i < count; i++)
        names[i] = out->arguments[i].name;
    (void)snprintf(parent, sizeof(parent), "prompt %.128s", out->name);
    if (in->has_arguments && in->route == 0) /* else its schema decides */
        err = mcp_copy_check_binds(c, &in->handler, names, count, what);
    if (err == MCP_OK)
        err = mcp_copy_completers(c, in->completers, in->completer_count, names,
                                  count, what, parent, &out->completers);
    out->completer_count = in->completer_count;
    return err;
}

static enum mcp_err copy_texts(struct mcp_copy *c, const struct mcp_prompt *in,
                               struct mcp_prompt *out)
{
    enum mcp_err err = mcp_copy_text(c, "name", in->name, &out->name);

    if (err == MCP_OK)
        err = mcp_copy_text(c, "title", in->title, &out->title);
    if (err == MCP_OK)
        err =
            mcp_copy_text(c, "description", in->description, &out->description);
    if (err == MCP_OK)
        err = mcp_copy_text(c, "instructions", in->instructions,
                            &out->instructions);
    if (err == MCP_OK)
        err = mcp_copy_json(c, "icons", in->icons, MCP_JSON_ARRAY, &out->icons);
    if (err == MCP_OK)
        err = mcp_copy_json(c, "meta", in->meta, MCP_JSON_OBJECT, &out->meta);
    if (err == MCP_OK)
        err = mcp_copy_file(c, in->file, &out->file);
    return err;
}

enum mcp_err mcp_registry_copy_prompt(struct mcp_copy *c,
                                      const struct mcp_prompt *in,
                                      struct mcp_prompt *out)
{
    struct mcp_prompt copy = {.line = in->line,
                              .has_arguments = in->has_arguments,
                              .route = in->route};
    enum mcp_err err = mcp_copy_check_name(c, "prompt", in->name, "_./-");

    if (err == MCP_OK)
        err = copy_texts(c, in, &copy);
    if (err == MCP_OK)
        err = copy_arguments(c, in, &copy);
    if (err == MCP_OK)
        err = mcp_copy_handler(c, &in->handler, &copy.handler);
    if (err == MCP_OK)
        err = copy_names(c, in, &copy);
    if (err != MCP_OK)
        return err;
    copy.handler.kind = MCP_KIND_PROMPT;
    copy.handler.name = copy.name;
    copy.handler.slot = 1;
    *out = copy;
    return MCP_OK;
}
