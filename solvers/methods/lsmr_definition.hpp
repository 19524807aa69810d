// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/methods/lsmr.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <ostinato/solvers/methods/lsmr_steps.hpp>
#include <ostinato/solvers/recurrence/gradient_judge.hpp>
#include <ostinato/solvers/recurrence/restarts.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>

namespace ostinato {

namespace lsmr_loop {

/// Whether a preconditioner is one of A A^T. Of a square A it is taken for one of A^T A.
template <class Space, class T>
bool is_of_rows(const OperatorRef<Space, T>& a, const PreconditionerRef<Space, T>& m) {
  return !m.is_identity() && a.rows() != a.cols() && m.rows() && *m.rows() == a.rows();
}

template <class Space, class T>
void require_transposes(const OperatorRef<Space, T>& a, const PreconditionerRef<Space, T>& m) {
  if (!a.has_transpose()) {
    throw ArgumentError("lsmr: multiplies with the transpose of A, too, which the operator doesn't have");
  }
  if (!m.equals_transpose()) {
    throw ArgumentError("lsmr: needs a symmetric preconditioner of A^T A, such as LeastSquaresPreconditioner, and " +
                        m.name() + " doesn't say that it is symmetric; none is needed");
  }
}

/// The recurrence of an LSMR solve, and its vectors.
template <class Space, class T>
class Recurrence {
 public:
  Recurrence(const ScaledSystem<Space, T>& system, Out<T> x, Workspace<Space>& workspace)
      : space_(system.space()),
        a_(system.a()),
        m_(system.m()),
        of_rows_(is_of_rows(a_, m_)),
        of_columns_(!of_rows_ && !m_.is_identity()),
        x_(x),
        p_(workspace.template allocate<T>(a_.rows())),
        u_(of_rows_ ? workspace.template allocate<T>(a_.rows()) : Out<T>{}),
        q_(vector(workspace)),
        v_(vector(workspace)),
        m_v_(of_columns_ ? vector(workspace) : v_),
        h_(vector(workspace)),
        h_bar_(vector(workspace)),
        slot_(workspace.emplace(0.0)),
        scalars_(workspace.emplace(LsmrScalars{})) {}

  /// Vectors that are free while the recurrence doesn't run.
  typename GradientJudge<Space, T>::Rooms rooms() const { return {p_, q_, of_columns_ ? v_ : Out<T>{}}; }

  /// Runs from r, which is overwritten, until ||A^T r|| / (||A|| ||r||) <= goal or the monitor stops it. The norms are
  /// those of the preconditioner.
  void run(Out<T> r, double norm, double goal, Monitor<Space>& monitor) {
    GraphCapture<Space> run_block(space_, monitor.every(), Lsmr::period, a_.capturable() && m_.capturable());
    ConvergenceState* state = monitor.start(norm);
    if (!begin(r, norm, goal, monitor)) return;
    const auto iterate = [&] {
      a_.apply(v_, p_);
      if (of_rows_) {
        update_u<T>(space_, scalars_, p_, r, u_, m_, state);  // r = M u
      } else {
        update_u<T>(space_, scalars_, p_, r, state);  // r = u
      }
      a_.apply_transposed(of_rows_ ? u_ : r, q_);
      if (of_columns_) {
        update_v<T>(space_, scalars_, q_, m_v_, v_, m_, state);
      } else {
        update_v<T>(space_, scalars_, q_, v_, state);
      }
      update_x_h<T>(space_, scalars_, v_, x_, h_, h_bar_, state);
    };
    while (monitor.next()) run_block({a_.revision(), m_.revision()}, iterate);
    monitor.finish();
  }

  /// Whether r has become what a run with this goal ended by. Not known with a preconditioner of A A^T.
  bool is_attained(GradientJudge<Space, T>& judge, In<T> r, double norm, double goal) const {
    constexpr double few = 10;
    return !of_rows_ && judge.length(r) <= few * goal * read_scalar(space_, scalars_).norm * norm;
  }

 private:
  Out<T> vector(Workspace<Space>& workspace) const { return workspace.template allocate<T>(a_.cols()); }

  /// y = M^-1 x. Returns sqrt(x . y), negative where M isn't positive definite.
  double precondition(In<T> x, Out<T> y) const {
    m_.apply(x, y);
    dot<T>(space_, x, y, slot_);
    const double squared = read_scalar(space_, slot_);
    return squared < 0 ? squared : std::sqrt(squared);
  }

  /// u = M^-1 r;  v = M^-1 A^T u / beta;  h = v / alpha. False when there is nothing to search along.
  bool begin(In<T> r, double norm, double goal, Monitor<Space>& monitor) {
    const double beta = of_rows_ ? precondition(r, u_) : norm;
    if (!is_length(beta, monitor)) return false;
    a_.apply_transposed(of_rows_ ? u_ : r, q_);
    scale<T>(space_, static_cast<T>(1 / beta), q_, m_v_);
    const double alpha = of_columns_ ? precondition(m_v_, v_) : norm_of<T>(space_, v_, h_, slot_);
    if (!is_length(alpha, monitor)) return false;
    scale<T>(space_, static_cast<T>(1 / alpha), v_, h_);
    space_.zero(h_bar_.data(), h_bar_.size_bytes());
    LsmrScalars start;
    start.alpha = start.alpha_bar = alpha;
    start.beta = start.beta_ddot = beta;
    start.zeta_bar = alpha * beta;
    start.goal = goal;
    start.unit = norm / beta;
    space_.upload(scalars_, &start, sizeof start);
    return true;
  }

  static bool is_length(double length, Monitor<Space>& monitor) {
    if (length > 0 && std::isfinite(length)) return true;
    if (length == 0 || length < 0) {
      monitor.break_down(length < 0 ? LsmrScalars::indefinite : LsmrScalars::division_by_zero, length);
    } else {
      monitor.stop(StopReason::not_finite);
    }
    return false;
  }

  const Space& space_;
  const OperatorRef<Space, T>& a_;
  const PreconditionerRef<Space, T>& m_;
  bool of_rows_, of_columns_;  ///< whether M is of A A^T or of A^T A
  Out<T> x_, p_, u_, q_, v_, m_v_, h_, h_bar_;
  Slot<T> slot_;
  LsmrScalars* scalars_;
};

/// One solve by LSMR: runs of the recurrence, each from a recomputed residual, until that shows an end.
template <class Space, class T>
class LeastSquares {
 public:
  LeastSquares(const ScaledSystem<Space, T>& system, Out<T> x, const SolveOptions& options, int every,
               Workspace<Space>& workspace)
      : system_(system),
        x_(x),
        best_(workspace.template allocate<T>(x.size())),
        rtol_(options.rtol),
        aim_(system.m().is_complete() ? std::min(rtol_, rounding_of_factors) : rtol_),
        solve_(system, x, options, every, workspace),
        recurrence_(system, x, workspace),
        judge_(system, recurrence_.rooms(), workspace) {}

  const Solve<Space, T>& solve() const { return solve_; }
  Monitor<Space>& monitor() { return solve_.monitor(); }
  int restarts() const { return restarts_; }

  /// Iterates, and tells the end.
  void run(SolveResult& result) {
    RestartPolicy policy(Lsmr::on_breakdown);
    for (; !is_over(result, policy); ++restarts_) {
      // The recurrence looks at all columns together, and may see a smaller gradient by rounding.
      if (monitor().reason() == StopReason::goal) aim_ *= 0.5 * std::min(1.0, rtol_ / distance_);
      recurrence_.run(solve_.r(), solve_.norm(), aim_, monitor());
    }
    if (!result) take_best(result);
    if (result.status != Status::converged && solve_.improve_residual())
      gradient_ = judge_.largest_cosine(solve_.r(), solve_.norm());
    result.gradient = gradient_;
    const bool may_be_limit = result.status == Status::stagnated || result.status == Status::breakdown;
    const bool is_limit = may_be_limit && is_rounding();
    solve_.give_back(result, [&](In<T> r, double norm) {
      result.gradient = judge_.largest_cosine(r, norm);
      return result.gradient <= rtol_;
    });
    if (is_limit && !result && !result.at_precision_limit) tell_limit(result);
  }

 private:
  /// Recomputes the residual. The status is set when the solve is over.
  bool is_over(SolveResult& result, RestartPolicy& policy) {
    solve_.compute_residual(result);
    judge();
    if (std::isfinite(solve_.norm()) && solve_.norm() <= monitor().goal()) {
      result.status = Status::converged;
      return true;
    }
    const bool has_grown = solve_.norm() > 2 * best_norm_;
    if (is_better()) keep();
    // Progress is a smaller A^T r: of a least squares problem r itself ends at a value of its own, and where there is a
    // solution the gradient is of no size.
    const double norm = solve_.norm();
    const auto ends = [&](StopReason reason) { return policy.is_over(reason, distance_ * norm, rtol_ * norm); };
    const StopReason last = monitor().at_limit()               ? StopReason::limit
                            : has_grown || !solve_.can_go_on() ? StopReason::stall
                                                               : StopReason::none;
    // Where the recurrence got what it aimed at, a smaller aim helps.
    const bool is_aim_large = monitor().reason() == StopReason::goal && distance_ > rtol_ &&
                              recurrence_.is_attained(judge_, solve_.r(), norm, aim_);
    if (!ends(is_aim_large ? StopReason::none : monitor().reason()) && (last == StopReason::none || !ends(last)))
      return false;
    result.status = policy.status() == Status::converged ? Status::least_squares : policy.status();
    return true;
  }

  /// The gradient of the residual at hand. Where the rounding of that residual decides whether the gradient is within
  /// the goal, the residual is computed in higher precision; where the operator can't do that, an estimate of the
  /// rounding is added to the gradient.
  void judge() {
    gradient_ = judge_.largest_cosine(solve_.r(), solve_.norm());
    const double norm = solve_.norm(), bound = norm > 0 ? solve_.rounding_bound() / norm : 0;
    const bool is_clear = std::abs(gradient_ - rtol_) > bound || norm == 0 || !std::isfinite(gradient_);
    if (!is_clear && solve_.improve_residual()) {
      gradient_ = judge_.largest_cosine(solve_.r(), solve_.norm());
    } else if (!is_clear && gradient_ <= rtol_) {
      gradient_ += solve_.rounding() / norm;
    }
    distance_ = gradient_;
    if (!(gradient_ <= rtol_) || rtol_ == 0) return;
    const double share = std::min(judge_.share(solve_.r(), solve_.norm()), 1 / std::numeric_limits<double>::epsilon());
    distance_ = std::max(gradient_, share * rtol_ / largest_share());
    if (std::isnan(share)) distance_ = share;
  }

  /// The share of r that another x may take away. It makes ||r|| larger by half of its square. By complete factors, a
  /// guess has to show that there is no more than rounding, since a run takes few iterations.
  double largest_share() const {
    const double enough = std::sqrt(2 * rtol_);
    return restarts_ < 0 && system_.m().is_complete() ? std::min(enough, rounding_of_factors) : enough;
  }

  /// Complete factors of A^T A enlarge the rounding of A^T r to about eps^0.65
  /// (strategy/least_squares_preconditioner.hpp).
  static constexpr double rounding_of_factors = is_single<T> ? 3e-3 : 1e-8;

  /// Residuals that differ by half of the digits count as equal: then the gradient decides.
  bool is_better() const {
    const double norm = solve_.norm(), equal = std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon()));
    return norm < best_norm_ * (1 - equal) || (norm <= best_norm_ * (1 + equal) && distance_ < best_distance_);
  }
  void keep() {
    copy<T>(system_.space(), x_, best_);
    best_norm_ = solve_.norm();
    best_distance_ = distance_;
  }

  void take_best(SolveResult& result) {
    if (!(best_norm_ < HUGE_VAL) || (solve_.norm() == best_norm_ && distance_ == best_distance_)) return;
    copy<T>(system_.space(), best_, x_);
    solve_.compute_residual(result);
    judge();
  }

  /// Whether rounding is what keeps the gradient from falling.
  bool is_rounding() {
    constexpr double few = 10;
    return gradient_ * solve_.norm() <= few * solve_.rounding();
  }

  static void tell_limit(SolveResult& result) {
    result.status = Status::stagnated;
    result.at_precision_limit = true;
    result.take({Cause::rounding, "A^T (b - A x) is at the limit of " + std::string(precision_name<T>) +
                                      ": the gradient, " + short_text(result.gradient) +
                                      ", is about what the rounding of b - A x leaves"});
  }

  const ScaledSystem<Space, T>& system_;
  Out<T> x_, best_;
  double rtol_;
  double aim_;  ///< the goal of the recurrence
  Solve<Space, T> solve_;
  Recurrence<Space, T> recurrence_;
  GradientJudge<Space, T> judge_;
  double gradient_ = 0;
  double distance_ = 0;  ///< within rtol where the gradient is, and by the preconditioner ||r||
  double best_norm_ = HUGE_VAL, best_distance_ = HUGE_VAL;
  int restarts_ = -1;
};

}  // namespace lsmr_loop

template <class Space, class T>
SolveResult Lsmr::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                      const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  using namespace lsmr_loop;
  require_valid(options);
  require_transposes(given, preconditioner);
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace, Shape::any);
  SolveResult result;
  result.solver = name;
  result.preconditioner = name_in_report(preconditioner);
  const CallbackGuard guard(options);
  const int every = block_length_with(space, system.a(), system.m(), options, period);
  LeastSquares<Space, T> method(system, x, guard.options(), every, workspace);
  method.run(result);
  check_goal<T>(result, system.b_norm(), method.monitor().goal());
  report(result, method.solve().norm(), system, method.restarts(), method.monitor(), options);
  if (result.status == Status::stagnated && result.reason.empty()) {
    const char* const of_rows =
        is_of_rows(given, preconditioner) ? ": A x = b may have no solution, which M of A A^T supposes" : "";
    result.take({Cause::stalled, "neither b - A x nor the gradient, " + short_text(result.gradient) +
                                     ", fell any longer at iteration " +
                                     std::to_string(options.iterations_before + result.iterations) + of_rows});
  }
  result.take(result.status == Status::least_squares
                  ? least_squares(system.m().is_complete())
                  : reason_of<Lsmr, Space, T>(result, method.monitor(), system, x, options));
  if (result.status == Status::not_finite) result.gradient = std::numeric_limits<double>::quiet_NaN();
  result.workspace_bytes = workspace.bytes();
  guard.rethrow();
  return result;
}

}  // namespace ostinato
