/*
 * registry_copy.h - what copying a declared thing of any kind has in common
 *
 * Layer:  app, private to registry. Uses base/arena, base/json, base/suggest.
 * Thread: the builder's.
 */
#ifndef MCP_APP_REGISTRY_COPY_H
#define MCP_APP_REGISTRY_COPY_H

#include "app/registry.h"
#include "base/arena.h"

/* One thing on its way into the arena of its generation. Whatever fails below
 * fills `message` with one line. */
struct mcp_copy {
    struct mcp_arena *a;
    char *message;
    size_t message_size;
};

enum mcp_err mcp_copy_no_memory(struct mcp_copy *c) MCP_MUST_USE;

/* MCP_EINVAL with this message. */
enum mcp_err mcp_copy_refuse(struct mcp_copy *c, const char *fmt, ...)
    MCP_PRINTF(2, 3) MCP_MUST_USE;

/* MCP_EINVAL: "the tool's name ..." unless 1 to 128 bytes of A-Z a-z 0-9 and
 * of `signs`. */
enum mcp_err mcp_copy_check_name(struct mcp_copy *c, const char *kind,
                                 const char *name,
                                 const char *signs) MCP_MUST_USE;

/* `*to` is a copy of `from`, which may be NULL; it must be UTF-8. */
enum mcp_err mcp_copy_text(struct mcp_copy *c, const char *what,
                           const char *from, const char **to) MCP_MUST_USE;

/* Parses text[0..len), which stays where it is, into the arena. */
enum mcp_err mcp_copy_parse(struct mcp_copy *c, const char *what,
                            const char *text, size_t len,
                            const struct mcp_json **tree) MCP_MUST_USE;

/* A copy of a JSON text that must be of type `type`; NULL stays NULL. */
enum mcp_err mcp_copy_json(struct mcp_copy *c, const char *what,
                           const char *from, enum mcp_json_type type,
                           const char **to) MCP_MUST_USE;

/* Copies timeout and binds; kind, name and slot are left alone. */
enum mcp_err mcp_copy_handler(struct mcp_copy *c, const struct mcp_handler *in,
                              struct mcp_handler *out) MCP_MUST_USE;

/* Where something is declared: "app.lua:12". A file without a copy is NULL. */
enum mcp_err mcp_copy_file(struct mcp_copy *c, const char *from,
                           const char **to) MCP_MUST_USE;

/* MCP_EINVAL unless it is "type/subtype", perhaps with parameters. */
enum mcp_err mcp_copy_check_mime(struct mcp_copy *c,
                                 const char *mime_type) MCP_MUST_USE;

/* MCP_EINVAL unless every MCP_BIND_ARGUMENT of `h` is one of names[0..count):
 * "the handler's parameter "x" is no ARGUMENT of the KIND". */
enum mcp_err mcp_copy_check_binds(struct mcp_copy *c,
                                  const struct mcp_handler *h,
                                  const char *const *names, size_t count,
                                  const char *of_what) MCP_MUST_USE;

/* Copies completers; each must be about another one of names[0..count), have
 * values or a handler and not both. A handler gets its kind and its name
 * ("ARGUMENT of PARENT"); its slot is left to the caller. */
enum mcp_err mcp_copy_completers(struct mcp_copy *c,
                                 const struct mcp_completer *in,
                                 size_t in_count, const char *const *names,
                                 size_t count, const char *of_what,
                                 const char *parent,
                                 const struct mcp_completer **out) MCP_MUST_USE;

/* MCP_EEXIST: "KIND "NAME" is declared twice: app.lua:3 and app.lua:9". */
enum mcp_err mcp_copy_refuse_second(struct mcp_copy *c, const char *kind,
                                    const char *name, const char *file,
                                    int line, const char *second_file,
                                    int second_line) MCP_MUST_USE;

#endif
