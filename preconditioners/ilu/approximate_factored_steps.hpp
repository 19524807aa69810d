// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The element-wise kernels of approximate_factored.hpp, on both spaces.

#include <cstddef>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// to[k] := from[k]. The sum counts elements that aren't finite then.
template <class V>
struct RoundElements {
  const double* from;
  V* to;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t k) const {
    to[k] = static_cast<V>(from[k]);
    return {{to[k] - to[k] == V{0} ? 0.0 : 1.0}};
  }
};

/// to[i] := scale[i] from[source[i]]; without a source from[i], without scales unscaled.
template <class From, class To>
struct MoveScaled {
  const From* from;
  const Index* source;
  const double* scale;
  To* to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const auto at = source != nullptr ? static_cast<std::size_t>(source[i]) : i;
    const double v = static_cast<double>(from[at]);
    to[i] = static_cast<To>(scale != nullptr ? scale[i] * v : v);
  }
};

}  // namespace ostinato::detail
