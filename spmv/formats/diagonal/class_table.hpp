// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::formats {

/// The different rows of a matrix that has few of them, as a constant stencil does: inside, and at each kind of
/// boundary.
///
/// Layout    Class c has value(c * offsets.size() + d) on diagonal d, 0 where it has none; bit d of present[c] tells
///           the two apart. Class 0 has the most entries.
template <class T>
struct ClassTable {
  /// More don't fit beside a class number in a word.
  static constexpr std::size_t max_diagonals = 56;

  Index rows = 0;
  Index cols = 0;
  std::vector<Index> offsets;  ///< ascending
  std::vector<std::uint64_t> present;
  std::vector<T> values;

  std::size_t classes() const { return present.size(); }
  std::size_t bytes() const {
    return offsets.size() * sizeof(Index) + present.size() * sizeof(std::uint64_t) + values.size() * sizeof(T);
  }
};

/// A matrix kept as the classes of its rows: besides the table, hardly anything is stored.
///
/// The same class for both spaces, as far as callers see (a is a CsrView in the memory of the space):
///   static std::optional<RowClasses> make(space, a, census)   nothing when the order of rows doesn't repeat enough
///   void apply(const Product<T>&) const
///   void apply_dot(const Product<T>&, const T* w, double* slot) const   and *slot = w . y; w may be y
///   bool update_values(a)             new values on the same pattern; allocates nothing that grows with the matrix.
///                                     False when the rows no longer fall into the classes: then it is of no use until
///                                     it is built anew
///   std::size_t bytes() const
///
/// Requires  census.class_rows isn't empty, and census.diagonals aren't more than ClassTable::max_diagonals.
/// Exec      A row's terms are added in the order of its offsets.
template <class Space, class T>
class RowClasses;

}  // namespace ostinato::formats
