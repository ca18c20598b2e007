/*
 * suggest.c - edit distance over three rows, given up when it cannot win
 */
#include "base/suggest.h"

#include <string.h>

/* Upper case to lower, '_' to '-'; bytes beyond ASCII are themselves. */
static unsigned char fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (unsigned char)(c - 'A' + 'a');
    return (unsigned char)(c == '_' ? '-' : c);
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;

    return m < c ? m : c;
}

/* The row of a[i - 1] from the two before it; returns its least cell. */
static size_t fill_row(size_t *row, const size_t *above, const size_t *above2,
                       const char *a, size_t i, const char *b, size_t b_len)
{
    size_t j, least;

    row[0] = least = i;
    for (j = 1; j <= b_len; j++) {
        size_t differ = fold(a[i - 1]) != fold(b[j - 1]);

        row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + differ);
        if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
            fold(a[i - 2]) == fold(b[j - 1]) && above2[j - 2] + 1 < row[j])
            row[j] = above2[j - 2] + 1;
        if (row[j] < least)
            least = row[j];
    }
    return least;
}

/* The distance of a and b when it is at most `limit`, else limit + 1. Both are
 * at most MCP_SUGGEST_MAX_NAME long. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len,
                       size_t limit)
{
    size_t rows[3][MCP_SUGGEST_MAX_NAME + 1] = {{0}};
    size_t i, j, d;

    if ((a_len > b_len ? a_len - b_len : b_len - a_len) > limit)
        return limit + 1;
    for (j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (i = 1; i <= a_len; i++)
        if (fill_row(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a, i, b,
                     b_len) > limit)
            return limit + 1;
    d = rows[a_len % 3][b_len];
    return d <= limit ? d : limit + 1;
}

static size_t most_edits(size_t len)
{
    return len <= 3 ? 1 : len <= 7 ? 2 : 3;
}

const char *mcp_suggest(const char *name, size_t len, const char *const *names,
                        size_t count)
{
    size_t limit = most_edits(len), i;
    const char *best = NULL;

    if (len == 0 || len > MCP_SUGGEST_MAX_NAME)
        return NULL;
    for (i = 0; i < count; i++) {
        size_t n = strlen(names[i]), d;

        if (n > MCP_SUGGEST_MAX_NAME)
            continue;
        d = distance(name, len, names[i], n, limit);
        /* All edits and nothing kept is no likeness: "a" is not "b". */
        if (d > limit || d >= (n > len ? n : len))
            continue;
        best = names[i];
        if (d == 0)
            break;
        limit = d - 1;
    }
    return best;
}
