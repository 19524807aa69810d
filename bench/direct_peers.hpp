// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Complete factors by other libraries, on the CPU, and by cuDSS on the GPU. Each solve is followed by one step of
// refinement, on the CPU with residuals in long double.
#pragma once

#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

#include "peers.hpp"

namespace ostinato::bench {

/// SuperLU's expert driver: COLAMD, equilibration, partial pivoting.
PeerSolve factor_with_superlu(const Csr<double>& a, const std::vector<double>& b);

/// KLU: blocks of triangular form, AMD, partial pivoting.
PeerSolve factor_with_klu(const Csr<double>& a, const std::vector<double>& b);

/// CHOLMOD, which itself chooses between rows and supernodes. Its status says that a matrix isn't positive definite.
PeerSolve factor_with_cholmod(const Csr<double>& a, const std::vector<double>& b);

/// MUMPS in its sequential form with its defaults: L D L^T for symmetric matrices, otherwise L U.
PeerSolve factor_with_mumps(const Csr<double>& a, const std::vector<double>& b);

/// cuDSS with its defaults, on the first GPU: L D L^T for symmetric matrices, otherwise L U. The refinement is cuDSS'
/// own. A and b start in host memory, where x is wanted. An earlier system has opened the device and the library.
PeerSolve factor_with_cudss(const Csr<double>& a, const std::vector<double>& b);

/// Ostinato's solve(a, b) on the same terms.
PeerSolve solve_on_gpu(const Csr<double>& a, const std::vector<double>& b);

}  // namespace ostinato::bench
