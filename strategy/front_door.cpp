// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/front_door.hpp>

#include <span>
#include <utility>

#include <ostinato/solvers/recurrence/diagnosis.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/gpu_context.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/strategy/device.hpp>
#include <ostinato/strategy/linear_solver.hpp>
#include <ostinato/strategy/solve.hpp>

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
  const Host host;
  const DeviceChoice choice = choose_device(options.device, size_of(a), host, has_gpu_context());
  const auto open = [&] { return Cuda(choice.gpu); };
  return with_device(choice, host, open, [&]<class Space>(const Space& space) {
    const Stopwatch watch;
    LinearSolverOptions of_system = options;
    of_system.device = "auto";
    LinearSolver<Space, T> system(space, a, std::move(of_system));
    const Vector<Space, T> on_space(space, b);
    Vector<Space, T> x(space, static_cast<std::size_t>(a.cols), T{0});
    Solution<T> s;
    static_cast<SolveResult&>(s) = with_whole_limit(system.solve(on_space, x, after(watch, options.solve)),
                                                    system.set_up(), options.solve.time_limit);
    s.x = x.download();
    s.set_up = system.set_up();
    s.device = space.description();
    s.predicted = choice.predicted;
    return s;
  });
}

#define OSTINATO_INSTANTIATE(T) \
  template Solution<T> solve_on_device(const CsrView<T>&, In<T>, const LinearSolverOptions&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::detail
