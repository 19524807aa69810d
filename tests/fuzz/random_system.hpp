// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/base/scalar.hpp>

#include "fuzz/trials.hpp"
#include "support/exact_residual.hpp"
#include "support/matrices.hpp"
#include "support/systems.hpp"

// Random systems of 1 to 1500 rows, and the judge of how a solve ended. The numbers are of all sizes; the systems are
// also singular, indefinite, with zero diagonals, empty and repeated rows, and NaN.

namespace ostinato::test {

/// Draws the systems of one value type.
template <class T>
class Draw {
 public:
  explicit Draw(Random& random) : random_(random) {}

  bool one_in(Index n) { return below(random_, n) == 0; }
  template <class Values>
  auto one_of(const Values& values) {
    return values[static_cast<std::size_t>(below(random_, static_cast<Index>(values.size())))];
  }
  double power_of_ten(double low, double high) {
    return std::pow(10, low + (high - low) * (signed_unit(random_) + 1) / 2);
  }

  /// A value whose size is drawn from around 10^centre.
  T value() {
    const double size = power_of_ten(centre_ - spread_, centre_ + spread_);
    return static_cast<T>(
        std::clamp<double>(whole_ ? std::round(4 * signed_unit(random_)) * size : signed_unit(random_) * size,
                           -std::numeric_limits<T>::max(), std::numeric_limits<T>::max()));
  }

  /// Sizes for the values that follow: mostly ordinary, sometimes any that T has.
  void new_sizes() {
    const double most = std::numeric_limits<T>::max_exponent10;
    centre_ = one_in(3) ? most * signed_unit(random_) : 0;
    spread_ = one_in(3) ? power_of_ten(0, 1.5) : one_in(2) ? 0 : 1;
    whole_ = spread_ == 0 && one_in(3);
  }

  void ordinary_sizes() {
    centre_ = 0;
    spread_ = one_in(2) ? 0 : 1;
    whole_ = one_in(3);
  }

  /// Sizes for the values that follow: all that T has.
  void all_sizes() {
    centre_ = 0;
    spread_ = std::numeric_limits<T>::max_exponent10;
    whole_ = false;
  }

  Csr<T> matrix() {
    new_sizes();
    if (one_in(12)) all_sizes();
    if (one_in(5)) return on_a_grid();
    const Index n = one_in(3) ? 1 + below(random_, 5) : one_in(8) ? 65 + below(random_, 300) : 1 + below(random_, 60);
    const bool symmetric = one_in(2), dominant = one_in(2), zero_diagonal = one_in(8);
    const Index per_row = 1 + below(random_, one_in(4) ? n : 6);
    std::vector<Triplet<T>> triplets;
    for (Index i = 0; i < n; ++i) {
      if (one_in(60)) continue;
      if (!zero_diagonal || one_in(3)) triplets.push_back({i, i, dominant ? largest_diagonal(per_row, n) : value()});
      for (Index k = below(random_, per_row + 1); k > 0; --k) {
        const Index j = one_in(2) ? below(random_, n) : std::clamp<Index>(i + below(random_, 5) - 2, 0, n - 1);
        const T v = value();
        triplets.push_back({i, j, v});
        if (symmetric && i != j) triplets.push_back({j, i, v});
      }
    }
    if (one_in(6)) heavy_row(triplets, n);
    if (one_in(12)) repeat_row(triplets, n);
    if (one_in(12)) grade(triplets, n);
    Csr<T> a = from_triplets<T>(n, n, triplets);
    if (one_in(60) && !a.val.empty())
      a.val[static_cast<std::size_t>(below(random_, static_cast<Index>(a.val.size())))] = odd();
    return a;
  }

  /// A matrix on a grid of 4 to 500 points: with random values, or couplings of one sign that add up to the diagonal,
  /// as multigrid likes it; constant or not, symmetric or not, with or without a boundary, periodic or not, with one to
  /// three unknowns a point.
  Csr<T> on_a_grid() {
    const Index dimensions = 1 + below(random_, 3), most = dimensions == 1 ? 400 : dimensions == 2 ? 18 : 4;
    const auto side = [&](Index axis) { return axis < dimensions ? 4 + below(random_, most) : 1; };
    const Extents e{side(0), side(1), side(2)};
    const bool star = one_in(2), constant = one_in(2), summed = !one_in(3), symmetric = one_in(2), open = one_in(3);
    const double extra = one_in(2) ? 0 : power_of_ten(-8, 1);
    const Index around = one_in(4) ? 1 + below(random_, 7) : 0;
    std::vector<Triplet<T>> triplets;
    T coupling[27];
    for (T& c : coupling) c = value();
    std::vector<T> diagonal(e.points());
    for (Index i = 0; i < static_cast<Index>(e.points()); ++i) {
      const Index x = i % e.x, y = i / e.x % e.y, z = i / e.x / e.y;
      for (int k = 0; k < 27; ++k) {
        const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
        if (k == 13 || (star && std::abs(dx) + std::abs(dy) + std::abs(dz) > 1)) continue;
        if ((dy != 0 && e.y == 1) || (dz != 0 && e.z == 1) || (symmetric && k < 13)) continue;
        const T drawn = constant ? coupling[k] : value(), v = summed ? std::abs(drawn) : drawn;
        const auto along = [around](Index at, Index n, int bit) { return around & bit ? (at + n) % n : at; };
        const Index nx = along(x + dx, e.x, 1), ny = along(y + dy, e.y, 2), nz = along(z + dz, e.z, 4);
        const bool inside = e.contains(nx, ny, nz);
        if (inside || !open) diagonal[static_cast<std::size_t>(i)] += v;
        if (!inside) continue;
        const auto j = static_cast<Index>(e.number(nx, ny, nz));
        triplets.push_back({i, j, -v});
        if (symmetric) triplets.push_back({j, i, -v});
        if (symmetric) diagonal[static_cast<std::size_t>(j)] += v;
      }
    }
    for (Index i = 0; i < static_cast<Index>(e.points()); ++i) {
      const T own = diagonal[static_cast<std::size_t>(i)];
      triplets.push_back({i, i, summed ? own + static_cast<T>(extra) * own : value()});
    }
    const Csr<T> a = from_triplets<T>(static_cast<Index>(e.points()), static_cast<Index>(e.points()), triplets);
    return one_in(3) ? with_unknowns(a, 2 + below(random_, 2), one_in(2), power_of_ten(-4, 0.5)) : a;
  }

  std::vector<T> vector(Index n) {
    if (!one_in(2)) new_sizes();
    std::vector<T> v(static_cast<std::size_t>(n));
    if (one_in(30)) return v;
    for (T& e : v) e = value();
    if (one_in(100)) v[static_cast<std::size_t>(below(random_, n))] = odd();
    return v;
  }

  SolveOptions options() {
    SolveOptions o;
    o.rtol = one_in(20) ? 0 : power_of_ten(is_single<T> ? -9 : -18, -1);
    if (one_in(10)) o.atol = power_of_ten(-20, 5);
    o.max_iterations = one_in(10) ? below(random_, 5) : 400;
    o.restart = 1 + below(random_, 50);
    o.check_every = one_in(2) ? 0 : 1 + below(random_, 70);
    o.flexible = one_in(4);
    o.history = !one_in(4);
    return o;
  }

 private:
  T largest_diagonal(Index per_row, Index n) {
    const double size = power_of_ten(centre_ - spread_, centre_ + spread_) * (4 * per_row + n * 0.1);
    return static_cast<T>(std::min<double>(size, std::numeric_limits<T>::max()));
  }
  T odd() {
    using Limits = std::numeric_limits<T>;
    return one_of(
        std::vector<T>{Limits::quiet_NaN(), Limits::infinity(), Limits::max(), Limits::denorm_min(), T{-0.0}});
  }
  /// A row whose large terms may cancel.
  void heavy_row(std::vector<Triplet<T>>& triplets, Index n) {
    const Index row = below(random_, n), terms = one_in(3) ? n : 2;
    const double size =
        power_of_ten(centre_, std::min<double>(centre_ + 13, std::numeric_limits<T>::max_exponent10 - 2));
    for (Index k = 0; k < terms; ++k)
      triplets.push_back(
          {row, below(random_, n), static_cast<T>((k < terms / 2 ? size : -size) * (1 + one_in(2) * 0.25))});
  }
  void repeat_row(std::vector<Triplet<T>>& triplets, Index n) {
    const Index from = below(random_, n), to = below(random_, n);
    std::vector<Triplet<T>> copied;
    for (const Triplet<T>& t : triplets) {
      if (t.row == from) copied.push_back({to, t.col, t.val});
    }
    triplets.erase(std::remove_if(triplets.begin(), triplets.end(), [to](const auto& t) { return t.row == to; }),
                   triplets.end());
    triplets.insert(triplets.end(), copied.begin(), copied.end());
  }

  /// Makes the values smaller from row to row and from column to column.
  void grade(std::vector<Triplet<T>>& triplets, Index n) {
    const double step =
        power_of_ten(-1, 0) * std::numeric_limits<T>::max_exponent10 / (2.0 * std::max<Index>(1, n - 1));
    for (Triplet<T>& t : triplets) {
      const double power = std::pow(10, -step * (static_cast<double>(t.row) + static_cast<double>(t.col)));
      t.val = static_cast<T>(static_cast<double>(t.val) * power);
    }
  }

  Random& random_;
  double centre_ = 0, spread_ = 0;
  bool whole_ = false;
};

template <class Values>
bool all_finite(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](auto v) { return std::isfinite(v); });
}

/// Compares the backward error with the exact one. The residual that it was formed with may be off by its rounding in
/// T, (k + 2) u (|A| |x| + |b|) for rows of up to k entries, and ||(|A| |x|)|| is at most sqrt(n) ||A||_inf ||x||. A
/// residual that wasn't computed with twice the digits has an estimate of that rounding added to it, which takes as
/// much again.
template <class T>
void judge_backward_error(Trial& trial, const SolveResult& r, const Csr<T>& a, const ExactResidual& exact) {
  // A norm beyond the range of double is taken for a smaller one.
  if (exact.a_norm > std::numeric_limits<double>::max()) return;
  if (r.status == Status::not_finite) return;
  if (!std::isfinite(r.residual) && std::isnan(r.backward_error)) return;  // both are beyond the range of double
  Offset longest = 0;
  for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) longest = std::max(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
  const double rounding = std::numeric_limits<T>::epsilon() / 2 * (static_cast<double>(longest) + 2) *
                          std::sqrt(static_cast<double>(a.rows));
  if (!(std::abs(r.backward_error - exact.backward) <= 2 * rounding + 1e-6 * exact.backward))
    trial.fail("backward error " + number(r.backward_error) + ", not " + number(exact.backward));
}

/// x mustn't be farther from the solution than the guess.
template <class T>
void judge_against_guess(Trial& trial, const SolveResult& r, const Csr<T>& a, const std::vector<T>& x,
                         const std::vector<T>& b, const std::vector<T>& guess) {
  if (r.status == Status::converged || !all_finite(a.val) || !all_finite(b) || !all_finite(guess)) return;
  const long double before = exact_residual(a.view(), guess, b).norm, after = exact_residual(a.view(), x, b).norm;
  if (before <= std::numeric_limits<T>::max() && !(after <= before * (1 + 1e-6)))
    trial.fail("||b - A x|| " + number(static_cast<double>(after)) + ", of the guess " +
               number(static_cast<double>(before)));
}

/// Checks what has to be true of every end. The residual is exact.
template <class T>
void judge(Trial& trial, const SolveResult& r, const Csr<T>& a, const std::vector<T>& x, const std::vector<T>& b,
           const std::vector<T>& guess, const SolveOptions& options) {
  trial.end = to_string(r.status);
  const bool input_is_finite = all_finite(a.val) && all_finite(b) && all_finite(guess);
  const ExactResidual exact = exact_residual(a.view(), x, b);
  const long double goal = std::max<long double>(options.rtol * exact.b_norm, options.atol);
  if (r.status == Status::converged) {
    if (!input_is_finite && !(exact.norm <= goal)) trial.fail("converged with input that isn't finite");
    if (!(exact.norm <= goal * (1 + 1e-9)) && !(exact.relative <= options.rtol * (1 + 1e-9)))
      trial.fail("converged, but the residual is truly " + number(exact.relative) + " ||b||");
  }
  if (input_is_finite && !all_finite(x)) trial.fail("x isn't finite");
  if (r.iterations < 0 || r.iterations > options.max_iterations) trial.fail("iterations " + number(r.iterations));
  if (options.history && r.history.size() != static_cast<std::size_t>(r.iterations) + 1)
    trial.fail("length of history");
  if (input_is_finite) judge_backward_error(trial, r, a, exact);
}

}  // namespace ostinato::test
