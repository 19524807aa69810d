// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/system_solve.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/triangular/factored.hpp>
#include <ostinato/solvers/recurrence/callback_guard.hpp>
#include <ostinato/solvers/recurrence/diagnosis.hpp>
#include <ostinato/solvers/recurrence/restarts_steps.hpp>
#include <ostinato/solvers/recurrence/scaled_system.hpp>
#include <ostinato/spmv/algebra/accurate_residual.hpp>
#include <ostinato/spmv/algebra/row_errors.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/dense/least_squares.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/to_host.hpp>
#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>
#include <ostinato/strategy/runs.hpp>
#include <ostinato/strategy/solve_by_name.hpp>
#include <ostinato/strategy/step.hpp>
#include <ostinato/strategy/system_judge.hpp>

namespace ostinato {

namespace {

constexpr std::string_view least_squares = name_in_auto<RoleInAuto::least_squares>,
                           for_symmetric = name_in_auto<RoleInAuto::symmetric>;

/// The x of a small system by a dense factorisation.
template <class Space, class T>
DenseSolution dense_solution(const Analysis<Space, T>& analysis, In<T> b, double cut) {
  const Space& space = analysis.space();
  const Csr<double> a = host_copy(space, analysis.matrix());
  const std::vector<T> of_b = detail::to_host<T>(space, b);
  const auto rows = static_cast<std::size_t>(a.rows);
  std::vector<double> dense(rows * static_cast<std::size_t>(a.cols), 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      dense[static_cast<std::size_t>(a.col[k]) * rows + i] = a.val[k];
  }
  return dense_least_squares(a.rows, a.cols, std::move(dense), {of_b.begin(), of_b.end()}, cut);
}

template <class Space, class T>
class SystemSolve {
 public:
  SystemSolve(PreparedMatrix<Space, T>& prepared, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
              const PreconditionerRef<Space, T>& m, std::string_view solver, const SolveOptions& options)
      : prepared_(prepared),
        space_(prepared.given().space()),
        a_(a),
        b_(b),
        x_(x),
        m_(m),
        solver_(solver),
        options_(options),
        r_(space_, b.size()),
        slot_(space_, 1),
        judge_(options, norm_of<T>(space_, b_, r_.span(), slot_.data()), prepared.given().structure().norm_inf, unit) {}

  SolveResult run() {
    if (!std::isfinite(judge_.b_norm())) return first(solver_, m_, options_);  // NaN, or norms out of range
    if (const auto row = prepared_.unsolvable_row(b_, judge_.goal())) return without_solution(*row);
    constexpr std::size_t few_rows = 128;  // for which a dense factorisation takes less time than stronger ones
    SolveOptions begin = options_;
    if (is_auto() && x_.size() <= few_rows && has_dense_least_squares()) {
      constexpr int for_a_row = 40;
      begin.effort = Effort::quick;
      begin.max_iterations = std::min(begin.max_iterations, for_a_row * static_cast<int>(x_.size()));
      is_quick_ = true;
    } else if (is_auto() && x_.size() <= rows_before_lsmr) {  // what follows is to have iterations left
      begin.max_iterations -= begin.max_iterations / 4;
    }
    if (is_auto() && prepared_.what().has_many_equal_rows(x_.size())) {  // factors would be those of a singular matrix
      constexpr int a_few = 500;
      begin.effort = Effort::quick;
      begin.max_iterations = std::min(begin.max_iterations, a_few);
    }
    SolveResult all = judged(first(solver_, m_, begin));
    improve(all);
    if (!all && prepared_.changes()) prefer_guess(all);
    // In single precision x of an ordinary system reaches that limit, too, and nothing comes nearer.
    const bool is_at_limit = is_single<T> && all.at_precision_limit && judge_.is_rounding(q_.norm, size_of_x());
    const bool is_within_reach = judge_.goal() >= unit * judge_.b_norm() && !is_at_limit;
    if (!all && is_auto() && is_within_reach && may_go_on(all)) end_surely(all);
    if (all.status == Status::converged && is_auto()) shrink(all);
    tell(all);
    return all;
  }

 private:
  bool is_auto() const { return lower(solver_) == "auto" && options_.effort != Effort::quick; }

  bool may_go_on(const SolveResult& all) const { return judge_.may_go_on(all); }

  /// No x solves a system with a row 0 = b(i): the residual of the guess is told, and nothing is computed.
  SolveResult without_solution(Index row) {
    SolveResult result = result_of("none");
    q_ = quality();
    result.status = Status::breakdown;
    judge(result);
    result.take({Cause::no_solution,
                 "no x solves the system: " + row_text(row) + " of A has no entry other than 0, and b isn't 0 there"});
    result.is_singular = true;
    if (options_.history) result.history.push_back(result.relative_residual);
    return result;
  }

  /// Solves from the caller's x.
  SolveResult first(std::string_view solver, const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
    if (!prepared_.changes()) return detail::solve_by_name<Space, T>(space_, a_, b_, x_, m, solver, options);
    guess_ = copied(x_);
    return pass(solver, m, options, b_, guess_, x_, judge_.b_norm());
  }

  /// Solves for a right-hand side and a guess of the caller's system. `size`: the norm that its residuals are told
  /// relative to.
  SolveResult pass(std::string_view solver, const PreconditionerRef<Space, T>& m, SolveOptions options, In<T> b,
                   In<T> guess, Out<T> x, double size) {
    Vector<Space, T> of_b(space_, b.size()), of_x(space_, b.size());
    prepared_.enter(b, guess, of_b, of_x);
    const double norm = norm_of<T>(space_, of_b, x, slot_.data());
    if (size > 0) options.rtol = std::max(options.rtol, std::exchange(options.atol, 0) / size);
    // A scaled residual is relative to the scaled b; otherwise it is the caller's.
    if (prepared_.what().scaled_by == 0 && norm > size && size > 0 && std::isfinite(norm)) options.rtol *= size / norm;
    copy<T>(space_, guess, x);
    SolveResult result = detail::solve_by_name<Space, T>(space_, a_, of_b, of_x.span(), m, solver, options);
    prepared_.leave(of_x, b, guess, x);
    return result;
  }

  Vector<Space, T> copied(In<T> x) const { return runs::copied<Space, T>(space_, x); }

  Quality quality() {
    Quality q;
    accurate_residual<T>(space_, prepared_.given().matrix().view(), 1, 1, x_, b_, r_, slot_.data());
    Vector<Space, T> room(space_, r_.size());
    q.norm = q.fitted = norm_of<T>(space_, r_, room.span(), slot_.data());
    if (prepared_.what().has_constants) {
      prepared_.fit(r_);
      q = judge_.of_fitted(q.norm, norm_of<T>(space_, r_, room.span(), slot_.data()));
    }
    q.rows = row_errors<T>(space_, prepared_.given().matrix().view(), x_, b_, 10 * judge_.share());
    return q;
  }

  /// Takes the residual, and the end state, of the first solve by the given matrix.
  void take_end(SolveResult& all) {
    if (!std::isfinite(all.relative_residual)) return;
    if (prepared_.changes()) {
      q_ = quality();
      judge(all);
    } else {
      q_.norm = q_.fitted = all.residual;
      q_.rows = row_errors<T>(space_, prepared_.given().matrix().view(), x_, b_, 10 * judge_.share());
    }
  }

  /// The end state of x, by the given matrix.
  void judge(SolveResult& all) { judge_.judge(all, q_, size_of_x(), prepared_.what()); }

  static Reason outside(const SolveResult& all) { return {Cause::outside_range, outside_text(all.relative_residual)}; }

  static void set_end(SolveResult& all, Status status, Reason reason) {
    SystemJudge::set_end(all, status, std::move(reason));
  }

  double norm_of_a() const { return prepared_.given().structure().norm_inf; }
  double size_of_x() {
    Vector<Space, T> room(space_, x_.size());
    return norm_of<T>(space_, x_, room.span(), slot_.data());
  }

  /// Solves for corrections as long as these help.
  void improve(SolveResult& all) {
    constexpr int most = 8;
    for (int k = 0; k < most && judge_.is_worth_correcting(all, q_, prepared_.what()); ++k) {
      if (!correct(all)) return;
    }
  }

  /// What came nearer in the prepared system may be farther in the given one.
  void prefer_guess(SolveResult& all) {
    const Vector<Space, T> reached = copied(x_);
    copy<T>(space_, guess_, x_);
    const Quality of_x = std::exchange(q_, quality());
    if (q_.norm < of_x.norm || std::isnan(of_x.norm)) {
      judge(all);
    } else {
      copy<T>(space_, reached, x_);
      q_ = of_x;
    }
  }

  /// Adds a correction to x. Returns whether it helped, and x is as before where it didn't.
  bool correct(SolveResult& all) {
    const Vector<Space, T> before = copied(x_), zero(space_, x_.size(), T{0});
    Vector<Space, T> d(space_, x_.size()), rest(space_, x_.size());
    accurate_residual<T>(space_, prepared_.given().matrix().view(), 1, 1, x_, b_, rest.span(), slot_.data());
    const PreconditionerRef<Space, T> m = last_in_use(m_, all.preconditioner);
    SolveResult more = pass(solver_, m, judge_.of_correction(all, q_), rest, zero, d, q_.norm);
    add_finite<T>(space_, d, x_);
    const Quality old = std::exchange(q_, quality());
    judge_.add_correction(all, more, old);
    if (!(judge_.excess(q_) < judge_.excess(old))) {
      copy<T>(space_, before, x_);
      q_ = old;
      return false;
    }
    judge_.take_correction(all, more, q_, size_of_x(), prepared_.what());
    return judge_.excess(q_) < 0.5 * judge_.excess(old);
  }

  /// Solves a system on which the methods with a preconditioner have failed.
  void end_surely(SolveResult& all) {
    const auto by_lsmr = [&] {
      go_on(all, std::string(least_squares), [&](const SolveOptions& left) { return lsmr(left); });
    };
    const bool is_first = prepared_.what().has_many_equal_rows(x_.size());
    if (is_first) by_lsmr();
    if (prepared_.separate_parts()) {
      go_on(all, "the constants of each part of A",
            [&](const SolveOptions& left) { return judged(first(solver_, m_, left)); });
    }
    if (is_symmetric()) {
      go_on(all, std::string(for_symmetric) + " without a preconditioner", [&](SolveOptions left) {
        constexpr int some = 1000;  // lsmr may take fewer than minres, with factors of A^T A
        left.max_iterations = std::min(left.max_iterations, some);
        return judged(first(for_symmetric, {}, left));
      });
    }
    constexpr std::size_t rows = 1000;
    const auto by_dense = [&](std::size_t most) {
      if (x_.size() > most || !has_dense_least_squares()) return;
      go_on(all, "a dense factorisation", [&](const SolveOptions&) { return dense(); });
    };
    by_dense(rows_before_lsmr);
    if (!is_first) by_lsmr();
    if (x_.size() > rows_before_lsmr) by_dense(rows);
    if (is_quick_) {
      go_on(all, "stronger preconditioners",
            [&](const SolveOptions& left) { return judged(first(solver_, m_, left)); });
    }
  }

  /// ||A|| ||x|| / ||b||; of the prepared system where rows were scaled, since a row that is large beside others says
  /// nothing of x.
  double times_ordinary_size() {
    if (prepared_.what().scaled_by == 0) return norm_of_a() * size_of_x() / judge_.b_norm();
    Vector<Space, T> of_b(space_, b_.size()), of_x(space_, b_.size()), room(space_, b_.size());
    prepared_.enter(b_, x_, of_b, of_x);
    const double size = norm_of<T>(space_, of_x, room.span(), slot_.data()),
                 of_right_side = norm_of<T>(space_, of_b, room.span(), slot_.data());
    return prepared_.analysis().structure().norm_inf * size / of_right_side;
  }

  /// Where x is far larger than b / ||A||, looks for one of ordinary size: a singular A lets the methods add any
  /// multiple of a null vector to x.
  void shrink(SolveResult& all) {
    constexpr double large = 1e7, much = 1e-3;
    const double before = size_of_x(), share = times_ordinary_size();
    if (!(share > large) || !std::isfinite(share) || !std::isfinite(q_.norm) || !may_go_on(all) ||
        (all.is_direct && all.null_pivots == 0))
      return;
    const Vector<Space, T> kept = copied(x_);
    space_.zero(x_.data(), x_.size_bytes());
    const Quality old = q_;
    SolveOptions left = runs::remaining(options_, all);
    constexpr int few = 500, with_factors = 5000;  // of lsmr, which looks for factors of A^T A
    left.max_iterations = std::min(left.max_iterations, is_symmetric() ? few : with_factors);
    left.atol = 0;
    left.rtol = std::clamp(10 * old.norm / judge_.b_norm(), unit, options_.rtol);
    SolveResult more = is_symmetric() ? judged(first(for_symmetric, {}, left)) : lsmr(left);
    runs::add_stages(all, more);
    all.iterations += more.iterations;
    all.seconds += more.seconds;
    if (options_.history)
      all.history.resize(all.history.size() + static_cast<std::size_t>(more.iterations), all.relative_residual);
    if (more.status == Status::converged && size_of_x() < much * before) {
      runs::take_residual(all, more);
      runs::take_method(all, more);
      null_vector_ = "an x of 1/" + short_text(before / size_of_x()) + " of the size has as small a residual";
      return;
    }
    copy<T>(space_, kept, x_);
    q_ = old;
  }

  bool is_symmetric() const { return a_.facts() != nullptr && a_.facts()->symmetric; }

  SolveResult judged(SolveResult result) {
    take_end(result);
    return result;
  }

  /// Lets something else solve the system, from x = 0, if the solve has failed so far. x is as before where that comes
  /// no nearer.
  template <class Solve>
  void go_on(SolveResult& all, const std::string& what, Solve solve) {
    if (all || !may_go_on(all)) return;
    const Vector<Space, T> before = copied(x_);
    space_.zero(x_.data(), x_.size_bytes());
    const Quality old = q_;
    try {
      SolveResult more = solve(runs::remaining(options_, all));
      // A residual isn't the smallest where a smaller one was seen.
      constexpr double hardly = 1 + 1e-6;
      if (more.status == Status::least_squares && all.relative_residual * hardly < more.relative_residual)
        set_end(more, Status::stagnated, {Cause::stalled, "the residual isn't the smallest that was reached"});
      const bool is_better = more || runs::is_nearer(more, all);
      if (last_.solver.empty()) last_ = {all.solver, in_words(all.status), all.reason};
      all.notes.push_back(last_.solver + " ended as " + last_.status + " (" + last_.reason + "); went on with " + what);
      last_ = {more.solver, in_words(more.status), more.reason};
      runs::count(all, more);
      const bool is_stopped = more.status == Status::interrupted || more.status == Status::time_limit;
      if (!is_better) {
        copy<T>(space_, before, x_);
        q_ = old;
        if (is_stopped) runs::take_ending(all, more);
        return;
      }
      runs::take_ending(all, more);
      runs::take_residual(all, more);
      runs::take_method(all, more);
    } catch (const std::bad_alloc&) {
      copy<T>(space_, before, x_);
      q_ = old;
    }
  }

  /// The result of what isn't an iterative method, until it is judged.
  static SolveResult result_of(const char* method) {
    SolveResult result;
    result.solver = method;
    result.preconditioner = "none";
    result.status = Status::stagnated;
    result.take({Cause::stalled, "the residual is above the tolerance"});
    return result;
  }

  /// x by a dense factorisation of a matrix. Returns the rank. Singular values below `cut` units of rounding count as
  /// 0.
  int solve_densely(const Analysis<Space, T>& analysis, In<T> b, Out<T> x, double cut) {
    const DenseSolution found = dense_solution<Space, T>(analysis, b, cut * unit);
    const std::vector<T> values(found.x.begin(), found.x.end());
    space_.upload(x.data(), values.data(), x.size_bytes());
    space_.wait();
    return found.rank;
  }

  /// Adds to x what a dense factorisation of the prepared matrix finds for b - A x.
  void add_densely() {
    const Vector<Space, T> zero(space_, x_.size(), T{0});
    Vector<Space, T> rest(space_, b_.size()), d(space_, b_.size()), of_b(space_, b_.size()), of_x(space_, b_.size());
    accurate_residual<T>(space_, prepared_.given().matrix().view(), 1, 1, x_, b_, rest.span(), slot_.data());
    prepared_.enter(rest, zero, of_b, of_x);
    rank_ = solve_densely(prepared_.analysis(), of_b, of_x, rounding_of_dense);
    prepared_.leave(of_x, rest, zero, d);
    add_finite<T>(space_, d, x_);
    q_ = quality();
  }

  /// By dense factorisations: of the prepared matrix, with a correction in which b and A x have cancelled, and where no
  /// x solves the system of the given one. The smallest residual is the least where A is singular, unless an x shows
  /// that what was taken for singular isn't.
  SolveResult dense() {
    const Stopwatch watch;
    space_.zero(x_.data(), x_.size_bytes());
    add_densely();
    if (q_.norm > judge_.goal()) add_densely();
    double least = HUGE_VAL;
    if (q_.norm > judge_.goal()) {
      Vector<Space, T> best = copied(x_);
      Quality of_best = q_;
      for (const double cut : {rounding_of_dense, 1.0 / 8}) {
        const int rank = solve_densely(prepared_.given(), b_, x_, cut);
        q_ = quality();
        if (cut == rounding_of_dense && rank < static_cast<int>(x_.size())) least = q_.norm;
        if (!(q_.norm < of_best.norm)) continue;
        copy<T>(space_, x_, best.span());
        of_best = q_;
      }
      copy<T>(space_, best, x_);
      q_ = of_best;
    }
    SolveResult result = result_of("dense");
    judge(result);
    // What may be the rounding of b - A x says nothing of b.
    constexpr double hardly = 1 - 1e-3;
    if (!result && q_.norm >= hardly * least && result.backward_error > 100 * unit)
      set_end(result, Status::least_squares, outside(result));
    result.seconds = watch.seconds();
    result.stages = {{.method = result.solver,
                      .preconditioner = result.preconditioner,
                      .seconds = result.seconds,
                      .before = 1,
                      .after = result.relative_residual}};
    return result;
  }

  SolveResult lsmr(SolveOptions left) {
    const Analysis<Space, T>& given = prepared_.given();
    const TransposableOperator<Space, T> a(Operator<Space, T>(given), given);
    constexpr std::size_t a_few = 100;
    left.max_iterations =
        static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(left.max_iterations), 4 * x_.size() + a_few));
    std::optional<LeastSquaresPreconditioner<Space, T>> scaled;
    try {
      scaled.emplace(given, "auto", options_.stop, options_.mem_limit);
    } catch (const Stopped&) {
    } catch (const ArgumentError&) {  // squares of columns out of range
    }
    PreconditionerRef<Space, T> m;
    if (scaled) m = *scaled;
    SolveResult result =
        detail::solve_by_name<Space, T>(space_, OperatorRef<Space, T>(a), b_, x_, m, least_squares, left);
    q_ = quality();
    if (result.status == Status::least_squares) result.take(outside(result));
    // In T, the gradient tells less than the dense factorisation that came before.
    if (result.status == Status::least_squares && has_dense_least_squares() && x_.size() <= rows_before_lsmr)
      set_end(result, Status::stagnated,
              {Cause::stalled, "the gradient is small, but a dense factorisation doesn't call A singular"});
    return result;
  }

  /// What the caller is told of the equations, of the steps before the solve, and of A.
  void tell(SolveResult& all) const {
    judge_.name_limit(all);
    if (!std::isfinite(all.relative_residual)) return;
    SystemJudge::tell_rows(all, q_, prepared_.what());
    all.is_singular = all.cause == Cause::singular;
    if (const std::string shown = why_singular(all); !shown.empty()) SystemJudge::call_singular(all, shown);
  }

  /// What shows that A is singular. Empty where nothing does.
  std::string why_singular(const SolveResult& all) const {
    const SystemPreparation& what = prepared_.what();
    std::string shown = null_vector_;
    const auto add = [&](bool holds, const std::string& text) {
      if (holds) shown += (shown.empty() ? "" : "; ") + text;
    };
    const auto counted = [](std::int64_t n, const char* one, const char* many) {
      return std::to_string(n) + (n == 1 ? one : many);
    };
    add(what.equal_rows > 0, counted(what.equal_rows, " row equals another", " rows equal others"));
    const Index empty = std::max(what.zero_rows, prepared_.given().structure().empty_rows);
    add(empty > 0, counted(empty, " row has no entry", " rows have no entry"));
    add(rank_ < prepared_.analysis().structure().rows,
        "its rank is " + std::to_string(rank_) + " of " + std::to_string(prepared_.analysis().structure().rows));
    add(what.has_constants, "A * ones = 0");
    add(all.null_pivots > 0,
        counted(all.null_pivots, " pivot of its LU factors is 0", " pivots of its LU factors are 0") +
            " but for rounding");
    add(all.condition.of != Condition::Of::preconditioned && all.condition.value * unit >= 1,
        "its condition is " + short_text(all.condition.value) + " or more");
    return shown;
  }

  static constexpr double unit = std::numeric_limits<T>::epsilon();
  static constexpr double rounding_of_dense = 32;  ///< singular values of so many units, beside the largest, count as 0
  static constexpr std::size_t rows_before_lsmr = 600;  ///< of systems that a dense factorisation solves first

  PreparedMatrix<Space, T>& prepared_;
  Space space_;
  const OperatorRef<Space, T>& a_;
  In<T> b_;
  Out<T> x_;
  const PreconditionerRef<Space, T>& m_;
  std::string solver_;
  const SolveOptions& options_;
  Vector<Space, T> r_, guess_;  ///< guess_ only where something is prepared
  Vector<Space, double> slot_;
  SystemJudge judge_;
  bool is_quick_ = false;  ///< stronger preconditioners have been left out
  Quality q_;
  int rank_ = std::numeric_limits<int>::max();  ///< of the prepared matrix, where a dense factorisation has told
  std::string null_vector_;  ///< says what shows that there is one; empty where none was looked for or found
  struct Ended {
    std::string solver, status, reason;
  };
  Ended last_;  ///< what the last of several solves ended as, whatever became of its x
};

}  // namespace

template <class Space, class T>
SolveResult solve_prepared(PreparedMatrix<Space, T>& prepared, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                           const PreconditionerRef<Space, T>& m, std::string_view solver, const SolveOptions& options) {
  require_valid(options);
  require_system<Space, T>(std::string(solver), prepared.given().space(), a, b, x, m);
  const CallbackGuard guard(options);
  const UsualName asked = usual_name(NameOf::solver, solver);
  SolveResult result = SystemSolve<Space, T>(prepared, a, b, x, m, asked.name, guard.options()).run();
  if (!asked.note.empty()) result.notes.insert(result.notes.begin(), asked.note);
  guard.rethrow();
  return result;
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                        \
  template SolveResult solve_prepared(PreparedMatrix<Space, T>&, const OperatorRef<Space, T>&, In<T>, Out<T>, \
                                      const PreconditionerRef<Space, T>&, std::string_view, const SolveOptions&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
