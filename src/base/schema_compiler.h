/*
 * schema_compiler.h - what the parts of the schema compiler share
 *
 * Private to src/base/schema*.c. Two passes: the index walks a document once
 * and notes where its subschemas, resources and anchors are; the compiler
 * then turns each subschema that is reached into a node, from a work list, so
 * neither recursion nor circles of references are a danger.
 *
 * Layer:  base. Uses base/schema_program.
 * Thread: one at a time.
 */
#ifndef MCP_BASE_SCHEMA_COMPILER_H
#define MCP_BASE_SCHEMA_COMPILER_H

#include "base/schema_program.h"
#include "base/schema_text.h"

/* Revisions of the standard as bits. */
enum {
    SCHEMA_07 = 1,
    SCHEMA_2019 = 2,
    SCHEMA_2020 = 4,
    SCHEMA_SINCE_2019 = SCHEMA_2019 | SCHEMA_2020,
    SCHEMA_UNTIL_2019 = SCHEMA_07 | SCHEMA_2019,
    SCHEMA_ALL = SCHEMA_07 | SCHEMA_2019 | SCHEMA_2020,
};

/* What a document's $schema says about how to read it. */
struct schema_dialect {
    uint8_t revision; /* one of the bits above */
    bool validates;   /* the validation vocabulary is in use */
    bool asserts_format;
};

/* A place during compiling: borrows from the document until a node needs it. */
struct schema_spot {
    struct schema_place place; /* .up is the place of `up` */
    struct schema_spot *up;
    const struct schema_place *copy; /* in the program, or NULL */
};

/* A schema resource: a document, or a part of one that has its own $id. */
struct schema_source {
    const char *uri; /* absolute where there is a base; no fragment */
    const struct mcp_json *json;
    struct schema_dialect dialect;
    bool entered; /* some node of it is compiled */
};

/* A subschema that is known: where it is and its node once compiled. */
struct schema_location {
    const struct mcp_json *json;
    struct schema_spot *spot;
    uint32_t source;
    struct schema_node *node;
    struct schema_location *next; /* of the schema itself, in its order */
};

struct schema_anchor_entry {
    uint32_t source;
    const char *name;
    uint32_t len;
    bool dynamic;
    const struct mcp_json *json;
    uint32_t next; /* same hash chain, index + 1 */
};

enum { SCHEMA_ANCHOR_BUCKETS = 256 };

struct schema_compiler {
    struct mcp_schema *schema; /* under construction */
    struct mcp_arena *program; /* its arena          */
    struct mcp_arena *scratch; /* dies when compiling ends */
    const struct mcp_schema_options *options;

    struct schema_source *sources;
    uint32_t source_count, source_cap;
    struct {
        const char *uri;
        uint32_t source;
    } * uris; /* every name of every source */
    uint32_t uri_count, uri_cap;
    const struct schema_spot *root_spot;  /* of the schema itself       */
    struct schema_location *first, *last; /* its subschemas, in a list  */
    struct schema_location **locations;   /* open addressing by json address */
    uint32_t location_count, location_cap;
    struct schema_anchor_entry *anchors;
    uint32_t anchor_count, anchor_cap;
    uint32_t anchor_buckets[SCHEMA_ANCHOR_BUCKETS]; /* index + 1 */

    struct schema_location **work; /* nodes to fill, in order of discovery */
    uint32_t work_count, work_cap, work_done;
    uint32_t max_subschemas;
    struct mcp_regex **regexes; /* go to the schema in the end */
    uint32_t regex_count, regex_cap;

    enum mcp_err err; /* the first error stays */
    char *message;
    size_t message_size;
};

/* Notes an error at `spot` + keyword (may be NULL): "/a/b/keyword: text".
 * Returns MCP_EINVAL. */
enum mcp_err schema_fail(struct schema_compiler *c,
                         const struct schema_spot *spot, const char *keyword,
                         const char *text);
/* The same for MCP_ELIMIT and MCP_ENOMEM. */
enum mcp_err schema_fail_limit(struct schema_compiler *c, const char *text);
enum mcp_err schema_fail_memory(struct schema_compiler *c);

/* Room for one more element of `size` bytes in an array of the scratch. */
bool schema_grow(struct schema_compiler *c, void *array, uint32_t count,
                 uint32_t *cap, size_t size) MCP_MUST_USE;

/* ---- schema_index.c ---- */

/* Adds a document under `uri` ("" for the schema itself) and all that is in
 * it. `*source` gets the resource of its root. */
enum mcp_err schema_index_document(struct schema_compiler *c,
                                   const struct mcp_json *json, const char *uri,
                                   uint32_t *source) MCP_MUST_USE;

/* Adds the subschema `json` of `source`, and what is in it, at `spot`. */
enum mcp_err schema_index_subschema(struct schema_compiler *c,
                                    const struct mcp_json *json,
                                    uint32_t source, struct schema_spot *spot,
                                    uint32_t depth) MCP_MUST_USE;

/* A link of a chain of places: a name, or an index when `text` is NULL. */
struct schema_spot *schema_spot_new(struct schema_compiler *c,
                                    struct schema_spot *up, const char *text,
                                    uint32_t len, uint32_t index);

struct schema_location *schema_find_location(const struct schema_compiler *c,
                                             const struct mcp_json *json);

/* ---- schema_resolve.c ---- */

/* The source that `uri` names, loading it when it is given but not yet
 * indexed. -1: there is none, or an error is noted. */
int64_t schema_find_source(struct schema_compiler *c, const char *uri);

/* The document behind an absolute URI, without indexing it; or NULL. */
const struct mcp_json *schema_find_document(struct schema_compiler *c,
                                            const char *uri);

const struct schema_anchor_entry *
schema_find_anchor(const struct schema_compiler *c, uint32_t source,
                   const char *name, size_t len);

/* Adds an anchor. */
bool schema_add_anchor(struct schema_compiler *c, uint32_t source,
                       const struct mcp_json *name, size_t skip, bool dynamic,
                       const struct mcp_json *json) MCP_MUST_USE;

/* What `ref`, standing at `spot` in `source`, points to. `*anchor` gets the
 * anchor it named, or NULL when it was a pointer. NULL: the error is noted. */
struct schema_location *
schema_resolve(struct schema_compiler *c, uint32_t source,
               const struct schema_spot *spot, const char *keyword,
               const struct mcp_json *ref,
               const struct schema_anchor_entry **anchor);

/* Reads $schema (may be NULL) into `*dialect`, which holds the default. */
enum mcp_err schema_read_dialect(struct schema_compiler *c,
                                 const struct mcp_json *uri,
                                 const struct schema_spot *spot,
                                 struct schema_dialect *dialect) MCP_MUST_USE;

/* ---- schema_meta.c ---- */

/* The text of a meta-schema of the standard, or NULL. */
const char *schema_meta_text(const char *uri);

/* ---- schema_compile.c ---- */

/* The node of a subschema; its operations are filled in later. NULL: the error
 * is noted. */
const struct schema_node *schema_node_of(struct schema_compiler *c,
                                         struct schema_location *at);

/* MCP_EINVAL when some node applies itself to the same value. */
enum mcp_err schema_check_circles(struct schema_compiler *c) MCP_MUST_USE;

/* A deep copy of a value in the program. NULL: the error is noted. */
const struct mcp_json *schema_copy_value(struct schema_compiler *c,
                                         const struct mcp_json *v);

/* The number of a dynamic anchor's name. Reads only c->anchors. */
uint32_t schema_anchor_number(struct schema_compiler *c, const char *name,
                              size_t len);

/* ---- keywords ---- */

/* One subschema while its operations are collected. */
struct schema_build {
    struct schema_compiler *c;
    const struct schema_location *at;
    const struct mcp_json *json; /* the schema object */
    struct schema_dialect dialect;
    struct schema_node *node;
    struct schema_op *ops; /* room for one per member, and some */
    uint32_t count;
    bool object_done, items_done;
};

struct schema_keyword;

/* Turns one keyword into operations. `v` is its value. */
typedef enum mcp_err schema_keyword_fn(struct schema_build *b,
                                       const struct schema_keyword *k,
                                       const struct mcp_json *v);

/* What stands under a keyword, for the index. */
enum schema_shape {
    SCHEMA_VALUE,        /* no subschemas          */
    SCHEMA_ONE,          /* a schema               */
    SCHEMA_LIST,         /* an array of schemas    */
    SCHEMA_MAP,          /* an object of schemas   */
    SCHEMA_ONE_OR_LIST,  /* items before 2020      */
    SCHEMA_MAP_OR_NAMES, /* dependencies           */
};

struct schema_keyword {
    const char *name;
    uint8_t revisions;
    uint8_t shape;
    bool validation; /* belongs to the validation vocabulary */
    uint8_t op;
    uint8_t types;
    schema_keyword_fn *compile; /* NULL: nothing to check */
};

/* The keyword in this revision, or NULL. */
const struct schema_keyword *schema_keyword_find(const struct mcp_json *name,
                                                 uint8_t revision);

/* Appends an operation; never fails, there is room. */
struct schema_op *schema_add_op(struct schema_build *b,
                                const struct schema_keyword *k);

/* Notes an error at the keyword. */
enum mcp_err schema_bad_keyword(struct schema_build *b, const char *keyword,
                                const char *text);

/* A whole number, 0 or more. */
bool schema_read_count(const struct mcp_json *v, uint64_t *count);

/* Compiles a pattern. NULL: the error is noted. */
const struct mcp_regex *schema_compile_regex(struct schema_build *b,
                                             const char *keyword,
                                             const struct mcp_json *pattern);

schema_keyword_fn schema_kw_ref, schema_kw_dynamic_ref, schema_kw_recursive_ref,
    schema_kw_name, schema_kw_held, schema_kw_list, schema_kw_one, schema_kw_if,
    schema_kw_object, schema_kw_items, schema_kw_contains,
    schema_kw_dependencies, schema_kw_type, schema_kw_enum, schema_kw_const,
    schema_kw_number, schema_kw_count, schema_kw_unique, schema_kw_pattern,
    schema_kw_format, schema_kw_bound;

#endif
