// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/spmv/base/stop.hpp>

namespace ostinato {

struct IcOptions {
  bool fill = false;      ///< entries outside of the pattern of A are allowed (ICT); otherwise IC(0)
  double drop = 1e-3;     ///< of the entries outside: left out up to this share of sqrt(a(i, i) a(j, j))
  double most_fill = 10;  ///< entries of the factors at most, as a multiple of those of A
};

/// The largest shift: with a larger one, M is little more than the diagonal.
inline constexpr double largest_shift = 8.192;

/// Throws    ArgumentError naming the first row whose diagonal entry is missing or isn't positive. A matrix that is
///           going to be permuted is checked before, so that the row is the caller's. `owner` begins the message.
void require_positive_diagonal(const CsrView<double>& a, std::string_view owner = "incomplete Cholesky");

/// Factors a symmetric positive definite matrix: A is nearly L D L^T, of which `upper` holds D L^T. Reads the lower
/// triangle.
///
/// A pivot that isn't positive ends the attempt; the next one factors A + s diag(A), with s from 1e-3 on doubled each
/// time up to largest_shift. Factors::shift says which s it was.
///
/// Exec      On the calling thread.
/// Requires  Canonical rows, finite values.
/// Throws    ArgumentError when the diagonal isn't positive, or when no such s makes the pivots positive;
///           std::bad_alloc for more than `most_entries` entries; Stopped once `stop` is made.
/// Source    Manteuffel, Math. Comp. 34 (1980) 473-497, for the shift.
Factors factor_ic(const CsrView<double>& a, const IcOptions& options,
                  Offset most_entries = std::numeric_limits<Offset>::max(), const StopRequest& stop = {});

/// The shifts of these attempts in turn, until attempt(s) succeeds. Returns that s.
/// Throws    ArgumentError when none does.
double first_shift(const std::function<bool(double)>& attempt);

/// The first of these attempts alone: nothing when a pivot isn't positive. With fill, drop = 0 and an infinite
/// most_fill the factors are complete, so that the attempt says whether the matrix is positive definite, up to
/// rounding.
std::optional<Factors> factor_ic_unshifted(const CsrView<double>& a, const IcOptions& options,
                                           Offset most_entries = std::numeric_limits<Offset>::max(),
                                           const StopRequest& stop = {});

}  // namespace ostinato
