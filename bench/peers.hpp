// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Systems solved by other libraries, on the CPU. x0 = 0 for all. The goal is a little below that of the comparison, so
// that the rounding of their recurrences doesn't decide who has got there.
#pragma once

#include <string>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::bench {

inline constexpr double peer_goal = 0.99e-8;  ///< of ||b||
inline constexpr int peer_iterations = 10000;
inline constexpr int peer_restart = 50;

/// How a solve ended.
struct PeerSolve {
  std::vector<double> x;
  double setup = 0, solve = 0;  ///< seconds
  int iterations = 0;
  std::string status;  ///< "converged", or what the library says
  std::string notes;   ///< for people
};

/// SuperLU's ILUTP with its defaults (drop 1e-4, fill 10, COLAMD, equilibration), except that rows aren't matched to
/// columns: Debian's SuperLU comes without MC64. With `match` our prepare() does MC64's part, and its time counts. The
/// method is our GMRES(50) with an operator in CSR, whose set-up doesn't count.
PeerSolve solve_with_superlu(const Host& space, const Csr<double>& a, const std::vector<double>& b, bool match);

/// Eigen's IncompleteLUT (drop 1e-4, fill 10) with its BiCGSTAB or its GMRES(50).
PeerSolve solve_with_eigen(const Csr<double>& a, const std::vector<double>& b, bool gmres);

/// PETSc on one rank, with options as for its programs: "-ksp_type cg -pc_type icc". The residual is that of A x = b,
/// not the preconditioned one, and preconditioners of GMRES are on the right. With `block` > 0 the matrix is said to
/// have diagonal blocks of so many rows, for "-pc_type vpbjacobi". The first call starts MPI.
PeerSolve solve_with_petsc(const Csr<double>& a, const std::vector<double>& b, const std::string& options,
                           int block = 0);

}  // namespace ostinato::bench
