#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes the readers of files and the writer of reports with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer:
#   tests/fuzz/run.sh SECONDS [FUZZER...]        SECONDS for each; all of them by default
# As many fuzzers as OSTINATO_JOBS (by default the processors) run at once. Needs clang with libFuzzer (./dev fuzz
# installs it on Debian and Ubuntu), zlib, nlohmann-json and fmt. What is found and the logs lie in
# build/fuzz; a file that shows a defect goes into tests/fuzz/corpus, which CTest runs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export seconds="${1:?tests/fuzz/run.sh SECONDS [FUZZER...]}" out=build/fuzz
shift
fuzzers=("$@")
[ $# -gt 0 ] || fuzzers=(matrix_market options_file disk_cache kept_trials report)

mkdir -p "$out/include"
ln -sfn "$PWD" "$out/include/ostinato"

sources_of() {
  echo "tests/fuzz/$1_fuzz.cpp" tests/fuzz/serial_host.cpp spmv/space/memory.cpp spmv/base/{message,units}.cpp
  case "$1" in
    matrix_market) echo spmv/matrix/csr.cpp spmv/matrix/io/{entry,header,matrix_market,report,text,vector_file,write}.cpp ;;
    options_file) echo cli/options_file.cpp ;;
    disk_cache) echo spmv/base/disk_cache.cpp ;;
    kept_trials) echo spmv/base/disk_cache.cpp spmv/selection/{choice,trials}.cpp ;;
    report) echo cli/{amortisation,exit_code,json,solve_table,sparkline,table,text}.cpp cli/html/*.cpp \
      preconditioners/contract/memory_budget.cpp preconditioners/synonyms.cpp solvers/methods/bases.cpp solvers/{cause,options}.cpp strategy/examination_words.cpp spmv/base/row_numbers.cpp spmv/selection/search_engine.cpp spmv/matrix/io/text.cpp spmv/selection/choice.cpp ;;
  esac
}

object_of() { echo "$out/${1//\//_}.o"; }

compile() {
  local object newer=yes
  object="$(object_of "$1")"
  if [ -e "$object" ]; then newer="$(find "$1" cli preconditioners solvers spmv strategy tests/fuzz -newer "$object" \
    \( -name '*.hpp' -o -path "$1" \) -print -quit)"; fi
  [ -n "$newer" ] || return 0
  clang++ -std=c++20 -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
    -I "$out/include" -I . -I tests -c "$1" -o "$object"
}

# Runs a fuzzer; its log is shown once it has ended.
fuzz() {
  local objects=() source result=0 shown=6
  for source in $(sources_of "$1"); do objects+=("$(object_of "$source")"); done
  clang++ -fsanitize=fuzzer,address,undefined "${objects[@]}" -lz -lfmt -o "$out/$1"
  mkdir -p "$out/corpus/$1"
  "$out/$1" -max_total_time="$seconds" -max_len=4096 -timeout=10 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$out/$1-" "$out/corpus/$1" "tests/fuzz/corpus/$1" >"$out/$1.log" 2>&1 || result=$?
  [ "$result" -eq 0 ] || shown=60
  printf '\n=== %s: exit code %s\n%s\n' "$1" "$result" "$(tail -n "$shown" "$out/$1.log")"
  return "$result"
}

export -f sources_of object_of compile fuzz
# each FUNCTION: calls it for each line of the input, several at once; fails if a call fails.
each() { xargs -P "${OSTINATO_JOBS:-$(nproc)}" -I '{}' bash -euo pipefail -c "$1 '{}'"; }

for fuzzer in "${fuzzers[@]}"; do sources_of "$fuzzer"; done | tr ' ' '\n' | sort -u | each compile
printf '%s\n' "${fuzzers[@]}" | each fuzz
