// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ladder of "auto": what it goes on with where a solve is slow (AnyPreconditioner::stronger).

#include <any>
#include <array>
#include <string>
#include <string_view>

#include <ostinato/preconditioners/ilu/library_factors.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/strategy/leaving_jacobi.hpp>

namespace ostinato {

/// The time that complete factors may take at most to be direct: a few times that of incomplete ones, which may fail.
double most_direct_seconds(const Structure& s);

/// Whether complete factors are predicted to take no longer, as far as the structure tells. On a GPU they are those of
/// a library: other factors have rows that wait for each other.
template <class Space>
bool suits_direct(const Structure& s);

/// What sets a rung apart from others with the same preconditioner.
enum class RungRole {
  usual,
  plain,       ///< multigrid by plain aggregation
  aggressive,  ///< multigrid that coarsens aggressively
  direct,      ///< complete factors that are predicted to take little time; they come before all that take longer
};

/// A preconditioner that "auto" may go on with.
/// Model     Times of the host are 0.4 ms and a fit to set-ups of 20 real matrices with 434 to 48,600 rows on two cores
///           of an AMD EPYC, 2026-11, where most are within a factor of 2. Complete factors of large grids of three
///           dimensions take up to ten times as long. Those of ilu0 count twice: its iterations take half of the time
///           with Jacobi at best.
struct Rung {
  std::string_view name;
  RungRole role;
  std::any (*options)(const Structure& s, bool thorough);  ///< of the preconditioner; thorough: as memory allows
  double seconds_an_entry;                                 ///< of A
  double from_rows = 0;  ///< holds for so many rows and more; n rows, fewer, take sqrt(n / from_rows) times that

  /// Whether there is any hope for a matrix, which may be definite if it is symmetric.
  template <class Space, class T>
  bool suits(const Structure& s, bool may_be_definite) const {
    if (is_one_level())
      return Space::has_streams && s.symmetric && (s.positive_diagonal || s.negative_diagonal) &&
             !suits_hierarchy<Space, T>(s);
    if (name == "ilu0") return !Space::has_streams && !s.symmetric && s.missing_diagonal == 0;
    if (is_direct())
      return suits_direct<Space>(s) && (name == "cholesky") == may_be_definite_by_library(s, may_be_definite);
    if (name == "ict" || name == "cholesky") return may_be_definite && s.symmetric && s.positive_diagonal;
    if (is_plain() && !s.symmetric) return false;
    if (name == Multigrid<Space, T>::name) return suits_hierarchy<Space, T>(s) && (may_be_definite || !s.symmetric);
    return true;
  }

  /// Whether complete factors are those of a library for a matrix that may be positive definite.
  static bool may_be_definite_by_library(const Structure& s, bool may_be_definite) {
    return may_be_definite && s.symmetric && s.positive_diagonal && LibraryFactors::suits(s.rows, s.nonzeros);
  }

  /// Whether it may take the place of Jacobi where that is slow (leaving_jacobi.hpp).
  bool is_one_level() const { return name == "fsai" || name == "chebyshev"; }

  bool is_plain() const { return role == RungRole::plain; }
  bool is_direct() const { return role == RungRole::direct; }

  /// Whether the matrix is large enough for a hierarchy, and one can be made. Factors are faster for smaller ones.
  template <class Space, class T>
  bool suits_hierarchy(const Structure& s) const {
    return s.rows >= fewest_rows_of_hierarchy && Multigrid<Space, T>::why_not(s).empty();
  }
};

/// One after the other. Complete factors that take little more than incomplete ones go first. Matching makes nearly
/// singular matrices worse (fidapex6).
extern const std::array<Rung, 14> auto_rungs;

/// The time that it takes to make a preconditioner; of plain aggregation with the solve, and of what may take the place
/// of Jacobi the least time with Jacobi from which on it pays.
template <class Space>
double predicted_seconds(const Rung& rung, const Structure& s);

/// Which rungs are left, of those that suit a matrix.
struct RungsLeft {
  int from = 0;                 ///< not those before
  bool may_be_definite = true;  ///< the matrix, if it is symmetric
  bool one_level = true;        ///< what takes the place of Jacobi
  bool plain = true;            ///< plain aggregation
  bool direct = true;           ///< direct factors
};

/// The next rung: the first that is left, unless direct factors are predicted to take less time than that. -1 where
/// there is none.
template <class Space, class T>
int next_rung(const Structure& s, const RungsLeft& left);

/// Names a row or column without an entry, with which complete factors don't exist; empty when there is none.
/// Exec      Downloads the columns.
template <class Space, class T>
std::string why_no_complete_factors(const Analysis<Space, T>& analysis);

}  // namespace ostinato
