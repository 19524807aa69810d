// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::formats {

/// The row classes of a matrix: its different rows, when there are few of them, as in a constant stencil (in the
/// interior and at each kind of boundary).
///
/// Layout    Class c has values[c * offsets.size() + d] on diagonal d, and 0 where it has no entry; bit d of present[c]
///           tells both apart. Class 0 has the most entries.
template <class T>
struct ClassTable {
  /// Bits of a 64-bit word that remain beside a class number.
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

/// A matrix stored as the classes of its rows: beside the table almost nothing is stored.
///
/// Both spaces have the same interface (a is a CsrView in the memory of the space):
///   static std::optional<RowClasses> make(space, a, census)   nothing when the order of rows isn't regular enough
///   void apply(const Product<T>&) const
///   void apply_dot(const Product<T>&, const T* w, Slot<T> slot) const   the product and *slot = w . y; w may be y
///   bool update_values(a)             takes new values on the same pattern; allocates nothing that grows with the
///                                     matrix. False when the rows no longer fall into the classes: the object then
///                                     must not be used until it is built anew
///   std::size_t bytes() const
///
/// Requires  census.class_rows isn't empty, and there are at most ClassTable::max_diagonals diagonals.
/// Exec      The terms of a row are added in the order of its offsets.
template <class Space, class T>
class RowClasses;

}  // namespace ostinato::formats
