// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/cause.hpp>

namespace ostinato {

std::string_view to_string(Cause cause) {
  switch (cause) {
    case Cause::none:
      return "none";
    case Cause::zero_right_side:
      return "zero_right_side";
    case Cause::iteration_limit:
      return "iteration_limit";
    case Cause::time_limit:
      return "time_limit";
    case Cause::stop_request:
      return "stop_request";
    case Cause::callback:
      return "callback";
    case Cause::stalled:
      return "stalled";
    case Cause::rounding:
      return "rounding";
    case Cause::growth:
      return "growth";
    case Cause::large_x:
      return "large_x";
    case Cause::range:
      return "range";
    case Cause::bad_input:
      return "bad_input";
    case Cause::bad_preconditioner:
      return "bad_preconditioner";
    case Cause::not_symmetric:
      return "not_symmetric";
    case Cause::not_definite:
      return "not_definite";
    case Cause::indefinite_m:
      return "indefinite_m";
    case Cause::division_by_zero:
      return "division_by_zero";
    case Cause::singular:
      return "singular";
    case Cause::nearly_singular:
      return "nearly_singular";
    case Cause::no_solution:
      return "no_solution";
    case Cause::outside_range:
      return "outside_range";
    case Cause::smallest_residual:
      return "smallest_residual";
    case Cause::unsolved_rows:
      return "unsolved_rows";
    case Cause::memory:
      return "memory";
    case Cause::no_method:
      return "no_method";
  }
  return "none";
}

}  // namespace ostinato
