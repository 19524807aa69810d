// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Complete factors by other libraries, on the CPU. Each solve is followed by one step of refinement with residuals in
// long double.
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

}  // namespace ostinato::bench
