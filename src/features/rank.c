/*
 * rank.c - see rank.h
 */
#include "features/rank.h"

#include "base/json.h"

enum rank { BEGINS, HOLDS, HAS_IN_ORDER, RANKS };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool begins(const struct mcp_rank_value *v, size_t at, const char *typed,
                   size_t len)
{
    if (v->len - at < len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (lower(v->text[at + i]) != lower(typed[i]))
            return false;
    return true;
}

static bool holds(const struct mcp_rank_value *v, const char *typed, size_t len)
{
    for (size_t at = 0; at + len <= v->len; at++)
        if (begins(v, at, typed, len))
            return true;
    return false;
}

/* Bytes of the UTF-8 character that begins with `c`. */
static size_t char_bytes(char c)
{
    unsigned char u = (unsigned char)c;

    return u < 0xc0 ? 1 : u < 0xe0 ? 2 : u < 0xf0 ? 3 : 4;
}

static bool has_in_order(const struct mcp_rank_value *v, const char *typed,
                         size_t len)
{
    size_t done = 0;

    for (size_t at = 0; at < v->len && done < len;
         at += char_bytes(v->text[at])) {
        size_t n = char_bytes(typed[done]);

        if (done + n <= len && begins(v, at, typed + done, n))
            done += n;
    }
    return done >= len;
}

static enum rank rank_of(const struct mcp_rank_value *v, const char *typed,
                         size_t len)
{
    if (v->text == NULL)
        return RANKS;
    if (begins(v, 0, typed, len))
        return BEGINS;
    if (holds(v, typed, len))
        return HOLDS;
    return has_in_order(v, typed, len) ? HAS_IN_ORDER : RANKS;
}

void mcp_rank_write(struct mcp_buf *out, const char *typed, size_t len,
                    const struct mcp_rank_list *list)
{
    size_t total = 0;
    bool more;

    mcp_buf_puts(out, "{\"values\":[");
    for (int rank = BEGINS; rank < RANKS; rank++) {
        for (size_t i = 0; i < list->count; i++) {
            struct mcp_rank_value v = list->at(list->items, i);

            if ((int)rank_of(&v, typed, len) != rank ||
                total++ >= MCP_RANK_MAX_VALUES)
                continue;
            mcp_buf_puts(out, total > 1 ? "," : "");
            mcp_json_write_string(out, v.text, v.len);
        }
    }
    more = list->is_part || total > MCP_RANK_MAX_VALUES;
    mcp_buf_putc(out, ']');
    if (!list->is_part)
        mcp_buf_printf(out, ",\"total\":%zu", total);
    mcp_buf_printf(out, ",\"hasMore\":%s}", more ? "true" : "false");
}
