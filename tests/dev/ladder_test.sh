#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# .ci/ladder in a small repository: silent where all includes point down, and names each include that points up.
set -euo pipefail

tests="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
command -v git >/dev/null || { echo "no git"; exit 77; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/.ci" "$work/spmv/matrix/io" "$work/solvers/methods"
cp "$tests/../../.ci/ladder" "$work/.ci"
git -C "$work" -c init.defaultBranch=main init -q
cd "$work"
failures=0

# ladder WANTED: what the ladder prints.
ladder() {
  local got
  if got="$(.ci/ladder 2>&1)"; then got+="(silent)"; fi
  [ "$got" = "$1" ] && return 0
  printf 'FAILED:\n  wanted: %s\n  got:    %s\n' "$1" "$got"
  failures=$((failures + 1))
}

for _ in $(seq 100); do echo '#include <ostinato/spmv/space/host.hpp>'; done >solvers/methods/cg.cpp
cat >spmv/matrix/csr.hpp <<'TEXT'
#include <vector>
#include "csr_pattern.hpp"
#include "io/../csr_pattern.hpp"
#include "../space/host.hpp"
#include "ostinato/spmv/base/index.hpp"
TEXT
ladder "(silent)"

cat >spmv/matrix/io/text.hpp <<'TEXT'
#include <ostinato/solvers/methods/cg.hpp>
#  include "ostinato/solvers/methods/cg.hpp"
#include "../../analysis/structure.hpp"
#include "../.././../solvers/methods/cg.hpp"
#include <ostinato/spmv/space/../formats/list.hpp>
TEXT
ladder "spmv/matrix/io/text.hpp:1: solvers/methods/cg.hpp is further up the ladder
spmv/matrix/io/text.hpp:2: solvers/methods/cg.hpp is further up the ladder
spmv/matrix/io/text.hpp:3: spmv/analysis/structure.hpp is further up the ladder
spmv/matrix/io/text.hpp:4: solvers/methods/cg.hpp is further up the ladder
spmv/matrix/io/text.hpp:5: spmv/formats/list.hpp is further up the ladder"

rm solvers/methods/cg.cpp spmv/matrix/io/text.hpp
ladder "only 4 includes found: the check itself is broken"

if [ "$failures" -gt 0 ]; then exit 1; fi
echo "all passed"
