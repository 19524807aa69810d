// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <ostinato/solvers/cause.hpp>
#include <ostinato/solvers/recurrence/scaled_system.hpp>

// Why a solve failed, found out after its end, or why one can't succeed: SolveResult::reason. Nothing here costs a
// solve that converges, unless a method is used for a matrix that isn't for it.

namespace ostinato {

/// A number in three digits.
std::string short_text(double number);

/// "the limit of 500 iterations was reached"
std::string limit_text(int iterations);

/// Where numbers that aren't finite come from.
struct NotFinite {
  std::string where;      ///< a sentence; empty: not found out
  bool in_input = false;  ///< in A, b or the guess
};

/// Says where the first number that isn't finite comes from: "b holds NaN in row 5 (counted from 0)", the same of the
/// guess and of A, or "M^-1 b isn't finite in row 5 (counted from 0)", or that M^-1 b is so large that the next
/// products aren't finite. `x` is the caller's after the solve, which is finite if the guess was.
/// Exec      Copies vectors to the host; one product and one application of M.
template <class Space, class T>
NotFinite why_not_finite(const ScaledSystem<Space, T>& system, In<T> x);

/// Whether each element of y = A v is as small as the rounding of its own row: small beside products of A with the
/// elements of v times random numbers. (Beside ||A|| a row of small entries looks like 0, whatever these add up to.)
/// `extra`: what each element may be larger; empty for 0. v: in host memory.
/// Exec      Some products, copied to the host.
template <class Space, class T>
bool is_rounding_by_row(const Space& space, const OperatorRef<Space, T>& a, const std::vector<T>& v, In<T> y,
                        const std::vector<double>& extra = {});

/// Whether x solves the least squares problem of a symmetric A that is singular to working precision: A r is 0 but for
/// the rounding of its rows, where r = b - A x is known to the rounding of b - A x. No other x has a smaller residual
/// then, and r is what b has outside of the range of A.
/// Requires  r is far above the rounding of b - A x as a whole.
/// Exec      Some products, copied to the host. False where A doesn't say that it is symmetric, and without memory.
template <class Space, class T>
bool solves_least_squares(const ScaledSystem<Space, T>& system, In<T> x, In<T> r);

/// "b is outside of the range of A by 3e-07 of its size; x makes ||b - A x|| smallest"
std::string outside_text(double relative_residual);

/// Whether a product shows that A isn't symmetric: r . A (A r) and A r . A r differ by more than a thousandth of
/// ||r|| ||A (A r)|| and by more than rounding. The vectors are those that CG meets: rows that r leaves alone, such as
/// fixed values on a boundary whose columns are still there, don't count. Of convection-diffusion2d with 20^2 and 60^2
/// points, CG solves those with Peclet numbers up to 0.01 and 0.03; those of 0.1 and more show it.
/// Exec      Two products, in vectors of its own. False when there is no memory for them.
template <class Space, class T>
bool shows_asymmetry(const ScaledSystem<Space, T>& system, In<T> r);

/// Says that A is singular, where that is easily seen: rows without entries, or A * ones = 0 up to rounding. Empty
/// otherwise, and also when that can't be why the residual of a symmetric A stays above `goal`, a norm of the system.
/// Exec      One product, some more where A * ones is small, in vectors of its own. Empty, too, when there is no memory
///           for them.
template <class Space, class T>
Reason why_singular(const ScaledSystem<Space, T>& system, double goal);

}  // namespace ostinato
