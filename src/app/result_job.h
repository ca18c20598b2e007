/*
 * result_job.h - how the results of a job's handler are to be written
 *
 * Layer:  app. Uses app/job, app/result.
 * Thread: any.
 */
#ifndef MCP_APP_RESULT_JOB_H
#define MCP_APP_RESULT_JOB_H

#include "app/job.h"
#include "app/result.h"

/* The texts are BORROWED from the job and its generation. */
struct mcp_result_options mcp_result_job_options(const struct mcp_job *job);

#endif
