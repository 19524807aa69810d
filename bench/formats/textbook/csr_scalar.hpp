// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <ostinato/bench/formats/textbook/csr_baseline.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y with compressed sparse rows and one thread per row: a baseline.
///
/// Exec      A thread adds up a row from the first entry to the last. On Cuda the loads of a warp aren't coalesced
///           unless rows are short, and the warp waits for the longest of its rows.
template <class Space, class T>
class CsrScalar : public CsrBaseline<Space, T> {
 public:
  static constexpr std::string_view name = "csr-scalar";
  static constexpr std::string_view description = "compressed sparse rows, a thread a row; a baseline";

  static Cost cost(const PlanInput& in) {
    return CsrScalar::baseline_cost(in, std::clamp(4 / std::max(in.structure.mean_row, 1.0), 0.15, 1.0), 1);
  }

  using CsrBaseline<Space, T>::CsrBaseline;

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    for_each(this->space_, y.size(), this->product(alpha, x, beta, y));
  }
};

}  // namespace ostinato::formats
