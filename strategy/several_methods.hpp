// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/solvers/no_solution.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/strategy/fallback.hpp>
#include <ostinato/strategy/iteration_seconds.hpp>
#include <ostinato/strategy/runs.hpp>
#include <ostinato/strategy/solve_by_name.hpp>
#include <ostinato/strategy/step.hpp>
#include <ostinato/strategy/watch.hpp>

// The methods of "auto" with one preconditioner: one after the other, each from the x of those before.

namespace ostinato::runs {

/// The caller's guess, for a solve that ends farther from the solution.
template <class Space, class T>
class Guess {
 public:
  Guess(const Space& space, In<T> x) : space_(space), x_(space, x.size()) { copy<T>(space, x, x_.span()); }

  void restore(Out<T> x) const { copy<T>(space_, x_, x); }

  /// x becomes the guess, and the residual of `result` that of the guess, if the solve came no nearer.
  void prefer(SolveResult& result, const OperatorRef<Space, T>& a, In<T> b, Out<T> x) {
    if (result.status == Status::converged) return;
    try {
      compare(result, a, b, x);
    } catch (const std::bad_alloc&) {
      result.notes.emplace_back("the guess wasn't compared with x: not enough memory");
    } catch (const DeviceMemoryError& e) {
      result.notes.push_back(std::string("the guess wasn't compared with x: ") + e.what());
    }
  }

 private:
  void compare(SolveResult& result, const OperatorRef<Space, T>& a, In<T> b, Out<T> x) {
    // Without an iteration, a method does no more than judge the residual.
    const SolveOptions none{.rtol = 0, .max_iterations = 0, .history = false};
    const SolveResult before = Cg::run<Space, T>(space_, a, b, x_, {}, none);
    if (!std::isfinite(before.relative_residual) || is_nearer(result, before)) return;
    restore(x);
    if (result.iterations > 0) result.note_once(result.solver + " came no nearer than the guess; x is the guess");
    take_residual(result, before);
  }

  const Space& space_;
  Vector<Space, T> x_;
};

/// Lets the next solver continue from x. Restores x when the residual became larger, and when memory ran out: the
/// result of the solver before is worth more than an exception. Returns how the next solver ended, or `latest` when it
/// had no memory.
template <class Space, class T>
Ending go_on(std::string_view next, const Ending& latest, SolveResult& result, const Space& space,
             const OperatorRef<Space, T>& a, In<T> b, Out<T> x, const PreconditionerRef<Space, T>& m,
             const SolveOptions& left) {
  const auto no_memory = [&](const char* what) {
    result.notes.push_back(std::string(next) + " wasn't tried: " + what);
  };
  try {
    const Vector<Space, T> before = copied<Space, T>(space, x);
    try {
      SolveResult more = run(next, space, a, b, x, m, left);
      if (!is_nearer(more, result)) copy<T>(space, before, x);
      Ending ending = ending_of(more);
      append(result, std::move(more));
      ending.iterations = result.iterations;
      return ending;
    } catch (...) {
      copy<T>(space, before, x);
      throw;
    }
  } catch (const std::bad_alloc&) {
    no_memory("not enough memory");
  } catch (const DeviceMemoryError& e) {
    no_memory(e.what());
  } catch (const MemoryLimitError& e) {
    no_memory(e.what());
  }
  return latest;
}

constexpr std::string_view with_basis = name_in_auto<RoleInAuto::general>,
                           without_basis = name_in_auto<RoleInAuto::little_memory>;

/// Runs the solver that auto begins with; one without a basis instead when there isn't enough memory for a basis.
template <class Space, class T>
SolveResult run_first(std::string_view name, const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                      const Guess<Space, T>& guess, const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
  const auto instead = [&](const std::string& why) {
    guess.restore(x);
    SolveResult result = run<Space, T>(without_basis, space, a, b, x, m, options);
    result.notes.insert(result.notes.begin(),
                        std::string(with_basis) + " gave way to " + std::string(without_basis) + ": " + why);
    return result;
  };
  if (name != with_basis) return run<Space, T>(name, space, a, b, x, m, options);
  try {
    return run<Space, T>(name, space, a, b, x, m, options);
  } catch (const std::bad_alloc&) {
    return instead("not enough memory for its basis");
  } catch (const DeviceMemoryError& e) {
    return instead(e.what());
  } catch (const MemoryLimitError& e) {  // of a flexible basis, which takes twice as much
    return instead(e.what());
  }
}

/// Whether a basis takes at most `memory` bytes. GMRES is more robust than BiCGSTAB, but with a larger one its steps
/// cost too much, or there is no room.
inline bool basis_is_affordable(double rows, std::size_t value_bytes, int restart, double memory) {
  constexpr int few = 50;  // with fewer vectors an automatic restart isn't worth a try
  return std::min<double>(restart == automatic_restart ? few : restart, rows) * rows *
             static_cast<double>(value_bytes) <=
         memory;
}

/// Takes that no x solves the system as the reason of a solve that failed. Returns false when that isn't known.
template <class Space, class T>
bool take_no_solution(SolveResult& result, const Space& space, const OperatorRef<Space, T>& a, In<T> b, double goal) {
  std::string why = why_no_solution<Space, T>(space, a, b, goal);
  if (why.empty()) return false;
  result.take({Cause::no_solution, std::move(why)});
  if (result.status == Status::interrupted) result.status = Status::stagnated;  // by the watch
  return true;
}

/// Whether what is stronger is there before another method has done some iterations, where one has failed.
template <class Space, class T>
bool factors_are_near(const SolveResult& failed, const Space& space, const OperatorRef<Space, T>& a,
                      const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
  constexpr double some = 100;
  const double cost = stronger_seconds(m);
  const SolverInfo* const method = find_solver(failed.solver);
  return options.effort != Effort::quick && cost > 0 && failed.iterations > 0 && method != nullptr &&
         cost <= some * iteration_seconds(space, a, m, *method, options);
}

/// Solves with all methods that may serve, until one converges. `watch` is the one that the options ask. `unsolvable`
/// becomes true when no x solves the system.
template <class Space, class T>
SolveResult run_methods(const SolverChoice& first, const Facts& s, const Space& space, const OperatorRef<Space, T>& a,
                        In<T> b, Out<T> x, const PreconditionerRef<Space, T>& m, const SolveOptions& options,
                        CostWatch& watch, bool& unsolvable) {
  Guess<Space, T> guess(space, x);
  SolveResult result = run_first(first.name, space, a, b, x, guess, m, options);
  result.notes.insert(result.notes.begin(), first.name + " chosen: " + first.reason);
  guess.prefer(result, a, b, x);
  std::vector<std::string_view> others = {with_basis, without_basis};
  constexpr const SolverInfo& symmetric = method_of_auto<RoleInAuto::symmetric>();
  if (s.symmetric && m.symmetric() && (symmetric.takes_varying_m || !m.varies()))
    others.insert(others.begin(), symmetric.name);
  Ending latest = ending_of(result);
  unsolvable = may_try_another(latest) && !result.at_precision_limit &&
               take_no_solution<Space, T>(result, space, a, b, goal_of<Space, T>(space, b, options));
  if (unsolvable) return result;
  for (std::string_view next : others) {
    const SolveOptions left = remaining(options, result);
    if (!may_try_another(latest) || left.max_iterations == 0 || result.at_precision_limit) break;
    if (factors_are_near(result, space, a, m, options)) break;
    if (next == first.name) continue;
    const double memory = basis_memory(memory_left(options.mem_limit, m.bytes()));
    if (next == with_basis && !basis_is_affordable(static_cast<double>(a.rows()), sizeof(T), options.restart, memory)) {
      result.notes.push_back(std::string(next) + " wasn't tried: its basis would take over " + bytes_text(memory) +
                             "; a smaller restart makes it smaller");
      continue;
    }
    result.notes.push_back(why_next(latest, options.iterations_before, next));
    watch.forget();
    latest = go_on<Space, T>(next, latest, result, space, a, b, x, m, left);
  }
  return result;
}

}  // namespace ostinato::runs
