/*
 * files.c - a list; a call has few files open
 */
#include "app/files.h"

#include <stdlib.h>

struct mcp_file {
    FILE *file;
    bool is_pipe;
};

bool mcp_files_add(struct mcp_files *files, FILE *file, bool is_pipe)
{
    if (files->count == files->room) {
        size_t room = files->room > 0 ? files->room * 2 : 8;
        struct mcp_file *items =
            realloc(files->items, room * sizeof(*files->items));

        if (items == NULL)
            return false;
        files->items = items;
        files->room = room;
    }
    files->items[files->count++] = (struct mcp_file){file, is_pipe};
    return true;
}

void mcp_files_drop(struct mcp_files *files, const FILE *file)
{
    size_t i;

    for (i = files->count; i-- > 0;)
        if (files->items[i].file == file) {
            files->items[i] = files->items[--files->count];
            return;
        }
}

void mcp_files_close(struct mcp_files *files)
{
    while (files->count > 0) {
        struct mcp_file last = files->items[--files->count];

        if (last.is_pipe)
            (void)pclose(last.file);
        else
            (void)fclose(last.file);
    }
    free(files->items);
    *files = (struct mcp_files){0};
}
