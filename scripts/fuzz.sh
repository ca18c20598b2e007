#!/usr/bin/env bash
# fuzz.sh SECONDS [NAME...] - every fuzzer of build/fuzz, or those named
#
# Seeds come from tests/fuzz/corpus/NAME (never written to) and, for the JSON
# ones, from ../shared/suites/json-parsing when it is there; what a run finds
# stays in build/fuzz/corpus/NAME. A crash is left as build/fuzz/crash/NAME-*
# and belongs, once mended, into tests/fuzz/corpus/NAME.
# Prints one line a fuzzer; exit 1 if one of them crashed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1
shift
names=("$@")
if [ $# -eq 0 ]; then
  for program in build/fuzz/fuzz/fuzz_*; do
    [ -x "$program" ] && names+=("${program##*/fuzz_}")
  done
fi
mkdir -p build/fuzz/crash
bad=0
for name in "${names[@]}"; do
  program=build/fuzz/fuzz/fuzz_$name
  if [ ! -x "$program" ]; then
    echo "fuzz: no fuzzer '$name'" >&2
    exit 1
  fi
  found=build/fuzz/corpus/$name
  mkdir -p "$found"
  seeds=()
  [ ! -d "tests/fuzz/corpus/$name" ] || seeds+=("tests/fuzz/corpus/$name")
  case $name in
  *json*) [ ! -d ../shared/suites/json-parsing ] ||
    seeds+=(../shared/suites/json-parsing) ;;
  esac
  log=build/fuzz/$name.log
  if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/crash/$name-" \
    "$found" "${seeds[@]}" >"$log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "fuzz $name: ok, $runs runs"
  else
    bad=1
    tail -n 60 "$log"
    echo "fuzz $name: FAILED; log $log"
  fi
done
exit $bad
