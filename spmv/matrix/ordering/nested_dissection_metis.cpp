// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <metis.h>

#include <limits>
#include <mutex>
#include <new>
#include <numeric>

#include <ostinato/spmv/matrix/ordering/nested_dissection.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

const bool has_nested_dissection = true;

std::vector<Index> nested_dissection(const Graph& g) {
  std::vector<Index> order(g.nodes());
  std::iota(order.begin(), order.end(), Index{0});
  if (g.col.empty()) return order;
  if (g.row_ptr.back() > std::numeric_limits<idx_t>::max())
    throw ArgumentError("nested_dissection: the graph has too many edges for METIS; take another order");
  std::vector<idx_t> ptr(g.row_ptr.begin(), g.row_ptr.end()), col(g.col.begin(), g.col.end());
  std::vector<idx_t> node(g.nodes()), place(g.nodes());
  idx_t nodes = static_cast<idx_t>(g.nodes());
  static std::mutex one_at_a_time;  // METIS draws from rand(), whose numbers threads would take from each other
  const std::lock_guard lock(one_at_a_time);
  const int status = METIS_NodeND(&nodes, ptr.data(), col.data(), nullptr, nullptr, node.data(), place.data());
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  if (status != METIS_OK) throw ArgumentError("nested_dissection: METIS can't order the graph; take another order");
  order.assign(node.begin(), node.end());
  return order;
}

}  // namespace ostinato
