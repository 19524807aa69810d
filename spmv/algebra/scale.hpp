// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato {

/// val := the values of diag(left) A diag(right), in the order of the entries of A. An element is
/// (left[i] * a(i, j)) * right[j], rounded after each product.
///
/// Shapes    A: m x n, left: m or empty, right: n or empty, val: as many as entries, all in the memory of the space. An
///           empty span stands for the identity. val may be the values of A.
/// Traffic   Reads A and the diagonals once, and writes val.
/// Exec      Enqueued on Cuda. The same bits on every run, on either space.
/// Throws    DimensionError that names both lengths.
template <class Space, class T>
void scale(const Space& space, const CsrView<T>& a, std::span<const T> left, std::span<const T> right,
           std::span<T> val);

/// diag(left) A diag(right) in arrays of its own.
template <class Space, class T>
SpaceCsr<Space, T> scaled(const Space& space, const SpaceCsr<Space, T>& a, std::span<const T> left,
                          std::span<const T> right);

/// d[i] := a(i, i); 0 where A has no such entry.
///
/// Shapes    A: m x n, d: the smaller of m and n, in the memory of the space.
/// Traffic   A binary search in each row.
/// Exec      Enqueued on Cuda.
/// Throws    DimensionError for another length of d.
template <class Space, class T>
void diagonal(const Space& space, const CsrView<T>& a, std::span<T> d);

}  // namespace ostinato
