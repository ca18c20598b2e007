/*
 * yaml_layout.c - see yaml_layout.h
 */
#include "base/yaml_layout.h"

#include <stdio.h>
#include <string.h>

static bool refuse(struct mcp_yaml_error *error, size_t line,
                   const char *reason, const char *advice)
{
    error->line = (int)line + 1;
    (void)snprintf(error->reason, sizeof(error->reason), "%s", reason);
    error->advice = advice;
    return false;
}

static bool refuse_indent(struct mcp_yaml_error *error, size_t line)
{
    return refuse(error, line,
                  "a line that continues a value and is not indented",
                  "indent it deeper than the key that it belongs to");
}

/* The byte of a character that is not before the one asked for last. */
static size_t seek(struct mcp_yaml_layout *l, size_t index)
{
    while (l->index < index && l->at < l->len) {
        l->at++;
        while (l->at < l->len && ((unsigned char)l->text[l->at] & 0xC0) == 0x80)
            l->at++;
        l->index++;
    }
    return l->at;
}

static struct mcp_yaml_open *innermost(struct mcp_yaml_layout *l)
{
    return l->depth > 0 && l->depth <= MCP_YAML_MAX_DEPTH
               ? &l->open[l->depth - 1]
               : NULL;
}

/* The node is complete: a key's value or the next key follows. */
static void complete(struct mcp_yaml_layout *l)
{
    struct mcp_yaml_open *o = innermost(l);

    if (o != NULL && o->map)
        o->expects_key = !o->expects_key;
}

static bool is_empty(const yaml_event_t *event)
{
    return event->start_mark.index == event->end_mark.index;
}

static bool is_block_sequence(const yaml_event_t *event)
{
    return event->type == YAML_SEQUENCE_START_EVENT &&
           event->data.sequence_start.style != YAML_FLOW_SEQUENCE_STYLE;
}

/* Does the node begin deeper than what it is in? */
static bool check_start(struct mcp_yaml_open *o, const yaml_event_t *event,
                        struct mcp_yaml_error *error)
{
    long column = (long)event->start_mark.column;

    if (o == NULL || is_empty(event))
        return true;
    if (o->map && o->expects_key && !o->flow) {
        o->indent = o->placed ? o->indent : column;
        return true;
    }
    if (column > o->indent || (column == o->indent && is_block_sequence(event)))
        return true;
    return refuse_indent(error, event->start_mark.line);
}

/* Do the further lines of a scalar begin deeper than `indent`? */
static bool check_lines(struct mcp_yaml_layout *l, const yaml_event_t *event,
                        long indent, struct mcp_yaml_error *error)
{
    size_t at = seek(l, event->start_mark.index);
    size_t end = seek(l, event->end_mark.index);
    size_t line = event->start_mark.line;

    while (at < end) {
        const char *stop = memchr(l->text + at, '\n', end - at);
        size_t blanks;

        if (stop == NULL)
            return true;
        line++;
        at = (size_t)(stop - l->text) + 1;
        for (blanks = 0; at < end && l->text[at] == ' '; at++)
            blanks++;
        if (at < end && strchr("\t\r\n", l->text[at]) == NULL &&
            (long)blanks <= indent)
            return refuse_indent(error, line);
    }
    return true;
}

static bool check_scalar(struct mcp_yaml_layout *l, const yaml_event_t *event,
                         struct mcp_yaml_error *error)
{
    const struct mcp_yaml_open *o = innermost(l);
    yaml_scalar_style_t style = event->data.scalar.style;
    bool plain = style == YAML_PLAIN_SCALAR_STYLE;
    bool flow = o != NULL && o->flow;

    if (flow && plain && event->data.scalar.length == 1 &&
        event->data.scalar.value[0] == '-')
        return refuse(error, event->start_mark.line, "a dash in [] or {}",
                      "put it in quotes");
    if (flow && o->map && o->expects_key && !is_empty(event)) {
        size_t at = seek(l, event->start_mark.index);

        if (at > 0 && l->text[at - 1] == '?')
            return refuse(error, event->start_mark.line,
                          "a text that begins with ? in [] or {}",
                          "put it in quotes");
    }
    if (o == NULL || event->start_mark.line == event->end_mark.line ||
        style == YAML_LITERAL_SCALAR_STYLE ||
        style == YAML_FOLDED_SCALAR_STYLE || (plain && !flow))
        return true;
    return check_lines(l, event, o->indent, error);
}

static void open_collection(struct mcp_yaml_layout *l,
                            const yaml_event_t *event)
{
    const struct mcp_yaml_open *around = innermost(l);
    bool map = event->type == YAML_MAPPING_START_EVENT;
    const void *anchor = map ? event->data.mapping_start.anchor
                             : event->data.sequence_start.anchor;
    const void *tag =
        map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    struct mcp_yaml_open o = {.map = map,
                              .expects_key = map,
                              .flow = map ? event->data.mapping_start.style ==
                                                YAML_FLOW_MAPPING_STYLE
                                          : event->data.sequence_start.style ==
                                                YAML_FLOW_SEQUENCE_STYLE,
                              .indent = around != NULL ? around->indent : -1};

    /* an anchor or a tag stands elsewhere, and the event begins there */
    o.placed = !o.flow && anchor == NULL && tag == NULL;
    if (o.placed)
        o.indent = (long)event->start_mark.column;
    if (l->depth < MCP_YAML_MAX_DEPTH + 1)
        l->open[l->depth] = o;
    l->depth++;
}

bool mcp_yaml_layout_check(struct mcp_yaml_layout *l, const yaml_event_t *event,
                           struct mcp_yaml_error *error)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        if (!check_start(innermost(l), event, error) ||
            !check_scalar(l, event, error))
            return false;
        complete(l);
        return true;
    case YAML_ALIAS_EVENT:
        if (!check_start(innermost(l), event, error))
            return false;
        complete(l);
        return true;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        if (!check_start(innermost(l), event, error))
            return false;
        open_collection(l, event);
        return true;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        l->depth -= l->depth > 0;
        complete(l);
        return true;
    default:
        return true;
    }
}
