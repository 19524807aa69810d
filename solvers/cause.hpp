// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ostinato {

/// Why a solve ended as it did: what decisions go by. SolveResult::reason is the sentence for it.
enum class Cause {
  none,                ///< converged, and nothing is to be said
  zero_right_side,     ///< b = 0, and so is x
  iteration_limit,     ///< of the caller
  time_limit,          ///< of the caller
  stop_request,        ///< a stop was requested
  callback,            ///< the callback returned false
  stalled,             ///< the recomputed residual no longer fell
  rounding,            ///< the residual is about as small as the rounding of b - A x
  growth,              ///< the residual grew past its limit
  large_x,             ///< ||x|| has grown so far that its rounding hides b - A x
  range,               ///< numbers left the range of the precision
  bad_input,           ///< A, b or the guess isn't finite
  bad_preconditioner,  ///< M^-1 b isn't finite, or far too large
  not_symmetric,       ///< A isn't symmetric, and the method needs that
  not_definite,        ///< A isn't definite, and the method needs that
  indefinite_m,        ///< the preconditioner isn't definite, and the method needs that
  division_by_zero,    ///< the recurrence would have divided by 0
  singular,            ///< A is singular, as its rows show
  nearly_singular,     ///< A, or M, is singular or nearly so, as the solve shows
  no_solution,         ///< no x solves the system
  outside_range,       ///< b has a part outside of the range of A; x makes ||b - A x|| smallest
  smallest_residual,   ///< of least squares: x makes ||b - A x|| smallest
  unsolved_rows,       ///< the residual is small, and single equations aren't solved
  memory,              ///< there isn't enough for what would follow
  no_method,           ///< none of the methods got there
};

/// "none", "zero_right_side", ...: the names of the JSON report.
std::string_view to_string(Cause cause);

/// A cause, and the sentence for it.
struct Reason {
  Cause cause = Cause::none;
  std::string text = {};

  bool empty() const { return text.empty(); }
};

}  // namespace ostinato
