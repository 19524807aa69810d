// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// The bytes that a basis may take: 2 GB, or `limit` where that is less and not 0.
double basis_memory(std::size_t limit = 0);

/// Whether so many bytes are free in the memory of the space, and a tenth of what is free is left over.
template <class Space>
bool is_free(const Space& space, double bytes) {
  return bytes <= 0.9 * static_cast<double>(space.free_bytes());
}

/// The vectors that GMRES keeps at most before it restarts: `restart`, at most `rows`. With automatic_restart as many
/// as `memory` bytes and an eighth of the host's memory hold, at most 1000. `bytes`: of an element in all bases,
/// sizeof(T), for FGMRES twice that.
int krylov_vectors(std::size_t rows, std::size_t bytes, int restart, double memory = basis_memory());

/// Solves A x = b by restarted GMRES, preconditioned from the right, so that the monitored residual is that of A x = b.
/// By default (automatic_restart) the basis grows as far as krylov_vectors() says, in blocks of 32 vectors, so that a
/// short solve takes little memory. After 50, 100, 200, ... vectors GMRES restarts if the residual has fallen so fast
/// that four more cycles like this one would reach the goal; a restart then costs less than a longer basis. Where
/// memory runs out before, GMRES restarts with what there is, and a note says so. With options.flexible, and with an M
/// that says that it varies, the preconditioned basis is kept (FGMRES), and M may differ from step to step. So it is
/// under an M in float (works_in_float()) for a system in double, where memory holds 50 such vectors at least, or as
/// many as options.restart says: M is then linear up to 1e-7 only.
///
/// Shapes    A: n x n, nonsingular. b, x: n, in the memory of `space`. On entry x holds the initial guess.
/// Traffic   Step j of a cycle applies A and M once and reads the basis twice: (2 j + 6) n sizeof(T) bytes. FGMRES
///           reads it four times.
/// Exec      With a given restart, of which options.max_iterations is the most that counts, allocates (restart + 2) n
///           sizeof(T) bytes at entry, with a preconditioner n sizeof(T) more, for FGMRES restart n sizeof(T) more, and
///           restart^2 sizeof(T) for coefficients; else 33 n sizeof(T) at entry and more as the basis grows.
///           The orthogonalisation is classical Gram-Schmidt, done twice: the second time with the next step
///           (DelayedStep), for FGMRES at once.
///           The host solves the small least squares problem and reads its columns after each block of the monitor.
/// Throws    ArgumentError for options that can't be; MemoryLimitError when a basis of options.restart vectors takes
///           more than options.mem_limit or than is free; DimensionError when A isn't square or the vectors don't fit;
///           exceptions of A and M.
/// Source    Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856; FGMRES: Saad, SIAM J. Sci. Comput. 14 (1993) 461;
///           delayed reorthogonalisation: multi_vector.hpp.
struct Gmres : MethodTraits {
  using Options = OptionsWith<OwnOptions{.restart = true, .flexible = true}>;
  static constexpr std::string_view name = "gmres";
  static constexpr std::string_view description =
      "minimal residuals; any matrix, robust, keeps a basis of up to restart vectors";
  static constexpr bool takes_complex = true;
  static constexpr int products_per_iteration = 1;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::restart;
  static constexpr RoleInAuto in_auto = RoleInAuto::general;
  static constexpr bool has_steady_residual = true;
  static constexpr int period = 2;
  static std::size_t basis_bytes(std::size_t rows, std::size_t value_bytes, const SolveOptions& options);
  static std::string variant(const SolveOptions& options);
  static Reason breakdown(int cause, double number, const std::string& when);

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// gmres(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Gmres> gmres;

}  // namespace ostinato
