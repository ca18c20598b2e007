#!/bin/sh
# check-banned.sh - calls that src/ may not make, with file and line
#
#   everywhere            sprintf vsprintf strcpy strcat strtok atoi atol gets
#                         localtime gmtime asctime ctime (their _r forms may)
#   outside base/, app/   malloc calloc realloc of the C library
#   outside app/          lua_* luaL_* and the Lua headers (cli/test*.[ch] may:
#                         `mcpluad test` runs the specs, which are Lua code of
#                         their own beside the app that they test)
#   outside main, cli/,   printf puts putchar, and fprintf to stdout or stderr
#   base/log
# Comments and string literals do not count. Exit not 0 when one is found.
cd "${1:-.}/src" || exit 2
find . -name '*.[ch]' | sed 's|^\./||' | sort | xargs -r awk '
function report(what) { print "src/" FILENAME ":" FNR ": banned: " what; bad = 1 }
function lua_allowed() { return FILENAME ~ /^(app\/|cli\/test(_[a-z]+)?\.[ch]$)/ }
function calls(names) { return code ~ ("(^|[^A-Za-z0-9_.>])(" names ")[ \t]*\\(") }
FNR == 1 { in_comment = 0 }
{
    code = ""; line = $0
    gsub(/\\\\/, "", line); gsub(/\\"/, "", line)
    gsub(/\047[^\047]*\047/, "0", line)
    if (line ~ /^#include/) {
        if (line ~ /<(lua|lauxlib|lualib|luajit)\.h>/ && !lua_allowed())
            report("a Lua header outside app/")
        next
    }
    while (line != "") {
        if (in_comment) {
            end = index(line, "*/")
            if (!end) break
            line = substr(line, end + 2); in_comment = 0
        } else if (match(line, /"[^"]*"|\/\*|\/\//)) {
            code = code substr(line, 1, RSTART - 1)
            found = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            if (found == "//") break
            if (found == "/*") in_comment = 1
        } else { code = code line; break }
    }
    if (calls("v?sprintf|str(cpy|cat|tok)|ato(i|l|ll|f)|gets"))
        report("unbounded or unchecked string call")
    if (calls("localtime|gmtime|asctime|ctime")) report("use the _r form")
    if (FILENAME !~ /^(base|app)\// && calls("malloc|calloc|realloc"))
        report("bare allocation outside base/ and app/")
    if (!lua_allowed() && calls("luaL?_[a-z]+"))
        report("Lua API outside app/")
    if (FILENAME !~ /^(main\.c|cli\/|base\/log\.c)/ &&
        (calls("printf|puts|putchar|perror") ||
         code ~ /(fprintf|fputs|fputc|fwrite)[ \t]*\(.*(stdout|stderr)/))
        report("output outside main, cli/ and base/log.c")
}
END { exit bad }'
