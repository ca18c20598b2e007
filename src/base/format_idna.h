/*
 * format_idna.h - labels of internationalized host names
 *
 * Layer:  base. Private to src/base/format*.c.
 * Thread: any.
 * Source: RFC 5891 to 5893 (IDNA 2008), RFC 3492 (Punycode).
 */
#ifndef MCP_BASE_FORMAT_IDNA_H
#define MCP_BASE_FORMAT_IDNA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code points of a label, and bytes of its ASCII form. */
enum { FORMAT_LABEL_MAX = 63 };

/* Attributes of a run: the low four bits are a bidi class. */
enum {
    IDNA_L,
    IDNA_R,
    IDNA_AL,
    IDNA_AN,
    IDNA_EN,
    IDNA_ES,
    IDNA_CS,
    IDNA_ET,
    IDNA_ON,
    IDNA_BN,
    IDNA_NSM,
    IDNA_BIDI = 0xf,
    IDNA_MARK = 0x10,         /* cannot start a label        */
    IDNA_VIRAMA = 0x20,       /* lets a joiner follow        */
    IDNA_JOINS_NEXT = 0x40,   /* joining type L or D         */
    IDNA_JOINS_LAST = 0x80,   /* joining type R or D         */
    IDNA_TRANSPARENT = 0x100, /* joining type T              */
    IDNA_CONTEXT = 0x200,     /* allowed by a rule of context */
};

struct format_idna_run {
    uint32_t first; /* << 10 | attributes */
    uint32_t count;
};

extern const struct format_idna_run format_idna_runs[];
extern const size_t format_idna_run_count;

/* May these code points be a label (hyphens aside)? `*rtl` is set when there
 * is right-to-left text among them. */
bool format_idna_valid(const uint32_t *label, size_t count, bool *rtl);

/* Does the label follow the rule for names with right-to-left text? */
bool format_idna_bidi(const uint32_t *label, size_t count);

/* Punycode of an A-label behind "xn--" to at most FORMAT_LABEL_MAX code
 * points; the count, or 0 when it is malformed. */
size_t format_punycode_decode(const char *text, size_t len, uint32_t *to);

/* The Punycode of a label; its length, or 0 when it is longer than
 * FORMAT_LABEL_MAX bytes. */
size_t format_punycode_encode(const uint32_t *label, size_t count, char *to);

#endif
