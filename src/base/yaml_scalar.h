/*
 * yaml_scalar.h - what a plain scalar stands for
 *
 * Layer:  base. Private to src/base/yaml*.c. Uses base/json.
 * Thread: any.
 * Source: YAML 1.2.2, 10.3.2; YAML 1.1, 10.2 and the types of yaml.org/type.
 */
#ifndef MCP_BASE_YAML_SCALAR_H
#define MCP_BASE_YAML_SCALAR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

/* Reads the plain scalar text[0..len): null, a boolean, a number or else a
 * string, in `a`. Errors: MCP_EINVAL a number that JSON does not have,
 * `*reason` tells which (static); MCP_ENOMEM. */
enum mcp_err mcp_yaml_scalar_read(struct mcp_arena *a, const char *text,
                                  size_t len, struct mcp_json *out,
                                  const char **reason) MCP_MUST_USE;

/* What readers of YAML 1.1 take the plain scalar for, when it is not the same:
 * "false", "a date" ...; NULL when all agree. Static. */
const char *mcp_yaml_scalar_doubt(const char *text, size_t len);

#endif
