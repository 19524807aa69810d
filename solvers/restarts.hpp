// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include <ostinato/solvers/linear_operator.hpp>
#include <ostinato/solvers/monitor.hpp>
#include <ostinato/solvers/steps.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

/// Iterations between two looks at a recurrence on the GPU: enough to make a look cheap, few enough that what runs on
/// behind a finished solve is too. The host looks each time.
template <class Space, class A>
int check_every(const Space& space, const A& a, const SolveOptions& options) {
  // Even on the GPU, because a replayed block has to end with its scalars where they were.
  constexpr int most = Progress::ring / 4;
  if (options.check_every > 0)
    return std::min(options.check_every + (Space::on_device ? options.check_every % 2 : 0), most);
  if constexpr (!Space::on_device) {
    return 1;
  } else {
    constexpr double between_looks = 100e-6, launches = 6e-6;
    double bytes = 12.0 * static_cast<double>(a.rows()) * sizeof(typename A::value_type);
    if constexpr (requires { a.bytes(); }) bytes += static_cast<double>(a.bytes());
    const double iteration = launches + bytes / space.bandwidth();
    return std::clamp(2 * static_cast<int>(between_looks / iteration / 2), 2, 16);
  }
}

/// A power of two that brings b to a size whose squares neither overflow nor vanish; 1 for any b of ordinary size,
/// and for one that is 0 or not finite. Leaves *bb = |scale b|^2, and scale b in `scaled` when the scale isn't 1.
template <class T, class Space>
double ordinary_scale(const Space& space, In<T> b, Workspace<Space>& workspace, Out<T>& scaled, double* bb) {
  const auto ordinary = [&](double limit) { return fetch(space, bb) > 1 / limit && fetch(space, bb) < limit; };
  dot<T>(space, b, b, bb);
  if (sizeof(T) < sizeof(double) || ordinary(1e200)) return 1;  // the squares of floats are doubles
  scaled = workspace.template take<T>(b.size());
  for (const double factor : {0x1p+300, 0x1p-300, 0x1p+600, 0x1p-600, 0x1p+900, 0x1p-900}) {
    scale<T>(space, static_cast<T>(factor), b, scaled);
    dot<T>(space, scaled, scaled, bb);
    if (ordinary(1e100)) return factor;
  }
  dot<T>(space, b, b, bb);
  return 1;
}

template <class A>
void require_system(const char* solver, const A& a, std::size_t b, std::size_t x) {
  const auto n = static_cast<std::size_t>(a.rows());
  if (n == static_cast<std::size_t>(a.cols()) && b == n && x == n) return;
  throw DimensionError(std::string(solver) + ": needs a square matrix and vectors of its size; A is " +
                       std::to_string(a.rows()) + " x " + std::to_string(a.cols()) + ", b has " + std::to_string(b) +
                       " and x " + std::to_string(x) + " elements");
}

/// Work goes on the stream of `space`; an operator on another stream would race with it.
template <class Space, class A>
void require_same_space(const char* solver, const Space& space, const A& a, const void* b, const void* x) {
  if constexpr (Space::on_device) {
    if constexpr (requires { a.space().stream(); }) {
      if (a.space().stream() != space.stream()) {
        throw ArgumentError(std::string(solver) +
                            ": the operator works on another Cuda space; pass a copy of the same one");
      }
    }
    require_device_memory(space, b, "b");
    require_device_memory(space, x, "x");
  }
}

/// What restarts make of a pause, given the norms of the recomputed residual at the last two restarts.
class Verdict {
 public:
  explicit Verdict(bool survives_breakdown) : survives_breakdown_(survives_breakdown) {}

  /// True when the solve is over; then status() is its end.
  bool settled(Pause pause, double norm, double goal) {
    if (!std::isfinite(norm)) return end(Status::not_finite);
    if (norm <= goal) return end(Status::converged);
    const double fall = norm / previous_;
    previous_ = norm;
    switch (pause) {
      case Pause::none:
        return false;
      case Pause::limit:
        return end(Status::iteration_limit);
      case Pause::time:
        return end(Status::time_limit);
      case Pause::interrupt:
        return end(Status::interrupted);
      case Pause::growth:
        return end(Status::diverged);
      case Pause::goal:
        return fall > 0.5 && end(Status::stagnated);
      case Pause::breakdown:
        return (fall > 0.99 || !survives_breakdown_) && end(Status::breakdown);
      case Pause::not_finite:
        return fall > 0.99 && end(Status::not_finite);
      case Pause::restart:
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

  bool survives_breakdown_;
  Status status_ = Status::breakdown;
  double previous_ = HUGE_VAL;
  int idle_ = 0;
};

/// Fills in what the monitor saw, in the units of the caller's b.
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
  if (restarts == 0 || restarts == -1) return;
  result.notes.push_back(result.solver + " restarted from the recomputed residual " + std::to_string(restarts) +
                         (restarts == 1 ? " time" : " times"));
}

/// Runs `recurrence(r, rr, norm, monitor)` from the recomputed residual r = b - A x until the recomputed residual is
/// within the goal or the monitor or the verdict ends it. So "converged" is never said of a recurrence alone, and every
/// method goes on from the truth when its recurrence has drifted, filled its space or, if it survives that, broken
/// down.
template <class T, class Space, LinearOperator A, class Recurrence>
SolveResult solve_with_restarts(const char* name, bool survives_breakdown, const Space& space, const A& a, In<T> b,
                                Out<T> x, const SolveOptions& options, Workspace<Space>& workspace,
                                Recurrence recurrence) {
  require_system(name, a, b.size(), x.size());
  require_same_space(name, space, a, b.data(), x.data());
  SolveResult result;
  result.solver = name;
  Out<T> r = workspace.template take<T>(b.size()), scaled;
  double* rr = workspace.put(0.0);
  const double factor = ordinary_scale<T>(space, b, workspace, scaled, rr), b_norm = std::sqrt(fetch(space, rr));
  if (factor != 1) {  // solves A (factor x) = factor b
    b = scaled;
    scale<T>(space, static_cast<T>(factor), x, x);
  }
  Monitor<Space> monitor(space, options, b_norm, std::max(options.rtol * b_norm, options.atol * factor),
                         check_every(space, a, options), workspace);
  if (b_norm == 0) space.zero(x.data(), x.size_bytes());

  Verdict verdict(survives_breakdown);
  int restarts = -1;
  for (;;) {
    residual(space, a, x, b, r, rr);
    result.residual = std::sqrt(fetch(space, rr));
    if (verdict.settled(monitor.pause(), result.residual, monitor.goal())) break;
    if (monitor.at_limit()) {
      verdict.settled(Pause::limit, result.residual, monitor.goal());
      break;
    }
    ++restarts;
    recurrence(r, rr, result.residual, monitor);
  }
  if (factor != 1) scale<T>(space, static_cast<T>(1 / factor), x, x);
  report(result, verdict.status(), b_norm, factor, restarts, monitor, options);
  result.workspace_bytes = workspace.bytes();
  return result;
}

}  // namespace ostinato
