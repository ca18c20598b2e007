/*
 * format.h - the string formats that JSON Schema names
 *
 * Layer:  base. Uses base/json (UTF-8), base/regex.
 * Thread: any; nothing here allocates.
 * Source: JSON Schema 2020-12 validation, section 7.3.
 */
#ifndef MCP_BASE_FORMAT_H
#define MCP_BASE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is text[0..len), valid UTF-8, of the format? */
typedef bool mcp_format_fn(const char *text, size_t len);

struct mcp_format {
    const char *name;
    mcp_format_fn *check;
    const char *hint; /* "a date such as 2025-01-31" */
};

/* The format of this name, or NULL when the standard has none. */
const struct mcp_format *mcp_format_find(const char *name, size_t len);

/* The single checks, by file. format_time.c, RFC 3339: */
mcp_format_fn mcp_format_date, mcp_format_time, mcp_format_date_time,
    mcp_format_duration;
/* format_uri.c, RFC 3986, 3987, 6570, 4122, 6901: */
mcp_format_fn mcp_format_uri, mcp_format_uri_reference, mcp_format_iri,
    mcp_format_iri_reference, mcp_format_uri_template, mcp_format_uuid,
    mcp_format_json_pointer, mcp_format_relative_json_pointer;
/* format_host.c, RFC 1123, 5321, 6531, 5890, 2673, 4291: */
mcp_format_fn mcp_format_hostname, mcp_format_idn_hostname, mcp_format_email,
    mcp_format_idn_email, mcp_format_ipv4, mcp_format_ipv6;
/* format.c, ECMA-262: */
mcp_format_fn mcp_format_regex;

#endif
