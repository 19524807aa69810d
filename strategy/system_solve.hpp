// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>

namespace ostinato {

/// Solves A x = b by a matrix that was prepared: solver, options and notes are those of solve() with a preconditioner.
/// `a` and `m` are made from prepared.analysis(); b and x are the caller's.
///
/// The residual is that of the given matrix, recomputed with twice the digits, and so is the end state. The solve goes
/// on, from the residual, while it isn't within the tolerance, or while single equations are far from solved
/// (row_errors()). With "auto", a system that no method with a preconditioner solves goes on to what is sure to: MINRES
/// without a preconditioner where A is symmetric, a dense factorisation where A is small, LSMR. The end is then
/// `converged` or, where A is singular and b isn't in its range, `least_squares`.
///
/// Shapes    A: n x n. b, x: n, in the memory of the space, apart from each other.
/// Traffic   Where nothing was prepared: that of solve(), and one pass over A at the end.
/// Throws    As solve().
template <class Space, class T>
SolveResult solve_prepared(PreparedMatrix<Space, T>& prepared, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                           const PreconditionerRef<Space, T>& m, std::string_view solver, const SolveOptions& options);

}  // namespace ostinato
