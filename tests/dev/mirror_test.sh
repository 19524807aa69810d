#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# .ci/mirror in a small repository: silent where the tests mirror the sources, and names each test that doesn't.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/small_repository.sh" mirror
mkdir -p solvers/methods spmv/space tests/solvers/methods tests/spmv/space

touch solvers/methods/cg.hpp solvers/methods/cg_steps.cu spmv/space/host.cpp
for k in $(seq 100); do touch "tests/solvers/methods/claim${k}_test.cpp"; done
touch tests/solvers/methods/cg_test.cpp tests/solvers/methods/cg_cuda_test.cpp tests/spmv/space/host_test.cpp
expect "(silent)"

mkdir tests/solvers/others
touch tests/solvers/others/claim_test.cpp
expect "tests/solvers/others/claim_test.cpp: there is no folder solvers/others"
rm tests/solvers/others/claim_test.cpp

touch tests/spmv/space/cg_test.cpp
expect "tests/spmv/space/cg_test.cpp: cg is in solvers/methods "
rm tests/spmv/space/cg_test.cpp tests/solvers/methods/claim*

expect "only 3 tests found: the check itself is broken"

end_of_tests
