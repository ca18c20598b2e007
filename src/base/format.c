/*
 * format.c - names of the formats, their checks, their hints
 */
#include "base/format.h"

#include <string.h>

#include "base/regex.h"

/* clang-format off */
static const struct mcp_format formats[] = {
    {"date-time", mcp_format_date_time,
     "a date and time such as 2025-01-31T12:00:00Z"},
    {"date", mcp_format_date, "a date such as 2025-01-31"},
    {"time", mcp_format_time, "a time with zone such as 12:00:00Z"},
    {"duration", mcp_format_duration, "a duration such as P1DT12H"},
    {"email", mcp_format_email, "an e-mail address such as ann@example.com"},
    {"idn-email", mcp_format_idn_email,
     "an e-mail address such as ann@example.com"},
    {"hostname", mcp_format_hostname, "a host name such as www.example.com"},
    {"idn-hostname", mcp_format_idn_hostname,
     "a host name such as www.example.com"},
    {"ipv4", mcp_format_ipv4, "an IPv4 address such as 192.0.2.1"},
    {"ipv6", mcp_format_ipv6, "an IPv6 address such as 2001:db8::1"},
    {"uri", mcp_format_uri, "a URI such as https://example.com/a"},
    {"uri-reference", mcp_format_uri_reference,
     "a URI reference such as /a?b=c"},
    {"iri", mcp_format_iri, "an IRI such as https://example.com/a"},
    {"iri-reference", mcp_format_iri_reference,
     "an IRI reference such as /a?b=c"},
    {"uuid", mcp_format_uuid,
     "a UUID such as 123e4567-e89b-12d3-a456-426614174000"},
    {"uri-template", mcp_format_uri_template,
     "a URI template such as /users/{id}"},
    {"json-pointer", mcp_format_json_pointer, "a JSON pointer such as /a/0"},
    {"relative-json-pointer", mcp_format_relative_json_pointer,
     "a relative JSON pointer such as 1/a"},
    {"regex", mcp_format_regex, "a regular expression (ECMA-262)"},
};
/* clang-format on */

const struct mcp_format *mcp_format_find(const char *name, size_t len)
{
    size_t i;

    for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strlen(formats[i].name) == len &&
            memcmp(formats[i].name, name, len) == 0)
            return &formats[i];
    return NULL;
}

bool mcp_format_regex(const char *text, size_t len)
{
    const char *reason;
    size_t offset;

    return mcp_regex_translate(text, len, NULL, &reason, &offset) == MCP_OK;
}
