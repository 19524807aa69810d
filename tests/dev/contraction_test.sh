#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# contraction_test.sh LIBRARY: no function of real values has an instruction that fuses products beside each other with
# their sum and difference, which g++ 12 takes also with -ffp-contract=off: the bits would depend on the processor.
set -euo pipefail

command -v objdump >/dev/null || { echo "no objdump on this system"; exit 77; }
objdump --disassemble --no-show-raw-insn "$1" | grep -E '>:$|vfmaddsub|vfmsubadd' | awk '
  /^[0-9a-f]+ <.*>:$/ { function_name = $0; ++seen }
  /vfmaddsub|vfmsubadd/ && function_name !~ /St7complex/ { fused[function_name] = 1 }
  END {
    for (name in fused) print "fused: " name
    for (name in fused) exit 1
    if (seen < 100) { print "only " seen + 0 " functions found: the check itself is broken"; exit 1 }
  }'
