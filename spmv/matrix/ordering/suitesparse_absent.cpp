// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/ordering/minimum_degree.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

const bool has_minimum_degree = false;

std::vector<Index> minimum_degree(const Graph&) {
  throw ArgumentError("minimum_degree: this build has no SuiteSparse; take another order");
}

}  // namespace ostinato
