// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/selection/choice.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/numbered_matrix.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

namespace ostinato {

/// A step of the set-up of a system.
enum class SetUpStage {
  analyse,  ///< what the matrix is, and the format
  renumber,
  transpose,
  precondition,
  ready,
};

/// Seconds of the steps of a set-up.
struct SetUpSeconds {
  double upload = 0;    ///< of the matrix; 0 on the CPU
  double analyse = 0;   ///< of the matrix of the solve
  double renumber = 0;  ///< the order, the new matrix, and the analysis of the old one; 0 when the numbers stay
  double prepare = 0;   ///< to look at the rows, and to change the matrix where that helps
  double tune = 0;      ///< measuring formats, or loading the times of an earlier run
  double convert = 0;
  double transpose = 0;  ///< and to convert the transpose, for least squares
  double precondition = 0;
};

/// What a LinearSolver has set up and why, for reports.
struct SetUp {
  SetUpStage stage = SetUpStage::analyse;  ///< for LinearSolverOptions::progress
  SetUpSeconds seconds;
  Structure structure;    ///< of the given matrix, in the numbering of the solve; of an operator what is known
  Choice choice;          ///< without candidates where there is no matrix, without a name for operators of a user
  std::string generated;  ///< state of the kernels compiled for this matrix; empty without any
  std::size_t matrix_bytes = 0;
  Renumbering renumbering;
  SystemPreparation preparation;
  SolverChoice solver;                      ///< with which a solve begins
  PreconditionerChoice preconditioner;      ///< likewise
  std::string preconditioner_remarks;       ///< what was made
  std::vector<PreconditionerLevel> levels;  ///< of a hierarchy, the finest first
  std::size_t preconditioner_bytes = 0;
  std::optional<MemoryPrediction> predicted;  ///< of these bytes, before the memory was taken
  /// time_limit or interrupted, where the preconditioner wasn't ready in time or a stop was requested: solves then end
  /// so, without an iteration.
  std::optional<Status> unfinished;
};

/// What a LinearSolver is to set up.
struct LinearSolverOptions {
  std::string solver = "auto";                ///< or a name from the list of solvers
  PreconditionerRequest preconditioner = {};  ///< {"ilut"}, {"multigrid", MultigridOptions{...}}, or "auto"
  FormatOptions format = {};
  Renumber renumber = Renumber::automatic;
  /// That are expected, one after the other. "auto" takes a dearer preconditioner where it serves many; solve_columns()
  /// counts the columns itself.
  int right_sides = 1;
  /// Of solves that are given no options of their own. The set-up reads prepare, symmetric, mem_limit, time_limit
  /// (seconds to make the preconditioner), stop and, to choose a solver, restart.
  SolveOptions solve = {};
  std::string device = "auto";  ///< of solve(a, b): auto, cpu, cuda or cuda:N
  /// Called at each step of the set-up, on the calling thread, with what is known by then.
  std::function<void(const SetUp&)> progress = {};
};

/// The tolerance of solves for which none is given.
template <class T>
inline constexpr double usual_rtol = is_single<T> ? 1e-5 : 1e-8;

/// The options of a system for which none are given.
template <class T>
LinearSolverOptions usual_options() {
  return {.solve = {.rtol = usual_rtol<T>}};
}

}  // namespace ostinato
