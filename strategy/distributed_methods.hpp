// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>
#include <ostinato/strategy/runs.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

namespace ostinato {

/// A preconditioner that auto goes on to on ranks.
struct DistributedRung {
  const char *name, *options;
  double iterations;  ///< that it has to save of a method that is slow; infinite: it is for a method that failed
};

/// The method and the preconditioner with which ranks solve: by name, or as auto chooses them.
///
/// Where auto has chosen the preconditioner, it goes on to stronger ones, each from the x of those before, as long as a
/// method fails, or is slow: when it is predicted, by its residuals and Ritz values, to take more iterations than a
/// stronger one costs. No clock has a part in that: all ranks, and any number of them, go the same way. It remembers
/// what worked.
///
/// Exec      All functions are collective.
template <class Local, class T>
class DistributedMethods {
 public:
  /// `rows`: of this rank, as those of `a`, which stays. `stop`: looked at while a preconditioner is made.
  DistributedMethods(DistributedOperator<Local, T>& a, const CsrView<T>& rows, std::string_view solver,
                     std::string_view preconditioner, const SolveOptions& limits, const StopRequest& stop);

  /// Whether it may go on. It then needs the rows, which it keeps in host memory.
  bool goes_on() const { return !rungs_.empty(); }
  void keep(Csr<T> rows) { rows_ = std::move(rows); }

  const SolverChoice& solver() const { return solver_; }
  const std::string& preconditioner_reason() const { return reason_; }
  std::string preconditioner() const { return m_ == nullptr ? "none" : m_->name(); }

  /// Solves from x. b and x are those of this rank, in the memory of its space.
  SolveResult solve(In<T> b, Out<T> x, const SolveOptions& options);

 private:
  using Preconditioner = PreconditionerBase<Distributed<Local>, T>;

  void choose_preconditioner(const CsrView<T>& rows, const StopRequest& stop);
  bool try_multigrid(const CsrView<T>& rows, const StopRequest& stop);
  SolverChoice choice() const;
  std::vector<DistributedRung> rungs_for(const CsrView<T>& rows) const;
  DistributedRung complete(const char* name) const;
  void take_as_indefinite();

  SolveResult run_once(In<T> b, Out<T> x, const SolveOptions& options) const;
  SolveResult run(In<T> b, Out<T> x, const SolveOptions& options, CostWatch* watch = nullptr);
  SolveResult watched_run(In<T> b, Out<T> x, const SolveOptions& options);
  bool has_failed(const SolveResult& all, const SolveOptions& options) const;
  bool may_climb(const SolveResult& all, const SolveOptions& options) const;
  bool make_stronger(SolveResult& all, const SolveOptions& options);
  std::unique_ptr<Preconditioner> made(const DistributedRung& rung, SolveResult& all, const SolveOptions& options,
                                       std::string& refused);
  template <class Run>
  void go_on(SolveResult& all, Out<T> x, const SolveOptions& options, Run run);
  std::string why_stopped(const SolveResult& all, const SolveOptions& options) const;

  Distributed<Local> space_;
  DistributedOperator<Local, T>& a_;
  SolveOptions limits_;
  bool is_auto_, chooses_preconditioner_;
  bool may_be_definite_;
  SolverChoice solver_;
  std::string preconditioner_, reason_;  ///< the name, and why
  std::unique_ptr<Preconditioner> m_;
  std::vector<DistributedRung> rungs_;  ///< those that are left
  Csr<T> rows_;
  bool slow_ = false;  ///< the latest run was stopped because it was slow
  Pace pace_;
  double goal_ = 0;  ///< relative, of the latest run
  runs::Ending latest_{};
};

OSTINATO_EXTERN_CLASS(DistributedMethods);

}  // namespace ostinato
