// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <ostinato/spmv/cuda.hpp>
#include <ostinato/spmv/error.hpp>
#include <ostinato/spmv/host.hpp>
#include <ostinato/spmv/select.hpp>

namespace ostinato {

namespace {

std::string known_names(const std::vector<Candidate>& candidates) {
  std::string names = "auto";
  for (const Candidate& c : candidates) names += ", " + c.name;
  return names;
}

double product_seconds(const Candidate& c) { return c.measured_seconds > 0 ? c.measured_seconds : c.cost.seconds; }

/// A format that was asked for may come before a faster one.
std::string against_chosen(double ratio) {
  char text[64];
  if (std::abs(ratio - 1) < 0.005) return "as fast";
  if (ratio < 1) {
    std::snprintf(text, sizeof text, "%.0f %% faster", (1 - ratio) * 100);
  } else if (ratio < 2) {
    std::snprintf(text, sizeof text, "%.0f %% slower", (ratio - 1) * 100);
  } else {
    std::snprintf(text, sizeof text, "%.1f times slower", ratio);
  }
  return text;
}

void rank(std::vector<Candidate>& candidates, const FormatOptions& options) {
  for (Candidate& c : candidates)
    c.total_seconds = c.cost.setup_seconds + options.expected_products * product_seconds(c);
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.cost.applies() != b.cost.applies()) return a.cost.applies();
    return a.cost.applies() && a.total_seconds < b.total_seconds;
  });
}

std::string time_text(double seconds) {
  char text[32];
  const auto [scale, unit] = seconds < 1e-3 ? std::pair{1e6, "us"}
                             : seconds < 1  ? std::pair{1e3, "ms"}
                                            : std::pair{1.0, "s"};
  std::snprintf(text, sizeof text, "%.3g %s", seconds * scale, unit);
  return text;
}

std::string bytes_text(double bytes) {
  char text[32];
  const auto [scale, unit] = bytes < 1e6   ? std::pair{1e-3, "kB"}
                             : bytes < 1e9 ? std::pair{1e-6, "MB"}
                                           : std::pair{1e-9, "GB"};
  std::snprintf(text, sizeof text, "%.3g %s", bytes * scale, unit);
  return text;
}

std::string why_best(const Candidate& best) {
  return std::string(best.measured_seconds > 0 ? "measured " : "predicted ") + time_text(product_seconds(best)) +
         " a product (" + bytes_text(best.cost.moved) + " moved), set-up " + time_text(best.cost.setup_seconds);
}

void judge(std::vector<Candidate>& candidates) {
  const Candidate& best = candidates.front();
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    Candidate& c = candidates[k];
    if (k == 0) {
      c.verdict = "chosen";
    } else if (!c.cost.applies()) {
      c.verdict = c.cost.reason_not;
    } else {
      c.verdict = against_chosen(c.total_seconds / best.total_seconds) +
                  (c.measured_seconds > 0 ? ", measured" : ", predicted");
    }
  }
}

void put_first(std::vector<Candidate>& candidates, const std::string& name) {
  const auto at =
      std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.name == name; });
  if (at == candidates.end()) {
    throw ArgumentError("unknown format '" + name + "'; known: " + known_names(candidates));
  }
  if (!at->cost.applies()) {
    throw ArgumentError("format " + name + " can't hold this matrix: " + at->cost.reason_not);
  }
  std::rotate(candidates.begin(), at, at + 1);
}

}  // namespace

Choice choose(std::vector<Candidate> candidates, const FormatOptions& options) {
  rank(candidates, options);
  Choice choice;
  if (options.format != "auto") {
    put_first(candidates, options.format);
    choice.reason = "asked for";
  } else if (options.tune == Tune::off) {
    put_first(candidates, "csr");
    choice.reason = "no selection asked for";
  } else {
    if (candidates.empty() || !candidates.front().cost.applies()) throw ArgumentError("no format can hold this matrix");
    choice.reason = why_best(candidates.front());
  }
  judge(candidates);
  choice.format = candidates.front().name;
  choice.candidates = std::move(candidates);
  return choice;
}

// What one thread and all of them get from memory (EPYC, 2026-11); formats share it, so that it hardly moves the ranking.
Machine machine_of(const Host& space) {
  return {std::min(28e9 * space.threads(), 400e9), 3e-6, 0, 2.2e-10 / space.threads(), std::size_t{1} << 20, false};
}

// A copy reaches 0.89 of what the memory is clocked for, an empty launch takes 2.5 us and a load from the second-level
// cache 0.7 us with its address; masked diagonals and mirrored ones do 5.7e11 terms a second (H200, 2026-11).
Machine machine_of(const Cuda& space) {
  return {0.89 * space.bandwidth(), 2.5e-6, 0.7e-6, 1.75e-12, space.cache_bytes(), true};
}

}  // namespace ostinato
