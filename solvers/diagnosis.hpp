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

/// Says that A is singular, where that is easily seen: rows without entries, or A * ones = 0 up to rounding. Empty
/// otherwise, and also when that can't be why the residual of a symmetric A stays above `goal`, a norm of the system.
/// Exec      One product, in two vectors of its own. Empty, too, when there is no memory for them.
template <class Space, class T>
std::string why_singular(const ScaledSystem<Space, T>& system, double goal);

}  // namespace ostinato
