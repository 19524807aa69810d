// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <metis.h>

#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/ordering/metis_call.hpp>
#include <ostinato/spmv/ordering/nested_dissection.hpp>

namespace ostinato {

const bool has_nested_dissection = true;

namespace {

/// The graph in METIS' integers.
struct Arrays {
  std::vector<idx_t> ptr, col;
};

std::vector<Index> ordered(Arrays& g) {
  idx_t nodes = static_cast<idx_t>(g.ptr.size()) - 1;
  std::vector<idx_t> node(g.ptr.size() - 1), place(node.size());
  const int status = METIS_NodeND(&nodes, g.ptr.data(), g.col.data(), nullptr, nullptr, node.data(), place.data());
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  if (status != METIS_OK) throw ArgumentError("nested_dissection: METIS can't order the graph; take another order");
  return {node.begin(), node.end()};
}

}  // namespace

std::vector<Index> nested_dissection(const Graph& g, const StopRequest& stop) {
  if (g.col.empty()) {
    std::vector<Index> order(g.nodes());
    std::iota(order.begin(), order.end(), Index{0});
    return order;
  }
  if (g.row_ptr.back() > std::numeric_limits<idx_t>::max())
    throw ArgumentError("nested_dissection: the graph has too many edges for METIS; take another order");
  Arrays arrays{{g.row_ptr.begin(), g.row_ptr.end()}, {g.col.begin(), g.col.end()}};
  return detail::call_metis(
      "nested_dissection", [a = std::move(arrays)]() mutable { return ordered(a); }, stop);
}

}  // namespace ostinato
