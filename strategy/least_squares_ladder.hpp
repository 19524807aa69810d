// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/solvers/methods/lsmr.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/dense/least_squares.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/strategy/runs.hpp>
#include <ostinato/strategy/step.hpp>

// LSMR with stronger preconditioners, where the first one is slow or leaves a doubt.

namespace ostinato::runs {

/// A solve by LSMR. With a preconditioner that is for least squares and has a stronger one (LeastSquaresPreconditioner
/// that chose by itself), LSMR goes on with that one when it has iterated for as long as the stronger one takes to be
/// made, by a prediction: so the result doesn't depend on a clock. Where that is cheap, complete factors of A^T A also
/// check a least squares solution: a gradient within the tolerance says little of columns that nearly depend on each
/// other.
///
/// Where columns depend on each other, the x of least norm is looked for without a preconditioner, which finds it. A
/// preconditioner of A A^T does, too, but only where A x = b has a solution: otherwise LSMR goes on without.
template <class Space, class T>
class LeastSquaresLadder {
 public:
  LeastSquaresLadder(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x, const SolveOptions& options)
      : space_(space), a_(a), b_(b), x_(x), options_(options), guess_(copied(x)), is_wide_(a.cols() > a.rows()) {}

  SolveResult climb(const PreconditionerRef<Space, T>& m) {
    used_ = m;
    const double cost = m.for_least_squares() && options_.effort != Effort::quick ? stronger_seconds(m) : 0;
    if (cost == 0) return finished(run(m, options_), m);
    const int patience = iterations_of(cost);
    SolveResult all = run(m, limited(options_, patience));
    const bool is_cheap = !is_wide_ && is_cheap_beside(cost, all);
    const bool is_doubtful = all.status == Status::least_squares && is_cheap;
    if (!is_doubtful && !may_go_on(all, is_cheap)) return finished(std::move(all), m);
    const auto next = stronger(m, all);
    const bool depends = next && !is_wide_ && columns_depend(*next);
    if (next && is_doubtful) {
      if (!depends) check(all, *next, m);  // otherwise a smaller ||b - A x|| would be the work of rounding
    } else if (next) {
      go_on(all, *next, remaining(options_, all), false);
    } else if (may_go_on(all)) {
      go_on(all, m, remaining(options_, all), true);
    }
    if (depends && all) take_least_x(all, patience);
    if (depends && all.status == Status::least_squares) all.take(Lsmr::least_squares(false));
    return finished(std::move(all), m);
  }

 private:
  SolveResult run(const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
    return Lsmr::run<Space, T>(space_, a_, b_, x_, m, options);
  }

  static SolveOptions limited(SolveOptions options, int iterations) {
    options.max_iterations = std::min(options.max_iterations, iterations);
    return options;
  }

  Vector<Space, T> copied(In<T> x) const { return runs::copied<Space, T>(space_, x); }

  /// LSMR's iterations in a time, by the bytes that they move: 4 GB/s on a CPU, a tenth of the peak for the small
  /// matrices on a GPU whose factors are a matter of milliseconds.
  int iterations_of(double seconds) const {
    constexpr int fewest = 20;
    constexpr double index = 4, launches = 40e-6, on_cpu = 4e9;
    const auto rows = static_cast<double>(a_.rows()), cols = static_cast<double>(a_.cols());
    const Facts* const s = a_.facts();
    const double entries = s != nullptr ? static_cast<double>(s->nonzeros) : 0;
    const double bytes = 2 * (sizeof(T) + index) * entries + sizeof(T) * (3 * rows + 9 * cols);
    double iteration = 2e-6 + bytes / on_cpu;
    if constexpr (Space::has_streams) iteration = launches + bytes / space_.bandwidth();
    return std::max(fewest, static_cast<int>(std::min(1e9, seconds / iteration)));
  }

  bool is_cheap_beside(double cost, const SolveResult& all) const {
    constexpr double little = 20e-3;
    return cost <= little || iterations_of(cost) <= 2 * all.iterations;
  }

  /// Whether another preconditioner may help. Where it isn't cheap, a gradient at the limit of the precision is enough.
  bool may_go_on(const SolveResult& all, bool is_cheap = false) const {
    const SolveOptions left = remaining(options_, all);
    const bool is_over = left.max_iterations == 0 || (options_.time_limit > 0 && all.seconds >= options_.time_limit);
    return !all && !is_over && (is_cheap || !all.at_precision_limit) && std::isfinite(all.relative_residual) &&
           (all.status == Status::iteration_limit || all.status == Status::stagnated ||
            all.status == Status::breakdown);
  }

  /// Asks, while a preconditioner is made, whether the time is over or the caller wants an end.
  struct Asking {
    const SolveOptions& options;
    const SolveResult& all;
    const Stopwatch& watch;
    mutable double called = 0;

    bool stop_requested() const {
      constexpr double between = 0.25;  // two calls of the callback
      const double seconds = watch.seconds(), now = all.seconds + seconds;
      if (options.time_limit > 0 && now >= options.time_limit) return true;
      if (options.stop.is_made()) return true;
      if (!options.callback || seconds < called + between) return false;
      called = seconds;
      return !options.callback({all.iterations, all.relative_residual, now});
    }
  };

  /// Makes what is stronger than m. Null where that can't be made, with a note, or where the caller wants an end.
  const PreconditionerBase<Space, T>* stronger(const PreconditionerRef<Space, T>& m, SolveResult& all) {
    const Stopwatch watch;
    std::vector<Refusal> refused;
    const PreconditionerBase<Space, T>* next = nullptr;
    const PreconditionerStep<Space, T>* const step = step_of(m);
    if (step == nullptr) return nullptr;
    try {
      next = step->stronger({.thorough = options_.effort == Effort::thorough,
                             .seconds = options_.time_limit > 0 ? options_.time_limit - all.seconds : HUGE_VAL,
                             .mem_limit = options_.mem_limit,
                             .stop = Asking{options_, all, watch}},
                            refused);
    } catch (const Stopped&) {
      all.seconds += watch.seconds();
      stop_while_making(all);
      return nullptr;
    }
    space_.wait();
    const double seconds = watch.seconds();
    all.seconds += seconds;
    all.setup_seconds += seconds;
    made_ =
        next ? next->remarks() + ", " + bytes_text(static_cast<double>(next->bytes())) + ", in " + seconds_text(seconds)
             : std::string();
    if (!next && !refused.empty() && !all) all.notes.push_back("nothing stronger: " + ostinato::text_of(refused));
    return next;
  }

  void stop_while_making(SolveResult& all) const {
    if (all) return;
    const bool late = options_.time_limit > 0 && all.seconds >= options_.time_limit;
    all.notes.emplace_back("a stronger preconditioner was being made when the solve was stopped");
    all.status = late ? Status::time_limit : Status::interrupted;
    all.take(stopped_meanwhile(all, options_));
  }

  /// Goes on from x. `same`: with the preconditioner before.
  void go_on(SolveResult& all, const PreconditionerRef<Space, T>& m, const SolveOptions& options, bool same) {
    const std::string before = text_of(used_);
    if (!same) {
      const std::string ended =
          all.status == Status::iteration_limit
              ? " wasn't there after " + std::to_string(options_.iterations_before + all.iterations) + " iterations"
              : " ended as " + in_words(all.status) + " at iteration " +
                    std::to_string(options_.iterations_before + all.iterations) + " (" + all.reason + ")";
      all.notes.push_back(before + ended + "; went on with " + name_of(m) + (made_.empty() ? "" : " (" + made_ + ")"));
    }
    const Vector<Space, T> x = copied(x_);
    SolveResult more = try_run(all, m, options);
    if (!is_worth(more, all)) copy<T>(space_, x, x_);
    take(all, std::move(more), m);
  }

  /// A run that finds no memory ends as the one before.
  SolveResult try_run(const SolveResult& all, const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
    SolveResult none = all;
    none.iterations = 0;
    none.seconds = none.setup_seconds = 0;
    none.history.clear();
    none.stages.clear();
    try {
      const int enough = m.is_complete() ? 500 + 4 * static_cast<int>(x_.size()) : options.max_iterations;
      SolveResult more = run(m, limited(options, enough));
      if (more.status == Status::iteration_limit && more.iterations < options.max_iterations) {
        more.status = Status::stagnated;
        const char* const what = is_wide_ ? "A x = b may have no solution" : "columns of A nearly depend on each other";
        more.take({Cause::nearly_singular,
                   "complete factors didn't get there in " + std::to_string(more.iterations) + " iterations: " + what});
      }
      return more;
    } catch (const std::bad_alloc&) {
      none.notes = {name_of(m) + " wasn't applied: not enough memory"};
    } catch (const DeviceError& e) {
      none.notes = {name_of(m) + " wasn't applied: " + e.what()};
    }
    return none;
  }

  /// Whether the x of `more` is better than that of `all`: it solves the problem, or its residual is clearly smaller.
  bool is_worth(const SolveResult& more, const SolveResult& all) const {
    const double now = more.relative_residual, before = all.relative_residual;
    if (!std::isfinite(now)) return false;
    if (all)
      return now < before * (1 - std::max(options_.rtol, least_share)) || (more && now <= before * (1 + least_share));
    return more || now <= before;
  }
  static constexpr double least_share = is_single<T> ? 1e-4 : 1e-8;  ///< of a residual, that counts

  /// Takes what a run with m came to.
  void take(SolveResult& all, SolveResult more, const PreconditionerRef<Space, T>& m) {
    const bool worth = is_worth(more, all);
    count(all, more);
    const bool is_end = !all && !more;  // x is that of the run before, and the end that of the last
    if (worth || is_end) take_ending(all, more);
    if (!worth) return;
    take_residual(all, more);
    all.preconditioner = more.preconditioner;
    all.preconditioner_bytes = more.preconditioner_bytes;
    used_ = m;
  }

  /// Looks whether another x makes ||b - A x|| smaller, with complete factors.
  void check(SolveResult& all, const PreconditionerRef<Space, T>& next, const PreconditionerRef<Space, T>& m) {
    const Vector<Space, T> x = copied(x_);
    SolveResult more = try_run(all, next, remaining(options_, all));
    const bool is_taken = is_worth(more, all) && more.iterations > 0;
    const bool is_smaller = more.relative_residual < all.relative_residual * (1 - least_share);
    const std::string made = name_of(next) + " (" + made_ + ")";
    all.notes.push_back(
        is_taken && is_smaller
            ? name_of(m) + " ended within the tolerance, but " + made + " finds an x with a smaller ||b - A x||"
            : made + " finds no x with a smaller ||b - A x||" + (is_taken ? ", and x more exactly" : ""));
    if (!is_taken) {
      copy<T>(space_, x, x_);
      if (more && next.is_complete()) all.take({more.cause, more.reason});
      return count_alone(all, more);
    }
    take(all, std::move(more), next);
  }

  /// Looks for the x that is nearest to the guess, where columns depend on each other.
  void take_least_x(SolveResult& all, int patience) {
    if (used_.is_identity()) return;
    const SolveOptions left = limited(remaining(options_, all), patience + 2 * all.iterations);
    const Vector<Space, T> x = copied(x_);
    copy<T>(space_, guess_, x_);
    const PreconditionerRef<Space, T> none;
    SolveResult more = try_run(all, none, left);
    const bool found = more.status == all.status && more.relative_residual <= all.relative_residual * (1 + least_share);
    if (!found) copy<T>(space_, x, x_);
    count_alone(all, more);
    all.notes.emplace_back(
        found ? "columns of A depend on each other; of all x with as small a ||b - A x||, x is the one nearest to the "
                "guess, by lsmr without a preconditioner"
              : "columns of A depend on each other: other x make ||b - A x|| as small, and x isn't the one of the "
                "smallest norm; preconditioner none looks for that");
    if (!found) return;
    take_residual(all, more);
    all.preconditioner = more.preconditioner;
    all.preconditioner_bytes = more.preconditioner_bytes;
  }

  static void count_alone(SolveResult& all, SolveResult& more) {
    more.notes.clear();
    count(all, more);
  }

  /// Whether a combination of columns is 0 up to rounding: inverse iteration with M, which is nearly A^T A, finds it.
  bool columns_depend(const PreconditionerRef<Space, T>& m) const {
    const std::span<const double> known = a_.column_norms();
    if (known.empty() || m.rows() != known.size()) return false;
    std::vector<double> norms(known.size());
    space_.download(norms.data(), known.data(), known.size_bytes());
    std::vector<T> y(norms.size());
    for (std::size_t j = 0; j < y.size(); ++j)
      y[j] = static_cast<T>(norms[j] > 0 ? (j * j % 7 < 3 ? 1.0 : -0.7) / norms[j] : 0);
    Vector<Space, T> g(space_, y.size()), z(space_, y.size()), image(space_, b_.size());
    constexpr int steps = 8;
    for (int step = 0; step < steps; ++step) {
      if (!(normalise(y, norms) > 0)) return false;
      for (std::size_t j = 0; j < y.size(); ++j)
        y[j] = static_cast<T>(norms[j] * (norms[j] * static_cast<double>(y[j])));
      g.upload(y);
      m.apply(g, z.span());
      y = z.download();
    }
    if (!(normalise(y, norms) > 0)) return false;
    z.upload(y);
    a_.apply(z, image.span());
    Vector<Space, double> slot(space_, 1);
    return norm_of<T>(space_, image, image.span(), slot.data()) <= 100 * std::numeric_limits<T>::epsilon();
  }

  /// Makes sum_j (||a_j|| y_j)^2 = 1. Returns the root of what it was.
  static double normalise(std::vector<T>& y, const std::vector<double>& norms) {
    double squares = 0;
    for (std::size_t j = 0; j < y.size(); ++j) squares += std::pow(norms[j] * static_cast<double>(y[j]), 2);
    const double length = std::sqrt(squares);
    if (!(length > 0) || !std::isfinite(length)) return 0;
    for (T& v : y) v = static_cast<T>(static_cast<double>(v) / length);
    return length;
  }

  /// Goes on from the x of a dense factorisation where nothing else got there, and the problem is small.
  void try_dense(SolveResult& all) {
    constexpr std::size_t most = 200;
    const std::size_t rows = a_.rows(), cols = a_.cols();
    if (options_.effort == Effort::quick || !may_go_on(all, true) || std::max(rows, cols) > most ||
        !has_dense_least_squares())
      return;
    std::vector<double> a, b;
    std::vector<T> unit(cols, T{0});
    Vector<Space, T> image(space_, rows);
    const auto add = [](std::vector<double>& to, const std::vector<T>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    for (std::size_t j = 0; j < cols; ++j) {
      unit[j] = T{1};
      a_.apply(Vector<Space, T>(space_, std::span<const T>(unit)), image);
      add(a, image.download());
      unit[j] = T{0};
    }
    add(b, copied(b_).download());
    constexpr double cut = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const DenseSolution found =
        dense_least_squares(static_cast<int>(rows), static_cast<int>(cols), std::move(a), std::move(b), cut);
    const Vector<Space, T> before = copied(x_);
    const std::vector<T> x(found.x.begin(), found.x.end());
    space_.upload(x_.data(), x.data(), x_.size_bytes());
    space_.wait();
    SolveResult more = try_run(all, {}, remaining(options_, all));
    if (!is_worth(more, all)) {
      copy<T>(space_, before, x_);
      return count_alone(all, more);
    }
    all.notes.push_back(text_of(used_) + " ended as " + in_words(all.status) + " (" + all.reason +
                        "); went on from the x of a dense factorisation");
    take(all, std::move(more), {});
  }

  /// A preconditioner of A A^T finds no least squares solution.
  SolveResult finished(SolveResult all, const PreconditionerRef<Space, T>& m) {
    if (is_wide_ && m.for_least_squares() && stronger_seconds(m) > 0 && may_go_on(all, true)) {
      made_.clear();
      const Vector<Space, T> reached = copied(x_);
      const bool same = used_.is_identity();
      // The part of x that A doesn't see may have grown.
      if (!same) copy<T>(space_, guess_, x_);
      go_on(all, {}, remaining(options_, all), same);
      if (!same && !used_.is_identity()) copy<T>(space_, reached, x_);
    }
    try_dense(all);
    name_limit(all, options_);
    return all;
  }

  static std::string name_of(const PreconditionerRef<Space, T>& m) {
    return m.is_identity() ? "no preconditioner" : m.name();
  }
  static std::string text_of(const PreconditionerRef<Space, T>& m) {
    return std::string(Lsmr::name) + " with " + name_of(m);
  }

  const Space& space_;
  const OperatorRef<Space, T>& a_;
  In<T> b_;
  Out<T> x_;
  const SolveOptions& options_;
  Vector<Space, T> guess_;
  PreconditionerRef<Space, T> used_;  ///< with which x was found
  bool is_wide_;
  std::string made_;  ///< of the stronger preconditioner, for notes
};

}  // namespace ostinato::runs
