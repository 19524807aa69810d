// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/system_judge.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <ostinato/solvers/recurrence/diagnosis.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/strategy/runs.hpp>

namespace ostinato {

namespace {

Reason outside(const SolveResult& all) { return {Cause::outside_range, outside_text(all.relative_residual)}; }

/// Says that a correction began with something else than what ran last.
void note_correction(SolveResult& all, const SolveResult& more) {
  if (all.stages.empty() || more.stages.empty()) return;
  const std::string last = all.stages.back().text(), next = more.stages.front().text();
  if (next == last) return;
  all.notes.push_back(last +
                      " left a residual, in all or of single equations, that is above what was asked for, at "
                      "iteration " +
                      std::to_string(all.iterations) + "; went on with corrections of x, from " + next + " on");
}

}  // namespace

SystemJudge::SystemJudge(const SolveOptions& options, double b_norm, double norm_of_a, double unit)
    : options_(options),
      b_norm_(b_norm),
      norm_of_a_(norm_of_a),
      unit_(unit),
      goal_(std::max(options.rtol * b_norm, options.atol)),
      share_(b_norm > 0 ? goal_ / b_norm : options.rtol) {}

double SystemJudge::excess(const Quality& q) const {
  const double of_row = q.rows.by_row / std::max(100 * share_, 100 * unit_);
  return std::max(goal_ > 0 ? q.fitted / goal_ : (q.fitted > 0 ? HUGE_VAL : 0.0), of_row);
}

bool SystemJudge::is_rounding(double norm, double size_of_x) const {
  constexpr double few = 10, small = 1e-2;
  return norm <= small * b_norm_ && norm <= few * unit_ * (norm_of_a_ * size_of_x + b_norm_);
}

Quality SystemJudge::of_fitted(double norm, double fitted) const {
  const bool is_solvable = norm * norm - fitted * fitted <= goal_ * goal_;  // within the goal
  return {norm, is_solvable ? norm : fitted, {}};
}

void SystemJudge::judge(SolveResult& all, const Quality& q, double size_of_x, const SystemPreparation& what) const {
  all.residual = q.norm;
  all.relative_residual = q.norm / (b_norm_ > 0 ? b_norm_ : 1);
  all.backward_error = q.norm == 0 ? 0 : q.norm / (norm_of_a_ * size_of_x + b_norm_);
  if (q.norm <= goal_) {
    set_end(all, Status::converged, b_norm_ == 0 ? Reason{Cause::zero_right_side, "b = 0, and so is x"} : Reason{});
  } else if (q.fitted <= goal_ && !what.fixes_unknowns) {
    set_end(all, Status::least_squares, outside(all));
  } else if (all && !(all.status == Status::least_squares && keeps_least_squares(q, size_of_x, what))) {
    set_end(all, Status::stagnated, {Cause::stalled, "the residual of the given system no longer fell"});
    all.at_precision_limit = is_rounding(q.norm, size_of_x);
    if (all.at_precision_limit)
      all.take({Cause::rounding, "||b - A x|| is at the limit of the precision: it is about as small as its rounding"});
  }
  all.at_precision_limit &= !all;
}

/// Whether the smallest residual of the prepared system is that of the given one, too: in x, what sets the matrices
/// apart has to be small beside the residual, and rounding as well.
bool SystemJudge::keeps_least_squares(const Quality& q, double size_of_x, const SystemPreparation& what) const {
  if (what.scaled_by > 0 || what.fixes_unknowns) return false;
  constexpr double little = 1e-3;
  const double apart = !what.symmetrised ? unit_ : what.asymmetry > 0 ? std::max(unit_, what.asymmetry) : 1;
  return apart * norm_of_a_ * size_of_x <= little * q.norm;
}

void SystemJudge::set_end(SolveResult& all, Status status, Reason reason) {
  if (all.status == status) return;
  all.status = status;
  all.take(std::move(reason));
  all.at_precision_limit = false;
}

bool SystemJudge::may_go_on(const SolveResult& all) const {
  const Status s = all.status;
  if (s == Status::interrupted || s == Status::time_limit || !std::isfinite(all.relative_residual)) return false;
  return all.iterations < options_.max_iterations;
}

bool SystemJudge::is_worth_correcting(const SolveResult& all, const Quality& q, const SystemPreparation& what) const {
  const bool is_fitted = all.status == Status::least_squares && what.has_constants;
  const bool changes = what.changes_matrix() || what.has_constants;
  const bool ended_well = all.status == Status::converged || is_fitted || (changes && all.status == Status::stagnated);
  const double above = excess(q);
  return ended_well && b_norm_ > 0 && above > 1 && std::isfinite(above) && may_go_on(all);
}

SolveOptions SystemJudge::of_correction(const SolveResult& all, const Quality& q) const {
  constexpr int few = 100;
  SolveOptions left = runs::remaining(options_, all);
  left.atol = 0;
  left.rtol = std::clamp(0.3 / excess(q), 1e-9, 0.1);
  left.max_iterations = std::min(left.max_iterations, std::max(few, 3 * all.iterations));
  return left;
}

void SystemJudge::add_correction(SolveResult& all, SolveResult& more, const Quality& before) const {
  const double share = before.norm / b_norm_;
  for (double& h : more.history) h *= share;
  for (Stage& stage : more.stages) stage.before *= share, stage.after *= share;
  if (more.stages.size() <= 1) more.notes.clear();  // else they tell what went on with what
  note_correction(all, more);
  runs::count(all, more);
}

void SystemJudge::take_correction(SolveResult& all, const SolveResult& more, const Quality& q, double size_of_x,
                                  const SystemPreparation& what) const {
  runs::take_ending(all, more);
  runs::take_method(all, more);
  judge(all, q, size_of_x, what);
  if (all.status == Status::least_squares) all.take(outside(all));
}

void SystemJudge::name_limit(SolveResult& all) const {
  const std::string at = std::to_string(all.iterations);
  if (all.status == Status::time_limit)
    all.take(
        {Cause::time_limit, "the limit of " + seconds_text(options_.time_limit) + " was reached at iteration " + at});
  if (all.status != Status::iteration_limit) return;
  if (all.iterations >= options_.max_iterations) {
    all.take({Cause::iteration_limit, limit_text(options_.max_iterations)});
  } else {
    all.status = Status::stagnated;
    all.take({Cause::no_method, "none of the methods got there in " + at + " iterations"});
  }
}

void SystemJudge::call_singular(SolveResult& all, const std::string& shown) {
  all.is_singular = true;
  if (all.cause == Cause::no_solution) return;
  const Status s = all.status;
  if (s == Status::time_limit || s == Status::iteration_limit || s == Status::interrupted) return;
  const bool is_solved = s == Status::converged || s == Status::least_squares;
  const std::string verdict =
      "A is singular to working precision" + std::string(is_solved ? ": x is one of many" : "") + " (" + shown + ")";
  const bool is_cause = s == Status::stagnated || s == Status::breakdown || s == Status::diverged ||
                        (s == Status::converged && all.reason.empty());
  const bool is_said = all.reason.empty() || all.cause == Cause::singular;  // by the verdict
  all.take({is_cause ? Cause::singular : all.cause, is_said ? verdict : all.reason + "; " + verdict});
}

void SystemJudge::tell_rows(SolveResult& all, const Quality& q, const SystemPreparation& what) {
  all.row_error = q.rows.componentwise;
  all.scaled_error = q.rows.by_row;
  all.unsolved_rows = q.rows.unsolved;
  if (what.scaled_by > 0 && all.condition.of == Condition::Of::matrix) all.condition.of = Condition::Of::scaled;
  if (all.status != Status::converged || q.rows.unsolved == 0) return;
  const std::string count = std::to_string(q.rows.unsolved);
  all.take({Cause::unsolved_rows, count + (q.rows.unsolved == 1 ? " equation isn't" : " equations aren't") +
                                      " solved: the residual is over a tenth of their own terms; scale the rows of "
                                      "A and b, or lower the tolerance"});
}

}  // namespace ostinato
