/* features_common.h - a generation with given tools, prepared */
#ifndef FEATURES_COMMON_H
#define FEATURES_COMMON_H

#include <stddef.h>

#include "app/registry.h"
#include "features/prepare.h"
#include "features/prepared.h"

/* A builder with `tools` and the options of "name=value" pairs, ended by NULL;
 * its view is prepared. Free it by mcp_builder_free(). */
struct mcp_builder *prepared(const struct mcp_tool *tools, size_t count,
                             const char *const *options);

/* The same, expected to be refused by mcp_features_prepare(): its message,
 * BORROWED until the next call. */
const char *refused(const struct mcp_tool *tool);

#endif
