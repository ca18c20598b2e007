/*
 * completions.c - which shell
 */
#include "cli/completions.h"

#include <string.h>

void mcp_completions_write(struct mcp_buf *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        mcp_completions_write_bash(out);
    else if (strcmp(shell, "zsh") == 0)
        mcp_completions_write_zsh(out);
    else
        mcp_completions_write_fish(out);
}
