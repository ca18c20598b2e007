/*
 * value_write.h - what the writers of Lua values share
 *
 * A writer walks a Lua value depth first and never calls a metamethod, never
 * allocates Lua memory and therefore never runs the collector. Where it is, is
 * a chain of places on the C stack, which becomes a path only when something
 * is refused. Private to value*.c.
 *
 * Layer:  app. Uses app/value; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_VALUE_WRITE_H
#define MCP_APP_VALUE_WRITE_H

#include "app/value.h"

/* What a table means to its writer; data needs none of it. */
enum mcp_role {
    MCP_ROLE_DATA,
    MCP_ROLE_DATA_LIST,    /* data; an empty table is an array              */
    MCP_ROLE_BLOCK,        /* content block: `data` has raw bytes           */
    MCP_ROLE_BLOCK_INSIDE, /* `resource` of such: `blob` has raw bytes      */
    MCP_ROLE_SCHEMA,       /* JSON Schema                                   */
    MCP_ROLE_SCHEMA_MAP,   /* schemas by name                               */
    MCP_ROLE_SCHEMA_LIST,  /* array of schemas                              */
    MCP_ROLE_LISTS_MAP,    /* arrays by name (dependentRequired)            */
    MCP_ROLE_VALUES,       /* array of data (enum, examples)                */
    MCP_ROLE_VALUES_LISTS, /* array of data; empty tables in it are arrays  */
};

struct mcp_place {
    const struct mcp_place *up; /* NULL: the root                         */
    const char *key;            /* NULL: an item of an array              */
    size_t n;                   /* bytes of the key, or index from 0      */
    unsigned depth;             /* tables around it                       */
    enum mcp_role role;         /* what a table here means                */
    const void *table;          /* what it is; NULL: not yet known, no table */
};

struct mcp_value_writer {
    lua_State *L;
    struct mcp_buf *out;
    const struct mcp_json *shape; /* schema of the root, or NULL            */
    struct mcp_value_error *error;
    /* Writes the table at `t`, whose first key and value are on the stack and
     * are popped; its keys are strings as far as they were seen. */
    enum mcp_err (*write_object)(struct mcp_value_writer *w,
                                 const struct mcp_place *at, int t);
    /* The role of a child of `at`. */
    enum mcp_role (*child_role)(const struct mcp_place *at, const char *key,
                                size_t len);
    const void *array_mark, *object_mark, *block_mark; /* NULL: not looked up */
};

/* Refuses the value at `at`. Returns MCP_EINVAL. */
enum mcp_err mcp_value_refuse(struct mcp_value_writer *w,
                              const struct mcp_place *at, const char *fmt, ...)
    MCP_PRINTF(3, 4);

/* Refuses the table at `at`, which is deeper than MCP_VALUE_MAX_DEPTH: as one
 * that contains itself where it does, with the path at which it closes. The
 * places around it must have their `table`. Returns MCP_EINVAL. */
enum mcp_err mcp_value_refuse_depth(struct mcp_value_writer *w,
                                    const struct mcp_place *at);

/* Writes the value at the top of the stack, which stays there. On errors the
 * stack may hold more. */
enum mcp_err mcp_value_write_any(struct mcp_value_writer *w,
                                 const struct mcp_place *at) MCP_MUST_USE;

/* Checks the key at index -2 of an object at `at`, writes it with its colon
 * and fills `child`. */
enum mcp_err mcp_value_write_key(struct mcp_value_writer *w,
                                 const struct mcp_place *at,
                                 struct mcp_place *child) MCP_MUST_USE;

/* Writes the list of pairs { name, schema } at `t` as an object. */
enum mcp_err mcp_value_write_pairs(struct mcp_value_writer *w,
                                   const struct mcp_place *at, int t,
                                   int count) MCP_MUST_USE;

/* Stack slots that the deepest value needs. */
enum { MCP_VALUE_STACK = 5 * (MCP_VALUE_MAX_DEPTH + 2) };

/* Runs a writer that has everything but marks on the value at `idx`, with
 * `role` for the root; puts stack and buffer right on errors. Raises when Lua
 * has no `stack` slots, and nothing later when `stack` is MCP_VALUE_STACK. */
enum mcp_err mcp_value_run(struct mcp_value_writer *w, int idx,
                           enum mcp_role role, int stack) MCP_MUST_USE;

#endif
