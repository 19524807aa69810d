// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/vector.hpp>

#include "padded_rows.hpp"

/// The padded matrix in device memory. Slot k * rows + i holds entry k of row i.
template <class T>
struct PaddedSlots {
  ostinato::Index rows, width;
  ostinato::Index* col;  ///< -1 where row i has no entry k
  T* val;
};

// Enqueue the kernels of padded_columns.cu on the stream of `space`.
template <class T>
void fill_slots(const ostinato::Cuda& space, const ostinato::CsrView<T>& a, const PaddedSlots<T>& slots);
template <class T>
void multiply_slots(const ostinato::Cuda& space, const PaddedSlots<T>& slots, T alpha, const T* x, T beta, T* y);

/// y := alpha A x + beta y on a GPU, with every row padded to the length of the longest (ELLPACK).
///
/// Shapes    A: rows x cols, W entries in the longest row.  x: cols.  y: rows.
/// Layout    See PaddedSlots: column by column, so that neighbouring threads read neighbouring words.
/// Traffic   (sizeof(T) + 4) W rows for A and sizeof(T) (rows + cols) for x and y, if x is read once.
/// Exec      One thread per row, enqueued.
/// Requires  x and y do not overlap. beta == 0 overwrites y, so y may hold NaN.
template <class T>
class PaddedColumns {
 public:
  using space_type = ostinato::Cuda;
  using value_type = T;
  static constexpr std::string_view name = "padded-columns";
  static constexpr std::string_view description = "rows padded to the longest, stored column by column";

  static ostinato::Cost cost(const ostinato::PlanInput& in) { return padded_cost(in, sizeof(T)); }

  PaddedColumns(const ostinato::Cuda& space, const ostinato::SpaceCsr<ostinato::Cuda, T>& a,
                const ostinato::PlanInput& in)
      : space_(space),
        col_(space, static_cast<std::size_t>(in.structure.longest_row) * static_cast<std::size_t>(in.structure.rows)),
        val_(space, col_.size()),
        slots_{in.structure.rows, in.structure.longest_row, col_.data(), val_.data()} {
    fill_slots(space, a.view(), slots_);
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    multiply_slots(space_, slots_, alpha, x.data(), beta, y.data());
  }

  std::size_t bytes() const { return col_.bytes() + val_.bytes(); }

 private:
  ostinato::Cuda space_;
  ostinato::Vector<ostinato::Cuda, ostinato::Index> col_;
  ostinato::Vector<ostinato::Cuda, T> val_;
  PaddedSlots<T> slots_;
};
