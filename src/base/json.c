/*
 * json.c - the parser: one loop, no recursion
 *
 * Finished values wait on a stack until their container closes; then its
 * children, which lie side by side on top, move to the arena in one copy. An
 * open container is itself a value on the stack whose `count` is the index of
 * the container around it:
 *
 *     stack  [ 1, {"a": 2   ->   ARRAY, 1, OBJECT, "a", 2
 *                                ^------------+      `top` is behind 2
 *
 * Key and value of a member are two values side by side, which is what struct
 * mcp_json_member is. The stack begins on the C stack and moves to the heap
 * when it grows.
 */
#include "base/json.h"

#include <stdlib.h>

#include "base/json_keys.h"
#include "base/json_number.h"
#include "base/json_scan.h"
#include "base/json_string.h"

enum { DEFAULT_DEPTH = 64, FIRST_VALUES = 128 };

#define NO_CONTAINER UINT32_MAX

_Static_assert(sizeof(struct mcp_json_member) == 2 * sizeof(struct mcp_json),
               "a member is two values side by side");

struct parser {
    struct mcp_arena *arena;
    const char *text, *end;
    struct mcp_json *stack;
    size_t top, cap; /* values */
    uint32_t open;   /* index of the innermost open container */
    uint32_t depth, max_depth;
    bool allow_duplicates;
    const char *duplicate; /* where a key came twice, or NULL */
    enum mcp_err err;
    struct mcp_json_flaw flaw;
    struct mcp_json first[FIRST_VALUES];
};

/* Stops the parse. Always NULL, what the reading functions return then. */
static const char *refuse(struct parser *ps, const char *at, const char *reason)
{
    ps->err = MCP_EINVAL;
    ps->flaw.at = at;
    ps->flaw.reason = reason;
    return NULL;
}

static const char *out_of_memory(struct parser *ps, const char *at)
{
    (void)refuse(ps, at, "out of memory");
    ps->err = MCP_ENOMEM;
    return NULL;
}

static const char *unexpected(struct parser *ps, const char *at,
                              const char *reason)
{
    return refuse(ps, at, at == ps->end ? "unexpected end" : reason);
}

static inline const char *skip_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

/* The byte at `p`; at the end a NUL, which is nowhere valid. */
static inline char peek(const struct parser *ps, const char *p)
{
    return p < ps->end ? *p : '\0';
}

/* Doubles the stack. All of it ends in the arena, so there is no point in
 * growing beyond what the arena has left. */
static bool grow(struct parser *ps)
{
    size_t size = ps->cap * sizeof(*ps->stack);
    struct mcp_json *bigger;

    if (size > mcp_arena_left_bytes(ps->arena))
        return false;
    bigger = realloc(ps->stack == ps->first ? NULL : ps->stack, size * 2);
    if (bigger == NULL)
        return false;
    if (ps->stack == ps->first)
        memcpy(bigger, ps->first, size);
    ps->stack = bigger;
    ps->cap *= 2;
    return true;
}

/* Room for one more value on the stack, or NULL. */
static inline struct mcp_json *push(struct parser *ps)
{
    if (ps->top == ps->cap && !grow(ps))
        return NULL;
    return &ps->stack[ps->top++];
}

static const char *open_container(struct parser *ps, const char *p,
                                  enum mcp_json_type type, struct mcp_json *v)
{
    if (ps->depth == ps->max_depth) {
        (void)refuse(ps, p, "nested too deep");
        ps->err = MCP_ELIMIT;
        return NULL;
    }
    ps->depth++;
    v->type = (uint8_t)type;
    v->flags = 0;
    v->number = 0;
    v->count = ps->open;
    ps->open = (uint32_t)(v - ps->stack);
    return p + 1;
}

/* Notes a key that came twice; the parse goes on, because a text that is not
 * JSON at all is refused for that. */
static const char *check_keys(struct parser *ps, const struct mcp_json *object,
                              const char *p)
{
    const struct mcp_json_member *twice = NULL;

    if (mcp_json_keys_check(object->u.members, object->count, &twice) != MCP_OK)
        return out_of_memory(ps, p);
    if (twice != NULL)
        ps->duplicate = ps->text + (size_t)twice->key.number;
    return p;
}

/* Closes the innermost container, whose bracket is before `p`. */
static const char *close_container(struct parser *ps, const char *p)
{
    struct mcp_json *v = &ps->stack[ps->open];
    size_t n = ps->top - ps->open - 1;
    struct mcp_json *items = NULL;

    if (n > 0) {
        items = mcp_arena_alloc(ps->arena, n * sizeof(*items));
        if (items == NULL)
            return out_of_memory(ps, p);
        memcpy(items, v + 1, n * sizeof(*items));
    }
    ps->top = ps->open + 1;
    ps->open = v->count;
    ps->depth--;
    v->u.items = items;
    v->count = (uint32_t)n;
    if (v->type == MCP_JSON_ARRAY)
        return p;
    v->count = (uint32_t)(n / 2);
    if (n <= 2 || ps->allow_duplicates || ps->duplicate != NULL)
        return p;
    return check_keys(ps, v, p);
}

static inline const char *read_string(struct parser *ps, const char *p,
                                      struct mcp_json *v)
{
    const char *text = p + 1;

    p = mcp_json_scan_ascii(text, ps->end);
    if (p < ps->end && *p == '"') {
        v->type = MCP_JSON_STRING;
        v->flags = MCP_JSON_F_PLAIN;
        v->count = (uint32_t)(p - text);
        v->u.text = text;
        v->number = 0;
        return p + 1;
    }
    p = mcp_json_string_parse(ps->arena, text, p, ps->end, v, &ps->flaw);
    if (p != NULL)
        return p;
    if (ps->flaw.reason == NULL)
        return out_of_memory(ps, text);
    return refuse(ps, ps->flaw.at, ps->flaw.reason);
}

/* Reads a key and the colon; `p` is where the value is due. */
static const char *read_key(struct parser *ps, const char *p)
{
    struct mcp_json *key;
    const char *at = p;

    if (peek(ps, p) != '"')
        return unexpected(ps, p, "a key in quotes expected");
    key = push(ps);
    if (key == NULL)
        return out_of_memory(ps, p);
    p = read_string(ps, p, key);
    if (p == NULL)
        return NULL;
    key->number = (double)(at - ps->text);
    p = skip_space(p, ps->end);
    if (peek(ps, p) != ':')
        return unexpected(ps, p, "':' expected");
    return skip_space(p + 1, ps->end);
}

static const char *read_word(struct parser *ps, const char *p, const char *word,
                             enum mcp_json_type type, struct mcp_json *v)
{
    size_t len = strlen(word);

    if ((size_t)(ps->end - p) < len || memcmp(p, word, len) != 0)
        return refuse(ps, p, "a value expected");
    v->type = (uint8_t)type;
    v->flags = 0;
    v->count = 0;
    v->u.text = NULL;
    v->number = 0;
    return p + len;
}

static const char *read_number(struct parser *ps, const char *p,
                               struct mcp_json *v)
{
    if (!mcp_json_number_parse(&p, ps->end, v))
        return unexpected(ps, p, "invalid number");
    return p;
}

/* Reads a scalar, or opens a container. */
static const char *read_value(struct parser *ps, const char *p)
{
    struct mcp_json *v = push(ps);

    if (v == NULL)
        return out_of_memory(ps, p);
    switch (peek(ps, p)) {
    case '"':
        return read_string(ps, p, v);
    case '{':
        return open_container(ps, p, MCP_JSON_OBJECT, v);
    case '[':
        return open_container(ps, p, MCP_JSON_ARRAY, v);
    case 't':
        return read_word(ps, p, "true", MCP_JSON_TRUE, v);
    case 'f':
        return read_word(ps, p, "false", MCP_JSON_FALSE, v);
    case 'n':
        return read_word(ps, p, "null", MCP_JSON_NULL, v);
    case '-':
    case '0' ... '9':
        return read_number(ps, p, v);
    default:
        return unexpected(ps, p, "a value expected");
    }
}

/* Goes on behind a value, or behind the bracket that opened a container
 * (`opened`): closes what closes here. `*more` tells whether a value is due at
 * the returned place; if not, the outermost value is complete. */
static const char *read_between(struct parser *ps, const char *p, bool opened,
                                bool *more)
{
    const char *comma_reason;
    bool object;
    char c;

    for (; p != NULL && ps->open != NO_CONTAINER; opened = false) {
        object = ps->stack[ps->open].type == MCP_JSON_OBJECT;
        p = skip_space(p, ps->end);
        c = peek(ps, p);
        if (c == (object ? '}' : ']')) {
            p = close_container(ps, p + 1);
            continue;
        }
        if (!opened) {
            comma_reason =
                object ? "',' or '}' expected" : "',' or ']' expected";
            if (c != ',')
                return unexpected(ps, p, comma_reason);
            p = skip_space(p + 1, ps->end);
        }
        *more = true;
        return object ? read_key(ps, p) : p;
    }
    *more = false;
    return p;
}

/* Reads the text; the value is stack[0]. False: see ps->err. */
static bool read_text(struct parser *ps)
{
    const char *p = skip_space(ps->text, ps->end);
    uint32_t open;
    bool more = true;

    while (p != NULL && more) {
        open = ps->open;
        p = read_value(ps, p);
        if (p != NULL)
            p = read_between(ps, p, ps->open != open, &more);
    }
    if (p == NULL)
        return false;
    p = skip_space(p, ps->end);
    if (p < ps->end)
        (void)refuse(ps, p, "nothing may follow the value");
    else if (ps->duplicate != NULL)
        (void)refuse(ps, ps->duplicate, "duplicate key");
    return ps->err == MCP_OK;
}

static void set_options(struct parser *ps, const struct mcp_json_options *o)
{
    uint32_t depth = o != NULL ? o->max_depth : 0;

    if (depth == 0)
        depth = DEFAULT_DEPTH;
    ps->max_depth = depth < MCP_JSON_MAX_DEPTH ? depth : MCP_JSON_MAX_DEPTH;
    ps->allow_duplicates = o != NULL && o->allow_duplicate_keys;
}

/* Moves the outermost value to the arena. */
static struct mcp_json *take_root(struct parser *ps)
{
    struct mcp_json *root = mcp_arena_alloc(ps->arena, sizeof(*root));

    if (root == NULL)
        (void)out_of_memory(ps, ps->end);
    else
        *root = ps->stack[0];
    return root;
}

static enum mcp_err fill_error(const struct parser *ps,
                               struct mcp_json_error *error)
{
    if (error != NULL) {
        error->offset = (size_t)(ps->flaw.at - ps->text);
        error->reason = ps->flaw.reason;
        error->duplicate_key = ps->duplicate != NULL &&
                               ps->flaw.at == ps->duplicate &&
                               ps->err == MCP_EINVAL;
    }
    return ps->err;
}

enum mcp_err mcp_json_parse(struct mcp_arena *a, const char *text, size_t len,
                            const struct mcp_json_options *options,
                            const struct mcp_json **out,
                            struct mcp_json_error *error)
{
    struct mcp_json *root = NULL;
    struct parser ps;

    if (text == NULL) /* nothing, of no length */
        text = "";
    ps.arena = a;
    ps.text = text;
    ps.end = text + len;
    ps.stack = ps.first;
    ps.top = 0;
    ps.cap = FIRST_VALUES;
    ps.open = NO_CONTAINER;
    ps.depth = 0;
    ps.duplicate = NULL;
    ps.err = MCP_OK;
    set_options(&ps, options);
    if (len > UINT32_MAX) {
        (void)refuse(&ps, text, "longer than 2^32-1 bytes");
        ps.err = MCP_ELIMIT;
        return fill_error(&ps, error);
    }
    if (read_text(&ps))
        root = take_root(&ps);
    if (ps.stack != ps.first)
        free(ps.stack);
    if (root == NULL)
        return fill_error(&ps, error);
    *out = root;
    return MCP_OK;
}

/* From the end, so that the last of equal keys counts. */
const struct mcp_json *mcp_json_find_n(const struct mcp_json *object,
                                       const char *key, size_t key_len)
{
    const struct mcp_json_member *m;
    uint32_t i;

    if (!mcp_json_is(object, MCP_JSON_OBJECT))
        return NULL;
    for (i = object->count; i > 0; i--) {
        m = &object->u.members[i - 1];
        if (m->key.count == key_len && memcmp(m->key.u.text, key, key_len) == 0)
            return &m->value;
    }
    return NULL;
}

const struct mcp_json *mcp_json_find(const struct mcp_json *object,
                                     const char *key)
{
    return mcp_json_find_n(object, key, strlen(key));
}

const char *mcp_json_type_name(const struct mcp_json *v)
{
    static const char *const names[] = {
        [MCP_JSON_NULL] = "null",     [MCP_JSON_FALSE] = "boolean",
        [MCP_JSON_TRUE] = "boolean",  [MCP_JSON_NUMBER] = "number",
        [MCP_JSON_STRING] = "string", [MCP_JSON_ARRAY] = "array",
        [MCP_JSON_OBJECT] = "object",
    };

    return names[v->type];
}
