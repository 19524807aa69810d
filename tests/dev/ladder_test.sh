#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# .ci/ladder in a small repository: silent where all includes point down, and names each include that points up.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/small_repository.sh" ladder
mkdir -p spmv/matrix/io solvers

for _ in $(seq 100); do echo '#include <ostinato/spmv/space/host.hpp>'; done >solvers/cg.cpp
cat >spmv/matrix/csr.hpp <<'TEXT'
#include <vector>
#include "csr_pattern.hpp"
#include "io/../csr_pattern.hpp"
#include "../space/host.hpp"
#include "ostinato/spmv/space/index.hpp"
TEXT
expect "(silent)"

cat >spmv/matrix/io/text.hpp <<'TEXT'
#include <ostinato/solvers/cg.hpp>
#  include "ostinato/solvers/cg.hpp"
#include "../../analysis/structure.hpp"
#include "../.././../solvers/cg.hpp"
#include <ostinato/spmv/space/../formats/list.hpp>
TEXT
expect "spmv/matrix/io/text.hpp:1: solvers/cg.hpp is further up the ladder
spmv/matrix/io/text.hpp:2: solvers/cg.hpp is further up the ladder
spmv/matrix/io/text.hpp:3: spmv/analysis/structure.hpp is further up the ladder
spmv/matrix/io/text.hpp:4: solvers/cg.hpp is further up the ladder
spmv/matrix/io/text.hpp:5: spmv/formats/list.hpp is further up the ladder"

rm solvers/cg.cpp spmv/matrix/io/text.hpp
expect "only 4 includes found: the check itself is broken"

end_of_tests
