// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/lsmr.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <ostinato/solvers/instantiate.hpp>
#include <ostinato/solvers/lsmr_steps.hpp>
#include <ostinato/solvers/restarts.hpp>
#include <ostinato/solvers/restarts_steps.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace {

template <class Space, class T>
void require_transposes(const OperatorRef<Space, T>& a, const PreconditionerRef<Space, T>& m) {
  if (!a.has_transpose()) {
    throw ArgumentError(
        "lsmr: multiplies with the transpose of A, too, and the operator has no apply_transposed; a "
        "TransposableOperator has it, and make_operator takes .transposed");
  }
  if (!m.equals_transpose()) {
    throw ArgumentError("lsmr: needs a symmetric preconditioner, such as jacobi, and " + m.name() +
                        " doesn't say that it is; none is needed");
  }
}

/// One LSMR solve: its vectors, and what it looks at besides the residual.
template <class Space, class T>
class LeastSquares {
 public:
  LeastSquares(const ScaledSystem<Space, T>& system, Out<T> x, Workspace<Space>& workspace)
      : space_(system.space()),
        a_(system.a()),
        m_(system.m()),
        x_(x),
        p_(workspace.template allocate<T>(a_.rows())),
        q_(vector(workspace)),
        v_(vector(workspace)),
        h_(vector(workspace)),
        h_bar_(vector(workspace)),
        z_(m_.is_identity() ? Out<T>{} : vector(workspace)),
        y_(m_.is_identity() ? x : vector(workspace)),
        slot_(workspace.emplace(0.0)),
        scalars_(workspace.emplace(LsmrScalars{})) {}

  /// ||A^T r|| / (||A|| ||r||), where ||r|| = norm. The first call estimates ||A|| from below, from A^T r.
  double gradient(In<T> r, double norm) {
    if (norm == 0 || !std::isfinite(norm)) return norm;
    double factor = 1;  // by which r is scaled, so that its products with a tiny A don't become 0
    a_.apply_transposed(r, q_);
    double size = norm_of<T>(space_, q_, v_, slot_);
    if (size == 0) {
      constexpr int most = std::numeric_limits<T>::max_exponent;
      factor = std::ldexp(1.0, std::min(most / 2 - std::ilogb(norm), most - 2));
      scale<T>(space_, static_cast<T>(factor), r, p_);
      a_.apply_transposed(p_, q_);
      size = norm_of<T>(space_, q_, v_, slot_);
    }
    if (size == 0) return 0;
    if (a_norm_ == 0) estimate_norm(size);
    return size / a_norm_ / (factor * norm);
  }

  /// Runs the recurrence from r, which is overwritten, until ||A^T r|| / (||A|| ||r||) <= goal or the monitor stops it.
  void recur(Out<T> r, double norm, double goal, Monitor<Space>& monitor) {
    GraphCapture<Space> run_block(space_, monitor.every(), Lsmr::period, a_.capturable() && m_.capturable());
    ConvergenceState* state = monitor.start(norm);
    if (!begin(r, norm, goal)) return monitor.stop(StopReason::breakdown);
    const Out<T> u = r;
    const auto iterate = [&] {
      a_.apply(preconditioned(v_), p_);             // p = A M^-1 v
      update_u<T>(space_, scalars_, p_, u, state);  // u = p / alpha - (alpha / beta) u;  beta = |u|
      a_.apply_transposed(u, q_);                   // q = A^T u
      update_v<T>(space_, scalars_, preconditioned(q_), v_,
                  state);                                          // v = M^-1 q / beta - (beta / alpha) v;  alpha = |v|
      update_x_h<T>(space_, scalars_, v_, y_, h_, h_bar_, state);  // h_bar = h - . h_bar;  y += . h_bar;  h = v - . h
    };
    while (monitor.next()) run_block(a_.revision(), iterate);
    monitor.finish();
    if (!m_.is_identity()) add_finite<T>(space_, preconditioned(y_), x_);  // x += M^-1 y
  }

 private:
  Out<T> vector(Workspace<Space>& workspace) const { return workspace.template allocate<T>(a_.cols()); }

  In<T> preconditioned(In<T> v) const {
    if (m_.is_identity()) return v;
    m_.apply(v, z_);
    return z_;
  }

  /// Power steps on A^T A from q, of this size.
  void estimate_norm(double size) {
    constexpr int steps = 4;
    for (int k = 0; k < steps && size > 0; ++k) {
      // In two factors, of which neither leaves the range of T.
      const int exponent = std::ilogb(size);
      scale<T>(space_, static_cast<T>(std::ldexp(1.0, -exponent / 2)), q_, v_);
      scale<T>(space_, static_cast<T>(std::ldexp(1.0, exponent / 2) / size), v_, v_);
      a_.apply(v_, p_);
      a_.apply_transposed(p_, q_);
      size = norm_of<T>(space_, q_, v_, slot_);
      a_norm_ = std::max(a_norm_, norm_of<T>(space_, p_, p_, slot_));
    }
  }

  /// u = r;  v = M^-1 A^T u / beta;  h = v / alpha. False when there is nothing to search along.
  bool begin(In<T> r, double norm, double goal) {
    a_.apply_transposed(r, q_);
    scale<T>(space_, static_cast<T>(1 / norm), preconditioned(q_), v_);
    const double alpha = norm_of<T>(space_, v_, h_, slot_);
    if (!(alpha > 0)) return false;
    scale<T>(space_, static_cast<T>(1 / alpha), v_, h_);
    space_.zero(h_bar_.data(), h_bar_.size_bytes());
    if (!m_.is_identity()) space_.zero(y_.data(), y_.size_bytes());
    LsmrScalars start;
    start.alpha = start.alpha_bar = alpha;
    start.beta = start.beta_ddot = norm;
    start.zeta_bar = alpha * norm;
    start.goal = goal;
    space_.upload(scalars_, &start, sizeof start);
    return true;
  }

  const Space& space_;
  const OperatorRef<Space, T>& a_;
  const PreconditionerRef<Space, T>& m_;
  Out<T> x_, p_, q_, v_, h_, h_bar_, z_, y_;
  double* slot_;
  LsmrScalars* scalars_;
  double a_norm_ = 0;
};

/// The gradient of the residual at hand. Where the rounding of that residual decides whether the gradient is within the
/// goal, the residual is computed in higher precision. Where the operator can't do that, a residual that is hardly more
/// than its own rounding says nothing, and the share of the rounding in that residual stands for the gradient.
template <class Space, class T>
double judged_gradient(Solve<Space, T>& solve, LeastSquares<Space, T>& method, double goal) {
  constexpr double few = 10;
  const double gradient = method.gradient(solve.r(), solve.norm()), bound = solve.rounding_bound();
  const bool is_clear = !(std::abs(gradient - goal) * solve.norm() <= bound);
  if (is_clear || solve.norm() == 0) return gradient;
  if (solve.improve_residual()) return method.gradient(solve.r(), solve.norm());
  if (gradient > goal || !(solve.norm() <= few * bound)) return gradient;
  const double rounding = solve.rounding();
  return solve.norm() <= few * rounding ? std::max(gradient, rounding / solve.norm()) : gradient;
}

}  // namespace

template <class Space, class T>
SolveResult Lsmr::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                      const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  require_valid(options);
  require_transposes(given, preconditioner);
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace, Shape::any);
  SolveResult result;
  result.solver = name;
  result.preconditioner = name_in_report(preconditioner);
  const CallbackGuard guard(options);
  const int every = block_length(space, system.a(), options, period, 2 * system.m().seconds());
  Solve<Space, T> solve(system, x, guard.options(), every, workspace);
  Monitor<Space>& monitor = solve.monitor();
  LeastSquares<Space, T> method(system, x, workspace);
  RestartPolicy policy(on_breakdown);
  double aim = options.rtol;
  int restarts = -1;
  for (;;) {
    solve.compute_residual(result);
    result.gradient = judged_gradient(solve, method, options.rtol);
    if (std::isfinite(solve.norm()) && solve.norm() <= monitor.goal()) {
      result.status = Status::converged;
      break;
    }
    // The residual of a least squares problem ends at a value of its own; its gradient shows the progress.
    const auto is_over = [&](StopReason reason) { return policy.is_over(reason, result.gradient, options.rtol); };
    const StopReason last = monitor.at_limit()  ? StopReason::limit
                            : solve.can_go_on() ? StopReason::none
                                                : StopReason::stall;
    if (is_over(monitor.reason()) || (last != StopReason::none && is_over(last))) {
      result.status = policy.status() == Status::converged ? Status::least_squares : policy.status();
      break;
    }
    // With a preconditioner or by rounding, the recurrence may see a smaller gradient.
    if (monitor.reason() == StopReason::goal) aim *= 0.5 * std::min(1.0, options.rtol / result.gradient);
    if (++restarts == 0) check_goal<T>(result, system.b_norm(), monitor.goal());
    method.recur(solve.r(), solve.norm(), aim, monitor);
  }
  solve.give_back(result, [&](In<T> r, double norm) {
    result.gradient = method.gradient(r, norm);
    return result.gradient <= options.rtol;
  });
  if (result.status == Status::least_squares) {
    result.notes.emplace_back(
        "||b - A x|| isn't within the tolerance of a solution; x makes it smallest, for a matrix within rtol ||A|| of "
        "A");
  }
  report(result, solve.norm(), system, restarts, monitor, options);
  result.reason = reason_of<Lsmr, Space, T>(result, monitor, system, x, options);
  if (result.status == Status::not_finite) result.gradient = std::numeric_limits<double>::quiet_NaN();
  result.workspace_bytes = workspace.bytes();
  guard.rethrow();
  return result;
}

OSTINATO_INSTANTIATE_METHOD(Lsmr)

}  // namespace ostinato
