/*
 * lint_items.c - resources, templates and prompts: what a list shows of them
 */
#include <string.h>

#include "features/lint_rules.h"

/* What the rules look at, the same for each kind. */
struct shown {
    const char *name, *name_member;
    const char *title, *description;
};

static struct shown show_resource(const struct mcp_generation *gen, size_t i)
{
    const struct mcp_resource *r = &gen->resources[i];

    return (struct shown){r->uri, "uri", r->title != NULL ? r->title : r->name,
                          r->description};
}

static struct shown show_template(const struct mcp_generation *gen, size_t i)
{
    const struct mcp_resource *r = &gen->templates[i];

    return (struct shown){r->uri, "uriTemplate",
                          r->title != NULL ? r->title : r->name,
                          r->description};
}

static struct shown show_prompt(const struct mcp_generation *gen, size_t i)
{
    const struct mcp_prompt *p = &gen->prompts[i];

    return (struct shown){p->name, "name", p->title, p->description};
}

typedef struct shown show_function(const struct mcp_generation *gen, size_t i);

/* Item `i` against those of its kind before it. */
static void lint_twins(struct lint *l, show_function *show, size_t i)
{
    struct shown mine = show(l->gen, i);
    bool similar = false, duplicate = false;

    for (size_t k = 0; k < i && !(similar && duplicate); k++) {
        struct shown other = show(l->gen, k);
        size_t place;

        if (!similar && lint_is_similar(other.name, mine.name)) {
            similar = true;
            place = lint_enter(l, mine.name_member);
            lint_report(l, LINT_NAME_SIMILAR, "there is \"%s\" as well",
                        other.name);
            lint_leave(l, place);
        }
        if (!duplicate && mine.title != NULL && other.title != NULL &&
            strcmp(mine.title, other.title) == 0) {
            duplicate = true;
            place = lint_enter(l, "title");
            lint_report(l, LINT_TITLE_DUPLICATE,
                        "\"%s\" has the same title or name", other.name);
            lint_leave(l, place);
        }
    }
}

static void lint_item(struct lint *l, show_function *show, size_t i)
{
    struct shown mine = show(l->gen, i);
    size_t place;

    lint_twins(l, show, i);
    if (mine.description == NULL || *mine.description == '\0') {
        lint_report(l, LINT_ITEM_DESCRIPTION, "the %s has no description",
                    l->item.kind);
        return;
    }
    place = lint_enter(l, "description");
    lint_description(l, "it", mine.description, strlen(mine.description));
    lint_leave(l, place);
}

static void lint_resources(struct lint *l, const char *kind,
                           const struct mcp_resource *list, size_t count,
                           show_function *show)
{
    for (size_t i = 0; i < count; i++) {
        l->item = (struct mcp_lint_item){kind, list[i].uri, list[i].file,
                                         list[i].line};
        lint_item(l, show, i);
    }
}

static void lint_prompt_arguments(struct lint *l, const struct mcp_prompt *p)
{
    size_t list = lint_enter(l, "arguments");

    for (size_t i = 0; i < p->argument_count; i++) {
        const char *text = p->arguments[i].description;
        size_t place = lint_enter_index(l, (uint32_t)i);

        if (text == NULL || *text == '\0')
            lint_report(l, LINT_PROMPT_ARGUMENT, "\"%s\" has no description",
                        p->arguments[i].name);
        lint_leave(l, place);
    }
    lint_leave(l, list);
}

void lint_items(struct lint *l)
{
    const struct mcp_generation *gen = l->gen;

    lint_resources(l, "resource", gen->resources, gen->resource_count,
                   show_resource);
    lint_resources(l, "template", gen->templates, gen->template_count,
                   show_template);
    for (size_t i = 0; i < gen->prompt_count; i++) {
        const struct mcp_prompt *p = &gen->prompts[i];

        l->item = (struct mcp_lint_item){"prompt", p->name, p->file, p->line};
        lint_item(l, show_prompt, i);
        lint_prompt_arguments(l, p);
    }
}
