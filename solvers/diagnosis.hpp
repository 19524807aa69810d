// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/solvers/scaled_system.hpp>

// Why a solve failed, found out after its end: SolveResult::reason. Nothing here costs a solve that converges.

namespace ostinato {

/// A number in three digits.
std::string short_text(double number);

/// Says where the first number that isn't finite comes from: "b holds NaN in row 5" (rows count from 1), the same of the
/// guess and of A, or "M^-1 b isn't finite in row 5". Empty when all of them are finite. `x` is the caller's after the
/// solve, which is finite if the guess was.
/// Exec      Copies vectors to the host; one product and one application of M.
template <class Space, class T>
std::string why_not_finite(const ScaledSystem<Space, T>& system, In<T> x);

/// Whether each element of y = A * ones is as small as the rounding of its own row: small beside products of A with some
/// random vectors. (Beside ||A|| a row of small entries looks like 0, whatever these add up to.)
/// Exec      Some products, copied to the host.
template <class Space, class T>
bool is_rounding_by_row(const Space& space, const OperatorRef<Space, T>& a, In<T> y);

/// Says that A is singular, where that is easily seen: rows without entries, or A * ones = 0 up to rounding. Empty
/// otherwise, and also when that can't be why the residual of a symmetric A stays above `goal`, a norm of the system.
/// Exec      One product, some more where A * ones is small, in vectors of its own. Empty, too, when there is no memory
///           for them.
template <class Space, class T>
std::string why_singular(const ScaledSystem<Space, T>& system, double goal);

}  // namespace ostinato
