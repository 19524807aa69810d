// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include <ostinato/spmv/algebra/rearrangement.hpp>

namespace ostinato {

/// Rows or columns of a matrix, in an order of their own, in the memory of the space; std::nullopt means all of them,
/// as they are.
using Places = std::optional<std::span<const Index>>;

/// The matrix A(rows, cols), as a plan that takes new values of A (update()): entry (i, j) is entry (rows[i], cols[j])
/// of A.
///
/// Shapes    A: m x n. rows: elements of 0 .. m - 1, which may repeat. cols: different elements of 0 .. n - 1.
///           result(): as many rows and columns as elements, with ascending columns.
/// Traffic   Reads the rows of A twice, and an element per entry from an array of n. Where cols don't ascend and a row
///           has more than 32 entries, two transposes sort the rows (MatrixTranspose).
/// Exec      The constructor waits on Cuda, and reads rows and cols only there. The same bits on every run, with any
///           number of threads, on either space. On Cuda a thread copies a row: a long row takes some 20 ns an entry.
/// Throws    ArgumentError for an element out of range or a repeated column; DeviceError; std::bad_alloc.
template <class Space, class T>
class Extraction : public Rearrangement<Space, T> {
 public:
  Extraction(const Space& space, const SpaceCsr<Space, T>& a, const Places& rows, const Places& cols);
};

/// A(rows, cols) in arrays of its own. As Extraction.
template <class Space, class T>
SpaceCsr<Space, T> extract(const Space& space, const SpaceCsr<Space, T>& a, const Places& rows, const Places& cols) {
  return Extraction<Space, T>(space, a, rows, cols).result();
}

/// A with permuted rows and columns, as a plan that takes new values: an Extraction that leaves nothing out. Row i is
/// row rows[i] of A, as in the orders of spmv/ordering.
///
/// Throws    Also DimensionError when an order is shorter or longer than its side of A, ArgumentError when rows repeat.
template <class Space, class T>
class Permutation : public Extraction<Space, T> {
 public:
  Permutation(const Space& space, const SpaceCsr<Space, T>& a, const Places& rows, const Places& cols);
};

/// The permuted matrix in arrays of its own. As Permutation.
template <class Space, class T>
SpaceCsr<Space, T> permute(const Space& space, const SpaceCsr<Space, T>& a, const Places& rows, const Places& cols) {
  return Permutation<Space, T>(space, a, rows, cols).result();
}

}  // namespace ostinato
