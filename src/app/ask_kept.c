/*
 * ask_kept.c - see ask_kept.h
 */
#include "app/ask_kept.h"

#include "app/ask.h"

bool mcp_ask_kept_open(struct mcp_job *job)
{
    return mcp_ask_open(job);
}

void mcp_ask_kept_write(const struct mcp_job *job, struct mcp_buf *out)
{
    static const struct mcp_ask none = {0};

    mcp_ask_write_state(out, job->ask != NULL ? job->ask : &none);
}

/* The members of `keys` are in use. */
static enum mcp_err take_keys(struct mcp_job *job, const struct mcp_json *keys)
{
    static const struct mcp_json yes = {.type = MCP_JSON_TRUE};

    for (uint32_t i = 0; keys != NULL && i < keys->count; i++) {
        const struct mcp_json *key = &keys->u.members[i].key;

        if (!mcp_ask_keep(job, &job->ask->issued, key->u.text, key->count,
                          &yes))
            return MCP_ENOMEM;
    }
    return MCP_OK;
}

enum mcp_err mcp_ask_kept_read(struct mcp_job *job,
                               const struct mcp_json *state,
                               const struct mcp_json *answers,
                               const struct mcp_json *keys)
{
    job->ask = NULL;
    if (mcp_ask_of(job) == NULL)
        return MCP_ENOMEM;
    if (state != NULL && mcp_ask_take_state(job, state, 0) != NULL)
        return MCP_EINVAL;
    if (!mcp_json_is(answers, MCP_JSON_OBJECT))
        answers = NULL;
    if (answers != NULL && answers->count > 0)
        job->ask->responses = answers;
    return take_keys(job, mcp_json_is(keys, MCP_JSON_OBJECT) ? keys : NULL);
}
