/*
 * yaml.c - events of libyaml to a tree
 *
 * The values of open collections wait on a stack, as in json.c; when one
 * closes, its values move to the arena in one copy. Depth is bounded, so the
 * functions recurse.
 */
#include "base/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

#include "base/json_keys.h"
#include "base/yaml_layout.h"
#include "base/yaml_scalar.h"
#include "base/yaml_text.h"

enum { SHOWN_BYTES = 40, FIRST_VALUES = 64 };

/* What `&name` stands before; counted as it stands in the tree. */
struct anchor {
    const char *name;
    struct mcp_json value;
    size_t nodes, bytes;
    unsigned height; /* nested collections */
    bool complete;   /* false while inside of it */
};

struct reader {
    struct mcp_arena *arena;
    yaml_parser_t yaml;
    struct mcp_yaml_layout layout;
    struct mcp_json *stack;
    size_t top, cap;
    size_t nodes, bytes;
    unsigned depth;
    struct anchor *anchors; /* MCP_YAML_MAX_ANCHORS, made for the first */
    size_t anchor_count;
    struct mcp_yaml_doubt *doubts; /* MCP_YAML_MAX_DOUBTS, likewise */
    size_t doubt_count;
    struct mcp_yaml_error *error;
};

static enum mcp_err read_node(struct reader *r, const yaml_event_t *event,
                              struct mcp_json *out, unsigned *height);

/* ---- refusals ---- */

static int line_of(const yaml_event_t *event)
{
    return (int)event->start_mark.line + 1;
}

static enum mcp_err refuse(struct reader *r, enum mcp_err err, int line,
                           const char *reason, const char *advice)
{
    r->error->line = line;
    (void)snprintf(r->error->reason, sizeof(r->error->reason), "%s", reason);
    r->error->advice = advice;
    return err;
}

/* Bytes of text[0..len) up to SHOWN_BYTES, between characters. */
static int shown(const char *text, size_t len)
{
    if (len > SHOWN_BYTES)
        for (len = SHOWN_BYTES;
             len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80;)
            len--;
    return (int)len;
}

/* "REASON: TEXT" */
static enum mcp_err refuse_text(struct reader *r, int line, const char *reason,
                                const char *text, size_t len,
                                const char *advice)
{
    char whole[160];

    (void)snprintf(whole, sizeof(whole), "%s: %.*s", reason, shown(text, len),
                   text);
    return refuse(r, MCP_EINVAL, line, whole, advice);
}

/* What libyaml says of the text. */
static enum mcp_err refuse_syntax(struct reader *r)
{
    const char *problem =
        r->yaml.problem != NULL ? r->yaml.problem : "not YAML";
    int line = (int)r->yaml.problem_mark.line + 1;

    if (r->yaml.error == YAML_MEMORY_ERROR)
        return MCP_ENOMEM;
    if (r->yaml.error == YAML_READER_ERROR)
        line = mcp_yaml_text_line(r->layout.text, r->yaml.problem_offset);
    return refuse(r, MCP_EINVAL, line, problem, mcp_yaml_text_advice(problem));
}

/* Counts what is about to be added; also the place where depth is checked. */
static enum mcp_err count(struct reader *r, int line, size_t nodes,
                          size_t bytes, unsigned height)
{
    static const char advice[] = "keep front matter short; the rest belongs "
                                 "below it";

    r->nodes += nodes;
    r->bytes += bytes;
    if (r->nodes > MCP_YAML_MAX_NODES)
        return refuse(r, MCP_ELIMIT, line, "more than 10000 values", advice);
    if (r->bytes > MCP_YAML_MAX_BYTES)
        return refuse(r, MCP_ELIMIT, line, "more than 64 KiB of text", advice);
    if (r->depth + height > MCP_YAML_MAX_DEPTH)
        return refuse(r, MCP_ELIMIT, line, "nested deeper than 32", advice);
    return MCP_OK;
}

/* ---- the stack ---- */

static enum mcp_err push(struct reader *r, const struct mcp_json *value)
{
    if (r->top == r->cap) {
        size_t cap = r->cap > 0 ? r->cap * 2 : FIRST_VALUES;
        struct mcp_json *bigger = realloc(r->stack, cap * sizeof(*bigger));

        if (bigger == NULL)
            return MCP_ENOMEM;
        r->stack = bigger;
        r->cap = cap;
    }
    r->stack[r->top++] = *value;
    return MCP_OK;
}

/* The values from `from` on, moved to the arena. */
static enum mcp_err pop(struct reader *r, size_t from, const void **out)
{
    size_t size = (r->top - from) * sizeof(*r->stack);
    void *to = mcp_arena_alloc(r->arena, size > 0 ? size : 1);

    if (to == NULL)
        return MCP_ENOMEM;
    if (size > 0)
        memcpy(to, r->stack + from, size);
    r->top = from;
    *out = to;
    return MCP_OK;
}

static enum mcp_err next(struct reader *r, yaml_event_t *event)
{
    if (!yaml_parser_parse(&r->yaml, event))
        return refuse_syntax(r);
    if (mcp_yaml_layout_check(&r->layout, event, r->error))
        return MCP_OK;
    yaml_event_delete(event);
    return MCP_EINVAL;
}

/* ---- scalars ---- */

static enum mcp_err add_doubt(struct reader *r, int line, const char *text,
                              size_t len, const struct mcp_json *value)
{
    const char *other = mcp_yaml_scalar_doubt(text, len);
    struct mcp_yaml_doubt *d;

    if (other == NULL || r->doubt_count == MCP_YAML_MAX_DOUBTS)
        return MCP_OK;
    if (r->doubts == NULL)
        r->doubts = mcp_arena_alloc(r->arena, MCP_YAML_MAX_DOUBTS * sizeof(*d));
    if (r->doubts == NULL)
        return MCP_ENOMEM;
    d = &r->doubts[r->doubt_count++];
    d->line = line;
    d->text = mcp_arena_dup(r->arena, text, (size_t)shown(text, len));
    d->here = value->type != MCP_JSON_NUMBER
                  ? "text"
                  : mcp_arena_printf(r->arena, "the number %.*s",
                                     shown(value->u.text, value->count),
                                     value->u.text);
    d->yaml11 = other;
    return d->text != NULL && d->here != NULL ? MCP_OK : MCP_ENOMEM;
}

static enum mcp_err read_plain(struct reader *r, int line, const char *text,
                               size_t len, struct mcp_json *out)
{
    const char *reason = NULL;
    enum mcp_err err = mcp_yaml_scalar_read(r->arena, text, len, out, &reason);

    if (err == MCP_EINVAL)
        return refuse_text(r, line, reason, text, len,
                           "put it in quotes to make it text");
    return err == MCP_OK ? add_doubt(r, line, text, len, out) : err;
}

static enum mcp_err read_string(struct reader *r, const char *text, size_t len,
                                struct mcp_json *out)
{
    char *copy = mcp_arena_dup(r->arena, text, len);

    if (copy == NULL)
        return MCP_ENOMEM;
    *out = (struct mcp_json){
        .type = MCP_JSON_STRING, .count = (uint32_t)len, .u.text = copy};
    return MCP_OK;
}

/* Is `type` what the core schema's tag `name` may stand before? */
static bool fits_tag(const char *name, const struct mcp_json *value)
{
    static const struct {
        const char *name;
        unsigned types;
    } tags[] = {
        {"null", 1U << MCP_JSON_NULL},
        {"bool", 1U << MCP_JSON_TRUE | 1U << MCP_JSON_FALSE},
        {"int", 1U << MCP_JSON_NUMBER},
        {"float", 1U << MCP_JSON_NUMBER},
        {"seq", 1U << MCP_JSON_ARRAY},
        {"map", 1U << MCP_JSON_OBJECT},
    };

    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
        if (strcmp(name, tags[i].name) == 0)
            return (tags[i].types >> value->type & 1) != 0 &&
                   (value->type != MCP_JSON_NUMBER ||
                    (*name == 'i') ==
                        ((value->flags & MCP_JSON_F_INTEGER) != 0));
    return false;
}

/* Does `tag` (may be NULL: none) suit the value behind it? */
static enum mcp_err check_tag(struct reader *r, int line, const char *tag,
                              const struct mcp_json *value)
{
    const char *core = "tag:yaml.org,2002:";

    if (tag == NULL || (strncmp(tag, core, strlen(core)) == 0 &&
                        fits_tag(tag + strlen(core), value)))
        return MCP_OK;
    return refuse_text(r, line, "a tag that does not suit the value", tag,
                       strlen(tag), "leave the tag out");
}

static enum mcp_err read_scalar(struct reader *r, const yaml_event_t *event,
                                struct mcp_json *out)
{
    const char *text = (const char *)event->data.scalar.value;
    const char *tag = (const char *)event->data.scalar.tag;
    size_t len = event->data.scalar.length;
    int line = line_of(event);
    enum mcp_err err = count(r, line, 1, len, 0);

    if (err != MCP_OK)
        return err;
    if (tag == NULL ? !event->data.scalar.plain_implicit
                    : strcmp(tag, YAML_STR_TAG) == 0 || strcmp(tag, "!") == 0)
        return read_string(r, text, len, out);
    err = read_plain(r, line, text, len, out);
    return err == MCP_OK ? check_tag(r, line, tag, out) : err;
}

/* ---- anchors ---- */

/* Enters `name` (may be NULL: none) before its node is read; `*place` is its
 * index. */
static enum mcp_err open_anchor(struct reader *r, int line, const char *name,
                                size_t *place)
{
    *place = MCP_YAML_MAX_ANCHORS;
    if (name == NULL)
        return MCP_OK;
    if (r->anchor_count == MCP_YAML_MAX_ANCHORS)
        return refuse(r, MCP_ELIMIT, line, "more than 256 anchors",
                      "write values out instead of naming them");
    if (r->anchors == NULL)
        r->anchors = mcp_arena_alloc(r->arena, MCP_YAML_MAX_ANCHORS *
                                                   sizeof(*r->anchors));
    if (r->anchors == NULL)
        return MCP_ENOMEM;
    *place = r->anchor_count++;
    r->anchors[*place] =
        (struct anchor){.name = mcp_arena_dup(r->arena, name, strlen(name)),
                        .nodes = r->nodes,
                        .bytes = r->bytes};
    return r->anchors[*place].name != NULL ? MCP_OK : MCP_ENOMEM;
}

static void close_anchor(struct reader *r, size_t place,
                         const struct mcp_json *value, unsigned height)
{
    struct anchor *a = &r->anchors[place];

    a->value = *value;
    a->nodes = r->nodes - a->nodes;
    a->bytes = r->bytes - a->bytes;
    a->height = height;
    a->complete = true;
}

static enum mcp_err read_alias(struct reader *r, const yaml_event_t *event,
                               struct mcp_json *out, unsigned *height)
{
    const char *name = (const char *)event->data.alias.anchor;
    int line = line_of(event);
    size_t i = r->anchor_count;
    enum mcp_err err;

    while (i > 0 && strcmp(r->anchors[i - 1].name, name) != 0)
        i--;
    if (i == 0)
        return refuse_text(r, line, "no such anchor", name, strlen(name),
                           "put values that begin with * in quotes");
    if (!r->anchors[i - 1].complete)
        return refuse_text(r, line, "a value that contains itself", name,
                           strlen(name), "write the value out");
    err = count(r, line, r->anchors[i - 1].nodes, r->anchors[i - 1].bytes,
                r->anchors[i - 1].height);
    if (err != MCP_OK)
        return err;
    *out = r->anchors[i - 1].value;
    *height = r->anchors[i - 1].height;
    return MCP_OK;
}

/* ---- collections ---- */

static enum mcp_err read_items(struct reader *r, struct mcp_json *out,
                               unsigned *height)
{
    size_t from = r->top;
    enum mcp_err err;

    for (;;) {
        yaml_event_t event;
        struct mcp_json item;
        unsigned h = 0;

        err = next(r, &event);
        if (err != MCP_OK)
            return err;
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        err = read_node(r, &event, &item, &h);
        yaml_event_delete(&event);
        if (err == MCP_OK)
            err = push(r, &item);
        if (err != MCP_OK)
            return err;
        *height = h > *height ? h : *height;
    }
    *out = (struct mcp_json){.type = MCP_JSON_ARRAY,
                             .count = (uint32_t)(r->top - from)};
    return pop(r, from, (const void **)&out->u.items);
}

/* A key: text, and not "<<". */
static enum mcp_err read_key(struct reader *r, const yaml_event_t *event,
                             struct mcp_json *out)
{
    int line = line_of(event);
    unsigned height = 0;
    enum mcp_err err = read_node(r, event, out, &height);

    if (err != MCP_OK)
        return err;
    if (out->type != MCP_JSON_STRING)
        return refuse(r, MCP_EINVAL, line, "a key that is not text",
                      "put the key in quotes");
    if (event->type == YAML_SCALAR_EVENT &&
        event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
        mcp_json_equals_string(out, "<<"))
        return refuse(r, MCP_EINVAL, line, "a merge key (<<)",
                      "write the members out: not all readers merge");
    out->number = line;
    return MCP_OK;
}

/* One member, or the end of the mapping: `*end`. */
static enum mcp_err read_member(struct reader *r, bool *end, unsigned *height)
{
    struct mcp_json key, value;
    yaml_event_t event;
    enum mcp_err err = next(r, &event);

    if (err != MCP_OK)
        return err;
    *end = event.type == YAML_MAPPING_END_EVENT;
    if (!*end)
        err = read_key(r, &event, &key);
    yaml_event_delete(&event);
    if (err != MCP_OK || *end)
        return err;
    err = push(r, &key);
    if (err == MCP_OK)
        err = next(r, &event);
    if (err != MCP_OK)
        return err;
    err = read_node(r, &event, &value, height);
    yaml_event_delete(&event);
    return err == MCP_OK ? push(r, &value) : err;
}

static enum mcp_err check_keys(struct reader *r, const struct mcp_json *map)
{
    const struct mcp_json_member *twice;
    enum mcp_err err = mcp_json_keys_check(map->u.members, map->count, &twice);

    if (err != MCP_OK || twice == NULL)
        return err;
    return refuse_text(r, (int)twice->key.number, "a key that comes twice",
                       twice->key.u.text, twice->key.count,
                       "keep one of the two");
}

static enum mcp_err read_members(struct reader *r, struct mcp_json *out,
                                 unsigned *height)
{
    size_t from = r->top;
    enum mcp_err err;
    bool end;

    do {
        unsigned h = 0;

        err = read_member(r, &end, &h);
        *height = h > *height ? h : *height;
    } while (err == MCP_OK && !end);
    if (err != MCP_OK)
        return err;
    *out = (struct mcp_json){.type = MCP_JSON_OBJECT,
                             .count = (uint32_t)(r->top - from) / 2};
    err = pop(r, from, (const void **)&out->u.members);
    return err == MCP_OK ? check_keys(r, out) : err;
}

static enum mcp_err read_collection(struct reader *r, const yaml_event_t *event,
                                    struct mcp_json *out, unsigned *height)
{
    bool map = event->type == YAML_MAPPING_START_EVENT;
    int line = line_of(event);
    const char *tag = (const char *)(map ? event->data.mapping_start.tag
                                         : event->data.sequence_start.tag);
    enum mcp_err err = count(r, line, 1, 0, 1);

    if (err != MCP_OK)
        return err;
    r->depth++;
    err = map ? read_members(r, out, height) : read_items(r, out, height);
    r->depth--;
    ++*height;
    return err == MCP_OK ? check_tag(r, line, tag, out) : err;
}

/* ---- nodes ---- */

static const char *anchor_of(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return (const char *)event->data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT:
        return (const char *)event->data.sequence_start.anchor;
    case YAML_MAPPING_START_EVENT:
        return (const char *)event->data.mapping_start.anchor;
    default:
        return NULL;
    }
}

/* The node that begins with `event`; `*height` (0 before) gets how many
 * collections it nests. */
static enum mcp_err read_node(struct reader *r, const yaml_event_t *event,
                              struct mcp_json *out, unsigned *height)
{
    size_t place;
    enum mcp_err err;

    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(r, event, out, height);
    err = open_anchor(r, line_of(event), anchor_of(event), &place);
    if (err != MCP_OK)
        return err;
    if (event->type == YAML_SCALAR_EVENT)
        err = read_scalar(r, event, out);
    else
        err = read_collection(r, event, out, height);
    if (err == MCP_OK && place < MCP_YAML_MAX_ANCHORS)
        close_anchor(r, place, out, *height);
    return err;
}

/* ---- the document ---- */

/* The next event, which has to be of `type`; it is deleted. */
static enum mcp_err expect(struct reader *r, yaml_event_type_t type,
                           const char *reason)
{
    yaml_event_t event;
    enum mcp_err err = next(r, &event);

    if (err != MCP_OK)
        return err;
    if (event.type != type)
        err = refuse(r, MCP_EINVAL, line_of(&event), reason,
                     "write one mapping: lines of \"key: value\"");
    yaml_event_delete(&event);
    return err;
}

static enum mcp_err read_root(struct reader *r, struct mcp_json *root)
{
    yaml_event_t event;
    unsigned height = 0;
    enum mcp_err err = next(r, &event);

    if (err != MCP_OK)
        return err;
    if (event.type == YAML_MAPPING_START_EVENT)
        err = read_node(r, &event, root, &height);
    else
        err = refuse(r, MCP_EINVAL, line_of(&event), "not a mapping",
                     "write lines of \"key: value\"");
    yaml_event_delete(&event);
    return err;
}

static enum mcp_err read_document(struct reader *r, const struct mcp_json **out)
{
    struct mcp_json *root = mcp_arena_alloc(r->arena, sizeof(*root));
    enum mcp_err err = root != NULL ? MCP_OK : MCP_ENOMEM;

    if (err == MCP_OK)
        err = expect(r, YAML_STREAM_START_EVENT, "empty");
    if (err == MCP_OK)
        err = expect(r, YAML_DOCUMENT_START_EVENT, "empty");
    if (err == MCP_OK)
        err = read_root(r, root);
    if (err == MCP_OK)
        err = expect(r, YAML_DOCUMENT_END_EVENT, "more than one value");
    if (err == MCP_OK)
        err = expect(r, YAML_STREAM_END_EVENT, "more than one document");
    if (err == MCP_OK)
        *out = root;
    return err;
}

enum mcp_err mcp_yaml_parse(struct mcp_arena *a, const char *text, size_t len,
                            const struct mcp_json **out,
                            struct mcp_yaml_doubts *doubts,
                            struct mcp_yaml_error *error)
{
    struct mcp_yaml_error unseen;
    struct reader r = {.arena = a,
                       .layout = {.text = text, .len = len},
                       .error = error != NULL ? error : &unseen};
    enum mcp_err err;

    if (len > MCP_YAML_MAX_TEXT)
        return refuse(&r, MCP_ELIMIT, 1, "longer than 64 KiB",
                      "keep front matter short; the rest belongs below it");
    if (!mcp_yaml_text_check(text, len, r.error))
        return MCP_EINVAL;
    if (!yaml_parser_initialize(&r.yaml))
        return MCP_ENOMEM;
    yaml_parser_set_encoding(&r.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.yaml, (const unsigned char *)text, len);
    err = read_document(&r, out);
    yaml_parser_delete(&r.yaml);
    free(r.stack);
    if (err == MCP_OK && doubts != NULL)
        *doubts = (struct mcp_yaml_doubts){r.doubts, r.doubt_count};
    return err;
}
