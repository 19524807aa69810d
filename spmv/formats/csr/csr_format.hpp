// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <ostinato/spmv/formats/csr/csr_plan.hpp>
#include <ostinato/spmv/formats/format.hpp>

namespace ostinato::formats {

/// The cost of csr for values of so many bytes.
Cost csr_cost(const PlanInput& in, std::size_t value_bytes);

/// y := alpha A x + beta y, with A in compressed sparse row form.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    As in ostinato::Csr, but row pointers take 4 bytes while the entries fit. On Host, columns and values are
///           the caller's arrays (keep them alive); on Cuda they are the uploaded ones.
/// Traffic   (sizeof(T) + 4) nonzeros + 4 rows for A and sizeof(T) (rows + cols) for x and y, if x is read once.
/// Exec      Host: blocks of rows with about the same number of entries, spread statically; runs of short rows of equal
///           length are found once and have no inner loop. Cuda: a power of two of threads, chosen from the row
///           lengths, shares a row, and rows far longer than that are cut into pieces for whole blocks. The order of
///           additions is fixed by the matrix.
/// Requires  x and y do not overlap. beta == 0 overwrites y, so y may hold NaN.
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
      : space_(space), a_(a), plan_(space, a_.view(), in.structure) {}

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    csr_apply(space_, plan_, a_.view(), alpha, x.data(), beta, y.data());
  }

  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, double* slot) const
      requires(Space::on_device) {
    csr_apply_dot(space_, plan_, a_.view(), x.data(), y.data(), w.data(), slot);
  }

  void update_values(const SpaceCsr<Space, T>& a) { a_ = a; }

  std::size_t bytes() const { return a_.view().val.size() * (sizeof(T) + sizeof(Index)) + plan_.bytes(); }

 private:
  Space space_;
  SpaceCsr<Space, T> a_;
  CsrPlan<Space> plan_;
};

}  // namespace ostinato::formats
