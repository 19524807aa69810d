// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/ordering/nested_dissection.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

const bool has_nested_dissection = false;

std::vector<Index> nested_dissection(const Graph&, const StopRequest&) {
  throw ArgumentError("nested_dissection: this build has no METIS; take another order");
}

}  // namespace ostinato
