/*
 * regex.h - ECMA-262 patterns (flag u) run by PCRE2 within limits
 *
 * A pattern is read by the grammar of ECMA-262, refused with a reason when it
 * breaks it, and rewritten to a PCRE2 pattern of the same meaning: \d \w are
 * ASCII, \s is ECMA's white space, $ is the very end, [^] is any character.
 * What PCRE2 cannot do (lookbehind of unlimited length) is refused too.
 *
 * Matching searches (it is not anchored), never takes more than the match
 * limit allows, and takes memory only from the arena of its scratch.
 *
 * Layer:  base. Uses base/arena, base/buf, base/err, PCRE2.
 * Thread: a compiled pattern is constant; a scratch belongs to one thread.
 * Source: ECMA-262 2024, 22.2.1.
 */
#ifndef MCP_BASE_REGEX_H
#define MCP_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

struct mcp_regex;

/* What matching needs, made at the first match and used again. Set `arena` and
 * leave the rest zero; it dies with the arena. */
struct mcp_regex_scratch {
    struct mcp_arena *arena;
    void *context, *match_context, *match_data;
    bool out_of_memory;
};

void mcp_regex_free(struct mcp_regex *re);

/* Compiles pattern[0..len), UTF-8, into `*out`, OWNED: mcp_regex_free(). On
 * MCP_EINVAL `message` says what is wrong and at which byte.
 * Errors: MCP_EINVAL, MCP_ENOMEM. */
enum mcp_err mcp_regex_compile(const char *pattern, size_t len,
                               struct mcp_regex **out, char *message,
                               size_t message_size) MCP_MUST_USE;

/* Does the pattern match somewhere in text[0..len), valid UTF-8? `limit`
 * bounds the tries, and with them the work (4 * limit steps of about 10 ns);
 * backtracking takes at most 8 MiB, which is some 60 000 turns of a repeated
 * group. `*work` (may be NULL) gets an estimate of the steps taken.
 * Errors: MCP_ELIMIT a limit was reached; MCP_ENOMEM the arena is full. */
enum mcp_err mcp_regex_match(const struct mcp_regex *re, const char *text,
                             size_t len, uint32_t limit,
                             struct mcp_regex_scratch *scratch, bool *matched,
                             uint64_t *work) MCP_MUST_USE;

/* Rewrites pattern[0..len) for PCRE2 into `out`, or only checks it when `out`
 * is NULL. On MCP_EINVAL `*reason` (static text) and `*offset` say why.
 * Errors: MCP_EINVAL; a failed `out` is the caller's to check. */
enum mcp_err mcp_regex_translate(const char *pattern, size_t len,
                                 struct mcp_buf *out, const char **reason,
                                 size_t *offset) MCP_MUST_USE;

#endif
