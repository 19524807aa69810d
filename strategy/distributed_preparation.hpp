// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/analysis/facts.hpp>
#include <ostinato/spmv/analysis/row_facts.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/team/distributed_space.hpp>
#include <ostinato/spmv/team/ghosted_rows.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>

namespace ostinato {

/// What PreparedMatrix does to a system, for one of which each rank has some rows: it scales rows that differ in size
/// by over a million, and where A is symmetric and A * ones = 0, it takes what b has along ones out of b. Rows that
/// stand alone stay, and so does what isn't symmetric. Where a row has no entry other than 0, and b isn't 0 there, it
/// says that no x solves the system.
///
/// The x of a prepared solve is judged by the given matrix, and corrected, as by solve_prepared(). So is that of a
/// system whose rows differ in size by over a thousand. All of that has the same bits on any number of ranks.
///
/// Layout    Works in host memory. Where x is judged, it keeps the given rows: GhostedRows.
/// Exec      All functions are collective.
template <class T>
class DistributedPreparation {
 public:
  /// `mine`: sorted rows of this rank of a matrix with these facts; square where something is prepared.
  DistributedPreparation(const Distributed<Host>& space, const Partition& rows, const CsrView<T>& mine,
                         const Facts& facts, bool enabled);

  const SystemPreparation& what() const { return what_; }
  bool changes() const { return what_.scaled_by > 0 || what_.has_constants; }
  std::size_t bytes() const;

  /// R A C, from the rows of the constructor. Requires what().scaled_by > 0.
  Csr<T> scaled(const CsrView<T>& mine) const;

  /// Solves a prepared system.
  using Solve = std::function<SolveResult(std::span<const T> b, std::span<T> x, const SolveOptions& options)>;
  /// Solves the given system from the x of the caller. Where nothing is judged, that is one call of `prepared`.
  SolveResult solve(std::span<const T> b, std::span<T> x, const SolveOptions& options, const Solve& prepared);

  /// From b and x of the caller to those of the prepared system, and back to x; and to y = A x from that of R A C.
  void enter(std::span<T> b, std::span<T> x) const;
  void enter_x(std::span<T> x) const;
  void leave(std::span<T> x) const;
  void leave_product(std::span<T> y) const;

 private:
  class PreparedSolve;
  void look(const CsrView<T>& mine, Index begin, const Facts& facts);
  void scale(const Partition& rows, const CsrView<T>& mine, const Facts& facts);
  bool is_unsolvable(std::span<const T> b, const SolveOptions& options) const;
  void fit(std::span<T> b) const;
  double norm(std::span<const T> v) const;

  Distributed<Host> space_;
  SystemPreparation what_;
  double norm_of_a_ = 0;
  bool has_empty_ = false;  ///< rows without an entry other than 0
  Vector<Host, RowKind> kinds_;
  std::optional<GhostedRows<T>> given_;
  Vector<Host, T> left_, left_inverse_, right_, right_inverse_;  ///< empty unless rows are scaled
  std::vector<T> right_of_all_;                                  ///< of the columns of given_; until scaled()
};

}  // namespace ostinato
