// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/norms.hpp>

#include <limits>
#include <string>

#include <ostinato/spmv/algebra/norms_steps.hpp>
#include <ostinato/spmv/algebra/shapes.hpp>

namespace ostinato {

template <class Space, class T>
void row_norms(const Space& space, const CsrView<T>& a, std::span<double> norms) {
  if (norms.size() != static_cast<std::size_t>(a.rows))
    throw DimensionError("norms of rows: norms has " + std::to_string(norms.size()) + " elements, but the matrix is " +
                         detail::shape_of(a));
  for_each(space, norms.size(),
           detail::RowNorm<T>{detail::pattern_of(a), a.val.data(), norms.data(), std::numeric_limits<double>::max()});
}

}  // namespace ostinato
