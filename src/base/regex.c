/*
 * regex.c - two compiled forms of a pattern: a quick one and a guarded one
 *
 * PCRE2's match limit counts anew at each start position and does not see how
 * far a repeat scans, so on its own it bounds little: \d+$ on a million digits
 * takes minutes. The guarded form therefore has callouts, at the start and
 * behind each group and each repeat; every call adds the distance moved since
 * the last one to the work and stops the match when there was too much of it.
 * The quick form (JIT) is for short texts with a small limit; when it does not
 * come to an end, the guarded one decides.
 */
#include "base/regex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/regex_reader.h"

enum {
    QUICK_ANCHORED_BYTES = 128,
    QUICK_ANCHORED_LIMIT = 300,
    QUICK_SEARCH_BYTES = 32,
    QUICK_SEARCH_LIMIT = 50,
    HEAP_LIMIT_KIB = 8192,
    MAX_TRANSLATED_BYTES = 1 << 20,
    WORK_PER_TRY = 4, /* a step is 10 ns; a callout and its retry take 40 */
    BYTES_PER_STEP = 16,
};

struct mcp_regex {
    pcre2_code *quick;   /* may be JIT-compiled */
    pcre2_code *guarded; /* with callouts       */
    bool anchored;
    bool has_backreference;
};

/* One guarded match. */
struct guard {
    uint64_t work, max_work;
    uint64_t per_call;
    PCRE2_SIZE last;
};

void mcp_regex_free(struct mcp_regex *re)
{
    if (re == NULL)
        return;
    pcre2_code_free(re->quick);
    pcre2_code_free(re->guarded);
    free(re);
}

/* The source text of the quick or the guarded form, or a reason. */
static enum mcp_err translate(struct mcp_buf *out, const char *pattern,
                              size_t len, bool guarded, char *message,
                              size_t message_size)
{
    const char *reason;
    size_t offset;
    enum mcp_err err;

    err = regex_translate(pattern, len, out, guarded, &reason, &offset);
    if (err == MCP_EINVAL)
        (void)snprintf(message, message_size, "%s (at byte %zu)", reason,
                       offset);
    else if (err == MCP_OK && out->failed)
        err = MCP_ENOMEM;
    return err;
}

static enum mcp_err compile_form(const char *pattern, size_t len, bool guarded,
                                 pcre2_code **out, char *message,
                                 size_t message_size)
{
    struct mcp_buf text;
    enum mcp_err err;
    PCRE2_SIZE offset;
    int code;

    mcp_buf_init(&text, MAX_TRANSLATED_BYTES);
    err = translate(&text, pattern, len, guarded, message, message_size);
    if (err == MCP_OK) {
        *out =
            pcre2_compile((PCRE2_SPTR)(text.len > 0 ? text.data : ""), text.len,
                          PCRE2_UTF | PCRE2_NO_UTF_CHECK |
                              PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF,
                          &code, &offset, NULL);
        if (*out == NULL) {
            char why[120] = "refused";

            (void)pcre2_get_error_message(code, (PCRE2_UCHAR *)why,
                                          sizeof(why));
            (void)snprintf(message, message_size, "%s", why);
            err = code == PCRE2_ERROR_NOMEMORY ? MCP_ENOMEM : MCP_EINVAL;
        }
    }
    mcp_buf_free(&text);
    return err;
}

enum mcp_err mcp_regex_compile(const char *pattern, size_t len,
                               struct mcp_regex **out, char *message,
                               size_t message_size)
{
    struct mcp_regex *re = calloc(1, sizeof(*re));
    uint32_t options = 0, references = 0;
    enum mcp_err err;

    if (re == NULL)
        return MCP_ENOMEM;
    err = compile_form(pattern, len, false, &re->quick, message, message_size);
    if (err == MCP_OK)
        err = compile_form(pattern, len, true, &re->guarded, message,
                           message_size);
    if (err != MCP_OK) {
        mcp_regex_free(re);
        return err;
    }
    /* Without JIT the same code is interpreted: slower, not wrong. */
    (void)pcre2_jit_compile(re->quick, PCRE2_JIT_COMPLETE);
    (void)pcre2_pattern_info(re->quick, PCRE2_INFO_ALLOPTIONS, &options);
    (void)pcre2_pattern_info(re->quick, PCRE2_INFO_BACKREFMAX, &references);
    re->anchored = (options & PCRE2_ANCHORED) != 0;
    re->has_backreference = references > 0;
    *out = re;
    return MCP_OK;
}

enum mcp_err mcp_regex_translate(const char *pattern, size_t len,
                                 struct mcp_buf *out, const char **reason,
                                 size_t *offset)
{
    return regex_translate(pattern, len, out, false, reason, offset);
}

/* ---- matching ---- */

static void *scratch_alloc(PCRE2_SIZE size, void *data)
{
    struct mcp_regex_scratch *scratch = data;
    void *p = mcp_arena_alloc(scratch->arena, size);

    if (p == NULL)
        scratch->out_of_memory = true;
    return p;
}

static void scratch_free(void *p, void *data)
{
    (void)p;
    (void)data;
}

static bool prepare(struct mcp_regex_scratch *s)
{
    if (s->match_data != NULL)
        return true;
    s->context = pcre2_general_context_create(scratch_alloc, scratch_free, s);
    if (s->context == NULL)
        return false;
    s->match_context = pcre2_match_context_create(s->context);
    if (s->match_context == NULL)
        return false;
    pcre2_set_heap_limit(s->match_context, HEAP_LIMIT_KIB);
    s->match_data = pcre2_match_data_create(1, s->context);
    return s->match_data != NULL;
}

static int count_work(pcre2_callout_block *block, void *data)
{
    struct guard *g = data;
    PCRE2_SIZE now = block->current_position;
    PCRE2_SIZE moved = now > g->last ? now - g->last : g->last - now;

    g->last = now;
    g->work += g->per_call + moved / BYTES_PER_STEP;
    return g->work > g->max_work ? PCRE2_ERROR_MATCHLIMIT : 0;
}

static int match_quick(const struct mcp_regex *re, const char *text, size_t len,
                       struct mcp_regex_scratch *s)
{
    bool quick = len <= (re->anchored ? (size_t)QUICK_ANCHORED_BYTES
                                      : (size_t)QUICK_SEARCH_BYTES);

    if (!quick)
        return PCRE2_ERROR_MATCHLIMIT;
    pcre2_set_match_limit(s->match_context, re->anchored ? QUICK_ANCHORED_LIMIT
                                                         : QUICK_SEARCH_LIMIT);
    return pcre2_match(re->quick, (PCRE2_SPTR)text, len, 0, PCRE2_NO_UTF_CHECK,
                       s->match_data, s->match_context);
}

static int match_guarded(const struct mcp_regex *re, const char *text,
                         size_t len, uint32_t limit,
                         struct mcp_regex_scratch *s, uint64_t *work)
{
    struct guard g = {.max_work = (uint64_t)limit * WORK_PER_TRY,
                      .per_call = WORK_PER_TRY};
    int rc;

    if (re->has_backreference)
        g.per_call += len / BYTES_PER_STEP;
    pcre2_set_match_limit(s->match_context, limit);
    pcre2_set_callout(s->match_context, count_work, &g);
    rc = pcre2_match(re->guarded, (PCRE2_SPTR)text, len, 0, PCRE2_NO_UTF_CHECK,
                     s->match_data, s->match_context);
    pcre2_set_callout(s->match_context, NULL, NULL);
    *work += g.work;
    return rc;
}

enum mcp_err mcp_regex_match(const struct mcp_regex *re, const char *text,
                             size_t len, uint32_t limit,
                             struct mcp_regex_scratch *scratch, bool *matched,
                             uint64_t *work)
{
    uint64_t spent = 10 + len / BYTES_PER_STEP;
    int rc;

    if (!prepare(scratch))
        return MCP_ENOMEM;
    if (len == 0)
        text = "";
    rc = match_quick(re, text, len, scratch);
    if (rc < 0 && rc != PCRE2_ERROR_NOMATCH)
        rc = match_guarded(re, text, len, limit, scratch, &spent);
    if (work != NULL)
        *work = spent;
    if (rc < 0 && rc != PCRE2_ERROR_NOMATCH)
        return scratch->out_of_memory ? MCP_ENOMEM : MCP_ELIMIT;
    *matched = rc >= 0;
    return MCP_OK;
}
