// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <ostinato/bench/formats/textbook/csr_baseline.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::formats {

/// Computes the product p with one warp per row. Enqueued.
template <class T>
void csr_vector_apply(const Cuda& space, const detail::CsrArrays<T>& a, const Product<T>& p);

/// y := alpha A x + beta y with compressed sparse rows and one warp per row: a baseline.
///
/// Exec      Cuda: the 32 lanes of a warp share a row, however short or long. Host has no warps: one thread takes a
///           row, as in csr-scalar.
template <class Space, class T>
class CsrVector : public CsrBaseline<Space, T> {
 public:
  static constexpr std::string_view name = "csr-vector";
  static constexpr std::string_view description = "compressed sparse rows, a warp a row; a baseline";

  static Cost cost(const PlanInput& in) {
    return CsrVector::baseline_cost(in, std::clamp(in.structure.mean_row / 32, 0.03, 1.0), 32);
  }

  using CsrBaseline<Space, T>::CsrBaseline;

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    const detail::PlainRow<T> row = this->product(alpha, x, beta, y);
    if constexpr (is_cuda<Space>) {
      csr_vector_apply(this->space_, row.a, row.p);
    } else {
      for_each(this->space_, y.size(), row);
    }
  }
};

}  // namespace ostinato::formats
