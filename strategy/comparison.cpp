// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/comparison.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <ostinato/preconditioners/list.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>
#include <ostinato/strategy/rungs.hpp>
#include <ostinato/strategy/solve_by_name.hpp>
#include <ostinato/strategy/system_solve.hpp>

namespace ostinato {

namespace {

/// A preconditioner that may have its turn.
struct Contender {
  std::string name;
  double setup_seconds = 0;  ///< predicted; 0: little, or not known
  std::string why_not = {};
};

/// What a comparison asks of a system.
template <class Space, class T>
class ComparedSystem {
 public:
  using M = PreconditionerBase<Space, T>;

  virtual ~ComparedSystem() = default;
  virtual std::vector<Contender> contenders() const = 0;
  virtual std::unique_ptr<M> make(const std::string& name, const StopRequest& stop, std::size_t mem_limit) const = 0;
  /// The solvers that suit, that of "auto" first.
  virtual std::vector<std::string> solvers(const M& m, bool may_be_definite, const SolveOptions& options) const = 0;
  virtual SolveResult solve(const std::string& solver, const M& m, In<T> b, Out<T> x, const SolveOptions& options) = 0;
  virtual std::string format() const = 0;
  virtual SystemPreparation preparation() const = 0;
};

/// The least set-up time that is predicted for a preconditioner, or for a kind of multigrid.
template <class Space>
double predicted_setup(std::string_view name, const Structure& s, RungRole kind = RungRole::usual) {
  double least = 0;
  for (const Rung& rung : auto_rungs) {
    const bool is_kind = name != "multigrid" || rung.role == kind;
    if (rung.name != name || !is_kind || rung.is_one_level()) continue;
    const double seconds = predicted_seconds<Space>(rung, s);
    least = least == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

/// Whether a solver serves a square matrix with a preconditioner. Where the matrix is taken for definite, others than
/// those for symmetric matrices would only take more memory and time.
template <class M>
bool suits(const SolverInfo& solver, const Facts& s, const M& m, bool is_definite) {
  const bool is_symmetric = s.symmetric && m.symmetric();
  if (solver.needs_transpose || (m.varies() && !solver.takes_varying_m)) return false;
  if (solver.needs_definiteness) return is_symmetric && is_definite;
  return solver.needs_symmetry ? is_symmetric : !(is_symmetric && is_definite);
}

template <class Space, class T>
class SquareSystem final : public ComparedSystem<Space, T> {
 public:
  using M = PreconditionerBase<Space, T>;

  SquareSystem(const Analysis<Space, T>& analysis, const SolveOptions& options)
      : prepared_(analysis, {.enabled = options.prepare, .symmetric = options.symmetric}), a_(prepared_.analysis()) {}

  std::vector<Contender> contenders() const override {
    const Analysis<Space, T>& analysis = prepared_.analysis();
    const Structure& s = analysis.structure();
    std::vector<Contender> all;
    for (const PreconditionerEntry<Space, T>& entry : preconditioner_list<Space, T>()) {
      const std::string name(entry.name), why_not = entry.why_not(s);
      if (name == Multigrid<Space, T>::name && why_not.empty()) {
        add_multigrid(all);
        continue;
      }
      all.push_back({name, predicted_setup<Space>(name, s), why_not});
      if (name != "jacobi") continue;
      if (why_not.empty() && s.constant_diagonal)
        all.back().why_not = "the diagonal is constant, so that it would change nothing";
      all.push_back({"none"});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Contender& a, const Contender& b) { return a.setup_seconds < b.setup_seconds; });
    return all;
  }

  std::unique_ptr<M> make(const std::string& name, const StopRequest& stop, std::size_t mem_limit) const override {
    return std::make_unique<AnyPreconditioner<Space, T>>(prepared_.analysis(), name, stop, mem_limit);
  }

  std::vector<std::string> solvers(const M& m, bool may_be_definite, const SolveOptions& options) const override {
    const Structure& s = a_.structure();
    const bool is_definite = may_be_definite && (s.positive_diagonal || s.negative_diagonal);
    std::vector<std::string> names;
    for (const SolverInfo& info : solver_infos)
      if (suits(info, s, m, is_definite)) names.emplace_back(info.name);
    const SolverChoice of_auto =
        choose_solver(s, sizeof(T), options.restart, traits_of<Space, T>(m), memory_left(options.mem_limit, m.bytes()));
    for (const std::string_view first :
         {std::string_view(name_in_auto<RoleInAuto::symmetric>), std::string_view(of_auto.name)}) {
      const auto at = std::find(names.begin(), names.end(), first);
      if (at != names.end()) std::rotate(names.begin(), at, at + 1);
    }
    return names;
  }

  SolveResult solve(const std::string& solver, const M& m, In<T> b, Out<T> x, const SolveOptions& options) override {
    return solve_prepared<Space, T>(prepared_, a_, b, x, m, solver, options);
  }

  std::string format() const override { return a_.format(); }
  SystemPreparation preparation() const override { return prepared_.what(); }

 private:
  void add_multigrid(std::vector<Contender>& all) const {
    const Analysis<Space, T>& analysis = prepared_.analysis();
    const std::string name(Multigrid<Space, T>::name);
    if (analysis.grid()) all.push_back({name});
    const auto add = [&](const char* options, RungRole role) {
      all.push_back({name + options, predicted_setup<Space>(name, analysis.structure(), role)});
    };
    add(":kind=plain", RungRole::plain);
    add(":kind=classical,aggressive=1", RungRole::aggressive);
    add(":kind=classical", RungRole::usual);
    add(":kind=aggregation", RungRole::usual);
  }

  PreparedMatrix<Space, T> prepared_;
  Operator<Space, T> a_;
};

template <class Space, class T>
class LeastSquaresSystem final : public ComparedSystem<Space, T> {
 public:
  using M = PreconditionerBase<Space, T>;

  explicit LeastSquaresSystem(const Analysis<Space, T>& analysis) : analysis_(analysis), a_(analysis) {}

  std::vector<Contender> contenders() const override {
    std::vector<Contender> all;
    for (const std::string_view name : least_squares_preconditioner_names()) all.push_back({std::string(name)});
    return all;
  }
  std::unique_ptr<M> make(const std::string& name, const StopRequest& stop, std::size_t mem_limit) const override {
    return std::make_unique<LeastSquaresPreconditioner<Space, T>>(analysis_, name, stop, mem_limit);
  }
  std::vector<std::string> solvers(const M&, bool, const SolveOptions&) const override {
    return {std::string(name_in_auto<RoleInAuto::least_squares>)};
  }
  SolveResult solve(const std::string& solver, const M& m, In<T> b, Out<T> x, const SolveOptions& options) override {
    return ostinato::solve(analysis_.space(), a_, b, x, m, solver, options);
  }
  std::string format() const override { return a_.forward().format(); }
  SystemPreparation preparation() const override { return {}; }

 private:
  Analysis<Space, T> analysis_;
  TransposableOperator<Space, T> a_;
};

/// Asked while a preconditioner is made: whether its time is over, or the caller wants an end.
struct EndOfTurn {
  double seconds;
  StopRequest stop;
  Stopwatch watch = {};

  bool stop_requested() const { return stop.is_made() || watch.seconds() >= seconds; }
};

/// Pairs that solved the system by their time, then others by their residual.
bool goes_before(const ComparisonRow& a, const ComparisonRow& b) {
  if (a.is_solved() != b.is_solved()) return a.is_solved();
  if (a.is_solved()) return a.seconds() < b.seconds();
  return a.relative_residual < b.relative_residual ||
         (std::isnan(b.relative_residual) && !std::isnan(a.relative_residual));
}

constexpr const char* any_solver = "any";

template <class Space, class T>
class Race {
 public:
  using M = PreconditionerBase<Space, T>;

  Race(const Space& space, In<T> b, std::size_t columns, const ComparisonOptions& options)
      : space_(space), b_(b), x_(space, columns), options_(options) {}

  Comparison run(ComparedSystem<Space, T>& system) {
    system_ = &system;
    all_.common_seconds = watch_.seconds();
    all_.format = system.format();
    all_.preparation = system.preparation();
    take_turn("auto", 0, 2);
    kept_ = left() / 2;
    const std::vector<Contender> contenders = suitable();
    double to_come = static_cast<double>(contenders.size());
    for (const Contender& next : contenders) {
      if (all_.interrupted) break;
      take_turn(next.name, next.setup_seconds, std::max(3.0, to_come), &next == contenders.data());
      --to_come;
    }
    kept_ = 0;
    run_later();
    all_.seconds = watch_.seconds();
    return std::move(all_);
  }

 private:
  /// A preconditioner that is to be made again, or with more time.
  struct Later {
    std::string name;
    double forecast;  ///< seconds that it takes with a solver
  };

  /// The contenders that suit, with what "auto" has ended with behind the first.
  std::vector<Contender> suitable() {
    std::vector<Contender> those;
    for (Contender& c : system_->contenders()) {
      if (c.why_not.empty()) {
        those.push_back(std::move(c));
      } else {
        leave_out({any_solver, c.name}, LeftOut::unsuitable, c.why_not);
      }
    }
    if (those.empty() || all_.rows.empty()) return those;
    const std::string& proven = all_.rows.front().ended_with.preconditioner;
    std::stable_partition(those.begin() + 1, those.end(), [&](const Contender& c) { return c.name == proven; });
    return those;
  }

  double left() const { return options_.budget - watch_.seconds() - kept_; }
  bool is_over() const { return all_.interrupted || left() <= 0; }

  /// The seconds that a run may take beside the fastest pair, with its set-up.
  double patience() const {
    constexpr double first = Space::has_streams ? 0.2 : 0.02;  // run of a solver, which may take longer than others
    if (all_.best() == nullptr) return HUGE_VAL;
    return std::max({first, options_.budget / many, options_.patience * all_.best()->seconds()});
  }

  /// The same, within a share of what is left, so that others have a turn.
  double limit(double part) const {
    const double most = std::min(left() / part, patience());
    return options_.solve.time_limit > 0 ? std::min(most, options_.solve.time_limit) : most;
  }

  void leave_out(SolverPair pair, LeftOut why, std::string reason = {}, double seconds = 0) {
    const bool is_known = std::any_of(all_.left_out.begin(), all_.left_out.end(),
                                      [&](const LeftOutPair& p) { return p.pair == pair && p.why == why; });
    if (!is_known) all_.left_out.push_back({std::move(pair), why, std::move(reason), seconds});
  }

  void tell(const SolverPair& next) const {
    if (options_.on_run) options_.on_run(next, all_);
  }

  /// Calls f. Leaves the pair out where the matrix is refused, or memory ends.
  template <class F>
  void attempt(const SolverPair& pair, F&& f) {
    try {
      f();
    } catch (const MemoryLimitError& e) {
      leave_out(pair, LeftOut::no_memory, e.what());
    } catch (const DeviceMemoryError& e) {
      leave_out(pair, LeftOut::no_memory, e.what());
    } catch (const std::bad_alloc&) {
      leave_out(pair, LeftOut::no_memory, "not enough memory");
    } catch (const ArgumentError& e) {
      leave_out(pair, LeftOut::unsuitable, e.what());
    }
  }

  /// The forecast of a set-up whose solves are unknown: behind those that fit into the budget.
  double unknown(double setup_seconds) const { return options_.budget + setup_seconds; }

  /// A set-up that takes so many seconds or more, where a run may take `most`: another turn, with more time, where that
  /// is for want of budget alone.
  void put_off(const std::string& name, double seconds, double most) {
    if (kept_ > 0 && most < patience()) {
      later_.push_back({name, unknown(seconds)});
    } else if (!has_row(name)) {
      leave_out({any_solver, name}, most < patience() ? LeftOut::out_of_budget : LeftOut::too_slow, {}, seconds);
    }
  }

  /// Makes a preconditioner within some seconds. Null where that can't be.
  std::unique_ptr<M> make(const std::string& name, double most, double& seconds) {
    tell({"", name});
    std::unique_ptr<M> m;
    attempt({any_solver, name}, [&] {
      const Stopwatch watch;
      try {
        m = system_->make(name, EndOfTurn{most, options_.solve.stop}, options_.solve.mem_limit);
        space_.wait();
        seconds = watch.seconds();
      } catch (const Stopped&) {
        all_.interrupted = options_.solve.stop.is_made();
        if (!all_.interrupted) put_off(name, watch.seconds(), most);
      }
    });
    return m;
  }

  /// The first turn of a preconditioner: with the solver of "auto" and the fastest one so far, or with all.
  /// Within one of so many parts of what is left.
  void take_turn(const std::string& name, double predicted, double parts, bool with_all = false) {
    constexpr double within = 2;  // predicted set-ups mostly are
    const double most = limit(parts);
    if (is_over() || most < options_.budget / many) return later_.push_back({name, unknown(predicted)});
    if (predicted > within * most) return put_off(name, predicted, most);
    double seconds = 0;
    const std::unique_ptr<M> m = make(name, most, seconds);
    if (m == nullptr) return;
    if (name == "auto") return run_pair({"auto", name}, *m, seconds, most);
    const std::vector<std::string> solvers = system_->solvers(*m, may_be_definite_, options_.solve);
    const std::string fastest = all_.best() == nullptr ? "" : all_.best()->ended_with.solver;
    for (std::size_t i = 0; i < solvers.size() && !is_over(); ++i) {
      if (i == 0 || with_all || solvers[i] == fastest)
        run_pair({solvers[i], name}, *m, seconds, i == 0 ? most : limit(parts));
    }
  }

  const ComparisonRow* row_of(const SolverPair& pair) const {
    const auto at = std::find_if(all_.rows.begin(), all_.rows.end(), [&](const auto& r) { return r.pair == pair; });
    return at == all_.rows.end() ? nullptr : &*at;
  }

  /// The seconds that a pair takes, or would take at the pace that it had when its time was over.
  double forecast(const ComparisonRow& row) const {
    if (row.is_solved()) return row.seconds();
    const double goal = std::log(options_.solve.rtol), reached = std::log(row.relative_residual);
    if (row.status != Status::time_limit || !(goal < 0 && reached < 0)) return HUGE_VAL;
    return row.setup_seconds + row.solve_seconds * std::max(1.0, goal / reached);
  }

  /// Whether another run may show that a pair is the fastest.
  bool is_worth_another(const ComparisonRow& row) const {
    constexpr double near = 1.5;
    const double little = options_.budget / (10 * many);  // in which other work on the machine may weigh
    if (row.is_solved()) return row.seconds() <= std::max(little, near * all_.best()->seconds());
    return forecast(row) < patience() && limit_of_another(row) > near * row.seconds();
  }

  double limit_of_another(const ComparisonRow& row) const {
    return std::min(limit(1), options_.patience * forecast(row));
  }

  bool has_row(const std::string& preconditioner) const {
    return std::any_of(all_.rows.begin(), all_.rows.end(),
                       [&](const ComparisonRow& row) { return row.pair.preconditioner == preconditioner; });
  }

  /// What preconditioners haven't done in their turns, those of the best prospects first: other solvers, second runs of
  /// the fastest pairs, and runs and set-ups that the share of the budget was too small for.
  void run_later() {
    for (const ComparisonRow& row : all_.rows) later_.push_back({row.pair.preconditioner, forecast(row)});
    std::stable_sort(later_.begin(), later_.end(),
                     [](const Later& a, const Later& b) { return a.forecast < b.forecast; });
    std::vector<std::string> done;
    for (const Later& next : later_) {
      if (all_.interrupted) break;
      if (std::find(done.begin(), done.end(), next.name) != done.end()) continue;
      done.push_back(next.name);
      if (!is_over()) {
        run_all_with(next.name);
      } else if (!has_row(next.name)) {
        leave_out({any_solver, next.name}, LeftOut::out_of_budget);
      }
    }
  }

  /// All that a preconditioner hasn't done.
  void run_all_with(const std::string& name) {
    double seconds = 0;
    const std::unique_ptr<M> m = make(name, limit(1), seconds);
    if (m == nullptr) return;
    std::vector<std::string> solvers = {"auto"};
    if (name != "auto") solvers = system_->solvers(*m, may_be_definite_, options_.solve);
    for (const std::string& solver : solvers) {
      const ComparisonRow* const row = row_of({solver, name});
      if (is_over() || (row != nullptr && !is_worth_another(*row))) continue;
      run_pair({solver, name}, *m, seconds, row == nullptr ? limit(share) : limit_of_another(*row));
    }
  }

  void run_pair(const SolverPair& pair, const M& m, double setup_seconds, double most) {
    if (setup_seconds >= most) return put_off(pair.preconditioner, setup_seconds, most);
    tell(pair);
    if (options_.solve.stop.is_made()) return (void)(all_.interrupted = true);
    // A run may be over before its end is asked for.
    bool wants_end = false;
    SolveOptions o = options_.solve;
    o.time_limit = most - setup_seconds;
    o.history = false;
    if (o.callback)
      o.callback = [&](const Iteration& now) { return !(wants_end = wants_end || !options_.solve.callback(now)); };
    attempt(pair, [&] {
      space_.zero(x_.data(), x_.bytes());
      space_.wait();
      const Stopwatch watch;
      const SolveResult result = system_->solve(pair.solver, m, b_, x_.span(), o);
      space_.wait();
      take(pair, m, result, setup_seconds, watch.seconds());
    });
    all_.interrupted |= wants_end || options_.solve.stop.is_made();
  }

  void take(const SolverPair& pair, const M& m, const SolveResult& result, double setup_seconds, double seconds) {
    if (result.status == Status::interrupted) {
      all_.interrupted = true;
      return;
    }
    const SolverInfo* const solver = find_solver(result.solver);
    if (result.status == Status::breakdown && solver != nullptr && solver->needs_definiteness) may_be_definite_ = false;
    const bool has_gone_on = result.preconditioner != m.name();
    ComparisonRow row{.pair = pair,
                      .ended_with = {result.solver, result.preconditioner},
                      .status = result.status,
                      .reason = result.reason,
                      .iterations = result.iterations,
                      .setup_seconds = setup_seconds + result.setup_seconds,
                      .solve_seconds = seconds - result.setup_seconds,
                      .bytes = (has_gone_on ? result.preconditioner_bytes : m.bytes()) + result.workspace_bytes,
                      .relative_residual = result.relative_residual};
    if (const ComparisonRow* const before = row_of(pair)) {
      if (!goes_before(row, *before)) return;
      all_.rows.erase(all_.rows.begin() + (before - all_.rows.data()));
    }
    all_.rows.push_back(std::move(row));
    judge_least_squares();
    std::stable_sort(all_.rows.begin(), all_.rows.end(), goes_before);
  }

  /// A least squares end isn't one where another pair has a clearly smaller residual.
  void judge_least_squares() {
    constexpr double clearly = 1.01;
    double least = HUGE_VAL;
    for (const ComparisonRow& row : all_.rows) least = std::fmin(least, row.relative_residual);
    for (ComparisonRow& row : all_.rows)
      row.is_beaten = row.status == Status::least_squares && row.relative_residual > clearly * least &&
                      row.relative_residual > options_.solve.rtol;
  }

  static constexpr double share = 3;   ///< of what is left of the budget, for a run of which nothing is known
  static constexpr double many = 300;  ///< runs that the budget has time for in any case

  const Space& space_;
  In<T> b_;
  Vector<Space, T> x_;
  const ComparisonOptions& options_;
  ComparedSystem<Space, T>* system_ = nullptr;
  Stopwatch watch_;
  double kept_ = 0;  ///< seconds of the budget for what comes later
  std::vector<Later> later_;
  Comparison all_;
  bool may_be_definite_ = true;  ///< CG hasn't broken down
};

}  // namespace

template <class Space, class T>
Comparison compare(const Analysis<Space, T>& analysis, In<T> b, const ComparisonOptions& options) {
  const Structure& s = analysis.structure();
  require_valid(options.solve);
  require_between("ComparisonOptions", "budget", options.budget, 0);
  require_between("ComparisonOptions", "patience", options.patience, 1);
  if (b.size() != static_cast<std::size_t>(s.rows))
    throw DimensionError("compare: A is " + std::to_string(s.rows) + " x " + std::to_string(s.cols) + ", and b has " +
                         std::to_string(b.size()) + " elements");
  Race<Space, T> race(analysis.space(), b, static_cast<std::size_t>(s.cols), options);
  if (s.rows == s.cols) {
    SquareSystem<Space, T> system(analysis, options.solve);
    return race.run(system);
  }
  LeastSquaresSystem<Space, T> system(analysis);
  return race.run(system);
}

#define OSTINATO_INSTANTIATE(Space, T) \
  template Comparison compare(const Analysis<Space, T>&, In<T>, const ComparisonOptions&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
