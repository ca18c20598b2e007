/*
 * route_arguments.c - see route_arguments.h
 */
#include "features/route_arguments.h"

#include <string.h>
#include <strings.h>

#include "features/arguments.h"
#include "features/route_value.h"

enum {
    BAD_REQUEST = 400,
    TOO_LARGE = 413,
    UNSUPPORTED_TYPE = 415,
    UNPROCESSABLE = 422,
    ERRORS_MAX_BYTES = 256 << 10,
};

struct parameter {
    struct mcp_json key;
    const char *text;
    size_t len;
    bool taken;
};

/* A request on its way in. */
struct work {
    const struct mcp_route *route;
    struct mcp_call *call;
    uint32_t max_depth;
    const struct mcp_json *path, *query, *body; /* objects; NULL: not there */
    struct mcp_route_refusal *why;
};

static const struct mcp_json nothing = {.type = MCP_JSON_OBJECT};

static enum mcp_err refuse(struct work *w, int status, const char *message)
{
    w->why->status = status;
    w->why->message = message;
    return message != NULL ? MCP_EINVAL : MCP_ENOMEM;
}

/* The same with a name of the peer's in it; `fmt` has one %.*s. */
static enum mcp_err refuse_name(struct work *w, int status, const char *fmt,
                                const struct mcp_json *name)
{
    enum { SHOWN_BYTES = 64 };
    int n = (int)(name->count < SHOWN_BYTES ? name->count : SHOWN_BYTES);

    while (n > 0 && n < (int)name->count && (name->u.text[n] & 0xc0) == 0x80)
        n--; /* between characters */
    return refuse(w, status,
                  mcp_arena_printf(w->call->arena, fmt, n, name->u.text));
}

static bool has_body(const struct mcp_route *route)
{
    return route->method[0] == 'P'; /* POST, PUT, PATCH */
}

static const struct mcp_json *find(const struct mcp_json *object,
                                   const struct mcp_json *key)
{
    return mcp_json_find_n(object, key->u.text, key->count);
}

/* ---- query ---- */

/* Reads "name=value" at text[0..len). */
static enum mcp_err read_parameter(struct work *w, const char *text, size_t len,
                                   struct parameter *out)
{
    const char *equals = memchr(text, '=', len), *name, *why;
    size_t name_len = equals != NULL ? (size_t)(equals - text) : len, n;
    size_t rest = equals != NULL ? len - name_len - 1 : 0;
    enum mcp_err err;

    err =
        mcp_route_decode(w->call->arena, text, name_len, true, &name, &n, &why);
    if (err == MCP_OK) {
        out->key = mcp_route_string(name, n);
        err = mcp_route_decode(w->call->arena, text + len - rest, rest, true,
                               &out->text, &out->len, &why);
    }
    out->taken = false;
    if (err != MCP_EINVAL)
        return err;
    return refuse(
        w, BAD_REQUEST,
        mcp_arena_printf(w->call->arena, "A parameter of the query %s", why));
}

/* All parameters of the query, at most MCP_ROUTE_MAX_PARAMETERS. */
static enum mcp_err read_query(struct work *w, struct parameter **out,
                               size_t *count)
{
    const char *p = w->call->query;
    struct parameter *list;
    size_t n = 0;

    *count = 0;
    if (p == NULL || *p == '\0')
        return MCP_OK;
    list = mcp_arena_alloc(w->call->arena,
                           MCP_ROUTE_MAX_PARAMETERS * sizeof(*list));
    if (list == NULL)
        return MCP_ENOMEM;
    while (*p != '\0') {
        size_t len = strcspn(p, "&");
        enum mcp_err err = MCP_OK;

        if (len > 0 && n == MCP_ROUTE_MAX_PARAMETERS)
            return refuse(w, BAD_REQUEST,
                          "The query has more than 200 parameters");
        if (len > 0)
            err = read_parameter(w, p, len, &list[n++]);
        if (err != MCP_OK)
            return err;
        p += len;
        p += *p == '&';
    }
    *out = list;
    *count = n;
    return MCP_OK;
}

static bool same_key(const struct parameter *a, const struct parameter *b)
{
    return a->key.count == b->key.count &&
           memcmp(a->key.u.text, b->key.u.text, a->key.count) == 0;
}

/* The array of all parameters from list[i] on that have its name. */
static enum mcp_err take_array(struct work *w, const struct mcp_json *schema,
                               struct parameter *list, size_t count, size_t i,
                               struct mcp_json *out)
{
    const struct mcp_json *items = mcp_json_find(schema, "items");
    size_t same = 0;
    uint32_t n = 0;
    struct mcp_json *to;
    enum mcp_err err = MCP_OK;

    for (size_t j = i; j < count; j++)
        same += same_key(&list[i], &list[j]);
    to = mcp_arena_alloc(w->call->arena, same * sizeof(*to));
    if (to == NULL)
        return MCP_ENOMEM;
    for (size_t j = i; err == MCP_OK && j < count; j++) {
        if (!same_key(&list[i], &list[j]))
            continue;
        list[j].taken = true;
        err = mcp_route_value(items, list[j].text, list[j].len, w->call->arena,
                              &to[n++]);
    }
    *out = (struct mcp_json){.type = MCP_JSON_ARRAY, .count = n, .u.items = to};
    return err;
}

/* The value of the parameter list[i]. */
static enum mcp_err take(struct work *w, struct parameter *list, size_t count,
                         size_t i, struct mcp_json *out)
{
    struct parameter *p = &list[i];
    const struct mcp_json *schema =
        mcp_route_property(w->route, p->key.u.text, p->key.count);

    if (mcp_route_wants_array(schema))
        return take_array(w, schema, list, count, i, out);
    for (size_t j = i + 1; j < count; j++)
        if (same_key(p, &list[j]))
            return refuse_name(w, BAD_REQUEST,
                               "The parameter \"%.*s\" of the query is given "
                               "twice",
                               &p->key);
    return mcp_route_value(schema, p->text, p->len, w->call->arena, out);
}

static enum mcp_err make_query(struct work *w)
{
    struct parameter *list = NULL;
    struct mcp_json *object = mcp_arena_alloc(w->call->arena, sizeof(*object));
    struct mcp_json_member *to;
    size_t count;
    uint32_t n = 0;
    enum mcp_err err = read_query(w, &list, &count);

    if (err != MCP_OK)
        return err;
    to = mcp_arena_alloc(w->call->arena, (count + 1) * sizeof(*to));
    if (object == NULL || to == NULL)
        return MCP_ENOMEM;
    for (size_t i = 0; err == MCP_OK && i < count; i++) {
        if (list[i].taken)
            continue;
        if (find(w->path, &list[i].key) != NULL)
            return refuse_name(w, BAD_REQUEST,
                               "\"%.*s\" is in the path and in the query",
                               &list[i].key);
        to[n].key = list[i].key;
        err = take(w, list, count, i, &to[n++].value);
    }
    *object =
        (struct mcp_json){.type = MCP_JSON_OBJECT, .count = n, .u.members = to};
    w->query = object;
    return err;
}

/* ---- body ---- */

static bool is_json(const struct mcp_call *call)
{
    static const char json[] = "application/json";
    const char *type = mcp_call_header(call, "Content-Type");

    if (type == NULL || mcp_call_header_count(call, "Content-Type") != 1)
        return false;
    type += strspn(type, " \t");
    if (strncasecmp(type, json, sizeof(json) - 1) != 0)
        return false;
    type += sizeof(json) - 1;
    type += strspn(type, " \t");
    return *type == '\0' || *type == ';';
}

/* One entry of `errors`. `path` NULL: none. */
static void add_error(struct work *w, const char *in, const char *path,
                      const char *rule, const char *message)
{
    struct mcp_buf *b = &w->why->errors;

    mcp_buf_puts(b, b->len > 0 ? ",{" : "{");
    if (in != NULL)
        mcp_buf_printf(b, "\"in\":\"%s\",", in);
    if (path != NULL) {
        mcp_buf_puts(b, "\"path\":");
        mcp_json_write_cstring(b, path);
        mcp_buf_putc(b, ',');
    }
    if (rule != NULL) {
        mcp_buf_puts(b, "\"rule\":");
        mcp_json_write_cstring(b, rule);
        mcp_buf_putc(b, ',');
    }
    mcp_buf_puts(b, "\"message\":");
    mcp_json_write_cstring(b, message);
    mcp_buf_putc(b, '}');
}

static enum mcp_err refuse_arguments(struct work *w)
{
    return refuse(w, UNPROCESSABLE,
                  mcp_arena_printf(w->call->arena, "Invalid arguments for %s",
                                   w->route->name));
}

/* The body, which is there, as a tree. */
static enum mcp_err parse_body(struct work *w, const struct mcp_json **out)
{
    const struct mcp_json_options options = {.max_depth = w->max_depth};
    struct mcp_json_error e = {.reason = ""};
    struct mcp_call *call = w->call;
    enum mcp_err err = mcp_json_parse(call->arena, call->body, call->body_len,
                                      &options, out, &e);

    call->parsed_bytes = mcp_arena_used_bytes(call->arena);
    if (err == MCP_OK)
        return err;
    if (err == MCP_ENOMEM)
        return refuse(w, TOO_LARGE, "The body has too many values");
    return refuse(w, BAD_REQUEST,
                  mcp_arena_printf(call->arena,
                                   "The body is not JSON: %s at byte %zu",
                                   e.reason, e.offset));
}

static enum mcp_err make_body(struct work *w)
{
    const struct mcp_json *tree;
    enum mcp_err err;

    if (w->call->body_len == 0)
        return MCP_OK;
    if (!has_body(w->route))
        return refuse(w, BAD_REQUEST,
                      mcp_arena_printf(w->call->arena,
                                       "A %s request has no body here",
                                       w->call->http_method));
    if (!is_json(w->call))
        return refuse(w, UNSUPPORTED_TYPE,
                      "Content-Type must be application/json");
    err = parse_body(w, &tree);
    if (err != MCP_OK)
        return err;
    if (tree->type != MCP_JSON_OBJECT) {
        add_error(w, "body", "", "type", "must be an object");
        return refuse_arguments(w);
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct mcp_json *key = &tree->u.members[i].key;

        if (find(w->path, key) != NULL)
            return refuse_name(w, BAD_REQUEST,
                               "\"%.*s\" is in the path and in the body", key);
        if (find(w->query, key) != NULL)
            return refuse_name(w, BAD_REQUEST,
                               "\"%.*s\" is in the query and in the body", key);
    }
    w->body = tree;
    return MCP_OK;
}

/* ---- together ---- */

static enum mcp_err join(struct work *w, const struct mcp_json **out)
{
    const struct mcp_json *parts[] = {w->path, w->query, w->body};
    struct mcp_json *object = mcp_arena_alloc(w->call->arena, sizeof(*object));
    size_t max = (size_t)w->path->count + w->query->count + w->body->count;
    struct mcp_json_member *to =
        mcp_arena_alloc(w->call->arena, (max + 1) * sizeof(*to));
    uint32_t n = 0;

    if (object == NULL || to == NULL)
        return MCP_ENOMEM;
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < parts[i]->count; j++)
            to[n++] = parts[i]->u.members[j];
    }
    *object =
        (struct mcp_json){.type = MCP_JSON_OBJECT, .count = n, .u.members = to};
    *out = object;
    return MCP_OK;
}

/* Where the argument is that the JSON pointer leads to. */
static const char *place_of(const struct work *w, const char *path)
{
    size_t len = path[0] == '/' ? strcspn(path + 1, "/") : 0;

    if (len > 0 && mcp_json_find_n(w->path, path + 1, len) != NULL)
        return "path";
    if (len > 0 && mcp_json_find_n(w->query, path + 1, len) != NULL)
        return "query";
    return has_body(w->route) ? "body" : "query";
}

static void tell(void *user, const char *path, const char *keyword,
                 const char *message)
{
    struct work *w = user;

    add_error(w, path != NULL ? place_of(w, path) : NULL, path, keyword,
              message);
}

enum mcp_err mcp_route_arguments(const struct mcp_route_match *match,
                                 struct mcp_call *call, uint32_t max_depth,
                                 const struct mcp_json **out,
                                 struct mcp_route_refusal *why)
{
    struct work w = {.route = match->route,
                     .call = call,
                     .max_depth = max_depth,
                     .path = match->values,
                     .query = &nothing,
                     .body = &nothing,
                     .why = why};
    const struct mcp_arguments_report report = {tell, &w};
    const struct mcp_json *sent;
    enum mcp_err err;

    *why = (struct mcp_route_refusal){0};
    mcp_buf_init(&why->errors, ERRORS_MAX_BYTES);
    err = make_query(&w);
    if (err == MCP_OK)
        err = make_body(&w);
    if (err == MCP_OK)
        err = join(&w, &sent);
    if (err != MCP_OK)
        return err;
    err = mcp_arguments_examine(&match->route->signature, sent, call->arena,
                                out, &report);
    if (err == MCP_EINVAL || err == MCP_ELIMIT)
        return refuse_arguments(&w);
    return err;
}
