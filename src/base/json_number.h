/*
 * json_number.h - exact arithmetic on the text of JSON numbers
 *
 * A double cannot tell 9007199254740993 from its neighbour, nor 1e400 from
 * 1e500. What a schema or an id asks about a number is therefore answered from
 * its decimal text: sign, digits, exponent. The work is linear in the length of
 * the texts; an exponent is never expanded into zeros.
 *
 * Layer:  base. Uses base/json.
 * Thread: any.
 */
#ifndef MCP_BASE_JSON_NUMBER_H
#define MCP_BASE_JSON_NUMBER_H

#include <stdbool.h>

#include "base/json.h"

/* All functions take values of type MCP_JSON_NUMBER whose text follows the
 * grammar of RFC 8259; mcp_json_parse() makes no others. */

/* Less than 0, 0 or greater than 0 as the value of `a` is below, equal to or
 * above the value of `b`. Exact for texts of any length and any exponent. */
int mcp_json_number_compare(const struct mcp_json *a, const struct mcp_json *b);

/* Is the value a whole number? True for 1, 1.0, 1e3, 1e400, 0.0; exact. */
bool mcp_json_number_is_integer(const struct mcp_json *v);

/* Is `v` = n * `divisor` for a whole n? Signs do not matter, 0 is a multiple
 * of everything, and nothing but 0 is a multiple of 0. Exact when `divisor`
 * has at most 37 significant digits (between its first and its last digit that
 * is not 0), whatever the exponents and the length of `v`. With more digits
 * only 0 and +-`divisor` count as multiples; anything else is false. */
bool mcp_json_number_is_multiple_of(const struct mcp_json *v,
                                    const struct mcp_json *divisor);

/* Can a double stand for the value? False when it is a whole number that a
 * double cannot hold exactly (2^53 + 1), or beyond the range of a double;
 * fractions are rounded as everywhere and yield true. */
bool mcp_json_number_exact_double(const struct mcp_json *v);

/* Reads the number that starts at `*p`, a '-' or a digit, and fills `out`.
 * `*p` moves behind it. False: no JSON number, and `*p` is at the byte that
 * spoils it (`end` when something is missing). Locale does not matter.
 * Source: RFC 8259, section 6. */
bool mcp_json_number_parse(const char **p, const char *end,
                           struct mcp_json *out);

#endif
