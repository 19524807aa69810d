// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/formats/csr/csr_plan.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato::formats {

/// The cost of the format csr for values of `value_bytes` bytes.
Cost csr_cost(const PlanInput& in, std::size_t value_bytes);

/// y := alpha A x + beta y, with A in compressed sparse row form.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    As in ostinato::Csr, but row pointers take 4 bytes while the number of entries fits. Columns and
///           values are those of SpaceCsr::kept().
/// Traffic   (sizeof(T) + 4) nonzeros + 4 rows bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is read
///           once.
/// Exec      Host: threads take blocks of rows with about the same number of entries. Runs of short rows of equal
///           length are found once; their loop over the entries is unrolled. Cuda: a power of two of threads, chosen
///           from the row lengths, shares a row; much longer rows are cut into pieces, one for each thread block. The
///           order of additions is fixed by the matrix.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Source    Threads per row: Mukunoki & Takahashi, IPSJ SIG Technical Report 2013-HPC-138 No. 5.
template <class Space, class T>
class CsrFormat {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "csr";
  static constexpr std::string_view description = "compressed sparse rows; threads per row chosen from the row lengths";

  static Cost cost(const PlanInput& in) { return csr_cost(in, sizeof(T)); }

  CsrFormat(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in)
      : space_(space), a_(a.kept(space)), plan_(space, a_.view(), in.structure) {}

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    csr_apply(space_, plan_, a_.view(), alpha, x.data(), beta, y.data());
  }

  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, Slot<T> slot) const
      requires(is_cuda<Space>) {
    csr_apply_dot(space_, plan_, a_.view(), x.data(), y.data(), w.data(), slot);
  }

  void update_values(const SpaceCsr<Space, T>& a) { a_.take_values(space_, a); }

  const SpaceCsr<Space, T>& csr() const { return a_; }

  std::size_t bytes() const { return a_.view().val.size() * (sizeof(T) + sizeof(Index)) + plan_.bytes(); }

 private:
  Space space_;
  SpaceCsr<Space, T> a_;
  CsrPlan<Space> plan_;
};

}  // namespace ostinato::formats
