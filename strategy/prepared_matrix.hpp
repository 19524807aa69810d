// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/analysis/row_facts.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

/// Rows that differ by fewer powers of two are no trouble in double precision; those of finite elements with several
/// kinds of unknowns do. A residual norm hides rows that are smaller by the tolerance.
inline constexpr int most_spread_of_rows = 20;

/// What may be done to a system before it is solved.
struct SystemPreparationOptions {
  bool enabled = true;     ///< false: the system is solved as it is given
  bool symmetric = false;  ///< the caller says that A is symmetric: the symmetric part takes its place, whatever it is
};

/// What was done to a system, for reports.
struct SystemPreparation {
  Index diagonal_rows = 0;      ///< rows with nothing beside the diagonal, which were solved by themselves
  Index zero_rows = 0;          ///< rows and columns without an entry other than 0; x stays the guess there
  bool fixes_unknowns = false;  ///< of these rows, which other rows refer to: for another x there the rest is another
  bool symmetrised = false;     ///< the symmetric part of A took the place of A
  double asymmetry = 0;         ///< of A then: the largest |a(i, j) - a(j, i)| relative to the rows; 0: of unknown size
  int scaled_by = 0;            ///< rows differed in size by 2^scaled_by, and were scaled; 0: they weren't
  Index equal_rows = 0;         ///< rows of a symmetric A that equal earlier ones, so that A is singular
  bool has_constants = false;   ///< A is symmetric and A * ones = 0: b was made to fit where it didn't

  /// Whether there are so many equal rows that factors would be of no use.
  bool has_many_equal_rows(std::size_t rows) const {
    constexpr std::size_t share = 100;
    return static_cast<std::size_t>(equal_rows) > rows / share;
  }
  bool changes_matrix() const { return diagonal_rows > 0 || zero_rows > 0 || symmetrised || scaled_by > 0; }
};

/// The step before a solve. Takes what makes a square system needlessly hard out of it, and puts it back into x:
///
/// - Rows that have no entry beside the diagonal are equations of their own. They are solved, and their column goes to
///   the right-hand side. So a boundary condition that is written as a row x(i) = g doesn't cost the symmetry, and a
///   row 0 = 0 doesn't cost the diagonal.
/// - A matrix that is symmetric but for rounding is replaced by its symmetric part.
/// - Rows that differ in size by over a million are scaled by powers of two: R A C, with R = C where A is symmetric.
/// - Where A is symmetric and A * ones = 0, what b has along ones is taken out of b: no x solves the system with it.
///
/// The matrix for the solve is that of analysis(). Where nothing is to be done it is the given one.
///
/// Traffic   Two passes over A where nothing is to be done; some ten where something is.
/// Exec      The constructor waits. The rest is enqueued on Cuda, unless it says otherwise.
/// Source    The scaling is that of Ruiz, RAL-TR-2001-034, in powers of two.
template <class Space, class T>
class PreparedMatrix {
 public:
  explicit PreparedMatrix(const Analysis<Space, T>& given, const SystemPreparationOptions& options = {});

  const Analysis<Space, T>& given() const { return given_; }
  const Analysis<Space, T>& analysis() const { return analysis_; }
  const SystemPreparation& what() const { return what_; }

  /// Whether b and x of the solve are others than those of the caller.
  bool changes() const { return what_.changes_matrix() || what_.has_constants; }

  /// The row without entries for which b is largest, if b is so large in these rows that no x has a residual within
  /// `goal`; nothing otherwise. Waits.
  std::optional<Index> unsolvable_row(In<T> b, double goal) const;

  /// From the caller's b and guess to those of the solve. Vectors of n elements in the memory of the space, apart from
  /// each other.
  void enter(In<T> b, In<T> x, Out<T> prepared_b, Out<T> prepared_x) const;
  /// From the x of the solve to the caller's. b and `guess` are those of enter(); x may be `guess`.
  void leave(In<T> prepared_x, In<T> b, In<T> guess, Out<T> x) const;

  /// Takes what a vector of the caller's system has along the constants out of it. Requires what().has_constants.
  void fit(Out<T> b) const;

  /// Looks for parts of the matrix that aren't coupled, of which each has constants of its own. False where there is
  /// one part only. Goes over the pattern on the host, once.
  bool separate_parts();

 private:
  void find_empty(RowFacts<Space, T>& facts);
  void decouple(const RowFacts<Space, T>& facts);
  void take_symmetric_part(double asymmetry);
  void scale_rows(int spread);
  void set_known(In<T> b, In<T> guess, Out<T> known) const;
  SpaceCsr<Space, T> decoupled(T unit) const;

  Analysis<Space, T> given_, analysis_;
  SystemPreparation what_;
  Vector<Space, RowKind> kinds_;    ///< of the given rows; empty unless rows are decoupled
  std::vector<Index> empty_;        ///< rows without an entry other than 0, left out or not
  Vector<Space, RowKind> coupled_;  ///< kinds of the prepared rows, of which the general ones have the constants
  Vector<Space, T> diagonal_;       ///< of the decoupled matrix, for these
  Vector<Space, T> left_, right_, right_inverse_;  ///< R, C and its inverse; empty unless rows are scaled
  std::vector<Index> part_;                        ///< of each row; empty for one part
};

OSTINATO_EXTERN_CLASS(PreparedMatrix);

}  // namespace ostinato
