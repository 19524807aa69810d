// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/algebra/row_errors.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>

namespace ostinato {

/// How good an x is, by the given matrix.
struct Quality {
  double norm = HUGE_VAL;    ///< ||b - A x||
  double fitted = HUGE_VAL;  ///< the same without what b has outside of the range of A, where that is known
  RowErrors rows;
};

/// Judges the x of a prepared solve by the system as it was given, and says whether a correction pays. All that it says
/// follows from numbers: ranks that have the same ones go the same way.
class SystemJudge {
 public:
  /// `unit`: the rounding of a value.
  /// Requires  The options stay.
  SystemJudge(const SolveOptions& options, double b_norm, double norm_of_a, double unit);

  double b_norm() const { return b_norm_; }
  double goal() const { return goal_; }    ///< for ||b - A x||
  double share() const { return share_; }  ///< the same relative to ||b||
  double norm_of_a() const { return norm_of_a_; }

  /// How far the residual and its rows are above what they are to be.
  double excess(const Quality& q) const;
  /// Whether a residual is as small as rounding leaves it, and small beside b.
  bool is_rounding(double norm, double size_of_x) const;
  /// What `norm` and its part in the range of A make of a quality: the part counts where no x comes within the goal.
  Quality of_fitted(double norm, double fitted) const;
  /// The end state of x, by the given matrix. What converged only by the system of the solve hasn't.
  void judge(SolveResult& all, const Quality& q, double size_of_x, const SystemPreparation& what) const;
  static void set_end(SolveResult& all, Status status, Reason reason);

  /// Whether there is time and reason to go on after a solve that failed. The time is looked at by the solve.
  bool may_go_on(const SolveResult& all) const;
  bool is_worth_correcting(const SolveResult& all, const Quality& q, const SystemPreparation& what) const;
  /// The options of a solve for a correction of x.
  SolveOptions of_correction(const SolveResult& all, const Quality& q) const;
  /// Adds what a correction has spent. `before`: the quality of the x that it was to correct.
  void add_correction(SolveResult& all, SolveResult& more, const Quality& before) const;
  /// Takes how the correction ended, which helped, and the end state of the x with it.
  void take_correction(SolveResult& all, const SolveResult& more, const Quality& q, double size_of_x,
                       const SystemPreparation& what) const;

  /// Names the caller's limits, where the last of several solves names what was left for it.
  void name_limit(SolveResult& all) const;
  /// The one verdict on a singular A: the reason of a solve that failed or that has no other one, and behind that.
  /// `shown`: what shows that A is singular.
  static void call_singular(SolveResult& all, const std::string& shown);
  /// What the caller is told of single equations.
  static void tell_rows(SolveResult& all, const Quality& q, const SystemPreparation& what);

 private:
  bool keeps_least_squares(const Quality& q, double size_of_x, const SystemPreparation& what) const;

  const SolveOptions& options_;
  double b_norm_, norm_of_a_, unit_, goal_, share_;
};

}  // namespace ostinato
