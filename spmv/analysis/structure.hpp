// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <ostinato/spmv/analysis/facts.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

struct DiagonalCensus;
struct Profile;

/// Properties of a matrix that the choice of a format, solver and preconditioner needs.
struct Structure : Facts {
  static constexpr Index max_listed_diagonals = 4096;
  static constexpr Offset many_diagonals = 64;

  Offset diagonals = 0;            ///< diagonals that hold an entry
  std::vector<Index> offsets;      ///< column - row of these diagonals, ascending; empty past max_listed_diagonals
  Index farthest = 0;              ///< max |column - row|
  double row_deviation = 0;        ///< standard deviation of the entries per row
  bool pattern_symmetric = false;  ///< each entry (i, j) has a mirror entry (j, i); false where nobody looked
  bool constant_diagonal = false;  ///< every main diagonal entry exists, and all are equal
  bool lengths_only = false;       ///< AnalysisDepth::lengths: other facts aren't known
  std::shared_ptr<const DiagonalCensus> census;  ///< null when the census was skipped (takes_census())
  std::shared_ptr<const Profile> profile;        ///< never null after analyse()

  /// row_deviation without the longest row, because one very long row would dominate the deviation.
  double deviation_without_longest_row() const;
};

class Host;
class Cuda;

/// How thoroughly a matrix is analysed.
enum class AnalysisDepth {
  full,
  without_census,  ///< Skips the census of diagonals.
  /// For a matrix that is only multiplied with: as without_census. Mirror entries aren't searched, so that the matrix
  /// counts as not symmetric; nor are equal values, so that the profile has none.
  product,
  /// For a matrix that isn't worth a choice of its format (choose_csr()): the lengths of its rows, its norm, and from
  /// that whether values are finite. The matrix counts as not symmetric, and the profile is empty. A choice among
  /// several formats analyses the matrix anew.
  lengths,
  /// Skips the census of diagonals in two cases. First, the matrix has more than `Structure::many_diagonals` diagonals
  /// and stays in a cache; the census would take longer than 100 products. Second, the matrix has a single row piece,
  /// and the diagonals are more than half empty.
  quick,
};

/// Analyses a matrix: computes its Structure.
///
/// Exec      In parallel on the space, in whose memory the arrays of `a` are; on spaces other than Host and Cuda, of a
///           copy in host memory. Waits for the result.
/// Requires  Canonical rows (is_canonical).
/// Traffic   Reads the matrix once. Searches the mirror entry of each entry above the main diagonal, until one mirror
///           entry is missing. Then takes the census and the profile.
template <class T>
Structure analyse(const Host& space, const CsrView<T>& a, AnalysisDepth depth = AnalysisDepth::full);
template <class T>
Structure analyse(const Cuda& space, const CsrView<T>& a, AnalysisDepth depth = AnalysisDepth::full);
template <class Space, class T>
Structure analyse(const Space& space, const CsrView<T>& a, AnalysisDepth depth = AnalysisDepth::full);

/// Looks again at what depends on the values of a matrix: whether it is symmetric and finite, and its main diagonal.
/// The structure describes a matrix with the same pattern. The census and the facts on values in the profile are
/// dropped, because they describe the old values.
///
/// Exec      In parallel on the space, in whose memory the arrays of `a` are. Waits for the result. Allocates no memory
///           that grows with the matrix.
/// Traffic   Reads the matrix once, and the mirror entry of each entry above the main diagonal.
template <class T>
void analyse_values(const Host& space, const CsrView<T>& a, Structure& s);
template <class T>
void analyse_values(const Cuda& space, const CsrView<T>& a, Structure& s);
template <class Space, class T>
void analyse_values(const Space& space, const CsrView<T>& a, Structure& s);

/// Whether an analysis of this depth takes the census. A census that would be mostly empty is never taken.
bool takes_census(const Structure& s, AnalysisDepth depth);

/// Takes the census of the diagonals of a matrix with this structure. Returns null when an analysis of this depth takes
/// no census. Waits for the result.
template <class Space, class T>
std::shared_ptr<const DiagonalCensus> census_of(const Space& space, const CsrView<T>& a, const Structure& s,
                                                AnalysisDepth depth);

}  // namespace ostinato
