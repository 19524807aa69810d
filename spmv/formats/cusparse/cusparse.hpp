// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse_cost.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse_product.hpp>
#include <ostinato/spmv/formats/cusparse/vendor.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y by NVIDIA's cuSPARSE, with CSR and 32-bit row pointers: algorithm 1, cuSPARSE's default, or
/// algorithm 2, which cuts the work into parts with equally many entries. cuSPARSE is opened when the first of them is
/// built, or is the cheapest and `auto` asks whether it can be.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Traffic   (sizeof(T) + 4) nonzeros + 4 rows bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is read
///           once.
/// Exec      Cuda only. apply() is enqueued and allocates nothing. Two threads must not use one matrix at the same
///           time. NVIDIA promises the same bits on every run for ALG2; results of ALG1 may differ slightly from run to
///           run.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN. At most 2^31 - 1 entries: NVIDIA doesn't
///           document whether 64-bit offsets go with 32-bit columns.
template <class Space, class T, CusparseAlgorithm Algorithm>
class CusparseCsr {
  static constexpr bool first = Algorithm == CusparseAlgorithm::first;

 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = first ? "cusparse-alg1" : "cusparse-alg2";
  static constexpr std::string_view description = first
                                                      ? "cuSPARSE's compressed sparse rows, algorithm 1, preprocessed"
                                                      : "cuSPARSE's compressed sparse rows, algorithm 2, preprocessed";

  static Cost cost(const PlanInput& in) {
    constexpr CusparseSpeed speed =
        first ? CusparseSpeed{6.7e-6, 0.63, 0.72, 0.38, 0, 2} : CusparseSpeed{9.5e-6, 0.55, 0.60, 0.36, 0, 2};
    const auto entries = static_cast<double>(in.structure.nonzeros);
    Cost c = cusparse_cost<T>(in, speed, entries, entries, in.structure.rows + 1.0);
    c.reproducible = !first;  // bits of algorithm 1 vary with long rows (H200, CUDA 13.0)
    return c;
  }

  CusparseCsr(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput&)
      : product_(space, a.view(), Algorithm), matrix_(a) {}

  static std::string why_absent() { return why_no_cusparse(); }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    product_.apply(alpha, x.data(), beta, y.data());
  }

  void update_values(const SpaceCsr<Space, T>& a) {
    product_.update_values(a.view());
    matrix_ = a;
  }

  std::size_t bytes() const { return product_.bytes() + matrix_.view().col.size() * (sizeof(T) + sizeof(Index)); }

 private:
  CusparseProduct<Space, T> product_;
  SpaceCsr<Space, T> matrix_;  ///< whose columns and values cuSPARSE reads
};

template <class Space, class T>
using CusparseAlg1 = CusparseCsr<Space, T, CusparseAlgorithm::first>;
template <class Space, class T>
using CusparseAlg2 = CusparseCsr<Space, T, CusparseAlgorithm::second>;

}  // namespace ostinato::formats
