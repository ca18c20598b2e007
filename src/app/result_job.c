/*
 * result_job.c - see result_job.h
 */
#include "app/result_job.h"

struct mcp_result_options mcp_result_job_options(const struct mcp_job *job)
{
    const struct mcp_config *config = job->gen->config;
    struct mcp_result_options options = {
        .kind = job->handler->kind,
        .name = job->handler->name,
        .revision = job->call->revision,
        .output_tree = job->tool != NULL    ? job->tool->output_tree
                       : job->route != NULL ? job->route->signature.output_tree
                                            : NULL,
        .max_blob_bytes = (size_t)config->max_blob_bytes,
        .expose_errors = config->expose_errors,
        .uri = job->uri,
        .mime_type = job->resource != NULL ? job->resource->mime_type
                     : job->route != NULL  ? job->route->mime_type
                                           : NULL,
        .http_status = job->route != NULL ? job->route->status : 0,
        .instructions = job->prompt != NULL ? job->prompt->instructions : NULL,
    };

    if (job->resource != NULL && job->uri == NULL)
        options.uri = job->resource->uri;
    return options;
}
