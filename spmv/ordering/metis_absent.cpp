// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/ordering/graph_parts.hpp>
#include <ostinato/spmv/ordering/nested_dissection.hpp>

namespace ostinato {

const bool has_nested_dissection = false;
const bool has_graph_parts = false;

std::vector<Index> nested_dissection(const Graph&, const StopRequest&) {
  throw ArgumentError("nested_dissection: this build has no METIS; take another order");
}

std::vector<Index> graph_parts(const Graph&, int, const StopRequest&) {
  throw ArgumentError("graph_parts: this build has no METIS; take another partition");
}

}  // namespace ostinato
