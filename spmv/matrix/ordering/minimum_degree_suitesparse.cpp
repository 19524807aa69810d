// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/ordering/minimum_degree.hpp>

#include <suitesparse/amd.h>

#include <limits>
#include <new>
#include <numeric>

#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

const bool has_minimum_degree = true;

std::vector<Index> minimum_degree(const Graph& g) {
  if (g.col.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw ArgumentError("minimum_degree: the graph has too many edges for AMD; take another order");
  const std::vector<int> begin(g.row_ptr.begin(), g.row_ptr.end());
  std::vector<Index> order(g.nodes());
  std::iota(order.begin(), order.end(), Index{0});
  if (g.col.empty()) return order;
  const int status = amd_order(static_cast<int>(g.nodes()), begin.data(), g.col.data(), order.data(), nullptr, nullptr);
  if (status == AMD_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status < AMD_OK) throw ArgumentError("minimum_degree: AMD can't order the graph; take another order");
  return order;
}

}  // namespace ostinato
