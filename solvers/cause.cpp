// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/cause.hpp>

#include <array>
#include <cstddef>

namespace ostinato {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Cause::no_method) + 1> names = {
    "none",          "zero_right_side",   "iteration_limit",    "time_limit",      "stop_request",
    "callback",      "stalled",           "rounding",           "growth",          "large_x",
    "range",         "bad_input",         "bad_preconditioner", "not_symmetric",   "not_definite",
    "indefinite_m",  "division_by_zero",  "singular",           "nearly_singular", "no_solution",
    "outside_range", "smallest_residual", "unsolved_rows",      "memory",          "no_method"};

}  // namespace

std::string_view to_string(Cause cause) { return names[static_cast<std::size_t>(cause)]; }

}  // namespace ostinato
