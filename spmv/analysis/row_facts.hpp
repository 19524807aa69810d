// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// What the entries of a row, other than zeros, are.
enum class RowKind : std::uint8_t {
  general,
  diagonal,  ///< one entry, on the diagonal: the row is an equation of its own
  zero,      ///< none
};

/// What the step before a solve asks of the rows of a square matrix.
template <class Space, class T>
struct RowFacts {
  Vector<Space, RowKind> kinds;
  Index diagonal_rows = 0, zero_rows = 0;
  /// ilogb of the largest absolute value of a row, over the rows that aren't zero: the smallest and the largest.
  int least_exponent = 0, largest_exponent = 0;
  /// There are general rows, and the entries of each of them add up to 0 but for rounding.
  bool sums_vanish = false;
  /// The largest |a(i, j) - a(j, i)|, relative to the smaller one of the largest absolute values of rows i and j. More
  /// than `most_asymmetry` where the search ended early, or the pattern isn't symmetric.
  double asymmetry = 0;

  bool is_nearly_symmetric() const { return asymmetry <= most_asymmetry; }
  int spread() const { return largest_exponent - least_exponent; }

  /// Values that differ by rounding, such as those of finite elements that were added up in another order.
  static constexpr double most_asymmetry = 256 * static_cast<double>(std::numeric_limits<T>::epsilon());
};

/// Traffic   Reads values and columns once, and 9 bytes a row more. Where the pattern is symmetric and the values
///           aren't, the mirror of each entry above the diagonal is searched, until one differs by more than rounding.
/// Exec      In parallel on the space. Waits for the result.
/// Requires  A square matrix with finite values, and its structure.
template <class Space, class T>
RowFacts<Space, T> row_facts(const Space& space, const CsrView<T>& a, const Structure& s);

}  // namespace ostinato
