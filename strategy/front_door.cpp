// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/front_door.hpp>

#include <span>
#include <utility>

#include <ostinato/solvers/recurrence/diagnosis.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/strategy/solve.hpp>
#include <ostinato/strategy/solver_on_device.hpp>

namespace ostinato::detail {

SolveResult with_whole_limit(SolveResult result, const SetUp& set_up, double time_limit) {
  if (result.cause == Cause::time_limit && !set_up.unfinished)
    result.take({Cause::time_limit, "the limit of " + short_text(time_limit) +
                                        " s, set-up included, was reached at iteration " +
                                        std::to_string(result.iterations)});
  return result;
}

template <class T>
Solution<T> solve_on_device(const CsrView<T>& a, In<T> b, const LinearSolverOptions& options) {
  if (b.size() != static_cast<std::size_t>(a.rows))
    throw DimensionError("solve: A is " + std::to_string(a.rows) + " x " + std::to_string(a.cols) + ", but b has " +
                         std::to_string(b.size()) + " elements");
  SolverOnDevice<T> system(a, options);
  Solution<T> s;
  s.x.assign(static_cast<std::size_t>(a.cols), T{0});
  static_cast<SolveResult&>(s) = std::move(system.solve_once(b, std::span<T>(s.x)).front());
  s.set_up = system.set_up();
  s.device = system.device();
  s.predicted = system.predicted();
  return s;
}

#define OSTINATO_INSTANTIATE(T) \
  template Solution<T> solve_on_device(const CsrView<T>&, In<T>, const LinearSolverOptions&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::detail
