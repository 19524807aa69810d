// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/options.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace {

constexpr std::array<std::string_view, 9> status_names = {"converged",  "iteration_limit", "time_limit",
                                                          "breakdown",  "stagnated",       "diverged",
                                                          "not_finite", "interrupted",     "least_squares"};

constexpr std::array<std::string_view, 4> condition_names = {"nothing", "matrix", "scaled", "preconditioned"};

}  // namespace

std::string_view to_string(Condition::Of of) { return condition_names[static_cast<std::size_t>(of)]; }

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

namespace {

/// Whether a method has an option; of "auto", whether one of the methods that it may take has.
bool has(std::string_view solver, bool OwnOptions::*option) {
  return std::any_of(solver_infos.begin(), solver_infos.end(), [&](const SolverInfo& info) {
    const bool is_asked = solver == "auto" ? info.in_auto != RoleInAuto::none : info.name == solver;
    return is_asked && info.own_options.*option;
  });
}

/// "gmres and gcrodr": the methods that have an option.
std::string methods_with(bool OwnOptions::*option) {
  std::string methods;
  for (const SolverInfo& info : solver_infos)
    if (info.own_options.*option) methods += (methods.empty() ? "" : " and ") + std::string(info.name);
  return methods;
}

}  // namespace

std::string unused_options(const SolveOptions& o, std::string_view solver) {
  const SolveOptions usual;
  std::string text;
  const auto say = [&](bool is_changed, bool OwnOptions::*option, const std::string& words) {
    if (!is_changed || has(solver, option)) return;
    text += (text.empty() ? "" : ", ") + words + " is for " + methods_with(option);
  };
  say(o.restart != usual.restart, &OwnOptions::restart, "restart = " + std::to_string(o.restart));
  say(o.recycle != usual.recycle, &OwnOptions::recycle, "recycle = " + std::to_string(o.recycle));
  say(o.recycled != usual.recycled, &OwnOptions::recycled, "recycled");
  say(o.flexible != usual.flexible, &OwnOptions::flexible, "flexible");
  say(o.mixed == MixedPrecision::on, &OwnOptions::mixed, "mixed = on");
  say(o.shadow != usual.shadow, &OwnOptions::shadow, "shadow = " + std::to_string(o.shadow));
  return text;
}

double Stage::rate() const {
  return iterations > 0 ? std::pow(after / before, 1.0 / iterations) : std::numeric_limits<double>::quiet_NaN();
}

void SolveResult::note_once(std::string note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

double SolveResult::forward_error() const {
  constexpr double rounding = std::numeric_limits<double>::epsilon() / 2;  // that A and b have from the beginning
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto times = [&](double error) {
    return std::isnan(error) ? error : condition.value * std::max(error, rounding);
  };
  if (status == Status::least_squares || is_singular) return unknown;
  if (condition.of == Condition::Of::matrix) return times(backward_error);
  // That of the scaled A says nothing of elements of x of different size.
  if (condition.of != Condition::Of::preconditioned) return unknown;
  // Where M is nearly A, the condition is about 1, and the residual, in a norm that M gives, tells all.
  const double by_rows = std::isnan(scaled_error) ? backward_error : std::max(scaled_error, backward_error);
  return std::isnan(by_rows) ? times(relative_residual) : std::max(times(by_rows), relative_residual);
}

namespace {

/// " (48 by cg)": iterations that another method than the last one took. Empty where there are none.
std::string by_others(const SolveResult& r) {
  int iterations = 0;
  std::string name;
  for (const Stage& stage : r.stages) {
    if (stage.method == r.solver || stage.iterations == 0) continue;
    iterations += stage.iterations;
    name = name.empty() || name == stage.method ? stage.method : "others";
  }
  return iterations > 0 ? " (" + std::to_string(iterations) + " by " + name + ")" : "";
}

}  // namespace

std::string SolveResult::message() const {
  if (set_up_stopped) return in_words(status) + " in the set-up: " + reason + "; x is the guess";
  char numbers[160], error[48] = "";
  std::snprintf(numbers, sizeof numbers, " in %.3g s, ||b - A x|| / ||b|| = %.3e (recomputed)", seconds,
                relative_residual);
  if (const double forward = forward_error(); std::isfinite(forward))
    std::snprintf(error, sizeof error, ", forward error about %.0e", forward);
  return solver + ": " + in_words(status) + " after " + std::to_string(iterations) +
         (iterations == 1 ? " iteration" : " iterations") + by_others(*this) + numbers + error +
         (reason.empty() ? "" : ": " + reason);
}

}  // namespace ostinato
