// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

struct DiagonalCensus;
struct Profile;

/// What a matrix is, as far as the choice of a format, solver and preconditioner asks.
struct Structure {
  static constexpr Index max_listed_diagonals = 4096;
  static constexpr Offset many_diagonals = 64;

  Index rows = 0;
  Index cols = 0;
  Offset nonzeros = 0;         ///< stored entries, explicit zeros included
  Offset diagonals = 0;        ///< diagonals that hold an entry
  std::vector<Index> offsets;  ///< column - row of each of them, ascending; empty past max_listed_diagonals
  Index longest_row = 0;
  Index empty_rows = 0;
  double mean_row = 0;                           ///< entries a row
  double row_deviation = 0;                      ///< standard deviation of the entries a row
  bool pattern_symmetric = false;                ///< an entry at (i, j) has one at (j, i)
  bool symmetric = false;                        ///< and their values are equal
  Index missing_diagonal = 0;                    ///< rows without an entry on the main diagonal, or with 0 there
  bool positive_diagonal = false;                ///< every main diagonal entry is there and > 0
  bool constant_diagonal = false;                ///< every main diagonal entry is there and they are equal
  bool finite = true;                            ///< no NaN, no infinity
  std::shared_ptr<const DiagonalCensus> census;  ///< null when the diagonals would be of no use
  std::shared_ptr<const Profile> profile;        ///< never null after analyse()

  /// row_deviation without the longest row, which may be the only long one.
  double usual_deviation() const;
};

class Host;
class Cuda;

/// How much of a matrix is looked at.
enum class AnalysisDepth {
  full,
  /// Leaves out the census of diagonals that don't pay: more than `Structure::many_diagonals` when the matrix stays in a
  /// cache, where counting them takes longer than 100 products, or more than half empty ones in a single row piece.
  quick,
};

/// Looks at a matrix once.
///
/// Exec      Over rows, in parallel, where the matrix is: `a` is in the memory of `space`. Waits for the result.
/// Requires  Canonical rows (is_canonical).
/// Traffic   Reads the matrix once, and for each entry above the main diagonal searches the mirrored row (until one is
///           missing); then takes the census and the profile.
template <class T>
Structure analyse(const Host& space, const CsrView<T>& a, AnalysisDepth depth = AnalysisDepth::full);
template <class T>
Structure analyse(const Cuda& space, const CsrView<T>& a, AnalysisDepth depth = AnalysisDepth::full);

/// The census of the diagonals of a matrix with this structure; null when it would be mostly empty, or isn't worth taking
/// at this depth. Waits.
template <class Space, class T>
std::shared_ptr<const DiagonalCensus> census_of(const Space& space, const CsrView<T>& a, const Structure& s,
                                                AnalysisDepth depth);

}  // namespace ostinato
