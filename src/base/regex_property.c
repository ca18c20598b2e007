/*
 * regex_property.c - ECMA-262 spells a property in exactly one or two ways
 *
 * General categories go to PCRE2 by their short name, scripts as "sc:" and
 * "scx:", binary properties as they are. Names are case-sensitive, as the
 * standard wants; PCRE2 itself decides which scripts exist.
 */
#include "base/regex_reader.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const char *const categories[][3] = {
    {"L", "Letter", "L"}, {"LC", "Cased_Letter", "L&"},
    {"Lu", "Uppercase_Letter", "Lu"}, {"Ll", "Lowercase_Letter", "Ll"},
    {"Lt", "Titlecase_Letter", "Lt"}, {"Lm", "Modifier_Letter", "Lm"},
    {"Lo", "Other_Letter", "Lo"}, {"M", "Mark", "M"},
    {"M", "Combining_Mark", "M"}, {"Mn", "Nonspacing_Mark", "Mn"},
    {"Mc", "Spacing_Mark", "Mc"}, {"Me", "Enclosing_Mark", "Me"},
    {"N", "Number", "N"}, {"Nd", "Decimal_Number", "Nd"},
    {"Nd", "digit", "Nd"}, {"Nl", "Letter_Number", "Nl"},
    {"No", "Other_Number", "No"}, {"P", "Punctuation", "P"},
    {"P", "punct", "P"}, {"Pc", "Connector_Punctuation", "Pc"},
    {"Pd", "Dash_Punctuation", "Pd"}, {"Ps", "Open_Punctuation", "Ps"},
    {"Pe", "Close_Punctuation", "Pe"}, {"Pi", "Initial_Punctuation", "Pi"},
    {"Pf", "Final_Punctuation", "Pf"}, {"Po", "Other_Punctuation", "Po"},
    {"S", "Symbol", "S"}, {"Sm", "Math_Symbol", "Sm"},
    {"Sc", "Currency_Symbol", "Sc"}, {"Sk", "Modifier_Symbol", "Sk"},
    {"So", "Other_Symbol", "So"}, {"Z", "Separator", "Z"},
    {"Zs", "Space_Separator", "Zs"}, {"Zl", "Line_Separator", "Zl"},
    {"Zp", "Paragraph_Separator", "Zp"}, {"C", "Other", "C"},
    {"Cc", "Control", "Cc"}, {"Cc", "cntrl", "Cc"}, {"Cf", "Format", "Cf"},
    {"Cs", "Surrogate", "Cs"}, {"Co", "Private_Use", "Co"},
    {"Cn", "Unassigned", "Cn"},
};

static const char *const binaries[] = {
    "ASCII", "ASCII_Hex_Digit", "AHex", "Alphabetic", "Alpha", "Any",
    "Bidi_Control", "Bidi_C", "Bidi_Mirrored", "Bidi_M", "Case_Ignorable",
    "CI", "Cased", "Changes_When_Casefolded", "CWCF",
    "Changes_When_Casemapped", "CWCM", "Changes_When_Lowercased", "CWL",
    "Changes_When_Titlecased", "CWT", "Changes_When_Uppercased", "CWU",
    "Dash", "Default_Ignorable_Code_Point", "DI", "Deprecated", "Dep",
    "Diacritic", "Dia", "Emoji", "Emoji_Component", "EComp",
    "Emoji_Modifier", "EMod", "Emoji_Modifier_Base", "EBase",
    "Emoji_Presentation", "EPres", "Extended_Pictographic", "ExtPict",
    "Extender", "Ext", "Grapheme_Base", "Gr_Base", "Grapheme_Extend",
    "Gr_Ext", "Hex_Digit", "Hex", "IDS_Binary_Operator", "IDSB",
    "IDS_Trinary_Operator", "IDST", "ID_Continue", "IDC", "ID_Start", "IDS",
    "Ideographic", "Ideo", "Join_Control", "Join_C",
    "Logical_Order_Exception", "LOE", "Lowercase", "Lower", "Math",
    "Noncharacter_Code_Point", "NChar", "Pattern_Syntax", "Pat_Syn",
    "Pattern_White_Space", "Pat_WS", "Quotation_Mark", "QMark", "Radical",
    "Regional_Indicator", "RI", "Sentence_Terminal", "STerm",
    "Soft_Dotted", "SD", "Terminal_Punctuation", "Term",
    "Unified_Ideograph", "UIdeo", "Uppercase", "Upper",
    "Variation_Selector", "VS", "White_Space", "space", "XID_Continue",
    "XIDC", "XID_Start", "XIDS",
};
/* clang-format on */

static bool is(const char *name, size_t len, const char *other)
{
    return strlen(other) == len && memcmp(name, other, len) == 0;
}

static const char *find_category(const char *name, size_t len)
{
    size_t i;

    for (i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
        if (is(name, len, categories[i][0]) || is(name, len, categories[i][1]))
            return categories[i][2];
    return NULL;
}

/* `name` behind "prefix=", or NULL. */
static const char *value_of(const char *name, size_t len, const char *prefix,
                            size_t *value_len)
{
    size_t n = strlen(prefix);

    if (len <= n + 1 || memcmp(name, prefix, n) != 0 || name[n] != '=')
        return NULL;
    *value_len = len - n - 1;
    return name + n + 1;
}

/* Scripts start with a capital and go on in lower case, parts joined by '_':
 * PCRE2 ignores case, ECMA-262 does not. */
static bool is_script_name(const char *name, size_t len)
{
    bool start = true;
    size_t i;

    for (i = 0; i < len; i++) {
        if (name[i] == '_')
            start = true;
        else if (start ? name[i] < 'A' || name[i] > 'Z'
                       : name[i] < 'a' || name[i] > 'z')
            return false;
        else
            start = false;
    }
    return len > 0 && len < 40 && !start;
}

static bool script(const char *name, size_t len, char *to, size_t to_size)
{
    static const char *const kinds[][2] = {{"Script", "sc"},
                                           {"sc", "sc"},
                                           {"Script_Extensions", "scx"},
                                           {"scx", "scx"}};
    const char *value;
    size_t i, n;

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        value = value_of(name, len, kinds[i][0], &n);
        if (value != NULL && is_script_name(value, n)) {
            (void)snprintf(to, to_size, "%s:%.*s", kinds[i][1], (int)n, value);
            return true;
        }
    }
    return false;
}

bool regex_property(const char *name, size_t len, char *to, size_t to_size)
{
    const char *category, *value;
    size_t i, n = len;

    value = value_of(name, len, "General_Category", &n);
    if (value == NULL)
        value = value_of(name, len, "gc", &n);
    category = find_category(value != NULL ? value : name, n);
    if (category != NULL) {
        (void)snprintf(to, to_size, "%s", category);
        return true;
    }
    if (value != NULL)
        return false;
    for (i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
        if (is(name, len, binaries[i])) {
            (void)snprintf(to, to_size, "%s", binaries[i]);
            return true;
        }
    }
    return script(name, len, to, to_size);
}
