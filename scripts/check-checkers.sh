#!/bin/sh
# check-checkers.sh - check-layers.sh and check-banned.sh find planted faults
#
# Plants one fault at a time in an otherwise clean tree; each must be found,
# and the clean tree must pass. Exit 1 with the name of what went unnoticed.
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
bad=0

fresh() {
    rm -rf "$tree/src"
    mkdir -p "$tree/src/base" "$tree/src/app" "$tree/src/cli" "$tree/src/transport"
    echo '#include "base/buf.h"' >"$tree/src/base/buf.c"
    : >"$tree/src/base/buf.h"
    echo '#include "base/buf.h"' >"$tree/src/base/buf_part.h"
    echo '#include "base/buf_part.h"' >>"$tree/src/base/buf.c"
    printf '#include <lua.h>\n#include "embedded_lua.h"\n' >"$tree/src/app/pool.c"
    printf '#include <lua.h>\nlua_pop(L);\n' >"$tree/src/cli/test_host.c"
    printf '/* sprintf(a) */ snprintf(b); // gets(c)\n' >"$tree/src/transport/http.c"
    printf 'x->malloc(1); a = "strcpy(b)"; localtime_r(c);\n' >>"$tree/src/transport/http.c"
}

# passes|fails CHECKER WHAT
passes() { sh "$here/$1" "$tree" >/dev/null 2>&1 || { echo "$1 refuses $2"; bad=1; }; }
fails() { sh "$here/$1" "$tree" >/dev/null 2>&1 && { echo "$1 misses $2"; bad=1; }; fresh; }

fresh
passes check-layers.sh "a clean tree"
passes check-banned.sh "a clean tree"
echo '#include "app/pool.h"' >>"$tree/src/base/buf.h"
fails check-layers.sh "an upward include"
echo '#include "base/b.h"' >"$tree/src/base/a.h"
echo '#include "base/a.h"' >"$tree/src/base/b.h"
fails check-layers.sh "an include circle"
yes '' | head -n 601 >"$tree/src/base/long.c"
fails check-layers.sh "a file of 601 lines"
yes '' | head -n 600 >"$tree/src/base/long.c"
passes check-layers.sh "a file of 600 lines"
for call in 'sprintf(a)' 'strcpy (a)' 'strcat(a)' 'strtok(a)' 'atoi(a)' 'gets(a)' \
    'localtime(a)' 'gmtime(a)' 'p = malloc(1)' 'calloc(1)' 'lua_pop(L)' \
    'luaL_ref(L)' 'printf(a)' 'fprintf(stderr, a)' '*/ /* a */ realloc(a)'; do
    echo "$call;" >>"$tree/src/transport/http.c"
    fails check-banned.sh "$call"
done
echo '#include <lauxlib.h>' >>"$tree/src/transport/http.c"
fails check-banned.sh "a Lua header outside app/"
for file in cli/list.c cli/testing.c base/test.c; do
    printf '#include <lua.h>\n' >"$tree/src/$file"
    fails check-banned.sh "a Lua header in $file"
    echo 'lua_pop(L);' >"$tree/src/$file"
    fails check-banned.sh "a Lua call in $file"
done
exit $bad
