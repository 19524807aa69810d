// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/csr.hpp>
#include <ostinato/spmv/cuda.hpp>

namespace ostinato::formats {

/// Diagonals as formats/dia.hpp stores them. `offsets` are in host memory, ascending; `values` in the memory of the
/// space.
template <class T>
struct DiaView {
  Index rows, cols;
  std::span<const Index> offsets;
  const T* values;
};

/// Zeroes `values` and puts the entries of `a`, which is on the device, in their places. False when an entry lies on none
/// of the diagonals. Waits for the answer.
template <class T>
bool dia_fill(const Cuda& space, const CsrView<T>& a, std::span<const Index> offsets, T* values);
template <class T>
void dia_apply(const Cuda& space, const DiaView<T>& a, T alpha, const T* x, T beta, T* y);
template <class T>
void dia_apply_dot(const Cuda& space, const DiaView<T>& a, const T* x, T* y, const T* w, double* slot);

}  // namespace ostinato::formats
