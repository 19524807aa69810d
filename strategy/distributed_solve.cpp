// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/distributed_solve.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/row_numbers.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/team/distributed_facts.hpp>
#include <ostinato/spmv/team/partitioning.hpp>
#include <ostinato/strategy/runs_on_ranks.hpp>

namespace ostinato {

namespace {

void require_length(const char* what, std::size_t length, Index wanted) {
  if (length != static_cast<std::size_t>(wanted))
    throw DimensionError(std::string(what) + " has " + std::to_string(length) +
                         " elements on this rank, whose part has " + std::to_string(wanted));
}

/// What decides which way a rank goes.
std::vector<runs::NamedOption> names_of(const DistributedOptions& options) {
  return {{"solver", options.solver},
          {"preconditioner", options.preconditioner},
          {"format", options.format},
          {"partition", options.partition},
          {"prepare", options.solve.prepare ? "on" : "off"},
          {"effort", std::to_string(static_cast<int>(options.solve.effort))}};
}

}  // namespace

template <class T, class Local>
DistributedSolver<T, Local>::DistributedSolver(const Team& team, const CsrView<T>& mine, DistributedOptions options,
                                               const Local& local)
    : space_(local, team), options_(std::move(options)) {
  runs::require_equal_names(team, names_of(options_));
  team.agreed([&] { check(mine); });
  if (team.most(mine.cols) != team.least(mine.cols))
    throw ArgumentError("the ranks' rows have different numbers of columns");
  given_ = Partition::of_lengths(team, mine.rows);
  const bool is_square = given_.rows() == mine.cols;
  given_columns_ = is_square ? given_ : Partition::by_rows(team, mine.cols);
  set_up(mine);
}

/// The steps of the set-up. A stop, or the end of rank 0's time, is seen after each on all ranks. Within the long ones
/// each rank looks at a clock of its own.
template <class T, class Local>
void DistributedSolver<T, Local>::set_up(const CsrView<T>& mine) {
  const Team& team = space_.team();
  const detail::Deadline until = runs::deadline_on(team, options_.solve.time_limit, options_.solve.stop);
  const bool is_square = given_.rows() == mine.cols;
  Stopwatch watch;
  Partition rows, columns;
  Csr<T> kept;
  agree_on_stop(until, "before its rows were shared", [] {});
  agree_on_stop(until, "while its rows were shared", [&] { rows = share(mine, until); });
  columns = is_square ? rows : given_columns_;
  agree_on_stop(until, "while its rows were moved", [&] { move_rows(mine, rows, kept); });
  seconds_.share = watch.lap();
  agree_on_stop(until, "while it was prepared", [&] {
    facts_ = distributed_facts(team, rows, columns, rows_);
    prepare(rows, kept);
  });
  seconds_.prepare = watch.lap();
  agree_on_stop(until, "while its operator was made", [&] {
    a_ = std::make_unique<DistributedOperator<Local, T>>(space_, rows, columns, rows_, options_.format,
                                                         preparation_->what().scaled_by > 0 ? nullptr : &facts_);
  });
  seconds_.convert = watch.lap();
  agree_on_stop(until, "while its preconditioner was made", [&] { make_methods(until); });
  seconds_.precondition = watch.lap();
  if (methods_->goes_on()) keep(std::move(kept));
  rows_ = {};
}

/// Does a step that ends, or throws, on all ranks.
/// Throws    Stopped on all ranks where one was asked to stop; what the step throws.
template <class T, class Local>
template <class Step>
void DistributedSolver<T, Local>::agree_on_stop(const StopRequest& stop, const char* when, Step step) const {
  step();
  if (space_.team().most(stop.is_made() ? 1 : 0) == 1)
    throw Stopped(std::string("the set-up of the system was stopped, ") + when);
}

/// Chooses the method and the preconditioner. All ranks throw where one does.
template <class T, class Local>
void DistributedSolver<T, Local>::make_methods(const StopRequest& stop) {
  try {
    methods_ = std::make_unique<DistributedMethods<Local, T>>(*a_, rows_, options_.solver, options_.preconditioner,
                                                              options_.solve, stop);
  } catch (const RankError& e) {
    throw RankError(e.rank(), in_given_rows(e.text()));
  } catch (const MemoryLimitError&) {
    in_given_rows({});
    throw;
  } catch (const ArgumentError& e) {
    throw ArgumentError(in_given_rows(e.what()));
  } catch (...) {
    in_given_rows({});
    throw;
  }
}

/// A sentence that names rows in the order in which they are solved, with the numbers that they were given.
/// Exec      Collective, also where ranks have different sentences.
template <class T, class Local>
std::string DistributedSolver<T, Local>::in_given_rows(std::string text) const {
  if (!numbering_) return text;
  const Team& team = space_.team();
  std::vector<std::size_t> named;
  with_row_numbers(text, [&](std::size_t row) {
    named.push_back(row);
    return row;
  });
  const Partition& rows = numbering_->parts();
  std::vector<std::array<std::size_t, 2>> known;  // in the order of the solve, and as given
  for (const Team::Bytes& asked : team.all_gather_v(std::as_bytes(std::span(named)))) {
    std::vector<std::size_t> wanted(asked.size() / sizeof(std::size_t));
    if (!asked.empty()) std::memcpy(wanted.data(), asked.data(), asked.size());
    for (const std::size_t row : wanted) {
      const auto here = static_cast<Index>(row) - rows.begin(team);
      if (here >= 0 && here < rows.length(team))
        known.push_back({row, static_cast<std::size_t>(numbering_->rows()[static_cast<std::size_t>(here)])});
    }
  }
  std::map<std::size_t, std::size_t> given;
  for (const Team::Bytes& part : team.all_gather_v(std::as_bytes(std::span(known)))) {
    known.resize(part.size() / sizeof(known[0]));
    if (!part.empty()) std::memcpy(known.data(), part.data(), part.size());
    for (const auto& [row, number] : known) given[row] = number;
  }
  return with_row_numbers(std::move(text), [&](std::size_t row) {
    const auto found = given.find(row);
    return found == given.end() ? row : found->second;
  });
}

/// Moves the rows to where they are solved, and sorts them. They are then in `kept`, unless the caller's will do.
template <class T, class Local>
void DistributedSolver<T, Local>::move_rows(const CsrView<T>& mine, const Partition& rows, Csr<T>& kept) {
  const Team& team = space_.team();
  if (numbering_) {
    kept = numbering_->renumbered(mine);
  } else if (rows != given_) {
    kept = moved<T>(team, mine, given_, rows);
  }
  rows_ = numbering_ || rows != given_ ? kept.view() : mine;
  team.agreed([&] {
    if (is_canonical(rows_)) return;
    kept = canonical(rows_, checked);
    rows_ = kept.view();
  });
}

template <class T, class Local>
DistributedSolver<T, Local>::DistributedSolver(DistributedSolver&&) noexcept = default;
template <class T, class Local>
DistributedSolver<T, Local>::~DistributedSolver() = default;

/// Scales the rows, which then are in `kept`, where they differ in size.
template <class T, class Local>
void DistributedSolver<T, Local>::prepare(const Partition& rows, Csr<T>& kept) {
  const Distributed<Host> beside = [&] {
    if constexpr (Local::has_host_memory) {
      return space_;
    } else {
      return Distributed<Host>(Host(), space_.team());
    }
  }();
  preparation_ = std::make_unique<DistributedPreparation<T>>(beside, rows, rows_, facts_, options_.solve.prepare);
  if (preparation_->what().scaled_by == 0) return;
  kept = preparation_->scaled(rows_);
  rows_ = kept.view();
}

/// Keeps the rows for stronger preconditioners: those in `kept`, or a copy of the caller's.
template <class T, class Local>
void DistributedSolver<T, Local>::keep(Csr<T> kept) {
  space_.team().agreed([&] {
    if (kept.row_ptr.data() == rows_.row_ptr.data()) return;
    kept.rows = rows_.rows;
    kept.cols = rows_.cols;
    kept.row_ptr.assign(rows_.row_ptr.begin(), rows_.row_ptr.end());
    kept.col.assign(rows_.col.begin(), rows_.col.end());
    kept.val.assign(rows_.val.begin(), rows_.val.end());
  });
  methods_->keep(std::move(kept));
}

/// The rows that each rank is to have; in another order where there is a numbering.
template <class T, class Local>
Partition DistributedSolver<T, Local>::share(const CsrView<T>& mine, const StopRequest& stop) {
  const Team& team = space_.team();
  const std::string& how = options_.partition;
  if (how == "given") return given_.aligned();
  if (how == "rows") return Partition::by_rows(team, given_.rows());
  if (how == "entries") return Partition::by_entries(team, mine.row_ptr);
  if (how == "grid") return grid_partition(team, given_, mine);
  if (how == "rcm") numbering_ = rcm_partition(team, given_, mine);
  if (how == "metis") numbering_ = metis_partition(team, given_, mine, stop);
  if (how == "owners") {
    if (given_.rows() != mine.cols) throw ArgumentError("owners: the partition needs a square matrix");
    numbering_ = Numbering::of_owners(team, given_, options_.owners);
  }
  if (!numbering_)
    throw ArgumentError("there is no partition '" + how +
                        "'; there are given, rows, entries, grid, rcm, metis, owners");
  return numbering_->parts();
}

template <class T, class Local>
bool DistributedSolver<T, Local>::is_in_place() const {
  return !numbering_ && a_->row_parts() == given_ && a_->column_parts() == given_columns_;
}

template <class T, class Local>
std::vector<T> DistributedSolver<T, Local>::taken(std::span<const T> given, const Partition& from,
                                                  const Partition& to) const {
  return numbering_ ? numbering_->renumbered(given) : moved<T>(space_.team(), given, from, to);
}

template <class T, class Local>
std::vector<T> DistributedSolver<T, Local>::given_back(std::span<const T> own, const Partition& from,
                                                       const Partition& to) const {
  return numbering_ ? numbering_->number_as_before(own) : moved<T>(space_.team(), own, from, to);
}

/// Solves the system as it is kept, with vectors in host memory.
template <class T, class Local>
SolveResult DistributedSolver<T, Local>::run(std::span<const T> b, std::span<T> x, const SolveOptions& options) {
  if constexpr (Local::has_host_memory) {
    return methods_->solve(b, x, options);
  } else {
    Vector<Local, T> there_b, there_x;
    space_.team().agreed([&] {
      there_b = Vector<Local, T>(space_.local(), b);
      there_x = Vector<Local, T>(space_.local(), std::span<const T>(x));
    });
    SolveResult result = methods_->solve(there_b, there_x, options);
    space_.download(x.data(), there_x.data(), there_x.bytes());
    return result;
  }
}

template <class T, class Local>
SolveResult DistributedSolver<T, Local>::solve(std::span<const T> b, std::span<T> x, const SolveOptions& options) {
  const Team& team = space_.team();
  team.agreed([&] {
    require_length("b", b.size(), given_.length(team));
    require_length("x", x.size(), given_columns_.length(team));
  });
  const Partition &rows = a_->row_parts(), &columns = a_->column_parts();
  std::vector<T> own_b, own_x;
  if (!is_in_place()) {
    own_b = taken(b, given_, rows);
    own_x = taken(x, given_columns_, columns);
  }
  const std::span<const T> solved_b = is_in_place() ? b : std::span<const T>(own_b);
  const std::span<T> solved_x = is_in_place() ? x : std::span<T>(own_x);
  SolveResult result = preparation_->solve(
      solved_b, solved_x, options,
      [this](std::span<const T> of_b, std::span<T> of_x, const SolveOptions& o) { return run(of_b, of_x, o); });
  result.reason = in_given_rows(std::move(result.reason));
  if (!is_in_place()) {
    own_x = given_back(own_x, columns, given_columns_);
    std::copy(own_x.begin(), own_x.end(), x.begin());
  }
  return result;
}

template <class T, class Local>
std::vector<T> DistributedSolver<T, Local>::product(std::span<const T> x) const {
  std::vector<T> own_x = taken(x, given_columns_, a_->column_parts());
  preparation_->enter_x(own_x);
  auto [there_x, y] = space_.team().agreed([&] {
    return std::pair(Vector<Local, T>(space_.local(), std::span<const T>(own_x)),
                     Vector<Local, T>(space_.local(), a_->rows()));
  });
  a_->apply(T{1}, std::as_const(there_x).span(), T{0}, y.span());
  std::vector<T> own_y = y.download();
  preparation_->leave_product(own_y);
  return given_back(own_y, a_->row_parts(), given_);
}

#define OSTINATO_SOLVER(Class, Space, T) template class Class<T, Space>
OSTINATO_FOR_ALL_OF(OSTINATO_SOLVER, DistributedSolver);

SolveResult stopped_set_up(const Team& team, const DistributedOptions& options, double seconds, const Stopped& why) {
  const double limit = options.solve.time_limit;
  const bool is_late = limit > 0 && seconds >= limit && !options.solve.stop.is_made();
  SolveResult result;
  runs::take_stopped_set_up(result, team.all_gather(is_late ? 1 : 0)[0] == 1 ? Status::time_limit : Status::interrupted,
                            limit, seconds, std::string("; ") + why.what());
  result.residual = result.relative_residual = std::numeric_limits<double>::quiet_NaN();
  result.seconds = result.setup_seconds = seconds;
  result.solver = options.solver;
  result.preconditioner = options.preconditioner;
  return result;
}

namespace {

template <class T, class Local>
SolveResult solve_once(const Team& team, const CsrView<T>& mine, std::span<const T> b, std::span<T> x,
                       const DistributedOptions& options, const Local& local) {
  const Stopwatch watch;
  std::optional<DistributedSolver<T, Local>> solver;
  try {
    solver.emplace(team, mine, options, local);
  } catch (const Stopped& why) {
    return stopped_set_up(team, options, watch.seconds(), why);
  }
  return solver->solve(b, x);
}

}  // namespace

SolveResult solve(const Team& team, const CsrView<double>& mine, std::span<const double> b, std::span<double> x,
                  const DistributedOptions& options) {
  return solve_once(team, mine, b, x, options, Host());
}

SolveResult solve(const Team& team, const CsrView<float>& mine, std::span<const float> b, std::span<float> x,
                  const DistributedOptions& options) {
  return solve_once(team, mine, b, x, options, Host());
}

SolveResult solve(const Team& team, const Cuda& gpu, const CsrView<double>& mine, std::span<const double> b,
                  std::span<double> x, const DistributedOptions& options) {
  return solve_once(team, mine, b, x, options, gpu);
}

SolveResult solve(const Team& team, const Cuda& gpu, const CsrView<float>& mine, std::span<const float> b,
                  std::span<float> x, const DistributedOptions& options) {
  return solve_once(team, mine, b, x, options, gpu);
}

}  // namespace ostinato
