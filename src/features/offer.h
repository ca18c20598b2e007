/*
 * offer.h - what a generation has to offer, and how that is declared
 *
 * A method exists when what it is about does; a capability is declared when
 * its methods exist. Both are answered from here.
 *
 * Layer:  features. Uses app/registry, base/buf.
 * Thread: any.
 * Source: ServerCapabilities in the schema of each revision.
 */
#ifndef MCP_FEATURES_OFFER_H
#define MCP_FEATURES_OFFER_H

#include "app/registry.h"
#include "base/buf.h"

enum {
    MCP_OFFER_TOOLS = 1 << 0,
    MCP_OFFER_RESOURCES = 1 << 1, /* resources or templates                */
    MCP_OFFER_PROMPTS = 1 << 2,
    MCP_OFFER_COMPLETIONS = 1 << 3, /* of a prompt or a template           */
    MCP_OFFER_SKILLS = 1 << 8,      /* 2026-07-28: the extension            */
    MCP_OFFER_DIRECTORIES = 1 << 9, /* and its resources/directory/read     */
    MCP_OFFER_TASKS = 1 << 10,      /* the extension of the same revision   */
    MCP_OFFER_EXTENSIONS = MCP_OFFER_SKILLS | MCP_OFFER_TASKS, /* all that
                                                                  are one */
};

/* MCP_OFFER_* of all that `gen` has. */
unsigned mcp_offer_find(const struct mcp_generation *gen);

/* Writes the capabilities that go with `offers`, an object. */
void mcp_offer_write(struct mcp_buf *out, unsigned offers);

#endif
