/*
 * annotation.c - see annotation.h
 */
#include "app/annotation.h"

#include <string.h>

#include "base/suggest.h"

enum { HINTS = 5 };

static const char *const hints[HINTS] = {"title", "readOnlyHint",
                                         "destructiveHint", "idempotentHint",
                                         "openWorldHint"};
/* What people write instead, in the same order. */
static const char *const stems[HINTS] = {"title", "readOnly", "destructive",
                                         "idempotent", "openWorld"};

const char *mcp_annotation_meant(const char *name, size_t len)
{
    const char *near = mcp_suggest(name, len, hints, HINTS);

    for (size_t i = 0; i < HINTS; i++)
        if (strlen(hints[i]) == len && memcmp(hints[i], name, len) == 0)
            return NULL;
    if (near != NULL)
        return near;
    near = mcp_suggest(name, len, stems, HINTS);
    for (size_t i = 0; i < HINTS && near != NULL; i++)
        if (near == stems[i])
            return hints[i];
    return NULL;
}
