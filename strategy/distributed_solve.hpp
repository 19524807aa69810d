// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>
#include <ostinato/spmv/team/gpu_of_rank.hpp>
#include <ostinato/spmv/team/numbering.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/spmv/team/team.hpp>
#include <ostinato/strategy/distributed_methods.hpp>
#include <ostinato/strategy/distributed_preparation.hpp>

namespace ostinato {

/// The same on all ranks, but for `owners`.
struct DistributedOptions {
  std::string solver = "auto";  ///< or the name of a method
  std::string preconditioner =
      "auto";  ///< or a name with options: "jacobi", "ilut:drop=1e-3" (preconditioners/distributed.hpp)
  std::string format = "auto";  ///< or "csr" (on GPUs "sliced-ell"), "dia"
  /// Callbacks and stop requests may be those of one rank; the clock is rank 0's. The set-up keeps mem_limit, looks at
  /// the stop request and has time_limit for itself. Ranks that are threads of one process ask each other's requests
  /// within it, one at a time; others agree on a stop after each step.
  SolveOptions solve = {};
  /// Which ranks solve for which rows: "given", those that have them, but for blocks; "rows" or "entries", as many for
  /// each; "grid", "rcm", "metis" (partitioning.hpp); "owners". b and x stay as they are given.
  std::string partition = "given";
  std::vector<int> owners = {};  ///< for "owners": the rank of each row of this rank
};

/// What the steps of a set-up took on this rank, with waiting for others.
struct DistributedSeconds {
  double share = 0;         ///< to find out which rank has which rows, and to move them
  double prepare = 0;       ///< to look at the matrix, and to scale it
  double convert = 0;       ///< to make its operator
  double precondition = 0;  ///< to choose and make a preconditioner
};

/// A system of which each rank has some equations, set up for solves in double or single precision: on the CPU, or on
/// GPUs, of which each rank then has a Cuda of its own. Rows, b and x are in host memory in either case.
///
/// Rows are moved between ranks so that each rank has whole blocks of them (Partition::block): a solve has the same
/// bits and iterations on any number of ranks, with threads and with MPI, unless the preconditioner is that of each
/// rank, or multigrid. Of the partitions, grid, metis and owners keep to no blocks, and metis and owners change the
/// order of the rows with the ranks: the bits differ, as after a rounding. "auto" takes the
/// method that choose_solver() names, with jacobi where no diagonal entry is 0, or on the CPU multigrid for large
/// matrices of diffusion under cg; and it goes on to others as DistributedMethods says. For that it keeps the rows in
/// host memory. lsmr has no preconditioner.
///
/// The system is prepared as DistributedPreparation says, unless options.solve.prepare is false: the residual and the
/// end state are those of the given system.
///
/// Exec      Collective, as are solves.
/// Traffic   With rcm, metis and owners a solve sends each element of b and of the guess to its rank, and each of x
///           back, with 4 or 8 bytes that say which it is.
/// Throws    ArgumentError for options and rows that can't be; RankError where another rank has failed (Team). The
///           constructor throws Stopped on all ranks, where one is asked to stop, or the time of rank 0 is over.
///           Messages name rows of the whole matrix as it was given.
template <class T, class Local = Host>
class DistributedSolver {
 public:
  /// `mine`: rows of this rank, with columns of the whole matrix. The rows of rank r come before those of rank r + 1.
  DistributedSolver(const Team& team, const CsrView<T>& mine, DistributedOptions options = {},
                    const Local& local = Local());
  DistributedSolver(const Team& team, const Csr<T>& mine, DistributedOptions options = {}, const Local& local = Local())
      : DistributedSolver(team, mine.view(), std::move(options), local) {}
  DistributedSolver(DistributedSolver&&) noexcept;
  ~DistributedSolver();

  /// b: right-hand sides of the rows that were given. x: the same rows of the solution, of a square matrix; of another
  /// one columns().length(team) elements. On entry x holds the guess.
  SolveResult solve(std::span<const T> b, std::span<T> x, const SolveOptions& options);
  SolveResult solve(std::span<const T> b, std::span<T> x) { return solve(b, x, options_.solve); }
  /// The elements of A x that belong to the rows that were given.
  std::vector<T> product(std::span<const T> x) const;

  const Partition& given() const { return given_; }                    ///< the rows as they were given
  const Partition& columns() const { return given_columns_; }          ///< the elements of x as the caller has them
  const DistributedOperator<Local, T>& matrix() const { return *a_; }  ///< as it is solved: in other order, scaled
  const Facts& facts() const { return facts_; }                        ///< of the whole matrix as it was given
  const DistributedSeconds& seconds() const { return seconds_; }
  const SystemPreparation& preparation() const { return preparation_->what(); }
  const SolverChoice& method() const { return methods_->solver(); }  ///< that "auto" has chosen, and why
  std::string preconditioner() const { return methods_->preconditioner(); }
  const std::string& preconditioner_reason() const { return methods_->preconditioner_reason(); }
  std::uint64_t reductions() const { return space_.reductions(); }
  double reduction_seconds() const { return space_.reduction_seconds(); }

 private:
  void set_up(const CsrView<T>& mine);
  template <class Step>
  void agree_on_stop(const StopRequest& stop, const char* when, Step step) const;
  Partition share(const CsrView<T>& mine, const StopRequest& stop);
  void move_rows(const CsrView<T>& mine, const Partition& rows, Csr<T>& kept);
  void prepare(const Partition& rows, Csr<T>& kept);
  void make_methods(const StopRequest& stop);
  void keep(Csr<T> kept);
  SolveResult run(std::span<const T> b, std::span<T> x, const SolveOptions& options);
  std::string in_given_rows(std::string text) const;
  bool is_in_place() const;
  /// Elements of the caller, of rows or of columns, where this rank solves for them; and back.
  std::vector<T> taken(std::span<const T> given, const Partition& from, const Partition& to) const;
  std::vector<T> given_back(std::span<const T> own, const Partition& from, const Partition& to) const;

  Distributed<Local> space_;
  DistributedOptions options_;
  Partition given_, given_columns_;
  std::optional<Numbering> numbering_;
  DistributedSeconds seconds_;
  Facts facts_;
  std::unique_ptr<DistributedPreparation<T>> preparation_;
  CsrView<T> rows_;  ///< of this rank, as they are solved; during the set-up
  std::unique_ptr<DistributedOperator<Local, T>> a_;
  std::unique_ptr<DistributedMethods<Local, T>> methods_;
};

template <class T>
DistributedSolver(const Team&, const Csr<T>&, DistributedOptions = {}) -> DistributedSolver<T>;
template <class T, class Local>
DistributedSolver(const Team&, const Csr<T>&, DistributedOptions, const Local&) -> DistributedSolver<T, Local>;

#define OSTINATO_EXTERN_SOLVER(Class, Space, T) extern template class Class<T, Space>
OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN_SOLVER, DistributedSolver);

/// The result of a solve whose set-up was stopped after `seconds`: as interrupted, or by the time limit of rank 0. x is
/// the guess, and its residual isn't known.
/// Exec      Collective.
SolveResult stopped_set_up(const Team& team, const DistributedOptions& options, double seconds, const Stopped& why);

/// Solves A x = b, where each rank has some rows of A and the same elements of b and x. Where the set-up is stopped,
/// the result says so.
SolveResult solve(const Team& team, const CsrView<double>& mine, std::span<const double> b, std::span<double> x,
                  const DistributedOptions& options = {});
SolveResult solve(const Team& team, const CsrView<float>& mine, std::span<const float> b, std::span<float> x,
                  const DistributedOptions& options = {});
/// The same on GPUs: solve(team, gpu_of(team), mine, b, x).
SolveResult solve(const Team& team, const Cuda& gpu, const CsrView<double>& mine, std::span<const double> b,
                  std::span<double> x, const DistributedOptions& options = {});
SolveResult solve(const Team& team, const Cuda& gpu, const CsrView<float>& mine, std::span<const float> b,
                  std::span<float> x, const DistributedOptions& options = {});

}  // namespace ostinato
