// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/options.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/message.hpp>

namespace ostinato {

namespace {

constexpr std::array<std::string_view, 9> status_names = {"converged",  "iteration_limit", "time_limit",
                                                          "breakdown",  "stagnated",       "diverged",
                                                          "not_finite", "interrupted",     "least_squares"};

}  // namespace

std::string_view to_string(Status status) { return status_names[static_cast<std::size_t>(status)]; }

std::string in_words(Status status) {
  std::string words(to_string(status));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

void require_valid(const SolveOptions& o) {
  const auto at_least = [](const char* name, double value, double least) {
    require_between("SolveOptions", name, value, least);
  };
  const auto tolerance = [&](const char* name, double value) {
    at_least(name, value, 0);
    if (std::isinf(value)) throw ArgumentError(std::string("SolveOptions: ") + name + " is infinite");
  };
  tolerance("rtol", o.rtol);
  tolerance("atol", o.atol);
  at_least("max_iterations", o.max_iterations, 0);
  at_least("time_limit", o.time_limit, 0);
  at_least("divergence_limit", o.divergence_limit, 0);
  at_least("restart", o.restart, 0);
  at_least("recycle", o.recycle, 0);
  at_least("check_every", o.check_every, 0);
  require_between("SolveOptions", "shadow", o.shadow, 1, most_shadow_vectors);
}

std::string unused_options(const SolveOptions& o, std::string_view solver) {
  const SolveOptions usual;
  std::string text;
  const auto say = [&](const std::string& option, const char* method) {
    text += (text.empty() ? "" : ", ") + option + " is for " + method;
  };
  // "auto" may take gmres, and never takes idr or gcrodr.
  const bool gmres = solver == "auto" || solver == "gmres", gcrodr = solver == "gcrodr";
  if (o.restart != usual.restart && !gmres && !gcrodr)
    say("restart = " + std::to_string(o.restart), "gmres and gcrodr");
  if (o.recycle != usual.recycle && !gcrodr) say("recycle = " + std::to_string(o.recycle), "gcrodr");
  if (o.recycled != usual.recycled && !gcrodr) say("recycled", "gcrodr");
  if (o.flexible != usual.flexible && !gmres) say("flexible", "gmres");
  if (o.mixed == MixedPrecision::on && solver != "auto" && solver != "cg") say("mixed = on", "cg");
  if (o.shadow != usual.shadow && solver != "idr") say("shadow = " + std::to_string(o.shadow), "idr");
  return text;
}

std::string SolveResult::message() const {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, " after %d %s in %.3g s, ||b - A x|| / ||b|| = %.3e (recomputed)", iterations,
                iterations == 1 ? "iteration" : "iterations", seconds, relative_residual);
  return solver + ": " + in_words(status) + numbers + (reason.empty() ? "" : ": " + reason);
}

}  // namespace ostinato
