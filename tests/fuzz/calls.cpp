// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// Calls the API in random order: operators are made, applied, updated, moved and solved with, while their analyses and
// spaces come and go. Each product is compared with one in quadruple precision.
//
//   ostinato_fuzz_calls [--space host|cuda] [--trials N] [--seconds S] [--seed N] [--first N] [--threads N]
//
// The arguments and the exit code are those of ostinato_fuzz_solves.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/list.hpp>

#include "fuzz/random_system.hpp"

namespace ostinato::test {
namespace {

/// Calls on a few operators. `matrix` is what an operator has to hold.
template <class Space, class T>
class Calls {
 public:
  Calls(const std::vector<Space>& spaces, Trial& trial, Random& random)
      : spaces_(spaces), trial_(trial), random_(random), draw_(random) {}

  void run() {
    trial_.end = "done";
    trial_.what = is_single<T> ? "float" : "double";
    for (Index step = 4 + below(random_, 24); step > 0 && trial_.wrong.empty(); --step) {
      if (items_.empty() || draw_.one_in(6)) {
        make();
        continue;
      }
      Item& item = items_[static_cast<std::size_t>(below(random_, static_cast<Index>(items_.size())))];
      switch (below(random_, 9)) {
        case 0:
        case 1:
          apply(item);
          break;
        case 2:
          apply_dot(item);
          break;
        case 3:
          residual(item);
          break;
        case 4:
          update(item);
          break;
        case 5:
          update_refused(item);
          break;
        case 6:
          move(item);
          break;
        case 7:
          item.analysis.reset();
          say("drop the analysis");
          break;
        default:
          solve(item);
      }
    }
  }

 private:
  struct Item {
    std::shared_ptr<const Csr<T>> matrix;
    std::optional<Analysis<Space, T>> analysis;
    std::optional<Operator<Space, T>> op;

    const Space& space() const { return op->space(); }
  };

  void say(const std::string& text) { trial_.what += "; " + text; }

  /// A matrix with values of ordinary size, with which no product overflows.
  std::shared_ptr<const Csr<T>> matrix() {
    for (;;) {
      Csr<T> a = draw_.matrix();
      double largest = 0;
      for (const T v : a.val) largest = std::isfinite(v) ? std::max(largest, std::abs(double{v})) : HUGE_VAL;
      if (largest < 1e12) return std::make_shared<const Csr<T>>(std::move(a));
    }
  }

  void make() {
    Item item{matrix(), {}, {}};
    const Space& space = draw_.one_of(spaces_);
    FormatOptions options{.format = draw_.one_of(choices_of(format_list<Space, T>())), .jit = Jit::off};
    options.compress = draw_.one_of(std::vector<Compress>{Compress::off, Compress::on, Compress::automatic});
    say("make " + options.format + " n " + std::to_string(item.matrix->rows));
    try {
      if (draw_.one_in(3)) {
        item.op.emplace(space, Csr<T>(*item.matrix), options);
      } else if (draw_.one_in(3)) {
        Csr<T> given = *item.matrix;
        item.op.emplace(space, std::as_const(given), options);
        spoil(given);
      } else if (draw_.one_in(2)) {
        item.op.emplace(space, item.matrix->view(), options);
      } else {
        item.analysis.emplace(space, *item.matrix);
        item.op.emplace(*item.analysis, options);
      }
    } catch (const ArgumentError&) {
      return say("refused");  // a format that doesn't suit the matrix
    }
    if (items_.size() < 4) return items_.push_back(std::move(item));
    items_[static_cast<std::size_t>(below(random_, 4))] = std::move(item);
  }

  /// The operator owns what it needs of a Csr.
  static void spoil(Csr<T>& a) {
    std::fill(a.val.begin(), a.val.end(), std::numeric_limits<T>::quiet_NaN());
    std::fill(a.col.begin(), a.col.end(), Index{0});
  }

  std::vector<T> vector(const Item& item) {
    std::vector<T> v(static_cast<std::size_t>(item.matrix->rows));
    for (T& e : v) e = static_cast<T>(signed_unit(random_));
    return v;
  }

  /// Compares got with alpha A x + beta y. Each element may be off by the rounding of its own sum.
  void compare(const Item& item, const std::vector<T>& got, double alpha, const std::vector<T>& x, double beta,
               const std::vector<T>& y) {
    const Csr<T>& a = *item.matrix;
    for (std::size_t i = 0; i < got.size(); ++i) {
      __float128 sum = 0, size = 0;
      const auto begin = static_cast<std::size_t>(a.row_ptr[i]), end = static_cast<std::size_t>(a.row_ptr[i + 1]);
      for (std::size_t k = begin; k < end; ++k) {
        const __float128 term = static_cast<__float128>(a.val[k]) * x[static_cast<std::size_t>(a.col[k])];
        sum += term;
        size += term < 0 ? -term : term;
      }
      const double expected = static_cast<double>(alpha * sum) + (beta == 0 ? 0 : beta * double{y[i]});
      const double terms = std::abs(alpha) * static_cast<double>(size) + (beta == 0 ? 0 : std::abs(beta * y[i]));
      const double room = 2 * (static_cast<double>(end - begin) + 4) * std::numeric_limits<T>::epsilon() * terms +
                          64 * double{std::numeric_limits<T>::min()};
      if (std::abs(double{got[i]} - expected) <= room) continue;
      return trial_.fail(item.op->format() + ": row " + std::to_string(i) + " is " + number(got[i]) + ", not " +
                         number(expected));
    }
  }

  void apply(Item& item) {
    const std::vector<double> factors = {0, 1, -1, 2.5};
    const double alpha = draw_.one_of(factors), beta = draw_.one_of(factors);
    say("apply");
    const auto x = vector(item);
    auto y = vector(item);
    if (beta == 0) y.assign(y.size(), std::numeric_limits<T>::quiet_NaN());
    const Vector<Space, T> x_here(item.space(), std::span<const T>(x));
    Vector<Space, T> y_here(item.space(), std::span<const T>(y));
    item.op->apply(static_cast<T>(alpha), x_here, static_cast<T>(beta), y_here);
    compare(item, y_here.download(), alpha, x, beta, y);
  }

  void apply_dot(Item& item) {
    say("apply_dot");
    const auto x = vector(item), w = vector(item);
    const Vector<Space, T> x_here(item.space(), std::span<const T>(x)), w_here(item.space(), std::span<const T>(w));
    Vector<Space, T> y_here(item.space(), x.size());
    Vector<Space, double> slot(item.space(), 1, 0.0);
    item.op->apply_dot(x_here, y_here, w_here, slot.data());
    const auto y = y_here.download();
    compare(item, y, 1, x, 0, y);
    expect_dot(item, slot.download()[0], y, w);
  }

  void residual(Item& item) {
    const auto x = vector(item), b = vector(item);
    const Vector<Space, T> x_here(item.space(), std::span<const T>(x)), b_here(item.space(), std::span<const T>(b));
    Vector<Space, T> r_here(item.space(), x.size());
    Vector<Space, double> slot(item.space(), 1, 0.0);
    const bool accurate = draw_.one_in(2);
    say(accurate ? "accurate_residual" : "residual");
    if (!accurate) item.op->residual(x_here, b_here, r_here, slot.data());
    if (accurate && !item.op->accurate_residual(1, 1, x_here, b_here, r_here, slot.data())) return;
    const auto r = r_here.download();
    compare(item, r, -1, x, 1, b);
    expect_dot(item, slot.download()[0], r, r);
  }

  void expect_dot(const Item& item, double got, const std::vector<T>& v, const std::vector<T>& w) {
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      sum += double{v[i]} * double{w[i]};
      size += std::abs(double{v[i]} * double{w[i]});
    }
    // The product that goes into the dot product may not be rounded to T yet.
    const double room = 8 * (static_cast<double>(v.size()) + 8) * std::numeric_limits<T>::epsilon() * size;
    if (!(std::abs(got - sum) <= room + 1e-30))
      trial_.fail(item.op->format() + ": the dot product is " + number(got) + ", not " + number(sum));
  }

  /// New values in the same places, or as many entries in other places.
  void update(Item& item) {
    Csr<T> a = *item.matrix;
    const bool same_places = !draw_.one_in(4);
    if (same_places) {
      draw_.ordinary_sizes();
      for (T& v : a.val) v = draw_.one_in(8) ? T{0} : draw_.value();
    } else {
      shift_columns(a);
    }
    say(same_places ? "update_values" : "update_values in other places");
    auto next = std::make_shared<const Csr<T>>(std::move(a));
    try {
      if (draw_.one_in(3)) {
        item.op->update_values(next->view());
      } else if (draw_.one_in(2)) {
        Csr<T> given = *next;
        item.op->update_values(std::as_const(given));
        spoil(given);
      } else {
        item.op->update_values(Csr<T>(*next));
      }
    } catch (const ArgumentError&) {
      if (same_places) throw;
      say("refused");  // the format doesn't suit the matrix; the operator still holds the old one
      return apply(item);
    }
    if (item.analysis) old_.push_back(item.matrix);  // the analysis still refers to the old matrix
    item.matrix = std::move(next);
    expect_structure(item);
  }

  /// Moves the entries of each row by one column, in a circle.
  static void shift_columns(Csr<T>& a) {
    std::vector<Triplet<T>> triplets;
    for (Index i = 0; i < a.rows; ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
        triplets.push_back({i, (a.col[k] + 1) % a.cols, a.val[k]});
    }
    a = from_triplets<T>(a.rows, a.cols, triplets);
  }

  void expect_structure(const Item& item) {
    const Structure &s = item.op->structure(), expected = analyse(Host(), item.matrix->view());
    const auto say_wrong = [&](const char* what) {
      trial_.fail(item.op->format() + ": the structure is wrong in " + std::string(what));
    };
    if (s.symmetric != expected.symmetric) say_wrong("symmetric");
    if (s.finite != expected.finite) say_wrong("finite");
    if (s.positive_diagonal != expected.positive_diagonal) say_wrong("positive_diagonal");
    if (s.negative_diagonal != expected.negative_diagonal) say_wrong("negative_diagonal");
    if (s.constant_diagonal != expected.constant_diagonal) say_wrong("constant_diagonal");
    if (s.missing_diagonal != expected.missing_diagonal) say_wrong("missing_diagonal");
    if (!(std::abs(s.norm_inf - expected.norm_inf) <= 1e-12 * expected.norm_inf)) say_wrong("norm_inf");
  }

  /// A matrix of another size, which leaves the operator as it was.
  void update_refused(Item& item) {
    const auto other = matrix();
    if (other->rows == item.matrix->rows && other->val.size() == item.matrix->val.size()) return;
    say("update_values with another size");
    try {
      item.op->update_values(*other);
      trial_.fail("update_values took a matrix of another size");
    } catch (const ArgumentError&) {
    }
    apply(item);
  }

  void move(Item& item) {
    say("move");
    if (draw_.one_in(2)) {
      Operator<Space, T> elsewhere(std::move(*item.op));
      item.op.emplace(std::move(elsewhere));
    } else {
      Item& other = items_[static_cast<std::size_t>(below(random_, static_cast<Index>(items_.size())))];
      std::swap(item, other);
    }
  }

  void solve(Item& item) {
    const std::string solver = draw_.one_of(square_solvers());
    SolveOptions options = draw_.options();
    options.max_iterations = std::min(options.max_iterations, 60);
    say("solve with " + solver);
    const auto b = vector(item), guess = vector(item);
    const Vector<Space, T> b_here(item.space(), std::span<const T>(b));
    Vector<Space, T> x(item.space(), std::span<const T>(guess));
    const SolveResult result = ostinato::solve(item.space(), *item.op, std::span<const T>(b_here), std::span<T>(x),
                                               Identity{}, solver, options);
    say(result.message());
    judge(trial_, result, *item.matrix, x.download(), b, guess, options);
    trial_.end = "done";
  }

  const std::vector<Space>& spaces_;
  Trial& trial_;
  Random& random_;
  Draw<T> draw_;
  std::vector<std::shared_ptr<const Csr<T>>> old_;
  std::vector<Item> items_;
};

}  // namespace
}  // namespace ostinato::test

int main(int argc, char** argv) {
  using namespace ostinato::test;
  return fuzz(argc, argv, []<class Space>(const Space& space) {
    return [spaces = std::vector<Space>{space, Space()}]<class T>(T, Trial& trial, Random& random) {
      Calls<Space, T>(spaces, trial, random).run();
    };
  });
}
