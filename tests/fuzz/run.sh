#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes the readers with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer:
#   tests/fuzz/run.sh SECONDS [FUZZER...]        SECONDS for each; all of them by default
# Needs clang with libFuzzer (Debian: clang), zlib, nlohmann-json and fmt, but no Kokkos. What is found lies in
# build/fuzz; a file that shows a defect goes into tests/fuzz/corpus, which CTest runs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds="${1:?tests/fuzz/run.sh SECONDS [FUZZER...]}"
shift
fuzzers=("$@")
[ $# -gt 0 ] || fuzzers=(matrix_market options_file disk_cache kept_trials)

out=build/fuzz
mkdir -p "$out/include"
ln -sfn "$PWD" "$out/include/ostinato"
flags=(-std=c++20 -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
  -I "$out/include" -I . -I tests)

sources_of() {
  echo "tests/fuzz/$1_fuzz.cpp" tests/fuzz/serial_host.cpp spmv/space/{memory,units}.cpp
  case "$1" in
    matrix_market) echo spmv/matrix/csr.cpp spmv/matrix/io/{entry,header,matrix_market,report,text,write}.cpp ;;
    options_file) echo cli/options_file.cpp ;;
    report) echo cli/{amortisation,json,text}.cpp solvers/options.cpp spmv/matrix/io/text.cpp ;;
    disk_cache) echo spmv/jit/disk_cache.cpp ;;
    kept_trials) echo spmv/jit/disk_cache.cpp spmv/selection/{choice,trials}.cpp ;;
  esac
}

build() {
  local objects=()
  for source in $(sources_of "$1"); do
    local object="$out/${source//\//_}.o"
    if [ ! -e "$object" ] || [ -n "$(find cli spmv tests/fuzz -newer "$object" -name '*.[ch]pp' -print -quit)" ]; then
      clang++ "${flags[@]}" -c "$source" -o "$object"
    fi
    objects+=("$object")
  done
  clang++ -fsanitize=fuzzer,address,undefined "${objects[@]}" -lz -lfmt -o "$out/$1"
}

for fuzzer in "${fuzzers[@]}"; do
  build "$fuzzer"
  mkdir -p "$out/corpus/$fuzzer"
  printf '\n=== %s\n' "$fuzzer"
  "$out/$fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=10 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$out/$fuzzer-" "$out/corpus/$fuzzer" "tests/fuzz/corpus/$fuzzer"
done
