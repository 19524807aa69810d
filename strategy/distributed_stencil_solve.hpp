// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/matrix/stencil.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/team/distributed_stencil.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/spmv/team/team.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

namespace ostinato {

/// The same on all ranks.
struct DistributedStencilOptions {
  std::string solver = "auto";          ///< or the name of a method
  std::string preconditioner = "auto";  ///< or none, jacobi, chebyshev, "multigrid:sweeps=2"
  SolveOptions solve = {};              ///< as DistributedOptions::solve
};

/// A system whose matrix is a stencil, of which each rank has a slab of planes (DistributedStencil), set up for solves
/// in double or single precision. No matrix is stored, and the set-up takes no longer on larger grids, but for
/// coefficients by a function.
///
/// "auto" takes the method that choose_solver() names, with multigrid for constant coefficients, in two or three
/// dimensions and without periodic axes; else jacobi, or nothing where all diagonal entries are equal. Where the matrix
/// or the preconditioner turns out to be indefinite, it goes on with minres or gmres.
///
/// A solve takes the iterations of one rank, and has its bits where the slabs are whole blocks (slab_partition()).
///
/// Exec      Collective, as are solves.
/// Throws    ArgumentError for options and stencils that can't be; RankError where another rank has failed (Team);
///           Stopped, from the constructor on all ranks, where one is asked to stop, or the time of rank 0 is over.
template <class T, class Local = Host>
class DistributedStencilSolver {
 public:
  DistributedStencilSolver(const Team& team, const Stencil& stencil, DistributedStencilOptions options = {},
                           const Local& local = Local());

  /// b, x: the slab of this rank, in the memory of the space. On entry x holds the guess.
  SolveResult solve(In<T> b, Out<T> x, const SolveOptions& options);
  SolveResult solve(In<T> b, Out<T> x) { return solve(b, x, options_.solve); }

  const Partition& rows() const { return a_->row_parts(); }  ///< the slabs
  const DistributedStencil<Local, T>& matrix() const { return *a_; }
  const Facts& facts() const { return *a_->facts(); }  ///< of the whole matrix
  const SolverChoice& method() const { return method_; }
  std::string preconditioner() const { return m_ == nullptr ? "none" : m_->name(); }
  const std::string& preconditioner_reason() const { return preconditioner_reason_; }
  std::uint64_t reductions() const { return space_.reductions(); }
  double reduction_seconds() const { return space_.reduction_seconds(); }

 private:
  using Space = Distributed<Local>;

  void precondition(const StopRequest& stop);
  bool try_multigrid(const StopRequest& stop);
  PreconditionerRef<Space, T> preconditioning() const;
  SolveResult run(In<T> b, Out<T> x, const SolveOptions& options) const;

  Space space_;
  DistributedStencilOptions options_;
  std::unique_ptr<DistributedStencil<Local, T>> a_;  ///< to which preconditioners refer
  std::unique_ptr<PreconditionerBase<Space, T>> m_;
  std::string preconditioner_reason_ = "asked for";
  SolverChoice method_;
};

#define OSTINATO_EXTERN_STENCIL_SOLVER(Class, Space, T) extern template class Class<T, Space>
OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN_STENCIL_SOLVER, DistributedStencilSolver);

/// Solves A x = b for a stencil, where each rank has a slab of b and x.
template <class T, class Local>
SolveResult solve(const Team& team, const Local& local, const Stencil& stencil, In<T> b, Out<T> x,
                  const DistributedStencilOptions& options = {}) {
  return DistributedStencilSolver<T, Local>(team, stencil, options, local).solve(b, x);
}

}  // namespace ostinato
