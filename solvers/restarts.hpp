// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include <ostinato/preconditioners/preconditioner.hpp>
#include <ostinato/solvers/monitor.hpp>
#include <ostinato/solvers/solver.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/host.hpp>

// The start, the restarts and the end of a solve, which all methods share. The methods' .cpp files include this header.

namespace ostinato {

/// Returns the number of iterations in a block (Monitor). On the GPU it is a multiple of `period`, the number of
/// iterations after which the scalars of the recurrence are in their original slots again. A block is long enough to
/// make reading back cheap, and short enough that few iterations are enqueued after the end of a solve. On the CPU a
/// block has one iteration unless options.check_every says otherwise.
template <class Space, class T>
int block_length(const Space& space, const OperatorRef<Space, T>& a, const SolveOptions& options, int period) {
  constexpr int most = ConvergenceState::ring / 4;
  const auto whole = [=](int length) {
    const int longest = most / period * period;
    return Space::on_device ? std::min((std::min(length, most) + period - 1) / period * period, longest)
                            : std::min(length, most);
  };
  if (options.check_every > 0) return whole(options.check_every);
  if constexpr (!Space::on_device) {
    return 1;
  } else {
    constexpr double between_readbacks = 100e-6, launches = 6e-6;
    const double bytes = 12.0 * static_cast<double>(a.rows()) * sizeof(T) + static_cast<double>(a.bytes());
    const double iteration = launches + bytes / space.bandwidth();
    return whole(std::clamp(2 * static_cast<int>(between_readbacks / iteration / 2), 2, 16));
  }
}

/// Returns a power of two by which b is scaled so that the squares of its elements neither overflow nor underflow. The
/// scale is 1 for b of ordinary size, and when b is 0 or not finite. Sets *bb = |scale b|^2 and, unless the scale is 1,
/// scaled = scale b.
template <class T, class Space>
double ordinary_scale(const Space& space, In<T> b, Workspace<Space>& workspace, Out<T>& scaled, double* bb) {
  const auto ordinary = [&](double limit) {
    return read_scalar(space, bb) > 1 / limit && read_scalar(space, bb) < limit;
  };
  dot<T>(space, b, b, bb);
  if (sizeof(T) < sizeof(double) || ordinary(1e200)) return 1;  // squares of floats are formed in double
  scaled = workspace.template allocate<T>(b.size());
  for (const double factor : {0x1p+300, 0x1p-300, 0x1p+600, 0x1p-600, 0x1p+900, 0x1p-900}) {
    scale<T>(space, static_cast<T>(factor), b, scaled);
    dot<T>(space, scaled, scaled, bb);
    if (ordinary(1e100)) return factor;
  }
  dot<T>(space, b, b, bb);
  return 1;
}

/// Checks the arguments of a solve.
/// Throws    DimensionError when the shapes don't fit. On Cuda also ArgumentError when A works on another stream than
///           `space`, and DeviceError when b or x isn't in memory that the GPU can read.
template <class Space, class T>
void require_system(const std::string& method, const Space& space, const OperatorRef<Space, T>& a, In<T> b, In<T> x) {
  if (a.rows() != a.cols() || b.size() != a.rows() || x.size() != a.rows()) {
    throw DimensionError(method + ": needs a square matrix and vectors of its size; A is " + std::to_string(a.rows()) +
                         " x " + std::to_string(a.cols()) + ", b has " + std::to_string(b.size()) + " and x " +
                         std::to_string(x.size()) + " elements");
  }
  if constexpr (Space::on_device) {
    if (!a.works_on(space))
      throw ArgumentError(method + ": the operator works on another Cuda space; pass a copy of the same one");
    require_device_memory(space, b.data(), "b");
    require_device_memory(space, x.data(), "x");
  }
}

/// Decides what follows when a recurrence has stopped, by comparing the norms of the recomputed residual at the last
/// two stops.
class RestartPolicy {
 public:
  explicit RestartPolicy(OnBreakdown on_breakdown) : on_breakdown_(on_breakdown) {}

  /// True when the solve is over; status() then says how it ended.
  bool is_over(StopReason reason, double norm, double goal) {
    if (!std::isfinite(norm)) return end(Status::not_finite);
    if (norm <= goal) return end(Status::converged);
    const double fall = norm / previous_;
    previous_ = norm;
    switch (reason) {
      case StopReason::none:
        return false;
      case StopReason::limit:
        return end(Status::iteration_limit);
      case StopReason::time:
        return end(Status::time_limit);
      case StopReason::interrupt:
        return end(Status::interrupted);
      case StopReason::growth:
        return end(Status::diverged);
      case StopReason::goal:
        return fall > 0.5 && end(Status::stagnated);
      case StopReason::breakdown:
        return (fall > 0.99 || on_breakdown_ == OnBreakdown::end) && end(Status::breakdown);
      case StopReason::not_finite:
        return fall > 0.99 && end(Status::not_finite);
      case StopReason::restart:
        idle_ = fall > 1 - 1e-5 ? idle_ + 1 : 0;
        return idle_ == 3 && end(Status::stagnated);
    }
    return end(Status::breakdown);
  }

  Status status() const { return status_; }

 private:
  bool end(Status status) {
    status_ = status;
    return true;
  }

  OnBreakdown on_breakdown_;
  Status status_ = Status::breakdown;
  double previous_ = HUGE_VAL;
  int idle_ = 0;
};

/// Fills in the monitor's records, in the units of the caller's b.
template <class Space>
void report(SolveResult& result, Status status, double b_norm, double factor, int restarts, Monitor<Space>& monitor,
            const SolveOptions& options) {
  result.status = status;
  result.iterations = monitor.iterations();
  result.relative_residual = result.residual / (b_norm > 0 ? b_norm : 1);
  result.residual /= factor;
  result.history = std::move(monitor.history());
  if (result.history.empty() && options.history) result.history.push_back(result.relative_residual);
  result.seconds = monitor.seconds();
  if (restarts <= 0) return;
  result.notes.push_back(result.solver + " restarted from the recomputed residual " + std::to_string(restarts) +
                         (restarts == 1 ? " time" : " times"));
}

/// Remembers the x of the smallest residual for a Method that says `keeps_best`; does nothing for other methods.
template <class Method, class Space, class T>
class Best {
  static constexpr bool keeps = requires { Method::keeps_best; };

 public:
  Best(Out<T> x, Workspace<Space>& workspace) {
    if constexpr (keeps) x_ = workspace.template allocate<T>(x.size());
  }

  /// False when the residual has grown: x and `residual` then become the smallest again.
  bool keep(const Space& space, Out<T> x, double& residual) {
    if constexpr (keeps) {
      const bool grown = residual_ < HUGE_VAL && !(residual <= residual_);
      if (grown) {
        copy<T>(space, x_, x);
        residual = residual_;
        return false;
      }
      copy<T>(space, x, x_);
      residual_ = residual;
    }
    return true;
  }

 private:
  Out<T> x_;
  double residual_ = HUGE_VAL;
};

/// Runs `recurrence(r, rr, norm, monitor)` from the recomputed residual r = b - A x until the recomputed residual is
/// within the goal, or the monitor or the policy ends the solve. So no solve is reported as converged on the word of
/// the recurrence alone. Every method restarts from the true residual when its recurrence has drifted, its Krylov space
/// is full or, with OnBreakdown::restart, its recurrence has broken down. Method has `name`, `on_breakdown` and
/// `period` (see block_length), and may have `keeps_best`.
template <class Method, class T, class Space, class Recurrence>
SolveResult solve_with_restarts(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                                const SolveOptions& options, Workspace<Space>& workspace, Recurrence recurrence) {
  require_system<Space, T>(std::string(Method::name), space, a, b, x);
  SolveResult result;
  result.solver = Method::name;
  Out<T> r = workspace.template allocate<T>(b.size()), scaled;
  double* rr = workspace.emplace(0.0);
  const double factor = ordinary_scale<T>(space, b, workspace, scaled, rr), b_norm = std::sqrt(read_scalar(space, rr));
  if (factor != 1) {  // solves A (factor x) = factor b
    b = scaled;
    scale<T>(space, static_cast<T>(factor), x, x);
  }
  Monitor<Space> monitor(space, options, b_norm, std::max(options.rtol * b_norm, options.atol * factor),
                         block_length(space, a, options, Method::period), workspace);
  if (b_norm == 0) space.zero(x.data(), x.size_bytes());

  RestartPolicy policy(Method::on_breakdown);
  Best<Method, Space, T> best(x, workspace);
  int restarts = -1;
  for (;;) {
    a.residual(space, x, b, r, rr);
    result.residual = std::sqrt(read_scalar(space, rr));
    const bool over = policy.is_over(monitor.reason(), result.residual, monitor.goal());
    if (!best.keep(space, x, result.residual)) {
      if (!over) policy.is_over(StopReason::breakdown, result.residual, monitor.goal());
      break;
    }
    if (over) break;
    if (monitor.at_limit()) {
      policy.is_over(StopReason::limit, result.residual, monitor.goal());
      break;
    }
    ++restarts;
    recurrence(r, rr, result.residual, monitor);
  }
  if (factor != 1) scale<T>(space, static_cast<T>(1 / factor), x, x);
  report(result, policy.status(), b_norm, factor, restarts, monitor, options);
  result.workspace_bytes = workspace.bytes();
  return result;
}

}  // namespace ostinato
