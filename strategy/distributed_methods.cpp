// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/distributed_methods.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include <ostinato/preconditioners/block_jacobi.hpp>
#include <ostinato/preconditioners/distributed.hpp>
#include <ostinato/preconditioners/positive_rows.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/space/host_beside.hpp>
#include <ostinato/strategy/leaving_jacobi.hpp>
#include <ostinato/strategy/runs_on_ranks.hpp>
#include <ostinato/strategy/watch.hpp>

namespace ostinato {

namespace {

/// Some rows of this rank, evenly spaced. Columns are shifted, so that the diagonal is on that of the sample.
template <class T>
Csr<T> sample_of(const CsrView<T>& mine, Index begin) {
  constexpr Index most = 2000;
  constexpr Index up_to_eight = 2 * 3 * 5 * 7;  // unknowns a point, all of which are to be seen
  Index step = std::max<Index>(1, mine.rows / most);
  while (step > 1 && std::gcd(step, up_to_eight) > 1) ++step;
  Csr<T> sample;
  for (Index i = 0; i < mine.rows; i += step) {
    for (auto k = static_cast<std::size_t>(mine.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(mine.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
      sample.col.push_back(mine.col[k] - begin - i + sample.rows);
      sample.val.push_back(mine.val[k]);
    }
    sample.row_ptr.push_back(static_cast<Offset>(sample.col.size()));
    ++sample.rows;
  }
  sample.cols = sample.rows;
  return sample;
}

/// Whether Jacobi would be slow for a matrix that may be definite, and groups suit it: it is large, and most rows are
/// those of diffusion, neither dominated by the diagonal nor with large entries of its sign beside it.
template <class T>
bool suits_multigrid(const Team& team, const Facts& facts, const CsrView<T>& mine, Index begin) {
  if (facts.rows < fewest_rows_of_hierarchy || !facts.symmetric || !facts.finite) return false;
  const Csr<T> sample = sample_of(mine, begin);
  const bool suits =
      mine.rows > 0 && !is_mostly_dominant(Host(1), sample.view()) && !is_mostly_positive(Host(1), sample.view());
  return 2.0 * team.sum(suits ? static_cast<double>(mine.rows) : 0.0) > facts.rows;
}

bool has_one_sign(const Facts& facts) { return facts.positive_diagonal || facts.negative_diagonal; }

/// On CPUs fsai and ict halve the iterations of Jacobi, and double their time (mesh2d:300 and elasticity3d:12 on two
/// ranks, 2026-11): what is stronger is for solves that would take very many, or not end within the limit. On GPUs fsai
/// takes half of the time (faster_than_jacobi_on_gpu()).
constexpr double very_many = 1500, some_on_gpu = 150, after_failure = HUGE_VAL;

template <class Local>
constexpr DistributedRung fsai = {"fsai", "", is_cuda<Local> ? some_on_gpu : very_many};
constexpr DistributedRung ict = {"ict", "", very_many}, ilut_at_last = {"ilut", "", after_failure},
                          blocks = {"block-jacobi", "", very_many}, ilu0 = {"ilu0", "", very_many},
                          ilut = {"ilut", "", very_many};
/// Rows without a diagonal entry leave little hope without factors.
constexpr DistributedRung ilut_soon = {"ilut", "", 100};

}  // namespace

template <class Local, class T>
DistributedMethods<Local, T>::DistributedMethods(DistributedOperator<Local, T>& a, const CsrView<T>& rows,
                                                 std::string_view solver, std::string_view preconditioner,
                                                 const SolveOptions& limits, const StopRequest& stop)
    : space_(a.space()),
      a_(a),
      limits_(limits),
      is_auto_(solver == "auto"),
      chooses_preconditioner_(preconditioner == "auto"),
      may_be_definite_(a.facts()->symmetric && has_one_sign(*a.facts())),
      solver_{std::string(solver), "asked for"},
      preconditioner_(preconditioner),
      reason_("asked for") {
  const Facts& facts = *a.facts();
  const bool is_square = facts.rows == facts.cols;
  if (is_auto_) solver_ = choice();
  const SolverInfo* const info = find_solver(solver_.name);
  if (info == nullptr) runs::throw_unknown_solver(solver_.name);
  if (!is_square && !info->needs_transpose) throw ArgumentError(solver_.name + ": needs a square matrix");
  if (info->needs_transpose) a_.add_adjoint(rows);
  choose_preconditioner(rows, stop);
  if (is_auto_ && is_square) solver_ = choice();
  const bool may_use_factors = is_auto_ || info->takes_factors();
  if (chooses_preconditioner_ && is_square && facts.finite && facts.rows > 0 && !info->needs_transpose &&
      may_use_factors && limits.effort != Effort::quick)
    rungs_ = rungs_for(rows);
}

template <class Local, class T>
void DistributedMethods<Local, T>::choose_preconditioner(const CsrView<T>& rows, const StopRequest& stop) {
  const Facts& facts = *a_.facts();
  const bool is_least_squares = find_solver(solver_.name)->needs_transpose;
  if (chooses_preconditioner_) {
    const bool has_diagonal = facts.rows == facts.cols && facts.missing_diagonal == 0;
    preconditioner_ = has_diagonal && !is_least_squares ? "jacobi" : "none";
    reason_ = is_least_squares ? "least squares problems take none with ranks"
              : has_diagonal   ? "every row has a diagonal entry"
                               : "rows have no diagonal entry";
    if (solver_.name == "cg" && has_one_sign(facts) && try_multigrid(rows, stop)) {
      preconditioner_ = "multigrid";
      reason_ = "the matrix is large, and one of diffusion";
      return;
    }
  }
  const auto [name, options] = runs::name_and_options(preconditioner_);
  if (is_least_squares && name != "none") throw ArgumentError("lsmr takes no preconditioner with ranks");
  m_ = distributed_preconditioner(a_, rows, name, options, stop, limits_.mem_limit);
}

/// Takes multigrid where the matrix suits it, and where a cycle shrinks an error well on trial.
template <class Local, class T>
bool DistributedMethods<Local, T>::try_multigrid(const CsrView<T>& rows, const StopRequest& stop) {
  const Team& team = space_.team();
  if (!suits_multigrid(team, *a_.facts(), rows, a_.row_parts().begin(team))) return false;
  try {
    m_ = distributed_preconditioner(a_, rows, "multigrid", {}, stop, limits_.mem_limit);
  } catch (const Stopped&) {
    throw;
  } catch (const Error&) {  // on all ranks
    return false;
  }
  if (m_->rate() > poor_rate(1)) m_.reset();
  return m_ != nullptr;
}

/// The method for the preconditioner that there is.
template <class Local, class T>
SolverChoice DistributedMethods<Local, T>::choice() const {
  const bool keeps_definiteness = preconditioner_ == "none" || preconditioner_ == "jacobi" ||
                                  preconditioner_ == "spai0" || preconditioner_ == "chebyshev";
  PreconditionerTraits m;
  if (m_ != nullptr) {
    m = {.symmetric = m_->symmetric() && (keeps_definiteness || has_one_sign(*a_.facts())),
         .varies = m_->varies(),
         .rate = m_->rate()};
    m.weak = m.symmetric && m.rate == 0;
    if (m.varies) m.symmetric = false;  // only GMRES takes that
  }
  return choose_solver(*a_.facts(), sizeof(T), limits_.restart, m, limits_.mem_limit);
}

/// Complete factors of each rank, after a failure.
template <class Local, class T>
DistributedRung DistributedMethods<Local, T>::complete(const char* name) const {
  return {name, limits_.effort == Effort::thorough ? "" : "fill=100", after_failure};
}

template <class Local, class T>
std::vector<DistributedRung> DistributedMethods<Local, T>::rungs_for(const CsrView<T>& rows) const {
  if (may_be_definite_) return {fsai<Local>, ict, complete("cholesky"), ilut_at_last, complete("lu")};
  if (a_.facts()->missing_diagonal > 0) return {ilut_soon, complete("lu")};
  const auto begins = space_.team().agreed([&] {
    return block_begins(host_beside(space_.local()), rows.row_ptr, rows.col, BlockJacobiOptions{}, Partition::block);
  });
  const double count = space_.team().sum(static_cast<double>(begins.size()));
  if (2 * count <= a_.facts()->rows) return {blocks, ilu0, ilut, complete("lu")};
  return {ilu0, ilut, complete("lu")};
}

template <class Local, class T>
SolveResult DistributedMethods<Local, T>::run_once(In<T> b, Out<T> x, const SolveOptions& options) const {
  using Ref = PreconditionerRef<Distributed<Local>, T>;
  return runs::run_on_ranks<Distributed<Local>, T>(solver_.name, space_, a_, b, x, m_ == nullptr ? Ref() : Ref(*m_),
                                                   options);
}

/// Runs the method and, where it was chosen and can't go on, others from the x that it has reached.
template <class Local, class T>
SolveResult DistributedMethods<Local, T>::run(In<T> b, Out<T> x, const SolveOptions& options, CostWatch* watch) {
  SolveResult all = run_once(b, x, options);
  latest_ = runs::ending_of(all);
  if (!is_auto_) return all;
  std::vector<std::string_view> others = {"gmres", "bicgstab"};
  if (a_.facts()->symmetric && (m_ == nullptr || (m_->symmetric() && !m_->varies())))
    others.insert(others.begin(), "minres");
  for (const std::string_view next : others) {
    if (!runs::may_try_another(latest_) || all.at_precision_limit || all.iterations >= options.max_iterations) break;
    if (latest_.why.cause == Cause::not_definite || latest_.why.cause == Cause::indefinite_m) take_as_indefinite();
    if (next == solver_.name || (next == "minres" && latest_.why.cause == Cause::indefinite_m)) continue;
    all.notes.push_back(runs::why_next(latest_, options.iterations_before, next));
    solver_ = {std::string(next), solver_.name + " couldn't go on"};  // for further solves, too
    if (watch != nullptr) watch->forget();
    go_on(all, x, options, [&](const SolveOptions& left) { return run_once(b, x, left); });
  }
  return all;
}

/// What is for definite matrices is out of question.
template <class Local, class T>
void DistributedMethods<Local, T>::take_as_indefinite() {
  if (std::exchange(may_be_definite_, false) && goes_on()) rungs_ = {ilut, complete("lu")};
}

/// Runs the method, and stops it where something stronger is likely to take less. An iteration is the unit of time.
template <class Local, class T>
SolveResult DistributedMethods<Local, T>::watched_run(In<T> b, Out<T> x, const SolveOptions& options) {
  slow_ = false;
  if (rungs_.empty()) return run(b, x, options);
  goal_ = runs::goal_of<Distributed<Local>, T>(space_, b, options);
  CostWatch watch(rungs_.front().iterations, goal_, options.max_iterations,
                  find_solver(solver_.name)->has_steady_residual);
  SolveResult result = run(b, x, watched(options, watch, 1), &watch);
  if (result.status != Status::interrupted) return result;
  slow_ = space_.team().least(watch.stopped() ? 1 : 0) == 1;  // else a callback of one rank asked for the end
  pace_ = watch.pace();
  if (slow_ && result.iterations >= options.max_iterations) {
    result.status = Status::iteration_limit;
    slow_ = false;
  }
  return result;
}

/// Adds a further run. x stays as it is when the run comes no nearer.
template <class Local, class T>
template <class Run>
void DistributedMethods<Local, T>::go_on(SolveResult& all, Out<T> x, const SolveOptions& options, Run run) {
  const Local& local = space_.local();
  const auto before = space_.team().agreed([&] { return runs::copied<Local, T>(local, x); });
  const bool was_slow = all.status == Status::interrupted;
  SolveResult more = run(runs::remaining(options, all));
  if (!runs::is_nearer(more, all)) copy<T>(local, before.span(), x);
  if (was_slow) runs::take_ending(all, more);
  latest_ = runs::ending_of(more);
  runs::append(all, std::move(more));
}

/// Whether there is reason, and time by the clock of rank 0, to go on after a run.
template <class Local, class T>
bool DistributedMethods<Local, T>::may_climb(const SolveResult& all, const SolveOptions& options) const {
  const bool is_late = options.time_limit > 0 && all.seconds >= options.time_limit;
  if (space_.team().all_gather(is_late ? 1 : 0)[0] == 1 || all.iterations >= options.max_iterations) return false;
  const Status s = all.status;
  const bool failed =
      s == Status::breakdown || s == Status::stagnated || s == Status::diverged || s == Status::not_finite;
  return slow_ || (failed && !all.at_precision_limit && std::isfinite(all.relative_residual));
}

/// Whether the latest run failed, or was slow and wouldn't end in the iterations that are left.
template <class Local, class T>
bool DistributedMethods<Local, T>::has_failed(const SolveResult& all, const SolveOptions& options) const {
  if (!slow_ || !(pace_.rate > 0 && pace_.rate < 1)) return true;
  const double left = pace_.left > 0 ? pace_.left : std::log(goal_ / pace_.residual) / std::log(pace_.rate);
  return left > options.max_iterations - all.iterations;
}

/// Makes the next preconditioner that can be made. False where there is none, and where the solve is to end.
template <class Local, class T>
bool DistributedMethods<Local, T>::make_stronger(SolveResult& all, const SolveOptions& options) {
  std::string refused;
  while (!rungs_.empty() && (has_failed(all, options) || !std::isinf(rungs_.front().iterations))) {
    const DistributedRung rung = rungs_.front();
    rungs_.erase(rungs_.begin());
    const Stopwatch watch;
    std::unique_ptr<Preconditioner> next = made(rung, all, options, refused);
    const double seconds = watch.seconds();
    all.seconds += seconds;
    all.setup_seconds += seconds;
    if (all.status == Status::time_limit || (all.status == Status::interrupted && !slow_)) return false;
    if (next == nullptr) continue;
    all.notes.push_back(why_stopped(all, options) + "; went on with " + next->name() + " (" +
                        bytes_text(static_cast<double>(next->bytes())) + " on this rank, in " + short_text(seconds) +
                        " s)");
    m_ = std::move(next);
    preconditioner_ = rung.name;
    reason_ = "what came before was slow, or failed";
    if (is_auto_) solver_ = choice();
    return true;
  }
  if (!refused.empty()) all.notes.push_back(why_stopped(all, options) + "; nothing stronger: " + refused);
  return false;
}

/// Null where it can't be made, and where the time is over or a stop is requested: the result then says so.
template <class Local, class T>
std::unique_ptr<PreconditionerBase<Distributed<Local>, T>> DistributedMethods<Local, T>::made(
    const DistributedRung& rung, SolveResult& all, const SolveOptions& options, std::string& refused) {
  const Team& team = space_.team();
  const double left = options.time_limit > 0 ? std::max(1e-9, options.time_limit - all.seconds) : 0;
  const detail::Deadline until = runs::deadline_on(team, left, options.stop);
  std::unique_ptr<Preconditioner> next;
  std::string why;
  bool was_stopped = false;
  try {
    next = distributed_preconditioner(a_, rows_.view(), rung.name, rung.options, until, options.mem_limit);
  } catch (const Stopped&) {
    was_stopped = true;
  } catch (const std::exception& e) {  // of each rank
    why = e.what();
  }
  if (team.most(was_stopped ? 1 : 0) == 1) {
    slow_ = false;
    const bool is_late = team.all_gather(until.is_over() ? 1 : 0)[0] == 1;
    all.status = is_late ? Status::time_limit : Status::interrupted;
    all.take(runs::stopped_meanwhile(all, options, is_late ? Cause::time_limit : Cause::stop_request));
  } else if (next == nullptr) {
    refused += (refused.empty() ? "" : "; ") + why;
  }
  return next;
}

template <class Local, class T>
std::string DistributedMethods<Local, T>::why_stopped(const SolveResult& all, const SolveOptions& options) const {
  const std::string name = latest_.solver + " with " + preconditioner();
  const int iterations = options.iterations_before + all.iterations;
  if (slow_) return runs::slow_text(name, pace_, iterations);
  return name + " ended as " + in_words(latest_.status) + " at iteration " + std::to_string(iterations) + " (" +
         latest_.why.text + ")";
}

template <class Local, class T>
SolveResult DistributedMethods<Local, T>::solve(In<T> b, Out<T> x, const SolveOptions& options) {
  detail::require_equal_options(space_.team(), solver_.name, sizeof(T), m_ == nullptr, options);
  if (!goes_on()) return run(b, x, options);
  SolveResult all = watched_run(b, x, options);
  while (may_climb(all, options) && make_stronger(all, options))
    go_on(all, x, options, [&](const SolveOptions& left) { return watched_run(b, x, left); });
  if (slow_) go_on(all, x, options, [&](const SolveOptions& left) { return run(b, x, left); });
  slow_ = false;
  if (rungs_.empty()) rows_ = {};
  runs::name_limit(all, options);
  return all;
}

OSTINATO_CLASS(DistributedMethods);

}  // namespace ostinato
