// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/rate_steps.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato::multigrid {

/// The norm of what is left of an error in that of the error, from their squares; no less than `least`, below which it
/// is rounding. Not finite where a cycle overflows, or where a square in the norm of A is negative by more than
/// rounding: A isn't definite then.
inline double part_left(double left, double error, double least) {
  constexpr double rounding = 1e-3;
  if (!(error > 0 && left >= -rounding * error)) return HUGE_VAL;
  return std::max(least, std::sqrt(std::max(0.0, left) / error));
}

/// What cycles do to a random error.
struct Trial {
  double rate = 0;       ///< by what a cycle shrinks the error
  double next_rate = 0;  ///< by what another cycle shrinks what is left; tells more of what the coarse grid misses
};

/// Whether cycles for new values are nearly as good as those for the values that the interpolations were made for:
/// solves take at most some 1.5 times as many iterations. The powers are from measurements (docs/performance.md).
inline bool nearly_as_good(const Trial& now, const Trial& at_first, bool energy) {
  constexpr double nothing_left = 0.01, good = 0.1;
  if (now.rate <= nothing_left) return true;
  const double rate = std::max(good, at_first.next_rate), limit = std::pow(rate, energy ? 0.8 : 0.67);
  return now.rate < 1 && now.next_rate <= std::max(rate, limit);
}

/// The rate of a cycle on a random error, in the Euclidean norm. cycle(r, z) makes z = M^-1 r; `power`: by how much A
/// is larger for a cycle than it is.
/// Exec      Waits.
template <class Space, class T, class Cycle>
double rate_on_error(const Space& space, const CsrView<T>& a, double power, Cycle cycle) {
  const auto n = static_cast<std::size_t>(a.rows);
  const double size = std::abs(power);
  Vector<Space, T> r(space, n), z(space, n);
  Vector<Space, double> squares(space, 2);
  for_each(space, n, ProductOfRandom<T>{ostinato::detail::pattern_of(a), a.val.data(), power, r.data()});
  cycle(r, z);
  sum(space, n, RandomLeft<T>{{size, nullptr}, size, z.data()}, squares.data());
  const std::vector<double> values = squares.download();
  return part_left(values[0], values[1], 4 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

/// What a cycle does to a random error of n elements, and with `again` another cycle to what is left; in the norm of A
/// with `energy`. All in float: product(x, y) makes y = A x, cycle(r, z) makes z = M^-1 r.
/// Exec      Waits.
template <class Space, class Product, class Cycle>
Trial try_on_error(const Space& space, std::size_t n, bool energy, bool again, Product product, Cycle cycle) {
  Vector<Space, float> r(space, n), z(space, n), y(space, energy || again ? n : 0), before(space, again ? n : 0);
  Vector<Space, double> squares(space, again ? 4 : 2);  // of the error before and after a cycle
  const auto run = [&](const float* corrected, Slot<float> slot) {
    cycle(r, z);
    const ErrorLeft<float> error{1, corrected};
    if (energy || (corrected == nullptr && again)) product(z, y);
    if (energy) {
      sum(space, n, EnergyLeft{error, r.data(), z.data(), y.data()}, slot);
    } else {
      sum(space, n, RandomLeft<float>{error, 1, z.data()}, slot);
    }
  };
  for_each(space, n, FillRandomError{z.data()});
  product(z, r);
  run(nullptr, squares.data());
  if (again) {
    for_each(space, n, TakeProduct{y.data(), r.data()});
    std::swap(before, z);
    run(before.data(), squares.data() + 2);
  }
  const std::vector<double> values = squares.download();
  // The square in the norm of A is a difference of numbers of the size of the error's, that of the other norm isn't.
  constexpr double epsilon = std::numeric_limits<float>::epsilon();
  const double least = energy ? 4 * std::sqrt(epsilon) : 4 * epsilon;
  Trial trial{part_left(values[0], values[1], least)};
  if (again) trial.next_rate = part_left(values[2], values[3], least);
  return trial;
}

/// By what the last of some cycles shrinks a random error of n elements: what a smoother alone leaves is smooth after
/// some cycles, and hardly shrinks then. 0 where nothing is left. At most 0.999 where it is 1 but for rounding, as
/// where A is singular. The norm and the rest as for try_on_error().
/// Exec      Waits.
template <class Space, class Product, class Cycle>
double rate_of_repeated(const Space& space, std::size_t n, bool energy, Product product, Cycle cycle) {
  constexpr int cycles = 20;
  Vector<Space, float> e(space, n), r(space, n), z(space, n);
  Vector<Space, double> squares(space, 3);  // of the random error, and before and after the last cycle
  const auto note = [&](Slot<float> slot) { dot<float>(space, e, energy ? r : e, slot); };
  for_each(space, n, FillRandomError{e.data()});
  product(e, r);
  note(squares.data());
  for (int k = 0; k < cycles; ++k) {
    if (k + 1 == cycles) note(squares.data() + 1);
    cycle(r, z);
    for_each(space, n, TakeProduct{z.data(), e.data()});
    product(e, r);
  }
  note(squares.data() + 2);
  const std::vector<double> values = squares.download();
  constexpr double nothing = 1e-10, one = 1.01, below_one = 0.999;
  if (!(std::abs(values[1]) > nothing * values[0])) return 0;
  const double rate = part_left(values[2], values[1], 0);
  return rate < one ? std::min(rate, below_one) : rate;
}

}  // namespace ostinato::multigrid
