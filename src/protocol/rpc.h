/*
 * rpc.h - what kind of JSON-RPC message a JSON value is
 *
 * Layer:  protocol. Uses base/json.
 * Thread: any.
 * Source: JSON-RPC 2.0; MCP 2026-07-28, basic, "Messages".
 */
#ifndef MCP_PROTOCOL_RPC_H
#define MCP_PROTOCOL_RPC_H

#include "base/json.h"

enum mcp_message_kind {
    MCP_MESSAGE_REQUEST,
    MCP_MESSAGE_NOTIFICATION,
    MCP_MESSAGE_RESPONSE,
    MCP_MESSAGE_BAD,
};

/* All pointers are into the tree. */
struct mcp_message {
    enum mcp_message_kind kind;
    const struct mcp_json *tree;   /* the whole message                    */
    const struct mcp_json *id;     /* string or integer; NULL: none usable */
    const struct mcp_json *method; /* a string; NULL in a response         */
    const struct mcp_json *params; /* as sent; NULL: absent or null        */
    const struct mcp_json *meta;   /* params._meta when it is an object    */
    const char *problem;           /* MCP_MESSAGE_BAD: why, static         */
};

/* Reads the envelope. An id is a string or an integer literal: 1.0 and 1e2 are
 * refused, since no peer could match "the same" id that is spelled anew. */
void mcp_rpc_read(const struct mcp_json *tree, struct mcp_message *out);

/* The id of a message that was refused for duplicate keys: NULL unless it is
 * usable and was given exactly once. */
const struct mcp_json *mcp_rpc_sole_id(const struct mcp_json *tree);

#endif
