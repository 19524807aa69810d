// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/distributed_preparation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <ostinato/solvers/recurrence/restarts_steps.hpp>
#include <ostinato/solvers/recurrence/scaled_system_definition.hpp>
#include <ostinato/spmv/algebra/accurate_residual.hpp>
#include <ostinato/spmv/algebra/row_errors.hpp>
#include <ostinato/spmv/algebra/scale.hpp>
#include <ostinato/spmv/analysis/row_facts_steps.hpp>
#include <ostinato/spmv/space/atomic_max.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/strategy/preparation_steps.hpp>
#include <ostinato/strategy/scaling.hpp>
#include <ostinato/strategy/system_judge.hpp>

namespace ostinato {

template <class T>
DistributedPreparation<T>::DistributedPreparation(const Distributed<Host>& space, const Partition& rows,
                                                  const CsrView<T>& mine, const Facts& facts, bool enabled)
    : space_(space), norm_of_a_(facts.norm_inf) {
  if (!enabled || facts.rows != facts.cols || facts.rows == 0 || !facts.finite) return;
  look(mine, rows.begin(space.team()), facts);
  // From here on a small residual may hide a row that isn't solved.
  constexpr int judged_spread = 10;
  const bool scales = what_.scaled_by > most_spread_of_rows, is_judged = what_.scaled_by > judged_spread;
  if (!scales) what_.scaled_by = 0;
  if (changes() || is_judged) given_.emplace(space.team(), rows, mine);
  if (scales) scale(rows, mine, facts);
}

/// Finds out how rows differ in size, and whether the entries of each add up to 0.
template <class T>
void DistributedPreparation<T>::look(const CsrView<T>& mine, Index begin, const Facts& facts) {
  using detail::FoundInRows;
  constexpr int none = -FoundInRows::exponent_origin;
  const Team& team = space_.team();
  const auto rows = static_cast<std::size_t>(mine.rows);
  FoundInRows found{};
  bool has_general = false, has_empty = false, stays = false;
  team.agreed([&] {
    kinds_ = Vector<Host, RowKind>(space_.local(), rows);
    std::vector<T> largest(rows);
    const detail::FindRows<Atomic<Host>, T> find{detail::pattern_of(mine), mine.val.data(), kinds_.data(),
                                                 largest.data(), &found};
    for (std::size_t i = 0; i < rows; ++i) {
      auto value = find.initial(i);
      for (Offset k = mine.row_ptr[i]; k < mine.row_ptr[i + 1]; ++k)
        find.add(static_cast<std::size_t>(begin) + i, k, value);
      stays |= find.finish(i, value).v[2] > 0;
      has_general |= kinds_.data()[i] == RowKind::general;
      has_empty |= kinds_.data()[i] == RowKind::zero;
    }
  });
  const bool is_empty = found.largest_exponent == 0 && found.least_exponent == 0;
  const int largest = team.most(is_empty ? none : found.largest_exponent - FoundInRows::exponent_origin);
  const int least = team.least(is_empty ? -none : FoundInRows::exponent_origin - found.least_exponent);
  what_.scaled_by = std::max(0, largest - least);
  has_empty_ = team.most(has_empty ? 1 : 0) == 1;
  what_.has_constants = team.most(stays ? 1 : 0) == 0 && team.most(has_general ? 1 : 0) == 1 && facts.symmetric;
}

/// Finds the powers of two of rows and columns.
template <class T>
void DistributedPreparation<T>::scale(const Partition& rows, const CsrView<T>& mine, const Facts& facts) {
  const Host& host = space_.local();
  const auto extended = [&host](GhostedRows<T>& of) {
    return [&host, &of](const Vector<Host, int>& own) {
      const std::vector<int> all = of.extended(own.span());
      return Vector<Host, int>(host, std::span<const int>(all));
    };
  };
  Scaling<Host, T> scaling(host, static_cast<std::size_t>(mine.rows));
  const Exponents<Host> e = [&] {
    if (facts.symmetric) return scaling.of_symmetric(given_->view(), extended(*given_));
    GhostedRows<T> of_columns(space_.team(), rows, transposed(space_.team(), mine, rows, rows).view());
    return scaling.of_general(given_->view(), extended(*given_), of_columns.view(), extended(of_columns));
  }();
  left_ = powers_of<Host, T>(host, e.rows, &left_inverse_);
  right_ = powers_of<Host, T>(host, e.columns, &right_inverse_);
  right_of_all_ = given_->extended(std::as_const(right_).span(), T{1});
}

template <class T>
Csr<T> DistributedPreparation<T>::scaled(const CsrView<T>& mine) const {
  return space_.team().agreed([&] {
    Csr<T> rows;
    rows.rows = mine.rows;
    rows.cols = mine.cols;
    rows.row_ptr.assign(mine.row_ptr.begin(), mine.row_ptr.end());
    rows.col.assign(mine.col.begin(), mine.col.end());
    rows.val.resize(mine.val.size());
    ostinato::scale<Host, T>(space_.local(), given_->view(), left_.span(), right_of_all_, rows.val);
    return rows;
  });
}

template <class T>
std::size_t DistributedPreparation<T>::bytes() const {
  return kinds_.bytes() + (given_ ? given_->bytes() : 0) + 4 * left_.bytes() + right_of_all_.size() * sizeof(T);
}

template <class T>
double DistributedPreparation<T>::norm(std::span<const T> v) const {
  std::vector<T> room(v.size());
  double slot = 0;
  return norm_of<T>(space_, v, std::span<T>(room), &slot);
}

/// Whether b is so large in rows without an entry that no x has a residual within the goal.
template <class T>
bool DistributedPreparation<T>::is_unsolvable(std::span<const T> b, const SolveOptions& options) const {
  std::vector<T> of_empty(b.size(), T{0});
  for (std::size_t i = 0; i < b.size(); ++i)
    if (kinds_.data()[i] == RowKind::zero) of_empty[i] = b[i];
  return norm(of_empty) > std::max(options.rtol * norm(b), options.atol);
}

/// Takes what b has along the constants out of b.
template <class T>
void DistributedPreparation<T>::fit(std::span<T> b) const {
  double sums[2] = {0, 0};
  sum(space_, b.size(), detail::SumGeneral<T>{kinds_.data(), b.data()}, sums);
  for_each(space_, b.size(), detail::ShiftGeneral<T>{kinds_.data(), sums, b.data()});
}

template <class T>
void DistributedPreparation<T>::enter(std::span<T> b, std::span<T> x) const {
  if (what_.has_constants) fit(b);
  if (left_.size() > 0) multiply<T>(space_.local(), left_, b, b);
  enter_x(x);
}

template <class T>
void DistributedPreparation<T>::enter_x(std::span<T> x) const {
  if (right_.size() > 0) multiply<T>(space_.local(), right_inverse_, x, x);
}

template <class T>
void DistributedPreparation<T>::leave(std::span<T> x) const {
  if (right_.size() > 0) multiply<T>(space_.local(), right_, x, x);
}

template <class T>
void DistributedPreparation<T>::leave_product(std::span<T> y) const {
  if (left_.size() > 0) multiply<T>(space_.local(), left_inverse_, y, y);
}

/// A solve of the given system by solves of the prepared one.
template <class T>
class DistributedPreparation<T>::PreparedSolve {
 public:
  PreparedSolve(DistributedPreparation& of, std::span<const T> b, std::span<T> x, const SolveOptions& options,
                const Solve& prepared)
      : of_(of),
        b_(b),
        x_(x),
        options_(options),
        prepared_(prepared),
        judge_(options, of.norm(b), of.norm_of_a_, std::numeric_limits<T>::epsilon()) {}

  SolveResult run() {
    const std::vector<T> guess(x_.begin(), x_.end());
    SolveResult all = pass(options_, b_, guess, x_, judge_.b_norm());
    if (!std::isfinite(judge_.b_norm()) || !std::isfinite(all.relative_residual)) return all;
    q_ = quality();
    judge(all);
    constexpr int most = 8;
    for (int k = 0; k < most && judge_.is_worth_correcting(all, q_, of_.what_); ++k)
      if (!correct(all)) break;
    if (!all) prefer(guess, all);
    judge_.name_limit(all);
    SystemJudge::tell_rows(all, q_, of_.what_);
    if (of_.what_.has_constants) SystemJudge::call_singular(all, "A * ones = 0");
    return all;
  }

 private:
  /// Solves for a right-hand side and a guess of the given system. `size`: the norm that residuals are told relative
  /// to.
  SolveResult pass(SolveOptions options, std::span<const T> b, std::span<const T> guess, std::span<T> x, double size) {
    std::vector<T> of_b(b.begin(), b.end()), of_x(guess.begin(), guess.end());
    of_.enter(of_b, of_x);
    const double norm = of_.norm(of_b);
    if (size > 0) options.rtol = std::max(options.rtol, std::exchange(options.atol, 0) / size);
    // A scaled residual is relative to the scaled b; otherwise it is the caller's.
    if (of_.what_.scaled_by == 0 && norm > size && size > 0 && std::isfinite(norm)) options.rtol *= size / norm;
    SolveResult result = prepared_(of_b, of_x, options);
    of_.leave(of_x);
    std::copy(of_x.begin(), of_x.end(), x.begin());
    return result;
  }

  /// b - A x of the given matrix, and the x that its rows refer to, the last of which is the largest |x| of all ranks.
  std::vector<T> residual(std::vector<T>& x_of_all) {
    double largest = 0, slot = 0;
    for (const T value : x_) largest = std::max(largest, std::abs(static_cast<double>(value)));
    x_of_all = of_.given_->extended(std::span<const T>(x_), static_cast<T>(of_.space_.team().most(largest)));
    std::vector<T> r(b_.size());
    accurate_residual<T>(of_.space_.local(), of_.given_->view(), 1, 1, In<T>(x_of_all), b_, Out<T>(r), &slot);
    return r;
  }

  Quality quality() {
    std::vector<T> x_of_all, r = residual(x_of_all);
    Quality q;
    q.norm = q.fitted = of_.norm(r);
    if (of_.what_.has_constants) {
      of_.fit(r);
      q = judge_.of_fitted(q.norm, of_.norm(r));
    }
    const Team& team = of_.space_.team();
    const RowErrors mine =
        row_errors<T>(of_.space_.local(), of_.given_->view(), In<T>(x_of_all), b_, 10 * judge_.share());
    q.rows = {team.most(mine.componentwise), team.most(mine.by_row), team.sum(mine.unsolved)};
    return q;
  }

  void judge(SolveResult& all) { judge_.judge(all, q_, of_.norm(x_), of_.what_); }

  /// Adds a correction to x. Returns whether it helped, and x is as before where it didn't.
  bool correct(SolveResult& all) {
    const std::vector<T> before(x_.begin(), x_.end()), zero(x_.size(), T{0});
    std::vector<T> x_of_all, d(x_.size());
    const std::vector<T> rest = residual(x_of_all);
    SolveResult more = pass(judge_.of_correction(all, q_), rest, zero, d, q_.norm);
    add_finite<T>(of_.space_.local(), In<T>(d), x_);
    const Quality old = std::exchange(q_, quality());
    judge_.add_correction(all, more, old);
    if (!(judge_.excess(q_) < judge_.excess(old))) {
      std::copy(before.begin(), before.end(), x_.begin());
      q_ = old;
      return false;
    }
    judge_.take_correction(all, more, q_, of_.norm(x_), of_.what_);
    return judge_.excess(q_) < 0.5 * judge_.excess(old);
  }

  /// What came nearer in the prepared system may be farther in the given one.
  void prefer(std::span<const T> guess, SolveResult& all) {
    const std::vector<T> reached(x_.begin(), x_.end());
    std::copy(guess.begin(), guess.end(), x_.begin());
    const Quality of_x = std::exchange(q_, quality());
    if (q_.norm < of_x.norm || std::isnan(of_x.norm)) return judge(all);
    std::copy(reached.begin(), reached.end(), x_.begin());
    q_ = of_x;
  }

  DistributedPreparation& of_;
  std::span<const T> b_;
  std::span<T> x_;
  const SolveOptions& options_;
  const Solve& prepared_;
  SystemJudge judge_;
  Quality q_;
};

template <class T>
SolveResult DistributedPreparation<T>::solve(std::span<const T> b, std::span<T> x, const SolveOptions& options,
                                             const Solve& prepared) {
  if (has_empty_ && is_unsolvable(b, options)) {
    SolveOptions none = options;
    none.max_iterations = 0;
    SolveResult result = prepared(b, x, none);
    if (!std::isfinite(result.relative_residual)) return result;
    result.status = Status::breakdown;
    result.is_singular = true;
    result.take(
        {Cause::no_solution, "no x solves the system: a row of A has no entry other than 0, and b isn't 0 there"});
    return result;
  }
  if (!given_) return prepared(b, x, options);
  return PreparedSolve(*this, b, x, options, prepared).run();
}

#define OSTINATO_INSTANTIATE(T) template class DistributedPreparation<T>
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
