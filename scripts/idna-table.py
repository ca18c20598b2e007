#!/usr/bin/env python3
"""Writes src/base/format_idna_table.c: what IDNA 2008 asks of a code point.

Needs the Python package idna, which has the derived properties of RFC 5892;
everything else is Python's own Unicode database. Usage:
    scripts/idna-table.py > src/base/format_idna_table.c
"""
import unicodedata

from idna import idnadata

BIDI = ["L", "R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"]
RTL = [(0x590, 0x8FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFF),
       (0x10800, 0x10FFF), (0x1E800, 0x1EFFF)]


def ranges(packed):
    return [(r >> 32, r & 0xFFFFFFFF) for r in packed]


def bidi(cp):
    name = unicodedata.bidirectional(chr(cp))
    if name not in BIDI:
        name = "R" if any(a <= cp <= b for a, b in RTL) else "L"
    return BIDI.index(name)


def attributes(cp, joining):
    kind = chr(joining.get(cp, ord("U")))
    bits = bidi(cp)
    bits |= 0x10 if unicodedata.category(chr(cp))[0] == "M" else 0
    bits |= 0x20 if unicodedata.combining(chr(cp)) == 9 else 0
    bits |= 0x40 if kind in "LD" else 0
    bits |= 0x80 if kind in "RD" else 0
    bits |= 0x100 if kind == "T" else 0
    return bits


def runs():
    joining = idnadata.joining_types()
    points = []
    for name in ("PVALID", "CONTEXTJ", "CONTEXTO"):
        for first, end in ranges(idnadata.codepoint_classes[name]):
            points += [(cp, 0x200 if name != "PVALID" else 0)
                       for cp in range(first, end)]
    out = []
    for cp, context in sorted(points):
        bits = attributes(cp, joining) | context
        if out and out[-1][1] == cp and out[-1][2] == bits:
            out[-1][1] = cp + 1
        else:
            out.append([cp, cp + 1, bits])
    return out


HEAD = """/*
 * format_idna_table.c - code points that IDNA 2008 allows, generated
 *
 * Made by scripts/idna-table.py from the Unicode %s data of the Python
 * package idna. A run is its first code point << 10 | its attributes, and its
 * length; see format_idna.h for the attributes.
 *
 * Source: RFC 5892.
 */
#include "base/format_idna.h"

/* clang-format off */
const struct format_idna_run format_idna_runs[] = {"""


def main():
    print(HEAD % idnadata.__version__)
    line = ""
    for first, end, bits in runs():
        text = "{0x%x,%d}," % (first << 10 | bits, end - first)
        if len(line) + len(text) > 79:
            print(line)
            line = ""
        line += text
    print(line)
    print("};\n/* clang-format on */\n")
    print("const size_t format_idna_run_count =\n"
          "    sizeof(format_idna_runs) / sizeof(format_idna_runs[0]);")


main()
