// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>

namespace ostinato {

/// A solver with a preconditioner, by the names that solve() and AnyPreconditioner take.
struct SolverPair {
  std::string solver = "auto", preconditioner = "auto";

  bool operator==(const SolverPair&) const = default;
};

/// How a pair solved the system.
struct ComparisonRow {
  SolverPair pair;
  SolverPair ended_with;  ///< other names than those of the pair where that is "auto"
  Status status = Status::converged;
  std::string reason;        ///< why it ended so (SolveResult::reason)
  int iterations = 0;        ///< to the end
  double setup_seconds = 0;  ///< of preconditioners
  double solve_seconds = 0;
  std::size_t bytes = 0;         ///< of the preconditioner, and of what the solver allocated
  double relative_residual = 0;  ///< ||b - A x|| / ||b||, recomputed

  double seconds() const { return setup_seconds + solve_seconds; }
  bool is_beaten = false;  ///< a least squares end, beside a pair with a clearly smaller residual
  bool is_solved() const { return status == Status::converged || (status == Status::least_squares && !is_beaten); }
};

/// Why a pair wasn't run.
enum class LeftOut {
  unsuitable,     ///< the preconditioner isn't for this matrix, or its set-up failed; `reason` says why
  no_memory,      ///< it would take more memory than there may be
  too_slow,       ///< its set-up is predicted, or was seen, to take longer than a run may
  out_of_budget,  ///< no time was left
};

/// A pair that wasn't run. The solver "any" stands for all pairs of the preconditioner that have no row.
struct LeftOutPair {
  SolverPair pair;
  LeftOut why = LeftOut::unsuitable;
  std::string reason;  ///< of what the constructor refused; empty otherwise
  double seconds = 0;  ///< of too_slow: what the set-up takes, at least
};

struct Comparison {
  std::vector<ComparisonRow> rows;     ///< those that solved the system by their time, then others by their residual
  std::vector<LeftOutPair> left_out;   ///< in the order in which their turn came
  std::string format;                  ///< of the products of all runs
  double common_seconds = 0;           ///< of what all runs share: the preparation of the system, and the format
  double seconds = 0;                  ///< of all
  bool interrupted = false;            ///< SolveOptions::stop or the callback ended the comparison
  SystemPreparation preparation = {};  ///< what was done to the system before the solves, as solve() does

  /// The pair of the least time; null where none solved the system.
  const ComparisonRow* best() const { return !rows.empty() && rows.front().is_solved() ? &rows.front() : nullptr; }
};

struct ComparisonOptions {
  double budget = 30;  ///< seconds in all. A run that has begun may go over it by a set-up that can't be stopped
  /// A run is stopped after so many times the seconds of the best pair so far.
  double patience = 3;
  /// Tolerances, limits and the callback of each run. A time_limit is one of each run, with its set-up. `stop`, and a
  /// callback that returns false, end the comparison with what it has.
  SolveOptions solve = {};
  /// Called before each set-up, for which the solver is empty, and before each run.
  std::function<void(const SolverPair& next, const Comparison& so_far)> on_run = {};
};

/// Solves A x = b from x = 0 by pairs of solver and preconditioner, one after the other, to see which takes the least
/// time. All of them work on the system as solve() without a preconditioner prepares it, in one format.
///
/// "auto" goes first. Half of the budget that is left then is for turns: the preconditioner of the least set-up runs
/// with all solvers that suit, each other one of the list with the solver that "auto" takes with it and with the
/// fastest solver so far. Multigrid has a turn for each of several kinds. Then the preconditioners of the best
/// prospects, by time or by the pace of the residual, are made once more for the other solvers and for runs that had
/// too little time; the fastest pairs are timed again, and the better time counts. A matrix that isn't square is solved
/// by LSMR with each of the preconditioners for least squares.
///
/// Which pairs suit follows from the facts of the matrix, the reasons against a preconditioner, predicted memory and
/// set-up, and from what preconditioners say of themselves. For a symmetric matrix whose diagonal has one sign, only
/// solvers for symmetric matrices run with a symmetric preconditioner, until CG breaks down.
///
/// Shapes    A: m x n. b: m, in the memory of the space.
/// Exec      Waits. Goes by the clock, so that two calls may differ.
/// Throws    DimensionError; ArgumentError for options that can't be; DeviceError; what on_run throws. A preconditioner
///           or a solver that refuses the matrix, or finds no memory, becomes a LeftOutPair.
template <class Space, class T>
Comparison compare(const Analysis<Space, T>& analysis, In<T> b, const ComparisonOptions& options = {});

}  // namespace ostinato
