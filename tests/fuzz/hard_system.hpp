// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/base/scalar.hpp>

#include "fuzz/trials.hpp"
#include "support/dense_reference.hpp"
#include "support/exact_residual.hpp"
#include "support/matrices.hpp"

// Systems that a dense solver solves, and that are needlessly hard for iterations: singular ones with and without a
// solution, rows of very different size, symmetric but for rounding, rows that stand alone, redundant constraints,
// rectangular ones with columns of very different size. And the judge of what solve() made of them.

namespace ostinato::test {

/// A system of one of the kinds.
template <class T>
struct HardSystem {
  std::string kind;
  Csr<T> a;
  std::vector<T> b;
};

template <class T>
class DrawHard {
 public:
  explicit DrawHard(Random& random) : random_(random) {}

  HardSystem<T> system() {
    if (one_in(8)) return rectangular();
    using Kind = std::pair<const char*, std::vector<Triplet<double>> (DrawHard::*)()>;
    static const std::vector<Kind> kinds = {
        {"graph Laplacian", &DrawHard::laplacian}, {"B B^T", &DrawHard::gram},    {"digraph", &DrawHard::digraph},
        {"saddle point", &DrawHard::saddle},       {"chain", &DrawHard::chain},   {"grid", &DrawHard::grid},
        {"low rank", &DrawHard::low_rank},         {"random", &DrawHard::sparse}, {"dominant", &DrawHard::dominant}};
    const Kind& kind = kinds[static_cast<std::size_t>(below(random_, static_cast<Index>(kinds.size())))];
    std::vector<Triplet<double>> entries = (this->*kind.second)();
    std::string name = kind.first;
    if (one_in(4)) name += change(entries);
    HardSystem<T> made;
    made.a = from_triplets<T>(n_, n_, rounded(entries));
    made.b = right_hand_side(made.a, name);
    made.kind = name + ", n " + std::to_string(n_);
    return made;
  }

 private:
  bool one_in(Index n) { return below(random_, n) == 0; }
  double unit() { return signed_unit(random_); }
  double weight() { return 0.1 + std::abs(unit()); }
  double power_of_ten(double low, double high) { return std::pow(10, low + (high - low) * (unit() + 1) / 2); }
  void size(Index least, Index most) { n_ = least + below(random_, most - least + 1); }

  std::vector<Triplet<T>> rounded(const std::vector<Triplet<double>>& entries) const {
    std::vector<Triplet<T>> to;
    for (const auto& t : entries) to.push_back({t.row, t.col, static_cast<T>(t.val)});
    return to;
  }

  static void couple(std::vector<Triplet<double>>& to, Index i, Index j, double w) {
    to.insert(to.end(), {{i, i, w}, {j, j, w}, {i, j, -w}, {j, i, -w}});
  }

  /// Of a graph of one or more pieces.
  std::vector<Triplet<double>> laplacian() {
    size(2, 40);
    std::vector<Triplet<double>> to;
    const Index pieces = one_in(3) ? 1 + below(random_, 3) : 1;
    const bool whole = one_in(2);
    for (Index i = pieces; i < n_; ++i) {
      const Index j = pieces == 1 ? below(random_, i) : i - pieces;
      couple(to, i, j, whole ? 1 : weight());
      if (pieces == 1 && one_in(2) && i > 1) couple(to, i, below(random_, i), whole ? 1 : weight());
    }
    for (Index i = 0; i < std::min(pieces, n_); ++i) to.push_back({i, i, 0});
    return to;
  }

  /// A chain or ring of springs of any stiffness, free or held at an end.
  std::vector<Triplet<double>> chain() {
    size(3, 60);
    std::vector<Triplet<double>> to;
    const double jump = one_in(2) ? 0 : 6;
    for (Index i = 1; i < n_; ++i) couple(to, i, i - 1, one_in(3) ? power_of_ten(-jump, jump) : 1);
    if (one_in(2)) to.push_back({0, 0, one_in(2) ? 1 : power_of_ten(0, 30)});
    return to;
  }

  /// 5-point, with convection, a boundary of its own or none.
  std::vector<Triplet<double>> grid() {
    const Index side = 3 + below(random_, 7);
    n_ = side * side;
    std::vector<Triplet<double>> to;
    const double wind = one_in(2) ? 0 : power_of_ten(-2, 1);
    const bool rows_of_boundary = one_in(2), periodic = one_in(4);
    const auto at = [&](Index x, Index y) { return (x + side) % side + (y + side) % side * side; };
    for (Index y = 0; y < side; ++y) {
      for (Index x = 0; x < side; ++x) {
        const bool on_boundary = x == 0 || y == 0 || x == side - 1 || y == side - 1;
        if (rows_of_boundary && on_boundary) {
          to.push_back({at(x, y), at(x, y), one_in(2) ? 1.0 : 4.0});
          continue;
        }
        double own = 0;
        const auto beside = [&](Index dx, Index dy, double v) {
          const bool outside = x + dx < 0 || x + dx >= side || y + dy < 0 || y + dy >= side;
          if (outside && !periodic) return;
          own -= v;
          to.push_back({at(x, y), at(x + dx, y + dy), v});
        };
        beside(1, 0, -1 + wind / 2);
        beside(-1, 0, -1 - wind / 2);
        beside(0, 1, -1);
        beside(0, -1, -1);
        to.push_back({at(x, y), at(x, y), own});
      }
    }
    return to;
  }

  /// Positive semidefinite, of any rank.
  std::vector<Triplet<double>> gram() {
    size(2, 30);
    const Index k = 1 + below(random_, n_ + 3);
    const std::vector<double> b = block(n_, k, one_in(2));
    std::vector<Triplet<double>> to;
    for (Index i = 0; i < n_; ++i) {
      for (Index j = 0; j < n_; ++j) {
        double sum = 0;
        for (Index c = 0; c < k; ++c) sum += b[place(i, c, k)] * b[place(j, c, k)];
        if (sum != 0) to.push_back({i, j, sum});
      }
    }
    return to;
  }

  std::vector<Triplet<double>> low_rank() {
    size(2, 30);
    const Index k = 1 + below(random_, n_);
    const bool whole = one_in(2);
    const std::vector<double> u = block(n_, k, whole), v = block(k, n_, whole);
    std::vector<Triplet<double>> to;
    for (Index i = 0; i < n_; ++i) {
      for (Index j = 0; j < n_; ++j) {
        double sum = 0;
        for (Index c = 0; c < k; ++c) sum += u[place(i, c, k)] * v[place(c, j, n_)];
        if (sum != 0) to.push_back({i, j, sum});
      }
    }
    return to;
  }

  static std::size_t place(Index i, Index j, Index width) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(width) + static_cast<std::size_t>(j);
  }
  std::vector<double> block(Index rows, Index cols, bool whole) {
    std::vector<double> b(place(rows, 0, cols));
    for (double& v : b) v = one_in(2) ? 0 : whole ? static_cast<double>(below(random_, 5) - 2) : unit();
    return b;
  }

  std::vector<Triplet<double>> digraph() {
    size(2, 40);
    std::vector<Triplet<double>> to;
    const bool ones = one_in(2);
    for (Index k = below(random_, 4 * n_); k >= 0; --k)
      to.push_back({below(random_, n_), below(random_, n_), ones ? 1.0 : static_cast<double>(below(random_, 9) - 4)});
    return to;
  }

  /// [K B^T; B 0], where some constraints may be repeated.
  std::vector<Triplet<double>> saddle() {
    const Index k = 3 + below(random_, 25), m = 1 + below(random_, k / 2 + 1);
    n_ = k + m;
    std::vector<Triplet<double>> to;
    for (Index i = 0; i < k; ++i) to.push_back({i, i, 0.5 + weight()});
    for (Index i = 1; i < k; ++i) couple(to, i, below(random_, i), weight());
    std::vector<std::vector<std::pair<Index, double>>> rows;
    for (Index c = 0; c < m; ++c) {
      std::vector<std::pair<Index, double>> row;
      for (Index e = 0; e < 3; ++e) row.emplace_back(below(random_, k), unit());
      if (c > 0 && one_in(3)) row = rows[static_cast<std::size_t>(below(random_, c))];
      rows.push_back(row);
      for (const auto& [j, v] : row) to.insert(to.end(), {{k + c, j, v}, {j, k + c, v}});
    }
    return to;
  }

  std::vector<Triplet<double>> sparse() {
    size(1, 40);
    std::vector<Triplet<double>> to;
    for (Index i = 0; i < n_; ++i) {
      if (!one_in(12)) to.push_back({i, i, unit()});
      for (Index k = below(random_, 4); k > 0; --k) to.push_back({i, below(random_, n_), unit()});
    }
    return to;
  }

  std::vector<Triplet<double>> dominant() {
    size(1, 60);
    std::vector<Triplet<double>> to;
    const bool symmetric = one_in(2);
    for (Index i = 0; i < n_; ++i) {
      to.push_back({i, i, 8});
      for (Index k = below(random_, 3); k > 0; --k) {
        const Index j = below(random_, n_);
        const double v = unit();
        to.push_back({i, j, v});
        if (symmetric) to.push_back({j, i, v});
      }
    }
    return to;
  }

  /// More equations than unknowns or fewer, with columns of any size, of which some may depend on others.
  HardSystem<T> rectangular() {
    const double most = one_in(2) ? 0 : is_single<T> ? 5 : 12;
    const Index cols = 1 + below(random_, 30), rows = one_in(4) ? 1 + below(random_, cols) : cols + below(random_, 60);
    const bool full = one_in(2), depends = one_in(4);
    std::vector<Triplet<double>> entries;
    for (Index j = 0; j < cols; ++j) {
      const double size = power_of_ten(-most, most);
      const Index as = depends && j > 0 && one_in(4) ? below(random_, j) : j;
      if (as != j) {
        const auto before = entries;
        for (const auto& t : before)
          if (t.col == as) entries.push_back({t.row, j, t.val});
        continue;
      }
      for (Index k = full ? rows : 1 + below(random_, 5); k > 0; --k)
        entries.push_back({full ? k - 1 : below(random_, rows), j, size * unit()});
    }
    n_ = cols;
    HardSystem<T> made;
    made.a = from_triplets<T>(rows, cols, rounded(entries));
    std::string name = most > 0 ? "rectangular, scaled columns" : "rectangular";
    made.b = right_hand_side(made.a, name);
    made.kind = name + ", " + std::to_string(rows) + " x " + std::to_string(cols);
    return made;
  }

  /// Changes that a dense solver bears. Returns their name.
  std::string change(std::vector<Triplet<double>>& to) {
    switch (below(random_, 7)) {
      case 0:
        return scale(to, false);
      case 1:
        return scale(to, true);
      case 2:
        for (auto& t : to) t.val *= 1 + 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * unit();
        return ", symmetric but for rounding";
      case 3: {
        const Index i = below(random_, n_);
        std::erase_if(to, [i](const auto& t) { return t.row == i || t.col == i; });
        if (one_in(2)) to.push_back({i, i, 0});
        return ", a node alone";
      }
      case 4: {
        const Index i = below(random_, n_);
        std::erase_if(to, [i](const auto& t) { return t.row == i; });
        return ", an empty row";
      }
      case 5: {
        const Index i = below(random_, n_);
        std::erase_if(to, [i](const auto& t) { return t.row == i; });
        to.push_back({i, i, one_in(2) ? 1 : power_of_ten(-8, 8)});
        return ", a diagonal row";
      }
      default:
        to.push_back({below(random_, n_), below(random_, n_), power_of_ten(0, is_single<T> ? 15 : 30)});
        to.back().col = to.back().row;
        return ", a penalty";
    }
  }

  /// Rows and columns of other size: two kinds of unknowns, or any.
  std::string scale(std::vector<Triplet<double>>& to, bool both) {
    const double most = is_single<T> ? 5 : 12, other = power_of_ten(-most, most);
    const bool two = one_in(2), symmetric = both && one_in(2);
    std::vector<double> rows(static_cast<std::size_t>(n_), 1), cols = rows;
    for (Index i = 0; i < n_; ++i) {
      rows[static_cast<std::size_t>(i)] = two ? (i < n_ / 2 ? other : 1) : power_of_ten(-most, most);
      cols[static_cast<std::size_t>(i)] = !both       ? 1
                                          : symmetric ? rows[static_cast<std::size_t>(i)]
                                                      : power_of_ten(-most, most);
    }
    for (auto& t : to) t.val *= rows[static_cast<std::size_t>(t.row)] * cols[static_cast<std::size_t>(t.col)];
    return both ? ", scaled rows and columns" : ", scaled rows";
  }

  /// A x for an x of ordinary size, or that and something else.
  std::vector<T> right_hand_side(const Csr<T>& a, std::string& name) {
    std::vector<long double> x(static_cast<std::size_t>(n_));
    for (long double& v : x)
      v = static_cast<long double>(one_in(2) ? unit() : static_cast<double>(below(random_, 9)) - 4);
    std::vector<T> b(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < b.size(); ++i) {
      long double sum = 0;
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        sum += static_cast<long double>(a.val[k]) * x[static_cast<std::size_t>(a.col[k])];
      b[i] = static_cast<T>(sum);
    }
    if (!one_in(3)) return b;
    name += ", b with a part besides";
    const double part = power_of_ten(is_single<T> ? -3 : -7, 0);
    double size = 0;
    for (const T v : b) size = std::max(size, std::abs(static_cast<double>(v)));
    if (one_in(2)) {
      for (T& v : b) v += static_cast<T>(part * size * unit());
    } else {
      b[static_cast<std::size_t>(below(random_, a.rows))] += static_cast<T>(part * (size > 0 ? size : 1));
    }
    return b;
  }

  Random& random_;
  Index n_ = 1;
};

/// Whether a dense solver solves the system within `share` of ||b||, judged by exact sums.
template <class T>
bool dense_solves(const HardSystem<T>& s, double share) {
  for (const bool scale_rows : {true, false}) {
    constexpr double cut = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const std::vector<long double> x = DenseReference(s.a.view(), s.b, scale_rows, cut).x();
    const std::vector<T> rounded(x.begin(), x.end());
    if (!std::all_of(rounded.begin(), rounded.end(), [](T v) { return std::isfinite(v); })) continue;
    if (exact_residual(s.a.view(), rounded, s.b).relative <= share) return true;
  }
  return false;
}

/// Judges the end of a solve against the dense reference.
template <class T>
void judge_hard(Trial& trial, const HardSystem<T>& s, const SolveResult& r, const std::vector<T>& x, double rtol) {
  trial.end = to_string(r.status);
  const ExactResidual exact = exact_residual(s.a.view(), x, s.b);
  if (!std::all_of(x.begin(), x.end(), [](T v) { return std::isfinite(v); })) trial.fail("x isn't finite");
  if (r.status == Status::converged && !(exact.relative <= rtol * (1 + 1e-9)))
    trial.fail("converged, but the residual is truly " + number(exact.relative));
  if (!(exact.relative <= 1 + 1e-6)) trial.fail("x is farther than 0: " + number(exact.relative));
  const bool solvable = dense_solves(s, 0.3 * rtol);
  if (r.status == Status::least_squares) {
    if (solvable) trial.fail("called without a solution, and it has one");
    // Whether a small singular value counts is a matter of judgement between these bounds.
    constexpr double unit = std::numeric_limits<T>::epsilon();
    const double root = std::sqrt(unit);
    double least = 0;
    for (double cut = 16 * unit; cut < root; cut *= 2) {
      const DenseReference best(s.a.view(), s.b, false, cut);
      least = std::max(least, static_cast<double>(best.residual() / exact.b_norm));
    }
    if (!(exact.relative <= least * (1 + 1e-3) + rtol))
      trial.fail("least squares " + number(exact.relative) + ", the least is " + number(least));
  } else if (r.status != Status::converged && solvable) {
    trial.end = "unsolved, though a dense solver solves it";
  } else if (r.status != Status::converged) {
    trial.end += " (a dense solver doesn't solve it, either)";
  }
}

}  // namespace ostinato::test
