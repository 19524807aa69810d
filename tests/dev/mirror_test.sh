#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# .ci/mirror in a small repository: silent where the tests mirror the sources, and names each test that doesn't.
set -euo pipefail

tests="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
command -v git >/dev/null || { echo "no git"; exit 77; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/.ci" "$work/solvers/methods" "$work/spmv/space" "$work/tests/solvers/methods" "$work/tests/spmv/space"
cp "$tests/../../.ci/mirror" "$work/.ci"
git -C "$work" -c init.defaultBranch=main init -q
cd "$work"
failures=0

# mirror WANTED: what the check prints.
mirror() {
  local got
  if got="$(.ci/mirror 2>&1)"; then got+="(silent)"; fi
  [ "$got" = "$1" ] && return 0
  printf 'FAILED:\n  wanted: %s\n  got:    %s\n' "$1" "$got"
  failures=$((failures + 1))
}

touch solvers/methods/cg.hpp solvers/methods/cg_steps.cu spmv/space/host.cpp
for k in $(seq 100); do touch "tests/solvers/methods/claim${k}_test.cpp"; done
touch tests/solvers/methods/cg_test.cpp tests/solvers/methods/cg_cuda_test.cpp tests/spmv/space/host_test.cpp
mirror "(silent)"

mkdir tests/solvers/others
touch tests/solvers/others/claim_test.cpp
mirror "tests/solvers/others/claim_test.cpp: there is no folder solvers/others"
rm tests/solvers/others/claim_test.cpp

touch tests/spmv/space/cg_test.cpp
mirror "tests/spmv/space/cg_test.cpp: cg is in solvers/methods "
rm tests/spmv/space/cg_test.cpp tests/solvers/methods/claim*

mirror "only 3 tests found: the check itself is broken"

if [ "$failures" -gt 0 ]; then exit 1; fi
echo "all passed"
