// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/front_door.hpp>

#include <span>
#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/strategy/device.hpp>
#include <ostinato/strategy/linear_solver.hpp>
#include <ostinato/strategy/solve.hpp>

namespace ostinato::detail {

template <class T>
Solution<T> solve_on_device(const CsrView<T>& a, In<T> b, const LinearSolverOptions& options) {
  if (b.size() != static_cast<std::size_t>(a.rows))
    throw DimensionError("solve: A is " + std::to_string(a.rows) + " x " + std::to_string(a.cols) + ", but b has " +
                         std::to_string(b.size()) + " elements");
  return with_device(options.device, Host(), [&]<class Space>(const Space& space) {
    const Stopwatch watch;
    LinearSolverOptions of_system = options;
    of_system.device = "auto";
    LinearSolver<Space, T> system(space, a, std::move(of_system));
    const Vector<Space, T> on_space(space, b);
    Vector<Space, T> x(space, static_cast<std::size_t>(a.cols), T{0});
    Solution<T> s;
    static_cast<SolveResult&>(s) = system.solve(on_space, x, after(watch, options.solve));
    s.x = x.download();
    s.set_up = system.set_up();
    s.device = space.description();
    return s;
  });
}

#define OSTINATO_INSTANTIATE(T) \
  template Solution<T> solve_on_device(const CsrView<T>&, In<T>, const LinearSolverOptions&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::detail
