// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <metis.h>

#include <limits>
#include <new>
#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/ordering/graph_parts.hpp>
#include <ostinato/spmv/ordering/metis_call.hpp>

namespace ostinato {

const bool has_graph_parts = true;

namespace {

/// The graph in METIS' integers, with the work of its nodes.
struct Arrays {
  std::vector<idx_t> ptr, col, work;
};

std::vector<Index> parted(Arrays& g, int parts) {
  idx_t nodes = static_cast<idx_t>(g.work.size()), constraints = 1, count = parts, cut = 0;
  std::vector<idx_t> part(g.work.size());
  const int status = METIS_PartGraphKway(&nodes, &constraints, g.ptr.data(), g.col.data(), g.work.data(), nullptr,
                                         nullptr, &count, nullptr, nullptr, nullptr, &cut, part.data());
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  if (status != METIS_OK) throw ArgumentError("graph_parts: METIS can't part the graph; take another partition");
  return {part.begin(), part.end()};
}

}  // namespace

std::vector<Index> graph_parts(const Graph& g, int parts, const StopRequest& stop) {
  constexpr idx_t of_row = 11;  // a row and its diagonal entry, as Partition::by_entries() counts
  if (parts <= 1 || g.nodes() == 0) return std::vector<Index>(g.nodes(), 0);
  if (g.row_ptr.back() > std::numeric_limits<idx_t>::max())
    throw ArgumentError("graph_parts: the graph has too many edges for METIS; take another partition");
  Arrays arrays{{g.row_ptr.begin(), g.row_ptr.end()}, {g.col.begin(), g.col.end()}, {}};
  for (std::size_t i = 0; i < g.nodes(); ++i) arrays.work.push_back(of_row + g.degree(i));
  return detail::call_metis(
      "graph_parts", [a = std::move(arrays), parts]() mutable { return parted(a, parts); }, stop);
}

}  // namespace ostinato
