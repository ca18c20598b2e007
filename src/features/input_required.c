/*
 * input_required.c - see input_required.h
 */
#include "features/input_required.h"

#include "features/envelope.h"

void mcp_input_required_write(struct mcp_request *rq,
                              const struct mcp_outcome *o)
{
    struct mcp_buf *out = &rq->call->out;

    mcp_buf_puts(out, "{\"resultType\":\"input_required\"");
    if (o->content.len > 0) {
        mcp_buf_puts(out, ",\"inputRequests\":");
        mcp_buf_add(out, o->text.data + o->content.at, o->content.len);
    }
    if (o->state.len > 0) {
        mcp_buf_puts(out, ",\"requestState\":");
        mcp_json_write_string(out, o->text.data + o->state.at, o->state.len);
    }
    mcp_envelope_write_meta(out, rq->call, rq->gen, NULL, 0);
    mcp_buf_putc(out, '}');
}
