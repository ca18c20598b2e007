/*
 * registry_resource.c - see registry_resource.h
 */
#include "app/registry_resource.h"

#include <stdio.h>
#include <string.h>

#include "base/uri_template.h"

/* ---- URIs ---- */

static enum mcp_err check_uri(struct mcp_copy *c, const char *uri)
{
    size_t len = strlen(uri);

    if (len > MCP_URI_MAX_BYTES)
        return mcp_copy_refuse(c, "uri has %zu bytes; %d are allowed", len,
                               (int)MCP_URI_MAX_BYTES);
    if (strchr(uri, '{') != NULL)
        return mcp_copy_refuse(c,
                               "uri \"%.128s\" has variables; a URI with "
                               "variables is declared as uri_template",
                               uri);
    if (!mcp_uri_is_absolute(uri, len))
        return mcp_copy_refuse(c,
                               "uri must be an absolute URI like "
                               "\"app://config\", got \"%.128s\"",
                               uri);
    return MCP_OK;
}

/* The template with an x for each variable; a template that the parser took. */
static char *with_values(struct mcp_arena *a, const char *text)
{
    char *out = mcp_arena_dup(a, text, strlen(text)), *to = out;

    for (; out != NULL && *text != '\0'; text++) {
        if (*text != '{') {
            *to++ = *text;
            continue;
        }
        *to++ = 'x';
        text = strchr(text, '}');
    }
    if (out != NULL)
        *to = '\0';
    return out;
}

static enum mcp_err parse_template(struct mcp_copy *c, const char *text,
                                   struct mcp_uri_template **out)
{
    size_t len = strlen(text);
    const char *colon = strchr(text, ':'), *brace = strchr(text, '{'), *uri;
    char why[256];
    enum mcp_err err;

    if (len > MCP_URI_MAX_BYTES)
        return mcp_copy_refuse(c, "uri_template has %zu bytes; %d are allowed",
                               len, (int)MCP_URI_MAX_BYTES);
    err = mcp_uri_template_parse(text, out, why, sizeof(why));
    if (err == MCP_ENOMEM)
        return mcp_copy_no_memory(c);
    if (err != MCP_OK)
        return mcp_copy_refuse(c, "uri_template \"%.128s\": %s", text, why);
    if (mcp_uri_template_variable_count(*out) == 0)
        return mcp_copy_refuse(c,
                               "uri_template \"%.128s\" has no variables; one "
                               "URI is declared as uri",
                               text);
    uri = with_values(c->a, text);
    if (uri == NULL)
        return mcp_copy_no_memory(c);
    if (colon == NULL || colon > brace ||
        !mcp_uri_is_absolute(uri, strlen(uri)))
        return mcp_copy_refuse(c,
                               "uri_template must be an absolute URI like "
                               "\"notes://{id}\", got \"%.128s\"",
                               text);
    return MCP_OK;
}

/* ---- the rest ---- */

static enum mcp_err copy_texts(struct mcp_copy *c,
                               const struct mcp_resource *in,
                               struct mcp_resource *out)
{
    enum mcp_err err = mcp_copy_text(c, "name", in->name, &out->name);

    if (err == MCP_OK && (in->name == NULL || in->name[0] == '\0'))
        return mcp_copy_refuse(c, "the resource's name is empty");
    if (err == MCP_OK)
        err = mcp_copy_text(c, "title", in->title, &out->title);
    if (err == MCP_OK)
        err =
            mcp_copy_text(c, "description", in->description, &out->description);
    if (err == MCP_OK && in->mime_type != NULL)
        err = mcp_copy_check_mime(c, in->mime_type);
    if (err == MCP_OK)
        err = mcp_copy_text(c, "mime_type", in->mime_type, &out->mime_type);
    if (err == MCP_OK)
        err = mcp_copy_json(c, "annotations", in->annotations, MCP_JSON_OBJECT,
                            &out->annotations);
    if (err == MCP_OK)
        err = mcp_copy_json(c, "icons", in->icons, MCP_JSON_ARRAY, &out->icons);
    if (err == MCP_OK)
        err = mcp_copy_json(c, "meta", in->meta, MCP_JSON_OBJECT, &out->meta);
    if (err == MCP_OK)
        err = mcp_copy_file(c, in->file, &out->file);
    return err;
}

static enum mcp_err copy_content(struct mcp_copy *c,
                                 const struct mcp_resource *in,
                                 size_t max_blob_bytes,
                                 struct mcp_resource *out)
{
    size_t bad;

    if (in->content == NULL)
        return MCP_OK;
    if (in->content_len > max_blob_bytes)
        return mcp_copy_refuse(c,
                               "the content has %zu bytes, more than "
                               "max_blob_bytes (%zu)",
                               in->content_len, max_blob_bytes);
    if (!in->is_blob && !mcp_utf8_valid(in->content, in->content_len, &bad))
        return mcp_copy_refuse(c,
                               "the text is not valid UTF-8 (byte %zu); bytes "
                               "are given as blob",
                               bad + 1);
    out->content = mcp_arena_dup(c->a, in->content, in->content_len);
    return out->content == NULL ? mcp_copy_no_memory(c) : MCP_OK;
}

static enum mcp_err copy_names(struct mcp_copy *c,
                               const struct mcp_resource *in,
                               struct mcp_resource *out)
{
    const char *names[MCP_URI_TEMPLATE_MAX_VARIABLES];
    const struct mcp_uri_template *t = out->uri_template;
    size_t count = t == NULL ? 0 : mcp_uri_template_variable_count(t);
    const char *what = t == NULL ? "variable: a resource with one URI gets "
                                   "\"ctx\" and \"args\" only"
                                 : "variable of the uri_template";
    char parent[160];
    enum mcp_err err = MCP_OK;

    for (size_t i = 0; i < count; i++) {
        names[i] = mcp_uri_template_variable(t, i);
        if (strcmp(names[i], "args") == 0 || strcmp(names[i], "ctx") == 0)
            return mcp_copy_refuse(c,
                                   "a variable may not be called \"%s\": a "
                                   "handler's parameter of that name is "
                                   "something else",
                                   names[i]);
    }
    (void)snprintf(parent, sizeof(parent), "resource %.128s", out->uri);
    if (in->route == 0) /* else the route's schema decides */
        err = mcp_copy_check_binds(c, &in->handler, names, count, what);
    if (err == MCP_OK)
        err = mcp_copy_completers(c, in->completers, in->completer_count, names,
                                  count, "variable of the uri_template", parent,
                                  &out->completers);
    out->completer_count = in->completer_count;
    return err;
}

static enum mcp_err check_numbers(struct mcp_copy *c,
                                  const struct mcp_resource *in)
{
    if (in->size_bytes < -1)
        return mcp_copy_refuse(c, "size must be a count of bytes");
    if (in->content != NULL && in->size_bytes >= 0 &&
        (uint64_t)in->size_bytes != in->content_len)
        return mcp_copy_refuse(c, "size is %lld, but the content has %zu bytes",
                               (long long)in->size_bytes, in->content_len);
    if (in->cache.ttl_ms < -1)
        return mcp_copy_refuse(c, "cache.ttl_ms must not be negative");
    return MCP_OK;
}

enum mcp_err mcp_registry_copy_resource(struct mcp_copy *c,
                                        const struct mcp_resource *in,
                                        bool is_template, size_t max_blob_bytes,
                                        struct mcp_resource *out)
{
    struct mcp_resource copy = {
        .size_bytes = in->size_bytes,
        .cache = in->cache,
        .line = in->line,
        .content_len = in->content_len,
        .is_blob = in->is_blob,
        .route = in->route,
    };
    struct mcp_uri_template *t = NULL;
    enum mcp_err err =
        is_template ? parse_template(c, in->uri, &t) : check_uri(c, in->uri);

    copy.uri_template = t;
    if (err == MCP_OK)
        err = mcp_copy_text(c, "uri", in->uri, &copy.uri);
    if (err == MCP_OK)
        err = check_numbers(c, in);
    if (err == MCP_OK)
        err = copy_texts(c, in, &copy);
    if (err == MCP_OK)
        err = copy_content(c, in, max_blob_bytes, &copy);
    if (err == MCP_OK)
        err = mcp_copy_handler(c, &in->handler, &copy.handler);
    if (err == MCP_OK)
        err = copy_names(c, in, &copy);
    if (err != MCP_OK) {
        mcp_registry_drop_resource(&copy);
        return err;
    }
    copy.handler.kind = MCP_KIND_RESOURCE;
    copy.handler.name = copy.uri;
    copy.handler.slot = in->content == NULL;
    if (in->content != NULL)
        copy.size_bytes = (int64_t)in->content_len;
    *out = copy;
    return MCP_OK;
}

void mcp_registry_drop_resource(struct mcp_resource *resource)
{
    mcp_uri_template_free((struct mcp_uri_template *)resource->uri_template);
    resource->uri_template = NULL;
}
