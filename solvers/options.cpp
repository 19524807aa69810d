// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/options.hpp>

#include <array>
#include <cstdio>

namespace ostinato {

namespace {

constexpr std::array<std::string_view, 9> status_names = {"converged",  "iteration_limit", "time_limit",
                                                          "breakdown",  "stagnated",       "diverged",
                                                          "not_finite", "interrupted",     "least_squares"};

}  // namespace

std::string_view to_string(Status status) { return status_names[static_cast<std::size_t>(status)]; }

std::string SolveResult::message() const {
  char text[256];
  std::snprintf(text, sizeof text, "%s: %s after %d iterations in %.3g s, ||b - A x|| / ||b|| = %.3e (recomputed)",
                solver.c_str(), std::string(to_string(status)).c_str(), iterations, seconds, relative_residual);
  return text;
}

}  // namespace ostinato
